"""What people did with puzzles in studies of others: data sets, their columns, answers and values."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "responses_study",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.Text(), nullable=False, unique=True),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("imported_at", sa.Text(), nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "responses_column",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column(
            "study_id", sa.Integer(), sa.ForeignKey("responses_study.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("low", sa.REAL(), nullable=True),
        sa.Column("high", sa.REAL(), nullable=True),
        sa.Column("of_finished", sa.Integer(), nullable=False),
        sa.UniqueConstraint("study_id", "name"),
        sqlite_strict=True,
    )
    op.create_table(
        "responses_answer",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column(
            "study_id", sa.Integer(), sa.ForeignKey("responses_study.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("space", sa.Text(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("position", sa.REAL(), nullable=True),
        sa.Column("finished", sa.Integer(), nullable=True),
        sa.UniqueConstraint("study_id", "person", "space", "rank"),
        sqlite_strict=True,
    )
    op.create_table(
        "responses_value",
        sa.Column(
            "answer_id",
            sa.Integer(),
            sa.ForeignKey("responses_answer.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column(
            "column_id",
            sa.Integer(),
            sa.ForeignKey("responses_column.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("value", sa.REAL(), nullable=False),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.execute(
        "CREATE VIEW responses AS SELECT study.name AS study, answer.person, "
        "answer.space || '#' || answer.rank AS puzzle, answer.space, answer.rank, answer.position, "
        "answer.finished, col.name AS response, value.value, col.unit "
        "FROM responses_study AS study JOIN responses_answer AS answer ON answer.study_id = study.id "
        "JOIN responses_value AS value ON value.answer_id = answer.id "
        "JOIN responses_column AS col ON col.id = value.column_id"
    )
