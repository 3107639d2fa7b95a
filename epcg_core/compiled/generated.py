"""Kernels that a program writes: found in the cache, or compiled by a process of their own.

Their sources are those of `words`. Their cache is that of all kernels, so a source is compiled once on a
machine.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from epcg_core.compiled import config, entries
from epcg_core.compiled.words import LoadedWords, compile_words, identity

_children: list[subprocess.Popen[bytes]] = []
_FORMAT = 2
"""To be raised when sources are compiled in another way."""


class GeneratedKernel:
    """The last function of a source.

    Args:
        name: for the file in the cache.
        source: of the module (`epcg_core.compiled.words`).
    """

    def __init__(self, name: str, source: str) -> None:
        self._source = source
        self._entry = entries.name_of(name, repr((_FORMAT, identity(), source)))
        self.child: subprocess.Popen[bytes] | None = None
        """The process that compiles it, if one was started."""

    def load(self) -> Callable[..., int] | None:
        """Return the function, which takes arrays and integers, if it is in the cache."""
        if config.DISABLE_JIT:
            return None
        code = entries.read(self._entry)
        return None if code is None else self._function(code)

    def compile(self) -> Callable[..., int]:
        """Return the function, compiled now if it is not in the cache. Raises TypeError for a bad source."""
        code = entries.read(self._entry)
        if code is None:
            entries.may_compile()
            code = compile_words(self._source)
            entries.write(self._entry, code)
        return self._function(code)

    def compile_elsewhere(self) -> None:
        """Let another process compile the function, once; `load` finds it when that is done.

        Where no file can be written and no process started, it stays uncompiled.
        """
        if config.DISABLE_JIT or self.child is not None:
            return
        _children[:] = [child for child in _children if child.poll() is None]
        path: Path | None = None
        try:
            with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False, encoding="utf-8") as file:
                path = Path(file.name)
                file.write(self._source)
            self.child = subprocess.Popen(
                [sys.executable, "-m", __name__, self._entry, str(path)],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip
        except OSError:
            if path is not None:
                path.unlink(missing_ok=True)
            return
        _children.append(self.child)

    def _function(self, code: bytes) -> Callable[..., int]:
        kernel = [node for node in ast.parse(self._source).body if isinstance(node, ast.FunctionDef)][-1]
        loaded = LoadedWords(code, kernel.name, len(kernel.args.args))

        def call(*arguments: NDArray[np.generic] | int) -> int:
            return loaded.call(
                *[a if isinstance(a, int) else a.__array_interface__["data"][0] for a in arguments]
            )

        return call


def compile_file(entry: str, path: Path) -> None:
    """Compile the source in a file for an entry of the cache, and remove the file."""
    source = path.read_text(encoding="utf-8")
    path.unlink()
    if entries.read(entry) is None:
        entries.write(entry, compile_words(source))


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(10)
    compile_file(sys.argv[1], Path(sys.argv[2]))
