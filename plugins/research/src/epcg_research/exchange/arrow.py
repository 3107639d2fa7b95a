"""A run's candidates as Arrow record batches and Parquet files, one chunk in memory at a time.

Needs pyarrow, which is imported when it is used: the extra `parquet`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa

import epcg_core
from epcg_core.inside import EXACT_VALUES, Columns, canonical_json, metric_of
from epcg_core.plugin import (
    STATUS_NAMES,
    EpcgError,
    Metric,
    Reader,
    RunRecord,
    Wanted,
    columns,
    documents,
    require,
    writing,
)

KEY = b"epcg"
"""The key of our JSON document in the metadata of a schema, and so of a Parquet file."""
FORM = 1
"""The form of that document."""
ROW_GROUP = 1 << 18
"""Candidates in a row group, and at most in a batch: one is in memory at a time."""
LEVEL = 1
"""The level of zstd: higher ones take longer and save nothing, because the encodings come first."""


def need_arrow(who: str) -> None:
    """Raise PluginError if pyarrow is missing; `who` begins the message, such as 'Parquet needs'."""
    require(who, "pyarrow", "pyarrow.parquet", extra="epcg-research[parquet]")


def facts(reader: Reader, run: RunRecord, wanted: Wanted) -> dict[str, Any]:
    """Return what a file says about the run that it is of: identity, digest, versions, metrics."""
    return {
        "form": FORM,
        "epcg": epcg_core.__version__,
        "run": run.id,
        "domain": run.domain,
        "space": run.space,
        "search": run.search,
        "identity": run.identity,
        "digest": run.digest,
        "state": run.state,
        "coverage": run.coverage,
        "range": [run.start, run.stop],
        "max_rank": run.max_rank,
        "evaluated": run.evaluated,
        "versions": run.versions,
        "sources": None if run.sources is None else run.sources.digest,
        "query": run.spec["query"],
        "where": wanted.where,
        "metrics": {
            metric.name: described(metric)
            for metric in reader.every_metric(run.id)
            if metric.name in wanted.metrics
        },
    }


def described(metric: Metric) -> dict[str, str]:
    """Return what a file says about a metric."""
    return {
        "kind": metric.kind,
        "unit": metric.unit,
        "direction": metric.direction,
        "description": metric.description,
    }


def schema_of(reader: Reader, run: RunRecord, wanted: Wanted) -> Any:
    """Return the Arrow schema of what is wanted of a run: 64-bit integers and reals, booleans, strings."""
    import pyarrow

    kinds = {"int": pyarrow.int64(), "real": pyarrow.float64(), "bool": pyarrow.bool_()}
    own = {"rank": pyarrow.int64(), "puzzle": pyarrow.string(), "status": pyarrow.string()}
    fields = []
    for name in wanted.names:
        if name in own:
            fields.append(pyarrow.field(name, own[name], nullable=False))
            continue
        metric = metric_of(reader, run.id, name)
        about = {key: text for key, text in described(metric).items() if text and key != "kind"}
        fields.append(pyarrow.field(name, kinds[metric.kind], metadata=about))
    return pyarrow.schema(fields, metadata={KEY: canonical_json(facts(reader, run, wanted))})


def batches(reader: Reader, run: RunRecord, wanted: Wanted, schema: Any) -> Iterator[Any]:
    """Return an iterator of record batches, one for each chunk or several, in the order of the ranks.

    Raises UnknownNameError or StoreError before the first one (see `columns`).
    """
    parts = columns(reader, run.id, wanted.metrics, status=wanted.status, where=wanted.where)
    return (
        _batch(part.taken(slice(low, low + ROW_GROUP)), run.space, schema)
        for part in parts
        for low in range(0, len(part), ROW_GROUP)
    )


def _batch(part: Columns, space: str, schema: Any) -> Any:
    import pyarrow
    from pyarrow import compute

    arrays = []
    for field in schema:
        if field.name in part.values:
            values, missing = part.values[field.name]
            if pyarrow.types.is_int64(field.type):
                values = values.astype("int64")
            arrays.append(pyarrow.array(values, field.type, mask=missing))
        elif field.name == "rank":
            arrays.append(pyarrow.array(part.ranks))
        elif field.name == "puzzle":
            ranks = pyarrow.array(part.ranks).cast(pyarrow.string())
            arrays.append(compute.binary_join_element_wise(f"{space}#", ranks, ""))
        elif part.status is None:
            arrays.append(pyarrow.repeat(pyarrow.scalar(STATUS_NAMES[0]), len(part)))
        else:
            numbers = pyarrow.array(part.status.astype("int8"))
            known = pyarrow.array(STATUS_NAMES)
            arrays.append(pyarrow.DictionaryArray.from_arrays(numbers, known).dictionary_decode())
    return pyarrow.record_batch(arrays, schema=schema)


# --- Parquet


def write_parquet(reader: Reader, run: RunRecord, wanted: Wanted, target: Path) -> int:
    """Write a Parquet file, and return its number of candidates. Raises OSError if it cannot be written.

    Ranks are recorded as differences, row groups follow the ranks and have statistics, and the file's
    metadata tell what it is of.
    """
    schema = schema_of(reader, run, wanted)
    groups = _groups(batches(reader, run, wanted, schema), ROW_GROUP)
    return sum(_write(target, schema, groups, _encodings(reader, run, wanted)))


def write_partitions(reader: Reader, run: RunRecord, wanted: Wanted, folder: Path, most: int) -> int:
    """Write a folder of Parquet files of at most `most` candidates each, named by their first rank.

    The folder appears when all is written.

    Raises:
        EpcgError: if there is something of this name, or it cannot be written.
    """
    if folder.exists():
        raise EpcgError(f"There is already something named {folder}: choose another --output.")
    schema, encodings = schema_of(reader, run, wanted), _encodings(reader, run, wanted)
    digits = len(str(run.max_rank))
    total = 0
    with writing(folder), documents.replaced(folder, folder=True) as part:
        file, room = _Files(part, schema, encodings, digits), most
        with file:
            for group in _groups(batches(reader, run, wanted, schema), min(most, ROW_GROUP)):
                while len(group):
                    own, group = group.slice(0, room), group.slice(room)
                    file.write(own)
                    total, room = total + len(own), room - len(own)
                    if not room:
                        file.close()
                        room = most
        if not total:
            file.write(schema.empty_table())
            file.close()
    return total


class _Files:
    """The files of a folder, one open at a time."""

    def __init__(self, folder: Path, schema: Any, encodings: dict[str, Any], digits: int) -> None:
        self._folder, self._schema, self._encodings, self._digits = folder, schema, encodings, digits
        self._open: Any = None

    def __enter__(self) -> _Files:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def write(self, table: Any) -> None:
        """Write a row group to the file that is open, or to a new one, which is named by its first rank."""
        from pyarrow import parquet

        if self._open is None:
            first = table.column("rank")[0].as_py() if len(table) else 0
            self._file = (self._folder / f"rank-{first:0{self._digits}}.parquet").open("wb")
            self._open = parquet.ParquetWriter(self._file, self._schema, **self._encodings)
        self._open.write_table(table, row_group_size=max(len(table), 1))

    def close(self) -> None:
        """Finish the file that is open."""
        if self._open is not None:
            with self._file:
                self._open.close()
            self._open = None


def _write(target: Path, schema: Any, groups: Iterator[Any], encodings: dict[str, Any]) -> Iterator[int]:
    """Write row groups to a file, and yield the number of candidates of each."""
    from pyarrow import parquet

    with target.open("wb") as file, parquet.ParquetWriter(file, schema, **encodings) as made:
        for group in groups:
            made.write_table(group, row_group_size=len(group))
            yield len(group)


def _groups(found: Iterator[Any], least: int) -> Iterator[Any]:
    """Yield tables of at least so many rows; the last one has what is left."""
    import pyarrow

    waiting: list[Any] = []
    rows = 0
    for batch in found:
        waiting.append(batch)
        rows += len(batch)
        if rows >= least:
            yield pyarrow.Table.from_batches(waiting)
            waiting, rows = [], 0
    if rows:
        yield pyarrow.Table.from_batches(waiting)


def _encodings(reader: Reader, run: RunRecord, wanted: Wanted) -> dict[str, Any]:
    """Return how the columns are written: what varies little by a dictionary, ranks by differences."""
    found: dict[str, str] = {"rank": "DELTA_BINARY_PACKED"}
    if wanted.puzzles:
        found["puzzle"] = "DELTA_BYTE_ARRAY"
    dictionaries = ["status"] if wanted.status else []
    for metric in reader.every_metric(run.id):
        if metric.name not in wanted.metrics:
            continue
        if metric.kind == "bool":
            found[metric.name] = "PLAIN"  # bits: with zstd smaller than runs
        elif _varies_little(reader, run.id, metric.name):
            dictionaries.append(metric.name)
        else:
            found[metric.name] = "DELTA_BINARY_PACKED" if metric.kind == "int" else "BYTE_STREAM_SPLIT"
    return {
        "compression": "zstd",
        "compression_level": LEVEL,
        "use_dictionary": dictionaries,
        "column_encoding": found,
        "sorting_columns": _sorted_by_rank(),
    }


def _sorted_by_rank() -> Any:
    from pyarrow import parquet

    return [parquet.SortingColumn(0)]


def _varies_little(reader: Reader, run_id: int, name: str) -> bool:
    """Return whether a metric has few distinct values, as its histogram or its extremes tell."""
    row = reader.connection.execute(
        sa.text(
            "SELECT count(*) AS bins, sum(low <> high) AS wide FROM histograms "
            "WHERE run_id = :run AND metric = :metric"
        ),
        {"run": run_id, "metric": name},
    ).one()
    if row.bins:
        return not row.wide and row.bins <= EXACT_VALUES
    extremes = reader.connection.execute(
        sa.text(
            "SELECT maximum - minimum AS width, kind FROM metrics WHERE run_id = :run AND metric = :metric"
        ),
        {"run": run_id, "metric": name},
    ).one_or_none()
    return (
        extremes is not None
        and extremes.kind == "int"
        and extremes.width is not None
        and extremes.width <= EXACT_VALUES
    )


def told(metadata: Any) -> dict[str, Any] | None:
    """Return what the metadata of a schema says about its run; None if there is nothing of ours.

    Raises EpcgError if the document is of a later form.
    """
    text = (metadata or {}).get(KEY)
    if text is None:
        return None
    try:
        found = documents.parse_json(text, "The metadata")
        form, space = int(found["form"]), str(found["space"])
    except (EpcgError, ValueError, TypeError, LookupError):
        return None
    if form > FORM:
        raise EpcgError(f"The file is of {space}, written by a later EPCG ({found.get('epcg')}): use that.")
    return dict(found)
