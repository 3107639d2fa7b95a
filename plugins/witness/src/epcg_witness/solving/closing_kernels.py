"""Compiled checks of the regions that a line has closed, for `epcg_witness.solving.search_kernels`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import array_njit, bare_njit, bit_count, bit_index, lean_njit
from epcg_witness.solving.region_kernels import (
    colours_satisfied,
    covered,
    erasers_suffice,
    region_around,
    region_of,
    triangles_satisfied,
)
from epcg_witness.solving.search_tables import (
    ACROSS,
    CLOSED,
    CROSSING,
    ENDS_HERE,
    ENDS_IN_EDGES,
    EVERY,
    FIRST_VERTEX,
    LOOSE,
    PILLAR,
    RIGHT_WALLS,
    STAY,
    TWO_LINES,
    UPPER_WALLS,
    VISITED,
    SearchTables,
)
from epcg_witness.solving.tiling_kernels import Pieces

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_THREE = np.uint64(3)
_MIX, _MIX_MORE = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_SHIFT = np.uint64(52)


@bare_njit
def with_twins(tables: SearchTables, vertices: np.uint64) -> np.uint64:
    """Return a set of vertices and their twins."""
    if tables.settings[TWO_LINES] == 0:
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
    for way in range(4 if tables.settings[ENDS_IN_EDGES] == 1 else 0):
        edge = tables.edges[head, way]
        if edge >= 0 and tables.edge_marks[edge, ENDS_HERE] == 1 and drawn[edge] == 0:
            touched |= tables.edge_cells[edge] | tables.edge_cells[tables.twin_edge[edge]]
    return np.uint64(touched)


@lean_njit
def _find_slits(
    region: np.uint64,
    right_walls: np.uint64,
    upper_walls: np.uint64,
    width: int,
    pillar: bool,
    slits: NDArray[np.uint64],
) -> None:
    """Write into `slits` where walls have the region on both sides; `right_walls` without the border."""
    right = region >> _ONE
    if pillar:
        back = np.uint64(width - 1)
        first = _ZERO
        for y in range(64 // width):
            first |= _ONE << np.uint64(y * width)
        right = ((region & ~first) >> _ONE) | ((region & first) << back)
    slits[0] = right_walls & region & right
    slits[1] = upper_walls & region & (region >> np.uint64(width))


@lean_njit
def _open_halves(
    halves: NDArray[np.int64],
    marks: NDArray[np.int64],
    walls: NDArray[np.int64],
    drawn: NDArray[np.int64],
    visited: np.uint64,
    way: int,
) -> np.uint64:
    """Return the cells at whose side (way 0: right, 1: upper) half an edge leaves a way round its end."""
    found = _ZERO
    for row in range(4):
        edge = halves[row, 0]
        if edge >= 0 and walls[edge, way] >= 0 and visited >> np.uint64(halves[row, 1]) & _ONE == _ZERO:
            at = ACROSS if halves[row, 1] == marks[edge, FIRST_VERTEX] else ACROSS + 2
            one, other = marks[edge, at], marks[edge, at + 1]
            if not (one >= 0 and drawn[one] == 1) and not (other >= 0 and drawn[other] == 1):
                found |= _ONE << np.uint64(walls[edge, way])
    return np.uint64(found)


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
    right = words[depth, RIGHT_WALLS]
    upper = words[depth, UPPER_WALLS]
    if halves[0, 0] >= 0 or halves[2, 0] >= 0:
        visited = words[depth, VISITED]
        right &= ~_open_halves(halves, tables.edge_marks, tables.walls, drawn, visited, 0)
        upper &= ~_open_halves(halves, tables.edge_marks, tables.walls, drawn, visited, 1)
        right |= tables.right_walls
        upper |= tables.upper_walls
    rest = tables.all_cells & ~words[depth, CLOSED] & ~touched
    while rest != _ZERO:
        seed = rest & (~rest + _ONE)
        if tables.settings[PILLAR] == 1:
            region = region_around(seed, tables.all_cells, right, upper, pieces.width)
        else:
            region = region_of(seed, tables.all_cells, right, upper, pieces.width)
        rest &= ~region
        if region & touched != _ZERO:
            continue
        if tables.settings[CROSSING] == 0:
            _find_slits(
                region,
                words[depth, RIGHT_WALLS] & ~tables.last_column,
                words[depth, UPPER_WALLS],
                pieces.width,
                tables.settings[PILLAR] == 1,
                pieces.slits,
            )
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
            tables.settings[LOOSE] == 0 or touches(tables, bit_index(bit), region, drawn)
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
    # The rest depends on the region, on its slits, its violated triangles and on how many dots it misses.
    whole = pieces.slits[0] | pieces.slits[1] == _ZERO
    key = np.uint64(missed * 4)
    row = (region * _MIX ^ violated * _MIX_MORE ^ key * _MIX) >> _SHIFT
    known = memo[row, 2]
    if (
        whole
        and memo[row, 0] == region
        and memo[row, 1] == violated
        and known != _ZERO
        and known & ~_THREE == key
    ):
        return bool(known & _THREE == _THREE)
    erasers = tables.eraser_cells & region
    holds = _symbols_hold(
        tables.cells,
        tables.colours,
        tables.settings,
        tables.piece_cells,
        erasers,
        tables.symbol_cells & region & ~erasers & ~violated,
        pieces,
        region,
        must,
        most,
        chosen,
        tried,
    )
    if whole and tried[0] <= most:
        memo[row, 0] = region
        memo[row, 1] = violated
        memo[row, 2] = key | (_THREE if holds else _ONE)
    return holds


@array_njit
def _symbols_hold(
    cells: NDArray[np.int64],
    colours: NDArray[np.uint64],
    settings: NDArray[np.int64],
    occupied: np.uint64,
    erasers: np.uint64,
    others: np.uint64,
    pieces: Pieces,
    region: np.uint64,
    must: int,
    most: int,
    chosen: NDArray[np.int64],
    tried: NDArray[np.int64],
) -> bool:
    """Return whether the squares, stars and polyominoes of a region hold, `must` symbols being erased."""
    if erasers == _ZERO:
        return colours_satisfied(colours, region) and covered(cells, occupied, pieces, region)
    stay, every = settings[STAY] == 1, settings[EVERY] == 1
    return erasers_suffice(
        cells, colours, occupied, erasers, others, pieces, region, must, stay, every, most, chosen, tried
    )


@bare_njit
def touches(tables: SearchTables, vertex: int | np.int64, cells: np.uint64, drawn: NDArray[np.int64]) -> bool:
    """Return whether a way leads from one of `cells` to a vertex not visited, along edges not drawn."""
    for i in range(4):
        edge = tables.edges[vertex, 4 + i]
        if edge >= 0 and drawn[edge] == 0 and tables.edge_cells[edge] & cells != _ZERO:
            return True
    return False
