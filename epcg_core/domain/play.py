"""How a puzzle is played: transition models, and their positions as packed words."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import attrs

from epcg_core.errors import PluginError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


State = TypeVar("State")
Action = TypeVar("Action")


class TransitionModel(Protocol[State, Action]):
    """How a puzzle is played.

    `initial(content)` makes the first state of a generator's state. Optional: `packed(content)` (a
    `PackedModel`), for speed; `action_text(action)`, for people, where `str` is not good enough; `stages` and
    `choose(state, actions)`, where a player weighs only some of the possible actions (see
    `epcg_core.difficulty.ActionChoice`).
    """

    def initial(self, content: Any) -> State: ...

    def actions(self, state: State) -> Iterable[Action]: ...

    def apply(self, state: State, action: Action) -> State: ...

    def is_goal(self, state: State) -> bool: ...

    def key(self, state: State) -> Hashable:
        """Equal for states that are the same position."""


def transition_model(generator: Any) -> TransitionModel[Any, Any]:
    """The model of a generator's states. Raises PluginError where it has none."""
    model: TransitionModel[Any, Any] | None = getattr(generator, "transition_model", None)
    if model is None:
        raise PluginError(
            f"The generator {type(generator).__name__} has no transition_model, so it is not known how its "
            "states are played: choose another evaluator."
        )
    return model


@attrs.frozen(eq=False)
class Successors:
    """What expanding n packed positions gives: the m positions that one action leads to."""

    positions: NDArray[np.uint64]
    """(m, words): those of the first position in the order of its actions, then those of the second, ..."""
    counts: NDArray[np.int64]
    """(n,) how many of them each position has; they sum up to m."""
    actions: NDArray[np.uint8]
    """(m,) the number of the action that leads to each."""
    footprints: NDArray[np.uint64] | None = None
    """(n, ceil(features / 64)) which features of the puzzle decided about each position's successors, a bit
    each, the lowest first; None where they were not asked for."""


class PackedModel(Protocol[State, Action]):
    """The compiled capability of a `TransitionModel`: the positions of one puzzle as rows of 64-bit words.

    `model.packed(content)` makes it. Equal positions have equal rows, and the rows of puzzles that differ by
    an edit mean the same, so that what is known of one helps to solve the other (see `Successors`).
    """

    @property
    def words(self) -> int:
        """How many 64-bit words a position has."""

    @property
    def features(self) -> int:
        """How many features of the puzzle an expansion may depend on; 0: footprints are not offered."""

    def pack(self, state: State) -> NDArray[np.uint64]:
        """(words,): the row of a position."""

    def unpack(self, row: NDArray[np.uint64]) -> State:
        """The position of a row."""

    def action(self, number: int) -> Action:
        """The action of a number."""

    def solved(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """(n,): which of the (n, words) positions are goals. Depends on the positions alone."""

    def successors(self, positions: NDArray[np.uint64], traced: bool = False) -> Successors:
        """The successors of (n, words) positions; with their footprints where `traced` asks for them.

        Positions that are lost (no action leads on) may be left out. Actions that change nothing may be left
        out or not, but always alike.
        """

    def differences(self, other: PackedModel[State, Action]) -> NDArray[np.uint64]:
        """(ceil(features / 64),): the features in which another puzzle of the same shape differs."""
