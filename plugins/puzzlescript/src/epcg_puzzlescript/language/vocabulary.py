"""The names of a game: its objects, its legend, its layers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, TypeAlias

import attrs

from epcg_puzzlescript.language import colours
from epcg_puzzlescript.language.problems import Problems, counted, quoted
from epcg_puzzlescript.language.sections import Line

SIDE = 5
"""Pictures of objects are squares of this side."""
MOST_OBJECTS = 2_000
MOST_MEMBERS = 1_000_000
"""So many members may all entries of a legend have together, after they are resolved."""
MOST_COLOURS = 10
_PICTURE = re.compile(r"[0-9.]+\Z")
_WORD = re.compile(r"\S+")
Kind: TypeAlias = Literal["object", "and", "or"]


@attrs.frozen
class GameObject:
    """An object of a game."""

    name: str
    """In small letters."""
    number: int
    """Its place in the order of the collision layers: the bit that stands for it."""
    layer: int
    colours: tuple[str, ...] = ()
    """'#rrggbb', or '' for transparent."""
    picture: tuple[str, ...] = ()
    """Five strings of five characters, '0' to '9' or '.'; none if the object fills its cell."""


@attrs.frozen
class Entry:
    """What a name stands for."""

    kind: Kind
    members: tuple[int, ...]
    """Numbers of objects, in the order written."""
    mask: int
    """The members as bits."""
    layers: tuple[int, ...]
    """The layers of the members, each once."""


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
    others: list[Word] = attrs.field(factory=list)
    colours: tuple[str, ...] = ()
    picture: list[str] = attrs.field(factory=list)


def read_objects(lines: Iterable[Line], problems: Problems) -> dict[str, Sketch]:
    """Return the objects of the section OBJECTS by name."""
    found: dict[str, Sketch] = {}
    present: Sketch | None = None
    coloured = False
    for line in lines:
        if line.blank:
            _end(present, coloured, problems)
            present, coloured = None, False
            continue
        words = line.lower.split()
        if present is not None and coloured:
            row = line.lower.strip()
            if _PICTURE.match(row) or (present.picture and _nearly_a_picture(row)):
                _add_row(present, row, line, problems)
                if len(present.picture) == SIDE:
                    _end(present, coloured, problems)
                    present, coloured = None, False
                continue
            _end(present, coloured, problems)
            present, coloured = None, False
        if present is None:
            present = Sketch(words[0], line.number, _words(line)[1:])
            if present.name in found:
                problems.add(line.number, _column(line), f"The object {quoted(words[0])} exists already.")
            elif len(found) >= MOST_OBJECTS:
                problems.add(line.number, 1, f"A game has at most {MOST_OBJECTS} objects here.", fatal=True)
                return found
            else:
                found[present.name] = present
        else:
            present.colours = tuple(_colours(words, line, problems))
            coloured = True
    _end(present, coloured, problems)
    return found


def _nearly_a_picture(row: str) -> bool:
    return len(row) == SIDE and 2 * sum(character in "0123456789." for character in row) > len(row)


def _words(line: Line, begin: int = 0) -> list[Word]:
    return [Word(found[0], found.start() + 1) for found in _WORD.finditer(line.lower, begin)]


def _column(line: Line, word: str = "") -> int:
    at = line.lower.find(word) if word else -1
    return 1 + (at if at >= 0 else len(line.text) - len(line.text.lstrip()))


def _colours(words: list[str], line: Line, problems: Problems) -> Iterable[str]:
    if len(words) > MOST_COLOURS:
        problems.add(
            line.number, _column(line),
            f"An object has at most {MOST_COLOURS} colours, this one {len(words)}; the first count.",
        )  # fmt: skip
    for word in words[:MOST_COLOURS]:
        found = colours.colour(word)
        if found is None:
            problems.add(
                line.number, _column(line, word),
                f"{quoted(word)} is not a colour; a name such as 'red', or '#rrggbb', was expected.",
            )  # fmt: skip
        yield colours.UNKNOWN if found is None else found


def _add_row(sketch: Sketch, row: str, line: Line, problems: Problems) -> None:
    if len(row) != SIDE:
        problems.add(
            line.number, _column(line), f"A row of a picture has {SIDE} characters, this one {len(row)}."
        )
    for character in sorted(set(row) - {"."}):
        if character not in "0123456789":
            problems.add(
                line.number, _column(line) + row.index(character),
                f"Found {quoted(character)} in the picture of {quoted(sketch.name)}; '0' to '9' or '.' was "
                "expected.",
            )  # fmt: skip
            row = row.replace(character, ".")
        elif int(character) >= len(sketch.colours):
            problems.add(
                line.number, _column(line, character),
                f"The picture of {quoted(sketch.name)} uses colour {character}, but has only "
                f"{counted(len(sketch.colours), 'colour')} (counted from 0).",
            )  # fmt: skip
    sketch.picture.append(row[:SIDE].ljust(SIDE, "."))


def _end(sketch: Sketch | None, coloured: bool, problems: Problems) -> None:
    if sketch is None:
        return
    if not coloured:
        problems.add(sketch.line, 1, f"The object {quoted(sketch.name)} has no line of colours below it.")
        sketch.colours = (colours.UNKNOWN,)
    if 0 < len(sketch.picture) < SIDE:
        problems.add(
            sketch.line, 1,
            f"The picture of {quoted(sketch.name)} has {counted(len(sketch.picture), 'row')}; {SIDE} were "
            "expected.",
        )  # fmt: skip
        sketch.picture += ["." * SIDE] * (SIDE - len(sketch.picture))


@attrs.frozen
class Definition:
    """A line of the legend: a name, and the names that it stands for."""

    word: Word
    kind: Literal["same", "and", "or"]
    words: tuple[Word, ...]
    line: int

    @property
    def name(self) -> str:
        """The name that is defined."""
        return self.word.text

    @property
    def names(self) -> tuple[str, ...]:
        """The names that it stands for."""
        return tuple(word.text for word in self.words)


def read_legend(lines: Iterable[Line], problems: Problems) -> list[Definition]:
    """Return the definitions of the section LEGEND, as written."""
    found = []
    for line in lines:
        if line.blank:
            continue
        text = line.lower
        at = text.find("=", len(text) - len(text.lstrip()) + 1)
        name, words = text[:at].split(), _words(line, at + 1)
        if at < 0 or len(name) != 1 or not words:
            problems.add(line.number, _column(line), "A line of the legend is 'NAME = NAME and NAME ...'.")
            continue
        joints, names = [word.text for word in words[1::2]], words[::2]
        faulty = [word for word in words[1::2] if word.text not in ("and", "or")]
        if faulty or len(words) % 2 == 0:
            problems.add(
                line.number, (faulty[0] if faulty else words[-1]).column,
                "The names on the right are joined by 'and' or by 'or'.",
            )  # fmt: skip
            if faulty:
                continue
            joints = joints[: len(names) - 1]
        if len(set(joints)) > 1:
            problems.add(line.number, _column(line), "'and' and 'or' do not mix in one line; use two lines.")
            continue
        kind: Literal["same", "and", "or"] = "same"
        if joints:
            kind = "and" if joints[0] == "and" else "or"
        found.append(Definition(Word(name[0], _column(line)), kind, tuple(names), line.number))
    return found


def read_layers(lines: Iterable[Line]) -> list[tuple[Line, list[str]]]:
    """Return the names of each line of the section COLLISIONLAYERS."""
    return [(line, line.lower.replace(",", " ").split()) for line in lines if line.lower.strip(" \t,")]


class Vocabulary:
    """All names of a game, resolved.

    Attributes:
        objects: the objects by number.
        layers: the numbers of the objects of each layer.
        entries: what each name stands for.
    """

    def __init__(
        self,
        sketches: dict[str, Sketch],
        legend: Iterable[Definition],
        layers: Iterable[tuple[Line, list[str]]],
        problems: Problems,
    ) -> None:
        self._problems = problems
        self._sketches = sketches
        self._definitions: dict[str, Definition] = {}
        for sketch in sketches.values():
            for other in sketch.others:
                self._define(Definition(other, "same", (Word(sketch.name, 1),), sketch.line))
        for definition in legend:
            self._define(definition)
        flat = self._flattened()
        placed = self._placed(flat, layers)
        self.layers = self._numbered(placed)
        self.objects = self._objects()
        self.entries = self._entries(flat)

    def defines(self, name: str) -> bool:
        """Return whether the text defines a name, even if none of its objects has a layer."""
        return name in self._sketches or name in self._definitions

    def _define(self, definition: Definition) -> None:
        """Add a definition; the first of a name counts."""
        if definition.name in self._sketches or definition.name in self._definitions:
            before = self._definitions.get(definition.name)
            if before is None or before.names != definition.names:
                self._problems.add(
                    definition.line, definition.word.column,
                    f"{quoted(definition.name)} is defined already; the first definition counts.",
                )  # fmt: skip
            return
        self._definitions[definition.name] = definition

    def _flattened(self) -> dict[str, tuple[Kind, tuple[str, ...]]]:
        """Return each name's kind and the names of its objects; names that cannot be resolved are faults."""
        flat: dict[str, tuple[Kind, tuple[str, ...]]] = {n: ("object", (n,)) for n in self._sketches}
        entered: set[str] = set()
        left = MOST_MEMBERS
        for first in self._definitions:
            waiting = [first]
            while waiting:
                name = waiting[-1]
                definition = self._definitions[name]
                if name in flat:
                    waiting.pop()
                    continue
                missing = [n for n in definition.names if n not in flat and n in self._definitions]
                if missing and name not in entered:
                    entered.add(name)
                    waiting += [n for n in dict.fromkeys(missing) if n not in entered]
                    if waiting[-1] != name:
                        continue
                waiting.pop()
                flat[name] = found = self._resolved(definition, flat)
                left -= len(found[1])
                if left < 0:
                    self._problems.add(
                        definition.line, 1,
                        f"The legend has more than {MOST_MEMBERS} members after its names are resolved.",
                        fatal=True,
                    )  # fmt: skip
                    return flat
        return flat

    def _resolved(
        self, definition: Definition, flat: dict[str, tuple[Kind, tuple[str, ...]]]
    ) -> tuple[Kind, tuple[str, ...]]:
        """Return the kind and the objects of a definition whose names are resolved, as far as they can be."""
        members: dict[str, None] = {}
        kind: Kind = "object" if definition.kind == "same" else definition.kind
        for word in definition.words:
            known = flat.get(word.text)
            if known is None:
                self._fault(definition, word, "is not defined, or stands for itself.")
                continue
            if definition.kind == "same":
                return known
            wrong = {"and": "or", "or": "and"}[definition.kind]
            if known[0] == wrong:
                what = "an 'or'" if wrong == "or" else "an 'and'"
                self._fault(definition, word, f"is defined by {what}; it cannot stand in an {kind!r}.")
                if definition.kind == "and":
                    continue
            members.update(dict.fromkeys(known[1]))
        return kind, tuple(members)

    def _fault(self, definition: Definition, word: Word, rest: str) -> None:
        sentence = f"In the line of {quoted(definition.name)}: {quoted(word.text)} {rest}"
        self._problems.add(definition.line, word.column, sentence)

    def _placed(
        self,
        flat: dict[str, tuple[Kind, tuple[str, ...]]],
        layers: Iterable[tuple[Line, list[str]]],
    ) -> list[list[str]]:
        """Return the names of each layer's objects; an object listed twice is in the last layer."""
        found: list[dict[str, None]] = []
        where: dict[str, int] = {}
        for line, names in layers:
            here: dict[str, None] = {}
            for name in names:
                known = flat.get(name)
                if known is None or known[0] == "and":
                    why = "is not defined" if known is None else "stands for several objects at once ('and')"
                    self._problems.add(
                        line.number, _column(line, name),
                        f"{quoted(name)} {why}; an object or a property was expected.",
                    )  # fmt: skip
                    continue
                for member in known[1]:
                    before = where.get(member)
                    if before is not None and before != len(found):
                        self._problems.add(
                            line.number, _column(line, name),
                            f"The object {quoted(member)} is in two layers; the last one counts.",
                        )  # fmt: skip
                        found[before].pop(member, None)
                    where[member] = len(found)
                    here[member] = None
            found.append(here)
        for sketch in self._sketches.values():
            if sketch.name not in where:
                self._problems.add(
                    sketch.line,
                    1,
                    f"The object {quoted(sketch.name)} is in no collision layer; add it to one.",
                )
        return [list(names) for names in found]

    def _numbered(self, placed: list[list[str]]) -> tuple[tuple[int, ...], ...]:
        self._number: dict[str, int] = {}
        layers = []
        for names in placed:
            first = len(self._number)
            self._number.update((name, first + index) for index, name in enumerate(names))
            layers.append(tuple(range(first, len(self._number))))
        return tuple(layers)

    def _objects(self) -> tuple[GameObject, ...]:
        layer_of = {number: layer for layer, numbers in enumerate(self.layers) for number in numbers}
        return tuple(
            GameObject(
                name, number, layer_of[number], self._sketches[name].colours,
                tuple(self._sketches[name].picture),
            )
            for name, number in self._number.items()
        )  # fmt: skip

    def _entries(self, flat: dict[str, tuple[Kind, tuple[str, ...]]]) -> dict[str, Entry]:
        entries = {}
        for name, (kind, members) in flat.items():
            numbers = tuple(self._number[member] for member in members if member in self._number)
            if len(numbers) < len(members) and kind != "or":
                continue
            if not numbers:
                continue
            layers = tuple(dict.fromkeys(self.objects[number].layer for number in numbers))
            if kind == "and" and len(layers) < len(numbers):
                line = self._definitions[name].line
                self._problems.add(
                    line, 1, f"The members of {quoted(name)} cannot lie in one cell: two are of one layer."
                )
            mask = 0
            for number in numbers:
                mask |= 1 << number
            entries[name] = Entry(kind, numbers, mask, layers)
        return entries
