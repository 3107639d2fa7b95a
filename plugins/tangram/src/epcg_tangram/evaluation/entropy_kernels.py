"""The compiled measures of an instance that one board completes.

Only states on the way to that board have a finite value, and they are the subsets of its hidden pieces: at
most 2^11, bits of the pieces' positions. Of each that can be reached the actions are counted, dead ends among
them, but only what belongs to the board is followed; then values are folded from the full board backwards.
`weighing_kernels` has the actions; `epcg_core.difficulty.measures` has the plain form of the values.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import copy_row, njit
from epcg_tangram.evaluation.weighing_kernels import Tiles, weigh

MUSE, REMUSE, MSI, TSI, MEASURES = range(5)

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@njit
def measure(
    tiles: Tiles,
    shown: NDArray[np.int64],
    hidden: NDArray[np.int64],
    available: NDArray[np.int64],
    must: bool,
    rules: int,
    branching: int,
    ties: int,
    order: int,
    collapse_zero: bool,
    log2: NDArray[np.float64],
    two: float,
    out: NDArray[np.float64],
) -> None:
    """Write the measures, (MEASURES,), of the instance that shows `shown` and that only `hidden` completes.

    `available`: copies of each piece that are left to place at first; `log2`: those of 0, 1, 2, ...; `two` is
    2.0, a parameter so that its powers are computed as Python does.
    """
    pieces = hidden.size
    states = 1 << pieces
    counts = np.zeros(states, np.int64)
    children = np.zeros(states, np.int64)
    reached = np.zeros(states, np.bool_)
    reached[0] = True
    actions = np.empty(tiles.masks.size, np.int64)
    by_piece = np.empty(available.size, np.int64)
    by_cell = np.empty(tiles.neighbours.size, np.int64)
    copies = np.empty(available.size, np.int64)
    lying = np.empty(shown.size + pieces, np.int64)
    copy_row(shown, lying)
    everywhere = _ZERO
    for cell in range(tiles.neighbours.size):
        everywhere |= _ONE << np.uint64(cell)
    for number in shown:
        everywhere &= ~tiles.masks[number]
    for state in range(states - 1):
        if not reached[state]:
            continue
        empty = everywhere
        copy_row(available, copies)
        placed = shown.size
        for i in range(pieces):
            if state >> i & 1 != 0:
                empty &= ~tiles.masks[hidden[i]]
                copies[tiles.pieces[hidden[i]]] -= 1
                lying[placed] = hidden[i]
                placed += 1
        count = weigh(
            tiles, lying[:placed], empty, copies, must, rules, branching, ties, order,
            by_piece, by_cell, actions,
        )  # fmt: skip
        counts[state] = count
        position = 0
        for i in range(pieces):  # both ascending
            while position < count and actions[position] < hidden[i]:
                position += 1
            if position < count and actions[position] == hidden[i] and state >> i & 1 == 0:
                children[state] |= 1 << i
                reached[state | 1 << i] = True
    values = np.full((states, MEASURES), math.inf)
    values[states - 1] = 0.0
    for state in range(states - 2, -1, -1):
        if reached[state] and children[state] != 0:
            _fold(values, state, children[state], counts[state], collapse_zero, log2, two)
    copy_row(values[0], out)


@njit
def _fold(
    values: NDArray[np.float64],
    state: int,
    children: int,
    count: int,
    collapse_zero: bool,
    log2: NDArray[np.float64],
    two: float,
) -> None:
    """Fold the values of `children` into those of a state with `count` actions, the others dead ends."""
    bits = log2[count]
    least, most, finite = math.inf, 0.0, 0
    least_remuse, most_remuse = math.inf, 0.0
    least_msi, least_tsi = math.inf, math.inf
    position, left = 0, children
    while left != 0:
        if left & 1 != 0:
            child = state | 1 << position
            if values[child, MUSE] < math.inf:
                finite += 1
                least = min(least, values[child, MUSE])
                most = max(most, values[child, MUSE])
                least_remuse = min(least_remuse, values[child, REMUSE])
                most_remuse = max(most_remuse, values[child, REMUSE])
                least_msi = min(least_msi, bits + values[child, MSI])
                least_tsi = min(least_tsi, bits + values[child, TSI])
        left >>= 1
        position += 1
    if finite == 0:
        return
    if finite < count:
        most = most_remuse = math.inf
    values[state, MUSE] = 0.0 if collapse_zero and most == 0.0 else bits + least
    values[state, MSI] = least_msi
    total, weights = 0.0, 0.0
    position, left = 0, children
    while left != 0:
        if left & 1 != 0:
            child = state | 1 << position
            if values[child, MUSE] < math.inf:
                total += two ** (least_tsi - (bits + values[child, TSI]))
                weights += math.exp(least_remuse - values[child, REMUSE])
        left >>= 1
        position += 1
    values[state, TSI] = max(0.0, least_tsi - math.log2(total))
    values[state, REMUSE] = least_remuse
    if least_remuse != most_remuse:
        divergence = 0.0
        position, left = 0, children
        while left != 0:
            if left & 1 != 0:
                child = state | 1 << position
                if values[child, MUSE] < math.inf:
                    weight = math.exp(least_remuse - values[child, REMUSE])
                    if weight > 0.0:
                        p = weight / weights
                        divergence += p * math.log2(p * count)
            left >>= 1
            position += 1
        values[state, REMUSE] = max(0.0, divergence) + least_remuse


@njit
def measure_all(
    tiles: Tiles,
    boards: NDArray[np.int32],
    instances: NDArray[np.int64],
    available: NDArray[np.int64],
    must: NDArray[np.bool_],
    rules: int,
    branching: int,
    ties: int,
    order: int,
    collapse_zero: bool,
    log2: NDArray[np.float64],
    two: float,
    out: NDArray[np.float64],
) -> None:
    """Write into `out`, (n, MEASURES), the measures of `instances`, (n, 2), rows (board, positions as bits).

    `available`, (boards, pieces): copies of each piece that a player of each board has; `must`, (boards,):
    whether they must all be placed.
    """
    width = boards.shape[1]
    shown = np.empty(width, np.int64)
    hidden = np.empty(width, np.int64)
    copies = np.empty(available.shape[1], np.int64)
    for i in range(instances.shape[0]):
        board, mask = instances[i, 0], instances[i, 1]
        copy_row(available[board], copies)
        given, missing = 0, 0
        for position in range(width):
            number = boards[board, position]
            if number < 0:
                break
            if mask >> position & 1 != 0:
                shown[given] = number
                given += 1
                copies[tiles.pieces[number]] -= 1
            else:
                hidden[missing] = number
                missing += 1
        measure(
            tiles, shown[:given], hidden[:missing], copies, must[board], rules, branching, ties, order,
            collapse_zero, log2, two, out[i],
        )  # fmt: skip
