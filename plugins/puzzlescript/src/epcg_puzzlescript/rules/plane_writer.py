"""Writing source code that works on the planes of one game, word by word."""

from __future__ import annotations

from collections.abc import Sequence

from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.rules.changes import Changes, bits_of

MOST_STATEMENTS = 18_000
"""Longer kernels, in operations on words, are not written: they take too long to compile."""
Words = list[str]
"""The words of a plane, as names or as other expressions."""


class TooLongError(Exception):
    """A game for which no kernel is written; the message says why."""


class PlaneWriter:
    """Lines of source code, the names of a game's planes in them, and the steps from cell to cell.

    Here a plane is so many variables as it has words; `RoomPlanes` keeps planes in an array. Raises
    TooLongError if the code is too long.
    """

    most_statements = MOST_STATEMENTS

    def __init__(self, game: Game, words: int, changes: Changes) -> None:
        self.game, self.words = game, words
        self.changes = changes
        self.changing = bits_of(changes.objects) or [0]
        self.statics: list[int] = []
        """The objects whose planes never change, but are read."""
        self._layers = [sum(1 << number for number in numbers) for numbers in game.layers]
        self._lines: list[str] = []
        self._depth = 0
        self._names = 0
        self._statements = 0

    def _put(self, line: str, cost: int = 1) -> None:
        self._lines.append("    " * self._depth + line)
        self._statements += cost
        if self._statements > self.most_statements:
            raise TooLongError("its rules are too many for a kernel of its own")

    def _new(self) -> str:
        self._names += 1
        return f"t{self._names}"

    def _let(self, expressions: Sequence[str]) -> Words:
        """Assign a new variable for each word."""
        name = self._new()
        found = [f"{name}_{w}" for w in range(self.words)]
        self._assign(found, expressions)
        return found

    def _assign(self, plane: Words, expressions: Sequence[str]) -> None:
        """Write that a plane becomes what expressions say, word by word."""
        for word, expression in zip(plane, expressions, strict=True):
            self._put(f"{word} = {expression}", 1 + sum(map(expression.count, "&|<>~")))

    def _clear(self, plane: Words) -> None:
        self._assign(plane, ["0"] * len(plane))

    def _plane(self, name: str) -> Words:
        return [f"{name}_{w}" for w in range(self.words)]

    def _some(self, plane: Words) -> str:
        """Return an expression that is not 0 if one of the expressions is not; write what it needs."""
        return "(" + " | ".join(plane) + ")"

    def _several(self, plane: Words) -> str:
        """Return an expression that is not 0 if a plane has more than one bit; write what it needs."""
        several = [f"({x} & ({x} - 1))" for x in plane]
        several += [f"({a} and {b})" for i, a in enumerate(plane) for b in plane[i + 1 :]]
        return " or ".join(several)

    def _lowest(self, plane: Words) -> Words:
        """Write the plane of the lowest bit of a plane; return its words."""
        found = []
        for w, word in enumerate(plane):
            lower = " | ".join(plane[:w])
            found.append(f"({word} & -{word})" + (f" if not ({lower}) else 0" if w else ""))
        return self._let(found)

    def _joined(self, operator: str, planes: Sequence[Words]) -> Words:
        return [f" {operator} ".join(words) for words in zip(*planes, strict=True)]

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

    def _any(self, mask: int) -> Words:
        """Return the plane of the cells that hold one of some objects; write what it needs."""
        return [f"({each})" for each in self._joined("|", self._objects(mask))]

    def _constants(self) -> list[str]:
        planes = [f"c{number}" for number in self.statics]
        return ["s", "t", *self._plane("v"), *(word for name in planes for word in self._plane(name))]

    def _state(self, prefix: str = "p") -> list[str]:
        return [word for number in self.changing for word in self._plane(f"{prefix}{number}")]

    def _begin(self, name: str, arguments: Sequence[str]) -> None:
        self._lines += ["", f"def {name}({', '.join(arguments)}):"]
        self._depth = 1

    def _bail(self) -> None:
        """Write that the interpreter must play."""
        raise NotImplementedError
