"""Compiled code on disk: one file for each kernel and signature, named after all that it is made of.

An entry is written whole or not at all, by one rename, and starts with a digest of its bytes: a process
killed while it writes, a full disk or a cut of power leaves no entry or one that is not used. Entries never
change, so reading needs no lock. Each is compiled under a lock of its own, so that no two processes compile
the same kernel, and different ones at the same time. Who holds the lock of a kernel waits only for those of
kernels that it calls, so no two processes wait for each other.

Nothing is touched before the first kernel is called; the folder is made, probed and cleaned before the first
kernel is compiled. `filelock` is imported then: 0.05 s that a warm start need not spend.
"""

from __future__ import annotations

import getpass
import hashlib
import logging
import os
import shutil
import stat
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

_logger = logging.getLogger(__name__)
_UNUSED_FOR_S = 30 * 24 * 3600.0
_TOUCHED_EVERY_S = 24 * 3600.0
_PROBE_BYTES = 2**20
"""Roughly the size of one query's kernels."""
_SILENT_FOR_S = 2.0
_WAITING = "Waiting for another process that compiles."
_DIGEST_BYTES = 32
_NAME_LENGTH = 100
R = TypeVar("R")
_ready: set[Path] = set()
"""Folders that were made, probed and cleaned by this process."""


def cache_folder() -> Path:
    """Return the folder of compiled code; it may not exist yet."""
    return _base() / "kernels"


def _base() -> Path:
    import platformdirs

    return Path(os.environ.get("EPCG_CACHE") or platformdirs.user_cache_dir("epcg"))


def name_of(readable: str, made_of: str) -> str:
    """Return the file name of an entry, from a readable string and one that identifies it."""
    return f"{readable[:_NAME_LENGTH]}-{hashlib.sha256(made_of.encode()).hexdigest()[:40]}.nbc"


def read(name: str) -> bytes | None:
    """Return the content of an entry; None if it is missing or damaged."""
    path = cache_folder() / name
    try:
        data = path.read_bytes()
        age = time.time() - path.stat().st_mtime
    except OSError:
        return None
    content = data[_DIGEST_BYTES:]
    if hashlib.sha256(content).digest() != data[:_DIGEST_BYTES]:
        return None
    if age > _TOUCHED_EVERY_S:
        with suppress(OSError):  # it is used all the same
            os.utime(path)
    return content


def write(name: str, content: bytes) -> None:
    """Add an entry; warn if the disk does not take it."""
    path = writable_folder() / name
    partial = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        partial.write_bytes(hashlib.sha256(content).digest() + content)
        partial.replace(path)
    except OSError as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        warnings.warn(
            f"{path.parent} cannot be written ({error.strerror}): compiled code is not cached. "
            "EPCG_CACHE names another folder.",
            stacklevel=2,
        )


def writable_folder() -> Path:
    """Return the folder of compiled code, made if need be; a temporary one if that fails."""
    folder = cache_folder()
    if folder in _ready:
        return folder
    try:
        _make(folder)
    except OSError as error:
        base, instead = _base(), temporary_base()
        folder = instead / "kernels"
        _make(folder)
        warnings.warn(
            f"{base} cannot be written ({error.strerror}): compiled code is cached in {instead}. "
            "EPCG_CACHE names another folder.",
            stacklevel=2,
        )
        os.environ["EPCG_CACHE"] = str(instead)  # worker processes use it without a warning of their own
    _remove_unused(folder)
    _ready.add(folder)
    return folder


def _make(folder: Path) -> None:
    """Make `folder` if need be. Raises OSError if it, or the disk, cannot take compiled code."""
    folder.mkdir(parents=True, exist_ok=True)
    probe = folder / f"probe-{os.getpid()}"
    try:
        probe.write_bytes(bytes(_PROBE_BYTES))
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)


def temporary_base() -> Path:
    """Return a temporary folder that only this user can write: what lies there is executed, or believed.

    It is the same the next time, unless another user has taken its name.
    """
    user = os.getuid() if hasattr(os, "getuid") else getpass.getuser()
    folder = Path(tempfile.gettempdir()) / f"epcg-{user}"
    with suppress(FileExistsError):  # a link that leads nowhere, or a file
        folder.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and not _is_own(folder):
        folder = Path(tempfile.mkdtemp(prefix="epcg-"))
    return folder


def _is_own(folder: Path) -> bool:
    """Return whether a path is a folder, not a link, of this user, in which no other user can write."""
    about = folder.lstat()
    return stat.S_ISDIR(about.st_mode) and about.st_uid == os.getuid() and not about.st_mode & 0o022


def _remove_unused(folder: Path) -> None:
    """Remove entries, and folders of earlier versions, that have not been used for a month."""
    for path in folder.iterdir():
        with suppress(OSError):  # another process removes it at the same time
            if time.time() - path.stat().st_mtime <= _UNUSED_FOR_S:
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()


class NotCompiledError(BaseException):
    """A kernel's code is not in the cache, and was not to be made; no part may take it for a failure."""


class _Asked(threading.local):
    """Holds how a thread wants kernels to be called."""

    compiles = True
    plainly = False


_asked = _Asked()


@contextmanager
def without_compiling(plainly: bool = False) -> Iterator[None]:
    """Let kernels raise NotCompiledError in this thread if their code is not in the cache.

    Args:
        plainly: have parts that choose between kernels and plain code by `prefers_plain` take plain code.
    """
    before = _asked.compiles, _asked.plainly
    _asked.compiles, _asked.plainly = False, plainly
    try:
        yield
    finally:
        _asked.compiles, _asked.plainly = before


def prefers_plain() -> bool:
    """Return whether plain code is to be used if there is some."""
    return _asked.plainly


def may_compile() -> None:
    """Raise NotCompiledError if nothing is to be compiled now."""
    if not _asked.compiles:
        raise NotCompiledError


def compiled_or_small(compiled: Callable[[], R], small: Callable[[], R | None]) -> R:
    """Return a value by kernels if they are in the cache, else by other code if it is little work.

    Args:
        compiled: computes the value by kernels.
        small: computes the same value without kernels; returns None if compiling would take less.
    """
    try:
        with without_compiling():
            return compiled()
    except NotCompiledError:
        found = small()
    return compiled() if found is None else found


@contextmanager
def compile_lock(name: str) -> Iterator[None]:
    """Let one process at a time compile the entry `name`. Reentrant; one thread at a time may call it."""
    import filelock

    path = (writable_folder() / name).with_suffix(".lock")
    lock = _lock(str(path), os.getpid())
    try:
        lock.acquire(timeout=_SILENT_FOR_S)
    except filelock.Timeout:
        _logger.info(_WAITING)
        lock.acquire()
    except (OSError, NotImplementedError):  # a file system without locks: at worst some work is done twice
        yield
        return
    try:
        yield
    finally:
        lock.release()
        if not lock.is_locked:
            with suppress(OSError):  # who waits for the removed file finds the entry
                path.unlink()


@cache
def _lock(path: str, process: int) -> Any:
    """Return the lock of this process; one that was forked must not take its parent's for its own."""
    import filelock

    return filelock.FileLock(path, thread_local=False)
