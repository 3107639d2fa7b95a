"""`epcg export`: a run's candidates as CSV, JSON or Parquet, one chunk in memory at a time.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from epcg_core.inside import json_flag, write, write_report
from epcg_core.plugin import EpcgError, UnknownNameError, command, db_option, run_argument


@command("export")
@run_argument
@click.option("--format", "format", metavar="NAME",
              help="csv, json, parquet, or one that a plugin adds. Default: what the output's ending says; "
              "csv without an ending.")  # fmt: skip
@json_flag
@click.option("--output", "target", metavar="FILE", type=click.Path(path_type=Path),
              help="The file; default: standard output (not for parquet).")  # fmt: skip
@click.option("--metric", "wanted", multiple=True, help="Only this metric. Repeatable; default: all.")
@click.option("--where", metavar="CONDITION", help="Only candidates for which this SQL condition holds.")
@click.option("--puzzle-ids", is_flag=True, help="A column with the puzzle's id, which rebuilds it anywhere.")
@click.option("--status", is_flag=True, help="A column that says why a candidate has no value.")
@click.option("--partition", type=click.IntRange(min=1), metavar="COUNT",
              help="Write a folder of Parquet files of at most COUNT candidates each.")  # fmt: skip
@db_option
def export(
    run_id: int,
    format: str | None,
    target: Path | None,
    wanted: Sequence[str],
    where: str | None,
    puzzle_ids: bool,
    status: bool,
    partition: int | None,
    location: str,
) -> None:
    """Write every evaluated candidate of RUN with its rank and metrics, in the order of the ranks.

    CSV has true and false as 1 and 0 and no value as an empty field; JSON is a list of objects; Parquet needs
    pyarrow: pip install 'epcg-research[parquet]'. Its files tell which run they are of, and --partition
    makes a folder of them. The condition is over rank and all metrics of the run;
    a metric that is true or false has a second column: is_unique beside unique, which is a word of SQL.

    \b
    Examples:
      epcg export 4 --output scores.csv
      epcg export 4 --metric length --where "solvable AND length > 12" --puzzle-ids --format json
      epcg export 4 --output scores.parquet
      epcg export 4 --output scores --partition 50000000
    """
    from epcg_research import exporting

    try:
        format = format or exporting.format_of(target or Path(), partition is not None)
        exporter = exporting.exporter_of(format, partition is not None)
    except UnknownNameError:
        raise
    except EpcgError as error:
        raise click.UsageError(str(error)) from error
    if target is not None:
        found = exporting.export(
            run_id, target, format=format, metrics=wanted, where=where, puzzle_ids=puzzle_ids, status=status,
            partition=partition, db=location,
        )  # fmt: skip
        write_report(found)
        return
    if exporter is not None or format == "parquet":
        raise click.UsageError(f"{format} needs a file: add --output FILE.")
    from epcg_core.plugin import Store

    with Store.open(location) as store, store.reader() as reader:
        asked = exporting.wanted(reader, run_id, wanted, puzzle_ids, status, where)
        rows = exporting.Rows(reader, reader.run(run_id), asked)
        write(format, rows.names, rows)
