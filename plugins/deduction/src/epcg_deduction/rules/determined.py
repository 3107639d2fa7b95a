"""Clues that follow from the solution: their values are read off a marking.

A kind of clues is *determined* if what its rules say of a clue depends on nothing but the marks and the clue
itself, and leaves at most one value at each place. All fair puzzles of such clues are then found from the
solutions alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from epcg_deduction.checking.check import CHECKS
from epcg_deduction.checking.each import Thing, measured
from epcg_deduction.checking.marked import Marked
from epcg_deduction.model.genre import ClueKind, Genre, RuleText
from epcg_deduction.model.puzzles import Clue, Puzzle, Value
from epcg_deduction.model.sites import admits, is_numeric, places_of, squares_at
from epcg_deduction.rules.problems import rules_of


def determined(genre: Genre, kind: str) -> bool:
    """Return whether the clues of a kind follow from the solution: at most one value fits each place."""
    about = [rule for rule in rules_of(genre) if kind in rule.clue_kinds()]
    if not about or any(kind in rule.tied() or rule.kind not in ("at", "each") for rule in about):
        return False
    return _defining(genre, kind) is not None or _one_sign(genre, genre.clues[kind])


def _one_sign(genre: Genre, kind: ClueKind) -> bool:
    """Return whether one sign at most fits a place: there is one only, or a border can grow one way only."""
    if kind.values == "lists" or kind.values.startswith("arrows") or is_numeric(kind.values):
        return False
    if kind.on == "borders" and any(
        rule.fields.get("each") == f"clue {kind.name}" and rule.fields.get("is") == "increasing"
        for rule in genre.rules
    ):
        return True
    ways = ("^v", "<>") if kind.on == "borders" else ("",)
    return all(len(set(kind.values) - set(others)) <= 1 for others in ways)


def values_of(puzzle: Puzzle, kind: str, marks: Sequence[int]) -> dict[int, Value]:
    """Return the value that a solution gives each place of a kind of determined clues.

    Args:
        puzzle: a puzzle of the board; its own clues do not matter.
        kind: the kind of clues, which must be determined.
        marks: the number of the mark of each site.

    Returns:
        The value by place, without the places where no value of the kind fits.
    """
    genre, bare = puzzle.genre, attrs.evolve(puzzle, clues=()) if puzzle.clues else puzzle
    clues = genre.clues[kind]
    defining = _defining(genre, kind)
    others = [rule for rule in genre.rules if _names(rule, kind) and rule is not defining]
    marked, found = Marked(bare, marks), {}
    for place in places_of(puzzle.board, clues.on):
        for value in _candidates(marked, clues, place, defining):
            if others:
                marked.puzzle = attrs.evolve(bare, clues=(Clue(kind, place, value),))
            fails = any(any(CHECKS[rule.kind](marked, rule.fields)) for rule in others)
            if not fails and admits(puzzle, clues, place, value):
                found[place] = value
                break
    return found


def _names(rule: RuleText, kind: str) -> bool:
    return rule.fields.get("at") == kind or rule.fields.get("each") == f"clue {kind}"


def _defining(genre: Genre, kind: str) -> RuleText | None:
    """Return the first rule that says what the value of a clue is; None: there is none."""
    if genre.clues[kind].values.startswith("arrows"):
        return None  # the direction is not known
    for rule in genre.rules:
        mark, wanted = rule.fields.get("mark"), rule.fields.get("is")
        table = isinstance(mark, Mapping) and len(set(mark.values())) == len(mark)
        if rule.fields.get("at") == kind and (mark == "clue" or table):
            return rule
        if rule.fields.get("each") == f"clue {kind}" and wanted in ("clue", "clue in any order"):
            return rule
    return None


def _candidates(marked: Marked, kind: ClueKind, place: int, rule: RuleText | None) -> list[Value]:
    """Return the values that a clue at a place may have, by the rule that defines it; else each sign."""
    if rule is None:
        return list(kind.values)
    if rule.kind == "at":
        mark: Any = rule.fields["mark"]
        name = marked.name("cells", place)
        if mark == "clue":
            return [int(name) if is_numeric(kind.values) and name.isdigit() else name]
        given = [value for value, each in mark.items() if each == name]
        return [int(value) if is_numeric(kind.values) else value for value in given]
    squares = squares_at(marked.board, kind.on, place)
    value = measured(marked, Thing("", squares, Clue(kind.name, place, None)), rule.fields)
    if isinstance(value, list):
        value = tuple(sorted(value) if rule.fields["is"] == "clue in any order" else value)
    return [] if value is None else [value]
