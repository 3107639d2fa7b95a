"""The edits that make a variant, and their effects."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

VIEWS = {
    "edit_effects": """
        SELECT run.id AS run_id, space.name AS space, score.rank,
               coalesce((SELECT group_concat(description, '; ') FROM
                         (SELECT edit.description FROM variant_edit JOIN edit
                          ON edit.space_id = variant_edit.space_id AND edit.position = variant_edit.position
                          WHERE variant_edit.space_id = run.space_id AND variant_edit.rank = score.rank
                          ORDER BY variant_edit.position)), 'nothing') AS edits,
               metric.name AS metric, score.value
        FROM run JOIN space ON space.id = run.space_id JOIN run_metric ON run_metric.run_id = run.id
        JOIN metric ON metric.id = run_metric.metric_id
        JOIN score ON score.run_id = run.id AND score.metric_id = metric.id
        WHERE run.state = 'done' AND run.space_id IN (SELECT space_id FROM edit)""",
    "best_edits": """
        SELECT run_id, space, metric, direction,
               CASE WHEN largest = smallest THEN 'all' WHEN value = largest THEN 'largest'
                    ELSE 'smallest' END AS extreme,
               value = CASE direction WHEN 'max' THEN largest ELSE smallest END AS best,
               rank, edit, change, value
        FROM (SELECT run.id AS run_id, space.name AS space, metric.name AS metric, metric.direction,
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
              WINDOW metrics_of_run AS (PARTITION BY run.id, space.name, metric.id, metric.name))
        WHERE value IN (largest, smallest)""",
}


def upgrade() -> None:
    op.create_table(
        "variant_edit",
        sa.Column("space_id", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["space_id"], ["space.id"], name=op.f("fk_variant_edit_space_id")),
        sa.PrimaryKeyConstraint("space_id", "rank", "position", name=op.f("pk_variant_edit")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    for name, select in VIEWS.items():
        op.execute(f'CREATE VIEW "{name}" AS {select.strip()}')
