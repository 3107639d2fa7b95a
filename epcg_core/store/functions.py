"""SQL functions on our connections, so that plain SQL reads chunks and draws puzzles.

epcg_score(run, metric, rank)   the recorded value, from rows or chunks
epcg_puzzle(run, rank)          the puzzle's id, which rebuilds it anywhere
epcg_text(puzzle)               the puzzle as text
epcg_svg(puzzle)                the puzzle as SVG
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from epcg_core.errors import EpcgError, UnknownNameError
from epcg_core.store.reader import Reader

PROBLEM = "epcg_function_problem"
"""Key of a connection's `info`: why a function of ours raised last. SQLite itself passes no message on."""


def register(connection: sa.Connection) -> None:
    """Make the functions known to an SQLite connection."""
    raw: Any = connection.connection.driver_connection
    reader = Reader(connection)

    def score(run: int, metric: str, rank: int) -> Any:
        try:
            found = reader.value(run, metric, rank)
        except UnknownNameError:
            reader.run(run)  # where there is no such run, that is what to say
            raise
        return int(found) if isinstance(found, bool) else found

    def puzzle(run: int, rank: int) -> str:
        return f"{reader.run(run).space}#{rank}"

    functions = (
        ("epcg_score", 3, score),
        ("epcg_puzzle", 2, puzzle),
        ("epcg_text", 1, _drawer("text")),
        ("epcg_svg", 1, _drawer("svg")),
    )
    for name, arguments, function in functions:
        raw.create_function(name, arguments, _noted(function, connection), deterministic=True)


def _drawer(format: str) -> Callable[[str], str]:
    def draw(puzzle: str) -> str:
        from epcg_core.rendering import render

        return render(puzzle, format)

    return draw


def _noted(function: Callable[..., Any], connection: sa.Connection) -> Callable[..., Any]:
    """`function`, leaving the message of its EpcgError in the connection's `info`."""

    def noted(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except EpcgError as error:
            connection.info[PROBLEM] = str(error)
            raise

    return noted
