"""Shortest solutions of many variants of one puzzle, equal to those of separate searches.

The original is searched once, and every expansion leaves its footprint: the features of the puzzle that it
depended on. A variant that differs only in features which the original's search never depended on has the
original's answer. The search of any other equals the original's up to the first expansion that depended on a
changed feature, and goes on from there over the same graph of states: only nodes whose footprint holds a
changed feature, and those never expanded before, are expanded. An expansion is kept for later variants if it
depended on nothing that the variant changes. A variant that differs in more than features is searched by
itself. A search ends as soon as its answer is known: when a goal joins the queue, for its place there is the
number of expansions, or when the limit will be reached.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.compiled import read_only
from epcg_core.domain import PackedModel, TransitionModel
from epcg_core.search.shortest_path.graph_kernels import (
    BLOCK,
    BLOCK_BITS,
    DEPTH,
    FIRST,
    FOUND,
    GOAL,
    LIMITED,
    TAIL,
    UNKNOWN,
    WANTING,
    enqueue_met,
    first_dependents,
    keep_successors,
    traverse,
    wanting,
)
from epcg_core.search.shortest_path.positions import PositionTable, grown
from epcg_core.search.shortest_path.solver import (
    BATCH,
    DEFAULT_LIMIT,
    check_limit,
    packed_model,
    shortest_path,
)

SEARCHED, UNTOUCHED = 0, 1
"""The evidence of an answer: a search, or that the original's search depended on no changed feature."""
MOST_BYTES = 2**30
_FIRST_BATCH, _PART = 32, 8
"""A batch has at most the first size, or this share of the expansions, because the last is partly wasted."""
_LARGE, _MOSTLY, _UNTRACED = 1024, 0.9, 15
"""If more than `_MOSTLY` of a large batch was the variant's own, `_UNTRACED` batches keep nothing."""
_NEVER = 2**31 - 1

_Difference = tuple[NDArray[np.int64], NDArray[np.uint64]]
_NOTHING: _Difference = (read_only(np.zeros(0, np.int64)), read_only(np.zeros(0, np.uint64)))


@attrs.frozen
class VariantAnswer:
    """The result of searching a variant, and the evidence for it."""

    length: int | None
    """Actions of a shortest solution; None if none was found."""
    expansions: int
    """The expansions of a search from the beginning (see `shortest_path`)."""
    limit_reached: bool
    evidence: int
    """SEARCHED or UNTOUCHED; the same for every order in which variants are asked for."""


