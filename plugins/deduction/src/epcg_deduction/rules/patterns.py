"""Conditions on drawings, pairs of lines, levels and shapes, as `automata` has those on numbers and lists."""

from __future__ import annotations

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


@attrs.frozen
class ShapesDiffer(Measure):
    """The true cells of two regions have different shapes, if both cells of a pair are true.

    Elements are the two cells of the pair, then the others of the first region, then those of the second.

    Args:
        first, second: where the cells of each region are, as (column, row), the cell of the pair first.
        most: regions with more true cells are left to another rule.
    """

    first_region: tuple[Pair, ...]
    second_region: tuple[Pair, ...]
    most: int

    def first(self) -> State:
        return ((), ())

    def after(self, state: State, index: int, symbol: Any) -> State | None:
        if state == _FREE:
            return state
        if index < 2 and not symbol:
            return _FREE
        one, other = state
        split = len(self.first_region) + 1
        if symbol and index >= 2:
            if index < split:
                one = (*one, self.first_region[index - 1])
            else:
                other = (*other, self.second_region[index - split + 1])
        elif index == 1:
            one, other = self.first_region[:1], self.second_region[:1]
        elif index == 0:
            return state
        if len(one) > self.most or len(other) > self.most:
            return _FREE
        if index == split - 1:
            one = shape(one)
        return one, other

    def accepts(self, state: State) -> bool:
        return state == _FREE or shape(state[0]) != shape(state[1])


def shape(cells: tuple[Pair, ...]) -> tuple[Pair, ...]:
    """Return the first of all turns and mirrors of a set of cells, moved to the origin."""
    found = []
    for x, y, swapped in ((a, b, c) for a in (1, -1) for b in (1, -1) for c in (False, True)):
        own = [(y * v, x * u) if swapped else (x * u, y * v) for u, v in cells]
        left, top = min((u for u, _ in own), default=0), min((v for _, v in own), default=0)
        found.append(tuple(sorted((u - left, v - top) for u, v in own)))
    return min(found)
