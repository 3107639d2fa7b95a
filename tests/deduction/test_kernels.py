"""What each instance excludes alone: kernels against tests of every site and mark, tables, graphs."""

from __future__ import annotations

from itertools import product

import attrs
import numpy as np
import pytest
from epcg_deduction.formats.named import puzzles_of
from epcg_deduction.rules import problem_of
from epcg_deduction.solving import plain
from epcg_deduction.solving.arrays import DIFFERENT, MOST_MARKS
from epcg_deduction.solving.blocks import arrays_of
from epcg_deduction.solving.compiled import Compiled
from epcg_deduction.solving.globals import components, global_holds, is_global
from epcg_deduction.solving.instance_kernels import remaining
from epcg_deduction.solving.problem import (
    Connected,
    Groups,
    Joined,
    Local,
    Matched,
    OneLoop,
    Pieces,
    Problem,
    Site,
)
from epcg_deduction.solving.tables import table_of

from tests.deduction.problems import KINDS, Relation, grid, holds, positions, random_problem


def _instances_exclude_exactly(seed: int, kind: str) -> None:
    problem = random_problem(seed, kind)
    made = Compiled(problem)
    assert made.arrays is not None
    desk = made.desk
    for position in positions(problem, seed, 6):
        for number, instance in enumerate(problem.instances):
            own = [position[site] for site in instance.sites]
            desk.own[: len(own)] = own
            kept = remaining(made.arrays, number, desk.own, desk.left, desk.alive, desk.spare, desk.memo)
            assert kept == plain.holds(instance, position)
            if kept:
                lost = set(plain.excluded(instance, position))
                wanted = [
                    sum(1 << mark for mark in range(4) if mask >> mark & 1 and (site, mark) not in lost)
                    for site, mask in zip(instance.sites, own, strict=True)
                ]
                assert desk.left[: len(own)].tolist() == wanted


@pytest.fixture(autouse=True)
def _short_lists_by_matching(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epcg_deduction.solving.blocks.LONG", 1)


@pytest.mark.parametrize(
    "seeds", [range(100, 108), pytest.param(range(108, 125), marks=pytest.mark.slow)], ids=str
)
@pytest.mark.parametrize("kind", KINDS)
def test_an_instance_excludes_what_its_test_refutes(kind: str, seeds: range) -> None:
    for seed in seeds:
        _instances_exclude_exactly(seed, kind)


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(2000, 2300), marks=pytest.mark.slow),
        pytest.param(range(2300, 5000), marks=pytest.mark.nightly),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", KINDS)
def test_many_instances_exclude_what_their_tests_refute(kind: str, seeds: range) -> None:
    for seed in seeds:
        _instances_exclude_exactly(seed, kind)


