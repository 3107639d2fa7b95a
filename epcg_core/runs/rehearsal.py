"""The trying of a query's runs, in their order: whole in memory if that is soon done, else drawn units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.chunks.codec import BIT_CHUNK_SIZE, EVALUATED, decode_chunk, missing_of
from epcg_core.chunks.objective import Best, as_words
from epcg_core.chunks.result import UnitResult
from epcg_core.domain import Bits
from epcg_core.execution import Unit
from epcg_core.params import plain
from epcg_core.plugins.registry import registry
from epcg_core.query.query import from_data
from epcg_core.query.spec import InputSpec, RunSpec, make_generator
from epcg_core.runs import expenses, reuse
from epcg_core.runs.expenses import (
    NO_COST,
    Cost,
    Layer,
    Tally,
    Tried,
    Volume,
    extrapolated,
    from_smaller,
    volume,
)
from epcg_core.runs.limited import limited
from epcg_core.runs.sampling import MOST_IN_A_BATCH
from epcg_core.runs.sequence import read_run, search_of
from epcg_core.runs.tables import limits_of
from epcg_core.runs.trials import (
    Budget,
    Ground,
    Made,
    Trial,
    attempt,
    improve,
    make,
    timed,
    timed_singly,
    unit_solver,
)
from epcg_core.runs.units import UNIT_SECONDS
from epcg_core.runs.worker import compile_kernels
from epcg_core.search.planner import FILTER, plan
from epcg_core.search.protocol import RunSequenceSearch
from epcg_core.store import Store, chunk_queries, sparse

MAKE_RANKS = 1 << 26
"""Ranks of the largest space that is computed whole, or whose recorded table is read, for an estimate."""
MAKE_BITS = 1 << 30
"""The same for tables of bits."""

WAITS = "it reads a run that is made first, which takes too long to try"
TOO_LARGE = "the search goes through its space layer by layer, and the space is too large to do so beforehand"
QUICK_SECONDS = 0.02
"""Sampled ranks that take less together are tried with twice as many the next time."""
STOPPED = "the units that were tried did not end well"


@attrs.frozen
class Unknown:
    """Why the cost of a run cannot be told."""

    reason: str


@attrs.frozen(eq=False)
class _Tables:
    """The tables that the solver of a run reads."""

    inputs: dict[str, Any]
    words: dict[str, NDArray[np.uint64]]
    absent: tuple[InputSpec, ...]
    """Required inputs that are neither recorded nor computed in memory."""


def generator_of(spec: RunSpec) -> Any:
    """Make the generator of a run."""
    return make_generator(registry(), spec.space)


class Rehearsal:
    """Tries the runs of a query, and remembers what later ones read."""

    def __init__(self, store: Store | None, budget: Budget, specs: Sequence[RunSpec], planned: float) -> None:
        self._store, self._budget = store, budget
        self._left = len(specs)
        self._read = {needed.run.identity for spec in specs for needed in spec.inputs if needed.required}
        self._made: dict[str, Made] = {}
        """By the identity of a run, and of the first of a sequence for the answer."""
        self._drawn: dict[str, list[UnitResult]] = {}
        """Units of runs that were not computed whole."""
        self._best: dict[str, Best | None] = {}
        self._layers: dict[str, dict[int, Layer]] = {}
        """By search: what is known of layers, by their numbers."""
        self.set_up = planned
        """CPU seconds of planning, of solvers and of first candidates, which each process takes anew."""

    def tried(self, spec: RunSpec) -> Tally | Unknown:
        """Estimate all units of a run."""
        self._left -= 1
        tables = self._tables(spec)
        if tables.absent:
            return self._without(spec, tables)
        ground, prepared = self._ground(spec, tables)
        if spec.objective is not None:
            return self._improved(ground, tables)
        if spec.identity in self._read and spec.max_rank <= MAKE_RANKS and ground.total == spec.max_rank:
            found = self._whole(ground, prepared)
            if found is not None:
                return found
        trial = attempt(ground, self._share(), self._budget.clock)
        self.set_up += trial.first
        self._drawn[spec.identity] = trial.results
        tally = self._tally(ground, trial, prepared)
        if not isinstance(tally, Unknown):
            self._learn(spec, tally.seconds.expected / ground.total, tally.volume.data)
        return tally

    def singles(self, spec: RunSpec, ranks: NDArray[np.int64], number: int) -> Tally | Unknown:
        """Estimate `number` single ranks of a sample from some of them, drawn at random."""
        self._left -= 1
        tables = self._tables(spec)
        if tables.absent:
            return Unknown(WAITS)
        ground, _ = self._ground(spec, tables)
        ground, trial = attrs.evolve(ground, admitted=None), Trial()
        timed_singly(trial, ground, ranks[:1], self._budget.clock)
        trial, until = Trial(), self._budget.clock() + self._share()
        size = 1
        while len(ranks) and self._budget.clock() < until:
            some, ranks = np.sort(ranks[:size]), ranks[size:]
            took = timed_singly(trial, ground, some, self._budget.clock)
            if took is None:
                break
            if took < QUICK_SECONDS:
                size = min(2 * size, MOST_IN_A_BATCH)
        cost = trial.cost(number)
        if cost is None:
            return Unknown(_ended(trial))
        evaluated = sum(result.evaluated for result in trial.results) / max(1, trial.ranks)
        told = f"{len(trial.results):,} of {number:,} candidates tried"
        return Tally(cost, Cost.about(number * evaluated, 0.1), volume(trial.results, spec.metrics), told)

    def unfolded(self, goal: RunSpec) -> Tally | Unknown:
        """Estimate all runs of a sequence, by computing one after the other in memory."""
        self._left -= 1
        search = search_of(goal)
        assert isinstance(search, RunSequenceSearch)
        if goal.max_rank > MAKE_RANKS:
            return Unknown(TOO_LARGE)
        spec: RunSpec | None = goal
        results: list[UnitResult] = []
        seconds, size, longest, runs = 0.0, 0.0, 0.0, 0
        counts: list[int] = []
        made: Made | None = None
        while spec is not None:
            begun = self._budget.clock()
            ground, _ = self._ground(spec, self._tables(spec))
            made, trial = make(ground, ground.block or BIT_CHUNK_SIZE, self._budget.left, self._budget.clock)
            if made is None:
                if trial.failed:
                    return Unknown(_ended(trial))
                return self._cut(goal, seconds, size, runs, counts)
            if not self._recorded(spec):
                runs += 1
                seconds += self._budget.clock() - begun
                longest = max(longest, self._budget.clock() - begun)
                own = volume(trial.results, spec.metrics)
                size += expenses.RUN_BYTES + expenses.CHUNK_BYTES + own.data * ground.total
                results = trial.results
            self._made[spec.identity] = made
            if spec.metrics[0].kind == "bool":
                counts.append(made.count(spec.metrics[0].name))
            last, spec = spec, search.next_run(goal, spec, self._count)
            if spec is not None and len(last.inputs) == 2:
                self._forget_but(spec)
        assert made is not None
        self._made[f"{goal.identity}/last"] = made
        runs -= 1  # one of them is counted by who records this
        own = volume(results, last.metrics)
        rest = Cost.about(max(0.0, size - own.data * goal.max_rank - expenses.RUN_BYTES))
        return Tally(
            Cost.about(seconds + runs * expenses.RUN_SECONDS), Cost.about(goal.max_rank, 0.0), own,
            f"all {len(counts):,} layers computed in memory", rest, longest=longest,
        )  # fmt: skip

    def _forget_but(self, spec: RunSpec) -> None:
        """Keep of the layers only those that the next run, or the answer, reads."""
        if spec.search.params.get("record") != "depths":
            wanted = {needed.run.identity for needed in spec.inputs}
            self._made = {key: made for key, made in self._made.items() if key in wanted or "/" in key}

    def _cut(
        self, goal: RunSpec, seconds: float, size: float, runs: int, counts: list[int]
    ) -> Tally | Unknown:
        """Extrapolate layers from the first ones: all of the space is reached, as fast as till now."""
        if len(counts) < 3:
            return Unknown(TOO_LARGE)
        new = [after - before for before, after in pairwise(counts)]
        reached, rest = counts[-1], goal.max_rank - counts[-1]
        growth = max(1.2, (new[-1] / max(1, new[-2])))
        more = 2 * math.ceil(math.log(max(2.0, rest * (growth - 1) / max(1, new[-1])), growth))
        pace = seconds / max(1, reached)
        own = expenses.RUN_SECONDS
        time = Cost(
            seconds + runs * own,
            seconds + rest * pace + (runs + more) * own,
            seconds + 8 * rest * pace + 2 * (runs + more) * own,
        )
        bytes = goal.max_rank / 8 * (runs + more)
        told = f"{len(counts):,} layers computed, {reached:,} of {goal.max_rank:,} ranks reached"
        own_volume = Volume(goal.max_rank, 1 / 8, 12.0, 0.0)
        return Tally(
            time, Cost(reached, goal.max_rank, goal.max_rank), own_volume, told,
            Cost(size, max(size, bytes), 2 * max(size, bytes)),
        )  # fmt: skip

    def _recorded(self, spec: RunSpec) -> bool:
        if self._store is None:
            return False
        with self._store.reader() as reader:
            record = reuse.find(reader, spec)
        return record is not None and record.done

    def _count(self, spec: RunSpec) -> int:
        return self._made[spec.identity].count(spec.metrics[0].name)

    # --- inputs -------------------------------------------------------------------------------------------

    def _tables(self, spec: RunSpec) -> _Tables:
        """Collect what a run reads, from memory or from the database."""
        inputs: dict[str, Any] = {}
        words: dict[str, NDArray[np.uint64]] = {}
        absent = []
        for needed in spec.inputs:
            found: Any = self._from_memory(spec, needed)
            if found is None and self._store is not None:
                found = self._from_store(spec, needed, self._store)
            if found is None and needed.required:
                absent.append(needed)
            elif found is not None and needed.kind == "best":
                words[needed.role] = found
            elif found is not None:
                inputs[needed.role] = found
        return _Tables(inputs, words, tuple(absent))

    def _from_memory(self, spec: RunSpec, needed: InputSpec) -> Any:
        key = needed.run.identity
        if needed.kind == "best":
            return as_words(self._best[key], needed.run.metrics[0]) if key in self._best else None
        made = self._made.get(f"{key}/last" if needed.last else "") or self._made.get(key)
        if made is None or needed.metric not in made.values:
            return None
        if needed.kind == "values":
            return made.table(needed.metric)
        return made.bits(needed.metric, *limits_of(needed, spec))

    def _from_store(self, spec: RunSpec, needed: InputSpec, store: Store) -> Any:
        with store.reader() as reader:
            run = read_run(needed, reader)
            if run is None or run.max_rank > (MAKE_BITS if needed.kind == "bits" else MAKE_RANKS):
                return None
            if needed.kind == "best":
                objective = sparse.objective_of(run)
                assert objective is not None
                return as_words(sparse.recorded_best(reader, run, objective), needed.run.metrics[0])
            if needed.kind == "values":
                table = np.zeros(run.max_rank, reader.table_type(run, needed.metric))
                reader.table(run, needed.metric, table)
                return table
            return reader.bits(run, needed.metric, *limits_of(needed, spec))

    def _ground(self, spec: RunSpec, tables: _Tables) -> tuple[Ground, float]:
        """Make the solver of a run; returns it with the CPU seconds of the tables that are made once."""
        search, words = search_of(spec), dict(tables.words)

        def allocate(name: str, length: int) -> NDArray[np.uint64]:
            words[name] = np.zeros(length, np.uint64)
            return words[name]

        begun = self._budget.spent
        search.prepare(spec, tables.inputs, allocate)
        prepared = self._budget.spent - begun
        solver = limited(search.solver(spec, tables.inputs, words), spec)
        compile_kernels(solver, spec)
        admitted = None
        if spec.filter is not None:
            admitted = _count_bits(tables.inputs[FILTER], spec.start, spec.stop)
        block = search.block_size(spec)
        took = self._budget.spent - begun
        self.set_up += took - prepared
        self._budget.seconds += took  # what the run cannot do without is not tried
        return Ground(spec, unit_solver(solver, spec), block, admitted), prepared

    def _share(self) -> float:
        """Return the CPU seconds that a run may be tried for."""
        return max(0.1, self._budget.left / (1 + self._left))

    # --- kinds of runs ------------------------------------------------------------------------------------

    def _tally(self, ground: Ground, trial: Trial, prepared: float = 0.0) -> Tally | Unknown:
        """Extrapolate drawn units to a run."""
        spec, cost = ground.spec, trial.cost(ground.weight)
        if not ground.weight:
            return Tally(Cost.about(prepared), NO_COST, Volume(0, 0, 0, 0), "no candidate is admitted")
        if cost is None or (trial.failed and not trial.results):
            return Unknown(_ended(trial))
        number = sum(result.evaluated for result in trial.results)
        share = 1.0 if ground.admitted is not None else number / max(1, trial.ranks)
        evaluated = Cost.about(ground.weight * share, 0.0 if share in (0.0, 1.0) else 0.2)
        told = f"{trial.ranks:,} of {ground.total:,} candidates tried"
        if ground.admitted is not None:
            told = f"{number:,} of {ground.admitted:,} admitted candidates tried"
        return Tally(cost + Cost.about(prepared), evaluated, volume(trial.results, spec.metrics), told)

    def _whole(self, ground: Ground, prepared: float) -> Tally | None:
        """Compute a run that others read whole, in memory; None if that would take too long."""
        spec = ground.spec
        trial = attempt(ground, min(0.1, self._share()), self._budget.clock)
        expected = trial.cost(ground.weight)
        size = ground.block or max(1, max((result.count for result in trial.results), default=1))
        self.set_up += trial.first
        self._drawn[spec.identity] = trial.results
        if expected is None or expected.expected > self._budget.left:
            return None
        made, whole = make(ground, size, 2 * self._budget.left, self._budget.clock)
        if made is None:
            return None
        self._made[spec.identity] = made
        found = self._tally(ground, whole, prepared)
        if isinstance(found, Unknown):
            return None
        self._learn(spec, made.seconds / ground.total, found.volume.data)
        return attrs.evolve(found, told="computed in memory")

    def _improved(self, ground: Ground, tables: _Tables) -> Tally | Unknown:
        """Try a search that prunes, with the best candidate that is known."""
        spec = ground.spec
        assert spec.objective is not None
        known = self._best.get(next((n.run.identity for n in spec.inputs if n.kind == "best"), ""))
        found = improve(ground, known, self._share(), self._budget.clock)
        if not found.trial.results:
            return Unknown(_ended(found.trial))
        self._best[spec.identity] = found.best
        own = volume(found.trial.results, spec.metrics)
        number = sum(result.evaluated for result in found.trial.results)
        listed = sum(chunk.evaluated for result in found.trial.results for chunk in result.chunks)
        told = f"{len(found.trial.results):,} of {ground.units(ground.block or 1):,} units searched"
        evaluated = NO_COST if not number else Cost.about(listed, 1.0)
        return Tally(found.cost, evaluated, own, told, units=ground.units(ground.block or 1))

    def _without(self, spec: RunSpec, tables: _Tables) -> Tally | Unknown:
        """Estimate a run some of whose inputs are not there."""
        needed = tables.absent[0]
        if spec.layer is not None and (known := self._layers_below(spec)):
            block = search_of(spec).block_size(spec)
            meant = None if block is None else UNIT_SECONDS / block
            return from_smaller(known, spec.layer, spec.stop - spec.start, meant)
        if needed.role == FILTER and len(tables.absent) == 1:
            below = self._from_layers(spec, needed)
            return below or self._from_drawn(spec, tables, needed) or Unknown(WAITS)
        return Unknown(WAITS)

    def _learn(self, spec: RunSpec, pace: float, data: float) -> None:
        """Remember what a layer takes, for those above it."""
        if spec.layer is not None:
            self._layers.setdefault(spec.search.name, {})[spec.layer] = Layer(spec.layer, pace, data)

    def _layers_below(self, spec: RunSpec) -> list[Layer]:
        """Return what is known of the layers below one, the smallest first: tried now, or recorded."""
        tried = self._layers.get(spec.search.name, {})
        if not tried and self._store is not None:
            with self._store.reader() as reader:
                run = spec
                while run.inputs and run.layer is not None:
                    run = run.inputs[0].run
                    record = reuse.find(reader, run)
                    if record is not None and record.done and record.evaluated:
                        size = chunk_queries.data_bytes(reader, record.id)
                        self._learn(run, record.cpu_seconds / record.evaluated, size / record.evaluated)
            tried = self._layers.get(spec.search.name, {})
        return [tried[number] for number in sorted(tried)]

    def _from_layers(self, spec: RunSpec, needed: InputSpec) -> Tally | None:
        """Extrapolate a run that a layered one filters, from the same run over smaller layers."""
        below, run = [], needed.run
        while run.inputs and run.layer is not None:
            run = run.inputs[0].run
            below.append(run)
        steps = next((i for i, run in enumerate(below, 1) if run.identity in self._made), 0)
        if not steps or steps >= len(below):
            return None
        found = []
        for lower in (below[steps], below[steps - 1]):
            data = spec.query_data() | {"generator": plain(lower.space.generator)}
            data["range"] = {}
            small = plan(registry(), from_data(data))[1]
            tables = self._tables(small)
            if tables.absent:
                return None
            ground, _ = self._ground(small, tables)
            trial = attempt(ground, self._share() / 2, self._budget.clock)
            tally = self._tally(ground, trial)
            if isinstance(tally, Unknown) or not ground.admitted:
                return None
            found.append((ground, tally))
        (smaller, _), (larger, second) = found
        ranks = spec.stop - spec.start
        shares = [tally.evaluated.expected / ground.total for ground, tally in found]
        paces = [tally.seconds.expected / max(1.0, tally.evaluated.expected) for _, tally in found]
        share = min(1.0, shares[1] * min(2.0, max(0.25, shares[1] / shares[0])) ** steps)
        pace = paces[1] * min(8.0, max(1.0, paces[1] / paces[0])) ** steps
        told = f"from the same over {smaller.total:,} and {larger.total:,} smaller candidates"
        spread = 0.5 + steps
        return Tally(
            Cost.about(ranks * share * pace, spread),
            Cost.about(ranks * share, spread / 2),
            second.volume,
            told,
        )

    def _from_drawn(self, spec: RunSpec, tables: _Tables, needed: InputSpec) -> Tally | Unknown | None:
        """Estimate a filtered run from the units of its filter's run that were tried."""
        results = self._drawn.get(needed.run.identity, [])
        if not results or spec.max_rank > MAKE_BITS or needed.run.metrics == ():
            return None
        low, high = limits_of(needed, spec)
        bits = Bits(np.zeros((spec.max_rank + 7) // 8, np.uint8), spec.max_rank)
        for result in results:
            _mark(bits, result, needed.metric, low, high)
        tables.inputs[FILTER] = bits
        ground, prepared = self._ground(spec, tables)
        ranks, admitted = sum(result.count for result in results), ground.admitted or 0
        if not admitted:
            return Unknown(
                f"none of {ranks:,} drawn candidates passes the filter, so at most about "
                f"{math.ceil(3 / ranks * (spec.stop - spec.start)):,} do, and none could be tried"
            )
        trial, until = Trial(), self._budget.clock() + self._share()
        for result in results:
            if timed(trial, ground, Unit(result.start, result.count), self._budget.clock) is None:
                break
            if self._budget.clock() > until:
                break
        tried = [
            Tried(result.count, unit.seconds) for result, unit in zip(trial.results, trial.tried, strict=True)
        ]
        cost = extrapolated(tried, spec.stop - spec.start)
        if cost is None or not any(result.evaluated for result in trial.results):
            return Unknown(_ended(trial))
        share = admitted / ranks
        spread = 2 / math.sqrt(admitted)
        evaluated = Cost.about(share * (spec.stop - spec.start), spread)
        told = f"{admitted:,} of {ranks:,} drawn candidates pass the filter"
        return Tally(cost + Cost.about(prepared), evaluated, volume(trial.results, spec.metrics), told)


def _mark(bits: Bits, result: UnitResult, metric: str, low: float, high: float) -> None:
    """Set the bits of a unit's ranks whose value lies in low .. high."""
    masks = {chunk.start: decode_chunk(chunk) for chunk in result.chunks if chunk.column == EVALUATED}
    for chunk in (chunk for chunk in result.chunks if chunk.column == metric):
        own, gone, there = decode_chunk(chunk), missing_of(chunk, False), masks.get(chunk.start)
        found = (own >= low) & (own <= high)
        found = found if gone is None else found & ~gone
        ranks = chunk.start + (np.arange(chunk.count) if there is None else np.flatnonzero(there))
        np.bitwise_or.at(bits.data, ranks[found] >> 3, (1 << (ranks[found] & 7)).astype(np.uint8))


def _count_bits(bits: Bits, start: int, stop: int) -> int:
    """Count the set bits start .. stop - 1."""
    if (start, stop) == (0, bits.count):
        return int(np.bitwise_count(bits.data).sum(dtype=np.int64))
    from epcg_core.chunks.bitsets import unpack

    return int(unpack(bits, start, stop).sum())


def _ended(trial: Trial) -> str:
    return f"{STOPPED}: {trial.failed}" if trial.failed else STOPPED
