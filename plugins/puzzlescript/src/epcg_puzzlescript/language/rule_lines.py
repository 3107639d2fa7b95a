"""Rules as written: a line of the section RULES as a tree of words and names.

A word that does not fit is told and read over, and the rest of the line is in force, as the reference engine
has it; what it does with each slip was found by experiment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial

import attrs

from epcg_core.plugin import counted
from epcg_puzzlescript.language.memory import RuleMemory
from epcg_puzzlescript.language.problems import Effect, Problems, quoted
from epcg_puzzlescript.language.rule_trees import DOTS, ELLIPSIS, Cell, LoopLine, Pair, Row, RuleLine, Side
from epcg_puzzlescript.language.rule_words import (
    DIRECTIONS,
    FRONT,
    RELATIVE,
    SOUND,
    WORDS,
    is_command,
    misfits,
)
from epcg_puzzlescript.language.sections import Line, lowered
from epcg_puzzlescript.language.vocabulary import Vocabulary

_TOKEN = re.compile(r"->|[\[\]|]|(?:(?!->)[^\s\[\]|])+")
_ALL_COMMANDS = "again, cancel, checkpoint, restart, win, message, sfx0 to sfx10"
_BEFORE = ("late", "rigid", "random")
LONGEST_LINE = 20_000
MOST_DOTS = 2
"""Ellipses of a row."""


def read_rules(
    lines: Iterable[Line],
    vocabulary: Vocabulary,
    sounds: frozenset[str],
    problems: Problems,
    memory: RuleMemory,
) -> Iterator[RuleLine | LoopLine]:
    """Yield rules and loops. `sounds` are the events that have one, `memory` is of the same vocabulary."""
    first = True
    for line in lines:
        if line.blank:
            continue
        word = line.run.strip().lower()
        if word in ("startloop", "endloop") and not line.commented:
            yield LoopLine(line.number, word == "startloop")
            continue
        if len(line.text) > LONGEST_LINE:
            sentence = f"The rule is longer than {LONGEST_LINE} characters; write shorter rules."
            problems.add(line.number, 1, sentence, effect="rule")
            continue
        key = line.text, line.marked, line.run, sounds, first, vocabulary.is_known_in(line.number)
        make = partial(_read, line, vocabulary, sounds, first)
        rule = memory.result(key, line.number, problems, make)
        if rule is not None:
            first = False
            yield rule if rule.line == line.number else attrs.evolve(rule, line=line.number)


def _read(
    line: Line, vocabulary: Vocabulary, sounds: frozenset[str], first: bool, problems: Problems
) -> RuleLine | None:
    try:
        return _Reader(line, vocabulary, sounds, first, problems).rule()
    except _Dropped:
        return None


class _Dropped(Exception):
    """The rest of the line makes no rule."""


class _Reader:
    """A reader of one line, token by token."""

    def __init__(
        self, line: Line, vocabulary: Vocabulary, sounds: frozenset[str], first: bool, problems: Problems
    ) -> None:
        self._line, self._vocabulary, self._sounds, self._problems = line, vocabulary, sounds, problems
        self._first = first
        run = lowered(line.run)
        start = len(run) - len(run.lstrip())
        joined = run[start : start + 1] == "+"
        self._tokens = [("+", start + 1)] if joined else []
        self._tokens += [(found.group(), found.start() + 1) for found in _TOKEN.finditer(run, start + joined)]
        self._at = 0
        self._plus = self._late = self._rigid = self._random = False
        self._directions: list[str] = []
        self._cell: list[str] = []
        """Words and names by turns; of odd length after a movement that still has no object."""
        self._row: list[list[str]] = []
        self._open = False
        self._depth = 0
        self._behind = False
        """The arrow was read."""
        self._left: list[list[list[str]]] = []
        self._right: list[list[list[str]]] = []
        self._commands: list[str] = []
        below = vocabulary.is_known_in(line.number)
        self._misfits = dict(misfits(line.lower, lambda word: below and vocabulary.knows(word)))
        """Words that are errors wherever they stand and are not told yet, with their columns."""
        self._counted: set[str] = set()
        """Kinds of faults of which the reference engine counts one a line, whatever the words are."""

    def _tell(
        self, sentence: str, errors: int = 1, warnings: int = 0, effect: Effect = "word", column: int = 0,
        once: str = "", cause: bool = False,
    ) -> None:  # fmt: skip
        if once in self._counted:
            errors = warnings = 0
        elif once:
            self._counted.add(once)
        if not column:
            column = self._tokens[self._at][1] if self._at < len(self._tokens) else self._end()
        self._problems.add(
            self._line.number, column, sentence, errors=errors, warnings=warnings, effect=effect, cause=cause
        )

    def _end(self) -> int:
        return len(self._line.text.rstrip()) + 1

    def _drop(self, sentence: str, errors: int = 1, warnings: int = 0, column: int = 0) -> _Dropped:
        self._tell(f"{sentence} The rule is left out.", errors, warnings, "rule", column)
        return _Dropped()

    def rule(self) -> RuleLine:
        """Return the rule of the line. Raises _Dropped if it has none."""
        try:
            return self._rule()
        finally:
            for word, column in self._misfits.items():
                self._tell(
                    f"{quoted(word)} is not a word of a rule; write blanks around words.",
                    column=column, cause=True,
                )  # fmt: skip

    def _rule(self) -> RuleLine:
        words = [token for token, _ in self._tokens]
        if "->" not in words:
            missing = "There is no '->', which stands between what is looked for and what it becomes."
            if self._line.commented or "(" in self._line.text:
                raise self._drop(f"{missing} A rule ends at its first comment.", column=1)
            self._tell(missing, column=1)
        elif "message" not in words and self._line.text[len(self._line.run) :].strip():
            self._tell(
                "The rule ends at the comment; what stands behind it does not count.",
                0,
                column=len(self._line.run) + 1,
            )
        self._front(words)
        while self._at < len(self._tokens):
            self._token(self._tokens[self._at][0], words)
            self._at += 1
        self._at = len(self._tokens)
        return self._finished()

    def _front(self, words: list[str]) -> None:
        """Read what stands before the first bracket."""
        while self._at < len(words) and words[self._at] != "[":
            word = words[self._at]
            if word == "+":
                self._joined()
            elif word in FRONT:
                self._directions += FRONT[word]
            elif word in _BEFORE:
                self._flag(word)
            elif word == "moving":
                self._moving(words)
            else:
                self._stray(word)
            self._at += 1
        self._directions = self._directions or list(DIRECTIONS)

    def _flag(self, word: str) -> None:
        if word == "late":
            self._late = True
        elif word == "rigid":
            self._rigid = True
        else:
            self._random = True
            if self._plus:
                self._tell(
                    "'+' and 'random' on one rule: only the first rule of a group says that it is random."
                )

    def _joined(self) -> None:
        if self._plus:
            self._tell("A second '+' stands here; one joins the rule to the group above.", effect="none")
            return
        if self._first:
            self._tell("'+' joins a rule to the one before, but there is none.", effect="none")
        if self._at:
            self._tell("'+' must be the first word of a rule.", effect="none")
        self._plus = True

    def _moving(self, words: list[str]) -> None:
        relative = any(word in RELATIVE for word in words)
        self._problems.add(
            self._line.number, self._tokens[self._at][1],
            "'moving' cannot say in which direction a rule is looked for; take a direction.",
            errors=self._misfit("moving"), fatal=relative,
        )  # fmt: skip
        self._directions += DIRECTIONS

    def _stray(self, word: str) -> None:
        """Tell a word before the first bracket that is read over."""
        relative = word in RELATIVE and "relative" in self._counted
        self._counted |= {"relative"} if word in RELATIVE else set()
        self._tell(
            f"Found {quoted(word)} before the first bracket, but expected a direction, 'late', 'rigid', "
            "'random' or '['; the word is ignored.", int(not relative) + self._misfit(word),
            cause=not (word in WORDS or self._vocabulary.knows(word)),
        )  # fmt: skip

    def _misfit(self, word: str) -> int:
        """Return 1 if a word is an error wherever it stands and was not told before, else 0."""
        return int(self._misfits.pop(word, 0) > 0)

    def _token(self, word: str, words: list[str]) -> None:
        if word == "[":
            self._opened()
        elif word in WORDS:
            self._movement(word)
        elif word == "|":
            self._bar()
        elif word == "]":
            self._closed()
        elif word == "->":
            self._arrow()
        elif self._vocabulary.knows(word):
            self._named(word)
        elif word == "...":
            if self._open:
                self._cell += DOTS
            else:
                self._outside(word)
        elif is_command(word) or word.startswith("message("):
            self._command("message" if word.startswith("message") else word, words)
        else:
            self._foreign(word)

    def _opened(self) -> None:
        self._depth += 1
        if self._depth > 1:
            self._tell("'[' stands here inside brackets; they do not nest.", 0, 1)
        if self._cell:
            self._tell("'[' stands here before the bracket was closed; what was in the cell is lost.")
        self._open, self._cell = True, []

    def _movement(self, word: str) -> None:
        if len(self._cell) % 2:
            sentence = f"{quoted(word)} follows another movement; a thing has one. The word is ignored."
            self._tell(sentence, once="two")
        elif not self._open:
            self._outside(word, "movement")
        elif self._late and word not in ("no", "random", "randomdir"):
            sentence = f"{quoted(word)} is a movement, which a late rule cannot have; the word is ignored."
            self._tell(sentence, once="late")
        else:
            self._cell.append(word)

    def _outside(self, word: str, once: str = "") -> None:
        again = set(self._directions) <= set(FRONT.get(word, ()))  # the rule says as much in front
        sentence = f"{quoted(word)} stands outside of brackets and is ignored."
        self._tell(sentence, 0, 1, "none" if again else "word", once=once)

    def _alone(self, once: str = "alone") -> None:
        sentence = f"{quoted(self._cell[-1])} stands without an object behind it."
        self._tell(sentence, column=self._before(), once=once)

    def _before(self) -> int:
        return self._tokens[max(0, self._at - 1)][1]

    def _bar(self) -> None:
        if not self._open:
            self._outside("|")
        elif len(self._cell) % 2:
            self._alone()
        else:
            self._row.append(self._cell)
            self._cell = []

    def _closed(self) -> None:
        self._depth -= 1
        if self._depth < 0:
            raise self._drop("']' stands here, but no bracket is open.", 0, 1)
        if len(self._cell) % 2:
            self._alone("dots" if self._cell[0] == "..." else "alone")
        else:
            self._row.append(self._cell)
            self._cell = []
        (self._right if self._behind else self._left).append(self._row)
        self._row, self._open = [], False

    def _arrow(self) -> None:
        if self._open:
            self._tell("'->' stands inside of brackets and is ignored.", 0, 1)
        elif self._behind:
            raise self._drop("A rule has one '->', here is a second.")
        else:
            self._behind = True

    def _named(self, word: str) -> None:
        if not self._open:
            self._outside(word)
            return
        self._check_twice(word)
        if len(self._cell) % 2:
            self._cell.append(word)
        else:
            self._cell += ("", word)

    def _check_twice(self, name: str) -> None:
        """Tell a name that stands in the cell already."""
        new = self._cell[-1] if len(self._cell) % 2 else ""
        for word, other in zip(self._cell[::2], self._cell[1::2], strict=False):
            if other != name:
                continue
            if word == new == "no":
                self._tell(f"'no {name}' stands twice in a cell.", 0, 1, "none")
                continue
            self._tell(f"'{name}' stands twice in a cell.", effect="none")
            if self._vocabulary.entries[name].kind == "or":
                self._problems.add(
                    self._line.number, self._tokens[self._at][1], f"'{name}' stands for one of several "
                    "objects each time; to name two of them, give the property a second name.",
                    errors=0, warnings=1, effect="none", shared=True,
                )  # fmt: skip

    def _command(self, word: str, words: list[str]) -> None:
        if not self._behind:
            self._tell(
                f"The command {quoted(word)} stands before '->'; it counts, but belongs to the end.",
                effect="none", once="early",
            )  # fmt: skip
        elif self._open or (
            ("[" in words[self._at :] or "]" in words[self._at :])
            and (word != "message" or len(self._right) < len(self._left))
        ):
            self._tell(
                f"The command {quoted(word)} stands before the end of the right side, where it belongs; it "
                f"counts.",
                0, 1, "word" if word == "message" else "none", once="inside",
            )  # fmt: skip
        if word == "message":
            self._commands.append("message")
            self._at = len(self._tokens)
            return
        if SOUND.match(word) and word not in self._sounds:
            self._tell(f"{quoted(word)} has no sound in SOUNDS.", 0, 1, "none")
        self._commands.append(word)

    def _foreign(self, word: str) -> None:
        expected = f"a command ({_ALL_COMMANDS})" if self._behind and not self._open else (
            "the name of an object, a movement, '|' or ']'" if self._open else "'[' or '->'"
        )  # fmt: skip
        sentence = f"Found {quoted(word)}, but expected {expected}; the word is ignored."
        self._tell(sentence, 1 + self._misfit(word), cause=True)

    def _finished(self) -> RuleLine:
        if self._late and self._rigid:
            self._tell("'late' and 'rigid' on one rule: late rules have no movements; it is not rigid.")
        left, right = _side(self._left), _side(self._right)
        if len(left) != len(right):
            if right or not self._commands:
                what = "Nothing stands to the right of '->'" if self._behind and not right else (
                    f"The left side has {counted(len(left), 'pattern')} and the right side {len(right)}"
                )  # fmt: skip
                raise self._drop(f"{what}; as many as on the left, or a command, were expected.", 0, 1)
        else:
            self._check_lengths(left, right)
        if any(not row for row in left):
            self._problems.add(
                self._line.number, 1, "A pattern on the left has no cells.", effect="rule", shared=True
            )
            raise _Dropped
        if not left:
            raise self._drop("The rule looks for nothing; '[' was expected.", column=1)
        return RuleLine(
            self._line.number, self._line.run.strip(), self._plus, self._late, self._rigid and not self._late,
            self._random, tuple(self._directions), *self._checked(left, right), tuple(self._commands),
        )  # fmt: skip

    def _check_lengths(self, left: Side, right: Side) -> None:
        for number, (before, after) in enumerate(zip(left, right, strict=True), 1):
            if len(before) != len(after):
                self._problems.add(
                    self._line.number, self._place("->"),
                    f"Pattern {number} has {counted(len(before), 'cell')} on the left and {len(after)} on "
                    f"the "
                    "right; as many as on the left were expected.", effect="rule", fatal=True,
                )  # fmt: skip
                raise _Dropped

    def _place(self, word: str) -> int:
        """Return the column at which a word stands first; 1 if it does not."""
        return next((column for token, column in self._tokens if token == word), 1)

    def _checked(self, left: Side, right: Side) -> tuple[Side, Side]:
        """Return both sides without what does not fit in their cells."""
        dotted = self._place("...")
        for row in left:
            self._check_dots(row, dotted)
        if right:
            right = tuple(
                tuple(self._matching(one, other, dotted) for one, other in zip(before, after, strict=False))
                for before, after in zip(left, right, strict=True)
            )
        left = tuple(tuple(self._known(cell, True) for cell in row) for row in left)
        right = tuple(tuple(self._known(cell, False) for cell in row) for row in right)
        return left, right

    def _check_dots(self, row: Row, column: int) -> None:
        dots = [index for index, cell in enumerate(row) if _dotted(cell)]
        if not dots:
            return
        crowded = [row[index] for index in dots if row[index] != ELLIPSIS]
        if crowded:
            words = [word for word, name in crowded[0] if name == "..."]
            errors = 1 + int(words[0] != "..." and "..." in words)
            raise self._drop("'...' stands alone in its cell: write '| ... |'.", errors, column=column)
        if dots[0] == 0 or dots[-1] == len(row) - 1:
            raise self._drop(
                "A pattern neither begins nor ends with '...'; a cell was expected there.", column=column
            )
        if len(dots) > MOST_DOTS:
            self._problems.add(
                self._line.number, column,
                f"A pattern has at most {MOST_DOTS} '...', this one has {len(dots)}.", fatal=True,
            )  # fmt: skip
        elif len(dots) == MOST_DOTS and dots[1] == dots[0] + 1:
            self._problems.add(
                self._line.number, column, "Two '...' follow each other; a cell was expected between them.",
                errors=0, warnings=1, fatal=True,
            )  # fmt: skip

    def _matching(self, left: Cell, right: Cell, column: int) -> Cell:
        """Return a right cell with an ellipsis just where the left one has it."""
        if left == ELLIPSIS:
            if right != ELLIPSIS:
                self._tell("The '...' on the left must stand in the same place on the right.", column=column)
            return ELLIPSIS
        if _dotted(right):
            if right != ELLIPSIS:
                self._tell("'...' stands alone in its cell: write '| ... |'.", column=column)
            self._tell("The '...' on the right must stand in the same place on the left.", column=column)
            return ()
        return right

    def _known(self, cell: Cell, on_left: bool) -> Cell:
        """Return a cell without what stands for nothing, and with 'no' before each member of an 'and'."""
        if cell == ELLIPSIS:
            return cell
        found: list[Pair] = []
        for word, name in cell:
            entry = self._vocabulary.entries[name]
            for unknown in entry.unknown:
                drawn = word == "random" and entry.kind != "nothing"
                if entry.kind == "nothing" or not (drawn or self._vocabulary.defines(unknown)):
                    self._tell(
                        f"{quoted(name)} stands for {quoted(unknown)}, which is not defined.",
                        column=self._place(name), once=f"unknown {unknown}",
                    )  # fmt: skip
            if entry.kind == "nothing":
                continue
            if word == "random" and on_left:
                self._tell(
                    f"'random' may stand on the right only; 'random {name}' is ignored.",
                    column=self._place(word),
                )
            elif word == "no" and entry.kind == "and":
                self._tell(
                    f"'no {name}': the name stands for several objects at once; none of them may be there.",
                    column=self._place(name),
                )
                found += [("no", part) for part in entry.parts]
            else:
                found.append((word, name))
        return tuple(found)


def _dotted(cell: Cell) -> bool:
    """Return whether an ellipsis stands in a cell, also behind a movement that lost its object."""
    return any("..." in pair for pair in cell)


def _side(rows: list[list[list[str]]]) -> Side:
    return tuple(tuple(tuple(zip(cell[::2], cell[1::2], strict=True)) for cell in row) for row in rows)
