"""The requests about games that are drawn: their canvases, changes of these, what can be said at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import attrs

from epcg_core.inside import files
from epcg_core.plugin import (
    Canvas,
    FormatInfo,
    QueryError,
    Workshop,
    find,
    make_generator,
    registry,
)
from epcg_workbench.messages import Message, digest, text_of, texts_of
from epcg_workbench.project.sheets import sheet_message
from epcg_workbench.questions import question_text


def has_workshop(kind: files.Kind) -> bool:
    """Return whether the game of a file is drawn."""
    return hasattr(kind.format, "workshop")


def has_art(kind: files.Kind) -> bool:
    """Return whether the marks of a file have pictures that are painted."""
    return hasattr(kind.format, "art")


def art(request: Mapping[str, Any]) -> Iterator[Message]:
    """Return the picture `canvas` of the game `text`, and the (id, title) of all as `names`."""
    _, pictures = _art_of(request)
    yield _picture(pictures, text_of(request, "text"), text_of(request, "canvas"))


def paint_art(request: Mapping[str, Any]) -> Iterator[Message]:
    """Change the picture `canvas` of the game `text`, as `paint` does: paint or set."""
    kind, pictures = _art_of(request)
    found = _changed(pictures, request, ("paint", "set"))
    picture = _picture(pictures, found, text_of(request, "canvas"))
    yield {"text": found, "hash": digest(found)} | _sheet(kind, found) | picture


def _art_of(request: Mapping[str, Any]) -> tuple[files.Kind, Any]:
    kind = files.kind_named(text_of(request, "domain"), text_of(request, "format"))
    if not has_art(kind):
        raise QueryError(f"A file of the format {kind.name} has no pictures that are painted.")
    return kind, cast("Any", kind.format).art


def _picture(pictures: Any, text: str, name: str) -> Message:
    """Return the picture of a name, or the first: a mark of several objects has none of its own."""
    found = pictures.canvases(text)
    chosen = next((each for each in found if each.id == name), found[0])
    return {"names": [(each.id, each.title) for each in found], "canvas": _canvas_message(chosen)}


def _sheet(kind: files.Kind, text: str) -> Message:
    return sheet_message(kind.format.read(text), text, kind.format.read)


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
    """Change the game `text` by `how`: paint, set, add, remove or take.

    Answers the new text with its canvases, and with its pieces and faults, as `project_check` tells them.
    `canvas` names the canvas; `sites` and `mark` what is painted, '' for nothing; `key` and `value` what is
    set; `puzzles` the candidates of an answer that are taken.
    """
    kind, workshop = _of(request)
    found = _changed(workshop, request, ("paint", "set", "add", "remove", "take"))
    yield {"text": found, "hash": digest(found)} | _sheet(kind, found) | _drawn(workshop, found)


def _changed(painted: Any, request: Mapping[str, Any], known: Sequence[str]) -> str:
    """Return the text after a change that is one of the `known`. Raises QueryError for another."""
    text, how = text_of(request, "text"), text_of(request, "how")
    canvas = text_of(request, "canvas") if "canvas" in request else ""
    changes: dict[str, Callable[[], str]] = {
        "paint": lambda: painted.paint(text, canvas, texts_of(request, "sites"), text_of(request, "mark")),
        "set": lambda: painted.set(text, canvas, text_of(request, "key"), request.get("value")),
        "add": lambda: painted.add(text, canvas),
        "remove": lambda: painted.remove(text, canvas),
        "take": lambda: painted.take(text, _states(request, text_of(request, "domain"), "parts")),
    }
    if how not in known:
        raise QueryError(f"'{how}' does not change a game; expected {', '.join(known)}.")
    return changes[how]()


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
        question = question_text(kind.domain, text_of(request, "file"), attrs.asdict(each))
        yield attrs.asdict(each) | {"question": question}


def questions(request: Mapping[str, Any]) -> Iterator[Message]:
    """List the questions by which one goes on with the game `text`, each with its `question`, a query."""
    kind, workshop = _of(request)
    for each in workshop.questions(text_of(request, "text")):
        asked = attrs.asdict(each) | {"unique": ""}
        yield {
            "title": each.title,
            "about": each.about,
            "question": question_text(kind.domain, text_of(request, "file"), asked),
        }


def made(request: Mapping[str, Any]) -> Iterator[Message]:
    """Return the `text` of a new game that the candidate `puzzle` of an answer is, for a file of a format."""
    kind, workshop = _of(request)
    [state] = _states({**request, "puzzles": [text_of(request, "puzzle")]}, kind.domain, "game")
    yield {"text": workshop.made(state)}


def leading_on(domain: str, generator: str) -> Iterator[Message]:
    """Yield each format of a domain whose games take a generator's candidates, with what they are to them."""
    for info in registry().all(FormatInfo):
        if info.domain == domain and info.file is not None and info.endings:
            kind = files.kind_named(domain, info.name)
            takes = cast("Any", kind.format).workshop.takes.get(generator) if has_workshop(kind) else None
            if takes is not None:
                yield {"domain": domain, "format": info.name, "ending": info.endings[0], "takes": takes}


def _states(request: Mapping[str, Any], domain: str, takes: str) -> list[Any]:
    """Return the candidates of `puzzles`. Raises QueryError if games do not take them in this way."""
    found, location = [], text_of(request, "db")
    with find.reading(location) as reader:
        for name in texts_of(request, "puzzles"):
            space, rank = find.named(name, reader, location, domain)
            if all(each["takes"] != takes for each in leading_on(domain, space.generator.name)):
                what = "a game" if takes == "game" else "a part of a game"
                raise QueryError(f"{name} is not {what}.")
            found.append(make_generator(registry(), space).unrank(rank))
    return found


def _drawn(workshop: Workshop, text: str) -> Message:
    return {
        "settings": [attrs.asdict(own) for own in workshop.settings(text)],
        "canvases": [_canvas_message(own) for own in workshop.canvases(text)],
        "is_whole": bool(getattr(workshop, "is_whole", False)),
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
    "workshop_questions": questions,
    "workshop_made": made,
    "art": art,
    "art_change": paint_art,
}
