"""Many choices of pieces on one board: each count is that of a search for the choice alone."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from epcg_core.base.errors import ParamsError
from epcg_core.search.exact_cover import choices
from epcg_core.search.exact_cover.choices import count_covers
from epcg_core.search.exact_cover.problem import CoverProblem
from epcg_core.search.exact_cover.solver import solve
from tests.core.search.exact_cover.algorithm_x import boards
from tests.core.search.exact_cover.polyforms import doubled, packing, rectangle, rhomboid, shapes
from tests.sweeps import most


def one_by_one(problem: CoverProblem, least: Any, most: Any) -> list[int]:
    pairs = zip(least, most, strict=True)
    return [len(solve(attrs.evolve(problem, least=a, most=b)).covers) for a, b in pairs]


def alike(problem: CoverProblem, copies: list[int]) -> list[int]:
    """Return copies of each piece that are the same of pieces that a symmetry exchanges."""
    return [min(copies[own[problem.cells + piece]] for own in problem.group) for piece in range(len(copies))]


@settings(max_examples=most(60))
@given(boards(), st.data())
def test_each_count_is_that_of_a_search_alone(problem: CoverProblem, data: st.DataObject) -> None:
    copies = st.lists(st.integers(0, 4), min_size=problem.pieces, max_size=problem.pieces)
    most = [alike(problem, row) for row in data.draw(st.lists(copies, min_size=1, max_size=4))]
    least = [alike(problem, [data.draw(st.integers(0, min(2, own))) for own in row]) for row in most]
    expected = one_by_one(problem, least, most)
    assert count_covers(problem, least, most).tolist() == expected
    assert count_covers(problem, least, most, limit=2).tolist() == [min(3, count) for count in expected]


@settings(max_examples=most(60))
@given(boards(), st.data())
def test_choices_counted_by_states_are_those_of_a_search(problem: CoverProblem, data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(choices, "LONG", -1.0)
        test_each_count_is_that_of_a_search_alone.hypothesis.inner_test(problem, data)


def test_choices_of_many_dominoes_squares_and_corners(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each way to fill the square of side 6: dominoes alone are 6,728 (A004003), 930 modulo symmetry."""
    problem = packing(rectangle(6, 6), [shapes(1)[0], shapes(2)[0], shapes(3)[0]], [0] * 3, [2, 18, 12])
    sets = [[a, b, c] for a in range(3) for b in range(19) for c in range(13) if a + 2 * b + 3 * c == 36]
    counts = count_covers(problem, sets, sets)
    assert counts[sets.index([0, 18, 0])] == 930
    few = [row for row, count in enumerate(counts.tolist()) if count < 5_000]
    assert len(few) > 3
    monkeypatch.setattr(choices, "LONG", float("inf"))
    own = [sets[row] for row in few]
    assert count_covers(problem, own, own).tolist() == counts[few].tolist()


@settings(max_examples=most(60))
@given(boards(), st.data())
def test_what_the_areas_rule_out_is_not_searched(problem: CoverProblem, data: st.DataObject) -> None:
    own = st.lists(st.integers(0, 4), min_size=problem.pieces, max_size=problem.pieces)
    most = alike(problem, data.draw(own))
    least = alike(problem, [data.draw(st.integers(0, copies)) for copies in most])
    alone = attrs.evolve(problem, least=least, most=most)
    counter = choices._Counter(attrs.evolve(alone, least=[0] * len(most), most=[4] * len(most)), 1)
    assert counter._may_fill(np.array([least]), np.array([most])).tolist() == [alone.impossible() is None]


def test_five_of_fifteen_pieces_on_thirty_triangles() -> None:
    """No choice has a cover twice, so together they have those of a search among all fifteen."""
    pieces = doubled(shapes(3, triangles=True)[0])
    problem = packing(rhomboid(3, 5), pieces, [0] * 15, [1] * 15, flip=False)
    sets = [[int(piece in own) for piece in range(15)] for own in combinations(range(15), 5)]
    counts = count_covers(problem, sets, sets)
    assert len(counts) == 3003
    covers = solve(problem).covers
    used = [tuple(sorted(problem.placements[n][0] for n in cover if n >= 0)) for cover in covers.tolist()]
    expected = [used.count(own) for own in combinations(range(15), 5)]
    assert counts.tolist() == expected
    assert counts.sum() == len(covers) > 0


@pytest.mark.parametrize("step", [11, pytest.param(1, marks=pytest.mark.slow)])
def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """Every choice of three pentominoes, or each eleventh of them."""
    problem = packing(rectangle(5, 3), shapes(5))
    sets = [[int(piece in own) for piece in range(12)] for own in combinations(range(12), 3)][::step]
    counts = count_covers(problem, sets, sets)
    monkeypatch.setattr(choices, "BLOCK", 7)
    assert count_covers(problem, sets, sets).tolist() == counts.tolist() == one_by_one(problem, sets, sets)
    assert step > 1 or counts.sum() == 7


@pytest.mark.parametrize(
    ("least", "most", "limit", "sentence"),
    [
        ([[1]], [[1]], None, "least: a number of copies for each choice and each of 2 pieces is expected"),
        ([[0, 0]], [0, 1], None, "most: a number of copies"),
        ([[0, 0]], [[0.5, 1]], None, "most: a number of copies"),
        ([[0, 0]], [[1, 1], [1, 1]], None, "There are 1 choices of least copies, and 2 of most"),
        ([[0, 0], [0, 2]], [[1, 1], [1, 1]], None, "Choice 1 has 2 to 1 copies of piece 1"),
        ([[-1, 0]], [[1, 1]], None, "Choice 0 has -1 to 1 copies of piece 0"),
        ([[0, 0]], [[1, 1]], -1, "limit: 0 covers or more are expected, not -1"),
    ],
)
def test_choices_that_do_not_fit_are_refused(least: Any, most: Any, limit: int | None, sentence: str) -> None:
    problem = packing(rectangle(3, 2), shapes(3))
    with pytest.raises(ParamsError, match=sentence):
        count_covers(problem, least, most, limit)


def test_no_choice_has_no_counts() -> None:
    none = np.zeros((0, 2), np.int64)
    assert count_covers(packing(rectangle(3, 2), shapes(3)), none, none).tolist() == []
