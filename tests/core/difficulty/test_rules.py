"""Merging of answers, and what rules leave of a state's actions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, cast

import pytest
from hypothesis import given, strategies as st

from epcg_core.base.errors import PluginError
from epcg_core.difficulty import Answer, Inference, Remaining, StateSpace, merge
from epcg_core.difficulty.policies import action_information
from tests.core.difficulty.graphs import Graph, TableRule, left_by, tree

UNKNOWN, MUST, CANNOT, INVALID = Answer.UNKNOWN, Answer.MUST, Answer.CANNOT, Answer.INVALID

MERGED = {
    (UNKNOWN, UNKNOWN): UNKNOWN,
    (UNKNOWN, MUST): MUST,
    (UNKNOWN, CANNOT): CANNOT,
    (UNKNOWN, INVALID): INVALID,
    (MUST, MUST): MUST,
    (MUST, CANNOT): INVALID,
    (MUST, INVALID): INVALID,
    (CANNOT, CANNOT): CANNOT,
    (CANNOT, INVALID): INVALID,
    (INVALID, INVALID): INVALID,
}


@pytest.mark.parametrize(("first", "second"), list(product(Answer, Answer)))
def test_unknown_is_ignored_equal_answers_are_kept_and_different_ones_are_invalid(
    first: Answer, second: Answer
) -> None:
    expected = MERGED.get((first, second), MERGED.get((second, first)))
    assert merge([first, second]) is expected


def test_no_answers_are_unknown() -> None:
    assert merge([]) is UNKNOWN


def rule(**answers: Answer) -> TableRule:
    return TableRule({("s", action): answer for action, answer in answers.items()})


@pytest.mark.parametrize(
    ("rules", "actions", "excluded"),
    [
        ([], "abc", 0),
        ([rule()], "abc", 0),
        ([rule(b=CANNOT)], "ac", 1),
        ([rule(a=CANNOT, b=CANNOT, c=CANNOT)], "", 3),
        ([rule(b=MUST)], "b", 0),
        ([rule(a=CANNOT, b=MUST)], "b", 0),
        ([rule(b=MUST), rule(b=MUST)], "b", 0),
        ([rule(a=MUST, b=MUST)], "", 0),
        ([rule(a=MUST), rule(c=MUST)], "", 0),
        ([rule(b=MUST), rule(b=CANNOT)], "", 0),
        ([rule(c=MUST, a=MUST), rule(a=CANNOT)], "", 0),
        ([rule(b=INVALID)], "", 0),
        ([rule(a=MUST), rule(b=INVALID)], "", 0),
    ],
)
def test_actions_left(rules: list[TableRule], actions: str, excluded: int) -> None:
    assert Inference[Any, Any](rules).remaining("s", "abc") == Remaining(tuple(actions), excluded)


class Odd:
    """A filter: every second action."""

    def keep(self, state: str, actions: Sequence[str]) -> Sequence[str]:
        return actions[::2]


def test_filters_replace_the_actions_before_rules_are_asked() -> None:
    inference = Inference[Any, Any]([rule(a=CANNOT, b=MUST), Odd()])
    assert inference.remaining("s", "abcd") == Remaining(("c",), 1)
    assert Inference[Any, Any]([Odd(), Odd()]).remaining("s", "abcde").actions == ("a", "e")


class NotBack:
    """A look-back rule: never the action that was made in the step before."""

    def after(self, previous: str, last: str, state: str, action: str) -> Answer:
        return CANNOT if action == last else UNKNOWN


def test_a_look_back_rule_sees_the_step_before() -> None:
    inference = Inference[Any, Any]([NotBack(), rule(c=CANNOT)])
    assert inference.looks_back
    assert inference.remaining("s", "abc") == Remaining(("a", "b"), 1)
    assert inference.remaining("s", "abc", ("r", "a")) == Remaining(("b",), 2)


def test_a_look_back_rule_tells_states_apart_by_how_they_were_reached() -> None:
    """Both ways from s lead to m, where only the other letter may follow."""
    model = Graph({"s": {"a": "m", "b": "m"}, "m": {"a": "A", "b": "B"}}, frozenset("AB"))
    plain, looking = StateSpace(model, "s"), StateSpace(model, "s", [NotBack()])
    plain.post_order()
    looking.post_order()
    assert sorted(plain.states) == ["A", "B", "m", "s"]
    assert sorted(looking.states) == ["A", "B", "m", "m", "s"]
    assert sorted(looking.actions) == [(), (), ("a",), ("a", "b"), ("b",)]


def test_a_rule_that_is_no_rule_and_an_answer_that_is_no_answer_are_refused() -> None:
    with pytest.raises(PluginError, match="int is not an inference rule"):
        Inference[Any, Any]([cast(Any, 3)])
    for answer in (7, True, 1, None):
        rule = cast(Any, lambda state, action, answer=answer: answer)
        with pytest.raises(PluginError, match=rf"<lambda> \(test_rules.py:\d+\) answered {answer}: expected"):
            Inference[Any, Any]([rule]).remaining("s", "abc")


def test_a_rule_that_raises_is_named() -> None:
    class Never:
        def keep(self, state: Any, actions: Any) -> Any:
            raise KeyError("b")

        def after(self, previous: Any, last: Any, state: Any, action: Any) -> Any:
            raise KeyError("b")

    def never(state: Any, action: Any) -> Answer:
        raise KeyError("a")

    place = r"\(test_rules.py:\d+\)"
    for rule, sentence in [
        (never, rf"inference rule tests.*\.never {place} raised KeyError: 'a' {place}\."),
        (Never(), rf"inference rule tests.*Never\.keep {place} raised KeyError: 'b' {place}\."),
    ]:
        with pytest.raises(PluginError, match=sentence):
            Inference[Any, Any]([cast(Any, rule)]).remaining("s", "abc", ("r", "a"))

    def hasty(state: Any, actions: Any) -> Any:
        return {}[state]

    with pytest.raises(PluginError, match=rf"policy tests.*hasty {place} raised KeyError: 's' {place}"):
        action_information(hasty, "s", "ab")
    with pytest.raises(PluginError, match=rf"policy tests.*<lambda> {place} gave the probabilities \[0.5\]"):
        action_information(lambda state, actions: [0.5], "s", "ab")


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.sampled_from(Answer)), max_size=3))
def test_remaining_follows_the_definition(answers: list[dict[str, Answer]]) -> None:
    rules = [rule(**table) for table in answers]
    graph = tree("s: a b c")
    kept, excluded = left_by(graph, rules)("s")
    assert Inference[Any, Any](rules).remaining("s", "abc") == Remaining(tuple(kept), excluded)
