"""Merging the parts of a run, which were computed into databases of their own.

Everything is read and checked before anything is written; then units arrive with their values, a transaction
each, so that a merge that is killed, or that fills the disk, goes on when it is asked for again.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import attrs

from epcg_core.base.errors import CheckFailedError, OutdatedRunError, QueryError, StoreError
from epcg_core.query.query import Query, from_data
from epcg_core.query.spec import RunSpec
from epcg_core.runs import reuse
from epcg_core.runs.accounts import check_accounts
from epcg_core.runs.coordinator import Coordinator, Options, Outcome, plan
from epcg_core.runs.sequence import in_order, is_sequence, next_run
from epcg_core.runs.standing_alone import standing_alone
from epcg_core.store import Reader, RunRecord, Store, transfer, writer
from epcg_core.store.connection import database_path
from epcg_core.store.records import InputRecord, Part, UnitRecord

SHOWN = 5
"""Gaps that a message lists."""


@attrs.frozen
class Merged:
    """The result of a merge."""

    query: Query
    outcome: Outcome | None
    """The runs that answer the query so far; None if the run is not complete."""
    run: RunRecord
    units: int
    """Units that were merged now."""
    gaps: tuple[tuple[int, int], ...]
    """(first rank, one past the last) of what no part has."""


@attrs.frozen(eq=False)
class _Source:
    """A database with a part of a run."""

    path: str
    reader: Reader
    run: RunRecord

    @property
    def part(self) -> Part:
        found = self.run.part
        assert found is not None
        return found


def take_needed(query: Query, base: str, store: Store) -> None:
    """Carry what a query needs and another database has finished: its inputs, and the layers before the next.

    Raises StoreError if the other database cannot be read (see `check_other`).
    """
    reuse.look_again()
    query = standing_alone(query, store)
    _, goal = plan(query)
    with Store.open(base) as other, other.reader() as reader:
        for spec in in_order(goal):
            for needed in spec.inputs:
                if needed.last:
                    _take_sequence(needed.run, reader, store)
            if spec is not goal or is_sequence(goal):
                _take_sequence(spec, reader, store)


def _take_sequence(first: RunSpec, reader: Reader, store: Store) -> None:
    """Carry a run, and those that follow it, as far as they are finished."""
    spec: RunSpec | None = first
    while spec is not None:
        found = reuse.find(reader, spec)
        if found is None or not found.done:
            return
        transfer.copy_run(reader, found, store)
        spec = next_run(first, spec, reader)


def merge(into: str, parts: Sequence[str], *, incomplete: bool = False, options: Options) -> list[Merged]:
    """Merge the parts of runs into a database, which is made if there is none, and close complete runs.

    Args:
        into: the database.
        parts: databases that `epcg run --part` made.
        incomplete: whether ranks may be missing; the run then stays unfinished, and can be resumed or merged
            with further parts.
        options: how queries select from closed runs, and whether older sources are accepted.

    Returns:
        What each run ended with; usually there is one.

    Raises:
        StoreError: if parts do not fit each other or what is there; nothing has been written then.
        CheckFailedError: if a part lacks candidates that must be there; nothing has been written then.
        RunInterruptedError, DamagedError, CheckFailedError: if a value cannot be read or written.
    """
    reuse.look_again()
    with ExitStack() as stack:
        sources = list(_sources(into, parts, stack))
        grouped: dict[str, list[_Source]] = {}
        for source in sources:
            grouped.setdefault(str(source.run.request), []).append(source)
        for group in grouped.values():
            _check_alike(group)
            if not options.accept_older:
                _check_installed(group[0])
        known = _known(into, stack)
        gaps = {request: _check(group, known, incomplete) for request, group in grouped.items()}
        if known is not None:
            known.connection.close()
        with Store.open(into, write=True) as store:
            return [_merge(group, store, gaps[request], options) for request, group in grouped.items()]


def check_other(location: str, base: str) -> None:
    """Raise StoreError if a database from which runs are to be taken is missing, or the same."""
    path, own = database_path(base), database_path(location)
    if not path.is_file():
        raise StoreError(f"There is no database {base}: make it by a whole run of the first layer, say.")
    if own.exists() and path.samefile(own):
        raise StoreError(f"{base} is the database itself: name another one with --base.")


def _sources(into: str, parts: Sequence[str], stack: ExitStack) -> Iterator[_Source]:
    """Open the databases of parts, each once. Raises StoreError if one has no part."""
    target, seen = database_path(into), set[Path]()
    for location in parts:
        path = database_path(location)
        if not path.is_file():
            raise StoreError(f"There is no database {location}: a part of the run is missing.")
        path = path.resolve()
        if target.exists() and path.samefile(target):
            raise StoreError(f"{location} cannot be merged into itself: name the databases of the parts.")
        if path in seen:
            raise StoreError(f"{location} is named twice: name each part once.")
        seen.add(path)
        store = stack.enter_context(Store.open(location))
        reader = stack.enter_context(store.reader())
        found = [_Source(location, reader, run) for run in reader.runs() if run.part is not None]
        if not found:
            raise StoreError(
                f"{location} has no part of a run: epcg run QUERY --part 1/4 --db PART makes one."
            )
        yield from found


def _check_alike(group: Sequence[_Source]) -> None:
    """Raise StoreError if parts were computed with different code, or cut in different ways."""
    first = group[0]
    for other in group[1:]:
        pair = f"{first.path} and {other.path} do not fit together"
        if other.run.versions != first.run.versions:
            old, new = (", ".join(each.run.versions) for each in (first, other))
            raise StoreError(f"{pair}: they were computed with {old} and with {new}. Compute one again.")
        ours, theirs = first.run.sources, other.run.sources
        if ours is not None and theirs is not None and ours.digest != theirs.digest:
            raise StoreError(
                f"{pair}: they were computed with other sources ({ours.difference(theirs)}). Compute one "
                "again."
            )
        if other.run.identity != first.run.identity:
            raise StoreError(f"{pair}: the runs that they read have other values. Compute one again.")
        if other.part.of != first.part.of:
            raise StoreError(
                f"{pair}: they are parts of {first.part.of} and of {other.part.of}. Compute the parts with "
                "one number of parts."
            )
        if (other.run.unit_size, other.run.chunk_size) != (first.run.unit_size, first.run.chunk_size):
            raise StoreError(f"{pair}: they are cut into units of other sizes. Compute one again.")


def _query(source: _Source) -> Query:
    asked = source.reader.query_of(source.run.id)
    if asked is None:
        raise QueryError(f"{source.path}: run {source.run.id} has no recorded query.")
    return from_data(asked[1])


def _check_installed(source: _Source) -> None:
    """Raise OutdatedRunError if a part was computed with other sources than those installed."""
    _, goal = plan(_query(source))
    reason = source.run.difference(reuse.sources(goal), goal.versions)
    if reason:
        raise OutdatedRunError(
            f"{source.path} was computed with {reason}: compute the parts again, or merge them with "
            "--accept-older."
        )


def _known(into: str, stack: ExitStack) -> Reader | None:
    """Open the database that is merged into, for reading; None if there is none yet."""
    path = database_path(into)
    if not path.is_file() or not path.stat().st_size:
        return None
    store = stack.enter_context(Store.open(into))
    return stack.enter_context(store.reader())


def _check(group: Sequence[_Source], into: Reader | None, incomplete: bool) -> tuple[tuple[int, int], ...]:
    """Check that units lie on the run's grid, agree if they are there twice, and tile its range.

    Returns the gaps. Raises StoreError.
    """
    run = group[0].run
    known = None if into is None else transfer.find(into, run)
    units: dict[int, UnitRecord] = {}
    if known is not None and into is not None:
        if known.part is not None:
            raise StoreError(
                f"Run {known.id} of the database that is merged into is a part itself: name another."
            )
        if known.merged_of not in (None, group[0].part.of) and not known.done:
            raise StoreError(
                f"Run {known.id} is merged of parts of {known.merged_of}, and {group[0].path} is one of "
                f"{group[0].part.of}: compute the parts with one number of parts."
            )
        if not known.done:
            transfer.check_cut(known, run, "the database that is merged into")
        if (known.unit_size, known.chunk_size) == (run.unit_size, run.chunk_size):
            units = {unit.start: unit for unit in into.units(known.id)}
    for source in group:
        _check_accounts(source)
        low, high = source.part.limits(source.run)
        for unit in source.reader.units(source.run.id):
            inside = low <= unit.start < high
            if source.run.sample is not None and inside and unit.count < run.unit_at(unit.start)[1]:
                raise StoreError(
                    f"{source.path} has only a sample of some units of part {source.part}: finish it with "
                    f"epcg resume {source.run.id} --db {shlex.quote(source.path)}"
                )
            if (unit.start, unit.count) != run.unit_at(unit.start) or not inside:
                raise StoreError(
                    f"{source.path}: the unit of ranks {unit.start} to {unit.start + unit.count - 1} does "
                    f"not belong to part {source.part}. Compute the part again."
                )
            same = units.setdefault(unit.start, unit)
            if (same.count, same.digest) != (unit.count, unit.digest):
                raise StoreError(f"{source.path}: {transfer.different(unit)}")
    if known is not None and known.done:
        return ()
    gaps = tuple(_gaps(run, units))
    if gaps and not incomplete:
        raise StoreError(_missing(group, gaps))
    return gaps


def _check_accounts(source: _Source) -> None:
    """Raise CheckFailedError if candidates are missing in a part that must be there."""
    run = source.run
    chooses = bool(run.excluded) and not run.spec.get("filter") and plan(_query(source))[1].chooses
    try:
        check_accounts(source.reader, run, chooses=chooses)
    except CheckFailedError as error:
        raise CheckFailedError(f"{source.path}: {error} Compute the part again.") from error


def _gaps(run: RunRecord, units: dict[int, UnitRecord]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of ranks that no unit covers."""
    position = run.start
    for start in sorted(units):
        if start > position:
            yield position, start
        position = start + units[start].count
    if position < run.stop:
        yield position, run.stop


