"""The parts' params: the grammar of segments, and the library that chains are made of."""

from __future__ import annotations

import attrs

from epcg_core.plugin import Library, param
from epcg_segments.rules import COLUMNS


@attrs.frozen
class SegmentsParams:
    """The kinds of column that may be used, and those that may stand beside each other."""

    columns: int = param(COLUMNS, minimum=2, maximum=60, help="columns of a segment")
    heights: int = param(3, minimum=1, maximum=6, help="heights of the ground: 1 to this")
    platforms: int = param(
        3, minimum=0, maximum=6, help="number of heights of platforms above the highest ground"
    )
    enemies: bool = param(
        True, help="whether an enemy may stand on the ground, with ground as high on both sides"
    )
    gap: int = param(3, minimum=0, maximum=8, help="columns of the widest gap")
    step: int = param(
        2, minimum=0, maximum=11, help="cells by which neighbours, or both sides of a gap, differ at most"
    )
    flat: int = param(2, minimum=1, maximum=10, help="columns of the narrowest ground of one height")
    board: int = param(2, minimum=1, maximum=10, help="columns of the narrowest platform")


@attrs.frozen
class ChainsParams:
    """The segments, and how many stand beside each other. Without a library it is made by rule."""

    length: int = param(3, minimum=1, maximum=12, help="segments of a chain")
    library: Library | None = param(
        None,
        help="segments of one width: { query = ... }, { run = ... } or { texts = [...] }; default: some of "
        "the grammar",
        named_if_default=False,
    )
    count: int = param(
        200, minimum=1, maximum=5000, help="without a library: how many segments of the grammar are taken"
    )
    grammar: SegmentsParams = param(
        SegmentsParams(), help="without a library: the params of the grammar", named_if_default=False
    )
