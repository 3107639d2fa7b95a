"""The compiled search for the solutions of one panel, which checks regions as soon as they are closed.

Depth first over the paths, with symmetry over pairs of lines that move together. A region is closed when no
vertex within reach of the head touches it: no further edge can change it, so if it is violated, the path is
given up. `epcg_witness.rules.search` is the plain form.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import bare_njit, bit_count, bit_index, lean_njit
from epcg_witness.solving.closing_kernels import closed_hold, touched_later, touches, with_twins
from epcg_witness.solving.path_kernels import flood, flood_around
from epcg_witness.solving.region_kernels import TRIANGLES
from epcg_witness.solving.search_tables import (
    CLOSED,
    COLUMNS,
    DIRECTION,
    DONE,
    EDGE,
    ENDS_HERE,
    ENDS_IN_EDGES,
    HEAD,
    LIMIT,
    LONGEST,
    LOOSE,
    LOOSE_DOT,
    NODES,
    PILLAR,
    REACHED,
    RIGHT_WALLS,
    SECOND_EDGE,
    SHORTEST,
    SOLUTIONS,
    STOPPED,
    UPPER_WALLS,
    VIOLATED,
    VISITED,
    WORDS,
    SearchTables,
)
from epcg_witness.solving.tiling_kernels import Pieces

_ONE = np.uint64(1)
_ZERO = np.uint64(0)


@lean_njit
def search(
    tables: SearchTables,
    pieces: Pieces,
    limit: int,
    stop: int,
    words: NDArray[np.uint64],
    numbers: NDArray[np.int64],
    drawn: NDArray[np.int64],
    chosen: NDArray[np.int64],
    memo: NDArray[np.uint64],
    tried: NDArray[np.int64],
    halves: NDArray[np.int64],
    paths_out: NDArray[np.int64],
    out: NDArray[np.int64],
) -> int:
    """Count the solutions of one panel; returns DONE, STOPPED at `stop` solutions, or LIMIT.

    A node is a step of a path that can still reach an end, or a choice of symbols that erasers remove.
    Room: `words` (DEPTHS, WORDS), `numbers` (DEPTHS, 3), `drawn` (edges,) zeros, `chosen` (cells,),
    `memo` (MEMO, 3) zeros, `tried` (1,) zeros, `halves` (4, 2) of -1. Out: in
    the rows of `paths_out`, (most, DEPTHS) int64 of -1, the vertices of the first solutions; in `out`, (4,)
    zeros, their number, the edges of the shortest and the longest, and the nodes.
    """
    pillar, columns = tables.settings[PILLAR] == 1, tables.settings[COLUMNS]
    in_edges, loose = tables.settings[ENDS_IN_EDGES] == 1, tables.settings[LOOSE] == 1
    for index in range(tables.free.size):
        start, origin, free = tables.starts[index, 0], tables.starts[index, 1], tables.free[index]
        depth = 0
        numbers[0, HEAD] = start
        numbers[0, DIRECTION] = 0
        words[0, VISITED] = (_ONE << np.uint64(start)) | (_ONE << np.uint64(tables.twin_vertex[start]))
        words[0, REACHED] = free
        words[0, CLOSED] = _ZERO
        words[0, RIGHT_WALLS] = tables.right_walls
        words[0, UPPER_WALLS] = tables.upper_walls
        words[0, VIOLATED] = _ZERO
        if origin >= 0 or in_edges:
            if origin >= 0:
                _begin(tables, start, origin, words, drawn, halves)
            if _take_ends(
                tables, pieces, 0, origin, origin >= 0, stop, limit, words, numbers, drawn, chosen, memo,
                tried, halves, paths_out, out,
            ):  # fmt: skip
                out[NODES] += tried[0]
                return STOPPED
        while depth >= 0:
            if numbers[depth, DIRECTION] == 4:
                if depth > 0:
                    _undraw(tables, numbers[depth, EDGE], drawn)
                depth -= 1
                continue
            way = numbers[depth, DIRECTION]
            numbers[depth, DIRECTION] += 1
            to = tables.neighbours[numbers[depth, HEAD], way]
            if to < 0 or tables.edges[numbers[depth, HEAD], way] == origin:
                continue
            bit = _ONE << np.uint64(to)
            untouched = free & ~words[depth, VISITED]
            if untouched & bit == _ZERO:
                continue
            if pillar:
                reached = flood_around(bit, untouched, tables.not_left, tables.not_right, columns)
            else:
                reached = flood(bit, untouched, tables.not_left, tables.not_right, columns)
            if reached & tables.reach_ends == _ZERO:
                continue
            out[NODES] += 1
            if out[NODES] + tried[0] > limit:
                out[NODES] += tried[0]
                return LIMIT
            depth += 1
            _step(
                tables, depth, to, tables.edges[numbers[depth - 1, HEAD], way], reached, words, numbers, drawn
            )
            onward = reached & ~bit
            holds = _may_go_on(tables, depth, onward, words, numbers, drawn)
            # First the regions that the step has closed, then, if the line may end here, all that are left.
            for ending in range(2 if holds else 0):
                if ending == 0:
                    if not _closes(tables, depth, words, numbers):
                        continue
                    touched = touched_later(tables, numbers[depth, HEAD], onward, drawn)
                else:
                    if tables.ends & bit == _ZERO or (
                        loose and not _no_dot_lost(tables, depth, words, drawn)
                    ):
                        break
                    touched = _ZERO
                closed = words[depth, CLOSED]
                well = closed_hold(
                    tables, pieces, depth, touched, limit - out[NODES], words, drawn, chosen, memo, tried,
                    halves,
                )  # fmt: skip
                if ending == 0:
                    holds = well
                    if not holds:
                        break
                else:
                    words[depth, CLOSED] = closed
                    if well:
                        _found(tables, depth, origin, -1, numbers, paths_out, out)
                        if out[SOLUTIONS] == stop:
                            out[NODES] += tried[0]
                            return STOPPED
            if holds:
                if in_edges and _take_ends(
                    tables, pieces, depth, origin, False, stop, limit, words, numbers, drawn, chosen, memo,
                    tried, halves, paths_out, out,
                ):  # fmt: skip
                    out[NODES] += tried[0]
                    return STOPPED
                holds = onward & tables.reach_ends != _ZERO
            if not holds:
                numbers[depth, DIRECTION] = 4
        if origin >= 0:
            _undraw(tables, origin, drawn)
            halves[0, 0] = halves[1, 0] = -1
        if out[NODES] + tried[0] > limit:
            out[NODES] += tried[0]
            return LIMIT
    out[NODES] += tried[0]
    return DONE


@lean_njit
def _begin(
    tables: SearchTables,
    start: int | np.int64,
    origin: int,
    words: NDArray[np.uint64],
    drawn: NDArray[np.int64],
    halves: NDArray[np.int64],
) -> None:
    """Draw the edge `origin` in whose middle a line begins that goes on over `start`."""
    _draw(tables, 0, origin, words, drawn)
    far = tables.edge_ends[origin] & ~(_ONE << np.uint64(start))
    _note_half(tables, 0, origin, bit_index(far), halves)


@lean_njit
def _take_ends(
    tables: SearchTables,
    pieces: Pieces,
    depth: int,
    origin: int,
    here: bool,
    stop: int,
    limit: int,
    words: NDArray[np.uint64],
    numbers: NDArray[np.int64],
    drawn: NDArray[np.int64],
    chosen: NDArray[np.int64],
    memo: NDArray[np.uint64],
    tried: NDArray[np.int64],
    halves: NDArray[np.int64],
    paths_out: NDArray[np.int64],
    out: NDArray[np.int64],
) -> bool:
    """Take down the solutions that end at the head, if it may end `here`, or in an edge of it.

    Return whether all found are `stop` together.
    """
    head = numbers[depth, HEAD]
    for way in range(-1, 4 if tables.settings[ENDS_IN_EDGES] == 1 else 0):
        edge = -1
        if way < 0:
            if not here or tables.ends >> np.uint64(head) & _ONE == _ZERO:
                continue
        else:
            edge = int(tables.edges[head, way])
            if edge < 0 or tables.edge_marks[edge, ENDS_HERE] == 0 or drawn[edge] == 1:
                continue
            out[NODES] += 1
        for column in range(WORDS):
            words[depth + 1, column] = words[depth, column]
        if edge >= 0:
            _draw(tables, depth + 1, edge, words, drawn)
            _note_half(tables, 2, edge, tables.neighbours[head, way], halves)
        if _no_dot_lost(tables, depth + 1, words, drawn) and closed_hold(
            tables, pieces, depth + 1, _ZERO, limit - out[NODES], words, drawn, chosen, memo, tried, halves
        ):
            _found(tables, depth, origin, edge, numbers, paths_out, out)
        if edge >= 0:
            halves[2, 0] = halves[3, 0] = -1
            _undraw(tables, edge, drawn)
        if stop > 0 and out[SOLUTIONS] == stop:
            return True
    return False


@bare_njit
def _note_half(
    tables: SearchTables, row: int, edge: int, far: int | np.int64, halves: NDArray[np.int64]
) -> None:
    """Note an edge drawn by half with its far vertex, and its twin, in rows `row` and `row` + 1."""
    halves[row, 0] = edge
    halves[row, 1] = far
    halves[row + 1, 0] = tables.twin_edge[edge]
    halves[row + 1, 1] = tables.twin_vertex[far]


@bare_njit
def _no_dot_lost(
    tables: SearchTables, depth: int, words: NDArray[np.uint64], drawn: NDArray[np.int64]
) -> bool:
    """Return whether the lines cover all dots that no region touches."""
    if tables.settings[LOOSE] == 0:
        return True
    rest = tables.vertex_dots & ~words[depth, VISITED]
    while rest != _ZERO:
        bit = rest & (~rest + _ONE)
        rest ^= bit
        if not touches(tables, bit_index(bit), tables.all_cells, drawn):
            return False
    for edge in tables.edge_dots:
        if tables.edge_marks[edge, LOOSE_DOT] == 1 and drawn[edge] == 0:
            return False
    return True


@bare_njit
def _step(
    tables: SearchTables,
    depth: int,
    to: int,
    edge: int,
    reached: np.uint64,
    words: NDArray[np.uint64],
    numbers: NDArray[np.int64],
    drawn: NDArray[np.int64],
) -> None:
    """Draw an edge to the vertex `to`, and its twin; `depth` is that of the new state."""
    for column in range(WORDS):
        words[depth, column] = words[depth - 1, column]
    numbers[depth, HEAD] = to
    numbers[depth, DIRECTION] = 0
    numbers[depth, EDGE] = edge
    words[depth, VISITED] |= (_ONE << np.uint64(to)) | (_ONE << np.uint64(tables.twin_vertex[to]))
    words[depth, REACHED] = reached
    _draw(tables, depth, edge, words, drawn)


@bare_njit
def _draw(
    tables: SearchTables, depth: int, edge: int, words: NDArray[np.uint64], drawn: NDArray[np.int64]
) -> None:
    """Draw an edge and its twin."""
    twin = tables.twin_edge[edge]
    drawn[edge] = 1
    drawn[twin] = 1
    if tables.walls[edge, 0] >= 0:
        words[depth, RIGHT_WALLS] |= _ONE << np.uint64(tables.walls[edge, 0])
    if tables.walls[edge, 1] >= 0:
        words[depth, UPPER_WALLS] |= _ONE << np.uint64(tables.walls[edge, 1])
    if tables.walls[twin, 0] >= 0:
        words[depth, RIGHT_WALLS] |= _ONE << np.uint64(tables.walls[twin, 0])
    if tables.walls[twin, 1] >= 0:
        words[depth, UPPER_WALLS] |= _ONE << np.uint64(tables.walls[twin, 1])


@bare_njit
def _undraw(tables: SearchTables, edge: int, drawn: NDArray[np.int64]) -> None:
    drawn[edge] = 0
    drawn[tables.twin_edge[edge]] = 0


@bare_njit
def _may_go_on(
    tables: SearchTables,
    depth: int,
    onward: np.uint64,
    words: NDArray[np.uint64],
    numbers: NDArray[np.int64],
    drawn: NDArray[np.int64],
) -> bool:
    """Return whether further steps can satisfy the dots, squares and triangles that the last one left.

    With erasers on the panel as many of them may be violated as there are erasers.
    """
    # The vertex that the head has left has all its edges: those that must be drawn are drawn, and the
    # triangles around it get no others.
    erasers = bit_count(tables.eraser_cells)
    both = with_twins(tables, onward)
    lost = bit_count(tables.vertex_dots & ~words[depth, VISITED] & ~both)
    if lost > erasers:
        return False
    left = numbers[depth - 1, HEAD]
    for way in range(4):
        edge = tables.edges[left, way]
        if edge >= 0 and drawn[edge] == 0 and tables.must[edge] != 0:
            if erasers == 0:
                return False
            if tables.must[edge] == 2 and tables.edge_cells[edge] & words[depth, VIOLATED] == _ZERO:
                words[depth, VIOLATED] |= tables.edge_cells[edge]
    edge = numbers[depth, EDGE]
    rest = tables.vertex_cells[left] | tables.vertex_cells[tables.twin_vertex[left]]
    rest = (
        rest | tables.edge_cells[edge] | tables.edge_cells[tables.twin_edge[edge]]
    ) & tables.triangle_cells
    head = numbers[depth, HEAD]
    alive = both | (_ONE << np.uint64(head)) | (_ONE << np.uint64(tables.twin_vertex[head]))
    while rest != _ZERO:
        bit = rest & (~rest + _ONE)
        rest ^= bit
        cell = bit_index(bit)
        count = 0
        possible = 0
        for i in range(4):
            around = tables.cells[cell, i]
            count += drawn[around]
            dead = tables.edge_ends[around] & ~alive
            if drawn[around] == 0 and (
                dead == _ZERO
                or (tables.edge_marks[around, ENDS_HERE] == 1 and dead != tables.edge_ends[around])
            ):
                possible += 1
        if not count <= tables.cells[cell, TRIANGLES] <= count + possible:
            words[depth, VIOLATED] |= bit
    triangles = words[depth, VIOLATED] & tables.triangle_cells
    pairs = bit_count(words[depth, VIOLATED] & ~triangles) // 2
    return bool(lost + bit_count(triangles) + pairs <= erasers)


@bare_njit
def _closes(tables: SearchTables, depth: int, words: NDArray[np.uint64], numbers: NDArray[np.int64]) -> bool:
    """Return whether the last step may have closed a region: it met the border, or lost vertices."""
    edge = numbers[depth, EDGE]
    inside = tables.walls[edge, 0] >= 0 or tables.walls[edge, 1] >= 0
    if inside and tables.border >> np.uint64(numbers[depth, HEAD]) & _ONE != _ZERO:
        return True
    if depth == 1:
        return False
    before = words[depth - 1, REACHED] & ~(_ONE << np.uint64(numbers[depth - 1, HEAD]))
    return bool(before & ~words[depth, REACHED] != _ZERO)


@bare_njit
def _found(
    tables: SearchTables,
    depth: int,
    origin: int,
    last: int,
    numbers: NDArray[np.int64],
    paths_out: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """Take down a solution of `depth` edges between vertices.

    It begins in the middle of the edge `origin` and ends in that of `last`, if they are not -1.
    """
    vertices = tables.neighbours.shape[0]
    edges = depth
    if origin >= 0:
        edges += 1
    if out[SOLUTIONS] < paths_out.shape[0]:
        at = 0
        if origin >= 0:
            paths_out[out[SOLUTIONS], 0] = vertices + origin
            at = 1
        for i in range(depth + 1):
            if i > 0 and tables.edge_marks[numbers[i, EDGE], SECOND_EDGE] == 1:
                paths_out[out[SOLUTIONS], at] = vertices + numbers[i, EDGE]
                at += 1
            paths_out[out[SOLUTIONS], at] = numbers[i, HEAD]
            at += 1
        if last >= 0:
            paths_out[out[SOLUTIONS], at] = vertices + last
    if last >= 0:
        edges += 1
    out[SOLUTIONS] += 1
    if out[SHORTEST] == 0 or edges < out[SHORTEST]:
        out[SHORTEST] = edges
    out[LONGEST] = max(out[LONGEST], edges)
