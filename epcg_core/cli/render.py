"""`epcg render`: puzzles as text or pictures.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import click

from epcg_core.cli.options import command, db_option
from epcg_core.cli.output import say

SUFFIXES = {"svg": ".svg", "text": ".txt"}


@command("render")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option(
    "--format", "format", type=click.Choice(["svg", "text"]),
    help="Default: text, or what the output's ending says.",
)  # fmt: skip
@click.option(
    "--output", "target", metavar="PATH", type=click.Path(path_type=Path),
    help="Write into this file; with several IDs, into files in this folder.",
)  # fmt: skip
@click.option(
    "--renderer", metavar="NAME", default="",
    help="A further renderer of the domain, by its name (`epcg domains DOMAIN` lists them).",
)  # fmt: skip
@db_option
def render(ids: Sequence[str], format: str | None, target: Path | None, renderer: str, location: str) -> None:
    """Draw puzzles. ID is a puzzle's id, which rebuilds it anywhere, or RUN#RANK of the database.

    \b
    Examples:
      epcg render "domain:generator?size=5#17"
      epcg render 4#17 --output winner.svg
      epcg render 4#17 4#29 4#301 --format svg --output pictures
    """
    from epcg_core.rendering import render

    as_folder = target is not None and (len(ids) > 1 or target.is_dir())
    if format is None:
        svg = target is not None and not as_folder and target.suffix.lower() == ".svg"
        format = "svg" if svg else "text"
    if target is not None and not as_folder and target.suffix.lower() in (".png", ".pdf", ".jpg", ".jpeg"):
        raise click.UsageError(f"'{target}' cannot be written: pictures are .svg, drawings in text .txt.")
    if target is None and format == "svg" and len(ids) > 1:
        raise click.UsageError("Several pictures need a folder: add --output FOLDER.")
    puzzles = _puzzles(ids, location)
    for position, puzzle in enumerate(puzzles):
        drawn = render.render(puzzle, format, renderer)
        if target is None:
            if len(puzzles) > 1:
                click.echo(("\n" if position else "") + puzzle)
            click.echo(drawn.rstrip("\n"))
            continue
        path = target / f"{file_name(puzzle)}{SUFFIXES[format]}" if as_folder else target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(drawn, encoding="utf-8")
        say(f"{puzzle} is in {path}.")


def _puzzles(ids: Sequence[str], location: str) -> list[str]:
    """Puzzle ids of what the user named."""
    from epcg_core.errors import QueryError
    from epcg_core.query.puzzle_id import puzzle_id

    named = [re.fullmatch(r"(\d+)#(\d+)", text.strip()) for text in ids]
    if not any(named):
        return list(ids)
    from epcg_core.store import Store

    puzzles = []
    with Store.open(location) as store, store.reader() as reader:
        for text, match in zip(ids, named, strict=True):
            if match is None:
                puzzles.append(text)
                continue
            record, rank = reader.run(int(match[1])), int(match[2])
            if rank >= record.max_rank:
                raise QueryError(f"Run {record.id} has ranks 0 to {record.max_rank - 1}, not {rank}.")
            puzzles.append(puzzle_id(record.space, rank))
    return puzzles


def file_name(puzzle: str) -> str:
    """Turn a puzzle's id into a file name that every system accepts."""
    return re.sub(r"[^A-Za-z0-9=.]+", "-", puzzle).strip("-.")
