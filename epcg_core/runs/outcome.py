"""The outcome of a query: the runs that answer it, and words for one that stopped before its end."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import attrs

from epcg_core.base.errors import RunInterruptedError
from epcg_core.query.spec import RunSpec
from epcg_core.runs import reuse
from epcg_core.runs.sequence import in_order, next_run, sequences_before
from epcg_core.runs.winners import Again
from epcg_core.store import Reader, RunRecord, Store


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


def answering(goal: RunSpec, reader: Reader) -> Iterator[tuple[RunSpec, RunRecord]]:
    """Yield the runs that answer a query, planned and recorded, in the order of their computation."""
    for spec, sequences in sequences_before(in_order(goal)):
        for first in sequences:
            yield from _following(first, reader)
        run = reuse.newest(reader, spec)
        if run is None:
            return
        yield spec, run
    yield from _following(goal, reader)


def _following(first: RunSpec, reader: Reader) -> Iterator[tuple[RunSpec, RunRecord]]:
    """Yield the runs of a sequence after its first."""
    last = first
    while (run := reuse.newest(reader, last)) is not None and run.done:
        spec = next_run(first, last, reader)
        found = None if spec is None else reuse.newest(reader, spec)
        if spec is None or found is None:
            return
        yield spec, found
        last = spec


def how_to_resume(record: RunRecord, store: Store) -> str:
    """Say how a run that stopped goes on."""
    return f"Recorded values are kept; go on with: epcg resume {record.id} --db {shlex.quote(store.location)}"


def stopped(record: RunRecord, store: Store, reason: str) -> RunInterruptedError:
    """Return the error of a run that stopped for a reason."""
    return RunInterruptedError(f"Run {record.id} stopped: {reason}. {how_to_resume(record, store)}")
