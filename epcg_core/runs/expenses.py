"""Extrapolate the costs of a run from a few of its units, and add those of its record.

Times are CPU seconds. A time is a range, because a few units never tell the rest exactly; its ends are meant
for about 95 % of runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs
import numpy as np

from epcg_core.base.errors import EpcgError
from epcg_core.chunks.codec import EVALUATED, chunk_size_for, decode_chunk, encode_metric
from epcg_core.chunks.result import UnitResult
from epcg_core.domain import EditedContent, Metric
from epcg_core.plugins.registry import registry
from epcg_core.query.spec import RunSpec, make_generator
from epcg_core.runs.units import UNIT_SECONDS
from epcg_core.runs.worker import Results

NOISE = 0.25
"""How far equal work differs from time to time, as a share."""
FEW = 4
"""Fewer units than these say little of how others differ."""
RUN_SECONDS = 0.06
"""The record of a run: its transactions, digest and histograms."""
RECORD_SECONDS = 3e-5
"""A unit or chunk that is recorded in a transaction with others."""
VALUE_SECONDS, BIT_SECONDS = 4e-8, 1e-9
"""A value that is read again for the digest and the histogram of a finished run, and a bit."""
ROW_SECONDS = 0.9e-6
"""A row of a value; the row of a candidate's edit takes three times as long."""

RUN_BYTES = 6_000
"""The record of a run without values: its query, sources and versions."""
UNIT_BYTES, CHUNK_BYTES = 50, 102
"""A unit, and a chunk without its data, with their indexes."""
PRUNING_BYTES, SOLUTION_BYTES = 30, 16
ROW_BYTES, VALUE_BYTES, EDIT_BYTES = 10, {"bool": 0, "int": 2, "real": 8}, 12
"""A row without its rank and value, its value, and a row of an edit."""

STOPPED = "the units that were tried did not end well"
NOTHING = "no unit that was tried holds a candidate that is admitted"


@attrs.frozen
class Cost:
    """An amount and the ends of the range that it should lie in."""

    low: float
    expected: float
    high: float

    @classmethod
    def about(cls, expected: float, spread: float = NOISE) -> Cost:
        """Return an amount known but for a factor of 1 + `spread` to either side."""
        return cls(expected / (1 + spread), expected, expected * (1 + spread))

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.low + other.low, self.expected + other.expected, self.high + other.high)


NO_COST = Cost(0.0, 0.0, 0.0)


class CannotTellError(EpcgError):
    """The cost of a run cannot be told; the message says why."""


@attrs.frozen
class Tally:
    """The costs of a run's units."""

    seconds: Cost
    evaluated: float
    """Candidates that are evaluated and recorded."""
    data: float
    """Bytes of chunks, solutions and prunings."""
    told: str
    """The trial in words: how many candidates, in which time."""
    longest: float | None = None
    """CPU seconds of the longest run, if there are several."""

    def times(self, factor: float, spread: float = 0.0) -> Tally:
        """Return the tally of a run `factor` times as large; `spread` widens its range to either side."""
        wider = Cost.about(factor, spread)
        seconds = Cost(
            self.seconds.low * wider.low, self.seconds.expected * factor, self.seconds.high * wider.high
        )
        return Tally(seconds, self.evaluated * factor, self.data * factor, self.told, self.longest)


