"""Source code of a kernel for a large game: its rules are written out once, for all inputs.

The kernels of `kernel_source` have a turn for each input, and keep all planes in variables. A large game
would compile for minutes in that way. Here the planes lie in an array (`room_planes`), one turn serves all
inputs, each group of rules is a function, and what rules need on the board is tested first, for all rules of
a run that need it (`guards`). Still larger ones are for `shared_source`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from epcg_puzzlescript.language.elementary import ALL, LAYER_BITS, Rule
from epcg_puzzlescript.language.game import RuleList
from epcg_puzzlescript.rules.changes import bits_of
from epcg_puzzlescript.rules.guards import guards_of, left_to_test
from epcg_puzzlescript.rules.kernel_source import (
    LEVEL_HEAD,
    MOVEMENTS,
    TICK_NUMBER,
    KernelSource,
    movements_of,
)
from epcg_puzzlescript.rules.plane_writer import Words
from epcg_puzzlescript.rules.room_planes import RoomPlanes
from epcg_puzzlescript.rules.row_kernels import FIELD_SIZE
from epcg_puzzlescript.rules.rule_writer import Effect
from epcg_puzzlescript.rules.turn import MOST_PASSES

MOST_LARGE_STATEMENTS = 48_000
"""They take 8 to 14 CPU seconds to compile."""
_Needs = frozenset[tuple[str, ...]]
"""Names of planes: nothing matches if all planes of one list are empty."""
SHARED = ["room: words", "level: words", "s", "t"]
PASSED = "room, level, s, t"
"""The first arguments of functions, and how they are passed on."""
_MOST_TESTED = 6
"""Whether one of more planes is not empty is not tested for a single rule: it is part of its match."""


class LargeSource(RoomPlanes, KernelSource):
    """The source of a kernel that is called like that of `KernelSource`, with more room.

    The board is planes p, the position that is expanded o, and y is the board before a tick. Raises
    TooLongError.
    """

    most_statements = MOST_LARGE_STATEMENTS
    before, after = "o", "p"

    def _written(self) -> str:
        self._failure = ""
        given = [MOVEMENTS[number] for number in self.inputs if number != TICK_NUMBER]
        self._starts_moving = {movement: self._moving(movement) for movement in given}
        moves = movements_of(
            self.game.normal, sum(1 << bit for moving in self._starts_moving.values() for bit in moving)
        )
        still = ["v", *(f"c{n}" for n in self.statics)]
        board = [f"{letter}{n}" for letter in "poy" for n in self.changing]
        self._first_field = LEVEL_HEAD + self.words * len(still)
        fields = len(self.changing) * (FIELD_SIZE + self.words)
        self._moves = moves
        marks = [f"r{layer}" for layer in self._rigid_layers()]
        self._cleared = [*(f"m{bit}" for bit in bits_of(moves)), *marks]
        self._lay_out([*still, *board, "players", *self._cleared], self._first_field + fields)
        normal = self._functions("normal", self.game.normal, late=False)
        layers = [n for n in range(len(self._layers)) if moves >> LAYER_BITS * n & ALL]
        for layer in layers:
            self._begin(f"move_{layer}", SHARED)
            self._failure = "return 0"
            self._move(layer)
            self._put("return 1")
        self._moves = 0
        late = self._functions("late", self.game.late, late=True)
        self._moves = moves
        self._shared_turn(normal, layers, late)
        self._won()
        self._main()
        self.table = self._table
        return self._whole()

    def _place(self, name: str) -> str:
        return self._argument(super()._place(name))

    def _list_of(self, names: Sequence[str]) -> str:
        return self._argument(super()._list_of(names))

    def _bail(self) -> None:
        if self._sharing:
            super()._bail()
        else:
            self._put(self._failure)

    def _fixed(self) -> list[str]:
        return SHARED

    def _results(self, names: Iterable[str]) -> list[str]:
        return []

    def _passed_on(self, key: str) -> list[str]:
        return [key]

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
            self._begin(name, [*SHARED, "q"])
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
                self._if_there(each for each in left[number] if len(each) <= _MOST_TESTED)
            self._rule(rule, each)
        self._depth = depth

    def _remove(self, names: Sequence[str], here: Words) -> None:
        if len(names) <= self.most_named:
            super()._remove(names, here)
            return
        self._each_listed(self._list_of(names))
        self._remove_from(self._plane_at("listed"), here)
        self._depth -= 1

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
        parts = ["(" + " | ".join(map(self._is_there, names)) + ")" for names in sorted(needs)]
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
            self._put(f"ok, passed, q = {name}({PASSED}, q)")
            self._put("if not ok:")
            self._put(f"    {self._failure}")
            if in_list_with_loops:
                self._put("if passed:")
                self._put("    changed = 1")
        self._depth = depth

    # turns

    def _shared_turn(
        self, normal: Sequence[tuple[str, _Needs]], layers: Sequence[int], late: Sequence[tuple[str, _Needs]]
    ) -> None:
        """Write the function of a turn of any input: 0 if the interpreter must play it, and the commands."""
        self._begin("turn", [*SHARED, "given"])
        self._failure = "return 0, q"
        self._put("q = 0")
        if self._cleared:
            self._put(f"for i in range({len(self._cleared) * self._size}):")
            self._put(f"    room[i + {self._places[self._cleared[0]]}] = 0")
        self._write_players()
        for given, moving in self._starts_moving.items():
            self._put(f"if given == {given}:")
            self._depth += 1
            self._write_moving(moving)
            self._depth -= 1
        self._run(self.game.normal, normal)
        for layer in layers:
            moving_planes = [
                f"m{LAYER_BITS * layer + d}" for d in range(LAYER_BITS)
                if self._moves >> (LAYER_BITS * layer + d) & 1
            ]  # fmt: skip
            self._put(f"if {' | '.join(map(self._is_there, moving_planes))}:", len(moving_planes))
            self._put(f"    if not move_{layer}({PASSED}):")
            self._put(f"        {self._failure}")
        self._run(self.game.late, late)
        if self.game.says("require_player_movement"):
            self._put(f"if given != {TICK_NUMBER}:")
            self._depth += 1
            self._undone()
            self._depth -= 1
        self._put("return 1, q")

    def _won(self) -> None:
        """Write the function that tests whether a level is won."""
        self._begin("won", SHARED)
        for condition in self.game.conditions:
            sign = "==" if condition.quantifier == "some" else "!="
            self._put(f"if {self._condition(condition)} {sign} 0:")
            self._put("    return 0")
        self._put(f"return {int(bool(self.game.conditions))}")

    # positions

    def _first_of(self, letter: str) -> int:
        """Return the place of the first plane of a letter; those of other objects follow."""
        return self._places[f"{letter}{self.changing[0]}"]

    def _copy(self, target: str, source: str) -> None:
        self._put(f"for i in range({len(self.changing) * self._size}):")
        self._put(f"    room[i + {self._first_of(target)}] = room[i + {self._first_of(source)}]")

    def _differs(self, after: str, before: str) -> str:
        self._put("unequal = 0")
        self._each_changing()
        self._each_word()
        a, b = (f"room[i * {self._size} + w + {self._first_of(letter)}]" for letter in (after, before))
        self._put(f"    unequal |= {a} ^ {b}", 6)
        self._depth -= 1
        return "unequal != 0"

    def _each_changing(self) -> None:
        self._put(f"for i in range({len(self.changing)}):")
        self._depth += 1

    def _read_level(self) -> None:
        for number, name in enumerate(["s", "won_word", "won_bit", "row"]):
            self._put(f"{name} = level[{number}]")
        self._put("t = 64 - s")
        for number, name in enumerate(["v", *(f"c{n}" for n in self.statics)]):
            place = str(LEVEL_HEAD + self.words * number)
            self._assign(self._plane(name), self._plane_at(place, "level"))

    def _read_field(self) -> None:
        """Write what the layout of rows says of object i."""
        self._put(f"field = {self._first_field} + i * {FIELD_SIZE + self.words}")
        self._put("only = level[field]")
        self._put(f"place = level[field + 1] + {self.room}")
        self._put("shift = level[field + 2]")
        self._put("lowest_place = level[field + 3]")

    def _read_position(self) -> None:
        self._put("for i in range(row):")
        self._put(f"    room[i + {self.room + self.words}] = positions[at + i]")
        self._put("at += row")
        self._each_changing()
        self._read_field()
        self._put(f"plane = i * {self._size} + {self._first_of(self.before)}")
        self._put("some = 0")
        self._put("if only == 0:")
        self._depth += 1
        self._each_word()
        self._put("    x = (room[place + w] >> shift) | ((room[place + w + 1] << 1) << (63 - shift))", 6)
        self._put(f"    x &= level[field + w + {FIELD_SIZE}]")
        self._put("    room[plane + w] = x")
        self._put("    some |= x")
        self._depth -= 1
        self._put("else:")
        self._depth += 1
        self._put("u = (room[place] >> shift) | ((room[place + 1] << 1) << (63 - shift))", 6)
        self._put("u = (u & only) + lowest_place")
        self._each_word()
        self._put("    room[plane + w] = (1 << (u & 63)) if u >> 6 == w else 0", 4)
        self._put("some = 1")
        self._depth -= 1
        if self._looped:
            self._put(f"room[plane + {self.words + 1}] = some")
        self._depth -= 1

    def _emit(self, given: str) -> None:
        self._put(f"for i in range(row + {2 * self.words + 1}):")
        self._put(f"    room[i + {self.room}] = 0")
        self._each_changing()
        self._read_field()
        self._put(f"plane = i * {self._size} + {self._first_of(self.after)}")
        self._put("if only == 0:")
        self._depth += 1
        self._each_word()
        self._put("    x = room[plane + w]")
        self._put("    room[place + w] |= x << shift", 2)
        self._put("    room[place + w + 1] |= (x >> 1) >> (63 - shift)", 3)
        self._depth -= 1
        self._put("else:")
        self._depth += 1
        self._put("u = 0")
        self._each_word()
        self._put("    x = room[plane + w]")
        self._put("    if x:")
        self._put("        u = lowest(x) + 64 * w")
        self._put("u -= lowest_place")
        self._put("room[place] |= u << shift", 2)
        self._put("room[place + 1] |= (u >> 1) >> (63 - shift)", 3)
        self._depth -= 2
        self._row_made(given, self.room)

    # moves

    def _inputs(self) -> None:
        others = [(nth, number) for nth, number in enumerate(self.inputs) if nth != number]
        name = "nth" if others else "given"
        self._put(f"for {name} in range({len(self.inputs)}):")
        self._depth += 1
        if others:
            self._put("given = nth")
        for nth, number in others:
            self._put(f"if nth == {nth}:")
            self._put(f"    given = {number}")
        self._put("direction = given")
        for number, movement in enumerate(MOVEMENTS):
            if number != movement:
                self._put(f"if given == {number}:")
                self._put(f"    direction = {movement}")
        self._copy(self.after, self.before)
        self._move_from(f"ok, q = turn({PASSED}, direction)", "given")
        self._put("if not ok:")
        self._put("    left |= 1 << given")
        self._depth -= 1

    def _winning(self) -> str:
        return f"won({PASSED})"

    def _tick(self) -> None:
        self._copy("y", self.after)
        self._put(f"ok, q = turn({PASSED}, {TICK_NUMBER})")

    def _take_tick(self) -> None:
        """Write nothing: a tick is made on the board."""

    def _take_back_tick(self) -> None:
        self._copy(self.after, "y")
