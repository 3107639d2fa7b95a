"""The generator: all segments of a grammar, as a walk over their columns.

A column is a gap, ground of some height with or without an enemy, or a platform over a gap. What may follow
depends on the column, on how many columns before it are the same, and in a gap on the height before it.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from epcg_core.plugin import RankError, Walk, prefixes
from epcg_segments.params import SegmentsParams
from epcg_segments.rules import (
    AIR,
    ENEMY,
    GROUND,
    PLATFORM,
    ROWS,
    Level,
    Platformer,
    format_level,
    packed,
    parse,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class State(NamedTuple):
    """The part of a beginning that later columns depend on."""

    kind: str
    """AIR for a gap, GROUND, ENEMY on the ground, or PLATFORM."""
    height: int
    """The height on which the player stands there; of a gap, beside it."""
    width: int
    """How many columns are the same so far; no more than matters."""


class Segments:
    """All segments of a grammar, column by column: gaps come first, then grounds, enemies, platforms."""

    domain_attributes = ("kinds",)

    def __init__(self, params: SegmentsParams) -> None:
        self._params = params
        grounds = range(1, params.heights + 1)
        self.kinds: list[tuple[str, int]] = [
            (AIR, 0),
            *((GROUND, height) for height in grounds),
            *((ENEMY, height) for height in grounds if params.enemies),
            *(
                (PLATFORM, height)
                for height in range(params.heights + 1, params.heights + params.platforms + 1)
            ),
        ]
        """Return what digits mean: a kind of column, and the height on which the player stands there."""
        self._texts = [_column(*kind) for kind in self.kinds]
        self._digits = {text: digit for digit, text in enumerate(self._texts)}
        self._walk = Walk(params.columns, None, self._step, self._accepts)
        self.max_rank = self._walk.max_rank
        self.prefixes = prefixes(self._walk)
        self.setting = params.columns
        """The columns of a segment."""
        self.transition_model = Platformer()

    def _step(self, position: int, state: State | None) -> dict[int, Hashable]:
        found: dict[int, Hashable] = {}
        for digit, (kind, height) in enumerate(self.kinds):
            after = self._after(state, kind, height)
            if after is not None:
                found[digit] = after
        return found

    def _after(self, state: State | None, kind: str, height: int) -> State | None:
        """Return the state after a column, None if it cannot stand there."""
        params = self._params
        if state is None:  # the first column
            return State(GROUND, height, 1) if kind == GROUND else None
        if kind == ENEMY:
            return (
                State(ENEMY, height, min(state.width + 1, params.flat))
                if state[:2] == (GROUND, height)
                else None
            )
        if state.kind == ENEMY and (kind, height) != (GROUND, state.height):
            return None
        same = kind == state.kind and height == state.height
        if (same or state.kind == ENEMY) and kind in (GROUND, PLATFORM):
            return State(kind, height, min(state.width + 1, self._narrowest(kind)))
        if state.kind != AIR and state.width < self._narrowest(state.kind):
            return None
        if kind == AIR:
            width = state.width + 1 if state.kind == AIR else 1
            return State(AIR, state.height, width) if width <= params.gap else None
        return State(kind, height, 1) if abs(height - state.height) <= params.step else None

    def _narrowest(self, kind: str) -> int:
        return self._params.board if kind == PLATFORM else self._params.flat

    def _accepts(self, state: State) -> bool:
        return state.kind == GROUND and state.width >= self._params.flat

    def unrank(self, rank: int) -> Level:
        columns = [self._texts[digit] for digit in self._walk.unrank(rank)]
        return tuple("".join(row) for row in zip(*columns, strict=True))

    def rank(self, state: Level) -> int:
        """Return the rank of a segment. Raises RankError if the grammar does not make it."""
        digits = []
        for number, column in enumerate(zip(*state, strict=True), 1):
            digit = self._digits.get("".join(column))
            if digit is None:
                raise RankError(f"Column {number} is none of the grammar's kinds.")
            digits.append(digit)
        return self._walk.rank(tuple(digits))

    def states_block(self, start: int, count: int) -> NDArray[np.uint8]:
        return self._columns[self._walk.states_block(start, count)]

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.uint8]:
        return self._columns[self._walk.states_at(ranks)]

    @cached_property
    def _columns(self) -> NDArray[np.uint8]:
        """The cells of each kind of column, from below."""
        return packed([tuple(text) for text in self._texts], 1)[:, 0]

    def format(self, state: Level) -> str:
        return format_level(state)

    def parse(self, text: str) -> Level:
        """Read a segment. Raises RankError if the text shows none, or the grammar does not make it."""
        level = parse(text)
        self.rank(level)
        return level


def _column(kind: str, height: int) -> str:
    """Return a column from the top to the bottom."""
    if kind == AIR:
        return AIR * ROWS
    if kind == PLATFORM:
        return AIR * (ROWS - height) + PLATFORM + AIR * (height - 1)
    return AIR * (ROWS - height - 1) + (ENEMY if kind == ENEMY else AIR) + GROUND * height
