"""The rules of Fling!, in plain Python and compiled."""

from __future__ import annotations

import numpy as np
import pytest
from epcg_fling.formats.boards import parse_board
from epcg_fling.rules.model import FlingModel
from epcg_fling.rules.move_kernels import (
    count_moves_of_states,
    flung,
    geometry,
    legal,
    list_moves,
    pushed,
    resting_cell,
)
from epcg_fling.rules.moves import (
    DIRECTIONS,
    DOWN,
    LEFT,
    RIGHT,
    UP,
    BoardShape,
    cells_of,
    fling,
    independent,
    is_legal,
    legal_moves,
    moved_pieces,
    successors,
)
from epcg_fling.search.tree_kernels import is_independent
from hypothesis import given, strategies as st

from epcg_core.combinatorics.kernels import binomial_table, combination_bits_block
from epcg_core.compiled import read_only

GAME = BoardShape(7, 8)
SHAPES = [
    GAME,
    *(BoardShape(*size) for size in [(8, 8), (4, 5), (1, 1), (64, 1), (1, 64), (32, 2), (2, 32), (21, 3)]),
]


def board(*cells: int) -> int:
    return sum(1 << cell for cell in cells)


@st.composite
def positions(draw: st.DrawFn) -> tuple[BoardShape, int]:
    shape = draw(st.sampled_from(SHAPES))
    words = st.integers(0, shape.full)
    return shape, draw(words) & draw(words)


def test_a_piece_stops_before_the_one_it_hits_which_leaves_the_board() -> None:
    assert fling(GAME, board(0, 5), (0, RIGHT)) == board(4)
    assert fling(GAME, board(0, 5), (5, LEFT)) == board(1)
    assert fling(GAME, board(0, 49), (0, DOWN)) == board(42)
    assert fling(GAME, board(0, 49), (49, UP)) == board(7)


def test_momentum_passes_through_adjacent_pieces() -> None:
    assert fling(GAME, board(0, 3, 4, 6), (0, RIGHT)) == board(2, 3, 5)
    assert fling(GAME, board(0, 3, 4, 6), (6, LEFT)) == board(1, 4, 5)


def test_pieces_behind_and_beside_stay() -> None:
    assert fling(GAME, board(0, 2, 5, 16), (2, RIGHT)) == board(0, 4, 16)


def test_an_adjacent_piece_cannot_be_hit() -> None:
    assert legal_moves(GAME, board(2, 3)) == []
    assert legal_moves(GAME, board(2, 3, 5)) == [(3, RIGHT), (5, LEFT)]


def test_a_piece_cannot_be_flung_where_none_lies_ahead() -> None:
    assert legal_moves(GAME, board(8)) == []
    assert legal_moves(GAME, board(6, 7)) == []  # the end of one row and the start of the next


def test_moves_come_by_cell_then_up_right_down_left() -> None:
    assert legal_moves(GAME, board(17, 3, 31, 15, 19)) == [
        (3, DOWN),
        (15, RIGHT),
        (17, UP),
        (17, RIGHT),
        (17, DOWN),
        (17, LEFT),
        (19, LEFT),
        (31, UP),
    ]


def test_two_moves_reach_one_board_when_a_line_is_two_apart() -> None:
    assert fling(GAME, board(0, 2, 4), (0, RIGHT)) == fling(GAME, board(0, 2, 4), (4, LEFT)) == board(1, 3)
    assert len(legal_moves(GAME, board(0, 2))) == 2
    assert successors(GAME, board(0, 2)) == [board(1)]


def test_a_game() -> None:
    """A board of six pieces with one solution, from start to end."""
    game = [
        ("o....o. ....... .....o. ....... oo.o...", (5, LEFT)),
        (".o..... ....... .....o. ....... oo.o...", (29, UP)),
        ("....... .o..... .....o. ....... o..o...", (31, LEFT)),
        ("....... .o..... .....o. ....... .o.....", (29, UP)),
        ("....... ....... .o...o. ....... .......", (15, RIGHT)),
    ]
    shape = BoardShape(7, 5)
    bits = parse_board(shape, game[0][0])
    for rows, move in game:
        assert bits == parse_board(shape, rows)
        assert move in legal_moves(shape, bits)
        bits = fling(shape, bits, move)
    assert bits == parse_board(shape, "....... ....... ....o.. ....... .......")
    assert legal_moves(shape, bits) == []


