"""Read the requests of the workbench's pages, and answer them with messages about contents."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import Any

import attrs

from epcg_core.inside import Document, editing
from epcg_core.plugin import Metric, QueryError, Scene, Value

Message = dict[str, Any]
MOST_TAKEN = 10_000
"""Actions of one play."""


def text_of(request: Mapping[str, Any], key: str) -> str:
    """Return a text of a request. Raises QueryError if there is none."""
    found = request.get(key)
    if not isinstance(found, str):
        raise QueryError(f"The request needs the text '{key}'.")
    return found


def texts_of(request: Mapping[str, Any], key: str) -> list[str]:
    """Return a list of texts of a request. Raises QueryError if there is none."""
    found = request.get(key)
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise QueryError(f"The request needs '{key}', a list of texts.")
    return found


def number_of(request: Mapping[str, Any], key: str, default: float | None = None) -> float:
    """Return a number of a request, or the default. Raises QueryError if there is neither."""
    found = request.get(key)
    if found is None and default is not None:
        return default
    if not isinstance(found, int | float) or isinstance(found, bool) or found != found:
        raise QueryError(f"The request needs the number '{key}'.")
    return found


def whole_of(request: Mapping[str, Any], key: str, default: int | None = None) -> int:
    """Return a whole number of 1 or more, or the default. Raises QueryError if there is neither."""
    found = request.get(key, default)
    if type(found) is not int or found < 1:
        raise QueryError(f"The request needs '{key}', a whole number of 1 or more.")
    return found


def taken_of(request: Mapping[str, Any]) -> list[int]:
    """Return the actions `taken` of a play. Raises QueryError if they are no short list of numbers."""
    found = request.get("taken", [])
    if not isinstance(found, list) or len(found) > MOST_TAKEN or not all(type(n) is int for n in found):
        raise QueryError(f"The actions taken are a list of at most {MOST_TAKEN:,} numbers.")
    return found


def solution_of(request: Mapping[str, Any]) -> str:
    """Return the intended solution that a request has as text; '' if it has none."""
    return text_of(request, editing.SOLUTION) if editing.SOLUTION in request else ""


def opened(request: Mapping[str, Any]) -> Document:
    """Open the content that a request holds. Raises EpcgError if it shows none."""
    return editing.open_document(text_of(request, "domain"), text_of(request, "text"))


def rules_of(request: Mapping[str, Any]) -> list[str] | None:
    """Return the inference rules that a request names; None for the usual ones."""
    return texts_of(request, "rules") if request.get("rules") is not None else None


def digest(text: str) -> str:
    """Return the hash of a content, which its answers carry."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def judged(document: Document) -> Message:
    """Say what is told of a content that can be solved, if that is not the number of moves."""
    found = document.judgement
    return {} if found is None else {"judged": attrs.asdict(found)}


def document_message(document: Document, palette: bool = False) -> Message:
    """Describe a content, with its editor's palette if asked."""
    editor: Any = document.editor
    message: Message = {
        "domain": document.domain,
        "text": document.text,
        "hash": digest(document.text),
        "scene": scene_message(document.scene),
    }
    if palette:
        message |= {
            "palette": palette_message(editor),
            "playable": document.playable,
            "resizable": hasattr(editor, "resized"),
            "shaped": hasattr(editor, "casts"),
        }
    return message


def palette_message(editor: Any) -> list[Message]:
    """Describe the marks of an editor; one without a name is what emptied places look like.

    It is drawn on every place, so what lies on emptied ones besides is its `tile`, a picture for palettes.
    """
    ground = getattr(editor, "ground", None)
    marks = {mark.name: mark for mark in editor.palette}
    floor = [marks[name] for name in getattr(editor, "empty", ()) if name in marks]
    nothing: list[Message] = []
    if ground is not None or floor:
        title = " and ".join(each.title or each.name for each in floor or [ground])
        title = f"empty ({title})" if floor else title
        below = [] if ground is None else [ground]
        about = attrs.asdict(below[0]) if below else {"colour": "", "picture": (), "kinds": floor[0].kinds}
        nothing = [about | {"name": "", "title": title, "shows": tuple(each.name for each in floor)}]
        if floor:
            nothing[0]["tile"] = tuple(part for each in (*below, *floor) for part in each.picture)
    return [*nothing, *(attrs.asdict(mark) for mark in editor.palette)]


def scene_message(scene: Scene) -> Message:
    """Describe a scene."""
    return {
        "sites": [[site.id, site.kind, site.points, site.title or site.id] for site in scene.sites],
        "marks": {site: list(marks) for site, marks in scene.marks.items() if marks},
        "paths": [attrs.asdict(line) for line in scene.paths],
        "note": scene.note,
    }


def metric_message(metric: Metric) -> Message:
    """Describe a metric."""
    return {
        "metric": metric.name,
        "kind": metric.kind,
        "direction": metric.direction,
        "unit": metric.unit,
        "description": metric.description,
        "title": metric.heading,
        "headline": metric.headline,
        "at_least": metric.at_least,
        "words": list(metric.words),
    }


def value_message(metric: Metric, value: Value | None, reason: str) -> Message:
    """Describe a value, or say why there is none."""
    told = reason if value is None else metric.told(value)
    return {"value": plain_value(value), "told": told, "reason": reason}


def plain_value(value: Value | None) -> Value | None:
    """Return a value as JSON has it: None for what is not finite."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
