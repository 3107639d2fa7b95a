"""The editor of panels: symbols in cells, dots and gaps on lines, starts and ends, on a panel of any size."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core.plugin import (
    EDGE,
    ERASE,
    VERTEX,
    Gesture,
    Mark,
    Path,
    Point,
    Scene,
    Site,
    UnfilledError,
    square_cells,
)
from epcg_witness.formats.drawing import format_panel, parse_panel
from epcg_witness.formats.symbols import format_symbol, parse_cell_symbol
from epcg_witness.generators.libraries import library
from epcg_witness.rendering.names import edge_by_cells, symbol_in_words, vertex_by_cells
from epcg_witness.rendering.picture import FLOOR, HUES, LINES
from epcg_witness.rules.grid import Grid, PanelError, grid_of
from epcg_witness.rules.model import Action, PanelModel, PartialPath
from epcg_witness.rules.panel import (
    COLOURS,
    MOST_TRIANGLES,
    CellSymbol,
    Eraser,
    Panel,
    Polyomino,
    Square,
    Star,
    Triangles,
)
from epcg_witness.rules.spaces import PanelSpace, dot_symbol, panels_together
from epcg_witness.rules.symmetry import image_of, symmetries
from epcg_witness.rules.variants import DEFAULT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DOT, GAP, START, END = "dot", "gap", "start", "end"
FIRST, SECOND, MISSING = "dot first", "dot second", "missing"
_KEYS = {(0, 1): "ArrowUp", (1, 0): "ArrowRight", (0, -1): "ArrowDown", (-1, 0): "ArrowLeft"}
_WORDS = {(0, 1): "up", (1, 0): "right", (0, -1): "down", (-1, 0): "left"}
_LINE, _TWIN, _LINE_WIDTH = "#fff3bf", "#bfe9ff", 0.22
_LINES = (
    Mark(name=DOT, colour="#1c2321", key="*", kinds=(EDGE, VERTEX), layer="line", group="lines",
         outline="M.12 0L.06 .1L-.06 .1L-.12 0L-.06 -.1L.06 -.1z"),
    Mark(name=GAP, colour="#b9c4b6", key=":", kinds=(EDGE,), layer="line", group="lines",
         outline="M-.15 -.15L.15 -.15L.15 .15L-.15 .15z"),
    Mark(name=START, colour="#4b5a55", key="S", kinds=(VERTEX,), layer="end", group="lines",
         outline="M-.27 0a.27 .27 0 1 0 .54 0a.27 .27 0 1 0 -.54 0z"),
    Mark(name=END, colour="#4b5a55", key="E", kinds=(VERTEX,), layer="end", group="lines",
         outline="M0 -.3L.3 0L0 .3L-.3 0z"),
)  # fmt: skip


_MORE_LINES = (
    Mark(name=FIRST, title="dot of the first line", colour="#f2b705", key="y", kinds=(EDGE, VERTEX),
         layer="line", group="lines", outline=_LINES[0].outline),
    Mark(name=SECOND, title="dot of the second line", colour="#1fa3e0", key="b", kinds=(EDGE, VERTEX),
         layer="line", group="lines", outline=_LINES[0].outline),
    Mark(name=MISSING, title="no edge", colour="#9aa79c", key=".", kinds=(EDGE,), layer="line", group="lines",
         outline="M-.3 -.15L.3 -.15L.3 .15L-.3 .15z"),
)  # fmt: skip
"""Marks of panels that depart from the default rules. The palettes of all others stay as they were, because
the numbers of all changes of a panel depend on them; there these marks are put by name."""


def new_panel(columns: int, rows: int) -> str:
    """Return an empty panel with a start at the lower left and an end at the upper right."""
    return format_panel(Panel(width=columns, height=rows))


def examples() -> dict[str, str]:
    """Return a few panels, by title: one of each kind of symbol."""
    text = files("epcg_witness").joinpath("panels.toml").read_text("utf-8")
    return {panel["title"]: panel["panel"] for panel in tomllib.loads(text)["panels"]}


class PanelEditor:
    """Panels of one size and symmetry.

    A line is drawn by touching its start, then vertex after vertex, at last its end again; or by arrow keys
    and Enter. Starts and ends in edges are touched there. With symmetry, starts and ends come in pairs, and
    the line that is drawn is the first one; the other moves with it.
    """

    transition_model = PanelModel()
    ground = Mark(
        name="", title="nothing", colour=FLOOR, lines=LINES, fills=True, kinds=("cell", EDGE, VERTEX)
    )

    def __init__(self, text: str) -> None:
        self.content = parse_panel(text)
        self._symbols = {format_symbol(symbol): symbol for symbol in _offered(self.content)}
        self.palette = (
            *_line_marks(self.content),
            *(_mark(n, symbol, self._symbols) for n, symbol in self._symbols.items()),
        )
        self._layout = _layout(self.content.grid)

    def parse(self, text: str) -> Panel:
        panel, own = parse_panel(text), self.content
        if (panel.grid, panel.symmetry, panel.variant) != (own.grid, own.symmetry, own.variant):
            raise PanelError(f"The panel is {_in_words(panel)}, not {_in_words(own)}: open it by itself.")
        return panel

    def format(self, state: Panel) -> str:
        return format_panel(state)

    def scene(self, state: Panel) -> Scene:
        layout, edges = self._layout, state.grid.edges
        marks: dict[str, tuple[str, ...]] = {
            layout.cells[cell]: (format_symbol(symbol),) for cell, symbol in state.symbols
        }
        ends = [(START, state.starts, state.edge_starts), (END, state.ends, state.edge_ends)]
        terminals = [(name, [*(edges + v for v in vertices), *within]) for name, vertices, within in ends]
        dots = [(dot_symbol(state, dot).value, [dot]) for dot in state.dots]
        for name, locations in ((GAP, state.gaps), (MISSING, state.missing), *terminals, *dots):
            for location in locations:
                site = layout.locations[location]
                marks[site] = (*marks.get(site, ()), name)
        return Scene(layout.sites, marks, note=_note(state))

    def put(self, state: Panel, site: str, mark: str) -> Panel:
        cell = self._layout.numbers.get(site)
        if cell is not None:
            others = [(other, symbol) for other, symbol in state.symbols if other != cell]
            return attrs.evolve(state, symbols=[*others, *([(cell, self._symbol(mark))] if mark else [])])
        at = self._layout.location_numbers[site]
        changes: dict[str, Any] = {}
        if mark in (DOT, FIRST, SECOND, GAP, MISSING, ERASE):
            placed = {
                "dots": (DOT, FIRST, SECOND), "gaps": (GAP,), "missing": (MISSING,), "first_dots": (FIRST,),
                "second_dots": (SECOND,),
            }  # fmt: skip
            for name, marks in placed.items():
                changes[name] = [*_without(getattr(state, name), at), *[at] * (mark in marks)]
        vertex = at - state.grid.edges
        if mark in (START, END, ERASE):
            both = (vertex, state.twin_vertex(vertex)) if vertex >= 0 else (at, state.twin_edge(at))
            for name, own in (("starts", START), ("ends", END)):
                field = name if vertex >= 0 else f"edge_{name}"
                changes[field] = [*_without(getattr(state, field), *both), *(both if mark == own else ())]
        return attrs.evolve(state, **changes)

    def keeps(self, before: Panel, after: Panel) -> bool:
        """Return whether a changed panel has as many starts (`Keeping`)."""
        one, other = (len(panel.starts) + len(panel.edge_starts) for panel in (before, after))
        return one == other

    def resized(self, state: Panel, columns: int, rows: int) -> str:
        old, new = state.grid, grid_of(columns, rows, state.pillar)
        lower = rows - old.height

        def vertices(numbers: Iterable[int]) -> list[int]:
            places = ((x, y + lower) for x, y in map(old.vertex_at, numbers))
            return [new.vertex(x, y) for x, y in places if x < new.columns and y >= 0]

        def edges(numbers: Iterable[int]) -> list[int]:
            found = []
            for number in numbers:
                (x, y), across = old.edge_at(number), old.is_horizontal(number)
                if y + lower >= 0 and x < (columns if across else new.columns):
                    make = new.horizontal_edge if across else new.vertical_edge
                    found.append(make(x, y + lower))
            return found

        def locations(numbers: Iterable[int]) -> list[int]:
            within = [*numbers]
            on_vertices = vertices(number - old.edges for number in within if number >= old.edges)
            return [*edges(n for n in within if n < old.edges), *map(new.vertex_location, on_vertices)]

        places = ((*old.cell_at(cell), symbol) for cell, symbol in state.symbols)
        starts, ends = vertices(state.starts), vertices(state.ends)
        edge_starts, edge_ends = edges(state.edge_starts), edges(state.edge_ends)
        if not starts and not edge_starts:
            starts = [v for v in range(new.vertices) if v not in ends][:1]
        if not ends and not edge_ends:
            ends = [v for v in range(new.vertices) if v not in starts][-1:]
        return format_panel(
            attrs.evolve(
                state,
                width=columns,
                height=rows,
                symbols=[
                    (new.cell(x, y + lower), symbol)
                    for x, y, symbol in places
                    if x < columns and y + lower >= 0
                ],
                dots=locations(state.dots),
                gaps=edges(state.gaps),
                starts=starts,
                ends=ends,
                missing=edges(state.missing),
                edge_starts=edge_starts,
                edge_ends=edge_ends,
                first_dots=locations(state.first_dots),
                second_dots=locations(state.second_dots),
            )
        )

    def position_scene(self, content: Panel, position: PartialPath) -> Scene:
        scene = self.scene(content)
        path = position.path
        if not path:
            return scene
        lines = [("the other line", content.twin_path(path), _TWIN)] if content.symmetry is not None else []
        lines.append(("the line", path, _LINE))
        paths = []
        for name, own, colour in lines:
            title = f"{name}, at its end" if position.ended else name
            *parts, last = _strokes(content.grid, own)
            paths += [Path(points, colour, _LINE_WIDTH, title=title) for points in parts]
            paths.append(Path(last, colour, _LINE_WIDTH, head=True, title=title))
        return attrs.evolve(scene, paths=tuple(paths))

    def gesture(self, content: Panel, position: PartialPath, action: Action) -> Gesture:
        grid, edge = content.grid, action.edge
        if action.kind == "move":
            head = position.vertices[-1] if position.vertices else grid.vertices + edge
            way = _way(grid, head, grid.vertices + edge if position.vertices else action.vertex)
            site = self._layout.locations[grid.vertex_location(action.vertex)]
            # Of two edges to the same vertex of a pillar the second is touched first.
            second = bool(position.vertices) and len(grid.step((), 0, edge)) == 2
            sites = (self._layout.locations[edge], site) if second else (site,)
            return Gesture(sites, (_KEYS[way],), f"the line goes {_WORDS[way]}")
        site = self._layout.locations[edge if edge >= 0 else grid.vertex_location(action.vertex)]
        if edge >= 0:
            here = f"in the middle of the {edge_by_cells(grid, edge)}"
        else:
            here = f"at the {vertex_by_cells(grid, action.vertex)}"
        same = (other for other in self.transition_model.actions(position) if other.kind == action.kind)
        keys = ("Enter",) if next(same, action) == action else ()
        return Gesture((site,), keys, f"the line {'ends' if action.kind == 'end' else 'starts'} {here}")

    def images(self, state: Panel) -> list[Panel]:
        space, _ = panels_together([state])
        return [image_of(symmetry, space, state) for symmetry in symmetries(space, ())]

    def filling(
        self, empty: Panel, places: Sequence[tuple[str, Sequence[str]]]
    ) -> tuple[PanelSpace, Callable[[NDArray[np.int64]], NDArray[np.int32]]]:
        import numpy as np

        used = {mark for _, marks in places for mark in marks}
        if used & {START, END, FIRST, SECOND, MISSING} or any(
            site in self._layout.location_numbers for site, _ in places
        ):
            raise UnfilledError("Only what lies in cells is filled in as entries.")
        named = {mark: self._symbol(mark) for mark in used - {ERASE}}
        space = PanelSpace(empty, tuple(named.values()))
        numbers = {symbol: number for number, symbol in enumerate(space.all_symbols)}
        shares = []
        for site, marks in places:
            first = self._layout.numbers[site] * len(numbers)
            row = [first + numbers[named[mark]] if mark else -1 for mark in marks]
            shares.append(np.array(row, np.int32))

        def rows(digits: NDArray[np.int64]) -> NDArray[np.int32]:
            found = np.empty(digits.shape, np.int32)
            for position, share in enumerate(shares):
                found[:, position] = share[digits[:, position]]
            return found

        return space, rows

    def packed(self, states: Sequence[Panel]) -> NDArray[np.object_]:
        """Return panels as an array of objects, which the evaluators of solutions take."""
        import numpy as np

        found = np.empty(len(states), np.object_)
        found[:] = states
        return found

    def _symbol(self, name: str) -> CellSymbol:
        if name not in self._symbols:
            self._symbols[name] = parse_cell_symbol(name)
        return self._symbols[name]


def _note(panel: Panel) -> str:
    """Say what a panel is that no mark shows."""
    pillar = "A pillar: the right border is the left one." if panel.pillar else ""
    lines = f"Two lines, {panel.symmetry} symmetry." if panel.symmetry and panel.departure else ""
    variant = f"Variant: {panel.variant.words()}." if panel.variant != DEFAULT else ""
    return " ".join(filter(None, (pillar, lines, variant)))


def _way(grid: Grid, one: int, other: int) -> tuple[int, int]:
    """Return the direction (dx, dy), y up, from a point to one half an edge away."""
    (x, y), (u, v) = grid.point_at(one), grid.point_at(other)
    dx = u - x
    return (dx if abs(dx) <= 1 else -1 if dx > 0 else 1), v - y


def _strokes(grid: Grid, path: Sequence[int]) -> list[list[Point]]:
    """Return a line for the board, in parts if it goes over a pillar's seam: points, the last ones first."""

    def place(x: int, y: int) -> Point:
        return x / 2, grid.height - y / 2

    found = [[place(*grid.point_at(path[0]))]]
    for one, other in pairwise(path):
        (x, y), (u, v) = grid.point_at(one), grid.point_at(other)
        if u - x > 2:  # over the seam to the left
            found.append([place(2 * grid.width, y)])
        found[-1].append(place(2 * grid.width if x - u > 2 else u, v))
        if x - u > 2:
            found.append([place(u, v)])
    return [[*points[::-1], points[0]] for points in found]


