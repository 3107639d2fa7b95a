"""Evaluators of the first shortest solution: displacements, choices, the rules at work and those needed."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

import attrs

from epcg_core.plugin import Bits, LimitReachedError, ParamsError, PathResult, shortest_path
from epcg_puzzlescript import metrics
from epcg_puzzlescript.language.game import Game, RuleList
from epcg_puzzlescript.language.problems import quoted
from epcg_puzzlescript.params import NeededRulesParams, SolutionParams
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.turn import RESTART


def _solved(model: PuzzleScriptModel, level: Level, limit: int, plain: bool) -> PathResult:
    found = shortest_path(model, level, limit, plain=plain)
    if found.limit_reached:
        raise LimitReachedError(f"A solution takes more than {limit} expansions.")
    return found


class AlongSolution:
    """`along_solution`: what happens along the first shortest solution; no values without one of an input."""

    metrics = (metrics.DISPLACEMENTS, metrics.BRANCHING, metrics.FORKS, metrics.RULES_FIRED)

    def __init__(
        self, params: SolutionParams, generator: Any, tables: Mapping[str, Bits] | None = None
    ) -> None:
        self._params = params
        self._model: PuzzleScriptModel = generator.transition_model
        self._plain = False

    def plain(self) -> AlongSolution:
        """Return an evaluator that searches plain positions."""
        found = copy(self)
        found._plain = True
        return found

    def evaluate(self, level: Level) -> tuple[int, float, int, int] | None:
        """Evaluate a level. Raises LimitReachedError if the search does."""
        found = _solved(self._model, level, self._params.limit, self._plain)
        if not found.length:
            return None
        model, counted = self._model, self._counted(level.game)
        position = model.initial(level)
        choices, steps, fired = [], 0, set[int]()
        for given in found.actions:
            choices.append(len(list(model.actions(position))))
            play = model.played(position, given)
            fired |= play.fired
            before = position.checkpoint if given == RESTART else position.cells
            steps += _entered(before or position.cells, play.boards, counted)
            position = model.apply(position, given)
        forks = sum(count > 1 for count in choices)
        return steps, sum(choices) / len(choices), forks, len(fired)

    def _counted(self, game: Game) -> int:
        """Return the mask of the objects whose steps count."""
        if not self._params.objects:
            background = game.background_layer
            return (1 << len(game.objects)) - 1 & ~game.player.bits & ~background
        mask = 0
        for name in self._params.objects:
            entry = game.entries.get(name.lower())
            if entry is None:
                raise ParamsError(f"objects: {quoted(name)} is not defined in the game.")
            mask |= entry.mask
        return mask


def _entered(before: tuple[int, ...], boards: list[tuple[int, ...]], counted: int) -> int:
    """Return how often a counted object entered a cell, turn by turn."""
    found = 0
    for after in boards:
        found += sum((new & ~old & counted).bit_count() for old, new in zip(before, after, strict=True))
        before = after
    return found


class NeededRules:
    """`needed_rules`: the level is solved again without each rule, a line at a time."""

    metrics = (metrics.RULES_NEEDED, metrics.RULES_ESSENTIAL)

    def __init__(
        self, params: NeededRulesParams, generator: Any, tables: Mapping[str, Bits] | None = None
    ) -> None:
        self._limit = params.limit
        self._model: PuzzleScriptModel = generator.transition_model
        self._plain = False

    def plain(self) -> NeededRules:
        """Return an evaluator that searches plain positions."""
        found = copy(self)
        found._plain = True
        return found

    def evaluate(self, level: Level) -> tuple[int, int] | None:
        """Evaluate a level. Raises LimitReachedError if a search does."""
        model = self._model
        found = _solved(model, level, self._limit, self._plain)
        if found.length is None:
            return None
        needed = essential = 0
        for line in _lines(level.game):
            without = attrs.evolve(level, game=without_rule(level.game, line))
            length = _solved(PuzzleScriptModel(), without, self._limit, self._plain).length
            needed += length != found.length
            essential += length is None
        return needed, essential


def _lines(game: Game) -> list[int]:
    rules = (rule for part in (game.normal, game.late) for group in part.groups for rule in group.rules)
    return sorted({rule.line for rule in rules})


def without_rule(game: Game, line: int) -> Game:
    """Return a game without the rule of a line. Its group stays, unless nothing is left of it."""

    def without(rules: RuleList) -> RuleList:
        groups, kept = [], []
        for number, group in enumerate(rules.groups):
            left = tuple(rule for rule in group.rules if rule.line != line)
            if left:
                groups.append(attrs.evolve(group, rules=left))
                kept.append(number)
        loops = []
        for first, last in rules.loops:
            inside = [new for new, old in enumerate(kept) if first <= old <= last]
            if inside:
                loops.append((inside[0], inside[-1]))
        return RuleList(tuple(groups), tuple(loops))

    return attrs.evolve(game, normal=without(game.normal), late=without(game.late))
