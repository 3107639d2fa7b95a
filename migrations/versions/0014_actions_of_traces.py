"""Traces of play hold every action with its time, as newer play pages save them; older traces have none."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

NEWEST = """play_trace.id = (SELECT max(newer.id) FROM play_trace AS newer
                               WHERE newer.player = play_trace.player AND newer.puzzle = play_trace.puzzle)"""
VIEWS = {
    "traces": f"""
        SELECT play_trace.player, play_trace.puzzle, play_trace.space, play_trace.rank, play_trace.curriculum,
               play_trace.seconds, play_trace.moves, play_trace.undos, play_trace.restarts, play_trace.hints,
               play_trace.solution_shown, play_trace.finished, play_trace.rating, play_trace.imported_at,
               play_trace.actions
        FROM play_trace
        WHERE {NEWEST}""",
    "play_actions": f"""
        SELECT play_trace.player, play_trace.puzzle, play_trace.space, play_trace.rank,
               action.key AS position, json_extract(action.value, '$[0]') AS ms,
               json_extract(action.value, '$[1]') AS kind,
               coalesce(json_extract(action.value, '$[2]'), '') AS action
        FROM play_trace JOIN json_each(play_trace.actions) AS action
        WHERE play_trace.actions IS NOT NULL AND {NEWEST}""",
}


def upgrade() -> None:
    op.add_column("play_trace", sa.Column("actions", sa.Text(), nullable=True))
    op.execute("DROP VIEW traces")
    for name, select in VIEWS.items():
        op.execute(f'CREATE VIEW "{name}" AS {select.strip()}')
