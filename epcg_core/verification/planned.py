"""The recorded query of a run, planned again with the plugins that are in use."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import attrs

from epcg_core.base.documents import places
from epcg_core.base.errors import CheckFailedError, EpcgError, UncheckedError
from epcg_core.plugins.registry import registry
from epcg_core.query.query import from_data
from epcg_core.query.spec import RunSpec, identity_of
from epcg_core.runs import reuse
from epcg_core.runs.coordinator import plan
from epcg_core.search.protocol import Search
from epcg_core.store import RunRecord


@attrs.frozen(slots=False, eq=False)
class PlannedAgain:
    """A run, planned again once for all checks that need it, when the first one asks."""

    run: RunRecord

    @cached_property
    def found(self) -> tuple[Search, RunSpec]:
        """The search and the run, planned again. Raises UncheckedError if what is installed cannot."""
        return planned(self.run)

    @cached_property
    def other_sources(self) -> str:
        """How the sources that are installed differ from those of the run; '' if they do not."""
        spec = self.found[1]
        reuse.look_again()
        return self.run.difference(reuse.sources(spec), spec.versions)

    def prove(self, prove: Callable[[Search, RunSpec, str], str]) -> str:
        """Prove something of the run; a difference shows nothing if it had other sources.

        `prove` gets the search, the run, and how the sources differ.
        """
        (search, spec), other = self.found, self.other_sources
        try:
            said = prove(search, spec, other)
        except EpcgError as error:
            if other:
                raise UncheckedError(
                    f"The run was computed with {other}, so a difference proves nothing: {error}"
                ) from error
            raise
        return f"{said} It was computed with {other}." if other else said


def planned(run: RunRecord) -> tuple[Search, RunSpec]:
    """Plan a recorded run again. Raises UncheckedError if what is installed cannot."""
    if identity_of(run.spec) != run.identity:
        raise CheckFailedError("The identity of the run does not follow from what is recorded of it.")
    absent = sorted({name for name in map(_distribution, run.versions) if name not in plugins_in_use()})
    if absent:
        raise UncheckedError(f"It needs {', '.join(absent)}, not installed or not in use.")
    was, now = ", ".join(run.versions), ""
    try:
        with places(run.files):
            search, spec = plan(from_data(run.spec["query"]))
        now = ", ".join(sorted(spec.versions))
    except EpcgError as error:
        if all(plugins_in_use()[_distribution(version)] == version for version in run.versions):
            if isinstance(error, CheckFailedError):
                raise
            found = "".join(f" The run found {name} at {place}." for name, place in run.files.items())
            raise UncheckedError(f"{error}{found}") from error
        raise UncheckedError(
            f"The run was made with {was}, and its query cannot be planned: {error}"
        ) from error
    if spec.request != run.request:
        if spec.identity == run.identity:
            raise CheckFailedError("What the run says was asked for is not what its query asks for.")
        if not run.difference(reuse.sources(spec), spec.versions):
            raise CheckFailedError(
                "The recorded query plans another run with the same code, so the record was changed."
            )
        raise UncheckedError(
            f"The run was made with {was}, and with {now}, which is installed, its query asks for another "
            "run, so nothing can be computed again."
        )
    return search, spec


def plugins_in_use() -> dict[str, str]:
    """Map the name of each plugin's distribution that is in use to 'distribution version'."""
    reports = [report for report in registry().reports if not report.problem]
    return {report.distribution: f"{report.distribution} {report.version}" for report in reports}


def _distribution(version: str) -> str:
    return version.rpartition(" ")[0]
