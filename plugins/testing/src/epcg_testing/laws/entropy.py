"""Entropy: no choice, no entropy."""

from __future__ import annotations

from functools import partial
from typing import Any

from epcg_core.inside import (
    CyclicGraphError,
    EntropyScorer,
    Inference,
    action_information,
    make_policy,
    make_rules,
    make_scorer,
)
from epcg_core.plugin import (
    CandidateError,
    Difficulty,
    EntropyScorerInfo,
    LimitReachedError,
    Policy,
    PolicyInfo,
    StateSpace,
)
from epcg_testing.positions import PUZZLES, Play, explore, first_position
from epcg_testing.report import Laws, offering
from epcg_testing.subject import Scored, Space, required
from epcg_testing.violations import Case, Cases, Skip, require, require_type

LAWS = Laws()

_POSITIONS = 60
"""Positions of a puzzle at which a policy is asked."""

_MEASURES = ("muse", "remuse", "msi", "tsi", "adversarial")
"""The core's scorers."""
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
    "register entropy_evaluator of epcg_core.plugin, or compare yours with it; a model's "
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
    for name in _MEASURES:
        measure = make_scorer(name, registry=space.subject.registry)
        walk = StateSpace(play.model, space.unrank(rank), Inference([_Oracle(play)]))
        require(f"{name} where one action is left in each position", 0.0, float(measure(walk).value))


def _forced(scored: Scored, rank: int) -> bool:
    """Return whether the evaluator's player reaches a goal without ever having a choice."""
    space, params = scored.space, scored.params
    rules = make_rules(
        space.generator, space.spec.domain, params.rules, params.rule_params, space.subject.registry
    )
    state = 0
    try:
        walk = StateSpace(space.generator.transition_model, space.unrank(rank), rules, limit=_LIMIT)
        while True:
            walk.expand(state)
            if walk.goals[state] or len(walk.children[state]) != 1 or walk.children[state][0] <= state:
                return walk.goals[state]
            state = walk.children[state][0]
    except (LimitReachedError, CandidateError):  # too long, or this player cannot play it
        return False


def _zero(scored: Scored, rank: int) -> None:
    if _forced(scored, rank):
        at = _names(scored).index("muse")
        require(
            "(status, muse) where the rules leave one action in each position",
            (0, 0.0),
            scored.score(rank)[at],
        )


@LAWS.listed(
    "policies-are-distributions",
    "a policy gives every action a probability of 0 or more, with the sum 1, the same each time",
    "divide the weights by their sum, and give one for each of the actions, in their order.",
    offering("transition_model"),
)
def policies_are_distributions(space: Space) -> Cases:
    infos = [info for info in space.subject.parts(PolicyInfo) if not required(info.params)]
    if not infos:
        yield Skip(space.where, "the plugin has no policy whose params have defaults")
    for info in infos:
        policy = make_policy(info.name, None, space.subject.registry, space.generator)
        yield Case(f"{space.where}, policy {info.name}", partial(_policy, space, policy), space.few(PUZZLES))


def _policy(space: Space, policy: Policy, rank: int) -> None:
    play = explore(space, rank, _POSITIONS)
    for state, below in zip(play.states, play.children, strict=False):
        if below:
            actions = tuple(play.model.actions(state))
            action_information(policy, state, actions)  # raises a PluginError that names the policy
            require("its answer, asked twice", list(policy(state, actions)), list(policy(state, actions)))


@LAWS.listed(
    "scorers-measure",
    "an entropy scorer gives a number of bits, 0 or more or infinite, the same each time",
    "return epcg_core.plugin.Difficulty(value, states, path).",
    offering("transition_model"),
)
def scorers_measure(space: Space) -> Cases:
    infos = [info for info in space.subject.parts(EntropyScorerInfo) if not required(info.params)]
    if not infos:
        yield Skip(space.where, "the plugin has no entropy scorer whose params have defaults")
    for info in infos:
        score = make_scorer(info.name, None, None, space.subject.registry, space.generator)
        yield Case(f"{space.where}, scorer {info.name}", partial(_score, space, score), space.few(PUZZLES))


def _score(space: Space, score: EntropyScorer, rank: int) -> None:
    def walk() -> StateSpace:
        return StateSpace(space.generator.transition_model, space.unrank(rank), limit=_LIMIT)

    first_position(space.generator.transition_model, space.unrank(rank))
    try:
        found = [score(walk()) for _ in range(2)]
    except (CyclicGraphError, LimitReachedError):
        return
    require_type("the difficulty", Difficulty, found[0])
    require_type("its value", float, found[0].value)
    require("whether its value is 0 or more", True, found[0].value >= 0.0)
    require("its value, asked twice", found[0].value, found[1].value)
