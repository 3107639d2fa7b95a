"""The function `epcg_core.share`: one page to send to a friend."""

from __future__ import annotations

import re
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core import Note, Puzzle, Report
from epcg_core.inside import check_ending, checked, location_of
from epcg_core.plugin import QueryError, UnknownNameError, documents
from epcg_publishing.limits import positions_in_words
from epcg_publishing.share import Page, share_page
from epcg_publishing.sharing import gathered
from epcg_publishing.texts import ENGLISH, LANGUAGES

if TYPE_CHECKING:
    from epcg_core import Table

CHAT_LINK = 2000
"""The letters of an address that messages of chat programs have room for: 2,000 of Discord ("message
contents (up to 2000 characters)", its reference of messages), 4,096 of Telegram (`sendMessage`)."""
LONG_LINK = 8000
"""A longer address is cut by some programs: all should take 8,000 octets (RFC 9110, section 4.1)."""
MOST_LINK = 1_048_572
"""A longer address is not opened by Firefox (its setting `network.standard-url.max-length`, 1,048,576,
less 4); Chromium opens twice as much ("URL Length" of Chromium's guidelines for showing addresses)."""


@attrs.frozen(repr=False)
class SharedPage(Report):
    """A page that was written, and what it carries."""

    output: Path
    page: Page
    left_out: tuple[str, ...]
    """A sentence for each content that cannot be shared."""
    link: str = ""
    """The address that holds the game; '' if none was asked for."""

    def parts(self) -> Iterator[str | Table]:
        """Yield sentences about what the page has, and what it lacks."""
        yield from map(Note, self.left_out)
        still = [number for number, count in enumerate(self.page.positions, 1) if not count]
        if still:
            yield Note(f"These cannot be played on the page: {', '.join(map(str, still))}.")
        yield from map(Note, self._unsolved())
        if self.page.incomplete:
            numbers = ", ".join(map(str, self.page.incomplete))
            yield Note(f"These carry only the positions nearest to a solution (see --positions): {numbers}.")
        if self.link:
            yield self.link if len(self.link) <= MOST_LINK else Note(self._of_link())
            if CHAT_LINK < len(self.link) <= MOST_LINK:
                yield Note(self._of_link())
        count = len(self.page.positions)
        words = positions_in_words(sum(self.page.positions))
        yield Note(
            f"{self.output} has {count} puzzle{'s' * (count != 1)} with {words}, "
            f"{documents.size_in_words(len(self.page.html))}: send it, or open it in any browser."
        )

    def _of_link(self) -> str:
        """Say that the address is too long for some programs, and what to do instead."""
        letters = f"{len(self.link):,} letters"
        if len(self.link) > MOST_LINK:
            what = f"The address would have {letters}, and browsers open at most {MOST_LINK:,}"
        elif len(self.link) > LONG_LINK:
            what = f"The address has {letters}, and programs may cut what is longer than {LONG_LINK:,}"
        else:
            return (
                f"The address has {letters}. For messages with less room, {CHAT_LINK:,} letters in Discord, "
                "send the file instead."
            )
        less = "share fewer levels (--level) or fewer positions (--positions)"
        return f"{what}: send the file instead, or {less}."

    def _unsolved(self) -> Iterator[str]:
        """Yield sentences about what cannot be solved."""
        for numbers, said in (
            (self.page.unsolvable, "cannot be solved"),
            (self.page.unsolved, "may have no solution: none is known"),
        ):
            if numbers and len(self.page.positions) == 1:
                yield f"It {said}."
            elif numbers:
                yield f"Of the puzzles on the page these {said}: {', '.join(map(str, numbers))}."

    def json(self) -> dict[str, Any]:
        """Return the file and its numbers."""
        positions = self.page.positions
        return {
            "output": str(self.output),
            "unsolvable": [*self.page.unsolvable],
            "unsolved": [*self.page.unsolved],
            **({"link": self.link} if 0 < len(self.link) <= MOST_LINK else {}),
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
    hints: bool = True,
    warns: bool = True,
    link: str = "",
    positions: int | None = None,
    texts: str = ENGLISH,
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
        hints: whether it has hints.
        warns: whether it offers to say when nothing can be won.
        link: the address of a page of this kind on any site, for an address that holds the whole game.
        positions: the most positions of a puzzle; None: the puzzles of a page share MOST_OF_PAGE.
        texts: the language of the page's own texts, such as "de".
        db: the database; as for `open`.

    Raises:
        EpcgError: if nothing reads it.
    """
    text = what.id if isinstance(what, Puzzle) else str(what)
    if output is not None:
        check_ending(Path(output), ".html", ".htm")
    found = gathered(text, domain, levels, numbers, location_of(db), texts)
    if texts not in LANGUAGES:
        raise UnknownNameError("language of texts", texts, LANGUAGES)
    heading = title or found.title
    base = link_base(link)
    page = share_page(
        found.shared, heading, author=found.author, after=found.after, positions=positions,
        solutions=solutions, hints=hints, warns=warns, source=found.source, language=texts,
    )  # fmt: skip
    target = Path(f"{documents.file_name(heading)}.html") if output is None else Path(output)
    with documents.replaced(target) as part:
        part.write_bytes(page.html)
    address = f"{base}#game={linked(page.data)}" if base else ""
    return SharedPage(target, page, tuple(found.left_out), address)


def link_base(address: str) -> str:
    """Return the address of a page without what stands behind '#'. Raises QueryError if it is none."""
    base = address.strip().partition("#")[0]
    if address and not re.fullmatch(r"https?://[^\s/?]+(/\S*)?", base):
        raise QueryError(
            f"'{address[:100]}' is not the address of a page: it begins with https://, as in "
            "https://example.org/game.html, where a page of `epcg share` lies."
        )
    return base


def linked(data: str) -> str:
    """Return a game in letters of addresses, as the page reads it behind '#game='."""
    return urlsafe_b64encode(zlib.compress(data.encode(), 9)).decode().rstrip("=")
