"""Views that read chunks, on connections on which SQL of users runs.

The stored views of these names show whole runs or fail, because SQLite alone cannot read chunks. Temporary
views of the same names and columns are laid over them: they show the rows of runs that have them all, and
read the chunks of the others by `epcg_values`.
"""

from __future__ import annotations

import sqlite3

_ROWS = """
FROM run CROSS JOIN run_metric ON run_metric.run_id = run.id
CROSS JOIN metric ON metric.id = run_metric.metric_id
CROSS JOIN score ON score.run_id = run_metric.run_id AND score.metric_id = run_metric.metric_id
WHERE run.rows = 'all'"""
_IN_CHUNKS = """
FROM run CROSS JOIN run_metric ON run_metric.run_id = run.id
CROSS JOIN metric ON metric.id = run_metric.metric_id
CROSS JOIN score_chunk ON score_chunk.run_id = run_metric.run_id
                       AND score_chunk.metric_id = run_metric.metric_id
CROSS JOIN json_each(epcg_values(run.id, metric.name, score_chunk.start)) AS each
WHERE run.rows <> 'all'"""
_RANK = """CASE WHEN score_chunk.evaluated = score_chunk.count THEN score_chunk.start + each.key
            ELSE CAST(each.key AS INTEGER) END"""
_VALUE = """CASE WHEN metric.kind = 'real' AND each.value IS NOT NULL THEN epcg_real(each.value)
            ELSE each.value END"""
_OF_EDITS = "run.state = 'done' AND run.space_id IN (SELECT space_id FROM edit)"
READING_CHUNKS = {
    "scores": f"""
SELECT run_metric.run_id, score.rank, metric.name AS metric, score.value {_ROWS}
UNION ALL
SELECT run_metric.run_id, {_RANK} AS rank, metric.name AS metric, {_VALUE} AS value {_IN_CHUNKS}""",
    "edit_scores": f"""
SELECT run.id AS run_id, run.space_id, metric.id AS metric_id, score.rank, score.value {_ROWS} AND {_OF_EDITS}
UNION ALL
SELECT run.id, run.space_id, metric.id, {_RANK} AS rank, {_VALUE} AS value {_IN_CHUNKS} AND {_OF_EDITS}""",
    "statuses": """
SELECT run.id AS run_id, json_extract(each.value, '$[0]') AS rank, metric.name AS metric,
       json_extract(each.value, '$[1]') AS status,
       coalesce(candidate.note, json_extract(each.value, '$[2]')) AS reason
FROM run CROSS JOIN run_metric ON run_metric.run_id = run.id
CROSS JOIN metric ON metric.id = run_metric.metric_id
CROSS JOIN score_chunk ON score_chunk.run_id = run_metric.run_id
                       AND score_chunk.metric_id = run_metric.metric_id AND score_chunk.status IS NOT NULL
CROSS JOIN json_each(epcg_statuses(run.id, metric.name, score_chunk.start)) AS each
LEFT JOIN candidate ON candidate.run_id = run.id AND candidate.rank = json_extract(each.value, '$[0]')
                    AND candidate.status IN ('error', 'limit')
                    AND candidate.status = json_extract(each.value, '$[1]')""",
}
OVER_THEM = ("edit_effects", "best_edits")
"""Views whose stored text, laid again, reads one of `READING_CHUNKS`: a stored view sees no temporary one."""
PARTIAL = "score"
"""The table of rows, which some runs have of kept candidates only."""
WHOLE = frozenset({*READING_CHUNKS, *OVER_THEM, "kept", "materialized_scores"})
"""Views that read `PARTIAL` and show what their names say."""


def lay(connection: sqlite3.Connection) -> None:
    """Lay the views over the stored ones, once for a connection, which must know the SQL functions."""
    connection.execute("PRAGMA trusted_schema = ON")  # views may call our functions
    for name, select in READING_CHUNKS.items():
        connection.execute(f"CREATE TEMP VIEW IF NOT EXISTS {name} AS {select}")
    begin = "CREATE VIEW "
    for name in OVER_THEM:
        (text,) = connection.execute("SELECT sql FROM main.sqlite_master WHERE name = ?", (name,)).fetchone()
        connection.execute(f"CREATE TEMP VIEW IF NOT EXISTS {text.removeprefix(begin)}")
