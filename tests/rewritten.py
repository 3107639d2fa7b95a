"""Bytecode of tests whose `assert` pytest has rewritten, made by the workers together in a new checkout.

Each worker imports all tests. Where there was no bytecode yet, each of them rewrote all tests at the same
time, which took longer than all else before its first test. Here each begins with another file, and takes
those that nobody has made.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest


def rewrite(config: pytest.Config, paths: Iterable[Path], worker: int, workers: int) -> None:
    """Make the bytecode that pytest would make when it imports the tests, where there is none."""
    try:
        from _pytest.assertion.rewrite import PYC_TAIL, _rewrite_test, _write_pyc, assertstate_key
    except ImportError:  # another pytest: it rewrites as it imports
        return
    files = sorted(paths)
    begin = worker * len(files) // workers
    for path in files[begin:] + files[:begin]:
        bytecode = path.parent / "__pycache__" / f"{path.stem}{PYC_TAIL}"
        if not bytecode.exists():
            digest, code = _rewrite_test(path, config)
            bytecode.parent.mkdir(exist_ok=True)
            _write_pyc(config.stash[assertstate_key], code, digest, bytecode)
