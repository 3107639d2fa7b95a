"""Branch and bound over a block of ranks: nothing that could matter is pruned, nothing is counted twice."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from epcg_core.base.errors import EpcgError, EvaluationError
from epcg_core.chunks.objective import LAST_RANK, Objective
from epcg_core.domain import BOUND, INFEASIBLE, BlockResult, Cutoff, Prunings, Value
from epcg_core.search.branch_and_bound.prunings import PruningList, check_block, merged
from epcg_core.search.branch_and_bound.search import PlainSearch
from tests.core.search.branch_and_bound.toy_sets import (
    Boastful,
    Common,
    CommonCompiled,
    Cost,
    Fragile,
    JointParams,
    Multisets,
    SetsParams,
    digits,
    subsets,
)

GENERATORS = {"multisets": Multisets, "subsets": subsets, "digits": digits}

params = st.builds(
    SetsParams,
    n=st.integers(1, 7),
    k=st.integers(1, 4),
    elements=st.sampled_from((4, 6, 10, 64)),
    seed=st.integers(0, 10**6),
)


class Case:
    """A small instance, all of whose values are known."""

    def __init__(self, kind: str, sets: SetsParams, joint: int, cost: bool) -> None:
        self.generator = GENERATORS[kind](sets)
        self.evaluator: Any = (Cost if cost else Common)(JointParams(joint), self.generator)
        self.sign = -1 if cost else 1
        found = [
            self.evaluator.evaluate(self.generator.unrank(rank)) for rank in range(self.generator.max_rank)
        ]
        self.values: list[Value | None] = [None if one is None else one[0] for one in found]

    def plain(self, start: int, count: int, incumbent: Cutoff) -> BlockResult:
        return PlainSearch(self.generator.prefixes, self.evaluator).search_block(start, count, incumbent)


@st.composite
def questions(draw: st.DrawFn, kind: str | None = None) -> tuple[Case, int, int, Cutoff]:
    """An instance, a block of its ranks, and an incumbent that may or may not be reached."""
    cost = kind is None and draw(st.booleans())
    kind = kind or draw(st.sampled_from(sorted(GENERATORS)))
    joint = draw(st.integers(0, 40) if cost else st.integers(0, 2))
    case = Case(kind, draw(params), joint, cost)
    start = draw(st.integers(0, case.generator.max_rank))
    count = draw(st.integers(0, case.generator.max_rank - start))
    known = sorted({value for value in case.values if value is not None})
    value = draw(st.sampled_from([None, *known]))
    ties_to = draw(st.sampled_from((-1, LAST_RANK)) | st.integers(0, case.generator.max_rank))
    return case, start, count, Cutoff(value, ties_to, draw(st.booleans()), case.sign)


def ranges(prunings: Prunings) -> list[tuple[int, int, float, int]]:
    columns = (prunings.start, prunings.count, prunings.bound, prunings.reason)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@given(questions())
def test_what_is_pruned_could_not_reach_the_incumbent(question: tuple[Case, int, int, Cutoff]) -> None:
    case, start, count, incumbent = question
    found = case.plain(start, count, incumbent)
    check_block(found, start, count, "the plain search")
    for first, length, bound, reason in ranges(found.prunings):
        values = [value for value in case.values[first : first + length] if value is not None]
        if reason == INFEASIBLE:
            assert values == []
        else:
            assert all(case.sign * value <= case.sign * bound for value in values)
        if incumbent.fixed:
            assert not any(
                incumbent.reached_by(value, rank)
                for rank, value in enumerate(case.values[first : first + length], first)
                if value is not None
            )


@given(questions())
def test_all_that_reaches_a_fixed_incumbent_is_found(question: tuple[Case, int, int, Cutoff]) -> None:
    case, start, count, incumbent = question
    found = case.plain(start, count, Cutoff(incumbent.value, incumbent.ties_to, True, case.sign))
    expected = [
        (rank, value)
        for rank, value in enumerate(case.values[start : start + count], start)
        if value is not None and incumbent.reached_by(value, rank)
    ]
    assert list(zip(found.ranks.tolist(), found.values.tolist(), strict=True)) == expected


@given(questions())
def test_an_improving_search_ends_with_the_best_at_its_lowest_rank(
    question: tuple[Case, int, int, Cutoff],
) -> None:
    case, start, count, incumbent = question
    found = case.plain(start, count, Cutoff(incumbent.value, incumbent.ties_to, False, case.sign))
    reaching = [
        (-case.sign * value, rank)
        for rank, value in enumerate(case.values[start : start + count], start)
        if value is not None and incumbent.reached_by(value, rank)
    ]
    course = [
        (-case.sign * value, rank)
        for rank, value in zip(found.ranks.tolist(), found.values.tolist(), strict=True)
    ]
    assert all(later[0] < earlier[0] for earlier, later in pairwise(course))
    assert course[-1:] == ([min(reaching)] if reaching else [])


@given(questions("multisets"))
def test_the_kernel_finds_and_prunes_what_the_plain_search_does(
    question: tuple[Case, int, int, Cutoff],
) -> None:
    case, start, count, incumbent = question
    compiled = CommonCompiled(JointParams(case.evaluator.joint), case.generator)
    plain, other = case.plain(start, count, incumbent), compiled.search_block(start, count, incumbent)
    assert other.evaluated == plain.evaluated
    assert (other.ranks.tolist(), other.values.tolist()) == (plain.ranks.tolist(), plain.values.tolist())
    assert str(ranges(other.prunings)) == str(ranges(merged(plain.prunings, case.sign)))  # NaN is not NaN


def test_evaluated_means_that_no_prefix_was_pruned() -> None:
    """Four sets of which two share nothing: by hand."""
    case = Case("subsets", SetsParams(n=4, k=2), 1, False)
    case.generator.sets = [0b1111, 0b0111, 0b0001, 0b1000]
    case.evaluator = Common(JointParams(1), case.generator)
    # pairs by rank: 01 has 3 in common, 02 1, 03 1, 12 1, 13 none, 23 none
    assert [case.evaluator.evaluate(case.generator.unrank(rank)) for rank in range(6)] == [
        None, (1,), (1,), (1,), None, None,
    ]  # fmt: skip
    every = case.plain(0, 6, Cutoff(1, LAST_RANK, True))
    assert (every.evaluated, every.ranks.tolist(), ranges(every.prunings)) == (6, [1, 2, 3], [])
    first = case.plain(0, 6, Cutoff(1, 1, True))
    assert (first.evaluated, first.ranks.tolist()) == (5, [1])
    assert ranges(first.prunings) == [(5, 1, 1.0, BOUND)]
    better = case.plain(0, 6, Cutoff(2, LAST_RANK, True))
    assert (better.evaluated, ranges(better.prunings)) == (5, [(5, 1, 1.0, BOUND)])


def test_a_bound_that_is_not_admissible_is_noticed() -> None:
    generator = Multisets(SetsParams(n=2, k=2, elements=6))
    generator.sets = [0b11, 0b01]
    search = PlainSearch(generator.prefixes, Boastful(JointParams(1), generator))
    with pytest.raises(EvaluationError, match="The bound of Boastful is not admissible"):
        search.search_block(0, generator.max_rank, Cutoff(None, LAST_RANK, True))


def test_an_evaluator_that_raises_is_named_with_the_rank() -> None:
    generator = Multisets(SetsParams(n=5, k=2, elements=6))
    generator.sets = [2, 2, 3, 2, 2]
    search = PlainSearch(generator.prefixes, Fragile(JointParams(1), generator))
    with pytest.raises(EvaluationError, match="Fragile raised ValueError: set 2 contains") as error:
        search.search_block(0, generator.max_rank, Cutoff(None, LAST_RANK, True))
    assert error.value.rank == 2


@pytest.mark.parametrize("bound", [float("nan"), 2**53 + 1])
def test_a_bound_that_cannot_be_recorded_is_refused(bound: float) -> None:
    with pytest.raises(EpcgError, match="bound"):
        PruningList(1).add(0, 1, bound)


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(1, 4), st.integers(-3, 3), st.booleans())),
    st.sampled_from((1, -1)),
)
@example([(0, 1, 2, False), (0, 1, 3, False), (0, 1, 1, False)], -1)
def test_merging_keeps_what_is_covered_and_the_weakest_bound(
    steps: list[tuple[int, int, int, bool]], sign: int
) -> None:
    one_by_one, at = PruningList(sign), 0
    rows: list[tuple[int, int, float, int]] = []
    for gap, count, whole, infeasible in steps:
        at += gap
        one_by_one.add(at, count, None if infeasible else whole)
        rows.append((at, count, np.nan if infeasible else whole, int(infeasible)))
        at += count
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    every = Prunings(*(np.array(c, t) for c, t in zip(columns, ("i8", "i8", "f8", "u1"), strict=True)))
    found = merged(every, sign)
    assert str(ranges(found)) == str(ranges(one_by_one.prunings()))
    covered: dict[int, tuple[int, float]] = {}
    for start, count, bound, reason in ranges(found):
        covered |= dict.fromkeys(range(start, start + count), (reason, bound))
    assert len(covered) == sum(count for _, count, _, _ in rows) == int(found.count.sum())
    for start, count, real, reason in rows:
        for rank in range(start, start + count):
            assert covered[rank][0] == reason
            assert reason == INFEASIBLE or sign * covered[rank][1] >= sign * real
    ends = (found.start + found.count)[:-1]
    assert not ((ends == found.start[1:]) & (found.reason[:-1] == found.reason[1:])).any()


EMPTY = Prunings(*(np.zeros(0, t) for t in ("i8", "i8", "f8", "u1")))


def pruned(*rows: tuple[int, int]) -> Prunings:
    starts, counts = zip(*rows, strict=True)
    n = len(rows)
    return Prunings(np.array(starts), np.array(counts), np.ones(n), np.zeros(n, np.uint8))


@pytest.mark.parametrize(
    ("evaluated", "ranks", "prunings", "wrong"),
    [
        (9, [], EMPTY, "together they must be all"),
        (8, [], pruned((12, 1)), "together they must be all"),
        (6, [], pruned((12, 2), (13, 2)), "overlap"),
        (8, [], pruned((19, 2)), "leave the block"),
        (8, [], pruned((9, 2)), "leave the block"),
        (8, [12], pruned((12, 2)), "among the ranks that it pruned"),
        (10, [20], EMPTY, "not asked for"),
        (10, [9], EMPTY, "not asked for"),
        (10, [12, 12], EMPTY, "not increasing"),
    ],
)  # fmt: skip
def test_a_kernel_that_miscounts_is_refused(
    evaluated: int, ranks: list[int], prunings: Prunings, wrong: str
) -> None:
    found = BlockResult(evaluated, np.array(ranks, np.int64), np.zeros(len(ranks)), prunings)
    with pytest.raises(EpcgError, match=wrong):
        check_block(found, 10, 10, "It")


def test_the_better_of_two_has_the_better_value_then_the_lower_rank() -> None:
    most, least = (Objective("m", direction, "all", "search") for direction in ("max", "min"))
    assert most.better((3, 9), (2, 1)) == (3, 9) == most.better(None, (3, 9))
    assert least.better((3, 9), (2, 1)) == (2, 1)
    assert most.better((3, 9), (3, 4)) == least.better((3, 9), (3, 4)) == (3, 4)
    assert most.better(None, None) is None
