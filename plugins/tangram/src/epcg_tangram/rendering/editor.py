"""The editor of instances: pieces in all orientations on the triangles, and a tray of the pieces.

A text is that of an instance, then what its game has beside the usual board: 'side 3; Hook 0 1 2 3 4 9;
without Line; relation edges_must_touch; colours 0 1; bumps 1674'.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

import attrs

from epcg_core.plugin import (
    ERASE,
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
from epcg_tangram.formats.instances import format_instance, parse_instance
from epcg_tangram.params import BoardsParams, GameParams
from epcg_tangram.rendering.faces import ROW, at, outlines
from epcg_tangram.rendering.picture import PAINTS
from epcg_tangram.rules.adjacency import COLOUR_OF
from epcg_tangram.rules.games import game
from epcg_tangram.rules.geometry import PIECE_ORDER, Geometry, Shape, Vertex, geometry, pieces
from epcg_tangram.rules.instance import Instance
from epcg_tangram.rules.model import Position, TangramModel

EXCLUDED, TRAY = "excluded", "tray-"
_RULES = tuple(name for name in attrs.fields_dict(GameParams) if name not in attrs.fields_dict(BoardsParams))
_TRAY_COLUMNS, _ICON = 2, 0.2


def new_instance(columns: int, rows: int) -> str:
    """Return an empty hexagon of a side, without one piece if all the others then cover it."""
    if columns != rows:
        raise ParamsError("A hexagon has one size, its side: give the same number of columns and rows.")
    _game(f"side {columns}")
    return f"side {columns}; without Butterfly" if columns == 3 else f"side {columns}"


def examples() -> dict[str, str]:
    """Return a few instances with one solution."""
    return {
        "Two wide pieces": "side 3; Mountains 6 13 14 15 23 24; Wrench 7 8 9 16 17 27; without Butterfly",
        "A line on top": "side 3; Line 0 1 2 3 4 5; Wrench 13 22 23 31 32 33; without Hook",
        "A line through the middle": "side 3; Line 9 19 20 31 32 42; Trapezoid 34 35 44; without Mountains",
        "A small hexagon": "side 2; Mountains 0 1 2 7 8 9; Wrench 3 4 10 11 17 18; without Line; "
        "without Triangle; without Snake; without Hexagon; without Elbow; without Butterfly",
    }  # fmt: skip


class InstanceEditor:
    """Instances of one game. An action is a touch of all triangles of a placement, in the order of reading.

    A piece is put by one of its triangles: the first that points the same way as the one touched. It takes
    the place of the piece there. The tray beside the board says which pieces may not be used.
    """

    def __init__(self, text: str) -> None:
        self._rules = _game(text)
        self.setting = geometry(self._rules.side)
        self.transition_model = TangramModel(side=self._rules.side)
        self._board = _layout(self._rules.side)
        self.palette = (*_piece_marks(), Mark(name=EXCLUDED, glyph="✕", colour="#8c2c1d", group="tray"))
        self.content = self.parse(text)

    def parse(self, text: str) -> Instance:
        rules = _game(text)
        if rules != self._rules:
            raise ParamsError("The text is of another game than the one that is open: open it by itself.")
        return parse_instance(rules, "; ".join(part for part in _parts(text) if not _is_rule(part)))

    def format(self, state: Instance) -> str:
        usual = GameParams(side=state.side)
        changed = [name for name in _RULES if getattr(state.rules, name) != getattr(usual, name)]
        return "; ".join(
            [format_instance(state), *(f"{name} {_words(state.rules, name)}" for name in changed)]
        )

    def scene(self, state: Instance) -> Scene:
        return self._scene(state, state.shown)

    def put(self, state: Instance, site: str, mark: str) -> Instance:
        if site.startswith(TRAY):
            return self._in_tray(state, PIECE_ORDER.index(site.removeprefix(TRAY)), mark)
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
            raise ParamsError(f"{PIECE_ORDER[piece]} is excluded: empty its place in the tray first.")
        own = [n for n in rest if placements[n].piece == piece]
        if len(own) >= state.game.most[piece]:
            rest.remove(own[0])
        covered = {other for n in rest for other in placements[n].cells}
        if covered & {*placements[number].cells} or not state.game.legal[number]:
            what = (
                "its holes do not meet the bumps"
                if not state.game.legal[number]
                else "another piece lies there"
            )
            raise ParamsError(f"{PIECE_ORDER[piece]} does not fit here: {what}.")
        return _completed(state.rules, tuple(sorted((*rest, number))), state.excluded)

    def position_scene(self, content: Instance, position: Position) -> Scene:
        return self._scene(content, position.lying)

    def gesture(self, content: Instance, position: Position, action: int) -> Gesture:
        cells = self.setting.placements[action].cells
        name = PIECE_ORDER[self.setting.placements[action].piece]
        words = f"{name} on the triangles {', '.join(map(str, cells))}"
        return Gesture(tuple(self._board.ids[cell] for cell in cells), (), words)

    def _in_tray(self, state: Instance, piece: int, mark: str) -> Instance:
        excluded = {*state.excluded} - {piece}
        if mark not in (ERASE, EXCLUDED):
            raise ParamsError("The tray is not part of the board: put pieces on triangles.")
        if mark == EXCLUDED:
            if any(self.setting.placements[n].piece == piece for n in state.shown):
                raise ParamsError(f"{PIECE_ORDER[piece]} lies on the board: take it away first.")
            excluded.add(piece)
        return _completed(state.rules, state.shown, tuple(sorted(excluded)))

    def _scene(self, state: Instance, lying: tuple[int, ...]) -> Scene:
        marks = {f"{TRAY}{PIECE_ORDER[piece]}": (EXCLUDED,) for piece in state.excluded}
        paths, left = [], list(state.copies)
        for number in lying:
            placement = self.setting.placements[number]
            left[placement.piece] -= number not in state.shown
            name = _mark_name(placement.piece, placement.symmetry)
            marks |= {self._board.ids[cell]: (name,) for cell in placement.cells}
            paths.append(_outline(self._board, placement.piece, placement.cells))
        paths += [path for piece, path in enumerate(self._board.icons) if left[piece] > 0]
        return Scene(self._board.sites, marks, tuple(paths))


@attrs.frozen
class _Layout:
    """The sites of a board and its tray, and the placement of each orientation at each triangle."""

    board: Geometry
    sites: tuple[Site, ...]
    ids: tuple[str, ...]
    cells: dict[str, int]
    anchors: dict[tuple[str, int], int]
    names: tuple[str, ...]
    """The names of the orientations."""
    icons: tuple[Path, ...]

    def placement(self, mark: str, cell: int) -> int:
        """Return the placement that a mark means at a cell. Raises ParamsError."""
        number = self.anchors.get((mark, cell))
        if number is None:
            if mark not in self.names:
                raise UnknownNameError("mark", mark, self.names, "put")
            raise ParamsError(f"{mark} does not fit here: it would stand over the edge of the board.")
        return number


@cache
def _layout(side: int) -> _Layout:
    board = geometry(side)
    cells = [
        Site(f"t{cell}", _points(board, sorted(triangle)), title=f"triangle {cell}")
        for cell, triangle in enumerate(board.triangles)
    ]
    anchors: dict[tuple[str, int], int] = {}
    for number, placement in enumerate(board.placements):
        for pointing_up in (True, False):
            same = [cell for cell in placement.cells if (cell in board.up) == pointing_up]
            if same:
                anchors[_mark_name(placement.piece, placement.symmetry), same[0]] = number
    places = [
        (2 * side + 0.5 + piece % _TRAY_COLUMNS, float(piece // _TRAY_COLUMNS))
        for piece in range(len(PIECE_ORDER))
    ]
    tray = [
        Site(f"{TRAY}{name}", ((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)), title=f"{name} in the tray")
        for name, (x, y) in zip(PIECE_ORDER, places, strict=True)
    ]
    icons = tuple(
        _drawn(piece, _centred(pieces()[piece].shape, x + 0.5, y + 0.5), 0.02)
        for piece, (x, y) in enumerate(places)
    )
    ids = tuple(site.id for site in cells)
    names = tuple(mark.name for mark in _piece_marks())
    return _Layout(
        board, (*cells, *tray), ids, {name: n for n, name in enumerate(ids)}, anchors, names, icons
    )


@cache
def _piece_marks() -> tuple[Mark, ...]:
    """Return a mark for each orientation of each piece."""
    found = []
    for number, piece in enumerate(pieces()):
        names = [_mark_name(number, symmetry) for symmetry, _ in piece.orientations]
        for (_, shape), name, turned in zip(piece.orientations, names, [*names[1:], names[0]], strict=True):
            points = _centred(shape, 0.0, 0.0)
            found.append(
                Mark(
                    name=name,
                    colour=PAINTS[COLOUR_OF[number]].face,
                    fills=True,
                    outline="M" + "L".join(f"{x:.3g} {y:.3g}" for x, y in points) + "z",
                    turned=turned if len(names) > 1 else "",
                    key=piece.name[0].lower() if name == names[0] else "",
                    group=piece.name,
                )
            )
    return _with_distinct_keys(found)


def _with_distinct_keys(marks: list[Mark]) -> tuple[Mark, ...]:
    """Return marks of which the first has a key that several have."""
    taken: set[str] = set()
    found = []
    for mark in marks:
        found.append(attrs.evolve(mark, key="") if mark.key in taken else mark)
        taken.add(mark.key)
    return tuple(found)


def _mark_name(piece: int, symmetry: int) -> str:
    numbers = [number for number, _ in pieces()[piece].orientations]
    return f"{PIECE_ORDER[piece]} {numbers.index(symmetry) + 1}"


def _points(board: Geometry, vertices: list[Vertex] | tuple[Vertex, ...]) -> tuple[Point, ...]:
    """Return vertices in units of the board, from its upper left."""
    return tuple((x + board.side, board.side * ROW - y) for x, y in map(at, vertices))


def _outline(layout: _Layout, piece: int, cells: tuple[int, ...]) -> Path:
    triangles = [layout.board.triangles[cell] for cell in cells]
    return _drawn(piece, _points(layout.board, outlines(triangles)[0]), 0.06)


def _drawn(piece: int, points: tuple[Point, ...], width: float) -> Path:
    paint = PAINTS[COLOUR_OF[piece]]
    return Path(points, paint.edge, width, closed=True, fill=paint.face, title=PIECE_ORDER[piece])


def _centred(shape: Shape, x: float, y: float) -> tuple[Point, ...]:
    """Return a small outline of a shape around a point."""
    points = [at(vertex) for vertex in outlines(shape)[0]]
    left, right = min(a for a, _ in points), max(a for a, _ in points)
    low, high = min(b for _, b in points), max(b for _, b in points)
    return tuple(
        (x + (a - (left + right) / 2) * _ICON, y - (b - (low + high) / 2) * _ICON) for a, b in points
    )


@lru_cache(maxsize=4096)
def _completed(rules: GameParams, shown: tuple[int, ...], excluded: tuple[int, ...]) -> Instance:
    """Return an instance with its board if just one completes it, as `parse_instance` does."""
    instance = Instance(rules, shown, excluded)
    found = instance.completions()
    return attrs.evolve(instance, board=found[0]) if len(found) == 1 else instance


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(";")]


def _is_rule(part: str) -> bool:
    return part.split(" ")[0] in _RULES


def _game(text: str) -> GameParams:
    """Return the params of the game of a text. Raises ParamsError if there is no such game."""
    found: dict[str, Any] = {}
    for part in _parts(text):
        name, _, value = part.partition(" ")
        if name == "side" or name in _RULES:
            words = [int(word) if word.isdecimal() and len(word) < 9 else word for word in value.split()]
            found[name] = words if name == "colours" else words[0] if words else ""
    rules: GameParams = structure(GameParams, found, "game")
    game(rules)
    return rules


def _words(rules: GameParams, name: str) -> str:
    value = getattr(rules, name)
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
