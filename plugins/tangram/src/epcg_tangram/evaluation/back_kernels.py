"""The kernel that tries all solved boards on all bump patterns.

What a board needs of a pattern, and what a pattern allows, are sets of classes of placements: 24 bits. So a
test is one AND, and boards with the same needs are tested once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import njit


@njit
def count_legal(
    allowed: NDArray[np.uint64],
    needed: NDArray[np.uint64],
    weights: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """Write into `out`, (n, k), the sums of the weights of what each of `allowed`, (n,), has all bits of.

    `needed`, (m,), are the sets of bits and `weights`, (m, k), how often each is needed, in k ways to count.
    """
    for i in range(allowed.size):
        missing = ~allowed[i]
        out[i] = 0
        for j in range(needed.size):
            if needed[j] & missing == 0:
                for k in range(weights.shape[1]):
                    out[i, k] += weights[j, k]
