"""A check of the built pages: links and pictures lead to what is there, and no markup is left.

A directive that its page's format does not know stands in the page as text, and what follows it is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import unquote

from sphinx.application import Sphinx
from sphinx.errors import SphinxError

_LINK = re.compile(r'<[a-z]+ [^>]*?\b(?:href|src)="([^"]*)"')
_PLACE = re.compile(r'\b(?:id|name)="([^"]+)"')
_ELSEWHERE = re.compile(r"[a-z]+:|//")


@cache
def places(page: Path) -> frozenset[str]:
    """The anchors of a page."""
    return frozenset(map(unescape, _PLACE.findall(page.read_text(encoding="utf-8"))))


def dead_links(folder: Path) -> Iterator[str]:
    """The links of the pages in a folder that lead to nothing there: 'page: link'."""
    for page in sorted(folder.rglob("*.html")):
        for found in dict.fromkeys(_LINK.findall(page.read_text(encoding="utf-8"))):
            link = unescape(found)
            if not link or _ELSEWHERE.match(link):
                continue
            path, _, place = link.partition("#")
            path = unquote(path.partition("?")[0])
            target = page if not path else (page.parent / path).resolve()
            if target.is_dir():
                target /= "index.html"
            if not target.is_file() or (
                place and target.suffix == ".html" and unquote(place) not in places(target)
            ):
                yield f"{page.relative_to(folder)}: {link}"


_HIDDEN = re.compile(r"<(script|style|pre|code)\b.*?</\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_MARKUP = re.compile(r"\.\. [a-z-]+::|```|:[a-z]+:`")


def left_markup(folder: Path) -> Iterator[str]:
    """The markup that a reader of the pages in a folder sees: 'page: markup', the first of each page."""
    for page in sorted(folder.rglob("*.html")):
        text = unescape(_TAG.sub("", _HIDDEN.sub("", page.read_text(encoding="utf-8"))))
        for found in _MARKUP.findall(text)[:1]:
            yield f"{page.relative_to(folder)}: {found}"


def check(app: Sphinx, error: Exception | None) -> None:
    """Raise SphinxError if a link of the built pages is dead, or markup is left in them."""
    if error is None and app.builder.format == "html":
        found = list(dead_links(Path(app.outdir)))
        if found:
            raise SphinxError(f"{len(found)} links lead nowhere:\n  " + "\n  ".join(found))
        if left := list(left_markup(Path(app.outdir))):
            raise SphinxError(f"{len(left)} pages show their markup:\n  " + "\n  ".join(left))


def setup(app: Sphinx) -> dict[str, bool]:
    """Check the pages when they are built."""
    app.connect("build-finished", check, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
