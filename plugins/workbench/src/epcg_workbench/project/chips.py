"""Whether each level of a file can be solved, and in how many moves: the cheapest answers first."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from epcg_core.inside import PLUGIN_EXCEPTIONS, Document, Play, editing, files
from epcg_core.plugin import EpcgError, format_exception
from epcg_workbench.messages import Message, digest, judged

FIRST_EXPANSIONS = 5_000
"""Positions that are expanded for each level before any gets more, so that easy levels wait for no other."""
MOST_EXPANSIONS = 200_000


def chips(kind: files.Kind, text: str, known: Container[str] = ()) -> Iterator[Message]:
    """Yield for each content whether it can be solved; first what is soon known, then what takes longer.

    Contents whose hash is `known` are left out.

    A message has the piece's `number` and `hash`, and a `state`: 'solved' with the `moves` of a solution (a
    shortest one but for pieces that fill a board), how it is `judged` if it is solved by writing, and the
    `measure` that its domain tells first if that is another number than the moves, 'unsolvable' (all
    positions were tried) with `words`, 'unknown' (too many), 'fault' with the `reason`, or 'unplayed' of a
    domain without play. One with `again` is followed by another about the same content.
    """
    waiting: list[tuple[Message, Document]] = []
    solved: list[tuple[Message, Document]] = []
    for number, piece in enumerate(kind.format.read(text).pieces):
        hash_ = digest(piece.text)
        if piece.kind != "content" or hash_ in known:
            continue
        message: Message = {"number": number, "hash": hash_}
        try:
            document = editing.open_document(kind.domain, piece.text)
        except EpcgError as error:
            yield message | {"state": "fault", "reason": str(error)}
            continue
        found = chip_of(document, FIRST_EXPANSIONS)
        if found["state"] == "unknown":
            waiting.append((message, document))
            found["again"] = True
        elif found["state"] == "solved" and "judged" not in found and editing.headline(document.domain):
            solved.append((message | found, document))
            found["again"] = True
        yield message | found
    for message, document in solved:
        yield message | _measure(document)
    for message, document in waiting:
        found = chip_of(document, MOST_EXPANSIONS)
        is_judged = "judged" in found or found["state"] not in ("solved", "unknown")
        yield message | found | ({} if is_judged else _measure(document))


def chip_of(document: Document, limit: int) -> dict[str, Any]:
    """Tell whether a content can be solved, as `chips` does, with at most `limit` positions expanded."""
    if not document.playable:
        return {"state": "unplayed"}
    try:
        found = Play(document).solvability(limit)
        told = judged(document) if found.actions is not None else {}
    except PLUGIN_EXCEPTIONS as error:
        reason = str(error) if isinstance(error, EpcgError) else format_exception(error)
        return {"state": "fault", "reason": reason}
    if found.actions is not None:
        return {"state": "solved", "moves": len(found.actions), **told}
    if not found.is_proven:
        return {"state": "unknown"}
    return {"state": "unsolvable", "words": document.reading.proven("no solution")}


def _measure(document: Document) -> Message:
    """Tell the number that the domain tells first, if that is not the number of moves."""
    first = editing.headline(document.domain)
    if first is None:
        return {}
    found, (_, metric) = editing.headline_of(document), first
    if found is None or found.value is None:
        reason = found.reason if found is not None else "it does not apply here"
        return {"measure": {"label": "", "sentence": f"{metric.heading}: {reason}"}}
    return {
        "measure": {
            "label": metric.brief(found.value),
            "sentence": f"{metric.heading}: {metric.named(found.value)}",
        }
    }
