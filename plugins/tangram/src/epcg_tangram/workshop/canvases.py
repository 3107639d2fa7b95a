"""The workshop of games of pieces: the board and the pieces are painted, cell by cell.

Implements `Workshop`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import tomlkit

from epcg_core.plugin import (
    ERASE,
    Canvas,
    GameAnswer,
    GameQuestion,
    Mark,
    ParamsError,
    Path,
    PuzzleKind,
    Setting,
    Site,
    UnknownNameError,
    documents,
)
from epcg_tangram.design.definition import MOST_COPIES, PALETTE, PieceKind, Place
from epcg_tangram.design.layout import layout_of
from epcg_tangram.design.shapes import group_of, orientations
from epcg_tangram.lattices import LATTICES, Cell, Flat, Lattice
from epcg_tangram.lattices.lattice import difference
from epcg_tangram.rendering.faces import outlines
from epcg_tangram.texts.game_text import GameText
from epcg_tangram.texts.game_writer import format_game, wanted
from epcg_tangram.texts.piece_tables import bad_name
from epcg_tangram.texts.toml_edits import Table, edited
from epcg_tangram.workshop.edits import (
    append_piece,
    checked,
    drawing,
    own_table,
    piece_tables,
    with_puzzles_kept,
)
from epcg_tangram.workshop.outlook import answer_of, kinds_of
from epcg_tangram.workshop.questions import questions_of
from epcg_tangram.workshop.taking import TAKES, game_of, with_pieces

BOARD, PIECE, CELL, OPTIONAL = "board", "piece", "cell", "optional"
_AROUND = 2
"""Rows of free cells that are shown around what is painted."""
_LEAST = {BOARD: 8.0, PIECE: 4.0}
"""The height, in edges, of what can be painted at the least."""
_WIDE = {BOARD: 1.4, PIECE: 2.2}
"""The width of what can be painted at the least, as a multiple of its height."""
_FLOOR = "#f6efe2"
_OVER = {True: "may be turned over", False: "its mirror image will do, too"}
"""The flag of pieces by whether the lattice has them turned over."""
_OPTIONAL = "#d8d2c4"


class PackingWorkshop:
    """Boards and pieces as canvases."""

    def canvases(self, text: str) -> Sequence[Canvas]:
        found = checked(text)
        assert found.lattice is not None
        return [_board(found), *(_piece(found, number) for number in range(len(found.kinds)))]

    def settings(self, text: str) -> Sequence[Setting]:
        found = checked(text)
        table = tomlkit.parse(text)
        rules = table.get("rules", {})
        unused = rules.get("unused", "none") if isinstance(rules, Mapping) else "none"
        return [
            Setting(key="title", title="title", kind="text", value=str(table.get("title", ""))),
            Setting(
                key="lattice",
                title="cells",
                kind="choice",
                value=found.lattice.name if found.lattice else "",
                choices=tuple((name, name) for name in LATTICES),
                help="Another lattice begins a new board and new pieces: drawings mean nothing on another.",
            ),
            Setting(
                key="unused",
                title="pieces that may stay in the box",
                kind="choice",
                value=str(unused) if unused in ("none", "any") else "any",
                choices=(("none", "none: all are used"), ("any", "any of them")),
            ),
        ]

    def paint(self, text: str, canvas: str, sites: Sequence[str], mark: str) -> str:
        found = checked(text)
        lattice = found.lattice
        assert lattice is not None
        cells = [_cell_of(lattice, site) for site in sites]
        if canvas == BOARD:
            return self._paint_board(text, found, lattice, cells, mark)
        number = _number(found, canvas)
        now = dict.fromkeys(found.kinds[number].shape, "")
        _put(now, cells, None if mark == ERASE else "")
        if not now:
            raise ParamsError("A piece has one cell at least: remove the piece instead.")
        before = text
        text, owner = own_table(text, number)

        def change(document: Table) -> None:
            document["pieces"][owner]["drawing"] = drawing(lattice, now)

        return with_puzzles_kept(before, edited(text, change))

    def _paint_board(
        self, text: str, found: GameText, lattice: Lattice, cells: Iterable[Cell], mark: str
    ) -> str:
        places = dict(found.signs)
        signs = {_mark_name(place): sign for sign, place in places.items()}
        if mark not in (ERASE, CELL, OPTIONAL, *PALETTE, *signs):
            raise UnknownNameError("mark", mark, [CELL, OPTIONAL, *PALETTE], "paint")
        if mark not in (ERASE, CELL) and mark not in signs:
            taken = {*places, *lattice.flat.signs.read}
            sign = next(s for s in [*mark, *"abcdefghijklmnopqrstuvwxyz0123456789"] if s not in taken)
            signs[mark] = sign
            places[sign] = Place(sign, (), True) if mark == OPTIONAL else Place(sign, (mark,))
        now = dict(found.board)
        _put(now, cells, None if mark == ERASE else signs.get(mark, ""))
        if not now:
            raise ParamsError("A board has one cell at least.")
        origin = min(lattice.at_origin(now), key=lattice.reading)
        first = min(now, key=lattice.reading)
        used = [place for sign, place in places.items() if sign in now.values()]

        def change(document: Table) -> None:
            if "board" not in document:
                document["board"] = tomlkit.table()
            board = document["board"]
            for key in [key for key in board if key not in ("drawing", "wants", "optional")]:
                del board[key]
            board["drawing"] = drawing(lattice, now)
            listed = tomlkit.inline_table()
            listed.update({place.sign: wanted(place) for place in used if place.colours})
            optional = "".join(place.sign for place in used if place.optional)
            for key, value in (("wants", listed), ("optional", optional)):
                if value:
                    board[key] = value
                elif key in board:
                    del board[key]

        return with_puzzles_kept(text, edited(text, change), difference(origin, first))

    def set(self, text: str, canvas: str, key: str, value: Any) -> str:
        found = checked(text)
        if canvas == "":
            return self._set_game(text, found, key, value)
        if canvas == BOARD:
            raise UnknownNameError("setting", key, [], "board")
        number = _number(found, canvas)
        kind = found.kinds[number]
        before = text
        text, owner = own_table(text, number)
        _check_setting(found, kind, key, value)
        usual = {"turn": True, "flip": kind.lattice.flips}

        def change(document: Table) -> None:
            table = document["pieces"][owner]
            if key == "copies":
                least, most = value
                table["copies"] = most if least == most else [least, most]
            elif key in usual and value is usual[key]:
                table.pop(key, None)
            else:
                table[key] = value

        renamed = {kind.name: str(value)} if key == "name" else {}
        return with_puzzles_kept(before, edited(text, change), renamed=renamed)

    def _set_game(self, text: str, found: GameText, key: str, value: Any) -> str:
        if key == "lattice":
            if value not in LATTICES:
                raise UnknownNameError("lattice", str(value), LATTICES, "lattice")
            return text if found.lattice is LATTICES[value] else _begun(text, LATTICES[value])
        if key not in ("title", "unused") or not isinstance(value, str):
            raise UnknownNameError("setting", key, ["title", "lattice", "unused"], "game")
        if key == "unused" and value not in ("none", "any"):
            raise UnknownNameError("choice", value, ["none", "any"], "unused")

        def change(document: Table) -> None:
            if key == "title":
                document["title"] = value
            elif value == "none":
                document.get("rules", {}).pop("unused", None)
            else:
                if "rules" not in document:
                    document["rules"] = tomlkit.table()
                document["rules"]["unused"] = value

        return edited(text, change)

    def add(self, text: str, canvas: str = "") -> str:
        found = checked(text)
        assert found.lattice is not None
        kind = found.kinds[_number(found, canvas)] if canvas else None
        shape = kind.shape if kind else frozenset([found.lattice.first])
        names = {own.name for own in found.kinds}
        stem = kind.name if kind else "new"
        name = next(n for n in (stem, *(f"{stem}-{i}" for i in range(2, 10_000))) if n not in names)

        def change(document: Table) -> None:
            table = tomlkit.table()
            table["name"] = name
            table["drawing"] = drawing(_lattice(found), dict.fromkeys(shape, ""))
            append_piece(document, table)

        return edited(text, change)

    def remove(self, text: str, canvas: str) -> str:
        found = checked(text)
        number = _number(found, canvas)
        before = text
        text, owner = own_table(text, number)

        def change(document: Table) -> None:
            del document["pieces"][owner]

        return with_puzzles_kept(before, edited(text, change))

    def answer(self, text: str) -> GameAnswer:
        return answer_of(checked(text))

    def kinds(self, text: str) -> Sequence[PuzzleKind]:
        found = checked(text)
        return [] if found.definition is None else kinds_of(found.definition, text)

    def questions(self, text: str) -> Sequence[GameQuestion]:
        found = checked(text)
        return [] if found.definition is None else questions_of(found.definition)

    @property
    def takes(self) -> Mapping[str, Literal["game", "parts"]]:
        return TAKES

    def made(self, state: Any) -> str:
        return format_game(game_of(state))

    def take(self, text: str, states: Sequence[Any]) -> str:
        return with_pieces(text, states)


def _lattice(found: GameText) -> Lattice:
    assert found.lattice is not None
    return found.lattice


def _check_setting(found: GameText, kind: PieceKind, key: str, value: Any) -> None:
    """Raise EpcgError if a piece cannot have the value of a setting."""
    if key == "name":
        said = bad_name(value) if isinstance(value, str) else "A name is a string."
        if said:
            raise ParamsError(said)
        if value != kind.name and value in {own.name for own in found.kinds}:
            raise ParamsError(f"There is a piece '{value}' already: each has a name of its own.")
    elif key == "copies":
        good = isinstance(value, (list, tuple)) and len(value) == 2 and all(isinstance(n, int) for n in value)
        if not good or not 0 <= value[0] <= value[1] <= MOST_COPIES:
            raise ParamsError(f"Copies are the fewest and the most, from 0 to {MOST_COPIES:,}: [0, 2], say.")
    elif key == "colour":
        known = {*PALETTE, *(own.colour for own in found.kinds)}
        if value not in known:
            raise UnknownNameError("colour", str(value), known, "colour")
    elif key in ("turn", "flip"):
        if not isinstance(value, bool):
            raise ParamsError(f"'{key}' is true or false.")
    else:
        raise UnknownNameError("setting", key, ["name", "copies", "colour", "turn", "flip"], kind.name)


def _number(found: GameText, canvas: str) -> int:
    """Return the number of a piece's canvas. Raises ParamsError if there is no such canvas."""
    kind, _, number = canvas.partition(" ")
    place = documents.whole_number(number, len(found.kinds) - 1)
    if kind != PIECE or place is None:
        raise ParamsError(f"The game has {len(found.kinds)} pieces, and no '{canvas:.40}'.")
    return place


