"""Erasers: which symbols of a region they remove, and when they satisfy it.

An eraser removes one symbol of its region: a square, star, triangle or polyomino that violates it, a dot on
its lines that the path misses, or another eraser, which then removes nothing. No symbol is removed by two.
Of the symbols other than erasers no more are removed than must be: their number is the least with which the
rest is satisfied. A region with n erasers is satisfied if all n can act or be removed in this way, and if
n - 1 do not suffice, one of them standing idle. So one eraser too many is a violation, and two too many
cancel each other.

Symbols that are left count for stars by their colours; an eraser counts as long as no other removes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

from epcg_witness.rules.panel import CellSymbol, Eraser, Polyomino, Square, Star
from epcg_witness.rules.tiling import covers

Held: TypeAlias = tuple[int, CellSymbol]
"""A symbol with its cell."""


def symbols_agree(symbols: Sequence[CellSymbol], region: Sequence[tuple[int, int]]) -> bool:
    """Return whether the squares, stars and polyominoes that a region of cells (x, y) holds are satisfied."""
    if len({symbol.colour for symbol in symbols if isinstance(symbol, Square)}) > 1:
        return False
    colours = Counter(symbol.colour for symbol in symbols)
    if any(colours[symbol.colour] != 2 for symbol in symbols if isinstance(symbol, Star)):
        return False
    pieces = [symbol for symbol in symbols if isinstance(symbol, Polyomino)]
    return covers(pieces, region) if pieces else True


def erasers_suffice(
    held: Sequence[Held], violated: frozenset[int], missed: int, region: Sequence[tuple[int, int]]
) -> bool:
    """Return whether the erasers of a region, one or more, satisfy it.

    Args:
        held: the symbols in the cells of the region.
        violated: the cells whose triangles are violated.
        missed: how many dots of the region the path misses.
        region: the cells (x, y) of the region.
    """
    erasers = [symbol for _, symbol in held if isinstance(symbol, Eraser)]
    others = [symbol for cell, symbol in held if not isinstance(symbol, Eraser) and cell not in violated]
    must = missed + len(violated)
    exact = False
    for left in _left_erasers(erasers):
        # Each eraser that is not left was removed by one of those that are; the others are for symbols.
        spare = 2 * len(left) - len(erasers) - must
        if spare < 0:
            continue
        fewest = _fewest_removed(others, left, region, spare)
        if fewest == spare - 1:
            return False
        exact = exact or fewest == spare
    return exact


def _left_erasers(erasers: Sequence[CellSymbol]) -> Iterator[tuple[CellSymbol, ...]]:
    """Yield the multisets of erasers that can be left when the others are removed."""
    ordered = sorted(erasers, key=repr)
    for size in range((len(erasers) + 1) // 2, len(erasers) + 1):
        yield from dict.fromkeys(combinations(ordered, size))


def _fewest_removed(
    others: Sequence[CellSymbol],
    left: Sequence[CellSymbol],
    region: Sequence[tuple[int, int]],
    most: int,
) -> int | None:
    """Return how many of `others` must be removed at least, None if more than `most`."""
    for number in range(min(most, len(others)) + 1):
        for kept in combinations(others, len(others) - number):
            if symbols_agree((*kept, *left), region):
                return number
    return None
