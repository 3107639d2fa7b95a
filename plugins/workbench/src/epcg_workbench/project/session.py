"""What the page kept of its last session in a project: the file, the level and the page that were open."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from epcg_core.plugin import EpcgError, QueryError, documents
from epcg_workbench.messages import Message, text_of
from epcg_workbench.project.folder import Project

MOST_SESSION = 1_000_000
"""Characters of what the page keeps of a session."""


def read_session(project: Project) -> dict[str, Any] | None:
    """Return what is kept; None if there is none, or another program has written it."""
    try:
        text = documents.read_text(project.state / "session.json", "session", most=4 * MOST_SESSION)
        found = documents.parse_json(text, "session")
    except EpcgError:
        return None
    return found if isinstance(found, dict) else None


def session(request: Mapping[str, Any]) -> Iterator[Message]:
    """Return what the page kept of its last session, after adding the keys of `keep` if that is given."""
    project = Project(Path(text_of(request, "folder")))
    project.check()
    kept = request.get("keep")
    if kept is not None:
        _keep(project, kept)
    yield {"session": read_session(project)}


def _keep(project: Project, kept: Any) -> None:
    if not isinstance(kept, dict):
        raise QueryError("The request needs 'keep', a table.")
    text = json.dumps({**(read_session(project) or {}), **kept})
    if len(text) > MOST_SESSION:
        raise QueryError(f"What is open is too much to be remembered: {len(text):,} characters.")
    path = project.state / "session.json"
    try:
        path.parent.mkdir(exist_ok=True)
        with documents.replaced(path) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise QueryError(f"What is open cannot be remembered: {error.strerror}.") from error
