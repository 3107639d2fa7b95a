"""Schema revisions: detecting them, and making new databases (`store.upgrade` upgrades older ones).

A new database is made at once from `migrations/newest.sql`; Alembic, imported inside a function because it
takes 0.2 s, upgrades older ones. A test compares the two, object by object.
"""

from __future__ import annotations

import shlex
from functools import cache
from pathlib import Path

import sqlalchemy as sa

from epcg_core.base.errors import StoreError

SEPARATOR = ";\n\n"
"""Between the statements of `newest.sql`."""


@cache
def migrations_folder() -> Path:
    """Return the folder of the revisions: inside the wheel, or beside the package in a checkout."""
    package = Path(__file__).parents[1]
    for folder in (package / "migrations", package.parent / "migrations"):
        if (folder / "env.py").is_file():
            return folder
    raise StoreError("The migrations folder is missing: install epcg-core again.")


@cache
def revisions() -> tuple[str, ...]:
    """Return every revision, oldest first: the history is linear and its files are numbered."""
    return tuple(sorted(p.name.split("_")[0] for p in (migrations_folder() / "versions").glob("[0-9]*.py")))


_TABLES = r"""
SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name
"""


def revision_of(connection: sa.Connection, location: str) -> str | None:
    """Return a database's revision, or None if it is empty. Raises StoreError if it is not EPCG's."""
    tables = list(connection.exec_driver_sql(_TABLES).scalars())
    if "alembic_version" in tables:
        return connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    if tables:
        raise StoreError(
            f"The database {location} has tables of another program ({', '.join(tables[:3])}): "
            "choose another file with --db."
        )
    return None


def check_revision(revision: str, location: str) -> None:
    """Raise StoreError, with what to do, if the schema is older or newer than this program's."""
    known = revisions()
    if revision == known[-1]:
        return
    if revision in known:
        raise StoreError(
            f"The database {location} has schema {revision}, this EPCG has {known[-1]}: upgrade it with "
            f"`epcg db upgrade --db {shlex.quote(location)}`, which makes a copy first."
        )
    raise StoreError(
        f"The database {location} has schema {revision}, which is newer than this EPCG's {known[-1]}: "
        "install a newer epcg-core."
    )


def create(engine: sa.Engine) -> None:
    """Make all tables and views in an empty database."""
    newest = revisions()[-1]
    with engine.begin() as connection:
        statements = _newest_schema(newest) if engine.dialect.name == "sqlite" else None
        if statements is None:
            migrate(connection, newest)
            return
        for statement in statements:
            connection.exec_driver_sql(statement)
        connection.exec_driver_sql("INSERT INTO alembic_version (version_num) VALUES (?)", (newest,))


def _newest_schema(newest: str) -> list[str] | None:
    """Return the statements of `newest.sql`, which make the schema of all revisions at once.

    None if the file is missing or of another revision, as while a revision is being written.
    """
    try:
        text = (migrations_folder() / "newest.sql").read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    heading, *statements = text.rstrip().removesuffix(";").split(SEPARATOR)
    return statements if heading.split()[-1] == newest else None


def schema_text(connection: sa.Connection, revision: str) -> str:
    """Return the content of `newest.sql` for a database that was migrated to `revision`."""
    rows = connection.exec_driver_sql("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
    heading = f"-- Written by tests.core.store.make_revisions: what the revisions make, up to {revision}"
    return SEPARATOR.join([heading, *(row[0] for row in rows)]) + ";\n"


Objects = dict[tuple[str, str], tuple[str, str]]
"""(kind, name) of tables, views, indexes and triggers -> (table, SQL)."""


def objects(connection: sa.Connection) -> Objects:
    """Return what the schema of a database holds."""
    rows = connection.exec_driver_sql(
        "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite%'"
    )
    return {(kind, name): (table, text or "") for kind, name, table, text in rows}


@cache
def newest_objects() -> Objects:
    """Return what the schema of a new database holds."""
    engine = sa.create_engine("sqlite://")
    try:
        create(engine)
        with engine.connect() as connection:
            return objects(connection)
    finally:
        engine.dispose()


def migrate(connection: sa.Connection, target: str) -> None:
    """Run Alembic's revisions up to one of them, in the transaction of a connection."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, target)
