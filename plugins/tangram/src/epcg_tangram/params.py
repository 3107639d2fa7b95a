"""Params of the tangram's parts."""

from __future__ import annotations

from typing import Literal

import attrs

from epcg_core.params import param
from epcg_tangram.rules.geometry import PIECE_ORDER, TRAPEZOID

COMPOUNDS = tuple(name for name in PIECE_ORDER if name != TRAPEZOID)


@attrs.frozen
class BoardsParams:
    """Which boards are to be covered, and with what."""

    side: int = param(3, minimum=1, maximum=12, help="triangles along a side of the hexagon")
    without: tuple[str, ...] = param((), help="pieces of six triangles that may not be used")
    copies: int = param(1, minimum=1, maximum=100, help="how often each of the others may be used")
    trapezoids: int = param(2, minimum=0, maximum=100, help="how many trapezoids may be used")
    boards: Literal["distinct", "all"] = param(
        "distinct", help="count boards modulo the 12 symmetries, or all of them"
    )


@attrs.frozen
class PartialBoardsParams(BoardsParams):
    """The frontier of the search for boards."""

    depth: int = param(2, minimum=0, maximum=20, help="pieces on the partial boards")


@attrs.frozen
class BumpParams:
    """Which patterns there are."""

    group_one: Literal["blocked", "none"] = param(
        "blocked",
        help="what one side of the first two asymmetric pieces has: bumps everywhere, or holes everywhere "
        "(the paper's word)",
    )


@attrs.frozen
class BackParams:
    """Which boards are tried on the back."""

    boards: BoardsParams = attrs.field(factory=BoardsParams, metadata={"help": "as for solved_boards"})
