"""Upgrading a database of an older EPCG, or of older plugins, after a copy."""

from __future__ import annotations

from pathlib import Path

import attrs
import sqlalchemy as sa

from epcg_core.base.errors import StoreError
from epcg_core.store import extensions, migrate
from epcg_core.store.connection import database_path, store_errors, writing_engine
from epcg_core.store.lock import WriterLock, sign, unsign


@attrs.frozen
class Upgraded:
    """The outcome of an upgrade."""

    old: str
    """The revision that the schema had."""
    new: str
    copy: Path | None = None
    """The database as it was; None if nothing was to do."""
    tables: tuple[str, ...] = ()
    """The tables of plugins that were upgraded, too."""


def upgrade(location: str, to: str | None = None) -> Upgraded:
    """Upgrade a database, and the tables of plugins in it, after a copy beside it.

    Raises StoreError if that fails, for example because another process is writing.
    """
    target = to or migrate.revisions()[-1]
    path = database_path(location)
    if not path.exists():
        raise StoreError(f"There is no database {location}.")
    lock = WriterLock(location, path)
    engine = writing_engine(location)
    try:
        with store_errors(location):
            with engine.begin() as connection:
                old = migrate.revision_of(connection, location)
                tables = [] if old is None else extensions.outdated(connection)
            if old is None:
                raise StoreError(f"The database {location} is empty: `epcg run` makes its tables.")
            if old == target and not tables:
                _finish_copies(path, *migrate.revisions())
                return Upgraded(old, old)
            if old not in migrate.revisions():
                migrate.check_revision(old, location)
            sign(engine)
            try:
                _copy(engine, path, old)
                with engine.begin() as connection:
                    migrate.migrate(connection, target)
                    extensions.upgrade_all(connection, tables, location)
                copy = _finish_copies(path, old)
            finally:
                unsign(engine)
            return Upgraded(old, target, copy, tuple(info.name for info in tables))
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
