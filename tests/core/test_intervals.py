"""Intervals of samples: how often they hold, and when there is none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from benchmarks.estimates import FURTHER, SHAPES, Covered, all_covered
from epcg_core.runs.intervals import Limits, at_most_better, mean, sampled_share

ALWAYS_GIVEN = ("normal", "uniform", "one half", "Poisson, mean 2", "geometric", "the same", "two hills")
"""Shapes of which a sample of 100 has an interval."""


@given(st.integers(1, 300), st.integers(0, 300), st.integers(0, 10**12))
def test_shares_lie_in_their_interval(size: int, count: int, more: int) -> None:
    count = min(count, size)
    found: Any = sampled_share(count, size, size + more)
    assert 0 <= found.low <= found.value <= found.high <= 1
    if not more:
        assert found.low == found.high


def test_shares_have_clopper_and_pearsons_interval() -> None:
    """As tables have it for 10 of 100: 0.0490 to 0.1762; for none of 1,000: 0 to 0.00368."""
    found: Any = sampled_share(10, 100, 10**9)
    assert (found.low, found.high) == (pytest.approx(0.04900, abs=1e-5), pytest.approx(0.17622, abs=1e-5))
    none: Any = sampled_share(0, 1000, 10**12)
    assert (none.low, none.high) == (0, pytest.approx(1 - 0.025 ** (1 / 1000), abs=1e-9))


@given(st.integers(1, 40), st.integers(1, 60))
def test_shares_hold_in_95_of_100_samples_of_any_population(size: int, more: int) -> None:
    """Of all samples of each population, by counting them."""
    population = size + more
    intervals: list[Any] = [sampled_share(count, size, population) for count in range(size + 1)]
    for true in range(population + 1):
        holds = sum(
            math.comb(true, count) * math.comb(population - true, size - count)
            for count in range(size + 1)
            if intervals[count].low - 1e-9 <= true / population <= intervals[count].high + 1e-9
        )
        assert holds >= 0.95 * math.comb(population, size)


@pytest.mark.parametrize(("size", "population"), [(1, 1), (3, 10), (10, 50), (50, 60), (60, 60), (30, 10**4)])
def test_how_many_can_be_better_is_exact(size: int, population: int) -> None:
    """All of K better ones are missed with a probability of C(population - K, size) / C(population, size)."""
    found = at_most_better(size, population)

    def missed(better: int) -> float:
        return math.comb(population - better, size) / math.comb(population, size)

    assert missed(found) >= 0.05 or found == 0
    assert found == population - size or missed(found + 1) < 0.05


# --- means ------------------------------------------------------------------------------------------------


def check(found: Covered) -> None:
    assert found.wrong <= 0.07 * found.repetitions, found
    if found.shape.startswith(ALWAYS_GIVEN):
        assert found.refused <= 0.03 * found.repetitions, found


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES | FURTHER)
def test_93_of_100_samples_say_nothing_wrong(shape: str) -> None:
    for found in all_covered({shape: (SHAPES | FURTHER)[shape]}):
        check(found)


@pytest.mark.parametrize("shape", ["0.5 % is 1,000, else 0", "10 of 20,000 are 1, else 0"])
def test_93_of_100_samples_of_rare_and_of_skewed_values_say_nothing_wrong(shape: str) -> None:
    for found in all_covered({shape: SHAPES[shape]}, (100, 400), 100):
        check(found)


@given(st.lists(st.integers(-3, 9), min_size=1, max_size=90), st.integers(0, 200))
def test_a_mean_lies_in_its_interval_and_both_within_the_limits(values: list[int], more: int) -> None:
    found: Any = mean(np.array(values), len(values), len(values) + more, Limits(-3, 9))
    if not more:
        assert found.low == found.high == pytest.approx(np.mean(values))
    elif len(values) < 30:
        assert (found.low, found.why) == (None, "there are fewer than 30 values")
    elif found.low is None:
        assert found.why.startswith("few values decide it")
    else:
        assert -3 <= found.low <= found.value <= found.high <= 9
        assert found.low < found.high


def test_equal_values_say_how_many_others_there_can_be() -> None:
    zeros = np.zeros(1000, np.int64)
    assert (
        mean(zeros, 1000, 10**6).why == "all 1,000 values are equal, and up to 0.37% of all can be any other"
    )
    within: Any = mean(zeros, 1000, 10**6, Limits(0, 50))
    assert (within.low, within.high) == (0, pytest.approx(50 * 0.00368, abs=1e-3))
    assert mean(zeros + 60, 1000, 10**6, Limits(0, 50)).low is None, (
        "limits that are contradicted say nothing"
    )
    one = zeros.copy()
    one[3] = 7
    assert mean(one, 1000, 10**6).why == "few values decide it (1 of 1,000 differ from the others)"


def test_values_of_any_size_have_a_mean() -> None:
    drawn = np.random.default_rng(1).normal(size=200)
    usual: Any = mean(drawn, 200, 10**6)
    for scale in (1e-300, 1e150, 1e305):
        found: Any = mean(drawn * scale, 200, 10**6)
        assert (found.low / scale, found.high / scale) == pytest.approx((usual.low, usual.high))
    assert mean(np.append(drawn, math.inf), 201, 10**6).why.startswith("values are infinite")
