"""Plans and questions as files of the folder: read, and written only if they are what the page has read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from epcg_core.inside import CurriculumError
from epcg_core.plugin import EpcgError, QueryError, documents
from epcg_workbench.messages import Message, digest, text_of

NAME = re.compile(r"[^/\\\x00-\x1f.][^/\\\x00-\x1f]{0,100}\.toml")


QUERY, PLAN, OTHER = "query", "plan", "other"
"""The kinds of TOML files."""


def kind_of(table: Mapping[str, Any]) -> str:
    """Return what a TOML file is, by its keys."""
    return PLAN if "chapters" in table else QUERY if "generator" in table else OTHER


def path_of(request: Mapping[str, Any], what: str = "plan") -> Path:
    """Return the path of the file that a request names. Raises QueryError if it cannot be one."""
    name = text_of(request, "name")
    if not NAME.fullmatch(name):
        raise QueryError(
            f"'{name}' cannot be the name of a {what}: it ends with .toml, and has no slash; {what}s lie in "
            "the folder in which the workbench was started."
        )
    return Path(text_of(request, "folder")) / name


def read(path: Path, what: str = "plan", error: type[EpcgError] = CurriculumError) -> str:
    """Read a file. Raises the error if it cannot be read."""
    return documents.read_text(path, what, error)


def stamp_of(path: Path) -> str:
    """Return a digest of what a file holds; '' if there is none."""
    return digest(read(path)) if path.exists() else ""


def saved(path: Path, text: str, stamp: str, force: bool) -> Message:
    """Write a text if its file is what `stamp` says, or with `force` in any case.

    Args:
        path: the file.
        text: its new text.
        stamp: what reading or saving it gave; '' for a new file.
        force: whether to write it whatever it holds.

    Returns:
        {"saved": true} with the new stamp, or {"conflict": true} with that of the file as it is.

    Raises:
        CurriculumError: if it cannot be written.
    """
    if not path.parent.is_dir():
        raise CurriculumError(f"The folder {path.parent} is gone. What is on the page can still be copied.")
    found = stamp_of(path)
    if found != stamp and not force:
        return {"conflict": True, "stamp": found, "gone": not found}
    try:
        with documents.replaced(path) as part:
            part.write_text(text, encoding="utf-8", newline="")
    except (OSError, UnicodeEncodeError) as error:
        reason = getattr(error, "strerror", None) or "the text has half a character"
        told = f"{path.name} cannot be saved: {reason}."
        raise CurriculumError(f"{told} The file is as it was, and the page keeps your text.") from error
    return {"saved": True, "stamp": digest(text)}
