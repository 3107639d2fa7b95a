"""The view `best_edits` leaves out edits that change nothing.

A variant is as good as the original if its gain is 0, or if its value is that of the original, which is rank
0 of spaces that hold it. Where nothing makes a metric smaller, nearly all edits were listed as the smallest.
"""

from alembic import op

revision = "0009"
down_revision = "0008"

BEST_EDITS = """
        SELECT run_id, space, metric, direction,
               CASE WHEN largest = smallest THEN 'all' WHEN value = largest THEN 'largest'
                    ELSE 'smallest' END AS extreme,
               value = CASE direction WHEN 'max' THEN largest ELSE smallest END AS best,
               rank, edit, change, value
        FROM (SELECT run.id AS run_id, run.space_id, space.name AS space, metric.id AS metric_id,
                     metric.name AS metric, metric.direction,
                     single.rank, edit.description AS edit, edit.change, score.value,
                     max(score.value) OVER metrics_of_run AS largest,
                     min(score.value) OVER metrics_of_run AS smallest
              FROM run JOIN space ON space.id = run.space_id JOIN run_metric ON run_metric.run_id = run.id
              JOIN metric ON metric.id = run_metric.metric_id
              JOIN variant_edit AS single ON single.space_id = run.space_id
              JOIN edit ON edit.space_id = single.space_id AND edit.position = single.position
              JOIN score ON score.run_id = run.id AND score.metric_id = metric.id
                            AND score.rank = single.rank AND score.value IS NOT NULL
              WHERE run.state = 'done' AND metric.always = 0 AND NOT EXISTS
                    (SELECT 1 FROM variant_edit AS other WHERE other.space_id = single.space_id
                     AND other.rank = single.rank AND other.position <> single.position)
              WINDOW metrics_of_run AS (PARTITION BY run.id, space.name, metric.id, metric.name)) AS found
        WHERE value IN (largest, smallest)
              AND NOT (metric IN ('moves', 'gain') AND EXISTS
                       (SELECT 1 FROM run_metric JOIN metric AS gain ON gain.id = run_metric.metric_id
                        JOIN score AS none ON none.run_id = run_metric.run_id AND none.metric_id = gain.id
                        WHERE run_metric.run_id = found.run_id AND gain.name = 'gain'
                        AND none.rank = found.rank AND none.value = 0))
              AND NOT EXISTS
                  (SELECT 1 FROM score AS original WHERE original.run_id = found.run_id
                   AND original.metric_id = found.metric_id AND original.rank = 0
                   AND original.value = found.value AND NOT EXISTS
                   (SELECT 1 FROM variant_edit AS own
                    WHERE own.space_id = found.space_id AND own.rank = 0))"""


def upgrade() -> None:
    op.execute("DROP VIEW best_edits")
    op.execute(f'CREATE VIEW "best_edits" AS {BEST_EDITS.strip()}')
