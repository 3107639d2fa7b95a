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
    allowed,
    asymmetric,
    choices,
    class_of,
    classes,
    constrained,
    is_legal,
)
from epcg_tangram.rules.geometry import PIECE_ORDER, SYMMETRIES, at_origin, geometry, is_up, moved, piece

from epcg_core.compiled import read_only
from epcg_core.errors import ParamsError, RankError
from tests.workplace import facts

USUAL = bump_patterns(BumpParams())


@pytest.fixture(scope="module")
def counts() -> np.ndarray:
    back = make_back(BackParams(), USUAL, {})
    return np.asarray(back.evaluate_states(USUAL.states_block(0, USUAL.max_rank)).values[0])


def test_which_pieces_can_be_constrained_follows_from_their_symmetries() -> None:
    assert set(PIECE_ORDER) - set(constrained()) == {"Hexagon", "Butterfly"}
    assert asymmetric() == ("Mountains", "Wrench", "Triangle", "Hook")
    assert {name: len(classes(name)) for name in constrained()} == {
        "Line": 2, "Snake": 2, "Elbow": 2, "Trapezoid": 2,
        "Mountains": 4, "Wrench": 4, "Triangle": 4, "Hook": 4,
    }  # fmt: skip


def test_the_choices_are_those_of_the_rules() -> None:
    assert choices("Trapezoid") == (("none", "none"), ("odd", "odd"), ("even", "even"))
    assert choices("Elbow") == (("none", "none"), ("odd", "even"), ("even", "odd"))
    for name in ("Line", "Snake"):
        assert choices(name) == (("none", "none"), ("none", "blocked"), ("blocked", "none"))
    for name in asymmetric():
        first, second = choices(name, True), choices(name, False)
        fronts = {("odd", "blocked"), ("even", "blocked")}
        assert set(first) == fronts | {(back, front) for front, back in fronts}
        assert set(second) == {("odd", "odd"), ("odd", "even"), ("even", "odd"), ("even", "even")}
        assert {len(allowed(name, sides)) for sides in first} == {1}
        assert {len(allowed(name, sides)) for sides in second} == {2}
        assert {len(allowed(name, sides)) for sides in choices(name, True, "none")} == {3}


def test_every_pattern_of_a_hexagon_or_butterfly_allows_every_placement() -> None:
    for name in ("Hexagon", "Butterfly"):
        assert len(choices(name)) == 1
        assert len(allowed(name, ("odd", "odd"))) == len(classes(name)) == 1


@pytest.mark.parametrize("name", constrained())
def test_a_placement_is_legal_if_it_is_in_some_way_of_laying_the_piece(name: str) -> None:
    """From the definition: turn the piece in all 12 ways, and see which bumps meet holes."""
    board, number = geometry(3), PIECE_ORDER.index(name)
    shape = piece(name).shape
    for sides in product(HOLES, HOLES):
        legal = set()
        for turn, symmetry in enumerate(SYMMETRIES):
            holes = sides[turn >= 6]
            open_ = {
                "none": shape, "blocked": frozenset(),
                "odd": frozenset(t for t in shape if is_up(t)),
                "even": frozenset(t for t in shape if not is_up(t)),
            }[holes]  # fmt: skip
            bumped = {t for t in shape if is_up(next(iter(moved([t], symmetry))))}
            if bumped <= open_:
                legal.add(at_origin(moved(shape, symmetry)))
        for placement in board.placements:
            if placement.piece == number:
                lies = at_origin(frozenset(board.triangles[cell] for cell in placement.cells))
                assert (class_of(placement) in allowed(name, sides)) == (lies in legal)


def test_all_patterns() -> None:
    assert USUAL.max_rank == facts("tangram")["bump_patterns"] == 3**4 * 4**2 * 4**2 * 6
    assert bump_patterns(BumpParams("none")).max_rank == USUAL.max_rank
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
        legal = [is_legal(Board(3, tuple(image[n] for n in placed)), pattern) for image in images]
        assert sum(legal) % 3 == 0
        seen.add(any(legal))
    assert seen == {True, False}


def test_all_raw_boards_give_what_the_distinct_ones_give(counts: np.ndarray) -> None:
    from epcg_tangram.params import BoardsParams

    back = make_back(BackParams(BoardsParams(boards="all")), USUAL, {})
    assert (np.asarray(back.evaluate_states(USUAL.states_block(0, 500)).values[0]) == counts[:500]).all()


def test_both_readings_of_the_first_group() -> None:
    """A side with holes everywhere allows more than a blocked one."""
    other = BumpPatterns(BumpParams("none"))
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
