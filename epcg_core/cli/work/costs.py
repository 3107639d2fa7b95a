"""Show what runs would take, as tables, sentences and data, for the dry runs of queries and of plans."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epcg_core.cli import output
from epcg_core.cli.output import Number

if TYPE_CHECKING:
    from epcg_core.runs.dry_run import Estimate, Estimates

LARGE = 10**8
"""Bytes of working files that are worth a word."""
WIDE = 1.8
"""A range is printed if its ends are further apart than this factor to either side."""


def write_estimates(estimates: Estimates) -> None:
    """Print the runs as a table."""
    output.write_table(
        ["space", "search", "candidates", "state", "to do", "CPU time", "on disk", "rests on"],
        [
            [
                e.spec.space.name,
                e.spec.search.name,
                output.count(e.spec.stop - e.spec.start),
                e.state,
                output.count(e.remaining),
                _range(output.duration, e.seconds, e.seconds_range),
                _range(output.size, e.bytes, e.bytes_range),
                e.tried or "-",
            ]
            for e in estimates
        ],
    )


def sentences(estimates: Estimates, location: str) -> Iterator[str]:
    """Say what all runs of a query take together, and what could not be told."""
    if not estimates.remaining:
        yield "All of it is recorded already; nothing was changed."
        return
    number = estimates.remaining
    candidates = "1 candidate" if number == 1 else f"{number:,} candidates"
    total, size = estimates.total, estimates.bytes
    if total is None or size is None:
        yield f"Together {candidates}."
    else:
        time = output.duration(total.expected)
        between = f" ({output.duration(total.low)} to {output.duration(total.high)})"
        cost = f"about {time} of one processor{between} and {output.size(round(size.expected))} on disk"
        if estimates.unknown:
            cost = f"of which some take {cost}"
        yield f"Together {candidates}, {cost}. Nothing was recorded."
        yield _parts(estimates)
        free = _free(location)
        if free is not None and size.high + estimates.working > free:
            needed = output.size(round(size.high) + estimates.working)
            yield (
                f"The disk of {location} has {output.size(free)} free, and {needed} may be needed: make "
                "room, choose another --db, or record fewer rows."
            )
    if estimates.unknown:
        yield f"Where '-' stands, time and size cannot be told before: {'; '.join(estimates.unknown)}."


def _parts(estimates: Estimates) -> str:
    """Say how much of the time is start-up, what memory is needed, and what compiling took."""
    processes = "1 process" if estimates.processes == 1 else f"{estimates.processes} processes"
    found = f"Start-up takes {output.duration(estimates.start.expected)} of it, for {processes}"
    if estimates.memory is not None:
        found += f", which need up to about {output.size(estimates.memory)} of memory"
    if estimates.working > LARGE:
        found += f"; while it runs, its tables take {output.size(estimates.working)} beside the database"
    if estimates.compiled > 0.1:
        found += f". Compiling kernels took {output.duration(estimates.compiled)} just now, once"
    return f"{found}. Trying for this estimate took {output.duration(estimates.seconds)}."


def _range(
    words: Callable[[Any], Number], expected: float | None, ends: tuple[float, float] | None
) -> Number:
    """Format an amount, with its ends if they are far apart."""
    if expected is None or ends is None or not expected:
        return words(expected)
    low, high = ends
    if high <= WIDE * expected and low * WIDE >= expected:
        return words(expected)
    return Number(f"{words(expected)} ({words(low)} to {words(high)})")


def _free(location: str) -> int | None:
    """Return the free bytes of a database's disk; None if they are unknown."""
    try:
        return shutil.disk_usage(Path(location).absolute().parent).free
    except OSError:
        return None


def estimates_data(estimates: Estimates) -> dict[str, Any]:
    """Return the estimates of a query as JSON-like data."""
    total, size = estimates.total, estimates.bytes
    return {
        "runs": [_estimate_data(e) for e in estimates],
        "cpu_seconds": None if total is None else [total.low, total.expected, total.high],
        "bytes": None if size is None else [round(size.low), round(size.expected), round(size.high)],
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
        "candidates": e.spec.stop - e.spec.start,
        "state": e.state,
        "remaining": e.remaining,
        "evaluated": e.evaluated,
        "cpu_seconds": e.seconds,
        "cpu_seconds_range": e.seconds_range,
        "bytes": e.bytes,
        "bytes_range": e.bytes_range,
        "tried": e.tried,
        "unknown": e.unknown,
        "sample": None if e.sample is None else {"size": e.sample.size, "seed": e.sample.seed},
    }
