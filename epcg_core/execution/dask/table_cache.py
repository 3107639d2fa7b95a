"""Tables on their way to a machine that does not see the coordinator's files.

A table travels in pieces. Its name on the other machine is the digest of its content, so that whoever needs
the same table finds it there, a transfer that broke off goes on where it was, and the workers of a machine
map one file. A process that uses a table holds a lock, which ends with the process; what nobody uses is
removed by the next who lets go of a table or asks for one.
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

PIECE = 2**23
"""Bytes a message: little enough for a scheduler to pass on, enough that messages do not count."""

_PART, _USE = ".part", ".use"


@attrs.frozen
class Manifest:
    """What a table consists of."""

    size: int
    digests: tuple[bytes, ...]
    """SHA-256 of each piece of `PIECE` bytes; the last may be shorter."""

    @cached_property
    def name(self) -> str:
        """A digest of all of it."""
        return hashlib.sha256(b"".join((str(self.size).encode(), *self.digests))).hexdigest()[:40]


def manifest_of(path: str) -> Manifest:
    """Read a file once. Raises OSError."""
    return Manifest(Path(path).stat().st_size, tuple(_digests(Path(path))))


def piece_of(path: str, index: int) -> bytes:
    """A piece of a file. Raises OSError."""
    with Path(path).open("rb") as file:
        file.seek(index * PIECE)
        return file.read(PIECE)


def reserve(path: Path, size: int) -> None:
    """Make a file of zeros that has all its space: writing to a map that has none kills the process."""
    with path.open("wb") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
        else:
            file.truncate(size)


class TableCache:
    """The tables in a folder that the workers of a machine share, as one process of them uses it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._uses: dict[str, filelock.BaseFileLock] = {}
        self._written: dict[str, set[int]] = {}

    def missing(self, manifest: Manifest) -> list[int]:
        """The pieces of a table that are not here; when there are none, the table is at `place`.

        From now on it stays until `release`. Raises OSError where the folder cannot hold it.
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
        """Take a piece. Raises OSError, and ValueError where it is not the one that the manifest means."""
        if hashlib.sha256(data).digest() != manifest.digests[index]:
            raise ValueError(f"piece {index} of a table was damaged on its way")
        if Path(self.place(manifest)).exists():  # somebody else has brought all of it meanwhile
            return
        with self._part(manifest).open("r+b") as file:
            file.seek(index * PIECE)
            file.write(data)
        self._written.setdefault(manifest.name, set()).add(index)

    def place(self, manifest: Manifest) -> str:
        """Where the table is, once nothing of it is missing."""
        return str(self.folder / manifest.name)

    def release(self) -> None:
        """Use no table any more; remove those that nobody else uses."""
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
        """What an earlier transfer left, as far as it is whole; a file with room for all of it."""
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
                with suppress(PermissionError):  # Windows keeps what is mapped; the next sweep takes it
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
