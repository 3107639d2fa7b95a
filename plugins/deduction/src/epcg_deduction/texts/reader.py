"""Genres and puzzles as texts: TOML that a designer can read and draw.

    title = "Slitherlink"
    lattice = "squares"

    [marks]
    edges = ["line", "none"]

    [clues.n]
    on = "cells"
    values = "0..4"

    [[rules]]
    loop = "edges"

    [[rules]]
    each = "clue n"
    look = "edges"
    count = "line"
    is = "clue"

    [[puzzles]]
    drawing = '''
    ..
    .0
    '''

A text of puzzles alone names its genre: genre = "slitherlink". `read` tells every fault with its line and
column; `read_text` raises the first one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

import attrs

from epcg_core.plugin import Fault, ParamsError, UnknownNameError, documents, toml_tables
from epcg_deduction.model.boards import PLACES
from epcg_deduction.model.genre import ClueKind, Genre, Marks, RuleText
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.model.sites import DERIVED, SIZE_OF_REGION, is_span
from epcg_deduction.rules import RULES, rules_of
from epcg_deduction.texts.puzzle_tables import PuzzleReader

MOST_CHARACTERS = 1_000_000
_TOP = ("title", "author", "about", "genre", "lattice", "walls", "marks", "clues", "numbers", "rules")
_PUZZLES = ("puzzle", "puzzles")
_MARKS = ("cells", "edges", "links", "pieces")
_RESERVED = (
    *("n", "size", "drawing", "regions", "boxes", "borders", "rows", "columns", "top", "bottom", "left"),
    *("right", "room", "title"),
)
"""Keys of puzzles, which a kind of clues in regions cannot have as its name (n may)."""


class DeductionTextError(ParamsError):
    """A text has a serious fault; the message begins with its line and column."""


@attrs.frozen
class Document:
    """A text that was read: a genre, puzzles of it, and notes, which are no faults."""

    genre: Genre
    puzzles: tuple[Puzzle, ...]
    notes: tuple[Fault, ...] = ()


@attrs.frozen
class Reading:
    """A text as far as it could be read."""

    genre: Genre | None
    """None if its marks, clues or rules have a serious fault."""
    puzzles: tuple[Puzzle | None, ...]
    """None for a puzzle that has a serious fault."""
    faults: tuple[Fault, ...]
    """All faults and notes, by line."""

    @property
    def usable(self) -> bool:
        """Whether nothing serious is wrong."""
        return self.genre is not None and not any(fault.serious for fault in self.faults)


def read_text(text: str, name: str = "") -> Document:
    """Return the genre and the puzzles of a text.

    Args:
        text: the text, which is TOML.
        name: the name of its genre, if it defines one; also named in messages.

    Returns:
        The genre, its puzzles and the notes.

    Raises:
        DeductionTextError: there is a serious fault; the message begins with its line and column.
    """
    found = read(text, name)
    serious = [fault for fault in found.faults if fault.serious]
    if serious or found.genre is None:
        fault = serious[0]
        place = f"line {fault.line}, column {fault.column}: " if fault.line else ""
        more = f" There are {len(serious) - 1} more faults." if len(serious) > 2 else ""
        more = more or " There is another fault." * (len(serious) == 2)
        raise DeductionTextError(f"{name + ', ' if name else ''}{place}{fault.message}{more}")
    puzzles = tuple(puzzle for puzzle in found.puzzles if puzzle is not None)
    return Document(found.genre, puzzles, found.faults)


def read(text: str, name: str = "") -> Reading:
    """Return the genre and the puzzles of a text as far as they can be told, and all faults."""
    if len(text) > MOST_CHARACTERS:
        return Reading(None, (), (Fault(0, f"The text is longer than {MOST_CHARACTERS:,} characters."),))
    table, faults = toml_tables.parsed(text)
    if faults:
        return Reading(None, (), faults)
    reader = _Reader(toml_tables.Places(text))
    genre = reader.genre(table, name, text)
    puzzles = reader.puzzles(genre, table) if genre is not None else ()
    return Reading(genre, puzzles, tuple(sorted(reader.faults, key=lambda fault: (fault.line, fault.column))))


def shipped() -> dict[str, FilePath]:
    """Return the files of the genres that are shipped, by name."""
    folder = FilePath(__file__).parent.parent / "genres"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


_GENRES: dict[str, Document] = {}


def genre_document(name: str) -> Document:
    """Return a shipped genre with its puzzles. Raises UnknownNameError if there is none of this name."""
    if name not in _GENRES:
        known = shipped()
        if name not in known:
            raise UnknownNameError("genre", name, known)
        _GENRES[name] = read_text(documents.read_text(known[name], "genre"), name)
    return _GENRES[name]


class _Reader(PuzzleReader):
    """Reads tables, and gathers faults with their places."""

    def genre(self, table: Mapping[str, Any], name: str, text: str) -> Genre | None:
        """Return the genre that a text defines or names; None after a serious fault."""
        self.keys(table, (*_TOP, *_PUZZLES), ())
        if "genre" in table:
            return self._named(table)
        lattice = self.text(table, "lattice", (), "squares")
        if lattice != "squares":
            self.fault(("lattice",), toml_tables.sentence(UnknownNameError("lattice", lattice, ("squares",))))
        if not isinstance(table.get("marks"), Mapping):
            self.fault(("marks",), "A genre needs marks: write [marks] with cells, edges or links = ...")
            return None
        genre = Genre(
            name=name or _word(self.text(table, "title", ())),
            title=self.text(table, "title", (), name),
            marks=self._marks(table["marks"]),
            clues=self._clues(table),
            rules=self._rules(table),
            walls=self.text(table, "walls", ()),
            lattice=lattice,
            text=text,
            numbers=self._numbers(table),
            about=self.text(table, "about", ()),
        )
        before = sum(fault.serious for fault in self.faults)
        for rule in rules_of(genre) if before == 0 else ():
            if self._typed(rule.index, rule.fields, rule.given):
                for fault in rule.faults():
                    path = ("rules", rule.index, *((fault.field,) if fault.field else ()))
                    self.fault(path, fault.message, fault.serious)
        return None if any(fault.serious for fault in self.faults) else genre

    def _named(self, table: Mapping[str, Any]) -> Genre | None:
        for key in table:
            if key in _TOP[3:] and key != "genre":
                said = f"A text that names its genre does not define one: leave '{key}' away, or 'genre'."
                self.fault((key,), said)
        try:
            return genre_document(self.text(table, "genre", ())).genre
        except UnknownNameError as error:
            self.fault(("genre",), toml_tables.sentence(error))
            return None

    def puzzles(self, genre: Genre, table: Mapping[str, Any]) -> tuple[Puzzle | None, ...]:
        """Return the puzzles of `[puzzle]` or `[[puzzles]]`."""
        found: list[Puzzle | None] = []
        for key in _PUZZLES:
            own = table.get(key, [])
            listed = own if isinstance(own, list) else [own]
            for number, each in enumerate(listed):
                path: toml_tables.Path = (key, number) if isinstance(own, list) else (key,)
                if isinstance(each, Mapping):
                    found.append(self.puzzle(genre, each, path))
                else:
                    self.fault(path, f"'{key}' is a table: write [{key}] or [[puzzles]] above its keys.")
            if key in table and not any(path[0] == key for path, _ in self.places.tables):
                self.fault((key,), f"'{key}' stands in a line: write [{key}] above its keys, a line each.")
        if all(key in table for key in _PUZZLES):
            self.fault(("puzzles",), "A text has one [puzzle], or several [[puzzles]]: write the latter.")
        return tuple(found)

    # ---- the parts of a genre

    def _marks(self, table: Mapping[str, Any]) -> Marks:
        self.keys(table, _MARKS, ("marks",))
        cells = table.get("cells", ())
        digits = isinstance(cells, str)
        if digits:
            ends = cells.replace(SIZE_OF_REGION, "n").split("..")
            if len(ends) != 2 or not all(re.fullmatch(r"\s*\w+\s*", end) for end in ends):
                said = f'Digits are written as in "1..n" or "1..9", not {toml_tables.shown(cells)}.'
                self.fault(("marks", "cells"), said)
        marks = Marks(
            cells if digits else self._names(table, "cells"),
            self._names(table, "edges"),
            self._names(table, "links"),
            self.flag(table, "pieces", ("marks",)) if "pieces" in table else False,
        )
        if not (marks.cells or marks.edges or marks.links or marks.pieces):
            self.fault(
                ("marks",), "The solver writes nothing: give marks of cells, edges or links, or pieces."
            )
        for name in DERIVED if marks.links and not isinstance(marks.cells, str) else ():
            if name in marks.cells:
                self.fault(
                    ("marks", "cells"), f"'{name}' follows from the lines of a cell: use another name."
                )
        return marks

    def _names(self, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
        found = table.get(key, [])
        good = isinstance(found, list) and all(
            isinstance(name, str) and re.fullmatch(r"\S+", name) for name in found
        )
        if not good or (found and (len(found) < 2 or len(set(found)) < len(found))):
            said = f'\'{key}\' are two or more names, the filled one first, as in ["shaded", "blank"]'
            self.fault(("marks", key), f"{said}, not {toml_tables.shown(found)}.")
            return ()
        return tuple(found)

    def _clues(self, table: Mapping[str, Any]) -> dict[str, ClueKind]:
        kinds = {}
        for name, own in self.table(table, "clues").items():
            path = ("clues", name)
            if not isinstance(own, Mapping):
                self.fault(path, f"'{name}' is a table: write [clues.{name}] with on = ... and values = ...")
                continue
            self.keys(own, ("on", "values"), path)
            on, values = self.text(own, "on", path), self.text(own, "values", path)
            if on not in PLACES:
                self.fault(
                    (*path, "on"), toml_tables.sentence(UnknownNameError("place of clues", on, PLACES))
                )
                continue
            if on == "regions" and name in _RESERVED and name != "n":
                self.fault(path, f"Clues in regions cannot be called '{name}', which is a key of puzzles.")
            if not self._good_values(values):
                said = 'Values are a span such as "0..4", signs such as "WB", "lists", or "arrows 0..n"'
                self.fault((*path, "values"), f"{said}, not {toml_tables.shown(values)}.")
            kinds[name] = ClueKind(name, on, values)
        return kinds

    def _good_values(self, values: str) -> bool:
        if values == "lists":
            return True
        if values.startswith("arrows"):
            return is_span(values.removeprefix("arrows").strip() or "0..")
        if ".." in values:
            return is_span(values)
        return bool(values) and not set(values) & set(" .#_?\\") and len(set(values)) == len(values)

    def _numbers(self, table: Mapping[str, Any]) -> dict[str, int]:
        named = self.table(table, "numbers")
        return {name: self.whole(value, ("numbers", name), 0, 10**6, 0) for name, value in named.items()}

    def _rules(self, table: Mapping[str, Any]) -> tuple[RuleText, ...]:
        listed = table.get("rules", [])
        if not isinstance(listed, list) or not all(isinstance(each, Mapping) for each in listed):
            self.fault(("rules",), "Rules are tables: write [[rules]] above each of them.")
            return ()
        if not listed:
            self.fault(("rules",), "A genre needs rules: write [[rules]] above each of them.")
        found = []
        for number, own in enumerate(listed):
            named = [key for key in own if key in RULES]
            if len(named) == 1:
                found.append(RuleText(named[0], dict(own)))
                continue
            known = ", ".join(RULES)
            said = "A rule has one kind" if named else "The kind of this rule is missing"
            self.fault(("rules", number), f"{said}: give one of {known}.")
        return tuple(found)

    def _typed(self, number: int, known: Mapping[str, str], given: Mapping[str, Any]) -> bool:
        """Tell fields that are unknown or of another type; return whether there are none."""
        before = len(self.faults)
        self.keys(given, tuple(known), ("rules", number))
        for key, value in given.items():
            kind = known.get(key, "")
            types = {"text": str, "number": int, "table": Mapping, "flag": bool}
            allowed = tuple(types[word] for word in kind.split(" or ")) if kind else (object,)
            fits = isinstance(value, allowed) and (not isinstance(value, bool) or kind in ("flag", ""))
            if not fits or (kind == "flag" and value is not True):
                wanted = "true" if kind == "flag" else f"a {kind.replace(' or ', ' or a ')}"
                self.fault(("rules", number, key), f"'{key}' is {wanted}, not {toml_tables.shown(value)}.")
        return len(self.faults) == before


def _word(title: str) -> str:
    """Return a title as a word for files and commands."""
    return re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_") or "genre"
