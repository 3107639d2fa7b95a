"""A plain reading of rules on complete markings, which shares nothing with solvers."""

from epcg_deduction.checking.check import CHECKS, failing, failures

__all__ = ["CHECKS", "failing", "failures"]
