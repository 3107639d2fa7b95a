"""The policy `player`: MSI and TSI under a player model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from epcg_core.inside import format_state, make_policy, transition_model
from epcg_core.plugin import ParamsError, Policy, StateSpace, documents
from epcg_research.players import files
from epcg_research.players.models import Model, Uniform, history_of, in_proportion, looks_back
from epcg_research.players.params import PlayerParams
from epcg_research.players.positions import Positions


class PlayerPolicy:
    """The probabilities that a model gives to the moves of a position.

    If rules leave some of the moves only, their probabilities are in proportion; if the model excludes all of
    these, they are alike.
    """

    def __init__(self, model: Model, generator: Any, positions: Positions | None = None) -> None:
        self._model, self._generator, self._positions = model, generator, positions
        self._known: dict[int, dict[Any, float]] = {}

    def for_puzzle(self, space: StateSpace) -> PlayerPolicy:
        """Return the policy of one puzzle, which knows how far its positions are from a goal."""
        text = format_state(self._generator, space.puzzle)
        return PlayerPolicy(self._model, self._generator, Positions(space.model, space.states[0], text))

    def __call__(self, state: Any, actions: Sequence[Any]) -> Sequence[float]:
        """Return the probability of each action."""
        positions = self._positions or Positions(transition_model(self._generator), state, "")
        number = positions.number_of(state)
        if number not in self._known or self._positions is None:
            found = self._model.probabilities(positions, number).tolist()
            self._known[number] = dict(zip(positions.moves(number), found, strict=True))
        own = [self._known[number][action] for action in actions]
        if len(actions) == len(self._known[number]) and abs(math.fsum(own) - 1) < 1e-12:
            return own
        return in_proportion(own) if any(own) else [1 / len(actions)] * len(actions)


def player(params: PlayerParams, generator: Any) -> Policy:
    """Make the policy. Raises EpcgError if the file is another one, or the model is none of positions."""
    digest = files.digest(params.model)
    if not params.sha256:
        raise ParamsError(
            f'policy_params: write sha256 = "{digest}" beside the model, so that a run says which it is.'
        )
    if digest != params.sha256:
        raise ParamsError(
            f"policy_params: the file '{params.model}' has the digest {digest[:12]}..., not "
            f"{params.sha256[:12]}...: it was changed, or is another model."
        )
    fitted = files.load(documents.place_of(params.model), generator)
    if looks_back(fitted.model):
        raise ParamsError(
            f"The player model '{params.model}' looks at the moves before ({history_of(fitted.model)}), and "
            "MSI and TSI know positions only: fit one without --way."
        )
    if isinstance(fitted.model, Uniform):
        return make_policy("uniform")
    return PlayerPolicy(fitted.model, generator)
