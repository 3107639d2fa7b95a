"""`epcg share`: one file to send to a friend."""

from __future__ import annotations

from pathlib import Path

import click

from epcg_core.inside import json_option, write_report
from epcg_core.plugin import command, db_option
from epcg_publishing.limits import LEAST_OF_EACH, MOST_OF_PAGE, MOST_POSITIONS
from epcg_publishing.texts import ENGLISH, LANGUAGES


@command("share")
@click.argument("what")
@click.option(
    "--output", "target", metavar="FILE", type=click.Path(path_type=Path), help="Default: TITLE.html."
)
@click.option("--title", help="The heading; default: the name of the file, or of the puzzle.")
@click.option("--domain", help="The domain of a file or a text that several read.")
@click.option("--level", "levels", multiple=True, type=click.IntRange(1), metavar="N",
              help="Of a file with several levels, share level N only. Repeatable.")  # fmt: skip
@click.option("--numbers/--no-numbers", default=True, show_default=True, help="How hard it is, measured now.")
@click.option("--solutions/--no-solutions", default=True, show_default=True, help="Solutions, behind a tap.")
@click.option("--hints/--no-hints", default=True, show_default=True, help="Hints, one move at a time.")
@click.option("--warnings/--no-warnings", "warns", default=True, show_default=True,
              help="Offer to say when nothing can be won any more.")  # fmt: skip
@click.option("--link", metavar="ADDRESS", default="",
              help="Print an address that holds the whole game, for a page of `epcg share` that lies at "
              "ADDRESS: it opens there without the file.")  # fmt: skip
@click.option("--positions", type=click.IntRange(1, 10_000_000), metavar="NUMBER",
              help="The most positions of a puzzle. One that has more carries a fifth of them, those nearest "
              f"to its solution. Default: the puzzles share {MOST_OF_PAGE:,}, {LEAST_OF_EACH:,} to "
              f"{MOST_POSITIONS:,} each.")  # fmt: skip
@click.option("--texts", type=click.Choice(LANGUAGES), default=ENGLISH, show_default=True,
              help="The language of the page's own texts.")  # fmt: skip
@db_option
@json_option
def share(
    what: str,
    target: Path | None,
    title: str | None,
    domain: str | None,
    levels: tuple[int, ...],
    numbers: bool,
    solutions: bool,
    hints: bool,
    warns: bool,
    link: str,
    positions: int | None,
    texts: str,
    location: str,
    as_json: bool,
) -> None:
    """Make one HTML file of WHAT, on which it is played: on phones, too, without server and network.

    WHAT is a file (a game with its levels, a board), a puzzle's id, RUN#RANK of the database, or a puzzle as
    text. A game runs as its player sees it: its title, its messages as screens, one level after the other,
    its end; the page goes on where one was last. Levels that cannot be solved are told. Of a recorded puzzle
    the numbers are those that were recorded, with the run and its digest.

    \b
    Examples:
      epcg share my_game.txt
      epcg share my_game.txt --level 2 --no-solutions
      epcg share my_game.txt --link https://example.org/game.html
      epcg share 4#17 --db boards.db
      epcg share "fling:boards?height=8&pieces=3&width=7#100" --title "Three balls"
    """
    from epcg_publishing.shared_page import share as shared

    found = shared(
        what, target, title=title, domain=domain, levels=levels, numbers=numbers, solutions=solutions,
        hints=hints, warns=warns, link=link, positions=positions, texts=texts, db=location,
    )  # fmt: skip
    write_report(found)
    if as_json:
        write_report(found, "json")
