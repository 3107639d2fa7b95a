"""File systems that are full or read-only, for those who may mount: the superuser on Linux."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def _mount(*arguments: object) -> None:
    done = subprocess.run(["mount", *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(done.stderr.strip())


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """An empty file system of `size` bytes ('3m') at `folder`. Skips the test where mounting is refused."""
    folder.mkdir()
    try:
        _mount("-t", "tmpfs", "-o", f"size={size}", "epcg-test", folder)
    except OSError as error:
        pytest.skip(f"a small disk cannot be mounted here ({error})")
    try:
        yield folder
    finally:
        _unmount(folder)


@contextmanager
def read_only_file(path: Path) -> Iterator[None]:
    """A file that nobody can write, in a folder that can be written."""
    _mount("--bind", path, path)
    try:
        _mount("-o", "remount,bind,ro", path)
        yield
    finally:
        _unmount(path)


def _unmount(path: Path) -> None:
    done = subprocess.run(["umount", str(path)], capture_output=True, check=False)
    if done.returncode:
        subprocess.run(["umount", "--lazy", str(path)], check=True)


def remount(folder: Path, options: str) -> None:
    """Change a mounted disk: 'ro', 'rw' or 'size=64m'."""
    _mount("-o", f"remount,{options}", folder)
