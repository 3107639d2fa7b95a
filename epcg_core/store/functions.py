"""SQL functions on our connections, so that plain SQL reads chunks and draws puzzles.

epcg_score(run, metric, rank)   the recorded value, from rows or chunks
epcg_puzzle(run, rank)          the puzzle's id, which rebuilds it anywhere
epcg_text(puzzle)               the puzzle as text
epcg_svg(puzzle)                the puzzle as SVG
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from epcg_core.errors import EpcgError
from epcg_core.store.reader import Reader


def register(connection: sa.Connection) -> None:
    """Make the functions known to an SQLite connection."""
    raw: Any = connection.connection.driver_connection
    reader = Reader(connection)

    def score(run: int, metric: str, rank: int) -> Any:
        found = _sentence(reader.value, run, metric, rank)
        return int(found) if isinstance(found, bool) else found

    def puzzle(run: int, rank: int) -> str:
        return f"{_sentence(reader.run, run).space}#{rank}"

    raw.create_function("epcg_score", 3, score, deterministic=True)
    raw.create_function("epcg_puzzle", 2, puzzle, deterministic=True)
    for name, format in (("epcg_text", "text"), ("epcg_svg", "svg")):
        raw.create_function(name, 1, _drawer(format), deterministic=True)


def _drawer(format: str) -> Any:
    def draw(puzzle: str) -> str:
        from epcg_core.rendering import render

        return str(_sentence(render, puzzle, format))

    return draw


def _sentence(function: Any, *arguments: Any) -> Any:
    """Call `function`; SQLite shows the message of a ValueError nowhere, so it becomes the driver's error."""
    try:
        return function(*arguments)
    except EpcgError as error:
        raise ValueError(str(error)) from error