def _put(now: dict[Cell, str], cells: Iterable[Cell], sign: str | None) -> None:
    """Give cells a sign, '' being the usual one; None takes them away."""
    for cell in cells:
        if sign is None:
            now.pop(cell, None)
        else:
            now[cell] = sign


def _mark_name(place: Place) -> str:
    """Return the name of the mark that paints such cells: the colour that they want, or OPTIONAL."""
    if place.optional and not place.colours:
        return OPTIONAL
    return place.colours[0] if len(place.colours) == 1 and not place.optional else f"sign {place.sign}"


# ---- canvases


def _board(found: GameText) -> Canvas:
    lattice = _lattice(found)
    definition = found.definition
    paints = definition.colours if definition else tuple(PALETTE.values())[:5]
    floor = Mark(name=CELL, title="a place of the board", colour=_FLOOR, fills=True, key="b")
    own = {_mark_name(place): place for place in found.signs.values()}
    others = [place for name, place in own.items() if name not in (OPTIONAL, *(p.name for p in paints))]
    wants = [
        *(Mark(name=p.name, title=f"a place for {p.name} pieces", colour=p.face, fills=True) for p in paints),
        Mark(name=OPTIONAL, title="a place that may stay empty", colour=_OPTIONAL, fills=True),
        *(_mark(found, place) for place in others),
    ]
    names = {place.sign: name for name, place in own.items()}
    painted = {cell: names.get(sign, CELL) for cell, sign in found.board.items()}
    return _canvas(
        lattice,
        painted,
        kind=BOARD,
        id=BOARD,
        title="Board",
        subtitle=_counted(lattice, len(painted)),
        marks=(floor, *wants),
    )


