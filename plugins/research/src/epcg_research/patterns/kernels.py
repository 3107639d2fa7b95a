"""Compiled: what follows from each choice of values at some places of a window."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import njit


@njit
def tally(
    rows: NDArray[np.int8],
    wrong: NDArray[np.uint8],
    right: NDArray[np.int64],
    places: NDArray[np.int64],
    radix: NDArray[np.int64],
    wrong_of: NDArray[np.uint8],
    right_of: NDArray[np.int64],
) -> None:
    """Add up, for each choice of values at some places, which conclusions fail and how often each is right.

    Args:
        rows: (n, k) the values at the places of each window.
        wrong: (n,) the conclusions that fail there, as bits.
        right: (n, c) how often each conclusion is right there.
        places: (s,) the places that are looked at.
        radix: (s,) the number of values of each.
        wrong_of: (choices,) zeros; gets the bits of all rows that have the choice.
        right_of: (choices, c) zeros; gets the sums.
    """
    for row in range(len(rows)):
        choice = 0
        for n in range(len(places)):
            choice = choice * radix[n] + rows[row, places[n]]
        wrong_of[choice] |= wrong[row]
        for conclusion in range(right.shape[1]):
            right_of[choice, conclusion] += right[row, conclusion]
