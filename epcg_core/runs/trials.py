"""Units of a run that are tried before it begins: drawn at random, solved, encoded, timed, and forgotten.

Runs that another run reads are computed whole, in memory, if that is soon done, so that the other one can be
tried, too. Units are tried in another process, which is killed if one takes too long. Nothing is recorded,
and no file is written.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.chunks.bitsets import pack
from epcg_core.chunks.codec import EVALUATED, chunk_size_for, decode_chunk, missing_of
from epcg_core.chunks.objective import Best, IncumbentTracker
from epcg_core.chunks.result import UnitResult
from epcg_core.domain import Bits
from epcg_core.errors import PLUGIN_EXCEPTIONS
from epcg_core.execution import Unit
from epcg_core.execution.apart import Apart, DiedError, TimeUpError, cpu_seconds
from epcg_core.query.spec import RunSpec
from epcg_core.runs.expenses import Cost, Tried, extrapolated
from epcg_core.runs.sampled_units import SampledRanks
from epcg_core.runs.worker import InformedUnit, SampleSolver, UnitSolver

GROWS_BELOW = 0.03
"""Units that take fewer seconds are made larger, so that what neighbours share is seen."""
LARGEST = 1 << 20
MOST_UNITS = 200
LONG_SHARE, LONG_SECONDS = 0.05, 10.0
"""The share of a long run that trying may take while its range is wide, and the most seconds."""
SHORT_SECONDS = 2.0
"""Runs of which the share is less than this are tried no longer than others."""
ENOUGH_UNITS, ENOUGH_SPREAD = 8, 0.35
"""Trying ends once so many units leave a range that is at most this much wider than their noise."""
FIRST_SHARE = 0.4
"""The share of its time in which a search that prunes is tried from the beginning on."""
PATIENCE_SECONDS = 10.0
"""A unit that takes longer is given up."""

Clock = Callable[[], float]
Solve = Callable[[Unit], UnitResult | list[UnitResult]]


@attrs.define
class Budget:
    """CPU seconds that an estimate may take in all."""

    seconds: float
    clock: Clock = cpu_seconds
    _begun: float = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self._begun = self.clock()

    @property
    def spent(self) -> float:
        return self.clock() - self._begun

    @property
    def left(self) -> float:
        return max(0.0, self.seconds - self.spent)


@attrs.define
class Trial:
    """Units that were tried."""

    results: list[UnitResult] = attrs.field(factory=list)
    tried: list[Tried] = attrs.field(factory=list)
    first: float = 0.0
    """CPU seconds that the first candidate took beyond what the second one of its place did."""
    failed: str = ""
    """Why trying ended early: a part raised, or a unit was given up."""
    gave_up: float = 0.0
    """CPU seconds after which a unit of one rank was given up."""

    @property
    def ranks(self) -> int:
        return sum(result.count for result in self.results)

    def cost(self, total: int) -> Cost | None:
        """Estimate the CPU seconds of `total` ranks, or of those that a filter admits."""
        return extrapolated(self.tried, total)


@attrs.frozen(eq=False)
class Ground:
    """The object of a trial: the missing ranks of a run, in units."""

    spec: RunSpec
    solve: Solve
    block: int | None = None
    """Ranks that the search prefers to solve together; None if any number will do."""
    admitted: int | None = None
    """Number of ranks that a filter admits; None without a filter."""

    @property
    def total(self) -> int:
        return self.spec.stop - self.spec.start

    @property
    def weight(self) -> int:
        return self.total if self.admitted is None else self.admitted

    def units(self, size: int) -> int:
        """Return the number of units of a size, cut at its multiples."""
        return -(-self.spec.stop // size) - self.spec.start // size

    def unit(self, size: int, number: int) -> Unit:
        """Return a unit of a size."""
        first = (self.spec.start // size + number) * size
        low = max(first, self.spec.start)
        return Unit(low, min(first + size, self.spec.stop) - low)


def unit_solver(solver: Any, spec: RunSpec) -> Solve:
    """Return what a worker would do with a unit, in a process that is killed if it takes too long."""
    one = UnitSolver(solver, spec, chunk_size_for(spec.metrics, spec.filter is not None))
    sampled = SampleSolver(one)
    apart: Apart[Unit, UnitResult | list[UnitResult]] = Apart(
        lambda unit: sampled(unit) if isinstance(unit, SampledRanks) else one(unit)
    )
    return partial(apart, seconds=PATIENCE_SECONDS)


def attempt(ground: Ground, seconds: float, clock: Clock) -> Trial:
    """Try units drawn at random for about so many seconds, or all of them if they are soon done."""
    trial = Trial()
    if not ground.total or not ground.weight:
        return trial
    size, begun = min(ground.block or 1, max(1, ground.total)), clock()
    if ground.block is None and not _first(trial, ground, clock):
        return trial
    while True:
        grown = _draw(trial, ground, size, begun + seconds, clock)
        if not grown:
            return trial
        size = grown
        trial.results, trial.tried = [], []


def _first(trial: Trial, ground: Ground, clock: Clock) -> bool:
    """Solve one rank twice: the first time parts make what they keep. Return whether that went well."""
    middle = Unit(ground.spec.start + ground.total // 2, 1)
    first = timed(trial, ground, middle, clock)
    again = None if first is None else timed(trial, ground, middle, clock)
    if first is None or again is None:
        return False
    trial.first = max(0.0, first - again)
    trial.results, trial.tried = [], []
    return True


def _draw(trial: Trial, ground: Ground, size: int, until: float, clock: Clock) -> int:
    """Try units of one size; return a larger size if they take next to no time, else 0."""
    number = ground.units(size)
    for drawn in _numbers(number, ground.spec.identity):
        took = timed(trial, ground, ground.unit(size, drawn), clock)
        if took is None:
            return 0
        grows = size < min(LARGEST, ground.total) and took < GROWS_BELOW
        if grows and clock() < until:
            return min(size * 4, max(ground.total, 1), LARGEST)
        if _is_enough(trial, ground):
            return 0
        if clock() >= until and clock() - until >= _further(trial, ground):
            return 0
    return 0


def _further(trial: Trial, ground: Ground) -> float:
    """Return how much longer a long run may be tried."""
    cost = trial.cost(ground.weight)
    return 0.0 if cost is None else min(LONG_SECONDS, LONG_SHARE * cost.low) - SHORT_SECONDS


def _numbers(total: int, seed: str) -> Iterator[int]:
    """Yield at most MOST_UNITS of `total` numbers at random, none twice."""
    rng = random.Random(seed)
    yield from rng.sample(range(total), min(total, MOST_UNITS))


def _is_enough(trial: Trial, ground: Ground) -> bool:
    if len(trial.tried) < ENOUGH_UNITS:
        return False
    cost = trial.cost(ground.weight)
    return cost is not None and cost.high <= cost.expected * (1 + ENOUGH_SPREAD)


def timed(trial: Trial, ground: Ground, unit: Unit, clock: Clock) -> float | None:
    """Solve a unit and return its CPU seconds; None if a part raised or it took too long."""
    return _timed(trial, ground, unit, unit.count, clock)


def timed_singly(trial: Trial, ground: Ground, ranks: NDArray[np.int64], clock: Clock) -> float | None:
    """Solve single ranks, increasing, as a sample does, and return the CPU seconds as `timed` does."""
    own = ranks.tolist()
    return _timed(trial, ground, SampledRanks(own[0], own[-1] - own[0] + 1, tuple(own)), len(own), clock)


def _timed(trial: Trial, ground: Ground, unit: Unit, ranks: int, clock: Clock) -> float | None:
    begun = clock()
    try:
        found = ground.solve(unit)
    except TimeUpError:
        size = "1 rank" if ranks == 1 else f"{ranks:,} ranks"
        trial.failed = f"a unit of {size} was given up after {PATIENCE_SECONDS:g} s"
        trial.gave_up = PATIENCE_SECONDS / ranks
        return None
    except DiedError:
        trial.failed = f"the process that tried {unit} ended by itself"
        return None
    except PLUGIN_EXCEPTIONS as error:  # the run names the candidate when its turn comes
        trial.failed = f"{str(error).partition(chr(10))[0] or type(error).__name__}".rstrip(".")
        return None
    took = clock() - begun
    results = found if isinstance(found, list) else [found]
    weight = sum(result.count if ground.admitted is None else result.evaluated for result in results)
    trial.results += results
    trial.tried.append(Tried(weight, took))
    return took


# --- searches that improve -------------------------------------------------------------------------------


@attrs.frozen(eq=False)
class Improved:
    """A search that improves, tried: the time of its units, and the best candidate found."""

    cost: Cost
    best: Best | None
    trial: Trial
    complete: bool


def improve(ground: Ground, best: Best | None, seconds: float, clock: Clock) -> Improved:
    """Try units of branch and bound: the first ones in order, then some drawn from all others.

    The first ones find candidates that let the others prune. A drawn unit takes the best candidate as if it
    had a lower rank, as it does when its turn comes.
    """
    assert ground.spec.objective is not None
    assert ground.block is not None
    trial, begun = Trial(), clock()
    tracker = IncumbentTracker(ground.spec.objective, best)
    number = ground.units(ground.block)
    first = 0
    while first < number and clock() - begun < FIRST_SHARE * seconds:
        if not _search(trial, ground, first, tracker, clock):
            break
        first += 1
    known = sum(unit.seconds for unit in trial.tried)
    if first == number:
        return Improved(Cost.about(known), tracker.best, trial, True)
    for each in random.Random(ground.spec.identity).sample(range(first, number), number - first):
        if clock() - begun > seconds or not _search(trial, ground, each, tracker, clock):
            break
    drawn = [Tried(1, unit.seconds) for unit in trial.tried[first:]] or [Tried(1, trial.gave_up)]
    rest = extrapolated(drawn, number - first)
    assert rest is not None
    rest = attrs.evolve(rest, low=rest.low / 2)  # what is found later prunes more
    return Improved(Cost.about(known) + rest, tracker.best, trial, len(trial.tried) == number)


def _search(trial: Trial, ground: Ground, number: int, tracker: IncumbentTracker, clock: Clock) -> bool:
    """Search a unit with the best candidate known; return whether that went well."""
    unit = ground.unit(ground.block or 1, number)
    best = tracker.best
    if best is not None and best[1] >= unit.start > 0:
        best = best[0], unit.start - 1
    if timed(trial, ground, InformedUnit(unit.start, unit.count, best), clock) is None:
        return False
    tracker.learn(trial.results[-1].best)
    return True


_TYPES: Mapping[str, Any] = {"bool": np.bool_, "int": np.int64, "real": np.float64}


# --- whole runs in memory ---------------------------------------------------------------------------------


@attrs.frozen(eq=False)
class Made:
    """The values of a run that was computed whole, in memory."""

    values: Mapping[str, NDArray[Any]]
    """By metric, (ranks of the space,)."""
    missing: Mapping[str, NDArray[np.bool_]]
    """By metric, (ranks of the space,) mask of ranks without a value; metrics that always have one lack."""
    seconds: float

    def bits(self, metric: str, low: float = 1.0, high: float = math.inf) -> Bits:
        """Return for every rank whether a metric's value lies in low .. high."""
        values = self.values[metric]
        found = values if values.dtype == np.bool_ and low == 1 else (values >= low) & (values <= high)
        return pack(found & ~self.missing[metric] if metric in self.missing else found)

    def table(self, metric: str) -> NDArray[Any]:
        """Return a metric's values by rank, in the form of `Reader.table`."""
        values = self.values[metric]
        if values.dtype.kind == "f":
            return np.where(self.missing[metric], math.nan, values) if metric in self.missing else values
        kinds: Sequence[Any] = (np.int8, np.int16, np.int32, np.int64)
        low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
        kind = next(k for k in kinds if np.iinfo(k).min < low and high <= np.iinfo(k).max)
        table: NDArray[Any] = values.astype(kind)
        table[self.missing.get(metric, np.zeros(0, np.intp))] = np.iinfo(kind).min
        return table

    def count(self, metric: str) -> int:
        """Count the ranks at which a bool metric holds."""
        bits = self.bits(metric)
        return int(np.bitwise_count(bits.data).sum(dtype=np.int64))


