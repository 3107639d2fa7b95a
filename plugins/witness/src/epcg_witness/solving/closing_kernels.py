"""Whether the regions hold that a line has closed, for `epcg_witness.solving.search_kernels`, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.combinatorics.kernels import bit_count, bit_index
from epcg_core.compiled import array_njit, bare_njit
from epcg_witness.solving.region_kernels import (
    colours_satisfied,
    covered,
    erasers_suffice,
    region_around,
    region_of,
    triangles_satisfied,
)
from epcg_witness.solving.search_tables import CLOSED, RIGHT_WALLS, UPPER_WALLS, VISITED, SearchTables
from epcg_witness.solving.tiling_kernels import Pieces

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_THREE = np.uint64(3)
_MIX, _MIX_MORE = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_SHIFT = np.uint64(52)


@bare_njit
def with_twins(tables: SearchTables, vertices: np.uint64) -> np.uint64:
    """Return a set of vertices and their twins."""
    if not tables.two_lines:
        return vertices
    found = vertices
    rest = vertices
    while rest != _ZERO:
        bit = rest & (~rest + _ONE)
        rest ^= bit
        found |= _ONE << np.uint64(tables.twin_vertex[bit_index(bit)])
    return np.uint64(found)


@bare_njit
def touched_later(tables: SearchTables, head: int, onward: np.uint64, drawn: NDArray[np.int64]) -> np.uint64:
    """Return the cells that further steps can touch: to vertices `onward`, or from the head into an edge."""
    touched = _ZERO
    vertices = with_twins(tables, onward)
    while vertices != _ZERO:
        bit = vertices & (~vertices + _ONE)
        vertices ^= bit
        touched |= tables.vertex_cells[bit_index(bit)]
    for way in range(4):
        edge = tables.edges[head, way]
        if edge >= 0 and tables.half_ends[edge] == 1 and drawn[edge] == 0:
            touched |= tables.edge_cells[edge] | tables.edge_cells[tables.twin_edge[edge]]
    return np.uint64(touched)


@bare_njit
def _find_slits(
    tables: SearchTables, pieces: Pieces, depth: int, region: np.uint64, words: NDArray[np.uint64]
) -> None:
    """Write into `pieces.slits` where lines have the region on both sides."""
    row = np.uint64(pieces.width)
    right = region >> _ONE
    if tables.pillar:
        back = np.uint64(pieces.width - 1)
        first = _ZERO
        for y in range(pieces.height):
            first |= _ONE << np.uint64(y * pieces.width)
        right = ((region & ~first) >> _ONE) | ((region & first) << back)
    pieces.slits[0] = words[depth, RIGHT_WALLS] & region & right & ~tables.last_column
    pieces.slits[1] = words[depth, UPPER_WALLS] & region & (region >> row)


@bare_njit
def closed_hold(
    tables: SearchTables,
    pieces: Pieces,
    depth: int,
    touched: np.uint64,
    most: int,
    words: NDArray[np.uint64],
    drawn: NDArray[np.int64],
    chosen: NDArray[np.int64],
    memo: NDArray[np.uint64],
    tried: NDArray[np.int64],
    halves: NDArray[np.int64],
) -> bool:
    """Return whether the regions without cells that further steps have `touched` hold; they become CLOSED."""
    # An edge drawn by half parts nothing if there is a way round its far vertex.
    right = words[depth, RIGHT_WALLS]
    upper = words[depth, UPPER_WALLS]
    for row in range(4):
        edge = halves[row, 0]
        if edge >= 0 and words[depth, VISITED] >> np.uint64(halves[row, 1]) & _ONE == _ZERO:
            at = 1 if halves[row, 1] == tables.across[edge, 0] else 3
            one, other = tables.across[edge, at], tables.across[edge, at + 1]
            if (one >= 0 and drawn[one] == 1) or (other >= 0 and drawn[other] == 1):
                continue
            if tables.walls[edge, 0] >= 0:
                right &= ~(_ONE << np.uint64(tables.walls[edge, 0]))
            if tables.walls[edge, 1] >= 0:
                upper &= ~(_ONE << np.uint64(tables.walls[edge, 1]))
    right |= tables.right_walls
    upper |= tables.upper_walls
    rest = tables.all_cells & ~words[depth, CLOSED] & ~touched
    while rest != _ZERO:
        seed = rest & (~rest + _ONE)
        if tables.pillar:
            region = region_around(seed, tables.all_cells, right, upper, pieces.width)
        else:
            region = region_of(seed, tables.all_cells, right, upper, pieces.width)
        rest &= ~region
        if region & touched != _ZERO:
            continue
        if not tables.crossing:
            _find_slits(tables, pieces, depth, region, words)
        if not _region_holds(tables, pieces, region, words[depth, VISITED], most, drawn, chosen, memo, tried):
            return False
        words[depth, CLOSED] |= region
    return True


@bare_njit
def _region_holds(
    tables: SearchTables,
    pieces: Pieces,
    region: np.uint64,
    visited: np.uint64,
    most: int,
    drawn: NDArray[np.int64],
    chosen: NDArray[np.int64],
    memo: NDArray[np.uint64],
    tried: NDArray[np.int64],
) -> bool:
    """Return whether a closed region satisfies its symbols, and the dots on its lines."""
    missed = 0
    rest = tables.vertex_dots & ~visited
    while rest != _ZERO:
        bit = rest & (~rest + _ONE)
        rest ^= bit
        if tables.vertex_cells[bit_index(bit)] & region != _ZERO and (
            not tables.loose or touches(tables, bit_index(bit), region, drawn)
        ):
            missed += 1
    for edge in tables.edge_dots:
        if drawn[edge] == 0 and tables.edge_cells[edge] & region != _ZERO:
            missed += 1
    violated = _ZERO
    rest = tables.triangle_cells & region
    while rest != _ZERO:
        bit = rest & (~rest + _ONE)
        rest ^= bit
        if not triangles_satisfied(tables.cells, drawn, bit):
            violated |= bit
    must = missed + int(bit_count(violated))
    if must > bit_count(tables.eraser_cells & region):
        return False
    if (tables.piece_cells | tables.eraser_cells) & region == _ZERO:
        return colours_satisfied(tables.colours, region)
    if pieces.slits[0] | pieces.slits[1] != _ZERO:
        return _symbols_hold(tables, pieces, region, violated, must, most, chosen, tried)
    # The rest depends on the region, on its violated triangles and on how many dots it misses.
    key = np.uint64(missed * 4)
    row = (region * _MIX ^ violated * _MIX_MORE ^ key * _MIX) >> _SHIFT
    known = memo[row, 2]
    if memo[row, 0] == region and memo[row, 1] == violated and known != _ZERO and known & ~_THREE == key:
        return bool(known & _THREE == _THREE)
    holds = _symbols_hold(tables, pieces, region, violated, must, most, chosen, tried)
    if tried[0] <= most:
        memo[row, 0] = region
        memo[row, 1] = violated
        memo[row, 2] = key | (_THREE if holds else _ONE)
    return holds


@array_njit
def _symbols_hold(
    tables: SearchTables,
    pieces: Pieces,
    region: np.uint64,
    violated: np.uint64,
    must: int,
    most: int,
    chosen: NDArray[np.int64],
    tried: NDArray[np.int64],
) -> bool:
    """Return whether the squares, stars and polyominoes of a region hold, `must` symbols being erased."""
    erasers = tables.eraser_cells & region
    if erasers == _ZERO:
        return colours_satisfied(tables.colours, region) and covered(
            tables.cells, tables.piece_cells, pieces, region
        )
    return erasers_suffice(
        tables.cells,
        tables.colours,
        tables.piece_cells,
        erasers,
        tables.symbol_cells & region & ~erasers & ~violated,
        pieces,
        region,
        must,
        tables.stay,
        tables.every,
        most,
        chosen,
        tried,
    )


@bare_njit
def touches(tables: SearchTables, vertex: int | np.int64, cells: np.uint64, drawn: NDArray[np.int64]) -> bool:
    """Return whether a way leads from one of `cells` to a vertex not visited, along edges not drawn."""
    for i in range(4):
        edge = tables.vertex_edges[vertex, i]
        if edge >= 0 and drawn[edge] == 0 and tables.edge_cells[edge] & cells != _ZERO:
            return True
    return False
