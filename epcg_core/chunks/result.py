"""The result of a unit, as a worker hands it to the writer."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from epcg_core.chunks.codec import Chunk
from epcg_core.chunks.objective import Best
from epcg_core.domain import Prunings


@attrs.frozen(eq=False)
class UnitResult:
    """A finished unit, encoded by the worker that computed it."""

    start: int
    count: int
    evaluated: int
    excluded: int
    seconds: float
    """CPU seconds it took to compute and encode."""
    digest: bytes
    chunks: list[Chunk]
    errors: Sequence[tuple[int, str]] = ()
    limits: Sequence[tuple[int, str]] = attrs.field(default=(), kw_only=True)
    """(rank, reason) of candidates that were given up after a time."""
    pruned: int = 0
    replaces: int = 0
    """Number of its ranks that are recorded as sampled units, which it replaces."""
    prunings: Prunings | None = None
    best: Best | None = None
    """The best recorded candidate, if the run optimizes."""
    solutions: Sequence[tuple[int, int, str]] = ()
    """(rank, position, actions as JSON) of the solutions found; None if the search does not find
    solutions."""
    edges: int | None = None
    """Number of edges that a graph search visited."""
