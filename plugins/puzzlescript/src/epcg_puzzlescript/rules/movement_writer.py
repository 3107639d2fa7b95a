"""Source code of the movement of a layer on planes, and loops over cells in the order of a scan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from operator import or_

from epcg_puzzlescript.language.elementary import LAYER_BITS
from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.rules.changes import Changes, bits_of
from epcg_puzzlescript.rules.plane_writer import PlaneWriter, Words

STEPS = 15
"""The movement bits of a layer that lead to another cell."""


class MovementWriter(PlaneWriter):
    """The code of the movements of a turn: all of a layer at once, or cell by cell where the order counts."""

    def __init__(self, game: Game, words: int, changes: Changes) -> None:
        super().__init__(game, words, changes)
        self._rules = [r for part in (game.normal, game.late) for g in part.groups for r in g.rules]
        self._commands = {command for rule in self._rules for command in rule.commands}
        self._one_by_one = False
        """Whether what is written goes from match to match in any case."""
        self._moves = 0
        """The movements that the turn which is written can have, as bits."""

    def _movements(self, mask: int) -> list[Words]:
        return [self._plane(f"m{bit}") for bit in bits_of(mask & self._moves)]

    def _rigid_layers(self) -> list[int]:
        """Return the layers with movements that rigid rules mark."""
        rigid = [p.replacement for r in self._rules if r.rigid for p in r.patterns if p.replacement]
        moved = reduce(or_, (what.touched for what in rigid), 0) & self._moves
        return [n for n in range(len(self._layers)) if moved >> LAYER_BITS * n & STEPS]

    @contextmanager
    def _scan(self, plane: Words, direction: int) -> Iterator[Words]:
        """Write a loop over the cells of a plane; yield the plane of one cell, in it.

        The order is that of rules of a direction: column by column if it is up or down, else row by row.
        """
        left, board = self._let(plane), self._plane("v")
        across = direction >= 2
        depth = self._depth
        line: Words = []
        if across:
            below = self._shifted(board, 1)
            line = self._let([f"{a} & ~({b})" for a, b in zip(board, below, strict=True)])
            self._put("while True:")
            self._depth += 1
            self._put(f"if not {self._some(left)}:")
            self._put("    break")
        self._put("while True:")
        self._depth += 1
        here = self._let(self._joined("&", [left, line])) if across else left
        self._put(f"if not {self._some(here)}:")
        self._put("    break")
        one = self._lowest(here)
        self._assign(left, [f"{a} & ~{b}" for a, b in zip(left, one, strict=True)])
        yield one
        if across:
            self._depth = depth + 1
            self._assign(line, self._step(line, 1))
        self._depth = depth

    @contextmanager
    def _beyond(self, here: Words, count: int, starts: Words, direction: int) -> Iterator[Words]:
        """Write a loop over cells of `starts` that lie `count` or more steps from one cell, in order."""
        for _ in range(count):
            here = self._step(here, direction)
        board = self._plane("v")
        ahead = self._let(self._joined("&", [here, board]))
        depth = self._depth
        self._put("while True:")
        self._depth += 1
        self._put(f"if not {self._some(ahead)}:")
        self._put("    break")
        found = self._let(self._joined("&", [ahead, starts]))
        moved = self._step(ahead, direction)
        self._assign(ahead, [f"{a} & {b}" for a, b in zip(moved, board, strict=True)])
        self._put(f"if {self._some(found)}:")
        self._depth += 1
        yield found
        self._depth = depth

    def _free(self, layer: int) -> Words:
        """Write the plane of the cells of the board without an object of a layer; return its words."""
        board = zip(self._plane("v"), self._any(self._layers[layer]), strict=True)
        return self._let([f"{valid} & ~({taken})" for valid, taken in board])

    def _steps_of(self, layer: int) -> list[tuple[int, str]]:
        """Return the directions that movements of a layer can have, and their planes."""
        movements = ((d, LAYER_BITS * layer + d) for d in range(4))
        return [(d, f"m{bit}") for d, bit in movements if self._moves >> bit & 1]

    def _moved_in(self, layer: int) -> list[str]:
        """Return the planes of the objects of a layer that can move."""
        return [f"p{n}" for n in self.game.layers[layer] if n in self.changing]

    def _move(self, layer: int) -> None:
        """Write the movement of a layer, all at once."""
        moving = {d: self._plane(f"m{LAYER_BITS * layer + d}") for d in range(LAYER_BITS)
                  if self._moves >> (LAYER_BITS * layer + d) & 1}  # fmt: skip
        if not self._layers[layer]:
            return
        self._put(f"if {self._some([word for plane in moving.values() for word in plane])}:")
        self._depth += 1
        board, free = self._plane("v"), self._free(layer)
        clashes: list[Words] = []
        conflicts: list[Words] = []
        planes = list(moving.items())
        for number, (d, plane) in enumerate(planes):
            clashes += [self._joined("&", [plane, other]) for _, other in planes[:number]]
            if d < 4:
                conflicts.append(self._joined("&", [plane, free]))
        aimed: list[Words] = []
        for d, plane in planes:
            if d < 4 and len(planes) > 1:
                target = self._step(plane, d)
                conflicts += [
                    [f"{a} & {b} & {valid}" for a, b, valid in zip(target, other, board, strict=True)]
                    for other in aimed
                ]
                aimed.append(target)
        if clashes:
            self._put(f"if {self._some(_each(clashes))}:", 2 * len(clashes))
            self._depth += 1
            self._bail()
            self._depth -= 1
        steps = [(d, self._plane(name)) for d, name in self._steps_of(layer)]
        if steps:
            self._put(f"if {self._some(_each(conflicts))}:", 2 * len(conflicts))
            self._depth += 1
            self._crowded(layer)
            self._depth -= 1
            self._put("else:", 0)
            self._depth += 1
            self._steps(steps, [self._plane(name) for name in self._moved_in(layer)], free)
            self._depth -= 1
        if layer in self._rigid_layers():
            left = [self._joined("&", [plane, self._plane(f"r{layer}")]) for _, plane in steps]
            self._put(f"if {self._some(_each(left))}:")
            self._depth += 1
            self._bail()
            self._depth -= 1
        self._put("pass", 0)
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
            self._carry(things, can, d)
            self._assign(plane, [f"{word} & ~{mask}" for word, mask in zip(plane, can, strict=True)])
            after = zip(free, can, self._shifted(can, d), strict=True)
            self._assign(free, [f"({word} | {mask}) & ~({gone})" for word, mask, gone in after])
            self._depth -= 1
        self._put("if not moved:")
        self._put("    break")
        self._depth -= 1

    def _carry(self, things: list[Words], can: Words, direction: int) -> None:
        """Write that what lies in the cells of a plane goes one step."""
        for thing in things:
            here = self._let(self._joined("&", [thing, can]))
            moved = zip(thing, here, self._shifted(here, direction), strict=True)
            self._assign(thing, [f"({word} & ~{a}) | {b}" for word, a, b in moved])

    def _crowded(self, layer: int) -> None:
        """Write the passes of the movement of a layer, cell by cell."""
        steps = [(d, self._plane(name)) for d, name in self._steps_of(layer)]
        things = [self._plane(name) for name in self._moved_in(layer)]
        free = self._free(layer)
        self._put("while True:")
        self._depth += 1
        self._put("moved = False")
        moving = self._let(self._joined("|", [plane for _, plane in steps]))
        with self._scan(moving, 0) as one:
            for d, plane in steps:
                there = zip(plane, one, self._shifted(free, d ^ 1), strict=True)
                can = self._let([f"{a} & {b} & ({c})" for a, b, c in there])
                self._put(f"if {self._some(can)}:")
                self._depth += 1
                self._put("moved = True")
                self._carry(things, can, d)
                self._assign(plane, [f"{word} & ~{mask}" for word, mask in zip(plane, can, strict=True)])
                gone = self._let([f"{a} & ~{b}" for a, b in zip(can, free, strict=True)])
                after = zip(free, gone, self._shifted(gone, d), strict=True)
                self._assign(free, [f"({word} | {mask}) & ~({taken})" for word, mask, taken in after])
                self._depth -= 1
        self._put("if not moved:")
        self._put("    break")
        self._depth -= 1


def _each(planes: Sequence[Words]) -> Words:
    """Return the words of planes in brackets."""
    return [f"({word})" for plane in planes for word in plane]
