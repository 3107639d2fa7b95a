"""Positions that are explored once for all readers: as the model has them, in batches, with its errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from epcg_core.base.errors import EpcgError, PluginError
from epcg_core.difficulty import Answer, Inference, StateSpace, msi, muse
from epcg_core.domain import Successors, explored as exploring
from epcg_core.domain.explored import Explored, explored

MOST, GOAL, ENDLESS, PLAIN_ONLY = 200, 111, 77, 50


class Numbers:
    """Play that adds 1, 3 or 10 to a number, up to MOST; from ENDLESS it never ends."""

    play_identity = "numbers"

    def __init__(self, fails: bool = False) -> None:
        self.expanded: list[int] = []
        self.rows: list[int] = []
        self._fails = fails

    def initial(self, content: int) -> tuple[int]:
        return (content,)

    def actions(self, state: tuple[int]) -> Iterator[str]:
        self.expanded.append(state[0])
        if state[0] == ENDLESS:
            raise EpcgError("this never ends")
        return (str(step) for step in (1, 3, 10) if state[0] + step <= MOST)

    def apply(self, state: tuple[int], action: str) -> tuple[int]:
        return (state[0] + int(action),)

    def is_goal(self, state: tuple[int]) -> bool:
        return state[0] == GOAL

    def key(self, state: tuple[int]) -> int:
        return state[0]

    def packed(self, content: int) -> Any:
        return Rows(self, self._fails)


class Rows:
    words, features = 1, 0

    def __init__(self, model: Numbers, fails: bool) -> None:
        self._model, self._fails = model, fails

    def pack(self, state: tuple[int]) -> NDArray[np.uint64]:
        return np.array(state, np.uint64)

    def unpack(self, row: NDArray[np.uint64]) -> tuple[int]:
        return (int(row[0]),)

    def action(self, number: int) -> str:
        return str(number)

    def solved(self, rows: NDArray[np.uint64]) -> NDArray[np.bool_]:
        return rows[:, 0] == GOAL

    def successors(self, rows: NDArray[np.uint64], traced: bool = False) -> Successors:
        here = rows[:, 0].tolist()
        self._model.rows += here
        if ENDLESS in here or (self._fails and PLAIN_ONLY in here):
            raise EpcgError("a row")
        steps = [[step for step in (1, 3, 10) if each + step <= MOST] for each in here]
        after = [each + step for each, some in zip(here, steps, strict=True) for step in some]
        counts = np.array([len(some) for some in steps], np.int64)
        actions = np.array([step for some in steps for step in some], np.uint8)
        return Successors(np.array(after, np.uint64).reshape(-1, 1), counts, actions)

    def differences(self, other: Any) -> None:
        return None


@pytest.mark.parametrize("plainly", [0, 7, 1000])
@pytest.mark.parametrize("fails", [False, True])
def test_all_is_as_the_model_has_it(plainly: int, fails: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exploring, "PLAINLY", plainly)
    model, plain = Numbers(fails), Numbers()
    play = Explored(model, 0)
    queue = [play.initial(0)]
    seen = {0}
    for state in queue:
        assert play.state(play.key(state)) is state
        assert play.is_goal(state) == plain.is_goal(state)
        if state[0] == ENDLESS:
            with pytest.raises(EpcgError, match="this never ends"):
                play.actions(state)
            continue
        assert list(play.actions(state)) == list(plain.actions(state))
        for action in play.actions(state):
            after = play.apply(state, action)
            assert after == plain.apply(state, action)
            if after[0] not in seen:
                seen.add(after[0])
                queue.append(after)
        with pytest.raises(ValueError, match="not in tuple"):
            play.apply(state, "2")
    assert seen == set(range(MOST + 1))
    assert play.key((500,)) == play.key((500,)) == len(play) - 1, "a position that play does not reach"


def test_a_position_is_expanded_once_and_most_in_batches() -> None:
    model = Numbers()
    play = explored(model, 80)  # behind the one that is endless
    space, again = StateSpace(play, 80), StateSpace(explored(Numbers(), 80), 80)
    assert muse(space) == muse(again)
    assert space.model is model
    assert len(model.expanded) == len(set(model.expanded)) <= exploring.PLAINLY + 1
    assert len(model.rows) == len(set(model.rows))
    assert muse(StateSpace(Numbers(), 80)) == muse(space)


def test_a_model_that_does_not_offer_it_is_walked_itself() -> None:
    class Plain(Numbers):
        play_identity = property()  # type: ignore[assignment]

    model = Plain()
    assert explored(model, 3) is model


class NoThrees:
    """The rule that three is never added to an even number; it can be asked by numbers of positions."""

    def __init__(self, never: Answer = Answer.CANNOT) -> None:
        self.asked: list[tuple[int]] = []
        self._never = never

    def __call__(self, state: tuple[int], action: str) -> Answer:
        self.asked.append(state)
        return self._never if action == "3" and state[0] % 2 == 0 else Answer.UNKNOWN

    def numbered_answers(self, play: Explored, number: int) -> Iterator[Answer]:
        even = play.state(number)[0] % 2 == 0
        for action in play.edges(number)[0]:
            yield self._never if action == "3" and even else Answer.UNKNOWN


def never_ten(state: tuple[int], action: str) -> Answer:
    return Answer.CANNOT if action == "10" and state[0] > 150 else Answer.UNKNOWN


@pytest.mark.parametrize("depth_limit", [None, 9])
@pytest.mark.parametrize("others", [[], [NoThrees()], [never_ten]], ids=["one", "two", "one by positions"])
def test_rules_that_are_asked_by_numbers_leave_the_same(others: list[Any], depth_limit: int | None) -> None:
    for make in (Explored, lambda model, _: model):
        rules = [NoThrees(), *others]
        space = StateSpace(make(Numbers(), 80), 80, rules, depth_limit=depth_limit)
        order = space.post_order()
        assert order is not None
        found = (muse(space), msi(space), order, space.children, space.actions, space.excluded, space.goals)
        if make is Explored:
            explored_ones, asked = found, rules[0].asked
    assert explored_ones == found
    assert bool(asked) == (never_ten in others), "no position is made for rules that know numbers"


def test_what_contradicts_itself_is_a_dead_end_by_numbers_too() -> None:
    play = Explored(Numbers(), 80)
    rules = Inference([NoThrees(), NoThrees(Answer.MUST)])
    assert rules.remaining_of(play, 0, play.edges(0)[0]) == rules.remaining((80,), ["1", "3", "10"])
    assert Inference([never_ten]).remaining_of(play, 0, play.edges(0)[0]) is None


def test_a_rule_that_answers_nothing_sensible_by_numbers_is_named() -> None:
    class Odd(NoThrees):
        def numbered_answers(self, play: Explored, number: int) -> Iterator[Answer]:
            yield "no"  # type: ignore[misc]

    play = Explored(Numbers(), 80)
    with pytest.raises(PluginError, match=r"NoThrees.*answered 'no'"):
        StateSpace(play, 80, [Odd()]).expand(0)