class VariantSearch:
    """Answers for variants of `original`, with a graph of states that grows with every question.

    The model must offer packed positions with footprints for the graph; otherwise every variant is searched
    separately, as is each whose differences are not known (`PackedModel.differences`). Beyond `most_bytes`,
    knowledge from variants is dropped; a single search may exceed the limit. Raises EpcgError for a negative
    limit.
    """

    def __init__(
        self,
        model: TransitionModel[Any, Any],
        original: Any,
        limit: int = DEFAULT_LIMIT,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        check_limit(limit)
        self._model = model
        self._limit = limit
        self.expanded = 0
        """Expansions made so far, all searches together."""
        packed = packed_model(model, original)
        self._graph: _Graph | None = None
        self._table = None if packed is None else PositionTable(packed.words)
        if packed is not None and packed.features:
            self._graph = _Graph(packed, packed.pack(model.initial(original)), limit, most_bytes)
            self.expanded = self._graph.expanded
            self.original = self._graph.original
        else:
            self.original = self._anew(original)

    def answer(self, variant: Any) -> VariantAnswer:
        packed = packed_model(self._model, variant) if self._graph is not None else None
        changed = None if self._graph is None or packed is None else self._graph.differences(packed)
        if self._graph is None or packed is None or changed is None:
            return self._anew(variant)
        found = self._graph.answer(packed, packed.pack(self._model.initial(variant)), changed)
        self.expanded += self._graph.expanded
        return found

    def _anew(self, content: Any) -> VariantAnswer:
        found = shortest_path(self._model, content, self._limit, table=self._table)
        self.expanded += min(found.expansions, self._limit)
        return VariantAnswer(found.length, found.expansions, found.limit_reached, SEARCHED)

    @property
    def nodes(self) -> int:
        """States in the graph."""
        return 0 if self._graph is None else self._graph.nodes

    @property
    def most_nodes(self) -> int:
        """States that the graph held at its peak."""
        return 0 if self._graph is None else max(self._graph.most_nodes, self._graph.nodes)

    @property
    def nbytes(self) -> int:
        """The memory that the graph holds, in bytes: as much as at its peak."""
        return 0 if self._graph is None else self._graph.nbytes


class _Graph:
    """The states met so far, numbered in the order of discovery, the original's search first."""

    def __init__(
        self, packed: PackedModel[Any, Any], root: NDArray[np.uint64], limit: int, most_bytes: int
    ) -> None:
        self._packed = packed
        self._limit = limit
        self._most_bytes = most_bytes
        self._table = PositionTable(packed.words)
        self._words = -(-packed.features // 64)
        self._nodes = np.zeros((_FIRST_BATCH, 2), np.int32)
        self._stamps = np.zeros(_FIRST_BATCH, np.int32)
        self._queue = np.zeros(_FIRST_BATCH, np.int32)
        self._footprints = np.zeros((1, self._words, BLOCK), np.uint64)
        self._edges = np.zeros(_FIRST_BATCH, np.int32)
        self._used = 0
        self._generation = 0
        self._found = np.empty(BATCH, np.int32)
        self.expanded = 0
        """Expansions made by the last search."""
        self._tails = np.zeros(_FIRST_BATCH, np.int32)
        self._root = root
        self._untraced = 0
        """Batches for which no footprints are asked, because hardly any of them would be kept."""
        self._no_footprints = read_only(np.zeros((0, self._words), np.uint64))
        self._add(packed, read_only(np.asarray(root, np.uint64).reshape(1, -1)))
        self.original, steps = self._search(packed, _NOTHING, self._at_root(0), 0, record=True)
        self._tails = self._tails[:steps].copy()
        self._layers = _layers(self._tails)
        self._dependents = np.full(64 * self._words, _NEVER, np.int32)
        first_dependents(steps, self._footprints, self._dependents)
        self._known = (self.nodes, self._used)
        self.most_nodes = self.nodes

    @property
    def nodes(self) -> int:
        return self._table.count

    @property
    def nbytes(self) -> int:
        arrays = (self._nodes, self._stamps, self._queue, self._footprints, self._edges, self._tails)
        return self._table.nbytes + sum(array.nbytes for array in arrays)

    def differences(self, packed: PackedModel[Any, Any]) -> NDArray[np.uint64] | None:
        """Return the features in which a variant differs; None if it differs in more."""
        if (packed.words, packed.features) != (self._packed.words, self._packed.features):
            return None
        changed = self._packed.differences(packed)
        return None if changed is None else np.asarray(changed, np.uint64)

    def answer(
        self, packed: PackedModel[Any, Any], root: NDArray[np.uint64], changed: NDArray[np.uint64]
    ) -> VariantAnswer:
        """Answer for a variant whose first position has the row `root`."""
        difference = _difference(changed)
        self.expanded = 0
        if np.array_equal(root, self._root):
            features = np.flatnonzero(np.unpackbits(changed.astype("<u8").view(np.uint8), bitorder="little"))
            resume = int(self._dependents[features].min(initial=_NEVER))
            if resume == _NEVER:
                return attrs.evolve(self.original, evidence=UNTOUCHED)
            met = int(self._tails[resume])
            depth = bisect_right(self._layers, resume) - 1
            self._queue = grown(self._queue, self.nodes)
            enqueue_met(resume, met, *difference, self._nodes, self._footprints, self._queue)
            state = np.array([resume, met, depth, self._layers[depth + 1], resume], np.int64)
            found, _ = self._search(packed, difference, state, met)
        else:
            number = int(self._add(packed, read_only(np.asarray(root, np.uint64).reshape(1, -1)))[0])
            found, _ = self._search(packed, difference, self._at_root(number), 0)
        if self._bytes_in_use() > self._most_bytes:
            self._forget()
        return found

    def _at_root(self, root: int) -> NDArray[np.int64]:
        """Return the state of a search that begins at `root`."""
        self._queue = grown(self._queue, self.nodes)
        self._queue[0] = ~root
        self._stamps[root] = self._generation + 1
        return np.array([0, 1, 0, 1, 0], np.int64)

    def _search(
        self,
        packed: PackedModel[Any, Any],
        difference: _Difference,
        state: NDArray[np.int64],
        met: int,
        record: bool = False,
    ) -> tuple[VariantAnswer, int]:
        """Continue a search from a state of `traverse`: (answer, number of expansions it depends on).

        The `met` nodes with the lowest numbers were met before.
        """
        self._generation += 1
        self._untraced = 0
        if state[TAIL] == 1 and self._nodes[~self._queue[0], FIRST] == GOAL:
            return VariantAnswer(0, 0, False, SEARCHED), 0
        if self._limit == 0:
            return VariantAnswer(None, 1, True, SEARCHED), 0
        own: _Own = _NO_OWN
        while True:
            if record:
                self._tails = grown(self._tails, self.nodes)
            outcome = traverse(
                state, self._limit, met, self._generation, *difference,
                self._nodes, self._edges, self._footprints, own[0], own[1], own[2],
                self._queue, self._stamps, self._tails if record else _NO_TAILS,
            )  # fmt: skip
            if outcome != WANTING:
                break
            own = self._expand(packed, difference, state)
        head, tail, depth = map(int, state[: DEPTH + 1])
        if outcome == FOUND:
            return VariantAnswer(depth + 1, tail - 1, False, SEARCHED), head
        limited = outcome == LIMITED
        return VariantAnswer(None, self._limit + 1 if limited else head, limited, SEARCHED), head

    def _expand(
        self, packed: PackedModel[Any, Any], difference: _Difference, state: NDArray[np.int64]
    ) -> _Own:
        """Expand the next nodes of the queue that need it; return the variant's own expansions."""
        most = min(BATCH, max(_FIRST_BATCH, self.expanded // _PART))
        found = self._found[: wanting(state, self._queue, self._found[:most])]
        traced = self._untraced == 0
        result = packed.successors(self._table.rows_of(found), traced)
        footprints = result.footprints if traced else self._no_footprints
        assert footprints is not None
        self.expanded += len(found)
        children = self._add(packed, read_only(result.positions))
        self._queue = grown(self._queue, self.nodes)
        self._edges = grown(self._edges, self._used + len(children))
        own_nodes, own_ends = np.empty(len(found), np.int32), np.empty(len(found), np.int64)
        own_edges = np.empty(len(children), np.int32)
        self._used, own = keep_successors(
            found, read_only(result.counts), children, read_only(footprints), *difference,
            self._used, self._nodes, self._edges, self._footprints, own_nodes, own_ends, own_edges,
        )  # fmt: skip
        if traced:
            self._untraced = _UNTRACED if len(found) >= _LARGE and own > _MOSTLY * len(found) else 0
        else:
            self._untraced -= 1
        return own_nodes[:own], own_ends, own_edges

    def _add(self, packed: PackedModel[Any, Any], rows: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Return the numbers of rows, adding new rows as nodes."""
        before = self.nodes
        numbers = self._table.add(rows)
        after = self.nodes
        if after > before:
            self._nodes = grown(self._nodes, after)
            self._stamps = grown(self._stamps, after)
            blocks, room = (after >> BLOCK_BITS) + 1, len(self._footprints)
            if blocks > room:
                self._footprints.resize((max(blocks, room + room // 4), self._words, BLOCK), refcheck=False)
            solved = packed.solved(self._table.rows(before, after))
            self._stamps[before:after] = 0
            self._nodes[before:after, FIRST] = np.where(solved, GOAL, UNKNOWN)
        return numbers

    def _bytes_in_use(self) -> int:
        """Return the bytes of a graph of this size without spare room."""
        node = 8 * self._table.words + 16 + 8 * self._words + 12 + 4
        return self.nodes * node + 4 * self._used

    def _forget(self) -> None:
        """Restore the graph of the original's search."""
        nodes, used = self._known
        self.most_nodes = max(self.most_nodes, self.nodes)
        self._table.truncate(nodes)
        firsts = self._nodes[:nodes, FIRST]
        firsts[firsts >= used] = UNKNOWN
        self._used = used


_Own = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]
"""A variant's own successors (see `traverse`)."""
_NO_TAILS = np.zeros(0, np.int32)
_NO_OWN: _Own = (np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.int32))


def _difference(changed: NDArray[np.uint64]) -> _Difference:
    """Convert the changed features for the kernels."""
    words = np.flatnonzero(changed).astype(np.int64)
    return read_only(words), read_only(changed[words])


def _layers(tails: NDArray[np.int32]) -> list[int]:
    """Return where in the queue each depth begins, from the nodes met when each node was taken."""
    layers = [0]
    while layers[-1] < len(tails):
        layers.append(int(tails[layers[-1]]))
    return layers
