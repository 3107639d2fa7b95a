"""Positions that are explored once for all readers: as the model has them, in batches, with its errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from epcg_core.difficulty import StateSpace, muse
from epcg_core.domain import Successors, explored as exploring
from epcg_core.domain.explored import Explored, explored
from epcg_core.errors import EpcgError

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
