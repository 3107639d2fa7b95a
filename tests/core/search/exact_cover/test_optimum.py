"""The best of all covers by branch and bound: what plain enumeration finds, at any depth of the frontier."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from epcg_core.base.errors import EpcgError, ParamsError
from epcg_core.chunks.objective import LAST_RANK
from epcg_core.combinatorics.listed import ListedPrefixes
from epcg_core.domain import Cutoff, Metric, Value
from epcg_core.runs.coordinator import Outcome
from epcg_core.search.branch_and_bound.prunings import check_block
from epcg_core.search.branch_and_bound.search import PlainSearch
from epcg_core.search.exact_cover.problem import CoverProblem
from epcg_core.search.exact_cover.solver import PartialCovers, solve
from tests.core.search.exact_cover.algorithm_x import Cover, all_covers, boards, modulo_symmetry
from tests.core.search.exact_cover.best_covers import BestCovers, CoverCost
from tests.core.search.exact_cover.place import Tilings
from tests.core.search.exact_cover.toy_dominoes import Across, dominoes, prices
from tests.sweeps import most

HEIGHTS = [4, pytest.param(6, marks=pytest.mark.slow)]
"""Of boards that are four wide; all dominoes are placed at depth 2 * height."""
COST = Metric("cost", "int", "min")
GAIN = Metric("gain", "int", "max")


class Gain:
    """The sum of gains, which may be negative; covers whose sum is divisible by 3 have no value."""

    def __init__(self, problem: CoverProblem, gains: Sequence[int]) -> None:
        self.gains, self.cells = gains, problem.cells
        self.sizes = [len(cells) for _, cells in problem.placements]
        self.most = max((0, *gains))

    def empty(self) -> tuple[int, int]:
        return 0, self.cells

    def extend(self, partial: tuple[int, int], item: int) -> tuple[int, int]:
        return partial[0] + self.gains[item], partial[1] - self.sizes[item]

    def bound(self, partial: tuple[int, int]) -> int | None:
        return partial[0] + partial[1] * self.most

    def value(self, complete: tuple[int, int]) -> int | None:
        return complete[0] if complete[0] % 3 else None


def per_orbit(problem: CoverProblem, drawn: Sequence[int]) -> list[int]:
    """Numbers that symmetries do not change."""
    return [drawn[min(image[n] for image in problem.images)] for n in range(len(problem.placements))]


def objective_value(objective: Any, cover: Cover) -> Value | None:
    partial = objective.empty()
    for number in cover:
        partial = objective.extend(partial, number)
    found: Value | None = objective.value(partial)
    return found


def search(
    space: PartialCovers, evaluator: BestCovers, sign: int, blocks: int
) -> tuple[Value | None, list[int]]:
    """The optimum, and the ranks that have it: a search and its proof, in blocks of ranks."""
    plain = PlainSearch(space.prefixes, evaluator)
    incumbent = Cutoff(None, LAST_RANK, False, sign)
    for fixed in (False, True):
        incumbent = Cutoff(incumbent.value, LAST_RANK, fixed, sign)
        ranks = []
        for start in range(0, space.max_rank, blocks):
            count = min(blocks, space.max_rank - start)
            found = plain.search_block(start, count, incumbent)
            check_block(found, start, count, "BestCovers")
            ranks += found.ranks.tolist()
            if not fixed and len(found.ranks):
                incumbent = attrs.evolve(incumbent, value=found.values[-1].item(), ties_to=-1)
    return incumbent.value, ranks


@settings(max_examples=most(50))
@given(boards(), st.data())
def test_the_optimum_and_all_optima_are_those_of_enumeration(
    problem: CoverProblem, data: st.DataObject
) -> None:
    few = st.lists(st.integers(0, 5), min_size=len(problem.placements), max_size=len(problem.placements))
    numbers = per_orbit(problem, data.draw(few))
    depth, blocks = data.draw(st.sampled_from([0, 1, 2, 3, 99])), data.draw(st.integers(1, 9))
    cheap, gain = CoverCost(problem, numbers), Gain(problem, [number - 2 for number in numbers])
    space = PartialCovers(problem, depth)
    covers = modulo_symmetry(problem, all_covers(problem))
    for metric, objective, sign in ((COST, cheap, -1), (GAIN, gain, 1)):
        values = {cover: objective_value(objective, cover) for cover in covers}
        known = [value for value in values.values() if value is not None]
        best = None if not known else max(known) if sign > 0 else min(known)
        evaluator = BestCovers(space, metric, objective)
        optimum, ranks = search(space, evaluator, sign, blocks)
        assert optimum == best
        found = [
            cover for rank in ranks for cover, value in evaluator.best(space.unrank(rank)) if value == best
        ]
        rows = np.full((len(found), space.search.width), -1, np.int32)
        for row, cover in zip(rows, found, strict=True):
            row[: len(cover)] = cover
        canonical = [tuple(n for n in row if n >= 0) for row in space.search.canonical(rows).tolist()]
        assert canonical == [cover for cover in covers if best is not None and values[cover] == best]


@settings(max_examples=most(40))
@given(boards(), st.integers(0, 4), st.data())
def test_a_partial_cover_is_worth_the_best_that_goes_on_from_it(
    problem: CoverProblem, depth: int, data: st.DataObject
) -> None:
    few = st.lists(st.integers(0, 5), min_size=len(problem.placements), max_size=len(problem.placements))
    objective = CoverCost(problem, per_orbit(problem, data.draw(few)))
    space = PartialCovers(problem, depth)
    evaluator = BestCovers(space, COST, objective)
    for rank in range(space.max_rank):
        rows = [tuple(n for n in row if n >= 0) for row in space.covers(rank).covers.tolist()]
        values = [value for row in rows if (value := objective_value(objective, row)) is not None]
        expected = (min(values), values.count(min(values))) if values else None
        assert evaluator.evaluate(space.unrank(rank)) == expected
        partial = evaluator.empty()
        for item in space.prefixes.items(rank):
            bound = evaluator.bound(partial)
            assert bound is not None
            assert not values or bound <= min(values)
            partial = evaluator.extend(partial, item)
        assert evaluator.value(partial) == (min(values) if values else None)


def test_few_covers_are_made() -> None:
    problem = dominoes(6, 6)
    asked = []

    class Counted(CoverCost):
        def value(self, complete: Any) -> int:
            asked.append(complete)
            return super().value(complete)

    space = PartialCovers(problem, 3)
    _, ranks = search(
        space, BestCovers(space, COST, Counted(problem, prices(problem, 1))), -1, space.max_rank
    )
    assert ranks
    assert len(asked) < len(solve(problem).covers) / 4


# --- as runs ---------------------------------------------------------------------------------------------


def run(
    place: Tilings, evaluator: str, depth: int, more: str = "", height: int = 6, **options: Any
) -> Outcome:
    text = f"""
