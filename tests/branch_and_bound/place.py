"""What the fixtures of conftest.py hand out: questions to the domain `sets`, and what they led to."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import attrs

import epcg_core.run
from epcg_core.query import Query, parse
from epcg_core.run import Options, Outcome, execute
from epcg_core.store import Store
from epcg_core.verify import VerifyReport, verify

QUERY = """
name = "sets"
domain = "sets"
generator = {{ name = "{generator}", {params} }}
search = {{ name = "branch_and_bound", {search} }}
{evaluators}
{more}
"""


@attrs.frozen
class Place:
    """A folder to work in."""

    folder: Path

    @property
    def database(self) -> Path:
        return self.folder / "epcg.db"

    def text(
        self,
        generator: str = "multisets",
        params: str = "n = 8, k = 3",
        search: str = 'keep = "all"',
        evaluators: tuple[str, ...] = ("common",),
        more: str = "",
    ) -> str:
        """A query; an evaluator is its name, with a param if need be: 'common joint = 2'."""
        tables = ""
        for evaluator in evaluators:
            name, _, param = evaluator.partition(" ")
            tables += f'[[evaluators]]\nname = "{name}"\n{param}\n'
        return QUERY.format(generator=generator, params=params, search=search, evaluators=tables, more=more)

    def query(self, **parts: Any) -> Query:
        return parse(self.text(**parts))

    def run(
        self,
        query: Query,
        database: Path | None = None,
        executor: str | None = "serial",
        workers: int | None = None,
        unit: int | None = None,
    ) -> Outcome:
        """Execute in this process; `unit` is how many ranks a unit has."""
        own = epcg_core.run.unit_size
        if unit is not None:
            epcg_core.run.unit_size = lambda *_: unit
        try:
            with Store.open(database or self.database, write=True) as store:
                return execute(query, store, Options(executor, workers, quiet=True))
        finally:
            epcg_core.run.unit_size = own

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

    def optima(self, run: int, database: Path | None = None) -> list[tuple[int, Any]]:
        """(rank, value of the first metric) of every recorded candidate, by rank."""
        with Store.open(database or self.database) as store, store.reader() as reader:
            name = reader.metrics(run)[0].name
            found = [
                (rank, value)
                for ranks, values in reader.values(run, name)
                for rank, value in zip(ranks.tolist(), values.tolist(), strict=True)
            ]
        assert found == sorted(found)
        return found
