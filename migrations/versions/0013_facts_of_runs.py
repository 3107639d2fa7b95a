"""Facts of a run that were keys of its specification become columns, which SQL can ask for.

The specification keeps what the run's identity depends on, and the query that plans it. How a run came about
(its sample, its part, the run that it was computed again beside), what it keeps, and what is said of its
space stand beside it. A run merged of 8 parts has `parts` 8 and no `part`.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

VIEWS = {
    "runs": """
        SELECT run.id AS run_id, space.name AS space, run.search, run.layer, run.state,
               run.stop - run.start AS candidates, run.evaluated, run.pruned, run.excluded,
               CASE WHEN run.state <> 'done' THEN 'partial'
                    WHEN run.excluded > 0 OR run.left_out IS NOT NULL
                         OR (run.pruned > 0 AND json_extract(run.spec, '$.objective') IS NULL)
                         OR run.stop - run.start < CAST(space.max_rank AS INTEGER)
                    THEN 'semi-exhaustive' ELSE 'exhaustive' END AS coverage,
               (SELECT group_concat(query.name, ', ') FROM query_run
                JOIN query ON query.id = query_run.query_id WHERE query_run.run_id = run.id) AS queries,
               run.rows, run.cpu_seconds, run.created_at, run.finished_at, run.digest
        FROM run JOIN space ON space.id = run.space_id""",
    "depths": """
        SELECT run.id AS run_id, domain.name AS domain, space.name AS space,
               json_extract(run.search_params, '$.record') AS record,
               json_extract(run.search_params, '$.distance') AS distance,
               run.layer AS depth,
               coalesce(reached.count, 0) - coalesce(before.count, 0) AS states,
               coalesce(reached.count, 0) AS reached,
               100.0 * coalesce(reached.count, 0) / run.evaluated AS percent_reached,
               (SELECT sum(edges) FROM unit WHERE unit.run_id = run.id) AS edges,
               run.cpu_seconds, run.kept_values = 'none' AS dropped
        FROM run JOIN space ON space.id = run.space_id JOIN domain ON domain.id = space.domain_id
        JOIN run_metric ON run_metric.run_id = run.id AND run_metric.position = 0
        LEFT JOIN score_histogram AS reached ON reached.run_id = run.id
        AND reached.metric_id = run_metric.metric_id AND reached.low = 1
        LEFT JOIN run_input ON run_input.run_id = run.id AND run_input.role = 'reached'
        LEFT JOIN score_histogram AS before ON before.run_id = run_input.input_run_id
        AND before.metric_id = run_metric.metric_id AND before.low = 1
        WHERE run.search = 'breadth_first' AND run.layer IS NOT NULL AND run.state = 'done'
        ORDER BY domain.name, space.name, record, distance, run.layer, run.id""",
}
KEYS = {
    "sample_size": "$.sample.size",
    "sample_seed": "$.sample.seed",
    "part": "$.part.index",
    "again_of": "$.again",
    "left_out": "$.left_out",
    "reading": "$.reading",
    "files": "$.files",
    "imported": "$.imported",
}


def upgrade() -> None:
    op.execute(
        "ALTER TABLE run ADD COLUMN kept_values TEXT DEFAULT 'all' NOT NULL "
        "CONSTRAINT ck_run_kept_values CHECK (kept_values IN ('all', 'counts', 'none'))"
    )
    op.execute("ALTER TABLE run ADD COLUMN solutions INTEGER DEFAULT '0' NOT NULL")
    for name in ("sample_size", "sample_seed", "part", "parts", "again_of"):
        op.add_column("run", sa.Column(name, sa.Integer(), nullable=True))
    for name in ("left_out", "reading", "files", "imported"):
        op.add_column("run", sa.Column(name, sa.Text(), nullable=True))
    moved = "".join(f"{name} = json_extract(spec, '{key}'), " for name, key in KEYS.items())
    op.execute(
        f"UPDATE run SET {moved}"
        "parts = coalesce(json_extract(spec, '$.part.of'), json_extract(spec, '$.merged_of')), "
        "solutions = coalesce(json_extract(spec, '$.solutions'), 0), "
        "kept_values = CASE WHEN json_extract(spec, '$.dropped') THEN 'none' "
        "WHEN json_extract(spec, '$.values') = 'counts' THEN 'counts' ELSE 'all' END, "
        "spec = json_remove(spec, '$.sample', '$.part', '$.merged_of', '$.again', '$.left_out', '$.reading', "
        "'$.files', '$.imported', '$.solutions', '$.dropped', '$.values')"
    )
    for name, select in VIEWS.items():
        op.execute(f"DROP VIEW {name}")
        op.execute(f'CREATE VIEW "{name}" AS {select.strip()}')
