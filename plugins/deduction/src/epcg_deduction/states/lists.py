"""Lists of runs: the values of clues such as those of Nonogram and Tapa."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from epcg_deduction.model.genre import ClueKind
from epcg_deduction.model.puzzles import Puzzle, Value
from epcg_deduction.model.sites import squares_at


def lists_of(puzzle: Puzzle, kind: ClueKind, place: int) -> tuple[Value, ...]:
    """Return the lists of runs that fit where a clue of a kind stands: a line, or the ring of a cell."""
    if kind.on in ("cells", "walls"):
        return _lists(8, False)
    return _lists(len(squares_at(puzzle.board, kind.on, place)), True)


@lru_cache
def _lists(length: int, ordered: bool) -> tuple[tuple[int, ...], ...]:
    """Return lists of runs that fit into a line, or without order into a ring, the shortest first."""

    def grown(room: int, least: int) -> Iterator[tuple[int, ...]]:
        yield ()
        for first in range(least, room + 1):
            for rest in grown(room - first - 1, 1 if ordered else first):
                yield (first, *rest)

    # in a ring a run of all cells needs no gap, and any other needs one behind it
    found = set(grown(length, 1))
    if not ordered:
        found = {own for own in found if sum(own) + len(own) <= length}
    runs = sorted(found, key=lambda own: (len(own), own))
    return tuple(runs if ordered else [*runs, (length,)])
