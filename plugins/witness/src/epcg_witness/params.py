"""The params of the Witness parts. Light: neither numpy nor numba is imported."""

from __future__ import annotations

import hashlib
from typing import Literal

import attrs

from epcg_core.plugin import DifferentialParams, EntropyParams, ParamsError, documents, param
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
class PiecesByLineParams(PiecesParams):
    """All panels with polyominoes of a library that lines solve, line by line."""

    panels: Literal["once", "each_line", "unique"] = param(
        "once",
        help="a panel occurs once, under the first line that solves it, or under each_line that does; "
        "unique: only panels that one line solves",
    )
    line: str = param(
        "", help="only panels that this line solves: its moves from the lower left corner, as 'URDRUURU'"
    )

    @property
    def all_panels(self) -> PiecesParams:
        """The panels among which they are, solved or not."""
        return PiecesParams(self.width, self.height, self.pieces, self.library)


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
        None, help="only the cells marked '#': rows of '#' and '.', the top one first, as '##./...'"
    )
    locations: tuple[int, ...] | None = param(
        None, minimum=0, help="only these sites, by number (edges, then vertices behind them)"
    )


@attrs.frozen
class PlacementParams:
    """All ways to place groups of symbols on a panel."""

    groups: tuple[GroupParams, ...] = param(help="what to place: symbols, count, where")
    width: int = param(3, minimum=1, maximum=LARGEST_SIDE, help=f"{_WIDTH}, if no panel is drawn")
    height: int = param(3, minimum=1, maximum=LARGEST_SIDE, help=f"{_HEIGHT}, if no panel is drawn")
    panel: str | None = param(
        None, from_file=True, help="a drawing of the panel to which the symbols are added, or its file"
    )


@attrs.frozen
class BlanksParams:
    """All ways to fill the cells of a panel that are marked '?'."""

    panel: str = param(
        from_file=True, help="a drawing of the panel, with '?' in the cells to fill, or its file"
    )
    symbols: tuple[str, ...] = param(help="what a blank can hold: 'square black', 'star white', .., 'none'")


@attrs.frozen
class EditsParams:
    """The panels that differ from a given one in `fewest` to `edits` places."""

    panel: str = param(from_file=True, help="a drawing of the panel, or its file")
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
    """Params for counting solutions."""

    unsolvable: Literal["count", "none"] = param(
        "count",
        help="a panel without solutions has 0 of them, or no value (then the best has fewest, at least one)",
    )


RULE_NAMES = ("path", "reach-goal", "separation", "triangle", "along-the-path", "region-completion")
PUBLISHED_RULES = RULE_NAMES[:3]
"""The rules under which the published tables were made (Chen, White & Sturtevant 2023)."""
_RULES_HELP = f"the inference rules that the player knows: {', '.join(RULE_NAMES)}"
_LIMIT_HELP = "partial paths; a panel with more gets the status 'limit'"


Counting = Literal["exact", "published"]


@attrs.frozen
class TriangleParams:
    """Params of the inference rule `triangle`."""

    counting: Counting = param(
        "exact",
        help="which edges of the cells below a move to the left are counted: all four, or, as the published "
        "program of 2024 does, the left one twice and the top one not at all",
    )


@attrs.frozen
class PanelEntropyParams(EntropyParams):
    """The defaults are those of the published tables."""

    rules: tuple[str, ...] = param(
        PUBLISHED_RULES, help=f"{_RULES_HELP}; with all six fewer panels are equally hard"
    )
    collapse_zero: bool = param(True, help="for muse: a state all of whose children are 0 is 0 itself")
    limit: int = param(100_000_000, minimum=1, help=_LIMIT_HELP)


@attrs.frozen
class PanelDifferentialParams(DifferentialParams):
    """Params of the effect of one rule."""

    rules: tuple[str, ...] = param(RULE_NAMES, help=_RULES_HELP)
    collapse_zero: bool = param(True, help="for muse: a state all of whose children are 0 is 0 itself")
    limit: int = param(100_000_000, minimum=1, help=_LIMIT_HELP)


@attrs.frozen
class WindmillFileParams:
    """A file of puzzles as The Windmill stores them. Its digest is part of what identifies the space."""

    path: str = param(
        help="a JSON file, gzipped or not: a list of puzzles, each with its contents", names_file=True
    )
    sha256: str = param("", help="the digest of the file; default: that of the file as it is")
    ids: tuple[str, ...] = param(
        (), help="only the puzzles with these ids, in the order of the file; default: all puzzles"
    )

    def __attrs_post_init__(self) -> None:
        if not self.sha256:
            object.__setattr__(self, "sha256", hashlib.sha256(read_bytes(self.path)).hexdigest())


def read_bytes(path: str) -> bytes:
    """Return the content of a file. Raises ParamsError if it cannot be read."""
    return documents.read_bytes(documents.place_of(path), "file of puzzles", ParamsError)


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
    candidates: int = param(0, minimum=0, help="panels drawn at random, the others left out; 0: all panels")
    seed: int = param(0, minimum=0, help="of the drawing")

    def __attrs_post_init__(self) -> None:
        every = self.panels  # refuses too many pieces
        if self.seed and not self.candidates:
            raise ParamsError("seed: nothing is drawn if all panels are candidates: set candidates.")
        if self.restriction == "not_one_region" and every.pieces < 2:
            raise ParamsError(
                f"restriction: {every.pieces} pieces always lie in one region, so no set of sub-panels has "
                "a value: set pieces to 2 or more."
            )

    @property
    def panels(self) -> PiecesParams:
        """The panels that the sub-panels are taken from."""
        return PiecesParams(self.width, self.height, self.pieces, self.library)
