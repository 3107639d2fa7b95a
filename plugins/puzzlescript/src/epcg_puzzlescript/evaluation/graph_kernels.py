"""The kernel of retrograde analysis on a graph of positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import njit

UNREACHED = -1


@njit
def distances_to(
    first: NDArray[np.int64],
    before: NDArray[np.int32],
    won: NDArray[np.bool_],
    found: NDArray[np.int32],
    queue: NDArray[np.int32],
) -> None:
    """Write the inputs from each position to the nearest won one, or UNREACHED, into `found`, (count,).

    The positions with an input that leads to position n are before[first[n]] to before[first[n + 1] - 1].
    `queue`, (count,), is room to work with.
    """
    tail = 0
    for node in range(won.size):
        if won[node]:
            found[node] = 0
            queue[tail] = node
            tail += 1
        else:
            found[node] = UNREACHED
    head = 0
    while head < tail:
        node = queue[head]
        head += 1
        after = found[node] + 1
        for edge in range(first[node], first[node + 1]):
            other = before[edge]
            if found[other] == UNREACHED:
                found[other] = after
                queue[tail] = other
                tail += 1
