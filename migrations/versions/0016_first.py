"""The revision of the first release: databases are made from `tables.sql` and `views.sql`, not by this."""

revision = "0016"
down_revision = None


def upgrade() -> None:
    raise AssertionError("A database of revision 0016 is made from tables.sql.")
