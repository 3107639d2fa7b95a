"""Rules as classes: what they say on a puzzle, for solvers, and in words, for people."""

from epcg_deduction.rules.determined import determined, values_of
from epcg_deduction.rules.problems import problem_of, rules_of
from epcg_deduction.rules.registry import RULES
from epcg_deduction.rules.rule import Fault, Rule

__all__ = ["RULES", "Fault", "Rule", "determined", "problem_of", "rules_of", "values_of"]
