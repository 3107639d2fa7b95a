"""The history of a project's files, beside them: every text that was saved, and from which it came.

`.epcg/history` holds the texts by their digests, and `log.jsonl`, a line for each save. Lines are numbered,
so a clock that goes back loses nothing; a line that was cut by a kill is left out. It branches: going back
and saving again gives the old text a second successor.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
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
"""Bytes of a log that is read."""


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


class History:
    """What was saved in a project."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / STATE / "history"

    def entries(self, file: str | None = None) -> list[Entry]:
        """List the saves, or those of one file, oldest first."""
        return [entry for entry in self._lines() if file in (None, entry.file)]

    def text(self, digest: str) -> str:
        """Return a saved text. Raises EpcgError if it is no longer remembered."""
        path = self._path(digest)
        if not path.is_file():
            raise EpcgError("This state is no longer remembered: older ones go if there are many.")
        data = documents.read_bytes(path, "saved state")
        if hashlib.sha256(data).hexdigest() != digest:
            raise EpcgError("This state was changed on disk, so it is not what was saved.")
        return data.decode("utf-8", "surrogatepass")

    def add(self, file: str, text: str, parent: str) -> Entry:
        """Remember a text of a file, which came from another one. Raises OSError."""
        before = self._lines()
        known = [entry for entry in before if entry.file == file]
        digest = digest_of(text)
        if known and known[-1].digest == digest:
            return known[-1]
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._path(digest)
        if not path.is_file():
            with documents.replaced(path) as part:
                part.write_text(text, encoding="utf-8", newline="", errors="surrogatepass")
        now = datetime.now(UTC).isoformat(timespec="seconds")
        entry = Entry(before[-1].number + 1 if before else 1, file, digest, parent, now)
        with (self._folder / "log.jsonl").open("ab+") as log:
            log.seek(-min(1, log.seek(0, os.SEEK_END)), os.SEEK_END)
            cut = log.read(1) not in (b"", b"\n")  # by a kill, or a full disk
            log.write((b"\n" if cut else b"") + json.dumps(attrs.asdict(entry)).encode() + b"\n")
        if len(known) >= 2 * MOST_ENTRIES:
            self._forget([*before, entry], file)
        return entry

    def _forget(self, entries: list[Entry], file: str) -> None:
        """Keep the newest saves of a file, and remove texts that none of the left ones has."""
        own = [entry.number for entry in entries if entry.file == file][-MOST_ENTRIES:]
        left = [entry for entry in entries if entry.file != file or entry.number >= own[0]]
        with documents.replaced(self._folder / "log.jsonl") as part:
            part.write_text(
                "".join(json.dumps(attrs.asdict(entry)) + "\n" for entry in left), encoding="utf-8"
            )
        for digest in {entry.digest for entry in entries} - {entry.digest for entry in left}:
            with suppress(OSError):
                self._path(digest).unlink()

    def _path(self, digest: str) -> Path:
        if len(digest) != 64 or not all(letter in "0123456789abcdef" for letter in digest):
            raise EpcgError(f"'{digest[:80]}' is not the digest of a saved state.")
        return self._folder / f"{digest}.txt"

    def _lines(self) -> list[Entry]:
        return list(_read(self._folder / "log.jsonl"))


def _read(path: Path) -> Iterator[Entry]:
    if not path.is_file():
        return
    last = 0
    for line in documents.read_bytes(path, "history", most=MOST_BYTES).splitlines():
        try:
            entry = Entry(**json.loads(line))
        except (ValueError, TypeError, RecursionError):  # cut by a kill, or zeros after a cut of power
            continue
        if all(isinstance(value, str) for value in (entry.file, entry.digest, entry.parent, entry.at)):
            last = max(last + 1, entry.number if type(entry.number) is int else 0)
            yield attrs.evolve(entry, number=last)
