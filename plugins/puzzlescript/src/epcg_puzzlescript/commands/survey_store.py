"""Surveys in the database: games and levels as they are found, so that a survey that was stopped goes on."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from epcg_core.plugin import Store, make_tables
from epcg_puzzlescript.commands.survey_levels import FAILED, LevelRow, Limits

TABLES = "puzzlescript"
_FOUND = (
    "outcome", "moves", "lucky_moves", "sure_moves", "win_chance", "expansions", "cpu_seconds", "reason",
)  # fmt: skip
"""The columns of what a search found."""
_STANDING = ("level", "width", "height", "standing", "but", "engine", "engine_why")
_GAME = (
    "file", "sha256", "title", "author", "outcome", "reason", "objects", "rules", "elementary_rules",
    "errors", "warnings", "unread",
)  # fmt: skip
_UNKNOWN = {"title": "", "author": "", "unread": ""}


class Kept:
    """The games of one folder in a database that is open for writing.

    Args:
        store: the database.
        folder: the folder of the survey.
        limits: what each search may take.
        again: whether nothing that was found before counts.
    """

    def __init__(self, store: Store, folder: Path, limits: Limits, again: bool) -> None:
        self._store, self._folder, self._limits = store, str(folder.resolve()), limits
        self._again = again
        self.taken = 0
        """Levels whose rows were there."""
        self._game = 0

    def begin(self, row: Mapping[str, Any], levels: list[LevelRow]) -> dict[int, LevelRow]:
        """Record a game and its levels; return what was found of them before, by the level's number.

        Rows count if the game, the code and the limits are the same. Those of failures do not.
        """
        text = sa.text("SELECT id, sha256, sources FROM puzzlescript_game WHERE folder = :f AND file = :n")
        with self._store.transaction() as connection:
            old = connection.execute(text, {"f": self._folder, "n": row["file"]}).one_or_none()
            known: dict[int, LevelRow] = {}
            if old is not None:
                if (old.sha256, old.sources) == (row["sha256"], sources()) and not self._again:
                    known = self._known(connection, old.id)
                for table, key in (("level", "game_id"), ("game", "id")):
                    connection.execute(
                        sa.text(f"DELETE FROM puzzlescript_{table} WHERE {key} = :id"), {"id": old.id}
                    )
            values = {name: row.get(name, _UNKNOWN.get(name)) for name in _GAME}
            values |= {"folder": self._folder, "sources": sources(), "levels": len(levels)}
            values["engine"] = row.get("engine_kind")
            self._game = connection.execute(
                sa.text(f"{_insert('game', values)} RETURNING id"), values
            ).scalar_one()
            for level in levels:
                self._add(connection, level | known.get(level["level"], {}))
        self.taken += len(known)
        return known

    def found(self, row: LevelRow) -> None:
        """Record what was found of a level of the game that was recorded last."""
        values = self._values(row, _FOUND)
        changes = ", ".join(f"{name} = :{name}" for name in values)
        with self._store.transaction() as connection:
            connection.execute(
                sa.text(f"UPDATE puzzlescript_level SET {changes} WHERE game_id = :game AND level = :level"),
                values | {"game": self._game, "level": row["level"]},
            )

    def _known(self, connection: sa.Connection, game: int) -> dict[int, LevelRow]:
        rows = connection.execute(
            sa.text(
                f"SELECT level, {', '.join(_FOUND)} FROM puzzlescript_level WHERE game_id = :game "
                "AND outcome <> :failed AND most_expansions = :most AND most_seconds = :seconds"
            ),
            {"game": game, "failed": FAILED, "most": self._limits.expansions,
             "seconds": self._limits.seconds},
        ).mappings()  # fmt: skip
        return {row["level"]: {k: v for k, v in row.items() if v is not None} for row in rows}

    def _add(self, connection: sa.Connection, row: LevelRow) -> None:
        values = self._values(row, (*_STANDING, *_FOUND)) | {"game_id": self._game}
        connection.execute(sa.text(_insert("level", values)), values)

    def _values(self, row: LevelRow, names: tuple[str, ...]) -> dict[str, Any]:
        values = {name: row.get(name) for name in names}
        if "outcome" in row:
            values |= {
                "most_expansions": self._limits.expansions,
                "most_seconds": float(self._limits.seconds),
            }
        return values


def _insert(table: str, values: Mapping[str, Any]) -> str:
    names, places = ", ".join(values), ", ".join(f":{name}" for name in values)
    return f"INSERT INTO puzzlescript_{table} ({names}) VALUES ({places})"


@contextmanager
def kept(location: str, folder: Path, limits: Limits, again: bool) -> Iterator[Kept]:
    """Open a database for the rows of a survey, which is made if there is none. Raises StoreError."""
    with Store.open(location, write=True) as store:
        make_tables(store, TABLES)
        yield Kept(store, folder, limits, again)


@cache
def sources() -> str:
    """Return a digest of the code that reads and searches games."""
    digest = hashlib.sha256()
    for name in ("epcg_core", "epcg_puzzlescript"):
        found = importlib.util.find_spec(name)
        for place in (found.submodule_search_locations or ()) if found is not None else ():
            for path in sorted(Path(place).rglob("*.py")):
                digest.update(path.relative_to(place).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
