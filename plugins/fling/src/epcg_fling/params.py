"""The params of the Fling! parts. Light: neither numpy nor numba is imported."""

from __future__ import annotations

from typing import Literal

import attrs

from epcg_core.plugin import EntropyParams, ParamsError, param

LARGEST_BOARD = 64
"""Cells; a board is one 64-bit word."""


@attrs.frozen
class BoardsParams:
    """All boards of one size with one number of pieces. The defaults are the game's board."""

    width: int = param(7, minimum=1, maximum=64, help="cells in a row")
    height: int = param(8, minimum=1, maximum=64, help="rows")
    pieces: int = param(6, minimum=1, maximum=64, help="pieces on the board")

    def __attrs_post_init__(self) -> None:
        if min(self.width, self.height, self.pieces) < 1:
            raise ParamsError(
                f"A board of {self.width} by {self.height} with {self.pieces} pieces is impossible: width, "
                "height and pieces must be 1 or more."
            )
        cells = _cells(self.width, self.height)
        if self.pieces > cells:
            raise ParamsError(
                f"{self.pieces} pieces do not fit on a board of {self.width} by {self.height}: it has "
                f"{cells} cells."
            )


@attrs.frozen
class EditsParams:
    """The boards that differ from a given one in `fewest` to `edits` cells."""

    board: str = param(
        from_file=True,
        help="the board: rows of 'o' and '.' separated by '/', or its cells: '3,17,40'; or its file",
    )
    width: int = param(7, minimum=1, maximum=64, help="cells in a row")
    height: int = param(8, minimum=1, maximum=64, help="rows")
    edits: int = param(1, minimum=1, maximum=64, help="cells that are edited, at most")
    fewest: int = param(1, minimum=0, maximum=64, help="cells that are edited, at least")

    def __attrs_post_init__(self) -> None:
        _cells(self.width, self.height)
        if self.fewest > self.edits:
            raise ParamsError(
                f"fewest: {self.fewest} cells at least and {self.edits} at most cannot both be edited."
            )


def _cells(width: int, height: int) -> int:
    """Return the number of cells. Raises ParamsError if no board has that number."""
    cells = width * height
    if cells > LARGEST_BOARD:
        raise ParamsError(
            f"A board of {width} by {height} has {cells} cells; at most {LARGEST_BOARD} are possible: make "
            "width or height smaller."
        )
    return cells


@attrs.frozen
class UniquenessParams:
    """Params of the evaluators that depend on the meaning of a unique solution."""

    uniqueness: Literal["successors", "moves"] = param(
        "successors",
        help="count distinct successors, or legal moves (two moves can reach the same successor)",
    )


@attrs.frozen
class ReachableParams:
    """Params for counting reachable boards."""

    limit: int = param(
        10_000_000,
        minimum=1,
        maximum=1_000_000_000,
        help="boards; a board from which more can be reached gets the status 'limit' (32 bytes each)",
    )


@attrs.frozen
class TreeParams:
    """Params for counting the nodes of trees of moves."""

    limit: int = param(
        100_000_000,
        minimum=1,
        maximum=1_000_000_000_000,
        help="nodes; a board whose tree of moves has more gets the status 'limit'",
    )


@attrs.frozen
class IndependentParams:
    """Params of the inference rule `independent`."""

    exclude: Literal["both", "one"] = param(
        "both",
        help="exclude both orders of two moves with the same result in either order, or keep the order that "
        "begins with the lower move",
    )


@attrs.frozen
class BoardEntropyParams(EntropyParams):
    """Params of the entropy of boards: by default for a player who knows the game's inference rule."""

    rules: tuple[str, ...] = param(("independent",), help="inference rules that the player knows, by name")
