"""The run that is checked, with the specification that its recorded query plans now."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import attrs

from epcg_core.errors import CheckFailedError, EpcgError
from epcg_core.plugins.registry import registry
from epcg_core.query.query import from_data
from epcg_core.query.spec import RunSpec, make_generator
from epcg_core.runs.coordinator import plan
from epcg_core.store import Reader, RunRecord, Store


def installed() -> set[str]:
    """Return 'distribution version' of every plugin in use."""
    return {f"{r.distribution} {r.version}" for r in registry().reports if not r.problem}


@attrs.frozen(slots=False, eq=False)
class Subject:
    """A run and what its checks share."""

    store: Store
    reader: Reader
    run: RunRecord
    seed: int
    """Draws the rows that are computed again if there are too many for all."""

    def rows(self, sql: str) -> Iterator[Any]:
        """Yield the rows of a SELECT, one in memory at a time; `:run` in it is the run's number."""
        connection = self.reader.connection.execution_options(stream_results=True)
        yield from connection.exec_driver_sql(sql, {"run": self.run.id})

    def first(self, sql: str) -> Any:
        """Return the first value of a SELECT; None if it has no row."""
        return next((row[0] for row in self.rows(sql)), None)

    @cached_property
    def obstacle(self) -> str:
        """The reason why the run cannot be planned again here; '' if it can be."""
        missing = sorted(set(self.run.spec["versions"]) - installed())
        return f"Not checked: the run was made with {', '.join(missing)}, not in use here." if missing else ""

    @cached_property
    def _planned(self) -> RunSpec | EpcgError:
        try:
            spec = plan(from_data(self.run.spec["query"]))[1]
        except EpcgError as error:
            return CheckFailedError(f"The recorded query of the run cannot be planned. {error}")
        if spec.identity != self.run.identity:
            return CheckFailedError(
                "The recorded query plans another run than this: the record was changed, or the plugin's "
                "parts have changed since."
            )
        return spec

    @property
    def spec(self) -> RunSpec:
        """The specification of the run. Raises CheckFailedError if its recorded query plans another."""
        if isinstance(self._planned, EpcgError):
            raise self._planned
        return self._planned

    @property
    def planned(self) -> str:
        """The reason why checks that need the specification are not made; '' if they can be."""
        if not self.obstacle and isinstance(self._planned, EpcgError):
            return "Not checked: the check 'specification' says why."
        return self.obstacle

    @cached_property
    def generator(self) -> Any:
        """The generator of the run's space."""
        return make_generator(registry(), self.spec.space)


def same(what: str, recorded: object, derived: object) -> None:
    """Raise CheckFailedError if a recorded value is not the derived one."""
    if recorded != derived:
        raise CheckFailedError(f"The {what} is recorded as {recorded!r}; it must be {derived!r}.")
