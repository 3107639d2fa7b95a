"""All covers of a small problem by arrays, all partial covers at once, where no kernel is compiled yet.

Cells are filled in their order, as by the kernels. The partial covers whose first empty cell is the same are
extended together, so numpy does the work. Kernels keep one partial cover and are faster; this keeps all of
them, so it gives up beyond a number.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.search.exact_cover.layout import NO_PLACEMENT, Layout
from epcg_core.search.exact_cover.roots import Root

MOST_NODES = 2_000_000
"""Partial covers that are tried: half a second, where compiling takes four."""
_AT_ONCE = 2**20
"""Placements that are tried together, of some partial covers."""
_ONE = np.uint64(1)


@attrs.frozen(eq=False)
class _Partial:
    """Some partial covers; arrays of one length."""

    filled: NDArray[np.uint64]
    """(n, words): the cells that are covered, or left empty for good, and the bits past the last cell."""
    left: NDArray[np.int32]
    """(n, pieces): the copies that may still be used."""
    spare: NDArray[np.int64]
    """(n,): how many cells may stay empty."""
    chosen: NDArray[np.int32]
    """(n, width): the numbers of the placements made, NO_PLACEMENT behind the last."""
    made: NDArray[np.int64]
    """(n,): the number of placements made."""

    def take(self, rows: NDArray[np.int64] | slice) -> _Partial:
        return _Partial(*(column[rows] for column in attrs.astuple(self, recurse=False)))


def _joined(parts: list[_Partial]) -> _Partial:
    columns = zip(*(attrs.astuple(part, recurse=False) for part in parts), strict=True)
    return _Partial(*map(np.concatenate, columns))


class TooManyError(Exception):
    """There are more partial covers than are kept."""


def all_covers(
    layout: Layout, roots: Sequence[Root], width: int, spare: int, still_spare: int, most: int
) -> tuple[NDArray[np.int32], int]:
    """Return covers, and the number of partial covers that were tried.

    Args:
        layout: the problem, with its cells in their order.
        roots: the parts of the search.
        width: the most placements of a cover.
        spare: how many cells may stay empty.
        still_spare: how many of these need not, at the end.
        most: the partial covers that may be tried.

    Returns:
        (n, width) int32 numbers of placements, padded with NO_PLACEMENT: at least one of the covers that
        symmetries make equal.

    Raises:
        TooManyError: if more partial covers are to be tried.
    """
    return _Together(layout, roots, width, spare, still_spare, most).search()


class _Together:
    """A search."""

    def __init__(
        self, layout: Layout, roots: Sequence[Root], width: int, spare: int, still_spare: int, most: int
    ) -> None:
        self._problem, self._layout, self._roots, self._width = layout.problem, layout, roots, width
        self._spare, self._still_spare, self._most = spare, still_spare, most
        self._found = [np.zeros((0, width), np.int32)]
        self._waiting: dict[int, list[_Partial]] = {}
        """The partial covers by their first empty cell."""
        self._nodes = 0

    def search(self) -> tuple[NDArray[np.int32], int]:
        self._nodes += sum(len(root.fixed) for root in self._roots)
        if self._roots:
            self._sort_in(_joined([self._first(root.most, root.fixed) for root in self._roots]))
        for cell in range(self._problem.cells):
            parts = self._waiting.pop(cell, [])
            if parts:
                self._extend(_joined(parts), cell)
        return np.concatenate(self._found), self._nodes

    def _first(self, most: tuple[int, ...], fixed: tuple[int, ...]) -> _Partial:
        """Return the partial cover of the placements `fixed`."""
        placements, left = self._problem.placements, np.array(most, np.int32)
        chosen = np.full((1, self._width), NO_PLACEMENT, np.int32)
        chosen[0, : len(fixed)] = fixed
        for number in fixed:
            left[placements[number][0]] -= 1
        filled = self._layout.filled(cell for number in fixed for cell in placements[number][1])
        spare = np.array([self._spare], np.int64)
        return _Partial(filled[None], left[None], spare, chosen, np.array([len(fixed)], np.int64))

    def _extend(self, partial: _Partial, cell: int) -> None:
        """Extend partial covers whose first empty cell is `cell` in every way."""
        first, last = self._layout.begin[cell], self._layout.begin[cell + 1]
        step = max(1, _AT_ONCE // max(1, int(last - first)))
        for start in range(0, len(partial.made), step):
            some = partial.take(slice(start, start + step))
            masks, pieces = self._layout.masks[first:last], self._layout.piece[first:last]
            fits = some.left[:, pieces] > 0
            for word in range(self._layout.words):
                fits &= some.filled[:, word, None] & masks[None, :, word] == 0
            rows, ways = np.nonzero(fits)
            self._nodes += len(rows)
            if self._nodes > self._most:
                raise TooManyError
            after, every = some.take(rows), np.arange(len(rows))
            after.filled[:] |= masks[ways]
            after.left[every, pieces[ways]] -= 1
            after.chosen[every, after.made] = self._layout.number[first:last][ways]
            after.made[:] += 1
            self._sort_in(after)
        if cell in self._problem.optional:
            self._leave_empty(partial, cell)

    def _leave_empty(self, partial: _Partial, cell: int) -> None:
        """Extend those that may by leaving an optional cell empty."""
        after = partial.take(np.flatnonzero(partial.spare > 0))
        after.filled[:] |= self._layout.bits([cell])
        after.spare[:] -= 1
        self._sort_in(after)

    def _sort_in(self, partial: _Partial) -> None:
        """Keep partial covers by their first empty cell, and of whole ones those that count."""
        empty = ~partial.filled
        cells = np.full(len(empty), self._problem.cells)
        for word in reversed(range(self._layout.words)):
            own = empty[:, word]
            first = 64 * word + np.bitwise_count((own & (~own + _ONE)) - _ONE).astype(np.int64)
            cells = np.where(own != 0, first, cells)
        for cell in np.unique(cells).tolist():
            some = partial.take(np.flatnonzero(cells == cell))
            if cell == self._problem.cells:
                self._found.append(some.chosen[self._count(some)])
            else:
                self._waiting.setdefault(cell, []).append(some)

    def _count(self, whole: _Partial) -> NDArray[np.bool_]:
        """Return which covers use enough pieces, and leave no cells empty that they must not."""
        problem = self._problem
        counts: NDArray[np.bool_] = whole.spare <= self._still_spare
        if problem.unused is not None:
            counts &= sum(problem.most) - whole.made <= problem.unused
        pieces = np.array([*(piece for piece, _ in problem.placements), -1])[whole.chosen]
        for piece, least in enumerate(problem.least):
            if least:
                counts &= (pieces == piece).sum(axis=1) >= least
        return counts
