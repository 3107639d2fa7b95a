"""A check of the built pages: every link and picture in them leads to a file and a place that are there."""

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


def check(app: Sphinx, error: Exception | None) -> None:
    """Raise SphinxError if a link of the built pages is dead."""
    if error is None and app.builder.format == "html":
        found = list(dead_links(Path(app.outdir)))
        if found:
            raise SphinxError(f"{len(found)} links lead nowhere:\n  " + "\n  ".join(found))


def setup(app: Sphinx) -> dict[str, bool]:
    """Check the pages when they are built."""
    app.connect("build-finished", check, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