def _line_marks(panel: Panel) -> Iterator[Mark]:
    """Yield the marks of edges and vertices that the palette of a panel offers."""
    if not panel.departure:
        yield from _LINES
        return
    for mark in (*_LINES, *_MORE_LINES):
        yield attrs.evolve(mark, kinds=(EDGE, VERTEX)) if mark.name in (START, END) else mark


def _offered(panel: Panel) -> Iterator[CellSymbol]:
    """Yield the symbols of a palette, then others on the panel.

    Colours mean something to squares and stars alone, so the others come in their usual colour and in those
    of the panel's stars.
    """
    own = [symbol for _, symbol in panel.symbols]
    stars = dict.fromkeys(symbol.colour for symbol in own if isinstance(symbol, Star))
    yield from map(Square, COLOURS)
    yield from map(Star, COLOURS)
    for colour in dict.fromkeys((Triangles(1).colour, *stars)):
        # Four of them need lines that begin or end in edges; panels without offer three.
        offered = MOST_TRIANGLES if panel.edge_starts or panel.edge_ends else MOST_TRIANGLES - 1
        yield from (Triangles(count + 1, colour) for count in range(offered))
    yield from map(Eraser, dict.fromkeys((Eraser().colour, *stars)))
    yield from _pieces()
    yield from own


