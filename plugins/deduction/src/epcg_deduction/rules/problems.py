"""Problems for solvers from puzzles."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable

import attrs

from epcg_deduction.model.genre import Genre
from epcg_deduction.model.puzzles import Clue, Puzzle, Value
from epcg_deduction.model.sites import SIZE_OF_REGION
from epcg_deduction.rules.each import pieces
from epcg_deduction.rules.registry import RULES
from epcg_deduction.rules.rule import Rule
from epcg_deduction.rules.scene import Scene
from epcg_deduction.solving.problem import Part, Problem

_MOST_KEPT = 64
_MOST_CLUES = 100_000
"""The most clues of a board whose instances are kept."""


@attrs.define
class _Board:
    """A genre and a board, with what does not depend on clues, or on one clue alone."""

    genre: Genre
    scene: Scene
    start: tuple[int, ...]
    """The marks of all sites."""
    fixed: dict[int, Part]
    """By rule, for those without clues; -1: the implied rule of pieces."""
    alone: dict[int, str]
    """By rule, for rules whose instances depend on one clue each: the kind of the clue."""
    of_clues: dict[int, dict[tuple[int, Value], Part]]
    """For these rules, by the place and the value of the clue."""
    starting: tuple[Rule, ...]
    """The rules that say where puzzles begin."""

    def of_clue(self, rule: Rule, scene: Scene, clue: Clue) -> Part:
        """Return the instances of a clue, made once."""
        kept = self.of_clues[rule.index]
        found = kept.get((clue.place, clue.value))
        if found is None:
            if len(kept) >= _MOST_CLUES:
                kept.clear()
            found = kept[clue.place, clue.value] = Part(tuple(rule.of_clue(scene, clue)))
        return found


_KEPT: OrderedDict[Hashable, _Board] = OrderedDict()
"""By genre and board; the latest ones."""
_ALIKE: OrderedDict[Hashable, tuple[Scene, dict[int, Part]]] = OrderedDict()
"""By genre and board without its regions: a scene, and the instances of the rules that do not read them."""
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
    start = list(kept.start)
    for rule in kept.starting:
        for site, mask in rule.starts(scene):
            start[site] &= mask
    parts = [kept.fixed[-1]]
    for rule in rules_of(puzzle.genre):
        index = rule.index
        if index in kept.fixed:
            parts.append(kept.fixed[index])
        elif index in kept.alone:
            clues = scene.clues_by_kind[kept.alone[index]]
            parts += [kept.of_clue(rule, scene, clue) for clue in clues]
        else:
            parts.append(Part(tuple(rule.instances(scene))))
    return Problem.of_parts(scene.sites, scene.names, tuple(start), tuple(parts))


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
        own = puzzle.genre.marks.cells
        board = puzzle.board
        read = (board.regions, board.names) if isinstance(own, str) and SIZE_OF_REGION in own else None
        alike = (key[0], board.width, board.height, board.kinds, key[2], read)
        like, same = _ALIKE.get(alike, (None, {}))
        scene = Scene(Puzzle(puzzle.genre, board, (), puzzle.numbers), like)
        fixed = {
            rule.index: same.get(rule.index) or Part(tuple(rule.instances(scene)))
            for rule in rules_of(puzzle.genre)
            if not rule.clue_kinds()
        }
        others = {index: part for index, part in fixed.items() if _without_regions(puzzle.genre, index)}
        _ALIKE[alike] = scene, others
        if len(_ALIKE) > _MOST_KEPT:
            _ALIKE.popitem(last=False)
        implied = puzzle.genre.marks.pieces and scene.board.borders
        fixed[-1] = Part((pieces(scene, -1),) if implied else ())
        rules = rules_of(puzzle.genre)
        alone = {rule.index: rule.alone() for rule in rules if rule.index not in fixed and rule.alone()}
        start = tuple([(1 << len(names)) - 1 for names in scene.names])
        starting = tuple(rule for rule in rules if type(rule).starts is not Rule.starts)
        _KEPT[key] = _Board(puzzle.genre, scene, start, fixed, alone, {at: {} for at in alone}, starting)
        if len(_KEPT) > _MOST_KEPT:
            _KEPT.popitem(last=False)
    _KEPT.move_to_end(key)
    return _KEPT[key]
