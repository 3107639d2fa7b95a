"""The pieces of a game's text: drawn, or all shapes of a size, or all that copies of one make."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count as counting, product
from typing import Any

import attrs

from epcg_core.plugin import UnknownNameError
from epcg_tangram.design.definition import MOST_COPIES, MOST_KINDS, CellColour, Paint, PieceKind
from epcg_tangram.design.shapes import Equality, all_shapes, compositions, usual_equality
from epcg_tangram.lattices import Cell, Lattice
from epcg_tangram.lattices.lattice import Shape
from epcg_tangram.texts.names import known_name, known_shapes
from epcg_tangram.texts.tables import Path, Places, TableReader, sentence, shown

MOST_GROWN = 9
"""The most cells of the shapes that a text asks for by `shapes`, and the most copies of a base."""
_PIECE = ("name", "drawing", "shapes", "copies", "colour", "colours", "turn", "flip")
_SHAPES = ("of", "cells", "count", "equal")
_RESERVED = (
    "game", "side", "width", "depth", "height", "without", "relation", "colours", "bumps", "group_one",
)  # fmt: skip
"""Words that begin other parts of the texts of boards and puzzles."""


class PieceReader(TableReader):
    """Reads the tables of [[pieces]]."""

    def __init__(self, places: Places) -> None:
        super().__init__(places)
        self.owners: list[int] = []
        """The table that each piece comes from."""

    def pieces(
        self, lattice: Lattice, table: Mapping[str, Any], colours: Mapping[str, Paint], all_used: bool
    ) -> list[PieceKind]:
        listed = table.get("pieces", [])
        if not isinstance(listed, list) or not all(isinstance(own, Mapping) for own in listed):
            self.fault(("pieces",), "Each piece is a table of its own: write [[pieces]] above its keys.")
            return []
        if not listed:
            self.fault((), "A game needs pieces: write [[pieces]] with a name and a drawing for each.")
        found: list[PieceKind] = []
        for number, own in enumerate(listed):
            for kind in self.piece(lattice, own, ("pieces", number), colours, found, all_used):
                found.append(kind)
                self.owners.append(number)
        if len(found) > MOST_KINDS:
            self.fault(("pieces",), f"These are {len(found):,} pieces; at most {MOST_KINDS} are possible.")
            found = found[:MOST_KINDS]
        return self.coloured(found, listed, colours)

    def coloured(
        self, kinds: list[PieceKind], listed: Sequence[Mapping[str, Any]], colours: Mapping[str, Paint]
    ) -> list[PieceKind]:
        """Give a colour to each piece that has none: those that no piece has first, then all in turn."""
        taken = {kind.colour for kind in kinds}
        free = [name for name in colours if name not in taken] or list(colours)
        found = []
        for kind in kinds:
            if not kind.colour:
                kind = attrs.evolve(kind, colour=free[0])
                free = [*free[1:], free[0]]
            found.append(kind)
        return found

    def piece(
        self,
        lattice: Lattice,
        own: Mapping[str, Any],
        path: Path,
        colours: Mapping[str, Paint],
        before: Sequence[PieceKind],
        all_used: bool,
    ) -> list[PieceKind]:
        """Return the piece of a table, or all pieces that it asks for by `shapes`; [] after a fault.

        Shapes that a mirror image, or a turn, makes another piece are not turned over, or turned, unless the
        table says so.
        """
        self.keys(own, _PIECE, path)
        least, most = self.copies(own, path, all_used)
        colour = self.text(own, "colour", path)
        if colour and colour not in colours:
            self.fault((*path, "colour"), sentence(UnknownNameError("colour", colour, colours)))
            colour = ""
        shapes = own.get("shapes")
        usual = usual_equality(lattice)
        equal = shapes.get("equal", usual) if isinstance(shapes, Mapping) else usual
        turn = self.flag(own, "turn", path) and ("turn" in own or equal != "fixed")
        flip = self.flag(own, "flip", path) and ("flip" in own or equal == "free")
        if ("drawing" in own) == ("shapes" in own):
            self.fault(path, "A piece has either a drawing, or shapes that are made of others.")
            return []
        marks: tuple[tuple[Cell, CellColour], ...] = ()
        if "shapes" in own:
            if "colours" in own:
                said = "'colours' is about signs of a drawing, and these pieces have none."
                self.fault((*path, "colours"), said)
            shapes = self.shapes(lattice, own, path)
            given = self.text(own, "name", path)
            said = bad_name(given) if given else ""
            if said:
                self.fault((*path, "name"), said)
            names = numbered(shapes, {kind.name for kind in before}, given, lattice)
        else:
            signs = self.colours_of(lattice, own, path, colours)
            named = own["colours"] if isinstance(own.get("colours"), Mapping) else ()
            told = [sign for sign in named if len(sign) == 1]  # those with a fault, too
            cells = self.drawing(lattice, self.text(own, "drawing", path), (*path, "drawing"), told)
            if not cells:
                return []
            marks = tuple(sorted((cell, signs[sign]) for cell, sign in cells.items() if sign in signs))
            shapes = [lattice.at_origin(cells)]
            names = [self.name(own, path, before)]
        return [
            PieceKind(name, shape, lattice, least, most, colour, turn, flip, marks)
            for name, shape in zip(names, shapes, strict=True)
        ]

    def is_sign(self, sign: str, path: Path) -> bool:
        """Return whether cells may have a sign; if not, it is told."""
        good = len(sign) == 1 and sign.isalnum()
        if not good:
            self.fault(path, f"A sign of a drawing is one letter or digit, not '{sign}'.")
        return good

    def colours_of(
        self, lattice: Lattice, own: Mapping[str, Any], path: Path, colours: Mapping[str, Paint]
    ) -> dict[str, CellColour]:
        """Return the colours of the cells with each sign of a drawing."""
        found, path = own.get("colours", {}), (*path, "colours")
        if not isinstance(found, Mapping):
            self.fault(path, "'colours' says which sign has which colour, as in { r = \"red\" }.")
            return {}
        good: dict[str, CellColour] = {}
        for sign, value in found.items():
            sides = value if isinstance(value, list) else [value]
            wrong = [colour for colour in sides if not isinstance(colour, str) or colour not in colours]
            if not self.is_sign(sign, path):
                continue
            if len(sides) not in (1, 2):
                self.fault(path, 'A cell has one colour, or one in front and one behind: ["red", "blue"].')
            elif wrong:
                self.fault(path, sentence(UnknownNameError("colour", str(wrong[0]), colours)))
            elif len(sides) == 2 and lattice.layered:
                self.fault(path, f"Pieces of {lattice.cell_word[1]} have no back: give '{sign}' one colour.")
            else:
                good[sign] = CellColour(sign, sides[0], sides[-1])
        return good

    def name(self, own: Mapping[str, Any], path: Path, before: Sequence[PieceKind]) -> str:
        name = self.text(own, "name", path)
        if not name:
            taken = {kind.name for kind in before}
            number = next(n for n in counting(len(before) + 1) if f"piece-{n}" not in taken)
            if isinstance(own.get("name", ""), str):
                self.fault(path, "A piece needs a name.", serious="drawing" in own)
            return f"piece-{number}"
        said = bad_name(name)
        if said:
            self.fault((*path, "name"), said)
        if name in {kind.name for kind in before}:
            self.fault((*path, "name"), f"There is a piece '{name}' already: each has a name of its own.")
        return name

    def copies(self, own: Mapping[str, Any], path: Path, all_used: bool) -> tuple[int, int]:
        """Return the fewest and the most copies that a solution uses: of one number all, if `all_used`."""
        value = own.get("copies", 1)
        path = (*path, "copies")
        if isinstance(value, list):
            if len(value) != 2:
                self.fault(path, "'copies' is a number, or the fewest and the most, as in [0, 2].")
                return 0, 1
            least, most = (self.whole(own, path, 0, MOST_COPIES, 0) for own in value)
            if least > most:
                self.fault(
                    path,
                    f"'copies' goes from {least} to {most}: the fewest come first, as in [{most}, {least}].",
                )
                return most, least
            return least, most
        most = self.whole(value, path, 0, MOST_COPIES, 1)
        return (most if all_used else 0), most

    def shapes(self, lattice: Lattice, own: Mapping[str, Any], path: Path) -> Sequence[Shape]:
        """Return the shapes that a table asks for."""
        wanted, path = own["shapes"], (*path, "shapes")
        if not isinstance(wanted, Mapping):
            self.fault(path, 'Write shapes as in { of = "domino", count = 2 } or { cells = 5 }.')
            return []
        self.keys(wanted, _SHAPES, path)
        equal = wanted.get("equal", usual_equality(lattice))
        if equal not in ("free", "one-sided", "fixed"):
            self.fault(path, f'\'equal\' is "free", "one-sided" or "fixed", not {shown(equal)}.')
            return []
        if ("of" in wanted) == ("cells" in wanted):
            self.fault(
                path, "Shapes have either `cells`, how many, or `of`, the name of what they are made of."
            )
            return []
        if "cells" in wanted:
            cells = self.whole(wanted["cells"], (*path, "cells"), 1, MOST_GROWN, 0)
            return self.grown(lattice, all_shapes(lattice, 1)[0], cells, equal, path) if cells else []
        known = known_shapes(lattice)
        base = known.get(str(wanted["of"]))
        if base is None:
            self.fault(path, sentence(UnknownNameError("shape", str(wanted["of"]), known)))
            return []
        count = self.whole(wanted.get("count", 2), (*path, "count"), 1, MOST_GROWN, 0)
        if count * len(base) > 3 * MOST_GROWN:
            self.fault(
                path, f"These shapes would have {count * len(base)} cells; at most {3 * MOST_GROWN} are made."
            )
            return []
        return self.grown(lattice, base, count, equal, path) if count else []

    def grown(
        self, lattice: Lattice, base: Shape, count: int, equal: Equality, path: Path
    ) -> Sequence[Shape]:
        """Return the shapes that copies make, unless fewer copies make too many already."""
        for copies in range(1, count + 1):
            made = len(compositions(lattice, base, copies))
            if made > MOST_KINDS:
                said = f"{copies * len(base)} cells make {made:,} shapes: at most {MOST_KINDS} are possible."
                self.fault(path, said)
                return []
        return compositions(lattice, base, count, equal)


def bad_name(name: str) -> str:
    """Return what is wrong with the name of a piece; '' if nothing is."""
    if not name.strip() or name != name.strip() or len(name) > 60:
        return "The name of a piece has 1 to 60 characters, and no blanks around them."
    if re.search(r"[;\"'\\\x00-\x1f]", name):
        return f"The name of a piece has no semicolons, quotation marks or line ends: {name!r}."
    parts = name.split()
    if any(word.isdecimal() for word in parts):
        return f"The name '{name}' can be mistaken for a piece with its cells: leave out numbers."
    if parts[0] in _RESERVED:
        return (
            f"The name '{name}' can be mistaken: let it begin with another word than {', '.join(_RESERVED)}."
        )
    return ""


def numbered(shapes: Sequence[Shape], taken: set[str], given: str, lattice: Lattice) -> list[str]:
    """Return a name for each shape: the one that everybody knows, else its number of cells and a letter.

    With a name `given`, that and the letter. A mirror image of a shape with a name says so.
    """
    found = []
    letters = _letters()
    for shape in shapes:
        known = "" if given else known_name(lattice, shape)
        name = known or f"{given or len(shape)}{'-' * bool(given)}{next(letters)}"
        if name in taken and known:
            name = f"{known}-mirrored"
        number = 2
        while name in taken:
            name, number = f"{known or name}-{number}", number + 1
        taken = {*taken, name}
        found.append(name)
    return found


def _letters() -> Iterator[str]:
    """Yield a, b, ..., z, aa, ab, ..."""
    for length in counting(1):
        yield from map("".join, product("abcdefghijklmnopqrstuvwxyz", repeat=length))
