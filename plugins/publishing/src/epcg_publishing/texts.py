"""The texts that players read, in their language: the English ones, each with what it is in another.

English texts stand where they are used, in modules and pages. Another language is a file of the folder
`languages`: each English text with its translation, or with its plural forms by the names that browsers give
them. What domains say (moves, rules, measures) is in the language of the domain, and is not in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from html import escape, unescape
from pathlib import Path

ENGLISH = "en"
LANGUAGES = (ENGLISH, "de")
"""The languages that are complete."""
_NODE = re.compile(r"(?<=>)([^<>]*[A-Za-z][^<>]*)(?=<)")
_ATTRIBUTE = re.compile(r'(?<=\s)(aria-label|title|alt)="([^"]+)"')


@cache
def texts_of(language: str) -> Mapping[str, str | Mapping[str, str]]:
    """Return the texts of a language by the English ones; none for English itself."""
    if language == ENGLISH:
        return {}
    path = Path(__file__).parent / "languages" / f"{language}.json"
    found: Mapping[str, str | Mapping[str, str]] = json.loads(path.read_text("utf-8"))
    return found


def say(language: str, text: str, **values: object) -> str:
    """Return a text in a language; {names} in it stand for values."""
    found = texts_of(language).get(text, text)
    return (found if isinstance(found, str) else found["other"]).format(**values)


def in_language(html: str, language: str) -> str:
    """Return a fragment of HTML with its texts, and those of its attributes, in a language."""
    if language == ENGLISH:
        return html
    named = _ATTRIBUTE.sub(lambda found: f'{found[1]}="{_said(found[2], language)}"', html)
    return _NODE.sub(lambda found: _said(found[1], language), named)


def _said(text: str, language: str) -> str:
    inner = text.strip()
    return text.replace(inner, escape(say(language, unescape(inner))))


def block(language: str) -> str:
    """Return the element from which the modules of a page read their texts; '' for English."""
    if language == ENGLISH:
        return ""
    text = json.dumps(texts_of(language), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="texts">{text}</script>\n'