@lru_cache(maxsize=1)
def _pieces() -> tuple[Polyomino, ...]:
    """Return the polyominoes of up to four cells: fixed ones, those that may be turned, negative ones."""
    fixed = library("up_to_four")
    free = {frozenset(piece.orientations()): piece for piece in (attrs.evolve(p, free=True) for p in fixed)}
    positive = (*fixed, *(piece for images, piece in free.items() if len(images) > 1))
    return (*positive, *(Polyomino(piece.cells, piece.free, negative=True) for piece in positive))


def _mark(name: str, symbol: CellSymbol, offered: Mapping[str, CellSymbol]) -> Mark:
    turned, keys = "", {**{f"triangles {n}": str(n) for n in range(1, MOST_TRIANGLES + 1)}, "eraser": "x"}
    if isinstance(symbol, Polyomino) and not symbol.free:
        cells = [(y, -x) for x, y in symbol.cells]
        turned = format_symbol(Polyomino(cells, negative=symbol.negative, colour=symbol.colour))
    kind = name.partition(" ")[0].rstrip("s")
    return Mark(
        name=name,
        title=symbol_in_words(symbol),
        colour=HUES[symbol.colour],
        outline=_outline(symbol),
        key=keys.get(name, ""),
        turned="" if turned == name or turned not in offered else turned,
        group=f"{'negative ' if isinstance(symbol, Polyomino) and symbol.negative else ''}{kind}s",
    )


