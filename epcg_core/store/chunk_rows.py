"""Values and statuses of chunks as JSON, which the views of `epcg_core.store.views` make rows of."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from epcg_core.base.errors import StoreError

if TYPE_CHECKING:
    from epcg_core.store.reader import Reader

MANY = 20_000_000
"""Values in chunks from which on a statement over them is worth a sentence: some ten seconds."""
READ = "epcg_values_read"
"""Key of a connection's `info` for the number of values that its views have read from chunks."""


REASONS = {
    "none": "nothing to measure: the evaluator gives this candidate no such value",
    "limit": "a search for it met its limit, so the value is unknown",
    "error": "the evaluator failed",
}
"""Why a candidate has no value, by the name of its status."""


def values(reader: Reader, run: int, metric: str, start: int) -> str:
    """Return a chunk's values as JSON: an array, or an object by rank if not all ranks were evaluated.

    Reals are strings, which `epcg_real` reads exactly as they were.
    """
    from epcg_core.chunks.codec import decode_chunk

    column = reader.column(run, metric)
    chunk = reader.chunk_at(run, metric, start)
    if chunk is None or chunk.start != start:
        raise StoreError(f"epcg_values: run {run} has no chunk of {metric} that begins at rank {start}.")
    info = reader.connection.info
    info[READ] = info.get(READ, 0) + chunk.evaluated
    array, missing = decode_chunk(chunk), reader.missing(run, column, chunk)
    found: list[Any] = (array.view("u1") if array.dtype == bool else array).tolist()
    if array.dtype.kind == "f":
        found = list(map(repr, found))
    if missing is not None:
        for position in missing.nonzero()[0].tolist():
            found[position] = None
    if chunk.evaluated == chunk.count:
        return json.dumps(found)
    return json.dumps(dict(zip(reader.ranks(run, chunk).tolist(), found, strict=True)))


def statuses(reader: Reader, run: int, metric: str, start: int) -> str:
    """Return as JSON [rank, status, reason] of each evaluated candidate of a chunk that has no value."""
    from epcg_core.chunks.codec import chunk_status
    from epcg_core.domain import STATUS_NAMES

    column = reader.column(run, metric)
    chunk = reader.chunk_at(run, metric, start)
    status = None if chunk is None or chunk.start != start else chunk_status(chunk)
    if chunk is None or status is None:
        return "[]"
    missing = reader.missing(run, column, chunk)
    if missing is None:
        return "[]"
    names = [STATUS_NAMES[number] for number in status[missing].tolist()]
    ranks = reader.ranks(run, chunk)[missing].tolist()
    return json.dumps([[rank, name, REASONS[name]] for rank, name in zip(ranks, names, strict=True)])
