"""Problems for solvers from puzzles."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable

from epcg_deduction.model.genre import Genre
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.rules.each import pieces
from epcg_deduction.rules.registry import RULES
from epcg_deduction.rules.rule import Rule
from epcg_deduction.rules.scene import Scene
from epcg_deduction.solving.problem import Instance, Problem

_MOST_KEPT = 64
_KEPT: OrderedDict[Hashable, tuple[Genre, Scene, dict[int, list[Instance]]]] = OrderedDict()
"""By genre and board: its scene without clues, and the instances of the rules that do not depend on clues."""
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
    return _kept(puzzle)[0].with_clues(puzzle)


def problem_of(puzzle: Puzzle) -> Problem:
    """Return what the rules of a puzzle say about its sites.

    Instances are in the order of the rules. An implied one, that no border lies inside a piece, has the
    rule -1.
    """
    scene, fixed = _kept(puzzle)
    scene = scene.with_clues(puzzle)
    start = [(1 << len(names)) - 1 for names in scene.names]
    found: list[Instance] = []
    if puzzle.genre.marks.pieces and scene.board.borders:
        found.append(pieces(scene, -1))
    for rule in rules_of(puzzle.genre):
        for site, mask in rule.starts(scene):
            start[site] &= mask
        found += fixed[rule.index] if rule.index in fixed else rule.instances(scene)
    return Problem(scene.sites, scene.names, tuple(start), tuple(found))


def _kept(puzzle: Puzzle) -> tuple[Scene, dict[int, list[Instance]]]:
    """Return the scene of a board, and the instances of the rules that have no clues."""
    key = (id(puzzle.genre), puzzle.board, tuple(sorted(puzzle.numbers.items())))
    if key not in _KEPT:
        scene = Scene(Puzzle(puzzle.genre, puzzle.board, (), puzzle.numbers))
        rules = rules_of(puzzle.genre)
        fixed = {rule.index: list(rule.instances(scene)) for rule in rules if not rule.clue_kinds()}
        _KEPT[key] = puzzle.genre, scene, fixed
        if len(_KEPT) > _MOST_KEPT:
            _KEPT.popitem(last=False)
    _KEPT.move_to_end(key)
    return _KEPT[key][1:]
