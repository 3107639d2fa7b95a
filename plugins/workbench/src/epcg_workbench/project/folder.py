"""The folder of a project: which files it has, and how they are read and saved.

A file is written whole or not at all, and only if it is still what the page has read; otherwise the page
hears of the other text. No name leads out of the folder.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import attrs

from epcg_core.plugin import EpcgError, QueryError, documents
from epcg_workbench.project.history import STATE, History, digest_of

MOST_FILES = 1000
"""Files of a project that are listed."""
MOST_BYTES = 10_000_000
"""Bytes of the largest file that is opened as a document."""
DATABASES = (".db", ".sqlite", ".sqlite3")
_MARK = b"\xef\xbb\xbf"
KEPT_BESIDE = " (mine)"
"""What the name of a text has that is kept beside another program's."""


class ChangedError(EpcgError):
    """Another program has changed a file since the page has read it."""

    def __init__(self, file: str, text: str | None) -> None:
        what = "is gone" if text is None else "has been changed by another program"
        super().__init__(f"{file} {what} since it was opened here. Reload it, or keep both.")
        self.text = text
        """What the file holds now; None if it is gone."""


@attrs.frozen
class Listed:
    """A file of a project."""

    name: str
    """Its path in the folder, with '/' between parts."""
    bytes: int
    is_database: bool


@attrs.frozen
class Read:
    """The text of a file, and what a save of it has to name."""

    name: str
    text: str
    """With Unix line ends."""
    digest: str
    """Of the bytes of the file, as they are on disk."""


class Project:
    """A folder of files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.history = History(folder)

    def files(self) -> list[Listed]:
        """List the files, by name; not those of hidden folders. Raises QueryError if the folder is gone."""
        if not self.folder.is_dir():
            raise QueryError(f"The folder {self.folder} is gone. What is on the page can still be copied.")
        found = []
        for place, folders, names in os.walk(self.folder):
            folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
            for name in sorted(names):
                path = Path(place, name)
                if name.startswith(".") or not path.is_file() or not self._is_inside(path):
                    continue
                relative = path.relative_to(self.folder).as_posix()
                found.append(Listed(relative, path.stat().st_size, path.suffix.lower() in DATABASES))
                if len(found) == MOST_FILES:
                    return found
        return sorted(found, key=lambda each: (each.name.count("/"), each.name))

    def read(self, name: str) -> Read:
        """Read a file as text. Raises QueryError if it is none, or too large."""
        path = self._path(name)
        if not path.is_file():
            raise QueryError(f"There is no file {name} in this project.")
        text = documents.read_text(path, "file", QueryError, most=MOST_BYTES)
        return Read(name, text, self._digest(path))

    def digest(self, name: str) -> str | None:
        """Return the digest of a file as it is now; None if it is gone."""
        path = self._path(name)
        return self._digest(path) if path.is_file() else None

    def save(self, name: str, text: str, based_on: str | None) -> Read:
        """Write a file, and remember the text.

        Args:
            name: the file.
            text: its whole text, with Unix line ends.
            based_on: the digest that reading or saving gave; None for a new file.

        Raises:
            ChangedError: if the file is not what `based_on` names.
            QueryError: if it cannot be written; the file is then as it was.
        """
        path = self._path(name)
        with self._sentences(name):
            now = self._digest(path) if path.is_file() else None
            if now != based_on:
                raise ChangedError(name, self.read(name).text if path.is_file() else None)
            before = "" if based_on is None else self.read(name).text
            if based_on is None:
                path.parent.mkdir(parents=True, exist_ok=True)
            elif not self.history.entries(name):
                self.history.add(name, before, "")
            self._write(path, text)
            self.history.add(name, text, digest_of(before) if before else "")
        return Read(name, text, self._digest(path))

    def save_beside(self, name: str, text: str) -> Read:
        """Save a text under a new name beside a file that another program has changed."""
        pure = PurePosixPath(name)
        for number in range(1, 1000):
            more = KEPT_BESIDE if number == 1 else f"{KEPT_BESIDE[:-1]} {number})"
            other = str(pure.with_name(f"{pure.stem}{more}{pure.suffix}"))
            if not self._path(other).exists():
                return self.save(other, text, None)
        raise QueryError(f"There are too many files beside {name}: remove some.")

    def _write(self, path: Path, text: str) -> None:
        """Write a text with the line ends, and the mark of UTF-8, that the file has."""
        old = documents.read_bytes(path, "file", QueryError, MOST_BYTES) if path.is_file() else b""
        ends = "\r\n" if 2 * old.count(b"\r\n") > old.count(b"\n") else "\n"
        mark = _MARK if old.startswith(_MARK) else b""
        data = mark + text.replace("\n", ends).encode("utf-8")
        with documents.replaced(path) as part:
            with part.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if path.is_file():
                part.chmod(path.stat().st_mode & 0o777)

    @contextmanager
    def _sentences(self, name: str) -> Iterator[None]:
        """Say what the system says about a file."""
        try:
            yield
        except UnicodeEncodeError:
            raise QueryError(f"{name} cannot be saved: the text has half a character.") from None
        except OSError as error:
            reason = error.strerror or str(error)
            raise QueryError(
                f"{name} cannot be saved: {reason}. The file is as it was, and the page keeps your text."
            ) from error

    def _path(self, name: str) -> Path:
        """Return the path of a file. Raises QueryError if the name leads out of the folder."""
        pure = PurePosixPath(name)
        parts = pure.parts
        if not parts or pure.is_absolute() or ".." in parts or "\0" in name or "\\" in name:
            raise QueryError(f"'{name[:200]}' is not the name of a file in this project.")
        if any(part.startswith(".") for part in parts):
            raise QueryError(f"'{name[:200]}': names that begin with a dot are hidden, so choose another.")
        path = self.folder.joinpath(*parts)
        if not self._is_inside(path):
            raise QueryError(f"'{name[:200]}' leads out of the project by a link.")
        return path

    def _is_inside(self, path: Path) -> bool:
        return path.resolve().is_relative_to(self.folder.resolve())

    @staticmethod
    def _digest(path: Path) -> str:
        return hashlib.sha256(documents.read_bytes(path, "file", QueryError, MOST_BYTES)).hexdigest()

    @property
    def state(self) -> Path:
        """The folder of what the workbench keeps here, which is made when it is first needed."""
        return self.folder / STATE
