"""The generator `bump_patterns`: all patterns of holes by rank."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from epcg_core.plugin import ParamsError
from epcg_tangram.params import BumpParams
from epcg_tangram.rules.bumps import HOLES, BumpPattern, Patterns, allowed, class_bits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class BumpPatterns(Patterns):
    """The generator `bump_patterns`: the patterns of `Patterns`, as arrays and as text."""

    def states_block(self, start: int, count: int) -> NDArray[np.uint64]:
        """Return the allowed classes of each pattern as bits (see `class_bits`): (count,) uint64."""
        return self._packed(self.space.states_block(start, count))

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the allowed classes of each pattern as bits (see `class_bits`): (n,) uint64."""
        return self._packed(self.space.states_at(ranks))

    def _packed(self, digits: NDArray[np.int64]) -> NDArray[np.uint64]:
        import numpy as np

        found = np.zeros(len(digits), np.uint64)
        for column, table in enumerate(self._tables, 1):
            found |= table[digits[:, 0], digits[:, column]]
        return found

    @cached_property
    def _tables(self) -> list[NDArray[np.uint64]]:
        """The bits of the allowed classes for each piece: (splits, choices)."""
        import numpy as np

        definition = self.definition
        return [
            np.array(
                [
                    [
                        class_bits(definition, piece, allowed(definition, piece, sides))
                        for sides in self.choices_of(piece, split)
                    ]
                    for split in range(len(self.splits))
                ],
                np.uint64,
            )
            for piece in self.pieces
        ]

    def parse(self, text: str) -> BumpPattern:
        """Read the pattern that `format` wrote. Raises ParamsError."""
        sides = []
        for part in text.split(";"):
            name, _, holes = part.strip().rpartition(" ")
            words = holes.split("/")
            if name not in self.definition.names or len(words) != 2 or not set(words) <= set(HOLES):
                example = self.names[0] if self.names else "name"
                raise ParamsError(f"Holes are written as in '{example} none/blocked', not '{part.strip()}'.")
            sides.append((name, words[0], words[1]))
        return BumpPattern(tuple(sides))

    def format(self, state: BumpPattern) -> str:
        """Write 'corner none/blocked; ...': for each piece the holes of its front and back."""
        return "; ".join(f"{name} {front}/{back}" for name, front, back in state.sides)


def bump_patterns(params: BumpParams) -> BumpPatterns:
    """Make the space of all bump patterns."""
    return BumpPatterns(params)
