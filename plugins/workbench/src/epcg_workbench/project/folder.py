"""The folder of a project: which files it has, and how they are read and saved.

A file is written whole or not at all, and only if it is still what the page has read; otherwise the page
hears of the other text. No name leads out of the folder.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import attrs

from epcg_core.inside import decoded
from epcg_core.plugin import EpcgError, QueryError, counted, documents
from epcg_workbench.project.history import STATE, History, Step, digest_of

MOST_FILES = 1000
"""Files of a project that are listed."""
MOST_BYTES = 500_000
"""Bytes of the largest file that is opened as a document: a request to save it has room for it."""
MOST_OF_NAME = 255
"""Bytes of a file's name, as file systems have it."""
DATABASES = (".db", ".sqlite", ".sqlite3")
_BESIDE = re.compile(r"\.(db|sqlite3?)(-shm|-wal|-journal|\.lock)", re.IGNORECASE)
"""The endings of files that lie beside a database while it is in use."""
_OWN = re.compile(
    rf"(?:.*(?:{'|'.join(map(re.escape, DATABASES))}))(?:-wal|-shm|-journal|\.lock|\.work)?", re.IGNORECASE
)
"""The names of databases, and of what lies beside one: a text of such a name would take its place."""
_NOT_TEXTS = frozenset(
    {
        ".zip",
        ".gz",
        ".bz2",
        ".xz",
        ".zst",
        ".7z",
        ".tar",
        ".parquet",
        ".arrow",
        ".npy",
        ".npz",
        ".pickle",
        ".pkl",
    }
    | {
        ".pdf",
        ".png",
        ".gif",
        ".jpg",
        ".jpeg",
        ".webp",
        ".ico",
        ".mp3",
        ".mp4",
        ".ogg",
        ".wav",
        ".ttf",
        ".woff",
    }
    | {".woff2", ".stl", ".3mf", ".pyc", ".so", ".pyd", ".dll", ".exe", ".whl"}
)
"""The endings of files that are no texts."""
_LINE_ENDS = re.compile(rb"(\r\n|\n|\r)")
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
    note: str = ""
    """What did not work beside saving it: its history."""


def _is_of_database(name: str) -> bool:
    found = _BESIDE.search(name)
    return found is not None and found.end() == len(name)


