"""Erasers: which symbols of a region they remove, and when they satisfy it.

An eraser removes one symbol of its region: a square, star, triangle or polyomino that violates it, a dot on
its lines that the path misses, or another eraser, which then removes nothing. No symbol is removed by two.
Of the symbols other than erasers no more are removed than must be: their number is the least with which the
rest is satisfied. A region with n erasers is satisfied if all n can act or be removed in this way, and if
n - 1 do not suffice, one of them standing idle. So one eraser too many is a violation, and two too many
cancel each other.

Symbols that are left count for stars by their colours; an eraser counts as long as no other removes it.

Two answers of a panel's variant change this. `erasers = "leave"`: every eraser leaves the panel together
with what it removes, so only one that stands idle counts for stars. `erased = "any"`: erasers may remove
what is violated as long as none has acted and all count as symbols. Each removes one such symbol, or two of
them remove each other; how many symbols are removed is of no matter. But if some are violated that others
could mend, one of those at least is removed before erasers remove each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

from epcg_witness.rules.panel import CellSymbol, Eraser, Polyomino, Square, Star
from epcg_witness.rules.tiling import Floor, covers
from epcg_witness.rules.variants import Variant

Held: TypeAlias = tuple[int, CellSymbol]
"""A symbol with its cell."""


def symbols_agree(symbols: Sequence[CellSymbol], region: Floor) -> bool:
    """Return whether the squares, stars and polyominoes that a region holds are satisfied."""
    if len({symbol.colour for symbol in symbols if isinstance(symbol, Square)}) > 1:
        return False
    colours = Counter(symbol.colour for symbol in symbols)
    if any(colours[symbol.colour] != 2 for symbol in symbols if isinstance(symbol, Star)):
        return False
    pieces = [symbol for symbol in symbols if isinstance(symbol, Polyomino)]
    return covers(pieces, region) if pieces else True


def erasers_suffice(
    held: Sequence[Held], violated: frozenset[int], missed: int, region: Floor, variant: Variant
) -> bool:
    """Return whether the erasers of a region, one or more, satisfy it.

    Args:
        held: the symbols in the cells of the region.
        violated: the cells whose triangles are violated.
        missed: how many dots of the region the path misses.
        region: the region.
        variant: whether erasers leave, and what they may remove.
    """
    erasers = [symbol for _, symbol in held if isinstance(symbol, Eraser)]
    others = [symbol for cell, symbol in held if not isinstance(symbol, Eraser) and cell not in violated]
    must = missed + len(violated)
    every = variant.erased == "any"
    doubtful, lone = _doubtful([symbol for _, symbol in held], others, region) if every else (others, 0)
    exact = False
    for left in _left_erasers(erasers):
        # Each eraser that is not left was removed by one of those that are; the others are for symbols.
        spare = 2 * len(left) - len(erasers) - must
        if spare < 0:
            continue
        stay = left if variant.erasers == "stay" else ()
        if every:
            early = len(left) < len(erasers) and spare == lone < len(doubtful)
            exact = exact or (not early and _removed(others, doubtful, stay, region, (spare,)) is not None)
            continue
        # One that stands idle stays where it is, so if the others leave, it is each of them in turn.
        idle = (stay,) if variant.erasers == "stay" else [(eraser,) for eraser in dict.fromkeys(erasers)]
        if any(_removed(others, others, by, region, range(spare)) == spare - 1 for by in idle):
            return False
        exact = exact or _removed(others, others, stay, region, range(spare + 1)) == spare
    return exact


def _doubtful(
    held: Sequence[CellSymbol], others: Sequence[CellSymbol], region: Floor
) -> tuple[list[CellSymbol], int]:
    """Return which of `others` are violated while all count, and how many of them nothing can mend."""
    colours = Counter(symbol.colour for symbol in held)
    mixed = len({symbol.colour for symbol in held if isinstance(symbol, Square)}) > 1
    pieces = [symbol for symbol in held if isinstance(symbol, Polyomino)]
    uncovered = bool(pieces) and not covers(pieces, region)
    found: list[CellSymbol] = [
        symbol
        for symbol in others
        if (isinstance(symbol, Square) and mixed)
        or (isinstance(symbol, Star) and colours[symbol.colour] != 2)
        or (isinstance(symbol, Polyomino) and uncovered)
    ]
    return found, sum(isinstance(symbol, Star) and colours[symbol.colour] == 1 for symbol in found)


def _left_erasers(erasers: Sequence[CellSymbol]) -> Iterator[tuple[CellSymbol, ...]]:
    """Yield the multisets of erasers that can be left when the others are removed."""
    ordered = sorted(erasers, key=repr)
    for size in range((len(erasers) + 1) // 2, len(erasers) + 1):
        yield from dict.fromkeys(combinations(ordered, size))


def _removed(
    others: Sequence[CellSymbol],
    doubtful: Sequence[CellSymbol],
    left: Sequence[CellSymbol],
    region: Floor,
    numbers: Sequence[int],
) -> int | None:
    """Return the first of `numbers` of `doubtful` symbols without which the others agree, or None."""
    places = [i for i, symbol in enumerate(others) if symbol in doubtful]
    for number in numbers:
        for gone in combinations(places, number):
            kept = [symbol for i, symbol in enumerate(others) if i not in gone]
            if symbols_agree((*kept, *left), region):
                return number
    return None
