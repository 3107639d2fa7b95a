"""A database for tests of exact cover, and questions to it."""

from __future__ import annotations

import json
from pathlib import Path

import attrs

from epcg_core.query.query import parse
from epcg_core.runs.coordinator import Options, Outcome, execute
from epcg_core.store import Store
from epcg_core.verification.verify import Check, verify

QUERY = """
name = "tilings"
domain = "dominoes"
generator = {{ name = "{generator}", width = {width}, height = {height}, depth = {depth} }}
search = {{ name = "exact_cover", record = "{record}" }}
{more}
"""


@attrs.frozen
class Place:
    """A database, and questions to it."""

    database: Path

    def run(
        self,
        width: int = 4,
        height: int = 4,
        depth: int = 2,
        record: str = "covers",
        generator: str = "partial",
        more: str = "",
        options: Options | None = None,
    ) -> Outcome:
        text = QUERY.format(
            generator=generator, width=width, height=height, depth=depth, record=record, more=more
        )
        with Store.open(self.database, write=True) as store:
            return execute(parse(text), store, options or Options(executor="serial", quiet=True))

    def solutions(self, run: int = 1) -> list[tuple[int, int, list[int]]]:
        with Store.open(self.database) as store, store.reader() as reader:
            stop = reader.run(run).stop
            return [
                (rank, position, json.loads(actions))
                for rank in range(stop)
                for position, actions in reader.solutions(run, rank)
            ]

    def values(self, metric: str, run: int = 1) -> list[int]:
        with Store.open(self.database) as store, store.reader() as reader:
            return [value for _, values in reader.values(run, metric) for value in values.tolist()]

    def change(self, statement: str) -> None:
        with Store.open(self.database, write=True) as store, store.transaction() as connection:
            connection.exec_driver_sql(statement)

    def checks(self, run: int = 1, sample: int = 1000) -> list[Check]:
        with Store.open(self.database) as store:
            return list(verify(store, run, sample).checks)

    def failed(self, run: int = 1, sample: int = 1000) -> list[tuple[str, str]]:
        return [(check.name, check.detail) for check in self.checks(run, sample) if not check.passed]
