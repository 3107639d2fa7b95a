"""The costs of runs that are not made yet: the dry runs of queries and of plans."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core.api import words
from epcg_core.api.facts import reading_parts
from epcg_core.api.report import Note, Report, Table
from epcg_core.api.words import Number
from epcg_core.domain.values import counted

if TYPE_CHECKING:
    from epcg_core.runs.dry_run import Estimate, Estimates
    from epcg_core.runs.expenses import Cost
    from epcg_core.store.records import Part, Sample

LARGE = 10**8
"""Bytes of working files that are worth a word."""
WIDE = 1.8
"""A range is printed if its ends are further apart than this factor to either side."""


def _sample_facts(sample: Sample) -> dict[str, Any]:
    by = {"by": sample.by, "strata": len(sample.cuts) + 1} if sample.by else {}
    return {"size": sample.size, "seed": sample.seed} | by


def _table(estimates: Estimates) -> Table:
    header = ["space", "search", "candidates", "state", "to do", "CPU time", "on disk", "rests on"]
    rows = [
        [
            e.spec.space.name,
            e.spec.search.name,
            words.count(e.spec.stop - e.spec.start),
            e.state,
            words.count(e.remaining),
            _duration(e.seconds),
            words.size(e.bytes),
            e.tried or "-",
        ]
        for e in estimates
    ]
    return Table.of(header, rows)


@attrs.frozen(repr=False)
class Costs(Report):
    """Estimates of time and space for the runs of a query, or of a plan's queries."""

    of: str
    """'query' or 'plan'."""
    name: str
    location: str
    estimates: Estimates
    part: Part | None = None
    """The part of the last run that would be computed."""

    def parts(self) -> Iterator[str | Table]:
        """Yield a row for each run, and what all take together."""
        yield _table(self.estimates)
        if self.of == "query":
            yield from self._about_query()
        for line in sentences(self.estimates, self.location):
            yield Note(line)

    def _about_query(self) -> Iterator[str]:
        for reading in dict.fromkeys(e.spec.reading for e in self.estimates):
            yield from reading_parts(reading)
        for e in self.estimates:
            if e.sample is not None:
                strata = f" from {len(e.sample.cuts) + 1:,} strata" if e.sample.by else ""
                whole = f"its {e.spec.stop - e.spec.start:,} candidates"
                whole = whole if self.part is None else f"part {self.part}"
                drawn = f"{e.sample.size:,} of {whole}, drawn with seed {e.sample.seed}{strata}"
                yield Note(f"The last run is a sample: {drawn}.")

    def json(self) -> dict[str, Any]:
        """Return the estimates of each run, and their sums."""
        return {self.of: self.name} | estimates_data(self.estimates)


def sentences(estimates: Estimates, location: str) -> Iterator[str]:
    """Say what all runs of a query take together, and what could not be told."""
    if not estimates.remaining:
        yield "All of it is recorded already; nothing was changed."
        return
    number = estimates.remaining
    candidates = counted(number, "candidate")
    if estimates.repeats:
        candidates += f" in {len(estimates)} runs"
    total, size = estimates.total, estimates.bytes
    if total is None or size is None:
        yield f"Together {candidates}."
    else:
        time = words.duration(total.expected)
        between = f" ({words.duration(total.low)} to {words.duration(total.high)})"
        cost = f"about {time} of one processor{between} and {words.size(size)} on disk"
        if estimates.unknown:
            cost = f"of which some take {cost}"
        yield f"Together {candidates}, {cost}. Nothing was recorded."
        yield _parts(estimates)
        free = _free(location)
        if free is not None and size + estimates.working > free:
            needed = words.size(size + estimates.working)
            yield (
                f"The disk of {location} has {words.size(free)} free, and {needed} may be needed: make "
                "room, choose another --db, or record fewer rows."
            )
    if estimates.unknown:
        yield f"Where '-' stands, time and size cannot be told before: {'; '.join(estimates.unknown)}."


def _parts(estimates: Estimates) -> str:
    """Say how much of the time is start-up, what memory is needed, and what compiling took."""
    processes = "1 process" if estimates.processes == 1 else f"{estimates.processes} processes"
    found = f"Start-up takes {words.duration(estimates.start.expected)} of it, for {processes}"
    if estimates.memory is not None:
        found += f", which need up to about {words.size(estimates.memory)} of memory"
    if estimates.working > LARGE:
        found += f"; while it runs, its tables take {words.size(estimates.working)} beside the database"
    if estimates.compiled > 0.1:
        found += f". Compiling kernels took {words.duration(estimates.compiled)} just now, once"
    return f"{found}. Trying for this estimate took {words.duration(estimates.seconds)}."


def _duration(cost: Cost | None) -> Number:
    """Format CPU seconds, with the ends of their range if these are far apart."""
    if cost is None:
        return words.duration(None)
    about = words.duration(cost.expected)
    if cost.high <= WIDE * cost.expected and cost.low * WIDE >= cost.expected:
        return about
    return Number(f"{about} ({words.duration(cost.low)} to {words.duration(cost.high)})")


def _free(location: str) -> int | None:
    """Return the free bytes of a database's disk; None if they are unknown."""
    try:
        return shutil.disk_usage(Path(location).absolute().parent).free
    except OSError:
        return None


def estimates_data(estimates: Estimates) -> dict[str, Any]:
    """Return the estimates of a query as JSON-like data."""
    total = estimates.total
    return {
        "runs": [_estimate_data(e) for e in estimates],
        "cpu_seconds": None if total is None else [total.low, total.expected, total.high],
        "bytes": estimates.bytes,
        "start_cpu_seconds": estimates.start.expected,
        "compiling_seconds": estimates.compiled,
        "processes": estimates.processes,
        "memory": estimates.memory,
        "working_bytes": estimates.working,
        "estimate_cpu_seconds": estimates.seconds,
    }


def _estimate_data(e: Estimate) -> dict[str, Any]:
    return {
        "space": e.spec.space.name,
        "search": e.spec.search.name,
        "layer": e.spec.layer,
        "unread": None if e.spec.reading is None else e.spec.reading.unread or None,
        "unsearched": None if e.spec.reading is None else list(e.spec.reading.unsearched) or None,
        "candidates": e.spec.stop - e.spec.start,
        "state": e.state,
        "remaining": e.remaining,
        "evaluated": e.evaluated,
        "cpu_seconds": None if e.seconds is None else e.seconds.expected,
        "cpu_seconds_range": None if e.seconds is None else [e.seconds.low, e.seconds.high],
        "bytes": e.bytes,
        "tried": e.tried,
        "unknown": e.unknown,
        "sample": None if e.sample is None else _sample_facts(e.sample),
    }
