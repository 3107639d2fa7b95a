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
from epcg_puzzlescript.rules.function_writer import FunctionWriter
from epcg_puzzlescript.rules.plane_writer import TooLongError, Words
from epcg_puzzlescript.rules.row_kernels import FIELD_SIZE
from epcg_puzzlescript.rules.turn import INPUTS, MOST_AGAIN, TICK, input_numbers

MOST_WORDS = 8
"""Planes of more words are not kept in variables."""
LEFT = 8
"""From this bit of a position's count on: the inputs, as bits, that the interpreter must play."""
LEVEL_HEAD = 4
"""The numbers before the planes of `level_data`."""
MOVEMENTS = (0, 2, 1, 3, 4)
"""The movement of each input but the tick."""
TICK_NUMBER = INPUTS.index(TICK)


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


def _turn_of(given: int) -> str:
    """Return the name of the function of an input's turn."""
    return "turn_tick" if given == TICK_NUMBER else f"turn_{given}"


class KernelSource(FunctionWriter):
    """The source of a game's kernel for boards of a number of words.

    Planes are named by a letter and the number of an object: p for a position that is expanded, n for what
    a turn makes of it, y for what a tick does, c for an object that never changes; and m for a movement.
    Raises TooLongError if the game is not one for a kernel.
    """

    room = 0
    """The words of room that it works in, beside those of a row."""
    table: Sequence[int] = ()
    """Numbers that it reads behind those of `level_data`."""
    most_words = MOST_WORDS
    before, after = "p", "n"
    """The letters of the planes of a position that is expanded, and of a successor."""

    def __init__(self, game: Game, words: int, changes: Changes) -> None:
        super().__init__(game, words, changes)
        if words > self.most_words:
            raise TooLongError(f"the board takes more than {self.most_words} words")
        if game.draws:
            raise TooLongError("rules draw random numbers")
        if game.keeps_checkpoints:
            raise TooLongError("restarts go back to checkpoints")
        self.inputs = input_numbers(game)
        self.ticks = TICK_NUMBER in self.inputs or "again" in self._commands
        """Whether turns without an input are played."""
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
        if late:
            self._late()
        for given in self.inputs:
            if given != TICK_NUMBER:
                self._turn(_turn_of(given), MOVEMENTS[given])
        if self.ticks:
            self._turn(_turn_of(TICK_NUMBER), None)
        self._won()
        self._main()
        return self._whole()

    def _whole(self) -> str:
        """Return the source of all functions."""
        title = f'"""Kernels for {self.game.identity[:16]}, {self.words} words."""'
        return "\n".join([title, *self._shared_lines, *self._lines]) + "\n"

    def _bail(self) -> None:
        if self._sharing:
            super()._bail()
        else:
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
            self._clear(self._plane(f"m{bit}"))
        for layer in self._rigid_layers():
            self._clear(self._plane(f"r{layer}"))
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
            self._undone()
        self._put(f"return True, q, {', '.join(self._state())}")

    def _player_movement(self, given: int | None) -> int:
        """Write the players' movement; return its bits."""
        if given is None:
            return 0
        self._write_players()
        moving = self._moving(given)
        self._write_moving(moving)
        return sum(1 << bit for bit in moving)

    def _write_players(self) -> None:
        self._assign(self._plane("players"), self._holders(self.game.player))

    def _moving(self, given: int) -> dict[int, int]:
        """Return which movements an input begins, and the objects that get each."""
        found: dict[int, int] = {}
        for number in bits_of(self.game.player.bits):
            bit = LAYER_BITS * self.game.objects[number].layer + given
            found[bit] = found.get(bit, 0) | 1 << number
        return found

    def _write_moving(self, moving: dict[int, int]) -> None:
        players = self._plane("players")
        for bit, mask in moving.items():
            there = zip(players, self._any(mask), strict=True)
            self._assign(self._plane(f"m{bit}"), [f"{player} & {each}" for player, each in there])

    def _undone(self) -> None:
        """Write that an input counts as not made if players were there, and none left its cell."""
        stayed = self._any(self.game.player.bits)
        players = self._plane("players")
        gone = self._let([f"{a} & ~{b}" for a, b in zip(players, stayed, strict=True)])
        self._put(f"if {self._some(players)} and not {self._some(gone)}:")
        self._put(f"    q = {at.CANCEL}")

    # moves

    def _holders(self, mask: Mask) -> Words:
        if not mask.whole:
            return self._any(mask.bits)
        return [f"({each})" for each in self._joined("&", self._objects(mask.bits))]

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
        self._inputs()
        self._put(f"counts[n] = total - before | left << {LEFT}")
        self._depth -= 1
        self._put("return total")

    def _inputs(self) -> None:
        """Write what all inputs make of a position; `left` tells which ones the interpreter must play."""
        for given in self.inputs:
            self._input(given)
            self._put("if not ok:")
            self._put(f"    left |= {1 << given}")

    def _read_level(self) -> None:
        """Write what is read from the array `level`; see `level_data`."""
        for number, name in enumerate(["s", "won_word", "won_bit", "row", *self._constants()[2:]]):
            self._put(f"{name} = level[{number}]")
        self._put("t = 64 - s")
        first = LEVEL_HEAD + len(self._constants()) - 2
        fields = FIELD_SIZE + self.words
        for number, thing in enumerate(self.changing):
            base = first + number * fields
            self._put(f"k{thing} = level[{base}]")
            self._put(f"w{thing} = level[{base + 1}]")
            self._put(f"h{thing} = level[{base + 2}]")
            self._put(f"f{thing} = level[{base + 3}]")
            for w in range(self.words):
                self._put(f"x{thing}_{w} = level[{base + 4 + w}]")

    def _read_position(self) -> None:
        """Write how a position becomes planes."""
        self._put("for i in range(row):")
        self._put(f"    room[i + {self.words}] = positions[at + i]")
        self._put("at += row")
        for thing in self.changing:
            plane = self._plane(f"{self.before}{thing}")
            self._put(f"if k{thing} == 0:")
            for w, word in enumerate(plane):
                low, high = (f"room[w{thing} + {place}]" for place in (w, w + 1))
                self._put(
                    f"    {word} = ((({low} >> h{thing}) | (({high} << 1) << (63 - h{thing})))) "
                    f"& x{thing}_{w}", 6,
                )  # fmt: skip
            self._put("else:")
            low, high = (f"room[w{thing} + {place}]" for place in (0, 1))
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
        self._move_from(self._call(_turn_of(given), self.before, self.after), str(given))

    def _move_from(self, call: str, given: str) -> None:
        """Write what comes of the `call` of an input's turn: ticks, and the successor if there is one."""
        self._put(call)
        stop = {"cancel"} & self._commands or self.game.says("require_player_movement")
        if "restart" in self._commands:
            self._put(f"if q & {at.RESTART}:")
            self._put("    ok = False")
        self._put(f"if ok and not q & {at.CANCEL}:" if stop else "if ok:")
        self._depth += 1
        self._put(f"differs = {self._differs(self.after, self.before)}")
        win = "win" in self._commands
        wins = f"wins = q & {at.WIN} != 0 or {self._winning()}" if win else f"wins = {self._winning()}"
        self._put(wins)
        if "again" in self._commands:
            self._ticks(wins, win)
        self._put("if ok and (wins or differs):")
        self._depth += 1
        self._emit(given)
        self._depth -= 2

    def _call(self, turn: str, before: str, after: str) -> str:
        """Return the call of a turn that makes planes of one letter of those of another."""
        arguments = ", ".join([*self._constants(), *self._state(before)])
        return f"ok, q, {', '.join(self._state(after))} = {turn}({arguments})"

    def _winning(self) -> str:
        """Return the call that tells whether a successor is won."""
        return f"won({', '.join([*self._constants(), *self._state(self.after)])})"

    def _differs(self, after: str, before: str) -> str:
        """Return an expression for whether planes of two letters differ; write what it needs."""
        words = zip(self._state(after), self._state(before), strict=True)
        return "(" + " | ".join(f"({a} ^ {b})" for a, b in words) + ") != 0"

    def _copy(self, target: str, source: str) -> None:
        """Write that planes of one letter become those of another."""
        for a, b in zip(self._state(target), self._state(source), strict=True):
            self._put(f"{a} = {b}")

    def _ticks(self, wins: str, win: bool) -> None:
        self._put(f"again = differs and q & {at.AGAIN} != 0 and not wins")
        self._put("ticks = 0")
        self._put("while again:")
        self._depth += 1
        self._tick()
        self._put("ticks += 1")
        rest = f" or q & {at.RESTART}" if "restart" in self._commands else ""
        self._put(f"if not ok or ticks > {MOST_AGAIN}{rest}:")
        self._put("    ok = False")
        self._put("    break")
        if "cancel" in self._commands:
            self._put(f"if q & {at.CANCEL}:")
            self._depth += 1
            self._take_back_tick()
            self._put("break")
            self._depth -= 1
        self._put(f"again = {self._differs('y', self.after)}")
        self._put(f"if not again{f' and not q & {at.WIN}' if win else ''}:")
        self._put("    break")
        self._take_tick()
        self._put(wins)
        self._put(f"again = again and q & {at.AGAIN} != 0 and not wins")
        self._depth -= 1
        self._put(f"differs = {self._differs(self.after, self.before)}")

    def _tick(self) -> None:
        """Write a tick of a successor; planes y have what it makes, or what was before."""
        self._put(self._call(_turn_of(TICK_NUMBER), self.after, "y"))

    def _take_tick(self) -> None:
        """Write that what a tick made is the successor."""
        self._copy(self.after, "y")

    def _take_back_tick(self) -> None:
        """Write that a tick was not made."""

    def _emit(self, given: str) -> None:
        """Write a successor as a row, which is made in `room`."""
        words = self.words
        self._put(f"for i in range(row + {2 * words + 1}):")
        self._put("    room[i] = 0")
        for thing in self.changing:
            plane = self._plane(f"{self.after}{thing}")
            self._put(f"if k{thing} == 0:")
            for w, word in enumerate(plane):
                self._put(f"    room[w{thing} + {w}] |= {word} << h{thing}", 2)
                self._put(f"    room[w{thing} + {w + 1}] |= ({word} >> 1) >> (63 - h{thing})", 3)
            self._put("else:")
            self._put("    u = 0")
            for w, word in enumerate(plane):
                self._put(f"    if {word}:")
                self._put(f"        u = lowest({word}) + {64 * w}")
            self._put(f"    u -= f{thing}")
            self._put(f"    room[w{thing}] |= u << h{thing}", 2)
            self._put(f"    room[w{thing} + 1] |= (u >> 1) >> (63 - h{thing})", 3)
        self._row_made(given)

    def _row_made(self, given: str, scratch: int = 0) -> None:
        """Write that a row, made in `room` from `scratch` on, is a successor."""
        self._put("if wins:")
        self._put(f"    room[won_word + {scratch + self.words}] |= won_bit")
        self._put("for i in range(row):")
        self._put(f"    found[total * row + i] = room[i + {scratch + self.words}]")
        self._put(f"actions[total] = {given}")
        self._put("total += 1")
