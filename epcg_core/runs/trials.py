"""Plain trials of a query's runs: some units of each, drawn at random, computed and multiplied.

They are computed as the run would compute them, in a fork that is killed if one takes too long. What other
runs read is computed whole if that is soon done. It is kept in a temporary database, from which its readers
take it, and which is removed in the end.
"""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.documents import temporary_prefix
from epcg_core.base.errors import PLUGIN_EXCEPTIONS, UnitTimeoutError
from epcg_core.base.params import plain
from epcg_core.chunks.bitsets import unpack
from epcg_core.chunks.codec import chunk_size_for
from epcg_core.chunks.objective import IncumbentTracker, as_words
from epcg_core.domain import Bits
from epcg_core.execution import Unit, default_workers
from epcg_core.execution.apart import DiedError, TimeUpError, compile_seconds, cpu_seconds
from epcg_core.plugins.registry import registry
from epcg_core.query.query import from_data
from epcg_core.query.spec import InputSpec, RunSpec
from epcg_core.runs import reuse
from epcg_core.runs.begin import Cut, begin
from epcg_core.runs.expenses import NO_COST, STOPPED, CannotTellError, Cost, Tally, Trial, data_bytes
from epcg_core.runs.here import Here
from epcg_core.runs.limited import limited
from epcg_core.runs.sampled_units import SampledRanks
from epcg_core.runs.sequence import next_run, read_run, search_of, total_of
from epcg_core.runs.tables import limits_of
from epcg_core.runs.units import UNIT_SECONDS, block_size, missing_units, unit_size
from epcg_core.runs.winners import Plain
from epcg_core.runs.worker import InformedUnit, compile_kernels
from epcg_core.search.planner import FILTER, plan
from epcg_core.search.protocol import EvenSearch, RunSequenceSearch
from epcg_core.store import Reader, RunRecord, Store, run_digest, sparse, writer

UNITS = 8
"""Units that share the time for which a run is tried."""
MOST_UNITS = 100
MOST_SINGLES = 1024
"""Most single ranks of a sample that are tried."""
LEAST_SECONDS = 0.4
"""CPU seconds that each run is tried for, whatever others took."""
PATIENCE_SECONDS = 10.0
"""CPU seconds after which a unit is given up."""
LEAST_REACHED = 0.01
"""Layers of a breadth-first search that reach a smaller share of the space say nothing of the others."""
READ_BYTES = 1 << 28
"""Bytes of the largest recorded table that is read for an estimate."""

GIVEN_UP = "a unit was given up after {:g} s"
NONE_PASSES = (
    "none of {:,} drawn candidates passes the filter, so at most about {:,} do, and none could be tried"
)
WAITS = "it reads a run that is made first, which takes too long to try"
TOO_LARGE = "the search goes through its space layer by layer, and the space is too large to do so beforehand"


@attrs.define(eq=False)
class _Inputs:
    """The inputs that the solver of a run reads."""

    bits: dict[str, Any] = attrs.field(factory=dict)
    """Bits, or arrays of values, by role."""
    words: dict[str, NDArray[np.uint64]] = attrs.field(factory=dict)
    """Tables of best candidates, by role."""
    drawn: list[Unit] | None = None
    """The only units for which the bits of the filter are known; None if all are."""

    def admitted(self, spec: RunSpec) -> int | None:
        """Count the ranks that the filter of a run is known to admit; None without a filter."""
        if spec.filter is None:
            return None
        bits: Bits = self.bits[FILTER]
        if (spec.start, spec.stop) == (0, bits.count):
            return int(np.bitwise_count(bits.data).sum(dtype=np.int64))
        return int(unpack(bits, spec.start, spec.stop).sum())


@attrs.frozen(eq=False)
class _Ground:
    """A run that is ready to be tried."""

    spec: RunSpec
    record: RunRecord
    here: Here
    prepared: float
    """CPU seconds of the tables that are made once."""


