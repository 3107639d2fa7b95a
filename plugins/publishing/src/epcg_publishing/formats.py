"""The formats in which a curriculum is exported. Light, because help names them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from epcg_core.plugin import resolve
from epcg_publishing.texts import ENGLISH

if TYPE_CHECKING:
    from epcg_core.inside import Booklet

FORMATS: Mapping[str, str] = {
    "html": "epcg_publishing.html:as_html",
    "pdf": "epcg_publishing.pdf:as_pdf",
    "json": "epcg_publishing.data:as_json",
    "csv": "epcg_publishing.data:as_csv",
    "page": "epcg_publishing.share:as_page",
}
"""The functions that make the bytes of a booklet."""
READ = ("html", "pdf", "page")
"""Those that have texts of their own, in a language."""
SITE = "site"
"""The format that is a folder."""
ENDINGS = {"page": "-page.html", SITE: "-site"}
"""What the names of files and folders end with, of formats that are no ending themselves."""


def as_bytes(booklet: Booklet, format: str, language: str = ENGLISH) -> bytes:
    """Return a booklet in one of FORMATS: the same bytes whenever the same curriculum is exported."""
    make = resolve(FORMATS[format])
    made: bytes = make(booklet, language) if format in READ else make(booklet)
    return made
