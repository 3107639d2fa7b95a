"""Verification of a run: units tile the range, bytes are as recorded, and samples can be reproduced."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from html import escape
from typing import NoReturn

import attrs

from epcg_core.chunks.codec import (
    EVALUATED,
    Chunk,
    decode,
    encode_evaluated,
    encode_metric,
    pieces,
    status_of,
    unit_digest,
)
from epcg_core.chunks.scores import RecordedScores
from epcg_core.documents import places
from epcg_core.errors import CheckFailedError, EpcgError, UncheckedError
from epcg_core.query.puzzle_id import puzzle_id
from epcg_core.query.spec import RunSpec
from epcg_core.runs import reuse
from epcg_core.runs.accounts import check_accounts
from epcg_core.runs.limited import given_up
from epcg_core.runs.recompute import PLAIN_SECONDS, Recomputation
from epcg_core.runs.sampling import CHOSEN, drawn, was_chosen
from epcg_core.runs.tables import WorkingFolder
from epcg_core.search.protocol import Search
from epcg_core.store import Reader, RunRecord, Store, imported, integrity, run_digest, solutions, sparse
from epcg_core.store.records import UnitRecord
from epcg_core.verification import counted, derived, optimality, remade
from epcg_core.verification.bytes import checked_chunks
from epcg_core.verification.planned import planned
from epcg_core.verification.verdicts import SIGNS, Check, Verdict, checked, verdict_of

_COLOURS: dict[Verdict, str] = {
    "holds": "#2e7d32",
    "holds if others hold": "#8a6d00",
    "does not hold": "#c62828",
    "cannot be checked here": "#8a6d00",
}


@attrs.frozen
class VerifyReport:
    """All checks of one run."""

    run: RunRecord
    checks: tuple[Check, ...]
    seed: int
    """The seed of the sample."""
    beneath: tuple[VerifyReport, ...] = ()
    """The reports of the runs that it rests on, oldest first; empty if these were not asked for."""

    @property
    def passed(self) -> bool:
        return self.verdict == "holds"

    @property
    def verdict(self) -> Verdict:
        return verdict_of(self.checks)

    def _repr_html_(self) -> str:
        """Show the verdict in words and colour, above a table of what each check proves."""
        rows = "".join(
            f'<tr><td style="color:{_COLOURS[check.verdict]}">{SIGNS[check.verdict]}</td>'
            f'<td style="text-align:left;white-space:nowrap">{escape(check.name)}</td>'
            f'<td style="text-align:left">{escape(check.detail)}</td></tr>'
            for check in self.checks
        )
        return (
            f'<p><b style="color:{_COLOURS[self.verdict]}">Run {self.run.id}: {self.verdict}.</b> '
            f"Drawn with seed {self.seed}.</p><table>{rows}</table>"
        )


def verify(
    store: Store,
    run_id: int,
    sample: int = 1000,
    seed: int | None = None,
    advance: Callable[[int], None] | None = None,
    *,
    this_run_only: bool = False,
    remake: bool = False,
    known: dict[int, VerifyReport] | None = None,
) -> VerifyReport:
    """Run all checks of a run, and of every run that it rests on.

    Args:
        store: the database.
        run_id: the run's number.
        sample: how many ranks of each run are drawn and computed again.
        seed: draws them; None draws a seed by chance.
        advance: receives the number of ranks that were just computed.
        this_run_only: whether the runs underneath are left unchecked; the verdict is then at best that the
            run holds if they do.
        remake: whether runs whose values were dropped when they had served are computed again whole, and
            compared by their digests; otherwise they cannot be checked.
        known: reports of runs by number that were made just now; those of the runs underneath are added, so
            that each is checked once.

    Returns:
        The run's report. Its check 'runs underneath' sums up those of the others.

    Raises:
        StoreError: if there is no such run.
    """
    seed = new_seed() if seed is None else seed
    known = {} if known is None else known
    with store.reader() as reader:
        file = checked("file", lambda: integrity.integrity(reader.connection))
        with integrity.damage_named(f"Run {run_id}"):
            reader.run(run_id)
            others = rests_on(reader, run_id)
            asked = [run_id] if this_run_only else [*others, run_id]
            lost = [number for number in asked if _is_lost(reader, number)] if remake else []
    draw = _Draw(sample, seed, advance)
    with _made_again(store, lost) as again:
        for number in asked[:-1]:
            if number not in known:
                seconds = PLAIN_SECONDS / len(others)
                known[number] = _alone(store, number, draw, seconds, again, beneath=True)
        own = _alone(store, run_id, draw, PLAIN_SECONDS, again, beneath=False)
    reports = [] if this_run_only else [known[number] for number in others]
    underneath = checked("runs underneath", lambda: _underneath(others, reports))
    if underneath.passed and this_run_only and others:
        underneath = attrs.evolve(underneath, verdict="holds if others hold")
    checks = (file, *own.checks)
    position = [check.name for check in checks].index("inputs") + 1
    checks = (*checks[:position], underneath, *checks[position:])
    return attrs.evolve(own, checks=checks, beneath=tuple(reports))


@attrs.frozen
class _Draw:
    """The sample of each run."""

    size: int
    seed: int
    advance: Callable[[int], None] | None


_Again = Callable[[RunRecord], tuple[Reader, RunRecord] | None]
"""Returns a run, computed again, and its reader."""


def _is_lost(reader: Reader, number: int) -> bool:
    """Return whether values of a run, or of one that it read, were dropped, so that none can be computed."""
    return bool(not_checked(reader, reader.run(number)))


@contextmanager
def _made_again(store: Store, numbers: Sequence[int]) -> Iterator[_Again | None]:
    """Compute runs again whole; what prevents it is raised when one is asked for."""
    if not numbers:
        yield None
        return
    with store.reader() as reader:
        runs = [reader.run(number) for number in numbers]
    with ExitStack() as stack:
        try:
            found = stack.enter_context(remade.made_again(runs))
        except EpcgError as error:
            problem = error

            def fail(run: RunRecord) -> NoReturn:
                raise UncheckedError(f"It cannot be computed again: {problem}") from problem

            yield fail
            return
        yield lambda run: found.get(run.identity)


def number_of_runs(store: Store, run_id: int) -> int:
    """Count the run and those that it rests on."""
    with store.reader() as reader, integrity.damage_named(f"Run {run_id}"):
        reader.run(run_id)
        return 1 + len(rests_on(reader, run_id))


def rests_on(reader: Reader, run_id: int) -> list[int]:
    """Return the numbers of all runs that a run was computed from, directly or not, in increasing order."""
    found: set[int] = set()
    waiting = [run_id]
    while waiting:
        for _, number, _ in reader.inputs_of(waiting.pop()):
            if number not in found:
                found.add(number)
                waiting.append(number)
    if run_id in found:
        raise CheckFailedError(f"Run {run_id} is recorded to be computed from itself.")
    return sorted(found)


def in_words(numbers: Sequence[int]) -> str:
    """Write numbers of runs as 'run 1', 'runs 1 and 2' or 'runs 1, 2 and 3'."""
    texts = [str(number) for number in numbers]
    if len(texts) < 2:
        return f"run {' '.join(texts)}"
    return f"runs {', '.join(texts[:-1])} and {texts[-1]}"


def _underneath(numbers: Sequence[int], reports: Sequence[VerifyReport]) -> str:
    """Sum up the reports of the runs that a run rests on; without reports, name the runs."""
    if not numbers:
        return "It rests on no other run."
    if not reports:
        return f"It holds if {in_words(numbers)} hold, on which it rests and which were not checked."
    for verdict in ("does not hold", "cannot be checked here"):
        for report in reports:
            odd = [check for check in report.checks if check.verdict == verdict]
            if odd:
                first = odd[0] if verdict == "does not hold" else odd[-1]  # the last says why values lack
                text = f"Run {report.run.id}, on which it rests, {verdict} ({first.name}): {first.detail}"
                raise CheckFailedError(text) if verdict == "does not hold" else UncheckedError(text)
    number = sum(len(report.checks) for report in reports)
    return f"All {number:,} checks of {in_words(numbers)}, on which it rests, hold."


def _alone(
    store: Store, run_id: int, draw: _Draw, seconds: float, again: _Again | None, beneath: bool
) -> VerifyReport:
    """Run the checks of one run; plain code gets so many CPU seconds.

    Of a run `beneath` the one that was asked for, those of the whole database are left to that one.
    """
    with store.reader() as reader, ExitStack() as stack:
        with integrity.damage_named(f"Run {run_id}"):
            run = reader.run(run_id)
            objective = sparse.objective_of(run)
            sampled = _is_sample(run)
            stack.enter_context(places(run.files))
        more = [
            checked(name, partial(_compared, reader, run, again, name))
            if run.dropped and again is not None and name in remade.TABLES
            else checked(name, prove)
            for name, prove in derived.proofs(store, reader, run, draw.seed)
            if not (beneath and name == "schema")
        ]
        cover = _sampled if sampled else _coverage
        coverage = checked("coverage", lambda: cover(reader, run))
        inputs = checked("inputs", lambda: _inputs(reader, run))
        gone = not_checked(reader, run)
        if run.dropped:
            return VerifyReport(run, (coverage, inputs, *more, _values(reader, run, again, gone)), draw.seed)
        partly = sampled or (run.part is not None and not run.done)
        checks = [coverage, checked("accounts", lambda: _accounts(reader, run))]
        if objective is None:
            gaps = partly or not run.done
            prove = counted.chunks if run.counted else partial(_chunks, gaps=gaps)
            checks.append(checked("chunks", lambda: prove(reader, run)))
            checks.append(checked("unit digests", lambda: _units(reader, run)))
        else:
            checks.append(checked("chunks", lambda: optimality.chunks(reader, run)))
            checks.append(checked("unit digests", lambda: optimality.units(reader, run)))
            checks.append(checked("optimality", lambda: optimality.optimality(reader, run, objective)))
        if not partly:
            checks.append(checked("run digest", lambda: _digest(reader, run)))
        checks.append(checked("rows", lambda: integrity.check_rows(reader, run)))
        if run.imported:
            checks.append(checked("imported", lambda: imported.check_imported(reader, run)))
        checks += [inputs, *more]
        if gone:
            return VerifyReport(run, (*checks, _values(reader, run, again, gone, "sample")), draw.seed)
    if draw.size:
        with places(run.files):
            checks.append(checked("sample", lambda: _sample(store, run, draw, seconds)))
    return VerifyReport(run, tuple(checks), draw.seed)


def _values(reader: Reader, run: RunRecord, again: _Again | None, gone: str, name: str = "values") -> Check:
    """Check a run of which nothing can be computed from what is recorded, by the run computed again whole."""
    if again is None:
        return Check(name, "cannot be checked here", gone)
    return checked(name, partial(_compared, reader, run, again, "values"))


def _compared(reader: Reader, run: RunRecord, again: _Again, name: str) -> str:
    return remade.compare(reader, run, again(run), name)


def _accounts(reader: Reader, run: RunRecord) -> str:
    """Check that the ranks that must be evaluated are, by the specification alone."""
    chooses = False
    if run.excluded and not run.spec.get("filter"):
        chooses = planned(run)[1].chooses
    found = check_accounts(reader, run, chooses=chooses)
    return f"By its specification: {found}, and nothing else is recorded."


GIVEN_UP = 20
"""Most candidates that were given up for their time that are tried again, for a small part of that time."""
MUCH_FASTER = 20
"""A candidate that was given up is no slow one if it takes less than this part of its time."""


def new_seed() -> int:
    """Return a seed from the system's randomness, so that no record can be made to suit the sample."""
    return secrets.randbelow(2**32)


