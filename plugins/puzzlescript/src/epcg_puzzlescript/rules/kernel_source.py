"""Source code of kernels for one game: its rules and planes written out, word by word.

A kernel plays every input in many positions. It differs from the interpreter (`plane_kernels`) in what is
known when it is written: which planes rules can change, which movements an input can lead to, and so which
rules can match at all. What the planes hold stays in local variables, so the compiler keeps it in registers.
Planes that no rule changes, the size of the board and how positions are packed are read from an array
(`level_data` writes it), so one kernel serves all levels of a game with as many words.

Whatever is rare is not written out (see `rule_writer`): the kernel marks the input, and the interpreter plays
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

from epcg_puzzlescript.language.elementary import ALL, LAYER_BITS
from epcg_puzzlescript.language.game import Game, Mask, RuleList, WinCondition
from epcg_puzzlescript.rules import columns as at
from epcg_puzzlescript.rules.changes import Changes, bits_of
from epcg_puzzlescript.rules.plane_writer import TooLongError, Words
from epcg_puzzlescript.rules.rule_writer import RuleWriter
from epcg_puzzlescript.rules.turn import MOST_AGAIN

LEFT = 8
"""From this bit of a position's count on: the inputs, as bits, that the interpreter must play."""
MOVEMENTS = (0, 2, 1, 3, 4)
"""The movement of each input."""


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


class KernelSource(RuleWriter):
    """The source of a game's kernel for boards of a number of words.

    Raises TooLongError if the game is not one for a kernel.
    """

    room = 0
    """The words of room that it works in, beside those of a row."""

    def __init__(self, game: Game, words: int, changes: Changes) -> None:
        super().__init__(game, words, changes)
        if game.draws:
            raise TooLongError("rules draw random numbers")
        self.inputs = 4 if game.says("noaction") else 5
        self.statics = [number for number in bits_of(self._objects_read()) if number not in self.changing]
        self.text = self._written()

    def _objects_read(self) -> int:
        """Return the objects whose planes the kernel reads."""
        found = self.game.player.bits
        for rule in self._rules:
            for pattern in rule.patterns:
                found |= reduce(or_, pattern.any_of, pattern.required | pattern.forbidden)
        for condition in self.game.conditions:
            found |= condition.what.bits | (condition.on.bits if condition.on else 0)
        for mask in self._layers:  # what lies in the way
            if mask & self.changes.objects:
                found |= mask
        return found

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
            stayed = self._joined("|", self._objects(self.game.player.bits))
            players = self._plane("players")
            gone = self._let([f"{a} & ~({b})" for a, b in zip(players, stayed, strict=True)])
            # without a player nothing is undone
            self._put(f"if {self._some(players)} and not {self._some(gone)}:")
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
            moved = zip(
                self._plane(f"m{bit}"), self._plane("players"), self._joined("|", planes), strict=True
            )
            for word, player_word, expression in moved:
                self._put(f"{word} = {player_word} & ({expression})")
        return found

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
        self._put("left = 0")
        for given in range(self.inputs):
            self._input(given)
            self._put("if not ok:")
            self._put(f"    left |= {1 << given}")
        self._put(f"counts[n] = total - before | left << {LEFT}")
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

    def _read_position(self, prefix: str = "p", scratch: int = 0) -> None:
        """Write how a position becomes planes of these names; its row comes to `room` from `scratch` on."""
        self._put("for i in range(row):")
        self._put(f"    room[i + {scratch + self.words}] = positions[at + i]")
        self._put("at += row")
        for thing in self.changing:
            plane = self._plane(f"{prefix}{thing}")
            self._put(f"if k{thing} == 0:")
            for w, word in enumerate(plane):
                low, high = (f"room[w{thing} + {scratch + place}]" for place in (w, w + 1))
                self._put(
                    f"    {word} = ((({low} >> h{thing}) | (({high} << 1) << (63 - h{thing})))) "
                    f"& x{thing}_{w}", 6,
                )  # fmt: skip
            self._put("else:")
            low, high = (f"room[w{thing} + {scratch + place}]" for place in (0, 1))
            self._put(
                f"    u = ((({low} >> h{thing}) | (({high} << 1) << (63 - h{thing}))) & k{thing}) + f{thing}",
                6,
            )
            for w, word in enumerate(plane):
                bit = "1 << (u & 63)"
                if self.words > 1:
                    bit = f"({bit}) if u >> 6 == {w} else 0"
                self._put(f"    {word} = {bit}", 3)

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

    def _emit(self, given: int | str, prefix: str = "n", scratch: int = 0) -> None:
        """Write a successor as a row, from planes of these names; it is made in `room` from `scratch` on."""
        words = self.words
        self._put(f"for i in range(row + {2 * words + 1}):")
        self._put(f"    room[i + {scratch}] = 0")
        for thing in self.changing:
            plane = self._plane(f"{prefix}{thing}")
            self._put(f"if k{thing} == 0:")
            for w, word in enumerate(plane):
                self._put(f"    room[w{thing} + {scratch + w}] |= {word} << h{thing}", 2)
                self._put(f"    room[w{thing} + {scratch + w + 1}] |= ({word} >> 1) >> (63 - h{thing})", 3)
            self._put("else:")
            self._put("    u = 0")
            for w, word in enumerate(plane):
                self._put(f"    if {word}:")
                self._put(f"        u = lowest({word}) + {64 * w}")
            self._put(f"    u -= f{thing}")
            self._put(f"    room[w{thing} + {scratch}] |= u << h{thing}", 2)
            self._put(f"    room[w{thing} + {scratch + 1}] |= (u >> 1) >> (63 - h{thing})", 3)
        self._put("if wins:")
        self._put(f"    room[won_word + {scratch + words}] |= won_bit")
        self._put("for i in range(row):")
        self._put(f"    found[total * row + i] = room[i + {scratch + words}]")
        self._put(f"actions[total] = {given}")
        self._put("total += 1")
