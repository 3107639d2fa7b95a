"""One solved board of a game that is too large to search whole: a random search with restarts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import attrs

from epcg_tangram.design.layout import Layout
from epcg_tangram.design.shapes import regions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

USUAL_LIMIT = 5_000_000
"""Placements that are tried: some ten seconds."""
_FIRST_TRY = 1_000
"""Placements that are tried before the search begins again, times the sequence of Luby."""


@attrs.frozen
class OneCover:
    """The outcome of a search for one solved board."""

    outcome: Literal["found", "none", "limit"]
    """`none` if there is none, `limit` if it is not known."""
    placements: tuple[int, ...]
    """Ascending; () if none was found."""
    tried: int
    """How many placements were tried."""


def one_cover(
    layout: Layout, copies: Sequence[tuple[int, int]], seed: int = 0, limit: int = USUAL_LIMIT
) -> OneCover:
    """Search one solved board at random, with the same outcome for the same seed.

    Args:
        layout: the board with its placements.
        copies: the fewest and most copies of each piece.
        seed: the beginning of the random numbers.
        limit: the most placements that are tried.
    """
    import numpy as np

    from epcg_tangram.rules.one_cover_kernels import FOUND, LIMIT, search

    definition, placements = layout.definition, layout.placements
    numbers = np.arange(len(copies) + 1)
    piece_of = np.array([own.piece for own in placements], np.int64)
    on: list[list[int]] = [[] for _ in range(layout.cells)]
    for number, placement in enumerate(placements):
        for cell in placement.cells:
            on[cell].append(number)
    optional = np.zeros(layout.cells, np.bool_)
    optional[list(definition.optional)] = True
    random = np.array([(2 * seed + 1) * 0x9E3779B97F4A7C15 % 2**64], np.uint64)
    out, told = np.zeros(layout.cells + 1, np.int64), np.zeros(2, np.int64)
    arguments = (
        *_rows([own.cells for own in placements]), piece_of, *_rows(on),
        np.searchsorted(piece_of, numbers), *_rows(layout.neighbours),
        np.array([least for least, _ in copies], np.int64), np.array([most for _, most in copies], np.int64),
        optional, definition.most_empty, definition.empty is not None,
        -1 if definition.unused in (None, 0) else definition.unused, _sums(layout), random,
    )  # fmt: skip
    tried = 0
    for times in _luby():
        found = search(*arguments, min(times * _FIRST_TRY, limit - tried), out, told)
        tried += int(told[1])
        if found == FOUND:
            return OneCover("found", tuple(sorted(out[: told[0]].tolist())), tried)
        if found != LIMIT:
            return OneCover("none", (), tried)
        if tried >= limit:
            break
    return OneCover("limit", (), tried)


def _rows(rows: Iterable[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each row begins and ends in one array, and that array."""
    import numpy as np

    listed = [*rows]
    starts = np.zeros(len(listed) + 1, np.int64)
    starts[1:] = np.cumsum([len(row) for row in listed], dtype=np.int64)
    return starts, np.array([own for row in listed for own in row], np.int64)


def _sums(layout: Layout) -> NDArray[np.bool_]:
    """Return which sizes of regions pieces, or parts of them, can fill; none if cells may stay empty."""
    import numpy as np

    if layout.definition.most_empty:
        return np.zeros(0, np.bool_)
    sizes = {len(part) for kind in layout.definition.pieces for part in regions(layout.lattice, kind.shape)}
    found = np.zeros(layout.cells + 1, np.bool_)
    found[0] = True
    for size in range(1, layout.cells + 1):
        found[size] = any(own <= size and found[size - own] for own in sizes)
    return found


def _luby() -> Iterator[int]:
    """Yield 1, 1, 2, 1, 1, 2, 4, ... (Luby, Sinclair & Zuckerman, 1993): how long to try each time."""
    low, high = 1, 1
    while True:
        yield high
        low, high = (low + 1, 1) if low & -low == high else (low, 2 * high)
