"""Rules as written: a line of the section RULES as a tree of words and names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import TypeAlias

import attrs

from epcg_puzzlescript.language.problems import Problems, counted, quoted
from epcg_puzzlescript.language.sections import Line
from epcg_puzzlescript.language.vocabulary import Entry

Pair: TypeAlias = tuple[str, str]
"""(movement word or '', name)."""
Cell: TypeAlias = tuple[Pair, ...]
Row: TypeAlias = tuple[Cell, ...]
Side: TypeAlias = tuple[Row, ...]

ELLIPSIS: Cell = (("...", "..."),)
DIRECTIONS = ("up", "down", "left", "right")
FRONT = {
    **{word: (word,) for word in DIRECTIONS},
    "horizontal": ("left", "right"),
    "vertical": ("up", "down"),
    "orthogonal": DIRECTIONS,
}
"""The words for directions in front of a rule."""
RELATIVE = ("^", "v", "<", ">", "parallel", "perpendicular")
MOVEMENTS = (*DIRECTIONS, "action")
AMBIGUOUS = {
    "moving": MOVEMENTS,
    "orthogonal": DIRECTIONS,
    "horizontal": ("left", "right"),
    "vertical": ("up", "down"),
    "horizontal_par": ("left", "right"),
    "vertical_par": ("up", "down"),
    "horizontal_perp": ("left", "right"),
    "vertical_perp": ("up", "down"),
}
"""The words that stand for several movements; those of 'parallel' and 'perpendicular' are kept apart."""
WORDS = frozenset(
    {*RELATIVE, *MOVEMENTS, "moving", "orthogonal", "horizontal", "vertical", "stationary", "no", "random",
     "randomdir"}
)  # fmt: skip
COMMANDS = frozenset({"cancel", "checkpoint", "restart", "win", "again", "message"})
_SOUND = re.compile(r"sfx\d+\Z")
_TOKEN = re.compile(r"->|[\[\]|]|(?:(?!->)[^\s\[\]|])+")
LONGEST_LINE = 20_000


@attrs.frozen
class RuleLine:
    """A rule as written."""

    line: int
    text: str
    plus: bool
    late: bool
    rigid: bool
    random: bool
    directions: tuple[str, ...]
    left: Side
    right: Side
    commands: tuple[str, ...]


@attrs.frozen
class LoopLine:
    """'startloop' or 'endloop'."""

    line: int
    starts: bool


class _Fault(Exception):
    def __init__(self, column: int, sentence: str) -> None:
        super().__init__(sentence)
        self.column, self.sentence = column, sentence


def read_rules(
    lines: Iterable[Line], entries: Mapping[str, Entry], problems: Problems
) -> Iterator[RuleLine | LoopLine]:
    """Yield the rules and loops of the section RULES; lines with faults are left out."""
    for line in lines:
        if line.blank:
            continue
        word = line.lower.strip()
        if word in ("startloop", "endloop"):
            yield LoopLine(line.number, word == "startloop")
            continue
        try:
            yield _Reader(line, entries).rule()
        except _Fault as fault:
            problems.add(line.number, fault.column, fault.sentence)


class _Reader:
    """A reader of one line, token by token."""

    def __init__(self, line: Line, entries: Mapping[str, Entry]) -> None:
        if len(line.text) > LONGEST_LINE:
            raise _Fault(1, f"The rule is longer than {LONGEST_LINE} characters; write shorter rules.")
        self._line, self._entries = line, entries
        text = line.lower
        start = len(text) - len(text.lstrip())
        self._plus = text[start : start + 1] == "+"
        self._tokens = [
            (found.group(), found.start() + 1)
            for found in _TOKEN.finditer(text, start + 1 if self._plus else start)
        ]
        self._at = 0
        self._inner: list[str] | None = None
        """Commands that stand in cells of the right side, which count like those behind; None on the left."""

    def _word(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _column(self) -> int:
        if self._at < len(self._tokens):
            return self._tokens[self._at][1]
        return len(self._line.text.rstrip()) + 1

    def _place(self, word: str) -> int:
        """Return the column at which a word stands first; 1 if it does not."""
        return next((column for token, column in self._tokens if token == word), 1)

    def _fail(self, expected: str) -> _Fault:
        word = self._word()
        found = quoted(word) if word else "the end of the line"
        return _Fault(self._column(), f"Found {found}, but expected {expected}.")

    def rule(self) -> RuleLine:
        flags: set[str] = set()
        directions: list[str] = []
        while self._word() not in ("[", ""):
            word = self._word()
            if word in ("late", "rigid", "random"):
                flags.add(word)
            elif word in FRONT:
                directions += FRONT[word]
            elif word == "+":
                self._plus = True
            else:
                raise self._fail("a direction, 'late', 'rigid', 'random', or '['")
            self._at += 1
        left = self._side()
        if not left:
            raise self._fail("'['")
        if self._word() != "->":
            raise self._fail("'->' or '['")
        self._at += 1
        arrow = self._column()
        self._inner = []
        right = self._side()
        commands = (*self._inner, *self._commands())
        if not right and not commands:
            raise _Fault(arrow, "Nothing stands to the right of the arrow; '[' or a command was expected.")
        self._check(left, right, "late" in flags)
        return RuleLine(
            self._line.number, self._line.text.strip(), self._plus, "late" in flags, "rigid" in flags,
            "random" in flags, tuple(directions) or DIRECTIONS, left, right, commands,
        )  # fmt: skip

    def _side(self) -> Side:
        rows = []
        while self._word() == "[":
            self._at += 1
            rows.append(self._row())
        return tuple(rows)

    def _row(self) -> Row:
        cells: list[Cell] = []
        pairs: list[Pair] = []
        while True:
            word = self._word()
            if word in ("|", "]"):
                cells.append(tuple(pairs))
                pairs = []
                self._at += 1
                if word == "]":
                    return tuple(cells)
            elif (word in WORDS and word not in self._entries) or (word in WORDS and self._next_is_name()):
                self._at += 1
                name = self._word()
                if name not in self._entries:
                    raise self._fail("the name of an object after a movement")
                pairs.append((word, name))
                self._at += 1
            elif word == "...":
                pairs.append(("...", "..."))
                self._at += 1
            elif word in self._entries:
                pairs.append(("", word))
                self._at += 1
            elif self._inner is not None and word != "message" and _is_command(word):
                self._inner.append(word)
                self._at += 1
            elif word in ("", "[", "->"):
                raise self._fail("']'")
            else:
                raise self._fail("the name of an object, a movement, '|' or ']'")

    def _next_is_name(self) -> bool:
        after = self._tokens[self._at + 1][0] if self._at + 1 < len(self._tokens) else ""
        return after in self._entries

    def _commands(self) -> tuple[str, ...]:
        found = []
        while word := self._word():
            if word == "message" or word.startswith("message("):
                found.append("message")
                break
            if not _is_command(word):
                raise self._fail(
                    "a command (again, cancel, checkpoint, restart, win, message, sfx0 to sfx10)"
                )
            found.append(word)
            self._at += 1
        return tuple(found)

    def _check(self, left: Side, right: Side, late: bool) -> None:
        """Raise a fault if left and right have not the same shape, or movements stand where none may."""
        dotted, arrow = self._place("..."), self._place("->")
        for row in (*left, *right):
            dots = [index for index, cell in enumerate(row) if ("...", "...") in cell]
            if any(row[index] != ELLIPSIS for index in dots):
                raise _Fault(dotted, "'...' stands alone in its cell: write '| ... |'.")
            if dots and (dots[0] == 0 or dots[-1] == len(row) - 1):
                raise _Fault(dotted, "A row neither begins nor ends with '...'; a cell was expected there.")
            if len(dots) > 2:
                raise _Fault(dotted, f"A row has at most two '...', this one has {len(dots)}.")
            if any(second == first + 1 for first, second in pairwise(dots)):
                raise _Fault(dotted, "Two '...' follow each other; a cell was expected between them.")
        if right:
            if len(left) != len(right):
                raise _Fault(
                    arrow, f"The left side has {counted(len(left), 'row')} and the right side {len(right)}; "
                    "as many as on the left were expected.",
                )  # fmt: skip
            for number, (before, after) in enumerate(zip(left, right, strict=True), 1):
                if len(before) != len(after):
                    raise _Fault(
                        arrow, f"Row {number} has {counted(len(before), 'cell')} on the left and "
                        f"{len(after)} on the right; as many as on the left were expected.",
                    )  # fmt: skip
                if [cell == ELLIPSIS for cell in before] != [cell == ELLIPSIS for cell in after]:
                    raise _Fault(arrow, f"The '...' of row {number} stand in other places on the right.")
        for side in (left, right):
            for word, name in (pair for row in side for cell in row for pair in cell):
                if side is left and word in ("random", "randomdir"):
                    raise _Fault(self._place(word), f"{quoted(word)} may stand on the right only.")
                if late and word not in ("", "no", "random", "..."):
                    raise _Fault(
                        self._place(word), f"{quoted(word)} is a movement, which a late rule cannot have."
                    )
                if word == "no" and self._entries[name].kind == "and":
                    raise _Fault(
                        self._place(name), f"'no {name}': the name stands for several objects at once; name "
                        "one of them.",
                    )  # fmt: skip


def _is_command(word: str) -> bool:
    return word in COMMANDS or _SOUND.match(word) is not None
