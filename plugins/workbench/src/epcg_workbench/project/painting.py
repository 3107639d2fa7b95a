"""The requests about games that are drawn: their canvases, changes of these, what can be said at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import attrs

from epcg_core.plugin import Canvas, QueryError, Workshop, files
from epcg_workbench.messages import Message, digest, text_of, texts_of


def has_workshop(kind: files.Kind) -> bool:
    """Return whether the game of a file is drawn."""
    return hasattr(kind.format, "workshop")


def _of(request: Mapping[str, Any]) -> tuple[files.Kind, Workshop]:
    kind = files.kind_named(text_of(request, "domain"), text_of(request, "format"))
    if not has_workshop(kind):
        raise QueryError(f"A file of the format {kind.name} is not drawn: change its text.")
    return kind, cast("Any", kind.format).workshop


def canvases(request: Mapping[str, Any]) -> Iterator[Message]:
    """Return the canvases of the game `text`, and what can be set of it."""
    _, workshop = _of(request)
    yield _drawn(workshop, text_of(request, "text"))


def paint(request: Mapping[str, Any]) -> Iterator[Message]:
    """Change the game `text` by `how`: paint, set, add or remove. Answers the new text with its canvases.

    `canvas` names the canvas; `sites` and `mark` what is painted, '' for nothing; `key` and `value` what is
    set.
    """
    _, workshop = _of(request)
    text, how = text_of(request, "text"), text_of(request, "how")
    canvas = text_of(request, "canvas") if "canvas" in request else ""
    changes: dict[str, Callable[[], str]] = {
        "paint": lambda: workshop.paint(text, canvas, texts_of(request, "sites"), text_of(request, "mark")),
        "set": lambda: workshop.set(text, canvas, text_of(request, "key"), request.get("value")),
        "add": lambda: workshop.add(text, canvas),
        "remove": lambda: workshop.remove(text, canvas),
    }
    if how not in changes:
        raise QueryError(f"'{how}' does not change a game; expected {', '.join(changes)}.")
    found = changes[how]()
    yield {"text": found, "hash": digest(found)} | _drawn(workshop, found)


def answer(request: Mapping[str, Any]) -> Iterator[Message]:
    """Say whether the game `text` can be solved, and what stands in the way."""
    _, workshop = _of(request)
    yield attrs.asdict(workshop.answer(text_of(request, "text")))


def kinds(request: Mapping[str, Any]) -> Iterator[Message]:
    """List the kinds of puzzles of the game `text`, with how many there are."""
    _, workshop = _of(request)
    for each in workshop.kinds(text_of(request, "text")):
        yield attrs.asdict(each)


def _drawn(workshop: Workshop, text: str) -> Message:
    return {
        "settings": [attrs.asdict(own) for own in workshop.settings(text)],
        "canvases": [_canvas_message(own) for own in workshop.canvases(text)],
    }


def _canvas_message(canvas: Canvas) -> Message:
    return attrs.asdict(canvas) | {
        "sites": [[site.id, site.kind, site.points, site.title or site.id] for site in canvas.sites]
    }


PAINTING: dict[str, Callable[[Mapping[str, Any]], Iterator[Message]]] = {
    "workshop": canvases,
    "workshop_change": paint,
    "workshop_answer": answer,
    "workshop_kinds": kinds,
}
