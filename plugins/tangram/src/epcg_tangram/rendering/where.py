"""Where cells lie, in words that one can follow in a picture: 'columns 1 to 4, row 2'."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby

from epcg_tangram.design.layout import Layout
from epcg_tangram.lattices import LATTICES

_SQUARES = "squares"


@cache
def titles(board: Layout) -> tuple[str, ...]:
    """Return what each cell of a board is called: 'column 3, row 2', or 'triangle 3, row 2'."""
    one, _ = _words(board)
    return tuple(_told(row, f"{one} {number}") for row, number in _places(board))


def where(board: Layout, cells: Iterable[int]) -> str:
    """Say where cells lie: 'column 2, row 1; columns 2 to 4, row 2', or 'column 3, rows 1 to 4'.

    Rows that follow each other are told together where columns go straight down and the cells lie in the
    same ones.

    Args:
        board: the board.
        cells: the numbers of cells, in any order.
    """
    places, rows = _places(board), dict[str, list[int]]()
    for cell in sorted(cells):
        row, number = places[cell]
        rows.setdefault(row, []).append(number)
    one, several = _words(board)
    found = [(row, _numbers(numbers, one, several)) for row, numbers in rows.items()]
    if board.lattice.flat is LATTICES[_SQUARES]:
        found = [pair for _, group in groupby(found, lambda each: each[1]) for pair in _together(list(group))]
    return "; ".join(_told(row, numbers) for row, numbers in found)


def _told(row: str, numbers: str) -> str:
    """Say where cells of a row lie, as other domains do: 'column 3, row 2', 'layer 1, column 3, row 2'."""
    *layer, own = row.split(", ")
    return ", ".join([*layer, numbers, own])


def _together(group: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield rows in which cells lie in the same columns as one, if they follow each other in one layer."""
    rows = [int(row.removeprefix("row ")) for row, _ in group if row.startswith("row ")]
    if len(rows) == len(group) > 1 and rows[-1] - rows[0] == len(rows) - 1:
        yield _numbers(rows, "row", "rows"), group[0][1]
    else:
        yield from group


@cache
def _places(board: Layout) -> tuple[tuple[str, int], ...]:
    """Return the row of each cell in words, and its number there: its column if columns go straight down."""
    read = [board.lattice.reading(place) for place in board.places]
    first = [min(axis) for axis in zip(*read, strict=True)]
    names = ("layer", "row")[-(len(first) - 1) :]
    if board.lattice.flat is LATTICES[_SQUARES]:
        found = [tuple(at - least + 1 for at, least in zip(each, first, strict=True)) for each in read]
    else:
        rows = sorted({each[:-1] for each in read})
        numbers = [at for row in board.rows for at, _ in enumerate(row, 1)]
        found = [(rows.index(each[:-1]) + 1, number) for each, number in zip(read, numbers, strict=True)]
    return tuple(
        (", ".join(f"{name} {at}" for name, at in zip(names, own, strict=True)), number)
        for *own, number in found
    )


def _words(board: Layout) -> tuple[str, str]:
    return ("column", "columns") if board.lattice.flat is LATTICES[_SQUARES] else board.lattice.cell_word


def _numbers(numbers: Sequence[int], one: str, several: str) -> str:
    """Write numbers, those that follow each other as 'a to b'."""
    if len(numbers) == 1:
        return f"{one} {numbers[0]}"
    *others, last = _runs(numbers)
    return f"{several} {' and '.join(filter(None, (', '.join(others), last)))}"


def _runs(numbers: Sequence[int]) -> Iterator[str]:
    """Yield runs of ascending numbers: '1 to 3', and two that follow each other as they are."""
    run: list[int] = []
    for number in (*numbers, None):
        if run and (number is None or number != run[-1] + 1):
            yield from [f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run)
            run = []
        if number is not None:
            run.append(number)
