"""Difficulty: inference rules, puzzle entropy and solution information, players' policies.

    space = StateSpace(model, puzzle, rules)   # any TransitionModel; each state is expanded once
    muse(space, collapse_zero=True)            # Difficulty(value, states, path); all measures share the walk

A domain's evaluators are registered with `entropy_evaluator` and `differential_evaluators`.
"""

from epcg_core.difficulty.differential import leave_one_out_differential, rule_differential
from epcg_core.difficulty.measures import adversarial, msi, muse, remuse, tsi
from epcg_core.difficulty.policies import Policy, uniform
from epcg_core.difficulty.rules import (
    STAGES,
    ActionChoice,
    ActionFilter,
    Answer,
    Inference,
    LookBackRule,
    Remaining,
    Rule,
    Stage,
    merge,
)
from epcg_core.difficulty.search import CyclicGraphError, Difficulty, StateSpace

__all__ = [
    "STAGES",
    "ActionChoice",
    "ActionFilter",
    "Answer",
    "CyclicGraphError",
    "Difficulty",
    "Inference",
    "LookBackRule",
    "Policy",
    "Remaining",
    "Rule",
    "Stage",
    "StateSpace",
    "adversarial",
    "leave_one_out_differential",
    "merge",
    "msi",
    "muse",
    "remuse",
    "rule_differential",
    "tsi",
    "uniform",
]  # fmt: skip
