"""Known numbers of fair puzzles, of minimal ones, and of those that steps solve, from the shipped texts."""

from __future__ import annotations

from typing import Any

import pytest
from epcg_deduction.evaluation.facts import counted
from epcg_deduction.evaluation.steps import steps
from epcg_deduction.generators.clues import clues
from epcg_deduction.generators.fair import FairPuzzles, fair
from epcg_deduction.params import CluesParams, FairParams, StepsParams
from epcg_deduction.studies.computed import by_number
from epcg_deduction.studies.publications import FAIR, MINIMAL, PLACED, STEPS, TOTALS, tables

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


def space(genre: str, params: dict[str, Any]) -> FairPuzzles:
    own = {key: tuple(value) if isinstance(value, list) else value for key, value in params.items()}
    return fair(FairParams(genre=genre, **own))


def told(numbers: list[int]) -> str:
    last = max((place for place, count in enumerate(numbers) if count), default=0)
    return " ".join(map(str, numbers[: last + 1]))


def marked(rows: Any) -> list[Any]:
    """Return cases, of which those that take long are slow or nightly tests."""
    found = []
    for label, *rest in rows:
        own = [pytest.mark.slow] * (label in LONG) + [pytest.mark.nightly] * (label in LONGEST)
        found.append(pytest.param(label, *rest, marks=own, id=label))
    return found


@pytest.mark.sweep(8)
@pytest.mark.parametrize(("label", "genre", "params", "counts"), marked(FAIR))
def test_fair_puzzles_by_number_of_clues(label: str, genre: str, params: Any, counts: str) -> None:
    assert told(space(genre, params).by_size) == counts


@pytest.mark.parametrize(("label", "genre", "params", "counts"), marked(MINIMAL))
def test_minimal_puzzles_by_number_of_clues(label: str, genre: str, params: Any, counts: str) -> None:
    assert told(space(genre, params | {"minimal": True}).by_size) == counts


@pytest.mark.parametrize(("label", "genre", "params", "count"), marked(TOTALS))
def test_fair_puzzles_in_all(label: str, genre: str, params: Any, count: int) -> None:
    assert space(genre, params).max_rank == count


@pytest.mark.parametrize(("label", "genre", "params", "count"), PLACED[:1])
def test_placed_clues_that_are_fair(label: str, genre: str, params: dict[str, Any], count: int) -> None:
    own = {key: tuple(value) if isinstance(value, list) else value for key, value in params.items()}
    found = clues(CluesParams(genre, **({"size": (3, 3)} | own)))
    assert sum(bool(counted(found.unrank(rank)).fair) for rank in range(found.max_rank)) == count


@pytest.mark.slow
@pytest.mark.parametrize(("label", "genre", "params", "count"), marked(PLACED[1:]))
def test_further_placed_clues_that_are_fair(
    label: str, genre: str, params: dict[str, Any], count: int
) -> None:
    test_placed_clues_that_are_fair(label, genre, params, count)


def solved(genre: str, size: list[int], kinds: str) -> int:
    own = space(genre, {"size": size})
    found = steps(StepsParams(kinds), own).evaluate_states(own.states_block(0, own.max_rank))  # type: ignore[attr-defined]
    return int(found.values[0].sum())


@pytest.mark.parametrize(("label", "genre", "size", "counts"), STEPS[:1])
def test_puzzles_that_kinds_of_steps_solve(label: str, genre: str, size: list[int], counts: Any) -> None:
    assert {kinds: solved(genre, size, kinds) for kinds, _ in counts} == dict(counts)


@pytest.mark.slow
@pytest.mark.parametrize(("label", "genre", "size", "counts"), STEPS[1:])
def test_further_puzzles_that_kinds_of_steps_solve(label: str, genre: str, size: Any, counts: Any) -> None:
    test_puzzles_that_kinds_of_steps_solve(label, genre, size, counts)


@pytest.mark.slow
def test_puzzles_of_4_by_4_slitherlink_are_counted_by_clues_and_rebuilt() -> None:
    own = space("slitherlink", {"size": [4, 4]})
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
    own = space(genre, params)
    regions, walls = own.boards_of_rows(own.states_block(0, own.max_rank))
    found = regions if metric == "regions" else walls
    assert tuple((found == value).sum() for value in range(len(counts))) == counts
    assert (found < len(counts)).all()


def test_every_known_count_asks_a_question_that_is_shipped() -> None:
    rows = [row for table in tables() for row in table.rows]
    assert {row.ask.query for row in rows if row.ask} == {
        "deduction/fair", "deduction/steps", "deduction/placed"
    }  # fmt: skip
    assert len({row.label for row in rows}) > 60


def test_the_numbers_of_a_distribution_are_told_from_0_on() -> None:
    assert by_number([(1, 8), (2, 40), (3, 36), (4, 9)]) == "0 8 40 36 9"
    assert by_number([]) == "0"
