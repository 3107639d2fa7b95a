"""Compiled code: the only module that imports numba.

Numba's on-disk cache looks only at the file that holds a kernel, so a kernel whose *helper*, in another
module, has changed would be run stale. Therefore the cache lives in a folder named after a fingerprint of
numba's version and every source file of the core and of the active plugins: any change of source is
another folder. Importing this module costs about a second; commands that compute nothing must not.

Rules for kernels (measured with numba 0.68): module-level functions that call other module-level kernels
by name; one signature each (C-contiguous read-only inputs, int64 scalars), because each variation is
compiled again and two processes that write different ones at the same time lose entries.
"""

from __future__ import annotations

import getpass
import hashlib
import logging
import os
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import filelock
import numba
import numpy as np
import platformdirs
from numba.core import event
from numpy.typing import NDArray

from epcg_core.plugins.registry import source_files

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T", bound=np.generic)

_logger = logging.getLogger(__name__)
_UNUSED_FOR_S = 30 * 24 * 3600.0
_PROBE_BYTES = 2**20
"""About what the kernels of a query take."""
_SILENT_FOR_S = 2.0
_COMPILING = "Compiling, once: the next start takes the compiled code from the cache."


def source_fingerprint() -> str:
    """A digest of Python's, numba's and numpy's versions and of every file that a kernel can come from."""
    digest = hashlib.sha256(f"{sys.version_info[:3]} {numba.__version__} {np.__version__}".encode())
    for label, path in source_files():
        digest.update(f"{label}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


def _kernel_cache() -> Path:
    base = Path(os.environ.get("EPCG_CACHE") or platformdirs.user_cache_dir("epcg"))
    name = source_fingerprint()
    try:
        folder = _writable(base / "kernels" / name)
    except OSError as error:
        instead = _temporary_base()
        folder = _writable(instead / "kernels" / name)
        warnings.warn(
            f"{base} cannot be written ({error.strerror}): compiled code is cached in {instead}. "
            "EPCG_CACHE names another folder.",
            stacklevel=2,
        )
        os.environ["EPCG_CACHE"] = str(instead)  # worker processes use it without a warning of their own
    _remove_unused(folder.parent, keep=folder)
    return folder


def _writable(folder: Path) -> Path:
    """`folder`, made if need be. Raises OSError where it, or the disk, cannot take compiled code."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.touch()
    probe = folder / f"probe-{os.getpid()}"
    try:
        probe.write_bytes(bytes(_PROBE_BYTES))
    finally:
        probe.unlink(missing_ok=True)
    return folder


def _temporary_base() -> Path:
    """A folder that only this user can write, because what is cached there will be executed."""
    user = os.getuid() if hasattr(os, "getuid") else getpass.getuser()
    folder = Path(tempfile.gettempdir()) / f"epcg-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and (folder.is_symlink() or folder.stat().st_uid != os.getuid()):
        folder = Path(tempfile.mkdtemp(prefix="epcg-"))
    return folder


def _remove_unused(root: Path, keep: Path) -> None:
    """Forget the kernels of sources that nobody has run for a month."""
    for folder in root.iterdir():
        with suppress(FileNotFoundError):  # another process forgets at the same time
            if folder != keep and time.time() - folder.stat().st_mtime > _UNUSED_FOR_S:
                shutil.rmtree(folder, ignore_errors=True)


CACHE = _kernel_cache()
setattr(numba.config, "CACHE_DIR", str(CACHE))  # noqa: B010  (numba's stubs do not know it)


class _Announcement(event.Listener):
    """Tells whoever waits, once, that this process compiles, when it has done so for two seconds.

    Kernels that others call are compiled inside their callers, so that starts and ends come often.
    """

    def __init__(self) -> None:
        self.told = False
        self._depth = 0
        self._since = 0.0
        self._before_s = 0.0

    def on_start(self, event: event.Event) -> None:
        if self._depth == 0:
            self._since = time.perf_counter()
        self._depth += 1
        self._tell()

    def on_end(self, event: event.Event) -> None:
        self._depth -= 1
        self._tell()
        if self._depth == 0:
            self._before_s += time.perf_counter() - self._since

    def _tell(self) -> None:
        if not self.told and self._before_s + time.perf_counter() - self._since > _SILENT_FOR_S:
            self.told = True
            _logger.info(_COMPILING)


_announcement = _Announcement()
cast(Any, event).register("numba:compile", _announcement)


def njit(function: F) -> F:
    """Compile `function` in no-Python mode, cached on disk, releasing the GIL."""
    return cast(F, numba.njit(function, cache=True, nogil=True))


def bare_njit(function: F) -> F:
    """As `njit`, for kernels that make no arrays: without reference counts, inlined into their callers.

    Worth it where short kernels with many arrays call each other: counting the references of their arguments
    and passing them took two thirds of an expansion of 1 us.
    """
    options: dict[str, Any] = {"_nrt": False, "forceinline": True}
    return cast(F, numba.njit(function, cache=True, nogil=True, **options))


def read_only(array: NDArray[T]) -> NDArray[T]:
    """`array` as kernels want their inputs: C-contiguous, read-only, plain; a copy only where it must be."""
    if type(array) is np.ndarray and not array.flags.writeable and array.flags.c_contiguous:
        return array
    plain = np.ascontiguousarray(array).view(np.ndarray)
    plain.flags.writeable = False
    return plain


@contextmanager
def compile_lock() -> Iterator[None]:
    """Let one process at a time compile: the coordinator warms the cache before its workers read it."""
    with filelock.FileLock(CACHE / "compile.lock"):
        yield
