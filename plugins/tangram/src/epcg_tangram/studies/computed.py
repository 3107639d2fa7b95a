"""Values of the tangram's publication that take more than one SELECT."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from epcg_tangram.rules.geometry import PIECE_ORDER, geometry

if TYPE_CHECKING:
    from epcg_core.reproduce import Bench

SIDE = 3


def cells(bench: Bench) -> int:
    """Count the triangles of the board."""
    return geometry(SIDE).cells


def edge_pairs(bench: Bench) -> int:
    """Count the pairs of triangles that share an edge."""
    return len(geometry(SIDE).edge_pairs)


def corner_pairs(bench: Bench) -> int:
    """Count the pairs of triangles that share a vertex of the lattice but no edge."""
    return len(geometry(SIDE).corner_pairs)


def symmetries(bench: Bench) -> int:
    """Count the symmetries that map the board to itself."""
    return len(set(geometry(SIDE).symmetries))


def placements(bench: Bench, name: str) -> int:
    """Count the placements of a piece."""
    return sum(PIECE_ORDER[placement.piece] == name for placement in geometry(SIDE).placements)


def lowest(rows: Sequence[tuple[Any, ...]]) -> float:
    """Return the lowest of the rows' values."""
    return min(_values(rows))


def highest(rows: Sequence[tuple[Any, ...]]) -> float:
    """Return the highest of the rows' values."""
    return max(_values(rows))


def mean(rows: Sequence[tuple[Any, ...]]) -> float:
    """Return the mean of the rows' values."""
    return statistics.fmean(_values(rows))


def median(rows: Sequence[tuple[Any, ...]]) -> float:
    """Return the median of the rows' values."""
    return statistics.median(_values(rows))


def deviation(rows: Sequence[tuple[Any, ...]]) -> float:
    """Return the standard deviation of all (divided by their number)."""
    return statistics.pstdev(_values(rows))


def _values(rows: Sequence[tuple[Any, ...]]) -> list[float]:
    return [float(value) for (value,) in rows]
