"""The files of a project, each with the kind that its name and text tell."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from epcg_core.inside import files
from epcg_core.plugin import EpcgError, documents
from epcg_workbench.kept_texts import OTHER, kind_of
from epcg_workbench.messages import Message
from epcg_workbench.project.folder import MOST_FILES, Project


def listed(project: Project) -> Iterator[Message]:
    """Yield each file with its size and its kind."""
    for found in project.files():
        message: Message = {"file": found.name, "bytes": found.bytes}
        if found.is_database:
            yield message | {"kind": "database"}
            continue
        with suppress(OSError):  # it is gone meanwhile
            yield message | kind_of_file(project, found.name)


def kind_of_file(project: Project, name: str) -> dict[str, Any]:
    """Tell what a file is: a document of a domain, a query, a plan, or something else. Raises OSError."""
    state = (project.folder / name).stat()
    return _kind(str(project.folder), name, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=4 * MOST_FILES)
def _kind(folder: str, name: str, changed: int, size: int) -> dict[str, Any]:
    try:
        text = Project(Path(folder)).read(name).text
    except EpcgError as error:
        return {"kind": OTHER, "reason": str(error)}
    if name.endswith(".toml"):
        try:
            table = documents.parse_toml(text, name)
        except EpcgError as error:
            return {"kind": OTHER, "reason": str(error)}
        title = table.get("title")
        return {"kind": kind_of(table), "title": title if isinstance(title, str) else ""}
    found = next(files.kinds_of(Path(name), text), None)
    if found is None:
        return {"kind": OTHER}
    sheet = found.format.read(text)
    contents = sum(piece.kind == "content" for piece in sheet.pieces)
    return {"kind": "document", "domain": found.domain, "format": found.name, "contents": contents}
