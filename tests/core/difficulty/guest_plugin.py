"""A third party's parts for the domain `stairs`, installed as the module `epcg_guest`.

A rule, a policy, an entropy scorer and an evaluator of its own. It does not import the domain's plugin.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs

from epcg_core import hookimpl
from epcg_core.base.params import param
from epcg_core.difficulty import Answer, Difficulty, StateSpace
from epcg_core.difficulty.evaluator import entropy_evaluator
from epcg_core.domain import (
    EntropyScorerInfo,
    EvaluatorInfo,
    InferenceRuleInfo,
    Metric,
    NoParams,
    PolicyInfo,
)

EPCG_API_VERSION = 1


@attrs.frozen
class HastyParams:
    """How hasty."""

    haste: float = param(0.75, minimum=0.0, maximum=1.0, help="probability of climbing two steps at once")


def hasty(params: HastyParams) -> Callable[[Any, Sequence[int]], Sequence[float]]:
    def policy(state: Any, actions: Sequence[int]) -> Sequence[float]:
        if len(actions) == 1:
            return [1.0]
        return [params.haste if action == 2 else 1 - params.haste for action in actions]

    return policy


class NeverOneTwice:
    """A look-back rule: after a single step comes a double one."""

    def __init__(self, params: NoParams, generator: Any) -> None:
        pass

    def after(self, previous: Any, last: int, state: Any, action: int) -> Answer:
        return Answer.CANNOT if last == action == 1 else Answer.UNKNOWN


@attrs.frozen
class WeightParams:
    """The scorer's params; `policy` is shared with the core's measures."""

    weight: float = param(1.0, help="a dead end's weight")
    policy: str = param("uniform", help="only reported")


def dead_ends(params: WeightParams) -> Callable[[StateSpace], Difficulty]:
    """The share of states without a way on that are no goals."""

    def scorer(space: StateSpace) -> Difficulty:
        order = space.acyclic_order("dead_ends")
        dead = [s for s in order if not space.children[s] and not space.goals[s]]
        return Difficulty(params.weight * len(dead) / len(space), len(space), (params.policy,))

    return scorer


@hookimpl
def epcg_register_policies(register: Callable[[PolicyInfo], None]) -> None:
    register(PolicyInfo(name="hasty", summary="", params=HastyParams, factory=hasty))


@hookimpl
def epcg_register_inference_rules(register: Callable[[InferenceRuleInfo], None]) -> None:
    register(
        InferenceRuleInfo(
            name="never_one_twice", domain="stairs", summary="", params=NoParams, factory=NeverOneTwice
        )
    )


@hookimpl
def epcg_register_entropy_scorers(register: Callable[[EntropyScorerInfo], None]) -> None:
    share = Metric("dead_ends", "real", "min", "", "share of positions that are dead ends")
    register(
        EntropyScorerInfo(name="dead_ends", summary="", params=WeightParams, factory=dead_ends, metric=share)
    )


@hookimpl
def epcg_register_evaluators(register: Callable[[EvaluatorInfo], None]) -> None:
    register(entropy_evaluator("stairs", name="guest", measures=("dead_ends",), states="guest_states"))
