"""Players' policies: the probability of each action left in a state."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from epcg_core.base.errors import fault_of, name_and_place
from epcg_core.difficulty.attribution import attribute
from epcg_core.domain import NoParams

if TYPE_CHECKING:
    from epcg_core.difficulty.search import StateSpace

Policy: TypeAlias = Callable[[Any, Sequence[Any]], Sequence[float]]
"""(state, actions) -> the probability of each action; 0 or more, with the sum 1.

A policy that must know the whole puzzle, for how far its states are from a goal, say, also offers
`for_puzzle(space)`, which returns the policy for the states of one StateSpace."""


def uniform(state: Any, actions: Sequence[Any]) -> Sequence[float]:
    """Make every action equally likely."""
    return (1 / len(actions),) * len(actions)


def uniform_policy(params: NoParams) -> Policy:
    return uniform


def for_puzzle(policy: Policy, space: StateSpace) -> Policy:
    """Return a policy for the states of one puzzle: its own, if it offers one, or itself."""
    make = getattr(policy, "for_puzzle", None)
    if make is None:
        return policy
    try:
        found: Policy = make(space)
    except Exception as error:
        attribute(error, "policy", policy)
    return found


def action_information(policy: Policy, state: Any, actions: Sequence[Any]) -> Sequence[float]:
    """Return -log2 of the probability of each action, in bits; infinite if the probability is 0.

    For `uniform` this is log2 of the number of actions. Raises PluginError if the policy's answer is not a
    probability distribution over the actions.
    """
    if policy is uniform:
        return (math.log2(len(actions)),) * len(actions)
    try:
        probabilities = policy(state, actions)
    except Exception as error:
        attribute(error, "policy", policy)
    if (
        len(probabilities) != len(actions)
        or not all(p >= 0.0 for p in probabilities)
        or abs(math.fsum(probabilities) - 1.0) > 1e-9
    ):
        raise fault_of(
            policy,
            f"The policy {name_and_place(policy)} gave the probabilities {list(probabilities)} for "
            f"{len(actions)} actions: expected one for each, 0 or more, with the sum 1.",
        )
    return [max(0.0, -math.log2(p)) if p > 0.0 else math.inf for p in probabilities]
