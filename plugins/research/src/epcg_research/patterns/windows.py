"""The windows of a recorded space: what stands around each action of all positions, and what is true."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import prod
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import EpcgError, LimitReachedError, StateSpace

CANNOT, MUST = "cannot", "must"
"""The conclusions of a view whose windows are those of positions of play."""
BLOCK = 1 << 16
"""Windows that are joined at once."""
MOST_WAITING = 4_000_000
"""Windows that wait to be joined with others."""
_Joined = tuple[NDArray[np.int8], NDArray[np.uint8], NDArray[np.int64]]
"""(n, k) different windows, (n,) what fails, (n, c) how often conclusions are right."""


@attrs.frozen(eq=False)
class Windows:
    """All different windows of a space.

    Args:
        rows: (n, k) int8, the value at each place.
        wrong: (n,) uint8, the conclusions that fail at one of the windows that look like this, as bits.
        right: (n, c) int64, how often each conclusion is right and says something.
        puzzles: the puzzles that were looked at.
        windows: how many windows there are, those that look alike counted each.
        too_large: the puzzles that were left out, because they have too many positions.
    """

    rows: NDArray[np.int8]
    wrong: NDArray[np.uint8]
    right: NDArray[np.int64]
    puzzles: int
    windows: int
    too_large: int = 0


class Collector:
    """Joins windows that look alike, and adds the images of each under the symmetries of the window.

    Args:
        view: the view of the windows.
    """

    def __init__(self, view: Any) -> None:
        self._images = [np.array(image, np.int64) for image in view.images]
        self._radix = [len(own[4]) for own in view.places]
        self._conclusions = len(view.conclusions)
        self._parts: list[_Joined] = []
        self._waiting = 0
        self.windows = 0

    def add(self, rows: NDArray[np.int8], wrong: NDArray[np.uint8], right: NDArray[np.uint8]) -> None:
        """Add windows.

        Args:
            rows: (n, k) the value at each place.
            wrong: (n,) the conclusions that fail, as bits.
            right: (n,) those that are right and say something, as bits.
        """
        self.windows += len(rows)
        bits = np.arange(self._conclusions, dtype=np.uint8)
        self._parts.append(self._joined(rows, wrong, (right[:, None] >> bits & 1).astype(np.int64)))
        self._waiting += len(self._parts[-1][0])
        if self._waiting > MOST_WAITING:
            self._parts = [self._together(self._parts)]
            self._waiting = 0

    def _together(self, parts: list[_Joined]) -> _Joined:
        rows, wrong, right = (np.concatenate(own) for own in zip(*parts, strict=True))
        return self._joined(rows, wrong, right)

    def _joined(self, rows: NDArray[np.int8], wrong: NDArray[np.uint8], right: NDArray[np.int64]) -> _Joined:
        """Return different windows in lexicographic order, with what fails and is right in any of them."""
        if prod(self._radix) < 1 << 63:
            keys = np.zeros(len(rows), np.int64)
            for at, size in enumerate(self._radix):
                keys = keys * size + rows[:, at]
        else:
            keys = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
        order = np.argsort(keys, kind="stable")
        starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
        return (
            rows[order[starts]],
            np.bitwise_or.reduceat(wrong[order], starts),
            np.add.reduceat(right[order], starts, axis=0),
        )

    def all(self, puzzles: int, too_large: int = 0) -> Windows:
        """Return all windows that were added, and their images."""
        if not self._parts:
            rows = np.zeros((0, len(self._radix)), np.int8)
            none = np.zeros((0, self._conclusions), np.int64)
            return Windows(rows, np.zeros(0, np.uint8), none, puzzles, 0, too_large)
        rows, wrong, right = self._together(self._parts)
        parts = []
        for image in self._images:
            turned = np.empty_like(rows)
            turned[:, image] = rows
            parts.append((turned, wrong, right))
        return Windows(*self._together(parts), puzzles, self.windows, too_large)


class AllActions:
    """A play whose player weighs all actions: rules are asked about all, before a place is chosen."""

    def __init__(self, model: Any) -> None:
        self.actions, self.apply = model.actions, model.apply
        self.is_goal, self.key = model.is_goal, model.key
        self.initial = getattr(model, "initial", lambda puzzle: puzzle)


def windows_of_positions(
    view: Any, puzzles: Iterable[Any], limit: int, tell: Callable[[int], None] = lambda done: None
) -> Windows:
    """Walk through all positions of puzzles, without any rule, and return the windows of all actions.

    An action is right to dismiss if it leads to no solution; it is a must if the others lead to none and it
    does. Windows around actions that lead to a solution make `cannot` fail; those around actions that are not
    the only good one make `must` fail, unless the position is lost already.

    Args:
        view: the view of the windows, whose conclusions are `cannot` and perhaps `must`.
        puzzles: the puzzles.
        limit: the positions of a puzzle; one with more is left out.
        tell: is told how many puzzles are done.

    Raises:
        EpcgError: positions can recur, so that no order of them says which lead to a solution.
    """
    cannot, must = (
        1 << view.conclusions.index(name) if name in view.conclusions else 0 for name in (CANNOT, MUST)
    )
    collector, looked_at, too_large = Collector(view), 0, 0
    rows: list[Any] = []
    wrong: list[int] = []
    right: list[int] = []
    for number, puzzle in enumerate(puzzles, 1):
        try:
            own = list(_of_puzzle(view, puzzle, limit, cannot, must))
        except LimitReachedError:
            too_large += 1
            continue
        looked_at += 1
        for row, fails, says in own:
            rows.append(row)
            wrong.append(fails)
            right.append(says)
        if len(rows) >= BLOCK:
            _flush(collector, rows, wrong, right)
        tell(number)
    _flush(collector, rows, wrong, right)
    return collector.all(looked_at, too_large)


def _flush(collector: Collector, rows: list[Any], wrong: list[int], right: list[int]) -> None:
    if rows:
        collector.add(np.array(rows, np.int8), np.array(wrong, np.uint8), np.array(right, np.uint8))
        rows.clear()
        wrong.clear()
        right.clear()


def _of_puzzle(view: Any, puzzle: Any, limit: int, cannot: int, must: int) -> Iterator[tuple[Any, int, int]]:
    """Yield (window, conclusions that fail, conclusions that are right) of all actions of all positions."""
    space = StateSpace(AllActions(view.transition_model), puzzle, limit=limit)
    order = space.post_order()
    if order is None:
        raise EpcgError("Positions of this game can recur: patterns are searched in games that only go on.")
    alive = bytearray(len(space))
    for state in order:
        children = space.children[state]
        good = sum(alive[child] for child in children)
        alive[state] = space.goals[state] or good > 0
        for action, child in zip(space.actions[state], children, strict=True):
            if alive[child]:
                wrong, right = (cannot, must) if good == 1 else (cannot | must, 0)
            else:
                wrong, right = must if good else 0, cannot
            for row in view.rows(space.states[state], action):
                yield row, wrong, right
