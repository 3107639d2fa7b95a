"""Layers of a search as sorted files, where memory cannot hold them.

A position is a row of 64-bit words. The successors of a layer are written into 64 files by a hash; then each
of them is sorted by itself, and what it has twice, or an earlier layer has, is dropped: delayed duplicate
detection (Korf, "Delayed duplicate detection: extended abstract", 2003), by parts that need nothing of each
other. A layer is a folder that gets its name when it is whole, so a search that is cut off goes on with the
layer in which it was.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from epcg_core.base.documents import temporary_prefix
from epcg_core.base.errors import EpcgError
from epcg_core.compiled import read_only
from epcg_core.compiled.entries import temporary_base
from epcg_core.search.layer_kernels import fresh, hashed, once, ordered, spread

try:
    import fcntl
except ImportError:  # there is none on Windows, where two processes may not explore the same positions
    fcntl = None  # type: ignore[assignment]

Rows = NDArray[np.uint64]

BUCKETS = 64
"""Files of a layer: one of them has to fit in memory, with its neighbours before duplicates are removed."""
HELD = 1 << 20
"""Words that are held before they are written."""
FEW = 1 << 11
"""Values, below which they are sorted by comparing them."""
BATCH = 1 << 14
"""Positions that are expanded in one call."""


class NoRoomError(EpcgError):
    """The layers take more of the disk than they may."""


class LayerFiles:
    """The layers of a search in a folder, each with a name and a number."""

    def __init__(self, folder: Path, words: int, most: int, what: str) -> None:
        """Begin, or go on with what the folder holds.

        Args:
            folder: the folder, which need not be there yet.
            words: the words of a position.
            most: the bytes that its files may take.
            what: what is explored, for messages: 'The component of rank 7'.
        """
        self.folder, self._words, self._most, self._what = folder, words, most, what

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Turn errors of the disk into a NoRoomError that names the folder."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            yield
        except OSError as error:
            raise NoRoomError(
                f"{self._what} cannot be written to {self.folder}: {error.strerror or error}. TMPDIR names "
                "another folder."
            ) from error

    def path(self, name: str, number: int) -> Path:
        """Return the folder of a layer."""
        return self.folder / f"{name}-{number}"

    def remove(self, name: str, *numbers: int) -> None:
        """Delete layers, as far as they are there."""
        for number in numbers:
            shutil.rmtree(self.path(name, number), ignore_errors=True)

    def rows(self, folder: Path) -> Iterator[Rows]:
        """Yield the rows of a folder, a batch at a time; those of one file come together."""
        for bucket in range(BUCKETS):
            rows = self._bucket(folder, bucket)
            for low in range(0, len(rows), BATCH):
                yield rows[low : low + BATCH]

    def write(self, name: str, number: int, parts: Iterable[Rows], before: Sequence[int]) -> int:
        """Write a layer: the rows of some parts that no layer before has.

        Args:
            name: the layer's name.
            number: its number.
            parts: (n, words) rows, in any order, some of them several times.
            before: the numbers of the layers that may have some of them.

        Returns:
            The number of rows.

        Raises:
            NoRoomError: if the files would take more than they may.
            EpcgError: if a layer before is missing.
        """
        missing = [self.path(name, other) for other in before if not self.path(name, other).is_dir()]
        if missing:
            raise EpcgError(f"{missing[0]} is missing: delete the folder that it lay in, and begin again.")
        raw, making = self.folder / "raw", self.folder / "making"
        for path in (raw, making, self.path(name, number)):
            shutil.rmtree(path, ignore_errors=True)
        raw.mkdir()
        held: list[Rows] = []
        size = 0
        for part in parts:
            held.append(part)
            size += part.size
            if size >= HELD:
                self._spill(raw, held)
                held, size = [], 0
        self._spill(raw, held)
        making.mkdir()
        total = 0
        for bucket in range(BUCKETS):
            rows = self._bucket(raw, bucket)
            if len(rows):
                rows = sorted_once(rows)
                for other in before:
                    rows = without(rows, self._bucket(self.path(name, other), bucket))
            if len(rows):
                rows.tofile(making / f"{bucket}.rows")
                total += len(rows)
            (raw / f"{bucket}.rows").unlink(missing_ok=True)
        shutil.rmtree(raw)
        making.rename(self.path(name, number))
        self._check_room()
        return total

    def _spill(self, raw: Path, held: list[Rows]) -> None:
        if not held:
            return
        rows = read_only(np.concatenate(held))
        self._check_room(rows.nbytes)
        apart, ends = np.empty_like(rows), np.empty(BUCKETS + 1, np.int64)
        spread(rows, apart, ends)
        for bucket in range(BUCKETS):
            part = sorted_once(apart[ends[bucket] : ends[bucket + 1]])
            if len(part):
                with (raw / f"{bucket}.rows").open("ab") as file:
                    file.write(part.data)

    def _check_room(self, more: int = 0) -> None:
        taken = more + sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())
        if taken > self._most:
            raise NoRoomError(
                f"{self._what} takes more than {self._most / 1e9:g} GB of disk in {self.folder}: raise "
                "search.disk, or ask for less: a smaller space, a smaller search.depth."
            )

    def _bucket(self, folder: Path, bucket: int) -> Rows:
        """Return the rows of a bucket: of a layer increasing, otherwise in any order."""
        path = folder / f"{bucket}.rows"
        if not path.exists():
            return np.zeros((0, self._words), np.uint64)
        return np.fromfile(path, np.uint64).reshape(-1, self._words)


def bucket_of(row: Rows) -> int:
    """Return the bucket of a (words,) row."""
    return int(hashes(row.reshape(1, -1))[0] >> np.uint64(58))  # BUCKETS are 2 to the 6


def hashes(rows: Rows) -> NDArray[np.uint64]:
    """Return the (n,) hashes of rows."""
    found = np.empty(len(rows), np.uint64)
    hashed(read_only(np.ascontiguousarray(rows)), found)
    return found


def sorted_once(rows: Rows) -> Rows:
    """Return the rows in increasing order, each once."""
    if rows.shape[1] > 1:
        found = rows[np.lexsort(rows.T[::-1])]
    elif len(rows) < FEW:
        found = np.sort(rows[:, 0])[:, None]
    else:
        values = np.array(rows[:, 0])
        found = ordered(values, np.empty_like(values))[:, None]
    return found[: once(found)]


def without(rows: Rows, others: Rows) -> Rows:
    """Return the rows that are not among others; both are increasing, each once."""
    found = np.empty_like(rows)
    return found[: fresh(read_only(rows), read_only(others), found)]


@contextmanager
def folder_of(kind: str, key: str, rank: int) -> Iterator[Path]:
    """Yield the folder of a search, on the disk that TMPDIR names: the same when a run goes on.

    It lies in a folder in which no other user can write, or lay a link.

    While another process explores the same, in another database say, it is a folder of one's own, which is
    deleted in the end, whatever happens.

    Args:
        kind: what is explored, in one word.
        key: what names the run's files.
        rank: the rank of the state that is explored.
    """
    folder = temporary_base() / f"{kind}-{key}-{rank}"
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
