"""File systems that are full or read-only, for those who may mount: the superuser on Linux."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs
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


@attrs.frozen
class Ext4:
    """A mounted file system in a file."""

    image: Path
    folder: Path

    def mount_again(self) -> None:
        """Mount it anew, as after a restart."""
        _unmount(self.folder)
        _mount("-o", "loop", self.image, self.folder)


@contextmanager
def ext4_disk(folder: Path, megabytes: int) -> Iterator[Ext4]:
    """An empty ext4 file system in `folder`. Skips the test where none can be made and mounted.

    `remount(disk.folder, "abort")` makes it what it is after an error: read-only, open files included.
    """
    disk = Ext4(folder / "ext4.img", folder / "ext4")
    disk.folder.mkdir()
    with disk.image.open("wb") as file:
        file.truncate(megabytes << 20)
    try:
        made = subprocess.run(
            ["mkfs.ext4", "-q", str(disk.image)], capture_output=True, text=True, check=False
        )
        if made.returncode:
            raise OSError(made.stderr.strip())
        _mount("-o", "loop", disk.image, disk.folder)
    except OSError as error:
        pytest.skip(f"an ext4 file system cannot be made here ({error})")
    try:
        yield disk
    finally:
        _unmount(disk.folder)


@contextmanager
def read_only_file(path: Path) -> Iterator[None]:
    """A file that nobody can write, in a folder that can be written."""
    _mount("--bind", path, path)
    try:
        _mount("-o", "remount,bind,ro", path)
        yield
    finally:
        _unmount(path)


@contextmanager
def read_only_folder(folder: Path) -> Iterator[None]:
    """A folder that nobody can write, with what is in it. Skips the test if mounting is refused."""
    try:
        _mount("--bind", folder, folder)
    except OSError as error:
        pytest.skip(f"a folder cannot be mounted here ({error})")
    try:
        _mount("-o", "remount,bind,ro", folder)
        yield
    finally:
        _unmount(folder)


def _unmount(path: Path) -> None:
    done = subprocess.run(["umount", str(path)], capture_output=True, check=False)
    if done.returncode:
        subprocess.run(["umount", "--lazy", str(path)], check=True)


def remount(folder: Path, options: str) -> None:
    """Change a mounted disk: 'ro', 'rw' or 'size=64m'."""
    _mount("-o", f"remount,{options}", folder)
