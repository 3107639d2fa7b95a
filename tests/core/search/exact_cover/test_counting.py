"""Covers counted without a list: as many as algorithm X finds, and published numbers."""

from __future__ import annotations

import attrs
import pytest
from hypothesis import given, settings

from epcg_core.base.errors import EpcgError
from epcg_core.search.exact_cover.counting import count_by_states
from epcg_core.search.exact_cover.problem import CoverProblem
from epcg_core.search.exact_cover.solver import solve
from tests.core.search.exact_cover.algorithm_x import all_covers, boards, modulo_symmetry
from tests.core.search.exact_cover.polyforms import packing, rectangle, shapes
from tests.sweeps import most


@settings(max_examples=most(80))
@given(boards())
def test_as_many_as_algorithm_x_finds(problem: CoverProblem) -> None:
    covers, found = all_covers(problem), count_by_states(problem)
    assert (found.every, found.distinct) == (len(covers), len(modulo_symmetry(problem, covers)))
    assert (found.example in covers) if covers else not found.example


def dominoes(width: int, height: int) -> CoverProblem:
    copies = width * height // 2
    return packing(rectangle(width, height), shapes(2), [copies], [copies])


@pytest.mark.parametrize(
    ("width", "height", "covers"),
    [(2, 10, 89), (4, 4, 36), (6, 6, 6_728), (8, 8, 12_988_816), (3, 5, 0), (16, 4, 9_475_901)],
)
def test_dominoes(width: int, height: int, covers: int) -> None:
    """Numbers of Kasteleyn (1961) and of Temperley and Fisher (1961), OEIS A099390."""
    assert count_by_states(dominoes(width, height)).every == covers


@pytest.mark.parametrize(("side", "covers"), [(2, 1), (4, 9), (6, 930)])
def test_dominoes_modulo_symmetry(side: int, covers: int) -> None:
    """The list of all has as many."""
    problem = dominoes(side, side)
    assert count_by_states(problem).distinct == covers == len(solve(problem).covers)


@pytest.mark.slow
def test_beyond_64_bits() -> None:
    """The square of side 16 has 2.4 * 10^30 (OEIS A004003)."""
    problem = attrs.evolve(dominoes(16, 16), symmetries=())
    assert count_by_states(problem, limit=10_000_000).every == 2_444_888_770_250_892_795_802_079_170_816


def test_a_limit_is_said() -> None:
    with pytest.raises(EpcgError, match="More than 1,000 partial covers differ"):
        count_by_states(dominoes(8, 8), limit=1_000)
