"""Writing source code that works on the planes of one game, word by word."""

from __future__ import annotations

from collections.abc import Sequence

from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.rules.changes import Changes, bits_of

MOST_WORDS = 8
"""Boards of more words are left to the interpreter."""
MOST_STATEMENTS = 12_000
"""Longer kernels, in operations on words, are not written: they take too long to compile."""
Words = list[str]
"""The names of the words of a plane."""


class TooLongError(Exception):
    """A game for which no kernel is written; the message says why."""


class PlaneWriter:
    """Lines of source code, the names of a game's planes in them, and the steps from cell to cell.

    Raises TooLongError if the board or the code is too long.
    """

    most_statements = MOST_STATEMENTS

    def __init__(self, game: Game, words: int, changes: Changes) -> None:
        if words > MOST_WORDS:
            raise TooLongError(f"the board takes more than {MOST_WORDS} words")
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
