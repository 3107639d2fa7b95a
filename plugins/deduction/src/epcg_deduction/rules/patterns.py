"""Conditions on drawings, pairs of lines, levels and shapes, as `automata` has those on numbers and lists."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import attrs

from epcg_deduction.model.boards import Pair
from epcg_deduction.rules.automata import Measure, State

_FREE = "free"


@attrs.frozen
class NotAll(Measure):
    """Not all symbols are true."""

    def first(self) -> State:
        return True

    def after(self, state: State, index: int, symbol: Any) -> State | None:
        return state and bool(symbol)

    def accepts(self, state: State) -> bool:
        return not state


@attrs.frozen
class Allowed(Measure):
    """The list of symbols is one of these."""

    lists: frozenset[tuple[Any, ...]]

    def first(self) -> State:
        return ()

    def after(self, state: State, index: int, symbol: Any) -> State | None:
        found = (*state, symbol)
        return found if any(each[: index + 1] == found for each in self.lists) else None

    def accepts(self, state: State) -> bool:
        return state in self.lists


@attrs.frozen
class Degree(Measure):
    """The number of true symbols is one of these."""

    numbers: tuple[int, ...]

    def first(self) -> State:
        return 0

    def after(self, state: State, index: int, symbol: Any) -> State | None:
        state += bool(symbol)
        return state if state <= max(self.numbers) else None

    def accepts(self, state: State) -> bool:
        return state in self.numbers


@attrs.frozen
class Unlike(Measure):
    """The symbols with even numbers are not those with odd numbers, in their order or in any (`mixed`)."""

    mixed: bool

    def first(self) -> State:
        return ()

    def after(self, state: State, index: int, symbol: Any) -> State | None:
        if self.mixed:
            balance = dict(state)
            balance[symbol] = balance.get(symbol, 0) + (-1 if index % 2 else 1)
            return tuple(sorted((key, value) for key, value in balance.items() if value))
        if state == _FREE:
            return state
        if index % 2 == 0:
            return (symbol,)
        return () if state == (symbol,) else _FREE

    def accepts(self, state: State) -> bool:
        return bool(state)


@attrs.frozen
class Levels(Measure):
    """True symbols fill the levels from the first on, each whole; `levels`: the level of each element."""

    levels: tuple[int, ...]

    def first(self) -> State:
        return (True, True)

    def after(self, state: State, index: int, symbol: Any) -> State | None:
        _, here = state  # whether the level below is filled, and this one
        if index == 0 or self.levels[index] != self.levels[index - 1]:
            if symbol and not here:
                return None
            return here, bool(symbol)
        return state if bool(symbol) == here else None

    def accepts(self, state: State) -> bool:
        return True


@attrs.frozen(cache_hash=True)
class ShapesDiffer(Measure):
    """The true cells of two regions have different shapes, if both cells of a pair are true.

    Elements are the two cells of the pair, then the others of the first region, then those of the second.

    Args:
        one, other: where the cells of each region are, as (column, row), the cell of the pair first.
        least, most: regions with fewer or more true cells are left to another rule.
    """

    one: tuple[Pair, ...]
    other: tuple[Pair, ...]
    least: int
    most: int
    _beginnings: dict[tuple[Pair, ...], frozenset[tuple[int, tuple[int, ...]]]] = attrs.field(
        init=False, eq=False, repr=False
    )
    """By shape: how the choices of true cells of `other` with this shape begin, as (cell, those up to it)."""

    @_beginnings.default
    def _begun(self) -> dict[tuple[Pair, ...], frozenset[tuple[int, tuple[int, ...]]]]:
        found: dict[tuple[Pair, ...], set[tuple[int, tuple[int, ...]]]] = {}
        cells = range(1, len(self.other))
        for count in range(max(self.least, 1), min(self.most, len(self.other)) + 1):
            for more in combinations(cells, count - 1):
                chosen = (0, *more)
                own = found.setdefault(shape(tuple(self.other[cell] for cell in chosen)), set())
                own.update((last, tuple(cell for cell in chosen if cell <= last)) for last in (0, *cells))
        return {key: frozenset(own) for key, own in found.items()}

    def first(self) -> State:
        return ()

    def after(self, state: State, index: int, symbol: Any) -> State | None:
        if state == _FREE or (index < 2 and not symbol):
            return _FREE
        if index == 0:
            return (0,)
        size = len(self.one)
        if index > size:  # in the second region
            wanted, chosen = state
            cell = index - size
            chosen = (*chosen, cell) if symbol else chosen
            return (wanted, chosen) if (cell, chosen) in self._beginnings[wanted] else _FREE
        chosen = (*state, index - 1) if symbol and index > 1 else state
        left = size - index
        if len(chosen) > self.most or len(chosen) + left < self.least:
            return _FREE
        if left:
            return chosen
        wanted = shape(tuple(self.one[cell] for cell in chosen))
        return (wanted, (0,)) if wanted in self._beginnings else _FREE

    def accepts(self, state: State) -> bool:
        return bool(state == _FREE)


def shape(cells: tuple[Pair, ...]) -> tuple[Pair, ...]:
    """Return the first of all turns and mirrors of a set of cells, moved to the origin."""
    found = []
    for x, y, swapped in ((a, b, c) for a in (1, -1) for b in (1, -1) for c in (False, True)):
        own = [(y * v, x * u) if swapped else (x * u, y * v) for u, v in cells]
        left, top = min((u for u, _ in own), default=0), min((v for _, v in own), default=0)
        found.append(tuple(sorted((u - left, v - top) for u, v in own)))
    return min(found)
