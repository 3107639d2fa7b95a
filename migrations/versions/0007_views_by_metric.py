"""The views `scores` and `kept` find a score by run, metric and rank, the key of its table.

Without `run_metric` SQLite searched by run alone: two metrics joined by (run_id, rank) took quadratic time,
and `kept` read all scores of the run for each candidate. CROSS JOIN fixes the order of the search.
"""

from alembic import op

revision = "0007"
down_revision = "0006"

VIEWS = {
    "scores": """
        SELECT run_metric.run_id, score.rank, metric.name AS metric, score.value
        FROM run_metric CROSS JOIN metric ON metric.id = run_metric.metric_id
        CROSS JOIN score ON score.run_id = run_metric.run_id AND score.metric_id = run_metric.metric_id""",
    "kept": """
        SELECT candidate.run_id, space.name || '#' || candidate.rank AS puzzle, candidate.rank,
               candidate.kept_by, candidate.state,
               (SELECT json_group_object(metric.name, score.value)
                FROM run_metric CROSS JOIN metric ON metric.id = run_metric.metric_id
                CROSS JOIN score ON score.run_id = run_metric.run_id
                AND score.metric_id = run_metric.metric_id AND score.rank = candidate.rank
                WHERE run_metric.run_id = candidate.run_id) AS scores
        FROM candidate JOIN run ON run.id = candidate.run_id JOIN space ON space.id = run.space_id
        WHERE candidate.kept = 1""",
}


def upgrade() -> None:
    for name, select in VIEWS.items():
        op.execute(f"DROP VIEW {name}")
        op.execute(f'CREATE VIEW "{name}" AS {select.strip()}')
