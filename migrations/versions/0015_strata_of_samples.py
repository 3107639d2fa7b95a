"""A sample may have strata: how many first items their states share, and where each begins."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.add_column("run", sa.Column("sample_strata", sa.Text(), nullable=True))
