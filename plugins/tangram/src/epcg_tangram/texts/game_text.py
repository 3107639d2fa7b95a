"""Games of pieces as texts: TOML that a designer can read and draw.

    title = "Two dominoes and a corner"
    lattice = "squares"

    [board]
    drawing = '''
    ####
    ##.#
    '''

    [[pieces]]
    shapes = { of = "domino", count = 2 }

    [[pieces]]
    name = "corner"
    drawing = '''
    ##
    #.
    '''
    copies = [0, 2]

    [rules]
    unused = "any"

`read_game` tells every fault with its line and column; `parse_game` raises the first one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from epcg_core.plugin import (
    Fault,
    ParamsError,
    UnknownNameError,
    counted,
    toml_tables,
    toml_text,
)
from epcg_tangram.design.definition import (
    MOST_CELLS,
    MOST_COPIES,
    MOST_KINDS,
    PALETTE,
    Back,
    Definition,
    Paint,
    PieceKind,
    Place,
    darker,
)
from epcg_tangram.design.shapes import regions
from epcg_tangram.lattices import LATTICES, Cell, Lattice
from epcg_tangram.texts.piece_tables import PieceReader
from epcg_tangram.texts.tables import Path, Places, sentence, shown

MOST_CHARACTERS = 1_000_000
MOST_SIDE = 100
MOST_LABEL = 12
"""The most characters of a cell's label."""
MOST_COMPARED = 60
"""The most cells of pieces that are compared with each other."""
_TOP = ("title", "author", "description", "lattice", "colours", "board", "pieces", "rules", "back", "puzzles")
_RULES = ("unused", "empty")
_BACK = ("bumps", "split")
_OF_SIGNS = ("wants", "optional", "labels")
_BOARD = ("drawing", "family", *_OF_SIGNS)
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


class GameTextError(ParamsError):
    """A game's text has a serious fault; the message begins with the line and column."""


@attrs.frozen
class GameText:
    """A game's text that was read."""

    definition: Definition | None
    """None if there is no board, or no piece, or no lattice."""
    faults: tuple[Fault, ...]
    """All faults, by line."""
    owners: tuple[int, ...] = ()
    """For each piece of the definition which table of `[[pieces]]` it comes from."""
    lattice: Lattice | None = None
    """The lattice, if it is named: the board and the pieces are told even if there is no definition yet."""
    board: Mapping[Cell, str] = attrs.field(factory=dict)
    """The cells of the board, each with its sign, the usual one being empty."""
    kinds: tuple[PieceKind, ...] = ()
    signs: Mapping[str, Place] = attrs.field(factory=dict)
    """What each sign of the board asks."""

    @property
    def usable(self) -> bool:
        """Whether the text defines a game that can be asked about."""
        return self.definition is not None and not any(fault.serious for fault in self.faults)


def parse_game(text: str, where: str = "", sizes: tuple[int, ...] = ()) -> Definition:
    """Return the game of a text, with other `sizes` of its board if there are any.

    Raises GameTextError, which begins with `where`, the name of its file.
    """
    found = read_game(text, sizes)
    serious = [fault for fault in found.faults if fault.serious]
    if serious or found.definition is None:
        fault = serious[0]
        place = f"line {fault.line}, column {fault.column}: " if fault.line else ""
        more = f" There are {len(serious) - 1} more faults." if len(serious) > 2 else ""
        more = more or " There is another fault." * (len(serious) == 2)
        raise GameTextError(f"{where + ', ' if where else ''}{place}{fault.message}{more}")
    return found.definition


def read_game(text: str, sizes: tuple[int, ...] = ()) -> GameText:
    """Return the game of a text as far as it can be told, with other `sizes` if any, and all faults."""
    if len(text) > MOST_CHARACTERS:
        said = f"The text of a game is longer than {MOST_CHARACTERS:,} characters."
        return GameText(None, (Fault(0, said),))
    table, faults = toml_tables.parsed(text)
    if faults:
        return GameText(None, faults)
    reader = _Reader(Places(text), sizes)
    definition = reader.game(table)
    return GameText(
        definition,
        tuple(sorted(reader.faults)),
        tuple(reader.owners),
        reader.lattice,
        reader.drawn,
        tuple(reader.kinds),
        reader.signs,
    )


