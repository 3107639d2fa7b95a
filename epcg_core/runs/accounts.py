"""The account of a run's ranks: which must be evaluated, and which may be pruned or left out.

The specification decides it. Only a search with an objective prunes, each range with a recorded pruning. Only
a filter, or a search that chooses (`RunSpec.chooses`), leaves ranks out; a filter's ranks follow from the run
that it reads, bit for bit. All other ranks are evaluated. So candidates cannot be taken out of a record by
calling them pruned or excluded.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import CheckFailedError
from epcg_core.chunks.bitsets import unpack
from epcg_core.chunks.codec import EVALUATED, digest_of_evaluated
from epcg_core.domain import Bits
from epcg_core.query.spec import FilterSpec
from epcg_core.runs.tables import limits_between
from epcg_core.search.planner import FILTER
from epcg_core.store import Reader, RunRecord, sparse
from epcg_core.store.records import UnitRecord


def check_accounts(reader: Reader, run: RunRecord, *, chooses: bool = False) -> str:
    """Check that just those ranks are recorded as evaluated that must be, in each unit that is recorded.

    Args:
        reader: the database.
        run: the run, finished or not.
        chooses: whether its search leaves ranks out by itself (`RunSpec.chooses`); which ones is then taken
            from the record.

    Returns:
        What was found, as a clause.

    Raises:
        CheckFailedError: if the specification does not allow what is recorded.
        StoreError: if the run that its filter reads has no values.
    """
    prunes = sparse.objective_of(run) is not None
    filtered = run.spec.get("filter") is not None
    _check_kinds(reader, run, prunes, filtered or chooses)
    if prunes:
        return "every rank is evaluated or pruned"
    if run.dropped:
        return "which ranks were evaluated is no longer recorded"
    expected = _Expected(None if chooses and not filtered else _admitted(reader, run))
    _check_chunks(reader, run, expected)
    _check_units(reader, run, expected)
    if filtered:
        return "just the ranks that the filter admits are evaluated"
    return "the ranks that were evaluated are those that the search chose" if chooses else "all are evaluated"


def _check_kinds(reader: Reader, run: RunRecord, prunes: bool, excludes: bool) -> None:
    """Check that nothing is pruned, or left out, by a search that does neither."""
    for unit in reader.units(run.id):
        ranks = f"Of ranks {unit.start} to {unit.start + unit.count - 1}"
        if unit.pruned and not prunes:
            raise CheckFailedError(
                f"{ranks}, {unit.pruned:,} are recorded as pruned. The search {run.search} prunes nothing, "
                "so these candidates are missing."
            )
        if unit.excluded and not excludes:
            raise CheckFailedError(
                f"{ranks}, {unit.excluded:,} are recorded as left out. The run has no filter and its search "
                f"({run.search}) leaves nothing out, so these candidates are missing."
            )
    if not prunes and (found := next(sparse.prunings(reader, run.id), None)) is not None:
        raise CheckFailedError(
            f"A pruning is recorded at rank {found.start}, and the search {run.search} prunes nothing."
        )


def _admitted(reader: Reader, run: RunRecord) -> Bits | None:
    """Return whether the run's filter admits each rank of the space; None if it has no filter."""
    data = run.spec.get("filter")
    if data is None:
        return None
    limits = FilterSpec(data["metric"], data["min"], data["max"])
    number = next((number for role, number, _ in reader.inputs_of(run.id) if role == FILTER), None)
    if number is None:
        raise CheckFailedError("The run has a filter, and which run it reads is not recorded.")
    other = reader.run(number)
    if other.space != run.space:
        raise CheckFailedError(
            f"Run {number}, which the filter reads, is over {other.space}, another space than this run."
        )
    return reader.bits(other, limits.metric, *limits_between(limits))


@attrs.define
class _Expected:
    """The ranks that must be evaluated."""

    admitted: Bits | None
    """Whether the filter admits each rank; None if there is no filter."""

    def mask(self, start: int, count: int) -> NDArray[np.bool_]:
        if self.admitted is None:
            return np.ones(count, np.bool_)
        return unpack(self.admitted, start, start + count)

    def number(self, start: int, count: int) -> int:
        return count if self.admitted is None else int(self.mask(start, count).sum())


def _check_chunks(reader: Reader, run: RunRecord, expected: _Expected) -> None:
    """Check that all columns' chunks hold values of the same ranks, and that these are the expected ones."""
    masks = {start: (count, digest) for start, count, digest in reader.digests(run.id, EVALUATED)}
    layouts = {
        column.name: list(reader.layout(run.id, column.name))
        for column in reader.columns(run.id)
        if column.metric is not None
    }
    first = next(iter(layouts.values()), [])
    for name, layout in layouts.items():
        if layout != first:
            raise CheckFailedError(
                f"The chunks of '{name}' hold values of other ranks than the first metric has."
            )
    chooses = expected.admitted is None and run.spec.get("filter") is None and run.excluded > 0
    for start, count, evaluated in first:
        ranks = f"ranks {start} to {start + count - 1}"
        known = masks.pop(start, None)
        if known is not None and (known[0] != count or evaluated == count):
            raise CheckFailedError(f"The list of evaluated ranks from {start} on belongs to no chunk.")
        if known is None and evaluated != count:
            raise CheckFailedError(f"The list of evaluated ranks from {start} on is missing.")
        if chooses:
            continue
        number = expected.number(start, count)
        if number != evaluated:
            raise CheckFailedError(
                f"Of {ranks}, {number:,} must be evaluated, and values of {evaluated:,} are recorded."
            )
        if known is not None and known[1] != digest_of_evaluated(start, expected.mask(start, count)):
            raise CheckFailedError(f"Of {ranks}, others are evaluated than those that the filter admits.")
    if masks:
        raise CheckFailedError(f"The list of evaluated ranks from {min(masks)} on belongs to no chunk.")


def _check_units(reader: Reader, run: RunRecord, expected: _Expected) -> None:
    """Check that every unit's number of evaluated ranks follows from what is recorded."""
    if expected.admitted is None and run.excluded:
        counts: Iterator[tuple[UnitRecord, int]] = _recorded(reader, run)
    else:
        counts = ((unit, expected.number(unit.start, unit.count)) for unit in reader.units(run.id))
    for unit, number in counts:
        if unit.evaluated != number:
            raise CheckFailedError(
                f"The unit at rank {unit.start} says that {unit.evaluated:,} of its ranks were evaluated; "
                f"values of {number:,} must be there."
            )


def _recorded(reader: Reader, run: RunRecord) -> Iterator[tuple[UnitRecord, int]]:
    """Yield each unit with how many of its ranks have values, by the chunks of the first metric."""
    every = list(reader.units(run.id))
    edges = np.array(
        [unit.start for unit in every] + [unit.start + unit.count for unit in every[-1:]], np.int64
    )
    below = np.zeros(len(edges), np.int64)
    for chunk in reader.chunks(run.id, reader.metrics(run.id)[0].name):
        below += np.searchsorted(reader.ranks(run.id, chunk), edges)
    yield from zip(every, np.diff(below).tolist(), strict=True)
