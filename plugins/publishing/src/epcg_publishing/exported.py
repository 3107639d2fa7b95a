"""The method `Curriculum.export`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from epcg_core.inside import CurriculumError, checked
from epcg_core.plugin import UnknownNameError
from epcg_publishing.formats import FORMATS, SITE, as_bytes
from epcg_publishing.site import write_site

if TYPE_CHECKING:
    from epcg_core import Curriculum


@checked
def exported(
    curriculum: Curriculum, format: str, output: str | Path | None = None, **options: Any
) -> bytes | Path:
    """Return the bytes that `epcg curriculum export` writes, or write a site and return its first page.

    Args:
        curriculum: the curriculum.
        format: one of FORMATS, or SITE.
        output: the folder of a site, which must be new or empty.
        options: those of `write_site`; progress is shown unless `quiet` is true.

    Returns:
        The bytes, or the path of the site's first page.

    Raises:
        EpcgError: if an extra is missing, or the folder cannot be written.
    """
    if format == SITE:
        if output is None:
            raise CurriculumError("A site is a folder: name it, as in export('site', 'play').")
        write_site(curriculum.booklet, Path(output), **{"quiet": False, **options})
        return Path(output) / "index.html"
    if format not in FORMATS:
        raise UnknownNameError("format", format, [*FORMATS, SITE])
    if output is not None or options:
        raise CurriculumError(f"The format {format} gives bytes, and needs no folder: write them yourself.")
    return as_bytes(curriculum.booklet, format)
