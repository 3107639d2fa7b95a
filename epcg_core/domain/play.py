"""Rules of play: transition models, and their positions as packed words."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import attrs

from epcg_core.base.errors import PluginError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


State = TypeVar("State")
Action = TypeVar("Action")


class TransitionModel(Protocol[State, Action]):
    """The rules of play of a puzzle.

    Optional: `packed(content)` (a `PackedModel`), for speed, and `play_identity`, if nothing is missing in it
    (see `Explorable` in `epcg_core.domain.capabilities`); `action_text(action)`, for readers, if `str` is
    not clear enough; `stages` and `choose(state, actions)`, if a player weighs only some of the possible
    actions (see `epcg_core.difficulty.ActionChoice`).
    """

    def initial(self, content: Any) -> State:
        """Return the first state of play of a generator's state.

        Raises EpcgError if play is not defined for it.
        """

    def actions(self, state: State) -> Iterable[Action]:
        """Return the possible actions, always in the same order.

        Not asked of a goal, but by breadth-first search, to which it is a vertex (see `RankedGraph`).
        """

    def apply(self, state: State, action: Action) -> State:
        """Return the state after an action; `state` is left as it is."""

    def is_goal(self, state: State) -> bool:
        """Return whether a state is a solved one."""

    def key(self, state: State) -> Hashable:
        """Return a key that is equal for states of the same position."""


def actions_of(model: TransitionModel[State, Any], state: State) -> list[Any]:
    """Return the possible actions of a state: none of a goal, which is not asked."""
    return [] if model.is_goal(state) else list(model.actions(state))


def transition_model(generator: Any) -> TransitionModel[Any, Any]:
    """Return a generator's transition model. Raises PluginError if it has none, or an incomplete one."""
    model: TransitionModel[Any, Any] | None = getattr(generator, "transition_model", None)
    if model is None:
        raise PluginError(
            f"The generator {type(generator).__name__} has no transition_model, "
            "so its states cannot be played: choose another evaluator."
        )
    missing = [name for name in ("initial", "actions", "apply", "is_goal", "key") if not hasattr(model, name)]
    if missing:
        raise PluginError(
            f"{type(model).__name__}, the transition model of {type(generator).__name__}, has no "
            f"{', '.join(missing)}: the contract TransitionModel says what each does."
        )
    return model


def words_of(model: TransitionModel[Any, Any]) -> Callable[[Any], str]:
    """Return a model's function from actions to words: its `action_text`, or `str`."""
    words: Callable[[Any], str] = getattr(model, "action_text", str)
    return words


@attrs.frozen(eq=False)
class Successors:
    """The expansion of n packed positions: the m positions that one action leads to."""

    positions: NDArray[np.uint64]
    """(m, words) successors: those of the first position in the order of its actions, then the second's,
    ..."""
    counts: NDArray[np.int64]
    """(n,) how many of them each position has; they sum up to m."""
    actions: NDArray[np.uint8]
    """(m,) the number of the action that leads to each."""
    footprints: NDArray[np.uint64] | None = None
    """(n, ceil(features / 64)) which features of the puzzle decided about each position's successors, a bit
    each, the lowest first; None if not requested."""


class PackedModel(Protocol[State, Action]):
    """The compiled capability of a `TransitionModel`: the positions of one puzzle as rows of 64-bit words.

    `model.packed(content)` makes it. Equal positions have equal rows, and rows of puzzles whose `differences`
    are known have the same meaning, so that searches of one help to solve the other (see `Successors`).
    Optional: `unpack_all(rows)`, the list of the positions of (n, words) rows, if that is faster.
    """

    @property
    def words(self) -> int:
        """Number of 64-bit words of a position."""

    @property
    def features(self) -> int:
        """Number of features that an expansion may depend on; 0 if footprints are not offered."""

    def pack(self, state: State) -> NDArray[np.uint64]:
        """Return the (words,) row of a position."""

    def unpack(self, row: NDArray[np.uint64]) -> State:
        """Return the position of a row."""

    def action(self, number: int) -> Action:
        """Return the action of a number."""

    def solved(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return the (n,) mask of goals among (n, words) positions. Depends on the positions alone."""

    def successors(self, positions: NDArray[np.uint64], traced: bool = False) -> Successors:
        """Return the successors of (n, words) positions, with their footprints if `traced`.

        Lost positions (without further actions) may be left out. Actions that change nothing may be left out,
        but then consistently.
        """

    def differences(self, other: PackedModel[State, Action]) -> NDArray[np.uint64] | None:
        """Return the features in which another puzzle differs, (ceil(features / 64),).

        None if the features do not tell all in which it differs; then it is searched by itself.
        """
