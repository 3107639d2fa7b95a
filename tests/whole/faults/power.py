"""Power that fails: what every change of a disk, recorded by faulty.c, leaves of its files.

What a program writes reaches the disk when it asks for that (fsync) or whenever the system likes, in any
order and in sectors of 512 bytes. So after the n-th change a disk may hold

`all`      every change so far: what a killed program leaves, whose system goes on
`synced`   of each file only what came before its last fsync
`some`     besides that, any of the later changes, the last sectors of a write without the first or the
           other way round
"""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import attrs

WRITE, TRUNCATE, SYNC, UNLINK = 1, 2, 3, 4
SECTOR = 512
HEAD = struct.Struct("=4Q")

Left = Literal["all", "synced", "some"]


@attrs.frozen
class Change:
    """One change of one file."""

    kind: int
    path: Path
    offset: int
    """Of a write, or the length that a file was cut to."""
    data: bytes


def read_log(log: Path) -> list[Change]:
    """The changes of a disk, in order."""
    content, position, found = log.read_bytes(), 0, []
    while position < len(content):
        kind, name, offset, size = HEAD.unpack_from(content, position)
        position += HEAD.size
        path = Path(content[position : position + name].decode())
        position += name
        data = content[position : position + size] if kind == WRITE else b""
        position += len(data)
        found.append(Change(kind, path, offset, data))
    return found


def left_by(changes: Sequence[Change], left: Left, chance: random.Random) -> dict[str, bytes]:
    """The files, by name, of a disk whose power fails after `changes`."""
    files: dict[str, bytearray] = {}
    last_sync = max((i for i, change in enumerate(changes) if change.kind == SYNC), default=-1)
    secure = {change.path: i for i, change in enumerate(changes) if change.kind == SYNC}
    for i, change in enumerate(changes):
        name = change.path.name
        if change.kind == SYNC:
            files.setdefault(name, bytearray())
            continue
        if change.kind == UNLINK:
            # A journal keeps the order of names, so any later fsync takes this along.
            if left == "all" or i < last_sync or chance.random() < 0.5:
                files.pop(name, None)
            continue
        if left == "all" or i < secure.get(change.path, -1):
            _apply(files.setdefault(name, bytearray()), change)
        elif left == "some" and chance.random() < 0.5:
            _apply(files.setdefault(name, bytearray()), _torn(change, chance))
    return {name: bytes(content) for name, content in files.items()}


def _torn(change: Change, chance: random.Random) -> Change:
    """The change, or a part of it that ends or begins between two sectors."""
    cut = SECTOR * chance.randrange(len(change.data) // SECTOR + 1)
    if change.kind != WRITE or cut == 0 or chance.random() < 0.5:
        return change
    if chance.random() < 0.5:
        return attrs.evolve(change, data=change.data[:cut])
    return attrs.evolve(change, offset=change.offset + cut, data=change.data[cut:])


def _apply(content: bytearray, change: Change) -> None:
    end = change.offset + len(change.data)
    if len(content) < end:
        content.extend(bytes(end - len(content)))
    if change.kind == TRUNCATE:
        del content[change.offset :]
    else:
        content[change.offset : end] = change.data
