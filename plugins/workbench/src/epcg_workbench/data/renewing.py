"""Databases that were deleted, replaced or written over while Datasette serves them.

Datasette opens a file once and keeps its connections, which go on to read a file that has no name any more.
So each request looks first whether the files are still those that are open.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:  # Datasette loads its plugins while it is imported itself
    from datasette.app import Datasette

ASGI = Callable[..., Awaitable[None]]
Identity = tuple[int, int, int, int]
"""Device, number, size and time of change of a file. SQLite does not notice that another was copied over it.
A run changes the file now and then, too, and opening it once more costs little."""

_opened: WeakKeyDictionary[Datasette, dict[str, Identity]] = WeakKeyDictionary()


def wrapped(datasette: Datasette, app: ASGI, forget: Callable[[str], None]) -> ASGI:
    """Return `app` such that every request sees the files that are there now, or gets a sentence.

    `forget` is called with the name of each database that is another now, before it is opened.
    """

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            sentence = await _renew(datasette, forget)
            if sentence:
                from datasette.utils.asgi import Response

                await Response.text(sentence, 404).asgi_send(send)
                return
        await app(scope, receive, send)

    return answer


async def _renew(datasette: Datasette, forget: Callable[[str], None]) -> str:
    """Open replaced databases anew, and return why one cannot be served; '' if all can."""
    opened = _opened.setdefault(datasette, {})
    paths = {name: each.path for name, each in datasette.databases.items() if each.path is not None}
    found: dict[str, Identity] = {}
    for name, path in paths.items():
        try:
            state = Path(path).stat()
        except OSError as error:
            return (
                f"The database {path} cannot be read: {error.strerror}. It was there when this server began; "
                "load this page again when it is back."
            )
        found[name] = state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns
    other = [name for name, identity in found.items() if opened.get(name, identity) != identity]
    if other:
        _leave_connections(datasette)
    for name in other:
        forget(name)
        try:
            await datasette.databases[name].execute_fn(_read)
        except sqlite3.Error as error:
            return f"The database {paths[name]} was replaced by a file that cannot be read: {error}."
    opened.update(found)
    return ""


def _read(connection: sqlite3.Connection) -> None:
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


def _leave_connections(datasette: Datasette) -> None:
    """Give Datasette new threads: connections belong to threads, and end with them after their last use."""
    former = datasette.executor
    if former is not None:
        datasette.executor = ThreadPoolExecutor(max_workers=datasette.setting("num_sql_threads"))
        former.shutdown(wait=False)
    for database in datasette.databases.values():
        database._read_connection = None  # of a Datasette without threads
        database._all_file_connections.clear()
