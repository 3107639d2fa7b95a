"""All of a problem in flat arrays, as the kernels read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import read_only
from epcg_deduction.model.boards import Pair
from epcg_deduction.solving.problem import (
    Connected,
    Groups,
    Instance,
    Joined,
    Local,
    Matched,
    OneLoop,
    Pieces,
    Problem,
)
from epcg_deduction.solving.tables import Table, table_of

LOCAL: Final = 0
CONNECTED: Final = 1
LOOP: Final = 2
JOINED: Final = 3
GROUPS: Final = 4
PIECES: Final = 5
MATCHED: Final = 6
DIFFERENT: Final = 7
LONG: Final = 10
"""Sites from which on a condition that all differ goes by a matching in place of a table."""
MOST_MARKS: Final = 62
NOTHING: Final = -1
"""A bound that is not asked for, or no clue."""
NUMBERLESS: Final = -2
"""A clue whose number is not asked for."""


class Arrays(NamedTuple):
    """A problem for kernels.

    `start`: masks of the sites; `alphabet`: all their marks; instance i has the kind `kind[i]` (`local[i]`:
    an exact test), the sites `sites[sites_at[i]:sites_at[i + 1]]` and its words from `words[at[i]]` on; those
    of site s are in `touch` in the same way; `rows`: the tables of local instances. `nodes`: the most nodes
    of a table; `graph`: of the graph of a global instance; `longest`: the most sites of an instance.

    Words of a local instance: marks of a row, layers, where its rows begin, the first node of each layer.
    Words of the others: see the functions below that make them; lists of neighbours are n + 1 offsets (from
    the first word on) and the neighbours.
    """

    start: NDArray[np.int64]
    alphabet: NDArray[np.int64]
    kind: NDArray[np.int64]
    local: NDArray[np.bool_]
    at: NDArray[np.int64]
    sites_at: NDArray[np.int64]
    sites: NDArray[np.int64]
    touch_at: NDArray[np.int64]
    touch: NDArray[np.int64]
    words: NDArray[np.int64]
    rows: NDArray[np.int32]
    nodes: int
    graph: int
    longest: int


def arrays_of(problem: Problem) -> Arrays | None:
    """Return the arrays of a problem, or None if an instance or a site has no kernel."""
    if any(len(names) > MOST_MARKS for names in problem.names):
        return None
    layout = _Layout(problem)
    for instance in problem.instances:
        if not layout.add(instance):
            return None
    return layout.arrays()


class _Layout:
    """Instances put one behind the other."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._counts = [len(names) for names in problem.names]
        self._kind: list[int] = []
        self._at: list[int] = []
        self._words: list[int] = []
        self._rows: list[NDArray[np.int32]] = []
        self._row_count = 0
        self._tables: dict[Table, int] = {}
        self._nodes = 1
        self._graph = 1

    def add(self, instance: Instance) -> bool:
        """Add an instance; return whether it has a kernel."""
        if isinstance(instance, Local):
            return self._add_local(instance)
        words_of = _WORDS.get(type(instance))
        if words_of is None:
            return False
        kind, made = words_of
        self._kind.append(kind)
        self._at.append(len(self._words))
        words, nodes = made(instance)
        self._words += words
        self._graph = max(self._graph, nodes)
        return True

    def _add_local(self, instance: Local) -> bool:
        if len(set(instance.sites)) < len(instance.sites):
            return False
        symbols = instance.automaton.different() if len(instance.sites) >= LONG else None
        if symbols is not None:
            self._kind.append(DIFFERENT)
            self._at.append(len(self._words))
            words, nodes = _different(symbols)
            self._words += words
            self._graph = max(self._graph, nodes)
            return True
        table = table_of(instance.automaton, tuple([self._counts[site] for site in instance.sites]))
        if table is None:
            return False
        if table not in self._tables:
            self._tables[table] = len(self._words)
            self._words += [table.marks, len(table.first) - 1, self._row_count, *table.first.tolist()]
            self._rows.append(table.rows)
            self._row_count += len(table.rows)
            self._nodes = max(self._nodes, int(table.first[-1]) + 1)
        self._kind.append(LOCAL)
        self._at.append(self._tables[table])
        return True

    def arrays(self) -> Arrays:
        """Return all as arrays."""
        instances = self._problem.instances
        lengths = [len(instance.sites) for instance in instances]
        sites_at = np.zeros(len(instances) + 1, np.int64)
        np.cumsum(lengths, out=sites_at[1:])
        sites = np.array([site for instance in instances for site in instance.sites], np.int64)
        of_site = np.repeat(np.arange(len(instances)), lengths)
        touch_at = np.zeros(len(self._counts) + 1, np.int64)
        np.cumsum(np.bincount(sites, minlength=len(self._counts)), out=touch_at[1:])
        return Arrays(
            read_only(np.array(self._problem.start, np.int64)),
            read_only(np.array([(1 << count) - 1 for count in self._counts], np.int64)),
            read_only(np.array(self._kind, np.int64)),
            read_only(np.isin(self._kind, (LOCAL, DIFFERENT))),
            read_only(np.array(self._at, np.int64)),
            read_only(sites_at),
            read_only(sites),
            read_only(touch_at),
            read_only(of_site[np.argsort(sites, kind="stable")].astype(np.int64)),
            read_only(np.array(self._words, np.int64)),
            read_only(np.concatenate([np.zeros(0, np.int32), *self._rows])),
            self._nodes,
            self._graph,
            max(lengths, default=1),
        )


