"""The entry points of installed plugins, and which of them are allowed.

`EPCG_PLUGINS` is an allow-list of entry-point names, separated by commas; empty means none.
"""

from __future__ import annotations

import importlib.metadata
import os
import sys
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from epcg_core.base.errors import UnknownNameError
from epcg_core.plugins.installed import chosen, name_and_version, named

ENTRY_POINTS = "epcg"
_Stamp: TypeAlias = tuple[str | int, ...]


def allowed() -> set[str] | None:
    """Return the names in EPCG_PLUGINS; None if the variable is not set."""
    allowed = os.environ.get("EPCG_PLUGINS")
    return None if allowed is None else {name.strip() for name in allowed.split(",") if name.strip()}


def installed_entry_points() -> tuple[importlib.metadata.EntryPoint, ...]:
    """Return the entry points of all installed plugins; changed folders of `sys.path` are read again."""
    return _entry_points(tuple(map(_stamp, sys.path)))


@lru_cache(1)
def _entry_points(stamps: tuple[_Stamp, ...]) -> tuple[importlib.metadata.EntryPoint, ...]:
    """Return the entry points of every distribution that no folder before its own has, too."""
    found: list[importlib.metadata.EntryPoint] = []
    folders = [str(folder) for folder, *_ in stamps]
    for number, stamp in enumerate(stamps):
        for name, points in _distributions(stamp):
            before = folders[:number]
            if not before or not any(importlib.metadata.distributions(name=name, path=before)):
                found += points
    return tuple(found)


@lru_cache(64)
def _distributions(stamp: _Stamp) -> list[tuple[str, list[importlib.metadata.EntryPoint]]]:
    """Read the metadata of all distributions in a folder; return name and entry points of those with plugins.

    A folder of a hundred distributions takes 0.01 s, which a small run need not spend twice.
    """
    folder = [str(stamp[0])]
    names = {
        name_and_version(named(distribution))[0]: None
        for distribution in importlib.metadata.distributions(path=folder)
        if _points(distribution)
    }
    there = [
        chosen([*map(named, importlib.metadata.distributions(name=name, path=folder))]) for name in names
    ]
    return [(name_and_version(distribution)[0], _points(distribution)) for distribution in there]


def _points(distribution: importlib.metadata.Distribution) -> list[importlib.metadata.EntryPoint]:
    return [point for point in distribution.entry_points if point.group == ENTRY_POINTS]


def _stamp(folder: str) -> _Stamp:
    """Return what tells a folder or archive from another and from itself after a change."""
    try:
        found = Path(folder).stat()
    except OSError:
        return (folder,)
    return folder, found.st_dev, found.st_ino, found.st_mtime_ns


def active_entry_points() -> list[importlib.metadata.EntryPoint]:
    """Return the entry points that the allow-list admits, by name."""
    names = allowed()
    found = installed_entry_points()
    return sorted((e for e in found if names is None or e.name in names), key=lambda e: (e.name, e.value))


def unknown_plugins() -> list[str]:
    """Return a sentence for each name in EPCG_PLUGINS without an installed plugin."""
    names = allowed()
    if not names:
        return []
    known = {e.name for e in installed_entry_points()}
    return [str(UnknownNameError("plugin", name, known, "EPCG_PLUGINS")) for name in sorted(names - known)]
