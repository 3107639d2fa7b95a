"""Questions to the domain `sets`, and what they led to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from epcg_core.store import Store
from tests.workplace import Workplace, tables

QUERY = """
name = "sets"
domain = "sets"
generator = {{ name = "{generator}", {params} }}
search = {{ name = "branch_and_bound", {search} }}
{evaluators}
{more}
"""


class Sets(Workplace):
    """A workplace that asks about `sets`."""

    def text(
        self,
        generator: str = "multisets",
        params: str = "n = 8, k = 3",
        search: str = 'keep = "all"',
        evaluators: tuple[str, ...] = ("common",),
        more: str = "",
    ) -> str:
        """A query; an evaluator is its name, with a param if need be: 'common joint = 2'."""
        return QUERY.format(
            generator=generator, params=params, search=search, evaluators=tables(evaluators), more=more
        )

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
