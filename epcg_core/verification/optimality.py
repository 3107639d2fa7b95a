"""The proof of a branch-and-bound run: its claims and their checks.

A rank is either evaluated or pruned. The run claims that no candidate is better than the best recorded one,
because every pruning has a bound that does not reach it.
"""

from __future__ import annotations

import random
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, islice

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import CheckFailedError
from epcg_core.chunks.blocks import Block, as_array
from epcg_core.chunks.codec import Chunk, unit_digest
from epcg_core.chunks.objective import INCUMBENT, Best, Objective
from epcg_core.domain import BOUND, PRUNING_REASONS, Cutoff, Prunings, Value
from epcg_core.query.puzzle_id import puzzle_id
from epcg_core.runs.recompute import Recomputation
from epcg_core.search.protocol import Checker
from epcg_core.store import Reader, RunRecord, sparse
from epcg_core.store.records import UnitRecord
from epcg_core.store.sparse import PruningRecord
from epcg_core.verification.bytes import checked_chunks

EVERY_PRUNING = 10_000
"""Number of prunings up to which each is tried at one of its ranks."""
PROOF_SECONDS = 30.0
"""CPU seconds after which no further piece of a proof is searched again."""


@attrs.frozen(eq=False)
class Proof:
    """A branch-and-bound run, and what searches it again."""

    reader: Reader
    run: RunRecord
    objective: Objective
    checker: Checker
    size: int | None
    """The ranks of a unit by the search's own choice, so that no record chooses what is searched again."""

    @property
    def own_pieces(self) -> list[tuple[int, int]]:
        """(start, count) of pieces of the search's own size, which tile the run's range."""
        size = self.size or max(1, self.run.candidates)
        return [
            (start, min(size, self.run.stop - start)) for start in range(self.run.start, self.run.stop, size)
        ]

    @property
    def units(self) -> list[tuple[int, int]]:
        """(start, count) of the recorded units."""
        return [(unit.start, unit.count) for unit in self.reader.units(self.run.id)]


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
    return f"{count:,} {'unit has' if count == 1 else 'units have'} the digests that were recorded."


