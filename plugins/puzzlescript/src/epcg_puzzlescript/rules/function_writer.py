"""Functions that several rules share, because these differ only in the planes that they work on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from epcg_puzzlescript.language.elementary import Rule
from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.rules.changes import Changes
from epcg_puzzlescript.rules.plane_writer import Words
from epcg_puzzlescript.rules.rule_writer import Effect, RuleWriter

LEFT_OVER, CHANGED, MATCHED = 1, 2, 4
"""The bits that such a function returns: the interpreter must play; planes changed; the rule matched."""


class FunctionWriter(RuleWriter):
    """The code of rules, with a function for what is seldom needed: one match after the other.

    Here a function gets the words of planes and returns those that the rule can change.
    """

    def __init__(self, game: Game, words: int, changes: Changes) -> None:
        super().__init__(game, words, changes)
        self._shared_lines: list[str] = []
        """The functions that rules share."""
        self._by_body: dict[str, str] = {}
        self._sharing = False
        """Whether such a function is written."""
        self._arguments: dict[str, str] = {}
        """Its arguments by planes, or by places of planes and lists."""
        self._returned: list[str] = []

    def _fixed(self) -> list[str]:
        """Return the arguments that every function gets."""
        return ["s", "t"]

    def _results(self, names: Iterable[str]) -> list[str]:
        """Return the words that a function returns of the planes that it changes."""
        return [word for name in names for word in self._plane(name)]

    def _passed_on(self, key: str) -> list[str]:
        """Return what is passed for an argument, or, in the function, the arguments themselves."""
        return super()._plane(key)

    def _argument(self, key: str) -> str:
        """Return a plane or a place, or the argument for it in a function that rules share."""
        if not self._sharing:
            return key
        return self._arguments.setdefault(key, f"a{len(self._arguments)}")

    def _plane(self, name: str) -> Words:
        return super()._plane(self._argument(name))

    def _bail(self) -> None:
        self._put(f"return {', '.join([str(LEFT_OVER), *self._returned])}")

    def _call_of(self, write: Callable[[], None], changed: Collection[str]) -> tuple[list[str], str]:
        """Return the variables that a call of a function sets, and the call.

        The function is written if it is not yet there. `write` does that but for its end; it works on planes
        by their names, and changes those that are `changed`.
        """
        kept = self._lines, self._depth, self._names, self._statements
        self._lines, self._names = [], 0
        self._begin("", [])
        self._lines.clear()
        self._sharing, self._arguments = True, {}
        self._returned = self._results(changed)
        self._put("passed = 0")
        write()
        self._put(f"return {', '.join(['passed', *self._returned])}")
        lines, statements = self._lines, self._statements
        self._lines, self._depth, self._names, self._statements = kept
        self._sharing = False
        own = [word for name in self._arguments.values() for word in self._passed_on(name)]
        arguments = ", ".join([*self._fixed(), *own])
        body = "\n".join([arguments, *lines])
        name = self._by_body.get(body)
        if name is None:
            name = self._by_body[body] = f"rule_{len(self._by_body)}"
            self._statements = statements
            self._shared_lines += ["", "@apart", f"def {name}({arguments}):", *lines]
        fixed = [each.split(":")[0] for each in self._fixed()]
        given = [word for key in self._arguments for word in self._passed_on(key)]
        return self._results(changed), f"{name}({', '.join([*fixed, *given])})"

    def _call_of_rule(self, rule: Rule, effects: list[Effect]) -> tuple[list[str], str]:
        """Return the variables that a call of the function of a rule sets, and the call."""
        write_rule = super()._rule
        changed = dict.fromkeys(name for effect in effects for name in (*effect.sets, *effect.clears))
        return self._call_of(lambda: write_rule(rule, effects), changed)

    def _note_change(self) -> None:
        self._put(f"passed |= {CHANGED}" if self._sharing else "passed = True")

    def _matched(self, rule: Rule) -> None:
        if self._sharing:
            self._put(f"passed |= {MATCHED if self._bits(rule.commands) else 0}")
        else:
            super()._matched(rule)

    def _in_order(
        self, rule: Rule, rows: Sequence[list[list[Effect]]], matches: Sequence[list[Words]], direction: int
    ) -> None:
        """Write the call of a function that goes from match to match; in a function, write that here."""
        if self._sharing:
            super()._in_order(rule, rows, matches, direction)
            return
        self._one_by_one = True
        results, call = self._call_of_rule(rule, [each for row in rows for part in row for each in part])
        self._one_by_one = False
        self._put(f"{', '.join(['found', *results])} = {call}", 2 + call.count(","))
        self._put(f"if found & {LEFT_OVER}:")
        self._depth += 1
        self._bail()
        self._depth -= 1
        self._put(f"if found & {CHANGED}:")
        self._put("    passed = True")
        if self._bits(rule.commands):
            self._put(f"if found & {MATCHED}:")
            self._depth += 1
            self._enqueue(rule.commands)
            self._depth -= 1

    def _crowded(self, layer: int) -> None:
        """Write the call of a function that moves a layer cell by cell."""
        changed = [*self._moved_in(layer), *(name for _, name in self._steps_of(layer))]
        results, call = self._call_of(lambda: super(FunctionWriter, self)._crowded(layer), changed)
        self._put(f"{', '.join(['found', *results])} = {call}", 2 + call.count(","))
