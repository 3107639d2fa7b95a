"""Transition models: deterministic actions, unmodified positions, and keys that distinguish them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

from epcg_core.inside import ActionFilter, Inference, LookBackRule, actions_of
from epcg_core.plugin import Answer, LimitReachedError, StateSpace, resolve
from epcg_testing.positions import PUZZLES, explore, first_position
from epcg_testing.report import SCORED, Laws, offering
from epcg_testing.snapshot import snapshot
from epcg_testing.subject import Scored, Space
from epcg_testing.violations import Broken, Case, Cases, Skip, require, require_type

LAWS = Laws()

_POSITIONS = 40
_SOLUTIONS = 200
"""Of one puzzle that are replayed."""


@LAWS.ranked(
    "play-repeats",
    "actions, what they lead to, keys and goals are the same each time; is_goal is a bool",
    "keep no state in the model; give actions in one order, and make them hashable.",
    offering("transition_model"),
    PUZZLES,
)
def _repeats(space: Space, rank: int) -> None:
    play = explore(space, rank, _POSITIONS)
    model = play.model
    first = [snapshot(first_position(model, space.unrank(rank))) for _ in range(2)]
    require("the first position, made twice", *first)
    for state in play.states:
        require_type("is_goal", bool, model.is_goal(state))
        require("the key of a position, asked twice", model.key(state), model.key(state))
        if model.is_goal(state):
            continue
        actions = list(model.actions(state))
        require("the actions, asked twice", snapshot(actions), snapshot(list(model.actions(state))))
        for action in actions:
            hash(action)
            once, again = model.apply(state, action), model.apply(state, action)
            require(f"the position after {_text(model, action)}, made twice", snapshot(once), snapshot(again))


@LAWS.ranked(
    "play-leaves-positions",
    "asking for actions, and applying one, changes no position",
    "apply must make a new position: copy first, or use tuples and frozen classes.",
    offering("transition_model"),
    PUZZLES,
)
def _leaves(space: Space, rank: int) -> None:
    play = explore(space, rank, _POSITIONS)
    model = play.model
    for state in play.states:
        before = snapshot(state)
        for what, ask in (
            ("is_goal", model.is_goal),
            ("key", model.key),
            ("actions", partial(actions_of, model)),
        ):
            ask(state)
            require(f"the position after {what}", before, snapshot(state))
        for action in actions_of(model, state):
            model.apply(state, action)
            require(f"the position from which {_text(model, action)} was tried", before, snapshot(state))


@LAWS.ranked(
    "keys-mean-positions",
    "positions of equal keys are the same: both goals or neither, with the same positions behind them",
    "the key must hold all that the rest of the play depends on.",
    offering("transition_model"),
    PUZZLES,
)
def _keys(space: Space, rank: int) -> None:
    """Check that states of equal keys are equally goals and lead to equal keys."""
    model = explore(space, rank, 1).model
    known: dict[Any, tuple[bool, list[str]]] = {}
    seen: set[str] = set()
    states = [first_position(model, space.unrank(rank))]
    for state in states:
        goal = bool(model.is_goal(state))
        below = [] if goal else [model.apply(state, action) for action in model.actions(state)]
        found = (goal, sorted({repr(snapshot(model.key(child))) for child in below}))
        expected = known.setdefault(model.key(state), found)
        require(
            f"(is_goal, keys of what follows) of positions with the key {model.key(state)!r}", expected, found
        )
        for child in below:
            text = repr(snapshot(child))
            if text not in seen and len(states) < 4 * _POSITIONS:
                seen.add(text)
                states.append(child)


@LAWS.listed(
    "solutions-solve",
    "the solutions that an evaluator tells can be played, and end at a goal",
    "name actions by the model's action_text, or str(action) if it has none.",
    SCORED,
)
def solutions_solve(scored: Scored) -> Cases:
    if scored.info.solutions is None:
        yield Skip(scored.where, "the evaluator tells no solutions")
    elif not scored.space.offers("transition_model"):
        yield Skip(scored.where, "the generator has no transition_model to replay solutions")
    else:
        tell = resolve(scored.info.solutions)(scored.params, scored.space.generator)
        yield Case(scored.where, partial(_replay, scored, tell), scored.space.few(PUZZLES))


def _replay(scored: Scored, tell: Any, rank: int) -> None:
    for solution in islice(tell(scored.space.unrank(rank)), _SOLUTIONS):
        *_, (goal, _) = replay(scored.space, rank, solution)
        require(f"whether the solution {list(solution)} ends at a goal", True, goal)


def replay(space: Space, rank: int, actions: Any) -> Iterator[tuple[bool, int]]:
    """Yield (is_goal, number of actions) of each position along the actions, given as strings.

    Raises Broken if an action is not among the actions of its position, of which a goal has none.
    """
    model = space.generator.transition_model
    position = first_position(model, space.unrank(rank))
    for number, text in enumerate(actions):
        possible = actions_of(model, position)
        offered = {_text(model, action): action for action in possible}
        yield bool(model.is_goal(position)), len(possible)
        if text not in offered:
            raise Broken(f"action {number + 1} of {list(actions)} is possible", text, sorted(offered))
        position = model.apply(position, offered[text])
    yield bool(model.is_goal(position)), 0


def _text(model: Any, action: Any) -> str:
    own = getattr(model, "action_text", None)
    return str(action) if own is None else str(own(action))


@LAWS.listed(
    "rules-answer",
    "an inference rule says MUST, CANNOT or UNKNOWN, the same each time, and changes nothing",
    "return a member of epcg_core.plugin.Answer in every branch.",
    offering("transition_model"),
)
def rules_answer(space: Space) -> Cases:
    def check(space: Space, rule: Any, rank: int) -> None:
        play = explore(space, rank, _POSITIONS)
        for number, below in enumerate(play.children):
            state = play.states[number]
            if not below:
                continue
            before = snapshot(state)
            actions = list(play.model.actions(state))
            for action in actions:
                if isinstance(rule, LookBackRule):
                    child = play.model.apply(state, action)
                    later = () if play.model.is_goal(child) else play.model.actions(child)
                    told = [rule.after(state, action, child, following) for following in later]
                else:
                    told = [rule(state, action), rule(state, action)]
                    require("the answer, asked twice", told[0], told[1])
                wrong = [answer for answer in told if type(answer) is not Answer or answer is Answer.INVALID]
                require("answers that are none", [], wrong)
            require("the position after a rule was asked", before, snapshot(state))

    plain = [believed for believed in space.rules if not isinstance(believed.rule, ActionFilter)]
    if not plain:
        yield Skip(space.where, "there is no inference rule that answers")
    for believed in plain:
        yield Case(believed.where, partial(check, space, believed.rule), space.few(PUZZLES))


@LAWS.listed(
    "filters-keep-a-subset",
    "a filter keeps some of the actions that it is given, in their order",
    "return [action for action in actions if ...].",
    offering("transition_model"),
)
def filters_keep_a_subset(space: Space) -> Cases:
    def check(space: Space, rule: Any, rank: int) -> None:
        play = explore(space, rank, _POSITIONS)
        for state in play.states:
            if not play.model.is_goal(state):
                actions = tuple(play.model.actions(state))
                kept = list(rule.keep(state, actions))
                places = [actions.index(action) for action in kept if action in actions]
                require("the actions that a filter keeps, by their places", sorted(set(places)), places)
                require("kept actions that were not offered", 0, len(kept) - len(places))

    filters = [believed for believed in space.rules if isinstance(believed.rule, ActionFilter)]
    if not filters:
        yield Skip(space.where, "no inference rule is a filter")
    for believed in filters:
        yield Case(believed.where, partial(check, space, believed.rule), space.few(PUZZLES))


@LAWS.listed(
    "rules-keep-a-solution",
    "what can be solved is solved by a player who believes the rules",
    "the rule says CANNOT of an action that every solution needs, or MUST of one that none has: weaken it.",
    offering("transition_model"),
)
def rules_keep_a_solution(space: Space) -> Cases:
    limit = 4_000

    def check(space: Space, rules: Any, rank: int) -> None:
        play = explore(space, rank)
        if 0 not in play.solvable():
            return
        walk = StateSpace(play.model, space.unrank(rank), Inference(rules), limit=limit)
        try:
            solved = _reaches_goal(walk)
        except LimitReachedError:
            return
        require("whether a player who believes it solves what can be solved", True, solved)

    if not space.rules:
        yield Skip(space.where, "there is no inference rule")
    for believed in space.rules:
        if believed.misleads:
            yield Skip(believed.where, believed.misleads)
        else:
            yield Case(believed.where, partial(check, space, [believed.rule]), space.few(PUZZLES))
    sound = {believed.name: believed.rule for believed in space.rules if not believed.misleads}
    if len(sound) > 1:
        where = f"{space.where}, rules {', '.join(sound)} together"
        yield Case(where, partial(check, space, list(sound.values())), space.few(PUZZLES))


def _reaches_goal(walk: Any) -> bool:
    """Return whether a goal is among the states that the rules leave; each is expanded once."""
    number = 0
    while number < len(walk):
        walk.expand(number)
        if walk.goals[number]:
            return True
        number += 1
    return False
