"""The arrays of a problem, put together from blocks that problems of one board share.

A block is a few instances made ready: the fixed ones of a board are one, those of each clue another. Their
words and tables stand in a store to which more are added, so a further puzzle of the board costs the reading
of its blocks and nothing of what is in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import Any, Final, cast

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import array_njit, read_only
from epcg_deduction.model.boards import Pair
from epcg_deduction.solving.arrays import (
    CONNECTED,
    DIFFERENT,
    GROUPS,
    JOINED,
    LOCAL,
    LOOP,
    MATCHED,
    MOST_MARKS,
    NOTHING,
    NUMBERLESS,
    PIECES,
    Arrays,
)
from epcg_deduction.solving.problem import (
    Connected,
    Groups,
    Instance,
    Joined,
    Local,
    Matched,
    OneLoop,
    Part,
    Pieces,
    Problem,
)
from epcg_deduction.solving.tables import Table, table_of

LONG: Final = 10
"""Sites from which on a condition that all differ goes by a matching in place of a table."""
_WIDE: Final = 64
"""Bits of all marks together, from which on it does so too: what a table leaves is then not remembered."""
_MOST_WORDS: Final = 1 << 20
_MOST_ROWS: Final = 1 << 23
_MOST_ALPHABETS: Final = 1 << 12
"""What a store holds, from which on the next problem gets another one."""
_HEAD: Final = 3
"""Words of an instance in a block before its sites: its kind, where its words begin, the number of sites."""
Names = tuple[tuple[str, ...], ...]


@attrs.frozen(eq=False)
class Block:
    """Instances made ready.

    Args:
        stream: kind, first word, number of sites and sites of one instance after the other; (words,) int64.
        sizes: `nodes`, `graph` and `longest` as in `Arrays`, for these instances.
    """

    stream: NDArray[np.int64]
    sizes: tuple[int, int, int]


@attrs.frozen(eq=False)
class _Alphabet:
    """The marks of all sites: how many each has, their masks (None: too many for a kernel), their sum."""

    names: Names
    counts: tuple[int, ...]
    masks: NDArray[np.int64] | None
    marks: int


class _Growing:
    """Numbers to which more are added; what was handed out stays as it is."""

    def __init__(self, kind: Any) -> None:
        self._all: NDArray[Any] = np.zeros(1 << 12, kind)
        self.size = 0
        self.view = read_only(self._all[:0])

    def add(self, more: Sequence[int] | NDArray[Any]) -> int:
        """Add numbers; return where they begin."""
        begin, self.size = self.size, self.size + len(more)
        if self.size > len(self._all):
            grown = np.zeros(2 * self.size, self._all.dtype)
            grown[:begin] = self._all[:begin]
            self._all = grown
        self._all[begin : self.size] = more
        self.view = self._all[: self.size]
        self.view.flags.writeable = False
        return begin


class _Store:
    """Words and tables of instances, which blocks point at."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.words, self.rows = _Growing(np.int64), _Growing(np.int32)
        self.tables: dict[Table, int] = {}
        self.alphabets: dict[int, _Alphabet] = {}

    @property
    def full(self) -> bool:
        """Whether it holds so much that others are begun."""
        return (
            self.words.size > _MOST_WORDS
            or self.rows.size > _MOST_ROWS
            or len(self.alphabets) > _MOST_ALPHABETS
        )

    def alphabet(self, names: Names) -> _Alphabet:
        """Return the marks of all sites, made once for the same names."""
        found = self.alphabets.get(id(names))
        if found is None or found.names is not names:
            counts = tuple(map(len, names))
            fits = max(counts, default=0) <= MOST_MARKS
            masks = read_only(np.array([(1 << own) - 1 for own in counts], np.int64)) if fits else None
            found = self.alphabets[id(names)] = _Alphabet(names, counts, masks, sum(counts))
        return found

    def blocks(self, parts: Sequence[Part], alphabet: _Alphabet) -> list[Block | None]:
        """Return the block of each part, made once as long as this is the store."""
        counts = alphabet.counts
        found: list[Block | None] = []
        for part in parts:
            kept: Any = part.made
            if kept is None or kept[0] is not self or (kept[1] is not counts and kept[1] != counts):
                kept = part.made = self, counts, self.made(part.instances, counts)
            found.append(kept[2])
        return found

    def made(self, instances: Sequence[Instance], counts: Sequence[int]) -> Block | None:
        """Make instances ready; None if one has no kernel."""
        stream: list[int] = []
        nodes = graph = longest = 1
        for instance in instances:
            sites = instance.sites
            if isinstance(instance, Local):
                own = self._local(instance, tuple([counts[site] for site in sites]))
            else:
                own = self._global(instance)
            if own is None:
                return None
            kind, at, of_table, of_graph = own
            stream += (kind, at, len(sites), *sites)
            nodes, graph, longest = max(nodes, of_table), max(graph, of_graph), max(longest, len(sites))
        return Block(np.array(stream, np.int64), (nodes, graph, longest))

    def _global(self, instance: Instance) -> tuple[int, int, int, int] | None:
        words_of = _WORDS.get(type(instance))
        if words_of is None:
            return None
        kind, made = words_of
        words, nodes = made(instance)
        return kind, self.words.add(words), 1, nodes

    def _local(self, instance: Local, counts: tuple[int, ...]) -> tuple[int, int, int, int] | None:
        if len(set(instance.sites)) < len(instance.sites):
            return None
        long = len(counts) >= LONG or len(counts) * max(counts, default=0) >= _WIDE
        symbols = instance.automaton.different() if long else None
        if symbols is not None:
            words, nodes = _different(symbols)
            return DIFFERENT, self.words.add(words), 1, nodes
        table = table_of(instance.automaton, counts)
        if table is None:
            return None
        if table not in self.tables:
            begin = self.rows.add(table.rows)
            words = [table.marks, len(table.first) - 1, begin, *table.first.tolist()]
            self.tables[table] = self.words.add(words)
        return LOCAL, self.tables[table], int(table.first[-1]) + 1, 1