class Trials:
    """The trials of a query's runs, to be asked for in their order. A context manager."""

    def __init__(self, store: Store | None, specs: Sequence[RunSpec], seconds: float) -> None:
        """Try `specs` for about `seconds` CPU seconds in all; `store` has what is recorded."""
        self._recorded, self._seconds, self._left = store, seconds, len(specs)
        self._read = {needed.run.identity for spec in specs for needed in spec.inputs if needed.required}
        self._known: dict[str, Tally] = {}
        """The tally of each run that was tried, by its identity."""
        self.set_up = 0.0
        """CPU seconds of making solvers and of first candidates, which each process takes."""
        self.spent = 0.0
        """CPU seconds of trying."""

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix=temporary_prefix()))
            self._own = stack.enter_context(Store.open(Path(folder) / "trials.db", write=True))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    def run(self, spec: RunSpec) -> Tally:
        """Estimate all units of a run. Raises CannotTellError."""
        self._left -= 1
        inputs = self._inputs(spec)
        return self._from_below(spec) if inputs is None else self._of_units(spec, inputs)

    def singles(self, spec: RunSpec, ranks: NDArray[np.int64]) -> Tally:
        """Estimate single ranks of a sample, each a unit of its own. Raises CannotTellError."""
        self._left -= 1
        inputs = self._inputs(spec)
        if inputs is None or inputs.drawn is not None:
            raise CannotTellError(WAITS)
        with self._ready(spec, inputs) as ground:
            number = min(len(ranks), UNITS * ground.record.unit_size, MOST_SINGLES)
            few = np.random.default_rng(0).permutation(ranks)[:number]
            parts = [np.sort(part).tolist() for part in np.array_split(few, min(UNITS, number))]
            units = [SampledRanks(part[0], part[-1] - part[0] + 1, tuple(part)) for part in parts]
            return self._tally(ground, self._try(ground, units, self._share), len(ranks))

    def sequence(self, goal: RunSpec) -> Tally:
        """Estimate all runs that follow one another up to the answer. Raises CannotTellError."""
        self._left -= 1
        search, set_up, reached = search_of(goal), self.set_up, 0
        layers: dict[str, Tally] = {}
        assert isinstance(search, RunSequenceSearch)
        following: RunSpec | None = goal
        until = working_seconds() + 2 * self._rest  # most of it is their record
        while following is not None and (not layers or working_seconds() < until):
            begun, spec, inputs = working_seconds(), following, self._inputs(following)
            assert inputs is not None
            with self._ready(spec, inputs) as ground:
                trial = self._try(ground, missing_units(ground.record, {}), until - working_seconds())
                if sum(trial.ranks) < ground.record.candidates:
                    break
                layer = self._tally(ground, trial, ground.record.candidates)
                self._finish(ground)
            with self._own.reader() as reader:
                reached, following = total_of(reader, spec), next_run(goal, spec, reader)
            took = max(sum(trial.seconds), working_seconds() - begun)
            self.spent += took - sum(trial.seconds)
            layers[spec.identity] = attrs.evolve(layer, seconds=Cost.about(took))
            old = search.obsolete_run(spec)
            if old is not None and old.identity in layers:  # its values are dropped
                layers[old.identity] = attrs.evolve(layers[old.identity], data=0.0)
        self.set_up = set_up  # it is a part of the layers' time
        if following is not None and (trial.failed or not layers or reached < LEAST_REACHED * goal.max_rank):
            raise CannotTellError(f"{STOPPED}: {trial.failed}" if trial.failed else TOO_LARGE)
        found = Tally(
            sum((layer.seconds for layer in layers.values()), NO_COST),
            goal.max_rank,
            sum(layer.data for layer in layers.values()),
            f"all {len(layers):,} runs computed",
            max(layer.seconds.expected for layer in layers.values()),
        )
        if following is None:
            return found
        told = f"{len(layers):,} layers computed, {reached:,} of {goal.max_rank:,} ranks reached"
        found = found.times(goal.max_rank / reached, 3.0)
        return attrs.evolve(found, evaluated=goal.max_rank, told=told)

    @property
    def _rest(self) -> float:
        """The CPU seconds that are left for all runs."""
        return max(LEAST_SECONDS, self._seconds - self.spent)

    @property
    def _share(self) -> float:
        """The CPU seconds that a run may be tried for."""
        return max(LEAST_SECONDS, self._rest / (1 + self._left))

    # --- before trying ------------------------------------------------------------------------------------

    def _inputs(self, spec: RunSpec) -> _Inputs | None:
        """Collect what a run reads, recorded or tried; None if a part of it is missing."""
        found = _Inputs()
        for needed in spec.inputs:
            there = self._recorded is not None and _read(self._recorded, False, needed, spec, found)
            there = there or _read(self._own, True, needed, spec, found)
            if needed.required and not there:
                return None
        return found

    @contextmanager
    def _ready(self, spec: RunSpec, inputs: _Inputs) -> Iterator[_Ground]:
        """Make the solver of a run, measure its pace, and begin the run in the temporary database."""
        search, words = search_of(spec), dict(inputs.words)

        def allocate(name: str, length: int) -> NDArray[np.uint64]:
            words[name] = np.zeros(length, np.uint64)
            return words[name]

        if isinstance(search, EvenSearch):
            search.workers = default_workers()
        begun = working_seconds()
        search.prepare(spec, inputs.bits, allocate)
        prepared = max(0.0, working_seconds() - begun)
        solver = limited(search.solver(spec, inputs.bits, words), spec)
        compile_kernels(solver, spec)
        with Here(solver, spec, lambda _: None, Plain(search, spec, {}), in_a_fork=True) as here:

            def measure(start: int, count: int, seconds: float) -> float:
                if not inputs.drawn:
                    return here.measure(start, count, seconds)
                known = inputs.drawn[0]
                own = min(count, known.count)
                return here.measure(known.start, own, seconds) * count / own

            try:
                block = block_size(search, spec, measure, here.piecewise, PATIENCE_SECONDS)
            except UnitTimeoutError:
                raise CannotTellError(f"{STOPPED}: {GIVEN_UP.format(PATIENCE_SECONDS)}") from None
            self.set_up += max(0.0, working_seconds() - begun - prepared)
            if search.block_size(spec) is None:
                block = max(1, int(block * self._share / UNITS / UNIT_SECONDS))
            chunk = chunk_size_for(spec.metrics, spec.filter is not None)
            unit = unit_size(block, spec.stop - spec.start, chunk, 1)
            cut = Cut(unit, chunk if spec.objective is None else unit, "none")
            with self._own.transaction() as connection:
                record = begin(connection, spec, cut, None, None, {}, counted=False)
            yield _Ground(spec, record, here, prepared)

    # --- trying -------------------------------------------------------------------------------------------

    def _of_units(self, spec: RunSpec, inputs: _Inputs) -> Tally:
        """Estimate a run whose inputs are there."""
        total, admitted, passing = spec.stop - spec.start, inputs.admitted(spec), ""
        if inputs.drawn is not None:
            ranks = sum(unit.count for unit in inputs.drawn)
            if not ranks:
                raise CannotTellError(WAITS)
            if not admitted:
                raise CannotTellError(NONE_PASSES.format(ranks, math.ceil(3 / ranks * total)))
            passing = f"{admitted:,} of {ranks:,} drawn candidates pass the filter"
            admitted = math.ceil(admitted / ranks * total)
        with self._ready(spec, inputs) as ground:
            if not total or admitted == 0:
                return Tally(Cost.about(ground.prepared), 0.0, 0.0, "no candidate is admitted")
            if spec.objective is not None and spec.objective.phase == "search":
                return self._improving(ground)
            stretches = [Unit(spec.start, total)] if inputs.drawn is None else inputs.drawn
            trial = self._try(ground, _drawn(ground.record, stretches), self._share)
            found = self._tally(ground, trial, total, admitted)
            if spec.identity in self._read and spec.objective is None and inputs.drawn is None:
                if not trial.failed and found.seconds.expected - sum(trial.seconds) <= self._rest:
                    done = {result.start: result.count for result in trial.results}
                    self._try(ground, missing_units(ground.record, done), 2 * self._rest, trial)
                    found = self._tally(ground, trial, total, admitted)
                if sum(trial.ranks) == total:
                    self._finish(ground)
        found = attrs.evolve(found, told=passing or found.told)
        self._known[spec.identity] = found
        return found

    def _improving(self, ground: _Ground) -> Tally:
        """Try a search that prunes: its first units, which find good candidates, then some of the others."""
        spec, total, trial = ground.spec, ground.record.candidates, Trial()
        assert spec.objective is not None
        tracker = IncumbentTracker(spec.objective, None)

        def informed(units: Iterable[Unit]) -> Iterator[Unit]:
            for unit in units:
                best = tracker.best
                if best is not None and best[1] >= unit.start > 0:
                    best = best[0], unit.start - 1  # as if it came in its turn
                yield InformedUnit(unit.start, unit.count, best)
                tracker.learn(trial.results[-1].best)

        share = self._share
        self._try(ground, informed(missing_units(ground.record, {})), share / 2, trial)
        first, tried = len(trial.ranks), sum(trial.ranks)
        seconds = Cost.about(sum(trial.seconds))
        if tried < total:
            others = _drawn(ground.record, [Unit(spec.start + tried, total - tried)])
            self._try(ground, informed(others), share / 2, trial)
            more = trial.cost(total - tried, trial.ranks, first)
            seconds += attrs.evolve(more, low=more.low / 2)  # what is found later prunes more
        factor = total / max(1, sum(trial.ranks))
        told = f"{sum(trial.ranks):,} of {total:,} candidates searched"
        data = data_bytes(trial.results, spec.metrics) * factor
        return Tally(seconds, sum(trial.evaluated) * factor, data, told)

    def _try(
        self, ground: _Ground, units: Iterable[Unit], seconds: float, trial: Trial | None = None
    ) -> Trial:
        """Compute units for about `seconds` CPU seconds, and record them in the temporary database."""
        trial, until = Trial() if trial is None else trial, self.spent + seconds
        unit_writer = writer.UnitWriter(self._own.engine, ground.record)
        for unit in units:
            begun = working_seconds()
            try:
                found = ground.here.compute(unit, ground.record.chunk_size, PATIENCE_SECONDS)
            except TimeUpError:
                trial.failed = GIVEN_UP.format(PATIENCE_SECONDS)
            except DiedError:
                trial.failed = f"the process that tried {unit} ended by itself"
            except PLUGIN_EXCEPTIONS as error:  # the run names the candidate when its turn comes
                first = str(error).partition("\n")[0] or type(error).__name__
                trial.failed = first.rstrip(".")
            took = max(0.0, working_seconds() - begun)
            self.spent += took
            if trial.failed:
                break
            trial.add(found, took)
            for result in found if isinstance(found, list) else [found]:
                unit_writer.add(result)
            if self.spent >= until:
                break
        unit_writer.flush()
        return trial

    def _tally(self, ground: _Ground, trial: Trial, total: int, admitted: int | None = None) -> Tally:
        """Multiply what was tried to `total` ranks, of which a filter admits `admitted` if that is known."""
        tried, evaluated = sum(trial.ranks), sum(trial.evaluated)
        told = f"{tried:,} of {total:,} candidates tried"
        factor = total / max(1, tried)
        if admitted is None:
            seconds = trial.cost(total, trial.ranks)
        else:
            seconds = trial.cost(admitted, trial.evaluated)
            factor = admitted / evaluated
            told = f"{evaluated:,} of {admitted:,} admitted candidates tried"
        data = data_bytes(trial.results, ground.spec.metrics) * factor
        return Tally(seconds + Cost.about(ground.prepared), evaluated * factor, data, told)

    def _finish(self, ground: _Ground) -> None:
        """Record a run as finished in the temporary database, so that others can read it."""
        with self._own.transaction() as connection:
            histograms = run_digest.histograms(Reader(connection), ground.record.id)
            writer.finish_run(connection, ground.record.id, "tried", histograms)

    def _from_below(self, spec: RunSpec) -> Tally:
        """Estimate a run that reads what is not there from the same over the largest smaller layer."""
        layer = spec if spec.layer is not None else next(n.run for n in spec.inputs if n.required)
        steps, total = 0, spec.stop - spec.start
        while layer.layer is not None and layer.inputs:
            steps, layer = steps + 1, layer.inputs[0].run
            data = spec.query_data() | {"generator": plain(layer.space.generator), "range": {}}
            small = plan(registry(), from_data(data))[1]
            found = self._known.get(small.identity)
            if found is None and (inputs := self._inputs(small)) is not None:
                found = self._of_units(small, inputs)
            if found is not None and found.evaluated:
                ranks = small.stop - small.start
                told = f"from the same over {ranks:,} smaller candidates"
                return attrs.evolve(found.times(total / ranks, float(steps)), told=told)
        raise CannotTellError(WAITS)


