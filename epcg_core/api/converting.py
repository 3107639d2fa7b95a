"""Puzzles from and to formats of others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import attrs

from epcg_core.api.arguments import checked, checked_methods
from epcg_core.api.report import Report, Table
from epcg_core.base import documents
from epcg_core.editing import formats as service
from epcg_core.plugins.scripts import end_of_parts


@checked_methods
@attrs.frozen(repr=False)
class Converted(Report):
    """A puzzle in a format."""

    source: str
    format: str
    text: str

    def parts(self) -> Iterator[str | Table]:
        """Yield the text."""
        yield self.text.removesuffix("\n")

    def json(self) -> dict[str, str]:
        """Return what was converted, the format and the text."""
        return {"source": self.source, "format": self.format, "text": self.text}

    def save(self, path: str | Path) -> None:
        """Write the text into a file."""
        with documents.replaced(Path(path)) as part:
            part.write_text(self.text, encoding="utf-8")


@checked
def convert(
    source: str | Path,
    to: str = service.OWN,
    *,
    domain: str | None = None,
    read_as: str | None = None,
    number: int | None = None,
) -> Converted:
    """Convert a puzzle to a format, as `epcg convert` does.

    Args:
        source: a puzzle's id, or a file.
        to: the name of a format, or 'text' for the domain's own text.
        domain: the domain of a file; None for the one that reads it.
        read_as: the format of a file; None for what its ending and its content say.
        number: which of the levels in a file, from 1; needed if there are several.

    Raises:
        EpcgError: if nothing reads the source, or nothing writes the format.
    """
    end_of_parts()
    text = service.convert(str(source), to, domain=domain, read_as=read_as, number=number)
    return Converted(str(source), to, text)


@checked
def formats(domain: str | None = None) -> Table:
    """List the formats of others, as `epcg convert` without a source does; of a domain, or of all."""
    end_of_parts()
    return Table(
        ("domain", "format", "endings", "read", "written", "what it is"),
        tuple(
            (
                info.domain,
                info.name,
                " ".join(info.endings),
                info.read is not None,
                info.write is not None,
                info.summary,
            )
            for info in service.formats(domain)
        ),
    )
