"""Positions by their distance from one state: layer by layer, in memory, on disk, or in plain Python.

A goal is a position like any other, as in all searches of graphs.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from epcg_core.base.documents import replaced
from epcg_core.base.errors import QueryError
from epcg_core.compiled import read_only
from epcg_core.search.components.graph import Rows, Vertices
from epcg_core.search.layer_files import BATCH, LayerFiles
from epcg_core.search.shortest_path.positions import PositionTable


@attrs.define
class Sizes:
    """How many positions need how many actions."""

    layers: list[int] = attrs.field(factory=list)
    """Positions by the number of actions, as far as they were counted."""
    ended: bool = False
    """Whether there are no others."""

    def goes_on(self, depth: int | None) -> bool:
        """Return whether another layer is to be counted, up to a depth."""
        return not self.ended and (depth is None or len(self.layers) <= depth)

    def add(self, size: int) -> None:
        """Take the size of the next layer, which is the end if it is empty."""
        if size:
            self.layers.append(size)
        else:
            self.ended = True


class InMemory:
    """Counts by hashing; keeps its memory between states."""

    def __init__(self, graph: Vertices) -> None:
        self._graph = graph
        self._table = PositionTable(graph.words)

    def sizes(self, rank: int, depth: int | None, limit: int) -> Sizes | None:
        """Count from a state; None if there are more than `limit` positions."""
        table, found, low = self._table, Sizes(), 0
        table.clear(self._graph.words)
        table.add(self._graph.positions(read_only(np.array([rank], np.int64))))
        found.add(1)
        while found.goes_on(depth):
            high = table.count
            for start in range(low, high, BATCH):
                successors, _ = self._graph.onward(table.rows(start, min(high, start + BATCH)))
                table.add(successors)
                if table.count > limit:
                    return None
            found.add(table.count - high)
            low = high
        return found


class OnDisk:
    """Counts from one state by sorted files, in a folder of its own, which is deleted in the end.

    Along edges of both directions two layers are enough to know a position again; otherwise all are kept.
    """

    def __init__(self, graph: Vertices, folder: Path, most: int) -> None:
        """Begin, or go on with what the folder holds.

        Args:
            graph: the graph.
            folder: the folder.
            most: the bytes that its files may take.
        """
        self._graph, self._folder = graph, folder
        self._files = LayerFiles(folder, graph.words, most, "What is reached from a state")

    def sizes(self, rank: int, depth: int | None) -> Sizes:
        """Count from a state. Raises NoRoomError if the files would take more than they may."""
        files, state = self._files, self._folder / "state.json"
        with files.writing():
            found = Sizes()
            if state.exists():
                found = Sizes(**json.loads(state.read_text(encoding="utf-8")))
            while found.goes_on(depth):
                number = len(found.layers)
                before = range(max(0, number - 2) if self._graph.reversible else 0, number)
                found.add(files.write("layer", number, self._next(rank, number), before))
                with replaced(state) as path:
                    path.write_text(json.dumps(attrs.asdict(found)), encoding="utf-8")
                if self._graph.reversible:  # the next layer needs none of these, even if this one is cut off
                    files.remove("layer", number - 2, number - 3)
        shutil.rmtree(self._folder, ignore_errors=True)
        return found

    def _next(self, rank: int, number: int) -> Iterator[Rows]:
        """Yield the positions that a layer may have: the state, or the successors of the one before."""
        if number == 0:
            yield self._graph.positions(read_only(np.array([rank], np.int64)))
            return
        for rows in self._files.rows(self._files.path("layer", number - 1)):
            yield self._graph.onward(read_only(rows))[0]


class Plain:
    """Counts by the rules of play, one position at a time. Raises QueryError without a transition model."""

    def __init__(self, generator: Any) -> None:
        self._generator = generator
        self._model: Any = getattr(generator, "transition_model", None)
        if self._model is None:
            raise QueryError(
                f"{type(generator).__name__} is not a graph, so nothing has a distance in it: it needs "
                "transition_model, position_graph or ranked_graph."
            )

    def sizes(self, rank: int, depth: int | None, limit: int) -> Sizes | None:
        """Count from a state; None if there are more than `limit` positions."""
        model, found = self._model, Sizes()
        first = model.initial(self._generator.unrank(rank))
        met: set[Hashable] = {model.key(first)}
        layer = [first]
        found.add(1)
        while found.goes_on(depth):
            reached = []
            for position in layer:
                for action in model.actions(position):
                    after = model.apply(position, action)
                    if (key := model.key(after)) not in met:
                        met.add(key)
                        reached.append(after)
                if len(met) > limit:
                    return None
            found.add(len(reached))
            layer = reached
        return found
