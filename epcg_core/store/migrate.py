"""Schema revisions: detecting them, and making new databases (`store.upgrade` upgrades older ones).

A new database is made from `migrations/tables.sql` and `migrations/views.sql`. The tables of an older one are
upgraded by Alembic, which is imported inside a function because it takes 0.2 s; its views are made again.
"""

from __future__ import annotations

import re
import shlex
from functools import cache
from pathlib import Path

import sqlalchemy as sa

from epcg_core.base.errors import StoreError

_VIEW = re.compile(r'CREATE VIEW "?(\w+)"? AS')
SEPARATOR = ";\n\n"
"""Between the statements of the files of the schema."""
_BEFORE = "cf51c853"
"""The commit whose program upgrades databases from before the first release to the first revision."""


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
    if revision < known[0]:
        raise StoreError(
            f"The database {location} has schema {revision}, from before EPCG's first release, which has "
            f"{known[0]}. The EPCG of 28 November 2026 (commit {_BEFORE}) brings it up to that by "
            f"`epcg db upgrade --db {shlex.quote(location)}`; then this one reads it."
        )
    raise StoreError(
        f"The database {location} has schema {revision}, which is newer than this EPCG's {known[-1]}: "
        "install a newer epcg-core."
    )


def create(engine: sa.Engine) -> None:
    """Make all tables and views in an empty database."""
    with engine.begin() as connection:
        for statement in (*_statements("tables.sql"), *_statements("views.sql")):
            connection.exec_driver_sql(statement)
        connection.exec_driver_sql("INSERT INTO alembic_version (version_num) VALUES (?)", (revisions()[-1],))


def _statements(name: str) -> list[str]:
    """Return the statements of a file of the schema, which begins with a comment."""
    text = (migrations_folder() / name).read_text(encoding="utf-8")
    return text.rstrip().removesuffix(";").split(SEPARATOR)[1:]


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
    """Run Alembic's revisions up to one of them, in the transaction of a connection; then make all views."""
    from alembic import command
    from alembic.config import Config

    views = {_VIEW.match(statement)[1]: statement for statement in _statements("views.sql")}  # type: ignore[index]
    there = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'view'").scalars().all()
    for name in views.keys() & set(there):  # SQLite refuses changes of a table that a view would break
        connection.exec_driver_sql(f'DROP VIEW "{name}"')
    config = Config()
    config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, target)
    for statement in views.values():
        connection.exec_driver_sql(statement)
