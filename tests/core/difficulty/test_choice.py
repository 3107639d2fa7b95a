"""A player who weighs only some of the possible actions: filters, answers and the choice in any order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import log2
from typing import Any

import pytest

from epcg_core.base.errors import EpcgError
from epcg_core.difficulty import STAGES, ActionChoice, Answer, Inference, Remaining, Stage, StateSpace, muse


class Words:
    """A letter a step, to the goal 'ac'; weighed are the letters of the lowest case that is there."""

    def __init__(self, stages: Sequence[Stage] = STAGES) -> None:
        self.stages = stages

    def initial(self, puzzle: str) -> str:
        return puzzle

    def actions(self, state: str) -> str:
        return "abcD"

    def choose(self, state: str, actions: Sequence[str]) -> Sequence[str]:
        return [action for action in actions if action.islower()] or actions

    def apply(self, state: str, action: str) -> str:
        return state + action

    def is_goal(self, state: str) -> bool:
        return state == "ac"

    def key(self, state: str) -> str:
        return state


class OnlyD:
    """A filter that decides at the first letter."""

    def keep(self, state: str, actions: Sequence[str]) -> Sequence[str]:
        return [a for a in actions if a == "D"] if state == "" else actions


def not_(letter: str) -> Any:
    return lambda state, action: Answer.CANNOT if action == letter else Answer.UNKNOWN


def remaining(rules: Sequence[Any], state: str, stages: Sequence[Stage] = STAGES) -> Remaining:
    model = Words(stages)
    return Inference[Any, Any](rules).remaining(state, model.actions(state), None, model)


def test_what_is_chosen_counts() -> None:
    assert isinstance(Words(), ActionChoice)
    assert remaining([], "") == Remaining(("a", "b", "c"), 0)
    space = StateSpace(Words(), "", [], depth_limit=2)
    assert muse(space).value == pytest.approx(2 * log2(3))


@pytest.mark.parametrize("stages", list(permutations(STAGES)), ids="-".join)
def test_where_a_filter_decides_nothing_is_chosen(stages: Sequence[Stage]) -> None:
    after_the_choice = stages.index("choice") < stages.index("filters")
    expected = () if after_the_choice else ("D",)
    assert remaining([OnlyD()], "", stages).actions == expected
    assert remaining([OnlyD()], "x", stages).actions == ("a", "b", "c")


def test_dropped_before_the_choice_is_not_counted_as_excluded() -> None:
    rules = [not_("b")]
    assert remaining(rules, "", ("filters", "answers", "choice")) == Remaining(("a", "c"), 0)
    assert remaining(rules, "", ("filters", "choice", "answers")) == Remaining(("a", "c"), 1)


def test_a_choice_among_what_is_left() -> None:
    lower = [not_("a"), not_("b"), not_("c")]
    assert remaining(lower, "", ("filters", "answers", "choice")).actions == ("D",)
    assert remaining(lower, "", ("filters", "choice", "answers")).actions == ()


@pytest.mark.parametrize(
    ("stages", "sentence"),
    [
        (
            ("filter", "answers", "choice"),
            r"^Words\.stages: unknown stage 'filter'\. Did you mean 'filters'\?",
        ),
        (("filters", "choice"), "each of filters, answers, choice has to occur once"),
        (("filters", "answers", "choice", "choice"), "each of filters, answers, choice has to occur once"),
    ],
)
def test_wrong_stages(stages: Any, sentence: str) -> None:
    with pytest.raises(EpcgError, match=sentence):
        StateSpace(Words(stages), "")


def test_a_choice_without_stages_is_refused() -> None:
    class Half(Words):
        def __init__(self) -> None:
            pass

    with pytest.raises(EpcgError, match="Half has 'choose' but no 'stages'"):
        StateSpace(Half(), "")
