"""Solutions by kernels, by the plain solver and by trying everything are the same."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
from epcg_deduction.model.boards import Board
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.rules import problem_of, problems
from epcg_deduction.solving import plain
from epcg_deduction.solving.compiled import Compiled, Count, count, counts_of_clues, listed
from epcg_deduction.solving.problem import Instance, Local, Problem, Site
from epcg_deduction.solving.steps import steps
from epcg_deduction.texts.reader import genre_document

from epcg_core.plugin import EpcgError
from tests.deduction.problems import KINDS, Relation, brute, positions, random_problem


def _solvers_agree(seed: int, kind: str) -> None:
    problem = random_problem(seed, kind)
    wanted = brute(problem)
    made = Compiled(problem)
    assert made.arrays is not None
    assert [tuple(row) for row in made.listed().tolist()] == wanted
    assert made.count(1_000_000) == Count(len(wanted), True)
    assert made.count(2).fair == (len(wanted) == 1)
    assert plain.solutions(problem, 30) == wanted[:30]
    for position in positions(problem, seed, 2):
        assert made.filtered(position) == plain.filtered(problem, position)


@pytest.fixture(autouse=True)
def _short_lists_by_matching(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epcg_deduction.solving.blocks.LONG", 1)


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 12), marks=pytest.mark.slow)], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_solvers_agree_with_trying_everything(kind: str, seeds: range) -> None:
    for seed in seeds:
        _solvers_agree(seed, kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_solvers_agree_on_many_problems(kind: str) -> None:
    for seed in range(12, 1500):
        _solvers_agree(seed, kind)


def _free(sites: int, marks: int = 2) -> Problem:
    names = ("abcdefgh"[:marks],) * sites
    return Problem(
        tuple(Site("cells", site) for site in range(sites)),
        tuple(map(tuple, names)),
        ((1 << marks) - 1,) * sites,
        (),
    )


def test_a_limit_ends_a_count_as_not_complete() -> None:
    assert count(_free(10), 2) == Count(2, False)
    assert count(_free(10), 1024) == Count(1024, False)
    assert count(_free(10), 1025) == Count(1024, True)
    assert count(_free(10), 2).fair is False
    assert count(_free(0), 2) == Count(1, True)


def test_a_budget_ends_a_count_as_not_known() -> None:
    rows = frozenset(row for row in np.ndindex(2, 2, 2) if sum(row) != 1)
    names = _free(12)
    local = tuple(Local(0, "", (a, a + 1, a + 2), Relation(rows)) for a in range(10))
    problem = attrs.evolve(names, instances=local)
    wanted = len(brute(problem))
    full = count(problem, 1_000_000)
    assert full == Count(wanted, True)
    part = count(problem, 1_000_000, full.work // 2)
    assert not part.complete
    assert part.number < wanted
    assert part.fair is False
    assert count(problem, 2, 1).fair is None


def test_lists_say_when_there_are_more() -> None:
    made = Compiled(_free(4))
    rows, complete = made.some(5)
    assert rows.shape == (5, 4)
    assert not complete
    rows, complete = made.some(16)
    assert complete
    assert [tuple(row) for row in rows.tolist()] == list(np.ndindex(2, 2, 2, 2))
    with pytest.raises(EpcgError, match="more than 15 solutions"):
        listed(_free(4), 15)
    assert listed(_free(12)).shape == (4096, 12)


def test_puzzles_that_share_a_problem_are_counted_together() -> None:
    problem = next(p for p in (random_problem(seed, "local") for seed in range(99)) if len(p.instances) == 5)
    rng = np.random.default_rng(1)
    starts = np.array(list(positions(problem, 5, 40)), np.int64)
    active = rng.random((len(starts), 5)) < 0.5
    found = counts_of_clues(problem, starts, active, 1000)
    for own, start, here in zip(found, starts.tolist(), active, strict=True):
        inside = tuple(inst for inst, holds in zip(problem.instances, here, strict=True) if holds)
        part = attrs.evolve(problem, start=tuple(start), instances=inside)
        assert own == Count(len(brute(part)), True)
        assert Compiled(problem).count(1000, start=start, active=here) == own


class _Slow(Relation):
    """A relation whose states are more than a table may have."""


def test_a_problem_without_kernels_goes_by_the_plain_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epcg_deduction.solving.tables.MOST_NODES", 1)
    rows = frozenset([(0, 1, 1), (1, 0, 1), (1, 1, 1)])
    problem = attrs.evolve(_free(4), instances=(Local(0, "", (0, 1, 2), _Slow(rows)),))
    made = Compiled(problem)
    assert made.arrays is None
    assert [tuple(row) for row in made.listed().tolist()] == brute(problem)
    assert made.count(100) == Count(6, True)
    assert made.count(3) == Count(3, False)
    assert made.some(2)[0].tolist() == [[0, 1, 1, 0], [0, 1, 1, 1]]
    assert made.filtered((1, 3, 3, 3)) == (1, 2, 2, 3)
    assert made.filtered((1, 1, 3, 3)) is None
    assert made.count(9, start=(1, 3, 3, 1), active=np.array([True])) == Count(1, True)


def test_an_instance_of_a_strange_kind_is_told() -> None:
    problem = attrs.evolve(_free(2), instances=(Instance(0, "here", (0, 1)),))
    with pytest.raises(EpcgError, match="do not know what Instance means"):
        count(problem)


@pytest.mark.parametrize(("rows", "wanted"), [([()], 4), ([], 0)])
def test_a_condition_on_no_sites_holds_or_not(rows: list[tuple[int, ...]], wanted: int) -> None:
    problem = attrs.evolve(_free(2), instances=(Local(0, "", (), Relation(frozenset(rows))),))
    made = Compiled(problem)
    assert made.arrays is not None
    assert made.count(9) == Count(wanted, True)
    assert len(plain.solutions(problem)) == wanted


def test_the_plain_solver_keeps_to_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epcg_deduction.solving.tables.MOST_NODES", 1)
    rows = frozenset(row for row in np.ndindex(2, 2, 2, 2) if sum(row) == 2)
    problem = attrs.evolve(
        _free(7), instances=tuple(Local(0, "", (a, a + 1, a + 2, a + 3), Relation(rows)) for a in range(4))
    )
    made = Compiled(problem)
    assert made.arrays is None
    assert made.count(100) == Count(6, True)
    assert made.count(100, budget=3000).fair is None
    assert made.count(100, budget=3000).complete is False
    assert made.some(100, budget=3000)[1] is False
    assert steps(made, "3", budget=3000).end == "not known"


@pytest.mark.parametrize("name", ["starbattle", "heyawake", "lits", "ripple", "sudoku"])
def test_boards_that_differ_in_their_regions_have_their_own_rules(name: str) -> None:
    rows = tuple(tuple(range(start, start + 4)) for start in range(0, 16, 4))
    columns = tuple(tuple(range(start, 16, 4)) for start in range(4))
    boards = [Board(4, 4, bytes(16), regions, tuple("abcd")) for regions in (rows, columns)]
    genre = genre_document(name).genre
    first, other = (problem_of(Puzzle(genre, board)) for board in boards)
    problems._KEPT.clear()
    problems._ALIKE.clear()
    assert problem_of(Puzzle(genre, boards[1])) == other
    assert first != other
