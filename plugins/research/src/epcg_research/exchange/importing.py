"""Measures of others in Parquet files, brought in as metrics of a run: votes, play tests.

Needs pyarrow, which is imported when it is used: the extra `parquet`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.inside import Measured, check_importable, check_metric, save_measures
from epcg_core.plugin import (
    EpcgError,
    EvaluatorInfo,
    Metric,
    PluginError,
    Reader,
    RunRecord,
    Store,
    UnknownNameError,
    registry,
)
from epcg_research.exchange.arrow import need_arrow, told

OWN = ("puzzle", "rank", "status")
"""Columns that are not measures."""


@attrs.frozen
class Imported:
    """The result of an import."""

    metrics: tuple[str, ...]
    candidates: int
    """Candidates with at least one value."""


def import_parquet(
    store: Store,
    run_id: int,
    path: Path,
    wanted: Sequence[str] = (),
    *,
    ranks: bool = False,
    replace: bool = False,
) -> Imported:
    """Bring the columns of a Parquet file, or of a folder of them, in as metrics of a run.

    The column `puzzle` has puzzles' ids. Without it the column `rank` counts, if the file was exported from a
    run over the same space, or `ranks` says that it is about that. Units and descriptions are those of the
    fields' metadata. All is recorded together, or nothing.

    Args:
        store: a database, open for writing.
        run_id: a finished run.
        path: the file or folder.
        wanted: the columns; none for all but puzzle, rank, status and what the run itself has.
        ranks: whether ranks in a file that does not say so are those of the run's space.
        replace: whether measures of the same names that were imported before are replaced.

    Raises:
        EpcgError: if the file, a column or a value is not what is expected.
    """
    need_arrow("Importing Parquet needs")
    with store.reader() as reader:
        run = reader.run(run_id)
        check_importable(reader, run)
        measures = read_measures(reader, run, path, wanted, ranks=ranks, replace=replace)
    origin = {"file": path.name, "sha256": _sha256(path)}
    with store.transaction() as connection:
        save_measures(connection, run_id, measures, origin)
    found: NDArray[np.int64] = np.unique(np.concatenate([each.ranks for each in measures]))
    return Imported(tuple(each.metric.name for each in measures), len(found))


def read_measures(
    reader: Reader, run: RunRecord, path: Path, wanted: Sequence[str], *, ranks: bool, replace: bool
) -> list[Measured]:
    """Read measures of a run's candidates from a Parquet file or a folder of them (see `import_parquet`)."""
    table = _table(path)
    at = _ranks(run, table, path, ranks)
    names = _names(reader, run, table, wanted, replace)
    order = np.argsort(at, kind="stable")
    at = at[order]
    twice = np.flatnonzero(at[1:] == at[:-1])
    if len(twice):
        raise EpcgError(
            f"{path}: rank {at[twice[0]]} is there more than once: give one row to each puzzle, the mean of "
            "its votes, say."
        )
    return [_measured(table.column(name), table.schema.field(name), at, order, path) for name in names]


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        files = sorted(file for file in path.glob("*.parquet") if file.is_file())
        if not files:
            raise EpcgError(f"There is no file *.parquet in the folder {path}.")
        return files
    if not path.is_file():
        raise EpcgError(f"There is no file '{path}'.")
    return [path]


def _sha256(path: Path) -> str:
    """Return the digest of a file, or of the files of a folder by name."""
    digest = hashlib.sha256()
    for file in _files(path):
        with file.open("rb") as opened:
            while block := opened.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def _table(path: Path) -> Any:
    import pyarrow
    from pyarrow import parquet

    tables, names = [], []
    for file in _files(path):
        try:
            tables.append(parquet.read_table(file, partitioning=None))
            tables[-1].validate(full=True)
            names.append(tables[-1].schema.names)
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            reason = str(error).partition("\n")[0].rstrip(".")
            raise EpcgError(f"{file} cannot be read as a Parquet file: {reason}.") from error
        if names[-1] != names[0]:
            raise EpcgError(f"{file} has other columns than {_files(path)[0].name}: import them one by one.")
    try:
        return pyarrow.concat_tables(tables)
    except pyarrow.ArrowException as error:
        raise EpcgError(f"The files in {path} have columns of different types: {error}.") from error


def _names(reader: Reader, run: RunRecord, table: Any, wanted: Sequence[str], replace: bool) -> list[str]:
    """Return the columns that become metrics."""
    columns = [name for name in table.schema.names if name not in OWN]
    known = [metric.name for metric in reader.metrics(run.id)]
    for name in wanted:
        if name not in columns:
            raise UnknownNameError("column", name, columns, "the file")
        if name in known:
            raise EpcgError(f"Run {run.id} measured '{name}' itself: rename the column, or leave it out.")
    names = list(dict.fromkeys(wanted)) or [name for name in columns if name not in known]
    if not names:
        raise EpcgError(
            f"The file has nothing to import: its columns are {', '.join(table.schema.names) or 'none'}, and "
            f"run {run.id} has those already or they are no measures."
        )
    if len(set(table.schema.names)) < len(table.schema.names):
        raise EpcgError("The file has two columns of one name: rename one.")
    computed = {m.name for info in registry().all(EvaluatorInfo, run.domain) for m in info.metrics}
    before = {column.name for column in reader.imported(run.id)}
    for name in names:
        if name in computed:
            raise EpcgError(f"'{name}' is what an evaluator of {run.domain} measures: rename the column.")
        if name in before and not replace:
            raise EpcgError(f"Run {run.id} has an imported '{name}' already: add --replace, or rename it.")
    return names


