"""The order of runs: inputs first; and runs that follow one another until the last has come.

Which is the last of them only the record says (`RunSequenceSearch`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from epcg_core.plugins.registry import registry
from epcg_core.query.spec import InputSpec, RunSpec
from epcg_core.runs import reuse
from epcg_core.search.planner import search_named
from epcg_core.search.protocol import ConclusiveSearch, RunSequenceSearch, Search
from epcg_core.store import Reader, RunRecord


def in_order(goal: RunSpec) -> list[RunSpec]:
    """List a run and all of its inputs, in the order of computation."""
    found: dict[str, RunSpec] = {}
    waiting = [(goal, iter(goal.inputs))]  # no recursion: a run may be the thousandth in a row
    while waiting:
        spec, inputs = waiting[-1]
        needed = next((i for i in inputs if i.required and i.run.identity not in found), None)
        if needed is None:
            waiting.pop()
            found[spec.identity] = spec
        else:
            waiting.append((needed.run, iter(needed.run.inputs)))
    return list(found.values())


def sequences_before(specs: Iterable[RunSpec]) -> Iterator[tuple[RunSpec, list[RunSpec]]]:
    """Yield each of `specs`, runs in their order, with the first runs of the sequences whose last it reads.

    A sequence that several runs read, or one run in several roles, is followed once.
    """
    followed: set[str] = set()
    for spec in specs:
        first = {needed.run.identity: needed.run for needed in spec.inputs if needed.last and needed.required}
        yield spec, [run for identity, run in first.items() if identity not in followed]
        followed |= first.keys()


def search_of(spec: RunSpec) -> Search:
    return search_named(registry(), spec.search.name)


def next_run(goal: RunSpec, last: RunSpec, reader: Reader) -> RunSpec | None:
    """Plan the run after the finished run `last` on the way to `goal`; None if `last` is the answer."""
    search = search_of(goal)
    if not isinstance(search, RunSequenceSearch):
        return None
    return search.next_run(goal, last, partial(total_of, reader))


def objection(spec: RunSpec, total: Callable[[RunSpec], int]) -> str | None:
    """Say why a run does not follow from what it reads; None if it does (see `ConclusiveSearch`)."""
    search = search_of(spec)
    return search.objection(spec, total) if isinstance(search, ConclusiveSearch) else None


def total_of(reader: Reader, spec: RunSpec) -> int:
    """Count the candidates of a recorded run for which its first metric holds."""
    run = reuse.find(reader, spec)
    return 0 if run is None else reader.how_many(run.id, spec.metrics[0].name)


def is_sequence(goal: RunSpec) -> bool:
    """Return whether how many runs answer `goal` shows only while they are made."""
    search = search_of(goal)
    return isinstance(search, RunSequenceSearch) and search.next_run(goal, goal, lambda spec: 0) is not None


def read_run(needed: InputSpec, reader: Reader) -> RunRecord | None:
    """Find the finished run that an input is read from; None if it is not recorded yet."""
    spec: RunSpec | None = needed.run
    run = None
    while spec is not None:
        run = reuse.find(reader, spec)
        if run is None or not run.done:
            return None
        spec = next_run(needed.run, spec, reader) if needed.last else None
    return run


def difference(reader: Reader, record: RunRecord, spec: RunSpec) -> str:
    """Say with what other code or inputs a run was computed than it would be now; '' if with none.

    What the user accepted does not count.
    """
    if reuse.sources(spec).digest in reader.accepted(record.id):
        return ""
    found = record.difference(reuse.sources(spec), spec.versions)
    for needed in spec.inputs if not found else ():
        was, now = reuse.input_run(reader, record, needed.role), read_run(needed, reader)
        if was is not None and now is not None and was.digest != now.digest:
            return f"run {was.id} as its input, and run {now.id}, computed since, has other values"
    return found
