"""The run that is checked, with the specification that its recorded query plans now."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import attrs

from epcg_core.base.errors import CheckFailedError, EpcgError, UncheckedError
from epcg_core.plugins.registry import registry
from epcg_core.query.spec import RunSpec, make_generator
from epcg_core.store import Reader, RunRecord, Store
from epcg_core.verification.planned import PlannedAgain, plugins_in_use


@attrs.frozen(slots=False, eq=False)
class Subject:
    """A run and what its checks share."""

    store: Store
    reader: Reader
    plan: PlannedAgain
    seed: int
    """Draws the rows that are computed again if there are too many for all."""
    proven: set[object] = attrs.field(factory=set)
    """The facts that checks of one verification have proven already, and need not prove again."""

    @property
    def run(self) -> RunRecord:
        return self.plan.run

    def rows(self, sql: str) -> Iterator[Any]:
        """Yield the rows of a SELECT, one in memory at a time; `:run` in it is the run's number."""
        connection = self.reader.connection.execution_options(stream_results=True)
        yield from connection.exec_driver_sql(sql, {"run": self.run.id})

    def first(self, sql: str) -> Any:
        """Return the first value of a SELECT; None if it has no row."""
        return next((row[0] for row in self.rows(sql)), None)

    @cached_property
    def _planned(self) -> RunSpec | EpcgError:
        try:
            return self.plan.found[1]
        except EpcgError as error:
            return error

    @property
    def spec(self) -> RunSpec:
        """The specification of the run.

        Raises CheckFailedError if its recorded query plans another, UncheckedError if there is none here.
        """
        if isinstance(self._planned, EpcgError):
            raise self._planned
        return self._planned

    def need_plan(self) -> None:
        """Raise UncheckedError if there is no specification for a check that needs one."""
        if isinstance(self._planned, UncheckedError):
            raise self._planned
        if isinstance(self._planned, EpcgError):
            raise UncheckedError("The check 'specification' says why it cannot be derived again.")

    @property
    def same_versions(self) -> bool:
        """Whether the plugins in use have the versions that the run was made with."""
        return set(self.run.versions) <= set(plugins_in_use().values())

    @cached_property
    def generator(self) -> Any:
        """The generator of the run's space."""
        return make_generator(registry(), self.spec.space)


def same(what: str, recorded: object, derived: object) -> None:
    """Raise CheckFailedError if a recorded value is not the derived one."""
    if recorded != derived:
        raise CheckFailedError(f"The {what} is recorded as {recorded!r}; it must be {derived!r}.")
