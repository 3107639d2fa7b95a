"""Questions in SQL. Light: `epcg sql` imports no numpy, and no plugin before a function needs it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from epcg_core.api.arguments import checked
from epcg_core.api.report import Table, location_of
from epcg_core.store import Store
from epcg_core.store.sql import ask_sql


@checked
def sql(statement: str | None = None, *, db: str | Path | None = None) -> Table:
    """Ask a database anything in SQL, as `epcg sql` does; without a statement, list its tables and views.

    Raises StoreError if the statement is invalid or would change the database.
    """
    with Store.open(location_of(db)) as store, store.connection() as connection:
        if statement is None or not statement.strip():
            return tables(connection)
        found = ask_sql(connection, statement)
        return Table(tuple(distinct_names(found.columns)), tuple(found))


def tables(connection: sa.Connection) -> Table:
    """List the tables and views with their columns."""
    return Table(("name", "kind", "columns"), tuple(_tables(connection)))


def distinct_names(names: Sequence[str]) -> list[str]:
    """Return other names for columns whose name is taken, which would be one key in JSON: name_2."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return found


def _tables(connection: sa.Connection) -> Iterator[tuple[Any, ...]]:
    inspector = sa.inspect(connection)
    for kind, names in (("view", inspector.get_view_names()), ("table", inspector.get_table_names())):
        for name in sorted(names):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", sa.exc.SAWarning)  # SQLite's ANY, which SQLAlchemy lacks
                columns = [column["name"] for column in inspector.get_columns(name)]
            yield name, kind, ", ".join(columns)
