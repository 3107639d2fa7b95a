"""Inference rules: a player's conclusions about actions, and the remaining actions of a state.

A rule looks at (state, action) and says MUST, CANNOT or UNKNOWN. A look-back rule also sees the step before.
A filter replaces a state's actions by a subset, before rules are asked. All three are registered as
inference rules (`InferenceRuleInfo`) and distinguished by their methods.

Source: Chen, White & Sturtevant, "Entropy as a Measure of Puzzle Difficulty" (AIIDE 2023).
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Literal,
    NamedTuple,
    Protocol,
    TypeAlias,
    TypeVar,
    runtime_checkable,
)

from epcg_core.base.errors import PluginError, UnknownNameError, fault_of, name_and_place
from epcg_core.difficulty.attribution import attribute

if TYPE_CHECKING:
    from epcg_core.domain.explored import Explored

State = TypeVar("State")
Action = TypeVar("Action")
State_contra = TypeVar("State_contra", contravariant=True)
Action_contra = TypeVar("Action_contra", contravariant=True)


class Answer(enum.IntEnum):
    """A rule's answer. The bits are chosen so that merging answers is `|`: MUST | CANNOT is INVALID."""

    UNKNOWN = 0
    MUST = 1
    CANNOT = 2
    INVALID = 3
    """Rules contradict each other: the state is a dead end."""


_MUST, _CANNOT = int(Answer.MUST), int(Answer.CANNOT)

Rule: TypeAlias = Callable[[State, Action], Answer]
"""(state, action) -> the player's conclusion about the action."""


@runtime_checkable
class LookBackRule(Protocol[State_contra, Action_contra]):
    """A rule that needs the step before. At the first state it is not asked: UNKNOWN."""

    def after(
        self, previous: State_contra, last: Action_contra, state: State_contra, action: Action_contra
    ) -> Answer:
        """Return the answer for `action` in `state`, which was reached by `last` from `previous`."""


@runtime_checkable
class ActionFilter(Protocol[State_contra, Action]):
    """A rule that looks at all actions at once."""

    def keep(self, state: State_contra, actions: Sequence[Action]) -> Sequence[Action]:
        """Return a subset of `actions` in order; `actions` itself if the filter concludes nothing."""


Stage: TypeAlias = Literal["filters", "answers", "choice"]
"""A part of a player's thinking: filters of actions, answers of rules, the choice of a place."""
STAGES: tuple[Stage, ...] = ("filters", "answers", "choice")


@runtime_checkable
class NumberedRule(Protocol):
    """The capability of a rule to answer for explored positions by their numbers, without making them."""

    def numbered_answers(self, play: Explored, number: int) -> Iterable[Answer]:
        """Yield the answer for each action of the position of a number, in the order of `play.edges`."""


@runtime_checkable
class ActionChoice(Protocol[State_contra, Action]):
    """The capability of a transition model whose player weighs only some of the possible actions.

    These are the actions of the next piece to place, for example. The model's `actions` are all possible
    ones; filters and rules see these.
    """

    @property
    def stages(self) -> Sequence[Stage]:
        """The order in which filters, answers and the choice narrow the actions; usually STAGES."""

    def choose(self, state: State_contra, actions: Sequence[Action]) -> Sequence[Action]:
        """Return the actions that are weighed, in the same order. Not called if a filter has decided."""


AnyRule: TypeAlias = "Rule[Any, Any] | LookBackRule[Any, Any] | ActionFilter[Any, Any]"


class Remaining(NamedTuple):
    """The actions of a state that the rules leave."""

    actions: tuple[Any, ...]
    """A(s), in the model's order; empty for a dead end."""
    excluded: int
    """Number of actions dropped as CANNOT.

    0 if a MUST decided, if rules contradict, or if the weighed actions were chosen afterwards.
    """


DEAD_END = Remaining((), 0)


def choice_of(model: object) -> ActionChoice[Any, Any] | None:
    """Return a transition model as an `ActionChoice`; None if its player weighs all actions.

    Raises PluginError if it has only one of `choose` and `stages`, or if a stage is missing or occurs twice,
    and UnknownNameError for a stage that is not one of `STAGES`.
    """
    name = type(model).__name__
    has = [hasattr(model, attribute) for attribute in ("choose", "stages")]
    if not any(has):
        return None
    if not isinstance(model, ActionChoice):
        present, absent = ("choose", "stages") if has[0] else ("stages", "choose")
        raise PluginError(f"{name} has '{present}' but no '{absent}': an ActionChoice has both.")
    for stage in model.stages:
        if stage not in STAGES:
            raise UnknownNameError("stage", str(stage), STAGES, f"{name}.stages")
    if sorted(model.stages) != sorted(STAGES):
        raise PluginError(
            f"{name}.stages is {tuple(model.stages)}: each of {', '.join(STAGES)} has to occur once."
        )
    return model


def merge(answers: Iterable[Answer]) -> Answer:
    """One answer from those of several rules for one action.

    UNKNOWN is ignored, equal answers are kept, different ones make it INVALID.
    """
    merged = 0
    for answer in answers:
        merged |= answer
    return Answer(merged)


