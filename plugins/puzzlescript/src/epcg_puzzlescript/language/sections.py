"""The text of a game, cut into sections and lines without comments."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

import attrs

from epcg_puzzlescript.language.problems import Effect, Problems, quoted

SECTIONS = ("objects", "legend", "sounds", "collisionlayers", "rules", "winconditions", "levels")
PRELUDE = "prelude"
FIRST_SOUNDS = "first sounds"
"""The key of the first header SOUNDS among the lines of headers: rules know names from there on."""
_NEEDED = ("objects", "collisionlayers", "levels")
"""Without one of these sections nothing is played."""
_MESSAGE = re.compile(r"(?<![^\s\[\]|])message(?![^\s\[\]|])", re.IGNORECASE)
_HEADER = re.compile(rf"\s*({'|'.join(SECTIONS)})(?!\w)\s*", re.IGNORECASE)
_INSIDE = re.compile(rf"(?<![^\s,=])(?:{'|'.join(SECTIONS)})(?!\w)", re.IGNORECASE)
"""The name of a section inside a line, which is read over in the first four sections."""
_DECORATION = re.compile(r"\s*=+\s*")
_RULE_WORD = re.compile(r"->|[\[\]|+\s]|[^\s\[\]|()+][^\s\[\]|]*")
"""A word of a rule: a bracket inside of it belongs to it, and begins or ends no comment."""
_COMMENT = "\0"
"""Stands for each character of a comment; a text with this character of its own is refused."""


@attrs.frozen
class Line:
    """A line of a section."""

    number: int
    """Counted from 1."""
    text: str
    """As written, with blanks in place of comments, so that columns are those of the file."""
    marked: str = ""
    """The same with a character of number 0 in place of each character of a comment."""
    run: str = ""
    """As rules and conditions are read: the first stretch without '(', from the first character that is not
    blank; comments before it leave their words, and nothing behind it counts. Columns stay."""

    @property
    def lower(self) -> str:
        """The text without capitals, character by character, so that columns stay."""
        return lowered(self.text)

    @property
    def blank(self) -> bool:
        return not self.text.strip()

    @property
    def commented(self) -> bool:
        """Whether a comment stands in the line."""
        return _COMMENT in self.marked


def lowered(text: str) -> str:
    """Return a text without capitals, of the same length."""
    small = text.lower()
    if len(small) == len(text):
        return small
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


@attrs.define
class _Cutter:
    """The state that is kept from line to line."""

    problems: Problems
    depth: int = 0
    """Comments that are open."""
    opened: int = 0
    """The line in which the first of them began."""

    def line(self, raw: str, number: int, section: str) -> Line | None:
        """Return a line of a section; None if it is nothing but comments."""
        run = _run(raw) if section in ("rules", "winconditions") else ""
        if self.depth == 0 and "(" not in raw and ")" not in raw:
            return Line(number, raw, raw, run)
        ordinary = self._ordinary_from(raw, section)
        kept, commented = [], self.depth > 0
        column = 0
        while column < len(raw):
            if self.depth == 0 and column >= ordinary:
                kept.append(raw[column:])
                break
            word = _RULE_WORD.match(raw, column) if section == "rules" and self.depth == 0 else None
            if word is None:
                name = section == "legend" and column > 0 and re.fullmatch(r"[^=\s(]+", raw[:column].lstrip())
                piece, parenthesis = self._character(raw[column], number, column, section, bool(name))
                commented |= parenthesis
            else:
                piece = word[0]
            kept.append(piece)
            column += len(piece)
        marked = "".join(kept)
        text = marked.replace(_COMMENT, " ")
        if commented and not text.replace(")", " ").strip():
            return None
        return Line(number, text, marked, run)

    def _character(
        self, character: str, number: int, column: int, section: str, belongs: bool
    ) -> tuple[str, bool]:
        """Return what stands for a character, and whether it begins or ends a comment.

        `belongs` says that it is part of a name of the legend, if no comment is open.
        """
        if character == "(":
            self.opened = number if self.depth == 0 else self.opened
            self.depth += 1
            return _COMMENT, True
        if character != ")" or (belongs and self.depth == 0):
            return _COMMENT if self.depth else character, False
        if self.depth == 0:
            self._unmatched(number, column)
            return character if section in ("rules", "levels") else " ", True
        self.depth -= 1
        return _COMMENT, True

    def _unmatched(self, number: int, column: int) -> None:
        self.problems.add(
            number, column + 1, "A comment ends here, but none is open; '(' was expected before it.",
            errors=0, warnings=1, effect="none",  # where the sign stays in the text it is told again
        )  # fmt: skip

    def _ordinary_from(self, raw: str, section: str) -> int:
        """Return the column at which the text of a message begins, in which parentheses stay."""
        if self.depth == 0 and section == "levels" and raw.lstrip().lower().startswith("message"):
            return len(raw) - len(raw.lstrip())
        if self.depth == 0 and section == "rules":
            found = _MESSAGE.search(raw)
            if found is not None and "(" not in raw[: found.start()]:
                return found.end()
        return len(raw) + 1


def _run(raw: str) -> str:
    start = len(raw) - len(raw.lstrip())
    while raw[start : start + 1] == "(":
        start += 1
    end = raw.find("(", start)
    return " " * start + raw[start : end if end >= 0 else len(raw)]


def cut(text: str, problems: Problems) -> tuple[dict[str, list[Line]], dict[str, int]]:
    """Return the lines of each section, without decoration and comments, and the line of each header.

    Blank lines stay, because they separate objects and levels; lines of nothing but comments do not. A
    section that stands twice goes on, and its header is the first one, but for SOUNDS, of which the last
    counts. Headers that are missing become faults.
    """
    found: dict[str, list[Line]] = {name: [] for name in (PRELUDE, *SECTIONS)}
    seen: dict[str, int] = {}
    section, cutter = PRELUDE, _Cutter(problems)
    lines = lines_of(text)
    orders: list[tuple[str, int]] = []
    for number, written in enumerate(lines, 1):
        raw = written.replace("\ufeff", " ")  # a mark of the byte order is a blank
        if cutter.depth == 0:
            header = _HEADER.match(raw) if section != "levels" else None
            if header is not None:
                section = header[1].lower()
                _check_order(section, seen, number, problems)
                orders += _before_missing(section, seen, number)
                if section == "objects":
                    found[section].append(Line(number, ""))  # ends the object above a second header
                if section == "sounds":
                    seen.setdefault(FIRST_SOUNDS, number)
                if section not in seen or section == "sounds":
                    seen[section] = number
                _rest(cutter, raw, header.end(), number, f"the name of the section {section.upper()}")
                continue
            decoration = _DECORATION.match(raw)
            if decoration is not None and (section != "levels" or not raw.strip(" \t=")):
                _rest(cutter, raw, decoration.end(), number, "a line of '='")
                continue
        line = cutter.line(raw, number, section)
        if line is not None and not _decorates(line, section):
            found[section].append(_without_headers(line, section, problems))
    if cutter.depth:
        hides = any(name in _NEEDED and name not in seen for name in SECTIONS)
        sentence = "A comment begins here and does not end; close it with ')'."
        effect: Effect = "none" if cutter.opened > seen.get("levels", cutter.opened) else "word"
        problems.add(cutter.opened, 1, sentence, errors=0, fatal=hides, effect=effect)
    for missing, number in orders:
        if missing in seen or missing not in _NEEDED:  # otherwise that it is missing says enough
            after = SECTIONS[SECTIONS.index(missing) + 1].upper()
            problems.add(
                number, 1, f"The section {after} stands here without {missing.upper()} before it; the order "
                f"is {_ORDER}.", effect="none",
            )  # fmt: skip
    for name in SECTIONS:
        if name not in seen:
            near = _misspelt(name, lines)
            meant = f"; was {quoted(lines[near - 1].strip())} meant? Write" if near else "; write"
            problems.add(
                near or len(lines), 1, f"There is no section {name.upper()}{meant} its name alone on a line.",
                errors=0, fatal=name in _NEEDED,
            )  # fmt: skip
    return found, seen


def _without_headers(line: Line, section: str, problems: Problems) -> Line:
    """Return a line of names with blanks in place of the names of sections, which are told."""
    if section not in ("objects", "legend", "sounds", "collisionlayers"):
        return line
    for found in _INSIDE.finditer(line.text):
        if section == "objects" and found.start() and not line.text[found.start() - 1].isspace():
            continue  # part of a further name
        problems.add(
            line.number, found.start() + 1, f"{quoted(found[0])} is the name of a section and is read over; "
            "it stands alone on a line.", errors=0,
        )  # fmt: skip
        blank = " " * len(found[0])
        text, marked = (
            kept[: found.start()] + blank + kept[found.end() :] for kept in (line.text, line.marked)
        )
        line = attrs.evolve(line, text=text, marked=marked)
    return line


def _decorates(line: Line, section: str) -> bool:
    """Return whether a line is decoration behind a comment."""
    if not line.commented or not line.text.lstrip().startswith("="):
        return False
    return section != "levels" or not line.text.strip(" \t=")


def _rest(cutter: _Cutter, raw: str, end: int, number: int, what: str) -> None:
    """Read over what stands behind a header or decoration; words there are a fault."""
    rest = cutter.line(" " * end + raw[end:], number, "")
    if rest is not None and not rest.blank:
        column = 1 + len(rest.text) - len(rest.text.lstrip())
        cutter.problems.add(
            number, column, f"{quoted(rest.text.strip())} stands behind {what} and is ignored; the end of "
            "the line was expected.",
        )  # fmt: skip


def _misspelt(name: str, lines: Iterable[str]) -> int:
    """Return the number of the line that is nearly the name of a section; 0 if there is none."""
    letters: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        written = line.split("(", 1)[0].strip()
        if written.lower() != name and len(written) <= 2 * len(name):  # else it stands in a comment
            found = re.sub("[^a-z]", "", written.lower())
            if abs(len(found) - len(name)) <= 2:
                letters.setdefault(found, number)
    near = difflib.get_close_matches(name, letters, n=1, cutoff=0.8)
    return letters[near[0]] if near else 0


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, whatever ends them, without the mark that may begin a file."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


_ORDER = ", ".join(name.upper() for name in SECTIONS)


def _check_order(header: str, seen: Iterable[str], number: int, problems: Problems) -> None:
    name = header.upper()
    if header in seen:
        problems.add(
            number, 1, f"The section {name} stands here a second time; keep one.", effect="none"
        )  # fmt: skip
    if header == SECTIONS[0] and seen:
        problems.add(
            number, 1, f"The section {name} must be the first; the order is {_ORDER}.", effect="none"
        )  # fmt: skip


def _before_missing(header: str, seen: Iterable[str], number: int) -> list[tuple[str, int]]:
    """Return the section that should stand before a header, and the header's line, if it does not."""
    at = SECTIONS.index(header)
    return [(SECTIONS[at - 1], number)] if at and SECTIONS[at - 1] not in seen else []
