"""A uniform random sample of a run's ranks, evaluated before the rest.

A sampled rank is recorded as a unit of its own. When its whole unit is computed, the worker gets the recorded
values and evaluates only the other ranks; the whole unit then replaces the single ones. So a run that began
with a sample ends with the same units, chunks and digest as any other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import QueryError
from epcg_core.chunks.codec import chunk_status, decode_chunk
from epcg_core.domain import VALUE
from epcg_core.execution import Unit
from epcg_core.plugins.registry import registry
from epcg_core.query.spec import RunSpec
from epcg_core.runs.sampled_units import Known, SampledRanks, SampledUnit
from epcg_core.runs.strata import FEWEST_DRAWN, Strata, cuts_of
from epcg_core.store import Reader, RunRecord, solutions
from epcg_core.store.records import Part, Sample, UnitRecord

MOST_IN_A_BATCH = 256
LARGEST_SEED = 2**63 - 1
"""The largest number that the database can have."""


DrawnBy: TypeAlias = Literal["space", "request", "hand"]
"""Where the seed of a sample comes from: the space; what was asked for, as in earlier versions; a person."""

_CONDITIONS: dict[DrawnBy, str] = {
    "space": "The seed follows from the space, so the intervals hold if the size was chosen before looking.",
    "request": "The seed follows from what was asked for, as in earlier versions, so the intervals hold only "
    "if nothing else was asked for to get another seed.",
    "hand": "The seed was chosen by hand, so the intervals hold only if no other seed was tried.",
}


def own_seed(domain: str, generator: str, max_rank: int, start: int, stop: int) -> int:
    """Return the seed of a sample that is not chosen: all questions about one range of a space share it.

    Only the name of the generator, the number of its states and the range have a part in it, so that no param
    that changes nothing can be tried until the sample is as wished.
    """
    text = f"sample\0{domain}\0{generator}\0{max_rank}\0{start}\0{stop}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def drawn_by(run: RunRecord) -> DrawnBy:
    """Return where the seed of a run's sample comes from.

    If many seeds are tried, the best of them chooses the answer: the intervals hold only if one was tried.
    """
    assert run.sample is not None
    generator = run.spec["query"]["generator"]["name"]
    if run.sample.seed == own_seed(run.domain, generator, run.max_rank, run.start, run.stop):
        return "space"
    return "request" if run.sample.seed == _seed_of_request(run.request or "") else "hand"


def _seed_of_request(request: str) -> int:
    """Return the seed that earlier versions gave to a run's sample."""
    return int.from_bytes(hashlib.sha256(f"sample\0{request}".encode()).digest()[:4], "big")


def condition(run: RunRecord) -> str:
    """Return the sentence that says under which condition the intervals of a run's sample hold."""
    assert run.sample is not None
    chosen = ["size"] + ["strata"] * bool(run.sample.by) + ["range"] * (run.extent != (0, run.max_rank))
    if len(chosen) == 1:
        return _CONDITIONS[drawn_by(run)]
    several = f"the {', '.join(chosen[:-1])} and the {chosen[-1]} were chosen"
    return _CONDITIONS[drawn_by(run)].replace("the size was chosen", several)


def drawn_ranks(sample: Sample, start: int, stop: int) -> NDArray[np.int64]:
    """Return (size,) the sample's ranks of start .. stop - 1, increasing, none twice.

    A shuffle (Durstenfeld 1964) that is broken off: a larger sample with the same seed contains the smaller
    one. The numbers come from SHA-256, so they are the same in every version of Python; how far a remainder
    of 256 bits is from uniform is below 2^-190.
    """
    if not sample.by:
        return _shuffled(str(sample.seed), sample.size, start, stop)
    strata = Strata(sample.cuts, sample.size, start, stop)
    ends = [*sample.cuts, stop]
    drawn = zip(strata.firsts.tolist(), ends, strata.drawn.tolist(), strict=True)
    return np.concatenate(
        [_shuffled(f"{sample.seed}.{i}", number, low, high) for i, (low, high, number) in enumerate(drawn)]
    )


def _shuffled(key: str, size: int, start: int, stop: int) -> NDArray[np.int64]:
    total = stop - start
    moved: dict[int, int] = {}
    found = np.empty(min(size, total), np.int64)
    for i in range(len(found)):
        number = hashlib.sha256(f"{key}:{i}".encode()).digest()
        position = i + int.from_bytes(number, "big") % (total - i)
        found[i] = start + moved.get(position, position)
        moved[position] = moved.pop(i, i)
    found.sort()
    return found


