"""The paths of a grid, listed once for each size, starts and ends, with all that a solver asks of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import read_only
from epcg_witness.rules.grid import UP, Grid, PanelError, grid_of
from epcg_witness.solving import path_kernels as kernels
from epcg_witness.solving.counting import count_paths

MOST_PATHS = 2**22
"""Paths that are listed; a path takes about 90 bytes on a panel of 5 by 5."""
_BYTES_PER_PATH = 90
_TABLES_KEPT = 64
_CHEAP_PATHS = 2**18
"""Tables of more paths than this are large, so that few of them are kept."""
_UNCOUNTED_CELLS = 16
_UNCOUNTED_PAIRS = 24
"""Numbers of cells and of pairs of a start and an end up to which the paths (some 10,000 a pair) are listed
without being counted first, because that takes longer."""
_ROOM = 2**14
"""Paths for which there is room at first if they are not counted."""


class UnlistedPanelError(PanelError):
    """A panel that a table of all paths cannot solve."""


class TooManyPathsError(UnlistedPanelError):
    """The paths of a panel are too many to be listed."""


@attrs.frozen(eq=False)
class PathTable:
    """All paths of a grid from some starts to some ends, in the order of `reference.all_paths`.

    Sets of paths are (words,) uint64: bit p % 64 of word p // 64 stands for path p. All arrays are read-only.
    """

    grid: Grid
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    count: int
    """Paths."""
    lengths: NDArray[np.int64]
    """(count,) edges of each path."""
    on: NDArray[np.uint64]
    """(locations, words): the paths on each edge and vertex."""
    drawn: NDArray[np.uint64]
    """(cells * 3, words): row 3c + n - 1 holds the paths with exactly n edges around cell c."""
    together: NDArray[np.uint64]
    """(pairs of cells, words): row b (b - 1) / 2 + a holds the paths that leave a < b in one region."""
    masks: NDArray[np.uint64]
    """(regions,) the different regions, as sets of cells."""
    first: NDArray[np.int64]
    """(count + 1,) where the regions of each path begin in `ids`."""
    ids: NDArray[np.int32]
    """The regions of each path, as indices of `masks`."""

    @property
    def words(self) -> int:
        """Words of a set of paths."""
        return (self.count + 63) // 64

    @cached_property
    def everything(self) -> NDArray[np.uint64]:
        """The set of all paths."""
        full = np.full(self.words, ~np.uint64(0))
        if self.count % 64:
            full[-1] = np.uint64((1 << self.count % 64) - 1)
        return read_only(full)

    def path(self, index: int) -> tuple[int, ...]:
        """Return the vertices of a path. Raises IndexError."""
        if not 0 <= index < self.count:
            raise IndexError(f"there is no path {index} of {self.count}")
        word, bit = index >> 6, np.uint64(index & 63)
        drawn = (self.on[: self.grid.edges, word] >> bit & np.uint64(1)).astype(bool)
        around = self.grid.neighbours
        degrees = [sum(bool(drawn[edge]) for _, edge in around[v]) for v in range(self.grid.vertices)]
        path = [next(v for v in self.starts if degrees[v] == 1)]
        before = -1
        while len(path) == 1 or degrees[path[-1]] == 2:
            following = next(v for v, edge in around[path[-1]] if drawn[edge] and v != before)
            before = path[-1]
            path.append(following)
        return tuple(path)

    def indices(self, paths: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the numbers of the paths of a set, ascending."""
        bits = np.unpackbits(paths.astype("<u8", copy=False).view(np.uint8), bitorder="little")
        return np.flatnonzero(bits[: self.count]).astype(np.int64)


def path_table(grid: Grid, starts: Sequence[int], ends: Sequence[int]) -> PathTable:
    """Return the paths of a grid, kept for the next time.

    Args:
        grid: the grid.
        starts: the vertices where paths begin.
        ends: the vertices where paths end.

    Raises:
        TooManyPathsError: with the number of paths, if it is more than MOST_PATHS.
    """
    if grid.cells <= _UNCOUNTED_CELLS and len(starts) * len(ends) <= _UNCOUNTED_PAIRS:
        return _small_table(grid.width, grid.height, tuple(starts), tuple(ends), None)
    count = _count(grid, tuple(starts), tuple(ends))
    if count > MOST_PATHS:
        raise TooManyPathsError(
            f"A panel of {grid.width} by {grid.height} has {count:,} paths, which would take "
            f"{count * _BYTES_PER_PATH / 1e9:,.1f} GB; at most {MOST_PATHS:,} are listed. Panels with "
            "dots and gaps only are counted without listing the paths."
        )
    cached = _small_table if count <= _CHEAP_PATHS else _large_table
    return cached(grid.width, grid.height, tuple(starts), tuple(ends), count)


@lru_cache(maxsize=4096)
def _count(grid: Grid, starts: tuple[int, ...], ends: tuple[int, ...]) -> int:
    return count_paths(grid, starts, ends)


