"""Checks of a run's record by itself: its ranks are tiled and accounted for, its bytes have their digests."""

from __future__ import annotations

from collections.abc import Iterator

from epcg_core.base.errors import CheckFailedError, UncheckedError
from epcg_core.chunks.codec import (
    EVALUATED,
    Chunk,
    aligned_pieces,
    chunk_status,
    decode_chunk,
    encode_evaluated,
    encode_metric,
    unit_digest,
)
from epcg_core.runs.accounts import check_accounts
from epcg_core.runs.sampling import condition, drawn_ranks
from epcg_core.runs.strata import cuts_of
from epcg_core.store import Reader, RunRecord, run_digest, solutions
from epcg_core.store.naming import space_of
from epcg_core.store.records import Sample, UnitRecord
from epcg_core.verification.bytes import checked_chunks
from epcg_core.verification.planned import PlannedAgain


def accounts(reader: Reader, plan: PlannedAgain) -> str:
    """Check that the ranks that must be evaluated are, by the specification alone."""
    run, chooses = plan.run, False
    if run.excluded and not run.spec.get("filter"):
        chooses = plan.found[1].chooses
    found = check_accounts(reader, run, chooses=chooses)
    return f"By its specification: {found}, and nothing else is recorded."


def coverage(reader: Reader, run: RunRecord) -> str:
    """Check that the units tile the range without gap or overlap, and account for every rank."""
    part, (start, stop) = run.part if not run.done else None, run.extent
    position = start
    sums = {"evaluated": 0, "pruned": 0, "excluded": 0}
    count, missing = 0, ""
    for unit in reader.units(run.id):
        if unit.start > position and not run.done:
            missing = missing or _missing(run, position, unit.start)
        elif unit.start != position:
            kind = "an overlap" if unit.start < position else "a gap"
            raise CheckFailedError(f"There is {kind} before rank {unit.start}: {position} was expected.")
        if unit.evaluated + unit.pruned + unit.excluded != unit.count:
            raise CheckFailedError(f"The unit at rank {unit.start} does not account for all its ranks.")
        for name in sums:
            sums[name] += getattr(unit, name)
        position = unit.start + unit.count
        count += 1
    if position != stop:
        missing = missing or _missing(run, position, stop)
    if missing and run.done:
        raise CheckFailedError(missing)
    if (sums["evaluated"], sums["pruned"], sums["excluded"]) != (run.evaluated, run.pruned, run.excluded):
        raise CheckFailedError("The run's counts are not the sums of its units'.")
    if missing:
        raise UncheckedError(missing)
    whole = "the whole space" if run.candidates == run.max_rank else "a part of the space"
    whole = whole if part is None else f"part {part} of the run"
    by = "filter" if run.spec.get("filter") else "search"
    excluded = f", {run.excluded:,} left out by the {by}" if run.excluded else ""
    if run.omission is not None:
        whole += f", which leaves out {run.omission}"
    if str(run.reading):
        whole += f", {run.reading}"
    units = "1 unit tiles" if count == 1 else f"{count:,} units tile"
    return (
        f"{units} ranks {start} to {stop - 1}, {whole}, without gap or overlap: "
        f"{run.evaluated:,} evaluated, {run.pruned:,} pruned{excluded}."
    )


def _missing(run: RunRecord, start: int, stop: int) -> str:
    if run.done:
        return f"Ranks {start} to {stop - 1} are missing, and the run is called finished."
    return f"Ranks {start} to {stop - 1} are missing: the run is not finished; epcg resume {run.id}."


def _strata_in_words(sample: Sample) -> str:
    if not sample.by:
        return ""
    items = "item tells" if sample.by == 1 else f"{sample.by} items tell"
    return f" They are of {len(sample.cuts) + 1:,} strata, which the first {items} apart."


def sampled(reader: Reader, run: RunRecord) -> str:
    """Check that the recorded ranks are those that the sample's seed draws."""
    assert run.sample is not None
    if run.sample.by and cuts_of(space_of(run), run.sample.by, *run.extent) != run.sample.cuts:
        raise CheckFailedError(
            f"The strata recorded are not those that the first items tell apart ({run.sample.by} of them)."
        )
    ranks = drawn_ranks(run.sample, *run.extent).tolist()
    every = list(reader.units(run.id))
    if [(unit.start, unit.count) for unit in every] != [(rank, 1) for rank in ranks]:
        raise CheckFailedError(
            f"The ranks recorded are not those that seed {run.sample.seed} draws, so they are not its sample."
        )
    sums = sum(unit.evaluated for unit in every), sum(unit.excluded for unit in every)
    if sums != (run.evaluated, run.excluded) or any(unit.pruned for unit in every):
        raise CheckFailedError("The run's counts are not the sums of its units'.")
    excluded = f", {run.excluded:,} of them left out by the filter" if run.excluded else ""
    return (
        f"The {len(ranks):,} ranks that seed {run.sample.seed} draws of {run.population:,} are recorded, "
        f"and no others{excluded}: the run claims a sample, not the whole."
        f"{_strata_in_words(run.sample)} {condition(run)}"
    )


