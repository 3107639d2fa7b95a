"""Source code of a game's rules and movement on planes, for its kernels (`kernel_source`).

A rule is applied to all its matches at once, and a layer moves at once. Where the order counts (matches that
share cells, several matches of a rule of several rows, objects that aim at the same cell), the code goes from
match to match. Whatever is rare is not written out: groups that run into their limit, 'restart', movements
of rigid rules that are not made. The code says so instead, and the interpreter plays.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import reduce
from operator import or_

import attrs

from epcg_puzzlescript.language.elementary import ALL, LAYER_BITS, Pattern, Rule, RuleRow
from epcg_puzzlescript.language.game import Group, RuleList
from epcg_puzzlescript.rules import columns as at
from epcg_puzzlescript.rules.changes import bits_of
from epcg_puzzlescript.rules.movement_writer import MovementWriter
from epcg_puzzlescript.rules.plane_writer import Words
from epcg_puzzlescript.rules.turn import MOST_PASSES

MOST_ROUNDS = 100_000
"""More combinations of matches are left to the interpreter."""


@attrs.frozen
class Effect:
    """The effect of a rule on one of its cells: planes by name."""

    sets: tuple[str, ...]
    clears: tuple[str, ...]


class RuleWriter(MovementWriter):
    """The code of lists of rules, which changes planes of objects and of movements."""

    def _list(self, rules: RuleList, late: bool) -> None:
        """Write the groups of a list, with its loops."""
        first, last = dict(rules.loops), {last for _, last in rules.loops}
        if rules.loops:
            self._put("changed = False")
            self._put("jumps = 0")
        for number, group in enumerate(rules.groups):
            if number in first:
                self._put("while True:")
                self._depth += 1
            self._group(group, late, bool(rules.loops))
            if number in last:
                self._put("if not changed:")
                self._put("    break")
                self._put("changed = False")
                self._put("jumps += 1")
                self._put(f"if jumps > {MOST_PASSES}:")
                self._depth += 1
                self._bail()
                self._depth -= 2

    def _group(self, group: Group, late: bool, in_list_with_loops: bool) -> None:
        rules = [rule for rule in group.rules if all(not p.moves & ~self._moves for p in rule.patterns)]
        if not rules:
            return
        effects = [self._effects(rule, late) for rule in rules]
        if not any(effect.sets or effect.clears for each in effects for effect in each):
            self._rules_of(rules, effects)
            return
        passes = self._new()
        self._put(f"{passes} = 0")
        self._put("while True:")
        self._depth += 1
        self._put("passed = False")
        self._rules_of(rules, effects)
        self._put("if not passed:")
        self._put("    break")
        if in_list_with_loops:
            self._put("changed = True")
        self._put(f"{passes} += 1")
        self._put(f"if {passes} >= {MOST_PASSES}:")
        self._depth += 1
        self._bail()
        self._depth -= 2

    def _rules_of(self, rules: Sequence[Rule], effects: Sequence[list[Effect]]) -> None:
        """Write the rules of a group, one after the other."""
        for rule, each in zip(rules, effects, strict=True):
            self._rule(rule, each)

    def _effects(self, rule: Rule, late: bool) -> list[Effect]:
        """Return what a rule does to each of its cells, reduced to what can differ where it matches.

        Rows may share cells. Those of a rule are reduced only if none of them changes what another looks at.
        """
        found = [self._effect(pattern, late, reduced=True) for pattern in rule.patterns]
        if len(rule.rows) > 1 and self._order_counts(rule.patterns, found):
            found = [self._effect(pattern, late, reduced=False) for pattern in rule.patterns]
        if not rule.rigid or late:
            return found
        return [
            attrs.evolve(effect, sets=(*effect.sets, *self._marks(pattern)))
            for effect, pattern in zip(found, rule.patterns, strict=True)
        ]

    def _marks(self, pattern: Pattern) -> list[str]:
        """Return the planes of the layers that a cell of a rigid rule marks: their movements must be made."""
        touched = pattern.replacement.touched if pattern.replacement else 0
        return [f"r{layer}" for layer in self._rigid_layers() if touched >> LAYER_BITS * layer & ALL]

    def _effect(self, pattern: Pattern, late: bool, reduced: bool) -> Effect:
        what = pattern.replacement
        if what is None:
            return Effect((), ())
        put, clear = what.set, what.clear & ~what.set
        moves_set, moves_clear = what.moves_set, what.moves_clear & ~what.moves_set
        if reduced:
            put, clear = put & ~pattern.required, self.changes.cleared(pattern)
            moves_set &= ~pattern.moves
        if late:
            moves_set = moves_clear = 0
        put, clear = put & self.changes.objects, clear & self.changes.objects
        moves_set, moves_clear = moves_set & self._moves, moves_clear & self._moves
        return Effect(
            (*(f"p{n}" for n in bits_of(put)), *(f"m{n}" for n in bits_of(moves_set))),
            (*(f"p{n}" for n in bits_of(clear)), *(f"m{n}" for n in bits_of(moves_clear))),
        )

    def _cell(self, pattern: Pattern) -> Words:
        """Return expressions of the places where a cell of a rule matches."""
        needed = [*self._movements(pattern.moves), *self._objects(pattern.required)]
        needed += map(self._any, pattern.any_of)
        without = self._movements(pattern.still)
        if pattern.forbidden:
            without.append(self._any(pattern.forbidden))
        if not needed:
            needed = [self._plane("v")]
        found = self._joined("&", needed)
        if without:
            gone = self._joined("|", without)
            found = [f"{each} & ~({other})" for each, other in zip(found, gone, strict=True)]
        return [f"({each})" for each in found]

    def _starts(self, part: Sequence[Pattern], direction: int) -> Words:
        """Write the plane of the places where a part of a row begins; return its words."""
        back = direction ^ 1
        found = self._let(self._cell(part[-1]))
        for pattern in reversed(part[:-1]):
            moved = self._shifted(found, back)
            cell = self._cell(pattern)
            found = self._let([f"{here} & ({there})" for here, there in zip(cell, moved, strict=True)])
        return found

    @staticmethod
    def _bits(commands: Sequence[str]) -> int:
        """Return the commands that change play, as bits of the queue."""
        played = at.CANCEL | at.RESTART | at.WIN | at.AGAIN
        return reduce(or_, (at.COMMAND_BITS.get(command, 0) & played for command in commands), 0)

    def _rule(self, rule: Rule, effects: list[Effect]) -> None:
        """Write one application of a rule."""
        acts = any(effect.sets or effect.clears for effect in effects)
        if not acts and not self._bits(rule.commands):
            return
        direction = {"up": 0, "down": 1, "left": 2, "right": 3}[rule.direction]
        depth = self._depth
        matches: list[list[Words]] = []
        for row in rule.rows:
            parts = []
            for part in row.parts:
                found = self._starts(part, direction)
                self._put(f"if {self._some(found)}:")
                self._depth += 1
                parts.append(found)
            if len(parts) == 2:
                parts = self._reaching(row, parts, direction)
                self._put(f"if {self._some(parts[0])}:")
                self._depth += 1
            matches.append(parts)
        self._apply(rule, effects, matches, direction)
        self._depth = depth

    def _matched(self, rule: Rule) -> None:
        """Write what is done once if a rule matches."""
        self._enqueue(rule.commands)

    def _reaching(self, row: RuleRow, parts: list[Words], direction: int) -> list[Words]:
        """Write which places of two parts of a row, with an ellipsis between them, belong to a match."""
        first, second = parts
        ahead = first
        for _ in row.parts[0]:
            ahead = self._step(ahead, direction)
        ahead = self._swept(ahead, direction)
        second = self._let(self._joined("&", [second, ahead]))
        behind = self._swept(second, direction ^ 1)
        for _ in row.parts[0]:
            behind = self._step(behind, direction ^ 1)
        return [self._let(self._joined("&", [first, behind])), second]

    def _swept(self, plane: Words, direction: int) -> Words:
        """Write the cells of the board that a plane reaches in any number of steps."""
        found = self._let(self._joined("&", [plane, self._plane("v")]))
        self._put("while True:")
        self._depth += 1
        moved = self._shifted(found, direction)
        board = zip(moved, self._plane("v"), found, strict=True)
        more = self._let([f"({each}) & {valid} & ~{known}" for each, valid, known in board])
        self._put(f"if not {self._some(more)}:")
        self._put("    break")
        self._assign(found, self._joined("|", [found, more]))
        self._depth -= 1
        return found

    def _apply(self, rule: Rule, effects: list[Effect], matches: list[list[Words]], direction: int) -> None:
        """Write what a rule does where it matches: to all matches at once, or in the order of the scan."""
        cells = iter(effects)
        rows = [[[next(cells) for _ in part] for part in row.parts] for row in rule.rows]
        if self._one_by_one or any(len(row.parts) > 2 for row in rule.rows):
            self._in_order(rule, rows, matches, direction)
            return
        depth = self._depth
        test = self._test_of_order(rule, effects, rows, matches, direction)
        if test:
            self._put(f"if {test}:", 2)
            self._depth += 1
            self._in_order(rule, rows, matches, direction)
            self._depth -= 1
            self._put("else:", 0)
            self._depth += 1
        for row, starts in zip(rows, matches, strict=True):
            for each, here in zip(row, starts, strict=True):
                self._replace_part(each, here, direction)
        self._matched(rule)
        self._depth = depth

    def _replace_part(self, effects: Sequence[Effect], here: Words, direction: int) -> None:
        """Write what a part of a row does that begins at the cells of a plane."""
        last = max((j for j, effect in enumerate(effects) if effect.sets or effect.clears), default=-1)
        for j, effect in enumerate(effects[: last + 1]):
            if j:
                here = self._step(here, direction)
            self._replace(effect, here)

    def _test_of_order(
        self, rule: Rule, effects: Sequence[Effect], rows: Sequence[list[list[Effect]]],
        matches: Sequence[list[Words]], direction: int,
    ) -> str:  # fmt: skip
        """Return an expression for whether the order of matches may count; "" if it never does."""
        acting = [
            number for number, row in enumerate(rows)
            if any(effect.sets or effect.clears for part in row for effect in part)
        ]  # fmt: skip
        if not acting or not self._order_counts(rule.patterns, effects):
            return ""
        number = acting[0]
        part = rule.rows[number].parts[0]
        others = [p for row in rule.rows if row is not rule.rows[number] for q in row.parts for p in q]
        alone = len(acting) == len(rows[number]) == 1
        if not alone or self._disturbs(rows[number][0], others):
            return " or ".join(f"({self._several(plane)})" for parts in matches for plane in parts)
        if len(part) > 1 and self._order_counts(part, rows[number][0]):
            return self._shared(matches[number][0], len(part), direction)
        return ""

    def _order_counts(self, patterns: Sequence[Pattern], effects: Sequence[Effect]) -> bool:
        """Return whether matches that share cells must be applied one after the other.

        If not, each still holds when its turn comes, and what all of them do is what each does.
        """
        sets = {name for effect in effects for name in effect.sets}
        return self._disturbs(effects, patterns) or any(sets & {*effect.clears} for effect in effects)

    def _disturbs(self, effects: Sequence[Effect], patterns: Sequence[Pattern]) -> bool:
        """Return whether cells that matched patterns might not do so any more after some effects."""
        sets = {name for effect in effects for name in effect.sets}
        clears = {name for effect in effects for name in effect.clears}
        for pattern in patterns:
            things = reduce(or_, pattern.any_of, pattern.required)
            wanted = {self.object(n) for n in bits_of(things)}
            wanted |= {f"m{n}" for n in bits_of(pattern.moves & self._moves)}
            unwanted = {self.object(n) for n in bits_of(pattern.forbidden)}
            unwanted |= {f"m{n}" for n in bits_of(pattern.still & self._moves)}
            if sets & unwanted or clears & wanted:
                return True
        return False

    def _shared(self, starts: Words, count: int, direction: int) -> str:
        """Return an expression for whether matches of so many cells share one; write what it needs."""
        here, shared = starts, []
        for _ in range(1, count):
            here = self._step(here, direction)
            shared.append([f"({a} & {b})" for a, b in zip(here, starts, strict=True)])
        return self._some([each for plane in shared for each in plane])

    # one match after the other

    def _in_order(
        self, rule: Rule, rows: Sequence[list[list[Effect]]], matches: Sequence[list[Words]], direction: int
    ) -> None:
        """Write what a rule does to one combination of matches after the other, if it still holds then."""
        hit, rounds = self._new(), self._new()
        self._put(f"{hit} = 0")
        self._put(f"{rounds} = 0")
        effects = [effect for row in rows for part in row for effect in part]
        with ExitStack() as loops:
            found: list[list[Words]] = [[] for _ in rows]
            for number in reversed(range(len(rows))):  # the matches of the first row change fastest
                here = loops.enter_context(self._scan(matches[number][0], direction))
                found[number].append(here)
                for before, starts in zip(rule.rows[number].parts, matches[number][1:], strict=False):
                    here = loops.enter_context(self._beyond(here, len(before), starts, direction))
                    found[number].append(here)
            self._put(f"{rounds} += 1")
            self._put(f"if {rounds} > {MOST_ROUNDS}:")
            self._depth += 1
            self._bail()
            self._depth -= 1
            depth = self._depth
            for row, planes in zip(rule.rows, found, strict=True):
                for patterns, here in zip(row.parts, planes, strict=True):
                    self._if_held(patterns, here, effects, direction)
            self._put(f"{hit} = 1")
            for each_row, planes in zip(rows, found, strict=True):
                for each, here in zip(each_row, planes, strict=True):
                    self._replace_part(each, here, direction)
            self._depth = depth
        self._put(f"if {hit}:")
        self._depth += 1
        self._matched(rule)
        self._depth -= 1

    def _if_held(
        self, patterns: Sequence[Pattern], here: Words, effects: Sequence[Effect], direction: int
    ) -> None:
        """Write that what follows is for a part of a row that still matches, after some effects."""
        for number, pattern in enumerate(patterns):
            if number:
                here = self._step(here, direction)
            if self._disturbs(effects, [pattern]):
                held = [f"{a} & {b}" for a, b in zip(self._cell(pattern), here, strict=True)]
                self._put(f"if {self._some([f'({each})' for each in held])}:", 2)
                self._depth += 1

    # effects

    def _replace(self, effect: Effect, here: Words) -> None:
        self._remove(effect.clears, here)
        for name in effect.sets:
            plane = self._plane(name)
            self._change(
                plane, [f"{mask} & ~{word}" for word, mask in zip(plane, here, strict=True)],
                self._joined("|", [plane, here]),
            )  # fmt: skip

    def _remove(self, names: Sequence[str], here: Words) -> None:
        """Write that planes lose the cells of a plane."""
        for name in names:
            self._remove_from(self._plane(name), here)

    def _remove_from(self, plane: Words, here: Words) -> None:
        without = [f"{word} & ~{mask}" for word, mask in zip(plane, here, strict=True)]
        self._change(plane, self._joined("&", [plane, here]), without)

    def _change(self, plane: Words, differs: Words, after: Words) -> None:
        """Write that a plane changes if an expression of its words is not 0."""
        self._put(f"if {self._some([f'({each})' for each in differs])}:", 2)
        self._depth += 1
        self._note_change()
        self._assign(plane, after)
        self._depth -= 1

    def _note_change(self) -> None:
        """Write that something changed in a pass of a group."""
        self._put("passed = True")

    def _enqueue(self, commands: Sequence[str]) -> None:
        bits = self._bits(commands)
        ending = {"cancel", "restart"} & self._commands
        if bits & at.CANCEL:
            self._put(f"if not q & {at.CANCEL}:")
            self._put(f"    q = {bits}")
        elif bits & at.RESTART:
            self._put(f"if not q & {at.CANCEL | at.RESTART}:")
            self._put(f"    q = {bits}")
        elif bits and ending:
            self._put(f"if not q & {at.CANCEL | at.RESTART}:")
            self._put(f"    q |= {bits}")
        elif bits:
            self._put(f"q |= {bits}")
        else:
            self._put("pass")
