"""The section OBJECTS: names, colours and pictures."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

import attrs

from epcg_core.plugin import counted
from epcg_puzzlescript.language import colours
from epcg_puzzlescript.language.problems import Problems, quoted
from epcg_puzzlescript.language.rule_words import WORDS
from epcg_puzzlescript.language.sections import Line

SIDE = 5
"""Pictures of objects are squares of this side."""
MOST_OBJECTS = 2_000
MOST_COLOURS = 10
KEYWORDS = frozenset(
    {
        "objects", "collisionlayers", "legend", "sounds", "rules", "...", "winconditions",
        "levels", "|", "[", "]", "up", "down", "left", "right", "late", "rigid", "^", "v", ">", "<", "no",
        "randomdir", "random", "horizontal", "vertical", "any", "all", "some", "moving", "stationary",
        "parallel", "perpendicular", "action", "message", "again", "cancel", "restart", "win", "move",
        "create", "destroy", "cantmove", "undo", "titlescreen", "startgame", "endgame", "startlevel",
        "endlevel", "showmessage", "closemessage", *(f"sfx{number}" for number in range(11)),
    }
)  # fmt: skip
"""Words of the language, which make poor names."""
_NAME = re.compile(r"\w+")
_WORD = re.compile(r"\S+")
_PICTURE = "0123456789."


@attrs.frozen
class Word:
    """A word of a line, and the column that it begins in, counted from 1."""

    text: str
    column: int


@attrs.define
class Sketch:
    """An object as its section tells it, before it has a layer."""

    name: str
    line: int
    colours: tuple[str, ...] = ()
    picture: list[str] = attrs.field(factory=list)
    """Rows as written, of any number and length."""
    colour_lines: list[Line] = attrs.field(factory=list)
    picture_lines: list[Line] = attrs.field(factory=list)

    @property
    def square(self) -> tuple[str, ...]:
        """The picture made fit: five rows of five characters, or none."""
        if not self.picture:
            return ()
        rows = [row[:SIDE].ljust(SIDE, ".") for row in self.picture[:SIDE]]
        return (*rows, *["." * SIDE] * (SIDE - len(rows)))


@attrs.frozen
class Synonym:
    """A further name on the name line of an object."""

    word: Word
    name: str
    """The object that it stands for."""
    line: int


class ObjectReader:
    """A reader of the section, line by line: a name, colours, rows of a picture.

    Attributes:
        found: the objects by name.
        synonyms: further names, in the order in which they are written.
    """

    def __init__(self, problems: Problems, spoken: Collection[str] = (), named: Collection[str] = ()) -> None:
        """Begin to read.

        Args:
            problems: takes the faults.
            spoken: the words in cells of rules, where names may be misread.
            named: these, and those of conditions and layers.
        """
        self.found: dict[str, Sketch] = {}
        self.spoken, self.named = spoken, named
        self.synonyms: list[Synonym] = []
        self._problems = problems
        self._present: Sketch | None = None
        self._rows: list[str] = []
        """The rows of the picture that is read."""
        self._expected = "name"

    def read(self, lines: Iterable[Line]) -> None:
        """Read all lines of the section, and tell objects that lack something."""
        for line in lines:
            if line.blank:
                self._expected = "name"
            elif self._expected == "colours" and self._present is not None:
                self._present.colours += tuple(self._colours(self._present, line))
                self._present.colour_lines.append(line)
                self._expected = "picture"
            elif self._expected == "picture" and self._present is not None:
                self._row(self._present, line)
            else:
                self._name(line)
            if len(self.found) > MOST_OBJECTS:
                self._problems.add(
                    line.number, 1, f"A game has at most {MOST_OBJECTS} objects here.", fatal=True
                )
                return
        for sketch in self.found.values():
            self._check(sketch)

    def _tell(
        self, line: int, column: int, sentence: str, errors: int, warnings: int, plays: bool = False
    ) -> None:
        self._problems.add(
            line, column, sentence, errors=errors, warnings=warnings, effect="word" if plays else "none"
        )

    def _name(self, line: Line) -> None:
        self._rows = []
        text = line.lower
        start = len(text) - len(text.lstrip())
        found = _NAME.match(text, start)
        if found is None:
            self._tell(
                line.number, start + 1, f"Found {quoted(text.strip())}, but expected the name of an object: "
                "letters and digits (signs are names in the LEGEND). The line is ignored.", 0, 1,
                plays=not set(text.strip()) <= set(_PICTURE),  # a row of a picture that lost its object
            )  # fmt: skip
            return
        name = found[0]
        if name in self.found:
            self._tell(
                line.number, start + 1, f"The object {quoted(name)} exists already; the first counts.", 1, 0,
                plays=True,
            )  # fmt: skip
            if self._present is not None and self._others(self._present, line, found.end()):
                self._expected = "colours"
            return
        if any(synonym.word.text == name for synonym in self.synonyms):
            self._tell(
                line.number, start + 1, f"{quoted(name)} is already another name of an object; in rules it "
                "stands for that one.", 1, 0, plays=True,
            )  # fmt: skip
        self._keyword(Word(name, start + 1), line)
        self._present = self.found[name] = Sketch(name, line.number)
        self._others(self._present, line, found.end())
        self._expected = "colours"

    def _others(self, sketch: Sketch, line: Line, begin: int) -> bool:
        """Read further names from a column on; return whether there is one."""
        before = len(self.synonyms)
        for found in _WORD.finditer(line.lower, begin):
            word = Word(found[0], found.start() + 1)
            if word.text in self.found:
                self._tell(
                    line.number, word.column, f"The object {quoted(word.text)} exists already.", 1, 0,
                    plays=True,
                )  # fmt: skip
                continue
            if any(synonym.word.text == word.text for synonym in self.synonyms):
                self._tell(
                    line.number, word.column, f"{quoted(word.text)} is already another name of an object: "
                    f"the "
                    "first counts in maps, the last in rules.", 1, 0, plays=True,
                )  # fmt: skip
            self._keyword(word, line)
            self.synonyms.append(Synonym(word, sketch.name, line.number))
        return len(self.synonyms) > before

    def _keyword(self, word: Word, line: Line) -> None:
        if word.text in KEYWORDS:
            said = f"{quoted(word.text)} is a word of the language; take another name."
            self._tell(line.number, word.column, said, 0, 1, plays=self.is_misread(word.text))

    def is_misread(self, name: str) -> bool:
        """Return whether a cell of a rule has a name of which the language makes a movement.

        Maps, conditions and what stands outside of cells tell names from words by their place, and of a sign
        such as 'v' cells mean the direction.
        """
        return len(name) > 1 and name in WORDS and name in self.spoken

    def _colours(self, sketch: Sketch, line: Line) -> Iterable[str]:
        text, at, count = line.lower, 0, 0
        while True:
            at += len(text[at:]) - len(text[at:].lstrip())
            if at >= len(text):
                break
            found = colours.beginning(text, at)
            if found is not None:
                word, value = found
                count += 1
                yield value
                at += len(word)
                continue
            name = _NAME.match(text, at)
            wrong = name[0] if name else text[at:].rstrip()
            self._tell(
                line.number, at + 1,
                f"{quoted(wrong)} is not a colour; a name such as 'red', or '#rrggbb', was expected.", 1, 0,
            )  # fmt: skip
            at += len(wrong)
        if count > MOST_COLOURS:
            self._tell(
                line.number, 1 + len(text) - len(text.lstrip()),
                f"An object has at most {MOST_COLOURS} colours, this one {count}; the first count.", 1, 0,
            )  # fmt: skip

    def _row(self, sketch: Sketch, line: Line) -> None:
        text = line.lower
        start = len(text) - len(text.lstrip())
        if text[start] not in _PICTURE:
            if not self._rows:
                self._name(line)
                return
            self._tell(
                line.number, start + 1, f"Found {quoted(text.strip())} in the picture of "
                f"{quoted(sketch.name)}; '0' to '9' or '.' was expected, or an empty line before the next "
                "object. The line is ignored.", 1, 0, plays=True,
            )  # fmt: skip
            return
        row = ""
        for column in range(start, len(text)):
            character = text[column]
            if character.isspace():
                continue
            if character not in _PICTURE:
                self._tell(
                    line.number, column + 1, f"Found {quoted(character)} in the picture of "
                    f"{quoted(sketch.name)}; '0' to '9' or '.' was expected.", 1, 0,
                )  # fmt: skip
                break
            row += character
            if len(row) > SIDE:
                self._tell(
                    line.number, start + 1, f"A row of a picture has {SIDE} characters, this one more.", 0, 1
                )
                break
            if character != "." and int(character) >= len(sketch.colours):
                self._tell(
                    line.number, column + 1, f"The picture of {quoted(sketch.name)} uses colour {character}, "
                    f"but has only {counted(len(sketch.colours), 'colour')} (counted from 0).", 1, 0,
                )  # fmt: skip
            if len(row) == SIDE == len(self._rows) + 1:
                self._expected = "name"
                self._others(sketch, line, column + 1)
                break
        self._rows.append(row)
        sketch.picture = self._rows
        sketch.picture_lines.append(line)

    def _check(self, sketch: Sketch) -> None:
        if not sketch.colours:
            self._tell(
                sketch.line, 1, f"The object {quoted(sketch.name)} has no line of colours below it.", 1, 0
            )
            sketch.colours = (colours.UNKNOWN,)
        rows = len(sketch.picture)
        if rows and (rows != SIDE or any(len(row) != SIDE for row in sketch.picture)):
            wrong = counted(rows, "row") if rows != SIDE else "a row of another length"
            self._tell(
                sketch.line, 1, f"The picture of {quoted(sketch.name)} has {wrong}; {SIDE} rows of {SIDE} "
                "characters were expected.", 0, 1,
            )  # fmt: skip
