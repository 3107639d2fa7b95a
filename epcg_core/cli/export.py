"""`epcg export`: a run's candidates as CSV, JSON or Parquet, one chunk in memory at a time.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from epcg_core.cli import output
from epcg_core.cli.options import command, db_option, run_argument
from epcg_core.cli.output import say
from epcg_core.errors import EpcgError, StoreError, require

if TYPE_CHECKING:
    from epcg_core.domain import Metric
    from epcg_core.store import Reader

Columns = dict[str, list[Any]]
"""name -> values of one chunk's candidates; None if there is no value."""


@command("export")
@run_argument
@click.option("--format", "format", type=click.Choice(["csv", "json", "parquet"]),
              help="Default: what the output's ending says; csv without an ending.")  # fmt: skip
@click.option("--output", "target", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
              help="The file; default: standard output (not for parquet).")  # fmt: skip
@click.option("--metric", "wanted", multiple=True, help="Only this metric. Repeatable; default: all.")
@click.option("--where", metavar="CONDITION", help="Only candidates for which this SQL condition holds.")
@click.option("--puzzle-ids", is_flag=True, help="A column with the puzzle's id, which rebuilds it anywhere.")
@click.option("--status", is_flag=True, help="A column that says why a candidate has no value.")
@db_option
def export(
    run_id: int,
    format: str | None,
    target: Path | None,
    wanted: Sequence[str],
    where: str | None,
    puzzle_ids: bool,
    status: bool,
    location: str,
) -> None:
    """Write every evaluated candidate of RUN with its rank and metrics, in the order of the ranks.

    CSV has true and false as 1 and 0 and no value as an empty field; JSON is a list of objects; Parquet needs
    pyarrow: pip install 'epcg-core[parquet]'. The condition is over rank and all metrics of the run;
    a metric that is true or false has a second column: is_unique beside unique, which is a word of SQL.

    \b
    Examples:
      epcg export 4 --output scores.csv
      epcg export 4 --metric length --where "solvable AND length > 12" --puzzle-ids --format json
      epcg export 4 --output scores.parquet
    """
    format = format or _format_of(target)
    if format == "parquet" and target is None:
        raise click.UsageError("Parquet needs a file: add --output FILE.parquet.")
    if target is not None and not target.parent.is_dir():
        raise EpcgError(f"There is no folder {target.parent}: make it, or choose another --output.")
    from epcg_core.store import Store

    with Store.open(location) as store, store.reader() as reader:
        run = reader.run(run_id)
        metrics = {metric.name: metric for metric in reader.metrics(run_id)}
        shown = [reader.column(run_id, name).name for name in wanted] or list(metrics)
        names = ["rank", *(["puzzle"] if puzzle_ids else []), *shown, *(["status"] if status else [])]
        read = shown if where is None else list(metrics)
        chunks = export_chunks(reader, run_id, read, run.space if puzzle_ids else None)
        if where is not None:
            _check_condition(where, metrics)
            chunks = _admitted(chunks, where, metrics)
        counter = _Counter({name: chunk[name] for name in names} for chunk in chunks)
        if format == "parquet":
            assert target is not None
            _write_parquet(target, counter, names, metrics)
        else:
            _write_text(target, format, names, counter)
    unfinished = "" if run.done else f"; the run is not finished: epcg resume {run_id}"
    if target is not None:
        say(f"{counter.rows:,} candidates of run {run_id} are in {target}{unfinished}.")


def _format_of(target: Path | None) -> str:
    suffix = target.suffix.lower().lstrip(".") if target is not None else ""
    if suffix not in ("", "csv", "json", "parquet"):
        raise click.UsageError(
            f"'{target}' has the ending of no format: choose .csv, which spreadsheets open, .json or "
            ".parquet, or add --format."
        )
    return suffix or "csv"


class _Counter:
    """Chunks on their way out, counted."""

    def __init__(self, chunks: Iterator[Columns]) -> None:
        self._chunks = chunks
        self.rows = 0

    def __iter__(self) -> Iterator[Columns]:
        for chunk in self._chunks:
            self.rows += len(chunk["rank"])
            yield chunk


