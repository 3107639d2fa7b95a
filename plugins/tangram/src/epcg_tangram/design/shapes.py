"""Shapes: sets of cells up to shifts, turns and reflections; all of a size, or all that copies of one make.

*Free* shapes are equal if a symmetry of the lattice and a shift make one of the other, *one-sided* ones if a
turn and a shift do, *fixed* ones if a shift does. Of equal shapes the least stands for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal

import attrs

from epcg_core.plugin import ParamsError
from epcg_tangram.lattices.lattice import Cell, Lattice, Shape, difference, total

Equality = Literal["free", "one-sided", "fixed"]


def group_of(lattice: Lattice, turn: bool, flip: bool) -> tuple[int, ...]:
    """Return the symmetries, by their numbers, that a piece may be moved by.

    A piece that may be turned over but not turned lies as it is drawn, or as its mirror image.
    """
    turned = range(lattice.turns) if turn else range(1)
    return tuple(over * lattice.turns + number for over in range(1 + flip) for number in turned)


def group_for(lattice: Lattice, equality: Equality) -> tuple[int, ...]:
    """Return the symmetries, by their numbers, under which shapes are equal."""
    return group_of(lattice, equality != "fixed", equality == "free")


def usual_equality(lattice: Lattice) -> Equality:
    """Return which shapes are one piece if a text does not say whether it may be turned over."""
    return "free" if lattice.flips else "one-sided"


def canonical(lattice: Lattice, shape: Iterable[Cell], group: Iterable[int]) -> Shape:
    """Return the least image of a shape under symmetries and shifts."""
    cells = tuple(shape)
    return min((lattice.at_origin(lattice.moved(cells, number)) for number in group), key=sorted)


def orientations(
    lattice: Lattice, shape: Iterable[Cell], group: Iterable[int]
) -> dict[Shape, tuple[int, ...]]:
    """Return the different images of a shape, each with all symmetries that make it, in their order."""
    cells = tuple(shape)
    found: dict[Shape, tuple[int, ...]] = {}
    for number in group:
        image = lattice.at_origin(lattice.moved(cells, number))
        found[image] = (*found.get(image, ()), number)
    return found


def is_connected(lattice: Lattice, shape: Iterable[Cell]) -> bool:
    """Return whether cells hang together by their edges."""
    return len(regions(lattice, shape)) == 1


def regions(lattice: Lattice, cells: Iterable[Cell]) -> list[Shape]:
    """Return the parts of cells that hang together by their edges, in reading order of their first cells."""
    left, found = set(cells), []
    for cell in sorted(left, key=lattice.reading):
        if cell in left:
            region, front = {cell}, [cell]
            left.remove(cell)
            while front:
                for other in lattice.neighbours(front.pop()):
                    if other in left:
                        left.remove(other)
                        region.add(other)
                        front.append(other)
            found.append(frozenset(region))
    return found


def all_shapes(lattice: Lattice, cells: int, equality: Equality = "free") -> list[Shape]:
    """Return all connected shapes of so many cells, ascending by their sorted cells."""
    return _of_equality(lattice, _free(lattice, cells), equality)


@lru_cache(maxsize=64)
def _free(lattice: Lattice, cells: int) -> tuple[Shape, ...]:
    group = group_for(lattice, "free")
    if cells == 1:
        return (canonical(lattice, [lattice.first], group),)
    grown = {
        shape | {other}
        for shape in _free(lattice, cells - 1)
        for cell in shape
        for other in lattice.neighbours(cell)
        if other not in shape
    }
    return tuple({canonical(lattice, shape, group) for shape in grown})


def compositions(
    lattice: Lattice,
    base: Iterable[Cell],
    count: int,
    equality: Equality = "free",
    most: int | None = None,
) -> list[Shape]:
    """Return all shapes that copies of a base make, each joined to the others by an edge, none overlapping.

    The copies may be turned and turned over. Ascending by their sorted cells. Raises ParamsError as soon as
    one more copy would probably make more than `most` free shapes.
    """
    group = group_for(lattice, "free")
    first = canonical(lattice, base, group)
    images = tuple(orientations(lattice, first, group))
    found, fewer = {first}, 1
    for copies in range(2, count + 1):
        about = len(found) ** 2 // fewer  # if they grow as before
        if most is not None and about > most:
            raise ParamsError(
                f"count: {copies} copies make more than {about:,} shapes, probably; at most {most:,} are "
                "listed. Choose fewer copies."
            )
        fewer = len(found)
        found = {
            canonical(lattice, shape | other, group)
            for shape in found
            for other in _beside(lattice, shape, images)
        }
    return _of_equality(lattice, found, equality)


def _beside(lattice: Lattice, shape: Shape, images: Iterable[Shape]) -> Iterator[Shape]:
    """Yield the images, shifted, that share an edge with a shape and no cell."""
    ring = {other for cell in shape for other in lattice.neighbours(cell)} - shape
    for image in images:
        seen = set()
        for cell in image:
            for near in ring:
                by = difference(near, cell)
                if by not in seen and lattice.is_shift(by):
                    seen.add(by)
                    other = frozenset(total(own, by) for own in image)
                    if not other & shape:
                        yield other


def _of_equality(lattice: Lattice, free: Iterable[Shape], equality: Equality) -> list[Shape]:
    group, every = group_for(lattice, equality), group_for(lattice, "free")
    if equality == "free":
        return sorted(free, key=sorted)
    found = {
        canonical(lattice, image, group) for shape in free for image in orientations(lattice, shape, every)
    }
    return sorted(found, key=sorted)


@attrs.frozen
class ShapeFacts:
    """What can be said of a shape by itself."""

    order: int
    """The number of symmetries that keep it."""
    mirrored: bool
    """Whether a reflection keeps it: it is its own mirror image."""
    perimeter: int
    """Edges between a cell of it and one that is not."""
    holes: int
    """Regions of other cells that it encloses."""
    convexity: float
    """Its share of its convex hull: 1 if it is convex."""
    balance: int
    """The largest class of cells minus the smallest (see `Lattice.kinds`)."""


def facts_of(lattice: Lattice, shape: Shape) -> ShapeFacts:
    """Return what can be said of a shape."""
    own = lattice.at_origin(shape)
    every = group_for(lattice, "free")
    keeping = [n for n in every if lattice.at_origin(lattice.moved(own, n)) == own]
    kinds = [0] * len(lattice.kinds)
    for cell in own:
        kinds[lattice.kind(cell)] += 1
    return ShapeFacts(
        order=len(keeping),
        mirrored=any(lattice.is_mirrored(n) for n in keeping),
        perimeter=sum(other not in own for cell in own for other in lattice.neighbours(cell)),
        holes=_holes(lattice, own),
        convexity=round(lattice.share(own), 12),
        balance=max(kinds) - min(kinds),
    )


def _holes(lattice: Lattice, shape: Shape) -> int:
    """Count the regions of other cells that are closed in: all regions of a box around the shape but one.

    The box has whole steps of the lattice, so that its margin hangs together.
    """
    step = lattice.step
    lows = [(min(axis) // step - 1) * step for axis in zip(*shape, strict=True)]
    highs = [(max(axis) // step + 2) * step - 1 for axis in zip(*shape, strict=True)]
    box, front = set(shape), list(shape)
    while front:
        for other in lattice.neighbours(front.pop()):
            if other not in box and all(a <= x <= b for a, x, b in zip(lows, other, highs, strict=True)):
                box.add(other)
                front.append(other)
    return len(regions(lattice, box - shape)) - 1
