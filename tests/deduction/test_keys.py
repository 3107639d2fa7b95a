"""Exact keys, and solutions told by their number: what they say is what plain counting says."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from epcg_deduction.generators import fair as fair_module
from epcg_deduction.generators.fair import EveryTable, fair
from epcg_deduction.generators.solutions import Listed, Numbered, solutions_of
from epcg_deduction.params import FairParams
from epcg_deduction.solving import keys
from epcg_deduction.solving.keys import alone, in_order, numbered, packed

from epcg_core.base.errors import ParamsError


def random_rows(chance: random.Random) -> tuple[list[tuple[int, ...]], list[int]]:
    """Return rows, some of them equal, and a bound for each column; keys have up to three words."""
    sizes = [chance.choice([1, 2, 3, 13, 200, 40_000]) for _ in range(chance.randint(0, 12))]
    drawn = [tuple(chance.randrange(min(size, 3)) for size in sizes) for _ in range(chance.randint(0, 30))]
    return drawn + [tuple(size - 1 for size in sizes)] * chance.randint(0, 2), sizes


def keys_of(rows: list[tuple[int, ...]], sizes: list[int]) -> Any:
    columns = [np.array([row[at] for row in rows], np.int32) for at in range(len(sizes))]
    return packed(columns, sizes, len(rows))


@pytest.mark.parametrize("seed", range(60))
def test_keys_are_equal_where_rows_are_and_in_the_order_of_rows(seed: int) -> None:
    chance = random.Random(seed)
    rows, sizes = random_rows(chance)
    own = keys_of(rows, sizes)
    assert [rows[at] for at in in_order(own)] == sorted(rows)
    times = Counter(rows)
    assert alone(own).tolist() == [times[row] == 1 for row in rows]
    first, of_row = numbered(own)
    assert [rows[at] for at in first] == sorted(times)
    assert [rows[first[at]] for at in of_row] == rows


def test_rows_that_are_sorted_in_slices_are_alone_as_those_sorted_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = random.Random(5)
    for _ in range(20):
        sizes = [chance.choice([2, 7, 2**40]) for _ in range(chance.randint(1, 4))]
        rows = [tuple(chance.randrange(min(size, 4)) for size in sizes) for _ in range(100)]
        own = packed(np.array(rows).T, sizes, len(rows))
        with monkeypatch.context() as small:
            small.setattr(keys, "_SLICE", chance.choice([1, 7, 60]))
            times = Counter(rows)
            assert alone(own).tolist() == [times[row] == 1 for row in rows]


@pytest.mark.parametrize("seed", range(20))
def test_solutions_told_by_their_number_are_all_choices_in_order(seed: int) -> None:
    chance = random.Random(seed)
    options = [sorted(chance.sample(range(5), chance.randint(1, 3))) for _ in range(chance.randint(0, 5))]
    told, listed = Numbered(options), Listed(np.array([*product(*options)], np.uint8))
    assert told.count == listed.count
    assert [told.marks(at) for at in range(told.count)] == [*product(*options)]
    sites = sorted(chance.sample(range(len(options)), chance.randint(0, len(options))))
    first, of_solution = told.choices(sites)
    of_listed = listed.choices(sites)
    assert first.tolist() == of_listed[0].tolist()
    assert of_solution.tolist() == of_listed[1].tolist()


def test_solutions_that_no_rule_constrains_are_told_by_number() -> None:
    board = FairParams(genre="nonogram", size=(5, 5)).base
    assert isinstance(solutions_of(board, 2**25), Numbered)
    with pytest.raises(ParamsError, match="more than 3,000,000 solutions without clues"):
        solutions_of(board)
    assert isinstance(solutions_of(FairParams(genre="slitherlink", size=(2, 2)).base), Listed)


GENRE = """title = "Own"
[marks]
cells = ["on", "off"]
[clues.n]
on = "lines"
values = "0..9"
[clues.list]
on = "lines"
values = "lists"
[[rules]]
each = "clue n"
count = "on"
is = "clue"
[[rules]]
each = "clue list"
runs = "on"
is = "clue"
[puzzle]
size = [2, 3]
"""
"""A clue of one of two kinds at each line."""


@pytest.mark.parametrize("genre", ["nonogram", GENRE])
def test_puzzles_with_all_clues_do_not_depend_on_how_solutions_are_told(
    genre: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    params = FairParams(genre=genre, size=(2, 3), every=True)
    own = fair(params)
    table = own.tables[0]
    assert isinstance(table, EveryTable)
    plain = []
    for solution in range(table.solutions):
        for choice in range(len(table.groups)):
            clues = table.clues(solution, choice)
            same = [other for other in range(table.solutions) if table.clues(other, choice) == clues]
            plain += [(len(clues), solution, choice)] * (same == [solution])
    rows = own.states_block(0, own.max_rank).tolist()
    assert [tuple(row) for row in rows] == [(solution, choice) for _, solution, choice in sorted(plain)]
    middle = own.max_rank // 2
    assert own.states_block(middle, 5).tolist() == rows[middle : middle + 5]

    monkeypatch.setattr(
        fair_module, "solutions_of", lambda puzzle, most: Listed(as_listed(solutions_of(puzzle, most)))
    )
    fair_module._tables.cache_clear()
    assert fair(params).states_block(0, own.max_rank).tolist() == rows
    fair_module._tables.cache_clear()


def as_listed(solutions: Any) -> Any:
    return np.array([solutions.marks(at) for at in range(solutions.count)], np.uint8)
