"""Source code of a kernel for a large game: its rules are written out once, for all inputs.

The kernels of `kernel_source` have a turn for each input, and keep all planes in variables. A large game
would compile for minutes in that way. Here the planes lie in an array, each group of rules is a function, and
what rules need on the board is tested first, for all rules of a run that need it (`guards`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from epcg_puzzlescript.language.elementary import ALL, LAYER_BITS, Rule
from epcg_puzzlescript.language.game import RuleList
from epcg_puzzlescript.rules import columns as at
from epcg_puzzlescript.rules.changes import bits_of
from epcg_puzzlescript.rules.guards import guards_of, left_to_test
from epcg_puzzlescript.rules.kernel_source import LEFT, MOVEMENTS, KernelSource, movements_of
from epcg_puzzlescript.rules.plane_writer import Words
from epcg_puzzlescript.rules.rule_writer import Effect
from epcg_puzzlescript.rules.turn import MOST_AGAIN, MOST_PASSES

MOST_LARGE_STATEMENTS = 36_000
"""They take 8 to 10 CPU seconds to compile."""
_Needs = frozenset[tuple[str, ...]]
"""Names of planes: nothing matches if all planes of one list are empty."""
_TICK = 5
"""What a turn gets instead of a movement if there is no input."""
_SHARED = ["room: words", "s", "t"]


class LargeSource(KernelSource):
    """The source of a kernel that is called like that of `KernelSource`, with more room.

    Names of planes: p and a number for an object on the board, m for a movement, c for an object that never
    changes; o is the position that is expanded, y the board before a tick. Raises TooLongError.
    """

    most_statements = MOST_LARGE_STATEMENTS

    def _written(self) -> str:
        self._places: dict[str, int] = {}
        self._failure = ""
        start = self._starting()
        moves = movements_of(self.game.normal, sum(1 << bit for given in start for bit in start[given]))
        names = ["v", "players", *(f"c{n}" for n in self.statics), *(f"m{bit}" for bit in bits_of(moves))]
        names += [f"{prefix}{thing}" for prefix in "poy" for thing in self.changing]
        for name in names:
            self._places[name] = self.words * len(self._places)
        self.room = self.words * len(self._places)
        self._lines.append(f'"""Kernels for {self.game.identity[:16]}, {self.words} words."""')
        self._moves = moves
        normal = self._functions("normal", self.game.normal, late=False)
        layers = [n for n in range(len(self._layers)) if moves >> LAYER_BITS * n & ALL]
        for layer in layers:
            self._begin(f"move_{layer}", _SHARED)
            self._failure = "return 0"
            self._move(layer)
            self._put("return 1")
        self._moves = 0
        late = self._functions("late", self.game.late, late=True)
        self._moves = moves
        self._shared_turn(start, normal, layers, late)
        self._won()
        self._main()
        return "\n".join(self._lines) + "\n"

    def _plane(self, name: str) -> Words:
        place = self._places[name]
        return [f"room[{place + w}]" for w in range(self.words)]

    def _constants(self) -> list[str]:
        return ["s", "t", *self._plane("v"), *(word for n in self.statics for word in self._plane(f"c{n}"))]

    def _bail(self) -> None:
        self._put(self._failure)

    # rules

    def _functions(self, what: str, rules: RuleList, late: bool) -> list[tuple[str, _Needs]]:
        """Write a function for each group; return names and needs; the name is "" if nothing can match."""
        found: list[tuple[str, _Needs]] = []
        for number, group in enumerate(rules.groups):
            living = [rule for rule in group.rules if all(not p.moves & ~self._moves for p in rule.patterns)]
            if not living:
                found.append(("", frozenset()))
                continue
            name = f"{what}_{number}"
            self._begin(name, [*_SHARED, "q"])
            self._failure = "return 0, 0, q"
            self._put("changed = 0")
            self._group(group, late, in_list_with_loops=True)
            self._put("return 1, changed, q")
            found.append((name, frozenset.intersection(*map(self._needs, living))))
        return found

    def _rules_of(self, rules: Sequence[Rule], effects: Sequence[list[Effect]]) -> None:
        needs = [self._needs(rule) for rule in rules]
        guards = guards_of(needs, 2)
        left = left_to_test(needs, guards)
        ends: list[int] = []
        waiting = list(reversed(guards))
        depth = self._depth
        for number, (rule, each) in enumerate(zip(rules, effects, strict=True)):
            while ends and ends[-1] == number:
                ends.pop()
            self._depth = depth + len(ends)
            while waiting and waiting[-1].first == number:
                guard = waiting.pop()
                self._if_there(guard.needs)
                ends.append(guard.last)
            if len(rule.patterns) > 1 or self.words > 1:
                self._if_there(left[number])
            self._rule(rule, each)
        self._depth = depth

    def _needs(self, rule: Rule) -> _Needs:
        """Return names of planes: the rule cannot match if all planes of one list are empty."""
        found: set[tuple[str, ...]] = set()
        for pattern in rule.patterns:
            found.update((self.object(number),) for number in bits_of(pattern.required))
            found.update((f"m{bit}",) for bit in bits_of(pattern.moves))
            found.update(tuple(self.object(number) for number in bits_of(mask)) for mask in pattern.any_of)
        return frozenset(found)

    def _if_there(self, needs: Iterable[tuple[str, ...]]) -> None:
        """Write that what follows is for boards that have what is needed."""
        parts = [
            self._some([word for name in names for word in self._plane(name)]) for names in sorted(needs)
        ]
        if parts:
            self._put(f"if {' and '.join(parts)}:", len(parts) + sum(part.count("|") for part in parts))
            self._depth += 1
            self._put("pass", 0)

    def _run(self, rules: RuleList, functions: Sequence[tuple[str, _Needs]]) -> None:
        """Write calls of the groups of a list, with its loops."""
        first, last = dict(rules.loops), {last for _, last in rules.loops}
        if rules.loops:
            self._put("changed = 0")
            self._put("jumps = 0")
        edges = sorted({0, len(functions), *first, *(number + 1 for number in last)})
        for begin, end in pairwise(edges):
            if begin in first:
                self._put("while 1:")
                self._depth += 1
            self._calls(functions[begin:end], bool(rules.loops))
            if end - 1 in last:
                self._put("if not changed:")
                self._put("    break")
                self._put("changed = 0")
                self._put("jumps += 1")
                self._put(f"if jumps > {MOST_PASSES}:")
                self._put(f"    {self._failure}")
                self._depth -= 1

    def _calls(self, functions: Sequence[tuple[str, _Needs]], in_list_with_loops: bool) -> None:
        """Write calls of groups one after the other, of those only whose needs are on the board."""
        found = [(name, needs) for name, needs in functions if name]
        guards = guards_of([needs for _, needs in found], 1)
        ends: list[int] = []
        depth, waiting = self._depth, list(reversed(guards))
        for number, (name, _) in enumerate(found):
            while ends and ends[-1] == number:
                ends.pop()
            self._depth = depth + len(ends)
            while waiting and waiting[-1].first == number:
                guard = waiting.pop()
                self._if_there(guard.needs)
                ends.append(guard.last)
            self._put(f"ok, passed, q = {name}(room, s, t, q)")
            self._put("if not ok:")
            self._put(f"    {self._failure}")
            if in_list_with_loops:
                self._put("if passed:")
                self._put("    changed = 1")
        self._depth = depth

    # turns

    def _starting(self) -> dict[int, dict[int, int]]:
        """Return for each movement that an input begins: the objects that get each of its bits."""
        found: dict[int, dict[int, int]] = {}
        for given in MOVEMENTS[: self.inputs]:
            for number in bits_of(self.game.player.bits):
                bit = LAYER_BITS * self.game.objects[number].layer + given
                bits = found.setdefault(given, {})
                bits[bit] = bits.get(bit, 0) | 1 << number
        return found

    def _shared_turn(
        self, start: dict[int, dict[int, int]], normal: Sequence[tuple[str, _Needs]], layers: Sequence[int],
        late: Sequence[tuple[str, _Needs]],
    ) -> None:  # fmt: skip
        """Write the function of a turn of any input: 0 if the interpreter must play it, and the commands."""
        self._begin("turn", [*_SHARED, "given"])
        self._failure = "return 0, q"
        self._put("q = 0")
        for bit in bits_of(self._moves):
            for word in self._plane(f"m{bit}"):
                self._put(f"{word} = 0")
        players = self._plane("players")
        holders = self._joined("&" if self.game.player.whole else "|", self._objects(self.game.player.bits))
        for word, expression in zip(players, holders, strict=True):
            self._put(f"{word} = {expression}")
        for given, moved in start.items():
            self._put(f"if given == {given}:")
            self._depth += 1
            for bit, mask in moved.items():
                there = self._joined("|", self._objects(mask))
                for word, player, each in zip(self._plane(f"m{bit}"), players, there, strict=True):
                    self._put(f"{word} = {player} & ({each})")
            self._depth -= 1
        self._run(self.game.normal, normal)
        for layer in layers:
            moving = [word for d in range(LAYER_BITS) if self._moves >> (LAYER_BITS * layer + d) & 1
                      for word in self._plane(f"m{LAYER_BITS * layer + d}")]  # fmt: skip
            self._put(f"if {self._some(moving)}:", len(moving))
            self._put(f"    if not move_{layer}(room, s, t):")
            self._put(f"        {self._failure}")
        self._run(self.game.late, late)
        if self.game.says("require_player_movement"):
            stayed = self._joined("|", self._objects(self.game.player.bits))
            gone = self._let([f"{a} & ~({b})" for a, b in zip(players, stayed, strict=True)])
            # without a player nothing is undone
            self._put(f"if given != {_TICK} and {self._some(players)} != 0 and not {self._some(gone)}:")
            self._put(f"    q = {at.CANCEL}")
        self._put("return 1, q")

    def _won(self) -> None:
        """Write the function that tests whether a level is won."""
        self._begin("won", ["room: words"])
        for condition in self.game.conditions:
            sign = "==" if condition.quantifier == "some" else "!="
            self._put(f"if {self._condition(condition)} {sign} 0:")
            self._put("    return 0")
        self._put(f"return {int(bool(self.game.conditions))}")

    def _copy(self, target: str, source: str) -> None:
        for a, b in zip(self._state(target), self._state(source), strict=True):
            self._put(f"{a} = {b}")

    def _main(self) -> None:
        """Write the kernel: every input in every position."""
        names = ["level", "positions", "found", "counts", "actions", "room"]
        arguments = [f"{name}: {'bytes' if name == 'actions' else 'words'}" for name in names]
        self._begin("expand", [*arguments, "count"])
        self._read_level()
        self._put("total = 0")
        self._put("at = 0")
        self._put("for n in range(count):")
        self._depth += 1
        self._read_position("o", self.room)
        self._put("before = total")
        self._put("left = 0")
        self._put(f"for given in range({self.inputs}):")
        self._depth += 1
        self._put("direction = given")
        for number, movement in enumerate(MOVEMENTS):
            if number != movement:
                self._put(f"if given == {number}:")
                self._put(f"    direction = {movement}")
        self._shared_input()
        self._put("if not ok:")
        self._put("    left |= 1 << given")
        self._depth -= 1
        self._put(f"counts[n] = total - before | left << {LEFT}")
        self._depth -= 1
        self._put("return total")

    def _shared_input(self) -> None:
        """Write a move: an input, and the ticks that follow it."""
        win = "win" in self._commands
        wins = f"wins = q & {at.WIN} != 0 or won(room)" if win else "wins = won(room)"
        self._copy("p", "o")
        self._put("ok, q = turn(room, s, t, direction)")
        if "restart" in self._commands:
            self._put(f"if q & {at.RESTART}:")
            self._put("    ok = 0")
        self._put(f"if ok and not q & {at.CANCEL}:")
        self._depth += 1
        self._put(f"differs = {self._differs(self._state(), self._state('o'))}")
        self._put(wins)
        if "again" in self._commands:
            self._shared_ticks(wins, win)
        self._put("if ok and (wins or differs):")
        self._depth += 1
        self._emit("given", "p", self.room)
        self._depth -= 2

    def _shared_ticks(self, wins: str, win: bool) -> None:
        self._put(f"again = differs and q & {at.AGAIN} != 0 and not wins")
        self._put("ticks = 0")
        self._put("while again:")
        self._depth += 1
        self._copy("y", "p")
        self._put(f"ok, q = turn(room, s, t, {_TICK})")
        self._put("ticks += 1")
        rest = f" or q & {at.RESTART}" if "restart" in self._commands else ""
        self._put(f"if not ok or ticks > {MOST_AGAIN}{rest}:")
        self._put("    ok = 0")
        self._put("    break")
        if "cancel" in self._commands:
            self._put(f"if q & {at.CANCEL}:")
            self._depth += 1
            self._copy("p", "y")
            self._put("break")
            self._depth -= 1
        self._put(f"again = {self._differs(self._state(), self._state('y'))}")
        self._put(f"if not again{f' and not q & {at.WIN}' if win else ''}:")
        self._put("    break")
        self._put(wins)
        self._put(f"again = again and q & {at.AGAIN} != 0 and not wins")
        self._depth -= 1
        self._put(f"differs = {self._differs(self._state(), self._state('o'))}")
