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
    """None asks for the seed that follows from the run's request; a recorded sample always has a seed."""


@attrs.frozen
class Part:
    """One of several parts of a run, which are computed into databases of their own and merged."""

    index: int
    """From 1."""
    of: int

    def __str__(self) -> str:
        return f"{self.index}/{self.of}"

    def limits(self, run: RunRecord) -> tuple[int, int]:
        """Return (first rank, one past the last): units in equal shares, in the order of the ranks."""
        first, size = run.start // run.unit_size, run.unit_size
        units = -(-run.stop // size) - first
        low, high = (first + units * number // self.of for number in (self.index - 1, self.index))
        return max(run.start, low * size), max(run.start, min(run.stop, high * size))


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
    """What was asked for (see `RunSpec.request`)."""
    sources: Sources | None = None
    """The source files that it was computed with; None if it is older than their record."""

    @property
    def candidates(self) -> int:
        return self.stop - self.start

    @property
    def done(self) -> bool:
        return self.state == "done"

    @property
    def omission(self) -> Omission | None:
        """The content that the generator's params excluded from the space."""
        data = self.spec.get("left_out")
        return None if data is None else Omission(**data)

    @property
    def reading(self) -> Reading:
        """How the texts were read from which the space's content comes; of a space of no texts, as whole."""
        data = self.spec.get("reading")
        return WHOLE if data is None else Reading(**data)

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
    def sample(self) -> Sample | None:
        """The sample that the run began with."""
        data = self.spec.get("sample")
        return None if data is None else Sample(data["size"], data["seed"])

    @property
    def so_far(self) -> str:
        """What an unfinished run has looked at, as '40 of 5,000 candidates, drawn by chance'; '' if all."""
        if self.done:
            return ""
        number = self.evaluated + self.pruned + self.excluded
        drawn = self.sample is not None and number == self.sample.size
        how = ", drawn by chance" if drawn else " so far"
        return f"{number:,} of {self.candidates:,} candidates{how}"

    @property
    def part(self) -> Part | None:
        """The part of the run that is computed here; None for all of it."""
        data = self.spec.get("part")
        return None if data is None else Part(data["index"], data["of"])

    @property
    def merged_of(self) -> int | None:
        """The number of parts that the run is, or was, merged of; None if it was computed in one piece."""
        return self.spec.get("merged_of")

    @property
    def dropped(self) -> bool:
        """Whether its values were dropped when they had served; units, counts and digests stay."""
        return bool(self.spec.get("dropped", False))

    @property
    def counted(self) -> bool:
        """Whether only counts, distributions and digests of its values are recorded."""
        return bool(self.spec.get("values") == "counts")

    @property
    def imported(self) -> dict[str, dict[str, Any]]:
        """Where each imported metric is from, by its name (see `epcg_core.store.imported`)."""
        return dict(self.spec.get("imported", {}))

    @property
    def files(self) -> dict[str, str]:
        """The absolute path of each file or folder that its params name, when the run was begun."""
        return dict(self.spec.get("files", {}))

    @property
    def solutions(self) -> bool:
        """Whether the solutions that its search found are part of its digests."""
        return bool(self.spec.get("solutions", False))

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
class UnitRecord:
    """A finished unit of a run."""

    start: int
    count: int
    evaluated: int
    pruned: int
    excluded: int
    seconds: float
    digest: bytes
