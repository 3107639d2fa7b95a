"""The pages of a site: HTML, scripts made of modules, and what lets browsers install them.

Texts become HTML by `escape` alone. The pages run no script and load nothing that is not a file beside them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from epcg_core.inside import Booklet, BookletChapter, BookletPuzzle, board_file, capitalized, paragraphs
from epcg_publishing.layout import is_icon
from epcg_publishing.texts import ENGLISH, block, in_language, say

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; manifest-src 'self'; "
    "worker-src 'self'; base-uri 'none'; form-action 'none'"
)
"""The content security policy of every page."""
PLAYER = (
    "texts.js", "board.js", "play.js", "inputs.js", "parts.js", "graph.js", "traces.js", "keep.js",
    "player.js",
)  # fmt: skip
"""The modules of a page on which a puzzle is played."""
LIST = ("texts.js", "keep.js", "list.js")
"""The modules of the page that lists puzzles."""
_BAR = """<nav class="bar control" aria-label="Puzzles"><a class="button" href="index.html">All puzzles</a>
<a class="button end" id="before" href="play.html">Previous</a>
<a class="button" id="after" href="play.html">Next</a></nav>"""
_BEGIN = (
    '<p class="bar control"><a class="button" id="next" href="play.html">Begin</a> '
    '<span id="progress" role="status"></span> '
    '<button class="end" id="forget" hidden>Forget progress</button></p>'
)
_SHARED = (
    "texts.js", "board.js", "game.js", "linked.js", "play.js", "inputs.js", "traces.js", "board.css",
)  # fmt: skip
_IMPORT = re.compile(r"^import .*$\n?", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(const|class|function|async function) )", re.MULTILINE)


def static(name: str) -> str:
    """Return the text of a file of the pages."""
    if name in _SHARED:
        return board_file(name)
    return (Path(__file__).parent / "static" / name).read_text("utf-8")


def script(*modules: str) -> str:
    """Return modules as one script, because browsers import none from files.

    The modules export only where they declare, import only from each other, and declare no name twice.
    """
    parts = [_EXPORT.sub("", _IMPORT.sub("", static(name))) for name in modules]
    return '(() => {\n"use strict";\n' + "\n".join(parts) + "})();\n"


def style() -> str:
    """Return the style sheet of all pages."""
    return static("board.css") + static("site.css")


def how_to_play(parts: Sequence[tuple[str, str | None]], attributes: str, language: str = ENGLISH) -> str:
    """Return the texts of the rules with their pictures, 'pictures/how-NUMBER.svg'; '' if there are none."""
    found = []
    for number, (text, picture) in enumerate(parts):
        kind = "icon" if picture and is_icon(picture) else "large"
        image = f'<img class="{kind}" src="pictures/how-{number}.svg" alt="">' if picture else ""
        found.append(f"<div>{image}<p>{escape(text)}</p></div>")
    if not found:
        return ""
    summary = escape(say(language, "How to play"))
    return f'<details class="how" {attributes}><summary>{summary}</summary>{"".join(found)}</details>'


def index(
    booklet: Booklet, keys: Mapping[int, str], pictured: Mapping[int, bool], language: str = ENGLISH
) -> str:
    """Return the page of the chapters and puzzles.

    Args:
        booklet: the curriculum.
        keys: the name of each puzzle's progress, by the puzzle's number.
        pictured: whether there is a picture, by the puzzle's number.
        language: that of its texts.
    """
    how = [(each.said(language), each.picture) for each in booklet.how_to_play()]
    body = [
        f"<main><h1>{escape(booklet.title)}</h1>",
        _paragraphs(booklet.description),
        in_language(_BEGIN, language),
        how_to_play(how, "open", language),
        *(_chapter(chapter, keys, pictured, language) for chapter in booklet.chapters),
        "</main>",
    ]
    return _page(booklet, booklet.title, "\n".join(body), "list.js", language)


def _chapter(
    chapter: BookletChapter, keys: Mapping[int, str], pictured: Mapping[int, bool], language: str
) -> str:
    parts = [f"<h2>{chapter.number}. {escape(chapter.title)}</h2>", _paragraphs(chapter.description)]
    for name, description, puzzles in chapter.parts():
        if name:
            parts.append(f"<h3>{escape(capitalized(name))}</h3>")
        parts.append(_paragraphs(description))
        tiles = "\n".join(_tile(each, keys[each.number], pictured[each.number], language) for each in puzzles)
        parts.append(f'<ul class="tiles">\n{tiles}\n</ul>')
    return "<section>" + "\n".join(parts) + "</section>"


def _tile(puzzle: BookletPuzzle, key: str, pictured: bool, language: str) -> str:
    picture = (
        f'<img src="pictures/{puzzle.number}.svg" alt="" loading="lazy">'
        if pictured
        else f"<pre>{escape(puzzle.text())}</pre>"
    )
    return (
        f'<li><a href="play.html#{puzzle.number}" data-key="{key}">{picture}'
        f"{escape(say(language, 'Puzzle {number}', number=puzzle.number))}"
        f"<small>{escape(puzzle.difficulty)}</small>"
        '<span class="mark"></span></a></li>'
    )


def play(booklet: Booklet, language: str = ENGLISH) -> str:
    """Return the page on which a puzzle is played; the address says which."""
    title = say(language, "Play – {title}", title=booklet.title)
    body = f"{in_language(_BAR, language)}\n<main>\n{puzzle(language=language)}</main>"
    return _page(booklet, title, body, "play.js", language)


def puzzle(heading: str = "h1", language: str = ENGLISH) -> str:
    """Return the elements that show one puzzle, with a heading of a level."""
    first, heard, rest = static("play.html").partition('<h1 id="heading"></h1>')
    return in_language(f"{first}{heard.replace('h1', heading)}{rest}", language)


def _page(booklet: Booklet, title: str, body: str, source: str, language: str) -> str:
    count = sum(1 for _ in booklet.puzzles())
    return f"""<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="theme-color" content="#1b5e9e">
<title>{escape(title)}</title>
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="site.css">
{block(language)}<script defer src="{source}"></script>
</head>
<body data-name="{escape(booklet.name)}" data-title="{escape(booklet.title)}" data-puzzles="{count}">
{body}
</body>
</html>
"""


def manifest(booklet: Booklet) -> str:
    """Return the manifest by which browsers install the pages."""
    data = {
        "name": booklet.title,
        "short_name": booklet.title[:12].strip(),
        "start_url": "index.html",
        "scope": "./",
        "display": "standalone",
        "background_color": "#fbfaf8",
        "theme_color": "#1b5e9e",
        "icons": [{"src": "icon.svg", "sizes": "any", "type": "image/svg+xml"}],
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def worker(name: str, version: str, files: Sequence[str]) -> str:
    """Return the service worker that keeps files; it changes whenever one of them does."""
    text = static("worker.js").replace("const FILES = [];", f"const FILES = {json.dumps(list(files))};")
    prefix = json.dumps(f"epcg-play:{name}:")
    return text.replace('"epcg-play:NAME:"', prefix).replace("VERSION", version)


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{escape(part)}</p>" for part in paragraphs(text))
