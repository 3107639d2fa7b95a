"""The view `runs` calls a run over a space that leaves something out semi-exhaustive, too.

The view `metrics` has a total also if the sum of integers passes 2^63: then it is a real number.

SQLite's sum() of integers fails there. So the high and the low 32 bits are added apart, and put together only
where the sum as a real number says that it fits.
"""

from alembic import op

revision = "0004"
down_revision = "0003"

_TOTAL = """CASE WHEN metric.kind <> 'real' AND max(typeof(score_chunk.total) = 'real') = 0
                         AND abs(total(score_chunk.total)) < 9.2e18
                    THEN sum(score_chunk.total / 4294967296) * 4294967296
                         + sum(score_chunk.total % 4294967296)
                    ELSE sum(CAST(score_chunk.total AS REAL)) END"""

RUNS = """
        SELECT run.id AS run_id, space.name AS space, run.search, run.layer, run.state,
               run.stop - run.start AS candidates, run.evaluated, run.pruned, run.excluded,
               CASE WHEN run.state <> 'done' THEN 'partial'
                    WHEN run.excluded > 0 OR json_extract(run.spec, '$.left_out') IS NOT NULL
                         OR run.stop - run.start < CAST(space.max_rank AS INTEGER)
                    THEN 'semi-exhaustive' ELSE 'exhaustive' END AS coverage,
               (SELECT group_concat(query.name, ', ') FROM query_run
                JOIN query ON query.id = query_run.query_id WHERE query_run.run_id = run.id) AS queries,
               run.rows, run.cpu_seconds, run.created_at, run.finished_at, run.digest
        FROM run JOIN space ON space.id = run.space_id"""

METRICS = f"""
        SELECT score_chunk.run_id, metric.name AS metric, metric.kind, metric.direction,
               sum(score_chunk.evaluated) AS evaluated,
               sum(score_chunk.valued) AS valued, min(score_chunk.minimum) AS minimum,
               max(score_chunk.maximum) AS maximum,
               {_TOTAL} AS total,
               CAST({_TOTAL} AS REAL) / sum(score_chunk.valued) AS mean
        FROM score_chunk JOIN metric ON metric.id = score_chunk.metric_id
        WHERE metric.domain_id IS NOT NULL
        GROUP BY score_chunk.run_id, score_chunk.metric_id"""


def upgrade() -> None:
    for name, body in (("runs", RUNS), ("metrics", METRICS)):
        op.execute(f"DROP VIEW {name}")
        op.execute(f'CREATE VIEW "{name}" AS {body.strip()}')
