"""The workshop of games of pieces: the board and the pieces are painted, cell by cell.

Implements `Workshop`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import tomlkit

from epcg_core.plugin import (
    ERASE,
    Canvas,
    GameAnswer,
    GameQuestion,
    ParamsError,
    PuzzleKind,
    Setting,
    UnknownNameError,
    documents,
)
from epcg_tangram.design.definition import MOST_COPIES, PALETTE, CellColour, PieceKind, Place
from epcg_tangram.lattices import LATTICES, Cell, Lattice
from epcg_tangram.lattices.lattice import difference
from epcg_tangram.texts.game_text import GameText
from epcg_tangram.texts.game_writer import format_game, seen, signs_of, wanted
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
from epcg_tangram.workshop.sites import (
    BOARD,
    CELL,
    OPTIONAL,
    PIECE,
    board_canvas,
    cell_of,
    colour_name,
    lattice_of,
    mark_name,
    piece_canvas,
)  # fmt: skip
from epcg_tangram.workshop.taking import TAKES, game_of, with_pieces


class PackingWorkshop:
    """Boards and pieces as canvases."""

    def canvases(self, text: str) -> Sequence[Canvas]:
        found = checked(text)
        assert found.lattice is not None
        return [board_canvas(found), *(piece_canvas(found, number) for number in range(len(found.kinds)))]

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
        cells = [cell_of(lattice, site) for site in sites]
        if canvas == BOARD:
            return self._paint_board(text, found, lattice, cells, mark)
        number = _number(found, canvas)
        return self._paint_piece(text, lattice, found.kinds[number], number, cells, mark)

    def _paint_piece(
        self, text: str, lattice: Lattice, kind: PieceKind, number: int, cells: Iterable[Cell], mark: str
    ) -> str:
        known = {colour_name(own): own for _, own in kind.marks}
        if mark not in (ERASE, CELL, *PALETTE, *known):
            raise UnknownNameError("mark", mark, [CELL, *PALETTE], "paint")
        if mark not in (ERASE, CELL) and mark not in known:
            sign = _free_sign(mark, [*(own.sign for own in known.values()), *lattice.flat.signs.read])
            known[mark] = CellColour(sign, mark, mark)
        now = signs_of(kind)
        _put(now, cells, None if mark == ERASE else "" if mark == CELL else known[mark].sign)
        if not now:
            raise ParamsError("A piece has one cell at least: remove the piece instead.")
        before = text
        text, owner = own_table(text, number)

        def change(document: Table) -> None:
            table = document["pieces"][owner]
            table["drawing"] = drawing(lattice, now)
            used = [own for own in known.values() if own.sign in now.values()]
            table.pop("colours", None)
            if used:
                table["colours"] = _colours_table(used)

        return with_puzzles_kept(before, edited(text, change))

    def _paint_board(
        self, text: str, found: GameText, lattice: Lattice, cells: Iterable[Cell], mark: str
    ) -> str:
        places = dict(found.signs)
        signs = {mark_name(place): sign for sign, place in places.items()}
        if mark not in (ERASE, CELL, OPTIONAL, *PALETTE, *signs):
            raise UnknownNameError("mark", mark, [CELL, OPTIONAL, *PALETTE], "paint")
        if mark not in (ERASE, CELL) and mark not in signs:
            sign = _free_sign(mark, [*places, *lattice.flat.signs.read])
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
            for key in [key for key in board if key not in ("drawing", "wants", "optional", "labels")]:
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
        names = {own.name for own in found.kinds}
        stem = kind.name if kind else "new"
        name = next(n for n in (stem, *(f"{stem}-{i}" for i in range(2, 10_000))) if n not in names)

        def change(document: Table) -> None:
            table = tomlkit.table()
            table["name"] = name
            signs = signs_of(kind) if kind else {lattice_of(found).first: ""}
            table["drawing"] = drawing(lattice_of(found), signs)
            if kind and kind.marks:
                table["colours"] = _colours_table(mark for _, mark in kind.marks)
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


def _colours_table(marks: Iterable[CellColour]) -> Any:
    """Return what a text says of the colours of cells."""
    found = tomlkit.inline_table()
    found.update({mark.sign: seen(mark) for mark in marks})
    return found


def _free_sign(mark: str, taken: Sequence[str]) -> str:
    """Return a sign for a mark that no other cells have."""
    wished = f"{mark}abcdefghijklmnopqrstuvwxyz0123456789"
    return next(own for own in wished if own not in taken)


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
