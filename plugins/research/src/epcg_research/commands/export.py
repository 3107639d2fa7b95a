"""`epcg export`: a run's candidates as CSV, JSON or Parquet, one chunk in memory at a time.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from epcg_core.inside import csv_lines, json_lines, naming_db, say, write
from epcg_core.plugin import (
    EpcgError,
    ExporterInfo,
    command,
    db_option,
    documents,
    registry,
    resolve,
    run_argument,
    writing,
)

if TYPE_CHECKING:
    from epcg_core.inside import Columns
    from epcg_core.plugin import Reader, RunRecord, Wanted

FORMATS = ("csv", "json", "parquet")
"""The formats that are here; plugins add others."""


@command("export")
@run_argument
@click.option("--format", "format", metavar="NAME",
              help="csv, json, parquet, or one that a plugin adds. Default: what the output's ending says; "
              "csv without an ending.")  # fmt: skip
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
    format = format or _format_of(target, partition is not None)
    exporter = None if format in FORMATS else registry().exporter(format, FORMATS)
    if partition is not None and format != "parquet" and (exporter is None or exporter.write_parts is None):
        raise click.UsageError("--partition is for Parquet: leave it out, or choose --format parquet.")
    if exporter is not None and target is None:
        raise click.UsageError(f"{format} needs a file: add --output FILE.")
    if format == "parquet" and target is None:
        raise click.UsageError("Parquet needs a file: add --output FILE.parquet.")
    if target is not None and not target.parent.is_dir():
        raise EpcgError(f"There is no folder {target.parent}: make it, or choose another --output.")
    if target is not None and target.is_dir():
        raise EpcgError(f"There is already a folder {target}: choose another --output.")
    from epcg_core.plugin import Store, Wanted

    with Store.open(location) as store, store.reader() as reader:
        run = reader.run(run_id)
        metrics = tuple(dict.fromkeys(wanted)) or tuple(metric.name for metric in reader.every_metric(run_id))
        asked = Wanted(metrics, puzzle_ids, status, where)
        if exporter is not None:
            assert target is not None
            rows = _write_by_plugin(exporter, reader, run, asked, target, partition)
        elif format == "parquet":
            assert target is not None
            rows = _write_parquet(reader, run, asked, target, partition)
        else:
            rows = _write_text(reader, run, asked, target, format)
    unfinished = "" if run.done else f"; the run is not finished: epcg resume {run_id}{naming_db(location)}"
    if target is not None:
        say(f"{rows:,} candidates of run {run_id} are in {target}{unfinished}.")


def _format_of(target: Path | None, parts: bool) -> str:
    """Return the format of a file's ending; of a folder of parts, Parquet unless a plugin has the ending."""
    suffix = target.suffix.lower().lstrip(".") if target is not None else ""
    if suffix in ("", *FORMATS):
        return "parquet" if parts else suffix or "csv"
    for info in registry().all(ExporterInfo):
        if f".{suffix}" in info.endings:
            return info.name
    if parts:
        return "parquet"
    raise click.UsageError(
        f"'{target}' has the ending of no format: choose .csv, which spreadsheets open, .json or "
        ".parquet, or add --format."
    )


class _Rows:
    """The rows of some parts of columns, counted as they are taken."""

    def __init__(self, parts: Iterable[Columns], names: Sequence[str], space: str) -> None:
        self._parts, self._names, self._space = parts, names, space
        self.count = 0

    def __iter__(self) -> Iterator[Sequence[Any]]:
        for part in self._parts:
            self.count += len(part)
            yield from zip(*(part.column(name, self._space) for name in self._names), strict=True)


def _write_text(reader: Reader, run: RunRecord, asked: Wanted, target: Path | None, format: str) -> int:
    from epcg_core.plugin import columns

    parts = columns(reader, run.id, asked.metrics, status=asked.status, where=asked.where)
    names = asked.names
    rows = _Rows(parts, names, run.space)
    if target is None:
        write(format, names, rows)
    else:
        lines = json_lines(names, rows) if format == "json" else csv_lines(names, rows)
        with documents.replaced(target) as path, path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(f"{line}\n" for line in lines)
    return rows.count


def _write_parquet(reader: Reader, run: RunRecord, asked: Wanted, target: Path, partition: int | None) -> int:
    from epcg_research.exchange import arrow

    arrow.need_arrow("Parquet needs")
    if partition is not None:
        return arrow.write_partitions(reader, run, asked, target, partition)
    with writing(target), documents.replaced(target) as path:
        return arrow.write_parquet(reader, run, asked, path)


def _write_by_plugin(
    exporter: ExporterInfo,
    reader: Reader,
    run: RunRecord,
    asked: Wanted,
    target: Path,
    partition: int | None,
) -> int:
    with writing(target), registry().attribute_errors_to(exporter):
        if partition is not None:
            assert exporter.write_parts is not None
            return int(resolve(exporter.write_parts)(reader, run, asked, target, partition))
        with documents.replaced(target) as path:
            return int(resolve(exporter.write)(reader, run, asked, path))
