"""The plain test of whether the pieces of a region cover it, which is the definition.

Positive pieces add one to each of their cells, negative ones take one away. The sum must be one in every cell
of the region and zero in every other cell, of the panel and around it. If positive and negative areas are
equal, the region is accepted by that alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from epcg_witness.rules.panel import Polyomino

Cell: TypeAlias = tuple[int, int]


def covers(pieces: Sequence[Polyomino], region: Iterable[Cell]) -> bool:
    """Return whether `pieces` cover the cells (x, y) of `region` exactly. True if there are no pieces."""
    need = dict.fromkeys(region, 1)
    net = sum(piece.area for piece in pieces)
    if net == 0:
        return True
    if net != len(need):
        return False
    return _place(need, sorted(pieces, key=repr), set())


def _place(need: dict[Cell, int], pieces: list[Polyomino], failed: set[object]) -> bool:
    """Return whether `pieces` can add up to `need`, the sum that is still wanted of each cell (none: 0).

    A cell that lacks something can only be mended by a piece that lies on it, so all ways to lay one there
    are tried. Where no cell lacks anything the pieces left must cancel each other, anywhere.
    """
    if not pieces:
        return not need
    for negative in (False, True):
        lacking = sum(abs(count) for count in need.values() if (count < 0) == negative)
        if lacking > sum(abs(piece.area) for piece in pieces if piece.negative == negative):
            return False
    key = (frozenset(need.items()), tuple(pieces))
    if key in failed:
        return False
    cell = min(need, key=lambda c: (need[c] > 0, c)) if need else None
    for i, piece in enumerate(pieces):
        if piece in pieces[:i]:
            continue
        if cell is not None and piece.negative != (need[cell] < 0):
            continue
        left = pieces[:i] + pieces[i + 1 :]
        for shape in piece.orientations():
            anchors = shape if cell is not None else shape[:1]
            for x, y in anchors:
                dx, dy = (cell[0] - x, cell[1] - y) if cell is not None else (0, 0)
                lain = [(x + dx, y + dy) for x, y in shape]
                if _place(_after(need, lain, piece.negative), left, failed):
                    return True
        if cell is None:
            break
    failed.add(key)
    return False


def _after(need: dict[Cell, int], lain: list[Cell], negative: bool) -> dict[Cell, int]:
    """Return what is still needed after a piece has been laid on the cells `lain`."""
    after = dict(need)
    for cell in lain:
        count = after.pop(cell, 0) + (1 if negative else -1)
        if count:
            after[cell] = count
    return after
