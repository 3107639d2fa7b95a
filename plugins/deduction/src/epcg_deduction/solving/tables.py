"""Local instances as layered automata: multi-valued decision diagrams, minimal and shared.

The nodes of a diagram are numbered layer by layer, the root is 0, and the last node accepts. A row has the
node after each mark, or -1. Equal rows of a layer are one node, so equal conditions have equal tables.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import read_only
from epcg_deduction.solving.problem import Automaton

MOST_NODES = 200_000
"""Nodes up to which a diagram is made; above, the plain solver reads the automaton itself."""


@attrs.frozen(eq=False)
class Table:
    """A diagram.

    Args:
        marks: the number of columns.
        first: the first node of each layer, the last layer has one node; (layers + 1,) int64.
        rows: the next nodes, flat, (nodes before the last layer * marks,) int32.
    """

    marks: int
    first: NDArray[np.int64]
    rows: NDArray[np.int32]


_MOST_KEPT = 1 << 15
_KEPT: dict[int, tuple[Automaton, tuple[int, ...], Table | None]] = {}
"""By the identity of an automaton, which is kept with its diagram: comparing automata takes longer."""


def table_of(automaton: Automaton, alphabets: tuple[int, ...]) -> Table | None:
    """Return the diagram of a condition on sites with a number of marks each; None if it is too large."""
    kept = _KEPT.get(id(automaton))
    if kept is not None and kept[0] is automaton and kept[1] == alphabets:
        return kept[2]
    if len(_KEPT) >= _MOST_KEPT:
        _KEPT.clear()
    found = _table_of(automaton, alphabets)
    _KEPT[id(automaton)] = automaton, alphabets, found
    return found


@lru_cache(maxsize=1 << 14)
def _table_of(automaton: Automaton, alphabets: tuple[int, ...]) -> Table | None:
    layers: list[dict[Hashable, list[Hashable | None]]] = []
    states: set[Hashable] = {automaton.first()}
    nodes = 0
    for index, count in enumerate(alphabets):
        after = automaton.after
        layer = {state: [after(state, index, mark) for mark in range(count)] for state in states}
        layers.append(layer)
        states = {state for row in layer.values() for state in row if state is not None}
        nodes += len(states)
        if nodes > MOST_NODES:
            return None
    number: dict[Hashable, int] = {state: 0 for state in states if automaton.accepts(state)}
    if not layers:  # the last node is the root, or one that nothing leads to
        return Table(1, read_only(np.array([0 if number else 1])), read_only(np.zeros(0, np.int32)))
    found: list[list[tuple[int, ...]]] = []
    for layer in reversed(layers):
        rows: dict[tuple[int, ...], int] = {}
        above: dict[Hashable, int] = {}
        for state, row in layer.items():
            numbered = tuple(-1 if target is None else number.get(target, -1) for target in row)
            if any(target >= 0 for target in numbered):
                above[state] = rows.setdefault(numbered, len(rows))
        number = above
        found.append(list(rows))
    return _laid_out(found[::-1], max(alphabets, default=1))


def _laid_out(layers: list[list[tuple[int, ...]]], marks: int) -> Table:
    """Return a table from the rows of each layer, whose targets count within their layer."""
    if layers and not layers[0]:
        layers[0] = [(-1,) * marks]
    first = np.zeros(len(layers) + 1, np.int64)
    np.cumsum([len(layer) for layer in layers], out=first[1:])
    rows = np.full((int(first[-1]), marks), -1, np.int32)
    node = 0
    for index, layer in enumerate(layers):
        for row in layer:
            rows[node, : len(row)] = [-1 if to < 0 else to + first[index + 1] for to in row]
            node += 1
    return Table(marks, read_only(first), read_only(rows.reshape(-1)))
