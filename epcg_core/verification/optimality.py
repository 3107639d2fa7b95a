"""The proof of a branch-and-bound run: its claims and their checks.

A rank is either evaluated or pruned. The run claims that no candidate is better than the best recorded one,
because every pruning has a bound that does not reach it.
"""

from __future__ import annotations

import random
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate, islice

import attrs
import numpy as np

from epcg_core.chunks.blocks import Block, as_array
from epcg_core.chunks.codec import Chunk, unit_digest
from epcg_core.chunks.objective import INCUMBENT, Best, Objective
from epcg_core.domain import BOUND, PRUNING_REASONS, Cutoff, Prunings, Value
from epcg_core.errors import CheckFailedError
from epcg_core.query.puzzle_id import puzzle_id
from epcg_core.runs.recompute import Recomputation
from epcg_core.search.protocol import Checker
from epcg_core.store import Reader, RunRecord, sparse
from epcg_core.store.records import UnitRecord
from epcg_core.store.sparse import PruningRecord
from epcg_core.verification.bytes import checked_chunks

EVERY_PRUNING = 10_000
"""Of up to so many prunings, each is tried at one of its ranks."""
UNITS = 64
"""Most units of a proof that are searched again."""
UNIT_SECONDS = 20.0
"""After so many CPU seconds no further unit is searched again."""


def chunks(reader: Reader, run: RunRecord) -> str:
    """Check that the chunks are disjoint and inside the range, and their bytes as recorded."""
    number = size = 0
    layouts = set()
    for column in reader.columns(run.id):
        position, layout = run.start, []
        for chunk in checked_chunks(reader, run, column):
            if not position <= chunk.start <= chunk.start + chunk.count <= run.stop:
                raise CheckFailedError(f"The chunk of '{column.name}' at rank {chunk.start} is out of place.")
            position = chunk.start + chunk.count
            layout.append((chunk.start, chunk.count, chunk.evaluated))
            number += 1
            size += len(chunk.data)
        if column.metric is not None:
            layouts.add(tuple(layout))
    if len(layouts) > 1:
        raise CheckFailedError("The metrics are not recorded for the same candidates.")
    return f"{number:,} chunks ({size:,} bytes) have the digests that were recorded."


def units(reader: Reader, run: RunRecord) -> str:
    """Check every unit's digest against the chunks in it."""
    order = {column.name: i for i, column in enumerate(reader.columns(run.id))}
    every: list[Chunk] = [chunk for name in order for chunk in reader.chunks(run.id, name)]
    every.sort(key=lambda chunk: (chunk.start, order[chunk.column]))
    position = count = 0
    for unit in reader.units(run.id):
        first = position
        while position < len(every) and every[position].start < unit.start + unit.count:
            position += 1
        if unit_digest(every[first:position]) != unit.digest:
            raise CheckFailedError(
                f"The unit of ranks {unit.start} to {unit.start + unit.count - 1} has another digest "
                "than was recorded."
            )
        count += 1
    return f"{count:,} units have the digests that were recorded."


def optimality(reader: Reader, run: RunRecord, objective: Objective) -> str:
    """Check that prunings and evaluated ranks cover the range, and no bound exceeds the optimum."""
    optimum = sparse.best(reader, run, objective)
    every = list(reader.units(run.id))
    edges = np.array([run.start, *(unit.start + unit.count for unit in every)], np.int64)
    below = np.zeros(len(edges), np.int64)  # how many pruned ranks lie before each edge
    number, position = 0, run.start
    for part in sparse.pruning_batches(reader, run.id):
        _check_bounds(part, objective, optimum)
        ends = part.start + part.count
        starts_before = np.append(position, ends[:-1])
        wrong = np.flatnonzero((part.start < starts_before) | (part.count < 1) | (ends > run.stop))
        if len(wrong):
            start = part.start[wrong[0]]
            raise CheckFailedError(f"The pruning at rank {start} overlaps another or leaves the range.")
        begun = np.searchsorted(part.start, edges)
        sums, last = np.append(0, np.cumsum(part.count)), np.append(run.start, ends)
        below += sums[begun] - np.maximum(last[begun] - edges, 0)
        number, position = number + len(ends), int(ends[-1])
    for unit, pruned in zip(every, np.diff(below).tolist(), strict=True):
        if pruned != unit.pruned:
            raise CheckFailedError(
                f"The unit at rank {unit.start} pruned {unit.pruned:,} ranks; recorded are {pruned:,}."
            )
    _only_what_was_asked_for(reader, run, objective, optimum)
    represents = sparse.represents(reader, run)
    stands = f" (they stand for {represents:,})" if represents != run.max_rank else ""
    found = "nothing has a value" if optimum is None else f"the optimum is {optimum[0]}, at rank {optimum[1]}"
    return (
        f"{number:,} prunings cover {run.pruned:,} ranks and {run.evaluated:,} were evaluated, together all "
        f"{run.candidates:,}{stands}; no bound reaches beyond: {found}."
    )