def checked_sample(
    sample: Sample, goal: RunSpec, record: RunRecord | None, part: Part | None = None
) -> Sample | None:
    """Return the sample that a run is to have, with seed and strata; None if the sample is the whole run.

    Raises QueryError if the run has another sample, or cannot have one, or if no seed is that large.
    """
    if part is not None and sample.by:
        raise QueryError("by: a part has no strata; leave --by or --part out.")
    reason = registry().search(goal.search.name).refuses.get("sample")
    if reason is not None:
        raise QueryError(
            f"The search {goal.search.name} takes no sample, because {reason}: leave --sample out."
        )
    begun = None if record is None or record.done else record.sample
    if sample.seed is not None and not 0 <= sample.seed <= LARGEST_SEED:
        raise QueryError(f"seed: {sample.seed} is not allowed; expected 0 to {LARGEST_SEED}.")
    if sample.seed is None:
        sample = attrs.evolve(sample, seed=_own_seed_of(goal) if begun is None else begun.seed)
    if record is not None and begun is not None:
        if begun.seed != sample.seed:
            raise QueryError(
                f"Run {record.id} has a sample drawn with seed {begun.seed}, and ranks drawn with "
                f"two seeds are not one sample: ask for --seed {begun.seed}."
            )
        if sample.by not in (0, begun.by):
            how = f"with --by {begun.by}" if begun.by else "without strata"
            raise QueryError(
                f"Run {record.id} has a sample drawn {how}, and ranks drawn in two ways are not one sample: "
                f"ask for it {how}."
            )
        sample = attrs.evolve(begun, size=max(sample.size, begun.size))
    if sample.size >= goal.stop - goal.start:
        return None
    return with_strata(sample, goal) if sample.by and begun is None else sample


def with_strata(sample: Sample, goal: RunSpec) -> Sample:
    """Return a sample with its strata. Raises QueryError if it is too small for them."""
    cuts = cuts_of(goal.space, sample.by, goal.start, goal.stop)
    least = FEWEST_DRAWN * (len(cuts) + 1)
    if sample.size < least:
        raise QueryError(
            f"sample: {sample.size:,} candidates are too few for {len(cuts) + 1:,} strata, of each of which "
            f"{FEWEST_DRAWN} are drawn: ask for --sample {least} or more, or a smaller --by."
        )
    return attrs.evolve(sample, cuts=cuts)


def _own_seed_of(goal: RunSpec) -> int:
    return own_seed(goal.space.domain, goal.space.generator.name, goal.max_rank, goal.start, goal.stop)


def missing_ranks(ranks: NDArray[np.int64], finished: Sequence[UnitRecord]) -> NDArray[np.int64]:
    """Return those of the increasing `ranks` that lie outside the finished units, sorted by rank."""
    if not finished:
        return ranks
    starts = np.array([unit.start for unit in finished], np.int64)
    stops = np.array([unit.start + unit.count for unit in finished], np.int64)
    unit = np.searchsorted(starts, ranks, side="right") - 1
    return ranks[(unit < 0) | (ranks >= stops[unit])]


def batches(ranks: NDArray[np.int64], block: int, workers: int) -> Iterator[SampledRanks]:
    """Split the ranks into parts of at most `block` ranks, at least four for each worker."""
    size = max(1, min(block, MOST_IN_A_BATCH, -(-len(ranks) // (4 * workers))))
    for low in range(0, len(ranks), size):
        part = tuple(ranks[low : low + size].tolist())
        yield SampledRanks(part[0], part[-1] - part[0] + 1, part)


def with_samples(
    read: Callable[[Unit, NDArray[np.int64]], Known], units: Iterator[Unit], singles: NDArray[np.int64]
) -> Iterator[Unit]:
    """Yield the units, each with the recorded values of sampled ranks in it, from `read`."""
    for unit in units:
        low, high = np.searchsorted(singles, (unit.start, unit.start + unit.count))
        if low == high:
            yield unit
        else:
            yield SampledUnit(unit.start, unit.count, read(unit, singles[low:high]))


def recorded_singles(reader: Reader, run: RunRecord, unit: Unit, ranks: NDArray[np.int64]) -> Known:
    """Read the recorded values of `ranks`, all sampled ranks of a unit."""
    values, statuses = [], []
    evaluated = np.zeros(0, np.int64)
    for metric in reader.metrics(run.id):
        chunks = [
            chunk
            for chunk in reader.chunks(run.id, metric.name, unit.start, unit.start + unit.count)
            if chunk.evaluated
        ]
        evaluated = np.array([chunk.start for chunk in chunks], np.int64)
        own = [chunk_status(chunk) for chunk in chunks]
        values.append(
            np.concatenate([decode_chunk(chunk) for chunk in chunks]) if chunks else np.zeros(0, np.int8)
        )
        statuses.append([VALUE if status is None else int(status[0]) for status in own])
    status = np.array(statuses, np.uint8)
    found = solutions.recorded_solutions(reader, run.id, unit.start, unit.start + unit.count)
    return Known(ranks, evaluated, values, status if status.any() else None, found)
