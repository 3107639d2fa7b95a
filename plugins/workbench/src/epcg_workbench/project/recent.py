"""What was open of late: projects, and contents outside of them, in a small file of the user.

It lies in the user's folder of states, or in `EPCG_STATE`. What cannot be kept there is not remembered.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import filelock
import platformdirs

from epcg_core.inside import Document, editing, files
from epcg_core.plugin import EpcgError, QueryError, documents, registry
from epcg_workbench.kept_texts import PLAN, QUERY
from epcg_workbench.messages import Message, digest, text_of
from epcg_workbench.project.folder import Project
from epcg_workbench.project.listing import kind_of_file, listed
from epcg_workbench.project.session import read_session
from epcg_workbench.tiles import drawn

MOST_KEPT = 30
"""Projects that are remembered, and as many contents."""
PATIENCE = 10.0
"""Seconds in which another process has to write the list."""
MOST_SHOWN = 6
MOST_PICTURES = 3
MOST_TEXT = 100_000
"""Characters of a content that is kept."""
MOST_FILE = 5_000_000
PROJECT, CONTENT = "project", "content"


def state_folder() -> Path:
    """Return the user's folder of states."""
    return Path(os.environ.get("EPCG_STATE") or platformdirs.user_state_dir("epcg"))


def recent_path() -> Path:
    """Return the file that lists what was opened recently."""
    return state_folder() / "workbench.json"


def entries() -> list[dict[str, str]]:
    """Return what was opened recently, the newest first."""
    try:
        found = documents.parse_json(documents.read_text(recent_path(), "list", most=MOST_FILE), "list")
    except EpcgError:  # there is none, or another program has written it
        return []
    if not isinstance(found, list):
        return []
    return _kept([each for each in found if _is_entry(each)])


