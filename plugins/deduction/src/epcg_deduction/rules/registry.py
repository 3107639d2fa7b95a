"""The kinds of rules by name."""

from __future__ import annotations

from epcg_deduction.rules import kinds
from epcg_deduction.rules.each import Each
from epcg_deduction.rules.rule import Rule

RULES: dict[str, type[Rule]] = {
    rule.kind: rule
    for rule in (
        kinds.At,
        Each,
        kinds.Never,
        kinds.ConnectedRule,
        kinds.Loop,
        kinds.Paths,
        kinds.MatchedRule,
        kinds.Distinct,
        kinds.Fills,
    )
}
"""Each kind of rules by its name. A plugin adds a class here, and its plain check to `checking.CHECKS`."""