class Project:
    """A folder of files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.history = History(folder)

    def check(self) -> None:
        """Raise QueryError if the folder is gone, or what the workbench keeps would be written elsewhere."""
        if not self.folder.is_dir():
            raise QueryError(f"The folder {self.folder} is gone. What is on the page can still be copied.")
        if self.state.is_symlink():
            raise QueryError(f"{self.state} is a link, so nothing can be kept there: remove it.")

    def files(self) -> list[Listed]:
        """List the files, by name; not those of hidden folders. Raises QueryError if the folder is gone."""
        self.check()
        found = []
        for place, folders, names in os.walk(self.folder):
            folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
            for name in sorted(names):
                path = Path(place, name)
                if name.startswith(".") or _is_of_database(name):
                    continue
                if not path.is_file() or not self._is_inside(path):
                    continue
                relative = path.relative_to(self.folder).as_posix()
                found.append(Listed(relative, path.stat().st_size, path.suffix.lower() in DATABASES))
                if len(found) == MOST_FILES:
                    return found
        return sorted(found, key=lambda each: (each.name.count("/"), each.name))

    def read(self, name: str) -> Read:
        """Read a file as text. Raises QueryError if it is none, or too large."""
        path = self.path(name)
        if not path.is_file():
            self.check()
            raise QueryError(f"There is no file {name} in this project.")
        data = documents.read_bytes(path, "file", QueryError, MOST_BYTES)
        return Read(name, _text_of(name, data), _digest(data))

    def digest(self, name: str) -> str | None:
        """Return the digest of a file as it is now; None if it is gone."""
        self.check()
        path = self.path(name)
        return _digest(documents.read_bytes(path, "file", QueryError)) if path.is_file() else None

    def save(self, name: str, text: str, based_on: str | None, steps: Sequence[Step] = ()) -> Read:
        """Write a file, and remember the text.

        Args:
            name: the file.
            text: its whole text, with Unix line ends.
            based_on: the digest that reading or saving gave; None for a new file.
            steps: the states in which it was since the last save, in order.

        Raises:
            ChangedError: if the file is not what `based_on` names, and holds another text.
            QueryError: if it cannot be written; the file is then as it was.
        """
        self.check()
        path = self.path(name)
        self._check_text(name, path)
        with self._sentences(name):
            old = documents.read_bytes(path, "file", QueryError) if path.is_file() else None
            is_other = (None if old is None else _digest(old)) != based_on
            if is_other and (old is None or _bytes_of(text, old) != old):
                raise ChangedError(name, None if old is None else _text_of(name, old))
            before = "" if old is None else _text_of(name, old)
            data = _bytes_of(text, old or b"")
            if len(data) > MOST_BYTES:
                raise QueryError(
                    f"{name} would have {len(data):,} bytes, and is opened here up to {MOST_BYTES:,}."
                )
            if old is None:
                path.parent.mkdir(parents=True, exist_ok=True)
            if data != old:
                self._write(path, data)
        return Read(
            name, text, _digest(data), self._remember(name, text, None if old is None else before, steps)
        )

    def _check_text(self, name: str, path: Path) -> None:
        """Raise QueryError for a name that no text has: that of a database, a picture, a pipe."""
        inside = path.resolve().relative_to(self.folder.resolve())  # what a link leads to is written
        for part in {*PurePosixPath(name).parts, *inside.parts}:
            if _OWN.fullmatch(part):
                raise QueryError(
                    f"'{name[:200]}' is a name for a database or what lies beside one, so no text is saved "
                    "there: choose another."
                )
            if PurePosixPath(part).suffix.lower() in _NOT_TEXTS:
                raise QueryError(
                    f"'{name[:200]}' ends like a file that is not a text, so no text is saved there: choose "
                    "another ending."
                )
            if part.startswith("."):
                raise QueryError(
                    f"'{name[:200]}' leads to hidden files by a link, so no text is saved there."
                )
        if path.exists() and not path.is_file():
            raise QueryError(f"'{name[:200]}' is there, and not a file, so no text is saved there.")

    def _remember(self, name: str, text: str, before: str | None, steps: Sequence[Step]) -> str:
        """Add a text that was saved to the history, after the steps that led to it.

        Returns why that is not possible, or what was dropped, else ''; `before` is None for a new file.
        """
        try:
            first = "" if before is None else digest_of(before)
            begun = [Step(before, "")] if before is not None and self.history.is_empty(name) else []
            gone = self.history.dropped(name)
            self.history.add_steps(name, [*begun, *steps, Step(text, first)])
            gone = self.history.dropped(name) - gone
        except (OSError, EpcgError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            return f"{name} is saved, but not its history: {reason}."
        if gone > 0:
            return f"{name} is saved. Its history drops {counted(gone, 'old save')}; newer ones stay."
        return ""

    def save_beside(self, name: str, text: str) -> Read:
        """Save a text under a new name beside a file that another program has changed."""
        self._check_text(name, self.path(name))
        pure = PurePosixPath(name)
        for number in range(1, 1000):
            more = KEPT_BESIDE if number == 1 else f"{KEPT_BESIDE[:-1]} {number})"
            other = str(pure.with_name(f"{pure.stem}{more}{pure.suffix}"))
            if not self.path(other).exists():
                return self.save(other, text, None)
        raise QueryError(f"There are too many files beside {name}: remove some.")

    def _write(self, path: Path, data: bytes) -> None:
        """Write the bytes of a file, whole or not at all, with the rights that it has."""
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

    def path(self, name: str) -> Path:
        """Return where a file of the project is. Raises QueryError if the name leads out of the folder."""
        pure = PurePosixPath(name)
        parts = pure.parts
        refused = not parts or pure.is_absolute() or ".." in parts or "\0" in name or "\\" in name
        if refused or str(pure) != name or not _fits(parts):
            raise QueryError(f"'{name[:200]}' is not the name of a file in this project.")
        if any(part.startswith(".") for part in parts):
            raise QueryError(f"'{name[:200]}': names that begin with a dot are hidden, so choose another.")
        path = self.folder.joinpath(*parts)
        if not self._is_inside(path):
            raise QueryError(f"'{name[:200]}' leads out of the project by a link.")
        return path

    def _is_inside(self, path: Path) -> bool:
        try:
            return path.resolve().is_relative_to(self.folder.resolve())
        except (OSError, RuntimeError):  # a link that leads to itself
            return False

    @property
    def state(self) -> Path:
        """The folder of what the workbench keeps here, which is made when it is first needed."""
        return self.folder / STATE


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _fits(parts: tuple[str, ...]) -> bool:
    """Return whether a system can have files of these names."""
    try:
        return all(len(os.fsencode(part)) <= MOST_OF_NAME for part in parts)
    except UnicodeEncodeError:
        return False


def _text_of(name: str, data: bytes) -> str:
    """Return the text of a file, with Unix line ends. Raises QueryError if it is none."""
    return decoded(data, f"The file {name}", QueryError)


def _bytes_of(text: str, old: bytes) -> bytes:
    """Return the bytes of a text with the mark of UTF-8 and the line ends that the file has.

    Lines before and behind what has changed keep their own ends; new ones get those of most lines.
    Raises UnicodeEncodeError.
    """
    mark = _MARK if old.startswith(_MARK) else b""
    usual = b"\r\n" if 2 * old.count(b"\r\n") > len(_LINE_ENDS.findall(old)) else b"\n"
    lines, before = _lines(text.encode("utf-8")), _lines(old[len(mark) :])
    first = 0
    most = min(len(lines), len(before))
    while first < most and lines[first][0] == before[first][0]:
        first += 1
    last = 0
    while last < most - first and lines[-1 - last][0] == before[-1 - last][0]:
        last += 1
    middle = [(line, usual) for line, _ in lines[first : len(lines) - last]]
    kept = [*before[:first], *middle, *before[len(before) - last :]]
    # only the last line has no end, which may be another one than before
    ends = [*[end or usual for _, end in kept[:-1]], b""]
    return mark + b"".join(line + end for (line, _), end in zip(kept, ends, strict=True))


def _lines(data: bytes) -> list[tuple[bytes, bytes]]:
    """Return lines with their ends; the last one has none."""
    parts = _LINE_ENDS.split(data)
    return [*zip(parts[:-1:2], parts[1::2], strict=True), (parts[-1], b"")]