def _kept(found: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Return the newest entries of each kind, so that boards push no project out."""
    left = {PROJECT: MOST_KEPT, CONTENT: MOST_KEPT}
    kept = []
    for entry in found:
        left[entry["kind"]] -= 1
        if left[entry["kind"]] >= 0:
            kept.append(entry)
    return kept


def _is_entry(found: object) -> bool:
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        return False
    keys = {PROJECT: ("id", "at", "folder"), CONTENT: ("id", "at", "domain", "text")}
    return all(key in found for key in keys.get(found.get("kind", ""), ("",)))


def remember(entry: dict[str, str]) -> None:
    """Put an entry first; one with the same id goes."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with _held():
        others = [each for each in entries() if each["id"] != entry["id"]]
        _write([{**entry, "at": now}, *others])


@contextmanager
def _held() -> Iterator[None]:
    """Let no other process write the list in the meantime, where the file system has locks."""
    lock = filelock.FileLock(recent_path().with_suffix(".lock"), timeout=PATIENCE)
    with suppress(OSError, NotImplementedError, filelock.Timeout):
        recent_path().parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    try:
        yield
    finally:
        with suppress(OSError):
            lock.release()


def project_id(folder: Path) -> str:
    """Return the name of a project in addresses: the same, however its folder is named."""
    return digest(str(folder.resolve()))


def remember_project(folder: Path) -> None:
    """Put a project first."""
    remember(_entry_of(folder))


def _entry_of(folder: Path) -> dict[str, str]:
    return {"kind": PROJECT, "id": project_id(folder), "folder": str(folder.resolve())}


def _write(found: Sequence[dict[str, str]]) -> None:
    path = recent_path()
    with suppress(OSError, UnicodeEncodeError), documents.replaced(path) as part:
        part.write_text(json.dumps(_kept(found)), encoding="utf-8")


def project_named(name: str) -> Path:
    """Return the folder of a project that was open of late. Raises QueryError if there is none."""
    for entry in entries():
        if entry["kind"] == PROJECT and entry["id"] == name:
            folder = Path(entry["folder"])
            if not folder.is_dir():
                raise QueryError(f"The folder {folder} is gone: it was moved, renamed or deleted.")
            return folder
    raise QueryError("This project is no longer among the recent ones: open it with `epcg workbench FOLDER`.")


def recent(request: Mapping[str, Any]) -> Iterator[Message]:
    """List what was opened recently, each with pictures; `gone` tells why an entry cannot be opened."""
    here = _entry_of(Path(text_of(request, "folder")))["id"]
    found = sorted(entries(), key=lambda entry: entry["id"] != here)  # the open one first
    for entry in found[:MOST_SHOWN]:
        known = {key: entry[key] for key in ("kind", "id", "at")}
        if entry["kind"] == CONTENT:
            yield known | _content_card(entry)
        else:
            yield known | {"open": entry["id"] == here} | _project_card(Path(entry["folder"]))


def _content_card(entry: Mapping[str, str]) -> Message:
    domain, text = entry["domain"], entry["text"]
    try:
        document = editing.open_document(domain, text)
        title = registry().domain(domain).title
        return {"title": title, "domain": domain, "text": text, "pictures": _pictures(document)}
    except EpcgError as error:
        return {"title": domain, "domain": domain, "text": text, "pictures": [], "gone": str(error)}


def _pictures(document: Document) -> list[str]:
    return [picture] if (picture := drawn(document)) else []


def _project_card(folder: Path) -> Message:
    card: Message = {"title": folder.name, "folder": str(folder), "pictures": []}
    project = Project(folder)
    try:
        names = [each.name for each in project.files() if not each.is_database]
    except (EpcgError, OSError):
        return card | {"gone": f"The folder {folder} is gone: it was moved, renamed or deleted."}
    kinds = [kind_of_file(project, each)["kind"] for each in names if each.endswith(".toml")]
    card["questions"], card["plans"] = kinds.count(QUERY), kinds.count(PLAN)
    kept = read_session(project) or {}
    first = kept.get("file") if kept.get("file") in names else None
    with suppress(EpcgError, OSError):
        first = first or next((each["file"] for each in listed(project) if each["kind"] == "document"), None)
        if first is not None:
            card |= _file_card(project, first, kept)
    return card


def _file_card(project: Project, name: str, kept: Mapping[str, Any]) -> Message:
    """Show the first contents of a file, and how many can be solved if that was told of this text."""
    text = project.read(name).text
    kind = next(files.kinds_of(Path(name), text), None)
    if kind is None:
        return {"file": name}
    contents = [piece.text for piece in kind.format.read(text).pieces if piece.kind == "content"]
    pictures: list[str] = []
    for each in contents[:MOST_PICTURES]:
        with suppress(EpcgError):  # a level with a fault has no picture
            pictures += _pictures(editing.open_document(kind.domain, each))
    word = registry().domain(kind.domain).content_word
    card: Message = {"file": name, "domain": kind.domain, "pictures": pictures, "contents": len(contents)}
    card["word"] = word[len(contents) != 1]
    told = kept.get("chips")
    if isinstance(told, dict) and told.get("hash") == digest(text):
        card["chips"] = {key: told.get(key) for key in ("solved", "unsolvable")}
    return card


def forget(request: Mapping[str, Any]) -> Iterator[Message]:
    """Take `entry` out of the list; nothing else is deleted."""
    name = text_of(request, "entry")
    with _held():
        _write([each for each in entries() if each["id"] != name])
    yield {"forgotten": name}


def keep(request: Mapping[str, Any]) -> Iterator[Message]:
    """Remember a content of `domain` that is open outside of projects; that of the same `slot` goes."""
    domain, text, slot = text_of(request, "domain"), text_of(request, "text"), text_of(request, "slot")
    if len(text) <= MOST_TEXT:
        remember({"kind": CONTENT, "id": digest(f"slot {slot}"), "domain": domain, "text": text})
    yield {"kept": len(text) <= MOST_TEXT}


RECENT = {"recent": recent, "recent_forget": forget, "recent_keep": keep}
"""The requests, by name."""
