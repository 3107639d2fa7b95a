"""Steps by another program: their definitions for one genre, which shares no code with solvers or rules.

Shaded cells hang together, and a clue counts the shaded cells among the nine. Steps of kinds 0 to 3 leave
some of these puzzles open; what is missing is steps of two instances after an assumption, kind 3+.
"""

from __future__ import annotations

import random
from itertools import combinations, product
from typing import Any

import pytest
from epcg_deduction.formats.own import parse_puzzle
from epcg_deduction.generators.fair import fair
from epcg_deduction.inference.hints import hint
from epcg_deduction.params import FairParams, StepsParams
from epcg_deduction.rules import problem_of
from epcg_deduction.solving.steps import plain_trace, steps

GENRE = """title = "Own"
[marks]
cells = ["shaded", "blank"]
[clues.n]
on = "cells"
values = "0..9"
[[rules]]
connected = "shaded"
[[rules]]
each = "clue n"
look = "nine"
count = "shaded"
is = "clue"
"""
EXAMPLE = f'{GENRE}[puzzle]\ndrawing = """\n2.2\n...\n1..\n"""\n'
SIDE = 3
CELLS = range(SIDE * SIDE)
Position = list[set[int]]
"""The possible marks of each cell: 0 is shaded, 1 blank."""
Instance = tuple[tuple[int, ...], int | None]
"""Cells, and how many of them are shaded; None: those that are hang together."""


def near(cell: int, corners: bool) -> tuple[int, ...]:
    y, x = divmod(cell, SIDE)
    found = [
        other for other in CELLS
        for dy, dx in [(abs(other // SIDE - y), abs(other % SIDE - x))]
        if max(dy, dx) <= 1 and (corners or dy + dx == 1)
    ]  # fmt: skip
    return tuple(found)


def holds(instance: Instance, position: Position) -> bool:
    cells, number = instance
    sure = [cell for cell in cells if position[cell] == {0}]
    can = {cell for cell in cells if 0 in position[cell]}
    if number is not None:
        return len(sure) <= number <= len(can)
    reached, front = set(sure[:1]), sure[:1]
    while front:
        further = (set(near(front.pop(), corners=False)) & can) - reached
        reached |= further
        front += further
    return reached >= set(sure)


def put(position: Position, cell: int, mark: int) -> Position:
    return [*position[:cell], {mark}, *position[cell + 1 :]]


def by_one(instances: list[Instance], position: Position, notes: bool) -> set[tuple[int, int]] | None:
    seen = position if notes else [own if len(own) == 1 else {0, 1} for own in position]
    if not all(holds(own, seen) for own in instances):
        return None
    return {
        (cell, mark) for own in instances for cell in own[0] if len(position[cell]) == 2
        for mark in (0, 1) if not holds(own, put(seen, cell, mark))
    }  # fmt: skip


def by_two(instances: list[Instance], position: Position) -> set[tuple[int, int]]:
    found = set()
    for pair in combinations(instances, 2):
        local = sorted({cell for cells, number in pair if number is not None for cell in cells})
        if not any(len(position[cell]) == 2 for cell in {*pair[0][0]} & {*pair[1][0]}):
            continue
        for cell, mark in product({*pair[0][0], *pair[1][0]}, (0, 1)):
            tried = put(position, cell, mark)
            if len(position[cell]) == 2 and not any(
                all(holds(own, chosen) for own in pair) for chosen in choices(tried, local)
            ):
                found.add((cell, mark))
    return found


def choices(position: Position, cells: list[int]) -> Any:
    for marks in product(*(sorted(position[cell]) for cell in cells)):
        chosen = list(position)
        for cell, mark in zip(cells, marks, strict=True):
            chosen[cell] = {mark}
        yield chosen


def falls(instances: list[Instance], position: Position, deep: bool) -> bool:
    position = [set(own) for own in position]
    while all(position):
        found = by_one(instances, position, notes=True)
        if found is None:
            return True
        found = found or (by_two(instances, position) if deep else set())
        if not found:
            return False
        for cell, mark in found:
            position[cell].discard(mark)
    return True


def solved(instances: list[Instance], deep: bool) -> tuple[str, Position]:
    position: Position = [{0, 1} for _ in CELLS]
    while any(len(own) == 2 for own in position):
        found: set[tuple[int, int]] | None = None
        for kind in range(4):
            if kind < 2:
                found = by_one(instances, position, notes=kind == 1)
            elif kind == 2:
                found = by_two(instances, position)
            else:
                found = {
                    (cell, mark) for cell in CELLS if len(position[cell]) == 2 for mark in (0, 1)
                    if falls(instances, put(position, cell, mark), deep)
                }  # fmt: skip
            if found:
                break
        if not found:
            return "stuck", position
        for cell, mark in found:
            position[cell].discard(mark)
    return "solved", position


def assert_steps_are_those_of_the_definitions(puzzle: Any) -> str:
    clues = [(near(clue.place, corners=True), clue.value) for clue in puzzle.clues]
    problem = problem_of(puzzle)
    for kinds in ("0123", "0123+"):
        end, position = solved([(tuple(CELLS), None), *clues], kinds == "0123+")
        found = steps(problem, kinds)
        assert (found.end, found.position) == (end, tuple(sum(1 << m for m in own) for own in position))
    plain = plain_trace(problem, ("0", "1", "2", "3"), problem.start)
    assert (plain.end, plain.position) == (steps(problem).end, steps(problem).position)
    return plain.end


def test_an_assumption_may_need_steps_of_two_instances_to_be_refuted() -> None:
    puzzle = parse_puzzle(EXAMPLE)
    assert steps(problem_of(puzzle)).end == "stuck"
    assert steps(problem_of(puzzle), "0123+").end == "solved"
    said = hint(puzzle, steps(problem_of(puzzle)).position).text
    assert said == (
        "No step of these kinds is left: an assumption leads on that takes steps of two instances to refute, "
        "kind 3+."
    )


@pytest.mark.slow
def test_steps_are_those_of_another_program_where_they_solve_and_where_they_do_not() -> None:
    from epcg_deduction.evaluation.steps import steps as of_rows

    assert assert_steps_are_those_of_the_definitions(parse_puzzle(EXAMPLE)) == "stuck"
    own = fair(FairParams(genre=f"{GENRE}[puzzle]\nsize = [3, 3]\n", minimal=True))
    found = of_rows(StepsParams("0123"), own).evaluate_states(own.states_block(0, own.max_rank))  # type: ignore[attr-defined]
    left = [rank for rank, done in enumerate(found.values[0].tolist()) if not done]
    assert (own.max_rank, len(left)) == (5_274, 531)
    chance = random.Random(8)
    for rank in (*chance.sample(left, 12), *chance.sample(range(own.max_rank), 12)):
        end = assert_steps_are_those_of_the_definitions(own.unrank(rank))
        assert (end == "stuck") == (rank in left)
