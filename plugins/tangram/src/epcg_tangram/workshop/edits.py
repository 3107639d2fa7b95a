"""Changes of a game's text: one thing differs afterwards, and comments, order and blank lines stay."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import tomlkit

from epcg_core.plugin import ParamsError
from epcg_tangram.design.definition import Definition
from epcg_tangram.design.layout import layout_of
from epcg_tangram.lattices import Cell, Lattice
from epcg_tangram.lattices.lattice import total
from epcg_tangram.texts.drawings import draw
from epcg_tangram.texts.game_files import PUZZLES
from epcg_tangram.texts.game_text import GameText, read_game
from epcg_tangram.texts.game_writer import signs_of
from epcg_tangram.texts.toml_edits import Table, edited, listed


def drawing(lattice: Lattice, cells: Mapping[Cell, str]) -> Any:
    """Return a drawing as a string in three quotation marks that begins on the line below them."""
    return tomlkit.value(f'"""\n{draw(lattice, cells)}"""')


def piece_tables(document: Table) -> Any:
    """Return the tables of [[pieces]]; there is one at least after this."""
    if "pieces" not in document:
        document.append("pieces", tomlkit.aot())
    return document["pieces"]


def append_piece(document: Table, table: Table) -> None:
    """Add a table of [[pieces]] to a text behind the others, with blank lines around it."""
    tables = piece_tables(document)
    if len(tables) and not tables[-1].as_string().endswith("\n\n"):
        tables[-1].add(tomlkit.nl())
    table.add(tomlkit.nl())
    tables.append(table)


def own_table(text: str, number: int) -> tuple[str, int]:
    """Return a text in which a piece, by its number, has a table of its own, and the number of that.

    A table that asks for several shapes is written out: a table for each of its pieces, in its place.
    """
    found = read_game(text)
    owner = found.owners[number]
    if found.owners.count(owner) == 1 and not _asks(text, owner):
        return text, owner
    own = [kind for kind, table in zip(found.kinds, found.owners, strict=True) if table == owner]

    def change(document: Table) -> None:
        before = document["pieces"][owner]
        shared = {key: before[key] for key in ("copies",) if key in before}
        tables = []
        for kind in own:
            table = tomlkit.table()
            table["name"] = kind.name
            table["drawing"] = drawing(kind.lattice, signs_of(kind))
            for key, value in shared.items():
                table[key] = value.unwrap() if hasattr(value, "unwrap") else value
            if not kind.turn:
                table["turn"] = False
            if kind.flip != kind.lattice.flips:
                table["flip"] = kind.flip
            table["colour"] = kind.colour
            tables.append(table)
        rest = list(document["pieces"])
        written = tomlkit.aot()
        for at, table in enumerate(rest):
            for one in tables if at == owner else [table]:
                written.append(one)
        document["pieces"] = written

    new = edited(text, change)
    return new, owner + number - found.owners.index(owner)


def _asks(text: str, owner: int) -> bool:
    tables: Any = tomlkit.parse(text)["pieces"]
    return "shapes" in tables[owner]


def with_puzzles_kept(
    before: str, after: str, shift: Cell | None = None, renamed: Mapping[str, str] | None = None
) -> str:
    """Return a changed text whose puzzles mean what they meant before the change.

    Cells are numbered by the board, so those of pieces that are shown change with it. A piece that cannot lie
    where it lay any more is taken off.

    Args:
        before: the text before the change.
        after: the text after it, with the puzzles of before.
        shift: by what the cells of the board are moved that stay; None if they are not.
        renamed: the new names of pieces by the old ones.
    """
    old, new = read_game(before), read_game(after)
    if old.definition is None or new.definition is None or PUZZLES not in after:
        return after
    moved = _Moved(old.definition, new.definition, shift, renamed or {})

    def change(document: Table) -> None:
        for puzzle in document.get(PUZZLES, []):
            for key, told in (("shown", moved.shown), ("without", moved.without)):
                if key in puzzle and [str(part) for part in puzzle[key]] != (now := told(puzzle[key])):
                    puzzle[key] = listed(now)

    return edited(after, change)


class _Moved:
    """What becomes of the parts of puzzles."""

    def __init__(
        self, old: Definition, new: Definition, shift: Cell | None, renamed: Mapping[str, str]
    ) -> None:
        self._renamed = renamed
        self._names = set(new.names)
        number = {place: cell for cell, place in enumerate(new.cells)}
        self._cells = [number.get(total(cell, shift) if shift else cell) for cell in old.cells]
        layout = layout_of(new)
        self._known = {(new.names[p.piece], p.cells) for p in layout.placements}

    def shown(self, parts: Any) -> list[str]:
        found = []
        for part in map(str, parts):
            match = re.fullmatch(r"(.*?)((?: +[0-9]{1,9})*)", part)
            assert match is not None
            name = self._renamed.get(match[1], match[1])
            numbers = [int(word) for word in match[2].split()]
            now = [self._cells[n] if n < len(self._cells) else None for n in numbers]
            cells = sorted(n for n in now if n is not None)
            if len(cells) == len(now) and (name, tuple(cells)) in self._known:
                found.append(f"{name} {' '.join(map(str, cells))}")
        return found

    def without(self, parts: Any) -> list[str]:
        names = [self._renamed.get(str(part), str(part)) for part in parts]
        return [name for name in names if name in self._names]


def checked(text: str) -> GameText:
    """Return a game's text that was read.

    Raises ParamsError if the lattice is not known, so nothing can be drawn.
    """
    found = read_game(text)
    if found.lattice is None:
        fault = found.faults[0]
        place = f"line {fault.line}: " if fault.line else ""
        raise ParamsError(f"{place}{fault.message}")
    return found
