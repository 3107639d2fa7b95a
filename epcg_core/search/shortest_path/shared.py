"""Shortest solutions of many puzzles of one shape, equal to those of separate searches.

All puzzles share a graph of states in which every expansion is kept with the features of the puzzle that it
depended on, and their values (see `shared_kernels`). A search expands a state only if no puzzle before it
agreed on these features. So the completions of a sketch, which differ in a few places, share most of what
they have in common in pairs, not only what they have in common with one original
(`epcg_core.search.shortest_path.incremental`). Puzzles whose differences are not known get a graph of their
own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.compiled import read_only
from epcg_core.domain import PackedModel, TransitionModel
from epcg_core.search.shortest_path.positions import PositionTable, grown
from epcg_core.search.shortest_path.shared_kernels import (
    DEPTH,
    FOUND,
    HEAD,
    LIMITED,
    TAIL,
    WANTING,
    keep_entries,
    traverse_shared,
    without_entry,
)
from epcg_core.search.shortest_path.solver import (
    BATCH,
    DEFAULT_LIMIT,
    PathResult,
    check_limit,
    packed_model,
    shortest_path,
)

MOST_BYTES = 2**30
MOST_GRAPHS = 64
_FIRST_BATCH, _PART = 32, 8
"""A batch has at most the first size, or this share of the expansions, because the last is partly wasted."""


class SharedSearch:
    """Answers for puzzles of one transition model, with graphs of states that grow with every question.

    Beyond `most_bytes`, what is known is dropped; a single search may exceed the limit. Models without packed
    positions and footprints are searched separately. Raises EpcgError for a negative limit.
    """

    def __init__(
        self,
        model: TransitionModel[Any, Any],
        limit: int = DEFAULT_LIMIT,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        check_limit(limit)
        self._model, self._limit, self._most_bytes = model, limit, most_bytes
        self._graphs: list[_SharedGraph] = []
        self._table: PositionTable | None = None
        self.expanded = 0
        """Expansions made so far, all searches together."""

    def answer(self, puzzle: Any) -> PathResult:
        """Return what `shortest_path` returns, but for the actions, which are left out."""
        packed = packed_model(self._model, puzzle)
        if packed is None or not packed.features or self._limit == 0:
            return self._anew(puzzle, packed)
        graph, changed = self._graph_of(packed)
        before = graph.expanded
        found = graph.search(packed, packed.pack(self._model.initial(puzzle)), changed, self._limit)
        self.expanded += graph.expanded - before
        if sum(each.nbytes for each in self._graphs) > self._most_bytes:
            self._graphs.clear()
        return found

    def _graph_of(self, packed: PackedModel[Any, Any]) -> tuple[_SharedGraph, NDArray[np.uint64]]:
        """Return the graph of a puzzle, the last used one first, and in which features it differs there."""
        for at, graph in enumerate(self._graphs):
            changed = graph.differences(packed)
            if changed is not None:
                self._graphs.insert(0, self._graphs.pop(at))
                return graph, changed
        del self._graphs[MOST_GRAPHS - 1 :]
        self._graphs.insert(0, _SharedGraph(packed))
        return self._graphs[0], np.zeros(self._graphs[0].words, np.uint64)

    def _anew(self, puzzle: Any, packed: object) -> PathResult:
        if packed is not None and self._table is None:
            self._table = PositionTable(1)
        found = shortest_path(self._model, puzzle, self._limit, table=self._table)
        self.expanded += min(found.expansions, self._limit)
        return found


class _SharedGraph:
    """The states met so far, and their expansions."""

    def __init__(self, packed: PackedModel[Any, Any]) -> None:
        self._first = packed
        self.words = -(-packed.features // 64)
        self.expanded = 0
        self._table = PositionTable(packed.words)
        self._goals = np.zeros(_FIRST_BATCH, np.bool_)
        self._tops = np.zeros(_FIRST_BATCH, np.int32)
        self._stamps = np.zeros(_FIRST_BATCH, np.int32)
        self._queue = np.zeros(_FIRST_BATCH, np.int32)
        self._links = np.zeros(_FIRST_BATCH, np.int32)
        self._reads = np.zeros((_FIRST_BATCH, self.words), np.uint64)
        self._values = np.zeros((_FIRST_BATCH, self.words), np.uint64)
        self._spans = np.zeros((_FIRST_BATCH, 2), np.int64)
        self._edges = np.zeros(_FIRST_BATCH, np.int32)
        self._used = 0
        self._generation = 0
        self._found = np.empty(BATCH, np.int32)

    @property
    def nbytes(self) -> int:
        """The memory that the graph takes without spare room."""
        nodes = self._table.count * (8 * self._table.words + 16 + 13)
        return nodes + self.expanded * (20 + 16 * self.words) + 4 * self._used

    def differences(self, packed: PackedModel[Any, Any]) -> NDArray[np.uint64] | None:
        """Return the features in which a puzzle differs from the first one; None if it differs in more."""
        if (packed.words, packed.features) != (self._first.words, self._first.features):
            return None
        changed = self._first.differences(packed)
        return None if changed is None else read_only(np.asarray(changed, np.uint64))

    def search(
        self,
        packed: PackedModel[Any, Any],
        root: NDArray[np.uint64],
        changed: NDArray[np.uint64],
        limit: int,
    ) -> PathResult:
        """Search a puzzle whose first position has the row `root`."""
        self._generation += 1
        number = int(self._add(packed, read_only(np.asarray(root, np.uint64).reshape(1, -1)))[0])
        if self._goals[number]:
            return PathResult(0, (), 0, False, 1)
        self._queue = grown(self._queue, self._table.count)
        self._queue[0] = number
        self._stamps[number] = self._generation
        state = np.array([0, 1, 0, 1], np.int64)
        begun = self.expanded
        changed = read_only(changed)
        while True:
            outcome = traverse_shared(
                state, limit, self._generation, changed, self._goals, self._tops, self._links, self._reads,
                self._values, self._spans, self._edges, self._queue, self._stamps,
            )  # fmt: skip
            if outcome != WANTING:
                break
            self._expand(packed, changed, state, max(_FIRST_BATCH, (self.expanded - begun) // _PART))
        head, tail, depth = int(state[HEAD]), int(state[TAIL]), int(state[DEPTH])
        if outcome == FOUND:
            return PathResult(depth + 1, (), tail - 1, False, tail)
        limited = outcome == LIMITED
        return PathResult(None, (), limit + 1 if limited else head, limited, tail)

    def _expand(
        self, packed: PackedModel[Any, Any], changed: NDArray[np.uint64], state: NDArray[np.int64], most: int
    ) -> None:
        """Expand the next nodes of the queue that have no entry."""
        room = self._found[: min(BATCH, most)]
        count = without_entry(
            state, changed, self._tops, self._links, self._reads, self._values, self._queue, room
        )
        found = room[:count]
        result = packed.successors(self._table.rows_of(found), True)
        assert result.footprints is not None
        children = self._add(packed, read_only(result.positions))
        self._queue = grown(self._queue, self._table.count)
        self._edges = grown(self._edges, self._used + len(children))
        entries = self.expanded + count
        self._links, self._spans = grown(self._links, entries), grown(self._spans, entries)
        self._reads, self._values = grown(self._reads, entries), grown(self._values, entries)
        self._used = keep_entries(
            found, read_only(result.counts), children, read_only(result.footprints), changed, self.expanded,
            self._used, self._tops, self._links, self._reads, self._values, self._spans, self._edges,
        )  # fmt: skip
        self.expanded = entries

    def _add(self, packed: PackedModel[Any, Any], rows: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Return the numbers of rows, adding new rows as nodes."""
        before = self._table.count
        numbers = self._table.add(rows)
        after = self._table.count
        if after > before:
            self._goals, self._tops = grown(self._goals, after), grown(self._tops, after)
            self._stamps = grown(self._stamps, after)
            self._goals[before:after] = packed.solved(self._table.rows(before, after))
            self._tops[before:after] = -1
            self._stamps[before:after] = 0
        return numbers
