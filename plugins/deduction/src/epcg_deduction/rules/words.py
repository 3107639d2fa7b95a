"""Rules in words for people."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from epcg_core.plugin import counted
from epcg_deduction.model.genre import Genre
from epcg_deduction.model.sites import DERIVED

Given = Mapping[str, Any]
_ADJECTIVES = ("shaded", "blank", "filled", "empty", "black", "white", "lit", "unshaded", "painted", "marked")
_MASSES = ("water", "grass", "sand", "light", "snow", "land", "sea")
_LINED = {
    "on": "on a line",
    "straight": "passed straight on by a line",
    "turn": "a cell where a line turns",
    "end": "the end of a line",
}
_PLURALS = {
    "on": "cells on a line",
    "straight": "cells that a line passes straight on",
    "turn": "cells where a line turns",
    "end": "ends of lines",
}
_USUAL_CLUES = ("n", "given", "list", "t", "see", "sum", "area")
"""Kinds of clues that are called 'the clue' only."""
_THINGS = {
    "cell": "each cell",
    "plain cell": "each cell without a clue",
    "pair": "two cells that share a side",
    "touching pair": "two cells that touch, also by a corner,",
    "pair across": "two neighbouring cells of different regions",
    "two of line": "two cells of a row or column",
    "line": "each row and column",
    "stretch board": "each stretch of cells in a line",
    "piece": "each piece",
    "group equal": "each group of equal marks",
}
_PAIRS = ("pair", "touching pair", "pair across", "two of line")
_LOOKS = {
    "around": "in the cells that share a side with {}",
    "ring": "in the cells around {}, also at its corners",
    "nine": "in {} and the cells around it, also at its corners",
    "edges": "among the edges of {}",
    "links": "in {}",
    "links out": "across the outline of {}",
    "linked": "in the cells to which a line leads from {}",
    "arrow": "in the direction of the arrow of {}",
    "seen board": "in what is seen from {} in its row and column, itself included",
}
_PLACES = {
    "cells": "{}",
    "walls": "{}",
    "lines": "the row or column of {}",
    "sides": "the row or column of {}",
    "regions": "the region of {}",
    "stretches": "the stretch of {}",
    "borders": "the two cells of {}",
}


class _Words:
    """The words of one rule of the kind `each`."""

    def __init__(self, genre: Genre, given: Given) -> None:
        self.genre, self.given = genre, given
        self.selection, self.wanted = str(given["each"]), given.get("is")
        self.word, _, self.rest = self.selection.partition(" ")
        self.look = str(given.get("look", "self"))

    # ---- nouns

    def nouns(self, marks: Sequence[str]) -> str:
        """Return what is counted, in the plural: 'shaded cells', 'stars', 'cells on a line'."""
        return " or ".join(self._plural(mark) for mark in marks)

    def _plural(self, mark: str) -> str:
        if self.genre.marks.links and mark in DERIVED:
            return _PLURALS[mark]
        if mark == "none":
            return "places without a line"
        if mark.isdigit():
            return f"digits {mark}"
        if mark in _ADJECTIVES:
            return f"{mark} cells"
        return f"cells with {mark}" if mark in _MASSES else f"{mark}s"

    def being(self, mark: str) -> str:
        """Return what a cell of a mark is: 'shaded', 'a star', 'on a line'."""
        if self.genre.marks.links and mark in DERIVED:
            return _LINED[mark]
        if mark in _ADJECTIVES or mark.isdigit():
            return mark
        if mark in _MASSES:
            return f"one with {mark}"
        return f"{'an' if mark[:1] in 'aeiou' else 'a'} {mark}"

    def clue(self, kind: str, article: str = "a") -> str:
        name = "clue" if kind in _USUAL_CLUES else f"clue '{kind}'"
        return f"{article} {name}"

    def thing(self, article: str = "each") -> str:
        """Return what the rule is about: 'each row and column', 'the region of each clue'."""
        if self.selection in _THINGS:
            return _THINGS[self.selection]
        if self.word == "clue":
            kind = self.genre.clues.get(self.rest)
            return _PLACES[kind.on if kind else "cells"].format(self.clue(self.rest, article))
        if self.word in ("stretch", "group"):
            return f"each {self.word} of {self.nouns([self.rest])}"
        return f"each {self.selection}"

    def where(self, article: str = "each") -> str:
        """Return where is looked: 'in each row and column', 'in the cells around each clue'."""
        thing = self.thing(article)
        if self.look.startswith("seen ") and self.look != "seen board":
            seen = self.nouns([self.look[5:]])
            return f"among the {seen} that are seen from {thing} in its row and column, itself included"
        found = _LOOKS.get(self.look, "in {}").format(thing)
        return f"{found}, where it is {self.being(str(self.given['of']))}" if self._filtered else found

    def _known(self, wanted: Any) -> Any:
        """Return a number that the genre names as the number that it usually is."""
        return self.genre.numbers.get(wanted, wanted) if isinstance(wanted, str) else wanted

    @property
    def _filtered(self) -> bool:
        return self.given.get("of") not in (None, "equal")

    # ---- sentences

    def sentence(self) -> str:
        found = (
            self._shape() or self._pair() or self._single() or self._clue() or self._list() or self._plain()
        )
        return found[:1].upper() + found[1:]

    def _shape(self) -> str:
        if "shape" not in self.given:
            return ""
        if self.given["shape"] == "rectangle":
            return "Each piece is a rectangle."
        nouns = self.nouns([str(self.given["shape"]).removeprefix("region ")])
        return f"Where {nouns} of two regions share a side, the shapes of these regions are different."

    def _pair(self) -> str:
        """Return the sentence about two cells."""
        if self.selection not in _PAIRS:
            return ""
        things = _THINGS[self.selection]
        if "distance" in self.given:
            if self.given.get("of") == "equal" and self.wanted == "more than mark":
                where = things.replace("two cells of ", "")
                return f"equal digits in {where} are further apart than the digit says."
            return f"the distance of {things} is {_amount(self.wanted)}."
        marks = str(self.given.get("count", "")).split()
        if len(marks) != 1 or self._filtered:
            return ""
        if str(self.wanted) == "1..":
            return f"of {things} at least one is {self.being(marks[0])}."
        if str(self.wanted) == "..1":
            described = marks[0] in _ADJECTIVES or (self.genre.marks.links and marks[0] in DERIVED)
            return f"{things} are never both {self.being(marks[0]) if described else self._plural(marks[0])}."
        return ""

    def _single(self) -> str:
        """Return the sentence about the mark of a single cell."""
        kind = self.genre.clues.get(self.rest) if self.word == "clue" else None
        single = self.selection in ("cell", "plain cell") or (kind is not None and kind.on == "cells")
        marks = str(self.given.get("count", "")).split()
        if not single or self.look != "self" or not marks or self._filtered:
            return ""
        thing = f"the cell of {self.clue(self.rest, 'each')}" if kind is not None else self.thing()
        beings = [self.being(mark) for mark in marks]
        if self.wanted == 0:
            return f"{thing} is not {' or '.join(beings)}."
        if self.wanted == 1:
            return f"{thing} is {' or '.join(beings)}{', and not both' if len(marks) > 1 else ''}."
        return ""

    def _clue(self) -> str:
        """Return the sentence about the number or the list of a clue."""
        if self.wanted not in ("clue", "clue in any order"):
            return ""
        clue, place = self.clue(self.rest), self.where("the")
        for own in (f"the clue '{self.rest}'", "the clue"):
            place = place.replace(own, "it").replace(
                "it and the cells around it", "its cell and the cells around it"
            )
        place = re.sub(
            r"\bthe (row or column|region|stretch|two cells|edges|arrow) of it\b", r"its \1", place
        )
        if "runs" in self.given:
            order = "in any order" if self.wanted != "clue" else "in this order"
            runs = f"the runs of {self.nouns([self.given['runs']])}"
            return f"the numbers of {clue} are the lengths of {runs} {place}, {order}."
        if "count" in self.given:
            nouns = self.nouns(str(self.given["count"]).split())
            return f"the number of {clue} says how many {nouns} are {place}."
        if "size" in self.given:
            seen = place.removeprefix("among the ").replace(" that are seen", " are seen")
            return f"the number of {clue} says how many {seen}." if seen != place else ""
        if "visible" in self.given:
            return (
                f"the number of {clue} says how many digits are larger than all before them, seen from there."
            )
        names = {
            "sum": "the sum of the digits",
            "product": "the product of the digits",
            "difference": "the largest digit less all others",
            "quotient": "the largest digit divided by all others",
            "regions": "the number of different regions",
        }
        measure = next((name for name in names if name in self.given), None)
        return f"the number of {clue} is {names[measure]} {place}." if measure else ""

    def _list(self) -> str:
        """Return the sentence about a list."""
        if self.wanted not in ("different", "same", "increasing"):
            return ""
        digits = isinstance(self.genre.marks.cells, str)
        what = "digits" if digits else "marks"
        if "values" in self.given:
            of = f" in {self.nouns([str(self.given['of'])])}" if self._filtered else ""
            return f"in {self.thing()} all numbers{of} are {self.wanted}."
        elif "runs" in self.given:
            what = f"runs of {self.nouns([str(self.given['runs'])])}"
        if self.wanted == "increasing":
            if self.word == "clue":
                return f"the {what} {self.where()} grow from the smaller side of the sign to the larger one."
            return f"{self.where()} the {what} grow."
        return f"{self.where()} all {what} are {'different' if self.wanted == 'different' else 'equal'}."

    def _plain(self) -> str:
        """Return a sentence of a number in a thing."""
        given, wanted = self.given, self.wanted
        if self.word == "group" or self.selection == "piece":
            return self._group()
        if "regions" in given:
            return f"{self.thing()} touches {_amount(wanted, 'region')}."
        if "count" in given:
            nouns = self.nouns(str(given["count"]).split())
            if wanted == "half":
                return f"{self.where()} half of the cells are {self.being(str(given['count']))}."
            amount = _amount(self._known(wanted))
            if amount.endswith(" 1"):
                return f"{self.where()} there is {amount} {_singular(nouns)}."
            return f"{self.where()} there are {amount} {nouns}."
        names = {
            "sum": "the sum of the digits",
            "product": "the product of the digits",
            "difference": "the largest digit less all others",
            "quotient": "the largest digit divided by all others",
            "size": "the number of cells",
            "clues": "the number of clues",
            "visible": "the number of digits that are larger than all before them",
        }
        measure = next((name for name in names if name in given), "size")
        return f"{self.where()} {names[measure]} is {_amount(wanted)}."

    def _group(self) -> str:
        thing, wanted = self.thing(), self.wanted
        if "clues" in self.given:
            return f"{thing} has {_amount(wanted, 'clue')}."
        if wanted == "mark":
            return f"{thing.replace('equal marks', 'equal digits')} has as many cells as its digit says."
        if isinstance(wanted, str) and wanted.startswith("clue "):
            return f"{thing} has as many cells as its clue says."
        return f"{thing} has {_amount(wanted, 'cell')}."


def _singular(nouns: str) -> str:
    """Return 'shaded cell or lamp' for 'shaded cells or lamps'."""
    return " or ".join(
        noun.removesuffix("s") if noun.endswith("cells") or " " not in noun else noun.replace("s ", " ", 1)
        for noun in nouns.split(" or ")
    )


def _amount(wanted: Any, noun: str = "") -> str:
    """Return a comparison in words: 'exactly 2', 'at most 1 region'."""
    text = str(wanted)
    span = re.fullmatch(r"(\w*)\s*\.\.\s*(\w*)", text)
    if span is not None:
        low, high = span[1], span[2]
        if low and high:
            return f"{low} to {_counted(high, noun)}"
        return f"at most {_counted(high, noun)}" if high else f"at least {_counted(low or '0', noun)}"
    known = {
        "half": "half of the cells",
        "clue": "the number of the clue",
        "mark": "the digit of the cell",
        "more than mark": "more than the digit of the cell",
    }
    if text.startswith("clue ") and text not in known:
        return "what each clue in it says"
    if text in known:
        return known[text]
    return f"exactly {_counted(text, noun)}"


def _counted(number: str, noun: str) -> str:
    if not noun:
        return number
    return counted(int(number), noun) if number.isdigit() else f"{number} {noun}s"


def each_sentence(genre: Genre, given: Given) -> str:
    """Return a rule of the kind `each` in words."""
    return _Words(genre, given).sentence()


def at_sentence(genre: Genre, given: Given) -> str:
    """Return a rule of the kind `at` in words."""
    words = _Words(genre, {"each": "cell"})
    mark, kind = given["mark"], str(given["at"])
    if isinstance(mark, Mapping):
        parts = [f"a cell with {value} is {words.being(str(each))}" for value, each in mark.items()]
        found = ", and ".join(parts) + "."
    elif mark == "clue":
        found = "a given digit stays as it is." if isinstance(genre.marks.cells, str) else (
            f"a cell with {words.clue(kind)} is what the clue says."
        )  # fmt: skip
    else:
        found = f"a cell with {words.clue(kind)} is {words.being(str(mark))}."
    return found[:1].upper() + found[1:]


def never_sentence(genre: Genre, given: Given, drawn: Sequence[tuple[int, int, str]]) -> str:
    """Return a rule of the kind `never` in words; a drawing that is one mark in a rectangle has a name."""
    words = _Words(genre, {"each": "cell"})
    marks = {str(given["signs"].get(sign, sign)) for _, _, sign in drawn}
    width = 1 + max((x for x, _, _ in drawn), default=0)
    height = 1 + max((y for _, y, _ in drawn), default=0)
    nouns = words.nouns(sorted(marks))
    if len(marks) == 1 and len(drawn) == width * height:
        mark = next(iter(marks))
        if min(width, height) == 1:
            return f"No {max(width, height)} cells beside each other in a line are all {words.being(mark)}."
        shape = "square" if width == height else "rectangle"
        return f"No {height} by {width} {shape} is all {words.being(mark)}."
    return f"The drawing of {nouns.replace(' or ', ' and ')} occurs nowhere, in any turn or mirror."


def connected_sentence(genre: Genre, given: Given) -> str:
    """Return a rule of the kind `connected` in words."""
    mark = str(given["connected"])
    if mark in ("edges", "links"):
        return "All lines hang together."
    where = "In each region all" if given.get("in") == "region" else "All"
    return f"{where} {_Words(genre, {'each': 'cell'}).nouns([mark])} hang together by their sides."
