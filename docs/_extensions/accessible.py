"""Additions to what the theme does for readers of screens and for people who use no mouse.

Captions of the navigation are headings and get a level; blocks of code and tables may scroll, so a key
reaches them; the params of a long signature are a list, not descriptions without a term.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

_CHANGES = (
    ("furo_navigation_tree", 'role="heading">', 'role="heading" aria-level="2">'),
    ("body", "<pre>", '<pre tabindex="0">'),
    ("body", '<div class="table-wrapper ', '<div tabindex="0" class="table-wrapper '),
)
"""A part of a page, a text in it, and what is put in its place."""
_PARAMS = re.compile(r"<dl>\n((?:<dd>(?:(?!<dd>|<dl>).)*</dd>\n)+)</dl>", re.DOTALL)
"""The params of a signature, one a line, as Sphinx writes them."""


def changed(context: dict[str, Any]) -> dict[str, str]:
    """Return the parts of a page that are changed, as they become."""
    parts = {part: context[part] for part, _, _ in _CHANGES if context.get(part)}
    for part, text, other in _CHANGES:
        if part in parts:
            parts[part] = parts[part].replace(text, other)
    if "body" in parts:
        parts["body"] = _PARAMS.sub(_listed, parts["body"])
    return parts


def _listed(found: re.Match[str]) -> str:
    items = found[1].replace("<dd>", "<li>").replace("</dd>", "</li>")
    return f'<ul class="sig-params">\n{items}</ul>'


def change(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: object) -> None:
    """Change the parts of a page before it is written."""
    context.update(changed(context))


def setup(app: Sphinx) -> dict[str, bool]:
    """Change every page, after the theme has made its parts."""
    app.connect("html-page-context", change, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
