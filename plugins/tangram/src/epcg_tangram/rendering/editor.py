"""The editor of instances: pieces in all orientations on the cells, and a tray of the pieces.

A text is that of an instance, then what its game has beside the usual board: 'side 3; Hook 0 1 2 3 4 9;
without Line; relation edges_must_touch; colours 0 1; bumps 1674'.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Any

import attrs

from epcg_core.plugin import (
    ERASE,
    Cast,
    Gesture,
    Mark,
    ParamsError,
    Path,
    Point,
    Scene,
    Site,
    UnknownNameError,
    structure,
)
from epcg_tangram.design.definition import Definition, Paint, PieceKind
from epcg_tangram.design.layout import Layout, layout_of
from epcg_tangram.formats.boards import RULES, split_parts
from epcg_tangram.formats.instances import format_whole, instance_of
from epcg_tangram.lattices import Lattice, Vertex
from epcg_tangram.lattices.lattice import Shape
from epcg_tangram.params import GameParams, GameRef
from epcg_tangram.rendering.faces import box_of, outlines
from epcg_tangram.rendering.renderers import constraint_in_words
from epcg_tangram.rendering.where import titles, where
from epcg_tangram.rules.games import game
from epcg_tangram.rules.instance import Instance
from epcg_tangram.rules.model import Position, TangramModel
from epcg_tangram.texts.game_files import shipped_games

EXCLUDED, TRAY = "excluded", "tray-"
_TRAY_COLUMNS, _ICON = 2, 0.9


def new_instance(columns: int, rows: int) -> str:
    """Return an empty hexagon of a side, without one piece if all the others then cover it."""
    if columns != rows:
        raise ParamsError("A hexagon has one size, its side: give the same number of columns and rows.")
    _read(f"side {columns}")
    return f"side {columns}; without Butterfly" if columns == 3 else f"side {columns}"


def examples() -> dict[str, str]:
    """Return a few instances with one solution, and the empty boards of the other shipped games."""
    found = {
        "Two wide pieces": "side 3; Mountains 6 13 14 15 23 24; Wrench 7 8 9 16 17 27; without Butterfly",
        "A line on top": "side 3; Line 0 1 2 3 4 5; Wrench 13 22 23 31 32 33; without Hook",
        "A line through the middle": "side 3; Line 9 19 20 31 32 42; Trapezoid 34 35 44; without Mountains",
        "A small hexagon": "side 2; Mountains 0 1 2 7 8 9; Wrench 3 4 10 11 17 18; without Line; "
        "without Triangle; without Snake; without Hexagon; without Elbow; without Butterfly",
    }
    others = {name: GameRef(name) for name in shipped_games() if GameRef(name) != GameRef()}
    return found | {ref.definition.title or name: f"game {name}" for name, ref in others.items()}


class InstanceEditor:
    """Instances of one game. An action is a touch of all cells of a placement, in the order of reading.

    A piece is put by one of its cells: the first one of the class of the cell that is touched. It takes
    the place of the piece there. The tray beside the board says which pieces may not be used.
    """

    def __init__(self, text: str) -> None:
        self._rules, _ = _read(text)
        self.setting = layout_of(self._rules.definition)
        self.transition_model = TangramModel(self.setting, measures=False)
        self._board = _layout(self.setting)
        self._names = self.setting.definition.names
        self.palette = (
            *self._board.marks,
            Mark(name=EXCLUDED, title="piece left out", glyph="✕", colour="#8c2c1d", group="tray"),
        )
        self.content = self.parse(text)

    def parse(self, text: str) -> Instance:
        rules, parts = _read(text)
        if rules != self._rules:
            raise ParamsError("The text is of another game than the one that is open: open it by itself.")
        return instance_of(rules, parts)

    def format(self, state: Instance) -> str:
        return format_whole(state)

    def scene(self, state: Instance) -> Scene:
        return self._scene(state, state.shown)

    def put(self, state: Instance, site: str, mark: str) -> Instance:
        if site.startswith(TRAY):
            return self._in_tray(state, self._names.index(site.removeprefix(TRAY)), mark)
        cell, placements = self._board.cells[site], self.setting.placements
        rest = [n for n in state.shown if cell not in placements[n].cells]
        if mark == ERASE:
            return _completed(state.rules, tuple(rest), state.excluded)
        if mark == EXCLUDED:
            raise ParamsError("Pieces are excluded in the tray, beside the board.")
        number = self._board.placement(mark, cell)
        if number in state.shown:
            return state
        piece = placements[number].piece
        if piece in state.excluded:
            raise ParamsError(f"{self._names[piece]} is excluded: empty its place in the tray first.")
        rest = self._beside(state, number, cell)
        if not self._fits(state, number, rest):
            what = (
                "its holes do not meet the bumps"
                if not state.game.legal[number]
                else "another piece lies there"
            )
            raise ParamsError(f"{self._names[piece]} does not fit here: {what}.")
        return _completed(state.rules, tuple(sorted((*rest, number))), state.excluded)

    def casts(self, state: Instance, mark: str) -> dict[str, Cast]:
        own = next((each for each in self.palette if each.name == mark), None)
        if own is None:
            raise UnknownNameError("mark", mark, [each.name for each in self.palette], "casts")
        found = {}
        for (name, cell), number in self._board.anchors.items():
            if name == mark:
                placement = self.setting.placements[number]
                fits = number in state.shown or (
                    placement.piece not in state.excluded
                    and self._fits(state, number, self._beside(state, number, cell))
                )
                sites = tuple(self._board.ids[each] for each in placement.cells)
                found[self._board.ids[cell]] = Cast(sites, fits)
        return found

    def _beside(self, state: Instance, number: int, cell: int) -> list[int]:
        """Return what stays of a content if a placement is put by a cell.

        The piece that lies there goes, and so does one of the same kind if there would be too many.
        """
        placements = self.setting.placements
        piece = placements[number].piece
        rest = [n for n in state.shown if cell not in placements[n].cells]
        own = [n for n in rest if placements[n].piece == piece]
        if len(own) >= state.game.most[piece]:
            rest.remove(own[0])
        return rest

    def _fits(self, state: Instance, number: int, rest: list[int]) -> bool:
        placements = self.setting.placements
        covered = {other for n in rest for other in placements[n].cells}
        return not covered & {*placements[number].cells} and bool(state.game.legal[number])

    def position_scene(self, content: Instance, position: Position) -> Scene:
        return self._scene(content, position.lying)

    def gesture(self, content: Instance, position: Position, action: int) -> Gesture:
        cells = self.setting.placements[action].cells
        name = self._names[self.setting.placements[action].piece]
        words = f"{name} on {where(self.setting, cells)}"
        return Gesture(tuple(self._board.ids[cell] for cell in cells), (), words)

    def _in_tray(self, state: Instance, piece: int, mark: str) -> Instance:
        excluded = {*state.excluded} - {piece}
        if mark not in (ERASE, EXCLUDED):
            raise ParamsError("The tray is not part of the board: put pieces on cells of it.")
        if mark == EXCLUDED:
            if any(self.setting.placements[n].piece == piece for n in state.shown):
                raise ParamsError(f"{self._names[piece]} lies on the board: take it away first.")
            excluded.add(piece)
        return _completed(state.rules, state.shown, tuple(sorted(excluded)))

    def _scene(self, state: Instance, lying: tuple[int, ...]) -> Scene:
        marks = {f"{TRAY}{self._names[piece]}": (EXCLUDED,) for piece in state.excluded}
        paths, left = [], list(state.copies)
        for number in lying:
            placement = self.setting.placements[number]
            left[placement.piece] -= number not in state.shown
            name = self._board.mark_of[placement.piece, placement.symmetry]
            marks |= {self._board.ids[cell]: (name,) for cell in placement.cells}
            paths += _outlines(self._board, number)
        paths += [path for piece, own in enumerate(self._board.icons) for path in own if left[piece] > 0]
        return Scene(self._board.sites, marks, tuple(paths), _rule_in_words(state))


@attrs.frozen(eq=False)
class _Layout:
    """The sites of a board and its tray, and the placement of each orientation at each cell."""

    board: Layout
    sites: tuple[Site, ...]
    ids: tuple[str, ...]
    cells: dict[str, int]
    anchors: dict[tuple[str, int], int]
    marks: tuple[Mark, ...]
    mark_of: dict[tuple[int, int], str]
    """The name of the mark of a (piece, symmetry)."""
    icons: tuple[tuple[Path, ...], ...]

    def placement(self, mark: str, cell: int) -> int:
        """Return the placement that a mark means at a cell. Raises ParamsError."""
        number = self.anchors.get((mark, cell))
        if number is None:
            known = {own.name: own.title for own in self.marks}
            if mark not in known:
                raise UnknownNameError("mark", mark, list(known), "put")
            raise ParamsError(f"{known[mark]} does not fit here: it would stand over the edge of the board.")
        return number


@cache
def _layout(board: Layout) -> _Layout:
    definition, lattice = board.definition, board.lattice
    letter = lattice.cell_word[0][0]
    cells = [
        Site(f"{letter}{cell}", _points(board, lattice.flat.corners(place)), title=title)
        for cell, (place, title) in enumerate(zip(board.drawn, titles(board), strict=True))
    ]
    marks, mark_of = _piece_marks(board)
    anchors: dict[tuple[str, int], int] = {}
    for number, placement in enumerate(board.placements):
        for kind in range(len(lattice.kinds)):
            same = [cell for cell in placement.cells if board.kinds[cell] == kind]
            if same:
                anchors[mark_of[placement.piece, placement.symmetry], same[0]] = number
    right = max(x for site in cells for x, _ in site.points)
    places = [
        (right + 0.5 + piece % _TRAY_COLUMNS, float(piece // _TRAY_COLUMNS))
        for piece in range(len(definition.pieces))
    ]
    tray = [
        Site(f"{TRAY}{name}", ((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)), title=f"{name} in the tray")
        for name, (x, y) in zip(definition.names, places, strict=True)
    ]
    icons = tuple(
        tuple(_icon(definition, kind, x + 0.5, y + 0.5))
        for kind, (x, y) in zip(definition.pieces, places, strict=True)
    )
    ids = tuple(site.id for site in cells)
    numbers = {name: n for n, name in enumerate(ids)}
    return _Layout(board, (*cells, *tray), ids, numbers, anchors, marks, mark_of, icons)


def _piece_marks(board: Layout) -> tuple[tuple[Mark, ...], dict[tuple[int, int], str]]:
    """Return a mark for each orientation of each piece, and its name by (piece, symmetry)."""
    lattice, definition = board.lattice, board.definition
    found, mark_of = [], {}
    for number, (kind, paint) in enumerate(zip(definition.pieces, definition.paints, strict=True)):
        names = [f"{kind.name} {way + 1}" for way in range(len(kind.orientations))]
        name_of = dict(zip(kind.orientations, names, strict=True))
        ways = zip(kind.orientations.items(), names, [*names[1:], names[0]], strict=True)
        for way, ((shape, symmetries), name, turned) in enumerate(ways):
            mark_of[number, symmetries[0]] = name
            lines = _centred(lattice, shape, 0.0, 0.0, 1.0)
            outline = ("M" + "L".join(f"{x:.3g} {y:.3g}" for x, y in line) + "z" for line in lines)
            found.append(
                Mark(
                    name=name,
                    title=kind.name + _TURNED.get(way, f", turned {way} times"),
                    colour=paint.face,
                    fills=True,
                    outline="".join(outline),
                    turned=turned if len(names) > 1 else "",
                    flipped=name_of.get(over, "") if (over := _turned_over(lattice, shape)) != shape else "",
                    key=kind.name[0].lower() if name == names[0] else "",
                    group=kind.name,
                )
            )
    return _with_distinct_keys(found), mark_of


_TURNED = {0: "", 1: ", turned once", 2: ", turned twice"}
"""What is said of the first orientations of a piece: each key that turns it leads to the next one."""


def _turned_over(lattice: Lattice, shape: Shape) -> Shape:
    """Return the mirror image of a shape, left for right."""
    return lattice.at_origin(lattice.moved(shape, lattice.turns))


def _with_distinct_keys(marks: list[Mark]) -> tuple[Mark, ...]:
    """Return marks of which the first has a key that several have."""
    taken: set[str] = set()
    found = []
    for mark in marks:
        found.append(attrs.evolve(mark, key="") if mark.key in taken else mark)
        taken.add(mark.key)
    return tuple(found)


@cache
def _corner(board: Layout) -> Point:
    """Return the upper left corner of a board, y up."""
    lattice = board.lattice.flat
    left, _, _, top = box_of(lattice.place(v) for place in board.drawn for v in lattice.corners(place))
    return left, top


def _points(board: Layout, vertices: tuple[Vertex, ...]) -> tuple[Point, ...]:
    """Return vertices in units of the board, from its upper left."""
    left, top = _corner(board)
    return tuple((x - left, top - y) for x, y in map(board.lattice.flat.place, vertices))


def _outlines(layout: _Layout, number: int) -> list[Path]:
    """Return the outline of a placement, and its cells that have another colour."""
    board, placement = layout.board, layout.board.placements[number]
    flat, definition = board.lattice.flat, board.definition
    cells = [board.drawn[cell] for cell in placement.cells]
    paint, name = definition.paints[placement.piece], definition.names[placement.piece]
    found = [_drawn(paint, _points(board, line), 0.06, name) for line in outlines(flat, cells)]
    for cell, colour in zip(cells, board.colours_of(number), strict=True):
        if colour != paint.name:
            own = definition.paint_of[colour]
            found.append(_drawn(own, _points(board, flat.corners(cell)), 0.02, f"{name}, {colour}"))
    return found


def _drawn(paint: Paint, points: tuple[Point, ...], width: float, name: str) -> Path:
    return Path(points, paint.edge, width, closed=True, fill=paint.face, title=name)


def _icon(definition: Definition, kind: PieceKind, x: float, y: float) -> Iterator[Path]:
    """Draw a piece of the tray around a point, its front up."""
    paint, lattice = definition.paint_of[kind.colour], kind.lattice
    flat, shown = lattice.flat, lattice.unfolded(kind.shape)
    put = _fitted(lattice, kind.shape, x, y, _ICON)
    for line in outlines(flat, shown.values()):
        yield _drawn(paint, tuple(map(put, line)), 0.02, kind.name)
    for cell, mark in kind.marks:
        own = definition.paint_of[mark.front]
        yield _drawn(own, tuple(map(put, flat.corners(shown[cell]))), 0.01, f"{kind.name}, {mark.front}")


def _centred(
    lattice: Lattice, shape: Shape, x: float, y: float, size: float
) -> tuple[tuple[Point, ...], ...]:
    """Return small outlines of a shape around a point, in a box of a size."""
    put = _fitted(lattice, shape, x, y, size)
    shown = lattice.unfolded(shape).values()
    return tuple(tuple(map(put, line)) for line in outlines(lattice.flat, shown))


def _fitted(lattice: Lattice, shape: Shape, x: float, y: float, size: float) -> Callable[[Vertex], Point]:
    """Return where vertices of a shape lie if it is drawn small around a point, in a box of a size."""
    flat, shown = lattice.flat, lattice.unfolded(shape).values()
    corners = [flat.place(vertex) for cell in shown for vertex in flat.corners(cell)]
    left, low, right, high = box_of(corners)
    scale = min(_LARGEST, size / max(right - left, high - low))

    def put(vertex: Vertex) -> Point:
        a, b = flat.place(vertex)
        return x + (a - (left + right) / 2) * scale, y - (b - (low + high) / 2) * scale

    return put


_LARGEST = 0.2
"""The largest scale of a piece in the tray and the palette."""


@lru_cache(maxsize=4096)
def _completed(rules: GameParams, shown: tuple[int, ...], excluded: tuple[int, ...]) -> Instance:
    """Return an instance with its board if just one completes it, as `parse_instance` does."""
    instance = Instance(rules, shown, excluded)
    found = instance.completions()
    return attrs.evolve(instance, board=found[0]) if len(found) == 1 else instance


def _rule_in_words(state: Instance) -> str:
    """Say what is asked of a solution besides that it covers the board; '' if nothing is."""
    rules, found = state.rules, []
    if rules.relation != "none":
        found.append(constraint_in_words(rules.definition, rules.relation, rules.colours))
    if rules.bumps is not None:
        found.append(f"The pieces lie on the back, with the holes of pattern {rules.bumps:,}.")
    return " ".join(found)


def _read(text: str) -> tuple[GameParams, list[str]]:
    """Return the params of the game of a text, and its other parts. Raises ParamsError."""
    ref, parts = split_parts(text)
    found: dict[str, Any] = {name: value for name, value in attrs.asdict(ref).items() if value}
    rest = []
    for part in parts:
        name, _, value = part.partition(" ")
        if name not in RULES:
            rest.append(part)
            continue
        words = [int(word) if word.isdecimal() and len(word) < 9 else word for word in value.split()]
        found[name] = words if name == "colours" else words[0] if words else ""
    if "sizes" in found:
        found["sizes"] = list(found["sizes"])
    rules: GameParams = structure(GameParams, found, "game")
    game(rules)
    return rules, rest
