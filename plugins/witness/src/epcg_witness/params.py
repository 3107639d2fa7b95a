"""The params of the Witness parts. Light: neither numpy nor numba is imported."""

from __future__ import annotations

from typing import Literal

import attrs

from epcg_core.errors import ParamsError
from epcg_core.params import param
from epcg_witness.rules.grid import LARGEST_SIDE, grid_of

_WIDTH = "cells in a row"
_HEIGHT = "rows of cells"


@attrs.frozen
class MustCrossParams:
    """All placements of must-cross dots on the edges and vertices of an empty panel."""

    width: int = param(3, minimum=1, maximum=LARGEST_SIDE, help=_WIDTH)
    height: int = param(3, minimum=1, maximum=LARGEST_SIDE, help=_HEIGHT)
    count: int = param(2, minimum=0, help="dots on the panel")

    def __attrs_post_init__(self) -> None:
        locations = grid_of(self.width, self.height).locations
        if self.count > locations:
            raise ParamsError(
                f"{self.count} dots do not fit on a panel of {self.width} by {self.height}: it has "
                f"{locations} edges and vertices."
            )


@attrs.frozen
class PiecesParams:
    """All placements of polyominoes of a library in the cells of an empty panel."""

    width: int = param(3, minimum=1, maximum=LARGEST_SIDE, help=_WIDTH)
    height: int = param(3, minimum=1, maximum=LARGEST_SIDE, help=_HEIGHT)
    pieces: int = param(3, minimum=0, help="cells that hold a piece")
    library: Literal["without_s_and_z", "up_to_four"] = param(
        "without_s_and_z",
        help="fixed polyominoes of one to four cells: 24, without the S and Z tetrominoes, or all 28",
    )

    def __attrs_post_init__(self) -> None:
        if self.pieces > self.width * self.height:
            raise ParamsError(
                f"{self.pieces} pieces do not fit into a panel of {self.width} by {self.height}: it has "
                f"{self.width * self.height} cells."
            )


@attrs.frozen
class GroupParams:
    """Symbols to be placed: `count` sites of those that are allowed, each with one of `symbols`."""

    symbols: tuple[str, ...] = param(
        help="what a site can hold: 'square black', 'polyomino ##/#. free', 'dot', 'gap', .. or 'none'"
    )
    count: int = param(1, minimum=0, help="how many sites are chosen")
    where: Literal["cells", "edges", "vertices", "lines"] = param(
        "cells", help="allowed sites: 'lines' are edges and vertices"
    )
    mask: str | None = param(
        None, help="of the cells only those marked '#': rows of '#' and '.', the top one first, as '##./...'"
    )
    locations: tuple[int, ...] | None = param(
        None, minimum=0, help="of the sites only these, by number (edges, then vertices behind them)"
    )


@attrs.frozen
class PlacementParams:
    """All ways to place groups of symbols on a panel."""

    groups: tuple[GroupParams, ...] = param(help="what to place: symbols, count, where")
    width: int = param(3, minimum=1, maximum=LARGEST_SIDE, help=f"{_WIDTH}, where no panel is drawn")
    height: int = param(3, minimum=1, maximum=LARGEST_SIDE, help=f"{_HEIGHT}, where no panel is drawn")
    panel: str | None = param(None, help="a drawing of the panel that they are added to")


@attrs.frozen
class BlanksParams:
    """All ways to fill the cells of a panel that are marked '?'."""

    panel: str = param(help="a drawing of the panel, with '?' in the cells to fill")
    symbols: tuple[str, ...] = param(help="what a blank can hold: 'square black', 'star white', .., 'none'")


@attrs.frozen
class EditsParams:
    """The panels that differ from a given one in `fewest` to `edits` places."""

    panel: str = param(help="a drawing of the panel")
    symbols: tuple[str, ...] = param(
        (), help="what a cell's symbol can become: 'square black', ..; by default what is on the panel"
    )
    add: bool = param(False, help="whether empty cells get symbols too")
    edits: int = param(1, minimum=1, maximum=64, help="places that are edited, at most")
    fewest: int = param(1, minimum=0, maximum=64, help="places that are edited, at least")

    def __attrs_post_init__(self) -> None:
        if self.fewest > self.edits:
            raise ParamsError(
                f"fewest: {self.fewest} places at least and {self.edits} at most cannot both be edited."
            )


@attrs.frozen
class SolutionsParams:
    """For counting solutions."""

    unsolvable: Literal["count", "none"] = param(
        "count",
        help="a panel without solutions has 0 of them, or no value (then the best has fewest, at least one)",
    )
