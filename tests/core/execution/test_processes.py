"""Worker processes under real faults: killed, crashed, interrupted, orphaned."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from epcg_core.base.errors import WorkerDiedError
from epcg_core.execution import Unit, WorkFailedError, make_executor
from epcg_core.execution.executor import UNITS_PER_WORKER
from epcg_core.execution.processes import ProcessExecutor
from epcg_core.execution.worker import WORKER_READY
from epcg_core.execution.worker_process import WorkerProcess, stop_workers
from tests.core.execution.conftest import ROOT
from tests.core.execution.works import (
    AwkwardError,
    BrokenSetUp,
    Dies,
    Endless,
    Fails,
    Heavy,
    Patient,
    Squares,
    Unpicklable,
    Warns,
    WhoComputes,
    square_sum,
    tiles,
    wait_until,
)
from tests.processes import no_workers, running, workers_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kills processes and reads /proc")


@pytest.fixture
def executor() -> Iterator[ProcessExecutor]:
    with ProcessExecutor(2) as made:
        yield made


def _exists(pid: int) -> bool:
    return any(pid == found for found, _, _ in running())


def _group(leader: int) -> set[int]:
    return {pid for pid, _, group in running() if group == leader}


@pytest.fixture(autouse=True)
def _workers_of_others() -> None:
    """Leave out workers that another module keeps: one process may run its tests in between."""
    no_workers.update(workers_of(os.getpid()))


def _workers() -> set[int]:
    """The worker processes of this process, seen by the system."""
    return {*workers_of(os.getpid())}


@contextmanager
def _coordinator(folder: Path, workers: int = 2) -> Iterator[subprocess.Popen[str]]:
    """A coordinator that never ends by itself, as the leader of a group of processes of its own."""
    command = [sys.executable, "-m", "tests.core.execution.coordinator", str(folder), str(workers)]
    process = subprocess.Popen(command, cwd=ROOT, start_new_session=True, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _busy(folder: Path) -> list[int]:
    """The ids of both workers of a coordinator, as soon as both compute."""
    wait_until(lambda: len(Endless(folder).pids()) == 2, "two busy workers")
    return Endless(folder).pids()


# --- workers that die


def test_the_units_of_a_killed_worker_are_done_again(executor: ProcessExecutor, tmp_path: Path) -> None:
    units = list(tiles(20, 10))
    found = list(executor.results(Dies((73,), 1, tmp_path), units))
    assert (tmp_path / "73-0").exists()
    assert sorted(found) == [(unit, square_sum(unit)) for unit in units]


def test_several_units_may_each_lose_a_worker(executor: ProcessExecutor, tmp_path: Path) -> None:
    units = list(tiles(12, 10))
    found = list(executor.results(Dies((0, 11, 22, 55, 119), 1, tmp_path), units))
    assert len(list(tmp_path.iterdir())) == 5
    assert sorted(found) == [(unit, square_sum(unit)) for unit in units]


def test_a_unit_that_kills_its_worker_twice_is_named(executor: ProcessExecutor, tmp_path: Path) -> None:
    delivered = []
    message = r"computed ranks 70 to 79 ended twice \(killed by SIGKILL\)"
    with pytest.raises(WorkerDiedError, match=message) as e:  # noqa: PT012  (what came before counts, too)
        for unit, _ in executor.results(Dies((73,), 2, tmp_path), tiles(20, 10)):
            delivered.append(unit)
    assert e.value.exit_code == 3
    assert "Recorded values are kept" in str(e.value)
    assert "epcg resume" in str(e.value)
    assert len(set(delivered)) == len(delivered)
    assert Unit(70, 10) not in delivered
    assert {Unit(start, 10) for start in range(0, 70, 10)} <= set(delivered)


def test_workers_may_be_killed_from_outside_at_any_time(executor: ProcessExecutor, tmp_path: Path) -> None:
    units = list(tiles(400, 10))
    found: list[Unit] = []
    victims: list[int] = []
    for unit, (pid, _) in executor.results(WhoComputes("PATH"), units):
        found.append(unit)
        if len(found) == 4:
            victims.append(pid)
            os.kill(pid, signal.SIGKILL)
        elif len(victims) == 1:  # the second dies at another unit: one that loses two ends the run
            if set(units[: 4 + 2 * UNITS_PER_WORKER]) <= set(found):
                victims.append(pid)
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)
    assert len(victims) == 2
    assert sorted(found) == units


def test_a_worker_killed_while_it_is_set_up_is_replaced(executor: ProcessExecutor, tmp_path: Path) -> None:
    found = list(executor.results(BrokenSetUp("dies once", tmp_path), tiles(6, 10)))
    assert (tmp_path / "set-up").exists()
    assert [unit for unit, _ in sorted(found)] == list(tiles(6, 10))


def test_a_set_up_that_always_kills_the_worker_ends_the_run(
    executor: ProcessExecutor, tmp_path: Path
) -> None:
    with pytest.raises(
        WorkerDiedError, match=r"again and again while they were set up \(killed by SIGKILL\)"
    ):
        list(executor.results(BrokenSetUp("dies", tmp_path), tiles(6, 10)))


def test_half_a_result_of_a_killed_worker_is_no_result() -> None:
    worker = WorkerProcess()
    worker.give(Unit(5, 1), pickle.dumps(Heavy()))
    wait_until(worker.connection.poll, "the set-up")
    assert worker.receive() == (WORKER_READY, None)
    # The result does not fit into the pipe and nobody reads it: the worker is in the middle of sending it.
    wait_until(worker.connection.poll, "the beginning of the result")
    worker.process.kill()
    worker.process.join()
    assert worker.connection.poll()
    assert worker.receive() is None
    assert worker.closed
    assert worker.ending() == "killed by SIGKILL"


def test_a_script_without_a_guard_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "unguarded.py"
    script.write_text(
        "from epcg_core.base.errors import WorkerDiedError\n"
        "from epcg_core.execution import Unit, make_executor\n"
        "from tests.core.execution.works import Squares\n"
        "try:\n"
        "    list(make_executor('processes', 1).results(Squares(), [Unit(0, 3)]))\n"
        "except WorkerDiedError as error:\n"
        "    print(error)\n"
    )
    ran = subprocess.run(
        [sys.executable, script],
        env=os.environ | {"PYTHONPATH": ROOT},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 0
    assert 'needs `if __name__ == "__main__":`' in ran.stdout


# --- errors on their way home


def test_an_error_with_an_awkward_constructor_arrives_whole(executor: ProcessExecutor) -> None:
    with pytest.raises(AwkwardError, match=r"^the bridge costs 7") as raised:
        list(executor.results(Fails(5, "awkward"), tiles(3, 10)))
    assert raised.value.cost == 7
    assert any("in compute" in note for note in raised.value.__notes__)


def test_an_error_that_cannot_be_pickled_arrives_as_text(executor: ProcessExecutor) -> None:
    with pytest.raises(WorkFailedError, match=r"^LocalError: a local trouble") as raised:
        list(executor.results(Fails(5, "local"), tiles(3, 10)))
    assert raised.value.unit == Unit(0, 10)


def test_leaving_python_is_a_failure_of_the_unit(executor: ProcessExecutor) -> None:
    with pytest.raises(WorkFailedError, match=r"^Ranks 0 to 9 could not be computed: SystemExit: 3"):
        list(executor.results(Fails(5, "exit"), tiles(3, 10)))


def test_a_result_that_cannot_be_pickled_names_the_unit(executor: ProcessExecutor) -> None:
    with pytest.raises(
        WorkFailedError, match=r"^Ranks 30 to 39 could not be computed: .*(pickle|local object)"
    ):
        list(executor.results(Unpicklable(30), tiles(10, 10)))


def test_a_work_that_cannot_be_pickled_is_refused(executor: ProcessExecutor) -> None:
    class Local(Squares):
        pass

    with pytest.raises(WorkFailedError, match=r"^The work could not be set up: .*Local"):
        list(executor.results(Local(), tiles(3, 10)))


# --- sharing the work


def test_workers_share_the_units_and_inherit_the_environment(
    executor: ProcessExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_TEST_VARIABLE", "heather")
    found = [who for _, who in executor.results(WhoComputes("EPCG_TEST_VARIABLE"), tiles(200, 1))]
    assert {value for _, value in found} == {"heather"}
    pids = {pid for pid, _ in found}
    assert len(pids) == 2
    assert os.getpid() not in pids


def test_worker_processes_are_kept_for_the_next_work(executor: ProcessExecutor) -> None:
    list(executor.results(Squares(), tiles(20, 1)))
    kept = _workers()
    found = list(executor.results(WhoComputes("PATH"), tiles(20, 1)))
    assert {pid for _, (pid, _) in found} <= kept == _workers()


def test_no_more_workers_start_than_there_are_units() -> None:
    with make_executor("processes", 50) as executor:
        with closing(executor.results(Squares(), tiles(1, 10))) as results:
            next(results)
            assert len(_workers()) == 1
        assert list(executor.results(Squares(), tiles(1, 10))) == [(Unit(0, 10), 285)]


def test_no_unit_waits_behind_a_long_one_while_another_worker_is_idle(
    executor: ProcessExecutor, tmp_path: Path
) -> None:
    units = list(tiles(7, 10))
    found = []
    for unit, _ in executor.results(Patient(tmp_path), units):
        found.append(unit)
        if len(found) == len(units) - 1:
            (tmp_path / "others delivered").touch()
    assert found[-1] == units[0]
    assert sorted(found) == units


def test_large_results_arrive_whole(executor: ProcessExecutor) -> None:
    found = dict(executor.results(Heavy(), tiles(10, 1)))
    assert found == {unit: unit.start.to_bytes(8, "little") * 200_000 for unit in tiles(10, 1)}


def test_a_closed_executor_gives_no_more_results() -> None:
    with make_executor("processes", 2) as executor:
        results = executor.results(Squares(), tiles(10**9, 1))
        next(results)
    with pytest.raises(RuntimeError, match="the executor was closed"):
        list(results)


def test_two_works_at_a_time_are_refused(executor: ProcessExecutor) -> None:
    with closing(executor.results(Squares(), tiles(10, 1))) as results:
        next(results)
        with pytest.raises(RuntimeError, match="one work at a time"):
            next(executor.results(Squares(), tiles(10, 1)))


# --- the end


def test_closing_the_generator_stops_workers_that_compute(executor: ProcessExecutor, tmp_path: Path) -> None:
    work = Endless(tmp_path)
    results = executor.results(work, tiles(10**9, 10))
    assert next(results) == (Unit(0, 10), 0)
    wait_until(work.pids, "a busy worker")
    busy = work.pids()
    results.close()
    assert not any(_exists(pid) for pid in [*busy, *work.pids()])
    assert _workers() == set()


def test_an_error_in_the_loop_over_the_results_stops_the_workers(executor: ProcessExecutor) -> None:
    def consume() -> None:
        for _ in executor.results(Squares(), tiles(10**9, 10)):
            raise LookupError("the disk is full")

    with pytest.raises(LookupError):
        consume()
    assert _workers() == set()


def test_leaving_the_executor_ends_its_workers() -> None:
    with make_executor("processes", 2) as executor:
        list(executor.results(Squares(), tiles(20, 1)))
        assert _workers()
    assert _workers() == set()


def test_leaving_the_executor_ends_the_workers_of_an_open_generator() -> None:
    with make_executor("processes", 2) as executor:
        results = executor.results(Squares(), tiles(10**9, 1))
        next(results)
    assert _workers() == set()
    results.close()


@pytest.mark.sweep
@pytest.mark.parametrize("who", ["group", "coordinator"])
def test_an_interrupt_leaves_no_process_and_no_complaint(
    tmp_path: Path, interruptible: None, who: str
) -> None:
    with _coordinator(tmp_path) as process:
        workers = _busy(tmp_path)
        if who == "group":
            os.killpg(process.pid, signal.SIGINT)
        else:
            os.kill(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 3
        assert errors == ""
        assert not any(_exists(pid) for pid in workers)
        wait_until(lambda: not _group(process.pid), "the end of the group")


@pytest.mark.slow
def test_an_interrupt_while_workers_start_leaves_no_process_and_no_complaint(
    tmp_path: Path, interruptible: None
) -> None:
    with _coordinator(tmp_path, workers=8) as process:
        wait_until(lambda: len(_group(process.pid)) >= 4, "starting workers")
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 3
        assert errors == ""
        wait_until(lambda: not _group(process.pid), "the end of the group")


@pytest.mark.sweep
@pytest.mark.parametrize("with_signal", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_a_killed_coordinator(tmp_path: Path, with_signal: signal.Signals) -> None:
    with _coordinator(tmp_path) as process:
        workers = _busy(tmp_path)
        os.kill(process.pid, with_signal)
        process.wait(60)
        wait_until(lambda: not any(_exists(pid) for pid in workers), "the end of the workers")
        wait_until(lambda: not _group(process.pid), "the end of the group")


def test_a_worker_that_ignores_its_termination_is_killed() -> None:
    worker = WorkerProcess()
    pid = worker.process.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    stop_workers([worker])
    assert not _exists(pid)


def test_what_warns_in_a_worker_is_shown_by_the_coordinator(executor: ProcessExecutor) -> None:
    """So that each warning is shown once, however many processes give it."""
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        results = {unit.start: value for unit, value in executor.results(Warns(), tiles(3, 10))}
    assert results == {unit.start: square_sum(unit) for unit in tiles(3, 10)}
    told = {(str(warning.message), warning.category) for warning in shown}
    assert told == {
        (text.format(start), category)
        for start in (0, 10, 20)
        for text, category in (("ranks from {}", UserWarning), ("overflow at {}", RuntimeWarning))
    }