def export_chunks(reader: Reader, run_id: int, names: Sequence[str], space: str | None) -> Iterator[Columns]:
    """Chunk by chunk the rank, status and metrics of every evaluated candidate, as plain values.

    With the name of the `space` the puzzle ids too.
    """
    from epcg_core.chunks.codec import decode
    from epcg_core.domain import STATUS_NAMES
    from epcg_core.query.puzzle_id import puzzle_id

    columns = [reader.column(run_id, name) for name in names]
    starts = [chunk.start for chunk in reader.chunks(run_id, names[0])]
    for start in starts:
        found: Columns = {}
        for column in columns:
            chunk = reader.chunk_at(run_id, column.name, start)
            assert chunk is not None  # a run's columns are cut alike
            if not found:
                ranks = reader.ranks(run_id, chunk).tolist()
                numbers = reader.status(run_id, start)
                found["rank"] = ranks
                if space is not None:
                    found["puzzle"] = [puzzle_id(space, rank) for rank in ranks]
                found["status"] = (
                    [STATUS_NAMES[0]] * len(ranks)
                    if numbers is None
                    else [STATUS_NAMES[number] for number in numbers.tolist()]
                )
            values = decode(chunk).tolist()
            missing = reader.missing(run_id, column, chunk)
            if missing is not None:
                values = [None if gone else v for v, gone in zip(values, missing.tolist(), strict=True)]
            found[column.name] = values
        yield found


def _admitted(chunks: Iterable[Columns], where: str, metrics: Mapping[str, Metric]) -> Iterator[Columns]:
    """Yield the candidates for which an SQL condition holds: SQLite decides, as in `epcg db materialize`."""
    connection, names = _candidates(metrics), ["rank", *metrics]
    places = ", ".join("?" * (len(names) + 1))
    try:
        for chunk in chunks:
            rows = zip(range(len(chunk["rank"])), *(chunk[name] for name in names), strict=True)
            connection.execute("DELETE FROM candidates")
            connection.executemany(f"INSERT INTO candidates VALUES ({places})", rows)
            positions = _positions(connection, where, names)
            if positions:
                yield {name: [values[p] for p in positions] for name, values in chunk.items()}
    finally:
        connection.close()


def _check_condition(where: str, metrics: Mapping[str, Metric]) -> None:
    """Raise StoreError if `where` is not a condition, before anything is written."""
    from epcg_core import documents

    documents.check(where, "--where", StoreError)
    connection = _candidates(metrics)
    try:
        _positions(connection, where, ["rank", *metrics])
    finally:
        connection.close()


def _candidates(metrics: Mapping[str, Metric]) -> sqlite3.Connection:
    """Make an empty table `candidates` in memory, with a column for the rank and for each metric."""
    from epcg_core.store.rows import condition_columns

    connection = sqlite3.connect(":memory:")
    columns = ", ".join(condition_columns(metrics))
    connection.execute(f"CREATE TABLE candidates (position INTEGER PRIMARY KEY, rank, {columns})")
    return connection


def _positions(connection: sqlite3.Connection, where: str, names: Sequence[str]) -> list[int]:
    """Which rows of `candidates` the condition holds for."""
    try:
        found = connection.execute(f"SELECT position FROM candidates WHERE {where} ORDER BY position")
        return [position for (position,) in found]
    except (sqlite3.Error, sqlite3.Warning) as error:
        word = re.search('near "(.*?)"', str(error))  # a metric may have the name of an SQL word
        hint = (
            f" ('{word[1]}' is a word of SQL: write \"{word[1]}\", or is_{word[1]} for true)"
            if word and word[1] in names
            else ""
        )
        raise StoreError(
            f"--where {where}: {error}{hint}. It is a condition over {', '.join(names)}."
        ) from None


def _write_text(target: Path | None, format: str, names: Sequence[str], chunks: Iterable[Columns]) -> None:
    rows = (row for chunk in chunks for row in zip(*(chunk[name] for name in names), strict=True))
    if target is None:
        output.write(format, names, rows)
        return
    lines = output.json_lines(names, rows) if format == "json" else output.csv_lines(names, rows)
    with output.replaced(target) as path, path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"{line}\n" for line in lines)


def _write_parquet(
    target: Path, chunks: Iterable[Columns], names: Sequence[str], metrics: dict[str, Metric]
) -> None:
    require("Parquet needs", "pyarrow", extra="epcg-core[parquet]")
    import pyarrow
    from pyarrow import parquet

    kinds: dict[str, Callable[[], Any]] = {
        "int": pyarrow.int64, "real": pyarrow.float64, "bool": pyarrow.bool_
    }  # fmt: skip
    own = {"rank": pyarrow.int64(), "puzzle": pyarrow.string(), "status": pyarrow.string()}
    schema = pyarrow.schema([(name, own[name] if name in own else kinds[metrics[name].kind]())
                             for name in names])  # fmt: skip
    with output.replaced(target) as path, parquet.ParquetWriter(path, schema) as writer:
        for chunk in chunks:
            writer.write_table(pyarrow.table(chunk, schema=schema))
