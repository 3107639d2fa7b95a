"""The plain test of whether the pieces of a region cover it, which is the definition.

Positive pieces add one to each of their cells, negative ones take one away. The sum must be one in every cell
of the region and zero in every other cell, of the panel and around it. If positive and negative areas are
equal, the region is accepted by that alone, or, by the panel's variant, only if the sum is zero everywhere.

A variant can forbid pieces to leave the panel, and lines that hang into the region to cross pieces: no
more pieces lie on both sides of an edge of such a line than negative pieces touch it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet
from typing import TypeAlias

import attrs

from epcg_witness.rules.panel import Panel, Polyomino

Cell: TypeAlias = tuple[int, int]
Side: TypeAlias = tuple[int, int, bool]
"""The side of a cell (x, y): its right one, or if True, its upper one."""


@attrs.frozen
class Floor:
    """A region, and what its pieces may do there."""

    cells: tuple[Cell, ...]
    """(x, y)"""
    slits: frozenset[Side] = frozenset()
    """Drawn edges with the region on both sides that pieces must not cross."""
    around: int = 0
    """Cells around the pillar; 0 of a flat panel."""
    size: tuple[int, int] | None = None
    """Width and height of the panel, if pieces must not leave it."""
    shapes: bool = False
    """Whether pieces of equal areas must cancel each other by shape."""


def floor_of(panel: Panel, region: AbstractSet[int], drawn: AbstractSet[int]) -> Floor:
    """Return the floor of a region of cells, by number, when the edges `drawn` are."""
    grid, variant = panel.grid, panel.variant
    slits = set()
    for edge in drawn if variant.crossing == "forbidden" else ():
        one, other = grid.edge_cells(edge)
        if one is not None and other is not None and one in region and other in region:
            slits.add((*grid.cell_at(one), grid.is_horizontal(edge)))
    return Floor(
        tuple(grid.cell_at(cell) for cell in region),
        frozenset(slits),
        grid.width if grid.pillar else 0,
        (grid.width, grid.height) if variant.off_panel == "forbidden" else None,
        variant.equal_areas == "shapes",
    )


def covers(pieces: Sequence[Polyomino], region: Iterable[Cell] | Floor) -> bool:
    """Return whether `pieces` cover the cells (x, y) of `region` exactly. True if there are no pieces."""
    floor = region if isinstance(region, Floor) else Floor(tuple(region))
    net = sum(piece.area for piece in pieces)
    if net == 0 and not floor.shapes:
        return True
    if net not in (0, len(floor.cells)):
        return False
    need = dict.fromkeys(floor.cells, 1) if net else {}
    return _place(need, {}, sorted(pieces, key=repr), floor, set())


def _place(
    need: dict[Cell, int],
    crossed: Mapping[Side, int],
    pieces: list[Polyomino],
    floor: Floor,
    failed: set[object],
) -> bool:
    """Return whether `pieces` can add up to `need`, the sum that is still wanted of each cell (none: 0).

    A cell that lacks something can only be mended by a piece that lies on it, so all ways to lay one there
    are tried. Where no cell lacks anything the pieces left must cancel each other, anywhere. `crossed` says
    of each slit how many more pieces cross it than negative ones touch it.
    """
    if not pieces:
        return not need and all(count <= 0 for count in crossed.values())
    for negative in (False, True):
        lacking = sum(abs(count) for count in need.values() if (count < 0) == negative)
        if lacking > sum(abs(piece.area) for piece in pieces if piece.negative == negative):
            return False
    key = (frozenset(need.items()), frozenset(crossed.items()), tuple(pieces))
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
            for dx, dy in _shifts(shape, cell, pieces, floor):
                lain = _lain(shape, dx, dy, floor)
                if lain is None:
                    continue
                after = _after(need, lain, piece.negative)
                over = _crossed(crossed, shape, lain, piece.negative, floor)
                if _place(after, over, left, floor, failed):
                    return True
        if cell is None:
            break
    failed.add(key)
    return False


def _shifts(
    shape: Sequence[Cell], cell: Cell | None, pieces: Sequence[Polyomino], floor: Floor
) -> Iterable[Cell]:
    """Return the ways (dx, dy) to lay a shape onto a cell; onto none: all that differ for the floor."""
    if cell is not None:
        return [(cell[0] - x, cell[1] - y) for x, y in shape]
    if not floor.slits and not floor.around and floor.size is None:
        return [(0, 0)]
    reach = sum(max(piece.width, piece.height) for piece in pieces)
    high = max(floor.size or (0,), *floor.cells, key=max)
    span = range(-reach, max(high) + reach + 1)
    return [(dx, dy) for dy in span for dx in (range(floor.around) if floor.around else span)]


def _lain(shape: Sequence[Cell], dx: int, dy: int, floor: Floor) -> list[Cell] | None:
    """Return the cells on which a shape lies; None if they leave the panel and must not."""
    lain = [(x + dx, y + dy) for x, y in shape]
    if floor.around:
        lain = [(x % floor.around, y) for x, y in lain]
    if floor.size is not None:
        width, height = floor.size
        if not all(0 <= x < width and 0 <= y < height for x, y in lain):
            return None
    return lain


def _after(need: dict[Cell, int], lain: list[Cell], negative: bool) -> dict[Cell, int]:
    """Return what is still needed after a piece has been laid on the cells `lain`."""
    after = dict(need)
    for cell in lain:
        count = after.pop(cell, 0) + (1 if negative else -1)
        if count:
            after[cell] = count
    return after


def _crossed(
    crossed: Mapping[Side, int], shape: Sequence[Cell], lain: list[Cell], negative: bool, floor: Floor
) -> Mapping[Side, int]:
    """Return how often the slits are crossed after a shape has been laid on the cells `lain`.

    A negative one touches every side of its cells, those between two of them once.
    """
    if not floor.slits:
        return crossed
    after = dict(crossed)

    def count(side: Side, change: int) -> None:
        if side in floor.slits:
            after[side] = after.get(side, 0) + change

    for (x, y), (u, v) in zip(shape, lain, strict=True):
        for upper, beyond in ((False, (x + 1, y)), (True, (x, y + 1))):
            if negative or beyond in shape:
                count((u, v, upper), -1 if negative else 1)
        if negative and (x - 1, y) not in shape:
            count(((u - 1) % floor.around if floor.around else u - 1, v, False), -1)
        if negative and (x, y - 1) not in shape:
            count((u, v - 1, True), -1)
    return after