def test_moved_pieces_keep_their_identity() -> None:
    assert moved_pieces(GAME, board(0, 3, 4, 6), (0, RIGHT)) == [(0, 2), (3, 3), (4, 5)]
    assert moved_pieces(GAME, board(0, 49), (49, UP)) == [(49, 7)]


def test_moves_in_lines_that_do_not_meet_are_independent() -> None:
    pieces = board(0, 2, 21, 23)
    assert independent(GAME, pieces, (0, RIGHT), (21, RIGHT))
    assert not independent(GAME, pieces, (0, RIGHT), (2, LEFT))
    assert not independent(GAME, pieces, (0, RIGHT), (0, DOWN))


def test_the_model_plays_by_the_rules() -> None:
    model = FlingModel(GAME)
    state = board(0, 5)
    assert not model.is_goal(state)
    after = model.apply(state, model.actions(state)[0])
    assert model.is_goal(after)
    assert model.key(after) == after == board(4)


@given(positions())
def test_every_move_removes_one_piece(position: tuple[BoardShape, int]) -> None:
    shape, bits = position
    for move in legal_moves(shape, bits):
        after = fling(shape, bits, move)
        assert after.bit_count() == bits.bit_count() - 1
        assert after <= shape.full
        line = [move[0], *(cell for cell in shape.ahead(*move) if bits >> cell & 1)]
        rests = [rest for _, rest in moved_pieces(shape, bits, move)]
        assert set(cells_of(after)) == set(cells_of(bits)) - set(line) | set(rests)


@given(positions())
def test_compiled_moves_are_the_plain_ones(position: tuple[BoardShape, int]) -> None:
    shape, bits = position
    table, word = geometry(shape), np.uint64(bits)
    out = np.zeros((256, 3), np.uint64)
    count = list_moves(table, word, out)
    moves = legal_moves(shape, bits)
    assert [tuple(map(int, row)) for row in out[:count]] == [(*m, fling(shape, bits, m)) for m in moves]
    for cell in range(shape.cells):
        for direction in DIRECTIONS:
            assert legal(table, word, cell, direction) == is_legal(shape, bits, (cell, direction))
    for cell, direction in moves:
        rests = [rest for _, rest in moved_pieces(shape, bits, (cell, direction))]
        moved = pushed(table, word, cell, direction)
        assert set(cells_of(int(moved))) == set(rests)
        assert resting_cell(moved, direction) == rests[0]


@given(positions())
def test_compiled_independence_is_the_plain_one(position: tuple[BoardShape, int]) -> None:
    shape, bits = position
    table, word = geometry(shape), np.uint64(bits)
    moves = legal_moves(shape, bits)[:6]
    for first in moves:
        after = fling(shape, bits, first)
        for second in moves:
            if is_legal(shape, after, second):
                found = is_independent(table, word, *first, np.uint64(after), *second)
                assert found == independent(shape, bits, first, second)
                assert found == independent(shape, bits, second, first)
                assert flung(table, np.uint64(after), *second) == fling(shape, after, second)


@pytest.mark.slow
def test_moves_of_all_boards_of_six_pieces() -> None:
    """4.293 a board, where Sturtevant & Ota 2018 estimate 6."""
    table, binomials, boards = geometry(GAME), binomial_table(56), 32_468_436
    total = stuck = 0
    for start in range(0, boards, 1 << 20):
        count = min(1 << 20, boards - start)
        states, moves = np.zeros(count, np.uint64), np.zeros(count, np.int64)
        combination_bits_block(start, count, 56, 6, binomials, states)
        count_moves_of_states(table, read_only(states), moves)
        total += int(moves.sum())
        stuck += int((moves == 0).sum())
    assert (total, stuck) == (139_378_914, 1_546_522)
