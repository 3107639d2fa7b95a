"""Source code of a kernel for the largest games and boards: rules that differ in their planes share code.

As in `large_source`, but each rule is a call of a function that gets planes by their places, so that
thousands of elementary rules need some dozen functions; and planes of large boards are worked on in loops.
Calls cost time, so smaller games do without.
"""

from __future__ import annotations

from collections.abc import Sequence

from epcg_puzzlescript.language.elementary import Rule
from epcg_puzzlescript.rules.large_source import PASSED, SHARED, LargeSource
from epcg_puzzlescript.rules.rule_writer import Effect

MOST_SHARED_STATEMENTS = 80_000
"""They take 7 to 15 CPU seconds to compile: most of them are calls and tests for empty planes."""
_LEFT, _CHANGED, _MATCHED = 1, 2, 4
"""What the function of a rule returns, as bits: the interpreter must play; planes changed; it matched."""


class SharedSource(LargeSource):
    """The source of a kernel that is called like that of `LargeSource`. Raises TooLongError."""

    most_statements = MOST_SHARED_STATEMENTS
    most_words = 2**16
    most_unrolled = 3
    most_named = 4

    def _written(self) -> str:
        self._functions_by_body: dict[str, str] = {}
        self._sharing = False
        self._arguments: dict[str, str] = {}
        """In a function that rules share: the arguments by places of planes and of lists."""
        return super()._written()

    def _place(self, name: str) -> str:
        return self._argument(super()._place(name), "a")

    def _list_of(self, names: Sequence[str]) -> str:
        return self._argument(super()._list_of(names), "b")

    def _argument(self, number: str, kind: str) -> str:
        """Return a place, or the argument for it in a function that rules share."""
        if not self._sharing:
            return number
        return self._arguments.setdefault(f"{kind}{number}", f"{kind}{len(self._arguments)}")

    # rules

    def _rules_of(self, rules: Sequence[Rule], effects: Sequence[list[Effect]]) -> None:
        self._put("passed = 0")
        super()._rules_of(rules, effects)
        self._put(f"if passed & {_LEFT}:")
        self._put(f"    {self._failure}")

    def _rule(self, rule: Rule, effects: list[Effect]) -> None:
        """Write the call of the function of a rule."""
        bits = self._bits(rule.commands)
        if not (bits or rule.rigid or any(effect.sets or effect.clears for effect in effects)):
            return
        call = self._call_of(rule, effects)
        if not bits:
            self._put(f"passed |= {call}", 2 + call.count(","))
            return
        self._put(f"found = {call}", 2 + call.count(","))
        self._put(f"passed |= found & {_LEFT | _CHANGED}")
        self._put(f"if found & {_MATCHED}:")
        self._depth += 1
        self._enqueue(rule.commands)
        self._depth -= 1

    def _call_of(self, rule: Rule, effects: list[Effect]) -> str:
        """Return the call of a function for a rule; write the function if no other rule had such a one."""
        kept = self._lines, self._depth, self._names, self._failure, self._statements
        self._lines, self._names, self._failure = [], 0, f"return {_LEFT}"
        self._begin("", [])
        self._lines.clear()
        self._sharing, self._arguments = True, {}
        self._put("passed = 0")
        super()._rule(rule, effects)
        self._put("return passed")
        lines, statements = self._lines, self._statements
        self._lines, self._depth, self._names, self._failure, self._statements = kept
        self._sharing = False
        arguments = ", ".join([*SHARED, *self._arguments.values()])
        body = "\n".join([arguments, *lines])
        name = self._functions_by_body.get(body)
        if name is None:
            name = f"rule_{len(self._functions_by_body)}"
            self._functions_by_body[body] = name
            self._statements = statements
            self._shared_lines += ["", "@apart", f"def {name}({arguments}):", *lines]
        return f"{name}({', '.join([PASSED, *(each[1:] for each in self._arguments)])})"

    def _note_change(self) -> None:
        self._put(f"passed |= {_CHANGED}")

    def _matched(self, rule: Rule) -> None:
        self._put(f"passed |= {_MATCHED if self._bits(rule.commands) else 0}")
