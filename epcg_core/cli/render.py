"""`epcg render`: puzzles as text or pictures.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import click

from epcg_core.base import documents
from epcg_core.base.errors import writing
from epcg_core.cli.options import command, db_option, domain_option
from epcg_core.cli.output import say, show, write_report
from epcg_core.query.short_ids import shortened

SUFFIXES = {"svg": ".svg", "text": ".txt"}


@command("render")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option(
    "--format", "format", type=click.Choice(["svg", "text"]),
    help="Default: text, or what the output's ending says.",
)  # fmt: skip
@click.option(
    "--output", "target", metavar="PATH", type=click.Path(path_type=Path),
    help="Write into this file; with several IDs, into files in this folder, named after their ids.",
)  # fmt: skip
@click.option("--solution", is_flag=True, help="Draw a solution too: the recorded one, if there is one.")
@click.option("--animate", is_flag=True, help="Draw a picture that plays a solution (SVG, for browsers).")
@click.option(
    "--renderer", metavar="NAME", default="",
    help="A further renderer of the domain, by its name (`epcg domains DOMAIN` lists them).",
)  # fmt: skip
@domain_option("The domain that reads a file, if several could.")
@db_option
def render(
    ids: Sequence[str],
    format: Literal["svg", "text"] | None,
    target: Path | None,
    solution: bool,
    animate: bool,
    renderer: str,
    domain: str | None,
    location: str,
) -> None:
    """Draw puzzles. ID is a puzzle's id, which rebuilds it anywhere, RUN#RANK or a short id, which the
    database knows, or a file or a text of a puzzle, as `epcg score` takes them.

    \b
    Examples:
      epcg render "domain:generator?size=5#17"
      epcg render 4#17 --solution --output winner.svg
      epcg render mine.txt
      epcg render 4#17 4#29 4#301 --format svg --output pictures
    """
    from epcg_core.api import drawing

    as_folder = target is not None and (len(ids) > 1 or target.is_dir())
    if len(ids) > 1 and target is not None and target.suffix and not target.is_dir():
        raise click.UsageError(
            f"Several pictures need a folder, and '{target}' is the name of a file: --output "
            f"{target.with_suffix('')}."
        )
    if format is None:
        svg = animate or (target is not None and not as_folder and target.suffix.lower() == ".svg")
        format = "svg" if svg else "text"
    if animate and format != "svg":
        raise click.UsageError("--animate draws SVG: leave out --format text.")
    if target is not None and not as_folder and target.suffix.lower() in (".png", ".pdf", ".jpg", ".jpeg"):
        raise click.UsageError(f"'{target}' cannot be written: pictures are .svg, drawings in text .txt.")
    if target is None and format == "svg" and len(ids) > 1:
        raise click.UsageError("Several pictures need a folder: add --output FOLDER.")
    puzzles = drawing.named_puzzles(ids, location, solution, domain)
    names = _file_names([puzzle for puzzle, _ in puzzles])
    if target is not None and as_folder:
        with writing(target):
            target.mkdir(exist_ok=True)
    pictures = drawing.draw(puzzles, format, solution, animate, renderer)
    for position, picture in enumerate(pictures):
        if animate and not picture.moves:
            say(drawing.without_motion(picture))
        if target is None:
            if len(puzzles) > 1:
                show(("\n" if position else "") + picture.puzzle)
            write_report(picture)
            continue
        path = target / f"{names[position]}{SUFFIXES[format]}" if as_folder else target
        picture.save(path)
        say(f"{shortened(picture.puzzle)} is in {path}.")


def _file_names(puzzles: Sequence[str]) -> list[str]:
    """Turn puzzles' ids into the names of files: another one for each puzzle."""
    found: dict[str, str] = {}
    for puzzle in dict.fromkeys(puzzles):
        name, number = documents.file_name(puzzle), 1
        while name in found.values():
            number += 1
            name = f"{documents.file_name(puzzle)}-{number}"
        found[puzzle] = name
    return [found[puzzle] for puzzle in puzzles]
