"""A component that does not fit in memory: layer by layer in sorted files.

Forwards and backwards together, an edge joins layers that are neighbours or the same, so only the two before
a layer are compared with it (Korf, "Best-first frontier search with delayed duplicate detection", AAAI 2004),
and older ones are deleted. What is finished is a layer: the folder of a component is kept until it is
explored, so an exploration that is cut off goes on with the layer in which it was.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.documents import replaced
from epcg_core.base.errors import EpcgError
from epcg_core.compiled import read_only
from epcg_core.search.components.graph import Neighbours, Rows, Vertices
from epcg_core.search.layer_files import LayerFiles, bucket_of, hashes, sorted_once

_ALL = (1 << 64) - 1
"""The bits of a sum over edges."""

Outcome = tuple[int, int, int]
"""Positions, the greatest distance to a goal, and the lowest rank with that distance, or -1."""


@attrs.define
class _State:
    """How far an exploration is: written after each layer."""

    phase: int = 1
    """1 while positions are found, 2 while their distances to goals are."""
    layer: int = 0
    """The last layer that is finished."""
    size: int = 0
    """Positions of all finished layers."""
    forwards: int = 0
    backwards: int = 0
    """Sums over the edges, as they are known from either end."""
    lower: bool = False
    """Whether a state of lower rank was met."""


class OnDisk:
    """The exploration of one component, in a folder of its own."""

    def __init__(self, vertices: Vertices, folder: Path, most: int) -> None:
        """Begin, or go on with what the folder holds.

        Args:
            vertices: the graph.
            folder: the folder, which is deleted in the end.
            most: the bytes that its files may take.
        """
        self._graph, self._folder = vertices, folder
        self._files = LayerFiles(folder, vertices.words, most, "A component")
        self._state = _State()
        with_state = folder / "state.json"
        if with_state.exists():
            self._state = _State(**json.loads(with_state.read_text(encoding="utf-8")))

    def explored(self, rank: int) -> Outcome | None:
        """Explore the component of a state.

        Args:
            rank: the rank of the state.

        Returns:
            What was found; None if a state of lower rank is in the component.

        Raises:
            NoRoomError: if its files would take more than they may, or the disk is full.
            EpcgError: if edges are known in one direction only.
        """
        with self._files.writing():
            found = self._both_phases(rank)
        shutil.rmtree(self._folder, ignore_errors=True)
        return found

    def _both_phases(self, rank: int) -> Outcome | None:
        graph, state, files = self._graph, self._state, self._files
        if state.phase == 1:
            if not state.size:
                files.write("found", 0, [graph.positions(np.array([rank], np.int64))], ())
                self._done(size=1)
            ways = [graph.onward] if graph.back is None else [graph.onward, graph.back]
            while self._next("found", ways, rank):
                if state.lower:
                    return None
            self._check(rank)
            self._done(phase=2, layer=0)
            for path in self._folder.glob("found-*"):
                shutil.rmtree(path, ignore_errors=True)
        goals = self._folder / "goals"
        if not any(goals.glob("*")):
            return state.size, -1, -1
        if not files.path("far", 0).exists():
            files.write("far", 0, files.rows(goals), ())
        while self._next("far", [graph.back or graph.onward], -1):
            pass
        ranks = [graph.ranks(rows) for rows in files.rows(files.path("far", state.layer))]
        ranked = [int(each[each >= 0].min()) for each in ranks if (each >= 0).any()]
        return state.size, state.layer, min(ranked, default=-1)

    def _next(self, name: str, ways: list[Neighbours], rank: int) -> bool:
        """Make the next layer; return False if there is none."""
        state, files = self._state, self._files
        sums = [state.forwards, state.backwards]
        lower = False

        def neighbours() -> Iterator[Rows]:
            nonlocal lower
            for rows in files.rows(files.path(name, state.layer)):
                if rank >= 0:
                    self._keep_goals(rows)
                for number, way in enumerate(ways):
                    found, counts = way(read_only(rows))
                    if rank >= 0:
                        ranks = self._graph.ranks(read_only(found))
                        lower |= bool(((ranks >= 0) & (ranks < rank)).any())
                        self._add_edges(sums, rows, found, counts, number)
                    yield found
                    if lower:
                        return

        if rank >= 0:
            shutil.rmtree(self._goals_of_layer, ignore_errors=True)
        # along edges of one direction any earlier layer may have a position again
        needs_all, number = name == "far" and self._graph.back is not None, state.layer + 1
        size = files.write(name, number, neighbours(), range(0 if needs_all else max(0, number - 2), number))
        if lower:
            state.lower = True
            return True
        if rank >= 0:
            self._move_goals()
        if not size:
            files.remove(name, number)
            state.forwards, state.backwards = sums
            return False
        more = {"size": state.size + size} if rank >= 0 else {}
        self._done(layer=number, forwards=sums[0], backwards=sums[1], **more)
        if not needs_all:  # the next layer needs none of these, even if this one is cut off
            files.remove(name, number - 2, number - 3)
        return True

    def _done(self, **changes: int) -> None:
        for key, value in changes.items():
            setattr(self._state, key, value)
        with replaced(self._folder / "state.json") as path:
            path.write_text(json.dumps(attrs.asdict(self._state)), encoding="utf-8")

    # --- goals

    @property
    def _goals_of_layer(self) -> Path:
        return self._folder / "goals-of-layer"

    def _keep_goals(self, rows: Rows) -> None:
        found = rows[self._graph.goals(read_only(rows))]
        if len(found):
            self._goals_of_layer.mkdir(exist_ok=True)
            bucket = bucket_of(found[0])  # rows of one bucket come together
            with (self._goals_of_layer / f"{bucket}.rows").open("ab") as file:
                file.write(np.ascontiguousarray(found).tobytes())

    def _move_goals(self) -> None:
        """Add the goals of a layer to all goals; again if it was cut off, which does no harm."""
        goals = self._folder / "goals"
        goals.mkdir(exist_ok=True)
        for path in sorted(self._goals_of_layer.glob("*.rows")) if self._goals_of_layer.exists() else ():
            with (goals / path.name).open("ab") as file:
                file.write(path.read_bytes())

    # --- edges

    def _add_edges(
        self, sums: list[int], rows: Rows, found: Rows, counts: NDArray[np.int64], number: int
    ) -> None:
        """Add the edges of positions to the sums of both ends, each pair of positions once."""
        ends = np.repeat(hashes(rows), counts)
        others = hashes(found)
        if number == 0:
            sums[0] = (sums[0] + _sum_of_once(hashes(np.stack([ends, others], axis=1)))) & _ALL
        if number == 1 or self._graph.back is None:
            sums[1] = (sums[1] + _sum_of_once(hashes(np.stack([others, ends], axis=1)))) & _ALL

    def _check(self, rank: int) -> None:
        if self._state.forwards != self._state.backwards:
            raise EpcgError(
                f"In {self._graph.name} an edge in the component of rank {rank} is known in one direction "
                "only: its predecessors, or its word that it is reversible, do not agree with its successors."
            )


def _sum_of_once(values: NDArray[np.uint64]) -> int:
    """Return the sum of the different values, modulo 2 to the 64."""
    return int(sorted_once(values[:, None]).sum(dtype=np.uint64))
