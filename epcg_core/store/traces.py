"""Traces of play: what players did with puzzles, appended to, never changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import NamedTuple

import attrs
import sqlalchemy as sa

from epcg_core.base.params import canonical_json
from epcg_core.store import schema
from epcg_core.store.writer import now

ACTIONS = ("move", "undo", "restart", "hint", "solution")
"""The kinds of actions that a trace has one by one; with the solution the player gave up."""


class TracedAction(NamedTuple):
    """One action of a player."""

    ms: int
    """Milliseconds with the puzzle until then, without pauses."""
    kind: str
    """One of ACTIONS."""
    text: str = ""
    """The move, as the puzzle's transition model writes it."""


@attrs.frozen
class Trace:
    """The record of one player's play of one puzzle."""

    player: str
    """A random number that a play page draws, in hexadecimal digits."""
    puzzle: str
    """The puzzle's id."""
    space: str
    rank: int
    curriculum: str
    seconds: float
    """Time with the puzzle, without pauses."""
    moves: int
    undos: int
    restarts: int
    hints: int
    solution_shown: bool
    finished: bool
    rating: int | None
    """1 to 5; None if the player gave none."""
    actions: tuple[TracedAction, ...] | None = None
    """Every action in order; None of a page that only counted them."""

    def sha256(self) -> str:
        """Digest all of it: a trace with the same digest is recorded already."""
        data = attrs.asdict(self, recurse=False)
        if self.actions is None:  # as before there were actions
            del data["actions"]
        else:
            data["actions"] = [list(action) for action in self.actions]
        return hashlib.sha256(canonical_json(data).encode()).hexdigest()


def append_traces(connection: sa.Connection, traces: Sequence[Trace]) -> int:
    """Append traces that are not recorded yet; return their number."""
    table = schema.play_trace
    known = set(connection.scalars(sa.select(table.c.sha256)))
    new = {trace.sha256(): trace for trace in traces}
    at = now()
    rows = [
        attrs.asdict(trace, recurse=False) | {"sha256": digest, "imported_at": at}
        for digest, trace in new.items()
        if digest not in known
    ]
    for row in rows:
        row["solution_shown"], row["finished"] = int(row["solution_shown"]), int(row["finished"])
        row["actions"] = None if row["actions"] is None else canonical_json(list(map(list, row["actions"])))
    if rows:
        connection.execute(sa.insert(table), rows)
    return len(rows)


def newest_traces(connection: sa.Connection) -> list[Trace]:
    """Return the newest trace of each player and puzzle, in the order of players and puzzles."""
    names = [field.name for field in attrs.fields(Trace)]
    statement = f"SELECT {', '.join(names)} FROM traces ORDER BY player, puzzle"
    found = []
    for row in connection.exec_driver_sql(statement):
        values = dict(zip(names, row, strict=True))
        actions = values["actions"]
        values |= {
            "solution_shown": bool(values["solution_shown"]),
            "finished": bool(values["finished"]),
            "actions": None
            if actions is None
            else tuple(TracedAction(*each) for each in json.loads(actions)),
        }
        found.append(Trace(**values))
    return found
