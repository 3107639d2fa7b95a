"""What is covered around the empty cells beside a placement: the windows of local patterns on squares.

The window is 3 by 3 cells, with one more in each direction, around an empty cell that a placement touches.
What is outside of the board counts as covered.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from epcg_core.plugin import Answer, PatternRule, PatternsParams
from epcg_tangram.rules.model import Position, TangramModel

OFFSETS = tuple(
    (dx, dy) for dy in range(-2, 3) for dx in range(-2, 3)
    if (dx, dy) != (0, 0) and (max(abs(dx), abs(dy)) == 1 or not dx or not dy)
)  # fmt: skip
VALUES = ("covered", "empty")


def patterns_rule(params: PatternsParams, generator: Any) -> PatternRule:
    """Make the rule `patterns`. Raises ParamsError for patterns on another lattice than squares."""
    lattice = generator.setting.lattice.name
    if lattice != "squares":
        return PatternRule(f"The windows of patterns are made of squares, not of {lattice}.", params)
    return PatternRule(AroundEmptyCells(generator), params)


def _word(dx: int, dy: int) -> str:
    """Return the place of a cell in words."""
    far = "two " if 2 in (abs(dx), abs(dy)) else ""
    words = ["above" if dy < 0 else "below" if dy else "", "left" if dx < 0 else "right" if dx else ""]
    return far + " ".join(word for word in words if word)


class AroundEmptyCells:
    """The windows around empty cells (`PatternView`)."""

    conclusions = ("cannot",)
    target = (0.0, 0.0)
    places = tuple((_word(dx, dy), "cell", 2.0 * dx, 2.0 * dy, VALUES) for dx, dy in OFFSETS)
    images = tuple(
        tuple(OFFSETS.index((a * (dy if turn else dx), b * (dx if turn else dy))) for dx, dy in OFFSETS)
        for turn in (False, True)
        for a in (1, -1)
        for b in (1, -1)
    )

    def __init__(self, generator: Any) -> None:
        self.transition_model = TangramModel(generator.setting, measures=False)
        layout = generator.setting
        self._around = [
            [layout.number.get((x + dx, y - dy), -1) for dx, dy in OFFSETS] for x, y in layout.places
        ]
        number = layout.number
        self._near = [
            [number[near] for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (near := (x + dx, y + dy)) in number]
            for x, y in layout.places
        ]
        self._placements = [own.cells for own in layout.placements]

    def answer(self, conclusion: int, state: Position, action: int) -> Answer:
        """Dismiss a placement."""
        return Answer.CANNOT

    def rows(self, state: Position, action: int) -> Iterator[list[int]]:
        """Yield the window around each empty cell that a placement leaves within a step, or a corner."""
        placed = self._placements[action]
        empty = state.empty.difference(placed)
        beside = {cell for own in placed for cell in self._near[own]}
        for cell in sorted(beside & empty):
            yield [int(other in empty) for other in self._around[cell]]
