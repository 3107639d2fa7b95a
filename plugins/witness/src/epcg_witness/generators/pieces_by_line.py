"""The generator `pieces_by_line`: all lines, and for each all panels with polyominoes that it solves.

A factored space: the bases are the lines, and what may be added without touching them are the polyominoes
(see `allowed`). No panel without a solution has a rank. A panel that several lines solve would occur under
each; `panels` says whether it does, or under the first of them only, or whether it is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property, lru_cache
from itertools import pairwise

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import (
    FactoredSpace,
    ParamsError,
    RankError,
    binomial_table,
    combination_ranks_of,
    read_only,
)
from epcg_witness.formats.drawing import format_panel, parse_panel
from epcg_witness.generators.allowed import AllowedPieces, Regions
from epcg_witness.generators.placements import pieces
from epcg_witness.params import PiecesByLineParams, PiecesParams
from epcg_witness.rules.grid import PanelError
from epcg_witness.rules.model import PanelModel
from epcg_witness.rules.panel import Panel
from epcg_witness.rules.reference import regions
from epcg_witness.solving.paths import PathTable, path_table
from epcg_witness.solving.regions import word_of

MOST_LINES = 2**18
"""The lines of which all are bases; what each allows is counted, some 20,000 a second."""
MOST_COMPARED = 2**26
"""The pairs of lines with different regions and panels that are gone through to find equal panels."""
_CHUNK = 2**18
_BATCH = 2**22
"""The pairs that are compared at once."""


class Lines:
    """Lines, each with what it allows, and which panels occur under several of them."""

    def __init__(self, params: PiecesParams, line: tuple[int, ...] | None = None) -> None:
        self.every = pieces(params)
        self.setting = self.every.setting
        self.allowed = AllowedPieces(self.setting, params.pieces)
        self._only = line

    @cached_property
    def table(self) -> PathTable:
        """All lines. Raises ParamsError or TooManyPathsError if they are too many."""
        base = self.setting.base
        table = path_table(base.grid, base.starts, base.ends)
        if table.count > MOST_LINES:
            raise ParamsError(
                f"width, height: a panel of {base.width} by {base.height} has {table.count:,} lines, and "
                f"at most {MOST_LINES:,} are gone through: set a smaller panel, or one line (line)."
            )
        return table

    @cached_property
    def regions(self) -> list[Regions]:
        """The regions of each line."""
        if self._only is not None:
            grid = self.setting.base.grid
            return [tuple(sorted(map(word_of, regions(grid, set(grid.path_edges(self._only))))))]
        masks, ids, first = (rows.tolist() for rows in (self.table.masks, self.table.ids, self.table.first))
        return [tuple(sorted(masks[i] for i in ids[a:b])) for a, b in pairwise(first)]

    @cached_property
    def pairs(self) -> FactoredSpace:
        """The lines, each with what it allows."""
        size = cache(self.allowed.size)  # lines with the same regions allow the same
        return FactoredSpace(range(len(self.regions)), self.space, lambda line: size(self.regions[line]))

    def space(self, line: int) -> FactoredSpace:
        """Return what a line allows, ranked."""
        return self.allowed.space(self.regions[line])

    @cached_property
    def panels(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The panels that have a solution: the rank of the first pair of each, and how many lines solve it.

        Raises ParamsError if too many pairs would have to be compared.
        """
        same: dict[Regions, list[int]] = {}
        for line, own in enumerate(self.regions):
            same.setdefault(own, []).append(line)
        starts = {own: self.pairs.ranks_of_base(lines[0]) for own, lines in same.items()}
        total = sum(ranks.stop - ranks.start for ranks in starts.values())
        if total > MOST_COMPARED or self.every.max_rank >= 2**63:
            raise ParamsError(
                f"panels: {total:,} panels of single lines are too many to find those that occur more than "
                f"once: at most {MOST_COMPARED:,} are compared. Set panels = 'each_line', "
                "fewer pieces, or one line (line)."
            )
        found = _Panels(*(np.zeros(0, np.int64),) * 3)
        batch: list[_Panels] = []
        for own, ranks in starts.items():
            space = self.allowed.space(own)
            for at in range(0, space.max_rank, _CHUNK):
                count = min(_CHUNK, space.max_rank - at)
                keys = self._key(self.allowed.block(space, at, count))
                batch.append(
                    _Panels(keys, np.arange(ranks.start + at, ranks.start + at + count),
                            np.full(count, len(same[own])))
                )  # fmt: skip
            if sum(len(part.keys) for part in batch) > _BATCH:
                found, batch = _joined([found, *batch]), []
        found = _joined([found, *batch])
        return read_only(found.first), read_only(found.lines)

    def _key(self, entries: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the ranks in `pieces` of packed panels whose entries ascend: (n,) int64."""
        size, (rows, count) = len(self.setting.all_symbols), entries.shape
        cells = self.setting.base.grid.cells
        bits, found = np.zeros(rows, np.uint64), np.zeros(rows, np.int64)
        for column in entries.T:
            bits |= np.uint64(1) << (column // size).astype(np.uint64)
        combination_ranks_of(read_only(bits), cells, count, binomial_table(cells, count), found)
        for column in entries.T:
            found = found * size + column % size
        return found


@lru_cache(maxsize=4)
def all_lines(params: PiecesParams) -> Lines:
    """Return all lines of the panels of some params, kept for the next time."""
    return Lines(params)


class PiecesByLine:
    """All panels with a number of polyominoes that lines solve, ranked by the lines, then by what they allow.

    Satisfies `Generator` and `ArrayGenerator` of `epcg_core.domain`, with `parse` and `format`, and `rank`
    unless panels occur under each of their lines. Lines come in the order of `reference.all_paths`.

    Raises ParamsError for a `line` that is none, and if there are more lines or panels than can be gone
    through.
    """

    transition_model = PanelModel()

    def __init__(self, params: PiecesByLineParams) -> None:
        self._params = params
        every = params.all_panels
        base = pieces(every).setting.base
        self._only = _line(base, params.line) if params.line else None
        # Whether a line is the only one is asked of all lines.
        alone = self._only is not None and params.panels != "unique"
        self._lines = Lines(every, self._only) if alone else all_lines(every)
        self.setting = self._lines.setting

    @cached_property
    def _kept(self) -> range | NDArray[np.int64]:
        """The ranks of the pairs that are states, ascending."""
        pairs = self._lines.pairs
        if self._params.panels == "each_line" or len(self._lines.regions) == 1:
            return range(pairs.max_rank)
        first, lines = self._lines.panels
        if self._params.panels == "once":
            return read_only(np.sort(first))
        kept = np.sort(first[lines == 1])
        if self._only is not None:
            own = pairs.ranks_of_base(_number(self._lines.table, self._only))
            kept = kept[np.searchsorted(kept, own.start) : np.searchsorted(kept, own.stop)]
        return read_only(kept)

    @property
    def max_rank(self) -> int:
        """The number of panels, or of pairs of a line and a panel."""
        kept = self._kept
        return kept.stop if isinstance(kept, range) else len(kept)

    def unrank(self, rank: int) -> Panel:
        """Return the panel of `rank`. Raises RankError if there is none."""
        if not 0 <= rank < self.max_rank:
            raise RankError(f"There is no rank {rank}: there are {self.max_rank:,} panels.")
        _, state = self._lines.pairs.unrank(int(self._kept[rank]))
        library = self.setting.all_symbols
        return self.setting.panel(
            (cell, library[piece]) for cell, piece in self._lines.allowed.entries(state)
        )

    @property
    def rank(self) -> Callable[[Panel], int]:
        """The function from a panel to its rank; it raises RankError for other panels.

        Raises AttributeError, so that it is not offered, if panels have a rank for each of their lines.
        """
        if self._params.panels == "each_line" and self._only is None:
            raise AttributeError("rank")
        return self._rank

    def _rank(self, state: Panel) -> int:
        entries = self._entries(state)
        for line, own in enumerate(self._lines.regions):
            found = self._lines.allowed.state(own, entries)
            if found is not None:
                rank = self._lines.pairs.rank((line, found))
                at = rank if isinstance(self._kept, range) else int(np.searchsorted(self._kept, rank))
                if at < self.max_rank and self._kept[at] == rank:
                    return at
                raise RankError("The panel is not of this space, which has only panels that one line solves.")
        raise RankError("The panel is not of this space: no line of it solves the panel.")

    def _entries(self, state: Panel) -> list[tuple[int, int]]:
        numbers = {symbol: number for number, symbol in enumerate(self.setting.all_symbols)}
        found = sorted(self.setting.entries(state), key=lambda entry: entry[0])
        if len(found) != self._params.pieces or any(symbol not in numbers for _, symbol in found):
            raise RankError(
                f"The panel is not of this space: its panels hold {self._params.pieces} pieces of the "
                f"library {self._params.library}, and nothing else."
            )
        return [(cell, numbers[symbol]) for cell, symbol in found]

    def states_block(self, start: int, count: int) -> NDArray[np.int32]:
        """Return the panels of ranks start .. start + count - 1: (count, pieces) int32."""
        if not isinstance(self._kept, range):
            return self.states_at(np.arange(start, start + count))
        out = np.empty((count, self._params.pieces), np.int32)
        row = 0
        for part in self._lines.pairs.parts(start, count):
            own = self._lines.allowed.block(self._lines.space(part.base), part.start, part.count)
            out[row : row + part.count] = own
            row += part.count
        return out

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the panels of the (n,) ranks: (n, pieces) int32."""
        if len(ranks) and not (ranks.min() >= 0 and int(ranks.max()) < self.max_rank):
            raise RankError(f"Ranks {ranks.min()} to {ranks.max()} are not all below {self.max_rank:,}.")
        pairs = ranks if isinstance(self._kept, range) else self._kept[ranks]
        out = np.empty((len(ranks), self._params.pieces), np.int32)
        for part in self._lines.pairs.parts_at(pairs):
            out[part.rows] = self._lines.allowed.at(self._lines.space(part.base), part.ranks)
        return out

    def parse(self, text: str) -> Panel:
        """Read the panel that `text` draws (see `epcg_witness.formats.drawing`). Raises PanelError."""
        return parse_panel(text)

    def format(self, state: Panel) -> str:
        """Draw the panel as text, which `parse` reads."""
        return format_panel(state)


@attrs.frozen(eq=False)
class _Panels:
    """Panels, each once: (n,) int64 each."""

    keys: NDArray[np.int64]
    first: NDArray[np.int64]
    """The lowest ranks of their pairs."""
    lines: NDArray[np.int64]
    """How many lines solve them, of those that were looked at."""


def _joined(parts: Sequence[_Panels]) -> _Panels:
    """Join panels, those of lower ranks first."""
    keys, first, lines = (
        np.concatenate(c) for c in zip(*((p.keys, p.first, p.lines) for p in parts), strict=True)
    )
    found, at, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return _Panels(found, first[at], np.bincount(inverse, lines, len(found)).astype(np.int64))


def _line(base: Panel, letters: str) -> tuple[int, ...]:
    """Return the vertices of a line. Raises ParamsError if the letters are none from the start to the end."""
    grid = base.grid
    try:
        path = grid.parse_path(base.starts[0], letters)
    except PanelError as error:
        raise ParamsError(f"line: {error}") from None
    if path[-1] not in base.ends or len(set(path)) < len(path):
        where = "does not end at the upper right corner" if path[-1] not in base.ends else "crosses itself"
        raise ParamsError(f"line: '{letters}', drawn from the lower left corner, {where}.")
    return path


def _number(table: PathTable, path: Sequence[int]) -> int:
    """Return the number of a line in the table of all."""
    edges = table.grid.path_edges(path)
    through = np.bitwise_and.reduce(table.on[edges], axis=0)
    found = table.indices(through)
    return int(found[table.lengths[found] == len(edges)][0])