def _drawn(record: RunRecord, stretches: Sequence[Unit]) -> list[Unit]:
    """Draw some units of a run at random, or the parts of them that lie in one of some stretches."""
    rng, found = random.Random(record.identity), dict[int, Unit]()
    for _ in range(MOST_UNITS):
        stretch = rng.choice(stretches)
        stop = stretch.start + stretch.count
        start, count = record.unit_at(rng.randrange(stretch.start, stop))
        low = max(start, stretch.start)
        found[low] = Unit(low, min(start + count, stop) - low)
    return list(found.values())


def _read(store: Store, partly: bool, needed: InputSpec, spec: RunSpec, into: _Inputs) -> bool:
    """Read an input of a run, also what is `partly` made; return whether it is there, and not too large."""
    with store.reader() as reader:
        run = read_run(needed, reader) or (reuse.find(reader, needed.run) if partly else None)
        if run is None:
            return False
        if needed.kind != "best" and needed.metric not in {each.name for each in reader.every_metric(run.id)}:
            return False  # of a sequence that was not tried to its end there are only its first runs
        if needed.kind == "best":
            objective = sparse.objective_of(run)
            assert objective is not None
            best = sparse.recorded_best(reader, run, objective)
            into.words[needed.role] = as_words(best, needed.run.metrics[0])
        elif run.max_rank > (8 * READ_BYTES if needed.kind == "bits" else READ_BYTES):
            return False
        elif run.done and needed.kind == "values":
            table = np.zeros(run.max_rank, reader.table_type(run, needed.metric))
            reader.table(run, needed.metric, table)
            into.bits[needed.role] = table
        elif run.done:
            into.bits[needed.role] = reader.bits(run, needed.metric, *limits_of(needed, spec))
        elif needed.role == FILTER:
            into.bits[FILTER] = _known_bits(reader, run, needed.metric, *limits_of(needed, spec))
            units = [(u.start, u.start + u.count) for u in reader.units(run.id)]
            ends = [(max(low, spec.start), min(high, spec.stop)) for low, high in units]
            into.drawn = [Unit(low, high - low) for low, high in ends if low < high]
        else:
            return False
    return True


def _known_bits(reader: Reader, run: RunRecord, metric: str, low: float, high: float) -> Bits:
    """Return which ranks have a value in low .. high, of a run that is not finished."""
    bits = Bits(np.zeros((run.max_rank + 7) // 8, np.uint8), run.max_rank)
    for ranks, values in reader.values(run.id, metric):
        found = ranks[(values >= low) & (values <= high)]
        np.bitwise_or.at(bits.data, found >> 3, (1 << (found & 7)).astype(np.uint8))
    return bits


def working_seconds() -> float:
    """Return the CPU seconds of this thread and of calls in forks, without compiling."""
    return cpu_seconds() - compile_seconds()
