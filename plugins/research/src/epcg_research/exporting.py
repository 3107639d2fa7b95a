"""The function `epcg_core.export`: candidates of a run in a file, one chunk in memory at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core import Note, Report
from epcg_core.inside import checked, csv_lines, json_lines, location_of, naming_db, no_folder
from epcg_core.plugin import (
    EpcgError,
    Store,
    Wanted,
    columns,
    documents,
    registry,
    resolve,
    writing,
)
from epcg_research.parts import ExporterInfo

if TYPE_CHECKING:
    from epcg_core import Table
    from epcg_core.inside import Columns
    from epcg_core.plugin import Reader, RunRecord

FORMATS = ("csv", "json", "parquet")
"""The formats that are here; plugins add others."""


@attrs.frozen(repr=False)
class Exported(Report):
    """A file with candidates of a run."""

    run: int
    rows: int
    format: str
    output: Path
    unfinished: str = ""
    """What goes on with the run, if it is not finished."""

    def parts(self) -> Iterator[str | Table]:
        """Yield a sentence."""
        yield Note(f"{self.rows:,} candidates of run {self.run} are in {self.output}{self.unfinished}.")

    def json(self) -> dict[str, Any]:
        """Return the number of rows, and the file."""
        return {"run": self.run, "rows": self.rows, "format": self.format, "output": str(self.output)}


@checked
def export(
    run: int,
    output: str | Path,
    *,
    format: str | None = None,
    metrics: Sequence[str] = (),
    where: str | None = None,
    puzzle_ids: bool = False,
    status: bool = False,
    partition: int | None = None,
    db: str | Path | None = None,
) -> Exported:
    """Write every evaluated candidate of a run into a file, as `epcg export` does; `Run.frame` returns them.

    Args:
        run: the number of the run.
        output: the file; of parts the folder.
        format: 'csv', 'json', 'parquet', or one that a plugin adds; None for what the ending says.
        metrics: the metrics; none for all.
        where: an SQL condition over rank and all metrics of the run.
        puzzle_ids: whether there is a column with the puzzles' ids.
        status: whether there is a column that says why a candidate has no value.
        partition: write a folder of files of at most so many candidates each.
        db: the database; as for `open`.

    Raises:
        EpcgError: if there is no such run, metric or format, or the file cannot be written.
    """
    target = Path(output)
    format = format or format_of(target, partition is not None)
    exporter = exporter_of(format, partition is not None)
    if not target.parent.is_dir():
        raise EpcgError(no_folder(target))
    if target.is_dir():
        raise EpcgError(f"There is already a folder {target}: choose another output.")
    location = location_of(db)
    with Store.open(location) as store, store.reader() as reader:
        record = reader.run(run)
        asked = wanted(reader, run, metrics, puzzle_ids, status, where)
        if exporter is not None:
            rows = _write_by_plugin(exporter, reader, record, asked, target, partition)
        elif format == "parquet":
            rows = _write_parquet(reader, record, asked, target, partition)
        else:
            found = Rows(reader, record, asked)
            lines = json_lines(found.names, found) if format == "json" else csv_lines(found.names, found)
            with documents.replaced(target) as path, path.open("w", encoding="utf-8", newline="") as file:
                file.writelines(f"{line}\n" for line in lines)
            rows = found.count
    go_on = "" if record.done else f"; the run is not finished: epcg resume {run}{naming_db(location)}"
    return Exported(run, rows, format, target, go_on)


def format_of(target: Path, parts: bool) -> str:
    """Return the format of a file's ending; of a folder of parts, Parquet unless a plugin has the ending.

    Raises EpcgError if no format has the ending.
    """
    suffix = target.suffix.lower().lstrip(".")
    if suffix in ("", *FORMATS):
        return "parquet" if parts else suffix or "csv"
    for info in registry().all(ExporterInfo):
        if f".{suffix}" in info.endings:
            return info.name
    if parts:
        return "parquet"
    raise EpcgError(
        f"'{target}' has the ending of no format: choose .csv, which spreadsheets open, .json or "
        ".parquet, or name the format."
    )


def exporter_of(format: str, parts: bool) -> ExporterInfo | None:
    """Return the plugin's part that writes a format; None of those that are here.

    Raises EpcgError if there is no such format, or it writes no folder of parts, which is asked for.
    """
    found = {info.name: info for info in registry().all(ExporterInfo)}
    exporter = found.get(format)
    if exporter is None and format not in FORMATS:
        raise registry().unknown("format", format, [*FORMATS, *found])
    if parts and format != "parquet" and (exporter is None or exporter.write_parts is None):
        raise EpcgError("A partition is for Parquet: leave it out, or choose the format parquet.")
    return exporter


def wanted(
    reader: Reader, run: int, metrics: Sequence[str], puzzle_ids: bool, status: bool, where: str | None
) -> Wanted:
    """Return the columns and rows that are asked for, in which no metrics are all of them."""
    names = tuple(dict.fromkeys(metrics)) or tuple(metric.name for metric in reader.every_metric(run))
    return Wanted(names, puzzle_ids, status, where)


class Rows:
    """The rows of a run, counted as they are taken."""

    def __init__(self, reader: Reader, run: RunRecord, asked: Wanted) -> None:
        self._parts: Iterable[Columns] = columns(
            reader, run.id, asked.metrics, status=asked.status, where=asked.where
        )
        self._space = run.space
        self.names = asked.names
        self.count = 0

    def __iter__(self) -> Iterator[Sequence[Any]]:
        for part in self._parts:
            self.count += len(part)
            yield from zip(*(part.column(name, self._space) for name in self.names), strict=True)


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
