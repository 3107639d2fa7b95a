"""A dask cluster under faults: coordinators, dask workers and their machines that leave, and late comers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

import attrs
import psutil
import pytest

from epcg_core.base.errors import EpcgError, PluginError, RunInterruptedError, WorkerDiedError
from epcg_core.execution import Unit, make_executor
from tests.cluster.dask_processes import ELSEWHERE, DaskProcesses
from tests.core.execution.conftest import ROOT
from tests.core.execution.works import (
    DEADLINE_S,
    Dies,
    Endless,
    Fails,
    Reads,
    Squares,
    Warns,
    square_sum,
    tiles,
    wait_until,
)
from tests.workplace import needs

if TYPE_CHECKING:
    from epcg_cluster.executor import ClusterExecutor  # imports dask

pytestmark = [
    needs("distributed", "dask is not installed: pip install epcg-cluster"),
    pytest.mark.skipif(sys.platform != "linux", reason="kills processes"),
    pytest.mark.slow,
]

WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "epcg_core":
            raise ModuleNotFoundError(f"No module named {name!r}")

sys.meta_path.insert(0, Missing())
"""
"""A preload: this worker has no EPCG."""
FULL = """
import errno
from epcg_cluster import worker

def reserve(path, size):
    raise OSError(errno.ENOSPC, "No space left on device")

worker.reserve = reserve
worker.machine = lambda: "another machine"
"""
"""A preload: this worker is elsewhere, and its disk is full."""


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[DaskProcesses]:
    with DaskProcesses(tmp_path / "dask") as processes:
        yield processes


def on(dask: DaskProcesses) -> ClusterExecutor:
    return cast("ClusterExecutor", make_executor("dask", scheduler=dask.address))


def preload(folder: Path, text: str) -> tuple[str, str]:
    path = folder / "preload.py"
    path.write_text(text)
    return "--preload", str(path)


def answers(count: int, size: int) -> list[tuple[Unit, int]]:
    return [(unit, square_sum(unit)) for unit in tiles(count, size)]


@attrs.frozen
class KillsItsDaskWorker:
    """Kills the dask worker, not only the worker process, at one unit: so many times."""

    at: int
    times: int
    folder: Path

    def set_up(self) -> Callable[[Unit], int]:
        return self.compute

    def compute(self, unit: Unit) -> int:
        killed = len(list(self.folder.glob("killed-*")))
        if unit.start == self.at and killed < self.times:
            (self.folder / f"killed-{killed}").touch()
            worker = next(p for p in psutil.Process().parents() if "forkserver" not in " ".join(p.cmdline()))
            worker.kill()
            wait_until(lambda: False, "the end of this process")
        return square_sum(unit)


# --- workers that leave, and others that come


def test_a_worker_that_its_nanny_starts_again_goes_on(dask: DaskProcesses, tmp_path: Path) -> None:
    """There is a moment without any worker; and processes under a nanny are daemons."""
    dask.scheduler()
    dask.worker("only", nanny=True)
    with on(dask) as executor:
        assert sorted(executor.results(KillsItsDaskWorker(100, 1, tmp_path), tiles(20, 10))) == answers(
            20, 10
        )
    assert (tmp_path / "killed-0").exists()


