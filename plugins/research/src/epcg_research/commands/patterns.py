"""`epcg patterns`: all local patterns that never fail in a run's space, as inference rules.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from epcg_core.inside import write_report
from epcg_core.plugin import command, db_option, format_option, run_argument


@command("patterns")
@run_argument
@click.option("--conditions", type=click.IntRange(1, 8), default=3, show_default=True,
              help="The most conditions of a pattern.")  # fmt: skip
@click.option("--places", multiple=True, metavar="NAME",
              help="Only places of the window whose names begin so. Repeatable; default: all.")  # fmt: skip
@click.option("--most", type=click.IntRange(1, 1000), default=20, show_default=True,
              help="Patterns that are listed.")  # fmt: skip
@click.option("--where", metavar="SQL", help="Only puzzles for which this is true, such as 'solutions > 0'.")
@click.option("--puzzles", type=click.IntRange(1), help="Puzzles whose positions are walked through, drawn "
              "evenly. Default: all, up to 2,000.")  # fmt: skip
@click.option("--limit", type=click.IntRange(1), default=20_000, show_default=True,
              help="Positions of a puzzle; one with more is left out.")  # fmt: skip
@click.option("--check", type=int, metavar="RUN", help="Try the patterns on the space of this run, too.")
@click.option("--measure", type=click.IntRange(0), default=0, show_default=True,
              help="Puzzles on which MUSE is measured with and without each pattern.")  # fmt: skip
@click.option("--rule", "rules", multiple=True, metavar="NAME",
              help="An inference rule that the player knows beside, for --measure. Repeatable.")  # fmt: skip
@click.option("--page", "target", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.html",
              help="Write a page with pictures, too.")  # fmt: skip
@db_option
@format_option
def patterns(
    run_id: int,
    conditions: int,
    places: Sequence[str],
    most: int,
    where: str | None,
    puzzles: int | None,
    limit: int,
    check: int | None,
    measure: int,
    rules: Sequence[str],
    target: Path | None,
    location: str,
    format: str,
) -> None:
    """Find inference rules: all local patterns that never fail in the space of RUN.

    A pattern asks for values at some places around a move, or around a place for a mark, and says what
    follows. All patterns of up to --conditions of them are tried on every window of the space. Those that
    never fail, and of which no condition can go, are listed: first what says most, then what adds most to
    it. The rule `patterns` of the domain reads these lines, so difficulty is measured for players who know
    them.

    \b
    Examples:
      epcg patterns 3
      epcg patterns 3 --places clue --conditions 4 --page patterns.html
      epcg patterns 5 --where "solutions > 0" --measure 20 --rule path
    """
    from epcg_core import EpcgError
    from epcg_core.plugin import documents
    from epcg_research.patterns.report import patterns as found_in

    if target is not None and target.suffix not in (".html", ".htm"):
        raise EpcgError(f"--page: {target} does not end in .html.")
    found = found_in(
        run_id,
        conditions=conditions,
        places=places,
        most=most,
        where=where,
        puzzles=puzzles,
        limit=limit,
        check=check,
        measure=measure,
        rules=rules,
        db=location,
        tell=_tell if sys.stderr.isatty() else lambda what, done, of: None,
    )
    if sys.stderr.isatty():
        click.echo("\r\033[K", err=True, nl=False)
    write_report(found, format)
    if target is not None:
        with documents.replaced(target) as part:
            part.write_text(found.page(), encoding="utf-8")
        click.echo(f"{target}: a page with pictures of {len(found.patterns)} patterns.", err=True)


def _tell(what: str, done: int, of: int | None) -> None:
    """Say how far the search is, on one line that is written over."""
    if done % 64 == 0 or done == of:
        click.echo(f"\r\033[K{done:,}{f' of {of:,}' if of else ''} {what}", err=True, nl=False)
