"""All patterns of up to some conditions that never fail in a space, and say something there.

A pattern asks for values at some places of a window. If it never fails, neither does one with more
conditions; so only patterns of which no condition can go are listed. For each set of places the windows are
divided by their values there, once: this tries all patterns at these places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heapreplace
from itertools import combinations
from math import comb, prod
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.inside import Pattern, images_of
from epcg_research.patterns.kernels import tally
from epcg_research.patterns.windows import Windows

MOST_ORDERED = 3_000
"""Patterns that are put in the order of what each adds; of more the ones that say most are taken."""


@attrs.frozen
class Found:
    """A pattern that never fails.

    Args:
        pattern: the first of its images.
        says: how often it is right and says something, all images together.
        adds: how often it does where none of the patterns above it does.
    """

    pattern: Pattern
    says: int
    adds: int


def sets_of_places(places: int, most: int) -> int:
    """Return how many sets of places are tried."""
    return sum(comb(places, size) for size in range(1, most + 1))


def sound_patterns(
    windows: Windows,
    most: int,
    places: Sequence[int] | None = None,
    tell: Callable[[int], None] = lambda done: None,
) -> dict[Pattern, int]:
    """Return all patterns that never fail, of which no condition can go, and how often each is right.

    Args:
        windows: the windows of a space.
        most: the most conditions of a pattern.
        places: the places that patterns may look at; None: all.
        tell: is told how many sets of places are done.
    """
    used = [np.unique(column) for column in windows.rows.T]  # values that occur, so that arrays are small
    radix = np.array([len(own) for own in used], np.int64)
    columns = (np.searchsorted(own, column) for own, column in zip(used, windows.rows.T, strict=True))
    rows = np.ascontiguousarray(np.stack(list(columns), axis=1).astype(np.int8))
    found: dict[Pattern, int] = {}
    looked_at = range(len(radix)) if places is None else places
    done, fails_before = 0, dict[tuple[int, ...], NDArray[np.uint8]]()
    fails_before[()] = np.array([np.bitwise_or.reduce(windows.wrong, initial=0)], np.uint8)
    for size in range(1, most + 1):
        fails_of: dict[tuple[int, ...], NDArray[np.uint8]] = {}
        for chosen in combinations(looked_at, size):
            choices = prod(int(radix[at]) for at in chosen)
            fails = np.zeros(choices, np.uint8)
            right = np.zeros((choices, windows.right.shape[1]), np.int64)
            own = np.array(chosen, np.int64)
            tally(rows, windows.wrong, windows.right, own, radix[own], fails, right)
            fails_of[chosen] = fails
            for choice, conclusion in np.argwhere(right > 0).tolist():
                if fails[choice] >> conclusion & 1:
                    continue
                values = _values(choice, radix[own].tolist())
                if _is_least(chosen, values, conclusion, radix, fails_before):
                    named = (int(used[at][value]) for at, value in zip(chosen, values, strict=True))
                    pattern = Pattern(conclusion, tuple(zip(chosen, named, strict=True)))
                    found[pattern] = int(right[choice, conclusion])
            done += 1
            tell(done)
        fails_before = fails_of
    return found


def _values(choice: int, radix: Sequence[int]) -> tuple[int, ...]:
    """Return the values of a choice, whose last one changes fastest."""
    found = []
    for size in reversed(radix):
        choice, value = divmod(choice, size)
        found.append(value)
    return tuple(reversed(found))


def _is_least(
    places: tuple[int, ...],
    values: tuple[int, ...],
    conclusion: int,
    radix: NDArray[np.int64],
    fails: dict[tuple[int, ...], NDArray[np.uint8]],
) -> bool:
    """Return whether a pattern fails as soon as one of its conditions goes."""
    for out in range(len(places)):
        choice = 0
        for n, (at, value) in enumerate(zip(places, values, strict=True)):
            if n != out:
                choice = choice * int(radix[at]) + value
        if not fails[places[:out] + places[out + 1 :]][choice] >> conclusion & 1:
            return False
    return True


def ranked(view: Any, windows: Windows, patterns: dict[Pattern, int], most: int) -> Iterator[Found]:
    """Yield patterns by what each adds to those before it; ties by fewer conditions, then by their places.

    Args:
        view: the view of the windows.
        windows: the windows of the space.
        patterns: those that never fail.
        most: how many are wanted.
    """
    firsts: dict[Pattern, int] = {}
    for pattern, says in patterns.items():
        first = images_of(view, pattern)[0]
        firsts[first] = max(firsts.get(first, 0), says)
    likely = sorted(firsts, key=lambda own: (-firsts[own], len(own.conditions), own))[:MOST_ORDERED]
    left = windows.right.copy()
    heap = [(-_said(view, windows, pattern, left), len(pattern.conditions), pattern, 0) for pattern in likely]
    said = {pattern: -own for own, _, pattern, _ in heap}
    heapify(heap)
    for step in range(1, most + 1):
        while heap and heap[0][3] < step:
            _, conditions, pattern, _ = heap[0]
            heapreplace(heap, (-_said(view, windows, pattern, left), conditions, pattern, step))
        if not heap or not heap[0][0]:
            return
        added, _, pattern, _ = heap[0]
        yield Found(pattern, said[pattern], -added)
        left[_holds(view, windows, pattern), pattern.conclusion] = 0


def _holds(view: Any, windows: Windows, pattern: Pattern) -> NDArray[np.bool_]:
    """Return in which windows a pattern or one of its images holds: (n,)."""
    found = np.zeros(len(windows.rows), np.bool_)
    for own in images_of(view, pattern):
        at, values = (np.array(part) for part in zip(*own.conditions, strict=True))
        found |= (windows.rows[:, at] == values).all(axis=1)
    return found


def _said(view: Any, windows: Windows, pattern: Pattern, right: NDArray[np.int64]) -> int:
    return int(right[_holds(view, windows, pattern), pattern.conclusion].sum())


def failures(view: Any, windows: Windows, pattern: Pattern) -> int:
    """Return in how many different windows of a space a pattern fails."""
    return int((windows.wrong[_holds(view, windows, pattern)] >> pattern.conclusion & 1).sum())
