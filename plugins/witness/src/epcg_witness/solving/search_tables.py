"""The tables and columns of the search for the solutions of one panel."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

DONE, STOPPED, LIMIT = range(3)
"""How a search ends: all paths were looked at; `stop` solutions were found; there were too many nodes."""
SOLUTIONS, SHORTEST, LONGEST, NODES = range(4)
"""Entries of the result."""
DEPTHS = 66
"""Vertices of the longest path, and one more."""
HEAD, DIRECTION, EDGE = range(3)
"""Columns of `numbers`."""
VISITED, REACHED, CLOSED, RIGHT_WALLS, UPPER_WALLS, VIOLATED, WORDS = range(7)
"""Columns of `words`; VIOLATED are cells: triangles that nothing can satisfy any more, and pairs of squares
of different colours of which one must be erased."""
ENDS_HERE, LOOSE_DOT, SECOND_EDGE, FIRST_VERTEX, ACROSS = range(5)
"""Columns of `edge_marks`: 1 if either line can end in the middle of the edge; 1 if it has a dot that touches
no region; 1 if another edge joins the same vertices, inside the panel; its first vertex; and from ACROSS on
the edges across it, two at either vertex, -1 for none."""
TWO_LINES, PILLAR, COLUMNS, ENDS_IN_EDGES, LOOSE, STAY, EVERY, CROSSING = range(8)
"""Entries of `settings`: whether there are two lines; whether the panel is a pillar; the vertices in a row;
whether lines can end in edges; whether a missed dot may lie where no region touches it; whether erasers that
have acted count for stars; whether they may remove any violated symbols, not the fewest only; whether lines
may cross pieces."""
MEMO = 4096
"""Regions whose answers are kept, a power of two."""


class SearchTables(NamedTuple):
    """The tables of one panel, made by `epcg_witness.solving.search`."""

    neighbours: NDArray[np.int64]
    """(vertices, 4): the next vertex in each direction, -1 for none, and for a step that a gap forbids."""
    edges: NDArray[np.int64]
    """(vertices, 8): the edge to it, and behind these all edges of the vertex, with gaps, too."""
    twin_vertex: NDArray[np.int64]
    """(vertices,) the vertex that the other line visits at the same time; the vertex itself if there is one
    line."""
    twin_edge: NDArray[np.int64]
    """(edges,) the edge that the other line draws at the same time."""
    walls: NDArray[np.int64]
    """(edges, 2): the cell whose right side the edge is, and the cell whose upper side it is; -1 for none."""
    must: NDArray[np.int64]
    """(edges,) 0 if the edge need not be drawn; 2 if squares of different colours are beside it; 1 if it or
    its twin has a dot, or its twin such squares beside it."""
    edge_ends: NDArray[np.uint64]
    """(edges,) the vertices of each edge."""
    edge_marks: NDArray[np.int64]
    """(edges, 8), see ENDS_HERE, LOOSE_DOT, FIRST_VERTEX, ACROSS."""
    edge_cells: NDArray[np.uint64]
    """(edges,) the cells beside each edge."""
    vertex_cells: NDArray[np.uint64]
    """(vertices,) the cells around each vertex."""
    edge_dots: NDArray[np.int64]
    cells: NDArray[np.int64]
    colours: NDArray[np.uint64]
    starts: NDArray[np.int64]
    """(starts, 2) the first vertex of a line, and the edge in whose middle it begins; -1 if at the vertex."""
    free: NDArray[np.uint64]
    """(starts,) the vertices that a line from each start can visit."""
    ends: np.uint64
    reach_ends: np.uint64
    """The ends, and the vertices of edges in which a line can end."""
    vertex_dots: np.uint64
    border: np.uint64
    not_left: np.uint64
    not_right: np.uint64
    all_cells: np.uint64
    """The cells that belong to regions."""
    last_column: np.uint64
    """The cells with the border on their right; none on a pillar."""
    right_walls: np.uint64
    """Cells on whose right side a wall stands from the beginning: the border, or a cell outside."""
    upper_walls: np.uint64
    triangle_cells: np.uint64
    piece_cells: np.uint64
    eraser_cells: np.uint64
    symbol_cells: np.uint64
    settings: NDArray[np.int64]
    """(8,), see TWO_LINES and the names behind it."""
