"""Views, triggers, indexes and references of the database, against a newly made one."""

from __future__ import annotations

import re

import sqlalchemy as sa

from epcg_core.errors import CheckFailedError
from epcg_core.store import migrate, rows, schema
from epcg_core.verification.derived.subject import Subject

_OBJECTS = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite%'"
_OF_RUN = re.compile(r"ix_score_value_run_(\d+)")


def objects(subject: Subject) -> str:
    """Check that views, tables, indexes and triggers are those of the newest schema, and references lead on.

    A view or table of the user's own passes, and is named; a trigger does not.
    """
    connection = subject.reader.connection
    engine = sa.create_engine("sqlite://")
    try:
        migrate.create(engine)
        with engine.connect() as new:
            wanted = _objects(new)
    finally:
        engine.dispose()
    found = _objects(connection)
    for key in sorted(wanted.keys() - found.keys()):
        raise CheckFailedError(f"The {key[0]} '{key[1]}' is missing.")
    own = []
    for key, (table, text) in sorted(found.items()):
        of_run = _OF_RUN.fullmatch(key[1])
        if of_run is not None and key[0] == "index":
            if _words(text) != _words(rows.index_statement(int(of_run[1]))):
                raise CheckFailedError(f"The index '{key[1]}' is not the one that EPCG makes.")
        elif key not in wanted:
            if key[0] == "trigger" or (key[0] == "index" and table in schema.metadata.tables):
                raise CheckFailedError(
                    f"There is the {key[0]} '{key[1]}' on '{table}', which EPCG does not make: drop it."
                )
            own.append(f"{key[0]} {key[1]}")
        elif _words(text) != _words(wanted[key][1]):
            raise CheckFailedError(f"The {key[0]} '{key[1]}' is not the one that EPCG makes.")
    _check_references(connection)
    also = f"; besides, the file has {', '.join(own)}" if own else ""
    return f"{len(wanted):,} tables, views and indexes are those that EPCG makes{also}."


def _objects(connection: sa.Connection) -> dict[tuple[str, str], tuple[str, str]]:
    """Return (table, SQL) of everything that the schema holds, by kind and name."""
    rows = connection.exec_driver_sql(_OBJECTS)
    return {(kind, name): (table, text or "") for kind, name, table, text in rows}


def _words(text: str) -> str:
    """Return SQL with single spaces, because upgrades fold it in another way."""
    return " ".join(text.split())


def _check_references(connection: sa.Connection) -> None:
    """Check that every foreign key leads to a row."""
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if broken is not None:
        raise CheckFailedError(f"A row of '{broken[0]}' names a row of '{broken[2]}' that is not there.")