def _mark(found: GameText, place: Place) -> Mark:
    """Return the mark of cells that want one of several colours, or may stay empty."""
    faces = {paint.name: paint.face for paint in _paints(found)}
    asked = f"{' or '.join(place.colours)} pieces"
    title = f"a place for {asked}{', which may stay empty' if place.optional else ''} ({place.sign})"
    return Mark(name=_mark_name(place), title=title, colour=faces[place.colours[0]], fills=True)


def _piece(found: GameText, number: int) -> Canvas:
    lattice, kind = _lattice(found), found.kinds[number]
    paint = PALETTE.get(kind.colour) or next(
        p
        for p in (found.definition.colours if found.definition else PALETTE.values())
        if p.name == kind.colour
    )
    ways = len(orientations(lattice, kind.shape, group_of(lattice, kind.turn, kind.flip)))
    places = ""
    if found.definition is not None:
        count = Counter(p.piece for p in layout_of(found.definition).placements)[number]
        places = f", in {count} place{'s' * (count != 1)} of the board"
    settings = (
        Setting(key="name", title="name", kind="text", value=kind.name),
        Setting(
            key="copies", title="copies", kind="range", value=[kind.least, kind.most], maximum=MOST_COPIES
        ),
        Setting(
            key="colour",
            title="colour",
            kind="colour",
            value=kind.colour,
            choices=tuple((p.name, p.face) for p in _paints(found)),
        ),
        Setting(key="turn", title="may be turned", kind="flag", value=kind.turn),
        Setting(key="flip", title=_OVER[lattice.flips], kind="flag", value=kind.flip),
    )
    return _canvas(
        lattice,
        dict.fromkeys(kind.shape, CELL),
        kind=PIECE,
        id=f"{PIECE} {number}",
        title=kind.name,
        subtitle=_counted(lattice, kind.size),
        marks=(Mark(name=CELL, title="a cell of the piece", colour=paint.face, fills=True),),
        settings=settings,
        note=f"lies in {ways} way{'s' * (ways != 1)}{places}",
    )


