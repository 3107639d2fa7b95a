"""Tables and views that plugins keep in a database, with migrations of their own.

The revisions of each plugin are counted in a table of their own, `alembic_version_NAME`: a database can be
opened, upgraded and verified if the plugin is not installed.
"""

from __future__ import annotations

import importlib.util
import shlex
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from epcg_core.base.errors import PluginError, StoreError
from epcg_core.domain import TablesInfo
from epcg_core.plugins.registry import registry
from epcg_core.store import migrate
from epcg_core.store.connection import store_errors

if TYPE_CHECKING:
    from epcg_core.store.reader import Reader
    from epcg_core.store.store import Store

_COUNTED = "alembic_version_"


def make_tables(store: Store, name: str) -> None:
    """Make the tables and views of a plugin, or bring them up to date.

    Args:
        store: a database that is open for writing.
        name: the name of the plugin's `TablesInfo`.

    Raises:
        StoreError: if the database has newer ones than the plugin knows.
        UnknownNameError: if no plugin has tables of that name.
    """
    with store_errors(store.location), store.engine.begin() as connection:
        _upgrade(connection, registry().tables(name), store.location)


def has_tables(reader: Reader, name: str) -> bool:
    """Return whether a database has the tables of a plugin.

    Raises:
        StoreError: if they are older or newer than the plugin's.
        UnknownNameError: if no plugin has tables of that name.
    """
    info = registry().tables(name)
    found = _revision(reader.connection, name)
    if found is None:
        return False
    known = _revisions(info)
    location = _location(reader.connection)
    if found in known and found != known[-1]:
        raise StoreError(
            f"{_owner(info)} in {location} has revision {found}, the plugin has {known[-1]}: upgrade the "
            f"database with `epcg db upgrade --db {shlex.quote(location)}`, which makes a copy first."
        )
    _check_known(info, found, location)
    return True


def outdated(connection: sa.Connection) -> list[TablesInfo]:
    """Return those tables of installed plugins in a database that a newer revision would change."""
    found = []
    for info in registry().all(TablesInfo):
        there = _revision(connection, info.name)
        if there is not None and there != _revisions(info)[-1]:
            found.append(info)
    return found


def upgrade_all(connection: sa.Connection, infos: Sequence[TablesInfo], location: str) -> None:
    """Bring tables of plugins up to date."""
    for info in infos:
        _upgrade(connection, info, location)


def made_objects(connection: sa.Connection) -> migrate.Objects:
    """Return what the revisions of installed plugins make of the tables that a database has of them.

    Raises PluginError if a plugin's migrations cannot be read, StoreError if it does not know the revision.
    """
    found: migrate.Objects = {}
    there = _counted(connection)
    for info in registry().all(TablesInfo):
        revision = _revision(connection, info.name) if info.name in there else None
        if revision is not None:
            _check_known(info, revision, _location(connection))
            found |= _made(info, revision)
    return found


@cache
def _made(info: TablesInfo, revision: str) -> migrate.Objects:
    """Return what a plugin's revisions, up to one of them, add to a new database."""
    from alembic import command

    engine = sa.create_engine("sqlite://", poolclass=sa.StaticPool)
    try:
        migrate.create(engine)
        with engine.begin() as connection, registry().attribute_errors_to(info):
            command.upgrade(_config(info, connection), revision)
            made = migrate.objects(connection)
    finally:
        engine.dispose()
    return {key: value for key, value in made.items() if key not in migrate.newest_objects()}


def without_plugin(connection: sa.Connection) -> list[str]:
    """Return the names of tables of plugins that are not installed."""
    there = _counted(connection)
    known = {info.name for info in registry().all(TablesInfo)} if there else ()
    return [name for name in there if name not in known]


def _counted(connection: sa.Connection) -> list[str]:
    names = sa.inspect(connection).get_table_names()
    return sorted(name.removeprefix(_COUNTED) for name in names if name.startswith(_COUNTED))


def _revision(connection: sa.Connection, name: str) -> str | None:
    if name not in _counted(connection):
        return None
    found = connection.exec_driver_sql(f'SELECT version_num FROM "{_COUNTED}{name}"').scalar()
    return None if found is None else str(found)


def _upgrade(connection: sa.Connection, info: TablesInfo, location: str) -> None:
    from alembic import command

    found = _revision(connection, info.name)
    if found == _revisions(info)[-1]:
        return
    if found is not None:
        _check_known(info, found, location)
    with registry().attribute_errors_to(info):
        command.upgrade(_config(info, connection), "head")


def _location(connection: sa.Connection) -> str:
    """Return the file of a database, which may have a temporary one beside it."""
    return str(connection.exec_driver_sql("PRAGMA database_list").all()[0][2])


def _check_known(info: TablesInfo, found: str, location: str) -> None:
    if found not in _revisions(info):
        raise StoreError(
            f"{_owner(info)} in {location} has revision {found}, which is newer than the plugin's: install a "
            "newer one."
        )


def _revisions(info: TablesInfo) -> list[str]:
    """Return the plugin's revisions, oldest first. Raises PluginError if there is none, or a branch."""
    from alembic.script import ScriptDirectory
    from alembic.util import CommandError

    try:
        script = ScriptDirectory.from_config(_config(info, None))
        found = [each.revision for each in script.walk_revisions("base", "heads")][::-1]
        heads = script.get_heads()
    except (CommandError, SyntaxError, ImportError) as error:
        raise PluginError(f"{_owner(info)}: its migrations cannot be read: {error}.") from error
    if len(heads) != 1:
        raise PluginError(
            f"{_owner(info)}: its migrations have {len(heads)} newest revisions: one is needed."
        )
    return found


def _config(info: TablesInfo, connection: sa.Connection | None) -> Any:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", _escaped(migrate.migrations_folder()))
    config.set_main_option("version_locations", _escaped(_folder(info)))
    config.set_main_option("path_separator", "newline")
    config.attributes["connection"] = connection
    config.attributes["version_table"] = f"{_COUNTED}{info.name}"
    return config


def _escaped(folder: Path) -> str:
    return str(folder).replace("%", "%%")


def _folder(info: TablesInfo) -> Path:
    try:
        spec = importlib.util.find_spec(info.migrations)
    except (ImportError, ValueError):
        spec = None
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        return Path(place)
    raise PluginError(f"{_owner(info)}: there is no package '{info.migrations}' with its migrations.")


def _owner(info: TablesInfo) -> str:
    return f"The {registry().described(info)}"