@lru_cache(maxsize=_TABLES_KEPT)
def _small_table(
    width: int, height: int, starts: tuple[int, ...], ends: tuple[int, ...], count: int | None
) -> PathTable:
    return _make(grid_of(width, height), starts, ends, count)


@lru_cache(maxsize=2)
def _large_table(
    width: int, height: int, starts: tuple[int, ...], ends: tuple[int, ...], count: int
) -> PathTable:
    return _make(grid_of(width, height), starts, ends, count)


def _make(grid: Grid, starts: tuple[int, ...], ends: tuple[int, ...], count: int | None) -> PathTable:
    """Make the table; `count` is None if the paths have not been counted."""
    low, high, vertices, lengths = _enumerate(grid, starts, ends, _ROOM if count is None else count)
    assert count in (None, len(lengths)), "counting and listing the paths must agree"
    count = len(lengths)
    words = (count + 63) // 64
    on = np.zeros((grid.locations, words), np.uint64)
    for sets, row in ((low, 0), (high, 64), (vertices, grid.edges)):
        kernels.scatter(read_only(sets), row, on)
    first, regions = _regions(grid, low, high)
    different, inverse = np.unique(regions, return_inverse=True)
    masks, ids = read_only(different), read_only(inverse.astype(np.int32))
    first = read_only(first)
    together = np.zeros((grid.cells * (grid.cells - 1) // 2, words), np.uint64)
    kernels.mark_pairs(first, ids, masks, together)
    return PathTable(
        grid=grid,
        starts=starts,
        ends=ends,
        count=count,
        lengths=read_only(lengths),
        on=read_only(on),
        drawn=read_only(_drawn(grid, on)),
        together=read_only(together),
        masks=masks,
        first=first,
        ids=ids,
    )


def _enumerate(
    grid: Grid, starts: tuple[int, ...], ends: tuple[int, ...], room: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int64]]:
    """Return the edges in two 64-bit words, the vertices and the length of each path; faster with `room`."""
    low, high, vertices = (np.zeros(room, np.uint64) for _ in range(3))
    lengths = np.zeros(room, np.int64)
    neighbours = np.full((grid.vertices, 4), -1, np.int64)
    edges = np.full((grid.vertices, 4), -1, np.int64)
    for vertex, around in enumerate(grid.neighbours):
        for way, (neighbour, edge) in enumerate(around, start=UP):
            neighbours[vertex, way], edges[vertex, way] = neighbour, edge
    columns = [grid.vertex_at(vertex)[0] for vertex in range(grid.vertices)]
    found = 0
    for start in starts:
        found = kernels.enumerate_paths(
            start,
            _word(ends),
            _word(range(grid.vertices)),
            _word(v for v, x in enumerate(columns) if x > 0),
            _word(v for v, x in enumerate(columns) if x < grid.width),
            grid.width + 1,
            read_only(neighbours),
            read_only(edges),
            found,
            low,
            high,
            vertices,
            lengths,
        )
    if found > room:
        return _enumerate(grid, starts, ends, found)
    return low[:found], high[:found], vertices[:found], lengths[:found]


def _regions(
    grid: Grid, low: NDArray[np.uint64], high: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return where the regions of each path begin, and the regions of all paths in a row."""
    walls = np.full((grid.edges, 2), -1, np.int64)
    for edge in range(grid.edges):
        one, other = grid.edge_cells(edge)
        if one is not None and other is not None:
            walls[edge, 1 if grid.is_horizontal(edge) else 0] = one
    cells = range(grid.cells)
    arguments = (
        read_only(low),
        read_only(high),
        read_only(walls),
        _word(c for c in cells if grid.cell_at(c)[0] < grid.width - 1),
        _word(c for c in cells if grid.cell_at(c)[1] < grid.height - 1),
        grid.width,
        _word(cells),
    )
    first = np.zeros(len(low) + 1, np.int64)
    regions = np.zeros(max(grid.width, grid.height) * len(low), np.uint64)  # enough for nearly all sizes
    total = kernels.split_regions(*arguments, first, regions)
    if total > len(regions):
        regions = np.zeros(total, np.uint64)
        kernels.split_regions(*arguments, first, regions)
    return first, regions[:total]


def _drawn(grid: Grid, on: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return for each cell the paths with exactly one, two and three of its edges, added up bit by bit."""
    found = np.zeros((grid.cells * 3, on.shape[1]), np.uint64)
    for cell in range(grid.cells):
        a, b, c, d = (on[edge] for edge in grid.cell_edges(cell))
        # Two half adders, then the sum of their sums and of their carries.
        first_sum, first_carry = a ^ b, a & b
        second_sum, second_carry = c ^ d, c & d
        ones = first_sum ^ second_sum
        middle = first_sum & second_sum
        twos = first_carry ^ second_carry ^ middle
        found[3 * cell] = ones & ~twos
        found[3 * cell + 1] = twos & ~ones
        found[3 * cell + 2] = ones & twos
    return found


def _word(members: Iterable[int]) -> np.uint64:
    return np.uint64(sum(1 << member for member in members))
