"""Steps by kernels and as their definitions read are the same; kinds solve what the tables say."""

from __future__ import annotations

from itertools import permutations

import attrs
import numpy as np
import pytest
from epcg_deduction.rules import problem_of
from epcg_deduction.solving.compiled import Compiled, counts_of_clues, listed
from epcg_deduction.solving.families import Family
from epcg_deduction.solving.plain_steps import by_two
from epcg_deduction.solving.problem import Connected, Local, Problem, Site
from epcg_deduction.solving.steps import (
    ENDS,
    Exclusion,
    Trace,
    grade,
    grades,
    kinds_of,
    plain_trace,
    steps,
)
from numpy.typing import NDArray

from epcg_core.plugin import EpcgError
from tests.deduction.boards import by_clues, empty, fair
from tests.deduction.problems import KINDS, Relation, brute, grid, positions, random_problem

ORDERS = ("0", "1", "2", "3", "01", "012", "13", "123", "0123", "23", "0123+", "13+", "3+")


def _told(trace: Trace) -> list[list[tuple[int, ...]]]:
    """Return the instances of each exclusion of kinds 0 to 2."""
    return [[own.instances for own in turn.exclusions] for turn in trace.rounds if turn.kind in "012"]


def _traces_agree(seed: int, kind: str, orders: tuple[str, ...]) -> None:
    problem = random_problem(seed, kind)
    made = Compiled(problem)
    for position in positions(problem, seed, 1):
        for order in orders:
            plain, compiled = plain_trace(problem, kinds_of(order), position), steps(made, order, position)
            assert plain == compiled
            assert _told(plain) == _told(compiled)
            row = grades(made, np.array([position], np.int64), None, order)[0].tolist()
            widths = [turn.width for turn in plain.rounds]
            assert ENDS[row[0]] == plain.end
            assert row[1:2] + row[3:6] == [
                len(widths), max(widths, default=0), min(widths, default=0), sum(widths),
            ]  # fmt: skip


@pytest.fixture(autouse=True)
def _short_lists_by_matching(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epcg_deduction.solving.blocks.LONG", 1)


@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 8), marks=pytest.mark.slow)], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_kernels_and_definitions_agree(kind: str, seeds: range) -> None:
    for seed in seeds:
        _traces_agree(seed, kind, (ORDERS[seed], ORDERS[8 + seed % 5]))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_kernels_and_definitions_agree_on_many_problems(kind: str) -> None:
    for seed in range(8, 60):
        _traces_agree(seed, kind, ORDERS)


