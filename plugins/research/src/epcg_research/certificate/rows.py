"""Rows of a Parquet file against the tree of a certificate: the root is made again of what the file says.

A row has the worst status of its candidate. Where that does not say which metric has it, a second file does,
with one column of statuses for each metric.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.inside import ERROR, chunk_status, objective_of, plan
from epcg_core.plugin import (
    NONE,
    STATUS_NAMES,
    VALUE,
    CheckFailedError,
    Metric,
    Reader,
    RunRecord,
    UncheckedError,
    from_data,
)
from epcg_research.certificate.contents import BlockReader, Contents, cut, layout_of, leaf_of, to_bytes
from epcg_research.certificate.form import MOST_BYTES, Claims, from_json, opened_ranks, unpacked
from epcg_research.certificate.tree import root_of
from epcg_research.exchange.arrow import need_arrow, told

MOST_ROWS = 200_000_000
Column = tuple[NDArray[Any], NDArray[np.bool_]]
"""(n,) values, 0 where there is none, and (n,) whether there is none."""


def rows_hold(data: Any, table: Path, statuses: Path) -> tuple[str, list[str]]:
    """Check that a table of values is what a certificate's tree was made of.

    Args:
        data: the certificate, as JSON-like data.
        table: the Parquet file.
        statuses: the file of statuses by metric, which may be missing.

    Returns:
        What was proven, and what of the table is not covered.

    Raises:
        CheckFailedError: if the tree was made of other values.
        EpcgError: if that cannot be told here.
    """
    certificate = from_json(data)
    claims = certificate.claims
    try:
        spec = plan(from_data(claims.query))[1]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CheckFailedError(f"The query of the certificate cannot be planned: {error}") from error
    if spec.identity != claims.identity:
        raise CheckFailedError("The certificate is not about the run that its query plans.")
    metrics = list(spec.metrics)
    try:
        ranks, worst, columns, more = _read(table, claims, metrics)
    except (LookupError, TypeError, ValueError, OverflowError, NotImplementedError) as error:
        raise CheckFailedError(
            f"{table.name} has other columns than a table of values: {error!s:.200}."
        ) from error
    left = [f"the column '{name:.60}' of {table.name}, which the run does not compute" for name in more]
    if statuses.exists():
        status = _read_statuses(statuses, ranks, metrics)
        if (np.maximum.reduce(status) != worst).any():
            raise CheckFailedError(f"{statuses.name} has other statuses than {table.name}.")
        unclear = False
    else:
        status = derived(metrics, worst, [missing for _, missing in columns])
        unclear = _unclear(metrics, worst, [missing for _, missing in columns])
        if not unclear and (np.maximum.reduce(status) != worst).any():
            raise CheckFailedError(f"{table.name} gives a candidate a status that its values do not have.")
    for metric, own, (_, missing) in zip(metrics, status, columns, strict=True):
        if ((own == ERROR if metric.always else own != VALUE) != missing).any():
            raise CheckFailedError(f"{table.name}: '{metric.name}' lacks values where its statuses have one.")
    values = [column for column, _ in columns]
    if spec.objective is None and not spec.solutions:
        layout = layout_of(metrics, False, claims.start, claims.stop)
        blocks = cut(claims.start, claims.stop - claims.start, ranks, values, list(status), layout.size, None)
        leaves = (leaf_of(block, to_bytes(block, metrics)) for block in blocks)
        crown = [node for (level, _), node in layout.nodes(leaves) if level == layout.crown]
        if root_of(crown).digest.hex() == claims.values:
            return f"The tree made of its {len(ranks):,} rows has the root that the certificate claims.", left
        if unclear:
            raise UncheckedError(
                f"{table.name} does not say which metric has which status, and there is no {statuses.name}: "
                "make the archive again."
            )
        raise CheckFailedError(
            f"The tree made of the rows of {table.name} has another root than the certificate claims: a row "
            "was changed, added or taken away."
        )
    shown = _opened(certificate, spec.objective is not None, spec.solutions, metrics)
    for block in shown:
        low, high = np.searchsorted(ranks, (block.start, block.start + block.count))
        same = np.array_equal(ranks[low:high], block.ranks) and all(
            np.array_equal(own[low:high].astype(np.float64), known.astype(np.float64), equal_nan=True)
            for own, known in zip(values, block.values, strict=True)
        )
        if not same:
            raise CheckFailedError(
                f"{table.name} has other values of ranks {block.start} to {block.start + block.count - 1} "
                "than the certificate opens."
            )
    left.append(
        f"rows of {table.name} outside of the opened blocks: its run's tree has prunings or solutions"
    )
    return f"Its {len(ranks):,} rows agree with the {len(shown):,} blocks that the certificate opens.", left


def _opened(certificate: Any, prunes: bool, solves: bool, metrics: list[Metric]) -> list[Contents]:
    """Return the blocks that a certificate opens; another check compares them with its tree."""
    claims = certificate.claims
    layout = layout_of(metrics, prunes, claims.start, claims.stop)
    raw = unpacked(certificate.blocks, MOST_BYTES, "blocks")
    reader, found = BlockReader(raw, metrics, prunes, solves), []
    for position in sorted({layout.leaf_of(rank) for rank in opened_ranks(claims, claims.openings)}):
        start, stop = layout.ranks((0, position))
        found.append(reader.block(start, stop - start)[0])
    return found


def _read(
    path: Path, claims: Claims, metrics: list[Metric]
) -> tuple[NDArray[np.int64], NDArray[np.uint8], list[Column], list[str]]:
    """Return the ranks, worst statuses and columns of a table, and the names of further columns."""
    table = _table(path)
    facts = told(table.schema.metadata)
    for key, known in (("identity", claims.identity), ("digest", claims.digest), ("space", claims.space)):
        if facts is None or facts.get(key) != known:
            raise CheckFailedError(f"{path.name} says that it is of another run: its {key} is another.")
    lacking = [
        name for name in ("rank", "status", *(m.name for m in metrics)) if name not in table.schema.names
    ]
    if lacking:
        raise CheckFailedError(f"{path.name} lacks the column '{lacking[0]:.60}'.")
    ranks = np.asarray(table.column("rank").to_numpy(), dtype=np.int64)
    if len(ranks) != claims.evaluated:
        raise CheckFailedError(f"{path.name} has {len(ranks):,} rows; {claims.evaluated:,} were evaluated.")
    outside = len(ranks) and (ranks[0] < claims.start or ranks[-1] >= claims.stop)
    if outside or (np.diff(ranks) < 1).any():
        raise CheckFailedError(f"The ranks of {path.name} are not increasing ones of the run's range.")
    if "puzzle" in table.schema.names:
        own = table.column("puzzle").to_pylist()
        if any(text != f"{claims.space}#{rank}" for text, rank in zip(own, ranks.tolist(), strict=True)):
            raise CheckFailedError(f"{path.name} gives a puzzle another id than its rank has.")
    codes = {name: code for code, name in enumerate(STATUS_NAMES)}
    said = [codes.get(text) for text in table.column("status").to_pylist()]
    if None in said:
        raise CheckFailedError(f"{path.name} has a status that there is not.")
    columns = [_column(table, metric) for metric in metrics]
    named = {"rank", "puzzle", "status", *(metric.name for metric in metrics)}
    more = [name for name in table.schema.names if name not in named]
    return ranks, np.array(said, dtype=np.uint8), columns, more


def _column(table: Any, metric: Metric) -> Column:
    from pyarrow import compute

    column = table.column(metric.name)
    missing = np.asarray(compute.is_null(column).to_numpy(), dtype=np.bool_)
    dtype = {"int": np.int64, "real": np.float64, "bool": np.bool_}[metric.kind]
    filled = compute.fill_null(column, {"int": 0, "real": 0.0, "bool": False}[metric.kind])
    return np.asarray(filled.to_numpy(), dtype=dtype), missing


def _read_statuses(path: Path, ranks: NDArray[np.int64], metrics: list[Metric]) -> list[NDArray[np.uint8]]:
    table = _table(path)
    try:
        if not np.array_equal(table.column("rank").to_numpy(), ranks):
            raise CheckFailedError(f"{path.name} has other ranks than the values.")
        return [np.asarray(table.column(metric.name).to_numpy(), np.uint8) for metric in metrics]
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise CheckFailedError(f"{path.name} is not a table of statuses: {error}") from error


def _table(path: Path) -> Any:
    """Return a Parquet file as a table. Raises CheckFailedError if it is damaged."""
    need_arrow("Reading Parquet needs")
    import pyarrow
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(path)
        if file.metadata.num_rows > MOST_ROWS:
            raise UncheckedError(f"{path.name} has {file.metadata.num_rows:,} rows: too many to be held.")
        table = file.read()
        table.validate(full=True)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise CheckFailedError(f"{path.name} cannot be read as a Parquet file: {reason:.200}.") from error
    return table


def derived(
    metrics: list[Metric], worst: NDArray[np.uint8], missing: list[NDArray[np.bool_]]
) -> list[NDArray[np.uint8]]:
    """Return (n,) statuses of each metric: the candidate's worst one where there is no value."""
    return [np.where(gone, worst, VALUE).astype(np.uint8) for gone in missing]


