"""A folder to work in, for tests that run queries in their own process and look into the database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import attrs

import epcg_core.runs.coordinator
from epcg_core.query.query import Query, parse
from epcg_core.runs.coordinator import Options, Outcome, execute
from epcg_core.store import Store
from epcg_core.verification.verify import VerifyReport, verify


@attrs.frozen
class RunPlace:
    """A folder and the database in it. What asks about a domain says in `text` how its queries look."""

    folder: Path

    @property
    def database(self) -> Path:
        return self.folder / "epcg.db"

    def text(self, **parts: Any) -> str:
        """A query as TOML."""
        raise NotImplementedError

    def query(self, **parts: Any) -> Query:
        return parse(self.text(**parts))

    def run(
        self,
        query: Query,
        database: Path | None = None,
        executor: str | None = "serial",
        workers: int | None = 2,
        unit: int | None = None,
    ) -> Outcome:
        """Execute; `unit` is how many ranks a unit has."""
        own = epcg_core.runs.coordinator.unit_size
        if unit is not None:
            epcg_core.runs.coordinator.unit_size = lambda *_: unit
        try:
            with Store.open(database or self.database, write=True) as store:
                return execute(query, store, Options(executor, workers, quiet=True))
        finally:
            epcg_core.runs.coordinator.unit_size = own

    def verify(self, run: int, sample: int = 300, database: Path | None = None) -> VerifyReport:
        with Store.open(database or self.database) as store:
            return verify(store, run, sample)

    def sql(self, statement: str, database: Path | None = None) -> list[Any]:
        with closing(sqlite3.connect(f"file:{database or self.database}?mode=ro", uri=True)) as connection:
            return connection.execute(statement).fetchall()

    def change(self, *statements: str) -> None:
        """Tamper with the database."""
        with closing(sqlite3.connect(self.database)) as connection, connection:
            for statement in statements:
                connection.execute(statement)