name = "best"
domain = "dominoes"
generator = {{ name = "partial", width = 4, height = {height}, depth = {depth} }}
search = {{ name = "branch_and_bound" }}
evaluators = [{{ name = "{evaluator}" }}]
{more}
"""
    return place.run(text, **options)


@cache
def tilings_of_the_board(height: int) -> tuple[CoverProblem, list[Cover]]:
    problem = dominoes(4, height)
    return problem, modulo_symmetry(problem, all_covers(problem))


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("height", "evaluator", "depth"),
    [
        (4, "cost", 3),
        (4, "across", 1),
        *(
            pytest.param(6, evaluator, depth, marks=pytest.mark.slow)
            for evaluator in ("cost", "across")
            for depth in (0, 1, 3, 12, 40)
        ),
    ],
)
def test_the_best_tilings_are_proven(place: Tilings, height: int, evaluator: str, depth: int) -> None:
    problem, covers = tilings_of_the_board(height)
    objective: Any = CoverCost(problem, prices(problem, 0)) if evaluator == "cost" else Across(problem)
    known = [v for v in (objective_value(objective, cover) for cover in covers) if v is not None]
    best = min(known) if evaluator == "cost" else max(known)
    goal = run(place, evaluator, depth, height=height).goal
    assert goal.coverage == "exhaustive"
    assert goal.evaluated + goal.pruned == PartialCovers(problem, depth).max_rank
    assert set(place.values(evaluator, goal.id)) == {best}
    assert sum(place.values("optima", goal.id)) == known.count(best)
    for number in (goal.id - 1, goal.id):
        assert place.failed(number, 200) == {}


@pytest.mark.parametrize("height", HEIGHTS)
def test_bounds_prune_whole_ranges(place: Tilings, height: int) -> None:
    goal = run(place, "cost", 2 * height, height=height).goal
    assert goal.pruned > goal.evaluated
    assert place.failed(goal.id) == {}


@pytest.mark.parametrize(
    ("height", "depth", "executors"),
    [(4, 3, ["threads"]), pytest.param(6, 4, ["serial", "processes"], marks=pytest.mark.slow)],
)
def test_a_proof_depends_on_neither_units_nor_executor(
    place: Tilings, height: int, depth: int, executors: list[str]
) -> None:
    whole = run(place, "cost", depth, height=height).goal
    for executor in executors:
        other = place.other(executor)
        proof = run(other, "cost", depth, height=height, executor=executor, workers=2, unit_size=3).goal
        assert proof.digest == whole.digest
        assert other.failed(2) == {}


@pytest.mark.parametrize("height", HEIGHTS)
def test_the_best_covers_are_recorded_as_solutions_of_what_is_kept(place: Tilings, height: int) -> None:
    goal = run(place, "across", 2, 'select = [{ metric = "across", count = 100 }]', height).goal
    ranks = dict.fromkeys(rank for rank, _, _ in place.solutions(goal.id))
    assert len(ranks) == len(place.values("across", goal.id))
    problem = dominoes(4, height)
    for _, _, cover in place.solutions(goal.id):
        numbers = [int(number) for number in cover]
        assert objective_value(Across(problem), tuple(numbers)) == place.values("across", goal.id)[0]
    assert place.failed(goal.id) == {}


# --- what is refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [0, 2, 12])
def test_bounds_that_are_not_admissible_are_an_error(place: Tilings, depth: int) -> None:
    with pytest.raises(EpcgError, match=r"bound of .* is not admissible: it allows"):
        run(place, "boastful", depth)


def test_a_bound_that_is_not_a_number_is_an_error() -> None:
    class Odd(Across):
        def bound(self, partial: tuple[int, int]) -> Any:
            return float("nan") if partial[1] < 8 else super().bound(partial)

    space = PartialCovers(dominoes(4, 4), 1)
    with pytest.raises(EpcgError, match=r"Odd gives the partial cover \(.*\) a bound of NaN"):
        BestCovers(space, GAIN, Odd(dominoes(4, 4))).evaluate(space.unrank(0))


@pytest.mark.parametrize(
    ("costs", "sentence"),
    [
        ([1], "placements need one integer cost of 0 or more each: 1 costs"),
        ([-1] * 24, "integer cost of 0 or more"),
        ([0.5] * 24, "integer cost of 0 or more"),
        ([*range(24)], r"A symmetry makes placement \d+, which costs \d+, of placement 0"),
    ],
)
def test_other_costs_are_refused(costs: list[Any], sentence: str) -> None:
    with pytest.raises(ParamsError, match=sentence):
        CoverCost(dominoes(4, 4), costs)


# --- listed prefixes -------------------------------------------------------------------------------------


@settings(max_examples=most(100))
@given(
    st.sets(st.tuples(st.integers(-1, 3), st.integers(0, 2), st.integers(0, 3))), st.permutations(range(5))
)
def test_listed_states_are_ranges_by_prefix(states: set[tuple[int, ...]], order: list[int]) -> None:
    rows = sorted(states, key=lambda row: [order[item + 1] for item in row])
    listed = ListedPrefixes(np.array(rows, np.int32).reshape(len(rows), 3))
    for length in range(4):
        for prefix in {row[:length] for row in rows} | {(9,) * length}:
            ranks = [rank for rank, row in enumerate(rows) if row[:length] == prefix]
            assert listed.completions(prefix) == len(ranks)
            if ranks:
                assert listed.first_rank(prefix) == ranks[0]
            if length < 3:
                assert list(listed.following(prefix)) == list(
                    dict.fromkeys(row[length] for row in rows if row[:length] == prefix)
                )
    assert [listed.items(rank) for rank in range(len(rows))] == rows


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([[0, 1], [1, 0], [0, 2]], r"begin with \(0,\) do not lie next to each other"),
        ([[0, 1], [0, 2], [0, 1]], r"begin with \(0, 1\) do not lie next to each other"),
        ([[0, 1], [0, 1]], "listed states 0 and 1 are the same"),
        ([0, 1], "a table of integers"),
        ([[0.5]], "a table of integers"),
    ],
)
def test_other_lists_are_refused(rows: Any, sentence: str) -> None:
    with pytest.raises(ParamsError, match=sentence):
        ListedPrefixes(rows)