def _unclear(metrics: list[Metric], worst: NDArray[np.uint8], missing: list[NDArray[np.bool_]]) -> bool:
    """Return whether the metrics' statuses may be others than `derived` returns."""
    odd = worst != VALUE
    several = sum(gone.astype(np.int64) for gone in missing) > 1
    return bool((odd.any() and any(m.always for m in metrics)) or (several & (worst > NONE)).any())


def write_statuses(reader: Reader, run: RunRecord, path: Path) -> bool:
    """Write the statuses of each metric if those of the candidates do not say them; return whether so."""
    metrics = reader.metrics(run.id)
    if objective_of(run) is not None or run.solutions:
        return False  # its rows are compared with the opened blocks alone
    ranks: list[NDArray[np.int64]] = []
    found: list[list[NDArray[np.uint8]]] = []
    differ = False
    for chunks in zip(*(reader.chunks(run.id, metric.name) for metric in metrics), strict=True):
        own = [
            np.zeros(chunk.evaluated, np.uint8) if (status := chunk_status(chunk)) is None else status
            for chunk in chunks
        ]
        missing = [
            own_status == ERROR if metric.always else own_status != VALUE
            for metric, own_status in zip(metrics, own, strict=True)
        ]
        told_ = derived(metrics, np.maximum.reduce(own), missing)
        differ = differ or any((a != b).any() for a, b in zip(told_, own, strict=True))
        ranks.append(reader.ranks(run.id, chunks[0]))
        found.append(own)
    if not differ:
        return False
    import pyarrow
    from pyarrow import parquet

    columns = {"rank": np.concatenate(ranks)}
    for at, metric in enumerate(metrics):
        columns[metric.name] = np.concatenate([own[at] for own in found])
    parquet.write_table(pyarrow.table(columns), path, compression="zstd")
    return True