def _coverage(reader: Reader, run: RunRecord) -> str:
    """Check that the units tile the range without gap or overlap, and account for every rank."""
    part = run.part if not run.done else None
    start, stop = (run.start, run.stop) if part is None else part.limits(run)
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
    units = "1 unit tiles" if count == 1 else f"{count:,} units tile"
    return (
        f"{units} ranks {start} to {stop - 1}, {whole}, without gap or overlap: "
        f"{run.evaluated:,} evaluated, {run.pruned:,} pruned{excluded}."
    )


def _missing(run: RunRecord, start: int, stop: int) -> str:
    if run.done:
        return f"Ranks {start} to {stop - 1} are missing, and the run is called finished."
    return f"Ranks {start} to {stop - 1} are missing: the run is not finished; epcg resume {run.id}."


def _is_sample(run: RunRecord) -> bool:
    """Return whether a run claims no more than its sample: nothing but that has been evaluated."""
    return not run.done and run.sample is not None and run.evaluated + run.excluded == run.sample.size


def _sampled(reader: Reader, run: RunRecord) -> str:
    """Check that the recorded ranks are those that the sample's seed draws."""
    assert run.sample is not None
    ranks = drawn(run.sample, run.start, run.stop).tolist()
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
        f"The {len(ranks):,} ranks that seed {run.sample.seed} draws of {run.candidates:,} are recorded, "
        f"and no others{excluded}: the run claims a sample, not the whole."
        f"{' ' + CHOSEN if was_chosen(run) else ' The seed follows from what was asked for.'}"
    )


