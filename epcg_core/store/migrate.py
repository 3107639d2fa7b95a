"""Schema revisions: detecting them, making new databases, and upgrading old ones after a copy.

A new database is made at once from `migrations/newest.sql`; Alembic, imported inside a function because it
takes 0.2 s, upgrades older ones. A test compares the two, object by object.
"""

from __future__ import annotations

import shlex
from functools import cache
from pathlib import Path

import sqlalchemy as sa

from epcg_core.errors import DamagedError, StoreError
from epcg_core.store.connection import database_path, store_errors, writing_engine
from epcg_core.store.lock import WriterLock, sign, unsign

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
    try:
        tables = list(connection.exec_driver_sql(_TABLES).scalars())
    except UnicodeDecodeError as error:
        raise DamagedError(
            f"The database {location} is damaged: the names of its tables are not text."
        ) from error
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
            _migrate(connection, newest)
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
    heading = f"-- Written by tests.store.make_revisions: what the revisions make, up to {revision}"
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


def upgrade(location: str, to: str | None = None) -> tuple[str, str, Path | None]:
    """Upgrade a database, after a copy beside it: (old revision, new revision, copy).

    Raises StoreError if that fails, for example because another process is writing.
    """
    target = to or revisions()[-1]
    path = database_path(location)
    if not path.exists():
        raise StoreError(f"There is no database {location}.")
    lock = WriterLock(location, path)
    engine = writing_engine(location)
    try:
        with store_errors(location):
            with engine.begin() as connection:
                old = revision_of(connection, location)
            if old is None:
                raise StoreError(f"The database {location} is empty: `epcg run` makes its tables.")
            if old == target:
                _finish_copies(path, *revisions())
                return old, old, None
            if old not in revisions():
                check_revision(old, location)
            sign(engine)
            try:
                _copy(engine, path, old)
                with engine.begin() as connection:
                    _migrate(connection, target)
                copy = _finish_copies(path, old)
            finally:
                unsign(engine)
            return old, target, copy
    finally:
        engine.dispose()
        lock.release()


def _copy(engine: sa.Engine, path: Path, revision: str) -> None:
    """Copy a database beside it; the copy bears its name only when the database is upgraded.

    So an upgrade that was killed leaves what the next one takes away, not a second copy.
    """
    partial = path.with_name(f"{path.name}.schema-{revision}{_PARTIAL}")
    partial.unlink(missing_ok=True)
    raw = engine.raw_connection()
    try:
        raw.cursor().execute("VACUUM INTO ?", (str(partial),))
    finally:
        raw.close()


def _finish_copies(path: Path, *olds: str) -> Path | None:
    """Give the copies of an upgraded database their names, also one of an upgrade that was killed then."""
    copy = None
    for revision in olds:
        partial = path.with_name(f"{path.name}.schema-{revision}{_PARTIAL}")
        if partial.exists():
            copy = _free_name(partial.with_name(partial.name.removesuffix(_PARTIAL)))
            partial.replace(copy)
    return copy


_PARTIAL = ".partial"


def _free_name(path: Path) -> Path:
    """Return `path` if no file with content has this name, else the first of PATH-2, PATH-3, ..."""
    names = (path, *(path.with_name(f"{path.name}-{number}") for number in range(2, 1000)))
    for name in names:
        if not name.exists() or not name.stat().st_size:
            return name
    raise StoreError(f"There are {len(names)} copies {path}-...: move them away, then upgrade again.")


def _migrate(connection: sa.Connection, target: str) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, target)
