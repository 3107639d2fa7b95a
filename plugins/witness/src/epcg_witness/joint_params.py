"""The params of the joint sub-panels. Light: neither numpy nor numba is imported."""

from __future__ import annotations

from typing import Literal

import attrs

from epcg_core.errors import ParamsError
from epcg_core.params import param
from epcg_witness.params import PiecesParams
from epcg_witness.rules.grid import LARGEST_SIDE

Restriction = Literal["none", "different_types", "not_one_region"]


@attrs.frozen
class JointPanelsParams:
    """Sets of sub-panels with polyominoes that one path solves together (Sturtevant & Ota 2018)."""

    width: int = param(3, minimum=1, maximum=LARGEST_SIDE, help="cells in a row of a sub-panel")
    height: int = param(3, minimum=1, maximum=LARGEST_SIDE, help="rows of cells of a sub-panel")
    pieces: int = param(3, minimum=0, help="cells of a sub-panel that hold a piece")
    library: Literal["without_s_and_z", "up_to_four"] = param(
        "without_s_and_z",
        help="fixed polyominoes of one to four cells: 24, without the S and Z tetrominoes, or all 28",
    )
    sub_panels: int = param(3, minimum=2, help="sub-panels of a set")
    restriction: Restriction = param(
        "none",
        help="different_types: no piece of the library twice in a sub-panel; "
        "not_one_region: the joint solution does not leave all pieces of a sub-panel in one region",
    )
    candidates: int = param(
        0, minimum=0, help="draw so many of all panels at random and leave the others out; 0: take all"
    )
    seed: int = param(0, minimum=0, help="of the drawing")

    def __attrs_post_init__(self) -> None:
        every = self.panels  # refuses too many pieces
        if self.seed and not self.candidates:
            raise ParamsError("seed: nothing is drawn where all panels are candidates: set candidates.")
        if self.restriction == "not_one_region" and every.pieces < 2:
            raise ParamsError(
                f"restriction: {every.pieces} pieces always lie in one region, so no set of sub-panels has "
                "a value: set pieces to 2 or more."
            )

    @property
    def panels(self) -> PiecesParams:
        """The panels that the sub-panels are taken from."""
        return PiecesParams(self.width, self.height, self.pieces, self.library)
