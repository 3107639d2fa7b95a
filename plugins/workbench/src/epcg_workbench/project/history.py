"""The history of a project's files, beside them: every text that was saved, and from which it came.

`.epcg/history` holds the texts by their digests, each compressed in a file of its own, and in `logs` a file
of lines for each file of the project. A save adds a line and reads the end of that one log, however long it
is; one process after the other. Lines are numbered, so a clock that goes back loses nothing; a line that was
cut by a kill is left out. A log that has grown too long is written again with the newest saves, and its first
line counts the dropped ones. The history branches: going back and saving again gives the old text a second
successor.

Earlier versions had one log of all files, `log.jsonl`, which is read for each file that has no log yet, and
texts that lie in the folder itself, compressed or not.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import attrs
import filelock

from epcg_core.plugin import EpcgError, documents

STATE = ".epcg"
"""The folder of what the workbench keeps in a project."""
MOST_ENTRIES = 1000
"""Saves of one file that are remembered; the oldest go first."""
MOST_BYTES = 50_000_000
"""Bytes of a log before it is written again, and of a text."""
MOST_OF_LINE = 1 << 16
"""Bytes of a line of a log; the names of systems are shorter."""
BLOCK = 1 << 13
"""Bytes that are read at once from the end of a log."""
PATIENCE = 10.0
"""Seconds in which another process has to end its save."""
COMPRESSED = ".zlib"
"""The ending of the files of texts."""
LEAST_OF_DIGEST = 16
"""Letters of a digest that name a text."""
MOST_OF_LABEL = 100


def digest_of(text: str) -> str:
    """Return the digest of a text, by which its history knows it."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@attrs.frozen
class Entry:
    """A save of a file."""

    number: int
    """From 1, in the order of saves."""
    file: str
    digest: str
    parent: str
    """The digest of the text that it came from; '' of the first."""
    at: str
    """The time, as this machine's clock told it: ISO 8601, UTC."""
    label: str = ""
    """What was done, in a few words."""


@attrs.frozen
class Step:
    """A text that is to be remembered."""

    text: str
    parent: str
    """The digest of the text that it came from, or how that begins."""
    label: str = ""


@attrs.frozen
class Node:
    """A state of a file in the tree of its history."""

    digest: str
    parent: str
    """'' of a state that comes from none that is remembered."""
    at: str
    """The time at which the file was last in this state."""
    label: str
    lane: int
    """From 0: a state has that of its parent, or, of several, the first; each further branch has its own."""


