"""Questions to the toy domain `dominoes`."""

from __future__ import annotations

import json
from typing import Any

from epcg_core.runs.coordinator import Outcome
from epcg_core.store import Store
from tests.workplace import Workplace

QUERY = """
name = "tilings"
domain = "dominoes"
generator = {{ name = "{generator}", width = {width}, height = {height}, depth = {depth} }}
search = {{ name = "exact_cover", record = "{record}" }}
{more}
"""


class Tilings(Workplace):
    """A workplace that asks about `dominoes`."""

    def text(
        self,
        width: int = 4,
        height: int = 4,
        depth: int = 2,
        record: str = "covers",
        generator: str = "partial",
        more: str = "",
    ) -> str:
        return QUERY.format(
            generator=generator, width=width, height=height, depth=depth, record=record, more=more
        )

    def tile(self, **parts: Any) -> Outcome:
        """Run the query of `text`."""
        return self.run(self.query(**parts))

    def tiled(self, **parts: Any) -> Outcome:
        """Have that run, computed once a process."""
        return self.given(self.query(**parts))

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