class _Reader(PieceReader):
    """Reads tables, and gathers faults with their places."""

    def __init__(self, places: Places, sizes: tuple[int, ...]) -> None:
        super().__init__(places)
        self.sizes = sizes
        self.named_sizes: tuple[tuple[str, int], ...] = ()
        self.family_name = ""
        self.lattice: Lattice | None = None
        self.drawn: Mapping[Cell, str] = {}
        self.signs: Mapping[str, Place] = {}
        self.labels: tuple[tuple[str, tuple[str, ...]], ...] = ()
        self.kinds: list[PieceKind] = []

    # ---- the parts of a game

    def game(self, table: Mapping[str, Any]) -> Definition | None:
        self.keys(table, _TOP, ())
        name = self.text(table, "lattice", ())
        if name not in LATTICES:
            error = UnknownNameError("lattice", name, LATTICES)
            said = (
                sentence(error)
                if name
                else f"A game needs a lattice: lattice = one of {', '.join(LATTICES)}."
            )
            self.fault(("lattice",), said)
            return None
        lattice = LATTICES[name]
        colours = self.colours(table)
        board = self.board(lattice, table, colours)
        rules = self.table(table, "rules")
        self.keys(rules, _RULES, ("rules",))
        unused = self.unused(rules)
        kinds = self.pieces(lattice, table, colours, unused == 0)
        self.lattice, self.drawn, self.kinds = lattice, board, kinds
        back = self.back(lattice, table)
        if not board or not kinds:
            return None
        cells = tuple(sorted(board, key=lattice.reading))
        named = self.table(table, "colours")
        marks = tuple(
            (number, self.signs[board[cell]])
            for number, cell in enumerate(cells)
            if board[cell] in self.signs
        )
        used = {
            *(colour for kind in kinds for colour in kind.colours),
            *(colour for _, own in marks for colour in own.colours),
        }
        optional = sum(1 for _, own in marks if own.optional)
        empty = self.empty(rules, optional, len(cells))
        definition = Definition(
            lattice=lattice,
            cells=cells,
            pieces=tuple(kinds),
            title=self.text(table, "title", ()),
            colours=tuple(paint for name, paint in colours.items() if name in used or name in named),
            sizes=self.named_sizes,
            family=self.family_name,
            labels=self.labels,
            places=frozenset(self.signs.values()),
            marks=marks,
            unused=unused,
            empty=empty,
            back=back,
        )
        self.fitting(definition)
        return definition

    def colours(self, table: Mapping[str, Any]) -> dict[str, Paint]:
        """Return every colour that the game can name: its own first."""
        found = {}
        for name, value in self.table(table, "colours").items():
            if isinstance(value, str) and _COLOUR.fullmatch(value):
                known = PALETTE.get(name)
                found[name] = (
                    known
                    if known and known.face == value.lower()
                    else Paint(name, value.lower(), darker(value))
                )
            elif value is True and name in PALETTE:
                found[name] = PALETTE[name]
            else:
                self.fault(("colours", name), f"A colour is written as in '#f3c64f', not {shown(value)}.")
        return found | {name: paint for name, paint in PALETTE.items() if name not in found}

    def board(
        self, lattice: Lattice, table: Mapping[str, Any], colours: Mapping[str, Paint]
    ) -> dict[Cell, str]:
        """Return the cells of the board with their signs, the usual one being empty; {} after a fault."""
        path: Path = ("board",)
        board = self.table(table, "board")
        if not board:
            if "board" not in table:
                self.fault(
                    (), "A game needs a board: write [board] with a drawing, or with a family and its sizes."
                )
            return {}
        sizes = {size for family in lattice.families.values() for size in family.sizes}
        self.keys(board, (*_BOARD, *sorted(sizes)), path)
        if ("drawing" in board) == ("family" in board):
            self.fault(path, "A board has either a drawing, or a family and its sizes.")
            return {}
        if "drawing" in board:
            if self.sizes:
                self.fault(path, "This board is drawn, so it has no sizes to change.")
            signs = self.signs = self.places_of(board, colours)
            cells = self.drawing(lattice, self.text(board, "drawing", path), (*path, "drawing"), signs)
            found = {cell: sign if sign in signs else "" for cell, sign in cells.items()}
            self.check_labels(found)
        else:
            for key in _OF_SIGNS:
                if key in board:
                    self.fault((*path, key), f"'{key}' is about signs of a drawing, and this board has none.")
            found = dict.fromkeys(self.family(lattice, board), "")
        if len(found) > MOST_CELLS:
            self.fault(path, f"The board has {len(found):,} cells; at most {MOST_CELLS:,} are possible.")
            return {}
        return found

    def places_of(self, board: Mapping[str, Any], colours: Mapping[str, Paint]) -> dict[str, Place]:
        """Return what each sign of the drawing asks, by `wants` and `optional`."""
        found = {sign: Place(sign, own) for sign, own in self.wants(board, colours).items()}
        optional = board.get("optional", "")
        path: Path = ("board", "optional")
        if not isinstance(optional, str):
            self.fault(
                path, f"'optional' has the signs of cells that may stay empty, \"o\", not {shown(optional)}."
            )
            return found
        for sign in optional:
            if self.is_sign(sign, path):
                found[sign] = attrs.evolve(found.get(sign, Place(sign)), optional=True)
        self.labels = self.labels_of(board, found)
        return found

    def labels_of(
        self, board: Mapping[str, Any], known: Mapping[str, Place]
    ) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the labels of the cells with each sign."""
        listed = board.get("labels", {})
        path: Path = ("board", "labels")
        if not isinstance(listed, Mapping):
            self.fault(
                path, '\'labels\' says what the cells with a sign are called, as in { m = ["Jan", "Feb"] }.'
            )
            return ()
        found = []
        for sign, own in listed.items():
            if sign not in known:
                self.fault(
                    path, f"The sign '{sign}' has labels, and neither 'wants' nor 'optional' explains it."
                )
            elif not isinstance(own, list) or not all(isinstance(label, str) for label in own):
                self.fault(
                    path, f'The labels of \'{sign}\' are a list, as in ["Jan", "Feb"], not {shown(own)}.'
                )
            elif any(len(label) > MOST_LABEL or not label.strip() for label in own):
                self.fault(path, f"A label has 1 to {MOST_LABEL} characters.")
            else:
                found.append((sign, tuple(own)))
        return tuple(found)

    def check_labels(self, board: Mapping[Cell, str]) -> None:
        """Tell signs that have more labels than cells, or fewer."""
        for sign, own in self.labels:
            cells = sum(1 for each in board.values() if each == sign)
            if cells != len(own):
                has = counted(cells, "cell has", "cells have")
                said = f"{has} the sign '{sign}', and there are {len(own)} labels."
                self.fault(("board", "labels"), said, serious=False)

    def wants(self, board: Mapping[str, Any], colours: Mapping[str, Paint]) -> dict[str, tuple[str, ...]]:
        """Return the colours that cells with each sign want."""
        found = board.get("wants", {})
        path: Path = ("board", "wants")
        if not isinstance(found, Mapping):
            self.fault(path, "'wants' says which sign wants which colour, as in { r = \"red\" }.")
            return {}
        good: dict[str, tuple[str, ...]] = {}
        for sign, value in found.items():
            own = value if isinstance(value, list) else [value]
            wrong = [colour for colour in own if not isinstance(colour, str) or colour not in colours]
            if not self.is_sign(sign, path):
                continue
            if not own:
                self.fault(
                    path, f"The sign '{sign}' wants no colour: name one, or several of which one will do."
                )
            elif wrong:
                self.fault(path, sentence(UnknownNameError("colour", str(wrong[0]), colours)))
            else:
                good[sign] = tuple(dict.fromkeys(own))
        return good

    def empty(self, rules: Mapping[str, Any], optional: int, cells: int) -> int | None:
        """Return how many cells stay empty, of the `optional` ones if there are any; None for any number."""
        if not any(place.optional for place in self.signs.values()):
            return self.whole(rules.get("empty", 0), ("rules", "empty"), 0, cells, 0)
        return self.whole(rules["empty"], ("rules", "empty"), 0, optional, 0) if "empty" in rules else None

    def family(self, lattice: Lattice, board: Mapping[str, Any]) -> Iterable[Cell]:
        path: Path = ("board",)
        name = self.text(board, "family", path)
        if name not in lattice.families:
            self.fault((*path, "family"), sentence(UnknownNameError("family", name, lattice.families)))
            return ()
        family = lattice.families[name]
        sizes = []
        if self.sizes:
            if len(self.sizes) != len(family.sizes):
                count = f"{len(family.sizes)} size{'s' * (len(family.sizes) != 1)}"
                self.fault(path, f"A {name} has {count}, {', '.join(family.sizes)}.")
                return ()
            board = {**board, **dict(zip(family.sizes, self.sizes, strict=True))}
        for size in family.sizes:
            if size not in board:
                self.fault(path, f"A {name} needs its {size}: {size} = a number of cells.")
                return ()
            sizes.append(self.whole(board[size], (*path, size), 1, MOST_SIDE, 0))
        for key in board:
            if key not in (*family.sizes, "family", *_OF_SIGNS):
                self.fault((*path, key), f"A {name} has no '{key}': its sizes are {', '.join(family.sizes)}.")
        if 0 in sizes:  # told: nothing is said of pieces on a board that is not meant
            return ()
        self.named_sizes, self.family_name = tuple(zip(family.sizes, sizes, strict=True)), name
        return lattice.at_origin(family.cells(*sizes))

    def unused(self, rules: Mapping[str, Any]) -> int | None:
        found = rules.get("unused", "none")
        if found in ("none", "any"):
            return 0 if found == "none" else None
        return self.whole_or(found, ("rules", "unused"))

    def whole_or(self, value: Any, path: Path) -> int | None:
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_COPIES * MOST_KINDS:
            return value
        self.fault(
            path, f'\'unused\' is "none", "any", or how many pieces may stay in the box, not {shown(value)}.'
        )
        return None

    def back(self, lattice: Lattice, table: Mapping[str, Any]) -> Back | None:
        if "back" not in table:
            return None
        path: Path = ("back",)
        if lattice.layered:
            self.fault(path, f"A board of {lattice.cell_word[1]} has no back: take the table away.")
            return None
        back = self.table(table, "back")
        self.keys(back, _BACK, path)
        if "bumps" not in back:
            self.fault_once(path, f"A back needs bumps: bumps = one of {', '.join(lattice.kinds)}.")
            return None
        bumps = self.text(back, "bumps", path)
        if bumps not in lattice.kinds:
            self.fault((*path, "bumps"), sentence(UnknownNameError("class of cells", bumps, lattice.kinds)))
            return None
        return Back(lattice.kinds.index(bumps), "split" in back and self.flag(back, "split", path))

    # ---- what cannot be

    def equal_shapes(self, definition: Definition) -> None:
        """Tell pieces that are the same in all but their names: solutions that exchange them count twice."""
        seen: dict[object, PieceKind] = {}
        for kind, owner in zip(definition.pieces, self.owners, strict=False):
            if kind.size > MOST_COMPARED:
                continue
            looks = kind.looks() if definition.coloured else frozenset(kind.orientations)
            other = seen.setdefault(looks, kind)
            if other is not kind:
                said = (
                    f"'{kind.name}' is the same piece as '{other.name}': solutions that exchange them count "
                    "as "
                    "two. Take one away, and give the other a copy more."
                )
                self.fault(("pieces", owner), said, serious=False)

    def scattered(self, definition: Definition) -> None:
        """Tell drawn pieces that are in several parts, in case a sign has strayed."""
        for kind, owner in zip(definition.pieces, self.owners, strict=False):
            parts = [len(own) for own in regions(definition.lattice, kind.shape)]
            if len(parts) > 1:
                sizes = f"{', '.join(map(str, parts[:-1]))} and {parts[-1]}"
                said = (
                    f"'{kind.name}' is one piece in {len(parts)} parts, of {sizes} cells, which move "
                    "together: if that is not meant, look for a sign that strayed."
                )
                self.fault(("pieces", owner, "drawing"), said, serious=False)

    def unknown_wants(self, definition: Definition) -> None:
        """Tell colours that cells want and no piece has."""
        have = {colour for kind in definition.pieces for colour in kind.colours}
        wanted = [own.colours for _, own in definition.marks if own.colours and have.isdisjoint(own.colours)]
        for colours in dict.fromkeys(wanted):
            count, colour = wanted.count(colours), colours[0]
            names = " or ".join(f"'{name}'" for name in colours)
            said = (
                f"{counted(count, 'cell wants', 'cells want')} the colour {names}, which no piece has: "
                f"give a piece colour = {toml_text(colour)}, or take the sign away."
            )
            self.fault(("board", "wants"), said, serious=False)

    def fitting(self, definition: Definition) -> None:
        """Tell pieces that are larger than the board, and areas that do not fit.

        Such a game has no solution.
        """
        cells = len(definition.cells)
        for kind, owner in zip(definition.pieces, self.owners, strict=False):
            if kind.size > cells:
                said = f"'{kind.name}' has {kind.size} cells, more than the board, which has {cells}."
                self.fault(("pieces", owner), said, serious=False)
        self.equal_shapes(definition)
        self.scattered(definition)
        self.unknown_wants(definition)
        wanted, most = cells - definition.most_empty, cells - (definition.empty or 0)
        unused = definition.unused
        least = definition.least_area
        if definition.most_area < wanted:
            missing = wanted - definition.most_area
            said = (
                f"The board has {wanted} cells to cover, and all pieces together {definition.most_area}: "
                f"{missing} more {'is' if missing == 1 else 'are'} needed, or a smaller board."
            )
            self.fault(("board",), said, serious=False)
        elif least > most:
            way = 'let pieces stay in the box (unused = "any")' if unused == 0 else "ask for fewer copies"
            said = (
                f"The pieces that must be used have {least} cells, and the board has {most} to cover: "
                f"make it larger by {least - most}, or {way}."
            )
            self.fault(("board",), said, serious=False)
