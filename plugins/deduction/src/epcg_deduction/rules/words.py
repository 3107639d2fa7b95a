"""Rules in words for people."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from epcg_deduction.model.genre import Genre

_THINGS = {
    "cell": "each cell",
    "plain cell": "each cell without a clue",
    "pair": "two neighbouring cells",
    "touching pair": "two cells that touch, also by a corner",
    "pair across": "two neighbouring cells of different regions",
    "two of line": "two cells of a row or column",
    "line": "each row and column",
    "stretch board": "each stretch of cells in a line",
    "piece": "each piece",
    "group equal": "each group of equal marks",
}
_LOOKS = {
    "around": "in the cells that share a side with it",
    "ring": "in the cells around it, also at its corners",
    "nine": "in it and the cells around it",
    "edges": "among its edges",
    "links": "among its links",
    "links out": "across its outline",
    "linked": "in the cells that its lines lead to",
    "arrow": "along the arrow",
    "seen board": "in what is seen from it in four directions, itself included",
}


def _named(genre: Genre, kind: str) -> str:
    """Return how a clue of a kind is called."""
    if genre.clues.get(kind) is None or kind in ("n", "given", "list", "t", "see"):
        return "clue"
    return f"clue '{kind}'"


def _thing(genre: Genre, selection: str) -> str:
    if selection in _THINGS:
        return _THINGS[selection]
    word, _, rest = selection.partition(" ")
    if word == "clue":
        where = {
            "lines": "the line of each {}",
            "sides": "the line of each {}",
            "regions": "the region of each {}",
        }
        where |= {"stretches": "the stretch of each {}", "borders": "the two cells of each {}"}
        kind = genre.clues.get(rest)
        return where.get(kind.on if kind else "", "each {}").format(_named(genre, rest))
    if word in ("stretch", "group"):
        return f"each {word} of {rest} cells"
    return f"each {selection}"


def _wanted(wanted: Any) -> str:
    """Return a comparison in words."""
    text = str(wanted)
    span = re.fullmatch(r"(\w*)\s*\.\.\s*(\w*)", text)
    if span is not None:
        if span[1] and span[2]:
            return f"{span[1]} to {span[2]}"
        return f"at most {span[2]}" if span[2] else f"at least {span[1] or 0}"
    known = {
        "half": "half of the cells",
        "clue": "the number of the clue",
        "clue in any order": "those of the clue, in any order",
        "mark": "the digit of the cell",
        "more than mark": "more than the digit of the cell",
        "increasing": "increasing from the smaller sign on",
        "same": "all the same",
        "different": "all different",
    }
    if text.startswith("clue ") and text not in known:
        return (
            f"the number of each clue '{text[5:]}' in it"
            if text[5:] != "n"
            else "the number of each clue in it"
        )
    return known.get(text, text)


def each_sentence(genre: Genre, given: Mapping[str, Any]) -> str:
    """Return a rule of the kind `each` in words."""
    selection, wanted = str(given["each"]), given.get("is")
    thing = _thing(genre, selection)
    look = str(given.get("look", "self"))
    seen = _LOOKS.get(look, "")
    if look.startswith("seen ") and look != "seen board":
        seen = f"in the {look[5:]} cells that are seen from it in four directions, itself included"
    preposition = "For" if look != "self" or thing.startswith("two") else "In"
    of = f" of {given['of']} cells" if given.get("of") not in (None, "equal") else ""
    is_ = _wanted(wanted)
    where = f" {seen}" if seen else ""
    if "shape" in given:
        if given["shape"] == "rectangle":
            return "Each piece is a rectangle."
        mark = str(given["shape"]).removeprefix("region ")
        return f"Where {mark} cells of two regions share a side, their shapes are different."
    if "distance" in given:
        what = (
            "Equal digits in a row or column" if given.get("of") == "equal" else f"{thing.capitalize()}{of}"
        )
        return f"{what}: their distance is {is_}."
    if selection == "cell" and look == "self" and "count" in given:
        return f"Each cell is {' or '.join(str(given['count']).split())}: the number of these is {is_}."
    if "count" in given:
        marks = " or ".join(str(given["count"]).split())
        return f"{preposition} {thing}, the number of {marks}{where}{of} is {is_}."
    if "size" in given:
        if look == "self":
            return f"The size of {thing} is {is_}."
        return f"For {thing}, the number of cells{where.replace(' in the', ' among the')} is {is_}."
    if "clues" in given:
        return f"{preposition} {thing}, the number of clues{where}{of} is {is_}."
    names = {
        "sum": "the sum of the digits",
        "product": "the product of the digits",
        "difference": "the largest digit less all others",
        "quotient": "the largest digit divided by all others",
        "marks": "the marks" if not isinstance(genre.marks.cells, str) else "the digits",
        "values": f"the numbers '{given.get('values')}'",
        "regions": "the number of regions that it touches",
        "visible": "the number of digits that are larger than all before",
        "runs": f"the lengths of the runs of {given.get('runs')} cells",
    }
    measure = next(name for name in names if name in given)
    verb = "are" if measure in ("marks", "values", "runs") else "is"
    return f"{preposition} {thing}, {names[measure]}{where}{of} {verb} {is_}."


def at_sentence(genre: Genre, given: Mapping[str, Any]) -> str:
    """Return a rule of the kind `at` in words."""
    name, mark = _named(genre, str(given["at"])), given["mark"]
    if isinstance(mark, Mapping):
        return (
            "; ".join(
                f"where '{value}' is given, the cell is {each}" for value, each in mark.items()
            ).capitalize()
            + "."
        )
    if mark == "clue":
        return (
            "A given digit stays as it is."
            if isinstance(genre.marks.cells, str)
            else f"A cell is what its {name} says."
        )
    return f"A cell with a {name} is {mark}."


def never_sentence(genre: Genre, given: Mapping[str, Any], drawn: Sequence[tuple[int, int, str]]) -> str:
    """Return a rule of the kind `never` in words; a drawing that is one mark in a rectangle has a name."""
    marks = {str(given["signs"].get(sign, sign)) for _, _, sign in drawn}
    width = 1 + max((x for x, _, _ in drawn), default=0)
    height = 1 + max((y for _, y, _ in drawn), default=0)
    if len(marks) == 1 and len(drawn) == width * height:
        mark = next(iter(marks))
        if min(width, height) == 1:
            return f"Never are {max(width, height)} cells in a line all {mark}."
        return f"No {height} by {width} rectangle is all {mark}."
    return f"The drawing of {' and '.join(sorted(marks))} cells occurs nowhere, in any turn or mirror."


def connected_sentence(genre: Genre, given: Mapping[str, Any]) -> str:
    """Return a rule of the kind `connected` in words."""
    mark = str(given["connected"])
    if mark in ("edges", "links"):
        return "All lines hang together."
    where = "In each region all" if given.get("in") == "region" else "All"
    return f"{where} {mark} cells hang together by their sides."
