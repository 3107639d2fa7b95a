"""All of a problem in flat arrays, as the kernels read it; `blocks` makes them."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

LOCAL: Final = 0
CONNECTED: Final = 1
LOOP: Final = 2
JOINED: Final = 3
GROUPS: Final = 4
PIECES: Final = 5
MATCHED: Final = 6
DIFFERENT: Final = 7
MOST_MARKS: Final = 62
NOTHING: Final = -1
"""A bound that is not asked for, or no clue."""
NUMBERLESS: Final = -2
"""A clue whose number is not asked for."""


class Arrays(NamedTuple):
    """A problem for kernels.

    `start`: masks of the sites; `alphabet`: all their marks; instance i has the kind `kind[i]` (`local[i]`:
    an exact test), the sites `sites[sites_at[i]:sites_at[i + 1]]` and its words from `words[at[i]]` on; those
    of site s are in `touch` in the same way; `rows`: the tables of local instances. `nodes`: the most nodes
    of a table; `graph`: of the graph of a global instance; `longest`: the most sites of an instance; `marks`:
    all marks of all sites. `words` and `rows` hold other problems' instances, too: `store` is their number.

    Words of a local instance: marks of a row, layers, where its rows begin, the first node of each layer.
    Words of the others: see the functions below that make them; lists of neighbours are n + 1 offsets (from
    the first word on) and the neighbours.
    """

    start: NDArray[np.int64]
    alphabet: NDArray[np.int64]
    kind: NDArray[np.int64]
    local: NDArray[np.bool_]
    at: NDArray[np.int64]
    sites_at: NDArray[np.int64]
    sites: NDArray[np.int64]
    touch_at: NDArray[np.int64]
    touch: NDArray[np.int64]
    words: NDArray[np.int64]
    rows: NDArray[np.int32]
    nodes: int
    graph: int
    longest: int
    marks: int
    store: int
