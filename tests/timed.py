"""Trials of dry runs whose candidates take known times, whatever the machine does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from epcg_core.execution import Unit
from epcg_core.runs import dry_run, trials
from epcg_core.runs.here import Here
from epcg_core.runs.sampled_units import SampledRanks


class Machine:
    """A clock that only the work on ranks moves on, each by a known time."""

    def __init__(self) -> None:
        self.now = 0.0
        self.cost: Callable[[int], float] = lambda rank: 0.001
        self.first = 0.0
        """What the first candidate takes longer."""
        self.units: list[Unit] = []

    def clock(self) -> float:
        return self.now

    def work(self, ranks: Iterable[int]) -> float:
        took, self.first = self.first + sum(map(self.cost, ranks)), 0.0
        self.now += took
        return took


def timed(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Let a machine's clock time the trials of dry runs."""
    machine = Machine()

    class Timed(Here):
        def measure(self, start: int, count: int, seconds: float) -> float:
            if count == 1:
                machine.work([start])  # as the probe does
            return machine.work(range(start, start + count))

        def compute(self, unit: Unit, chunk_size: int, seconds: float | None = None) -> Any:
            machine.units.append(unit)
            ranks = (
                unit.ranks if isinstance(unit, SampledRanks) else range(unit.start, unit.start + unit.count)
            )
            machine.work(ranks)
            return super().compute(unit, chunk_size, seconds)

    monkeypatch.setattr(trials, "Here", Timed)
    monkeypatch.setattr(trials, "working_seconds", machine.clock)
    monkeypatch.setattr(dry_run, "working_seconds", machine.clock)
    return machine
