"""Questions to the domain `classics`."""

from __future__ import annotations

from typing import Any

from epcg_core.store import Store
from epcg_core.verification.verify import VerifyReport
from tests.workplace import Workplace


class Classics(Workplace):
    """A workplace that asks about `classics`."""

    def text(self, puzzle: str, search: str = "breadth_first", more: str = "", **params: Any) -> str:
        lines = [
            f"{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}"
            for key, value in params.items()
        ]
        return "\n".join(
            [f'name = "{puzzle}"', 'domain = "classics"', "[generator]", f'name = "{puzzle}"', *lines,
             "[search]", f'name = "{search}"', more]
        )  # fmt: skip

    def layers(self, puzzle: str, more: str = "", **params: Any) -> list[int]:
        """How many positions each depth has, by breadth-first search; all positions are reached."""
        outcome = self.run(self.query(puzzle, more=more, **params))
        found = [states for (states,) in self.sql("SELECT states FROM depths ORDER BY depth")]
        assert found.pop() == 0, "the last layer finds nothing"
        assert sum(found) == outcome.goal.max_rank
        assert outcome.goal.coverage == "exhaustive"
        for run in (outcome.runs[len(found) // 2], outcome.goal):
            assert passed(self.verify(run.id, 40))
        return found

    def component(self, puzzle: str, **params: Any) -> tuple[int, bool, int, int]:
        """(size, solvable, hardest, a hardest rank) of the component of rank 0, the only one."""
        outcome = self.run(self.query(puzzle, "components", **params))
        run = outcome.goal.id
        assert outcome.goal.coverage == "exhaustive"
        assert passed(self.verify(run, 3))
        count = f"SELECT count(value) FROM scores WHERE run_id = {run} AND metric = 'component_size'"
        assert self.sql(count) == [(1,)]
        with Store.open(self.database) as store, store.reader() as reader:
            names = ("component_size", "solvable", "hardest", "hardest_rank")
            return tuple(reader.value(run, name, 0) for name in names)  # type: ignore[return-value]


def passed(report: VerifyReport) -> bool:
    assert report.passed, [check for check in report.checks if not check.passed]
    return True
