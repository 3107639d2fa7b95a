"""Games laid out, against the plane: polygons are turned, reflected and shifted, and seen to match or not."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path

import attrs
import epcg_tangram
import numpy as np
import pytest
from epcg_tangram.design.definition import PALETTE, Definition, PieceKind, Place
from epcg_tangram.design.faults import crossed_lines, straight_lines
from epcg_tangram.design.layout import Layout
from epcg_tangram.design.shapes import all_shapes
from epcg_tangram.evaluation.boards import BoardFacts
from epcg_tangram.generators.boards import SolvedBoards
from epcg_tangram.lattices import LATTICES, Cell, Flat, Lattice
from epcg_tangram.params import BoardsParams
from epcg_tangram.texts.game_writer import format_game

from epcg_core.domain import NoParams

SQUARES, TRIANGLES, HEXAGONS = (LATTICES[name] for name in ("squares", "triangles", "hexagons"))
FLAT = [own for own in LATTICES.values() if own is own.flat]
EVERY = pytest.mark.parametrize("lattice", FLAT, ids=[own.name for own in FLAT])
Dot = tuple[float, float]
Polygon = frozenset[Dot]


# --- the plane ---------------------------------------------------------------------------------------------


def dot(x: float, y: float) -> Dot:
    return round(x, 5) + 0.0, round(y, 5) + 0.0


def polygon(lattice: Flat, cell: Cell) -> list[Dot]:
    """The corners of a cell: of a square, a triangle, a hexagon whose edges are 1 long."""
    return [lattice.place(vertex) for vertex in lattice.corners(cell)]


def moved(points: Iterable[Dot], turns: float, mirrored: bool, by: Dot = (0.0, 0.0)) -> list[Dot]:
    """Mirror at the vertical axis, turn by a share of the circle, shift."""
    cos, sin = math.cos(2 * math.pi * turns), math.sin(2 * math.pi * turns)
    found = []
    for x, y in points:
        x = -x if mirrored else x
        found.append((x * cos - y * sin + by[0], x * sin + y * cos + by[1]))
    return found


def centre(points: Sequence[Dot]) -> Dot:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def rounded(points: Iterable[Dot]) -> Polygon:
    return frozenset(dot(x, y) for x, y in points)


@cache
def ways(lattice: Lattice, turn: bool, flip: bool) -> tuple[tuple[float, bool], ...]:
    """(share of the circle, whether mirrored) of each way to move a piece."""
    count = lattice.turns
    shares = [number / count for number in range(count if turn else 1)]
    return tuple((share, mirrored) for mirrored in ((False, True) if flip else (False,)) for share in shares)


def placements_in_the_plane(layout: Layout, kind: PieceKind) -> set[tuple[int, ...]]:
    """Every way to lay a piece on the board: each cell on a cell."""
    lattice, marks = layout.lattice.flat, dict(layout.definition.marks)
    board = [polygon(lattice, place) for place in layout.places]
    number = {rounded(points): cell for cell, points in enumerate(board)}
    piece = [polygon(lattice, cell) for cell in sorted(kind.shape)]
    found = set()
    for share, mirrored in ways(lattice, kind.turn, kind.flip):
        turned = [moved(points, share, mirrored) for points in piece]
        x, y = centre(turned[0])
        for own in board:
            a, b = centre(own)
            cells = [number.get(rounded((u + a - x, v + b - y) for u, v in points)) for points in turned]
            known = [cell for cell in cells if cell is not None]
            if len(known) == len(cells) and all(
                c not in marks or kind.colour in marks[c].colours for c in known
            ):
                found.add(tuple(sorted(known)))
    return found


def symmetries_in_the_plane(layout: Layout) -> set[tuple[int, ...]]:
    """The images of the cells under all motions that keep the board, its wants and its pieces."""
    lattice, marks = layout.lattice.flat, set(layout.definition.marks)
    board = [polygon(lattice, place) for place in layout.places]
    number = {rounded(points): cell for cell, points in enumerate(board)}
    x, y = centre([centre(points) for points in board])
    lying = [placements_in_the_plane(layout, kind) for kind in layout.definition.pieces]
    found = set()
    for share, mirrored in ways(lattice, True, True):
        [(a, b)] = moved([(x, y)], share, mirrored)
        images = [number.get(rounded(moved(points, share, mirrored, (x - a, y - b)))) for points in board]
        known = tuple(image for image in images if image is not None)
        if (
            len(known) == len(images)
            and {(known[cell], place) for cell, place in marks} == marks
            and all({tuple(sorted(known[c] for c in cells)) for cells in own} == own for own in lying)
        ):
            found.add(known)
    return found


# --- random games ------------------------------------------------------------------------------------------


def board_of(lattice: Lattice, source: random.Random, size: int, symmetric: bool) -> list[Cell]:
    """Cells of a family, some of them taken out: of a symmetric board all images of a cell."""
    family = lattice.families["hexagon" if "hexagon" in lattice.families else "rectangle"]
    whole = list(family.cells(*[size] * len(family.sizes)))
    if not symmetric:
        return [cell for cell in whole if source.random() < 0.85]
    layout = Layout(Definition(lattice=lattice, cells=tuple(sorted(whole, key=lattice.reading)), pieces=()))
    out: set[int] = set()
    turns = [own for own in layout.symmetries if source.random() < 0.5 or not lattice.is_mirrored(own.number)]
    for _ in range(2):
        cell = source.randrange(layout.cells)
        out |= {own.cells[cell] for own in turns}
    return [cell for n, cell in enumerate(layout.places) if n not in out]


def game_of(
    lattice: Lattice, source: random.Random, size: int = 4, symmetric: bool = False, wants: bool = True
) -> Definition:
    cells = tuple(sorted(lattice.at_origin(board_of(lattice, source, size, symmetric)), key=lattice.reading))
    colours = tuple(PALETTE.values())[:3]
    pieces = tuple(
        PieceKind(
            f"p{n}", source.choice(all_shapes(lattice, source.randrange(1, 6), "fixed")), lattice,
            colour=colours[n % 3].name, turn=source.random() < 0.7, flip=source.random() < 0.7,
        )
        for n in range(4)
    )  # fmt: skip
    coloured = source.sample(range(len(cells)), 2) if wants else []
    return Definition(
        lattice=lattice, cells=cells, pieces=pieces, colours=colours,
        places=frozenset(Place(paint.name[0], (paint.name,)) for paint in colours),
        marks=tuple(
            (cell, Place(colour[0], (colour,)))
            for cell in sorted(coloured)
            for colour in [source.choice(colours).name]
        ),
    )  # fmt: skip


# --- layouts -----------------------------------------------------------------------------------------------


@pytest.mark.sweep(6)
@EVERY
@pytest.mark.parametrize("seed", range(4))
def test_placements_are_those_of_the_plane(lattice: Lattice, seed: int) -> None:
    layout = Layout(game_of(lattice, random.Random(seed), 3 + seed % 2, wants=seed > 1))
    for number, kind in enumerate(layout.definition.pieces):
        own = [p for p in layout.placements if p.piece == number]
        assert [p.cells for p in own] == sorted(placements_in_the_plane(layout, kind))
        for placement in own:
            turned = lattice.at_origin(lattice.moved(kind.shape, placement.symmetry))
            a, b = placement.shift
            assert {(x + a, y + b) for x, y in turned} == {layout.places[c] for c in placement.cells}
    assert [p.piece for p in layout.placements] == sorted(p.piece for p in layout.placements)


@EVERY
@pytest.mark.parametrize("seed", range(4))
def test_cells_touch_as_in_the_plane(lattice: Lattice, seed: int) -> None:
    layout = Layout(game_of(lattice, random.Random(seed)))
    corners = [rounded(polygon(lattice, place)) for place in layout.places]
    shared = Counter(len(corners[a] & corners[b]) for a, b in combinations(range(layout.cells), 2))
    every = list(combinations(range(layout.cells), 2))
    pairs = {n: {(a, b) for a, b in every if len(corners[a] & corners[b]) == n} for n in (1, 2)}
    assert set(shared) <= {0, 1, 2}
    assert list(layout.edge_pairs) == sorted(pairs[2])
    assert list(layout.corner_pairs) == sorted(pairs[1])
    for cell, near in enumerate(layout.neighbours):
        assert list(near) == sorted({a + b - cell for a, b in pairs[2] if cell in (a, b)})
        assert all(layout.kinds[cell] != layout.kinds[other] for other in near)
    middles = [centre(polygon(lattice, place)) for place in layout.places]
    rows = [[middles[cell] for cell in row] for row in layout.rows]
    assert [cell for row in layout.rows for cell in row] == list(range(layout.cells))
    highest = [max(y for _, y in row) for row in rows]
    lowest = [min(y for _, y in row) for row in rows]
    assert all(above > below for above, below in zip(lowest, highest[1:], strict=False))
    assert all([x for x, _ in row] == sorted(x for x, _ in row) for row in rows)


@pytest.mark.sweep(6)
@EVERY
@pytest.mark.parametrize("seed", range(6))
def test_symmetries_are_those_of_the_plane(lattice: Lattice, seed: int) -> None:
    source = random.Random(seed)
    definition = game_of(lattice, source, 3 + (lattice is SQUARES), symmetric=True, wants=False)
    if seed == 5:  # a colour that the board wants breaks most of them
        place = Place("x", (definition.colours[0].name,))
        definition = attrs.evolve(definition, places=frozenset([place]), marks=((0, place),))
    layout = Layout(definition)
    found = [own.cells for own in layout.symmetries]
    assert found[0] == tuple(range(layout.cells))
    assert len(set(found)) == len(found)
    assert set(found) == symmetries_in_the_plane(layout)
    if seed == 5:
        assert all(cells[0] == 0 for cells in found)


@pytest.mark.sweep(2)
@EVERY
def test_a_board_has_the_symmetries_that_its_pieces_have(lattice: Lattice) -> None:
    """A piece that may not be turned over, or not be turned, forbids it to the board."""
    family = lattice.families["hexagon" if "hexagon" in lattice.families else "rectangle"]
    cells = tuple(sorted(family.cells(*[4] * len(family.sizes)), key=lattice.reading))
    chiral = next(
        shape
        for shape in all_shapes(lattice, 5)
        if sum(lattice.at_origin(lattice.moved(shape, n)) == shape for n in range(2 * lattice.turns)) == 1
    )
    counts = {}
    for turn in (True, False):
        for flip in (True, False):
            kind = PieceKind("p", chiral, lattice, colour="red", turn=turn, flip=flip)
            layout = Layout(Definition(lattice=lattice, cells=cells, pieces=(kind,)))
            assert {own.cells for own in layout.symmetries} == symmetries_in_the_plane(layout)
            counts[turn, flip] = len(layout.symmetries)
    whole = 2 * lattice.turns
    assert counts == {(True, True): whole, (True, False): whole // 2, (False, True): 2, (False, False): 1}


# From golden numbers that a program apart from EPCG found.
PENTOMINOES = (32, 56, 128, 128, 128, 128, 152, 248, 248, 248, 256, 304)
HEXIAMONDS = (25, 56, 108, 110, 112, 112, 130, 224, 224, 224, 260, 260)


def all_of(lattice: Lattice, size: int, family: str, *sizes: int) -> Definition:
    """All free shapes of a size, each once, on a board."""
    cells = lattice.at_origin(lattice.families[family].cells(*sizes))
    pieces = tuple(
        PieceKind(f"p{n}", shape, lattice, colour="red") for n, shape in enumerate(all_shapes(lattice, size))
    )
    return Definition(
        lattice=lattice, cells=tuple(sorted(cells, key=lattice.reading)), pieces=pieces,
        colours=(PALETTE["red"],),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("definition", "placements"),
    [
        (all_of(SQUARES, 5, "rectangle", 10, 6), PENTOMINOES),
        (all_of(SQUARES, 5, "rectangle", 6, 10), PENTOMINOES),
        (all_of(TRIANGLES, 6, "parallelogram", 6, 6), HEXIAMONDS),
    ],
    ids=["6 by 10", "10 by 6", "rhombus"],
)
def test_placements_are_as_many_as_golden(definition: Definition, placements: tuple[int, ...]) -> None:
    layout = Layout(definition)
    counts = Counter(placement.piece for placement in layout.placements)
    assert tuple(sorted(counts.values())) == placements


def boards_of(definition: Definition, boards: str = "distinct") -> SolvedBoards:
    return SolvedBoards(BoardsParams(format_game(definition), boards=boards))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("definition", "modulo", "every"),
    [
        (all_of(SQUARES, 5, "rectangle", 20, 3), 2, 8),
        pytest.param(all_of(SQUARES, 5, "rectangle", 10, 6), 2339, 9356, marks=pytest.mark.slow),
        pytest.param(all_of(SQUARES, 5, "rectangle", 12, 5), 1010, 4040, marks=pytest.mark.slow),
        pytest.param(all_of(TRIANGLES, 6, "parallelogram", 6, 6), 156, 624, marks=pytest.mark.slow),
        pytest.param(all_of(TRIANGLES, 6, "parallelogram", 12, 3), 0, 0, marks=pytest.mark.slow),
    ],
    ids=["3 by 20", "6 by 10", "5 by 12", "rhombus", "3 by 12"],
)
def test_solved_boards_are_as_many_as_golden(definition: Definition, modulo: int, every: int) -> None:
    assert boards_of(definition).max_rank == modulo
    assert boards_of(definition, "all").max_rank == every


# --- lines of fault ----------------------------------------------------------------------------------------


def lines_in_the_plane(layout: Layout) -> set[frozenset[tuple[int, int]]]:
    """Of each line through an edge between two cells the pairs beside it, unless it cuts a cell."""
    cells = [polygon(layout.lattice.flat, place) for place in layout.places]
    edges = {}
    for a, b in combinations(range(len(cells)), 2):
        common = sorted(rounded(cells[a]) & rounded(cells[b]))
        if len(common) == 2:
            edges[a, b] = common

    def beyond(line: Sequence[Dot], point: Dot) -> float:
        """How far a point is to the left of a line through two points."""
        (x, y), (u, v) = line
        far = ((u - x) * (point[1] - y) - (v - y) * (point[0] - x)) / math.dist((x, y), (u, v))
        return 0.0 if abs(far) < 1e-3 else far

    found = set()
    for line in edges.values():
        sides = [{math.copysign(1, far) for p in points if (far := beyond(line, p))} for points in cells]
        if all(len(side) == 1 for side in sides):
            on = [pair for pair, own in edges.items() if not any(beyond(line, p) for p in own)]
            found.add(frozenset(on))
    return found


@pytest.mark.sweep(6)
@EVERY
@pytest.mark.parametrize("seed", range(8))
def test_straight_lines_are_those_of_the_plane(lattice: Lattice, seed: int) -> None:
    source = random.Random(seed)
    layout = Layout(game_of(lattice, source, 2 + seed % 4, symmetric=seed % 2 == 1 and seed > 1, wants=False))
    lines = straight_lines(layout)
    assert len(lines) == len({frozenset(line) for line in lines})
    assert {frozenset(line) for line in lines} == lines_in_the_plane(layout)
    crossed = crossed_lines(layout)
    assert crossed.shape == (len(layout.placements), len(lines))
    for number, placement in enumerate(layout.placements):
        cells = set(placement.cells)
        assert crossed[number].tolist() == [any({a, b} <= cells for a, b in line) for line in lines]


def test_how_many_straight_lines_whole_boards_have() -> None:
    def count(lattice: Lattice, family: str, *sizes: int) -> int:
        return len(straight_lines(Layout(all_of(lattice, 1, family, *sizes))))

    assert count(SQUARES, "rectangle", 7, 4) == 6 + 3
    assert count(SQUARES, "rectangle", 1, 1) == 0
    assert count(TRIANGLES, "parallelogram", 100, 5) == 99 + 4 + 104
    assert count(TRIANGLES, "hexagon", 2) == 9
    assert count(TRIANGLES, "triangle", 4) == 9
    assert count(TRIANGLES, "parallelogram", 5, 3) == 4 + 2 + 7
    assert count(HEXAGONS, "hexagon", 3) == 0
    assert count(HEXAGONS, "rectangle", 2, 1) == 1  # nothing is beyond the edge of two hexagons


def test_solved_boards_with_lines_of_fault() -> None:
    """Dominoes on 4 by 4: 36 boards; the array form says what the plain one says."""
    dominoes = attrs.evolve(
        all_of(SQUARES, 2, "rectangle", 4, 4),
        pieces=(PieceKind("domino", all_shapes(SQUARES, 2)[0], SQUARES, least=8, most=8, colour="red"),),
    )
    boards = boards_of(dominoes, "all")
    assert boards.max_rank == 36
    faults = []
    for rank in range(36):
        board = boards.unrank(rank)
        owner = {cell: n for n, (_, cells) in enumerate(board.pieces) for cell in cells}
        split = [all(owner[4 * r + x] != owner[4 * r + x + 1] for r in range(4)) for x in range(3)]
        cut = [all(owner[4 * y + c] != owner[4 * y + c + 4] for c in range(4)) for y in range(3)]
        faults.append(sum(split) + sum(cut))
    evaluator = BoardFacts(NoParams(), boards, {})
    column = [metric.name for metric in evaluator.metrics].index("fault_lines")
    values = evaluator.evaluate_states(boards.states_block(0, 36)).values
    assert np.asarray(values[column]).tolist() == faults
    assert [evaluator.evaluate(boards.unrank(rank))[column] for rank in range(36)] == faults
    assert min(faults) > 0  # the least board without one is 5 by 6


def test_only_texts_and_the_reproduction_know_a_game_by_name() -> None:
    """The rules, evaluators and generators work for every game."""
    source = Path(epcg_tangram.__file__).parent
    named = r"the hexagon\b|\b54\b|trapezoid|\b(Mountains|Wrench|Hook|Snake|Elbow|Butterfly)\b"
    for room in ("design", "evaluation", "generators", "inference", "rules"):
        for path in (source / room).glob("*.py"):
            found = re.search(named, path.read_text(encoding="utf-8"), re.IGNORECASE)
            assert found is None, f"{path.name}: {found}"
