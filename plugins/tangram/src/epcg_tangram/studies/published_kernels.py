"""The compiled form of the recursion in `epcg_tangram.studies.published_entropy`, on a stack of its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import njit
from epcg_tangram.evaluation.weighing_kernels import REGION_SHAPE, REGION_SIZE, Tiles, is_dead

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@njit
def actions_of(
    tiles: Tiles,
    empty: np.uint64,
    copies: NDArray[np.int64],
    never: int,
    trapezoid: int,
    numbers: NDArray[np.int64],
    weights: NDArray[np.int64],
    counts: NDArray[np.int64],
    lone: NDArray[np.int64],
    actions: NDArray[np.int64],
) -> tuple[int, int]:
    """Write the actions that count, and return how many and the number whose logarithm is their cost.

    (0, 0) is a dead end. `counts` and `lone` are working space, one for each piece.
    """
    counts[:] = 0
    for action in range(tiles.masks.size):
        piece = tiles.pieces[action]
        if copies[piece] > 0 and tiles.masks[action] & ~empty == _ZERO:
            counts[piece] += 1
            lone[piece] = action
    for piece in range(counts.size):
        if copies[piece] > 0 and counts[piece] == 0:
            return 0, 0
    for piece in range(counts.size):
        if counts[piece] == 1 and piece != trapezoid:
            actions[0] = lone[piece]
            return 1, 1
    counts[:] = 0
    total = 0
    for action in range(tiles.masks.size):
        piece = tiles.pieces[action]
        if piece == never or copies[piece] == 0 or tiles.masks[action] & ~empty != _ZERO:
            continue
        copies[piece] -= 1
        if not is_dead(tiles, empty & ~tiles.masks[action], copies, REGION_SIZE | REGION_SHAPE):
            counts[piece] += 1
            actions[total] = action
            total += 1
        copies[piece] += 1
    counts[trapezoid] *= weights[copies[trapezoid]]
    best = -1
    for piece in range(counts.size):
        if counts[piece] > 0 and (
            best < 0
            or counts[piece] < counts[best]
            or (counts[piece] == counts[best] and numbers[piece] < numbers[best])
        ):
            best = piece
    if best < 0:
        return 0, 0
    kept = 0
    for i in range(total):
        if tiles.pieces[actions[i]] == best:
            actions[kept] = actions[i]
            kept += 1
    return kept, counts[best]


@njit
def measure(
    tiles: Tiles,
    empty: np.uint64,
    copies: NDArray[np.int64],
    never: int,
    trapezoid: int,
    numbers: NDArray[np.int64],
    weights: NDArray[np.int64],
    logarithms: NDArray[np.float64],
) -> float:
    """Return the value of a state: the recursion depth first, each depth with its own list of actions."""
    deepest = 1
    for left in copies:
        deepest += left
    actions = np.zeros((deepest, tiles.masks.size), np.int64)
    found = np.zeros(deepest, np.int64)
    tried = np.zeros(deepest, np.int64)
    cost = np.zeros(deepest)
    least = np.zeros(deepest)
    counts = np.zeros(copies.size, np.int64)
    lone = np.zeros(copies.size, np.int64)
    depth = 0
    entered = True
    while True:
        if entered:
            tried[depth] = 0
            found[depth] = 0
            cost[depth] = 0.0
            least[depth] = 0.0
            if empty != _ZERO:
                least[depth] = np.inf
                found[depth], size = actions_of(
                    tiles, empty, copies, never, trapezoid, numbers, weights, counts, lone, actions[depth]
                )
                cost[depth] = logarithms[size]
        if tried[depth] < found[depth]:
            action = actions[depth, tried[depth]]
            empty &= ~tiles.masks[action]
            copies[tiles.pieces[action]] -= 1
            depth += 1
            entered = True
            continue
        value: float = cost[depth] + least[depth]
        if depth == 0:
            return value
        depth -= 1
        action = actions[depth, tried[depth]]
        empty |= tiles.masks[action]
        copies[tiles.pieces[action]] += 1
        least[depth] = min(least[depth], value)
        tried[depth] += 1
        entered = False


@njit
def measure_all(
    tiles: Tiles,
    cells: int,
    shown: NDArray[np.uint64],
    copies: NDArray[np.int64],
    never: NDArray[np.int64],
    trapezoid: int,
    numbers: NDArray[np.int64],
    weights: NDArray[np.int64],
    logarithms: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Measure instances that cover `shown`; `copies` (n, pieces) are left, `never` (n,) is not chosen."""
    board = (_ONE << np.uint64(cells)) - _ONE
    for i in range(shown.size):
        out[i] = measure(
            tiles, board & ~shown[i], copies[i].copy(), never[i], trapezoid, numbers, weights, logarithms
        )