def _chunks(reader: Reader, run: RunRecord, gaps: bool = False) -> str:
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


def _units(reader: Reader, run: RunRecord) -> str:
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
    return f"{count:,} units have the digests that were recorded{also}."


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
        for start, count in pieces(unit.start, unit.count, self._run.chunk_size):
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
            whole = decode(mask_chunk)
            mask = whole[low:high]
            low, high = int(whole[:low].sum()), int(whole[:high].sum())
        for metric in metrics:
            chunk = self._at(metric.name, start)
            if chunk is None:
                raise CheckFailedError(f"The chunk of '{metric.name}' with rank {start} is missing.")
            whole_status = status_of(chunk)
            status = None if whole_status is None else whole_status[low:high]
            if status is not None and not status.any():
                status = None
            yield encode_metric(metric, start, count, decode(chunk)[low:high], status)
        if mask is not None and not mask.all():
            yield encode_evaluated(start, mask)

    def _at(self, name: str, rank: int) -> Chunk | None:
        """Return the chunk of a column that holds `rank`; the last chunk is cached."""
        known = self._chunks.get(name)
        if known is None or not known.start <= rank < known.start + known.count:
            self._chunks[name] = known = self._reader.chunk_at(self._run.id, name, rank)
        return known


def _digest(reader: Reader, run: RunRecord) -> str:
    if run.digest is None:
        text = f"The run is not finished, so it has no digest; epcg resume {run.id}."
        raise CheckFailedError(text) if run.done else UncheckedError(text)
    if run_digest.run_digest(reader, run.id) != run.digest:
        also = " and solutions" if run.solutions else ""
        raise CheckFailedError(f"The run's digest does not follow from its chunks{also}.")
    also = " and solutions" if run.solutions else ""
    return f"The run's digest {run.digest} follows from its chunks{also}."


