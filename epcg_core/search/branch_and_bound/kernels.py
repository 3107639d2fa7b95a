"""Recording prunings inside compiled searches, merged on the way, so that the arrays stay small.

A kernel owns four arrays of one length, as wide as `epcg_core.domain.Prunings`, and how much of them is used.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.compiled import njit


@njit
def add_pruning(
    used: int,
    start: int,
    count: int,
    bound: float,
    reason: int,
    sign: int,
    starts: NDArray[np.int64],
    counts: NDArray[np.int64],
    bounds: NDArray[np.float64],
    reasons: NDArray[np.uint8],
) -> int:
    """Record that ranks start .. start + count - 1 are pruned; return the number of entries used.

    Calls come in the order of ranks. `bound` is NaN if the reason is INFEASIBLE; `sign` is that of the
    incumbent. A result of one more than the arrays' length means that they are full: nothing is recorded, and
    the caller starts again with longer arrays.
    """
    # The neighbour before, with the same reason, takes the range in; its bound becomes the weaker of the two.
    if used > 0:
        last = used - 1
        if starts[last] + counts[last] == start and reasons[last] == reason:
            counts[last] += count
            if sign * bound > sign * bounds[last]:
                bounds[last] = bound
            return used
    if used < starts.size:
        starts[used] = start
        counts[used] = count
        bounds[used] = bound
        reasons[used] = reason
    return used + 1
