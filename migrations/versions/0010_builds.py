"""The newest build of each curriculum: views call it by its name, older builds by 'name#number'."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

_NAME = """CASE WHEN newest_build.curriculum_id = curriculum.id THEN curriculum.name
               ELSE curriculum.name || '#' || curriculum.id END AS curriculum"""
VIEWS = {
    "selections": f"""
        SELECT {_NAME},
               curriculum.id AS curriculum_id,
               chapter.position AS chapter, chapter.title, part.name AS part_name, selection.part,
               selection.position, selection.chosen, part.measure, selection.value, puzzle.puzzle,
               selection.rule, selection.reason, selection.measures, puzzle.state, puzzle.run_id, puzzle.rank
        FROM selection JOIN chapter ON chapter.id = selection.chapter_id
        JOIN curriculum ON curriculum.id = chapter.curriculum_id
        LEFT JOIN newest_build ON newest_build.name = curriculum.name
        JOIN part ON part.chapter_id = selection.chapter_id AND part.position = selection.part
        JOIN puzzle ON puzzle.id = selection.puzzle_id""",
    "rejections": f"""
        SELECT {_NAME},
               curriculum.id AS curriculum_id,
               chapter.position AS chapter, chapter.title, part.name AS part_name, rejection.part,
               rejection.position, rejection.rule, rejection.count, rejection.recorded
        FROM rejection JOIN chapter ON chapter.id = rejection.chapter_id
        JOIN curriculum ON curriculum.id = chapter.curriculum_id
        LEFT JOIN newest_build ON newest_build.name = curriculum.name
        JOIN part ON part.chapter_id = rejection.chapter_id AND part.position = rejection.part""",
}


def upgrade() -> None:
    op.create_table(
        "newest_build",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("curriculum_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["curriculum_id"], ["curriculum.id"], name=op.f("fk_newest_build_curriculum_id")
        ),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_newest_build")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.execute("INSERT INTO newest_build SELECT name, max(id) FROM curriculum GROUP BY name")
    for name, select in VIEWS.items():
        op.execute(f"DROP VIEW {name}")
        op.execute(f'CREATE VIEW "{name}" AS {select.strip()}')
