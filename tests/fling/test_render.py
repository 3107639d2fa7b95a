"""Renderers: what the pictures and the texts say is what playing the moves gives."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace

import pytest
from epcg_fling.rendering.animation import solution_svg, travels
from epcg_fling.rendering.picture import Board
from epcg_fling.rendering.renderers import (
    VERDICT_SIGNS,
    analysis_svg,
    analysis_text,
    board_svg,
    board_text,
    first_flings,
    move_in_words,
    svg_renderer,
    text_renderer,
)
from epcg_fling.rules.moves import DOWN, LEFT, RIGHT, UP, BoardShape, Move, cells_of, fling, legal_moves
from epcg_fling.rules.solving import Solver
from hypothesis import given, strategies as st

GAME = BoardShape(7, 8)
SVG = "{http://www.w3.org/2000/svg}"
LEVEL = sum(1 << cell for cell in (3, 4, 9, 27, 34, 37, 55))
"""A board of seven pieces; its solution flings four of them, six times."""


def svg(text: str) -> ElementTree.Element:
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    return root


def pieces(root: ElementTree.Element) -> list[ElementTree.Element]:
    return [group for group in root.iter(f"{SVG}g") if group.get("class") == "piece"]


def place(piece: ElementTree.Element) -> tuple[float, float]:
    x, y = piece.get("transform", "").removeprefix("translate(").removesuffix(")").split()
    return float(x), float(y)


def labels(root: ElementTree.Element) -> list[str | None]:
    found = (piece.find(f"{SVG}text") for piece in pieces(root))
    return [None if label is None else label.text for label in found]


def arrows(element: ElementTree.Element) -> list[ElementTree.Element]:
    return [path for path in element.iter(f"{SVG}path") if path.get("class") == "arrow"]


boards = st.sets(st.integers(0, GAME.cells - 1), min_size=1, max_size=14).map(
    lambda cells: sum(1 << cell for cell in cells)
)
small_boards = st.sets(st.integers(0, 24), min_size=1, max_size=6).map(
    lambda cells: sum(1 << c for c in cells)
)


@given(boards)
def test_a_picture_has_one_ball_for_each_piece_at_its_cell(bits: int) -> None:
    balls = pieces(svg(board_svg(GAME, bits)))
    assert [place(ball) for ball in balls] == [
        (10 + 48 * (cell % 7) + 24, 10 + 48 * (cell // 7) + 24) for cell in cells_of(bits)
    ]


@given(small_boards)
def test_pieces_are_numbered_by_the_move_that_flings_them_first(bits: int) -> None:
    shape = BoardShape(5, 5)
    moves = Solver(shape).first_solution(bits) or []
    # Pieces with names of their own, played by the rule: each stops before the next, which flies on.
    names = {cell: cell for cell in cells_of(bits)}
    expected: dict[int, tuple[int, int]] = {}
    board = bits
    for count, (cell, direction) in enumerate(moves, start=1):
        expected.setdefault(names[cell], (count, direction))
        line = [ahead for ahead in shape.ahead(cell, direction) if ahead in names]
        flying = names.pop(cell)
        for hit in line:
            path = list(shape.ahead(hit, (direction + 2) % 4))
            names[path[0]], flying = flying, names.pop(hit)
        board = fling(shape, board, (cell, direction))
        assert sorted(names) == cells_of(board)
    assert first_flings(shape, bits, moves) == expected
    root = svg(board_svg(shape, bits, moves))
    assert sorted(filter(None, labels(root))) == sorted(str(i) for i in range(1, len(moves) + 1))
    assert len(arrows(root)) == len(moves)
    if len(expected) == len(moves):
        numbers = [str(expected[cell][0]) if cell in expected else None for cell in cells_of(bits)]
        assert labels(root) == numbers


@given(small_boards)
def test_arrows_begin_at_their_balls_and_are_large_enough_to_read_in_print(bits: int) -> None:
    """Each is 23 units of a cell's 48 wide and long, ends in the next cell, and is drawn above the balls."""
    shape = BoardShape(5, 5)
    moves = Solver(shape).first_solution(bits) or []
    root = svg(board_svg(shape, bits, moves))
    drawn = [element.get("class") for element in root.iter() if element.get("class") in ("piece", "arrow")]
    if len(first_flings(shape, bits, moves)) == len(moves):
        assert drawn == ["piece"] * bits.bit_count() + ["arrow"] * len(moves)
    places = [place(ball) for ball in pieces(root)]
    for arrow in arrows(root):
        x, y, turn = map(float, re.findall(r"-?[\d.]+", arrow.get("transform", "")))
        assert (x, y) in places
        assert turn in (0, 90, 180, 270)
        start_x, start_y, *steps = path_of(arrow.get("d", ""))
        across, down = [start_x], [start_y]
        for dx, dy in zip(steps[::2], steps[1::2], strict=True):
            across.append(across[-1] + dx)
            down.append(down[-1] + dy)
        assert (max(across) - min(across), max(down) - min(down)) == (23, 23)
        assert 24 < -min(down) <= 48


