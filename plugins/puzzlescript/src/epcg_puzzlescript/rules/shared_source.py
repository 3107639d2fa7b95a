"""Source code of a kernel for the largest games and boards: rules that differ in their planes share code.

As in `large_source`, but each rule is a call of a function that gets planes by their places, so that
thousands of elementary rules need some dozen functions; and planes of large boards are worked on in loops.
Calls cost time, so smaller games do without.
"""

from __future__ import annotations

from collections.abc import Sequence

from epcg_puzzlescript.language.elementary import Rule
from epcg_puzzlescript.rules.function_writer import CHANGED, LEFT_OVER, MATCHED
from epcg_puzzlescript.rules.large_source import LargeSource
from epcg_puzzlescript.rules.rule_writer import Effect

MOST_SHARED_STATEMENTS = 80_000
"""They take 7 to 15 CPU seconds to compile: most of them are calls and tests for empty planes."""


class SharedSource(LargeSource):
    """The source of a kernel that is called like that of `LargeSource`. Raises TooLongError."""

    most_statements = MOST_SHARED_STATEMENTS
    most_words = 2**16
    most_unrolled = 3
    most_named = 4

    # rules

    def _rules_of(self, rules: Sequence[Rule], effects: Sequence[list[Effect]]) -> None:
        self._put("passed = 0")
        super()._rules_of(rules, effects)
        self._put(f"if passed & {LEFT_OVER}:")
        self._put(f"    {self._failure}")

    def _rule(self, rule: Rule, effects: list[Effect]) -> None:
        """Write the call of the function of a rule."""
        bits = self._bits(rule.commands)
        if not (bits or any(effect.sets or effect.clears for effect in effects)):
            return
        _, call = self._call_of_rule(rule, effects)
        if not bits:
            self._put(f"passed |= {call}", 2 + call.count(","))
            return
        self._put(f"found = {call}", 2 + call.count(","))
        self._put(f"passed |= found & {LEFT_OVER | CHANGED}")
        self._put(f"if found & {MATCHED}:")
        self._depth += 1
        self._enqueue(rule.commands)
        self._depth -= 1
