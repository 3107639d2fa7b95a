"""Difficulty: inference rules, puzzle entropy and solution information, players' policies.

    from epcg_core.difficulty import StateSpace, muse, tsi
    space = StateSpace(model, state, rules)      # any TransitionModel; walked once, shared by all measures
    muse(space, collapse_zero=True)              # Difficulty(value, states, path)

`model.initial(puzzle)`, where a model has it, turns a generator's state into the first state of play.
"""

from epcg_core.difficulty.rules import ActionFilter, Answer, Inference, LookBackRule, Remaining, Rule, merge

__all__ = ["ActionFilter", "Answer", "Inference", "LookBackRule", "Remaining", "Rule", "merge"]
