"""Curricula: parts of chapters, the puzzles chosen and rejected, and the reasons.

`selection` is made anew: no program has written into it yet.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


class Any_(sa.types.UserDefinedType[Any]):
    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "ANY"


VIEWS = {
    "selections": """
        SELECT curriculum.name AS curriculum, curriculum.id AS curriculum_id,
               chapter.position AS chapter, chapter.title, part.name AS part_name, selection.part,
               selection.position, selection.chosen, part.measure, selection.value, puzzle.puzzle,
               selection.rule, selection.reason, selection.measures, puzzle.state, puzzle.run_id, puzzle.rank
        FROM selection JOIN chapter ON chapter.id = selection.chapter_id
        JOIN curriculum ON curriculum.id = chapter.curriculum_id
        JOIN part ON part.chapter_id = selection.chapter_id AND part.position = selection.part
        JOIN puzzle ON puzzle.id = selection.puzzle_id""",
    "rejections": """
        SELECT curriculum.name AS curriculum, curriculum.id AS curriculum_id,
               chapter.position AS chapter, chapter.title, part.name AS part_name, rejection.part,
               rejection.position, rejection.rule, rejection.count, rejection.recorded
        FROM rejection JOIN chapter ON chapter.id = rejection.chapter_id
        JOIN curriculum ON curriculum.id = chapter.curriculum_id
        JOIN part ON part.chapter_id = rejection.chapter_id AND part.position = rejection.part""",
}


def _int(name: str, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=nullable)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def upgrade() -> None:
    op.drop_table("selection")
    op.create_table(
        "part",
        _int("chapter_id"), _int("position"), _text("name"), _text("source"), _text("measure"),
        _text("harder"), _text("rule"), _int("candidates"), _text("digest"),
        sa.ForeignKeyConstraint(["chapter_id"], ["chapter.id"], name=op.f("fk_part_chapter_id")),
        sa.PrimaryKeyConstraint("chapter_id", "position", name=op.f("pk_part")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )  # fmt: skip
    op.create_table(
        "selection",
        _int("chapter_id"), _int("part"), _int("puzzle_id"), _int("position", nullable=True), _int("chosen"),
        sa.Column("value", Any_(), nullable=True), _text("measures"), _text("rule"), _text("reason"),
        sa.ForeignKeyConstraint(["chapter_id"], ["chapter.id"], name=op.f("fk_selection_chapter_id")),
        sa.ForeignKeyConstraint(["puzzle_id"], ["puzzle.id"], name=op.f("fk_selection_puzzle_id")),
        sa.PrimaryKeyConstraint("chapter_id", "part", "puzzle_id", name=op.f("pk_selection")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )  # fmt: skip
    op.create_table(
        "rejection",
        _int("chapter_id"), _int("part"), _int("position"), _text("rule"), _int("count"), _int("recorded"),
        sa.ForeignKeyConstraint(["chapter_id"], ["chapter.id"], name=op.f("fk_rejection_chapter_id")),
        sa.PrimaryKeyConstraint("chapter_id", "part", "position", name=op.f("pk_rejection")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )  # fmt: skip
    op.create_table(
        "curriculum_run",
        _int("curriculum_id"), _int("run_id"), sa.Column("digest", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["curriculum_id"], ["curriculum.id"], name=op.f("fk_curriculum_run_curriculum_id")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_curriculum_run_run_id")),
        sa.PrimaryKeyConstraint("curriculum_id", "run_id", name=op.f("pk_curriculum_run")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )  # fmt: skip
    for name, select in VIEWS.items():
        op.execute(f'CREATE VIEW "{name}" AS {select.strip()}')
