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
from epcg_core.plugin import EpcgError, QueryError, registry, resolve
from epcg_publishing.limits import LEAST_OF_EACH, MOST_OF_PAGE, MOST_POSITIONS
from epcg_publishing.play import Carried, carried
from epcg_publishing.play_graph import NEARBY
from epcg_publishing.site import pages
from epcg_publishing.texts import ENGLISH, block, in_language, say

SCRIPTS = (*pages.PLAYER, "game.js", "linked.js", "friend.js")
"""The modules of the page."""
_STILL = "This puzzle cannot be played here."


@attrs.frozen
class Shared:
    """One content of the page."""

    document: Document
    title: str = ""
    messages: Sequence[str] = ()
    """What is said before it, each on a screen of its own."""
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
    unsolvable: Sequence[int] = ()
    """The numbers of those that are proven to have no solution."""
    unsolved: Sequence[int] = ()
    """The numbers of those of which no solution is known."""
    data: str = ""
    """What its program reads: all that it shows, in JSON."""


def share_page(
    shared: Sequence[Shared],
    title: str,
    *,
    author: str = "",
    after: Sequence[str] = (),
    positions: int | None = None,
    solutions: bool = True,
    hints: bool = True,
    warns: bool = True,
    source: str = "",
    language: str = ENGLISH,
) -> Page:
    """Make the page. The same contents always give the same bytes.

    Args:
        shared: the contents, in their order.
        title: its heading.
        author: who made it, as the first screen says; '' if it does not.
        after: the messages behind the last content.
        positions: the most positions that a content carries (see `play_graph`); None: the contents share
            MOST_OF_PAGE, so that a page of many is made in seconds and can be sent.
        solutions: whether it has the solutions, each behind a tap.
        hints: whether it has hints.
        warns: whether it offers to say when nothing can be won.
        source: the text that a workbench opens, which a button copies; '' for none.
        language: that of the page's own texts.

    Raises:
        QueryError: if there is no content, or a text that UTF-8 cannot have.
    """
    if not shared:
        raise QueryError("There is nothing to share: no content.")
    puzzles, plays, left = [], list[Carried | None](), MOST_OF_PAGE
    for number, each in enumerate(shared, 1):
        most = _allowed(left, len(shared) - number + 1) if positions is None else positions
        found, play = puzzle_data(number, each, most, solutions, warns, language)
        puzzles.append(found)
        plays.append(play)
        if play is not None:
            left -= min(play.positions, most) if play.complete else most
    data = {"title": title, "author": author, "puzzles": puzzles, "after": [*after], "hints": hints,
            "source": source, "how": how_to_play([each.document for each in shared], language)}  # fmt: skip
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace(
        "<", "\\u003c"
    )
    played = [(number, play) for number, play in enumerate(plays, 1) if play is not None]
    try:
        return Page(
            page_html(title, text, language).encode(),
            [0 if play is None else play.positions for play in plays],
            [number for number, play in played if not play.complete],
            [number for number, play in played if play.solvable is False],
            [number for number, play in played if play.solvable is None],
            text,
        )
    except UnicodeEncodeError:
        raise QueryError("The page cannot be written: its text or its title has half a character.") from None


def how_to_play(documents: Sequence[Document], language: str = ENGLISH) -> list[str]:
    """Ask the domains of contents how these are played, a sentence or two for each thing that they have."""
    found: list[str] = []
    for domain in dict.fromkeys(each.domain for each in documents):
        info = registry().domain(domain)
        if info.how_to_play is not None:
            with registry().attribute_errors_to(info):
                contents = [each.editor.content for each in documents if each.domain == domain]
                found += [each.said(language) for each in resolve(info.how_to_play)(contents)]
    return found


def _allowed(left: int, contents: int) -> int:
    """Return the most positions of the next of some contents that share those that are left.

    It is a multiple of NEARBY, by which a check finds it again.
    """
    most = max(LEAST_OF_EACH, min(MOST_POSITIONS, left // contents))
    return most // NEARBY * NEARBY


def as_page(booklet: Booklet, language: str = ENGLISH) -> bytes:
    """Make one page of a curriculum, on which all of its puzzles are played, one after the other."""
    shared = []
    for chapter in booklet.chapters:
        messages = ["\n".join(filter(None, [f"{chapter.number}. {chapter.title}", chapter.description]))]
        for puzzle in chapter.puzzles:
            document = editing.open_document(puzzle.domain, puzzle.state)
            fact = told(puzzle.domain, puzzle.measure, puzzle.value)
            shared.append(
                Shared(
                    document,
                    say(language, "Puzzle {number}", number=puzzle.number),
                    messages,
                    (f"{fact[:1].upper()}{fact[1:]}.",),
                    puzzle=puzzle.puzzle,
                )
            )
            messages = []
    return share_page(shared, booklet.title, language=language).html


def puzzle_data(
    number: int,
    shared: Shared,
    most: int,
    solutions: bool,
    warns: bool = True,
    language: str = ENGLISH,
) -> tuple[dict[str, Any], Carried | None]:
    """Return what the page's script reads of a content, and its play; None if it cannot be played."""
    document = shared.document
    play, why = None, ""
    try:
        play = carried(document, (), most)
    except EpcgError as error:
        why = f"{say(language, _STILL)} {error}".partition("\n")[0]
    steps = play.steps if play is not None and solutions else None
    none = say(language, "No solution is known.")
    if play is not None and play.solvable is False:
        none = say(language, f"It has {document.reading.proven('no solution')}.")
    return {
        "number": number,
        "id": shared.puzzle,
        "key": hashlib.sha256(document.text.encode()).hexdigest()[:16],
        "puzzle": "",
        "heading": shared.title,
        "messages": [*shared.messages],
        "chapter": "",
        "difficulty": "",
        "facts": [*shared.facts],
        "origin": shared.origin,
        "picture": None,
        "text": document.text if why else "",
        "solved": None,
        "solution": "" if steps is not None or not solutions else none,
        "steps": steps,
        "warn": warns,
        "why": why,
        "moves": None if play is None else play.moves,
    }, play  # fmt: skip


def page_html(title: str, data: str, language: str = ENGLISH) -> str:
    """Return the page that shows what is in `data`."""
    script, style = pages.script(*SCRIPTS), pages.style() + pages.static("share.css")
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    name = hashlib.sha256(data.encode()).hexdigest()[:16]
    above, rest, below = pages.puzzle("h2", language).partition('<div id="rest"')
    hint = in_language('<button id="hint">Hint</button>', language)
    later = in_language('<button class="button ready" id="later" hidden>Next</button>', language)
    above = above.replace(hint, f"{hint} {later}")
    body = (
        in_language(pages.static("share.html"), language)
        .replace("PLAYER", above)
        .replace("REST", rest + below)
    )
    return f"""<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body data-waits data-name="{name}" data-title="{escape(title)}">
{body.replace("TITLE", escape(title))}
{block(language)}<script type="application/json" id="puzzles">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def _digest(text: str) -> str:
    """Return what a content security policy calls a script or a style that it allows."""
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
