"""Steps of kinds 0 to 3 as their definitions read; the kernels of `steps` are compared with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epcg_deduction.solving.globals import is_global, marks_of
from epcg_deduction.solving.plain import Position, filtered, holds, with_mark, without_mark
from epcg_deduction.solving.problem import Instance, Problem

Found = tuple[int, int, tuple[int, ...]]
"""A site, a mark, and the numbers of the instances that exclude it."""


def is_open(mask: int) -> bool:
    """Return whether a site has more than one possible mark."""
    return mask & (mask - 1) != 0


def by_one(problem: Problem, position: Position, notes: bool) -> list[Found] | None:
    """Return what single instances exclude, with notes (kind 1) or without (kind 0); None if a test fails."""
    seen = position
    if not notes:
        alphabets = [(1 << len(names)) - 1 for names in problem.names]
        seen = tuple(
            every if is_open(mask) else mask for every, mask in zip(alphabets, position, strict=True)
        )
    if not all(holds(instance, seen) for instance in problem.instances):
        return None
    return [
        (site, mark, (number,))
        for number, instance in enumerate(problem.instances)
        for site in instance.sites
        if is_open(position[site])
        for mark in marks_of(position[site])
        if not holds(instance, with_mark(seen, site, mark))
    ]


def _exists(sites: Sequence[int], instances: Sequence[Instance], position: Position) -> bool:
    """Return whether some choice of marks at the sites leaves the tests of all instances true."""
    if not all(holds(instance, position) for instance in instances):
        return False
    site = next((site for site in sites if is_open(position[site])), None)
    return site is None or any(
        _exists(sites, instances, with_mark(position, site, mark)) for mark in marks_of(position[site])
    )


def by_two(problem: Problem, position: Position) -> list[Found]:
    """Return what two instances exclude that share an open site, at most one of them global (kind 2)."""
    return list(_by_two(problem, position))


def _by_two(problem: Problem, position: Position) -> Iterator[Found]:
    for a, one in enumerate(problem.instances):
        for b, other in enumerate(problem.instances[a + 1 :], a + 1):
            shared = set(one.sites) & set(other.sites)
            if (is_global(one) and is_global(other)) or not any(is_open(position[site]) for site in shared):
                continue
            chosen = [site for own in (one, other) if not is_global(own) for site in own.sites]
            for site in dict.fromkeys((*one.sites, *other.sites)):
                for mark in marks_of(position[site]) if is_open(position[site]) else ():
                    if not _exists(chosen, (one, other), with_mark(position, site, mark)):
                        yield site, mark, (a, b)


def by_assumption(problem: Problem, position: Position, deep: bool) -> list[Found]:
    """Return the marks whose assumption kinds 0 and 1 refute (kind 3), or kinds 0 to 2 (`deep`)."""
    return [
        (site, mark, ())
        for site, mask in enumerate(position)
        if is_open(mask)
        for mark in marks_of(mask)
        if _falls(problem, with_mark(position, site, mark), deep)
    ]


def _falls(problem: Problem, position: Position, deep: bool) -> bool:
    while True:
        closed = filtered(problem, position)
        if closed is None:
            return True
        position = closed
        for site, mark, _ in by_two(problem, position) if deep else ():
            position = without_mark(position, site, mark)
        if position == closed:
            return False


def of_kind(problem: Problem, position: Position, kind: int) -> list[Found] | None:
    """Return the exclusions of a kind, the first for each site and mark; None if a test fails."""
    if kind < 2:
        found = by_one(problem, position, kind == 1)
    elif kind == 2:
        found = by_two(problem, position)
    else:
        found = by_assumption(problem, position, kind == 4)
    if found is None:
        return None
    first: dict[tuple[int, int], Found] = {}
    for own in found:
        first.setdefault(own[:2], own)
    return list(first.values())