class History:
    """What was saved in a project."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / STATE / "history"

    def entries(self, file: str) -> list[Entry]:
        """List the saves of a file, oldest first."""
        log = self._log(file)
        entries, _ = _newest(log if log.is_file() else self._shared, file)
        return list(_numbered(entries))

    def dropped(self, file: str) -> int:
        """Return how many saves of a file are no longer remembered."""
        with suppress(OSError), self._log(file).open("rb") as log:
            return _dropped(log.readline(MOST_OF_LINE))
        return 0

    def is_empty(self, file: str) -> bool:
        """Return whether no save of a file is remembered."""
        log = self._log(file)
        return next(_parsed(_lines_of(log if log.is_file() else self._shared), file), None) is None

    def text(self, digest: str) -> str:
        """Return a saved text. Raises EpcgError if it is no longer remembered."""
        path = self._found(digest)
        if path is None:
            raise EpcgError("This state is no longer remembered: older ones go if there are many.")
        data = documents.read_bytes(path, "saved state")
        if path.suffix == COMPRESSED:
            data = _expanded(data)
        if hashlib.sha256(data).hexdigest() != digest:
            raise EpcgError("This state was changed on disk, so it is not what was saved.")
        return data.decode("utf-8", "surrogatepass")

    def add(self, file: str, text: str, parent: str, label: str = "") -> Entry:
        """Remember a text of a file, which came from another one. Raises OSError."""
        return self.add_steps(file, [Step(text, parent, label)])

    def add_steps(self, file: str, steps: Sequence[Step]) -> Entry:
        """Remember texts of a file, one after the other.

        Args:
            file: its name.
            steps: its states in order, at least one. The text that is the newest already is not added.

        Returns:
            The newest entry.

        Raises:
            OSError: if a text or the log cannot be written.
            EpcgError: if another process holds the history.
        """
        log = self._log(file)
        with self._held():
            last = self._last(file)
            for step in steps:
                digest = digest_of(step.text)
                if last is not None and last.digest == digest:
                    continue
                parent = self._parent(file, step.parent, last)
                number = 1 if last is None else last.number + 1
                now = datetime.now(UTC).isoformat(timespec="seconds")
                last = Entry(number, file, digest, parent, now, step.label[:MOST_OF_LABEL])
                self._write(log, last, step.text)
            if last is None:
                raise ValueError("there are no steps")
            if self._is_long(log, last):
                self._shrink(file)
        return last

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Let no other process write in the meantime, where the file system has locks."""
        self._logs.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(self._folder / "lock", timeout=PATIENCE)
        try:
            with suppress(NotImplementedError):  # a file system without locks
                lock.acquire()
            yield
        except filelock.Timeout:
            raise EpcgError("another process is writing it") from None
        finally:
            lock.release()

    def _last(self, file: str) -> Entry | None:
        """Return the newest entry of a file, whose log is begun with what the log of all files has of it."""
        log = self._log(file)
        if not log.is_file():
            entries, dropped = _newest(self._shared, file)
            if entries:
                _write_log(log, entries, dropped)
        return next(_parsed(_backwards(log), file), None)

    def _parent(self, file: str, name: str, last: Entry | None) -> str:
        """Return the digest that a name means; that of the newest entry if it is no longer remembered."""
        if not name or last is None:
            return ""
        if len(name) >= LEAST_OF_DIGEST:
            for entry in _parsed(_backwards(self._log(file)), file):
                if entry.digest.startswith(name):
                    return entry.digest
        return last.digest

    def _write(self, log: Path, entry: Entry, text: str) -> None:
        if self._found(entry.digest) is None:
            path = self._paths(entry.digest)[0]
            path.parent.mkdir(exist_ok=True)
            with documents.replaced(path) as part:
                part.write_bytes(zlib.compress(text.encode("utf-8", "surrogatepass")))
        with log.open("ab+") as lines:
            lines.seek(-min(1, lines.seek(0, os.SEEK_END)), os.SEEK_END)
            cut = lines.read(1) not in (b"", b"\n")  # by a kill, or a full disk
            lines.write((b"\n" if cut else b"") + _line(entry))

    def _is_long(self, log: Path, last: Entry) -> bool:
        first = next(_parsed(_lines_of(log), last.file), last)
        return last.number - first.number >= 2 * MOST_ENTRIES or log.stat().st_size > MOST_BYTES

    def _shrink(self, file: str) -> None:
        """Keep the newest saves of a file, and remove the texts that no entry of any file has any more."""
        log = self._log(file)
        old = list(_parsed(_lines_of(log), file))
        kept = old[-MOST_ENTRIES:]
        gone = {entry.digest for entry in old} - {entry.digest for entry in kept}
        for other in self._logs.glob("*.jsonl"):
            if other != log:
                gone -= {entry.digest for entry in _parsed(_lines_of(other)) if entry.digest in gone}
        for entry in _parsed(_lines_of(self._shared)):
            if entry.digest in gone and not self._log(entry.file).is_file():
                gone.discard(entry.digest)
        _write_log(log, kept, self.dropped(file) + len(old) - len(kept))
        for digest in gone:
            with suppress(EpcgError):  # no digest, so there is no text
                for path in self._paths(digest):
                    with suppress(OSError):
                        path.unlink()

    def tree(self, file: str) -> list[Node]:
        """Return the states of a file in the order in which they first came to be.

        A state that one has gone back to is one node: it keeps its place, and what is made from it afterwards
        is a further branch.
        """
        nodes: dict[str, Node] = {}
        children: dict[str, int] = {}
        lanes = 0
        for entry in self.entries(file):
            if entry.digest in nodes:
                nodes[entry.digest] = attrs.evolve(nodes[entry.digest], at=entry.at)
                continue
            parent = entry.parent if entry.parent in nodes else ""
            if parent and parent not in children:
                lane = nodes[parent].lane
            else:
                lane, lanes = lanes, lanes + 1
            children[parent] = children.get(parent, 0) + 1
            nodes[entry.digest] = Node(entry.digest, parent, entry.at, entry.label, lane)
        return list(nodes.values())

    def _found(self, digest: str) -> Path | None:
        """Return the file of a text; None if there is none."""
        return next((path for path in self._paths(digest) if path.is_file()), None)

    def _paths(self, digest: str) -> tuple[Path, ...]:
        """Return where a text is written, and where earlier versions wrote it."""
        if len(digest) != 64 or not all(letter in "0123456789abcdef" for letter in digest):
            raise EpcgError(f"'{digest[:80]}' is not the digest of a saved state.")
        name = f"{digest}{COMPRESSED}"
        return self._folder / digest[:2] / name, self._folder / name, self._folder / f"{digest}.txt"

    @property
    def _logs(self) -> Path:
        return self._folder / "logs"

    @property
    def _shared(self) -> Path:
        """The log of all files, which earlier versions wrote."""
        return self._folder / "log.jsonl"

    def _log(self, file: str) -> Path:
        return self._logs / f"{digest_of(file)}.jsonl"


