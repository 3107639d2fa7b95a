"""Which words of the kind `each` go together: selection, look, measure and comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from epcg_core.plugin import UnknownNameError
from epcg_deduction.model.genre import Genre
from epcg_deduction.model.sites import is_numeric, is_span
from epcg_deduction.rules.rule import Fault, told

SELECTIONS = (
    *("cell", "plain cell", "row", "column", "line", "region", "pair", "touching pair", "pair across"),
    *("two of line", "stretch board", "piece"),
)
OPEN_SELECTIONS = ("clue", "stretch", "group")
"""Words that a kind of clues or a mark follows."""
LOOKS = ("self", "around", "ring", "nine", "edges", "links", "links out", "linked", "arrow", "seen board")
AMOUNTS = (
    "count",
    "sum",
    "product",
    "difference",
    "quotient",
    "size",
    "clues",
    "regions",
    "visible",
    "distance",
)
LISTS = ("marks", "values", "runs")
MEASURES = (*AMOUNTS, *LISTS, "shape")
DIGITS = ("sum", "product", "difference", "quotient", "visible")
ORDERS = ("different", "same", "increasing")
WORDS = ("half", "clue", "clue in any order", "mark", *ORDERS, "more than mark")
PAIRS = ("pair", "touching pair", "pair across", "two of line")


class Asking(Protocol):
    """What a rule `each` tells of itself; its methods are those of `Rule`."""

    given: Mapping[str, Any]
    thing: str
    look: str
    of: str
    wanted: Any

    def text(self, key: str, usual: str = "") -> str: ...

    def known_clue(self, field: str, kind: str) -> Iterator[Fault]: ...

    def known_mark(self, field: str, mark: str, derived: bool = True) -> Iterator[Fault]: ...


class Grammar:
    """The words of one rule.

    Args:
        genre: the genre.
        given: the fields of the rule.
    """

    def __init__(self, genre: Genre, given: Mapping[str, Any]) -> None:
        self.genre, self.given = genre, given
        self.measures = [name for name in MEASURES if name in given]
        self.measure = self.measures[0] if self.measures else ""
        self.is_list = self.measure in LISTS
        wanted = given.get("is")
        inside = isinstance(wanted, str) and wanted.startswith("clue ") and wanted != "clue in any order"
        self.clue_inside = str(wanted)[5:] if inside else ""
        """The kind K of "clue K"; '' if the rule compares with something else."""

    def is_amount(self, word: Any) -> bool:
        """Return whether a comparison is a number or has bounds of one."""
        if isinstance(word, bool):
            return False
        return isinstance(word, int) or (
            isinstance(word, str) and word not in WORDS and not self.clue_inside and is_span(word)
        )

    @property
    def single(self) -> bool:
        """Whether each thing is one cell, or a clue in one square."""
        return self.given.get("each") in ("cell", "plain cell") or self.clue_on in ("cells", "walls")

    @property
    def clue_on(self) -> str:
        """Where the clues stand that the rule is about; '' if it is not about clues."""
        kind = self.genre.clues.get(str(self.given.get("each", ""))[5:])
        return kind.on if kind is not None and str(self.given["each"]).startswith("clue ") else ""

    # ---- faults

    def faults(self, rule: Asking) -> Iterator[Fault]:
        """Yield what does not go together."""
        found = [*self._selection(rule), *self._look(rule)]
        yield from found
        if len(self.measures) != 1:
            listed = ", ".join(MEASURES)
            said = (
                "Nothing is measured"
                if not self.measures
                else f"{' and '.join(self.measures)} are two measures"
            )
            yield Fault(self.measures[1] if self.measures else None, f"{said}: give one of {listed}.")
            return
        if found:
            return
        yield from self._measured(rule)
        yield from self._comparison(rule)

    def _selection(self, rule: Asking) -> Iterator[Fault]:
        word, _, rest = rule.thing.partition(" ")
        if word in OPEN_SELECTIONS and rest and rule.thing not in SELECTIONS:
            if word == "clue":
                yield from rule.known_clue("each", rest)
            elif not (word == "group" and rest == "equal"):
                yield from rule.known_mark("each", rest, derived=word == "stretch")
        elif rule.thing not in SELECTIONS:
            known = (*SELECTIONS, "clue KIND", "stretch MARK", "group MARK", "group equal")
            yield Fault("each", told(UnknownNameError("selection", rule.thing, known)))
        if rule.thing == "piece" and not self.genre.marks.pieces:
            yield Fault("each", "The genre has no pieces: write pieces = true in [marks].")
        cells = word in ("stretch", "group") and rule.thing != "stretch board"
        if cells and not self.genre.marks.cells and rest not in ("on", "straight", "turn", "end"):
            yield Fault("each", f"'{rule.thing}' needs marks in cells: give cells = ... in [marks].")

    def _look(self, rule: Asking) -> Iterator[Fault]:
        look = rule.look
        if look.startswith("seen ") and look != "seen board":
            yield from rule.known_mark("look", look[5:])
        elif look not in LOOKS:
            yield Fault("look", told(UnknownNameError("look", look, (*LOOKS, "seen MARK"))))
            return
        if look in ("edges", "links") and not getattr(self.genre.marks, look):
            yield Fault(
                "look", f'The genre has no marks on {look}: give {look} = ["line", "none"] in [marks].'
            )
        elif look in ("linked", "links out") and not self.genre.marks.links:
            yield Fault(
                "look", 'The genre has no lines between cells: give links = ["line", "none"] in [marks].'
            )
        if look == "links out":
            if rule.thing != "region" and self.clue_on != "regions":
                yield Fault("look", "'links out' is for regions: write each = \"region\".")
        elif look != "self" and not self.single:
            yield Fault(
                "look", f"'{look}' is for single cells: write each = \"cell\", or clues that stand in cells."
            )
        if look == "arrow" and not self._arrows(rule.thing[5:]):
            yield Fault("look", "'arrow' needs clues that are arrows: values = \"arrows 0..n\".")
        if look in ("edges", "links", "linked") and self.clue_on == "walls":
            yield Fault("look", f"'{look}' is for cells: a wall has no lines.")

    def _arrows(self, kind: str) -> bool:
        found = self.genre.clues.get(kind)
        return found is not None and found.values.startswith("arrows")

    def _measured(self, rule: Asking) -> Iterator[Fault]:
        measure, marks = self.measure, self.genre.marks
        lines = rule.look in ("edges", "links", "links out")
        made = rule.thing.startswith("group") or rule.thing == "piece"
        if rule.of == "equal":
            if rule.thing not in PAIRS or measure != "distance":
                yield Fault("of", "'equal' is for the distance of two cells.")
        elif rule.of and not lines:
            yield from rule.known_mark("of", rule.of)
        elif rule.of and rule.of not in (marks.edges if rule.look == "edges" else marks.links):
            yield Fault("of", f"'{rule.of}' is not a mark of these lines.")
        if made and (measure not in ("size", "clues", "shape") or rule.of):
            yield Fault(measure, f"Of a {rule.thing.split()[0]} only size and clues can be measured.")
        if measure == "shape":
            yield from self._shape(rule)
        elif measure == "distance":
            if rule.thing not in PAIRS:
                yield Fault(
                    "distance", f"'distance' is for two cells: write each = one of {', '.join(PAIRS)}."
                )
            if not marks.cells:
                yield Fault("distance", "'distance' compares marks of cells: give cells = ... in [marks].")
            elif rule.of and rule.of != "equal":
                yield from rule.known_mark("of", rule.of, derived=False)
        elif measure == "count":
            for mark in rule.text("count").split():
                if not lines:
                    yield from rule.known_mark("count", mark)
                elif mark not in (marks.edges if rule.look == "edges" else marks.links):
                    yield Fault("count", f"'{mark}' is not a mark of these lines.")
            if not rule.text("count").split():
                yield Fault("count", "'count' names the marks that are counted.")
        elif measure == "runs":
            yield from rule.known_mark("runs", rule.text("runs"))
            along = rule.thing in ("row", "column", "line", "stretch board")
            along = along or self.clue_on in ("lines", "sides", "stretches")
            if not (along if rule.look == "self" else rule.look in ("ring", "arrow")):
                yield Fault("runs", "'runs' are counted along a line, around a ring or along an arrow.")
        elif measure in ("values", "clues"):
            kind = rule.text(measure)
            yield from rule.known_clue(measure, kind)
            if kind in self.genre.clues and self.genre.clues[kind].on != "cells":
                yield Fault(measure, f"'{measure}' is about clues in cells, and '{kind}' stands elsewhere.")
        digits = measure in DIGITS and (lines or not self._digits())
        if digits or (measure == "marks" and not lines and not marks.cells):
            yield Fault(measure, f"'{measure}' needs cells whose marks are digits, such as cells = \"1..n\".")
        if lines and measure in ("values", "clues", "regions", "runs"):
            yield Fault(measure, f"'{measure}' is about cells, not about lines.")

    def _digits(self) -> bool:
        """Return whether cells have marks that are digits, all of them."""
        cells = self.genre.marks.cells
        return bool(cells) and (isinstance(cells, str) or all(mark.isdigit() for mark in cells))

    def _from_one(self) -> bool:
        """Return whether the marks of cells are the digits from 1 on."""
        cells = self.genre.marks.cells
        if isinstance(cells, str):
            return cells.partition("..")[0].strip() == "1"
        return cells == tuple(str(digit + 1) for digit in range(len(cells)))

    def _shape(self, rule: Asking) -> Iterator[Fault]:
        wanted, given = rule.text("shape"), rule.given.get("is")
        if wanted == "rectangle":
            if rule.thing != "piece":
                yield Fault("shape", "'rectangle' is for pieces: write each = \"piece\".")
            if given is not None:
                yield Fault("is", "A piece is a rectangle: leave 'is' away.")
        elif wanted.startswith("region "):
            yield from rule.known_mark("shape", wanted[7:], derived=False)
            if rule.thing != "pair across" or given != "different":
                yield Fault("shape", 'Shapes are compared of each = "pair across" with is = "different".')
            if rule.of != wanted[7:]:
                yield Fault("of", f'Shapes are compared where both cells have the mark: of = "{wanted[7:]}".')
        else:
            yield Fault("shape", '\'shape\' is "rectangle" or "region MARK".')

    def _comparison(self, rule: Asking) -> Iterator[Fault]:
        wanted, measure = rule.wanted, self.measure
        if measure == "shape":
            return
        if wanted is None:
            yield Fault(None, 'The rule does not say what the measure is: add is = a number, "clue", ...')
            return
        known = wanted in WORDS or bool(self.clue_inside) or self.is_amount(wanted)
        if not known:
            yield Fault(
                "is", told(UnknownNameError("comparison", str(wanted), (*WORDS, "clue KIND", "a..b")))
            )
            return
        yield from self._clue_comparison(rule)
        if self.is_list and (self.is_amount(wanted) or wanted in ("half", "mark", "more than mark")):
            yield Fault("is", f"'{measure}' is a list: it is different, same, increasing or a clue.")
        if not self.is_list and wanted in ORDERS:
            yield Fault("is", f"'{measure}' is a number, not a list: compare it with a number or a clue.")
        if wanted == "increasing" and measure == "marks" and not self._digits():
            yield Fault("is", "'increasing' needs marks that are digits.")
        made = rule.thing.startswith("group") or rule.thing == "piece"
        changing = rule.look == "linked" or (rule.look.startswith("seen ") and rule.look != "seen board")
        if wanted in ("half", "mark", "more than mark") and changing:
            yield Fault(
                "is", f"'{wanted}' needs a fixed neighbourhood: '{rule.look}' changes with the marks."
            )
        made_by_marks = made or (rule.thing.startswith("stretch ") and rule.thing != "stretch board")
        if wanted == "half" and (made_by_marks or measure not in ("count", "size", "sum")):
            yield Fault("is", "'half' is half of the cells of a line, a region or a neighbourhood.")
        if wanted in ("mark", "more than mark"):
            yield from self._mark_comparison(rule)
        if made and measure == "clues" and not isinstance(wanted, int):
            yield Fault("is", "Clues of a group or a piece are counted exactly: is = a number.")

    def _clue_comparison(self, rule: Asking) -> Iterator[Fault]:
        wanted, measure = rule.wanted, self.measure
        if self.clue_inside:
            yield from rule.known_clue("is", self.clue_inside)
            kind = self.genre.clues.get(self.clue_inside)
            if kind is not None and (kind.on != "cells" or not is_numeric(kind.values)):
                yield Fault("is", f"'{wanted}' needs clues that are numbers in cells.")
            if self.is_list or (measure == "clues" and rule.thing in ("piece",)) or self.single:
                yield Fault("is", f"'{wanted}' compares the measure of several cells: write is = \"clue\".")
        elif wanted in ("clue", "clue in any order"):
            if not self.clue_on:
                yield Fault("is", f"'{wanted}' needs each = \"clue KIND\".")
                return
            values = self.genre.clues[rule.thing[5:]].values
            if (values == "lists") != (measure == "runs"):
                yield Fault(
                    "is", 'Runs are compared with clues that are lists (values = "lists"), and only they.'
                )
            elif self.is_list and measure != "runs":
                yield Fault("is", f"'{measure}' is a list, and clues of this kind are numbers.")
            elif values != "lists" and not values.startswith("arrows") and not is_numeric(values):
                yield Fault("is", f"The clues '{values}' are signs, not numbers.")
            if wanted == "clue in any order" and measure != "runs":
                yield Fault("is", f"'{measure}' is a number: write is = \"clue\".")

    def _mark_comparison(self, rule: Asking) -> Iterator[Fault]:
        digits = self._digits()
        word, _, mark = rule.thing.partition(" ")
        stretch = word in ("stretch", "group") and mark not in ("board",)
        if not digits or not self.genre.marks.cells:
            yield Fault("is", f"'{rule.wanted}' needs cells whose marks are digits.")
        elif stretch and mark == "equal" and rule.wanted == "more than mark":
            yield Fault("is", 'The size of equal marks is compared by is = "mark".')
        elif word == "group" and mark == "equal" and not self._from_one():
            yield Fault("is", 'The size of equal marks is compared with digits from 1 on: cells = "1..n".')
        elif stretch and mark != "equal" and not mark.isdigit():
            yield Fault("is", f"'{mark}' is not a digit.")
        elif self.measure != "distance" and not stretch and (not self.single or self.clue_on == "walls"):
            yield Fault("is", f"'{rule.wanted}' is for single cells: write each = \"cell\".")
        elif rule.thing == "piece":
            yield Fault("is", f"'{rule.wanted}' is not for pieces.")
