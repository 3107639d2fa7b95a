"""Strategies are pure functions: laws that hold for all candidates, and exact picks."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

from epcg_core.curriculum.strategies import (
    STRATEGIES,
    Evenly,
    Highest,
    Lowest,
    Novelty,
    Pool,
    Quantiles,
    even_targets,
    novel,
    quantile_positions,
    walk,
)

VALUES = st.lists(st.integers(-20, 20), min_size=1, max_size=30).map(sorted)


@st.composite
def pools(draw: st.DrawFn) -> tuple[Pool, int]:
    """(candidates, a count that they suffice for)."""
    values = draw(VALUES)
    return Pool(np.array(values, dtype=np.float64)), draw(st.integers(1, len(values)))


@st.composite
def shaped(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    values = draw(VALUES)
    return values, draw(st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values)))


WALKS = (Evenly(), Quantiles(), Highest(), Lowest())


@pytest.mark.parametrize("strategy", WALKS, ids=lambda s: s.name)
@given(pools())
def test_a_strategy_chooses_exactly_so_many_and_none_twice(
    strategy: Evenly | Quantiles | Lowest, drawn: tuple[Pool, int]
) -> None:
    pool, count = drawn
    positions = [pick.position for pick in strategy.choose(pool, count)]
    assert len(positions) == len(set(positions)) == count
    assert all(0 <= position < len(pool.values) for position in positions)


@given(pools())
def test_evenly_and_quantiles_rise_from_the_smallest_to_the_largest(drawn: tuple[Pool, int]) -> None:
    pool, count = drawn
    for strategy in (Evenly(), Quantiles()):
        positions = [pick.position for pick in strategy.choose(pool, count)]
        assert positions == sorted(positions)
        if count > 1:
            chosen = pool.values[positions]
            assert (chosen[0], chosen[-1]) == (pool.values[0], pool.values[-1])


@given(pools())
def test_highest_and_lowest_take_the_ends(drawn: tuple[Pool, int]) -> None:
    pool, count = drawn
    lowest = [pool.values[p.position] for p in Lowest().choose(pool, count)]
    highest = [pool.values[p.position] for p in Highest().choose(pool, count)]
    assert lowest == pool.values[:count].tolist()
    assert highest == pool.values[::-1][:count].tolist()


@given(pools(), st.data())
def test_every_strategy_says_why_it_passes_over_a_candidate(
    drawn: tuple[Pool, int], data: st.DataObject
) -> None:
    pool, count = drawn
    strategy = data.draw(st.sampled_from(WALKS))
    picks = strategy.choose(pool, count)
    for position in set(range(len(pool.values))) - {pick.position for pick in picks}:
        assert strategy.declined(pool, picks, position)


@given(VALUES, st.integers(1, 30))
def test_without_shapes_a_pick_is_the_nearest_that_leaves_enough(values: list[int], count: int) -> None:
    """Against the definition: of the positions that are possible, the least (distance, key, position)."""
    keys = np.array(values, dtype=np.float64)
    targets = even_targets(float(keys[0]), float(keys[-1]), count)
    found = walk(keys, targets)
    if count > len(keys):
        assert found == list(range(len(keys)))
        return
    last = -1
    for i, target in enumerate(targets):
        possible = range(last + 1, len(keys) - (count - i - 1))
        best = min(possible, key=lambda p: (abs(keys[p] - target), keys[p], p))
        assert found[i] == best
        last = best


@given(shaped(), st.integers(1, 12), st.integers(1, 4))
def test_shapes_occur_at_most_so_often_and_neighbours_differ(
    drawn: tuple[list[int], list[int]], count: int, at_most: int
) -> None:
    values, shapes = drawn
    keys = np.array(values, dtype=np.float64)
    found = walk(keys, even_targets(keys[0], keys[-1], count), np.array(shapes, dtype=np.int64), at_most)
    assert found == sorted(set(found))
    assert len(found) <= count
    taken = [shapes[position] for position in found]
    assert all(taken.count(shape) <= at_most for shape in taken)
    assert all(a != b for a, b in itertools.pairwise(taken))
    greedy: list[int] = []
    for shape in shapes:
        if len(greedy) < count and greedy.count(shape) < at_most and (not greedy or greedy[-1] != shape):
            greedy.append(shape)
    assert len(found) == len(greedy)


def test_targets_and_quantiles() -> None:
    assert even_targets(2.0, 8.0, 4) == [2.0, 4.0, 6.0, 8.0]
    assert even_targets(2.0, 8.0, 1) == [5.0]
    assert quantile_positions(100, 5) == [0, 25, 50, 74, 99]
    assert quantile_positions(100, 1) == [49]
    assert quantile_positions(3, 3) == [0, 1, 2]


def test_equally_near_takes_the_smaller_and_equal_keys_the_first() -> None:
    assert walk(np.array([0.0, 1.0, 3.0, 4.0]), [2.0]) == [1]
    assert walk(np.array([1.0, 1.0, 1.0, 3.0]), [1.0, 1.0]) == [0, 1]
    assert walk(np.array([1.0, 1.0, 1.0, 3.0]), [9.0, 9.0]) == [0, 3]  # two: the first must leave one


@st.composite
def needing(draw: st.DrawFn) -> np.ndarray:
    rules = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(st.booleans(), min_size=rules, max_size=rules), min_size=1, max_size=8))
    return np.array(rows, dtype=np.bool_)


@given(needing(), st.integers(1, 8), st.integers(0, 3))
def test_each_next_puzzle_needs_at_most_one_new_rule(needs: np.ndarray, count: int, practice: int) -> None:
    found = novel(needs, count, practice)
    known = np.zeros(needs.shape[1], np.bool_)
    assert len({position for position, _ in found}) == len(found) <= count
    for position, introduced in found:
        new = np.flatnonzero(needs[position] & ~known).tolist()
        assert new == ([] if introduced is None else [introduced])
        known |= needs[position]


@given(needing(), st.integers(0, 2))
def test_no_order_is_longer(needs: np.ndarray, practice: int) -> None:
    """Against the closure: a puzzle can come at some time if its rules can be learned one by one."""
    learned: set[int] = set()
    usable: set[int] = set()
    while True:
        more = {
            i for i, row in enumerate(needs) if len(set(np.flatnonzero(row).tolist()) - learned) <= 1
        } - usable
        if not more:
            break
        usable |= more
        learned |= {rule for i in more for rule in np.flatnonzero(needs[i]).tolist()}
    assert {position for position, _ in novel(needs, len(needs), practice)} == usable


def test_practice_comes_between_new_rules() -> None:
    needs = np.array([[0, 0], [1, 0], [1, 0], [0, 1], [1, 1]], dtype=np.bool_)
    assert novel(needs, 5) == [(1, 0), (3, 1), (4, None), (0, None), (2, None)]
    assert [position for position, _ in novel(needs, 4, practice=1)] == [1, 2, 3, 4]


def test_novelty_tells_which_rules_are_missing() -> None:
    strategy = Novelty(needs=("a", "b", "c"))
    pool = Pool(np.arange(2.0), needs=np.array([[1, 0, 0], [0, 1, 1]], dtype=np.bool_))
    picks = strategy.choose(pool, 2)
    assert [pick.reason for pick in picks] == ["introduces a"]
    assert strategy.declined(pool, picks, 1) == "needs 2 rules that no chosen one needs: b, c"


def test_every_strategy_is_registered_under_its_name() -> None:
    assert set(STRATEGIES) == {"chance", "evenly", "quantiles", "highest", "listed", "lowest", "novelty"}
