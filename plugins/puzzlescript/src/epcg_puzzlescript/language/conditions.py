"""The section WINCONDITIONS."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal

import attrs

from epcg_puzzlescript.language.problems import Problems, quoted
from epcg_puzzlescript.language.sections import SECTIONS, Line, lowered
from epcg_puzzlescript.language.vocabulary import Entry, Vocabulary

Quantifier = Literal["no", "some", "all"]
_QUANTIFIERS: dict[str, Quantifier] = {"no": "no", "some": "some", "any": "some", "all": "all"}
_WORD = re.compile(r"\S+")
_NAME = re.compile(r"\w+")


@attrs.frozen
class Mask:
    """A name in a condition: which objects, and whether all of them must lie in a cell."""

    bits: int
    whole: bool

    def lies_in(self, cell: int) -> bool:
        """Return whether a cell has it."""
        return cell & self.bits == self.bits if self.whole else cell & self.bits != 0


def mask_of(entry: Entry) -> Mask:
    """Return the objects of a name."""
    return Mask(entry.mask, entry.kind == "and")


@attrs.frozen
class WinCondition:
    """'No A', 'Some A', 'All A', each possibly 'on B'."""

    quantifier: Quantifier
    what: Mask
    on: Mask | None
    line: int


def read_conditions(
    lines: Iterable[Line], vocabulary: Vocabulary, problems: Problems
) -> Iterator[WinCondition]:
    """Yield the conditions. Words that do not fit are told and read over, as the reference engine does."""
    for line in lines:
        condition = _Reader(line, vocabulary, problems).condition()
        if condition is not None:
            yield condition


class _Reader:
    def __init__(self, line: Line, vocabulary: Vocabulary, problems: Problems) -> None:
        self._line, self._vocabulary, self._problems = line, vocabulary, problems
        self._words = [(found[0], found.start() + 1) for found in _WORD.finditer(lowered(line.run))]
        self._plain = line.lower.split()
        """The words without comments."""

    def _tell(self, column: int, sentence: str, errors: int = 1) -> None:
        self._problems.add(self._line.number, column, sentence, errors=errors)

    def condition(self) -> WinCondition | None:
        """Return the condition of the line; None if it has none."""
        if not self._words:
            return None
        (first, column), *rest = self._words
        commented = self._plain != [word for word, _ in self._words]
        if commented and self._plain[len(self._words) :]:
            self._tell(column, "The condition ends at the comment; what stands behind it does not count.", 0)
        unknown = {} if commented else self._check()
        if not rest:
            self._tell(column, "The name of an object was expected behind 'No', 'Some' or 'All'.")
            return None
        names = [rest[0]]
        if len(rest) == 3:
            names.append(rest[2])
        lost = {name: at for name, at in names if not self._means(name)}
        for name, at in {**unknown, **lost}.items():
            left = " The condition is left out." if lost else ""
            self._tell(
                at, f"{quoted(name)} is not defined above; the name of an object was expected.{left}",
                int(name in unknown) + int(name in lost),
            )  # fmt: skip
        if lost:
            return None
        masks = [mask_of(self._vocabulary.entries[name]) for name, _ in names]
        quantifier = _QUANTIFIERS.get(first, "some")
        if quantifier == "all" and len(masks) == 1:
            self._tell(column, "'All' without 'on' is always fulfilled, so the level is won by any turn.", 0)
        return WinCondition(quantifier, masks[0], masks[1] if len(masks) > 1 else None, self._line.number)

    def _means(self, name: str) -> bool:
        """Return whether a name stands for something, though its definition may stand too far down."""
        entry = self._vocabulary.entries.get(name)
        return entry is not None and (entry.kind != "nothing" or self._vocabulary.is_property(name))

    def _check(self) -> dict[str, int]:
        """Tell each word that does not fit, up to the first sign; return the unknown names, not told yet."""
        unknown: dict[str, int] = {}
        below = self._vocabulary.is_known_in(self._line.number)
        words = [entry for place, entry in enumerate(self._words) if not (place and entry[0] in SECTIONS)]
        for place, (word, at) in enumerate(words):
            found = _NAME.match(word)
            if found is None or found[0] != word:
                self._tell(at, f"{quoted(word)} has a sign; the name of an object was expected.")
            name = found[0] if found else ""
            if not name:
                break
            if place == 0 and name not in _QUANTIFIERS:
                self._tell(
                    at, f"Found {quoted(name)}, but expected 'No', 'Some' or 'All'; it is read as 'Some'."
                )
            elif place == 2 and name != "on":
                self._tell(at, f"Found {quoted(name)}, but expected 'on'.")
            elif place in (1, 3) and not (below and self._vocabulary.knows(name)):
                unknown.setdefault(name, at)
            elif place > 3:
                self._tell(
                    at, f"Found {quoted(name)}, but expected the end of the line; only what stands before "
                        "'on' counts.",
                )  # fmt: skip
            if name != word:
                break
        if len(self._words) == 3 and self._words[2][0] == "on":
            self._tell(
                self._words[2][1],
                "Behind 'on' the name of an object was expected; 'on' does not count.", 0,
            )  # fmt: skip
        return unknown
