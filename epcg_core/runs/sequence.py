"""Runs that follow one another until the record says that the last has come (`RunSequenceSearch`)."""

from __future__ import annotations

from epcg_core.plugins.registry import registry
from epcg_core.query.spec import InputSpec, RunSpec
from epcg_core.search.planner import search_named
from epcg_core.search.protocol import RunSequenceSearch, Search
from epcg_core.store import Reader, RunRecord


def search_of(spec: RunSpec) -> Search:
    return search_named(registry(), spec.search.name)


def next_run(goal: RunSpec, last: RunSpec, reader: Reader) -> RunSpec | None:
    """Plan the run after the finished run `last` on the way to `goal`; None if `last` is the answer."""
    search = search_of(goal)
    if not isinstance(search, RunSequenceSearch):
        return None

    def total(spec: RunSpec) -> int:
        run = reader.find(spec.identity)
        return 0 if run is None else reader.how_many(run.id, spec.metrics[0].name)

    return search.next_run(goal, last, total)


def is_sequence(goal: RunSpec) -> bool:
    """Return whether how many runs answer `goal` shows only while they are made."""
    search = search_of(goal)
    return isinstance(search, RunSequenceSearch) and search.next_run(goal, goal, lambda spec: 0) is not None


def read_run(needed: InputSpec, reader: Reader) -> RunRecord | None:
    """Find the finished run that an input is read from; None if it is not recorded yet."""
    spec: RunSpec | None = needed.run
    run = None
    while spec is not None:
        run = reader.find(spec.identity)
        if run is None or not run.done:
            return None
        spec = next_run(needed.run, spec, reader) if needed.last else None
    return run
