"""Which subsets of boards' pieces have exactly one completion: by kernels, or by arrays if none is compiled.

The arrays take one choice of positions after the other, for many boards together.
"""

from __future__ import annotations

from itertools import combinations

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import compiled_or_small, read_only
from epcg_tangram.generators.instance_kernels import list_instances

MOST_WORDS = 200_000_000
"""Words of bits that arrays look at before kernels are compiled: half a second."""
_AT_ONCE = 256
"""Boards whose rows of bits lie in the cache of a processor."""


@attrs.frozen(eq=False)
class Listing:
    """Lists the instances of some boards.

    `bits` and `bases` are those of a game and of its instances (see `Instances`).
    """

    bits: NDArray[np.uint64]
    bases: NDArray[np.uint64]
    single: bool
    """Whether only subsets count that exactly one solution completes."""
    first: bool
    """Whether of the subsets of a board only the first counts."""
    most: int
    """The subsets of one size that a board has at most."""

    def rows(self, boards: NDArray[np.int32], families: NDArray[np.int64], size: int) -> NDArray[np.int64]:
        """Return rows (board, positions as bits): by board, then in lexicographic order of the positions.

        Args:
            boards: (n, width) the placements of each board, -1 behind the last.
            families: (n,) the row of `bases` for each board.
            size: how many pieces are shown; -1 for the fewest with which a board has any instance.
        """
        return compiled_or_small(
            lambda: self._compiled(boards, families, size), lambda: self._plain(boards, families, size)
        )

    def _compiled(
        self, boards: NDArray[np.int32], families: NDArray[np.int64], size: int
    ) -> NDArray[np.int64]:
        stack = np.zeros((boards.shape[1] + 1, self.bases.shape[1]), np.uint64)
        out = np.zeros((4 * len(boards), 2), np.int64)
        while True:
            total = list_instances(
                self.bits, self.bases, read_only(families), read_only(boards), size, self.single, self.first,
                np.zeros(self.most, np.int64), stack, out,
            )  # fmt: skip
            if total <= len(out):
                return out[:total]
            out = np.zeros((total, 2), np.int64)

    def _plain(
        self, boards: NDArray[np.int32], families: NDArray[np.int64], size: int
    ) -> NDArray[np.int64] | None:
        """Return the same without kernels; None if that would take long."""
        found = [np.zeros((0, 2), np.int64)]
        words = 0
        for start in range(0, len(boards), _AT_ONCE):
            some = np.arange(start, min(start + _AT_ONCE, len(boards)))
            for sizes in range(boards.shape[1] + 1) if size < 0 else (size,):
                before = len(found)
                for positions in combinations(range(boards.shape[1]), sizes):
                    words += (sizes + 1) * len(some) * self.bases.shape[1]
                    if words > MOST_WORDS:
                        return None
                    own = self._with(boards[some], families[some], positions)
                    there = some[own]
                    found.append(np.stack([there, np.full(len(there), sum(1 << p for p in positions))], 1))
                    if self.first:
                        some = some[~own]
                if size < 0:
                    some = np.setdiff1d(some, np.concatenate([rows[:, 0] for rows in found[before:]]))
        rows = np.concatenate(found)
        return rows[np.argsort(rows[:, 0], kind="stable")]

    def _with(
        self, boards: NDArray[np.int32], families: NDArray[np.int64], positions: tuple[int, ...]
    ) -> NDArray[np.bool_]:
        """Return of which boards the pieces at some positions make an instance."""
        whole: NDArray[np.bool_] = np.logical_and.reduce(boards[:, list(positions)] >= 0, axis=1)
        if not self.single:
            return whole
        left = self.bases[families]
        for position in positions:
            left &= self.bits[boards[:, position]]
        np.logical_and(whole, np.bitwise_count(left).sum(axis=1) == 1, out=whole)
        return whole
