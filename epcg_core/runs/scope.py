"""Select the units of a run that are computed: all, the ranks of a part, a sample, or a sample of a part.

A scope only says which units are handed out. Solving, recording and resuming know nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.execution import Unit
from epcg_core.runs.sampled_units import Known
from epcg_core.runs.sampling import batches, drawn_ranks, missing_ranks, with_samples
from epcg_core.runs.units import missing_units
from epcg_core.store import RunRecord
from epcg_core.store.records import Part, Sample, UnitRecord


@attrs.frozen
class Tasks:
    """The units that are left of a run, in a scope."""

    units: Iterator[Unit]
    total: int
    """The number of ranks in the scope."""
    done: int
    """How many of them are recorded."""


@attrs.frozen
class Scope:
    """The selected units of a run; all of them without a part and a sample."""

    part: Part | None = None
    sample: Sample | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the run is finished once everything in the scope is recorded."""
        return self.part is None and self.sample is None

    def within(self, record: RunRecord) -> Scope:
        """Return the scope without its sample if that is all there is to draw from."""
        low, high = record.extent
        enough = self.sample is not None and self.sample.size >= high - low
        return attrs.evolve(self, sample=None) if enough else self

    def tasks(
        self,
        record: RunRecord,
        finished: Sequence[UnitRecord],
        block: int,
        workers: int,
        read: Callable[[Unit, NDArray[np.int64]], Known],
    ) -> Tasks:
        """List what is left to compute.

        Args:
            record: the run.
            finished: its recorded units.
            block: the number of ranks that are solved in about the time of a unit.
            workers: the number of workers.
            read: the function that reads the recorded values of a unit's sampled ranks.
        """
        low, high = record.extent
        if self.sample is not None:
            ranks = missing_ranks(drawn_ranks(self.sample, low, high), finished)
            size = min(self.sample.size, high - low)
            return Tasks(batches(ranks, block, workers), size, size - len(ranks))
        singles = [u.start for u in finished if (u.start, u.count) != record.unit_at(u.start)]
        missing = missing_units(record, {unit.start: unit.count for unit in finished})
        inside = (unit for unit in missing if low <= unit.start < high)
        units = with_samples(read, inside, np.array(singles, np.int64))
        return Tasks(units, high - low, sum(unit.count for unit in finished))


WHOLE = Scope()
