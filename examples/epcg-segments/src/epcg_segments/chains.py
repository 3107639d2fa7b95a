"""The generator: all chains of segments from a library.

A rank is a number whose digits, the first segment's first, are places in the library. So all chains that
begin alike have neighbouring ranks.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from epcg_core.plugin import MixedRadix, ParamsError, RankError, prefixes
from epcg_segments.params import ChainsParams
from epcg_segments.rules import ROWS, Level, Platformer, beside, format_level, packed, parse
from epcg_segments.segments import Segments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Chains:
    """All chains of some length, whether they can be passed or not."""

    domain_attributes = ("library", "length")

    def __init__(self, params: ChainsParams) -> None:
        self.length = params.length
        self.library = _library(params)
        """The segments of which chains are made, all different."""
        self.setting = len(self.library[0][0])
        """The columns of a segment."""
        self._digits = MixedRadix((len(self.library),) * params.length)
        self.max_rank = self._digits.max_rank
        self.prefixes = prefixes(self._digits)
        self.transition_model = Platformer()

    @cached_property
    def _places(self) -> dict[Level, int]:
        return {segment: place for place, segment in enumerate(self.library)}

    def unrank(self, rank: int) -> Level:
        return beside([self.library[digit] for digit in self._digits.unrank(rank)])

    def rank(self, state: Level) -> int:
        """Return the rank of a chain. Raises RankError if it has another length, or a segment of its own."""
        segments = split(state, self.setting)
        if len(segments) != self.length:
            raise RankError(f"This chain has {len(segments)} segments, and those of the space {self.length}.")
        for number, segment in enumerate(segments, 1):
            if segment not in self._places:
                raise RankError(f"Segment {number} is not in the library.")
        return self._digits.rank(tuple(self._places[segment] for segment in segments))

    def states_block(self, start: int, count: int) -> NDArray[np.uint8]:
        return self._packed(self._digits.states_block(start, count))

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.uint8]:
        return self._packed(self._digits.states_at(ranks))

    def _packed(self, digits: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Put segments beside each other."""
        return self._cells[digits].reshape(len(digits), self.length * self.setting, ROWS)

    @cached_property
    def _cells(self) -> NDArray[np.uint8]:
        return packed(self.library, self.setting)

    def format(self, state: Level) -> str:
        return format_level(state)

    def parse(self, text: str) -> Level:
        """Read a chain. Raises RankError if the text shows none of the space."""
        level = parse(text)
        self.rank(level)
        return level


def split(level: Level, columns: int) -> list[Level]:
    """Cut a level into segments. Raises RankError if they do not fill it."""
    if len(level[0]) % columns:
        raise RankError(f"{len(level[0])} columns are not filled by segments of {columns}.")
    return [
        tuple(row[start : start + columns] for row in level) for start in range(0, len(level[0]), columns)
    ]


def _library(params: ChainsParams) -> list[Level]:
    """Return the segments of the library, or evenly spaced ones of the grammar."""
    if params.library is None:
        space = Segments(params.grammar)
        count = params.count
        if count > space.max_rank:
            raise ParamsError(
                f"The grammar makes {space.max_rank} segments, and chains.count asks for {count}."
            )
        return [space.unrank((2 * i + 1) * space.max_rank // (2 * count)) for i in range(count)]
    segments = list(params.library.states)
    for number, segment in enumerate(segments):
        if len(segment[0]) != len(segments[0][0]):
            titles = params.library.items.titles
            raise ParamsError(
                f"The segment {titles[number]} has {len(segment[0])} columns, and {titles[0]} has "
                f"{len(segments[0][0])}."
            )
    return segments
