"""Random panels under any variant: pillars, ends in edges, missing edges, dots of one line, erasers."""

from __future__ import annotations

import random
from itertools import islice

import attrs
from epcg_witness.generators.libraries import library
from epcg_witness.rules.grid import PanelError, grid_of
from epcg_witness.rules.panel import (
    PILLAR_SYMMETRIES,
    SYMMETRIES,
    CellSymbol,
    Eraser,
    Panel,
    Polyomino,
    Square,
    Star,
)
from epcg_witness.rules.reference import both_lines, panel_paths, regions, walls
from epcg_witness.rules.variants import ANSWERS, GAME, Variant

from tests.witness.doubled import Doubled, Line
from tests.witness.random_panels import any_symbol, fitting_symbols, random_panel, with_erasers

FEATURES = (
    "pillar",
    "symmetry",
    "edge start",
    "edge end",
    "missing",
    "outside",
    "dots of one line",
    "erasers",
)


def line_of(panel: Panel, path: tuple[int, ...]) -> Line:
    """The points of a path on the doubled grid."""
    grid = panel.grid
    points = [grid.point_at(path[0])]
    targets = [point for point in path[1:-1] if point < grid.vertices] + [path[-1]]
    for letter, target in zip(grid.path_letters(path), targets, strict=True):
        dx, dy = {"U": (0, 1), "R": (1, 0), "D": (0, -1), "L": (-1, 0)}[letter]
        while points[-1] != grid.point_at(target):
            x, y = points[-1][0] + dx, points[-1][1] + dy
            points.append((x % (2 * panel.width) if panel.pillar else x, y))
    return tuple(points)


def random_variant(r: random.Random) -> Variant:
    if r.random() < 0.3:
        return GAME
    return Variant(**{question: r.choice(answers) for question, answers in ANSWERS.items()})


def random_frame(r: random.Random) -> Panel | None:
    """An empty panel with any starts and ends, some edges missing; None if they do not fit."""
    pillar = r.random() < 0.35
    symmetry = r.choice(PILLAR_SYMMETRIES if pillar else SYMMETRIES) if r.random() < 0.65 else None
    width = r.choice((2, 4, 4, 6, 8) if symmetry else (2, 3, 3, 4, 8)) if pillar else r.randint(1, 3)
    height = r.randint(1, 1 if width >= 6 else 2 if width == 4 else 3)
    grid = grid_of(width, height, pillar)
    edges = range(grid.edges)
    ends: dict[str, list[int]] = {
        "starts": r.sample(range(grid.vertices), r.choice((0, 1, 1, 2))),
        "ends": r.sample(range(grid.vertices), r.choice((0, 1, 1, 2))),
        "edge_starts": r.sample(edges, r.choice((0, 0, 1))),
        "edge_ends": r.sample(edges, r.choice((0, 0, 1))),
    }
    missing: list[int] = []
    if r.random() < 0.3:
        cell = r.randrange(grid.cells)
        border = [edge for edge in edges if None in grid.edge_cells(edge)]
        missing = [r.choice(border), *r.sample(grid.cell_edges(cell), r.randint(0, 2))]
    try:
        bare = Panel(width=width, height=height, pillar=pillar)
        if symmetry is not None:
            bare = Panel(width=width, height=height, pillar=pillar, symmetry=symmetry,
                         starts=range(grid.vertices - 1), ends=[grid.vertices - 1],
                         edge_ends=range(grid.edges))  # fmt: skip
            for name, numbers in ends.items():
                twin = bare.twin_edge if name.startswith("edge") else bare.twin_vertex
                ends[name] = [*numbers, *map(twin, numbers)]
        free = {name: [n for n in numbers if n not in missing or not name.startswith("edge")]
                for name, numbers in ends.items()}  # fmt: skip
        return Panel(width=width, height=height, pillar=pillar, symmetry=symmetry, missing=missing, **free)
    except PanelError:
        return None


