"""Notes of play: solutions and bookmarks of contents, kept in the project beside its history."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from epcg_core.inside import Play
from epcg_core.plugin import EpcgError, QueryError, documents
from epcg_workbench.messages import Message, digest, opened, taken_of, text_of
from epcg_workbench.project.folder import Project

NAME = "notes.json"
MOST_NOTES = 1_000
"""The oldest are dropped then."""
MOST_WORDS = 200


def notes(request: Mapping[str, Any]) -> Iterator[Message]:
    """List the notes of a content, the newest first, after keeping or dropping one.

    `keep` has the actions `taken` and, if wished, `words`; the core tells whether they solve the content.
    `drop` is the id of a note.
    """
    document = opened(request)
    hash_, project = digest(document.text), Project(Path(text_of(request, "folder")))
    project.check()
    path = project.state / NAME
    found = _read(path)
    keep = request.get("keep")
    if isinstance(keep, dict):
        taken = taken_of(keep)
        words = str(keep.get("words", ""))[:MOST_WORDS]
        note = {
            "id": secrets.token_hex(8),
            "content": hash_,
            "domain": document.domain,
            "taken": taken,
            "solved": Play(document, taken).position().solved,
            "words": words,
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        found = [note, *(each for each in found if (each["content"], each["taken"]) != (hash_, taken))]
        _write(path, found[:MOST_NOTES])
    elif request.get("drop") is not None:
        found = [each for each in found if each["id"] != request["drop"]]
        _write(path, found)
    own = [each for each in found if each["content"] == hash_ and each["domain"] == document.domain]
    yield {"hash": hash_, "notes": own}


def _read(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    try:
        table = documents.parse_json(documents.read_text(path, "notes"), "notes")
    except EpcgError as error:
        raise QueryError(
            f"The notes in {path} cannot be read: {error} Move the file away to go on."
        ) from error
    found = table.get("notes") if isinstance(table, dict) else None
    keys = {"id", "content", "domain", "taken", "solved"}
    return [each for each in found or () if isinstance(each, dict) and keys <= each.keys()]


def _write(path: Path, found: list[dict[str, Any]]) -> None:
    try:
        path.parent.mkdir(exist_ok=True)
        with documents.replaced(path) as part:
            part.write_text(json.dumps({"notes": found}, indent=1), encoding="utf-8")
    except OSError as error:
        raise QueryError(f"The note cannot be kept in {path}: {error.strerror}.") from error
