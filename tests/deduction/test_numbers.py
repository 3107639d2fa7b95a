"""Known numbers of fair puzzles, of minimal ones, and of those that steps solve, from the shipped texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest
from epcg_deduction.evaluation.facts import counted
from epcg_deduction.evaluation.steps import steps
from epcg_deduction.generators.clues import clues
from epcg_deduction.generators.fair import FairPuzzles, fair
from epcg_deduction.params import CluesParams, FairParams, StepsParams
from epcg_deduction.studies.computed import by_number
from epcg_research.reproduce import Row, catalogue, chosen

LONG = {
    "KenKen of sums, 3 by 3, all cages", "Yajilin, 2 by 3", "Tents, 3 by 3, all trees, all counts",
    "Akari, 3 by 3, all walls, with or without numbers", "LITS, 3 by 4, regions of four cells or more",
    "Norinori, 3 by 4, all regions", "Nonogram, 4 by 4 (OEIS A242876)", "Slitherlink, 4 by 4",
    "Nonogram, 5 by 5 (OEIS A242876)",
}  # fmt: skip
"""What takes more than half a second."""
LONGEST = {
    "Star battle, 4 by 4, four regions", "LITS, 4 by 4, regions of four cells or more", "Yajilin, 3 by 3",
    "Numberlink, all cells used, 3 by 4, 4 pairs", "Numberlink, all cells used, 3 by 4, 5 pairs",
}  # fmt: skip
"""What takes more than ten seconds."""
BY_BOARD = (
    ("akari", {"size": (3, 3), "boards": "walls"}, "walls",
     (0, 9, 222, 1514, 4807, 8236, 8710, 5856, 2304, 512)),
    ("heyawake", {"size": (2, 3), "boards": "rectangles"}, "regions", (0, 1, 7, 60, 304, 444, 120)),
    ("aquarium", {"size": (2, 3), "boards": "regions", "every": True}, "regions",
     (0, 3, 100, 395, 492, 254, 46)),
    ("heyawake", {"size": (3, 3), "boards": "rectangles"}, "regions",
     (0, 2, 12, 120, 1032, 4964, 10208, 7864, 2016)),
    ("kenken", {"size": (3, 3), "kinds": ("plus",), "boards": "regions", "every": True}, "regions",
     (0, 0, 24, 772, 3312, 4164, 2448, 792, 144, 12)),
    ("lits", {"size": (4, 4), "boards": "regions", "cells": (4, 16)}, "regions", (0, 0, 16, 120)),
)  # fmt: skip
"""(genre, params, a metric of boards, fair puzzles by its value from 0 on)"""


def space(params: dict[str, Any]) -> FairPuzzles:
    return fair(FairParams(**params))


def told(numbers: list[int]) -> str:
    last = max((place for place, count in enumerate(numbers) if count), default=0)
    return " ".join(map(str, numbers[: last + 1]))


@cache
def rows_of(table: str) -> tuple[Row, ...]:
    """The rows of a table of known counts."""
    (found,) = chosen(catalogue(), f"deduction/{table}")[0].tables
    return tuple(found.rows)


def params_of(row: Row) -> dict[str, Any]:
    """The params of the generator that a row asks for."""
    assert row.ask is not None
    settings = (each.removeprefix("generator.").split("=", 1) for each in row.ask.set if "generator." in each)
    found = {key: json.loads(value) for key, value in settings}
    return {key: tuple(value) if isinstance(value, list) else value for key, value in found.items()}


def marked(rows: Iterable[Row]) -> list[Any]:
    """Return cases, of which those that take long are slow or nightly tests."""
    found = []
    for row in rows:
        own = [pytest.mark.slow] * (row.label in LONG) + [pytest.mark.nightly] * (row.label in LONGEST)
        count = getattr(row.published, "value", None)
        found.append(pytest.param(params_of(row), count, marks=own, id=row.label))
    return found


@pytest.mark.sweep(8)
@pytest.mark.parametrize(
    ("params", "counts"), marked(row for row in rows_of("fair") if "clues" not in params_of(row))
)
def test_fair_puzzles_by_number_of_clues(params: Any, counts: str) -> None:
    assert told(space(params).by_size) == counts


def test_fair_puzzles_by_number_of_chosen_clues() -> None:
    rows = [row for row in rows_of("fair") if row.label.startswith("Tents, all trees of 2 by 3, ")]
    by_size = space({**params_of(rows[0]), "clues": ()}).by_size
    assert by_size == [getattr(row.published, "value", None) for row in rows]


@pytest.mark.parametrize(("params", "counts"), marked(rows_of("minimal")))
def test_minimal_puzzles_by_number_of_clues(params: Any, counts: str) -> None:
    assert told(space(params).by_size) == counts


@pytest.mark.parametrize(("params", "count"), marked(rows_of("fair-in-all")))
def test_fair_puzzles_in_all(params: Any, count: int) -> None:
    assert space(params).max_rank == count


@pytest.mark.parametrize(("params", "count"), marked(rows_of("placed")[:1]))
def test_placed_clues_that_are_fair(params: dict[str, Any], count: int) -> None:
    found = clues(CluesParams(**params))
    assert sum(bool(counted(found.unrank(rank)).fair) for rank in range(found.max_rank)) == count


@pytest.mark.slow
@pytest.mark.parametrize(("params", "count"), marked(rows_of("placed")[1:]))
def test_further_placed_clues_that_are_fair(params: dict[str, Any], count: int) -> None:
    test_placed_clues_that_are_fair(params, count)


def solved(row: Row) -> int:
    kinds = re.search(r'kinds = "(.+)"', " ".join(row.ask.set if row.ask else ()))
    assert kinds is not None, row.label
    own = space(params_of(row))
    found = steps(StepsParams(kinds[1]), own).evaluate_states(own.states_block(0, own.max_rank))  # type: ignore[attr-defined]
    return int(found.values[0].sum())


SMALL_STEPS = [row.label for row in rows_of("steps") if row.label.startswith("Slitherlink, 2 by 2")]


@pytest.mark.parametrize(
    "row", [row for row in rows_of("steps") if row.label in SMALL_STEPS], ids=SMALL_STEPS
)
def test_puzzles_that_kinds_of_steps_solve(row: Row) -> None:
    assert row.published is not None
    assert row.published.admits(solved(row))


@pytest.mark.slow
@pytest.mark.parametrize(
    "row", [row for row in rows_of("steps") if row.label not in SMALL_STEPS], ids=lambda row: row.label
)
def test_further_puzzles_that_kinds_of_steps_solve(row: Row) -> None:
    test_puzzles_that_kinds_of_steps_solve(row)


@pytest.mark.slow
def test_puzzles_of_4_by_4_slitherlink_are_counted_by_clues_and_rebuilt() -> None:
    own = space({"genre": "slitherlink", "size": (4, 4)})
    assert own.max_rank == 160_498_304
    for rank in (0, 1_000_000, 160_498_303):
        assert own.rank(own.unrank(rank)) == rank


@pytest.mark.parametrize(
    ("genre", "params", "metric", "counts"),
    [
        pytest.param(*row, marks=mark)
        for row, mark in zip(
            BY_BOARD,
            (pytest.mark.slow, (), (), pytest.mark.slow, pytest.mark.slow, pytest.mark.nightly),
            strict=True,
        )
    ],
)
def test_fair_puzzles_by_walls_and_by_regions(
    genre: str, params: dict[str, Any], metric: str, counts: tuple[int, ...]
) -> None:
    own = space({"genre": genre, **params})
    regions, walls = own.boards_of_rows(own.states_block(0, own.max_rank))
    found = regions if metric == "regions" else walls
    assert tuple((found == value).sum() for value in range(len(counts))) == counts
    assert (found < len(counts)).all()


def test_every_known_count_asks_a_question_that_is_shipped() -> None:
    rows = [row for table in chosen(catalogue(), "deduction")[0].tables for row in table.rows]
    assert {row.ask.query for row in rows if row.ask} == {
        "deduction/fair", "deduction/steps", "deduction/placed"
    }  # fmt: skip
    assert len({row.label for row in rows}) > 60


def test_the_numbers_of_a_distribution_are_told_from_0_on() -> None:
    assert by_number([(1, 8), (2, 40), (3, 36), (4, 9)]) == "0 8 40 36 9"
    assert by_number([]) == "0"
