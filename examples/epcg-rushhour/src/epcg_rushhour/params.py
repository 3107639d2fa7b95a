"""The parts' params."""

from __future__ import annotations

import attrs

from epcg_core.plugin import param


@attrs.frozen
class BoardsParams:
    """The board: a square."""

    size: int = param(4, minimum=4, maximum=6, help="cells in a row, and rows")