def _neighbours(count: int, pairs: Iterable[Pair], head: int) -> list[int]:
    """Return the words of an undirected graph's lists of neighbours, after `head` other words."""
    near: list[list[int]] = [[] for _ in range(count)]
    for one, other in pairs:
        near[one].append(other)
        near[other].append(one)
    return _lists(near, head)


def _lists(lists: Sequence[Sequence[int]], head: int) -> list[int]:
    """Return the words of lists: where each begins, counted from `head` words before, then the lists."""
    offsets = [head + len(lists) + 1]
    for own in lists:
        offsets.append(offsets[-1] + len(own))
    return [*offsets, *(word for own in lists for word in own)]


def _connected(instance: Connected) -> tuple[list[int], int]:
    """Mask, sites; neighbours."""
    count = len(instance.sites)
    return [instance.mask, count, *_neighbours(count, instance.pairs, 2)], count


def _numbered(ends: Sequence[Pair], more: Iterable[int] = ()) -> tuple[dict[int, int], list[Pair]]:
    """Return the numbers of the nodes of lines, and the lines by them."""
    number = {node: index for index, node in enumerate(sorted({*(n for pair in ends for n in pair), *more}))}
    return number, [(number[one], number[other]) for one, other in ends]


def _loop(instance: OneLoop) -> tuple[list[int], int]:
    """Vertices; the two ends of each site."""
    number, lines = _numbered(instance.ends)
    return [len(number), *(node for line in lines for node in line)], max(len(number), len(lines))


def _joined(instance: Joined) -> tuple[list[int], int]:
    """Cells, sites; the number of each cell's clue; the ends of each site; lists of sites at a cell."""
    number, lines = _numbered(instance.ends, (cell for cell, _ in instance.clues))
    values = {value: index for index, value in enumerate(sorted({value for _, value in instance.clues}))}
    clue = [NOTHING] * len(number)
    for cell, value in instance.clues:
        clue[number[cell]] = values[value]
    at: list[list[int]] = [[] for _ in number]
    for site, line in enumerate(lines):
        for node in line:
            at[node].append(site)
    head = [len(number), len(lines), *clue, *(node for line in lines for node in line)]
    return [*head, *_lists(at, len(head))], max(len(number), len(lines))


def _bounds(instance: Groups | Pieces, count: int) -> list[int]:
    """Least, most, exactly; for each cell its clue's number, NUMBERLESS or NOTHING."""
    clues = [NOTHING] * count
    for cell, value in instance.clues:
        clues[cell] = value if instance.by_clue and value is not None else NUMBERLESS
    asked = (instance.least, instance.most, instance.exactly)
    return [*(NOTHING if bound is None else bound for bound in asked), *clues]


def _groups(instance: Groups) -> tuple[list[int], int]:
    """Mask, sites, by mark; bounds and clues; neighbours."""
    count = len(instance.sites)
    head = [instance.mask, count, int(instance.by_mark), *_bounds(instance, count)]
    return [*head, *_neighbours(count, instance.pairs, len(head))], count


def _pieces(instance: Pieces) -> tuple[list[int], int]:
    """Cells, sites, rectangle, width, squares, values, offset of the lists; bounds and clues; and more.

    More: the values; the square of each cell; the cell of each square, or -1; the two cells of each site;
    lists of sites at a cell.
    """
    count = len(instance.cells)
    squares = max(instance.cells, default=0) + 1
    numbers = [NOTHING] * squares
    for cell, square in enumerate(instance.cells):
        numbers[square] = cell
    at: list[list[int]] = [[] for _ in instance.cells]
    for site, pair in enumerate(instance.pairs):
        for cell in pair:
            at[cell].append(site)
    more = [*_bounds(instance, count), *instance.values, *instance.cells, *numbers]
    more += [cell for pair in instance.pairs for cell in pair]
    head = [
        count,
        len(instance.pairs),
        int(instance.rectangle),
        instance.width,
        squares,
        len(instance.values),
    ]
    length = len(head) + 1 + len(more)
    return [*head, length, *more, *_lists(at, length)], max(count, len(instance.pairs))


def _matched(instance: Matched) -> tuple[list[int], int]:
    """Mask, sites, clues, offset of the second lists; sites beside each clue; clues beside each site."""
    count, clues = len(instance.sites), len(instance.near)
    beside: list[list[int]] = [[] for _ in range(count)]
    for clue, sites in enumerate(instance.near):
        for site in sites:
            beside[site].append(clue)
    first = _lists(instance.near, 4)
    head = [instance.mask, count, clues, 4 + len(first)]
    return [*head, *first, *_lists(beside, 4 + len(first))], max(count, clues) + 1


def _different(symbols: Sequence[Sequence[int]]) -> tuple[list[int], int]:
    """Sites, symbols, marks of a row; the symbol of each mark of each site, or -1."""
    numbers = {
        symbol: index for index, symbol in enumerate(sorted({s for row in symbols for s in row if s >= 0}))
    }
    marks = max(map(len, symbols))
    rows = [
        [numbers.get(symbol, NOTHING) for symbol in row] + [NOTHING] * (marks - len(row)) for row in symbols
    ]
    head = [len(symbols), len(numbers), marks]
    return [*head, *(word for row in rows for word in row)], max(len(symbols), len(numbers)) + 1


_WORDS: dict[type[Instance], tuple[int, Callable[..., tuple[list[int], int]]]] = {
    Connected: (CONNECTED, _connected),
    OneLoop: (LOOP, _loop),
    Joined: (JOINED, _joined),
    Groups: (GROUPS, _groups),
    Pieces: (PIECES, _pieces),
    Matched: (MATCHED, _matched),
}