def _expanded(data: bytes) -> bytes:
    """Expand a text; what is not one, or larger than any that is saved, becomes bytes of another digest."""
    try:
        return zlib.decompressobj().decompress(data, MOST_BYTES)
    except zlib.error:
        return b""


def _line(entry: Entry) -> bytes:
    return json.dumps(attrs.asdict(entry)).encode() + b"\n"


def _write_log(log: Path, entries: Sequence[Entry], dropped: int) -> None:
    """Write a whole log: how many saves were dropped, and the entries, numbered without gaps."""
    with documents.replaced(log) as part, part.open("wb") as lines:
        if dropped:
            lines.write(json.dumps({"dropped": dropped}).encode() + b"\n")
        lines.writelines(
            _line(attrs.evolve(entry, number=dropped + number)) for number, entry in enumerate(entries, 1)
        )


def _lines_of(log: Path) -> Iterator[bytes]:
    """Read the lines of a log, oldest first; a longer line than any that is written comes in pieces."""
    if log.is_file():
        with log.open("rb") as lines:
            yield from iter(partial(lines.readline, MOST_OF_LINE), b"")


def _backwards(log: Path) -> Iterator[bytes]:
    """Read the lines of a log, newest first; a longer line than any that is written is left out."""
    if not log.is_file():
        return
    with log.open("rb", buffering=0) as lines:
        place, rest = lines.seek(0, os.SEEK_END), b""
        while place:
            size = min(BLOCK, place)
            place = lines.seek(place - size)
            rest, *whole = (lines.read(size) + rest).split(b"\n")
            yield from reversed(whole)
            rest = rest if len(rest) <= MOST_OF_LINE else b""
    yield rest


def _dropped(line: bytes) -> int:
    """Return what the first line of a log counts; 0 if it is an entry."""
    with suppress(ValueError, TypeError, LookupError, RecursionError):
        count = json.loads(line)["dropped"]
        return count if type(count) is int and count > 0 else 0
    return 0


def _parsed(lines: Iterable[bytes], file: str | None = None) -> Iterator[Entry]:
    """Read the entries of a file, or of all; what is not one is left out."""
    for line in lines:
        try:
            entry = Entry(**json.loads(line))
        except (ValueError, TypeError, RecursionError):  # cut by a kill, or zeros after a cut of power
            continue
        words = (entry.file, entry.digest, entry.parent, entry.at, entry.label)
        if all(isinstance(word, str) for word in words) and file in (None, entry.file):
            yield entry if type(entry.number) is int else attrs.evolve(entry, number=0)


def _newest(log: Path, file: str) -> tuple[Sequence[Entry], int]:
    """Return the newest entries of a file, oldest first, and how many older ones its log has."""
    entries: deque[Entry] = deque(maxlen=2 * MOST_ENTRIES)
    count = 0
    for entry in _parsed(_lines_of(log), file):
        entries.append(entry)
        count += 1
    return entries, count - len(entries)


def _numbered(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Give entries rising numbers, whatever their lines say."""
    last = 0
    for entry in entries:
        last = max(last + 1, entry.number)
        yield attrs.evolve(entry, number=last)
