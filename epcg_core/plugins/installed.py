"""The installed version of a distribution, also if its folder holds metadata of several versions.

An installation that was broken off, or files that were copied over older ones, leave a `.dist-info` folder
of a version that is not there any more, and which of them is listed first is chance.
"""

from __future__ import annotations

import hashlib
import os
import re
import warnings
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Sequence
from email.parser import HeaderParser
from functools import cache, lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any


class IncompleteDistribution(metadata.Distribution):
    """A distribution without METADATA: its name and version are those of the folder that should hold it."""

    def __init__(self, found: metadata.Distribution) -> None:
        self._found = found
        self._path = getattr(found, "_path", None)

    def read_text(self, filename: str) -> str | None:
        return self._found.read_text(filename)

    def locate_file(self, path: str | os.PathLike[str]) -> Any:
        return self._found.locate_file(path)

    @property
    def name(self) -> str:
        return re.sub(r"[-_.]+", "-", self._parts[0]).lower()

    @property
    def version(self) -> str:
        return self._parts[1] if len(self._parts) > 1 else "?"

    @property
    def _parts(self) -> list[str]:
        return Path(str(self._path)).stem.split("-")

    @property
    def note(self) -> str:
        """The fault of the installation, for a list of plugins."""
        return (
            f"its installation is incomplete: {self._path} has no METADATA, so its name and version are "
            "those of that folder; install it again"
        )


def named(found: metadata.Distribution) -> metadata.Distribution:
    """Return a distribution that has a name and a version, also if its METADATA is missing."""
    return found if _has_metadata(found) else IncompleteDistribution(found)


def _has_metadata(found: metadata.Distribution) -> bool:
    return bool(_metadata_text(found))


def _metadata_text(found: metadata.Distribution) -> str:
    return found.read_text("METADATA") or found.read_text("PKG-INFO") or ""


def name_and_version(found: metadata.Distribution) -> tuple[str, str]:
    """Return the name and the version of a distribution.

    Its own properties read METADATA at each access, with the page of text that follows the headers: that was
    a fifth of what a start takes.
    """
    if isinstance(found, IncompleteDistribution):
        return found.name, found.version
    name, version = _headers(_metadata_text(found).partition("\n\n")[0])
    return name or found.name, version or found.version


@lru_cache(512)
def _headers(text: str) -> tuple[str | None, str | None]:
    headers = HeaderParser().parsestr(text)
    return headers["Name"], headers["Version"]


def version(name: str) -> str:
    """Return the version of the distribution whose code is imported.

    Raises importlib.metadata.PackageNotFoundError if there is none of the name.
    """
    found = [named(each) for each in metadata.distributions(name=name)]
    if not found:
        raise metadata.PackageNotFoundError(name)
    first = _folder(found[0])
    here = {_place(each): each for each in found if _folder(each) == first}  # a folder may be searched twice
    return name_and_version(chosen(list(here.values())))[1]


def chosen(found: Sequence[metadata.Distribution]) -> metadata.Distribution:
    """Return which of the distributions of one name in one folder is there, and warn of the others.

    It is the one whose list of files has the digests of the code in the folder. If that decides nothing,
    because code was edited or lies elsewhere, it is the one that was written last.
    """
    if len(found) == 1:
        return found[0]
    whole = [each for each in found if _has_metadata(each)] or found
    there = [each for each in whole if _is_there(each)] or whole
    best = max(there, key=_written)
    stale = tuple(sorted(_place(each) for each in found if each is not best))
    _warn(*name_and_version(best), _folder(best), stale)
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