def optimality(reader: Reader, run: RunRecord, objective: Objective) -> str:
    """Check that prunings and evaluated ranks cover the range, and no bound exceeds the optimum."""
    optimum = sparse.recorded_best(reader, run, objective)
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
    represents = sparse.states_represented(reader, run)
    stands = f" (they stand for {represents:,})" if represents != run.max_rank else ""
    found = "nothing has a value" if optimum is None else f"the optimum is {optimum[0]}, at rank {optimum[1]}"
    beyond = "no bound reaches beyond"
    if objective.keep == "feasible":
        beyond = "no pruned rank is said to have a value"
    return (
        f"{number:,} prunings cover {run.pruned:,} ranks and {run.evaluated:,} were evaluated, together all "
        f"{run.candidates:,}{stands}; {beyond}: {found}."
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
    if objective.phase != "proof" or objective.keep == "feasible":
        return
    for role, number, _ in reader.inputs_of(run.id):
        if role == INCUMBENT:
            other = reader.run(number)
            searched = sparse.objective_of(other)
            if searched is None or sparse.recorded_best(reader, other, searched) != optimum:
                raise CheckFailedError(f"The search, run {number}, found another optimum than {optimum}.")
    for ranks, values in reader.values(run.id, objective.metric):
        assert optimum is not None  # it is the best of these
        if (values != optimum[0]).any() or (objective.keep == "first" and ranks.tolist() != [optimum[1]]):
            raise CheckFailedError(f"Candidates other than optima are recorded from rank {ranks[0]} on.")


def sample(
    proof: Proof,
    again: Recomputation,
    compare: Callable[[int], None],
    size: int,
    seed: int,
    advance: Callable[[int], None] | None = None,
) -> str:
    """Compute drawn ranks again: the best, other recorded, other evaluated and pruned ones; and whole pieces.

    Every pruning of at most `EVERY_PRUNING` is tried at one rank. `compare` raises CheckFailedError if a
    recorded rank has other values now.
    """
    reader, run, objective = proof.reader, proof.run, proof.objective
    chance = random.Random(seed)
    recorded = set(sparse.recorded_ranks(reader, run, objective))
    shown = set(chance.sample(sorted(recorded), min(-(-size // 3), len(recorded))))
    best = sparse.recorded_best(reader, run, objective)
    if best is not None:
        shown.add(best[1])
    for rank in sorted(shown):
        compare(rank)
        _advance(advance)
    tried = _Tried(run, objective, again, objective.cutoff(best), recorded)
    for rank, pruning in sorted(_drawn(reader, run, chance, size - len(shown)).items()):
        tried.rank(rank, pruning, _value(again.block(rank)))
        _advance(advance)
    searched = _searched_again(proof, best, chance)
    if objective.keep == "feasible":
        return (
            f"Drawn with seed {seed} and computed again {again.forms}: {len(shown):,} recorded ranks agree; "
            f"none of {tried.evaluated:,} other evaluated ranks and of {tried.pruned:,} pruned ranks has a "
            f"value{searched}. That none was pruned that has one rests on the evaluator's `bound`, of which "
            f"{tried.claims:,} claims were tried."
        )
    return (
        f"Drawn with seed {seed} and computed again {again.forms}: {len(shown):,} recorded ranks, the best "
        f"among them, agree; none of {tried.evaluated:,} other evaluated ranks is as good as the best, and "
        f"none of {tried.pruned:,} pruned ranks exceeds its bound{searched}. That nothing better was pruned "
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
                kept = "" if self.objective.keep == "feasible" else ", as good as the best,"
                raise CheckFailedError(f"{puzzle}: its {metric} is {value}{kept} and not recorded.")
        for bound in self.again.bounds(rank) if value is not None else ():
            self.claims += 1
            if bound is None or sign * value > sign * bound:  # type: ignore[operator]
                raise CheckFailedError(
                    f"{puzzle}: its {metric} is {value}, and the bound of a partial state on the way to it "
                    f"is {bound}: the bound is not admissible, so better candidates may have been pruned."
                )


def _searched_again(proof: Proof, best: Best | None, chance: random.Random) -> str:
    """Search a proof again from the recorded optimum, piece by piece in random order, as far as time goes.

    Pieces of the search's own size must find the recorded optima. Pruned ranks and bounds depend on how a
    search is cut, so those are compared in the recorded units, which usually are the same pieces.

    Raises CheckFailedError if other candidates reach the optimum, or other ranks are pruned, than recorded.
    """
    if proof.objective.phase != "proof" or (best is None and proof.objective.keep != "feasible"):
        return ""
    pieces, units = proof.own_pieces, proof.units
    same = "the same candidates" if proof.objective.keep == "feasible" else "the same best"
    found_before = [ranks for ranks, _ in proof.reader.values(proof.run.id, proof.objective.metric)]
    optima = np.concatenate([np.zeros(0, np.int64), *found_before])
    if pieces == units:
        found = _pieces_again(proof, best, chance, pieces, optima, prunings=True)
        text = f"; {found}, prune the same ranks with the same bounds and find {same}"
        return text + _left(proof, found)
    found = _pieces_again(proof, best, chance, pieces, optima, prunings=False)
    cut = _pieces_again(proof, best, chance, units, optima, prunings=True)
    return (
        f"; {found}, find {same}{_left(proof, found)}; as the run was cut, {cut}, prune the same "
        "ranks with the same bounds"
    )


@attrs.frozen
class _Searched:
    """How much of a proof was searched again."""

    done: int
    of: int
    ranks: int

    def __str__(self) -> str:
        if self.done == self.of:
            return f"all {self.of:,} pieces of the range, searched again from the optimum"
        return f"{self.done:,} of {self.of:,} pieces of the range, searched again from the optimum"


def _left(proof: Proof, found: _Searched) -> str:
    """Name the share of the ranks in which something could be hidden."""
    if found.done == found.of:
        return ""
    share = 1 - found.ranks / max(1, proof.run.candidates)
    another = "another" if proof.objective.keep == "feasible" else "a better"
    return (
        f" (in the other {share:.2%} of the ranks, for which there was no time, {another} candidate could be "
        "hidden)"
    )


def _pieces_again(
    proof: Proof,
    best: Best | None,
    chance: random.Random,
    pieces: Sequence[tuple[int, int]],
    optima: NDArray[np.int64],
    prunings: bool,
) -> _Searched:
    """Search pieces again in random order, and compare the optima, and the prunings if asked for."""
    assert proof.checker.proof is not None
    begun, done, ranks = time.thread_time(), 0, 0
    merged = _Merged(proof.objective.sign)
    for start, count in chance.sample(pieces, len(pieces)):
        if done and time.thread_time() - begun > PROOF_SECONDS:
            break
        block = proof.checker.proof(start, count, best)
        if prunings:
            _same_prunings(proof, start, count, block, merged)
        _same_optima(proof, start, count, block, optima)
        done, ranks = done + 1, ranks + count
    return _Searched(done, len(pieces), ranks)


@attrs.define
class _Merged:
    """Recorded prunings that go beyond a piece: their bounds are compared once they were met whole."""

    sign: int
    met: dict[int, tuple[int, float | None]] = attrs.field(factory=dict)
    """The number of ranks that were pruned again, and the weakest bound of them, by start."""

    def add(self, pruning: PruningRecord, count: int, bound: float | None) -> None:
        """Take a part of a pruning. Raises CheckFailedError if it is whole now and its bound is another."""
        known, weakest = self.met.get(pruning.start, (0, bound))
        if bound is not None and weakest is not None:
            weakest = self.sign * max(self.sign * bound, self.sign * weakest)
        self.met[pruning.start] = known + count, weakest
        if known + count == pruning.count and weakest != pruning.bound:
            now = (pruning.count, weakest, pruning.reason)
            was = (pruning.count, pruning.bound, pruning.reason)
            raise CheckFailedError(
                f"The proof, searched again from the recorded optimum, prunes "
                f"{_pruning_text(pruning.start, now)}; recorded is {_pruning_text(pruning.start, was)}."
            )


def _same_prunings(proof: Proof, first: int, count: int, block: Block, merged: _Merged) -> None:
    """Raise CheckFailedError if a unit's recorded prunings are not those of `block`.

    Prunings that meet at the border of units were merged, and the weakest bound stayed.
    """
    stop = first + count
    known = list(sparse.prunings(proof.reader, proof.run.id, first, stop))
    now = block.prunings
    assert now is not None
    again = {
        int(start): (int(count), None if bound != bound else float(bound), PRUNING_REASONS[reason])
        for start, count, bound, reason in zip(now.start, now.count, now.bound, now.reason, strict=True)
    }
    recorded = {
        max(p.start, first): (min(p.stop, stop) - max(p.start, first), p.bound, p.reason) for p in known
    }
    beyond = {max(p.start, first): p for p in known if p.start < first or p.stop > stop}
    sign = proof.objective.sign
    for start in sorted(again.keys() | recorded.keys()):
        was, now_is = recorded.get(start), again.get(start)
        weaker = (
            start in beyond
            and was is not None and now_is is not None and was[::2] == now_is[::2]
            and was[1] is not None and now_is[1] is not None
            and sign * was[1] >= sign * now_is[1]
        )  # fmt: skip
        if was != now_is and not weaker:
            raise CheckFailedError(
                f"The piece at rank {first}, searched again from the recorded optimum, prunes "
                f"{_pruning_text(start, now_is)}; recorded is {_pruning_text(start, was)}."
            )
        if start in beyond and now_is is not None:
            merged.add(beyond[start], now_is[0], now_is[1])


def _same_optima(proof: Proof, start: int, count: int, block: Block, optima: NDArray[np.int64]) -> None:
    """Raise CheckFailedError if other candidates of a piece reach the optimum than are recorded."""
    assert block.ranks is not None
    low, high = np.searchsorted(optima, (start, start + count))
    recorded = set(optima[low:high].tolist())
    odd = sorted(recorded.symmetric_difference(block.ranks.tolist()))
    if odd:
        kind = "is not recorded" if odd[0] not in recorded else "should not be recorded"
        raise CheckFailedError(
            f"{puzzle_id(proof.run.space, odd[0])}: by a search of its piece from the recorded optimum, "
            f"it {kind}."
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
