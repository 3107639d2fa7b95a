"""The installed version of a distribution, also if its folder holds metadata of several versions.

An installation that was broken off, or files that were copied over older ones, leave a `.dist-info` folder
of a version that is not there any more, and which of them is listed first is chance.
"""

from __future__ import annotations

import hashlib
import warnings
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path


def version(name: str) -> str:
    """Return the version of the distribution whose code is imported.

    Raises importlib.metadata.PackageNotFoundError if there is none of the name.
    """
    found = list(metadata.distributions(name=name))
    if not found:
        raise metadata.PackageNotFoundError(name)
    first = _folder(found[0])
    here = {_place(each): each for each in found if _folder(each) == first}  # a folder may be searched twice
    return chosen(list(here.values())).version


def chosen(found: Sequence[metadata.Distribution]) -> metadata.Distribution:
    """Return which of the distributions of one name in one folder is there, and warn of the others.

    It is the one whose list of files has the digests of the code in the folder. If that decides nothing,
    because code was edited or lies elsewhere, it is the one that was written last.
    """
    if len(found) == 1:
        return found[0]
    whole = [each for each in found if each.read_text("METADATA") or each.read_text("PKG-INFO")] or found
    there = [each for each in whole if _is_there(each)] or whole
    best = max(there, key=_written)
    stale = tuple(sorted(_place(each) for each in found if each is not best))
    _warn(best.name, best.version, _folder(best), stale)
    return best


def _folder(found: metadata.Distribution) -> str:
    return str(found.locate_file(""))


def _place(found: metadata.Distribution) -> str:
    """Return the name of a distribution's metadata in its folder."""
    path = getattr(found, "_path", None)
    return Path(str(path)).name if path is not None else f"{found.name}-{found.version}.dist-info"


def _written(found: metadata.Distribution) -> int:
    try:
        return max(file.stat().st_mtime_ns for file in Path(_folder(found), _place(found)).iterdir())
    except (OSError, ValueError):
        return 0


def _is_there(found: metadata.Distribution) -> bool:
    """Return whether a distribution lists Python files, and all are as it lists them."""
    listed = [file for file in found.files or () if file.suffix == ".py" and file.hash is not None]
    return bool(listed) and all(_agrees(file) for file in listed)


def _agrees(file: metadata.PackagePath) -> bool:
    assert file.hash is not None
    try:
        digest = hashlib.new(file.hash.mode, Path(file.locate()).read_bytes()).digest()
    except (OSError, ValueError):
        return False
    return urlsafe_b64encode(digest).rstrip(b"=").decode() == file.hash.value


@cache
def _warn(name: str, version: str, folder: str, stale: Iterable[str]) -> None:
    """Warn once a process."""
    warnings.warn(
        f"{folder} has metadata of several versions of {name}; what is imported is taken for {version}: "
        f"remove {', '.join(stale)} there.",
        stacklevel=2,
    )
