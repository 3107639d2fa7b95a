"""Views with readable names for the questions that people ask first."""

from alembic import op

revision = "0002"
down_revision = "0001"

VIEWS = {
    "runs": """
        SELECT run.id AS run_id, space.name AS space, run.search, run.layer, run.state,
               run.stop - run.start AS candidates, run.evaluated, run.pruned, run.excluded,
               CASE WHEN run.state <> 'done' THEN 'partial'
                    WHEN run.excluded > 0 OR run.stop - run.start < CAST(space.max_rank AS INTEGER)
                    THEN 'semi-exhaustive' ELSE 'exhaustive' END AS coverage,
               (SELECT group_concat(query.name, ', ') FROM query_run
                JOIN query ON query.id = query_run.query_id WHERE query_run.run_id = run.id) AS queries,
               run.rows, run.cpu_seconds, run.created_at, run.finished_at, run.digest
        FROM run JOIN space ON space.id = run.space_id""",
    "metrics": """
        SELECT score_chunk.run_id, metric.name AS metric, metric.kind, metric.direction,
               sum(score_chunk.evaluated) AS evaluated,
               sum(score_chunk.valued) AS valued, min(score_chunk.minimum) AS minimum,
               max(score_chunk.maximum) AS maximum, sum(score_chunk.total) AS total,
               CAST(sum(score_chunk.total) AS REAL) / sum(score_chunk.valued) AS mean
        FROM score_chunk JOIN metric ON metric.id = score_chunk.metric_id
        WHERE metric.domain_id IS NOT NULL
        GROUP BY score_chunk.run_id, score_chunk.metric_id""",
    "layers": """
        SELECT run.id AS run_id, domain.name AS domain, space.generator, space.params,
               json_extract(run.search_params, '$.uniqueness') AS uniqueness, run.layer,
               run.evaluated AS candidates, solvable.total AS solvable, uniquely.total AS uniquely_solvable,
               100.0 * solvable.total / run.evaluated AS percent_solvable,
               100.0 * uniquely.total / run.evaluated AS percent_uniquely_solvable
        FROM run JOIN space ON space.id = run.space_id JOIN domain ON domain.id = space.domain_id
        JOIN metrics AS solvable ON solvable.run_id = run.id AND solvable.metric = 'solvable'
        JOIN metrics AS uniquely ON uniquely.run_id = run.id AND uniquely.metric = 'unique'
        WHERE run.layer IS NOT NULL AND run.state = 'done'
        ORDER BY domain.name, space.generator, uniqueness, run.layer, run.id""",
    "scores": """
        SELECT score.run_id, score.rank, metric.name AS metric, score.value
        FROM score JOIN metric ON metric.id = score.metric_id""",
    "kept": """
        SELECT candidate.run_id, space.name || '#' || candidate.rank AS puzzle, candidate.rank,
               candidate.kept_by, candidate.state,
               (SELECT json_group_object(metric.name, score.value) FROM score
                JOIN metric ON metric.id = score.metric_id
                WHERE score.run_id = candidate.run_id AND score.rank = candidate.rank) AS scores
        FROM candidate JOIN run ON run.id = candidate.run_id JOIN space ON space.id = run.space_id
        WHERE candidate.kept = 1""",
    "errors": """
        SELECT candidate.run_id, space.name || '#' || candidate.rank AS puzzle, candidate.rank, candidate.note
        FROM candidate JOIN run ON run.id = candidate.run_id JOIN space ON space.id = run.space_id
        WHERE candidate.status = 'error'""",
    "histograms": """
        SELECT score_histogram.run_id, metric.name AS metric, score_histogram.position,
               score_histogram.low, score_histogram.high, score_histogram.count
        FROM score_histogram JOIN metric ON metric.id = score_histogram.metric_id""",
}


def upgrade() -> None:
    for name, select in VIEWS.items():
        op.execute(f'CREATE VIEW "{name}" AS {select.strip()}')
