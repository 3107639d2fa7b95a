"""Parts do not bear the name of the whole: `scores` has all values of a run, or refuses.

Of runs that keep rows of some candidates only, `scores`, `edit_effects`, `best_edits` and `statuses` would
need the chunks, which SQLite alone cannot read. For its clients they fail with a sentence (in the error of a
JSON path) if a statement comes to such a run; EPCG lays views of the same names over them that read chunks.
The rows that there are have a view of their own, `materialized_scores`, which says of each whether its run
has them all. Views of edits read `edit_scores`, so that EPCG lays one view and the same text over it.

The view `runs` calls a run exhaustive only if ranks were pruned by a search that prunes.
"""

from alembic import op

revision = "0012"
down_revision = "0011"

_JOINED = """run CROSS JOIN run_metric ON run_metric.run_id = run.id
        CROSS JOIN metric ON metric.id = run_metric.metric_id"""
_ROWS = f"""{_JOINED}
        CROSS JOIN score ON score.run_id = run_metric.run_id AND score.metric_id = run_metric.metric_id"""
_CHUNKS = f"""{_JOINED}
        CROSS JOIN score_chunk ON score_chunk.run_id = run_metric.run_id
        AND score_chunk.metric_id = run_metric.metric_id"""
_OF_EDITS = "run.state = 'done' AND run.space_id IN (SELECT space_id FROM edit)"
_REFUSED = """json_extract('{}', 'EPCG has to read the chunks of run ' || score_chunk.run_id
               || ', so ask with epcg sql, or make rows with epcg db materialize ' || score_chunk.run_id)"""
"""Fails, whoever asks for it. It stands for columns, too: conditions may be asked in any order."""
_NO_STATUS = """CASE WHEN score_chunk.status IS NOT NULL THEN
               json_extract('{}', 'EPCG has to read the chunks of run ' || score_chunk.run_id
               || ', so ask with epcg sql') END"""
VIEWS = {
    "runs": """
        SELECT run.id AS run_id, space.name AS space, run.search, run.layer, run.state,
               run.stop - run.start AS candidates, run.evaluated, run.pruned, run.excluded,
               CASE WHEN run.state <> 'done' THEN 'partial'
                    WHEN run.excluded > 0 OR json_extract(run.spec, '$.left_out') IS NOT NULL
                         OR (run.pruned > 0 AND json_extract(run.spec, '$.objective') IS NULL)
                         OR run.stop - run.start < CAST(space.max_rank AS INTEGER)
                    THEN 'semi-exhaustive' ELSE 'exhaustive' END AS coverage,
               (SELECT group_concat(query.name, ', ') FROM query_run
                JOIN query ON query.id = query_run.query_id WHERE query_run.run_id = run.id) AS queries,
               run.rows, run.cpu_seconds, run.created_at, run.finished_at, run.digest
        FROM run JOIN space ON space.id = run.space_id""",
    "scores": f"""
        SELECT run_metric.run_id, score.rank, metric.name AS metric, score.value
        FROM {_ROWS}
        WHERE run.rows = 'all'
        UNION ALL
        SELECT run_metric.run_id, {_REFUSED},
               metric.name, {_REFUSED}
        FROM {_CHUNKS}
        WHERE run.rows <> 'all' AND {_REFUSED} IS NULL""",
    "materialized_scores": f"""
        SELECT run_metric.run_id, score.rank, metric.name AS metric, score.value, run.rows = 'all' AS complete
        FROM {_ROWS}""",
    "statuses": f"""
        SELECT run_metric.run_id, {_NO_STATUS} AS rank,
               metric.name AS metric, {_NO_STATUS} AS status,
               {_NO_STATUS} AS reason
        FROM {_CHUNKS}
        WHERE {_NO_STATUS} IS NOT NULL""",
    "edit_scores": f"""
        SELECT run.id AS run_id, run.space_id, metric.id AS metric_id, score.rank, score.value
        FROM {_ROWS}
        WHERE run.rows = 'all' AND {_OF_EDITS}
        UNION ALL
        SELECT run.id, run.space_id, metric.id,
               {_REFUSED},
               {_REFUSED}
        FROM {_CHUNKS}
        WHERE run.rows <> 'all' AND {_OF_EDITS}
               AND {_REFUSED} IS NULL""",
    "edit_effects": """
        SELECT found.run_id, space.name AS space, found.rank,
               coalesce((SELECT group_concat(description, '; ') FROM
                         (SELECT edit.description FROM variant_edit JOIN edit
                          ON edit.space_id = variant_edit.space_id AND edit.position = variant_edit.position
                          WHERE variant_edit.space_id = found.space_id AND variant_edit.rank = found.rank
                          ORDER BY variant_edit.position)), 'nothing') AS edits,
               metric.name AS metric, found.value
        FROM edit_scores AS found
        JOIN space ON space.id = found.space_id JOIN metric ON metric.id = found.metric_id""",
    "best_edits": """
        SELECT run_id, space, metric, direction,
               CASE WHEN largest = smallest THEN 'all' WHEN value = largest THEN 'largest'
                    ELSE 'smallest' END AS extreme,
               value = CASE direction WHEN 'max' THEN largest ELSE smallest END AS best,
               rank, edit, change, value
        FROM (SELECT scored.run_id, space.name AS space, scored.metric, scored.direction,
                     scored.rank, edit.description AS edit, edit.change, scored.value, gain, original,
                     max(scored.value) OVER metrics_of_run AS largest,
                     min(scored.value) OVER metrics_of_run AS smallest
              FROM (SELECT found.run_id, found.space_id, found.metric_id, metric.name AS metric,
                           metric.direction, metric.always, found.rank, found.value,
                           max(CASE WHEN metric.name = 'gain' THEN found.value END)
                           OVER (PARTITION BY found.run_id, found.rank) AS gain,
                           max(CASE WHEN found.rank = 0 AND NOT EXISTS
                                         (SELECT 1 FROM variant_edit AS own
                                          WHERE own.space_id = found.space_id AND own.rank = 0)
                                    THEN found.value END)
                           OVER (PARTITION BY found.run_id, found.metric_id) AS original
                    FROM edit_scores AS found
                    JOIN metric ON metric.id = found.metric_id) AS scored
              JOIN space ON space.id = scored.space_id
              JOIN variant_edit AS single ON single.space_id = scored.space_id AND single.rank = scored.rank
              JOIN edit ON edit.space_id = single.space_id AND edit.position = single.position
              WHERE scored.value IS NOT NULL AND scored.always = 0 AND NOT EXISTS
                    (SELECT 1 FROM variant_edit AS other WHERE other.space_id = single.space_id
                     AND other.rank = single.rank AND other.position <> single.position)
              WINDOW metrics_of_run AS (PARTITION BY scored.run_id, scored.metric_id))
        WHERE value IN (largest, smallest)
              AND NOT (metric IN ('moves', 'gain') AND gain IS NOT NULL AND gain = 0)
              AND (original IS NULL OR original <> value)""",
}


def upgrade() -> None:
    for name in ("runs", "scores", "edit_effects", "best_edits"):
        op.execute(f"DROP VIEW {name}")
    for name, select in VIEWS.items():
        op.execute(f'CREATE VIEW "{name}" AS {select.strip()}')