def _paints(found: GameText) -> list[Any]:
    own = list(found.definition.colours) if found.definition else []
    return [*own, *(paint for paint in PALETTE.values() if paint.name not in {p.name for p in own})]


def _counted(lattice: Lattice, count: int) -> str:
    return f"{count} {lattice.cell_word[count != 1]}"


def _canvas(lattice: Lattice, painted: Mapping[Cell, str], **about: Any) -> Canvas:
    """Return a canvas of cells, with those around them that can be painted too."""
    places = _around(lattice, painted, _LEAST[about["kind"]], _WIDE[about["kind"]])
    flat, shown = lattice.flat, lattice.unfolded(places)
    points = {vertex: flat.place(vertex) for cell in shown.values() for vertex in flat.corners(cell)}
    left, top = min(x for x, _ in points.values()), max(y for _, y in points.values())

    def at(vertex: Cell) -> tuple[float, float]:
        x, y = points[vertex]
        return x - left, top - y

    word = lattice.cell_word[0]
    first = [min(axis) - 1 for axis in zip(*map(lattice.reading, places), strict=True)]
    names = ("layer", "row", "place")[-len(first) :]
    sites = tuple(
        Site(
            _site_of(cell),
            tuple(map(at, flat.corners(shown[cell]))),
            title=f"{word} in "
            + ", ".join(
                f"{name} {at}"
                for name, at in zip(names, difference(lattice.reading(cell), tuple(first)), strict=True)
            ),
        )
        for cell in sorted(places, key=lattice.reading)
    )
    around = outlines(flat, [shown[cell] for cell in painted]) if painted else ()
    lines = tuple(Path(tuple(map(at, line)), closed=True) for line in around)
    marks = {_site_of(cell): mark for cell, mark in painted.items()}
    return Canvas(sites=sites, painted=marks, outline=lines, **about)


