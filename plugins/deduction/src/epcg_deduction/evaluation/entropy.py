"""The evaluators of difficulty: a player writes marks, and knows kinds of steps."""

from __future__ import annotations

from typing import Any

from epcg_core.plugin import (
    ENTROPY_STATES,
    MEASURES,
    Entropy,
    differential_evaluators,
    resolve,
)
from epcg_deduction.params import StepDifferentialParams, StepEntropyParams
from epcg_deduction.rules.model import DeductionModel

_DOMAIN = "deduction"
_ONE, _OTHERS = differential_evaluators(_DOMAIN, StepDifferentialParams)


class Played:
    """A generator whose puzzles are played for measures, mark by mark."""

    def __init__(self, generator: Any, params: StepEntropyParams | StepDifferentialParams) -> None:
        self._generator = generator
        self.transition_model = DeductionModel(params.ties)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._generator, name)


def entropy(params: StepEntropyParams, generator: Any, tables: Any = None) -> Entropy:
    """Make the evaluator `entropy`."""
    return Entropy(_DOMAIN, (*MEASURES, ENTROPY_STATES), params, Played(generator, params))


def rule_differential(params: StepDifferentialParams, generator: Any, tables: Any = None) -> Any:
    """Make the evaluator `rule_differential`."""
    return resolve(_ONE.factory)(params, Played(generator, params), tables)


def leave_one_out(params: StepDifferentialParams, generator: Any, tables: Any = None) -> Any:
    """Make the evaluator `leave_one_out`."""
    return resolve(_OTHERS.factory)(params, Played(generator, params), tables)
