"""Whatever a run read is a row of `run_input`: runs, libraries, files and the parts that it was merged of.

`source` says where it is from, `choice` by which rules it was chosen of a run. The view `inputs` shows them,
and `kept` the note of a candidate that plain code had no time to compute again.
"""

from alembic import op

revision = "0016"
down_revision = "0015"

TABLE = """
CREATE TABLE run_input (
    run_id INTEGER NOT NULL,
    role TEXT NOT NULL,
    kind TEXT DEFAULT 'run' NOT NULL
        CONSTRAINT ck_run_input_kind CHECK (kind IN ('run', 'library', 'file', 'part')),
    input_run_id INTEGER,
    digest TEXT,
    source TEXT DEFAULT '' NOT NULL,
    choice TEXT,
    CONSTRAINT pk_run_input PRIMARY KEY (run_id, role),
    CONSTRAINT fk_run_input_run_id FOREIGN KEY(run_id) REFERENCES run (id),
    CONSTRAINT fk_run_input_input_run_id FOREIGN KEY(input_run_id) REFERENCES run (id)
) WITHOUT ROWID, STRICT"""
VIEWS = {
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
    "kept": """
        SELECT candidate.run_id, space.name || '#' || candidate.rank AS puzzle, candidate.rank,
               candidate.kept_by, candidate.state,
               (SELECT json_group_object(metric.name, score.value)
                FROM run_metric CROSS JOIN metric ON metric.id = run_metric.metric_id
                CROSS JOIN score ON score.run_id = run_metric.run_id
                AND score.metric_id = run_metric.metric_id AND score.rank = candidate.rank
                WHERE run_metric.run_id = candidate.run_id) AS scores,
               candidate.note
        FROM candidate JOIN run ON run.id = candidate.run_id JOIN space ON space.id = run.space_id
        WHERE candidate.kept = 1""",
    "inputs": """
        SELECT run_input.run_id, run_input.role, run_input.kind, run_input.input_run_id,
               run_input.digest, run_input.source, run_input.choice
        FROM run_input""",
}


def upgrade() -> None:
    for name in ("depths", "kept"):
        op.execute(f"DROP VIEW {name}")
    op.execute("ALTER TABLE run_input RENAME TO former_input")
    op.execute(TABLE)
    op.execute(
        "INSERT INTO run_input (run_id, role, input_run_id, digest, source) "
        "SELECT former_input.run_id, role, input_run_id, former_input.digest, space.name FROM former_input "
        "JOIN run ON run.id = input_run_id JOIN space ON space.id = run.space_id"
    )
    op.execute("DROP TABLE former_input")
    for name, select in VIEWS.items():
        op.execute(f'CREATE VIEW "{name}" AS {select.strip()}')
