"""What people did in studies that run on pages: who got what, answers about more than a puzzle, choices."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "responses_person",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column(
            "study_id", sa.Integer(), sa.ForeignKey("responses_study.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("player", sa.Text(), nullable=False),
        sa.Column("group_name", sa.Text(), nullable=False),
        sa.Column("complete", sa.Integer(), nullable=False),
        sa.UniqueConstraint("study_id", "person"),
        sqlite_strict=True,
    )
    op.create_table(
        "responses_played",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column(
            "study_id", sa.Integer(), sa.ForeignKey("responses_study.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("space", sa.Text(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("set_name", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("condition", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.UniqueConstraint("study_id", "person", "space", "rank"),
        sqlite_strict=True,
    )
    op.create_table(
        "responses_said",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column(
            "study_id", sa.Integer(), sa.ForeignKey("responses_study.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "responses_choice",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column(
            "study_id", sa.Integer(), sa.ForeignKey("responses_study.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("set_name", sa.Text(), nullable=False),
        sa.Column("space", sa.Text(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("other_space", sa.Text(), nullable=False),
        sa.Column("other_rank", sa.Integer(), nullable=False),
        sa.Column("other_label", sa.Text(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=True),
        sa.Column("equal", sa.Integer(), nullable=False),
        sqlite_strict=True,
    )
    op.execute(
        "CREATE VIEW study_choices AS SELECT study.name AS study, choice.person, choice.question, "
        "choice.set_name AS \"set\", choice.space || '#' || choice.rank AS chosen, "
        "choice.label AS chosen_label, choice.other_space || '#' || choice.other_rank AS other, "
        "choice.other_label, choice.first AS chosen_first, choice.equal "
        "FROM responses_study AS study JOIN responses_choice AS choice ON choice.study_id = study.id"
    )
    op.execute(
        "CREATE VIEW study_people AS SELECT study.name AS study, person.person, person.player, "
        'person.group_name AS "group", person.complete '
        "FROM responses_study AS study JOIN responses_person AS person ON person.study_id = study.id"
    )
    op.execute(
        "CREATE VIEW study_played AS SELECT study.name AS study, played.person, "
        'person.group_name AS "group", '
        'played.set_name AS "set", played.label, played.condition, played.position, '
        "played.space || '#' || played.rank AS puzzle, played.space, played.rank "
        "FROM responses_study AS study JOIN responses_played AS played ON played.study_id = study.id "
        "JOIN responses_person AS person ON person.study_id = study.id AND person.person = played.person"
    )
    op.execute(
        "CREATE VIEW study_said AS SELECT study.name AS study, said.person, said.question, said.about, "
        "said.answer "
        "FROM responses_study AS study JOIN responses_said AS said ON said.study_id = study.id"
    )
