"""`epcg compare`: contents that other programs made, beside the whole space of a run.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from epcg_core.inside import write_report
from epcg_core.plugin import command, db_option, format_option, run_argument
from epcg_research.commands.paper import check_ending, paper_options


@command("compare")
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@run_argument
@click.option("--metric", "metrics", multiple=True, help="Only this measure. Repeatable; default: all.")
@click.option("--where", metavar="SQL", help="Only candidates of RUN for which this is true are the whole.")
@click.option("--column", metavar="COLUMN", help="The column of a table with the contents. Default: puzzle, "
              "rank, content or text.")  # fmt: skip
@click.option("--regions", type=click.IntRange(2, 1000), default=16, show_default=True,
              help="Equal parts of the space, in the order of ranks.")  # fmt: skip
@click.option("--adjust", type=click.Choice(["holm", "benjamini-hochberg", "none"]), default="holm",
              show_default=True, help="How p is adjusted for the number of measures.")  # fmt: skip
@click.option("--seed", default=0, show_default=True, help="Of lists that are drawn evenly, to compare with.")
@click.option("--plot", "target", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Draw the measures, too: FILE.svg, FILE.png or FILE.pdf.")  # fmt: skip
@paper_options
@db_option
@format_option
def compare(
    path: Path,
    run_id: int,
    metrics: Sequence[str],
    where: str | None,
    column: str | None,
    regions: int,
    adjust: Any,
    seed: int,
    target: Path | None,
    location: str,
    format: str,
    **paper: Any,
) -> None:
    """Compare contents that another program made, or a learned model, with the whole space of RUN: how much
    of it they are, which of them are the same up to symmetry, how their measures and places differ from those
    of all candidates, and their best from the best of all.

    FILE is a table with a column puzzle, rank, content or text (.csv, .tsv, .parquet), a list in JSON, a file
    of one of the domain's formats, a text with ids, ranks, or contents between empty lines, or a folder with
    a file for each.

    \b
    Examples:
      epcg compare generated.json 4
      epcg compare levels.csv 4 --metric length --plot generated.svg
      epcg compare levels.csv 4 --where "solutions > 0"
    """
    if target is not None:
        check_ending(target)
    from epcg_research.outside.report import compare as compared

    found = compared(
        path,
        run_id,
        metrics=metrics,
        where=where,
        column=column,
        regions=regions,
        adjust=adjust,
        seed=seed,
        db=location,
    )
    write_report(found, format)
    if target is not None:
        from epcg_research.commands.paper import paper_of, say_drawn
        from epcg_research.outside.shown import drawing

        drawn = drawing(found)
        drawn.save(target, paper_of(paper))
        say_drawn(target, drawn.caption, paper["caption"])
