"""Grids of letters as levels of others: levels of PuzzleScript here, maps of Tiled in `tiled`.

A domain whose own text is a grid names its letters; tiles and objects bear these names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import attrs

from epcg_core.base.errors import EpcgError

MOST_CELLS = 1_000_000
TURNS = 0xF0000000
"""Bits of a tile's number that say how it is turned; the lowest concerns hexagonal maps only."""
_MIRRORED, _UPSIDE_DOWN, _TRANSPOSED = 0x80000000, 0x40000000, 0x20000000
_GLYPHS = "abcdefghijklmnopqrstuwxyz0123456789#*@!$%&+-/:;?_~"
"""Letters of PuzzleScript, which knows no capitals; `v`, arrows and brackets mean something to it."""
_SECTIONS = (
    "objects", "legend", "sounds", "collisionlayers", "rules", "winconditions", "levels",
)  # fmt: skip


@attrs.frozen
class LetterGrid:
    """Rows of letters, as broad as the broadest, with a title."""

    rows: tuple[str, ...]
    title: str = ""

    @property
    def width(self) -> int:
        return max(map(len, self.rows), default=0)


@attrs.frozen
class Alphabet:
    """The letters of a domain's text."""

    domain: str
    names: Mapping[str, str]
    """Letter -> a name of letters and digits, in the order of the tiles."""
    empty: str = "."
    """The letter of nothing."""
    directed: str = ""
    """The letters that point to the left, up, to the right and down, if there are any: one that is turned is
    another of them."""

    @property
    def tiles(self) -> list[str]:
        """The letters that are tiles; the first has number 1."""
        return [letter for letter in self.names if letter != self.empty]

    def letter(self, name: str, where: str) -> str:
        """Return the letter of a name, in capitals or not, or of a letter. Raises EpcgError."""
        if name in self.names:
            return name
        for letter, known in self.names.items():
            if known.lower() == name.lower():
                return letter
        raise EpcgError(f"{where} is '{name}', which is none of {', '.join(self.names.values())}: rename it.")

    def turned(self, letter: str, flags: int) -> str:
        """Return the letter that a tile shows if it is turned, by the flags of its number.

        Tiled first exchanges columns and rows, then mirrors the columns, then the rows.
        """
        if letter not in self.directed:
            return letter
        at = self.directed.index(letter)
        if flags & _TRANSPOSED:
            at ^= 1
        if flags & (_UPSIDE_DOWN if at & 1 else _MIRRORED):
            at ^= 2
        return self.directed[at]

    def checked(self, grid: LetterGrid, where: str) -> LetterGrid:
        """Return the grid with empty cells at the ends of short rows. Raises EpcgError for other letters."""
        for y, row in enumerate(grid.rows, 1):
            for x, letter in enumerate(row, 1):
                if letter not in self.names:
                    raise EpcgError(f"{where}: '{letter}' in column {x}, row {y} has no meaning here.")
        return attrs.evolve(grid, rows=tuple(row.ljust(grid.width, self.empty) for row in grid.rows))


def write_puzzlescript(grids: Iterable[LetterGrid], alphabet: Alphabet) -> str:
    """Write the sections LEGEND and LEVELS of a PuzzleScript game, whose objects have the letters' names.

    PuzzleScript knows no capitals, so a letter may stand for another one there.
    """
    grids = [alphabet.checked(grid, "the level") for grid in grids]
    used = [letter for letter in alphabet.names if any(letter in row for grid in grids for row in grid.rows)]
    glyphs: dict[str, str] = {alphabet.empty: "."}
    for wanted in (True, False):  # first those that may stay as they are
        for letter in used:
            own = letter.lower()
            free = own in _GLYPHS and own not in glyphs.values()
            if letter not in glyphs and (free or not wanted):
                glyphs[letter] = own if free else next(g for g in _GLYPHS if g not in glyphs.values())
    legend = [
        f"{glyphs[letter]} = {alphabet.names[letter]}" for letter in dict.fromkeys([alphabet.empty, *used])
    ]
    levels: list[str] = []
    for grid in grids:
        title = " ".join(grid.title.split()).replace("(", "[").replace(")", "]")
        levels += ["", *([f"message {title}"] if title else []), ""]
        levels += ["".join(glyphs[letter] for letter in row) for row in grid.rows]
    bar = "======"
    return "\n".join([bar, "LEGEND", bar, "", *legend, "", bar, "LEVELS", bar, *levels, ""])


def read_puzzlescript(text: str, alphabet: Alphabet, where: str) -> list[LetterGrid]:
    """Read the levels of a PuzzleScript game whose legend names the alphabet's objects.

    A message becomes the title of the level after it. Raises EpcgError.
    """
    sections = _sections(text, where)
    glyphs = _legend(sections.get("legend", []))
    grids: list[LetterGrid] = []
    rows: list[str] = []
    title = ""
    for line in [*sections.get("levels", []), ""]:
        if line.lower().startswith("message"):
            title = line[len("message") :].strip()
        elif line:
            rows.append("".join(_glyph(glyphs, glyph, alphabet, where) for glyph in line.lower()))
        if rows and (not line or line.lower().startswith("message")):
            grids.append(LetterGrid(tuple(rows), title))
            rows, title = [], ""
    if not grids:
        raise EpcgError(f"{where} has no level: a section LEVELS with rows of letters is expected.")
    return [alphabet.checked(grid, where) for grid in grids]


def _glyph(glyphs: Mapping[str, str], glyph: str, alphabet: Alphabet, where: str) -> str:
    if glyph not in glyphs:
        raise EpcgError(f"{where}: '{glyph}' is not in the legend.")
    return alphabet.letter(glyphs[glyph], f"{where}: '{glyph}'")


def _sections(text: str, where: str) -> dict[str, list[str]]:
    """Return the lines of each section, without comments, bars and blanks at their ends."""
    if len(text) > 4 * MOST_CELLS:
        raise EpcgError(f"{where} is too long for a game of PuzzleScript.")
    found: dict[str, list[str]] = {}
    name = ""
    for line in re.sub(r"\([^()]*\)", "", text).splitlines():
        line = line.strip()
        if line.lower() in _SECTIONS:
            name = line.lower()
        elif not re.fullmatch(r"=+", line):
            found.setdefault(name, []).append(line)
    return found


def _legend(lines: Sequence[str]) -> dict[str, str]:
    """Return glyph -> name."""
    matches = (re.fullmatch(r"(\S)\s*=\s*(.+)", line) for line in lines)
    return {match[1].lower(): match[2].strip() for match in matches if match}
