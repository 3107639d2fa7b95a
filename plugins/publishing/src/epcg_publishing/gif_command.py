"""`epcg gif`: moves of a puzzle as a picture that moves."""

from __future__ import annotations

from pathlib import Path

import click

from epcg_core.inside import json_option, write_report
from epcg_core.plugin import command, db_option
from epcg_publishing.limits import GIF_MS, GIF_SIZE


@command("gif")
@click.argument("what")
@click.option(
    "--output", "target", metavar="FILE", type=click.Path(path_type=Path), help="Default: TITLE.gif."
)
@click.option("--move", "moves", multiple=True, metavar="MOVE",
              help="A move, in its words or by its number among those of its position; default: those of a "
              "solution. Repeatable.")  # fmt: skip
@click.option("--level", type=click.IntRange(1), default=1, metavar="N", show_default=True,
              help="The level of a file with several.")  # fmt: skip
@click.option("--domain", help="The domain of a file or a text that several read.")
@click.option("--size", type=click.IntRange(16, 4000), default=GIF_SIZE, show_default=True,
              help="The pixels of the longer side.")  # fmt: skip
@click.option("--milliseconds", type=click.IntRange(20, 10_000), default=GIF_MS, show_default=True,
              help="The time of a move.")  # fmt: skip
@db_option
@json_option
def gif(
    what: str,
    target: Path | None,
    moves: tuple[str, ...],
    level: int,
    domain: str | None,
    size: int,
    milliseconds: int,
    location: str,
    as_json: bool,
) -> None:
    """Make a GIF of WHAT, which plays a solution, or moves that you name.

    WHAT is a file (a game with its levels, a board), a puzzle's id, RUN#RANK of the database, or a puzzle as
    text. The pictures are those of the workbench and of play pages. It needs two libraries more:
    pip install 'epcg-publishing[gif]'.

    \b
    Examples:
      epcg gif my_game.txt --level 2
      epcg gif my_game.txt --move right --move up --output wrong.gif
      epcg gif "fling:boards?height=8&pieces=3&width=7#100" --size 240
    """
    from epcg_publishing.gif import gif as made

    found = made(
        what, target, moves=moves, level=level, domain=domain, size=size, milliseconds=milliseconds,
        db=location,
    )  # fmt: skip
    write_report(found)
    if as_json:
        write_report(found, "json")
