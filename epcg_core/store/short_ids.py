"""Whole names for short ones (`epcg_core.query.short_ids`), as far as a database knows the spaces."""

from __future__ import annotations

from epcg_core.base.errors import QueryError
from epcg_core.query.short_ids import is_short, short
from epcg_core.store.reader import Reader

_SPACES = """SELECT name FROM space
UNION SELECT substr(puzzle, 1, instr(puzzle, '#') - 1) FROM puzzle"""


def whole(reader: Reader, text: str) -> str:
    """Return the whole name that a short one stands for; any other text as it is.

    Raises QueryError if the database knows no such space, or several.
    """
    text = text.strip()
    if not is_short(text):
        return text
    wanted, mark, rank = text.partition("#")
    found = [name for (name,) in reader.connection.exec_driver_sql(_SPACES) if short(name) == wanted]
    if len(found) == 1:
        return f"{found[0]}{mark}{rank}"
    raise QueryError(
        f"'{text}' is the short name of {'several spaces' if found else 'no space'} that this database "
        "knows: --db names another database, and --format csv shows whole names."
    )