def _missing(group: Sequence[_Source], gaps: Sequence[tuple[int, int]]) -> str:
    """Say which ranks are missing, and in which part they are."""
    told = [f"{low} to {high - 1}" for low, high in gaps[:SHOWN]]
    more = f" and {len(gaps) - SHOWN} further ranges" if len(gaps) > SHOWN else ""
    own = {source.part.index: source for source in group}
    whose = []
    for index in range(1, group[0].part.of + 1):
        low, high = Part(index, group[0].part.of).limits(group[0].run)
        if not any(start < high and low < stop for start, stop in gaps):
            continue
        source = own.get(index)
        if source is None:
            whose.append(f"part {index}/{group[0].part.of} is not among the files")
        else:
            whose.append(
                f"{source.path} is not finished: epcg resume {source.run.id} --db {shlex.quote(source.path)}"
            )
    return (
        f"Ranks {', '.join(told)}{more} are missing ({'; '.join(whose[:SHOWN])}): compute them, or merge "
        "what there is with --incomplete."
    )


def _merge(
    group: Sequence[_Source], store: Store, gaps: tuple[tuple[int, int], ...], options: Options
) -> Merged:
    """Carry the units of parts, and close the run if none is missing."""
    first = group[0]
    query = _query(first)
    transfer.copy_inputs(first.reader, first.run, store)
    with store.reader() as reader:
        run = transfer.find(reader, first.run)
    if run is None:
        run = transfer.create(first.reader, first.run, store, merged_of=first.part.of)
    with store.transaction() as connection:
        number = writer.save_query(connection, query.name, query.title, query.resolved())
        read = Reader(connection).inputs_of(run.id)
        writer.link_query(connection, number, [*dict.fromkeys(known for _, known, _ in read), run.id])
    units = 0
    if not run.done:
        for source in group:
            units += transfer.copy_units(source.reader, source.run, store, run)
            _record_part(source, store, run)
    outcome = None
    if not gaps:
        with Coordinator(store, options) as coordinator:
            outcome = coordinator.close_recorded(query)
    with store.reader() as reader:
        return Merged(query, outcome, reader.run(run.id), units, gaps)


def _record_part(source: _Source, store: Store, run: RunRecord) -> None:
    """Record that a run has the units of a part, and their digest if none is missing.

    A part that was not finished may be merged again later, or the run may go on by itself.
    """
    low, high = source.part.limits(source.run)
    units = [unit for unit in source.reader.units(source.run.id) if low <= unit.start < high]
    whole = sum(unit.count for unit in units) == high - low
    digest = transfer.units_digest(units) if whole else None
    with store.transaction() as connection:
        part = InputRecord(f"part {source.part}", "part", None, digest, source.path)
        writer.save_inputs(connection, run.id, [part])
