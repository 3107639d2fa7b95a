"""Trying everything: solutions of a puzzle by the plain check, and a problem's instances on a marking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations, product

from epcg_deduction.checking import failures
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.model.sites import marks_of
from epcg_deduction.solving.problem import (
    Connected,
    Groups,
    Instance,
    Joined,
    Local,
    Matched,
    OneLoop,
    Pieces,
    Problem,
)


def markings(puzzle: Puzzle) -> Iterator[tuple[int, ...]]:
    """All ways to mark all sites."""
    return product(*(range(len(names)) for names in marks_of(puzzle)))


def solutions(puzzle: Puzzle) -> list[tuple[int, ...]]:
    """All markings in which no rule fails."""
    return [marks for marks in markings(puzzle) if next(failures(puzzle, marks), None) is None]


def broken(problem: Problem, marks: Sequence[int]) -> set[int]:
    """The numbers of the rules that a complete marking breaks, as the problem has them; -2: a rule `at`."""
    found = {
        instance.rule
        for instance in problem.instances
        if not holds(instance, [marks[site] for site in instance.sites])
    }
    return found | {-2 for mark, mask in zip(marks, problem.start, strict=True) if not mask >> mark & 1}


def parts(count: int, pairs: Iterable[tuple[int, int]]) -> list[set[int]]:
    """The components of 0..count-1."""
    found = [{one} for one in range(count)]
    for one, other in pairs:
        first, second = (next(part for part in found if each in part) for each in (one, other))
        if first is not second:
            found.remove(second)
            first |= second
    return found


def holds(instance: Instance, marks: Sequence[int]) -> bool:
    """Whether an instance holds with these marks at its sites."""
    count = len(marks)
    match instance:
        case Local():
            state = instance.automaton.first()
            for index, mark in enumerate(marks):
                state = instance.automaton.after(state, index, mark)
                if state is None:
                    return False
            return instance.automaton.accepts(state)
        case Connected():
            inside = [bool(instance.mask >> mark & 1) for mark in marks]
            joined = [(a, b) for a, b in instance.pairs if inside[a] and inside[b]]
            return sum(inside[min(part)] for part in parts(count, joined)) <= 1
        case OneLoop() | Joined():
            lines = [end for end, mark in zip(instance.ends, marks, strict=True) if mark == 0]
            ends = sorted({cell for line in lines for cell in line})
            at = {cell: index for index, cell in enumerate(ends)}
            found = parts(len(ends), [(at[a], at[b]) for a, b in lines])
            degrees = Counter(cell for line in lines for cell in line)
            closed = [all(degrees[ends[cell]] >= 2 for cell in part) for part in found]
            if isinstance(instance, OneLoop):
                return bool(lines) and (not any(closed) or len(found) == 1)
            clues = dict(instance.clues)
            values = [{clues[ends[cell]] for cell in part if ends[cell] in clues} for part in found]
            return not any(closed) and all(len(each) <= 1 for each in values)
        case Groups():
            same = [(a, b) for a, b in instance.pairs if marks[a] == marks[b]]
            if instance.mask:
                same = [
                    (a, b) for a, b in instance.pairs if all(instance.mask >> marks[x] & 1 for x in (a, b))
                ]
            groups = parts(count, same)
            if instance.mask:
                groups = [group for group in groups if instance.mask >> marks[min(group)] & 1]
            if instance.by_mark and not all(len(group) == marks[min(group)] + 1 for group in groups):
                return False
            return all(fits(instance, group) for group in groups)
        case Pieces():
            groups = parts(
                len(instance.cells), [pair for pair, mark in zip(instance.pairs, marks, strict=True) if mark]
            )
            for (a, b), mark in zip(instance.pairs, marks, strict=True):
                if mark == 0 and any({a, b} <= group for group in groups):
                    return False
            lists = [sorted(instance.values[cell] for cell in group) for group in groups if instance.values]
            if any(one == other for one, other in combinations(lists, 2)):
                return False
            return all(fits(instance, group) and square(instance, group) for group in groups)
        case Matched():
            marked = [index for index, mark in enumerate(marks) if instance.mask >> mark & 1]
            return len(marked) == len(instance.near) and any(
                all(site in near for site, near in zip(order, instance.near, strict=True))
                for order in permutations(marked)
            )
    raise AssertionError(instance)


def fits(instance: Groups | Pieces, group: set[int]) -> bool:
    inside = [number for cell, number in instance.clues if cell in group]
    if instance.exactly is not None and len(inside) != instance.exactly:
        return False
    if instance.by_clue and any(number not in (None, len(group)) for number in inside):
        return False
    most = len(group) if instance.most is None else instance.most
    return (instance.least or 0) <= len(group) <= most


def square(instance: Pieces, group: set[int]) -> bool:
    xs = {instance.cells[cell] % instance.width for cell in group}
    ys = {instance.cells[cell] // instance.width for cell in group}
    spread = (max(xs) - min(xs) + 1) * (max(ys) - min(ys) + 1)
    return not instance.rectangle or spread == len(group)
