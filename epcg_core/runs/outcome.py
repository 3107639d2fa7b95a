"""The outcome of a query."""

from __future__ import annotations

import attrs

from epcg_core.runs.winners import Again
from epcg_core.store import RunRecord


@attrs.frozen
class Outcome:
    """The outcome of a query."""

    runs: tuple[RunRecord, ...]
    """The runs behind the answer, in the order in which they were computed; the last is the answer."""
    computed: tuple[int, ...]
    """The runs that were computed now, wholly or in part; the others were recorded before."""
    kept: int
    """Number of candidates that the query's selections kept."""
    again: Again | None = None
    """The answer's winners that were computed again now; None if none had to be."""

    @property
    def goal(self) -> RunRecord:
        return self.runs[-1]


class UnitsMissingError(Exception):
    """Not all units of a run are recorded, and none are to be computed."""
