"""Contents as small pictures, by their domain's own renderer."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from epcg_core.inside import PLUGIN_EXCEPTIONS, Document, contents_of, editing
from epcg_core.plugin import registry, resolve

REMEMBERED = 500
"""Pictures that are drawn once as long as the process lives."""


def drawn(document: Document) -> str:
    """Return the picture of a content as an SVG document, without a solution; '' if the renderer fails."""
    try:
        return _drawn(document.domain, document.text)
    except PLUGIN_EXCEPTIONS:  # what can be opened has a place on the page, if without a picture
        return ""


@lru_cache(REMEMBERED)
def _drawn(domain: str, text: str) -> str:
    document = editing.open_document(domain, text)
    info = registry().renderer(domain, "svg")
    assert info is not None  # the core registers one for every editor
    content = document.editor.content
    with registry().attribute_errors_to(info):
        draw = resolve(info.factory)(contents_of(document.editor, [content]))
        options: dict[str, Any] = {"solution": False} if info.draws_solution else {}
        return str(draw(content, **options))