def make(ground: Ground, size: int, seconds: float, clock: Clock) -> tuple[Made | None, Trial]:
    """Compute a whole run in units of a size; no values if it takes longer than `seconds`."""
    spec, trial, begun = ground.spec, Trial(), clock()
    values: dict[str, NDArray[Any]] = {
        metric.name: np.zeros(spec.max_rank, _TYPES[metric.kind]) for metric in spec.metrics
    }
    missing: dict[str, NDArray[np.bool_]] = {}
    for number in range(ground.units(size)):
        if clock() - begun > seconds:
            return None, trial
        unit = ground.unit(size, number)
        if timed(trial, ground, unit, clock) is None:
            return None, trial
        _fill(trial.results[-1], spec, values, missing)
    return Made(values, missing, clock() - begun), trial


def _fill(
    result: UnitResult,
    spec: RunSpec,
    values: Mapping[str, NDArray[Any]],
    missing: dict[str, NDArray[np.bool_]],
) -> None:
    masks = {chunk.start: decode_chunk(chunk) for chunk in result.chunks if chunk.column == EVALUATED}
    for metric in spec.metrics:
        for chunk in (chunk for chunk in result.chunks if chunk.column == metric.name):
            own, gone, there = decode_chunk(chunk), missing_of(chunk, metric.always), masks.get(chunk.start)
            places: Any = slice(chunk.start, chunk.start + chunk.count)
            if there is not None or gone is not None:
                absent = missing.setdefault(metric.name, np.zeros(spec.max_rank, np.bool_))
                absent[places] = there is not None
                places = places if there is None else chunk.start + np.flatnonzero(there)
                absent[places] = False if gone is None else gone
            values[metric.name][places] = own