def _check_bounds(prunings: Prunings, objective: Objective, optimum: Best | None) -> None:
    bounded = prunings.reason == BOUND
    wrong = np.isnan(prunings.bound) == bounded
    wrong |= prunings.reason >= len(PRUNING_REASONS)
    if wrong.any():
        start = prunings.start[np.flatnonzero(wrong)[0]]
        raise CheckFailedError(f"The pruning at rank {start} has no bound, or an unknown reason.")
    limit = objective.cutoff(optimum)
    if limit.value is None:
        reached = bounded
    else:
        tied = (prunings.bound == limit.value) & (prunings.start <= limit.ties_to)
        reached = bounded & ((objective.sign * prunings.bound > objective.sign * limit.value) | tied)
    if reached.any():
        i = np.flatnonzero(reached)[0]
        start, stop = prunings.start[i], prunings.start[i] + prunings.count[i]
        raise CheckFailedError(
            f"Ranks {start} to {stop - 1} were pruned with the bound {prunings.bound[i]}, which allows them "
            "to be as good as the best that was found."
        )


def _only_what_was_asked_for(
    reader: Reader, run: RunRecord, objective: Objective, optimum: Best | None
) -> None:
    """Check that a proof records only optima, with the incumbent's value."""
    if objective.phase != "proof":
        return
    for role, number, _ in reader.inputs_of(run.id):
        if role == INCUMBENT:
            other = reader.run(number)
            searched = sparse.objective_of(other)
            if searched is None or sparse.best(reader, other, searched) != optimum:
                raise CheckFailedError(f"The search, run {number}, found another optimum than {optimum}.")
    for ranks, values in reader.values(run.id, objective.metric):
        assert optimum is not None  # it is the best of these
        if (values != optimum[0]).any() or (objective.keep == "first" and ranks.tolist() != [optimum[1]]):
            raise CheckFailedError(f"Candidates other than optima are recorded from rank {ranks[0]} on.")


