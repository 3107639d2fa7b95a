"""A game's text as a file that holds puzzles, each of which is changed in its place.

The puzzles are the tables [[puzzles]] at the end of the text. A file without any holds one, the empty board.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import attrs

from epcg_core.plugin import EpcgError, Fault, ParamsError, Piece, Sheet, Workshop, documents
from epcg_tangram.formats.boards import RULES, format_parts, placements_of, split_parts
from epcg_tangram.params import GameRef
from epcg_tangram.texts.game_files import PUZZLES, is_text, shipped_games, text_of, without_puzzles
from epcg_tangram.texts.game_text import read_game
from epcg_tangram.texts.toml_edits import Table, edited, set_keys

MOST_PUZZLES = 2_000
MOST_CHARACTERS = 30_000_000
"""The texts of a file's puzzles, each of which repeats the game, have so many characters together at most."""
_HEADER = re.compile(rf"[ \t]*\[\[[ \t]*{PUZZLES}[ \t]*\]\]")
_TITLE = re.compile(r"^title[ \t]*=[ \t]*(\"[^\"\n]*\"|'[^'\n]*')[ \t]*(#.*)?$", re.MULTILINE)
_PART = re.compile(r"^[ \t]*(\[[ \t]*board[ \t]*\]|\[\[[ \t]*pieces[ \t]*\]\])", re.MULTILINE)
"""The header of a board or of a piece, without which a text with faults is not taken for a game of pieces."""
_TEMPLATE = "first-steps"
"""The shipped game that a new file begins with."""


def read_puzzles(text: str, name: str) -> list[str]:
    """Return the text of each puzzle of a game's file. Raises ParamsError."""
    found = PackingFile().read(text)
    serious = [fault for fault in found.faults if fault.serious]
    if serious:
        raise ParamsError(f"{name}: line {serious[0].line}: {serious[0].message}")
    shipped = {without_puzzles(text_of(name)): name for name in shipped_games()}
    return [_by_name(piece.text, shipped) for piece in found.pieces]


def _by_name(own: str, shipped: Mapping[str, str]) -> str:
    """Return the text of a puzzle, which calls its game by its name if it is one that is shipped."""
    game, parts = split_parts(own)
    name = shipped.get(game.game)
    return own if name is None else format_parts(GameRef(name, game.sizes), parts)


def write_puzzle(own: str, title: str) -> str:
    """Return the text of a game with one puzzle; of a game that is named, the text of that game."""
    game, parts = split_parts(own)
    if is_text(own.strip()):
        return own
    return format_parts(GameRef(text_of(game.game, game.sha256), game.sizes), parts)


@attrs.frozen
class _Opened:
    """A text in lines, with where its puzzles stand."""

    lines: list[str]
    starts: tuple[int, ...]
    """The lines of the headers, from 0."""

    @property
    def head(self) -> str:
        return "\n".join(self.lines[: self.starts[0]] if self.starts else self.lines).rstrip() + "\n"

    def span(self, number: int) -> tuple[int, int]:
        """Return the lines (first, behind the last) of a puzzle.

        Blank lines and comments at its end are left out: they belong to what follows.
        """
        first = self.starts[number]
        behind = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.lines)
        while behind > first + 1 and not self.lines[behind - 1].split("#")[0].strip():
            behind -= 1
        return first, behind

    def block(self, number: int) -> str:
        first, behind = self.span(number)
        return "\n".join(self.lines[first:behind]) + "\n"


def _open(text: str) -> _Opened:
    lines = text.split("\n")
    return _Opened(lines, tuple(n for n, line in enumerate(lines) if _HEADER.match(line)))


