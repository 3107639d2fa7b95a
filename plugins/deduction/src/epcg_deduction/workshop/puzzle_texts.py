"""Texts of a genre with its puzzles, which are changed in their place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

import attrs

from epcg_core.plugin import EpcgError, Fault, ParamsError, Piece, Sheet
from epcg_deduction.formats.own import definition_of, document_of, format_puzzle, parse_puzzle, puzzle_lines
from epcg_deduction.texts import genre_document, read, shipped
from epcg_deduction.texts.writer import written_genre, written_puzzle

MOST_PUZZLES = 2_000
TEMPLATE = "slitherlink"
"""The shipped genre that a new file begins with."""


def write_puzzle(own: str, title: str) -> str:
    """Return the text of a file with one puzzle: the whole genre, and the puzzle."""
    puzzle = parse_puzzle(own)
    if title:
        puzzle = attrs.evolve(puzzle, title=title)
    return f"{_definition(own)}\n[[puzzles]]\n{written_puzzle(puzzle)}"


def _definition(own: str) -> str:
    """Return the text that defines the genre of a puzzle, written out."""
    genre = parse_puzzle(own).genre
    return definition_of(genre.text) if genre.text else written_genre(genre)


@attrs.frozen
class _Opened:
    """A text in lines, with the lines of its puzzles, from 0: each header, and the line behind the puzzle."""

    text: str
    lines: list[str]
    spans: tuple[tuple[int, int], ...]

    @property
    def starts(self) -> tuple[int, ...]:
        return tuple(start for start, _ in self.spans)

    def span(self, number: int) -> tuple[int, int]:
        """Return the first line of a puzzle and the one behind it, without blank lines and comments."""
        first, behind = self.spans[number]
        while behind > first + 1 and not self.lines[behind - 1].split("#")[0].strip():
            behind -= 1
        return first, behind

    def own(self, number: int) -> str:
        """Return the text of one puzzle, with what defines its genre."""
        first, behind = self.span(number)
        block = "\n".join(self.lines[first + 1 : behind]).replace("[puzzles.", "[puzzle.")
        return f"{definition_of(self.text)}\n[puzzle]\n{block}\n"


def _open(text: str) -> _Opened:
    return _Opened(text, text.split("\n"), tuple(puzzle_lines(text)))


_NAMED = re.compile(r"^genre[ \t]*=", re.MULTILINE)


def _parts(text: str) -> list[str]:
    """Return the puzzles of a text in which several that name their genres stand below each other."""
    starts = [found.start() for found in _NAMED.finditer(text)]
    if len(starts) < 2 or text[: starts[0]].strip():
        return [text]
    return [text[one:other] for one, other in pairwise([0, *starts[1:], len(text)])]


def _own(piece: Piece) -> str:
    """Return a puzzle as it stands below others. Raises ParamsError if its genre has no name."""
    own = format_puzzle(parse_puzzle(piece.text))
    if not _NAMED.match(own):
        raise ParamsError("A genre of your own belongs into a file of its own, not below other puzzles.")
    return f"{own}\n"


def _below_each_other(parts: Sequence[str]) -> Sheet:
    """Return what a text holds whose puzzles name their genres."""
    pieces, faults, line = [], [], 0
    for part in parts:
        count = part.count("\n")
        found = read(part)
        faults += [attrs.evolve(fault, line=fault.line + line) for fault in found.faults]
        if found.usable and len(found.puzzles) == 1:
            pieces.append(Piece(format_puzzle(parse_puzzle(part)), lines=(line + 1, line + count)))
        elif found.usable:
            faults.append(Fault(line + 1, "A text below others has one table [puzzle]: divide it.", column=1))
        line += count
    return Sheet(tuple(pieces), tuple(sorted(faults)))


class PuzzleTexts:
    """The puzzles of a genre in a text, which are changed in their place: a `FileFormat`."""

    def read(self, text: str) -> Sheet:
        parts = _parts(text)
        if len(parts) > 1:
            return _below_each_other(parts)
        found, opened = read(text), _open(text)
        faults = tuple(sorted(found.faults))
        if len(opened.starts) > MOST_PUZZLES:
            said = f"The file holds {len(opened.starts):,} puzzles: divide them among several files."
            return Sheet((), (Fault(0, said), *faults))
        if found.genre is None or len(found.puzzles) != len(opened.starts):
            return Sheet((), faults)
        pieces = []
        for number, puzzle in enumerate(found.puzzles):
            first, behind = opened.span(number)
            try:
                own = format_puzzle(parse_puzzle(opened.own(number)))
            except EpcgError:  # the fault is told already
                own = opened.own(number)
            pieces.append(Piece(own, title=puzzle.title if puzzle else "", lines=(first + 1, behind)))
        return Sheet(tuple(pieces), faults)

    def replace(self, text: str, number: int, piece: Piece) -> str:
        parts = _parts(text)
        if len(parts) > 1:
            self._is_there(number, len(parts))
            same = parse_puzzle(parts[number]) == parse_puzzle(piece.text)
            return text if same else "".join([*parts[:number], _own(piece), *parts[number + 1 :]])
        opened = self._checked(text, piece)
        self._is_there(number, len(opened.starts))
        before, puzzle = parse_puzzle(opened.own(number)), parse_puzzle(piece.text)
        old = document_of(text).puzzles[number].title
        title = piece.title or old
        if before == puzzle and title == old:
            return text
        first, behind = opened.span(number)
        new = written_puzzle(attrs.evolve(puzzle, title=title)).rstrip("\n").split("\n")
        return "\n".join([*opened.lines[: first + 1], *new, *opened.lines[behind:]])

    def insert(self, text: str, before: int, piece: Piece) -> str:
        parts = _parts(text)
        if len(parts) > 1 and 0 <= before <= len(parts):
            return "".join([*parts[:before], _own(piece), *parts[before:]])
        opened = self._checked(text, piece)
        if not 0 <= before <= len(opened.starts):
            raise ParamsError(f"The file has {len(opened.starts)} puzzles: there is no place {before}.")
        if opened.starts and opened.lines[opened.starts[0]].strip().startswith("[puzzle]"):
            opened.lines[opened.starts[0]] = "[[puzzles]]"
        puzzle = parse_puzzle(piece.text)
        if piece.title:
            puzzle = attrs.evolve(puzzle, title=piece.title)
        new = ["[[puzzles]]", *written_puzzle(puzzle).rstrip("\n").split("\n"), ""]
        if before == len(opened.starts):
            return "\n".join(opened.lines).rstrip("\n") + "\n\n" + "\n".join(new)
        at = opened.starts[before]
        return "\n".join([*opened.lines[:at], *new, *opened.lines[at:]])

    def remove(self, text: str, number: int) -> str:
        parts = _parts(text)
        if len(parts) > 1:
            self._is_there(number, len(parts))
            return "".join([*parts[:number], *parts[number + 1 :]])
        opened = _open(text)
        if len(opened.starts) < 2:
            raise ParamsError("A file is never without a puzzle: its only one stays.")
        self._is_there(number, len(opened.starts))
        first, behind = opened.span(number)
        while behind < len(opened.lines) and not opened.lines[behind].strip():
            behind += 1
        return "\n".join([*opened.lines[:first], *opened.lines[behind:]]).rstrip("\n") + "\n"

    def new(self, piece: Piece | None = None) -> str:
        """Return the text of a genre with that puzzle; without one that of a genre to begin with."""
        if piece is None or piece.kind == "message":
            return genre_document(TEMPLATE).genre.text
        return write_puzzle(piece.text, piece.title)

    def _checked(self, text: str, piece: Piece) -> _Opened:
        """Return a text in lines. Raises ParamsError if it has faults, or if a piece does not fit it."""
        if piece.kind != "content":
            raise ParamsError("A genre has puzzles, and no messages between them.")
        opened = _open(text)
        known = document_of(text).genre
        if parse_puzzle(piece.text).genre != known:
            raise ParamsError("The puzzle is one of another genre than that of the file.")
        return opened

    def _is_there(self, number: int, count: int) -> None:
        if not 0 <= number < count:
            raise ParamsError(f"The file has {count} puzzles: there is no puzzle {number}.")


def texts_of_genres() -> Mapping[str, str]:
    """Return the text of each shipped genre, by its name."""
    return {name: genre_document(name).genre.text for name in shipped()}
