"""How the positions of a level are packed: a short row of words, from what can lie where."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import read_only
from epcg_puzzlescript.language.problems import GameError
from epcg_puzzlescript.rules import columns as at
from epcg_puzzlescript.rules.row_kernels import lengthen, shorten
from epcg_puzzlescript.rules.tables import Tables

Words = NDArray[np.uint64]


@attrs.frozen(eq=False)
class Rows:
    """The layout of the rows of a level: see `row_kernels`."""

    fields: Words
    size: int
    """Words of a row."""
    won: int
    """The bit that tells if a position is won."""
    words: int
    """Words of a plane."""
    wide: int
    """Words of a position as planes."""
    wide_won: int

    def room(self, more: int = 0) -> Words:
        """Return an array to work with, with room for so many words `more`."""
        return np.zeros(self.size + 2 * self.words + 2 + more, np.uint64)

    def shorten(self, planes: Words) -> Words:
        """Return (n, size) rows of (n, wide) planes. Raises GameError for positions of other levels."""
        rows = np.empty((len(planes), self.size), np.uint64)
        flat = read_only(planes).reshape(-1)
        if not shorten(self.fields, self.words, flat, rows.reshape(-1), self.room(), self.wide_won, self.won):
            raise GameError("The position is not one of this level: something lies where play never puts it.")
        return rows

    def lengthen(self, rows: Words) -> Words:
        """Return (n, wide) planes of (n, size) rows."""
        planes = np.empty((len(rows), self.wide), np.uint64)
        flat = read_only(rows).reshape(-1)
        lengthen(self.fields, self.words, flat, planes.reshape(-1), self.room(), self.won, self.wide_won)
        return planes


def rows_of(tables: Tables, boards: Sequence[tuple[int, ...]], anywhere: int = 0) -> Rows:
    """Return the layout for positions that play reaches from boards of one level.

    `anywhere` is the mask of objects that may lie in any cell that nothing fixed keeps from them.
    """
    game, words = tables.game, tables.words
    layers = [sum(1 << number for number in numbers) for numbers in game.layers]
    changing = sum(1 << number for number in tables.changing)
    fields, bits = [], 0
    for number in tables.changing:
        mask = layers[game.objects[number].layer] & ~changing
        free = [index for index, cell in enumerate(boards[0]) if not cell & mask]
        own = {index for cells in boards for index, cell in enumerate(cells) if cell >> number & 1}
        kept = tables.changes.kept >> number & 1 and not anywhere >> number & 1
        cells = _flooded(own, set(free), tables.height, tables.width) if kept else {*free, *own}
        places = sorted(int(tables.places[index]) for index in cells) or [0]
        first, span = places[0], places[-1] - places[0] + 1
        count = {sum(board_cell >> number & 1 for board_cell in cells) for cells in boards}
        only = tables.changes.kept >> number & 1 and count == {1}
        length = max(1, (span - 1).bit_length()) if only else span
        start = bits if only else bits - first
        field = [(1 << length) - 1 if only else 0, (start >> 6) + words, start & 63, first if only else 0]
        mask = sum(1 << place for place in places) if cells else 0
        fields.append([*field, *(mask >> 64 * w & (1 << 64) - 1 for w in range(words))])
        bits += length
    wide_won = int(tables.table[at.WON_WORD]) * 64 + int(tables.table[at.WON_BIT])
    return Rows(
        read_only(np.array(fields, np.uint64).reshape(-1)), bits // 64 + 1, bits, words,
        len(tables.changing) * words, wide_won,
    )  # fmt: skip


def _flooded(own: set[int], free: set[int], height: int, width: int) -> set[int]:
    """Return the cells that steps reach from some, over free ones."""
    found, waiting = set(own), list(own)
    while waiting:
        x, y = divmod(waiting.pop(), height)
        for column, row in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
            index = column * height + row
            if 0 <= column < width and 0 <= row < height and index in free and index not in found:
                found.add(index)
                waiting.append(index)
    return found


def level_data(
    tables: Tables, rows: Rows, statics: Sequence[int], planes: Words, more: Sequence[int] = ()
) -> Words:
    """Return what a kernel of the game (`kernel_source`) reads of a level.

    Args:
        tables: those of the game for boards of the level's size.
        rows: the layout of positions.
        statics: the objects of which the kernel reads the planes.
        planes: (objects, words) of the level.
        more: the kernel's own numbers.
    """
    everywhere = tables.spread(np.ones((1, len(tables.places)), np.uint8))[0]
    head = [tables.stride, rows.won >> 6, 1 << (rows.won & 63), rows.size]
    parts = [np.array(head, np.uint64), everywhere, planes[list(statics)].reshape(-1), rows.fields]
    parts.append(np.array(more, np.uint64))
    return read_only(np.concatenate(parts))