def _ranks(run: RunRecord, table: Any, path: Path, trusted: bool) -> NDArray[np.int64]:
    """Return the (n,) ranks that the rows of a table are about."""
    import pyarrow

    names = table.schema.names
    about = told(table.schema.metadata)
    if "puzzle" in names:
        return _ranks_of_puzzles(run, table.column("puzzle"), path)
    if "rank" not in names:
        raise EpcgError(
            f"{path} has neither a column 'puzzle' with puzzles' ids nor a column 'rank': it has "
            f"{', '.join(names)}."
        )
    if about is not None and about["space"] != run.space:
        raise EpcgError(f"{path} is about {about['space']}, and run {run.id} covers {run.space}.")
    if about is None and not trusted:
        raise EpcgError(
            f"{path} does not say which space its ranks are of: give it a column 'puzzle' with puzzles' ids, "
            f"or add --ranks if they are those of run {run.id}."
        )
    column = table.column("rank")
    if not pyarrow.types.is_integer(column.type) or column.null_count:
        what = "rows without a rank" if column.null_count else f"{column.type}, and ranks are integers"
        raise EpcgError(f"{path}: the column 'rank' has {what}.")
    try:
        found: NDArray[np.int64] = column.cast(pyarrow.int64()).to_numpy()
    except pyarrow.ArrowException:
        raise EpcgError(f"{path}: the column 'rank' has numbers beyond 2^63.") from None
    return found


def _ranks_of_puzzles(run: RunRecord, column: Any, path: Path) -> NDArray[np.int64]:
    import pyarrow
    from pyarrow import compute

    if pyarrow.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not (pyarrow.types.is_string(column.type) or pyarrow.types.is_large_string(column.type)):
        raise EpcgError(f"{path}: the column 'puzzle' has {column.type}, and puzzles' ids are strings.")
    prefix = f"{run.space}#"
    own = compute.fill_null(
        compute.and_(
            compute.starts_with(column, prefix),
            compute.match_substring_regex(compute.utf8_slice_codeunits(column, len(prefix)), "^[0-9]{1,18}$"),
        ),
        False,
    )
    if not compute.all(own, min_count=0).as_py():
        other = column.filter(compute.invert(own))[0].as_py()
        what = "a row without a puzzle is not one" if other is None else f"{other!r} is not a puzzle"
        raise EpcgError(
            f"{path}: {what} of run {run.id}, which covers {run.space}: leave such rows out, or import into "
            "another run."
        )
    digits = compute.utf8_slice_codeunits(column, len(prefix))
    found: NDArray[np.int64] = digits.cast(pyarrow.int64()).to_numpy()
    return found


def _measured(
    column: Any, field: Any, at: NDArray[np.int64], order: NDArray[np.int64], path: Path
) -> Measured:
    """Return a column as a measure; `order` sorts it by rank. NaN counts as missing."""
    import pyarrow
    from pyarrow import compute, types

    kind: Literal["int", "real", "bool"]
    if types.is_boolean(column.type):
        kind, target = "bool", pyarrow.bool_()
    elif types.is_integer(column.type):
        kind, target = "int", pyarrow.int64()
    elif types.is_floating(column.type):
        kind, target = "real", pyarrow.float64()
    else:
        raise EpcgError(
            f"{path}: the column '{field.name}' has {column.type}, and a metric is a number, or true or "
            "false: choose others with --metric."
        )
    try:
        column = column.cast(target)
    except pyarrow.ArrowException:
        raise EpcgError(f"{path}: the column '{field.name}' has numbers beyond 2^63.") from None
    valid = column.is_valid().to_numpy()[order]
    values = compute.fill_null(column, pyarrow.scalar(0).cast(target)).to_numpy()[order]
    if kind == "real":
        valid &= ~np.isnan(values)
    about = {
        key.decode(errors="replace"): text.decode(errors="replace")
        for key, text in (field.metadata or {}).items()
    }
    direction: Literal["max", "min"] = "min" if about.get("direction") == "min" else "max"
    metric = Metric(field.name, kind, direction, about.get("unit", ""), about.get("description", ""))
    try:
        check_metric(str(path), metric)
    except PluginError as error:
        raise EpcgError(str(error)) from error
    return Measured(metric, at[valid], values[valid])
