"""A project as one file: packed to be given away, and unpacked with care."""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from pathlib import Path

from epcg_core.plugin import QueryError, documents, writing
from epcg_workbench.project.folder import MOST_FILES, Project

MOST_BYTES = 1 << 30
"""Bytes of all files of a pack together."""
MOST_ENTRIES = 10 * MOST_FILES
"""Entries of a pack, folders included."""
ENDING = ".zip"
_BLOCK = 1 << 20


def pack(folder: Path, output: Path, database: bool) -> int:
    """Write the files of a project as a ZIP file, and return how many there are.

    Hidden files stay out, and with them the history and the token of its server; databases, too, unless
    `database` is set. Raises QueryError if the folder or the file is unusable.
    """
    project = Project(folder)
    found = [each.name for each in project.files() if database or not each.is_database]
    found = [name for name in found if (folder / name).resolve() != output.resolve()]
    if len(found) == MOST_FILES:
        raise QueryError(f"{folder} has {MOST_FILES:,} files or more: move the game to a folder of its own.")
    if not found:
        raise QueryError(f"There is nothing to pack in {folder}.")
    try:
        with (
            writing(output),
            documents.replaced(output) as part,
            zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as packed,
        ):
            for name in found:
                packed.write(folder / name, name)
    except (ValueError, UnicodeError) as error:  # a date before 1980, a name that cannot be encoded
        raise QueryError(f"{output} cannot be written: {error}.") from error
    return len(found)


def unpack(path: Path, folder: Path) -> int:
    """Write the files of a ZIP file into a new folder, and return how many there are.

    All or nothing. Raises QueryError for a file that is not a pack, names that lead out of the folder or are
    hidden, links, more than MOST_BYTES, and a folder that is there already with something in it.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise QueryError(f"{folder} is there already: name another folder.")
    try:
        with zipfile.ZipFile(path) as packed:
            names = {entry: _checked(entry) for entry in _entries(path, packed)}
            names = {entry: name for entry, name in names.items() if name}
            if len({name.casefold() for name in names.values()}) != len(names):
                raise QueryError(f"{path} has one name twice, so nothing is unpacked.")
            with documents.replaced(folder, folder=True) as part:
                left = MOST_BYTES
                for entry, name in names.items():
                    left -= _written(packed, entry, part / name, left)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise QueryError(
            f"{path} is not a pack of a project ({error}): `epcg project pack` writes one."
        ) from error
    except OSError as error:
        raise QueryError(f"{path} cannot be unpacked: {error.strerror or error}.") from error
    return len(names)


def _entries(path: Path, packed: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    found = packed.infolist()
    if len(found) > MOST_ENTRIES:
        raise QueryError(f"{path} has {len(found):,} entries; a project has at most {MOST_ENTRIES:,}.")
    if sum(entry.file_size for entry in found) > MOST_BYTES:
        raise QueryError(f"{path} holds more than {MOST_BYTES:,} bytes, so nothing is unpacked.")
    return found


def _checked(entry: zipfile.ZipInfo) -> str:
    """Return the name of an entry's file; '' of a folder. Raises QueryError."""
    name = entry.filename
    parts = name.rstrip("/").split("/")
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise QueryError(f"'{name[:200]}' in the pack is a link or a device, so nothing is unpacked.")
    if "\\" in name or ":" in parts[0] or any(part in ("", "..") or part.startswith(".") for part in parts):
        raise QueryError(
            f"'{name[:200]}' in the pack leads out of the folder or is hidden, so nothing is unpacked."
        )
    return "" if entry.is_dir() else name


def _written(packed: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, most: int) -> int:
    """Write a file and return its true size. Raises QueryError if that is more than `most`."""
    target.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with packed.open(entry) as source, target.open("xb") as file:
        while block := source.read(_BLOCK):
            size += len(block)
            if size > most:
                raise QueryError(f"The pack holds more than {MOST_BYTES:,} bytes, so nothing is unpacked.")
            file.write(block)
    return size


def default_pack(folder: Path) -> Path:
    """Return where a folder is packed by default: beside it, by its name."""
    place = folder.resolve()
    return Path(os.curdir, f"{place.name or 'project'}{ENDING}")


def default_folder(path: Path) -> Path:
    """Return where a pack is unpacked by default."""
    return Path(os.curdir, path.stem)
