"""The parts' params, and the frame that boards are in."""

from __future__ import annotations

import attrs

from epcg_core.plugin import param


@attrs.frozen
class BoardsParams:
    """The frame: all cells but one hold a tile."""

    rows: int = param(3, minimum=2, maximum=5, help="cells from top to bottom")
    columns: int = param(3, minimum=2, maximum=5, help="cells in a row")
