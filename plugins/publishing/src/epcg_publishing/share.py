"""One file to send to a friend: contents to play, with hints and solutions, without server and network."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from typing import Any

import attrs

from epcg_core.inside import Booklet, Document, editing, told
from epcg_core.plugin import EpcgError, QueryError
from epcg_publishing.limits import MOST_POSITIONS
from epcg_publishing.play import carried
from epcg_publishing.site import pages

_STILL = "This puzzle cannot be played here."


@attrs.frozen
class Shared:
    """One content of the page."""

    document: Document
    title: str = ""
    message: str = ""
    """What is said before it."""
    facts: Sequence[str] = ()
    """What was measured: a sentence each."""
    origin: str = ""
    """How the facts can be cited: the run, and its digest."""
    puzzle: str = ""
    """The id that rebuilds the content; '' if it has none."""


@attrs.frozen
class Page:
    """A page, and what it carries."""

    html: bytes
    positions: Sequence[int]
    """The positions of each content; 0 of one that cannot be played."""
    incomplete: Sequence[int]
    """The numbers, from 1, of those that carry only positions near a solution."""


def share_page(
    shared: Sequence[Shared],
    title: str,
    *,
    positions: int = MOST_POSITIONS,
    solutions: bool = True,
    source: str = "",
) -> Page:
    """Make the page. The same contents always give the same bytes.

    Args:
        shared: the contents, in their order.
        title: its heading.
        positions: the most positions that a content carries (see `play_graph`).
        solutions: whether it has the solutions, each behind a tap.
        source: the text that a workbench opens, which a button copies; '' for none.

    Raises:
        QueryError: if there is no content, or a text that UTF-8 cannot have.
    """
    if not shared:
        raise QueryError("There is nothing to share: no content.")
    puzzles, counts, incomplete = [], [], []
    for number, each in enumerate(shared, 1):
        data, count, complete = puzzle_data(number, each, positions, solutions)
        puzzles.append(data)
        counts.append(count)
        if not complete:
            incomplete.append(number)
    data = {"puzzles": puzzles, "source": source}
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace(
        "<", "\\u003c"
    )
    try:
        return Page(page_html(title, text, len(shared)).encode(), counts, incomplete)
    except UnicodeEncodeError:
        raise QueryError("The page cannot be written: its text or its title has half a character.") from None


def as_page(booklet: Booklet) -> bytes:
    """Make one page of a curriculum, on which all of its puzzles are played, one after the other."""
    shared = []
    for chapter in booklet.chapters:
        message = "\n".join(filter(None, [f"{chapter.number}. {chapter.title}", chapter.description]))
        for puzzle in chapter.puzzles:
            document = editing.open_document(puzzle.domain, puzzle.state)
            fact = told(puzzle.domain, puzzle.measure, puzzle.value)
            shared.append(
                Shared(
                    document,
                    f"Puzzle {puzzle.number}",
                    message,
                    (f"{fact[:1].upper()}{fact[1:]}.",),
                    puzzle=puzzle.puzzle,
                )
            )
            message = ""
    return share_page(shared, booklet.title).html


def puzzle_data(number: int, shared: Shared, most: int, solutions: bool) -> tuple[dict[str, Any], int, bool]:
    """Return (what the page's script reads, how many positions it has, whether they are all)."""
    document = shared.document
    moves, steps, why, count, complete = None, None, "", 0, True
    try:
        play = carried(document, (), most)
        moves, count, complete = play.moves, play.positions, play.complete
        steps = play.steps if solutions else None
    except EpcgError as error:
        why = f"{_STILL} {error}".partition("\n")[0]
    return {
        "number": number,
        "id": shared.puzzle,
        "key": hashlib.sha256(document.text.encode()).hexdigest()[:16],
        "puzzle": "",
        "heading": shared.title,
        "message": shared.message,
        "chapter": "",
        "difficulty": "",
        "facts": [*shared.facts],
        "origin": shared.origin,
        "picture": None,
        "text": document.text if why else "",
        "solved": None,
        "solution": "" if steps is not None or not solutions else "No solution is known.",
        "steps": steps,
        "warn": True,
        "why": why,
        "moves": moves,
    }, count, complete  # fmt: skip


def page_html(title: str, data: str, count: int) -> str:
    """Return the page that shows what is in `data`, of as many contents as `count`."""
    script, style = pages.script(*pages.PLAYER), pages.style() + pages.static("share.css")
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    name = hashlib.sha256(data.encode()).hexdigest()[:16]
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body data-name="{name}" data-title="{escape(title)}" data-puzzles="{count}">
<header><h1 class="title">{escape(title)}</h1>
<nav class="dots" id="dots" aria-label="Puzzles"{" hidden" if count == 1 else ""}></nav>
<p class="message" id="message"></p></header>
<main>
{pages.puzzle("h2")}
<details id="facts" hidden><summary>How hard is it?</summary>
<ul id="measures"></ul><p class="muted" id="origin"></p></details>
</main>
<footer class="bar control"><span class="muted">No network needed: this page is one file.</span>
<button class="end" id="copy" hidden>Copy for a workbench</button>
<a class="button" id="before" href="#">Previous</a> <a class="button" id="after" href="#">Next</a></footer>
<script type="application/json" id="puzzles">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def _digest(text: str) -> str:
    """Return what a content security policy calls a script or a style that it allows."""
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
