"""Views, triggers, indexes and references of the database, against a newly made one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from epcg_core.base.errors import CheckFailedError
from epcg_core.store import extensions, migrate, rows

if TYPE_CHECKING:
    from epcg_core.store.reader import Reader

_OF_RUN = re.compile(r"ix_score_value_run_(\d+)")


def objects(reader: Reader) -> str:
    """Check that views, tables, indexes and triggers are those of the newest schema, and references lead on.

    A view or table of the user's own passes, and is named; a trigger does not.
    """
    found = migrate.objects(reader.connection)
    wanted = migrate.newest_objects() | extensions.made_objects(reader.connection)
    tables = {name for kind, name in wanted if kind == "table"}
    for key in sorted(wanted.keys() - found.keys()):
        raise CheckFailedError(f"The {key[0]} '{key[1]}' is missing.")
    own = []
    for key, (table, text) in sorted(found.items()):
        of_run = _OF_RUN.fullmatch(key[1])
        if of_run is not None and key[0] == "index":
            if _words(text) != _words(rows.index_statement(int(of_run[1]))):
                raise CheckFailedError(f"The index '{key[1]}' is not the one that EPCG makes.")
        elif key not in wanted:
            if key[0] == "trigger" or (key[0] == "index" and table in tables):
                raise CheckFailedError(
                    f"There is the {key[0]} '{key[1]}' on '{table}', which EPCG does not make: drop it."
                )
            own.append(f"{key[0]} {key[1]}")
        elif _words(text) != _words(wanted[key][1]):
            raise CheckFailedError(f"The {key[0]} '{key[1]}' is not the one that EPCG makes.")
    _check_references(reader)
    also = f"; besides, the file has {', '.join(own)}" if own else ""
    return f"{len(wanted):,} tables, views and indexes are those that EPCG makes{also}."


def _words(text: str) -> str:
    """Return SQL with single spaces, because upgrades fold it in another way."""
    return " ".join(text.split())


def _check_references(reader: Reader) -> None:
    """Check that every foreign key leads to a row."""
    broken = reader.connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if broken is not None:
        raise CheckFailedError(f"A row of '{broken[0]}' names a row of '{broken[2]}' that is not there.")
