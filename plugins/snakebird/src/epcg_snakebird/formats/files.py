"""The files of levels that params name, and their digest. Light."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from epcg_core.plugin import ParamsError, documents
from epcg_snakebird.formats.shipped import shipped_level, shipped_levels
from epcg_snakebird.rules.level import MOST_BYTES, LevelError

SUFFIXES = (".map", ".txt")
"""The suffixes of files in a folder that hold levels."""


def level_files(text: str, only: bool = False) -> tuple[Path, ...]:
    """Return the level files that `text` names: a file, a folder, or a shipped level by its name.

    Those of a folder are in the order of their names, 9 before 10. Raises ParamsError if there is none, or
    if it is to be the `only` one and is a folder.
    """
    path = _found(text)
    if not path.is_dir():
        return (path,)
    if only:
        raise ParamsError(f"'{text}' is a folder: name one level's file.")
    try:
        files = [file for file in path.iterdir() if file.suffix.lower() in SUFFIXES and file.is_file()]
    except OSError as error:
        raise ParamsError(f"The folder {text} cannot be read: {error.strerror}.") from error
    if not files:
        raise ParamsError(f"There is no level in the folder '{text}': no {' and no '.join(SUFFIXES)} file.")
    return tuple(sorted(files, key=lambda file: _natural(file.name)))


def full_name(text: str) -> str:
    """Return the full name of a shipped level, so that '12' is not another space; a path as it is."""
    path = _found(text)
    return text if documents.place_of(text).exists() else path.stem


def digest(files: Sequence[Path]) -> str:
    """Return the SHA-256 of one file; of several, that of their names and digests. Raises ParamsError."""
    if len(files) == 1:
        return _sha256(read_bytes(files[0]))
    return _sha256("".join(f"{_sha256(read_bytes(f))}  {f.name}\n" for f in files).encode())


def read_bytes(path: Path) -> bytes:
    """Return the content of a file. Raises ParamsError if it cannot be read."""
    return documents.read_bytes(path, "level", ParamsError, MOST_BYTES)


def _found(text: str) -> Path:
    """Return the file or folder of that name; else the shipped level."""
    try:
        if text and documents.place_of(text).exists():
            return documents.place_of(text)
    except (OSError, ValueError) as error:
        raise ParamsError(f"The level '{text}' cannot be read: {error}.") from error
    shipped = shipped_level(text)
    if shipped is None:
        names = ", ".join(path.stem for path in shipped_levels())
        raise ParamsError(f"There is no file or folder of levels '{text}'. Shipped are: {names or 'none'}.")
    return shipped


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts numbers in names by their size."""
    return [(int(part[:18]), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def check_digest(files: Sequence[Path], sha256: str, text: str) -> None:
    """Refuse files that `text` names if their digest is not `sha256`. Raises LevelError."""
    if digest(files) != sha256:
        raise LevelError(f"The levels of {text} have changed since: their SHA-256 digest is not {sha256}.")