class PackingFile:
    """The puzzles of a game of pieces. Implements `FileFormat` and `HasWorkshop`."""

    @property
    def workshop(self) -> Workshop:
        """The board and the pieces, to be painted."""
        from epcg_tangram.workshop.canvases import PackingWorkshop

        return PackingWorkshop()

    def read(self, text: str) -> Sheet:
        opened = _open(text)
        found = read_game(text)
        faults = list(found.faults)
        head = opened.head
        if len(opened.starts) > MOST_PUZZLES or len(head) * len(opened.starts) > MOST_CHARACTERS:
            said = (
                f"The file holds {len(opened.starts):,} puzzles, which is too much to open them one by one; "
                "divide them among several files."
            )
            return Sheet((), (Fault(0, said), *faults))
        if not found.usable and not _PART.search(text):
            return Sheet((), tuple(sorted(faults)))
        titled = _TITLE.search(head)
        title = titled[1][1:-1] if titled else ""
        if not opened.starts:
            return Sheet((Piece(head, lines=(1, len(opened.lines))),), tuple(faults), title=title)
        pieces = []
        for number in range(len(opened.starts)):
            first, behind = opened.span(number)
            block = opened.block(number)
            own = head + "\n" + block
            named = _TITLE.search(block)
            pieces.append(
                Piece(own, title="" if named is None else named[1][1:-1], lines=(first + 1, behind))
            )
            try:
                if found.usable:
                    check_puzzle(own)
            except EpcgError as error:
                faults.append(Fault(first + 1, str(error), column=1))
        return Sheet(tuple(pieces), tuple(sorted(faults)), title=title)

    def replace(self, text: str, number: int, piece: Piece) -> str:
        opened = self._checked(text, piece)
        new = self._block(piece)
        if not opened.starts:
            self._is_there(number, 1)
            return text if not new else text.rstrip("\n") + "\n\n" + new
        self._is_there(number, len(opened.starts))
        wanted = _puzzle(piece.text)

        def change(document: Table) -> None:
            table = document[PUZZLES][number]
            title = {"title": table["title"].unwrap()} if "title" in table else {}
            set_keys(table, title | wanted)

        return edited(text, change)

    def insert(self, text: str, before: int, piece: Piece) -> str:
        opened = self._checked(text, piece)
        count = max(1, len(opened.starts))
        if not 0 <= before <= count:
            raise ParamsError(f"The game has {count} puzzles: there is no place {before}.")
        new = self._block(piece) or f"[[{PUZZLES}]]\n"
        if not opened.starts:
            own = [f"[[{PUZZLES}]]\n", new] if before == 1 else [new, f"[[{PUZZLES}]]\n"]
            return text.rstrip("\n") + "\n\n" + "\n".join(own)
        if before == len(opened.starts):
            return text.rstrip("\n") + "\n\n" + new
        at = opened.starts[before]
        return "\n".join([*opened.lines[:at], *new.split("\n"), *opened.lines[at:]])

    def remove(self, text: str, number: int) -> str:
        opened = _open(text)
        if len(opened.starts) < 2:
            raise ParamsError(
                "A game is never without a board: its only puzzle stays. Put its pieces away instead."
            )
        self._is_there(number, len(opened.starts))
        first, behind = opened.span(number)
        while behind < len(opened.lines) and not opened.lines[behind].strip():
            behind += 1
        lines = [*opened.lines[:first], *opened.lines[behind:]]
        return "\n".join(lines).rstrip("\n") + "\n"

    def new(self, piece: Piece | None = None) -> str:
        """Return the text of a game with that puzzle; without one that of a small game to begin with."""
        if piece is None or piece.kind == "message":
            return shipped_games()[_TEMPLATE].read_text(encoding="utf-8")
        check_puzzle(piece.text)
        return write_puzzle(piece.text, "")

    def _checked(self, text: str, piece: Piece) -> _Opened:
        """Return a text in lines. Raises ParamsError if it has faults, or if a piece does not fit it."""
        if piece.kind != "content":
            raise ParamsError("A game of pieces has puzzles, and no messages between them.")
        found = read_game(text)
        if not found.usable:
            fault = next(fault for fault in found.faults if fault.serious)
            raise ParamsError(f"line {fault.line}: {fault.message}")
        opened = _open(text)
        if without_puzzles(piece.text) != without_puzzles(text):
            raise ParamsError("The puzzle is one of another game than that of the file.")
        check_puzzle(piece.text)
        return opened

    def _block(self, piece: Piece) -> str:
        """Return the table of a content's puzzle; '' of an empty board."""
        opened = _open(piece.text)
        return opened.block(0) if opened.starts else ""

    def _is_there(self, number: int, count: int) -> None:
        if not 0 <= number < count:
            raise ParamsError(f"The game has {count} puzzles: there is no puzzle {number}.")


def _puzzle(text: str) -> dict[str, Any]:
    """Return the keys of the puzzle of a content, without a title."""
    puzzles = documents.parse_toml(text, "The puzzle", ParamsError).get(PUZZLES, [{}])
    return {key: value for key, value in puzzles[0].items() if key != "title"}


def check_puzzle(text: str) -> None:
    """Check the puzzle of a text without asking what completes it. Raises ParamsError."""
    game, parts = split_parts(text)
    names = game.definition.names
    shown = []
    for part in parts:
        word, _, rest = part.partition(" ")
        if word == "without" and rest not in names:
            raise ParamsError(f"There is no piece '{rest}' to do without.")
        if word not in ("without", *RULES):
            shown.append(part)
    placements_of(game, shown)
