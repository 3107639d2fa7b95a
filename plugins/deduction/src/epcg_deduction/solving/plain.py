"""The plain solver: tests of instances on positions, propagation and search, as their definitions read.

Slow and short: the kernels of `compiled` are compared with it. A position is a tuple of masks.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from epcg_core.plugin import EpcgError
from epcg_deduction.solving.globals import global_holds, is_global, marks_of
from epcg_deduction.solving.problem import Instance, Local, Problem

Position = tuple[int, ...]
SLOWER: Final = 100
"""The work that a mark of a site costs here: the number of sites that kernels look at in that time."""
_LEFT: ContextVar[list[int] | None] = ContextVar("work that is left", default=None)


class SpentError(Exception):
    """The work that was allowed is done."""


@contextmanager
def allowed(budget: int | None) -> Iterator[list[int]]:
    """Let tests raise SpentError after some work; yield what is left, in a list of one. None: no end."""
    left = [0 if budget is None else budget]
    token = _LEFT.set(None if budget is None else left)
    try:
        yield left
    finally:
        _LEFT.reset(token)


def holds(instance: Instance, position: Position) -> bool:
    """Test an instance on a position: exact for a local one, see `solving.globals` for the others."""
    masks = [position[site] for site in instance.sites]
    left = _LEFT.get()
    if left is not None:
        left[0] -= SLOWER * sum(map(int.bit_count, masks))
        if left[0] < 0:
            raise SpentError
    if not all(masks):
        return False
    if isinstance(instance, Local):
        automaton = instance.automaton
        states: set[Hashable] = {automaton.first()}
        for index, mask in enumerate(masks):
            if left is not None:
                left[0] -= len(states)
            reached = (automaton.after(state, index, mark) for state in states for mark in marks_of(mask))
            states = {state for state in reached if state is not None}
        return any(map(automaton.accepts, states))
    if is_global(instance):
        return global_holds(instance, masks)
    raise EpcgError(
        f"The solvers do not know what {type(instance).__name__} means. A rule's instances are Local or of "
        "one of the global classes of epcg_deduction.solving.problem."
    )


def with_mark(position: Position, site: int, mark: int) -> Position:
    """Return the position with the mark at the site."""
    return (*position[:site], 1 << mark, *position[site + 1 :])


def without_mark(position: Position, site: int, mark: int) -> Position:
    """Return the position without the mark at the site."""
    return (*position[:site], position[site] & ~(1 << mark), *position[site + 1 :])


def excluded(instance: Instance, position: Position) -> Iterator[tuple[int, int]]:
    """Yield the marks, as (site, mark), that the instance alone excludes (kind 1)."""
    for site in sorted(set(instance.sites)):
        for mark in marks_of(position[site]):
            if not holds(instance, with_mark(position, site, mark)):
                yield site, mark


def filtered(problem: Problem, position: Position) -> Position | None:
    """Return the position after all exclusions of kind 1; None if a site has no mark, or a test fails."""
    changed = True
    while changed:
        changed = False
        for instance in problem.instances:
            if not holds(instance, position):
                return None
            for site, mark in excluded(instance, position):
                position = without_mark(position, site, mark)
                changed = True
    return position if all(position) else None


def solutions(problem: Problem, limit: int | None = None) -> list[tuple[int, ...]]:
    """Return the solutions as tuples of mark numbers, in lexicographic order, at most `limit` of them."""
    return searched(problem, limit, None)[0]


def searched(problem: Problem, limit: int | None, budget: int | None) -> tuple[list[tuple[int, ...]], bool]:
    """Return the first solutions, and whether the search came to its end.

    Args:
        problem: what is solved.
        limit: the number of solutions after which to stop; None: all of them.
        budget: the work after which to stop; None: no end.

    Returns:
        The solutions in lexicographic order, and whether neither the limit nor the budget ended the search.
    """
    found: list[tuple[int, ...]] = []
    with allowed(budget):
        try:
            _search(problem, problem.start, limit, found)
        except SpentError:
            return found, False
    return found, limit is None or len(found) < limit


def _search(problem: Problem, position: Position, limit: int | None, found: list[tuple[int, ...]]) -> None:
    filled = filtered(problem, position)
    if filled is None:
        return
    site = next((site for site, mask in enumerate(filled) if mask & (mask - 1)), None)
    if site is None:
        found.append(tuple(mask.bit_length() - 1 for mask in filled))
        return
    for mark in marks_of(filled[site]):
        if limit is not None and len(found) >= limit:
            return
        _search(problem, with_mark(filled, site, mark), limit, found)
