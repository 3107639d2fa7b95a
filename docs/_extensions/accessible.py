"""Additions to what the theme does for readers of screens and for people who use no mouse.

Captions of the navigation are headings and get a level; blocks of code may scroll, so a key reaches them.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

_CHANGES = {
    "furo_navigation_tree": ('role="heading">', 'role="heading" aria-level="2">'),
    "body": ("<pre>", '<pre tabindex="0">'),
}
"""Parts of a page, each with a text and what is put in its place."""


def changed(context: dict[str, Any]) -> dict[str, str]:
    """Return the parts of a page that are changed, as they become."""
    return {part: context[part].replace(*texts) for part, texts in _CHANGES.items() if context.get(part)}


def change(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: object) -> None:
    """Change the parts of a page before it is written."""
    context.update(changed(context))


def setup(app: Sphinx) -> dict[str, bool]:
    """Change every page, after the theme has made its parts."""
    app.connect("html-page-context", change, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