@attrs.define(eq=False)
class Trial:
    """Units of a run that were tried."""

    results: list[UnitResult] = attrs.field(factory=list)
    ranks: list[int] = attrs.field(factory=list)
    """Number of ranks, by unit."""
    evaluated: list[int] = attrs.field(factory=list)
    seconds: list[float] = attrs.field(factory=list)
    failed: str = ""
    """Why trying ended early."""

    def add(self, found: Results, seconds: float) -> None:
        """Take the results of a unit, and the CPU seconds that it took."""
        results = found if isinstance(found, list) else [found]
        self.results += results
        self.ranks.append(sum(result.count for result in results))
        self.evaluated.append(sum(result.evaluated for result in results))
        self.seconds.append(seconds)

    def cost(self, total: int, weights: Sequence[int], first: int = 0) -> Cost:
        """Estimate the CPU seconds of what weighs `total` from units `first` and later, drawn at random.

        The ratio of time and weight with its large-sample variance (Cochran, "Sampling Techniques", 1977,
        6.4), two standard errors to either side as a factor. Raises CannotTellError if they weigh nothing.
        """
        seconds, weight = np.array(self.seconds[first:]), np.array(weights[first:], np.float64)
        if not weight.sum():
            raise CannotTellError(f"{STOPPED}: {self.failed}" if self.failed else NOTHING)
        ratio, number, share = seconds.sum() / weight.sum(), len(seconds), weight.sum() / total
        squares = ((seconds - ratio * weight) ** 2).sum() * max(0.0, 1 - share) * number / max(1, number - 1)
        spread = 2 * math.sqrt(squares) / seconds.sum() if ratio else 0.0
        if number < FEW and share < 1:
            spread = max(spread, 1.0)  # so few units say little of how others differ
        found = Cost.about(float(ratio) * total, math.hypot(spread, NOISE))
        return attrs.evolve(found, low=max(found.low, min(found.expected, sum(self.seconds))))


def recording(
    spec: RunSpec, tally: Tally, rows: str, values: bool, ranks: int, *, single: bool
) -> tuple[Cost, int]:
    """Return the CPU seconds and the bytes of a run of `ranks` ranks, with its record.

    Args:
        spec: the run.
        tally: what its units take.
        rows: which candidates get rows.
        values: whether values are kept, and not only their counts.
        ranks: number of ranks to do.
        single: whether each is a unit of its own.
    """
    metrics = [metric.kind for metric in spec.metrics]
    chunk_size = 1 if single else chunk_size_for(spec.metrics, spec.filter is not None)
    units = ranks if single else 1 + tally.seconds.expected / UNIT_SECONDS
    chunks = units if spec.objective is not None else math.ceil(ranks / chunk_size)
    chunks *= len(metrics) + (spec.filter is not None)
    recorded = tally.evaluated if spec.objective is None else 0.0  # else the few best ones
    cells, bits = recorded * len(metrics), recorded * metrics.count("bool")
    seconds = RUN_SECONDS + RECORD_SECONDS * (units + chunks)
    seconds += VALUE_SECONDS * (cells - bits) + BIT_SECONDS * bits
    size = RUN_BYTES + UNIT_BYTES * units + CHUNK_BYTES * chunks
    if rows == "all" and spec.objective is None:
        generator = make_generator(registry(), spec.space)
        edits = recorded if isinstance(generator, EditedContent) else 0.0
        seconds += ROW_SECONDS * (cells + 3 * edits)
        size += cells * (ROW_BYTES + spec.stop.bit_length() / 8) + EDIT_BYTES * edits
        size += recorded * sum(VALUE_BYTES[kind] for kind in metrics)
    return tally.seconds + Cost.about(seconds), round(size + values * tally.data)


def data_bytes(results: Sequence[UnitResult], metrics: Sequence[Metric]) -> float:
    """Return the bytes of what units record, as if they were one chunk: small pieces compress badly."""
    size = 0.0
    for result in results:
        size += sum(SOLUTION_BYTES + len(actions) for _, _, actions in result.solutions)
        size += 0 if result.prunings is None else PRUNING_BYTES * len(result.prunings.start)
        size += sum(len(chunk.data) for chunk in result.chunks if chunk.column == EVALUATED)
    for metric in metrics:
        chunks = [chunk for result in results for chunk in result.chunks if chunk.column == metric.name]
        values = [decode_chunk(chunk) for chunk in chunks]
        if any(map(len, values)):
            size += len(encode_metric(metric, 0, sum(map(len, values)), np.concatenate(values), None).data)
            size += sum(len(chunk.status or b"") for chunk in chunks)
    return size