def path_of(drawn: str) -> list[float]:
    """The start of a path of straight lines and its steps: x, y, dx, dy, ..."""
    found: list[float] = []
    for sign, text in re.findall(r"([MhvlL])([^MhvlLz]*)", drawn):
        numbers = [float(n) for n in re.findall(r"-?\d*\.?\d+", text)]
        found += {"h": [*numbers, 0.0], "v": [0.0, *numbers]}.get(sign, numbers)
    return found


def test_a_solution_that_flings_a_piece_twice_has_a_board_for_each_move() -> None:
    moves = Solver(GAME).first_solution(LEVEL)
    assert moves is not None
    assert [cell for cell, _ in moves] == [55, 41, 3, 34, 32, 9]
    assert {cell: number for cell, (number, _) in first_flings(GAME, LEVEL, moves).items()} == {
        3: 3, 9: 6, 34: 4, 55: 1,
    }  # fmt: skip
    root = svg(board_svg(GAME, LEVEL, moves))
    assert root.get("viewBox") == f"0 0 {3 * 356} {2 * 404}"
    board, count = LEVEL, 0
    shown = list(zip(pieces(root), labels(root), strict=True))
    for i, (cell, direction) in enumerate(moves):
        left, top = 356 * (i % 3) + 10, 404 * (i // 3) + 10
        here, shown = shown[: board.bit_count()], shown[board.bit_count() :]
        assert [place(piece) for piece, _ in here] == [
            (left + 48 * (c % 7) + 24, top + 48 * (c // 7) + 24) for c in cells_of(board)
        ]
        assert [label for _, label in here] == [str(i + 1) if c == cell else None for c in cells_of(board)]
        board = fling(GAME, board, (cell, direction))
        count += 1
    assert (count, shown) == (6, [])


def test_renderers_of_a_generator_show_a_solution_if_asked_to() -> None:
    generator = SimpleNamespace(setting=GAME)
    draw, write = svg_renderer(generator), text_renderer(generator)
    assert "1" in labels(svg(draw(LEVEL, solution=True)))
    assert labels(svg(draw(LEVEL))) == [None] * 7
    assert write(LEVEL) == board_text(GAME, LEVEL)
    assert write(LEVEL, solution=True).splitlines()[8:10] == [
        "1. fling the piece at column 7, row 8 up",
        "2. fling the piece at column 7, row 6 to the left",
    ]


def test_boards_without_a_solution_and_solved_boards_are_drawn_too() -> None:
    generator = SimpleNamespace(setting=BoardShape(4, 3))
    draw, write = svg_renderer(generator), text_renderer(generator)
    assert labels(svg(draw(0b11, solution=True))) == [None, None]
    assert write(0b11, solution=True) == "oo..\n....\n....\nNo solution.\n"
    assert labels(svg(draw(1 << 5, solution=True))) == [None]
    assert write(1 << 5, solution=True) == "....\n.o..\n....\n"


def test_a_large_board_is_solved_by_the_compiled_search_in_the_same_order() -> None:
    # Nine pieces, more than the plain search takes on.
    bits = sum(1 << cell for cell in (0, 4, 8, 9, 14, 20, 23, 39, 52))
    expected = Solver(GAME).first_solution(bits)
    assert expected is not None
    lines = text_renderer(SimpleNamespace(setting=GAME))(bits, solution=True).splitlines()[GAME.height :]
    assert lines == [f"{i}. {move_in_words(GAME, move)}" for i, move in enumerate(expected, start=1)]


@given(boards)
def test_moves_in_words_tell_the_cell_and_the_direction(bits: int) -> None:
    words = {UP: "up", RIGHT: "to the right", DOWN: "down", LEFT: "to the left"}
    rows = board_text(GAME, bits).splitlines()
    for cell, direction in legal_moves(GAME, bits):
        column, row = cell % 7 + 1, cell // 7 + 1
        assert rows[row - 1][column - 1] == "o"
        assert (
            move_in_words(GAME, (cell, direction))
            == f"fling the piece at column {column}, row {row} {words[direction]}"
        )


def test_the_title_is_escaped_and_tells_the_moves() -> None:
    title = svg(board_svg(GAME, LEVEL, Solver(GAME).first_solution(LEVEL))).find(f"{SVG}title")
    assert title is not None
    assert title.text is not None
    assert "1. fling the piece at column 7, row 8 up; 2. fling" in title.text


@pytest.mark.parametrize("shape", [BoardShape(7, 8), BoardShape(2, 3), BoardShape(8, 8), BoardShape(1, 9)])
def test_the_analysis_shows_winning_moves_and_edits_with_a_legend_of_what_occurs(shape: BoardShape) -> None:
    bits = 0b101 if shape.width > 2 else 1 | 1 << 2 * shape.width
    winning: list[Move] = [(0, RIGHT if shape.width > 2 else DOWN)]
    root = svg(analysis_svg(shape, bits, winning, {0: "unsolvable", 1: "unique"}))
    first, second = pieces(root)
    assert len(arrows(first)) == 1
    assert arrows(second) == []
    signs = [group for group in root.iter(f"{SVG}g") if group.get("class") == "sign"]
    assert len(signs) == 2 + 2, "one for each edited cell and one for each line of the legend"
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert [word for word in words if word and " " in word] == [
        "a winning move",
        "changed here: not solvable",
        "changed here: a unique solution",
    ]
    plain = svg(analysis_svg(shape, bits, [], {}))
    assert list(plain.iter(f"{SVG}text")) == []


@given(boards, st.dictionaries(st.integers(0, 55), st.sampled_from(["unsolvable", "solvable", "unique"])))
def test_the_text_of_an_analysis_signs_the_edited_cells(bits: int, edits: dict[int, str]) -> None:
    rows = analysis_text(GAME, bits, edits).splitlines()  # type: ignore[arg-type]
    for cell in range(GAME.cells):
        shown = rows[cell // 7].ljust(20)[3 * (cell % 7) :][:2]
        assert shown == ("o" if bits >> cell & 1 else ".") + (
            VERDICT_SIGNS[edits[cell]] if cell in edits else " "
        )


# --- moving pictures --------------------------------------------------------------------------------------


@given(st.integers(0, (1 << 20) - 1))
def test_a_moving_picture_ends_as_the_rules_say(bits: int) -> None:
    shape = BoardShape(5, 4)
    moves = Solver(shape).first_solution(bits) if 1 <= bits.bit_count() <= 6 else None
    if moves is None:
        return
    board = Board(shape)
    paths, length = travels(board, bits, moves)
    assert sorted(paths) == cells_of(bits)
    for path in paths.values():
        seconds = [second for second, _ in path]
        assert seconds == sorted(seconds)
        assert (seconds[0], seconds[-1]) == (0.0, length)
    places = {board.centre(cell): cell for cell in range(shape.cells)}
    rest = [places[path[-1][1]] for path in paths.values() if path[-1][1] in places]
    after = bits
    for move in moves:
        after = fling(shape, after, move)
    assert rest == cells_of(after)
    drawn = solution_svg(shape, bits, moves, "a title")
    assert drawn.count("<animateTransform") == bits.bit_count()
    ElementTree.fromstring(drawn)