def test_a_unit_that_kills_dask_workers_is_named(dask: DaskProcesses, tmp_path: Path) -> None:
    dask.scheduler(DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0")
    dask.worker("only", nanny=True)
    found = []
    message = r"ranks 50 to 59 ended twice \(the dask worker has left\)"
    with on(dask) as executor, pytest.raises(WorkerDiedError, match=message) as raised:  # noqa: PT012
        for each in executor.results(KillsItsDaskWorker(50, 9, tmp_path), tiles(20, 10)):
            found.append(each)
    assert "epcg resume" in str(raised.value)
    assert set(found) <= set(answers(5, 10)) | set(answers(20, 10)[6:])
    assert len(list(tmp_path.glob("killed-*"))) == 2


def test_a_unit_that_kills_its_process_is_done_again_and_then_named(
    dask: DaskProcesses, tmp_path: Path
) -> None:
    dask.scheduler()
    workers = [dask.worker(name, threads=2) for name in ("first", "second")]
    with on(dask) as executor:
        assert sorted(executor.results(Dies((73, 110), 1, tmp_path), tiles(20, 10))) == answers(20, 10)
        (tmp_path / "again").mkdir()
        with pytest.raises(WorkerDiedError, match=r"ranks 70 to 79 ended twice \(killed by SIGKILL\)"):
            list(executor.results(Dies((73,), 2, tmp_path / "again"), tiles(20, 10)))
        assert sorted(executor.results(Squares(), tiles(20, 10))) == answers(20, 10)
    assert [worker.poll() for worker in workers] == [None, None]


def test_a_worker_that_is_told_to_leave_takes_no_unit_along(dask: DaskProcesses) -> None:
    dask.scheduler()
    leaving = dask.worker("leaving", threads=2)
    found = []
    with on(dask) as executor:
        for number, each in enumerate(executor.results(Squares(), tiles(300, 10))):
            found.append(each)
            if number == 30:
                dask.worker("staying")
                leaving.send_signal(signal.SIGTERM)
                leaving.wait(DEADLINE_S)
    assert sorted(found) == answers(300, 10)


def test_a_run_waits_for_workers_but_not_for_ever(
    dask: DaskProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("epcg_cluster.executor.NO_WORKERS_S", 2.0)
    dask.scheduler()
    only = dask.worker("only")
    with on(dask) as executor:
        results = executor.results(Squares(), tiles(10**6, 10))
        next(results)
        dask.kill(only)
        with pytest.raises(
            RunInterruptedError, match=r"has had no workers for 2 s\. Recorded values are kept"
        ):
            list(results)


def test_two_coordinators_share_a_cluster(dask: DaskProcesses) -> None:
    dask.scheduler()
    dask.worker("only", threads=2)
    with on(dask) as one, on(dask) as other:
        ours, theirs = (
            one.results(Squares(), tiles(50, 10)),
            other.results(Fails(10**9, "exit"), tiles(50, 7)),
        )
        found = [(next(ours), next(theirs)) for _ in range(50)]
        assert (list(ours), list(theirs)) == ([], [])
    assert sorted(first for first, _ in found) == answers(50, 10)
    assert sorted(second for _, second in found) == answers(50, 7)


# --- workers that cannot take part


def test_a_worker_without_epcg_is_named(dask: DaskProcesses, tmp_path: Path) -> None:
    dask.scheduler()
    dask.worker("bare", *preload(tmp_path, WITHOUT))
    with (
        on(dask) as executor,
        pytest.raises(PluginError, match=r"worker bare \(tcp://.* it has no epcg-core"),
    ):
        list(executor.results(Squares(), tiles(1, 1)))


def test_the_scheduler_needs_no_epcg(dask: DaskProcesses, tmp_path: Path) -> None:
    dask.scheduler(*preload(tmp_path, WITHOUT))
    dask.worker("only", "--preload", str(ELSEWHERE))
    with on(dask) as executor:
        assert len(list(executor.results(Reads(__file__), tiles(20, 1)))) == 20
        assert sorted(executor.results(Dies((73,), 1, tmp_path), tiles(20, 10))) == answers(20, 10)


def test_a_late_worker_without_epcg_gets_nothing_to_do(
    dask: DaskProcesses, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    dask.scheduler()
    dask.worker("whole")
    found = []
    with on(dask) as executor:
        for number, each in enumerate(executor.results(Squares(), tiles(100, 10))):
            found.append(each)
            if number == 5:
                dask.worker("bare", *preload(tmp_path, WITHOUT))
                wait_until(lambda: "bare" in caplog.text, "a word")
        assert sorted(executor.results(Squares(), tiles(100, 10))) == answers(100, 10)
    assert sorted(found) == answers(100, 10)
    assert caplog.text.count("It gets nothing to do.") == 1


def test_a_worker_without_room_for_tables_is_named(dask: DaskProcesses, tmp_path: Path) -> None:
    dask.scheduler()
    dask.worker("small", *preload(tmp_path, FULL))
    with (
        on(dask) as executor,
        pytest.raises(
            RunInterruptedError, match=r"worker small .* cannot hold the run's tables \(No space left"
        ),
    ):
        list(executor.results(Reads(__file__), tiles(3, 1)))
    assert dask.tables == []


def test_a_late_worker_without_room_for_tables_is_left_out(
    dask: DaskProcesses, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    dask.scheduler()
    dask.worker("large")
    pids = set()
    with on(dask) as executor:
        for number, (_, (_, _, pid)) in enumerate(executor.results(Reads(__file__), tiles(100, 1))):
            pids.add(pid)
            if number == 5:
                dask.worker("small", *preload(tmp_path, FULL))
                wait_until(lambda: "small" in caplog.text, "a word")
    assert "make room there, or give it another folder with `dask worker --local-directory`" in caplog.text
    assert len(pids) == 1


# --- coordinators that end


@pytest.mark.parametrize("with_signal", [signal.SIGINT, signal.SIGKILL])
def test_workers_elsewhere_stop_when_their_coordinator_ends(
    dask: DaskProcesses, tmp_path: Path, interruptible: None, with_signal: signal.Signals
) -> None:
    """They compute for ever: nothing but dask tells that the coordinator is gone."""
    dask.scheduler()
    worker = dask.worker("only", threads=2)
    command = [
        sys.executable,
        "-m",
        "tests.core.execution.coordinator",
        str(tmp_path),
        "2",
        "dask",
        dask.address,
    ]
    process = subprocess.Popen(command, cwd=ROOT, start_new_session=True, stderr=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: len(Endless(tmp_path).pids()) == 2, "two busy workers")
        os.kill(process.pid, with_signal)
        _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (3 if with_signal == signal.SIGINT else -9, "")
        wait_until(lambda: not any(map(psutil.pid_exists, Endless(tmp_path).pids())), "their end")
        assert worker.poll() is None
        with on(dask) as executor:
            assert sorted(executor.results(Squares(), tiles(20, 10))) == answers(20, 10)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def test_tables_are_removed_when_a_work_is_dropped(dask: DaskProcesses, tmp_path: Path) -> None:
    dask.scheduler()
    worker = dask.worker("only", "--preload", str(ELSEWHERE))
    with on(dask) as executor:
        results = executor.results(Reads(__file__), tiles(10**6, 1))
        next(results)
        assert [path.read_bytes() for path in dask.tables] == [Path(__file__).read_bytes()]
        results.close()
        wait_until(lambda: not dask.tables, "no tables")
    wait_until(lambda: not dask.computing(worker), "the end of its worker processes")


def test_errors_and_warnings_come_from_elsewhere(dask: DaskProcesses) -> None:
    dask.scheduler()
    dask.worker("only")
    with on(dask) as executor:
        with pytest.raises(EpcgError, match=r"^the bridge costs 7"):
            list(executor.results(Fails(5, "awkward"), tiles(3, 10)))
        with pytest.warns(UserWarning, match="ranks from 10"):
            list(executor.results(Warns(), tiles(3, 10)))