def random_variant_panel(r: random.Random, variant: Variant | None = None) -> Panel:
    """A panel with symbols that suit a random path, or nearly; under a random variant if none is given."""
    while True:
        frame = random_frame(r)
        if frame is None:
            continue
        paths = list(islice(panel_paths(frame), 401))
        if not 0 < len(paths) <= 400:
            continue
        path = r.choice(paths)
        drawn, visited = both_lines(frame, path)
        free = set(range(frame.grid.edges)) - drawn - {*frame.edge_starts, *frame.edge_ends, *frame.missing}
        border = [edge for edge in sorted(free) if None in frame.grid.edge_cells(edge)]
        gaps = {*r.sample(sorted(free), min(r.choice((0, 0, 1)), len(free)))}
        gaps |= {*r.sample(border, min(r.choice((0, 0, 1)), len(border)))}
        frame = attrs.evolve(frame, gaps=gaps, variant=random_variant(r) if variant is None else variant)
        if not Doubled(frame).pinched():
            return _with_symbols(r, frame, path, drawn, visited)


def _with_symbols(
    r: random.Random, frame: Panel, path: tuple[int, ...], drawn: set[int], visited: set[int]
) -> Panel:
    """An empty panel with symbols and dots that suit a path, or nearly."""
    symbols: dict[int, CellSymbol] = {}
    grid = frame.grid
    for region in regions(grid, walls(frame, path, drawn, visited), frame.outside):
        symbols |= dict(fitting_symbols(r, grid, region, drawn))
    for _ in range(r.choice((0, 0, 1, 2))):
        symbols[r.randrange(grid.cells)] = any_symbol(r)
    for _ in range(r.choice((0, 0, 0, 1, 1, 2, 3))):
        symbols[r.randrange(grid.cells)] = Eraser(r.choice(("white", "black", "yellow", "blue")))
    on = sorted(drawn) + [grid.vertex_location(vertex) for vertex in sorted(visited)]
    dots = r.sample(on, min(r.choice((0, 0, 1, 2)), len(on)))
    if r.random() < 0.2:
        dots.append(r.randrange(grid.locations))
    dots = [dot for dot in dots if dot not in {*frame.gaps, *frame.missing}]
    first, second = set(), set()
    for dot in dots:
        kind = r.random()
        if kind < 0.4:
            own = {*grid.path_edges(path)} | {grid.vertex_location(v) for v in path if v < grid.vertices}
            (first if dot in own or kind < 0.05 else second).add(dot)
    return attrs.evolve(frame, symbols=symbols, dots=dots, first_dots=first, second_dots=second - first)


def random_open_panel(r: random.Random, variant: Variant) -> Panel:
    """A small panel that asks what erasers remove, and whether pieces cancel, are crossed or lie outside."""
    kind = r.choice(("erasers", "cancel", "hanging", "fitting"))
    if kind == "fitting":
        return attrs.evolve(with_erasers(r, random_panel(r, largest=r.choice((2, 2, 3)))), variant=variant)
    grid = grid_of(r.choice((2, 3)), 2) if kind != "hanging" else grid_of(3, r.choice((2, 2, 3)))
    colours = ("white", "white", "black")
    starts = [0]
    symbols: list[CellSymbol] = []
    if kind == "erasers":
        symbols += [Eraser(r.choice(colours)) for _ in range(r.choice((1, 2, 2)))]
        symbols += [r.choice((Square, Star))(r.choice(colours)) for _ in range(4 - len(symbols))]
    elif kind == "cancel":
        area = r.choice((1, 2, 2, 3))
        same = [piece for piece in library("up_to_four") if piece.area == area]
        symbols += [r.choice(same), Polyomino(r.choice(same).cells, negative=True)]
        symbols += r.choice(([], [r.choice(library("up_to_four"))]))
    else:
        starts = [r.choice([vertex for vertex in range(grid.vertices) if not grid.on_border(vertex)])]
        symbols += r.sample([piece for piece in library("up_to_four") if piece.area > 1], r.choice((1, 1, 2)))
        symbols += r.choice(([], [Eraser()], [Polyomino([(0, 0)], negative=True)]))
    cells = r.sample(range(grid.cells), len(symbols))
    ends = [grid.vertices - 1]
    held = zip(cells, symbols, strict=True)
    return Panel(
        width=grid.width, height=grid.height, symbols=tuple(held), starts=starts, ends=ends, variant=variant
    )  # fmt: skip


def features_of(panel: Panel) -> set[str]:
    present = (panel.pillar, panel.symmetry, panel.edge_starts, panel.edge_ends, panel.missing, panel.outside,
               panel.symmetry and panel.first_dots, panel.has_erasers)  # fmt: skip
    return {name for name, there in zip(FEATURES, present, strict=True) if there}
