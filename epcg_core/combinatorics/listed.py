"""Prefixes of spaces whose states are listed in a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from epcg_core.base.errors import ParamsError


class ListedPrefixes:
    """The rows of a table as states; the rank of a state is the number of its row.

    `rows` is (states, length) of integers, with distinct rows and rows with equal prefixes next to each
    other, as in sorted tables and in results of depth-first searches. Raises ParamsError otherwise.
    """

    def __init__(self, rows: ArrayLike) -> None:
        table = np.asarray(rows)
        if table.ndim != 2 or (table.size and table.dtype.kind not in "iu"):
            raise ParamsError(
                f"Listed states are a table of integers, (states, items), not {table.dtype} of shape "
                f"{table.shape}."
            )
        self._rows: NDArray[Any] = table
        self._starts = [np.zeros(min(1, len(table)), np.int64)]
        """For each prefix length, the rows where a new prefix begins."""
        begins = np.arange(len(table)) == 0
        for items in range(1, self.length + 1):
            column = table[:, items - 1]
            begins = begins | np.append(begins[:1], column[1:] != column[:-1])
            self._starts.append(np.flatnonzero(begins))
            self._check(items)
        if len(self._starts[-1]) < len(table):
            twice = int(np.flatnonzero(~begins)[0])
            raise ParamsError(f"The listed states {twice - 1} and {twice} are the same.")
        self._known: list[tuple[tuple[int, ...], int, int]] = [((), 0, len(table))] * (self.length + 1)

    def _check(self, items: int) -> None:
        starts = self._starts[items]
        parents = np.searchsorted(self._starts[items - 1], starts, side="right")
        last = self._rows[starts, items - 1]
        order = np.lexsort((last, parents))
        again = (np.diff(parents[order]) == 0) & (np.diff(last[order].astype(np.int64)) == 0)
        if again.any():
            first = starts[order[np.flatnonzero(again)[0]]]
            prefix = tuple(self._rows[first, :items].tolist())
            raise ParamsError(f"The listed states that begin with {prefix} do not lie next to each other.")

    @property
    def length(self) -> int:
        return int(self._rows.shape[1])

    def items(self, rank: int) -> tuple[int, ...]:
        return tuple(self._rows[rank].tolist())

    def following(self, prefix: tuple[int, ...]) -> Sequence[int]:
        low, high = self._range(prefix)
        starts = self._starts[len(prefix) + 1]
        first, last = np.searchsorted(starts, (low, high))
        found: list[int] = self._rows[starts[first:last], len(prefix)].tolist()
        return found

    def first_rank(self, prefix: tuple[int, ...]) -> int:
        return self._range(prefix)[0]

    def completions(self, prefix: tuple[int, ...]) -> int:
        low, high = self._range(prefix)
        return high - low

    def _range(self, prefix: tuple[int, ...]) -> tuple[int, int]:
        """Return the range of rows that begin with `prefix`; empty if there are none."""
        # A walk asks for prefixes of the state where it is, so the last of each length is remembered.
        known, low, high = self._known[len(prefix)]
        if known != prefix:
            low, high = self._range(prefix[:-1])
            starts = self._starts[len(prefix)]
            first, last = np.searchsorted(starts, (low, high))
            place = np.flatnonzero(self._rows[starts[first:last], len(prefix) - 1] == prefix[-1])
            if len(place):
                at = int(first + place[0])
                low, high = int(starts[at]), int(starts[at + 1]) if at + 1 < last else high
            else:
                high = low
            self._known[len(prefix)] = (prefix, low, high)
        return low, high
