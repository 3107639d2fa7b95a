"""Count and list all solutions of panels, compiled. `epcg_witness.rules.reference` is the plain form.

Panels whose paths can be listed are solved by a table of all paths (`Solver`), all others by a search.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import read_only
from epcg_witness.rules.panel import COLOURS, Eraser, Panel, Polyomino, Square, Star, Triangles
from epcg_witness.rules.spaces import LineSymbol, PanelSpace, SiteSymbol, panel_alone, symbol_departure
from epcg_witness.solving import kernels
from epcg_witness.solving.counting import count_line_solutions
from epcg_witness.solving.paths import PathTable, UnlistedPanelError, path_table
from epcg_witness.solving.regions import piece_rows
from epcg_witness.solving.search import MOST_NODES, search_panel
from epcg_witness.solving.tiling_kernels import MOST_PIECES

_MEMO = 2**16
"""Regions with their pieces that are remembered if many panels are solved."""
_CONTENTS = 32
"""Contents of regions by which `solve_kernels.sort_areas` sorts: enough for five pieces."""
_LARGEST_SORTED = 2**20
"""Words."""
_NO_SETS = np.zeros((0, 0), np.uint64)


@attrs.frozen(eq=False)
class Solved:
    """The results for n panels."""

    solutions: NDArray[np.int64]
    """(n,) numbers of solutions."""
    shortest: NDArray[np.int64]
    """(n,) edges of the shortest solution; 0 if there is none, or if lengths were not asked for."""
    longest: NDArray[np.int64]
    """(n,) edges of the longest solution."""
    sets: NDArray[np.uint64]
    """(n, words): the sets of solutions, see `PathTable`; no rows if they were not asked for."""


class Solver:
    """Solves panels of one space by a table of all paths.

    Raises UnlistedPanelError if panels of the space have erasers or symmetry, or depart from the default
    rules (see `Panel.departure`), TooManyPathsError if the paths of their size cannot be listed.
    """

    def __init__(self, space: PanelSpace) -> None:
        self.space = space
        if space.base.symmetry is not None or any(isinstance(s, Eraser) for s in space.all_symbols):
            raise UnlistedPanelError(
                "Panels with erasers or symmetry are not solved by a table of all paths; use search_panel."
            )
        base = space.base
        departure = base.departure or next(filter(None, map(symbol_departure, space.all_symbols)), "")
        if departure:
            raise UnlistedPanelError(
                f"Panels with {departure} are not solved by a table of all paths; use search_panel."
            )
        self.paths: PathTable = path_table(base.grid, base.starts, base.ends)
        alphabet = space.all_symbols
        numbers = {symbol: i for i, symbol in enumerate(alphabet)}
        self._base = read_only(
            np.array(
                [site * len(alphabet) + numbers[symbol] for site, symbol in space.base_entries], np.int64
            )
        )
        pieces = [symbol for symbol in alphabet if isinstance(symbol, Polyomino)]
        self._symbols = _symbol_rows(alphabet, pieces)
        self._pieces = piece_rows(base.grid, tuple(pieces))
        self._rows = _path_rows(self.paths)

    def solve(self, states: NDArray[np.int32], *, lengths: bool = False, sets: bool = False) -> Solved:
        """Solve packed panels.

        Args:
            states: packed panels, (n, entries) int32 (see `epcg_witness.rules.spaces`).
            lengths: whether to find the edges of the shortest and the longest solution.
            sets: whether to return the sets of solutions.
        """
        count = len(states)
        solutions, shortest, longest = (np.zeros(count, np.int64) for _ in range(3))
        found = np.zeros((count, self.paths.words), np.uint64) if sets else _NO_SETS
        kernels.solve_panels(
            read_only(np.asarray(states, np.int32)),
            self._base,
            self.space.base.grid.cells,
            self._symbols,
            self._pieces,
            self._rows,
            self._entries(np.shape(states)[1]),
            self._scratch(count > 1),
            lengths,
            solutions,
            shortest,
            longest,
            found,
        )
        return Solved(solutions, shortest, longest, found)

    def _entries(self, added: int) -> kernels.Entries:
        size = len(self._base) + added
        return kernels.Entries(np.zeros(size, np.int64), np.zeros(size, np.int64))

    def _scratch(self, many: bool) -> kernels.Scratch:
        """Make room for solving one panel, or many; arrays that no symbol needs are left empty."""
        words, cells = self.paths.words, self.space.base.grid.cells
        regions = len(self.paths.masks) if self._pieces.area.size else 0
        sorted_rows = _CONTENTS * (cells + 1)
        sorts = many and regions > 0 and sorted_rows * words <= _LARGEST_SORTED
        memo = _MEMO if many and regions else 1
        return kernels.Scratch(
            good=np.zeros(words, np.uint64),
            fixed=np.zeros(words, np.uint64),
            ones=np.zeros(words, np.uint64),
            more=np.zeros(words, np.uint64),
            piece=np.full(cells, -1, np.int64),
            chosen=np.zeros(MOST_PIECES, np.int64),
            verdict=np.zeros(regions, np.int64),
            content=np.zeros(_CONTENTS, np.uint64),
            content_of=np.zeros(regions if sorts else 0, np.int64),
            fitting=np.zeros((sorted_rows if sorts else 0, words), np.uint64),
            memo_key=np.zeros(memo, np.uint64),
            memo_value=np.zeros(memo, np.int64),
        )


def solve_panel(panel: Panel, *, lengths: bool = False, sets: bool = False) -> Solved:
    """Solve one panel by a table of all paths: a `Solved` with one entry.

    Args:
        panel: the panel.
        lengths: whether to find the edges of the shortest and the longest solution.
        sets: whether to return the set of solutions.

    Raises:
        UnlistedPanelError: if the panel has erasers or symmetry, or departs from the default rules.
        TooManyPathsError: if the paths of the panel's size cannot be listed.
    """
    return Solver(panel_alone(panel)).solve(np.zeros((1, 0), np.int32), lengths=lengths, sets=sets)


def count_solutions(panel: Panel, limit: int = MOST_NODES) -> int:
    """Count the solutions of a panel of any size.

    If its paths are not listed, a panel with dots and gaps only is counted by dynamic programming, another
    one by a search. Raises LimitReachedError if the search takes more than `limit` nodes.
    """
    try:
        return int(solve_panel(panel).solutions[0])
    except UnlistedPanelError:
        if panel.symbols or panel.symmetry is not None or panel.departure:
            return search_panel(panel, limit=limit).solutions
        return count_line_solutions(panel)


def first_solutions(panel: Panel, most: int, limit: int = MOST_NODES) -> list[tuple[int, ...]]:
    """Return the first `most` solutions, as their vertices, in the order of `reference.all_paths`.

    Raises LimitReachedError if the paths are not listed and the search takes more than `limit` nodes.
    """
    try:
        found = solve_panel(panel, sets=True).sets[0]
    except UnlistedPanelError:
        return list(search_panel(panel, first=most, stop=most, limit=limit).first)
    table = path_table(panel.grid, panel.starts, panel.ends)
    return [table.path(int(index)) for index in table.indices(found)[:most]]


@lru_cache(maxsize=64)
def _path_rows(paths: PathTable) -> kernels.PathRows:
    return kernels.PathRows(
        everything=paths.everything,
        on=paths.on,
        drawn=paths.drawn,
        together=paths.together,
        masks=paths.masks,
        first=paths.first,
        ids=paths.ids,
        lengths=paths.lengths,
    )


def _symbol_rows(alphabet: Sequence[SiteSymbol], pieces: Sequence[Polyomino]) -> kernels.Symbols:
    rows = np.zeros((3, len(alphabet)), np.int64)
    for i, symbol in enumerate(alphabet):
        rows[:, i] = _symbol_row(symbol, pieces)
    return kernels.Symbols(*(read_only(row) for row in rows))


def _symbol_row(symbol: SiteSymbol, pieces: Sequence[Polyomino]) -> tuple[int, int, int]:
    if isinstance(symbol, LineSymbol):
        return kernels.DOT if symbol is LineSymbol.DOT else kernels.GAP, 0, 0
    colour = COLOURS.index(symbol.colour) + 1
    if isinstance(symbol, Square):
        return kernels.SQUARE, colour, 0
    if isinstance(symbol, Star):
        return kernels.STAR, colour, 0
    if isinstance(symbol, Triangles):
        return kernels.TRIANGLES, colour, symbol.count
    return kernels.PIECE, colour, pieces.index(symbol)
