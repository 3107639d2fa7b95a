"""Entropy: no choice, no entropy."""

from __future__ import annotations

from functools import partial
from typing import Any

from epcg_core.difficulty import measures
from epcg_core.difficulty.rules import Inference
from epcg_core.difficulty.scorers import make_rules
from epcg_core.difficulty.search import StateSpace
from epcg_core.domain import LimitReachedError
from epcg_core.testing.positions import PUZZLES, Play, explore
from epcg_core.testing.report import Laws, offering
from epcg_core.testing.subject import Scored, Space
from epcg_core.testing.violations import Case, Cases, Skip, require

LAWS = Laws()

_MEASURES = {
    "muse": measures.muse, "remuse": measures.remuse, "msi": measures.msi, "tsi": measures.tsi,
    "adversarial": measures.adversarial,
}  # fmt: skip
_LIMIT = 2_000


class _Oracle:
    """A filter that keeps the one action that leads on to a goal by a shortest way."""

    def __init__(self, play: Play) -> None:
        self._play = play
        self._distance = _distances(play)

    def keep(self, state: Any, actions: Any) -> Any:
        play, distance = self._play, self._distance
        number = play.numbers[play.model.key(state)]
        for action in actions:
            child = play.numbers.get(play.model.key(play.model.apply(state, action)))
            if child is not None and distance.get(child, number + 1e9) < distance[number]:
                return [action]
        return []


def _distances(play: Play) -> dict[int, int]:
    found = {number: 0 for number, state in enumerate(play.states) if play.model.is_goal(state)}
    while True:
        news = {
            number: 1 + min(found[child] for child in below if child in found)
            for number, below in enumerate(play.children)
            if number not in found and any(child in found for child in below)
        }
        if not news:
            return found
        found |= news


@LAWS.listed(
    "no-choice-no-entropy",
    "where one action is left in each position, every measure of entropy is 0",
    "register epcg_core.difficulty.evaluator.entropy_evaluator, or compare yours with it; a model's "
    "choose must not bring back what a filter took away.",
    offering("transition_model"),
)
def no_choice_no_entropy(space: Space) -> Cases:
    yield Case(f"{space.where}, with one action left", partial(_led, space), space.few(PUZZLES))
    measured = [s for s in space.evaluators if "muse" in _names(s) and hasattr(s.params, "rules")]
    if not measured:
        yield Skip(space.where, "no evaluator gives the metric muse")
    for scored in measured:
        forced = [rank for rank in space.ranks if _forced(scored, rank)]
        if forced:
            yield Case(scored.where, partial(_zero, scored), forced, name_rank=True)
        else:
            yield Skip(scored.where, "the rules leave more than one action in every puzzle that is looked at")


def _names(scored: Scored) -> list[str]:
    return [metric.name for metric in scored.evaluator.metrics]


def _led(space: Space, rank: int) -> None:
    play = explore(space, rank)
    if 0 not in play.solvable():
        return
    for name, measure in _MEASURES.items():
        walk = StateSpace(play.model, space.unrank(rank), Inference([_Oracle(play)]))
        require(f"{name} where one action is left in each position", 0.0, float(measure(walk).value))


def _forced(scored: Scored, rank: int) -> bool:
    """Return whether the evaluator's player reaches a goal without ever having a choice."""
    space, params = scored.space, scored.params
    rules = make_rules(
        space.generator, space.spec.domain, params.rules, params.rule_params, space.subject.registry
    )
    walk = StateSpace(space.generator.transition_model, space.unrank(rank), rules, limit=_LIMIT)
    state = 0
    try:
        while True:
            walk.expand(state)
            if walk.goals[state] or len(walk.children[state]) != 1 or walk.children[state][0] <= state:
                return walk.goals[state]
            state = walk.children[state][0]
    except LimitReachedError:
        return False


def _zero(scored: Scored, rank: int) -> None:
    if _forced(scored, rank):
        at = _names(scored).index("muse")
        require(
            "(status, muse) where the rules leave one action in each position",
            (0, 0.0),
            scored.score(rank)[at],
        )