def _inputs(reader: Reader, run: RunRecord) -> str:
    """Check that the inputs of the run are unchanged."""
    inputs = reader.inputs_of(run.id)
    for role, number, digest in inputs:
        if reader.run(number).digest != digest:
            raise CheckFailedError(f"Run {number}, the input '{role}', has changed since.")
    names = ", ".join(f"{role} of run {number}" for role, number, _ in inputs)
    return (
        f"What it was computed from is unchanged: {names}." if names else "It was computed from nothing else."
    )


def not_checked(reader: Reader, run: RunRecord) -> str:
    """Describe the checks that are impossible because values were dropped; '' if there are none."""
    if run.dropped:
        return (
            "Its values were dropped when they had served. What stays are counts, and the "
            f"digest {run.digest} that they had; --remake computes them again."
        )
    gone = [number for _, number, _ in reader.inputs_of(run.id) if reader.run(number).dropped]
    if not gone:
        return ""
    return (
        f"Nothing can be computed again, because the values of run {gone[0]}, which it was "
        "computed from, were dropped when they had served; --remake computes them again."
    )


def _sample(store: Store, run: RunRecord, draw: _Draw, seconds: float) -> str:
    search, spec = planned(run)
    reuse.look_again()
    other = run.difference(reuse.sources(spec), spec.versions)
    try:
        found = _computed_again(store, run, search, spec, draw, seconds)
    except EpcgError as error:
        if other:
            raise UncheckedError(
                f"The run was computed with {other}, so a difference proves nothing: {error}"
            ) from error
        raise
    return f"{found} It was computed with {other}." if other else found


