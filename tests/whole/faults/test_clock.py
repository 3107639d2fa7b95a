"""A clock that jumps by hours, forward and back, while a run records: only timestamps depend on it."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from epcg_core.execution import Progress
from epcg_core.execution.progress import numbers
from epcg_core.store.writer import FLUSH_SECONDS
from tests.forks.forked import Coordinators, need_faulty_disk, preloaded
from tests.processes import Watch
from tests.whole.faults.place import Faults
from tests.workplace import ask_sql, recorded

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="preloads a library")

SIZE, UNIT = 4_000, 64
HOURS = 5 * 3600
ROWS = '[record]\nrows = "all"'


def _whole(place: Faults) -> Path:
    whole = place.folder.parent / "whole.db"
    place.run(place.query("mixed", size=SIZE, more=ROWS), database=whole)
    return whole


@pytest.mark.slow
@pytest.mark.parametrize("executor", ["serial", pytest.param("processes", marks=pytest.mark.slow)])
def test_a_wall_clock_that_jumps_changes_nothing_but_timestamps(
    place: Faults, coordinators: Coordinators, executor: str
) -> None:
    """Set back by five hours after the third commit, then forward by ten."""
    need_faulty_disk()
    query, clock = place.file("mixed", size=SIZE, more=ROWS), place.folder.parent / "clock"
    clock.write_text("0")
    running = coordinators.start(
        "run", query, "--executor", executor, "--workers", 2,
        LD_PRELOAD=preloaded(), EPCG_TEST_CLOCK=clock, EPCG_TEST_UNIT=UNIT, EPCG_TEST_BREATH=0.01,
    )  # fmt: skip
    watch = Watch(place.database)
    for units, seconds in ((3, -HOURS), (20, HOURS)):
        while running.alive and watch.state()[0] < units:
            time.sleep(0.005)
        clock.write_text(str(seconds))
    said = running.ended()
    assert said.exit_code == 0, said.stderr
    assert recorded(place.database) == recorded(_whole(place))
    ((hours,),) = ask_sql(
        place.database, "SELECT (julianday(finished_at) - julianday(created_at)) * 24 FROM run"
    )
    assert 4.9 < hours < 5.2, "the clock did jump"
    ((cpu,),) = ask_sql(place.database, "SELECT cpu_seconds FROM run")
    assert 0 < cpu < 600
    progress = [json.loads(line) for line in said.stderr.splitlines() if line.startswith("{")]
    assert progress[-1]["done"] == SIZE
    assert 0 <= progress[-1]["elapsed_s"] < 600


@pytest.mark.parametrize("seconds", [-HOURS, pytest.param(HOURS, marks=pytest.mark.slow)])
def test_a_monotonic_clock_that_jumps_changes_nothing(
    place: Faults, coordinators: Coordinators, seconds: int
) -> None:
    """It must not; machines that were moved or slept have shown clocks that do."""
    query = place.file("mixed", size=SIZE, more=ROWS)
    said = coordinators.run("run", query, "--executor", "serial", EPCG_TEST_TICK=seconds, EPCG_TEST_UNIT=UNIT)
    assert said.exit_code == 0, said.stderr
    assert "Traceback" not in said.stderr
    assert recorded(place.database) == recorded(_whole(place))


def test_a_writer_flushes_also_after_the_clock_went_back(
    place: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else nothing would be recorded until the clock is where it was: for hours."""
    from epcg_core.store import writer

    wrong = [0.0]
    true = writer.time.monotonic
    write, written = writer.UnitWriter._write, []
    monkeypatch.setattr(writer.time, "monotonic", lambda: true() + wrong[0])
    monkeypatch.setattr(writer, "FLUSH_SECONDS", FLUSH_SECONDS * 1000)
    place.cut(unit_size=UNIT)

    def counted(*arguments: Any) -> None:
        write(*arguments)
        written.append(len(written))

    add = writer.UnitWriter.add

    def jump(self: writer.UnitWriter, unit: writer.UnitResult) -> None:
        wrong[0] -= HOURS
        add(self, unit)

    monkeypatch.setattr(writer.UnitWriter, "_write", counted)
    monkeypatch.setattr(writer.UnitWriter, "add", jump)
    place.run(place.query("mixed", size=SIZE, more='[record]\nrows = "none"'))
    assert len(written) >= SIZE // UNIT


def _clock(*times: float) -> Callable[[], float]:
    left = list(times)
    return lambda: left.pop(0) if len(left) > 1 else left[0]


@pytest.mark.parametrize("times", [(100.0, 101.0, -HOURS), (100.0, 101.0, 100.0 + HOURS)])
def test_progress_says_nothing_impossible(times: tuple[float, ...]) -> None:
    progress = Progress("x", 1000, quiet=True, clock=_clock(*times))
    with progress:
        progress.advance(500)
        assert progress.elapsed_s >= 0
        assert progress.eta_s is None or progress.eta_s >= 0
        assert "-" not in numbers(progress)
