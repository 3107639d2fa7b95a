"""Votes, and the view that sums them up."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "votes_vote",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("run_id", sa.Integer(), sa.ForeignKey("run.id", ondelete="CASCADE"), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("stars", sa.Integer(), nullable=False),
        sqlite_strict=True,
    )
    op.create_index("votes_vote_run", "votes_vote", ["run_id", "rank"])
    op.execute(
        "CREATE VIEW votes AS SELECT run_id, rank, count(*) AS votes, avg(stars) AS stars "
        "FROM votes_vote GROUP BY run_id, rank"
    )