def _outline(symbol: CellSymbol) -> str:
    """Return the shape of a symbol as the data of an SVG path."""
    if isinstance(symbol, Square):
        return _polygon([(-0.2, -0.2), (0.2, -0.2), (0.2, 0.2), (-0.2, 0.2)])
    if isinstance(symbol, Star):
        return _polygon([_polar(0.25 if i % 2 else 0.19, 22.5 * i) for i in range(16)])
    if isinstance(symbol, Eraser):
        return "".join(_bar(angle) for angle in (-90, 30, 150))
    if isinstance(symbol, Triangles):
        size = min(1.0, 3.06 / symbol.count)  # four fit between the lines
        middles = [size * (0.25 * i - 0.125 * (symbol.count - 1)) for i in range(symbol.count)]
        top, bottom, half = -0.11 * size, 0.09 * size, 0.11 * size
        return "".join(_polygon([(x, top), (x + half, bottom), (x - half, bottom)]) for x in middles)
    return "".join(_piece(symbol))


def _piece(piece: Polyomino) -> Iterator[str]:
    """Yield the cells of a piece: hollow ones of a negative piece, aslant for a free one."""
    step = min(0.19, 0.64 / max(piece.width, piece.height))
    turn = math.radians(-16 if piece.free else 0)
    for cell_x, cell_y in piece.cells:
        x, y = (cell_x - piece.width / 2 + 0.5) * step, (piece.height / 2 - cell_y - 0.5) * step
        for half, way in ((step * 0.42, 1), *([(step * 0.22, -1)] if piece.negative else [])):
            corners = [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]
            yield _polygon(
                [(a * math.cos(turn) - b * math.sin(turn), a * math.sin(turn) + b * math.cos(turn))
                 for a, b in corners[::way]]
            )  # fmt: skip


