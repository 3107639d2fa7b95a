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
    shortest one but for pieces that fill a board), and how it is `judged` if it is solved by writing,
    'unsolvable' (all positions were tried) with `words`, 'unknown' (too many), 'fault' with the `reason`, or
    'unplayed' of a domain without play. One with `again` is followed by another about the same content.
    """
    waiting: list[tuple[Message, Document]] = []
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
        found = _chip(document, FIRST_EXPANSIONS)
        if found["state"] == "unknown":
            waiting.append((message, document))
            found["again"] = True
        yield message | found
    for message, document in waiting:
        yield message | _chip(document, MOST_EXPANSIONS)


def _chip(document: Document, limit: int) -> dict[str, Any]:
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
