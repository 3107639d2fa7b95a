"""Subsets of things of several sizes whose total is wanted, by rank: counted, not listed. Light: no numpy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from epcg_core.plugin import RankError

ANY = -1
"""Any number of things."""


class SizedSubsets:
    """All subsets of `count` things (`ANY` number of them) whose sizes, 1 or more, add up to `total`.

    In lexicographic order of their numbers. There may be far more of them than can be listed: ranks are
    Python integers, found by counting how many ways there are to go on.
    """

    def __init__(self, sizes: Sequence[int], total: int, count: int = ANY) -> None:
        self.sizes = tuple(sizes)
        self.total = total
        self.count = count

    @cached_property
    def _ways(self) -> list[dict[tuple[int, int], int]]:
        """For each thing: (things to take, size missing) -> how many subsets of it and the later ones.

        With `ANY` the things still to take are always `ANY`.
        """
        last: dict[tuple[int, int], int] = {(0 if self.count != ANY else ANY, 0): 1}
        found = [last]
        for size in reversed(self.sizes):
            own = dict(found[-1])
            for (left, missing), ways in found[-1].items():
                key = (left + 1 if left != ANY else ANY, missing + size)
                if key[1] <= self.total and key[0] <= max(self.count, ANY):
                    own[key] = own.get(key, 0) + ways
            found.append(own)
        return found[::-1]

    def _going_on(self, at: int, left: int, missing: int) -> int:
        return self._ways[at].get((left, missing), 0)

    @property
    def max_rank(self) -> int:
        return self._going_on(0, self.count, self.total)

    def unrank(self, rank: int) -> tuple[int, ...]:
        """Return the subset of a rank, ascending. Raises RankError."""
        if not 0 <= rank < self.max_rank:
            raise RankError(f"There is no subset {rank}: there are {self.max_rank:,}, ranks from 0.")
        left, missing, found = self.count, self.total, []
        for at, size in enumerate(self.sizes):
            taken = self._going_on(at + 1, left - 1 if left != ANY else ANY, missing - size)
            if missing == 0:
                break
            if rank < taken:
                found.append(at)
                left, missing = left - 1 if left != ANY else ANY, missing - size
            else:
                rank -= taken
        return tuple(found)

    def rank(self, subset: Sequence[int]) -> int:
        """Return the rank of a subset. Raises RankError if it is not one of the space."""
        chosen = sorted(set(subset))
        known = all(0 <= at < len(self.sizes) for at in chosen) and len(chosen) == len(subset)
        if (
            not known
            or sum(self.sizes[at] for at in chosen) != self.total
            or self.count not in (ANY, len(chosen))
        ):
            raise RankError("The subset is not one of this space.")
        left, missing, rank = self.count, self.total, 0
        for at in range(chosen[-1] + 1 if chosen else 0):
            if at in chosen:
                left, missing = left - 1 if left != ANY else ANY, missing - self.sizes[at]
            else:
                rank += self._going_on(at + 1, left - 1 if left != ANY else ANY, missing - self.sizes[at])
        return rank