def _bar(angle: float) -> str:
    return _polygon([(0, 0), _polar(0.22, angle - 15), _polar(0.22, angle + 15)])


def _polar(radius: float, degrees: float) -> Point:
    return radius * math.cos(math.radians(degrees)), radius * math.sin(math.radians(degrees))


def _polygon(points: Iterable[Point]) -> str:
    return "M" + "L".join(f"{x:.3g} {y:.3g}" for x, y in points) + "z"


@attrs.frozen
class _Layout:
    """The sites of a grid, and their ids by the numbers of cells and locations, and the other way round."""

    sites: tuple[Site, ...]
    cells: tuple[str, ...]
    locations: tuple[str, ...]
    numbers: dict[str, int]
    location_numbers: dict[str, int]


@lru_cache(maxsize=64)
def _layout(grid: Grid) -> _Layout:
    squares = square_cells(grid.width, grid.height)
    places = [grid.cell_at(cell) for cell in range(grid.cells)]
    cells = tuple(squares[(grid.height - 1 - y) * grid.width + x].id for x, y in places)

    def point(vertex: int) -> tuple[int, int]:
        x, y = grid.vertex_at(vertex)
        return x, grid.height - y

    lines = []
    for edge in range(grid.edges):
        x, y = grid.edge_at(edge)
        far = (x + 1, y) if grid.is_horizontal(edge) else (x, y + 1)
        ends = sorted(((u, grid.height - v) for u, v in ((x, y), far)), key=lambda at: (at[1], at[0]))
        (x, y), _ = ends
        way = "h" if grid.is_horizontal(edge) else "v"
        lines.append(Site(f"{way}{x + 1},{y + 1}", tuple(ends), "edge", edge_by_cells(grid, edge)))
    for vertex in range(grid.vertices):
        x, y = point(vertex)
        lines.append(Site(f"p{x + 1},{y + 1}", ((x, y),), "vertex", vertex_by_cells(grid, vertex)))
    locations = tuple(site.id for site in lines)
    return _Layout(
        (*squares, *lines), cells, locations,
        {name: number for number, name in enumerate(cells)},
        {name: number for number, name in enumerate(locations)},
    )  # fmt: skip


def _without(numbers: Sequence[int], *removed: int) -> list[int]:
    return [number for number in numbers if number not in removed]


def _in_words(panel: Panel) -> str:
    kind = f", with {panel.symmetry} symmetry" if panel.symmetry else ""
    kind += ", a pillar" if panel.pillar else ""
    kind += f", variant '{panel.variant.words()}'" if panel.variant != DEFAULT else ""
    return f"{panel.width} by {panel.height} cells{kind}"