def chunks(reader: Reader, run: RunRecord, gaps: bool = False) -> str:
    """Check that every metric's chunks tile the range, and the bytes of every chunk are as recorded.

    With `gaps`, as in a sample, the chunks only have to be disjoint and in the range.
    """
    number = size = 0
    for column in reader.columns(run.id):
        position = run.start
        for chunk in checked_chunks(reader, run, column):
            if (
                column.metric is not None
                and chunk.start != position
                and not (gaps and position < chunk.start)
            ):
                raise CheckFailedError(
                    f"The chunks of '{column.name}' have a gap or overlap at rank {position}."
                )
            position = chunk.start + chunk.count
            number += 1
            size += len(chunk.data)
        if column.metric is not None and position != run.stop and not (gaps and position < run.stop):
            raise CheckFailedError(f"The chunks of '{column.name}' end at rank {position}, not {run.stop}.")
    return f"{number:,} chunks ({size:,} bytes) have the digests that were recorded."


def units(reader: Reader, run: RunRecord) -> str:
    """Check every unit's digest against its chunks, and its solutions if the search finds them."""
    if run.counted and run.unit_size % run.chunk_size:
        return "Not compared: units are smaller than chunks, and only counts of these were kept."
    source = _Slices(reader, run)
    count = found = 0
    for unit in reader.units(run.id):
        chunks = list(source.of(unit))
        digest, number = unit_digest(chunks), 0
        # A run that began before digests covered solutions may have gone on since.
        if run.solutions or digest != unit.digest:
            own, number = solutions.recorded_digest(reader, run.id, unit.start, unit.start + unit.count)
            digest = unit_digest(chunks, own)
        if digest != unit.digest:
            also = " (of its chunks and solutions)" if run.solutions else ""
            raise CheckFailedError(
                f"The unit of ranks {unit.start} to {unit.start + unit.count - 1} has another digest{also} "
                "than was recorded."
            )
        count += 1
        found += number
    every = solutions.number(reader, run.id)
    if run.solutions and found != every:
        raise CheckFailedError(f"{every - found:,} solutions are recorded of ranks that no unit covers.")
    also = f"; they cover {every:,} solutions" if run.solutions else ""
    return f"{count:,} {'unit has' if count == 1 else 'units have'} the digests that were recorded{also}."


class _Slices:
    """A run's chunks cut again as its units were, for their digests."""

    def __init__(self, reader: Reader, run: RunRecord) -> None:
        self._reader = reader
        self._run = run
        self._columns = reader.columns(run.id)
        self._chunks: dict[str, Chunk | None] = {}
        self._coming = {column.name: reader.digests(run.id, column.name) for column in self._columns}
        self._next = {name: next(coming, None) for name, coming in self._coming.items()}

    def of(self, unit: UnitRecord) -> Iterator[Chunk | bytes]:
        """Yield the digests of a unit's chunks; units are asked for in the order of ranks."""
        for start, count in aligned_pieces(unit.start, unit.count, self._run.chunk_size):
            yield from self._whole(start, count) or self._piece(start, count)

    def _whole(self, start: int, count: int) -> list[bytes]:
        """Return the recorded digests of the chunks of just these ranks; none if they are cut otherwise."""
        found = []
        for column in self._columns:
            head = self._next[column.name]
            while head is not None and head[0] + head[1] <= start:
                self._next[column.name] = head = next(self._coming[column.name], None)
            if head is not None and head[:2] == (start, count):
                found.append(head[2])
            elif column.metric is not None or (head is not None and head[0] < start + count):
                return []
        return found

    def _piece(self, start: int, count: int) -> Iterator[Chunk]:
        metrics = [column.metric for column in self._columns if column.metric is not None]
        first = self._at(metrics[0].name, start)
        if first is None:
            raise CheckFailedError(f"The chunk with rank {start} is missing.")
        if (first.start, first.count) == (start, count):
            found = [self._at(column.name, start) for column in self._columns]
            yield from (chunk for chunk in found if chunk is not None)
            return
        low, high = start - first.start, start - first.start + count
        mask_chunk = self._at(EVALUATED, start)
        mask = None
        if mask_chunk is not None:
            whole = decode_chunk(mask_chunk)
            mask = whole[low:high]
            low, high = int(whole[:low].sum()), int(whole[:high].sum())
        for metric in metrics:
            chunk = self._at(metric.name, start)
            if chunk is None:
                raise CheckFailedError(f"The chunk of '{metric.name}' with rank {start} is missing.")
            whole_status = chunk_status(chunk)
            status = None if whole_status is None else whole_status[low:high]
            if status is not None and not status.any():
                status = None
            yield encode_metric(metric, start, count, decode_chunk(chunk)[low:high], status)
        if mask is not None and not mask.all():
            yield encode_evaluated(start, mask)

    def _at(self, name: str, rank: int) -> Chunk | None:
        """Return the chunk of a column that holds `rank`; the last chunk is cached."""
        known = self._chunks.get(name)
        if known is None or not known.start <= rank < known.start + known.count:
            self._chunks[name] = known = self._reader.chunk_at(self._run.id, name, rank)
        return known


def digest(reader: Reader, run: RunRecord) -> str:
    if run.digest is None:
        text = f"The run is not finished, so it has no digest; epcg resume {run.id}."
        raise CheckFailedError(text) if run.done else UncheckedError(text)
    if run_digest.run_digest(reader, run.id) != run.digest:
        also = " and solutions" if run.solutions else ""
        raise CheckFailedError(f"The run's digest does not follow from its chunks{also}.")
    also = " and solutions" if run.solutions else ""
    return f"The run's digest {run.digest} follows from its chunks{also}."
