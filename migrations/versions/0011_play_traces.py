"""Traces of play, as play pages save them: appended only, equal ones once."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

TRACES = """
        SELECT play_trace.player, play_trace.puzzle, play_trace.space, play_trace.rank, play_trace.curriculum,
               play_trace.seconds, play_trace.moves, play_trace.undos, play_trace.restarts, play_trace.hints,
               play_trace.solution_shown, play_trace.finished, play_trace.rating, play_trace.imported_at
        FROM play_trace
        WHERE play_trace.id = (SELECT max(newer.id) FROM play_trace AS newer
                               WHERE newer.player = play_trace.player AND newer.puzzle = play_trace.puzzle)"""


def upgrade() -> None:
    op.create_table(
        "play_trace",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player", sa.Text(), nullable=False),
        sa.Column("puzzle", sa.Text(), nullable=False),
        sa.Column("space", sa.Text(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("curriculum", sa.Text(), nullable=False),
        sa.Column("seconds", sa.REAL(), nullable=False),
        sa.Column("moves", sa.Integer(), nullable=False),
        sa.Column("undos", sa.Integer(), nullable=False),
        sa.Column("restarts", sa.Integer(), nullable=False),
        sa.Column("hints", sa.Integer(), nullable=False),
        sa.Column("solution_shown", sa.Integer(), nullable=False),
        sa.Column("finished", sa.Integer(), nullable=False),
        sa.Column("rating", sa.Integer(), nullable=True),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("imported_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_play_trace")),
        sa.UniqueConstraint("sha256", name=op.f("uq_play_trace_sha256")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_play_trace_player_puzzle"), "play_trace", ["player", "puzzle"])
    op.execute(f'CREATE VIEW "traces" AS {TRACES.strip()}')
