"""The generator `edits`: all boards that differ from a given one in a few pieces."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from epcg_core.plugin import Edit, EditedSpace
from epcg_fling.formats.boards import format_board, parse_board
from epcg_fling.params import EditsParams
from epcg_fling.rules import symmetry
from epcg_fling.rules.model import FlingModel
from epcg_fling.rules.moves import BoardShape

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class EditedBoards(EditedSpace[int]):
    """The boards made from one by adding a piece to an empty cell, or removing one, in a number of cells.

    States and packed arrays are those of `epcg_fling.generators.boards.Boards`.
    """

    domain_attributes = ("normal_form",)

    def __init__(self, params: EditsParams) -> None:
        self.setting = BoardShape(params.width, params.height)
        board = parse_board(self.setting, params.board)
        super().__init__(
            board, cell_edits(self.setting, board), edited, at_most=params.edits, at_least=params.fewest
        )

    def normal_form(self, state: int) -> int:
        """Return the same board for all boards that are equal up to symmetry and translation."""
        return symmetry.normal_form(self.setting, state)

    @cached_property
    def transition_model(self) -> FlingModel:
        """The transition model of the boards."""
        return FlingModel(self.setting)

    def states_block(self, start: int, count: int) -> NDArray[np.uint64]:
        """Return the boards of ranks start .. start + count - 1: (count,) uint64."""
        import numpy as np

        return np.fromiter((self.unrank(rank) for rank in range(start, start + count)), np.uint64, count)

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the boards of the (n,) ranks: (n,) uint64."""
        import numpy as np

        return np.fromiter((self.unrank(rank) for rank in ranks.tolist()), np.uint64, len(ranks))

    def parse(self, text: str) -> int:
        """Read the board that `text` shows (see `parse_board`)."""
        return parse_board(self.setting, text)

    def format(self, state: int) -> str:
        """Write the board as rows of 'o' and '.', which `parse` reads."""
        return format_board(self.setting, state)


def cell_edits(shape: BoardShape, board: int) -> tuple[Edit, ...]:
    """Return the edit of each cell in order: its piece is removed, or one is added."""
    return tuple(_edit(shape, board, cell) for cell in range(shape.cells))


def edited(board: int, edits: tuple[Edit, ...]) -> int:
    """Return the board after edits."""
    for edit in edits:
        board ^= 1 << edit.change["cell"]
    return board


def _edit(shape: BoardShape, board: int, cell: int) -> Edit:
    row, column = cell // shape.width + 1, cell % shape.width + 1
    change = "removed" if board >> cell & 1 else "added"
    return Edit(
        cell,
        f"column {column}, row {row}: piece {change}",
        {"cell": cell, "row": row, "column": column, "piece": change},
    )
