"""Bound how many false values a liar could have left, from the opened ranks.

A liar can change what is free in a certificate, and so draw other ranks, as often as a computer can.
One draw of n of N ranks misses all of K false ones with probability C(N-K, n) / C(N, n), and one of 2^t
draws with at most 2^t times that. So a liar could have left false at most the largest K for which
2^t C(N-K, n) / C(N, n) exceeds 2^-20. For a large N that is a share of 1 - 2^-((t+20)/n).
"""

from __future__ import annotations

import attrs
import numpy as np

from epcg_core.plugin import EpcgError, param

ERROR_BITS = 20
"""A lie about more than the accepted share passes with a probability below 2^-20."""
MOST_OPENINGS = 65_536


@attrs.frozen
class Security:
    """The limits that a verifier accepts: a share of false values, and the tries of a liar."""

    share: float = param(0.01, minimum=0.0, maximum=1.0, help="share of values that may be false unnoticed")
    tries: int = param(40, minimum=0, maximum=256, help="tries of a liar, as a power of two")

    def openings(self, count: int) -> int:
        """Return how many of `count` ranks have to be opened. Raises EpcgError if these are too many."""
        false = min(int(self.share * count) + 1, count)
        high = min(count, MOST_OPENINGS)
        if not self._shows(count, false, high):
            raise EpcgError(
                f"A certificate opens at most {MOST_OPENINGS:,} ranks, which cannot show that at most "
                f"{percent(self.share)} of {count:,} values are false: ask for a larger share."
            )
        low = 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self._shows(count, false, middle) else (middle + 1, high)
        return low

    def unnoticed(self, count: int, opened: int) -> int:
        """Return how many of `count` ranks can be false at most after `opened` of them agreed."""
        low, high = 0, count - opened
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (low, middle - 1) if self._shows(count, middle, opened) else (middle, high)
        return low

    def _shows(self, count: int, false: int, opened: int) -> bool:
        """Return whether `opened` ranks show, at this level, that fewer than `false` are false."""
        return log2_missed(count, false, opened) <= -(self.tries + ERROR_BITS)


def log2_missed(count: int, false: int, opened: int) -> float:
    """Return log2 of the probability that `opened` of `count` ranks, drawn at once, miss `false` ones."""
    if false + opened > count:
        return -np.inf
    few, many = sorted((false, opened))
    left = count - np.arange(few, dtype=np.float64)
    return float(np.log1p(-many / left).sum() / np.log(2.0))


def percent(share: float) -> str:
    """Write a share as a percentage, rounded up to two digits: '0.97 %'."""
    found = f"{100 * share:.2g}"
    if float(found) < 100 * share * (1 - 1e-9):
        step = 10.0 ** (np.floor(np.log10(100 * share)) - 1)
        found = f"{float(found) + step:.2g}"
    return f"{float(found):g} %"
