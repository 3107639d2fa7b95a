"""How much work a run is: the processor tells it, not the clock of a machine that does other things."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from epcg_core.chunks.blocks import Block
from epcg_core.domain import Evaluation
from epcg_core.execution.apart import WAITING, Worked
from epcg_core.runs.units import measured, pace


class Clocks:
    """A machine that gives this process a part of its time, or that waits for another program."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, tells: bool = False) -> None:
        """Begin; the system `tells` how long this process waits for a processor, or does not."""
        self.cpu = self.wall = 100.0
        self.delayed, self.tells = 0.0, tells
        monkeypatch.setattr("epcg_core.execution.apart.kept_waiting", lambda: self.delayed)
        for name, told in (("process_time", "cpu"), ("monotonic", "wall"), ("perf_counter", "wall")):
            monkeypatch.setattr(f"time.{name}", lambda told=told: getattr(self, told))

    def work(self, cpu: float, wall: float) -> None:
        self.cpu += cpu
        self.wall += wall
        self.delayed += wall - cpu if self.tells else 0.0


def test_work_is_counted_by_the_processor_whatever_the_clock_says(monkeypatch: pytest.MonkeyPatch) -> None:
    clocks = Clocks(monkeypatch)
    for cpu, wall, seconds in (
        (1.5, 6.0, 1.5),
        (1.5, 1.5, 1.5),
        (0.0, 5.0, 5.0),
        (0.6, 5 * WAITING, 25.0),
        (2.0, 5 * WAITING, 5.0),
    ):
        worked = Worked()
        clocks.work(cpu, wall)
        assert worked.seconds == pytest.approx(seconds)


def test_the_pace_of_a_run_does_not_depend_on_what_else_the_machine_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So it is not by chance that a script without a main guard needs worker processes."""
    paces = []
    for share, tells in ((1.0, False), (0.25, False), (0.01, True)):
        clocks = Clocks(monkeypatch, tells=tells)

        def solve(start: int, count: int, share: float = share, clocks: Clocks = clocks) -> Block:
            clocks.work(count / 1000, count / 1000 / share)
            return Block(start, count, Evaluation([]))

        def measure(start: int, count: int, limit: float, solve: Any = solve) -> float:
            return measured(solve, SimpleNamespace(metrics=()), start, count)  # type: ignore[arg-type]

        paces.append(pace(SimpleNamespace(start=0, stop=10_000), measure, True, None))  # type: ignore[arg-type]
    assert paces == [pytest.approx(1000.0)] * 3
