"""Breadth-first search: the edges that a unit looked at, and the layers of a graph as a view."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

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
               run.cpu_seconds, coalesce(json_extract(run.spec, '$.dropped'), 0) AS dropped
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


def upgrade() -> None:
    op.add_column("unit", sa.Column("edges", sa.Integer(), nullable=True))
    for name, select in VIEWS.items():
        op.execute(f'CREATE VIEW "{name}" AS {select.strip()}')
