"""Random panels, most of them solvable: symbols that suit a random path, and sometimes one that does not."""

from __future__ import annotations

import random
from collections.abc import Iterator

import attrs
from epcg_witness.generators.libraries import library
from epcg_witness.rules.grid import Grid, grid_of
from epcg_witness.rules.panel import (
    COLOURS,
    SYMMETRIES,
    CellSymbol,
    Eraser,
    Panel,
    Polyomino,
    Square,
    Star,
    Triangles,
    twin_vertices,
)
from epcg_witness.rules.reference import both_lines, regions

KINDS = ("dot", "gap", "square", "star", "triangles", "polyomino", "free", "negative")


def kinds_of(panel: Panel) -> set[str]:
    """Which kinds of symbols a panel holds."""
    found = {name for name, present in (("dot", panel.dots), ("gap", panel.gaps)) if present}
    for _, symbol in panel.symbols:
        if isinstance(symbol, Polyomino):
            found.add("negative" if symbol.negative else "free" if symbol.free else "polyomino")
        else:
            found.add(type(symbol).__name__.lower())
    return found


def with_erasers(r: random.Random, panel: Panel) -> Panel:
    """A panel with one to three erasers, and another symbol or dot more, most of which they may remove."""
    grid = panel.grid
    symbols = dict(panel.symbols)
    for cell in r.sample(range(grid.cells), min(grid.cells, r.choice((0, 1, 1, 2)))):
        symbols[cell] = any_symbol(r)
    for cell in r.sample(range(grid.cells), min(grid.cells, r.choice((1, 1, 2, 2, 3)))):
        symbols[cell] = Eraser(r.choice(("white", "white", "black", "yellow")))
    dots = set(panel.dots)
    if r.random() < 0.4:
        dots |= {r.randrange(grid.locations)} - set(panel.gaps)
    return attrs.evolve(panel, symbols=symbols, dots=tuple(dots))


def random_symmetric_panel(r: random.Random, largest: int = 4) -> Panel:
    """A panel of two lines, with symbols that suit a random pair of lines, or nearly."""
    while True:
        width, height = r.randint(1, largest), r.randint(1, largest)
        grid = grid_of(width, height)
        symmetry = r.choice(SYMMETRIES)
        twin = twin_vertices(grid, symmetry)
        moved = [v for v in range(grid.vertices) if twin[v] != v]
        if len(moved) < 4:
            continue
        starts = set(r.sample(moved, r.randint(1, 2)))
        starts |= {twin[v] for v in starts}
        ends = set(r.sample(moved, r.randint(1, 2))) - starts
        ends |= {twin[v] for v in ends}
        if not ends:
            continue
        empty = Panel(width=width, height=height, starts=tuple(starts), ends=tuple(ends), symmetry=symmetry)
        path = _random_pair(r, empty)
        if path is None:
            continue
        drawn, visited = both_lines(empty, path)
        symbols: dict[int, CellSymbol] = {}
        for region in regions(grid, drawn):
            symbols |= dict(fitting_symbols(r, grid, region, drawn))
        on = sorted(drawn) + sorted(grid.vertex_location(v) for v in visited)
        dots = r.sample(on, min(r.choice((0, 0, 1, 2)), len(on)))
        off = sorted(set(range(grid.edges)) - drawn)
        gaps = r.sample(off, min(r.choice((0, 0, 1, 2)), len(off)))
        return attrs.evolve(empty, symbols=symbols, dots=dots, gaps=gaps)


def _random_pair(r: random.Random, panel: Panel) -> list[int] | None:
    """One of two lines that do not touch, found by a walk; None if the walk ends badly."""
    twin = twin_vertices(panel.grid, panel.symmetry)
    path = [r.choice(panel.starts)]
    while path[-1] not in panel.ends:
        taken = {*path, *(twin[v] for v in path)}
        free = [v for v, _ in panel.grid.neighbours[path[-1]] if v not in taken and twin[v] != v]
        if not free:
            return None
        path.append(r.choice(free))
    return path