def _around(lattice: Lattice, painted: Iterable[Cell], least: float, wide: float) -> set[Cell]:
    """Return the cells of a box around what is painted, of layers one more above and below."""
    parts = [lattice.in_plane(cell) for cell in painted] or [lattice.in_plane(lattice.first)]
    cells = {cell for _, cell in parts}
    if not lattice.layered:
        return _around_in_plane(lattice.flat, cells, _AROUND, least, wide)
    layers = [layer for layer, _ in parts]
    every = range(min(layers) - 1, max(layers) + 2)
    near = _around_in_plane(lattice.flat, cells, 1, 0.0, 0.0)
    return {lattice.in_layer(layer, cell) for layer in every for cell in near}


def _around_in_plane(lattice: Flat, cells: set[Cell], margin: int, least: float, wide: float) -> set[Cell]:
    """Return the cells of a box around some, which are added to them."""
    middles = [lattice.middle(cell) for cell in cells]
    lows = [min(axis) - margin for axis in zip(*middles, strict=True)]
    highs = [max(axis) + margin for axis in zip(*middles, strict=True)]
    for axis in (1, 0):
        missing = (least if axis else wide * (highs[1] - lows[1])) - (highs[axis] - lows[axis])
        if missing > 0:
            lows[axis] -= missing / 2
            highs[axis] += missing / 2
    front = list(cells)
    while front:
        for other in lattice.neighbours(front.pop()):
            middle = lattice.middle(other)
            if other not in cells and all(a <= x <= b for a, x, b in zip(lows, middle, highs, strict=True)):
                cells.add(other)
                front.append(other)
    return cells


def _cell_of(lattice: Lattice, site: str) -> Cell:
    """Return the cell of a site's id. Raises ParamsError."""
    usual = _site_of(lattice.first)
    try:
        cell = tuple(map(int, site.split(",")))
    except ValueError:
        raise ParamsError(f"'{site}' is not a cell: cells are written as in '{usual}'.") from None
    if len(cell) != len(lattice.first):
        raise ParamsError(f"'{site}' is not a cell: cells are written as in '{usual}'.")
    if cell not in {near for other in lattice.neighbours(cell) for near in lattice.neighbours(other)}:
        raise ParamsError(f"'{site}' is not a cell of {lattice.name}.")
    return cell


def _site_of(cell: Cell) -> str:
    """Return the id of a cell's site."""
    return ",".join(map(str, cell))


_STARTS = {
    "squares": ("rectangle", {"width": 4, "height": 3}, {"O4": 1, "I3": 1, "L3": 1, "domino": 1}),
    "triangles": ("parallelogram", {"width": 3, "height": 2}, {"bar-4": 1, "trapezoid": 2, "diamond": 1}),
    "hexagons": ("hexagon", {"side": 2}, {"corner-3": 1, "dihex": 2}),
    "quarters": ("rectangle", {"width": 2, "height": 2}, {"square": 1, "half": 6}),
    "cubes": ("box", {"width": 3, "depth": 2, "height": 2}, {"L": 1, "V": 1, "dicube": 1, "bar-3": 1}),
}
"""Lattice -> (family of the first board, its sizes, the first pieces with their copies); they fill it."""


def _begun(text: str, lattice: Lattice) -> str:
    """Return the text of a game with a first board and first pieces of a lattice; its title stays."""
    from epcg_tangram.texts.names import known_shapes

    family, sizes, pieces = _STARTS[lattice.name]

    def change(document: Table) -> None:
        document["lattice"] = lattice.name
        for key in ("board", "pieces", "puzzles", "back"):
            document.pop(key, None)
        board = tomlkit.table()
        board["drawing"] = drawing(
            lattice, dict.fromkeys(lattice.families[family].cells(*sizes.values()), "")
        )
        board.add(tomlkit.nl())
        document["board"] = board
        for name, copies in pieces.items():
            table = tomlkit.table()
            table["name"] = name
            table["drawing"] = drawing(lattice, dict.fromkeys(known_shapes(lattice)[name], ""))
            if copies > 1:
                table["copies"] = copies
            piece_tables(document).append(table)

    return edited(text, change)
