"""Transfer of tables to machines that do not see the coordinator's files.

A table is sent in pieces. Its name on the other machine is the digest of its content, so that other processes
find the same table there, an interrupted transfer continues, and the workers of a machine map one file. A
process that uses a table holds a lock, which ends with the process; unused tables are removed when a process
next releases or requests a table.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path

import attrs
import filelock

from epcg_core.documents import reserve

PIECE = 2**23
"""Bytes a message: little enough for a scheduler to pass on, enough that messages do not count."""

_PART, _USE = ".part", ".use"


@attrs.frozen
class Manifest:
    """The content of a table: its size and the digests of its pieces."""

    size: int
    digests: tuple[bytes, ...]
    """SHA-256 of each piece of `PIECE` bytes; the last may be shorter."""

    @cached_property
    def name(self) -> str:
        """A digest of the whole table."""
        return hashlib.sha256(b"".join((str(self.size).encode(), *self.digests))).hexdigest()[:40]


def manifest_of(path: str) -> Manifest:
    """Read a file once. Raises OSError."""
    return Manifest(Path(path).stat().st_size, tuple(_digests(Path(path))))


def piece_of(path: str, index: int) -> bytes:
    """Read a piece of a file. Raises OSError."""
    with Path(path).open("rb") as file:
        file.seek(index * PIECE)
        return file.read(PIECE)


class TableCache:
    """The tables in a folder that the workers of a machine share, as one process of them uses it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._uses: dict[str, filelock.BaseFileLock] = {}
        self._written: dict[str, set[int]] = {}

    def missing(self, manifest: Manifest) -> list[int]:
        """Return the missing pieces of a table; if there are none, the table is at `place`.

        The table stays until `release`. Raises OSError if the folder has no room for it.
        """
        with self._locked():
            self._use(manifest.name)
            if Path(self.place(manifest)).exists():
                return []
            part = self._part(manifest)
            here = self._written.get(manifest.name) if part.exists() else None
            if here is None:
                here = self._written[manifest.name] = self._found(manifest)
            missing = [index for index in range(len(manifest.digests)) if index not in here]
            if not missing:
                part.replace(self.place(manifest))
                del self._written[manifest.name]
            return missing

    def write(self, manifest: Manifest, index: int, data: bytes) -> None:
        """Store a piece. Raises OSError, and ValueError if the piece does not match the manifest."""
        if hashlib.sha256(data).digest() != manifest.digests[index]:
            raise ValueError(f"piece {index} of a table was damaged on its way")
        if Path(self.place(manifest)).exists():  # another process has completed the table meanwhile
            return
        with self._part(manifest).open("r+b") as file:
            file.seek(index * PIECE)
            file.write(data)
        self._written.setdefault(manifest.name, set()).add(index)

    def place(self, manifest: Manifest) -> str:
        """Return the path of the complete table."""
        return str(self.folder / manifest.name)

    def release(self) -> None:
        """Release all tables; remove those that no other process uses."""
        if not self._uses:
            return
        with self._locked():
            for name, use in self._uses.items():
                use.release()
                Path(use.lock_file).unlink(missing_ok=True)
                self._written.pop(name, None)
            self._uses.clear()
            self._sweep()

    def _found(self, manifest: Manifest) -> set[int]:
        """Return the pieces that an earlier transfer left; make a file with room for the whole table."""
        part = self._part(manifest)
        if not part.exists() or part.stat().st_size != manifest.size:
            try:
                reserve(part, manifest.size)
            except OSError:
                part.unlink(missing_ok=True)
                raise
            return set()
        pairs = zip(_digests(part), manifest.digests, strict=True)
        return {index for index, (found, meant) in enumerate(pairs) if found == meant}

    def _use(self, name: str) -> None:
        if name in self._uses:
            return
        self._sweep()
        lock = filelock.FileLock(self.folder / f"{name}.{os.urandom(8).hex()}{_USE}", thread_local=False)
        lock.acquire()
        self._uses[name] = lock

    def _sweep(self) -> None:
        used = set(self._uses)
        for path in self.folder.glob(f"*{_USE}"):
            lock = filelock.FileLock(path)
            try:
                lock.acquire(blocking=False)
            except filelock.Timeout:
                used.add(path.name.partition(".")[0])
            else:  # its process has ended without a word
                lock.release()
                path.unlink(missing_ok=True)
        for path in self.folder.iterdir():
            if path.name[0] != "." and path.suffix != _USE and path.name.partition(".")[0] not in used:
                with suppress(PermissionError):  # Windows keeps mapped files; the next sweep removes them
                    path.unlink(missing_ok=True)

    def _part(self, manifest: Manifest) -> Path:
        return self.folder / f"{manifest.name}{_PART}"

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(self.folder / ".lock"):
            self.folder.mkdir(parents=True, exist_ok=True)
            yield


def _digests(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while data := file.read(PIECE):
            yield hashlib.sha256(data).digest()
