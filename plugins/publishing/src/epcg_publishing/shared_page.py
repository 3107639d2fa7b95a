"""The function `epcg_core.share`: one page to send to a friend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core import Note, Puzzle, Report
from epcg_core.inside import checked, location_of
from epcg_core.plugin import documents
from epcg_publishing.limits import MOST_POSITIONS, positions_in_words
from epcg_publishing.share import Page, share_page
from epcg_publishing.sharing import gathered

if TYPE_CHECKING:
    from epcg_core import Table


@attrs.frozen(repr=False)
class SharedPage(Report):
    """A page that was written, and what it carries."""

    output: Path
    page: Page
    left_out: tuple[str, ...]
    """A sentence for each content that cannot be shared."""

    def parts(self) -> Iterator[str | Table]:
        """Yield sentences about what the page has, and what it lacks."""
        yield from map(Note, self.left_out)
        still = [number for number, count in enumerate(self.page.positions, 1) if not count]
        if still:
            yield Note(f"These cannot be played on the page: {', '.join(map(str, still))}.")
        if self.page.incomplete:
            numbers = ", ".join(map(str, self.page.incomplete))
            yield Note(f"These carry only the positions nearest to a solution (see --positions): {numbers}.")
        count = len(self.page.positions)
        words = positions_in_words(sum(self.page.positions))
        yield Note(
            f"{self.output} has {count} puzzle{'s' * (count != 1)} with {words}, "
            f"{len(self.page.html):,} bytes: send it, or open it in any browser."
        )

    def json(self) -> dict[str, Any]:
        """Return the file and its numbers."""
        positions = self.page.positions
        return {
            "output": str(self.output),
            "puzzles": len(positions),
            "positions": sum(positions),
            "bytes": len(self.page.html),
        }


@checked
def share(
    what: str | Path | Puzzle,
    output: str | Path | None = None,
    *,
    title: str | None = None,
    domain: str | None = None,
    levels: Sequence[int] = (),
    numbers: bool = True,
    solutions: bool = True,
    positions: int = MOST_POSITIONS,
    db: str | Path | None = None,
) -> SharedPage:
    """Write one HTML file on which a puzzle or a game is played, as `epcg share` does.

    Args:
        what: a file, a puzzle's id, RUN#RANK of the database, a text, or a puzzle.
        output: the file; None for TITLE.html.
        title: the heading; None for the name of the file, or of the puzzle.
        domain: the domain of a file or a text that several read.
        levels: the levels of a file, from 1; none for all.
        numbers: whether the page says how hard it is.
        solutions: whether the page has solutions, behind a tap.
        positions: the most positions of a puzzle.
        db: the database; as for `open`.

    Raises:
        EpcgError: if nothing reads it.
    """
    text = what.id if isinstance(what, Puzzle) else str(what)
    found = gathered(text, domain, levels, numbers, location_of(db))
    heading = title or found.title
    page = share_page(found.shared, heading, positions=positions, solutions=solutions, source=found.source)
    target = Path(f"{documents.file_name(heading)}.html") if output is None else Path(output)
    with documents.replaced(target) as part:
        part.write_bytes(page.html)
    return SharedPage(target, page, tuple(found.left_out))
