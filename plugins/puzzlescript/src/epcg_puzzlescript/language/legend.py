"""The section LEGEND: further names, each for one thing ('A = B'), all of several ('and') or any ('or')."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import attrs

from epcg_puzzlescript.language.objects import KEYWORDS, ObjectReader, Word
from epcg_puzzlescript.language.problems import Problems, quoted
from epcg_puzzlescript.language.sections import Line

MOST_MEMBERS = 1_000_000
"""So many members may all entries of a legend have together, after they are resolved."""
_PART = re.compile(r"\w+|\S")
_FORM = "A line of the legend is 'A = B', 'A = B and C ...' or 'A = B or C ...'"


@attrs.frozen
class Definition:
    """The meaning of a name of the legend, or of a further name of an object."""

    name: str
    kind: Literal["same", "and", "or"]
    members: tuple[str, ...]
    """The one name of 'same'; objects of 'or', each where it stands last; objects of 'and', as often as the
    names on the line have them, and properties that cannot stand there."""
    line: int
    column: int = 1
    unknown: tuple[str, ...] = ()
    """Names that were not defined before."""
    first: str = ""
    """The first of the members as they are written, of 'or'."""


class LegendReader:
    """A reader of the section, line by line. Names are resolved as far as they are defined above.

    Attributes:
        definitions: the definitions in the order in which they are written.
    """

    def __init__(self, objects: ObjectReader, problems: Problems) -> None:
        self._objects = objects.found
        self._reader = objects
        self._problems = problems
        self.definitions = [
            Definition(synonym.word.text, "same", (synonym.name,), synonym.line, synonym.word.column)
            for synonym in objects.synonyms
        ]
        self._first: dict[tuple[str, str], Definition] = {}
        for definition in self.definitions:
            self._first.setdefault((definition.name, "same"), definition)
        self._left = MOST_MEMBERS

    def read(self, lines: Iterable[Line]) -> None:
        """Read all lines of the section."""
        for line in lines:
            if not line.blank and self._left >= 0:
                self._read(line)

    def defines(self, name: str) -> bool:
        """Return whether a name is defined so far."""
        return name in self._objects or any((name, kind) in self._first for kind in ("same", "and", "or"))

    def _tell(
        self, line: Line, column: int, sentence: str, errors: int = 1, warnings: int = 0, plays: bool = True
    ) -> None:
        self._problems.add(
            line.number,
            column,
            sentence,
            errors=errors,
            warnings=warnings,
            effect="word" if plays else "none",
        )

    def _read(self, line: Line) -> None:
        text = line.lower
        start = len(text) - len(text.lstrip())
        at = text.find("=", start)
        head = text[: at if at >= 0 else len(text)].split()
        if at < 0 or len(head) != 1:
            errors = 1 if len(text.split()) == 1 else 2
            self._tell(line, start + 1, f"{_FORM}; the line is ignored.", errors)
            return
        name = Word(head[0], start + 1)
        if name.text in KEYWORDS:
            self._tell(
                line, name.column, f"{quoted(name.text)} is a word of the language; take another name.", 0, 1,
                plays=self._reader.is_misread(name.text),
            )  # fmt: skip
        parts = [Word(found[0], found.start() + 1) for found in _PART.finditer(text, at + 1)]
        read = self._names(line, name, parts)
        if read is not None:
            self._define(line, name, *read)

    def _names(self, line: Line, name: Word, parts: list[Word]) -> tuple[str, list[Word]] | None:
        """Return the kind and the names on the right of '='; None if the line is ignored."""
        taken = self._words(line, parts)
        names, joints = taken[::2], taken[1::2]
        if len(names) == len(joints):
            self._tell(line, name.column, f"{_FORM}; the line is ignored.")
            return None
        kinds = [joint.text for joint in joints]
        if any(kind not in ("and", "or") for kind in kinds[:1]):
            self._check_names(line, name, names)
            known = not self.defines(name.text) and all(word.text != name.text for word in names)
            self._tell(line, name.column, f"{_FORM}. The line is ignored.", int(known))
            return None
        if any(kind != kinds[0] for kind in kinds):
            if kinds[0] == "or":
                self._check_names(line, name, names)
                return None
            self._tell(line, name.column, "All names are joined by 'and'.", 0)
        return kinds[0] if kinds else "same", names

    def _words(self, line: Line, parts: list[Word]) -> list[Word]:
        """Return the words on the right of '=', names and joints by turns, up to the first sign."""
        taken: list[Word] = []
        for part in parts:
            if not (part.text[0].isalnum() or part.text[0] == "_"):
                expected = "'and' or 'or'" if len(taken) % 2 else "a name (signs cannot stand on the right)"
                self._tell(
                    line, part.column, f"Found {quoted(part.text)}, but expected {expected}; the line counts "
                    "up to here.",
                )  # fmt: skip
                break
            if len(taken) % 2 and part.text not in ("and", "or"):
                self._tell(line, part.column, f"Found {quoted(part.text)}, but expected 'and' or 'or'.")
            elif len(taken) > 1 and len(taken) % 2 and part.text != taken[1].text:
                self._tell(line, taken[1].column, "'and' and 'or' do not mix in one line; use two lines.")
            taken.append(part)
        return taken

    def _check_names(self, line: Line, name: Word, words: Iterable[Word]) -> None:
        """Tell what is wrong with the names of a line that defines nothing."""
        if self.defines(name.text):
            self._tell(line, name.column, f"{quoted(name.text)} is defined already.")
        for word in words:
            if word.text == name.text:
                self._tell(line, name.column, f"{quoted(name.text)} cannot stand for itself.")
            elif not self.defines(word.text):
                self._undefined(line, name, word)

    def _define(self, line: Line, name: Word, kind: str, words: list[Word]) -> None:
        others = [word for word in words if word.text != name.text]
        if self.defines(name.text):
            self._tell(
                line, name.column, f"{quoted(name.text)} is defined already: in maps the first definition "
                "counts, in rules the last.", plays=not self._repeats(name.text, kind, others),
            )  # fmt: skip
        if len(others) < len(words):
            rest = "it is left out." if others else "the line is ignored."
            self._tell(
                line, name.column, f"{quoted(name.text)} cannot stand for itself; {rest}"
            )  # fmt: skip
        if not others:
            return
        repeated = {word.text for word in others if sum(word.text == other.text for other in others) > 1}
        for again in sorted(repeated):
            self._tell(line, name.column, f"{quoted(again)} stands in the line more than once.", 0, 1, False)
        if len(others) == 1:
            (word,) = others
            unknown = () if self.defines(word.text) else (word.text,)
            if unknown:
                self._undefined(line, name, word)
            self._add(Definition(name.text, "same", (word.text,), line.number, name.column, unknown))
            return
        members: list[str] = []
        first = ""
        missing: list[str] = []
        for word in others:
            found = self._resolved(line, name, word, kind)
            if found is None:
                missing.append(word.text)
                continue
            known = [member for member in found if self.defines(member)]
            first = first or (self._leading(word.text) or known[0] if known else "")
            members += known
            missing += [member for member in found if not self.defines(member)]
        if not members and not missing:
            return
        if kind == "and":
            made = Definition(
                name.text, "and", tuple(members), line.number, name.column, tuple(missing)
            )  # fmt: skip
        else:
            last = tuple(dict.fromkeys(reversed(members)))[::-1]
            made = Definition(
                name.text, "or", last, line.number, name.column, tuple(missing), first
            )  # fmt: skip
        self._add(made)

    def _repeats(self, name: str, kind: str, words: Sequence[Word]) -> bool:
        """Return whether a second definition of a name changes nothing.

        It does not if it is the first one again, or if maps alone have the name and can have no property.
        """
        if not words:  # it stands for itself alone
            return False
        first = self._first.get((name, kind))
        if first is not None and kind == "same" and words[0].text == first.members[0]:
            return True
        target = list(self._targets(words[0].text))[-1]
        other = kind == "same" and target not in self._objects and (target, "or") in self._first
        return (kind == "or" or other) and name not in (*self._objects, *self._reader.named)

    def _leading(self, name: str) -> str:
        """Return the first member of a property, as its line has them; '' if the name is not a property."""
        target = list(self._targets(name))[-1]
        definition = self._first.get((target, "or"))
        return definition.first if definition is not None else ""

    def _add(self, definition: Definition) -> None:
        self._left -= len(definition.members)
        if self._left < 0:
            self._problems.add(
                definition.line, 1,
                f"The legend has more than {MOST_MEMBERS} members after its names are resolved.", fatal=True,
            )  # fmt: skip
            return
        self.definitions.append(definition)
        self._first.setdefault((definition.name, definition.kind), definition)

    def _undefined(self, line: Line, name: Word, word: Word) -> None:
        self._tell(
            line, word.column, f"In the line of {quoted(name.text)}: {quoted(word.text)} is not defined "
                               f"above; "
            "the name of an object or of the legend was expected.",
        )  # fmt: skip

    def _resolved(self, line: Line, name: Word, word: Word, kind: str) -> Iterable[str] | None:
        """Return what a member stands for, by the first definitions of names; None if it is unknown."""
        for target in self._targets(word.text):
            if target in self._objects:
                return (target,)
            for other in ("and", "or"):
                definition = self._first.get((target, other))
                if definition is None:
                    continue
                if other == kind:
                    return (*definition.members, *definition.unknown)
                what = f"{quoted(word.text)} is defined by an {other!r}; it cannot stand in an {kind!r}"
                if kind == "and":
                    self._tell(line, word.column, f"In the line of {quoted(name.text)}: {what}.", 2)
                    return (target,)
                self._tell(line, word.column, f"In the line of {quoted(name.text)}: {what}, and is left out.")
                return ()
        if self.defines(word.text):
            return (target,)  # another name of what is not defined
        self._undefined(line, name, word)
        return None

    def _targets(self, name: str) -> Iterator[str]:
        """Yield a name, then the name that it is another name of, and so on."""
        seen: set[str] = set()
        while name not in seen:
            yield name
            seen.add(name)
            definition = None if name in self._objects else self._first.get((name, "same"))
            if definition is not None:
                name = definition.members[0]