class Inference(Generic[State, Action]):
    """A player's knowledge: filters first, in their order, then the merged answers of the rules."""

    def __init__(self, rules: Sequence[AnyRule] = ()) -> None:
        self._filters = [rule.keep for rule in rules if isinstance(rule, ActionFilter)]
        self._looking_back = [rule.after for rule in rules if isinstance(rule, LookBackRule)]
        self._rules: list[Any] = []
        for rule in rules:
            if isinstance(rule, ActionFilter | LookBackRule):
                continue
            if not callable(rule):
                raise PluginError(
                    f"{type(rule).__name__} is not an inference rule: it can be called with (state, action), "
                    "or it offers 'after' or 'keep'."
                )
            self._rules.append(rule)
        others = self._filters or self._looking_back
        self._are_numbered = not others and all(isinstance(rule, NumberedRule) for rule in self._rules)

    @property
    def looks_back(self) -> bool:
        """Whether the step before matters, so that a state is not known by its own key alone."""
        return bool(self._looking_back)

    def remaining(
        self,
        state: State,
        actions: Iterable[Action],
        step: tuple[State, Action] | None = None,
        choice: ActionChoice[State, Action] | None = None,
    ) -> Remaining:
        """Apply the rules to a state's actions: A(s).

        More than one MUST, or any INVALID, is a dead end; exactly one MUST leaves only that action; otherwise
        the CANNOT actions are dropped. `step` is (previous state, last action). Raises PluginError if a rule
        returns something other than an Answer.
        """
        if choice is None:
            for keep in self._filters:
                actions = _kept(keep, state, tuple(actions))
            return self._answered(state, actions, step)
        left, excluded, decided = tuple(actions), 0, False
        for stage in choice.stages:
            if stage == "answers":
                left, excluded = self._answered(state, left, step)
            elif stage == "choice":
                left, excluded = left if decided else tuple(choice.choose(state, left)), 0
            else:
                for keep in self._filters:
                    kept = _kept(keep, state, left)
                    decided = decided or kept is not left
                    left = tuple(kept)
        return Remaining(left, excluded)

    def _answered(
        self, state: State, actions: Iterable[Action], step: tuple[State, Action] | None
    ) -> Remaining:
        """Apply the merged answers of the rules."""
        looking_back = self._looking_back if step is not None else ()
        if not self._rules and not looking_back:
            return Remaining(tuple(actions), 0)
        return _decided(self._judged(state, actions, step))

    def _judged(
        self, state: State, actions: Iterable[Action], step: tuple[State, Action] | None
    ) -> Iterator[tuple[Action, int]]:
        """Yield each action with the merged answers of the rules."""
        rules, looking_back = self._rules, self._looking_back if step is not None else ()
        for action in actions:
            answer = 0
            for rule in rules:
                try:
                    told = rule(state, action)
                except Exception as error:
                    attribute(error, "inference rule", rule)
                if told.__class__ is not Answer:
                    raise _no_answer(rule, told)
                answer |= told
            for after in looking_back:
                try:
                    told = after(step[0], step[1], state, action)  # type: ignore[index]
                except Exception as error:
                    attribute(error, "inference rule", after)
                if told.__class__ is not Answer:
                    raise _no_answer(after, told)
                answer |= told
            yield action, answer

    def remaining_of(self, play: Explored, number: int, actions: Sequence[Action]) -> Remaining | None:
        """Apply the rules to the actions of an explored position, by its number, as `remaining` does.

        None if a filter, or a rule that cannot be asked so, needs the position itself.
        """
        if not self._are_numbered:
            return None
        if not self._rules:
            return Remaining(tuple(actions), 0)
        told = [_numbered(rule, play, number) for rule in self._rules]
        answers = told[0] if len(told) == 1 else map(merge, zip(*told, strict=True))
        return _decided(zip(actions, answers, strict=True))


def _numbered(rule: NumberedRule, play: Explored, number: int) -> Iterator[Answer]:
    """Yield a rule's answers for a position by its number; an exception names the rule."""
    try:
        for told in rule.numbered_answers(play, number):
            if told.__class__ is not Answer:
                raise _no_answer(rule, told)
            yield told
    except Exception as error:
        attribute(error, "inference rule", rule)


def _decided(judged: Iterable[tuple[Any, int]]) -> Remaining:
    """Return the actions that the answers leave; a dead end asks for no further answers."""
    open_actions: list[Any] = []
    forced: tuple[Any, ...] = ()
    excluded = 0
    for action, answer in judged:
        if not answer:
            open_actions.append(action)
        elif answer == _CANNOT:
            excluded += 1
        elif answer == _MUST:
            if forced:
                return DEAD_END
            forced = (action,)
        else:
            return DEAD_END
    return Remaining(forced, 0) if forced else Remaining(tuple(open_actions), excluded)


def _kept(keep: Callable[..., Any], state: Any, actions: Any) -> Any:
    """Ask a filter; an exception names it."""
    try:
        return keep(state, actions)
    except Exception as error:
        attribute(error, "inference rule", keep)


def _no_answer(rule: object, told: object) -> PluginError:
    return fault_of(
        rule,
        f"The inference rule {name_and_place(rule)} answered {told!r}: expected Answer.MUST, Answer.CANNOT "
        "or Answer.UNKNOWN (epcg_core.difficulty).",
    )
