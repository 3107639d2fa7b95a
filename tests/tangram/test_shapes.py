"""Shapes: the numbers that everybody knows, Burnside's count, and what is said of a shape by itself."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import combinations, pairwise, product

import pytest
from epcg_tangram.design.shapes import (
    Equality,
    all_shapes,
    canonical,
    compositions,
    facts_of,
    group_for,
    group_of,
    is_connected,
    orientations,
    regions,
)
from epcg_tangram.lattices import LATTICES, Cell, Flat, Lattice
from epcg_tangram.lattices.lattice import Shape
from epcg_tangram.texts.names import known_name, known_shapes

from epcg_core.base.errors import ParamsError

SQUARES, TRIANGLES, HEXAGONS, QUARTERS = (
    LATTICES[name] for name in ("squares", "triangles", "hexagons", "quarters")
)
CUBES = LATTICES["cubes"]
EVERY = pytest.mark.parametrize("lattice", LATTICES.values(), ids=list(LATTICES))
FLAT = [own for own in LATTICES.values() if own is own.flat]
IN_THE_PLANE = pytest.mark.parametrize("lattice", FLAT, ids=[own.name for own in FLAT])

# From golden numbers that a program apart from EPCG found; the fixed ones are A001168, A001420 and A001207 of
# the On-Line Encyclopedia of Integer Sequences, the free ones of quarters A197465; the others of quarters are
# those of the construction below. Those of cubes are A038119, A000162 and A001931.
FREE = {
    "squares": (1, 1, 2, 5, 12, 35, 108),
    "triangles": (1, 1, 1, 3, 4, 12, 24, 66),
    "hexagons": (1, 1, 3, 7, 22, 82, 333),
    "quarters": (1, 2, 2, 6, 8, 22, 42, 112, 252, 650),
    "cubes": (1, 1, 2, 7, 23, 112),
}
ONE_SIDED = {
    "squares": (1, 1, 2, 7, 18, 60),
    "triangles": (1, 1, 1, 4, 6, 19),
    "hexagons": (1, 1, 3, 10, 33, 147),
    "quarters": (1, 2, 3, 8, 14, 36, 80, 206),
    "cubes": (1, 1, 2, 8, 29, 166),
}
FIXED = {
    "squares": (1, 2, 6, 19, 63, 216, 760),
    "triangles": (2, 3, 6, 14, 36, 94, 250, 675),
    "hexagons": (1, 3, 11, 44, 186, 814, 3652),
    "quarters": (4, 6, 12, 25, 56, 132, 320, 792),
    "cubes": (1, 3, 15, 86, 534, 3481),
}


# --- a construction of the test's own ----------------------------------------------------------------------


def beside(lattice: Lattice, cell: Cell) -> set[Cell]:
    """The cells that share an edge with a cell, by the places of their vertices."""
    corners = set(lattice.corners(cell))
    steps = product(range(-2, 3), repeat=len(cell))
    near = [tuple(a + b for a, b in zip(cell, step, strict=True)) for step in steps if any(step)]
    cells = [other for other in near if is_cell(lattice, other)]
    shared = 2 if lattice is lattice.flat else 4
    return {n for n in cells if len(corners.intersection(lattice.corners(n))) == shared}


def is_cell(lattice: Lattice, place: Cell) -> bool:
    """Of triangles (3 a + 1, 3 b + 1) and (3 a + 2, 3 b + 2) are centres; of quarters, one number is 3 a."""
    if lattice.name == "quarters":
        return (place[0] % 3 == 0) != (place[1] % 3 == 0)
    return lattice.name != "triangles" or place[0] % 3 == place[1] % 3 in (1, 2)


def rounded(point: tuple[float, float]) -> tuple[float, float]:
    return round(point[0], 6) + 0.0, round(point[1], 6) + 0.0


def at_zero(lattice: Lattice, shape: Iterable[Cell]) -> Shape:
    """A fixed shape: shifted as near to (0, 0) as can be without a negative coordinate."""
    cells = list(shape)
    step = 3 if lattice.name in ("triangles", "quarters") else 1
    low = [min(axis) // step * step for axis in zip(*cells, strict=True)]
    return frozenset(tuple(a - b for a, b in zip(cell, low, strict=True)) for cell in cells)


@cache
def fixed(lattice: Lattice, size: int) -> frozenset[Shape]:
    """All fixed shapes of a size, one cell added to those of the size before."""
    if size == 1:
        singles: dict[str, list[Cell]] = {
            "triangles": [(1, 1), (2, 2)],
            "quarters": [(1, 0), (0, 1), (2, 0), (0, 2)],
            "cubes": [(0, 0, 0)],
        }
        return frozenset(frozenset([cell]) for cell in singles.get(lattice.name, [(0, 0)]))
    return frozenset(
        at_zero(lattice, shape | {other})
        for shape in fixed(lattice, size - 1)
        for cell in shape
        for other in beside(lattice, cell) - shape
    )


def turned(lattice: Lattice, cell: Cell, number: int) -> Cell:
    """The image of a cell, by angles: a turn by `number` steps, after a reflection at the vertical axis."""
    if lattice is CUBES:
        return lattice.image(cell, number)  # all motions there are, as is tested below
    assert isinstance(lattice, Flat)
    x, y = lattice.middle(cell)
    if number >= lattice.turns:
        x = -x
    angle = 2 * math.pi * (number % lattice.turns) / lattice.turns
    # Squares are named by a corner, so their centres turn about a centre: the cell (0, 0) stays.
    ox, oy = lattice.middle((0, 0)) if lattice.name == "squares" else (0.0, 0.0)
    if number >= lattice.turns and lattice.name == "squares":
        x += 2 * ox
    x, y = x - ox, y - oy
    there = (
        x * math.cos(angle) - y * math.sin(angle) + ox,
        x * math.sin(angle) + y * math.cos(angle) + oy,
    )
    return centres(lattice)[rounded(there)]


@cache
def centres(lattice: Flat) -> dict[tuple[float, float], Cell]:
    """Cells by where their centres lie."""
    reach = range(-40, 41)
    places = [(a, b) for a in reach for b in reach if is_cell(lattice, (a, b))]
    return {rounded(lattice.middle(place)): place for place in places}


def blob(lattice: Lattice, size: int, source: random.Random) -> Shape:
    """A random connected shape, which often has holes."""
    found = {lattice.first}
    while len(found) < size:
        cell = source.choice(sorted(found))
        found.add(source.choice(sorted(beside(lattice, cell))))
    return frozenset(found)


# --- how many there are ------------------------------------------------------------------------------------


@pytest.mark.sweep(2)
@EVERY
def test_free_and_one_sided_shapes_are_as_many_as_everybody_knows(lattice: Lattice) -> None:
    for equality, known in (("free", FREE), ("one-sided", ONE_SIDED)):
        for size, count in enumerate(known[lattice.name], 1):
            found = all_shapes(lattice, size, equality)  # type: ignore[arg-type]
            assert len(found) == len(set(found)) == count
            assert all(len(shape) == size and is_connected(lattice, shape) for shape in found)


@pytest.mark.sweep
@EVERY
def test_fixed_shapes_are_those_that_grow_cell_by_cell(lattice: Lattice) -> None:
    for size in range(1, 7):
        assert len(fixed(lattice, size)) == FIXED[lattice.name][size - 1]
        assert set(all_shapes(lattice, size, "fixed")) == fixed(lattice, size)


@pytest.mark.sweep
@EVERY
def test_burnside(lattice: Lattice) -> None:
    """The orbits of a group are as many as the shapes that a symmetry of it leaves fixed on the average."""
    for size in range(1, 7):
        kept = [
            sum(
                at_zero(lattice, [turned(lattice, cell, number) for cell in shape]) == shape
                for shape in fixed(lattice, size)
            )
            for number in range(2 * lattice.turns)
        ]
        assert sum(kept) == 2 * lattice.turns * FREE[lattice.name][size - 1]
        assert sum(kept[: lattice.turns]) == lattice.turns * ONE_SIDED[lattice.name][size - 1]
        every = all_shapes(lattice, size)
        orders = [facts_of(lattice, shape).order for shape in every]
        assert sum(2 * lattice.turns // order for order in orders) == len(fixed(lattice, size))


@IN_THE_PLANE
def test_symmetries_are_turns_and_reflections_in_the_plane(lattice: Lattice) -> None:
    cells = [(a, b) for a in range(-4, 5) for b in range(-4, 5) if is_cell(lattice, (a, b))]
    for number in range(2 * lattice.turns):
        assert lattice.is_mirrored(number) == (number >= lattice.turns)
        assert lattice.moved(cells, number) == {turned(lattice, cell, number) for cell in cells}


@pytest.mark.parametrize(
    ("lattice", "base", "free", "one_sided"),
    [(TRIANGLES, "trapezoid", 9, 15), (SQUARES, "domino", 4, 6)],
    ids=["two trapezoids", "two dominoes"],
)
def test_two_of_a_shape(lattice: Lattice, base: str, free: int, one_sided: int) -> None:
    shape = known_shapes(lattice)[base]
    assert len(compositions(lattice, shape, 2)) == free
    assert len(compositions(lattice, shape, 2, "one-sided")) == one_sided
    for own in compositions(lattice, shape, 2):
        assert splits(lattice, own, shape)


def splits(lattice: Lattice, whole: Shape, base: Shape) -> bool:
    """Whether a shape is two copies of a base: some half of it is one, and so is the rest."""
    group = group_for(lattice, "free")
    halves = (frozenset(half) for half in combinations(sorted(whole), len(base)))
    return any(
        canonical(lattice, half, group) == base and canonical(lattice, whole - half, group) == base
        for half in halves
    )


@EVERY
@pytest.mark.parametrize("count", [2, 3])
def test_what_copies_make_are_the_shapes_that_fall_into_them(lattice: Lattice, count: int) -> None:
    """Of one cell all shapes of so many cells; of two cells those of the double size that can be split."""
    single = all_shapes(lattice, 1)[0]
    assert compositions(lattice, single, count) == all_shapes(lattice, count)
    assert compositions(lattice, single, 1) == [single]
    for pair in all_shapes(lattice, 2):
        expected = [shape for shape in all_shapes(lattice, 4) if splits(lattice, shape, pair)]
        assert compositions(lattice, pair, 2) == expected
        fixed_ones = compositions(lattice, pair, 2, "fixed")
        assert {canonical(lattice, shape, group_for(lattice, "free")) for shape in fixed_ones} == set(
            expected
        )
        assert len(fixed_ones) == sum(
            2 * lattice.turns // facts_of(lattice, shape).order for shape in expected
        )


# --- canonical forms and orientations ----------------------------------------------------------------------


@EVERY
def test_one_shape_stands_for_all_its_images(lattice: Lattice) -> None:
    source = random.Random(lattice.name)
    for _ in range(30):
        shape = blob(lattice, source.randrange(1, 12), source)
        for equality in ("free", "one-sided", "fixed"):
            group = group_for(lattice, equality)  # type: ignore[arg-type]
            own = canonical(lattice, shape, group)
            assert canonical(lattice, own, group) == own
            step = lattice.step
            by = [5 * step, -7 * step, 3 * step]
            turned_over = lattice.moved(shape, source.choice(group))
            moved = {tuple(a + b for a, b in zip(cell, by, strict=False)) for cell in turned_over}
            assert canonical(lattice, moved, group) == own
            images = orientations(lattice, shape, group)
            assert sorted(n for numbers in images.values() for n in numbers) == sorted(group)
            assert len({len(numbers) for numbers in images.values()}) == 1
            assert own in images


def test_which_symmetries_a_piece_may_be_moved_by() -> None:
    assert group_of(SQUARES, True, True) == tuple(range(8))
    assert group_of(HEXAGONS, True, False) == tuple(range(6))
    assert group_of(TRIANGLES, False, True) == (0, 6)
    assert group_of(SQUARES, False, False) == (0,)
    chiral = known_shapes(SQUARES)["L4"]
    images = {
        (turn, flip): len(orientations(SQUARES, chiral, group_of(SQUARES, turn, flip)))
        for turn in (True, False)
        for flip in (True, False)
    }
    assert images == {(True, True): 8, (True, False): 4, (False, True): 2, (False, False): 1}


@pytest.mark.sweep
@EVERY
@pytest.mark.parametrize("count", [10, pytest.param(40, marks=pytest.mark.slow)])
def test_parts_of_a_shape_are_in_reading_order(lattice: Lattice, count: int) -> None:
    source = random.Random(3)
    for _ in range(count):
        cells = frozenset(cell for cell in blob(lattice, 25, source) if source.random() < 0.6)
        parts = regions(lattice, cells)
        assert sum(map(len, parts)) == len(cells)
        assert frozenset().union(*parts) == cells
        firsts = [min(map(lattice.reading, part)) for part in parts]
        assert firsts == sorted(firsts)
        assert is_connected(lattice, cells) == (len(parts) == 1)
        for part in parts:
            assert all(beside(lattice, cell) & cells <= part for cell in part)


# --- what is said of a shape -------------------------------------------------------------------------------


@pytest.mark.sweep
@IN_THE_PLANE
def test_perimeters_holes_and_balance_of_random_shapes(lattice: Flat) -> None:
    """Against the plane: edges that occur once, regions left in a wide disc, and classes of cells."""
    source = random.Random(lattice.name + "holes")
    seen = Counter[int]()
    for _ in range(60):
        shape = blob(lattice, source.randrange(1, 80 if lattice is TRIANGLES else 30), source)
        known = facts_of(lattice, shape)
        edges = Counter(middle for cell in shape for middle in middles(lattice, cell))
        assert known.perimeter == sum(times == 1 for times in edges.values())
        assert known.holes == holes(lattice, shape)
        kinds = Counter(lattice.kind(cell) for cell in shape)
        counts = [kinds[kind] for kind in range(len(lattice.kinds))]
        assert known.balance == max(counts) - min(counts)
        seen[known.holes] += 1
    assert seen[0]
    assert sum(seen.values()) > seen[0]


def middles(lattice: Flat, cell: Cell) -> list[tuple[float, float]]:
    points = [lattice.place(vertex) for vertex in lattice.corners(cell)]
    return [rounded(((a + c) / 2, (b + d) / 2)) for (a, b), (c, d) in pairwise([*points, points[0]])]


def holes(lattice: Lattice, shape: Shape) -> int:
    """The parts of what is left of a wide field around the shape, but the outer one."""
    field, front = set(shape), set(shape)
    for _ in range(4):
        front = {other for cell in front for other in lattice.neighbours(cell)} - field
        field |= front
    left, found = field - shape, 0
    while left:
        found += 1
        open_ = [left.pop()]
        while open_:
            for other in lattice.neighbours(open_.pop()):
                if other in left:
                    left.remove(other)
                    open_.append(other)
    return found - 1


@pytest.mark.sweep(2)
@IN_THE_PLANE
def test_how_small_a_shape_with_a_hole_can_be(lattice: Lattice) -> None:
    """A ring takes 7 squares (a corner may be missing), 9 triangles, 6 hexagons, 9 quarters."""
    most = {"squares": 6, "triangles": 8, "hexagons": 5, "quarters": 8}[lattice.name]
    for size in range(1, most + 1):
        for shape in all_shapes(lattice, size, "fixed"):
            assert facts_of(lattice, shape).holes == 0
    assert any(facts_of(lattice, shape).holes for shape in all_shapes(lattice, most + 1))


@pytest.mark.parametrize(
    ("lattice", "name", "order", "mirrored", "perimeter", "convexity", "balance"),
    [
        (SQUARES, "monomino", 8, True, 4, 1, 1),
        (SQUARES, "O4", 8, True, 8, 1, 0),
        (SQUARES, "I4", 4, True, 10, 1, 0),
        (SQUARES, "S4", 2, False, 10, 4 / 5, 0),
        (SQUARES, "L4", 1, False, 10, 4 / 5, 0),
        (SQUARES, "T4", 2, True, 10, 4 / 5, 2),
        (SQUARES, "X", 8, True, 12, 5 / 7, 3),
        (SQUARES, "U", 2, True, 12, 5 / 6, 1),
        (TRIANGLES, "moniamond", 6, True, 3, 1, 1),
        (TRIANGLES, "diamond", 4, True, 4, 1, 0),
        (TRIANGLES, "trapezoid", 2, True, 5, 1, 1),
        (TRIANGLES, "triangle-4", 6, True, 6, 1, 2),
        (TRIANGLES, "hexagon", 12, True, 6, 1, 0),
        (TRIANGLES, "bar", 2, False, 8, 1, 0),
        (HEXAGONS, "monohex", 12, True, 6, 1, 1),
        (HEXAGONS, "triangle-3", 6, True, 12, 18 / 21, 0),
        (HEXAGONS, "propeller", 6, True, 18, 24 / 33, 3),
        (QUARTERS, "quarter", 2, True, 3, 1, 1),
        (QUARTERS, "half", 2, True, 4, 1, 0),
        (QUARTERS, "diamond", 4, True, 4, 1, 0),
        (QUARTERS, "square", 8, True, 4, 1, 0),
    ],
)
def test_shapes_that_everybody_knows(
    lattice: Lattice,
    name: str,
    order: int,
    mirrored: bool,
    perimeter: int,
    convexity: float,
    balance: int,
) -> None:
    shape = known_shapes(lattice)[name]
    known = facts_of(lattice, shape)
    assert (known.order, known.mirrored, known.perimeter, known.balance) == (
        order,
        mirrored,
        perimeter,
        balance,
    )
    assert known.holes == 0
    assert known.convexity == pytest.approx(convexity)
    for number in range(2 * lattice.turns):
        assert known_name(lattice, lattice.moved(shape, number)) == name
        assert facts_of(lattice, lattice.moved(shape, number)) == known


@EVERY
def test_names_are_of_different_shapes(lattice: Lattice) -> None:
    known = known_shapes(lattice)
    assert len(set(known.values())) == len(known)
    unnamed = next(shape for shape in all_shapes(lattice, 7) if shape not in known.values())
    assert known_name(lattice, unnamed) == ""
    if lattice is SQUARES:
        assert set(all_shapes(lattice, 4)) | set(all_shapes(lattice, 5)) <= set(known.values())


@IN_THE_PLANE
def test_the_convexity_of_random_shapes(lattice: Flat) -> None:
    """The hull by gift wrapping: from a point on, the next is that which has all others to its left."""
    source = random.Random(11)
    for _ in range(25):
        shape = blob(lattice, source.randrange(1, 15), source)
        points = sorted({rounded(lattice.place(v)) for cell in shape for v in lattice.corners(cell)})
        hull = [points[0]]
        while len(hull) == 1 or hull[-1] != hull[0]:
            x, y = hull[-1]
            following = next(p for p in points if p != (x, y))
            for a, b in points:
                cross = (following[0] - x) * (b - y) - (following[1] - y) * (a - x)
                further = math.dist((a, b), (x, y)) > math.dist(following, (x, y))
                if cross < -1e-9 or (abs(cross) <= 1e-9 and further):
                    following = (a, b)
            hull.append(following)
        area = sum(a * d - b * c for (a, b), (c, d) in pairwise(hull)) / 2
        areas = {
            "squares": 1.0,
            "triangles": math.sqrt(3) / 4,
            "hexagons": 1.5 * math.sqrt(3),
            "quarters": 0.25,
        }
        cell = areas[lattice.name]
        assert facts_of(lattice, shape).convexity == pytest.approx(len(shape) * cell / area, abs=1e-5)


def test_sizes_that_a_cache_must_not_mix_up() -> None:
    """Lattices with as many symmetries have shapes of their own."""
    counts: dict[Equality, int] = {
        equality: len(all_shapes(TRIANGLES, 5, equality)) + len(all_shapes(HEXAGONS, 5, equality))
        for equality in ("free", "one-sided", "fixed")
    }
    assert counts == {"free": 26, "one-sided": 39, "fixed": 222}


def test_copies_that_make_too_many_shapes_are_refused_before_they_are_made() -> None:
    squares = LATTICES["squares"]
    domino = known_shapes(squares)["domino"]
    assert len(compositions(squares, domino, 4, most=300)) == 211
    with pytest.raises(ParamsError, match="5 copies make more than 1,935 shapes, probably; at most 300 are"):
        compositions(squares, domino, 24, most=300)
