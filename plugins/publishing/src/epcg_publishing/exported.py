"""A curriculum in any format: bytes, or the folder of play pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from epcg_core.curriculum.booklet import Booklet
from epcg_core.curriculum.export import FORMATS, export
from epcg_core.curriculum.site import write_site
from epcg_core.errors import CurriculumError, UnknownNameError

SITE = "site"
"""The format that is a folder."""


def exported(booklet: Booklet, format: str, output: str | Path | None = None, **options: Any) -> bytes | Path:
    """Return the bytes of a format, or write a site and return the path of its first page.

    Args:
        booklet: the curriculum.
        format: one of FORMATS, or SITE.
        output: the folder of a site, which must be new or empty.
        options: those of `write_site`; progress is shown unless `quiet` is true.

    Raises:
        EpcgError: if an extra is missing, or the folder cannot be written.
    """
    if format == SITE:
        if output is None:
            raise CurriculumError("A site is a folder: name it, as in export('site', 'play').")
        write_site(booklet, Path(output), **{"quiet": False, **options})
        return Path(output) / "index.html"
    if format not in FORMATS:
        raise UnknownNameError("format", format, [*FORMATS, SITE])
    if output is not None or options:
        raise CurriculumError(f"The format {format} gives bytes, and needs no folder: write them yourself.")
    return export(booklet, format)
