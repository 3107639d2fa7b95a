"""Numbers of solutions, counted over a graph of positions layer by layer, without listing any.

A solution is a sequence of actions that ends at the first goal that it reaches; actions that change nothing
are none of its. It may pass a position twice, which no shortest one does. How many have k actions follows
from how many ways lead to each position by k - 1; only positions matter from which a goal can still be
reached in time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.domain import LimitReachedError
from epcg_core.search.shortest_path.reachable import ReachableGraph

MOST_COUNTED = 2**62
_MOST_STATES = 2_000_000
"""Positions with what is left to do in each, at most, if solutions of given actions are counted."""
_TOO_MANY_ORDERS = "Too many orders of the moves are possible to count the solutions among them."
_Ints = NDArray[np.int64]


class Ways:
    """The edges of a graph that solutions of at most `length` actions can use.

    Args:
        graph: the graph of the positions that at most `length` actions reach, or of more.
        length: the most actions.
        avoided: numbers of positions that no solution may pass.
    """

    def __init__(self, graph: ReachableGraph, length: int, avoided: Sequence[int] = ()) -> None:
        self._graph, self._length = graph, length
        left = graph.distances.astype(np.int64)
        left[left == graph.UNREACHED] = length + 1
        left[list(avoided)] = length + 1
        self._left = left
        """The actions that a position still needs at least; more than `length` if it cannot be used."""
        source, target = graph.source, graph.target
        useful = (source != target) & (graph.depth[source] + 1 + left[target] <= length)
        self.edges: _Ints = np.flatnonzero(useful)
        """The numbers of the edges, by their sources."""
        order = np.argsort(source[self.edges], kind="stable")
        self.edges = self.edges[order]
        self._target = target[self.edges].astype(np.int64)
        self._first = np.searchsorted(source[self.edges], np.arange(graph.count + 1))
        self._is_won = np.zeros(graph.count, np.bool_)
        self._is_won[graph.won] = True

    def solutions(self, start: int = 0) -> list[int]:
        """Return the number of solutions by length, from 0 to the most.

        Raises LimitReachedError if there are 2**62 or more of one length.
        """
        here, ways = np.array([start], np.int64), np.ones(1, np.int64)
        found = []
        for done in range(self._length + 1):
            won = self._is_won[here]
            found.append(_counted(sum(ways[won].tolist())))
            at, edges = self._onward(here, done)
            here, ways = _together(self._target[edges], ways[at])
        return found

    def of_actions(self, numbers: _Ints, wanted: Sequence[int], start: int = 0) -> int:
        """Return the number of solutions that consist of given actions, in any order.

        Args:
            numbers: for each edge of the graph, the number of its action, from 0; -1 for one not wanted.
            wanted: how often each action is taken; their sum is the most actions.
            start: the number of the first position.

        Raises:
            LimitReachedError: if there are 2**62 or more, or too many positions with what is left to do.
        """
        if np.prod(np.array([each + 1.0 for each in wanted])) * self._graph.count >= 2.0**62:
            raise _too_many(_TOO_MANY_ORDERS)
        weights = np.cumprod([1, *(each + 1 for each in wanted)]).astype(np.int64)
        most = np.array(wanted, np.int64)
        own = numbers[self.edges]
        size = int(weights[-1])
        here, ways = np.array([start * size], np.int64), np.ones(1, np.int64)
        for done in range(self._length):
            at, edges = self._onward(here // size, done)
            action, code = own[edges], here[at] % size
            fits = action >= 0
            at, edges, action, code = at[fits], edges[fits], action[fits], code[fits]
            fits = code // weights[action] % (most[action] + 1) < most[action]
            states = self._target[edges[fits]] * size + code[fits] + weights[action[fits]]
            here, ways = _together(states, ways[at[fits]])
            if len(here) > _MOST_STATES:
                raise _too_many(_TOO_MANY_ORDERS)
        return _counted(sum(ways[self._is_won[here // size]].tolist()))

    def _onward(self, here: _Ints, done: int) -> tuple[_Ints, _Ints]:
        """Return edges that lead on in time: for each the place of its source in `here`, and its number."""
        first, stop = self._first[here], self._first[here + 1]
        lengths = stop - first
        at = np.repeat(np.arange(len(here)), lengths)
        starts = np.repeat(first - np.cumsum(lengths) + lengths, lengths)
        edges = starts + np.arange(int(lengths.sum()))
        in_time = done + 1 + self._left[self._target[edges]] <= self._length
        return at[in_time], edges[in_time]


def _together(states: _Ints, ways: _Ints) -> tuple[_Ints, _Ints]:
    """Return each state once, with the sum of its ways. Raises LimitReachedError if one has 2**62 or more."""
    found, place = np.unique(states, return_inverse=True)
    if len(found) and np.bincount(place, ways.astype(np.float64)).max() >= MOST_COUNTED:
        raise _too_many()
    total = np.zeros(len(found), np.int64)
    np.add.at(total, place, ways)
    return found, total


def _counted(number: int) -> int:
    if number >= MOST_COUNTED:
        raise _too_many()
    return number


def _too_many(sentence: str = "There are 2**62 solutions or more.") -> LimitReachedError:
    return LimitReachedError(sentence)


def numbered(texts: Sequence[Any], wanted: Sequence[str]) -> tuple[_Ints, list[int]]:
    """Return what `Ways.of_actions` asks for: the number of each text, and how often each is wanted."""
    names = list(dict.fromkeys(wanted))
    numbers = {name: number for number, name in enumerate(names)}
    of_texts = np.array([numbers.get(text, -1) for text in texts], np.int64)
    return of_texts, [list(wanted).count(name) for name in names]