def _computed_again(
    store: Store, run: RunRecord, search: Search, spec: RunSpec, draw: _Draw, seconds: float
) -> str:
    sample, seed, advance = draw.size, draw.seed, draw.advance
    if run.counted:
        return counted.sample(store, run, search, spec, sample, seed, seconds, advance)
    # A folder of its own: the one beside the database belongs to the writer.
    with WorkingFolder(None) as folder:
        checker = search.checker(spec, folder.inputs(spec, store, run))
        again = Recomputation(checker, spec.metrics, seconds)
        with store.reader() as reader:
            scores = RecordedScores(partial(reader.chunk_at, run.id), spec.metrics)
            compare = partial(_compare, reader, run, scores, again)
            if spec.objective is not None:
                return optimality.sample(
                    optimality.Proof(reader, run, spec.objective, checker, search.block_size(spec)),
                    again, compare, sample, seed, advance,
                )  # fmt: skip
            ranks = _draw(reader, run, sample, seed)
            if checker.compiled is not None:  # so that it is left to chance for which there is time
                random.Random(seed).shuffle(ranks)
            limits = 0
            for rank in ranks:
                if given_up(spec, scores.at(rank)):
                    limits += 1
                    if limits <= GIVEN_UP:
                        _check_slow(run, spec, again, rank)
                else:
                    compare(rank)
                if advance is not None:
                    advance(1)
            unproven = _unproven(reader, run) if spec.solutions and not run.solutions else ""
    if not ranks:
        return "No rank was evaluated, so none can be computed again."
    drawn_with = f"{len(ranks):,} ranks drawn with seed {seed}"
    if run.done and run.excluded:
        drawn_with += (
            f" ({min(sample, run.evaluated):,} of those evaluated, {min(sample, run.candidates):,} of all)"
        )
    by_time = f"not checked: limit by time ({spec.candidate_timeout:g} s)" if limits else ""
    if limits == len(ranks) and limits:
        raise UncheckedError(f"All of {drawn_with} are {by_time}, which computing them again cannot show.")
    if limits:
        drawn_with = f"Of {drawn_with}, {limits:,} are {by_time}; the others"
    return f"{drawn_with}, computed again {again.forms}, agree bit for bit{unproven}."


def _check_slow(run: RunRecord, spec: RunSpec, again: Recomputation, rank: int) -> None:
    """Raise UncheckedError if a candidate that was given up for its time takes hardly any here."""
    assert spec.candidate_timeout is not None
    seconds = spec.candidate_timeout / MUCH_FASTER
    if again.soon(rank, seconds) is not None:
        raise UncheckedError(
            f"{puzzle_id(run.space, rank)} was given up after {spec.candidate_timeout:g} s, and takes less "
            f"than {seconds:g} s here. The machine of the run stood still, or values were left out on "
            "purpose: compute the run again with --again."
        )


def _unproven(reader: Reader, run: RunRecord) -> str:
    """Describe the unproven part of a run that was recorded before digests covered solutions."""
    return (
        f", solutions included. The run is older than digests of solutions: that the other ones of its "
        f"{solutions.number(reader, run.id):,} are what was found is not proven"
    )


def _draw(reader: Reader, run: RunRecord, sample: int, seed: int) -> list[int]:
    """Draw different ranks in order: uniformly of all, and if some were left out also of the evaluated.

    Of a run that is not finished, only evaluated ranks are drawn.
    """
    chance = random.Random(seed)
    population = range(run.start, run.stop)
    found = set(chance.sample(population, min(sample, len(population)))) if run.done else set()
    if run.done and not run.excluded:
        return sorted(found)
    name = reader.metrics(run.id)[0].name
    positions = sorted(chance.sample(range(run.evaluated), min(sample, run.evaluated)))
    passed = at = 0
    for chunk in reader.chunks(run.id, name):
        last = at
        while last < len(positions) and positions[last] < passed + chunk.evaluated:
            last += 1
        if last > at:
            mine = [position - passed for position in positions[at:last]]
            found.update(reader.ranks(run.id, chunk)[mine].tolist())
        passed, at = passed + chunk.evaluated, last
    return sorted(found)


def _compare(reader: Reader, run: RunRecord, scores: RecordedScores, again: Recomputation, rank: int) -> None:
    text = again.difference(rank, scores.at(rank))
    if text is None and again.solutions is not None:
        known = solutions.recorded(reader, run.id, rank, rank + 1)
        if sorted(again.solutions) != known:
            text = "the recorded solutions are not those computed again."
    if text is not None:
        raise CheckFailedError(f"{puzzle_id(run.space, rank)}: {text}")
