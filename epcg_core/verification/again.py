"""Drawn ranks of a run, computed again and compared with what is recorded."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection
from functools import partial
from itertools import islice

import attrs

from epcg_core.base.errors import CheckFailedError, UncheckedError
from epcg_core.chunks.scores import RecordedScores
from epcg_core.query.puzzle_id import puzzle_id
from epcg_core.query.spec import RunSpec
from epcg_core.runs.limited import given_up
from epcg_core.runs.recompute import Recomputation
from epcg_core.runs.tables import WorkingFolder
from epcg_core.search.protocol import Search
from epcg_core.store import Reader, RunRecord, Store, chunk_queries, solutions
from epcg_core.verification import counted, optimality
from epcg_core.verification.planned import PlannedAgain

END_SHARE, MOST_AT_AN_END = 10, 100_000
"""The largest number of candidates at an end of a metric, of which one is drawn."""
GIVEN_UP = 20
"""Most candidates that were given up for their time that are tried again, for a small part of that time."""
MUCH_FASTER = 20
"""A candidate that was given up is not slow if it takes less than this part of its time."""


@attrs.frozen
class Draw:
    """The sample of each run."""

    size: int
    seed: int
    advance: Callable[[int], None] | None


def sample(store: Store, plan: PlannedAgain, draw: Draw, seconds: float) -> str:
    """Compute drawn ranks of a run again, plain code for a given time, and say what was compared.

    Raises CheckFailedError if one differs, UncheckedError if the run had other sources and one differs.
    """
    return plan.prove(
        lambda search, spec, other: _computed_again(store, plan.run, search, spec, draw, seconds, bool(other))
    )


def _computed_again(
    store: Store,
    run: RunRecord,
    search: Search,
    spec: RunSpec,
    draw: Draw,
    seconds: float,
    count_differences: bool,
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
            limits, differences = 0, []
            for rank in ranks:
                if given_up(spec, scores.at(rank)):
                    limits += 1
                    if limits <= GIVEN_UP:
                        _check_slow(run, spec, again, rank)
                else:
                    try:
                        compare(rank)
                    except CheckFailedError as error:
                        if not count_differences:
                            raise
                        differences.append(str(error))
                if advance is not None:
                    advance(1)
            unchecked = _unchecked(reader, run) if spec.solutions and not run.solutions else ""
    if differences:
        tried, number = len(ranks) - limits, len(differences)
        told = "every one differs" if number == tried else f"{number:,} differ"
        raise CheckFailedError(
            f"Of {tried:,} ranks drawn with seed {seed} {told}; the first: {differences[0]}"
        )
    if not ranks:
        return "No rank was evaluated, so none can be computed again."
    drawn_with = f"{len(ranks):,} rank{'s' if len(ranks) > 1 else ''} drawn with seed {seed}"
    if not (run.done and sample >= run.candidates):
        evenly, ends = sample - sample // 2, sample // 2
        parts = [f"{min(evenly, run.candidates):,} of all"] if run.done else []
        if not run.done or run.excluded:
            parts.append(f"{min(evenly, run.evaluated):,} of those evaluated")
        parts += [f"{ends:,} from the ends of the metrics"] if ends else []
        drawn_with += f" ({', '.join(parts)})"
    by_time = f"not checked: limit by time ({spec.candidate_timeout:g} s)" if limits else ""
    if limits == len(ranks) and limits:
        raise UncheckedError(f"All of {drawn_with} are {by_time}, which computing them again cannot show.")
    if limits:
        drawn_with = f"Of {drawn_with}, {limits:,} are {by_time}; the others"
    return f"{drawn_with}, computed again {again.forms}, agree bit for bit{unchecked}."


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


def _unchecked(reader: Reader, run: RunRecord) -> str:
    """Describe the unchecked part of a run that was recorded before digests covered solutions."""
    return (
        f", solutions included. The run is older than digests of solutions: that the other ones of its "
        f"{solutions.number(reader, run.id):,} are what was found is not checked"
    )


def _draw(reader: Reader, run: RunRecord, sample: int, seed: int) -> list[int]:
    """Draw different ranks in order: half evenly, half from the ends of the metrics.

    Evenly of all, and if some were left out as many of the evaluated. Of a run that is not finished, only
    evaluated ranks are drawn. Of few candidates all are drawn.
    """
    if run.done and sample >= run.candidates:
        return list(range(run.start, run.stop))
    chance = random.Random(seed)
    ends = _from_ends(reader, run, sample // 2, chance)
    return sorted(ends | _evenly(reader, run, sample - len(ends), ends, chance))


def _from_ends(reader: Reader, run: RunRecord, number: int, chance: random.Random) -> set[int]:
    """Draw ranks from the least and the greatest values of each metric, as many of each as of the others."""
    metrics = reader.metrics(run.id)
    share = -(-number // (2 * len(metrics)))
    size = min(max(END_SHARE * share, run.evaluated // 100), MOST_AT_AN_END)
    found: set[int] = set()
    for metric in metrics:
        for sign in (1, -1):
            there = [rank for rank, _ in chunk_queries.top(reader, run.id, metric.name, sign, size)]
            wanted = min(share, number - len(found), len(there))
            found.update(chance.sample(there, wanted))
    return found


def _evenly(
    reader: Reader, run: RunRecord, sample: int, ends: Collection[int], chance: random.Random
) -> set[int]:
    """Draw ranks evenly of all but those that are drawn already, and as many of the evaluated ones."""
    population, found = range(run.start, run.stop), set()
    if run.done:
        drawn = chance.sample(population, min(sample + len(ends), len(population)))
        found = set(islice((rank for rank in drawn if rank not in ends), sample))
    if run.done and not run.excluded:
        return found
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
    return found


def _compare(reader: Reader, run: RunRecord, scores: RecordedScores, again: Recomputation, rank: int) -> None:
    text = again.difference(rank, scores.at(rank))
    if text is None and again.solutions is not None:
        known = solutions.recorded_solutions(reader, run.id, rank, rank + 1)
        if sorted(again.solutions) != known:
            text = "the recorded solutions are not those computed again."
    if text is not None:
        raise CheckFailedError(f"{puzzle_id(run.space, rank)}: {text}")
