"""What the database says of a run, as frozen values."""

from __future__ import annotations

from typing import Any

import attrs

from epcg_core.domain import Metric


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

    @property
    def candidates(self) -> int:
        return self.stop - self.start

    @property
    def done(self) -> bool:
        return self.state == "done"

    @property
    def coverage(self) -> str:
        """'exhaustive', 'semi-exhaustive' (something was left out) or 'partial' (not finished)."""
        if not self.done:
            return "partial"
        whole = self.candidates == self.max_rank and not self.excluded
        return "exhaustive" if whole else "semi-exhaustive"


@attrs.frozen
class MetricRecord:
    """A column of a run: a metric, or a reserved one whose `metric` is None."""

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
