"""Problems for solvers from puzzles."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable

import attrs

from epcg_deduction.model.genre import Genre
from epcg_deduction.model.puzzles import Clue, Puzzle
from epcg_deduction.rules.each import pieces
from epcg_deduction.rules.registry import RULES
from epcg_deduction.rules.rule import Rule
from epcg_deduction.rules.scene import Scene
from epcg_deduction.solving.problem import Instance, Problem

_MOST_KEPT = 64
_MOST_CLUES = 100_000
"""The most clues of a board whose instances are kept."""


@attrs.define
class _Board:
    """A genre and a board, with what does not depend on clues, or on one clue alone."""

    genre: Genre
    scene: Scene
    fixed: dict[int, tuple[Instance, ...]]
    """By rule, for those without clues; -1: the implied rule of pieces."""
    of_clues: dict[tuple[int, Clue], tuple[Instance, ...]]
    """By rule and clue, for rules whose instances depend on one clue each."""

    def of_clue(self, rule: Rule, scene: Scene, clue: Clue) -> tuple[Instance, ...]:
        key = (rule.index, clue)
        found = self.of_clues.get(key)
        if found is None:
            if len(self.of_clues) >= _MOST_CLUES:
                self.of_clues.clear()
            found = self.of_clues[key] = tuple(rule.of_clue(scene, clue))
        return found


_KEPT: OrderedDict[Hashable, _Board] = OrderedDict()
"""By genre and board; the latest ones."""
_ALIKE: OrderedDict[Hashable, dict[int, tuple[Instance, ...]]] = OrderedDict()
"""By genre and board without its regions: the instances of the rules that do not read them."""
_WITHOUT_REGIONS = ("cell", "row", "column", "line", "pair", "touching pair")
_RULES: OrderedDict[int, tuple[Genre, tuple[Rule, ...]]] = OrderedDict()


def rules_of(genre: Genre) -> tuple[Rule, ...]:
    """Return the rules of a genre, whose fields are not checked here."""
    if id(genre) not in _RULES:
        _RULES[id(genre)] = genre, tuple(RULES[rule.kind](genre, at) for at, rule in enumerate(genre.rules))
        if len(_RULES) > _MOST_KEPT:
            _RULES.popitem(last=False)
    return _RULES[id(genre)][1]


def scene_of(puzzle: Puzzle) -> Scene:
    """Return a puzzle with its sites by number."""
    return _kept(puzzle).scene.with_clues(puzzle)


def problem_of(puzzle: Puzzle) -> Problem:
    """Return what the rules of a puzzle say about its sites.

    Instances are in the order of the rules. An implied one, that no border lies inside a piece, has the
    rule -1.
    """
    kept = _kept(puzzle)
    scene = kept.scene.with_clues(puzzle)
    start = [(1 << len(names)) - 1 for names in scene.names]
    found: list[Instance] = list(kept.fixed[-1])
    for rule in rules_of(puzzle.genre):
        for site, mask in rule.starts(scene):
            start[site] &= mask
        alone = rule.alone()
        if rule.index in kept.fixed:
            found += kept.fixed[rule.index]
        elif alone:
            for clue in scene.clues_by_kind[alone]:
                found += kept.of_clue(rule, scene, clue)
        else:
            found += rule.instances(scene)
    return Problem(scene.sites, scene.names, tuple(start), tuple(found))


def _without_regions(genre: Genre, index: int) -> bool:
    """Return whether a rule surely is the same on boards that differ in their regions alone."""
    given = genre.rules[index].fields
    words = {"each", "look", "count", "is"}
    return (
        given.get("each") in _WITHOUT_REGIONS
        and given.get("look", "self") in ("self", "around", "ring", "nine")
        and words.issuperset(given)
    )


def _kept(puzzle: Puzzle) -> _Board:
    """Return what is kept of the genre and the board of a puzzle."""
    key = (id(puzzle.genre), puzzle.board, tuple(sorted(puzzle.numbers.items())))
    if key not in _KEPT:
        scene = Scene(Puzzle(puzzle.genre, puzzle.board, (), puzzle.numbers))
        alike = (key[0], scene.board.width, scene.board.height, scene.board.kinds, key[2], scene.names)
        same = _ALIKE.get(alike, {})
        fixed = {
            rule.index: same.get(rule.index) or tuple(rule.instances(scene))
            for rule in rules_of(puzzle.genre)
            if not rule.clue_kinds()
        }
        _ALIKE[alike] = {index: own for index, own in fixed.items() if _without_regions(puzzle.genre, index)}
        if len(_ALIKE) > _MOST_KEPT:
            _ALIKE.popitem(last=False)
        implied = puzzle.genre.marks.pieces and scene.board.borders
        fixed[-1] = (pieces(scene, -1),) if implied else ()
        _KEPT[key] = _Board(puzzle.genre, scene, fixed, {})
        if len(_KEPT) > _MOST_KEPT:
            _KEPT.popitem(last=False)
    _KEPT.move_to_end(key)
    return _KEPT[key]
