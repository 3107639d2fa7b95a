"""Records of runs in the database, as frozen values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from epcg_core.domain import WHOLE, Metric, Omission, Reading
from epcg_core.plugins.sources import Sources


@attrs.frozen
class Sample:
    """A sample of a run's ranks: its size, and the seed that it is drawn with (`epcg_core.runs.sampling`)."""

    size: int
    seed: int | None = None
    """None asks for the seed that follows from the run's space; a recorded sample always has a seed."""
    by: int = 0
    """The number of first items that the states of a stratum share; 0 of a sample without strata."""
    cuts: tuple[int, ...] = attrs.field(default=(), repr=False)
    """The first rank of each stratum but the first (see `epcg_core.runs.strata`)."""


@attrs.frozen
class Part:
    """One of several parts of a run, which are computed into databases of their own and merged."""

    index: int
    """From 1."""
    of: int

    def __str__(self) -> str:
        return f"{self.index}/{self.of}"

    def limits(self, run: RunRecord) -> tuple[int, int]:
        """Return (first rank, one past the last) of a recorded run's part."""
        return self.within(run.start, run.stop, run.unit_size)

    def within(self, start: int, stop: int, size: int) -> tuple[int, int]:
        """Return (first rank, one past the last): units in equal shares, in the order of the ranks.

        `size` is the number of ranks in a unit of the run over start .. stop - 1.
        """
        first = start // size
        units = -(-stop // size) - first
        low, high = (first + units * number // self.of for number in (self.index - 1, self.index))
        return max(start, low * size), max(start, min(stop, high * size))


@attrs.frozen
class RunRecord:
    """A run as it is recorded."""

    id: int
    identity: str
    space: str
    domain: str
    search: str
    spec: dict[str, Any]
    layer: int | None
    start: int
    stop: int
    max_rank: int
    unit_size: int
    chunk_size: int
    state: str
    rows: str
    evaluated: int
    pruned: int
    excluded: int
    cpu_seconds: float
    digest: str | None
    created_at: str
    finished_at: str | None
    request: str | None = None
    """The request (see `RunSpec.request`)."""
    sources: Sources | None = None
    """The source files that it was computed with; None if it is older than their record."""
    kept_values: str = "all"
    """The values that it keeps: 'all', 'counts' (sums, distributions and digests) or 'none' (dropped)."""
    solutions: bool = False
    """Whether the solutions that its search found are part of its digests."""
    sample: Sample | None = None
    """The sample that the run began with."""
    part: Part | None = None
    """The part of the run that is computed here; None for all of it."""
    merged_of: int | None = None
    """The number of parts that the run is, or was, merged of; None if it was computed in one piece."""
    again_of: int | None = None
    """The earlier run beside which it was computed again."""
    omission: Omission | None = None
    """The content that the generator's params excluded from the space."""
    reading: Reading = WHOLE
    """How the texts were read from which the space's content comes; of a space of no texts, as whole."""
    files: dict[str, str] = attrs.field(factory=dict)
    """The absolute path of each file or folder that its params name, when the run was begun."""
    imported: dict[str, dict[str, Any]] = attrs.field(factory=dict)
    """Where each imported metric is from, by its name (see `epcg_core.store.imported`)."""

    @property
    def candidates(self) -> int:
        return self.stop - self.start

    @property
    def done(self) -> bool:
        return self.state == "done"

    @property
    def versions(self) -> list[str]:
        """'distribution version' of each plugin that it was computed with."""
        return sorted(self.spec["versions"])

    def difference(self, sources: Sources, versions: Iterable[str]) -> str:
        """Say how the code that the run was computed with differs from other code; '' if it does not.

        Versions count only if the run's sources are unknown.
        """
        if self.sources is not None:
            found = self.sources.difference(sources)
            return f"other sources ({found})" if found else ""
        if self.versions == sorted(versions):
            return ""
        return f"{', '.join(self.versions)}, and installed is {', '.join(sorted(versions))}"

    @property
    def extent(self) -> tuple[int, int]:
        """(first rank, one past the last) of what is computed here: the run, or its part."""
        return (self.start, self.stop) if self.done or self.part is None else self.part.limits(self)

    @property
    def population(self) -> int:
        """The number of ranks in `extent`, from which a sample is drawn."""
        low, high = self.extent
        return high - low

    @property
    def is_sample(self) -> bool:
        """Whether nothing is recorded but a whole sample, drawn evenly, so that it speaks for the run."""
        return self.is_only_drawn and self.sample is not None and not self.sample.by

    @property
    def is_only_drawn(self) -> bool:
        """Whether nothing is recorded but a whole sample, with strata or without."""
        if self.done or self.sample is None:
            return False
        return self.evaluated + self.excluded == self.sample.size

    @property
    def so_far(self) -> str:
        """The part looked at by an unfinished run: '40 of 5,000 candidates, drawn by chance'; '' if all."""
        if self.done:
            return ""
        number = self.evaluated + self.pruned + self.excluded
        how = ", drawn by chance" if self.is_sample else " so far"
        return f"{number:,} of {self.population:,} candidates{how}"

    @property
    def dropped(self) -> bool:
        """Whether its values were dropped when they had served; units, counts and digests stay."""
        return self.kept_values == "none"

    @property
    def counted(self) -> bool:
        """Whether only counts, distributions and digests of its values are recorded."""
        return self.kept_values == "counts"

    def unit_at(self, rank: int) -> tuple[int, int]:
        """Return (start, count) of the unit that holds a rank."""
        start = rank // self.unit_size * self.unit_size
        low, high = max(self.start, start), min(self.stop, start + self.unit_size)
        return low, high - low

    @property
    def coverage(self) -> str:
        """'exhaustive', 'semi-exhaustive' (something was left out) or 'partial' (not finished)."""
        if not self.done:
            return "partial"
        left_out = self.excluded or (self.pruned and "objective" not in self.spec)
        whole = self.candidates == self.max_rank and not left_out and self.omission is None
        return "exhaustive" if whole else "semi-exhaustive"


@attrs.frozen
class MetricRecord:
    """A column of a run: a metric, or a reserved column with `metric` None."""

    id: int
    name: str
    metric: Metric | None


@attrs.frozen
class InputRecord:
    """Something that a run read."""

    role: str
    """Its name within the run; no two inputs of a run have the same."""
    kind: str
    """'run', 'library', 'file' or 'part'."""
    run: int | None
    """The run that it is, or was chosen from, if that is in the database."""
    digest: str | None
    """The digest of a run, or of a library's run; of a file as in the params; of the units of a part."""
    source: str = ""
    """The name of the space or of the file that it is from."""
    choice: str | None = None
    """The rules by which a library was chosen of its run, as JSON; None if they are not known."""


@attrs.frozen
class UnitRecord:
    """A finished unit of a run."""

    start: int
    count: int
    evaluated: int
    pruned: int
    excluded: int
    seconds: float
    digest: bytes
