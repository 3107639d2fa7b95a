"""Help texts are plain text: their asterisks are asterisks on the page of commands."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

_EVENTS = ("description", "options", "arguments", "epilog")


def plain(app: Sphinx, context: Any, lines: list[str]) -> None:
    """Escape what would begin an emphasis."""
    lines[:] = [line.replace("*", r"\*") for line in lines]


def setup(app: Sphinx) -> dict[str, bool]:
    """Take part when sphinx-click turns help texts into markup."""
    for event in _EVENTS:
        app.connect(f"sphinx-click-process-{event}", plain)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
