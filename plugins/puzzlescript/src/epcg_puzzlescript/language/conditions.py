"""The section WINCONDITIONS."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal

import attrs

from epcg_puzzlescript.language.problems import Problems, quoted
from epcg_puzzlescript.language.sections import Line, lowered
from epcg_puzzlescript.language.vocabulary import Entry, Vocabulary

Quantifier = Literal["no", "some", "all"]
_QUANTIFIERS: dict[str, Quantifier] = {"no": "no", "some": "some", "any": "some", "all": "all"}
_WORD = re.compile(r"\S+")


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
        if not rest:
            self._tell(column, "The name of an object was expected behind 'No', 'Some' or 'All'.")
            return None
        if commented and self._plain[len(self._words) :]:
            self._tell(column, "The condition ends at the comment; what stands behind it does not count.", 0)
        if first not in _QUANTIFIERS and not commented:
            self._tell(
                column, f"Found {quoted(first)}, but expected 'No', 'Some' or 'All'; it is read as 'Some'."
            )
        names = [rest[0]]
        if len(rest) > 1 and not commented:
            self._joined(rest)
        if len(rest) == 3:
            names.append(rest[2])
        unknown = [(name, at) for name, at in names if not self._vocabulary.knows(name)]
        for name, at in unknown:
            self._tell(
                at, f"{quoted(name)} is not defined; the name of an object was expected. The condition is "
                f"left "
                "out.", 1 if commented else 2,
            )  # fmt: skip
        if unknown:
            return None
        for name, at in names:
            if not name[0].isalnum() and name[0] != "_":
                self._tell(at, f"{quoted(name)} is a sign; the name of an object was expected.")
                break
        masks = [mask_of(self._vocabulary.entries[name]) for name, _ in names]
        quantifier = _QUANTIFIERS.get(first, "some")
        if quantifier == "all" and len(masks) == 1:
            self._tell(column, "'All' without 'on' is always fulfilled, so the level is won by any turn.", 0)
        return WinCondition(quantifier, masks[0], masks[1] if len(masks) > 1 else None, self._line.number)

    def _joined(self, rest: list[tuple[str, int]]) -> None:
        """Tell what does not fit between and behind the two names."""
        joint, at = rest[1]
        if joint != "on":
            self._tell(at, f"Found {quoted(joint)}, but expected 'on'.")
        if len(rest) > 3:
            extra, column = rest[3]
            self._tell(
                column, f"Found {quoted(extra)}, but expected the end of the line; only what stands before "
                        f"'on' "
                "counts.", len(rest) - 3,
            )  # fmt: skip
        elif len(rest) == 2 and joint == "on":
            self._tell(at, "Behind 'on' the name of an object was expected; 'on' does not count.", 0)
