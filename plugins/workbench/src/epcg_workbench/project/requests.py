"""The requests of the page about its project: files, their pieces and faults, saving, history, chips."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from epcg_core.plugin import EpcgError, Fault, Piece, QueryError, Sheet, documents, editing, files
from epcg_workbench.messages import Message, digest, scene_message, text_of
from epcg_workbench.project.chips import chips
from epcg_workbench.project.folder import ChangedError, Project, Read
from epcg_workbench.project.history import STATE

MOST_SESSION = 1_000_000
"""Characters of what the page keeps of a session."""
QUERIES, PLANS = "query", "plan"


def project_of(request: Mapping[str, Any]) -> Project:
    """Return the project of the server's folder."""
    return Project(Path(text_of(request, "folder")))


def listing(request: Mapping[str, Any]) -> Iterator[Message]:
    """List the files of the project, each with the kind that its name and text tell."""
    project = project_of(request)
    yield {"folder": str(project.folder), "name": project.folder.resolve().name}
    for listed in project.files():
        kind = {"kind": "database"} if listed.is_database else _kind(project, listed.name)
        yield {"file": listed.name, "bytes": listed.bytes} | kind


def _kind(project: Project, name: str) -> dict[str, Any]:
    """Tell what a file is: a document of a domain, a query, a plan, or something else."""
    try:
        text = project.read(name).text
    except EpcgError as error:
        return {"kind": "other", "reason": str(error)}
    if name.endswith(".toml"):
        try:
            table = documents.parse_toml(text, name)
        except EpcgError as error:
            return {"kind": "other", "reason": str(error)}
        return {"kind": PLANS if "chapters" in table else QUERIES if "generator" in table else "other"}
    found = next(files.kinds_of(Path(name), text), None)
    if found is None:
        return {"kind": "other"}
    sheet = found.format.read(text)
    contents = sum(piece.kind == "content" for piece in sheet.pieces)
    return {"kind": "document", "domain": found.domain, "format": found.name, "contents": contents}


def open_file(request: Mapping[str, Any]) -> Iterator[Message]:
    """Open `file`, with its text, its pieces, and its faults."""
    project = project_of(request)
    yield _opened(project.read(text_of(request, "file")), request)


def _opened(read: Read, request: Mapping[str, Any]) -> Message:
    kind = _kind_named(request, read.name, read.text)
    return {"file": read.name, "text": read.text, "saved": read.digest} | (
        {"domain": "", "format": ""} | sheet_message(Sheet(()))
        if kind is None
        else {"domain": kind.domain, "format": kind.name} | sheet_message(kind.format.read(read.text))
    )


def _kind_named(request: Mapping[str, Any], name: str, text: str) -> files.Kind | None:
    """Return the domain and format that a request names, or those that the file shows."""
    domain, form = request.get("domain") or None, request.get("format")
    for kind in files.kinds_of(Path(name), text, domain):
        if form in (None, kind.name):
            return kind
    return files.kind_named(domain, form or "") if domain is not None else None


def _kind_of(request: Mapping[str, Any]) -> files.Kind:
    return files.kind_named(text_of(request, "domain"), text_of(request, "format"))


def check(request: Mapping[str, Any]) -> Iterator[Message]:
    """Tell the pieces and faults of `text`, a file of `domain` and `format`, as one types it."""
    text, kind = text_of(request, "text"), _kind_of(request)
    yield {"hash": digest(text)} | sheet_message(kind.format.read(text))


def change(request: Mapping[str, Any]) -> Iterator[Message]:
    """Change a piece of `text`, a file of `domain` and `format`: `how` is replace, insert, remove or move.

    `number` counts pieces from 0; `piece` has the `kind` and `text` of what is put in, `to` the new number of
    what is moved. Answers the new text.
    """
    text, how, kind = text_of(request, "text"), text_of(request, "how"), _kind_of(request)
    number = _number(request, "number")
    if how == "replace":
        found = kind.format.replace(text, number, _piece(request))
    elif how == "insert":
        found = kind.format.insert(text, number, _piece(request))
    elif how == "remove":
        found = kind.format.remove(text, number)
    elif how == "move":
        found = files.moved(kind.format, text, number, _number(request, "to"))
    else:
        raise QueryError(f"'{how}' does not change a file; expected replace, insert, remove or move.")
    yield {"text": found, "hash": digest(found)} | sheet_message(kind.format.read(found))


