"""The requests about games that are drawn: their canvases, changes of these, what can be said at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import attrs

from epcg_core.plugin import Canvas, QueryError, Workshop, files, registry, toml_text
from epcg_workbench.messages import Message, digest, text_of, texts_of
from epcg_workbench.project.sheets import sheet_message


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
    """Change the game `text` by `how`: paint, set, add or remove.

    Answers the new text with its canvases, and with its pieces and faults, as `project_check` tells them.
    `canvas` names the canvas; `sites` and `mark` what is painted, '' for nothing; `key` and `value` what is
    set.
    """
    kind, workshop = _of(request)
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
    sheet = sheet_message(kind.format.read(found), found)
    yield {"text": found, "hash": digest(found)} | sheet | _drawn(workshop, found)


def answer(request: Mapping[str, Any]) -> Iterator[Message]:
    """Say whether the game `text` can be solved, and what stands in the way."""
    _, workshop = _of(request)
    yield attrs.asdict(workshop.answer(text_of(request, "text")))


def kinds(request: Mapping[str, Any]) -> Iterator[Message]:
    """List the kinds of puzzles of the game `text`, with how many there are.

    Each has as its `question` the query that asks for all of them of the game's `file`; '' if none does.
    """
    kind, workshop = _of(request)
    for each in workshop.kinds(text_of(request, "text")):
        question = _question(kind.domain, text_of(request, "file"), attrs.asdict(each))
        yield attrs.asdict(each) | {"question": question}


def _question(domain: str, file: str, kind: Mapping[str, Any]) -> str:
    """Return the query that asks for all puzzles of a kind, those first that are hardest."""
    if kind["query"] is None:
        return ""
    generator = registry().generator(domain, kind["query"]["name"])
    names = [field.name for field in attrs.fields(generator.params) if field.metadata.get("names_file")]
    table = dict(kind["query"]) | dict.fromkeys(names[:1], file)
    lines = [f"domain = {toml_text(domain)}", f"title = {toml_text(kind['title'])}", "", "[generator]"]
    lines += [f"{key} = {toml_text(value)}" for key, value in table.items()]
    for name in kind["measures"]:
        lines += ["", "[[evaluators]]", f"name = {toml_text(name)}"]
    if kind["measures"]:
        metric = registry().evaluator(domain, kind["measures"][-1]).metrics[0]
        lines += ["", "[[select]]", f"metric = {toml_text(metric.name)}", 'keep = "top"', "count = 12"]
        if kind["unique"]:
            lines += [f"where = [{{ metric = {toml_text(kind['unique'])}, equals = true }}]"]
    return "\n".join(lines) + "\n"


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
