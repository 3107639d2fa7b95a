"""`epcg curriculum export` and `epcg curriculum schema`.

Imports inside functions keep their help light.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from epcg_core.inside import json_option, say, show, write_json
from epcg_core.plugin import command, db_option, documents
from epcg_publishing.formats import ENDINGS, FORMATS, SITE, as_bytes
from epcg_publishing.limits import MOST_POSITIONS, positions_in_words
from epcg_publishing.texts import ENGLISH, LANGUAGES

if TYPE_CHECKING:
    from epcg_core.inside import Booklet


@command("export")
@click.argument("name")
@click.option("--format", "format", type=click.Choice((*FORMATS, SITE)),
              help="Default: what the output's ending says, else html.")  # fmt: skip
@click.option("--output", "target", metavar="PATH", type=click.Path(path_type=Path),
              help="The file, or the folder of a site; default: NAME with the format's ending.")  # fmt: skip
@click.option("--positions", type=click.IntRange(1, 10_000_000), default=MOST_POSITIONS, show_default=True,
              help="With --format site: the most positions of a puzzle. One that has more carries a fifth of "
              "them, those nearest to its solution.")  # fmt: skip
@click.option("--texts", type=click.Choice(LANGUAGES), default=ENGLISH, show_default=True,
              help="The language of the texts of booklets, pages and sites.")  # fmt: skip
@db_option
@json_option
def export(
    name: str,
    format: str | None,
    target: Path | None,
    positions: int,
    texts: str,
    location: str,
    as_json: bool,
) -> None:
    """Write the curriculum NAME, or an older build of it (first-steps#3): a booklet to print (HTML or PDF:
    how to play, the chapters, solutions at the end), JSON for games, CSV, one page to send to a friend
    (--format page), or a site: a folder of pages. On both the puzzles are played, without Python and without
    network, on phones too.

    The same curriculum always gives the same bytes. PDF needs two libraries more:
    pip install 'epcg-publishing[pdf]'.

    \b
    Examples:
      epcg curriculum export first-steps --output booklet.pdf
      epcg curriculum export first-steps --format json
      epcg curriculum export first-steps --format site --output play
    """
    from epcg_core.inside import read_booklet
    from epcg_core.plugin import Store

    if format is None:
        ending = target.suffix.lower().lstrip(".") if target is not None else "html"
        if ending not in FORMATS or ending in ENDINGS:
            raise click.UsageError(
                f"'{target}': endings are .html, .pdf, .json and .csv, or add --format; a folder needs "
                "--format site."
            )
        format = ending
    if target is not None and format != SITE and target.is_dir():
        raise click.UsageError(f"'{target}' is a folder: name a file, or add --format site.")
    target = target or Path(f"{documents.file_name(name)}{ENDINGS.get(format, '.' + format)}")
    with Store.open(location) as store, store.reader() as reader:
        booklet = read_booklet(reader, name)
        puzzles = sum(1 for _ in booklet.puzzles())
        if format == SITE:
            about = _site(booklet, target, positions, texts)
        else:
            data = as_bytes(booklet, format, texts)
            with documents.replaced(target) as part:
                part.write_bytes(data)
            about = {"bytes": len(data)}
            say(f"{puzzles} puzzles of {name} are in {target}.")
    if as_json:
        write_json({"name": name, "output": str(target), "puzzles": puzzles, **about})


def _site(booklet: Booklet, folder: Path, positions: int, texts: str) -> dict[str, int]:
    """Write play pages, and say of each kind of puzzle what the pages carry; returns counts."""
    from epcg_publishing.site import write_site

    shown = write_site(booklet, folder, positions, quiet=False, language=texts)
    for why in dict.fromkeys(each.why for each in shown if each.why):
        numbers = ", ".join(str(each.puzzle.number) for each in shown if each.why == why)
        say(f"These puzzles have only pictures and solutions: {numbers}. {why}")
    part = ", ".join(str(each.puzzle.number) for each in shown if not each.complete)
    if part:
        say(f"These puzzles carry only the positions nearest to a solution (see --positions): {part}.")
    played = [each for each in shown if not each.why]
    total, many = sum(each.bytes for each in played), sum(each.positions for each in played)
    say(
        f"{len(shown)} puzzles of {booklet.name} are in {folder}, {len(played)} of them to play "
        f"({positions_in_words(many)}, {documents.size_in_words(total)}): open "
        f"{folder / 'index.html'}, or put the folder on any web server."
    )
    return {"played": len(played), "positions": many, "bytes": total}


@command("schema")
def schema() -> None:
    """Print the JSON Schema of the JSON that `epcg curriculum export --format json` writes.

    \b
    Example:
      epcg curriculum schema > curriculum.schema.json
    """
    from epcg_publishing import data

    show(data.schema().removesuffix("\n"))
