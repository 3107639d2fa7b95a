"""Which recorded runs answer a query."""

from __future__ import annotations

from collections.abc import Iterator

from epcg_core.query.spec import RunSpec
from epcg_core.runs import reuse
from epcg_core.runs.sequence import in_order, next_run, sequences_before
from epcg_core.store import Reader, RunRecord


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
