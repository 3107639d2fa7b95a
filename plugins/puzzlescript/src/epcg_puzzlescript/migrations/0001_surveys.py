"""Games of surveyed folders, their levels, and the view that joins both."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "puzzlescript_game",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("folder", sa.Text(), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("sources", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("levels", sa.Integer(), nullable=False),
        sa.Column("objects", sa.Integer()),
        sa.Column("rules", sa.Integer()),
        sa.Column("elementary_rules", sa.Integer()),
        sa.Column("engine", sa.Text()),
        sa.Column("errors", sa.Integer(), nullable=False),
        sa.Column("warnings", sa.Integer(), nullable=False),
        sa.Column("unread", sa.Text(), nullable=False),
        sa.UniqueConstraint("folder", "file"),
        sqlite_strict=True,
    )
    op.create_table(
        "puzzlescript_level",
        sa.Column(
            "game_id",
            sa.Integer(),
            sa.ForeignKey("puzzlescript_game.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("level", sa.Integer(), primary_key=True),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("standing", sa.Text(), nullable=False),
        sa.Column("but", sa.Text(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("engine_why", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text()),
        sa.Column("moves", sa.Integer()),
        sa.Column("lucky_moves", sa.Integer()),
        sa.Column("sure_moves", sa.Integer()),
        sa.Column("win_chance", sa.REAL()),
        sa.Column("expansions", sa.Integer()),
        sa.Column("cpu_seconds", sa.REAL()),
        sa.Column("reason", sa.Text()),
        sa.Column("most_expansions", sa.Integer()),
        sa.Column("most_seconds", sa.REAL()),
        sqlite_strict=True,
    )
    op.execute(
        "CREATE VIEW puzzlescript_levels AS SELECT folder, file, title, author, level, width, height, "
        "standing, but, l.outcome, moves, lucky_moves, sure_moves, win_chance, expansions, cpu_seconds, "
        "l.engine, engine_why, l.reason, most_expansions, most_seconds "
        "FROM puzzlescript_level l JOIN puzzlescript_game g ON g.id = l.game_id"
    )