@pytest.mark.parametrize("seeds", [range(8), pytest.param(range(8, 30), marks=pytest.mark.slow)], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_steps_keep_all_solutions(kind: str, seeds: range) -> None:
    for seed in seeds:
        problem = random_problem(seed, kind)
        solutions = brute(problem)
        trace = steps(problem, "0123+")
        for solution in solutions:
            assert all(mask >> mark & 1 for mask, mark in zip(trace.position, solution, strict=True))
        if trace.end == "solved":
            assert len(solutions) == 1
        if trace.end == "contradiction":
            assert not solutions


def _problem(counts: tuple[int, ...], *instances: Local | Connected) -> Problem:
    return Problem(
        tuple(Site("cells", site) for site in range(len(counts))),
        tuple(tuple("abc"[:count]) for count in counts),
        tuple((1 << count) - 1 for count in counts),
        instances,
    )


SAME = Relation(frozenset([(0, 0), (1, 1)]))
OTHER = Relation(frozenset([(0, 1), (1, 0)]))


def test_without_notes_only_sure_marks_count() -> None:
    """Of three marks at both sites b and c are left: only with notes the third site cannot have them."""
    different = Relation(frozenset(permutations(range(3))))
    problem = attrs.evolve(_problem((3, 3, 3), Local(0, "", (0, 1, 2), different)), start=(6, 6, 7))
    assert steps(problem, "0").rounds == ()
    trace = steps(problem, "01")
    assert [(turn.kind, turn.exclusions) for turn in trace.rounds] == [
        ("1", (Exclusion(2, 1), Exclusion(2, 2)))
    ]


def test_two_instances_that_share_an_open_site() -> None:
    """Equal and unequal at once: no choice has both, which neither says alone."""
    problem = _problem((2, 2), Local(0, "", (0, 1), SAME), Local(0, "", (0, 1), OTHER))
    assert steps(problem, "01").end == "stuck"
    trace = steps(problem, "012")
    assert trace.end == "contradiction"
    assert trace.rounds[0].width == 4
    assert trace.rounds[0].exclusions[0].instances == (0, 1)


def test_two_global_instances_are_not_taken_together() -> None:
    one = Connected(0, "", (0, 1, 2), 1, tuple(grid(3, 1)))
    problem = _problem((2, 2, 2), one, attrs.evolve(one, mask=2))
    assert by_two(problem, problem.start) == []
    assert steps(problem, "2").rounds == ()


def test_an_assumption_follows_single_instances_only() -> None:
    """Around a circle of unequal neighbours nothing is refuted by one or two, but by an assumption."""
    unequal = tuple(Local(0, "", (a, (a + 1) % 5), OTHER) for a in range(5))
    problem = _problem((2,) * 5, *unequal)
    assert steps(problem, "012").end == "stuck"
    trace = steps(problem, "0123")
    assert trace.end == "contradiction"
    assert [(turn.kind, turn.width) for turn in trace.rounds] == [("3", 10)]
    assert trace.hardest == "3"


def test_a_grade_is_the_trace_in_numbers() -> None:
    chain = tuple(Local(0, "", (a, a + 1), OTHER) for a in range(3))
    problem = attrs.evolve(_problem((2,) * 4, *chain), start=(1, 3, 3, 3))
    found = grade(problem)
    assert (found.end, found.rounds, found.hardest) == ("solved", 3, "0")
    assert (found.widest, found.narrowest, found.exclusions, found.by_kind) == (1, 1, 3, (3, 0, 0, 0))
    assert steps(problem, rounds=1).position == (1, 2, 3, 3)


def test_a_budget_ends_steps_as_not_known() -> None:
    unequal = tuple(Local(0, "", (a, (a + 1) % 5), OTHER) for a in range(5))
    assert steps(_problem((2,) * 5, *unequal), "23", budget=12).end == "not known"


@pytest.mark.parametrize("kinds", ["", "4", "011", ("0", "x")])
def test_wrong_kinds_are_told(kinds: str) -> None:
    with pytest.raises(EpcgError, match="ind"):
        kinds_of(kinds)


def _solved(family: Family, given: NDArray[np.bool_], kinds: str) -> NDArray[np.bool_]:
    """Return the puzzles that steps of these kinds solve."""
    found = grades(family.problem, *family.puzzles(given), kinds)
    return given[found[:, 0] == ENDS.index("solved")]


def test_slitherlink_on_2_by_2() -> None:
    family, given = fair(empty("slitherlink", 2, 2), "n")
    assert by_clues(given, 4) == [0, 8, 40, 36, 9]
    assert by_clues(_solved(family, given, "1"), 4) == [0, 4, 20, 16, 4]
    assert by_clues(_solved(family, given, "12"), 4) == [0, 4, 36, 32, 8]
    assert len(_solved(family, given, "13")) == len(_solved(family, given, "123")) == 93


@pytest.mark.slow
def test_slitherlink_on_2_by_3() -> None:
    family, given = fair(empty("slitherlink", 3, 2), "n")
    assert by_clues(given, 6) == [0, 6, 59, 374, 458, 224, 40]
    found = [len(_solved(family, given, kinds)) for kinds in ("1", "12", "123", "3+")]
    assert found == [370, 928, 1151, 1159]


def test_mosaic_on_2_by_3() -> None:
    family, given = fair(empty("mosaic", 3, 2), "n")
    assert len(given) == 348
    assert by_clues(_solved(family, given, "1"), 6) == [0, 4, 58, 104, 86, 36, 6]
    assert np.array_equal(_solved(family, given, "1"), _solved(family, given, "13"))
    assert len(_solved(family, given, "12")) == 348


def test_latin_squares_need_no_notes() -> None:
    family, given = fair(empty("latin", 3, 3), "given")
    assert by_clues(given, 9) == [0, 0, 108, 900, 1512, 1512, 1008, 432, 108, 12]
    assert len(_solved(family, given, "0")) == 5592


@pytest.mark.slow
def test_kuromasu_on_3_by_3() -> None:
    family, given = fair(empty("kuromasu", 3, 3), "n")
    assert by_clues(given, 9) == [0, 0, 160, 1034, 1509, 1095, 484, 128, 18, 1]
    assert by_clues(_solved(family, given, "1"), 9) == [0, 0, 116, 918, 1493, 1095, 484, 128, 18, 1]
    assert by_clues(_solved(family, given, "12"), 9) == [0, 0, 148, 966, 1505, 1095, 484, 128, 18, 1]
    assert len(_solved(family, given, "13")) == 4429


def test_small_sudokus_need_no_notes() -> None:
    puzzle = empty("sudoku", 4, 4, 2)
    base = problem_of(puzzle)
    rows = listed(base)
    assert len(rows) == 288
    rng = np.random.default_rng(1)
    starts = np.where(
        rng.random((2000, 16)) < 0.45, 1 << rows[rng.integers(0, 288, 2000)].astype(np.int64), 15
    )
    found = counts_of_clues(base, starts, np.ones((2000, len(base.instances)), np.bool_))
    one = np.array([count.fair is True for count in found])
    assert 500 < one.sum() < 1900
    ends = grades(base, starts, kinds="0")[:, 0]
    assert np.array_equal(ends == ENDS.index("solved"), one)


@pytest.mark.slow
def test_binairo_of_up_to_five_digits() -> None:
    family, given = fair(empty("binairo", 4, 4), "given", 5)
    assert by_clues(given, 5) == [0, 0, 0, 0, 1152, 23040]
    assert by_clues(_solved(family, given, "1"), 5) == [0, 0, 0, 0, 1152, 17280]
    assert len(_solved(family, given, "12")) == len(_solved(family, given, "13")) == len(given)
