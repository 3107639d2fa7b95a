"""Further generators of the domain `rows`: subsets of cells, and a peg that steps through a row with pits.

Of the latter a row is the cell of the peg, and after it the cells that are pits. Nothing here may import from
the tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np
from epcg_rows import Row, StepsParams
from numpy.typing import NDArray

from epcg_core.plugin import (
    Edit,
    EditedSpace,
    Successors,
)


class Walking:
    """To the first cell, a step at a time."""

    domain_attributes = ("cells",)

    reversible = True

    def __init__(self, cells: int) -> None:
        self.cells = cells

    def initial(self, row: Row) -> Row:
        return row

    def actions(self, row: Row) -> list[int]:
        return [step for step in (-1, 1) if self._is_free(row, row[0] + step)]

    def _is_free(self, row: Row, cell: int) -> bool:
        return 0 <= cell < self.cells and cell not in row[1:]

    def apply(self, row: Row, step: int) -> Row:
        return Row((row[0] + step, *row[1:]))

    def is_goal(self, row: Row) -> bool:
        return row[0] == 0

    def key(self, row: Row) -> Row:
        return row

    def packed(self, row: Row) -> PackedWalk:
        return PackedWalk(self, row)


class PackedWalk:
    """The peg's cell as a word; the features are the cells."""

    words = 1

    def __init__(self, model: Walking, row: Row) -> None:
        self.model, self.pits, self.features = model, row[1:], model.cells

    def pack(self, row: Row) -> NDArray[np.uint64]:
        return np.array([row[0]], np.uint64)

    def unpack(self, packed: NDArray[np.uint64]) -> Row:
        return Row((int(packed[0]), *self.pits))

    def action(self, number: int) -> int:
        return 2 * number - 1

    def solved(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        return positions[:, 0] == 0

    def successors(self, positions: NDArray[np.uint64], traced: bool = False) -> Successors:
        rows = [self.unpack(packed) for packed in positions]
        found = [() if row[0] == 0 else self.model.actions(row) for row in rows]
        reads = [[cell for cell in (row[0] - 1, row[0] + 1) if 0 <= cell < self.features] for row in rows]
        after = [row[0] + step for row, steps in zip(rows, found, strict=True) for step in steps]
        return Successors(
            np.array(after, np.uint64).reshape(-1, 1),
            np.array([len(steps) for steps in found], np.int64),
            np.array([(step + 1) // 2 for steps in found for step in steps], np.uint8),
            np.array([[sum(1 << cell for cell in cells)] for cells in reads], np.uint64) if traced else None,
        )

    def differences(self, other: Any) -> NDArray[np.uint64]:
        return np.array([sum(1 << cell for cell in set(self.pits) ^ set(other.pits))], np.uint64)


class StepGraph:
    starts = (0,)
    reversible = True

    def __init__(self, cells: int) -> None:
        self._cells = cells

    def successor_ranks(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        right = np.where(ranks + 1 < self._cells, ranks + 1, -1)
        return np.stack([ranks - 1, right], axis=1)


class StepPositions:
    """The peg's cell as a word."""

    words = 1
    reversible = True

    def __init__(self, cells: int) -> None:
        self._cells = cells

    def positions(self, ranks: NDArray[np.int64]) -> NDArray[np.uint64]:
        return ranks.astype(np.uint64)[:, None]

    def ranks(self, positions: NDArray[np.uint64]) -> NDArray[np.int64]:
        return positions[:, 0].astype(np.int64)

    def goals(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        return self.ranks(positions) == 0

    def successors(self, positions: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        after = self.ranks(positions)[:, None] + np.array([-1, 1])
        there = (after >= 0) & (after < self._cells)
        return after[there].astype(np.uint64)[:, None], there.sum(axis=1, dtype=np.int64)


@attrs.frozen(eq=False)
class Part:
    """A part of a closed graph."""

    count: int
    edges: NDArray[np.int32]
    goals: NDArray[np.int32]
    ranked: NDArray[np.int32]
    ranks: NDArray[np.int64]


class StepParts:
    """All cells as one part."""

    def __init__(self, cells: int) -> None:
        self._cells = cells

    def parts(self, start: int, count: int) -> Iterator[Part]:
        cells = np.arange(self._cells)
        steps = np.stack([cells[:-1], cells[1:]], axis=1).astype(np.int32)
        goals = np.zeros(1, np.int32)
        yield Part(self._cells, steps, goals, cells.astype(np.int32), cells)


class Steps:
    """The cells of one peg."""

    def __init__(self, params: StepsParams) -> None:
        self.setting = self.max_rank = params.cells
        self.transition_model = Walking(params.cells)
        self.ranked_graph = StepGraph(params.cells)
        self.position_graph = StepPositions(params.cells)
        self.closed_graph = StepParts(params.cells)

    def unrank(self, rank: int) -> Row:
        return Row((rank,))

    def rank(self, row: Row) -> int:
        return row[0]


class Walks(EditedSpace[Row]):
    """A row with a peg in its last cell, and pits put in."""

    def __init__(self, params: StepsParams) -> None:
        self.setting = params.cells
        self.transition_model = Walking(params.cells)
        edits = [Edit(cell, f"{cell} a pit", {"cell": cell}) for cell in range(1, params.cells - 1)]
        super().__init__(Row((params.cells - 1,)), edits, self._with_pits, at_most=2, at_least=0)

    def _with_pits(self, row: Row, edits: tuple[Edit, ...]) -> Row:
        return Row((*row, *(edit.change["cell"] for edit in edits)))


class Subsets:
    """All sets of cells, without `rank`; the cells of a set are the bits of its rank."""

    def __init__(self, params: StepsParams) -> None:
        self.setting = params.cells
        self.max_rank = 1 << params.cells

    def unrank(self, rank: int) -> Row:
        return Row(cell for cell in range(self.setting) if rank >> cell & 1)

    def canonical_rank(self, rank: int) -> int:
        return min(rank, sum(1 << (self.setting - 1 - cell) for cell in self.unrank(rank)))