def save(request: Mapping[str, Any]) -> Iterator[Message]:
    """Save `text` as `file`; `saved` is what opening or saving told of it, null of a new file."""
    project, name, text = project_of(request), text_of(request, "file"), text_of(request, "text")
    based_on = request.get("saved")
    if based_on is not None and not isinstance(based_on, str):
        raise QueryError("The request needs 'saved', a text, or null for a new file.")
    try:
        yield {"file": name, "saved": project.save(name, text, based_on).digest}
    except ChangedError as error:
        yield {"file": name, "changed": str(error), "text": error.text, "saved": project.digest(name)}


def keep_both(request: Mapping[str, Any]) -> Iterator[Message]:
    """Save `text` under a new name beside `file`, which another program has changed."""
    found = project_of(request).save_beside(text_of(request, "file"), text_of(request, "text"))
    yield {"file": found.name, "saved": found.digest}


def digests(request: Mapping[str, Any]) -> Iterator[Message]:
    """Tell what `file` is now, so that a page notices other programs; null if it is gone."""
    name = text_of(request, "file")
    yield {"file": name, "saved": project_of(request).digest(name)}


def history(request: Mapping[str, Any]) -> Iterator[Message]:
    """List the saves of `file`, the newest first."""
    for entry in reversed(project_of(request).history.entries(text_of(request, "file"))):
        yield attrs.asdict(entry)


def state(request: Mapping[str, Any]) -> Iterator[Message]:
    """Return the text that had `digest` when it was saved."""
    yield {"text": project_of(request).history.text(text_of(request, "digest"))}


def session(request: Mapping[str, Any]) -> Iterator[Message]:
    """Return what the page kept of its last session, after keeping `keep` if that is given."""
    path = project_of(request).folder / STATE / "session.json"
    kept = request.get("keep")
    if kept is not None:
        text = json.dumps(kept)
        if len(text) > MOST_SESSION:
            raise QueryError(f"What is open is too much to be remembered: {len(text):,} characters.")
        try:
            path.parent.mkdir(exist_ok=True)
            with documents.replaced(path) as part:
                part.write_text(text, encoding="utf-8")
        except OSError as error:
            raise QueryError(f"What is open cannot be remembered: {error.strerror}.") from error
    try:
        yield {"session": documents.parse_json(documents.read_text(path, "session"), "session")}
    except EpcgError:  # there is none, or another program has written it
        yield {"session": None}


def level_chips(request: Mapping[str, Any]) -> Iterator[Message]:
    """Tell of each content of `text` whether it can be solved, one after the other."""
    yield from chips(_kind_of(request), text_of(request, "text"))


def pictures(request: Mapping[str, Any]) -> Iterator[Message]:
    """Return the scene of each content of `text`, for small pictures."""
    kind = _kind_of(request)
    for number, piece in enumerate(kind.format.read(text_of(request, "text")).pieces):
        if piece.kind == "content":
            document = editing.open_document(kind.domain, piece.text)
            yield {"number": number, "scene": scene_message(document.scene)}


def sheet_message(sheet: Sheet) -> Message:
    """Describe what a text holds."""
    return {
        "usable": sheet.usable,
        "pieces": [_piece_message(piece) for piece in sheet.pieces],
        "faults": [_fault_message(fault) for fault in sheet.faults],
    }


def _piece_message(piece: Piece) -> Message:
    return {
        "kind": piece.kind,
        "text": piece.text,
        "title": piece.title,
        "lines": piece.lines,
        "hash": digest(piece.text),
    }


def _fault_message(fault: Fault) -> Message:
    return attrs.asdict(fault)


def _piece(request: Mapping[str, Any]) -> Piece:
    found = request.get("piece")
    if not isinstance(found, dict):
        raise QueryError("The request needs 'piece', a table with a kind and a text.")
    kind = text_of(found, "kind")
    if kind not in ("content", "message"):
        raise QueryError(f"A piece is a content or a message, not '{kind}'.")
    return Piece(text_of(found, "text"), kind)  # type: ignore[arg-type]


def _number(request: Mapping[str, Any], key: str) -> int:
    found = request.get(key)
    if type(found) is not int or found < 0:
        raise QueryError(f"The request needs '{key}', a whole number of 0 or more.")
    return found


PROJECT: dict[str, Callable[[Mapping[str, Any]], Iterator[Message]]] = {
    "project": listing,
    "project_open": open_file,
    "project_check": check,
    "project_change": change,
    "project_save": save,
    "project_keep": keep_both,
    "project_digest": digests,
    "project_history": history,
    "project_state": state,
    "project_session": session,
    "project_chips": level_chips,
    "project_pictures": pictures,
}
