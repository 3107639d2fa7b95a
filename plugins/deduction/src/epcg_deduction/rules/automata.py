"""Conditions that read the marks of a few sites one by one and remember little.

Sites are read into *elements*: a cell with its mark, with what its links make of it, or a line. Each element
becomes a *symbol* (a number, a truth value; None: it does not count here), and a *measure* reads the symbols.
All are equal if they say the same, so that solvers can share what they make of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from itertools import pairwise
from typing import Any

import attrs

from epcg_deduction.solving.problem import Automaton

State = Any
"""The memory of a measure: hashable, never None."""
_DEAD = ("dead",)


class Measure(ABC):
    """A condition on symbols, read one by one."""

    @abstractmethod
    def first(self) -> State:
        """Return the state before the first symbol."""

    @abstractmethod
    def after(self, state: State, index: int, symbol: Any) -> State | None:
        """Return the state after the symbol of element number `index`; None: the condition cannot hold."""

    @abstractmethod
    def accepts(self, state: State) -> bool:
        """Return whether the condition holds if no symbol follows."""


@attrs.frozen
class Element:
    """The sites from which one symbol is read.

    Args:
        sites: the sites, as indices into the sites of the instance.
        sizes: how many marks each of them has.
        table: the symbol for each choice of marks; the marks of the last site change fastest.
    """

    sites: tuple[int, ...]
    sizes: tuple[int, ...]
    table: tuple[Hashable, ...]

    def symbol(self, marks: dict[int, int]) -> Hashable:
        """Return the symbol for the marks of the sites (by index)."""
        at = 0
        for site, size in zip(self.sites, self.sizes, strict=True):
            at = at * size + marks[site]
        return self.table[at]


@attrs.frozen(cache_hash=True)
class Reading(Automaton):
    """A measure of elements, whose sites may be shared and are read in the order in which they are needed."""

    elements: tuple[Element, ...]
    measure: Measure
    _plan: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]] = attrs.field(
        init=False, eq=False, repr=False
    )

    @_plan.default
    def _planned(self) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
        """Return for each step which elements it completes, and which sites are still needed after it."""
        count = 1 + max((site for element in self.elements for site in element.sites), default=-1)
        done: list[list[int]] = [[] for _ in range(count + 1)]
        last, step = [-1] * count, 0
        for number, element in enumerate(self.elements):
            step = max([step, *(site + 1 for site in element.sites)])  # step 0: before the first site
            done[step].append(number)
            for site in element.sites:
                last[site] = max(last[site], step)
        kept = [tuple(site for site in range(now) if last[site] > now) for now in range(count + 1)]
        return tuple(map(tuple, done)), tuple(kept)

    def first(self) -> Hashable:
        found = self._read(0, {}, self.measure.first())
        return _DEAD if found is None else found

    def after(self, state: Hashable, index: int, mark: int) -> Hashable | None:
        if state == _DEAD:
            return None
        pending: tuple[int, ...]
        measured: State
        pending, measured = state  # type: ignore[misc]
        marks = dict(zip(self._plan[1][index], pending, strict=True))
        marks[index] = mark
        return self._read(index + 1, marks, measured)

    def _read(self, step: int, marks: dict[int, int], measured: State) -> Hashable | None:
        for number in self._plan[0][step]:
            measured = self.measure.after(measured, number, self.elements[number].symbol(marks))
            if measured is None:
                return None
        return tuple(marks[site] for site in self._plan[1][step]), measured

    def accepts(self, state: Hashable) -> bool:
        return state != _DEAD and self.measure.accepts(state[1])  # type: ignore[index]

    def different(self) -> tuple[tuple[int, ...], ...] | None:
        one_each = all(element.sites == (at,) for at, element in enumerate(self.elements))
        if not isinstance(self.measure, Different) or not one_each:
            return None
        symbols = {symbol for element in self.elements for symbol in element.table if symbol is not None}
        number: dict[Hashable, int] = {symbol: at for at, symbol in enumerate(sorted(symbols, key=repr))}
        return tuple(tuple(number.get(each, -1) for each in element.table) for element in self.elements)


# ---- numbers, and what they are compared with


class Amount(ABC):
    """A number that symbols add up to in some way."""

    rising: bool = True
    """Whether the number never becomes smaller as symbols follow."""
    start: State = 0

    @abstractmethod
    def plus(self, state: State, symbol: Any) -> State:
        """Return the state after a symbol."""

    def value(self, state: State) -> int | None:
        """Return the number of a state; None: there is none."""
        return int(state)

    def capped(self, state: State, enough: int) -> State:
        """Return a state that stands for all with as large a number, of those with at least `enough`."""
        return state


@attrs.frozen
class Total(Amount):
    """The sum of the symbols."""

    def plus(self, state: State, symbol: Any) -> State:
        return state + symbol

    def capped(self, state: State, enough: int) -> State:
        return min(state, enough)


@attrs.frozen
class Product(Amount):
    """The product of the symbols; `rising`: none of them is 0."""

    rising: bool
    start = 1

    def plus(self, state: State, symbol: Any) -> State:
        return state * symbol


@attrs.frozen
class Difference(Amount):
    """The largest symbol less all others."""

    rising = False
    start = (0, 0)

    def plus(self, state: State, symbol: Any) -> State:
        return max(state[0], symbol), state[1] + symbol

    def value(self, state: State) -> int | None:
        return int(2 * state[0] - state[1])


@attrs.frozen
class Quotient(Amount):
    """The largest symbol by the product of all others, if that divides it."""

    rising = False
    start = (None, 1)

    def plus(self, state: State, symbol: Any) -> State:
        largest, others = state
        if largest is None:
            return symbol, others
        return max(largest, symbol), others * min(largest, symbol)

    def value(self, state: State) -> int | None:
        largest, others = state
        return largest // others if largest is not None and others and largest % others == 0 else None


@attrs.frozen
class Visible(Amount):
    """How many symbols are larger than all before."""

    start = (0, 0)

    def plus(self, state: State, symbol: Any) -> State:
        return (symbol, state[1] + 1) if symbol > state[0] or state[1] == 0 else state

    def value(self, state: State) -> int | None:
        return int(state[1])


@attrs.frozen
class Kinds(Amount):
    """How many different symbols there are."""

    start = frozenset()

    def plus(self, state: State, symbol: Any) -> State:
        return state | {symbol}

    def value(self, state: State) -> int | None:
        return len(state)


@attrs.frozen
class Within(Measure):
    """The amount is from `low` to `high`; None: as large as you like."""

    amount: Amount
    low: int
    high: int | None

    def first(self) -> State:
        return self.amount.start

    def after(self, state: State, index: int, symbol: Any) -> State | None:
        if symbol is None:
            return state
        state = self.amount.plus(state, symbol)
        if self.amount.rising:
            value = self.amount.value(state)
            if self.high is not None and value is not None and value > self.high:
                return None
            if self.high is None:
                return self.amount.capped(state, max(self.low, 0))
        return state

    def accepts(self, state: State) -> bool:
        value = self.amount.value(state)
        return value is not None and self.low <= value and (self.high is None or value <= self.high)


@attrs.frozen
class AgainstMark(Measure):
    """The amount of all symbols but the first is the first one, or is more (`more`)."""

    amount: Amount
    more: bool

    def first(self) -> State:
        return (None, self.amount.start)

    def after(self, state: State, index: int, symbol: Any) -> State | None:
        wanted, now = state
        if index == 0:
            return symbol, now
        if symbol is None:
            return state
        now = self.amount.plus(now, symbol)
        if self.amount.rising:
            value = self.amount.value(now)
            if not self.more and value is not None and value > wanted:
                return None
            if self.more:
                now = self.amount.capped(now, wanted + 1)
        return wanted, now

    def accepts(self, state: State) -> bool:
        wanted, now = state
        value = self.amount.value(now)
        return value is not None and (value > wanted if self.more else value == wanted)


@attrs.frozen
class AgainstClues(Measure):
    """The amount is the number of every clue among the elements; a symbol is (symbol, number or None)."""

    amount: Amount

    def first(self) -> State:
        return (None, self.amount.start)

    def after(self, state: State, index: int, symbol: Any) -> State | None:
        wanted, now = state
        own, clue = symbol
        if clue is not None:
            if wanted not in (None, clue):
                return None
            wanted = clue
        if own is not None:
            now = self.amount.plus(now, own)
        value = self.amount.value(now)
        too_many = self.amount.rising and None not in (wanted, value) and value > wanted
        return None if too_many else (wanted, now)

    def accepts(self, state: State) -> bool:
        wanted, now = state
        return wanted is None or self.amount.value(now) == wanted


# ---- lists


@attrs.frozen
class Different(Measure):
    """No two symbols are equal.

    `later`: for each element the symbols that can follow it, so that others are forgotten.
    """

    later: tuple[frozenset[Any], ...]

    def first(self) -> State:
        return frozenset()

    def after(self, state: State, index: int, symbol: Any) -> State | None:
        if symbol is None:
            return state & self.later[index]
        return None if symbol in state else (state | {symbol}) & self.later[index]

    def accepts(self, state: State) -> bool:
        return True


@attrs.frozen
class Chain(Measure):
    """Each symbol is equal to the one before, or larger (`increasing`)."""

    increasing: bool

    def first(self) -> State:
        return ()

    def after(self, state: State, index: int, symbol: Any) -> State | None:
        if symbol is None or not state:
            return state if symbol is None else (symbol,)
        holds = symbol > state[0] if self.increasing else symbol == state[0]
        return (symbol,) if holds else None

    def accepts(self, state: State) -> bool:
        return True


@attrs.frozen
class RunsInOrder(Measure):
    """The lengths of the runs of true symbols are these; `gaps`: the elements that begin after a gap."""

    lengths: tuple[int, ...]
    gaps: frozenset[int]

    def first(self) -> State:
        return (0, 0)

    def after(self, state: State, index: int, symbol: Any) -> State | None:
        done, now = state
        if now and (index in self.gaps or not symbol):
            if now != self.lengths[done]:
                return None
            done, now = done + 1, 0
        if not symbol:
            return done, now
        return (done, now + 1) if done < len(self.lengths) and now < self.lengths[done] else None

    def accepts(self, state: State) -> bool:
        done, now = state
        if now:
            return bool(done == len(self.lengths) - 1 and now == self.lengths[done])
        return bool(done == len(self.lengths))


@attrs.frozen
class Runs(Measure):
    """The lengths of the runs of true symbols fulfil a condition.

    Args:
        condition: "order" or "any" (those of `lengths` in this order, or in any), "different", "same" or
            "increasing".
        lengths: see there.
        gaps: the elements that begin after a gap.
        circle: the number of elements if the last is beside the first, else 0.
    """

    condition: str
    lengths: tuple[int, ...]
    gaps: frozenset[int]
    circle: int

    def first(self) -> State:
        return ((), 0, False)

    def after(self, state: State, index: int, symbol: Any) -> State | None:
        runs, now, whole = state  # whole: the first run begins with the first element
        if now and (index in self.gaps or not symbol):
            runs, now = (*runs, now), 0
            if self.condition == "any" and not self._possible(runs[1:] if whole and self.circle else runs):
                return None
        if symbol:
            whole = whole or index == 0
            now += 1
        return runs, now, whole

    def _possible(self, runs: tuple[int, ...]) -> bool:
        return all(runs.count(run) <= self.lengths.count(run) for run in runs)

    def accepts(self, state: State) -> bool:
        runs, now, whole = state
        if now and self.circle and whole and runs:
            runs = (runs[0] + now, *runs[1:])
        elif now:
            runs = (*runs, now)
        if self.condition == "any":
            return bool(sorted(runs) == sorted(self.lengths))
        if self.condition == "order":
            return bool(runs == self.lengths)
        if self.condition == "increasing":
            return all(a < b for a, b in pairwise(runs))
        return len(set(runs)) == len(runs) if self.condition == "different" else len(set(runs)) <= 1


# ---- what is seen, and stretches


@attrs.frozen
class Rays(Measure):
    """A measure of what is seen from a cell; a symbol is None where the view ends, else (symbol,).

    Args:
        starts: the elements that are the first ones of their direction.
        own: whether element 0 is the cell itself, without which nothing is seen.
        inner: the measure.
    """

    starts: frozenset[int]
    own: bool
    inner: Measure

    def first(self) -> State:
        return (True, self.inner.first())

    def after(self, state: State, index: int, symbol: Any) -> State | None:
        sees, now = state
        if sees == "nothing":
            return state
        if index == 0 and self.own and symbol is None:
            return "nothing", now
        sees = (sees or index in self.starts) and symbol is not None
        if not sees:
            return False, now
        now = self.inner.after(now, index, symbol[0])
        return None if now is None else (True, now)

    def accepts(self, state: State) -> bool:
        return self.inner.accepts(state[1])


@attrs.frozen
class Stretches(Measure):
    """A measure of each stretch of symbols that are not None; each of them is (symbol,)."""

    inner: Measure

    def first(self) -> State:
        return ()

    def after(self, state: State, index: int, symbol: Any) -> State | None:
        if symbol is None:
            return () if self.accepts(state) else None
        now = self.inner.after(state[0] if state else self.inner.first(), index, symbol[0])
        return None if now is None else (now,)

    def accepts(self, state: State) -> bool:
        return not state or self.inner.accepts(state[0])
