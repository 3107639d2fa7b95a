"""The history of a project's files, beside them: every text that was saved, and from which it came.

`.epcg/history` holds the texts by their digests, each compressed in a file of its own, and `log.jsonl`, a
line for each save. Lines are numbered, so a clock that goes back loses nothing; a line that was cut by a kill
is left out. It branches: going back and saving again gives the old text a second successor. Texts of earlier
versions, which are not compressed, are read as well.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import attrs

from epcg_core.plugin import EpcgError, documents

STATE = ".epcg"
"""The folder of what the workbench keeps in a project."""
MOST_ENTRIES = 1000
"""Saves of one file that are remembered; the oldest go first."""
MOST_BYTES = 50_000_000
"""Bytes of a log, or of a text, that are read."""
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

    def entries(self, file: str | None = None) -> list[Entry]:
        """List the saves, or those of one file, oldest first."""
        return [entry for entry in self._lines() if file in (None, entry.file)]

    def text(self, digest: str) -> str:
        """Return a saved text. Raises EpcgError if it is no longer remembered."""
        path = next((each for each in self._paths(digest) if each.is_file()), None)
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
        """Remember texts of a file, one after the other, and return the last entry. Raises OSError."""
        entries = self._lines()
        known = [entry for entry in entries if entry.file == file]
        for step in steps:
            digest = digest_of(step.text)
            if known and known[-1].digest == digest:
                continue
            parent = next((each.digest for each in known if _is_named(each, step.parent)), "")
            if step.parent and not parent and known:  # that one is no longer remembered, or never was
                parent = known[-1].digest
            number = entries[-1].number + 1 if entries else 1
            now = datetime.now(UTC).isoformat(timespec="seconds")
            entry = Entry(number, file, digest, parent, now, step.label[:MOST_OF_LABEL])
            self._write(entry, step.text)
            entries.append(entry)
            known.append(entry)
        if len(known) > 2 * MOST_ENTRIES:
            self._forget(entries, file)
        return known[-1]

    def _write(self, entry: Entry, text: str) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        paths = self._paths(entry.digest)
        if not any(path.is_file() for path in paths):
            with documents.replaced(paths[0]) as part:
                part.write_bytes(zlib.compress(text.encode("utf-8", "surrogatepass")))
        with (self._folder / "log.jsonl").open("ab+") as log:
            log.seek(-min(1, log.seek(0, os.SEEK_END)), os.SEEK_END)
            cut = log.read(1) not in (b"", b"\n")  # by a kill, or a full disk
            log.write((b"\n" if cut else b"") + json.dumps(attrs.asdict(entry)).encode() + b"\n")

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

    def _forget(self, entries: list[Entry], file: str) -> None:
        """Keep the newest saves of a file, and remove texts that none of the left ones has."""
        own = [entry.number for entry in entries if entry.file == file][-MOST_ENTRIES:]
        left = [entry for entry in entries if entry.file != file or entry.number >= own[0]]
        with documents.replaced(self._folder / "log.jsonl") as part:
            part.write_text(
                "".join(json.dumps(attrs.asdict(entry)) + "\n" for entry in left), encoding="utf-8"
            )
        for digest in {entry.digest for entry in entries} - {entry.digest for entry in left}:
            for path in self._paths(digest):
                with suppress(OSError):
                    path.unlink()

    def _paths(self, digest: str) -> tuple[Path, Path]:
        """Return where a text is written, and where earlier versions wrote it."""
        if len(digest) != 64 or not all(letter in "0123456789abcdef" for letter in digest):
            raise EpcgError(f"'{digest[:80]}' is not the digest of a saved state.")
        return self._folder / f"{digest}{COMPRESSED}", self._folder / f"{digest}.txt"

    def _lines(self) -> list[Entry]:
        return list(_read(self._folder / "log.jsonl"))


def _is_named(entry: Entry, name: str) -> bool:
    return len(name) >= LEAST_OF_DIGEST and entry.digest.startswith(name)


def _expanded(data: bytes) -> bytes:
    """Expand a text; what is not one, or larger than any that is saved, becomes bytes of another digest."""
    try:
        return zlib.decompressobj().decompress(data, MOST_BYTES)
    except zlib.error:
        return b""


def _read(path: Path) -> Iterator[Entry]:
    if not path.is_file():
        return
    last = 0
    for line in documents.read_bytes(path, "history", most=MOST_BYTES).splitlines():
        try:
            entry = Entry(**json.loads(line))
        except (ValueError, TypeError, RecursionError):  # cut by a kill, or zeros after a cut of power
            continue
        if all(
            isinstance(value, str)
            for value in (entry.file, entry.digest, entry.parent, entry.at, entry.label)
        ):
            last = max(last + 1, entry.number if type(entry.number) is int else 0)
            yield attrs.evolve(entry, number=last)
