"""Exact covers by arrays, where nothing is compiled: the same covers and nodes as the kernels find."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from epcg_core.compiled import NotCompiledError
from epcg_core.search.exact_cover.problem import CoverProblem
from epcg_core.search.exact_cover.solver import CoverSearch, estimate_cost, solve
from epcg_core.search.exact_cover.together import TooManyError
from tests.core.search.exact_cover.algorithm_x import all_covers, boards, modulo_symmetry
from tests.core.search.exact_cover.test_solve import as_tuples, rectangle
from tests.sweeps import most

CROSS = CoverProblem(
    3 * 30,
    [(place % 2, tuple(range(3 * place, 3 * place + 3))) for place in range(30)]
    + [(2, (cell, cell + 1)) for cell in range(89)],
    [14, 14, 1],
    [15, 15, 2],
    [0, 1, 2, 30, 88, 89],
)
"""Cells in two words, some of which may stay empty; few covers use pieces of each kind."""


@pytest.fixture
def nothing_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the searches by kernels behave as if their kernels were not in the cache."""

    def asked(*arguments: object) -> None:
        raise NotCompiledError

    monkeypatch.setattr(CoverSearch, "whole", asked)
    monkeypatch.setattr(CoverSearch, "method", property(asked))


@settings(max_examples=most(60))
@given(boards())
def test_arrays_find_what_kernels_find(problem: CoverProblem) -> None:
    compiled, search = solve(problem), CoverSearch(problem)
    found = search.by_arrays()
    assert np.unique(search.canonical(found.covers), axis=0).tolist() == compiled.covers.tolist()
    assert found.nodes == compiled.nodes


def test_cells_of_two_words_and_pieces_that_must_be_used() -> None:
    compiled, search = solve(CROSS), CoverSearch(CROSS)
    found = search.by_arrays()
    assert search.canonical(found.covers).tolist() == compiled.covers.tolist() != []
    assert found.nodes == compiled.nodes


def test_a_search_with_too_many_nodes_is_given_up() -> None:
    search = CoverSearch(rectangle(4, 4, 8))
    nodes = search.by_arrays().nodes
    assert search.by_arrays(nodes).nodes == nodes
    with pytest.raises(TooManyError):
        search.by_arrays(nodes - 1)


def test_a_small_problem_is_solved_and_estimated_without_kernels(nothing_compiled: None) -> None:
    board = rectangle(4, 4, 8)
    found = solve(board, limit=100)
    assert as_tuples(found.covers) == modulo_symmetry(board, all_covers(board)) != []
    assert estimate_cost(board) == found.nodes


def test_a_problem_with_too_many_nodes_needs_kernels(nothing_compiled: None) -> None:
    with pytest.raises(NotCompiledError):
        estimate_cost(rectangle(8, 8, 32))