def random_panel(r: random.Random, largest: int = 3) -> Panel:
    """A panel of up to `largest` cells in width and height, with any kinds of symbols."""
    grid = grid_of(r.randint(1, largest), r.randint(1, largest))
    starts, ends = (0,), (grid.vertices - 1,)
    if r.random() < 0.3:
        some = r.sample(range(grid.vertices), 4)
        starts, ends = tuple(some[: r.randint(1, 2)]), tuple(some[2 : r.randint(3, 4)])
    path = _random_path(r, grid, starts, ends)
    drawn = set(grid.path_edges(path))
    symbols: dict[int, CellSymbol] = {}
    for region in regions(grid, drawn):
        symbols |= dict(fitting_symbols(r, grid, region, drawn))
    if r.random() < 0.25:
        symbols[r.randrange(grid.cells)] = any_symbol(r)
    on = sorted(drawn) + [grid.vertex_location(v) for v in path]
    dots = r.sample(on, min(r.choice((0, 0, 1, 2)), len(on)))
    off = sorted(set(range(grid.edges)) - drawn)
    gaps = r.sample(off, min(r.choice((0, 0, 1, 2)), len(off)))
    if r.random() < 0.1:
        dots = [d for d in {*dots, r.randrange(grid.locations)} if d not in gaps]
    return Panel(
        width=grid.width,
        height=grid.height,
        symbols=symbols,
        dots=dots,
        gaps=gaps,
        starts=starts,
        ends=ends,
    )


def _random_path(r: random.Random, grid: Grid, starts: tuple[int, ...], ends: tuple[int, ...]) -> list[int]:
    while True:
        path = [r.choice(starts)]
        while path[-1] not in ends:
            free = [v for v, _ in grid.neighbours[path[-1]] if v not in path]
            if not free:
                break
            path.append(r.choice(free))
        if path[-1] in ends:
            return path


def fitting_symbols(
    r: random.Random, grid: Grid, region: frozenset[int], drawn: set[int]
) -> Iterator[tuple[int, CellSymbol]]:
    """Symbols for some cells of a region that a path separates, which that path satisfies."""
    cells = r.sample(sorted(region), len(region))
    mode = r.choice(("nothing", "square", "star", "triangles", "pieces", "pieces", "negative", "negative"))
    if mode == "square":
        colour = r.choice(COLOURS[:3])
        yield from ((cell, Square(colour)) for cell in cells[: r.randint(1, 3)])
    elif mode == "star" and len(cells) > 1:
        colour = r.choice(("black", "white", "orange"))
        yield cells[0], Star(colour)
        yield cells[1], r.choice((Star(colour), Square(colour), Triangles(1, colour)))
    elif mode == "triangles":
        for cell in cells[: r.randint(1, 3)]:
            count = len(drawn.intersection(grid.cell_edges(cell)))
            if count:
                yield cell, Triangles(count)
    elif mode in ("pieces", "negative"):
        pieces = _cut(r, [grid.cell_at(cell) for cell in region], negative=mode == "negative")
        if len(pieces) <= len(cells):
            yield from zip(cells, pieces, strict=False)


def _cut(r: random.Random, cells: list[tuple[int, int]], negative: bool) -> list[Polyomino]:
    """Pieces that cover the cells; a negative one takes away what the others cover beside them."""
    taken: list[tuple[int, int]] = []
    if negative and len(cells) < 6:
        x, y = r.choice(cells)
        taken = [c for c in ((x + 1, y), (x, y + 1)) if c not in cells][: r.randint(1, 2)]
    left = sorted({*cells, *taken})
    pieces = []
    while left:
        piece = [r.choice(left)]
        for _ in range(r.randint(0, 3)):
            around = [c for c in left if c not in piece and any(_touch(c, p) for p in piece)]
            if around:
                piece.append(r.choice(around))
        left = [c for c in left if c not in piece]
        pieces.append(Polyomino(piece, free=r.random() < 0.4))
    return pieces + ([Polyomino(taken, negative=True)] if taken else [])


def _touch(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1


def any_symbol(r: random.Random) -> CellSymbol:
    piece = r.choice(library("up_to_four"))
    return r.choice(
        (
            Square(r.choice(COLOURS[:3])),
            Star(r.choice(COLOURS)),
            Triangles(r.randint(1, 3)),
            piece,
            Polyomino(piece.cells, free=True),
            Polyomino(piece.cells[:2], negative=True),
        )
    )