_STORE = _Store(1)
_LOCK = Lock()


def arrays_of(problem: Problem) -> Arrays | None:
    """Return the arrays of a problem, or None if an instance or a site has no kernel."""
    global _STORE
    with _LOCK:
        if _STORE.full:
            _STORE = _Store(_STORE.number + 1)
        store = _STORE
        alphabet = store.alphabet(problem.names)
        if alphabet.masks is None:
            return None
        if problem.parts:
            blocks = store.blocks(problem.parts, alphabet)
        else:
            blocks = [store.made(problem.instances, alphabet.counts)]
        return _joined_blocks(problem, store, alphabet, blocks)


def _joined_blocks(
    problem: Problem, store: _Store, alphabet: _Alphabet, blocks: Sequence[Block | None]
) -> Arrays | None:
    """Return the arrays of a problem whose instances are these blocks; None if one has no kernel."""
    assert alphabet.masks is not None
    if None in blocks:
        return None
    ready = cast("Sequence[Block]", blocks)
    stream = np.concatenate([block.stream for block in ready])
    nodes, graph, longest = map(max, zip(*{block.sizes for block in ready}, strict=True))
    count = len(problem.instances)
    instances = np.empty((3, count + 1), np.int64)
    local = np.empty(count, np.bool_)
    touch_at = np.empty(len(alphabet.counts) + 1, np.int64)
    of_sites = np.empty((2, len(stream) - _HEAD * count), np.int64)
    lay_out(read_only(stream), instances, local, touch_at, of_sites)
    for array in (instances, local, touch_at, of_sites):
        array.flags.writeable = False
    return Arrays(
        read_only(np.array(problem.start, np.int64)),
        alphabet.masks,
        instances[0, :count],
        local,
        instances[1, :count],
        instances[2],
        of_sites[0],
        touch_at,
        of_sites[1],
        store.words.view,
        store.rows.view,
        nodes,
        graph,
        longest,
        alphabet.marks,
        store.number,
    )


@array_njit
def lay_out(
    stream: NDArray[np.int64],
    instances: NDArray[np.int64],
    local: NDArray[np.bool_],
    touch_at: NDArray[np.int64],
    of_sites: NDArray[np.int64],
) -> None:
    """Write what a stream of blocks says of all instances.

    Args:
        stream: see `Block`; (words,) int64.
        instances: returns kind, first word, and where the sites of each begin; (3, instances + 1) int64.
        local: returns whether the test of each is exact; (instances,).
        touch_at: returns where the instances of each site begin; (sites + 1,) int64.
        of_sites: returns the sites of all instances, and the instances of all sites, ascending; (2, n) int64.
    """
    count = local.size
    touch_at[:] = 0
    read = written = 0
    for instance in range(count):
        kind, length = stream[read], stream[read + 2]
        instances[0, instance] = kind
        instances[1, instance] = stream[read + 1]
        instances[2, instance] = written
        local[instance] = kind in (LOCAL, DIFFERENT)
        read += _HEAD
        for _ in range(length):
            site = stream[read]
            of_sites[0, written] = site
            touch_at[site + 1] += 1
            read += 1
            written += 1
    instances[2, count] = written
    for site in range(touch_at.size - 1):
        touch_at[site + 1] += touch_at[site]
    for instance in range(count):
        for index in range(instances[2, instance], instances[2, instance + 1]):
            site = of_sites[0, index]
            of_sites[1, touch_at[site]] = instance
            touch_at[site] += 1
    for site in range(touch_at.size - 1, 0, -1):
        touch_at[site] = touch_at[site - 1]
    touch_at[0] = 0


# ---- the words of instances, in `Arrays.words`


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