def sample(
    reader: Reader,
    run: RunRecord,
    objective: Objective,
    checker: Checker,
    again: Recomputation,
    compare: Callable[[int], None],
    size: int,
    seed: int,
    advance: Callable[[int], None] | None = None,
) -> str:
    """Compute drawn ranks again: the best, other recorded, other evaluated and pruned ones; and whole units.

    Every pruning of at most `EVERY_PRUNING` is tried at one rank. `compare` raises CheckFailedError if a
    recorded rank has other values now.
    """
    chance = random.Random(seed)
    recorded = set(sparse.recorded_ranks(reader, run, objective))
    shown = set(chance.sample(sorted(recorded), min(-(-size // 3), len(recorded))))
    best = sparse.best(reader, run, objective)
    if best is not None:
        shown.add(best[1])
    for rank in sorted(shown):
        compare(rank)
        _advance(advance)
    tried = _Tried(run, objective, again, objective.cutoff(best), recorded)
    for rank, pruning in sorted(_drawn(reader, run, chance, size - len(shown)).items()):
        tried.rank(rank, pruning, _value(again.block(rank)))
        _advance(advance)
    units = _units_again(reader, run, objective, checker, best, chance)
    return (
        f"Drawn with seed {seed} and computed again {again.forms}: {len(shown):,} recorded ranks, the best "
        f"among them, agree; none of {tried.evaluated:,} other evaluated ranks is as good as the best, and "
        f"none of {tried.pruned:,} pruned ranks exceeds its bound{units}. That nothing better was pruned "
        f"rests on the evaluator's `bound`, of which {tried.claims:,} claims were tried."
    )


@attrs.define
class _Tried:
    """The claims about single ranks that were tried."""

    run: RunRecord
    objective: Objective
    again: Recomputation
    limit: Cutoff
    recorded: set[int]
    evaluated: int = 0
    pruned: int = 0
    claims: int = 0
    """Number of bounds that were compared with the value of a candidate below them."""

    def rank(self, rank: int, pruning: PruningRecord | None, value: Value | None) -> None:
        """Raise CheckFailedError if a rank of this value contradicts its pruning, or a bound above it."""
        puzzle, metric, sign = puzzle_id(self.run.space, rank), self.objective.metric, self.objective.sign
        if pruning is not None:
            self.pruned += 1
            if value is not None and (pruning.bound is None or sign * value > sign * pruning.bound):
                raise CheckFailedError(
                    f"{puzzle}: it was pruned for '{pruning.reason}' with the bound {pruning.bound}, "
                    f"and its {metric} is {value}."
                )
        elif rank not in self.recorded:
            self.evaluated += 1
            if value is not None and self.limit.reached_by(value, rank):
                raise CheckFailedError(
                    f"{puzzle}: its {metric} is {value}, as good as the best, and not recorded."
                )
        for bound in self.again.bounds(rank) if value is not None else ():
            self.claims += 1
            if bound is None or sign * value > sign * bound:  # type: ignore[operator]
                raise CheckFailedError(
                    f"{puzzle}: its {metric} is {value}, and the bound of a partial state on the way to it "
                    f"is {bound}: the bound is not admissible, so better candidates may have been pruned."
                )


def _units_again(
    reader: Reader,
    run: RunRecord,
    objective: Objective,
    checker: Checker,
    best: Best | None,
    chance: random.Random,
) -> str:
    """Search drawn units of a proof again from the recorded optimum; describes what was found.

    Raises CheckFailedError if other ranks are pruned, or with other bounds, than was recorded.
    """
    if objective.phase != "proof" or best is None:
        return ""
    assert checker.proof is not None
    every = list(reader.units(run.id))
    begun, done = time.thread_time(), 0
    for unit in chance.sample(every, min(UNITS, len(every))):
        if done and time.thread_time() - begun > UNIT_SECONDS:
            break
        found = checker.proof(unit.start, unit.count, best)
        _same_prunings(reader, run, objective, unit, found)
        _same_optima(reader, run, objective, unit, found)
        done += 1
    which = f"{done:,} of {len(every):,} units"
    return f"; {which}, searched again from the optimum, prune the same ranks and find the same best"


def _same_prunings(
    reader: Reader, run: RunRecord, objective: Objective, unit: UnitRecord, block: Block
) -> None:
    """Raise CheckFailedError if a unit's recorded prunings are not those of `block`.

    Prunings that meet at the border of units were merged, and the weakest bound stayed.
    """
    stop = unit.start + unit.count
    known = list(sparse.prunings(reader, run.id, unit.start, stop))
    now = block.prunings
    assert now is not None
    again = {
        int(start): (int(count), None if bound != bound else float(bound), PRUNING_REASONS[reason])
        for start, count, bound, reason in zip(now.start, now.count, now.bound, now.reason, strict=True)
    }
    recorded = {
        max(p.start, unit.start): (min(p.stop, stop) - max(p.start, unit.start), p.bound, p.reason)
        for p in known
    }
    merged = {max(p.start, unit.start) for p in known if p.start < unit.start or p.stop > stop}
    for start in sorted(again.keys() | recorded.keys()):
        was, now_is = recorded.get(start), again.get(start)
        weaker = (
            start in merged
            and was is not None and now_is is not None and was[::2] == now_is[::2]
            and was[1] is not None and now_is[1] is not None
            and objective.sign * was[1] >= objective.sign * now_is[1]
        )  # fmt: skip
        if was != now_is and not weaker:
            raise CheckFailedError(
                f"The unit at rank {unit.start}, searched again from the recorded optimum, prunes "
                f"{_pruning_text(start, now_is)}; recorded is {_pruning_text(start, was)}."
            )


def _same_optima(
    reader: Reader, run: RunRecord, objective: Objective, unit: UnitRecord, block: Block
) -> None:
    """Raise CheckFailedError if other candidates of a unit reach the optimum than are recorded."""
    assert block.ranks is not None
    recorded = {
        rank
        for ranks, _ in reader.values(run.id, objective.metric)
        for rank in ranks[(ranks >= unit.start) & (ranks < unit.start + unit.count)].tolist()
    }
    odd = sorted(recorded.symmetric_difference(block.ranks.tolist()))
    if odd:
        kind = "is not recorded" if odd[0] not in recorded else "should not be recorded"
        raise CheckFailedError(
            f"{puzzle_id(run.space, odd[0])}: by a search of its unit from the recorded optimum, it {kind}."
        )


def _pruning_text(start: int, pruning: tuple[int, float | None, str] | None) -> str:
    if pruning is None:
        return f"nothing at rank {start}"
    count, bound, reason = pruning
    return f"{count:,} ranks from {start} on for '{reason}' with the bound {bound}"


def _advance(advance: Callable[[int], None] | None) -> None:
    if advance is not None:
        advance(1)


def _value(block: Block) -> Value | None:
    """Return the objective of a block of one rank; None if it has no value."""
    status = block.evaluation.status
    if status is not None and int(status.flat[0]):
        return None
    found: Value = as_array(block.evaluation.values[0])[0].item()
    return found


def _drawn(
    reader: Reader, run: RunRecord, chance: random.Random, size: int
) -> dict[int, PruningRecord | None]:
    """Draw ranks, each with its pruning: `size` uniformly, half evaluated and half pruned, and one a pruning.

    Of more than `EVERY_PRUNING` prunings, not every one is drawn from.
    """
    found = dict(_drawn_evenly(reader, run, chance, size))
    first = list(islice(sparse.prunings(reader, run.id), EVERY_PRUNING + 1))
    if len(first) <= EVERY_PRUNING:
        found |= {chance.randrange(pruning.start, pruning.stop): pruning for pruning in first}
    return found


def _drawn_evenly(
    reader: Reader, run: RunRecord, chance: random.Random, size: int
) -> Iterator[tuple[int, PruningRecord | None]]:
    """Draw at most `size` different ranks uniformly, half evaluated and half pruned, with prunings."""
    every = list(reader.units(run.id))
    kinds: list[tuple[list[int], bool]] = [
        (list(accumulate(unit.evaluated for unit in every)), False),
        (list(accumulate(unit.pruned for unit in every)), True),
    ]
    present = [(sums, kind) for sums, kind in kinds if sums and sums[-1]]
    for sums, kind in present:
        # in order, so that each unit's prunings are read once
        drawn = sorted(chance.sample(range(sums[-1]), min(size // len(present), sums[-1])))
        known: dict[int, _Gaps] = {}
        for number in drawn:
            position = bisect_right(sums, number)
            if position not in known:
                unit = every[position]
                found = list(sparse.prunings(reader, run.id, unit.start, unit.start + unit.count))
                known = {position: _Gaps(found, unit)}
            gaps = known[position]
            offset = number - (sums[position - 1] if position else 0)
            yield gaps.pruned(offset) if kind else (gaps.evaluated(offset), None)


class _Gaps:
    """The ranks of a unit in two groups: those in its prunings, and those between them."""

    def __init__(self, prunings: list[PruningRecord], unit: UnitRecord) -> None:
        self._prunings = prunings
        stop = unit.start + unit.count
        self._inside = [(max(p.start, unit.start), min(p.stop, stop)) for p in prunings]
        edges = [unit.start, *(edge for pair in self._inside for edge in pair), stop]
        self._between = list(zip(edges[::2], edges[1::2], strict=True))

    def pruned(self, number: int) -> tuple[int, PruningRecord]:
        """Return the `number`-th pruned rank, and its pruning."""
        position, rank = _nth(self._inside, number)
        return rank, self._prunings[position]

    def evaluated(self, number: int) -> int:
        """Return the `number`-th rank that was evaluated."""
        return _nth(self._between, number)[1]


def _nth(ranges: list[tuple[int, int]], number: int) -> tuple[int, int]:
    """Return (which range, rank) of the `number`-th of the ranks in `ranges`."""
    sums = list(accumulate(high - low for low, high in ranges))
    position = bisect_right(sums, number)
    if position == len(sums):
        raise CheckFailedError("A unit has fewer ranks than it accounts for.")
    return position, ranges[position][0] + number - (sums[position - 1] if position else 0)
