"""Bumps: what the pieces' symmetries leave of the patterns, and what the patterns allow."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest
from epcg_tangram.evaluation.back import make_back, make_back_chapters
from epcg_tangram.evaluation.back_kernels import count_legal
from epcg_tangram.generators.boards import solved_boards
from epcg_tangram.generators.bumps import BumpPatterns, bump_patterns
from epcg_tangram.params import BackParams, BumpParams
from epcg_tangram.rules.boards import Board
from epcg_tangram.rules.bumps import (
    HOLES,
    BumpPattern,
    Sides,
    allowed,
    asymmetric,
    choices,
    classes,
    constrained,
    holes_for,
    is_legal,
    placement_classes,
)

from epcg_core.base.errors import ParamsError, RankError
from epcg_core.compiled import read_only
from tests.tangram.hexagon import DEFINITION, GAME, PIECE_ORDER, TRIANGLES, geometry, piece
from tests.workplace import facts

USUAL = bump_patterns(BumpParams())
CONSTRAINED = tuple(PIECE_ORDER[number] for number in constrained(DEFINITION))
ASYMMETRIC = tuple(PIECE_ORDER[number] for number in asymmetric(DEFINITION))


def is_up(triangle: tuple[int, int]) -> bool:
    """By its corners: one of three is in its upper row."""
    rows = sorted(b for _, b in TRIANGLES.corners(triangle))
    return rows[0] == rows[1] < rows[2]


def ways(name: str) -> int:
    return len(classes(DEFINITION, PIECE_ORDER.index(name)))


def choices_of(name: str, group_one: bool | None = None, closed: str = "blocked") -> tuple[Sides, ...]:
    return choices(DEFINITION, PIECE_ORDER.index(name), group_one, closed)


def legal_classes(name: str, sides: Sides) -> frozenset[int]:
    return allowed(DEFINITION, PIECE_ORDER.index(name), sides)


@pytest.fixture(scope="module")
def counts() -> np.ndarray:
    back = make_back(BackParams(), USUAL, {})
    return np.asarray(back.evaluate_states(USUAL.states_block(0, USUAL.max_rank)).values[0])


def test_which_pieces_can_be_constrained_follows_from_their_symmetries() -> None:
    assert set(PIECE_ORDER) - set(CONSTRAINED) == {"Hexagon", "Butterfly"}
    assert ASYMMETRIC == ("Mountains", "Wrench", "Triangle", "Hook")
    assert {name: ways(name) for name in CONSTRAINED} == {
        "Line": 2, "Snake": 2, "Elbow": 2, "Trapezoid": 2,
        "Mountains": 4, "Wrench": 4, "Triangle": 4, "Hook": 4,
    }  # fmt: skip


def test_the_choices_are_those_of_the_rules() -> None:
    assert choices_of("Trapezoid") == (("none", "none"), ("odd", "odd"), ("even", "even"))
    assert choices_of("Elbow") == (("none", "none"), ("odd", "even"), ("even", "odd"))
    for name in ("Line", "Snake"):
        assert choices_of(name) == (("none", "none"), ("none", "blocked"), ("blocked", "none"))
    for name in ASYMMETRIC:
        first, second = choices_of(name, True), choices_of(name, False)
        fronts = {("odd", "blocked"), ("even", "blocked")}
        assert set(first) == fronts | {(back, front) for front, back in fronts}
        assert set(second) == {("odd", "odd"), ("odd", "even"), ("even", "odd"), ("even", "even")}
        assert {len(legal_classes(name, sides)) for sides in first} == {1}
        assert {len(legal_classes(name, sides)) for sides in second} == {2}
        assert {len(legal_classes(name, sides)) for sides in choices_of(name, True, "none")} == {3}


def test_every_pattern_of_a_hexagon_or_butterfly_allows_every_placement() -> None:
    for name in ("Hexagon", "Butterfly"):
        assert len(choices_of(name)) == 1
        assert len(legal_classes(name, ("odd", "odd"))) == ways(name) == 1


@pytest.mark.parametrize("name", CONSTRAINED)
def test_a_placement_is_legal_if_it_is_in_some_way_of_laying_the_piece(name: str) -> None:
    """From the definition: turn the piece in all 12 ways, and see which bumps meet holes."""
    board, number = geometry(3), PIECE_ORDER.index(name)
    shape = piece(name).shape
    known = placement_classes(board)
    holes_there = holes_for(DEFINITION)
    assert (*holes_there[:3], "third", *holes_there[3:]) == HOLES  # two kinds of triangles
    for sides in product(holes_there, holes_there):
        legal = set()
        for turn in range(12):
            holes = sides[turn >= 6]
            open_ = {
                "none": shape, "blocked": frozenset(),
                "odd": frozenset(t for t in shape if is_up(t)),
                "even": frozenset(t for t in shape if not is_up(t)),
            }[holes]  # fmt: skip
            bumped = {t for t in shape if is_up(next(iter(TRIANGLES.moved([t], turn))))}
            if bumped <= open_:
                legal.add(TRIANGLES.at_origin(TRIANGLES.moved(shape, turn)))
        for placement, own in zip(board.placements, known, strict=True):
            if placement.piece == number:
                lies = TRIANGLES.at_origin(board.places[cell] for cell in placement.cells)
                assert (own in legal_classes(name, sides)) == (lies in legal)


def test_all_patterns() -> None:
    assert USUAL.max_rank == facts("tangram")["bump_patterns"] == 3**4 * 4**2 * 4**2 * 6
    assert bump_patterns(BumpParams(group_one="none")).max_rank == USUAL.max_rank
    chance = random.Random(5)
    for rank in [0, USUAL.max_rank - 1, *(chance.randrange(USUAL.max_rank) for _ in range(200))]:
        pattern = USUAL.unrank(rank)
        assert USUAL.rank(pattern) == rank
        assert USUAL.parse(USUAL.format(pattern)) == pattern


def test_patterns_without_solution(counts: np.ndarray) -> None:
    assert int((counts == 0).sum()) == facts("tangram")["bump_patterns_without_solution"]["exact"]


def test_boards_on_the_back_are_counted_as_the_definition_says(counts: np.ndarray) -> None:
    back = make_back(BackParams(), USUAL, {})
    for rank in (0, 17, 60_001):
        assert back.evaluate(USUAL.unrank(rank)) == (counts[rank],)


def test_turns_by_a_third_keep_what_is_legal() -> None:
    boards = solved_boards(BackParams().boards)
    images = boards.cover_problem.images
    chance = random.Random(2)
    seen = set()
    for _ in range(300):
        placed = boards.unrank(chance.randrange(boards.max_rank)).placements
        pattern = USUAL.unrank(chance.randrange(USUAL.max_rank))
        legal = [is_legal(Board(GAME, tuple(image[n] for n in placed)), pattern) for image in images]
        assert sum(legal) % 3 == 0
        seen.add(any(legal))
    assert seen == {True, False}


def test_all_raw_boards_give_what_the_distinct_ones_give(counts: np.ndarray) -> None:
    from epcg_tangram.params import BoardsParams

    back = make_back(BackParams(BoardsParams(boards="all")), USUAL, {})
    assert (np.asarray(back.evaluate_states(USUAL.states_block(0, 500)).values[0]) == counts[:500]).all()


def test_both_readings_of_the_first_group() -> None:
    """A side with holes everywhere allows more than a blocked one."""
    other = BumpPatterns(BumpParams(group_one="none"))
    back = make_back(BackParams(), other, {})
    values = np.asarray(back.evaluate_states(other.states_block(0, other.max_rank)).values[0])
    assert int((values == 0).sum()) == 864
    assert back.evaluate(other.unrank(1000)) == (values[1000],)


def test_the_kernel_counts_as_plain_python_does() -> None:
    chance = np.random.default_rng(3)
    allowed_bits = chance.integers(0, 256, 50).astype(np.uint64)
    needed = chance.integers(0, 256, 80).astype(np.uint64)
    weights = chance.integers(1, 9, (80, 2))
    out = np.zeros((50, 2), np.int64)
    count_legal(read_only(allowed_bits), read_only(needed), read_only(weights), out)
    rows = list(zip(needed.tolist(), weights.tolist(), strict=True))
    for k in (0, 1):
        expected = [sum(w[k] for n, w in rows if n & ~a == 0) for a in allowed_bits.tolist()]
        assert out[:, k].tolist() == expected


def test_patterns_that_cannot_be_read_or_are_not_of_the_space() -> None:
    with pytest.raises(ParamsError, match="Line none/blocked"):
        USUAL.parse("Line none")
    with pytest.raises(ParamsError, match="Line none/blocked"):
        USUAL.parse("Lime none/blocked")
    first = USUAL.unrank(0)
    with pytest.raises(RankError, match="not one of this space"):
        USUAL.rank(BumpPattern(first.sides[1:]))
    with pytest.raises(RankError, match="not one of this space"):
        USUAL.rank(BumpPattern((("Line", "blocked", "blocked"), *first.sides[1:])))


def test_the_chapters_on_the_back() -> None:
    """Eight patterns leave 151 puzzles in their smallest chapter; 1674 is the first with most in all."""
    chapters = make_back_chapters(BackParams(), USUAL, {})
    values = np.stack(chapters.evaluate_states(USUAL.states_block(0, USUAL.max_rank)).values)
    assert (values[-1] == values[:-1].min(axis=0)).all()
    best = np.flatnonzero(values[-1] == values[-1].max())
    assert best.tolist() == [1620, 1674, 2619, 2673, 4212, 4239, 5238, 5265]
    totals = values[:-1, best].sum(axis=0)
    assert int(best[np.argmax(totals)]) == 1674
    assert values[:, 1674].tolist() == [650, 1048, 1140, 151, 948, 2268, 151]
    assert chapters.evaluate(USUAL.unrank(1674)) == tuple(values[:, 1674].tolist())
