"""A component that does not fit in memory: layer by layer in sorted files.

Breadth-first search with delayed duplicate detection (Korf, "Best-first frontier search with delayed
duplicate detection", AAAI 2004): the neighbours of a layer are written to files unsorted, by buckets of their
hash, and sorted and freed from duplicates a bucket at a time. Forwards and backwards together, an edge joins
layers that are neighbours or the same, so only the two before are compared, and older ones are deleted.

What is finished is a layer. The folder of a component is kept until it is explored, so an exploration that is
cut off goes on with the layer in which it was.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.documents import replaced, temporary_prefix
from epcg_core.base.errors import EpcgError
from epcg_core.compiled import read_only
from epcg_core.compiled.entries import temporary_base
from epcg_core.search.components.graph import Neighbours, Rows, Vertices

try:
    import fcntl
except ImportError:  # there is none on Windows, where two processes may not explore one component
    fcntl = None  # type: ignore[assignment]

BUCKETS = 64
"""Files of a layer: one of them has to fit in memory, with its neighbours before duplicates are removed."""
HELD = 1 << 22
"""Words that are held before they are written."""
BATCH = 1 << 14
"""Positions that are expanded in one call."""
_MIX = np.uint64(0xBF58476D1CE4E5B9)
"""The multiplier of the generator SplitMix64 (Steele, Lea & Flood 2014)."""

_ALL = (1 << 64) - 1
"""The bits of a sum over edges."""

Outcome = tuple[int, int, int]
"""Positions, the greatest distance to a goal, and the lowest rank with that distance, or -1."""


class NoRoomError(EpcgError):
    """A component takes more of the disk than it may."""


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
        self._graph, self._folder, self._most = vertices, folder, most
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
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            found = self._both_phases(rank)
        except OSError as error:
            raise NoRoomError(
                f"The files of the component of rank {rank} cannot be written to {self._folder}: "
                f"{error.strerror or error}. TMPDIR names another folder."
            ) from error
        shutil.rmtree(self._folder, ignore_errors=True)
        return found

    def _both_phases(self, rank: int) -> Outcome | None:
        graph, state = self._graph, self._state
        if state.phase == 1:
            if not state.size:
                first = graph.positions(np.array([rank], np.int64))
                self._write_layer("found", 0, iter([first]))
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
        if not (self._folder / "far-0").exists():
            self._write_layer("far", 0, self._rows_of(goals))
        while self._next("far", [graph.back or graph.onward], -1):
            pass
        ranks = [graph.ranks(rows) for rows in self._rows_of(self._folder / f"far-{state.layer}")]
        ranked = [int(each[each >= 0].min()) for each in ranks if (each >= 0).any()]
        return state.size, state.layer, min(ranked, default=-1)

    def _next(self, name: str, ways: list[Neighbours], rank: int) -> bool:
        """Make the next layer; return False if there is none."""
        state = self._state
        here = self._folder / f"{name}-{state.layer}"
        sums = [state.forwards, state.backwards]
        lower = False

        def neighbours() -> Iterator[Rows]:
            nonlocal lower
            for rows in self._rows_of(here):
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
        size = self._write_layer(name, state.layer + 1, neighbours())
        if lower:
            state.lower = True
            return True
        if rank >= 0:
            self._move_goals()
        if not size:
            shutil.rmtree(self._folder / f"{name}-{state.layer + 1}", ignore_errors=True)
            state.forwards, state.backwards = sums
            return False
        if not self._needs_all(name):
            shutil.rmtree(self._folder / f"{name}-{state.layer - 1}", ignore_errors=True)
        more = {"size": state.size + size} if rank >= 0 else {}
        self._done(layer=state.layer + 1, forwards=sums[0], backwards=sums[1], **more)
        return True

    def _needs_all(self, name: str) -> bool:
        """Return whether any earlier layer may hold a position again: along edges of one direction."""
        return name == "far" and self._graph.back is not None

    def _done(self, **changes: int) -> None:
        for key, value in changes.items():
            setattr(self._state, key, value)
        with replaced(self._folder / "state.json") as path:
            path.write_text(json.dumps(attrs.asdict(self._state)), encoding="utf-8")

    # --- layers

    def _write_layer(self, name: str, number: int, parts: Iterator[Rows]) -> int:
        """Write the rows of `parts` that are in no earlier layer; return their number."""
        target = self._folder / f"{name}-{number}"
        shutil.rmtree(target, ignore_errors=True)
        raw = self._folder / "raw"
        shutil.rmtree(raw, ignore_errors=True)
        raw.mkdir()
        held, size = [], 0
        for part in parts:
            held.append(part)
            size += part.size
            if size >= HELD:
                self._spill(raw, held)
                held, size = [], 0
        self._spill(raw, held)
        making = self._folder / "making"
        shutil.rmtree(making, ignore_errors=True)
        making.mkdir()
        first = 0 if self._needs_all(name) else max(0, number - 2)
        before = [self._folder / f"{name}-{other}" for other in range(first, number)]
        total = 0
        for bucket in range(BUCKETS):
            rows = _bucket(raw, bucket, self._graph.words)
            if len(rows):
                rows = _sorted_once(rows)
                for folder in before:
                    rows = _without(rows, _bucket(folder, bucket, self._graph.words))
            if len(rows):
                np.save(making / f"{bucket}.npy", rows)
                total += len(rows)
        shutil.rmtree(raw)
        making.rename(target)
        self._check_room()
        return total

    def _spill(self, raw: Path, held: list[Rows]) -> None:
        if not held:
            return
        rows = _sorted_once(np.concatenate(held))
        self._check_room(rows.nbytes)
        of = _hash(rows) >> np.uint64(58)  # BUCKETS are 2 to the 6
        order = np.argsort(of, kind="stable")
        ends = np.searchsorted(of[order], np.arange(BUCKETS + 1))
        for bucket in range(BUCKETS):
            part = rows[order[ends[bucket] : ends[bucket + 1]]]
            if len(part):
                with (raw / f"{bucket}.raw").open("ab") as file:
                    file.write(np.ascontiguousarray(part).tobytes())

    def _check_room(self, more: int = 0) -> None:
        taken = more + sum(path.stat().st_size for path in self._folder.rglob("*") if path.is_file())
        if taken > self._most:
            raise NoRoomError(
                f"A component takes more than {self._most / 1e9:g} GB of disk in {self._folder}: raise "
                "search.disk, or make the space smaller."
            )

    def _rows_of(self, folder: Path) -> Iterator[Rows]:
        for bucket in range(BUCKETS):
            rows = _bucket(folder, bucket, self._graph.words)
            for low in range(0, len(rows), BATCH):
                yield rows[low : low + BATCH]

    # --- goals

    @property
    def _goals_of_layer(self) -> Path:
        return self._folder / "goals-of-layer"

    def _keep_goals(self, rows: Rows) -> None:
        found = rows[self._graph.goals(read_only(rows))]
        if len(found):
            self._goals_of_layer.mkdir(exist_ok=True)
            bucket = int(_hash(found[:1])[0] >> np.uint64(58))  # rows of one bucket come together
            with (self._goals_of_layer / f"{bucket}.raw").open("ab") as file:
                file.write(np.ascontiguousarray(found).tobytes())

    def _move_goals(self) -> None:
        """Add the goals of a layer to all goals; again if it was cut off, which does no harm."""
        goals = self._folder / "goals"
        goals.mkdir(exist_ok=True)
        for path in sorted(self._goals_of_layer.glob("*.raw")) if self._goals_of_layer.exists() else ():
            with (goals / path.name).open("ab") as file:
                file.write(path.read_bytes())

    # --- edges

    def _add_edges(
        self, sums: list[int], rows: Rows, found: Rows, counts: NDArray[np.int64], number: int
    ) -> None:
        """Add the edges of positions to the sums of both ends, each pair of positions once."""
        ends = np.repeat(_hash(rows), counts)
        others = _hash(found)
        if number == 0:
            sums[0] = (sums[0] + _sum_of_once(_hash(np.stack([ends, others], axis=1)))) & _ALL
        if number == 1 or self._graph.back is None:
            sums[1] = (sums[1] + _sum_of_once(_hash(np.stack([others, ends], axis=1)))) & _ALL

    def _check(self, rank: int) -> None:
        if self._state.forwards != self._state.backwards:
            raise EpcgError(
                f"In {self._graph.name} an edge in the component of rank {rank} is known in one direction "
                "only: its predecessors, or its word that it is reversible, do not agree with its successors."
            )


@contextmanager
def folder_of(key: str, rank: int) -> Iterator[Path]:
    """Yield the folder of a component, on the disk that TMPDIR names: the same when a run goes on.

    It lies in a folder in which no other user can write, or lay a link.

    While another process explores the same component, in another database say, it is a folder of one's own,
    which is deleted in the end, whatever happens.
    """
    folder = temporary_base() / f"component-{key}-{rank}"
    with folder.with_suffix(".lock").open("w") as lock, ExitStack() as stack:
        try:
            if fcntl is not None:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if not os.path.samestat(os.fstat(lock.fileno()), Path(lock.name).stat()):
                    raise BlockingIOError  # its owner has just removed it
        except (BlockingIOError, FileNotFoundError):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=temporary_prefix())))
        else:
            stack.callback(_remove_lock, folder)
        yield folder


def _remove_lock(folder: Path) -> None:
    if not folder.exists():  # it is explored
        folder.with_suffix(".lock").unlink(missing_ok=True)


def _hash(rows: Rows) -> NDArray[np.uint64]:
    found = np.zeros(len(rows), np.uint64)
    with np.errstate(over="ignore"):
        for column in rows.T:
            found = (found ^ column) + np.uint64(0x9E3779B97F4A7C15)
            found = (found ^ (found >> np.uint64(30))) * _MIX
            found ^= found >> np.uint64(27)
            found = found * np.uint64(0x94D049BB133111EB)
            found ^= found >> np.uint64(31)
    return found


def _sum_of_once(values: NDArray[np.uint64]) -> int:
    """Return the sum of the different values, modulo 2 to the 64."""
    return int(_sorted_once(values[:, None]).sum(dtype=np.uint64))


def _bucket(folder: Path, bucket: int, words: int) -> Rows:
    """Return the rows of a bucket, in any order."""
    path = folder / f"{bucket}.npy"
    if path.exists():
        found: Rows = np.load(path)
        return found
    path = folder / f"{bucket}.raw"
    if path.exists():
        return np.fromfile(path, np.uint64).reshape(-1, words)
    return np.zeros((0, words), np.uint64)


def _sorted_once(rows: Rows) -> Rows:
    """Return the rows in increasing order, each once."""
    if rows.shape[1] == 1:  # np.unique hashes instead, which takes three times as long
        rows = np.sort(rows, axis=0)
    else:
        rows = rows[np.lexsort(rows.T[::-1])]
    fresh = np.ones(len(rows), np.bool_)
    fresh[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return rows[fresh]


def _without(rows: Rows, others: Rows) -> Rows:
    """Return the rows, increasing and each once, that are not among the others."""
    if not len(others) or not len(rows):
        return rows
    if rows.shape[1] == 1:
        known = np.sort(others[:, 0])
        places = np.minimum(np.searchsorted(known, rows[:, 0]), len(known) - 1)
        fresh: Rows = rows[known[places] != rows[:, 0]]
        return fresh
    every = np.concatenate([rows, others])
    mine = np.arange(len(every)) < len(rows)
    order = np.lexsort((~mine, *every.T[::-1]))  # of equal ones, mine first
    every, mine = every[order], mine[order]
    same = np.zeros(len(every), np.bool_)
    same[:-1] = (every[1:] == every[:-1]).all(axis=1)
    return every[mine & ~same]