@pytest.mark.parametrize("seeds", [range(8), pytest.param(range(8, 20), marks=pytest.mark.slow)], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_tests_are_exact_on_complete_positions_and_get_stricter(kind: str, seeds: range) -> None:
    for seed in seeds:
        problem = random_problem(seed, kind)
        for position in positions(problem, seed, 5):
            marks = tuple(mask.bit_length() - 1 for mask in position)
            complete = tuple(1 << mark for mark in marks)
            for instance in problem.instances:
                assert plain.holds(instance, complete) == holds(instance, marks)
                assert plain.holds(instance, position) or not plain.holds(instance, complete)


def test_equal_conditions_share_one_minimal_table() -> None:
    odd = frozenset(row for row in product((0, 1), repeat=6) if sum(row) % 2)
    table = table_of(Relation(odd), (2,) * 6)
    assert table is not None
    assert np.diff(table.first).tolist() == [1, 2, 2, 2, 2, 2]
    assert table_of(Relation(odd), (2,) * 6) is table
    problem = Problem(
        tuple(Site("cells", site) for site in range(8)),
        (("a", "b"),) * 8,
        (3,) * 8,
        tuple(Local(0, "", tuple(range(a, a + 6)), Relation(odd)) for a in range(3)),
    )
    arrays = arrays_of(problem)
    assert arrays is not None
    assert len(set(arrays.at.tolist())) == 1
    begin = arrays.words[arrays.at[0] + 2]
    assert arrays.rows[begin : begin + 22].tolist() == table.rows.tolist()
    assert len(table.rows) == 22


def test_a_condition_that_nothing_meets_has_a_table() -> None:
    table = table_of(Relation(frozenset()), (2, 3))
    assert table is not None
    assert table.rows.tolist() == [-1, -1, -1]
    assert table_of(Relation(frozenset([()])), ()) is not None


def test_sites_with_very_many_marks_have_no_kernel() -> None:
    names = tuple(map(str, range(MOST_MARKS + 1)))
    problem = Problem((Site("cells", 0),), (names,), ((1 << len(names)) - 1,), ())
    made = Compiled(problem)
    assert made.arrays is None
    assert made.count(100).number == MOST_MARKS + 1


def test_components_leave_foreign_pairs_out() -> None:
    assert components([4, 1, 2], [(1, 2), (2, 3), (3, 4)]) == [[1, 2], [4]]


ROW = tuple(grid(4, 1))
SQUARE = tuple(grid(2, 2))


@pytest.mark.parametrize(
    ("instance", "masks", "wanted"),
    [
        (Connected(0, "", (0, 1, 2, 3), 1, ROW), (1, 3, 1, 3), True),
        (Connected(0, "", (0, 1, 2, 3), 1, ROW), (1, 2, 1, 3), False),
        (Connected(0, "", (0, 1, 2, 3), 1, ROW), (2, 2, 2, 2), True),
        (OneLoop(0, "", (0, 1, 2, 3), SQUARE), (1, 1, 1, 1), True),
        (OneLoop(0, "", (0, 1, 2, 3), SQUARE), (2, 2, 2, 2), False),
        (Joined(0, "", (0, 1, 2), ROW, ((0, 5), (3, 5))), (1, 1, 1), True),
        (Joined(0, "", (0, 1, 2), ROW, ((0, 5), (2, 6), (3, 5))), (3, 3, 3), False),
        (Joined(0, "", (0, 1, 2), ROW, ()), (2, 2, 2), True),
        (Groups(0, "", (0, 1, 2, 3), ROW, 1, clues=((0, 2),), by_clue=True), (1, 1, 1, 3), False),
        (Groups(0, "", (0, 1, 2, 3), ROW, 1, clues=((0, 2),), exactly=1), (1, 2, 1, 3), False),
        (Groups(0, "", (0, 1, 2, 3), ROW, 0, by_mark=True), (2, 2, 1, 3), True),
        (Groups(0, "", (0, 1, 2, 3), ROW, 0, by_mark=True), (2, 2, 1, 1), False),
        (Pieces(0, "", (0, 1, 2, 3), (0, 1, 2, 3), SQUARE, True, 2), (2, 3, 2, 2), True),
        (Pieces(0, "", (0, 1, 2, 3), (0, 1, 2, 3), SQUARE, True, 2), (2, 1, 2, 3), False),
        (Pieces(0, "", (0, 1, 2), (0, 1, 2, 3), ROW, values=(0, 1, 1, 0), most=2), (2, 1, 2), False),
        (Matched(0, "", (0, 1, 2, 3), 1, ((0, 1), (1, 2))), (3, 1, 3, 2), True),
        (Matched(0, "", (0, 1, 2, 3), 1, ((0, 1), (1, 2))), (1, 1, 1, 2), False),
    ],
)
def test_a_global_test_says(instance, masks, wanted) -> None:  # type: ignore[no-untyped-def]
    assert is_global(instance)
    assert global_holds(instance, masks) is wanted


@pytest.mark.parametrize("rows", [1, 64])
def test_a_memo_says_what_tables_say_whatever_it_has_forgotten(rows: int) -> None:
    memo = np.zeros((rows, 4), np.int64)
    for seed in range(40):
        problem = random_problem(seed, "local")
        made = Compiled(problem)
        assert made.arrays is not None
        desk = made.desk
        for position in [*positions(problem, seed, 6)] * 2:
            for number, instance in enumerate(problem.instances):
                desk.own[: len(instance.sites)] = [position[site] for site in instance.sites]
                answers = []
                for own in (desk.memo, memo):
                    desk.left[:] = -1
                    holds = remaining(made.arrays, number, desk.own, desk.left, desk.alive, desk.spare, own)
                    answers.append((holds, desk.left.tolist() if holds else None))
                assert answers[0] == answers[1]


def test_problems_of_parts_have_the_arrays_of_their_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epcg_deduction.solving.blocks.LONG", 10)  # as where parts were made ready before
    for most in (1 << 20, 200):  # words of a store: with few, stores follow each other
        monkeypatch.setattr("epcg_deduction.solving.blocks._MOST_WORDS", most)
        for name in ("slitherlink", "nurikabe", "sudoku", "starbattle", "numberlink"):
            for puzzle in puzzles_of(name):
                shared = problem_of(puzzle)
                alone = attrs.evolve(shared)
                assert shared.parts
                assert not alone.parts
                one, other = arrays_of(shared), arrays_of(alone)
                assert one is not None
                assert other is not None
                for field in ("start", "alphabet", "kind", "local", "sites_at", "sites", "touch_at", "touch"):
                    assert getattr(one, field).tolist() == getattr(other, field).tolist()
                sizes = ("nodes", "graph", "longest", "marks")
                assert [getattr(one, size) for size in sizes] == [getattr(other, size) for size in sizes]
                assert Compiled(shared).count(3) == Compiled(alone).count(3)
                assert Compiled(shared).count(3).work == Compiled(alone).count(3).work


@pytest.mark.parametrize("name", ["latin", "sudoku", "kakuro", "ripple"])
def test_rules_that_ask_for_different_marks_go_by_the_matching_kernel(name: str) -> None:
    for puzzle in puzzles_of(name)[:1]:
        problem = attrs.evolve(problem_of(puzzle))
        made = Compiled(problem)
        assert made.arrays is not None
        assert DIFFERENT in made.arrays.kind
        for position in [problem.start, *positions(problem, 3, 3)]:
            assert made.filtered(position) == plain.filtered(problem, position)
