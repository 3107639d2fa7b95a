"""The view `scores` over chunks: plain SQL sees every recorded value, whether or not a run has rows.

On a connection that asks about it, a temporary view of the same name and columns stands before the database's
own. It shows the rows of runs that have them all, and reads the chunks of the others by `epcg_values`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from epcg_core.errors import StoreError

if TYPE_CHECKING:
    from epcg_core.store.reader import Reader

VIEW = """
CREATE TEMP VIEW IF NOT EXISTS scores AS
SELECT run_metric.run_id, score.rank, metric.name AS metric, score.value
FROM run CROSS JOIN run_metric ON run_metric.run_id = run.id
CROSS JOIN metric ON metric.id = run_metric.metric_id
CROSS JOIN score ON score.run_id = run_metric.run_id AND score.metric_id = run_metric.metric_id
WHERE run.rows = 'all'
UNION ALL
SELECT run_metric.run_id,
       CASE WHEN score_chunk.evaluated = score_chunk.count THEN score_chunk.start + each.key
            ELSE CAST(each.key AS INTEGER) END AS rank,
       metric.name AS metric,
       CASE WHEN metric.kind = 'real' AND each.value IS NOT NULL THEN epcg_real(each.value)
            ELSE each.value END AS value
FROM run CROSS JOIN run_metric ON run_metric.run_id = run.id
CROSS JOIN metric ON metric.id = run_metric.metric_id
CROSS JOIN score_chunk ON score_chunk.run_id = run_metric.run_id
                       AND score_chunk.metric_id = run_metric.metric_id
CROSS JOIN json_each(epcg_values(run.id, metric.name, score_chunk.start)) AS each
WHERE run.rows <> 'all'
"""
MANY = 20_000_000
"""Values in chunks from which on a statement over them is worth a sentence: some ten seconds."""


def values(reader: Reader, run: int, metric: str, start: int) -> str:
    """Return a chunk's values as JSON: an array, or an object by rank if not all ranks were evaluated.

    Reals are strings, which `epcg_real` reads exactly as they were.
    """
    from epcg_core.chunks.codec import decode

    column = reader.column(run, metric)
    chunk = reader.chunk_at(run, metric, start)
    if chunk is None or chunk.start != start:
        raise StoreError(f"epcg_values: run {run} has no chunk of {metric} that begins at rank {start}.")
    array, missing = decode(chunk), reader.missing(run, column, chunk)
    found: list[Any] = (array.view("u1") if array.dtype == bool else array).tolist()
    if array.dtype.kind == "f":
        found = list(map(repr, found))
    if missing is not None:
        for position in missing.nonzero()[0].tolist():
            found[position] = None
    if chunk.evaluated == chunk.count:
        return json.dumps(found)
    return json.dumps(dict(zip(reader.ranks(run, chunk).tolist(), found, strict=True)))
