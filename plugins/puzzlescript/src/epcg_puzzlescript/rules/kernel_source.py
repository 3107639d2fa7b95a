"""Source code of kernels for one game: its rules and planes written out, word by word.

A kernel plays every input in many positions. It differs from the interpreter (`plane_kernels`) in what is
known when it is written: which planes rules can change, which movements an input can lead to, and so which
rules can match at all. What the planes hold stays in local variables, so the compiler keeps it in registers.
Planes that no rule changes, the size of the board and how positions are packed are read from an array
(`level_data` writes it), so one kernel serves all levels of a game with as many words.

Whatever is rare is not written out: matches that share cells where the order counts, several matches of a
rule of several rows, objects of a layer that aim at the same cell, groups that run into their limit,
'restart', 'rigid'. Then the kernel marks the position, and the interpreter plays it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_

import attrs

from epcg_puzzlescript.language.elementary import ALL, LAYER_BITS, Pattern, Rule, RuleRow
from epcg_puzzlescript.language.game import Game, Group, Mask, RuleList, WinCondition
from epcg_puzzlescript.rules import columns as at
from epcg_puzzlescript.rules.changes import Changes, bits_of
from epcg_puzzlescript.rules.turn import MOST_AGAIN, MOST_PASSES

MOST_WORDS = 8
"""Boards of more words are left to the interpreter."""
MOST_STATEMENTS = 12_000
"""Longer kernels, in operations on words, are not written: they take too long to compile."""
MOVEMENTS = (0, 2, 1, 3, 4)
"""The movement of each input."""
Words = list[str]
"""The names of the words of a plane."""


class TooLongError(Exception):
    """A game for which no kernel is written; the message says why."""


@attrs.frozen
class _Effect:
    """What a rule does to one of its cells: planes by name."""

    sets: tuple[str, ...]
    clears: tuple[str, ...]


def movements_of(rules: RuleList, start: int) -> int:
    """Return the movements (bits as in `Pattern.moves`) that a turn can have if it begins with `start`."""
    found = start
    while True:
        more = found
        for rule in (rule for group in rules.groups for rule in group.rules):
            if all(not pattern.moves & ~found for pattern in rule.patterns):
                more |= reduce(or_, (p.replacement.moves_set for p in rule.patterns if p.replacement), 0)
        if more == found:
            return found
        found = more


class KernelSource:
    """The source of a game's kernel for boards of a number of words.

    Raises TooLongError if the game is not one for a kernel.
    """

    def __init__(self, game: Game, words: int, changes: Changes) -> None:
        if words > MOST_WORDS:
            raise TooLongError(f"the board takes more than {MOST_WORDS} words")
        if game.draws:
            raise TooLongError("rules draw random numbers")
        self.game, self.words = game, words
        self.changes = changes
        self.changing = bits_of(self.changes.objects) or [0]
        self.inputs = 4 if game.says("noaction") else 5
        self._layers = [sum(1 << number for number in numbers) for numbers in game.layers]
        self._lines: list[str] = []
        self._depth = 0
        self._names = 0
        self._statements = 0
        self._moves = 0
        rules = [r for part in (game.normal, game.late) for g in part.groups for r in g.rules]
        self._commands = {command for rule in rules for command in rule.commands}
        self._used = self._static_objects(rules)
        self.statics = [number for number in bits_of(self._used) if number not in self.changing]
        self.text = self._written()

    def _static_objects(self, rules: Iterable[Rule]) -> int:
        """Return the objects whose planes the kernel reads."""
        found = self.game.player.bits
        for rule in rules:
            for pattern in rule.patterns:
                found |= reduce(or_, pattern.any_of, pattern.required | pattern.forbidden)
        for condition in self.game.conditions:
            found |= condition.what.bits | (condition.on.bits if condition.on else 0)
        for mask in self._layers:  # what lies in the way
            if mask & self.changes.objects:
                found |= mask
        return found

    # writing

    def _put(self, line: str, cost: int = 1) -> None:
        self._lines.append("    " * self._depth + line)
        self._statements += cost
        if self._statements > MOST_STATEMENTS:
            raise TooLongError("its rules are too many for a kernel of its own")

    def _new(self) -> str:
        self._names += 1
        return f"t{self._names}"

    def _let(self, expressions: Sequence[str]) -> Words:
        """Assign a new variable for each word."""
        name = self._new()
        found = [f"{name}_{w}" for w in range(self.words)]
        for variable, expression in zip(found, expressions, strict=True):
            self._put(f"{variable} = {expression}", 1 + sum(map(expression.count, "&|<>~")))
        return found

    def _plane(self, name: str) -> Words:
        return [f"{name}_{w}" for w in range(self.words)]

    def _some(self, plane: Words) -> str:
        return "(" + " | ".join(plane) + ")"

    def _joined(self, operator: str, planes: Sequence[Words]) -> Words:
        return [f" {operator} ".join(plane[w] for plane in planes) for w in range(self.words)]

    def _shifted(self, plane: Words, direction: int) -> Words:
        """Return expressions of a plane after one step: 0 up, 1 down, 2 left, 3 right."""
        last = self.words - 1
        by, over = ("1", "63") if direction < 2 else ("s", "t")
        if direction in (1, 3):
            return [
                f"({x} << {by})" + (f" | ({plane[w - 1]} >> {over})" if w else "")
                for w, x in enumerate(plane)
            ]
        return [
            f"({x} >> {by})" + (f" | ({plane[w + 1]} << {over})" if w < last else "")
            for w, x in enumerate(plane)
        ]

    def _step(self, plane: Words, direction: int) -> Words:
        return self._let(self._shifted(plane, direction))

    def object(self, number: int) -> str:
        """Return the name of an object's plane."""
        return f"p{number}" if number in self.changing else f"c{number}"

    def _objects(self, mask: int) -> list[Words]:
        return [self._plane(self.object(number)) for number in bits_of(mask)]

    def _movements(self, mask: int) -> list[Words]:
        return [self._plane(f"m{bit}") for bit in bits_of(mask & self._moves)]

    # functions

    def _written(self) -> str:
        late = bool(self.game.late.groups)
        self._lines.append(f'"""Kernels for {self.game.identity[:16]}, {self.words} words."""')
        if late:
            self._late()
        for given in range(self.inputs):
            self._turn(f"turn_{given}", MOVEMENTS[given])
        if "again" in self._commands:
            self._turn("turn_tick", None)
        self._won()
        self._main()
        return "\n".join(self._lines) + "\n"

    def _constants(self) -> list[str]:
        planes = [f"c{number}" for number in self.statics]
        return ["s", "t", *self._plane("v"), *(word for name in planes for word in self._plane(name))]

    def _state(self, prefix: str = "p") -> list[str]:
        return [word for number in self.changing for word in self._plane(f"{prefix}{number}")]

    def _begin(self, name: str, arguments: Sequence[str]) -> None:
        self._lines += ["", f"def {name}({', '.join(arguments)}):"]
        self._depth = 1

    def _bail(self) -> None:
        self._put(f"return False, q, {', '.join(self._state())}")

    def _late(self) -> None:
        """Write the function of the late rules."""
        self._begin("late", [*self._constants(), "q", *self._state()])
        self._moves = 0
        self._list(self.game.late, late=True)
        self._put(f"return True, q, {', '.join(self._state())}")

    def _turn(self, name: str, given: int | None) -> None:
        """Write the function of a turn: (False, ...) if the interpreter must play it."""
        self._begin(name, [*self._constants(), *self._state()])
        self._put("q = 0")
        started = self._player_movement(given)
        self._moves = movements_of(self.game.normal, started)
        for bit in bits_of(self._moves & ~started):
            for word in self._plane(f"m{bit}"):
                self._put(f"{word} = 0")
        self._list(self.game.normal, late=False)
        for layer in range(len(self._layers)):
            if self._moves >> LAYER_BITS * layer & ALL:
                self._move(layer)
        if self.game.late.groups:
            state = ", ".join(self._state())
            self._put(f"ok, q, {state} = late({', '.join([*self._constants(), 'q', *self._state()])})")
            self._put("if not ok:")
            self._depth += 1
            self._bail()
            self._depth -= 1
        if given is not None and self.game.says("require_player_movement"):
            players = self._objects(self.game.player.bits)
            stayed = self._joined("|", players)
            gone = self._let([f"players_{w} & ~({each})" for w, each in enumerate(stayed)])
            # without a player nothing is undone
            self._put(f"if {self._some(self._plane('players'))} and not {self._some(gone)}:")
            self._put(f"    q = {at.CANCEL}")
        self._put(f"return True, q, {', '.join(self._state())}")

    def _player_movement(self, given: int | None) -> int:
        """Write the players' movement; return its bits."""
        if given is None:
            return 0
        player, found = self.game.player, 0
        holders = self._joined("&" if player.whole else "|", self._objects(player.bits))
        for word, expression in zip(self._plane("players"), holders, strict=True):
            self._put(f"{word} = {expression}")
        moving: dict[int, list[Words]] = {}
        for number in bits_of(player.bits):
            bit = LAYER_BITS * self.game.objects[number].layer + given
            moving.setdefault(bit, []).append(self._plane(self.object(number)))
            found |= 1 << bit
        for bit, planes in moving.items():
            for w, expression in enumerate(self._joined("|", planes)):
                self._put(f"m{bit}_{w} = players_{w} & ({expression})")
        return found

    # rules

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
        if not any(effect.sets or effect.clears for each in effects for effect in each) and not any(
            rule.rigid for rule in rules
        ):
            for rule, each in zip(rules, effects, strict=True):
                self._rule(rule, each)
            return
        passes = self._new()
        self._put(f"{passes} = 0")
        self._put("while True:")
        self._depth += 1
        self._put("passed = False")
        for rule, each in zip(rules, effects, strict=True):
            self._rule(rule, each)
        self._put("if not passed:")
        self._put("    break")
        if in_list_with_loops:
            self._put("changed = True")
        self._put(f"{passes} += 1")
        self._put(f"if {passes} >= {MOST_PASSES}:")
        self._depth += 1
        self._bail()
        self._depth -= 2

    def _effects(self, rule: Rule, late: bool) -> list[_Effect]:
        """Return what a rule does to each of its cells; reduced to what can differ in rules of one row."""
        found = []
        for pattern in rule.patterns:
            what = pattern.replacement
            if what is None:
                found.append(_Effect((), ()))
                continue
            put, clear = what.set, what.clear & ~what.set
            moves_set, moves_clear = what.moves_set, what.moves_clear & ~what.moves_set
            if len(rule.rows) == 1:
                put, clear = put & ~pattern.required, self.changes.cleared(pattern)
                moves_set &= ~pattern.moves
            if late:
                moves_set = moves_clear = 0
            put, clear = put & self.changes.objects, clear & self.changes.objects
            moves_set, moves_clear = moves_set & self._moves, moves_clear & self._moves
            found.append(
                _Effect(
                    (*(f"p{n}" for n in bits_of(put)), *(f"m{n}" for n in bits_of(moves_set))),
                    (*(f"p{n}" for n in bits_of(clear)), *(f"m{n}" for n in bits_of(moves_clear))),
                )
            )
        return found

    def _cell(self, pattern: Pattern) -> Words:
        """Return expressions of the places where a cell of a rule matches."""
        needed = [*self._movements(pattern.moves), *self._objects(pattern.required)]
        for mask in pattern.any_of:
            needed.append([f"({each})" for each in self._joined("|", self._objects(mask))])
        without = [*self._movements(pattern.still), *self._objects(pattern.forbidden)]
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

    def _rule(self, rule: Rule, effects: list[_Effect]) -> None:
        """Write one application of a rule."""
        acts = rule.rigid or any(effect.sets or effect.clears for effect in effects)
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
        if self._apply(rule, effects, matches, direction):
            self._enqueue(rule.commands)
        self._depth = depth

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
        more = self._let([f"({each}) & v_{w} & ~{found[w]}" for w, each in enumerate(moved)])
        self._put(f"if not {self._some(more)}:")
        self._put("    break")
        for word, new in zip(found, more, strict=True):
            self._put(f"{word} |= {new}")
        self._depth -= 1
        return found

    def _apply(self, rule: Rule, effects: list[_Effect], matches: list[list[Words]], direction: int) -> bool:
        """Write what a rule does where it matches; return False if the interpreter does it."""
        cells = iter(effects)
        rows = [[[next(cells) for _ in part] for part in row.parts] for row in rule.rows]
        acting = [
            number for number, row in enumerate(rows)
            if any(effect.sets or effect.clears for part in row for effect in part)
        ]  # fmt: skip
        if rule.rigid or any(len(row.parts) > 2 for row in rule.rows):
            self._bail()
            return False
        if not acting:
            return True
        written = {name for effect in effects for name in (*effect.sets, *effect.clears)}
        tested = {
            name for number, row in enumerate(rule.rows) if number not in acting
            for part in row.parts for pattern in part for name in self._tested(pattern)
        }  # fmt: skip
        simple = len(acting) == 1 and len(rows[acting[0]]) == 1 and not written & tested
        if simple:
            number = acting[0]
            starts = matches[number][0]
            if self._order_counts(rule.rows[number].parts[0], rows[number][0]):
                self._bail_if_shared(starts, len(rows[number][0]), direction)
        else:
            for parts in matches:
                for part in parts:
                    self._bail_if_several(part)
        for number in acting:
            for each, here in zip(rows[number], matches[number], strict=True):
                for j, effect in enumerate(each):
                    if j:
                        here = self._step(here, direction)
                    self._replace(effect, here)
        return True

    def _tested(self, pattern: Pattern) -> set[str]:
        """Return the planes that a cell of a rule looks at."""
        things = reduce(or_, pattern.any_of, pattern.required | pattern.forbidden)
        moves = (pattern.moves | pattern.still) & self._moves
        return {self.object(n) for n in bits_of(things)} | {f"m{n}" for n in bits_of(moves)}

    def _order_counts(self, part: Sequence[Pattern], effects: Sequence[_Effect]) -> bool:
        """Return whether matches that share cells must be applied one after the other."""
        if len(part) == 1:
            return False
        sets = {name for effect in effects for name in effect.sets}
        clears = {name for effect in effects for name in effect.clears}
        wanted: set[str] = set()
        unwanted: set[str] = set()
        for pattern in part:
            things = reduce(or_, pattern.any_of, pattern.required)
            wanted |= {self.object(n) for n in bits_of(things)}
            wanted |= {f"m{n}" for n in bits_of(pattern.moves & self._moves)}
            unwanted |= {self.object(n) for n in bits_of(pattern.forbidden)}
            unwanted |= {f"m{n}" for n in bits_of(pattern.still & self._moves)}
        return bool(sets & unwanted or clears & wanted or sets & clears)

    def _bail_if_shared(self, starts: Words, count: int, direction: int) -> None:
        here, shared = starts, []
        for _ in range(1, count):
            here = self._step(here, direction)
            shared.append([f"({a} & {b})" for a, b in zip(here, starts, strict=True)])
        self._put(f"if {self._some([each for plane in shared for each in plane])}:", 2 * len(shared))
        self._depth += 1
        self._bail()
        self._depth -= 1

    def _bail_if_several(self, plane: Words) -> None:
        """Write that the interpreter plays if a plane has more than one bit."""
        several = [f"({x} & ({x} - 1))" for x in plane]
        several += [f"({a} and {b})" for i, a in enumerate(plane) for b in plane[i + 1 :]]
        self._put(f"if {' or '.join(several)}:", 2 * len(several))
        self._depth += 1
        self._bail()
        self._depth -= 1

    def _replace(self, effect: _Effect, here: Words) -> None:
        for name in effect.clears:
            plane = self._plane(name)
            self._put(f"if {self._some([f'({a} & {b})' for a, b in zip(plane, here, strict=True)])}:", 2)
            self._put("    passed = True")
            for word, mask in zip(plane, here, strict=True):
                self._put(f"    {word} &= ~{mask}", 2)
        for name in effect.sets:
            plane = self._plane(name)
            self._put(f"if {self._some([f'({b} & ~{a})' for a, b in zip(plane, here, strict=True)])}:", 2)
            self._put("    passed = True")
            for word, mask in zip(plane, here, strict=True):
                self._put(f"    {word} |= {mask}")

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

    # movement

    def _move(self, layer: int) -> None:
        """Write the movement of a layer, all at once."""
        moving = {d: self._plane(f"m{LAYER_BITS * layer + d}") for d in range(LAYER_BITS)
                  if self._moves >> (LAYER_BITS * layer + d) & 1}  # fmt: skip
        things = self._objects(self._layers[layer])
        if not things:
            return
        some = " | ".join(word for plane in moving.values() for word in plane)
        self._put(f"if {some}:")
        self._depth += 1
        taken = self._joined("|", things)
        free = self._let([f"v_{w} & ~({each})" for w, each in enumerate(taken)])
        conflicts: list[Words] = []
        planes = list(moving.items())
        for number, (d, plane) in enumerate(planes):
            conflicts += [self._joined("&", [plane, other]) for _, other in planes[:number]]
            if d < 4:
                conflicts.append(self._joined("&", [plane, free]))
        aimed: list[Words] = []
        for d, plane in planes:
            if d < 4 and len(planes) > 1:
                target = self._step(plane, d)
                conflicts += [
                    [f"{a} & {b} & v_{w}" for w, (a, b) in enumerate(zip(target, other, strict=True))]
                    for other in aimed
                ]
                aimed.append(target)
        if conflicts:
            texts = [f"({each})" for plane in conflicts for each in plane]
            self._put(f"if {' | '.join(texts)}:", 2 * len(texts))
            self._depth += 1
            self._bail()
            self._depth -= 1
        steps = [(d, plane) for d, plane in planes if d < 4]
        changing = [self._plane(f"p{n}") for n in self.game.layers[layer] if n in self.changing]
        if steps:
            self._steps(steps, changing, free)
        else:
            self._put("pass")
        self._depth -= 1

    def _steps(self, steps: list[tuple[int, Words]], things: list[Words], free: Words) -> None:
        """Write the passes of the movement of a layer."""
        self._put("while True:")
        self._depth += 1
        self._put("moved = False")
        for d, plane in steps:
            back = self._shifted(free, d ^ 1)
            can = self._let([f"{a} & ({b})" for a, b in zip(plane, back, strict=True)])
            self._put(f"if {self._some(can)}:")
            self._depth += 1
            self._put("moved = True")
            for thing in things:
                here = self._let(self._joined("&", [thing, can]))
                for word, a, b in zip(thing, here, self._shifted(here, d), strict=True):
                    self._put(f"{word} = ({word} & ~{a}) | {b}", 4)
            for word, mask in zip(plane, can, strict=True):
                self._put(f"{word} &= ~{mask}", 2)
            for word, mask, after in zip(free, can, self._shifted(can, d), strict=True):
                self._put(f"{word} = ({word} | {mask}) & ~({after})", 4)
            self._depth -= 1
        self._put("if not moved:")
        self._put("    break")
        self._depth -= 1

    # moves

    def _holders(self, mask: Mask) -> Words:
        return [f"({each})" for each in self._joined("&" if mask.whole else "|", self._objects(mask.bits))]

    def _condition(self, condition: WinCondition) -> str:
        what = self._holders(condition.what)
        if condition.on is None:
            return self._some(what) if condition.quantifier != "all" else "0"
        on = self._holders(condition.on)
        sign = "~" if condition.quantifier == "all" else ""
        return self._some([f"({a} & {sign}{b})" for a, b in zip(what, on, strict=True)])

    def _won(self) -> None:
        """Write the function that tests whether a level is won."""
        self._begin("won", [*self._constants(), *self._state()])
        for condition in self.game.conditions:
            self._put(
                f"if {self._condition(condition)} {'==' if condition.quantifier == 'some' else '!='} 0:"
            )
            self._put("    return False")
        self._put(f"return {bool(self.game.conditions)}")

    def _main(self) -> None:
        """Write the kernel: every input in every position."""
        arguments = ["level", "positions", "found", "counts", "actions", "room"]
        arguments = [f"{name}: {'bytes' if name == 'actions' else 'words'}" for name in arguments]
        arguments.append("count")
        self._begin("expand", arguments)
        self._read_level()
        self._put("total = 0")
        self._put("at = 0")
        self._put("for n in range(count):")
        self._depth += 1
        self._read_position()
        self._put("before = total")
        self._put("ok = True")
        for given in range(self.inputs):
            self._put("if ok:")
            self._depth += 1
            self._input(given)
            self._depth -= 1
        self._put("if ok:")
        self._put("    counts[n] = total - before")
        self._put("else:")
        self._put("    counts[n] = -1")
        self._put("    total = before")
        self._depth -= 1
        self._put("return total")

    def _read_level(self) -> None:
        """Write what is read from the array `level`; see `level_data`."""
        for number, name in enumerate(["s", "won_word", "won_bit", "size", *self._constants()[2:]]):
            self._put(f"{name} = level[{number}]")
        self._put("t = 64 - s")
        self._put("row = size")
        first = 4 + len(self._constants()) - 2
        fields = 4 + self.words
        for number, thing in enumerate(self.changing):
            base = first + number * fields
            self._put(f"k{thing} = level[{base}]")
            self._put(f"w{thing} = level[{base + 1}]")
            self._put(f"h{thing} = level[{base + 2}]")
            self._put(f"f{thing} = level[{base + 3}]")
            for w in range(self.words):
                self._put(f"x{thing}_{w} = level[{base + 4 + w}]")

    def _read_position(self) -> None:
        self._put("for i in range(row):")
        self._put(f"    room[i + {self.words}] = positions[at + i]")
        self._put("at += row")
        for thing in self.changing:
            self._put(f"if k{thing} == 0:")
            for w in range(self.words):
                low, high = f"room[w{thing} + {w}]", f"room[w{thing} + {w + 1}]"
                self._put(
                    f"    p{thing}_{w} = ((({low} >> h{thing}) | (({high} << 1) << (63 - h{thing})))) "
                    f"& x{thing}_{w}", 6,
                )  # fmt: skip
            self._put("else:")
            self._put(
                f"    u = (((room[w{thing}] >> h{thing}) | ((room[w{thing} + 1] << 1) << (63 - h{thing}))) "
                f"& k{thing}) + f{thing}", 6,
            )  # fmt: skip
            for w in range(self.words):
                bit = "1 << (u & 63)"
                if self.words > 1:
                    bit = f"({bit}) if u >> 6 == {w} else 0"
                self._put(f"    p{thing}_{w} = {bit}", 3)

    def _input(self, given: int) -> None:
        """Write a move: an input, and the ticks that follow it."""
        constants, after = self._constants(), self._state("n")
        self._put(f"ok, q, {', '.join(after)} = turn_{given}({', '.join([*constants, *self._state()])})")
        stop = {"cancel"} & self._commands or self.game.says("require_player_movement")
        if "restart" in self._commands:
            self._put(f"if q & {at.RESTART}:")
            self._put("    ok = False")
        self._put(f"if ok and not q & {at.CANCEL}:" if stop else "if ok:")
        self._depth += 1
        self._put(f"differs = {self._differs(after, self._state())}")
        won = "win" in self._commands
        wins = f"won({', '.join([*constants, *after])})"
        self._put(f"wins = q & {at.WIN} != 0 or {wins}" if won else f"wins = {wins}")
        if "again" in self._commands:
            self._ticks(wins, won)
        self._put("if ok and (wins or differs):")
        self._depth += 1
        self._emit(given)
        self._depth -= 2

    def _differs(self, after: Sequence[str], before: Sequence[str]) -> str:
        return "(" + " | ".join(f"({a} ^ {b})" for a, b in zip(after, before, strict=True)) + ") != 0"

    def _ticks(self, wins: str, won: bool) -> None:
        after, tick = self._state("n"), self._state("y")
        self._put(f"again = differs and q & {at.AGAIN} != 0 and not wins")
        self._put("ticks = 0")
        self._put("while again:")
        self._depth += 1
        self._put(f"ok, q, {', '.join(tick)} = turn_tick({', '.join([*self._constants(), *after])})")
        self._put("ticks += 1")
        rest = f" or q & {at.RESTART}" if "restart" in self._commands else ""
        self._put(f"if not ok or ticks > {MOST_AGAIN}{rest}:")
        self._put("    ok = False")
        self._put("    break")
        if "cancel" in self._commands:
            self._put(f"if q & {at.CANCEL}:")
            self._put("    break")
        self._put(f"again = {self._differs(tick, after)}")
        self._put(f"if not again{f' and not q & {at.WIN}' if won else ''}:")
        self._put("    break")
        for a, b in zip(after, tick, strict=True):
            self._put(f"{a} = {b}")
        self._put(f"wins = q & {at.WIN} != 0 or {wins}" if won else f"wins = {wins}")
        self._put(f"again = again and q & {at.AGAIN} != 0 and not wins")
        self._depth -= 1
        self._put(f"differs = {self._differs(after, self._state())}")

    def _emit(self, given: int) -> None:
        """Write a successor as a row."""
        words = self.words
        self._put(f"for i in range(row + {2 * words + 1}):")
        self._put("    room[i] = 0")
        for thing in self.changing:
            self._put(f"if k{thing} == 0:")
            for w in range(words):
                self._put(f"    room[w{thing} + {w}] |= n{thing}_{w} << h{thing}", 2)
                self._put(f"    room[w{thing} + {w + 1}] |= (n{thing}_{w} >> 1) >> (63 - h{thing})", 3)
            self._put("else:")
            self._put("    u = 0")
            for w in range(words):
                self._put(f"    if n{thing}_{w}:")
                self._put(f"        u = lowest(n{thing}_{w}) + {64 * w}")
            self._put(f"    u -= f{thing}")
            self._put(f"    room[w{thing}] |= u << h{thing}", 2)
            self._put(f"    room[w{thing} + 1] |= (u >> 1) >> (63 - h{thing})", 3)
        self._put("if wins:")
        self._put(f"    room[won_word + {words}] |= won_bit")
        self._put("for i in range(row):")
        self._put(f"    found[total * row + i] = room[i + {words}]")
        self._put(f"actions[total] = {given}")
        self._put("total += 1")
