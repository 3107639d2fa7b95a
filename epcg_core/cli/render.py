"""`epcg render`: puzzles as text or pictures.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import click

from epcg_core import documents
from epcg_core.cli.options import command, db_option
from epcg_core.cli.output import say, show
from epcg_core.errors import QueryError
from epcg_core.query.short_ids import is_short, shortened

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
@click.option("--domain", help="The domain that reads a file, if several could.")
@db_option
def render(
    ids: Sequence[str],
    format: str | None,
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
    from epcg_core.rendering import render

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
    puzzles = _puzzles(ids, location, solution, domain)
    names = _file_names([puzzle for puzzle, _ in puzzles])
    for position, (puzzle, recorded) in enumerate(puzzles):
        if animate or solution:
            drawn = _solved(puzzle, format, recorded, animate, renderer)
        else:
            drawn = render.render(puzzle, format, renderer)
        if target is None:
            if len(puzzles) > 1:
                show(("\n" if position else "") + puzzle)
            show(drawn.rstrip("\n"))
            continue
        path = target / f"{names[position]}{SUFFIXES[format]}" if as_folder else target
        path.parent.mkdir(parents=True, exist_ok=True)
        with documents.replaced(path) as part:
            part.write_text(drawn, encoding="utf-8")
        say(f"{shortened(puzzle)} is in {path}.")


def _solved(puzzle: str, format: str, recorded: Sequence[str], animate: bool, renderer: str) -> str:
    """Draw a puzzle with a solution. Raises QueryError if its domain draws none."""
    from epcg_core.rendering.render import render_animated, render_solved

    if animate:
        drawn = render_animated(puzzle, renderer)
    else:
        drawn = render_solved(puzzle, format, recorded, renderer)
    if drawn is None:
        domain, option = puzzle.partition(":")[0], "animate" if animate else "solution"
        what = "moving pictures" if animate else f"solutions as {format}"
        raise QueryError(f"The domain {domain} draws no {what}: leave out --{option}.")
    if animate and "<animate" not in drawn:
        say(f"{shortened(puzzle)}: no solution to play is found, so the picture does not move.")
    return drawn


def _puzzles(
    ids: Sequence[str], location: str, solution: bool, domain: str | None
) -> list[tuple[str, Sequence[str]]]:
    """Return the id of each puzzle that the user named, with its recorded solution if that is wanted."""
    from epcg_core.plugins.registry import registry
    from epcg_core.query.puzzle_id import parse_puzzle_id, puzzle_id

    named = [re.fullmatch(r"(\d{1,9})#(\d{1,300})", text.strip()) for text in ids]
    short = any(map(is_short, ids))
    if not any(named) and not short and not (solution and Path(location).is_file()):
        return [(_found(text, location, domain), ()) for text in ids]
    from epcg_core.services.solutions import Solutions
    from epcg_core.store import Store
    from epcg_core.store.short_ids import whole

    puzzles: list[tuple[str, Sequence[str]]] = []
    with Store.open(location) as store, store.reader() as reader:
        solutions = Solutions(reader)

        def known(space: str, rank: int) -> Sequence[str]:
            return next(iter(solutions.of(space, rank)), ()) if solution else ()

        for text, match in zip(ids, named, strict=True):
            if match is None:
                text = whole(reader, text) if is_short(text) else _found(text, location, domain)
                space, rank = parse_puzzle_id(registry(), text)
                puzzles.append((text, known(space.name, rank)))
                continue
            record, rank = reader.run(int(match[1])), int(match[2])
            if rank >= record.max_rank:
                raise QueryError(f"Run {record.id} has ranks 0 to {record.max_rank - 1}, not {rank}.")
            puzzles.append((puzzle_id(record.space, rank), known(record.space, rank)))
    return puzzles


def _found(text: str, location: str, domain: str | None) -> str:
    """Return the id of the puzzle that an id, a file or a text names."""
    from epcg_core.plugins.registry import registry

    if "#" in text and ":" in text and registry().named_path(text) is None:
        return text
    from epcg_core.query.puzzle_id import puzzle_id
    from epcg_core.services.score import find, reading

    with reading(location) as reader:
        space, rank = find(text, reader, domain)
    return puzzle_id(space.name, rank)


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
