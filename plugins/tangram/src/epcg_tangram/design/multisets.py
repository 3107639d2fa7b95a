"""Multisets of things of several sizes whose total is wanted, by rank: counted, not listed (no numpy)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from epcg_core.plugin import RankError

ANY = -1
"""Any number of things."""


class SizedMultisets:
    """All multisets of things whose sizes, whole numbers above 0, add up to `total`.

    In lexicographic order of their numbers, each as often as it is taken. There may be far more of them than
    can be listed: ranks are Python integers, found by counting how many ways there are to go on.
    """

    def __init__(
        self, sizes: Sequence[int], total: int, count: int = ANY, most: Sequence[int] | None = None
    ) -> None:
        """Take `count` things, each at most as often as `most` says; without it once."""
        self.sizes = tuple(sizes)
        self.total = total
        self.count = count
        self.most = (1,) * len(self.sizes) if most is None else tuple(most)

    @cached_property
    def _ways(self) -> list[dict[tuple[int, int], int]]:
        """For each thing: (things to take, size missing) -> how many multisets of it and the later ones.

        With `ANY` the things still to take are always `ANY`.
        """
        last: dict[tuple[int, int], int] = {(0 if self.count != ANY else ANY, 0): 1}
        found = [last]
        for size, most in zip(reversed(self.sizes), reversed(self.most), strict=True):
            own: dict[tuple[int, int], int] = {}
            for (left, missing), ways in found[-1].items():
                for taken in range(min(most, (self.total - missing) // size) + 1):
                    key = (left + taken if left != ANY else ANY, missing + taken * size)
                    if key[0] > max(self.count, ANY):
                        break
                    own[key] = own.get(key, 0) + ways
            found.append(own)
        return found[::-1]

    def _going_on(self, at: int, left: int, missing: int) -> int:
        return self._ways[at].get((left, missing), 0)

    def _after(self, left: int, missing: int, at: int, taken: int) -> tuple[int, int]:
        """Return what is to be taken, and what is missing, after so many of a thing."""
        return left - taken if left != ANY else ANY, missing - taken * self.sizes[at]

    @property
    def max_rank(self) -> int:
        return self._going_on(0, self.count, self.total)

    def unrank(self, rank: int) -> tuple[int, ...]:
        """Return the multiset of a rank, ascending. Raises RankError."""
        if not 0 <= rank < self.max_rank:
            raise RankError(f"There is no multiset {rank}: there are {self.max_rank:,}, ranks from 0.")
        left, missing = self.count, self.total
        found: list[int] = []
        for at, most in enumerate(self.most):
            for taken in range(most, -1, -1):
                after = self._after(left, missing, at, taken)
                ways = self._going_on(at + 1, *after)
                if rank < ways:
                    found += [at] * taken
                    left, missing = after
                    break
                rank -= ways
        return tuple(found)

    def rank(self, multiset: Sequence[int]) -> int:
        """Return the rank of a multiset. Raises RankError if it is not one of the space."""
        chosen = Counter(multiset)
        known = all(0 <= at < len(self.sizes) and chosen[at] <= self.most[at] for at in chosen)
        if (
            not known
            or sum(self.sizes[at] for at in multiset) != self.total
            or self.count not in (ANY, len(multiset))
        ):
            raise RankError("The multiset is not one of this space.")
        left, missing, rank = self.count, self.total, 0
        for at, most in enumerate(self.most):
            for more in range(most, chosen[at], -1):
                rank += self._going_on(at + 1, *self._after(left, missing, at, more))
            left, missing = self._after(left, missing, at, chosen[at])
        return rank
