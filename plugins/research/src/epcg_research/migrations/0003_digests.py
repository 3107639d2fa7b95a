"""A digest of each study's rows, recorded as they are imported; none of what was imported before."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("responses_study", sa.Column("digest", sa.Text(), nullable=True))
