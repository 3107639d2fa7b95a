"""A domain for tests, installed as the module `epcg_stairs`. Nothing here may import from the tests.

generator  steps   param size; the puzzle of rank r is a staircase with r steps to climb, by one or by two
                   at a time; who climbs beyond its end has lost
           around  the same with a way back down at every step, so that states recur
rule       look    never climb beyond the end; param `from_step`: only with that many steps climbed
evaluators entropy (of `around` too), short (muse and msi alone), rule_differential, leave_one_out
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from epcg_core import hookimpl
from epcg_core.base.params import param
from epcg_core.difficulty import Answer
from epcg_core.difficulty.evaluator import differential_evaluators, entropy_evaluator
from epcg_core.domain import DomainInfo, EvaluatorInfo, GeneratorInfo, InferenceRuleInfo, NoParams

EPCG_API_VERSION = 1

State = tuple[int, int]
"""(steps of the staircase, steps climbed)."""


@attrs.frozen
class SizeParams:
    """How many staircases."""

    size: int = param(10, minimum=1, help="staircases, the first without a step")


class Climb:
    def __init__(self, back: bool) -> None:
        self._back = back

    def initial(self, puzzle: int) -> State:
        return puzzle, 0

    def actions(self, state: State) -> list[int]:
        if state[1] > state[0]:
            return []
        return [1, 2, -1] if self._back and state[1] > 0 else [1, 2]

    def apply(self, state: State, action: int) -> State:
        return state[0], min(state[1] + action, state[0] + 1)

    def is_goal(self, state: State) -> bool:
        return state[0] == state[1]

    def key(self, state: State) -> State:
        return state


class Steps:
    back = False

    def __init__(self, params: SizeParams) -> None:
        self.max_rank = params.size
        self.transition_model = Climb(self.back)

    def unrank(self, rank: int) -> int:
        return rank


class Around(Steps):
    back = True


class Unplayed(Steps):
    def __init__(self, params: SizeParams) -> None:
        super().__init__(params)
        del self.transition_model


@attrs.frozen
class LookParams:
    """When the player begins to look."""

    from_step: int = param(0, minimum=0, help="steps climbed before the player looks")


class Look:
    def __init__(self, params: LookParams, generator: Any) -> None:
        self._from = params.from_step

    def __call__(self, state: State, action: int) -> Answer:
        beyond = state[1] >= self._from and state[1] + action > state[0]
        return Answer.CANNOT if beyond else Answer.UNKNOWN


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(DomainInfo("stairs", "Stairs", "climb by one or by two"))


@hookimpl
def epcg_register_generators(register: Callable[[GeneratorInfo], None]) -> None:
    for name, factory in (("steps", Steps), ("around", Around), ("unplayed", Unplayed)):
        register(GeneratorInfo(name=name, domain="stairs", summary="", params=SizeParams, factory=factory))


@hookimpl
def epcg_register_inference_rules(register: Callable[[InferenceRuleInfo], None]) -> None:
    register(InferenceRuleInfo(name="look", domain="stairs", summary="", params=LookParams, factory=Look))
    register(
        InferenceRuleInfo(
            name="forget",
            domain="stairs",
            summary="knows nothing",
            params=NoParams,
            factory=lambda params, generator: lambda state, action: Answer.UNKNOWN,
        )
    )


@hookimpl
def epcg_register_evaluators(register: Callable[[EvaluatorInfo], None]) -> None:
    register(entropy_evaluator("stairs"))
    register(entropy_evaluator("stairs", name="short", measures=("muse", "msi"), states="short_states"))
    for evaluator in differential_evaluators("stairs"):
        register(evaluator)
