"""The text of a game, cut into sections and lines without comments."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

import attrs

from epcg_puzzlescript.language.problems import Problems, quoted

SECTIONS = ("objects", "legend", "sounds", "collisionlayers", "rules", "winconditions", "levels")
PRELUDE = "prelude"
_VALUES = ("title", "author", "homepage")
"""Settings whose values are taken as they stand."""
_MESSAGE = re.compile(r"(?<![^\s\[\]|])message(?![^\s\[\]|(])", re.IGNORECASE)


@attrs.frozen
class Line:
    """A line without its comments."""

    number: int
    """Counted from 1."""
    text: str
    """As written; columns are those of the file, because comments became blanks."""

    @property
    def lower(self) -> str:
        """The text without capitals, character by character, so that columns stay."""
        return lowered(self.text)

    @property
    def blank(self) -> bool:
        return not self.text.strip()


def lowered(text: str) -> str:
    """Return a text without capitals, of the same length."""
    small = text.lower()
    if len(small) == len(text):
        return small
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


@attrs.define
class _Cutter:
    """What is remembered from line to line."""

    depth: int = 0
    """Comments that are open."""
    opened: int = 0
    """The line in which the first of them began."""

    def without_comments(self, raw: str, number: int, section: str) -> str | None:
        """Return a line with blanks in place of comments; None if it is nothing but comments."""
        ordinary = self._ordinary_from(raw, section)
        kept, commented, end = [], self.depth > 0, len(raw)
        for column, character in enumerate(raw):
            if self.depth == 0 and column >= ordinary:
                kept.append(raw[column:])
                break
            if character == "(":
                if self.depth == 0 and section == "rules":
                    end = min(end, column)
                self.opened = number if self.depth == 0 else self.opened
                self.depth, commented = self.depth + 1, True
            elif character == ")":
                self.depth, commented = max(0, self.depth - 1), True
            elif self.depth == 0:
                kept.append(character)
                continue
            kept.append(" ")
        text = "".join(kept)[:end]
        return None if commented and not text.strip() else text

    def _ordinary_from(self, raw: str, section: str) -> int:
        """Return the column at which the text of a message or of a title begins, where parentheses stay."""
        if self.depth == 0 and section == "levels" and raw.lstrip().lower().startswith("message"):
            return len(raw) - len(raw.lstrip())
        if self.depth == 0 and section == "rules":
            found = _MESSAGE.search(raw)
            if found is not None and "(" not in raw[: found.start()]:
                return found.end()
        if self.depth == 0 and section == PRELUDE:
            words = raw.split(None, 1)
            if words and words[0].lower() in _VALUES:
                return raw.index(words[0]) + len(words[0])
        return len(raw) + 1


def cut(text: str, problems: Problems) -> tuple[dict[str, list[Line]], dict[str, int]]:
    """Return the lines of each section, without decoration and comments, and the line of each header.

    Blank lines stay, because they separate objects and levels; lines of nothing but comments do not.
    Headers that are missing become faults.
    """
    found: dict[str, list[Line]] = {name: [] for name in (PRELUDE, *SECTIONS)}
    seen: dict[str, int] = {}
    section, cutter = PRELUDE, _Cutter()
    lines = lines_of(text)
    for number, raw in enumerate(lines, 1):
        if cutter.depth == 0:
            header = raw.split("(", 1)[0].strip().lower()
            if header in SECTIONS and header not in seen:
                _check_order(header, seen, number, problems)
                seen[header] = number
                section = header
                raw = raw.lower().replace(header, " " * len(header), 1)
                cutter.without_comments(raw, number, section)
                continue
            if header in SECTIONS and section != "levels":
                problems.add(number, 1, f"The section {header.upper()} stands here a second time; keep one.")
                section = header
                continue
            if raw.lstrip().startswith("=") and (section != "levels" or not raw.strip(" \t=")):
                continue
        line = cutter.without_comments(raw, number, section)
        if line is not None:
            found[section].append(Line(number, line))
    if cutter.depth:
        problems.add(cutter.opened, 1, "A comment begins here and does not end; close it with ')'.")
    for name in SECTIONS:
        if name not in seen:
            near = _misspelt(name, lines)
            meant = f"; was {quoted(lines[near - 1].strip())} meant? Write" if near else "; write"
            problems.add(
                near or len(lines), 1, f"There is no section {name.upper()}{meant} its name alone on a line.",
                fatal=name in ("objects", "collisionlayers", "levels"),
            )  # fmt: skip
    return found, seen


def _misspelt(name: str, lines: Iterable[str]) -> int:
    """Return the number of the line that is nearly the name of a section; 0 if there is none."""
    letters: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        written = line.split("(", 1)[0].strip()
        if len(written) <= 2 * len(name):
            found = re.sub("[^a-z]", "", written.lower())
            if abs(len(found) - len(name)) <= 2:
                letters.setdefault(found, number)
    near = difflib.get_close_matches(name, letters, n=1, cutoff=0.8)
    return letters[near[0]] if near else 0


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, whatever ends them, without the mark that may begin a file."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _check_order(header: str, seen: Iterable[str], number: int, problems: Problems) -> None:
    later = [name for name in seen if SECTIONS.index(name) > SECTIONS.index(header)]
    if later:
        problems.add(
            number, 1,
            f"The section {header.upper()} stands after {later[0].upper()}; the order is "
            f"{', '.join(name.upper() for name in SECTIONS)}.",
        )  # fmt: skip
