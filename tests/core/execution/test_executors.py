"""What every executor promises."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from epcg_core.base.errors import (
    EpcgError,
    EvaluationError,
    ParamsError,
    RunInterruptedError,
    UnknownNameError,
)
from epcg_core.execution import Executor, Unit, Work, WorkFailedError, default_workers, make_executor
from tests.core.execution.works import DEADLINE_S, BrokenSetUp, Fails, Squares, square_sum, tiles, wait_until

NAMES = ["serial", "threads", "processes", "dask"]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Executor]:
    """One for all tests, which saves most of their time; so it is also tried after every failure."""
    pytest.importorskip("distributed", reason="dask is not installed: pip install epcg-cluster")
    with make_executor("dask", 2) as made:
        yield made


@pytest.fixture(params=NAMES)
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    if request.param == "dask":
        yield request.getfixturevalue("cluster")
        return
    with make_executor(request.param, 2) as made:
        yield made


def test_every_unit_comes_once_with_its_result(executor: Executor) -> None:
    units = [Unit(0, 3), *tiles(40, 100), Unit(4000, 1)]
    found = list(executor.results(Squares(), units))
    assert sorted(found) == sorted((unit, square_sum(unit)) for unit in units)


def test_no_units_no_results(executor: Executor) -> None:
    assert list(executor.results(Squares(), [])) == []


def test_equal_units_are_units_of_their_own(executor: Executor) -> None:
    assert list(executor.results(Squares(), [Unit(2, 2)] * 5)) == [(Unit(2, 2), 13)] * 5


def test_ranks_may_exceed_64_bits(executor: Executor) -> None:
    unit = Unit(10**30, 2)
    assert list(executor.results(Squares(), [unit])) == [(unit, square_sum(unit))]


def test_an_executor_does_one_work_after_the_other(executor: Executor) -> None:
    first = dict(executor.results(Squares(), tiles(10, 7)))
    second = dict(executor.results(Fails(10**9, "division"), tiles(10, 7)))
    assert first == second


def test_units_are_taken_lazily(executor: Executor) -> None:
    taken = 0

    def units() -> Iterator[Unit]:
        nonlocal taken
        for unit in tiles(10**12, 10):
            taken += 1
            yield unit

    with closing(executor.results(Squares(), units())) as results:
        assert taken == 0
        for delivered, _ in enumerate(results):
            assert delivered + 1 <= taken <= delivered + 2 * executor.workers
            if delivered == 50:
                break


def test_an_epcg_error_passes_through_as_it_is(executor: Executor) -> None:
    with pytest.raises(EvaluationError) as raised:
        list(executor.results(Fails(437, "evaluation"), tiles(20, 50)))
    assert str(raised.value) == "rank 437 has no colour"
    assert type(raised.value) is EvaluationError
    assert raised.value.rank == 437


def test_another_exception_names_the_ranks_and_keeps_the_traceback(executor: Executor) -> None:
    with pytest.raises(
        WorkFailedError, match=r"^Ranks 400 to 449 .* ZeroDivisionError: nothing to divide by"
    ) as raised:
        list(executor.results(Fails(437, "division"), tiles(20, 50)))
    assert raised.value.unit == Unit(400, 50)
    assert isinstance(raised.value, RunInterruptedError)
    assert "in compute" in raised.value.details
    assert "works.py" in raised.value.details


def test_after_a_failure_no_more_units_are_taken(executor: Executor) -> None:
    taken: list[Unit] = []

    def units() -> Iterator[Unit]:
        for unit in tiles(10**9, 10):
            taken.append(unit)
            yield unit

    delivered = 0
    with pytest.raises(EvaluationError):  # noqa: PT012  (what came before the error counts)
        for _ in executor.results(Fails(300, "evaluation"), units()):
            delivered += 1
    assert len(taken) <= delivered + 2 * executor.workers


@pytest.mark.parametrize("name", NAMES)
def test_what_was_finished_is_handed_out_before_the_error(name: str) -> None:
    delivered = []
    with make_executor(name, 1) as executor, pytest.raises(EvaluationError):  # noqa: PT012
        for unit, _ in executor.results(Fails(437, "evaluation"), tiles(20, 50)):
            delivered.append(unit)
    assert delivered[:8] == list(tiles(8, 50))
    assert Unit(400, 50) not in delivered


@pytest.mark.parametrize(
    ("how", "kind", "message"),
    [
        (
            "missing",
            WorkFailedError,
            "^The work could not be set up: FileNotFoundError: no such level: meadow",
        ),
        ("epcg", EpcgError, "^the table of layer 3 is not there"),
    ],
)
def test_a_failing_set_up_says_why(
    executor: Executor, tmp_path: Path, how: str, kind: type[EpcgError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        list(executor.results(BrokenSetUp(how, tmp_path), tiles(10, 10)))
    assert len(list(executor.results(Squares(), tiles(10, 10)))) == 10


def test_an_error_of_the_units_themselves_is_raised_as_it_is(executor: Executor) -> None:
    def units() -> Iterator[Unit]:
        yield Unit(0, 1)
        raise LookupError("the list of units is torn")

    with pytest.raises(LookupError, match="torn"):
        list(executor.results(Squares(), units()))


def test_closing_drops_the_units_that_threads_have_not_begun() -> None:
    begun: list[Unit] = []
    go_on = threading.Event()

    class Held:
        def set_up(self) -> Callable[[Unit], int]:
            return self.compute

        def compute(self, unit: Unit) -> int:
            begun.append(unit)
            if unit.start > 0:
                go_on.wait(DEADLINE_S)
            return unit.start

    work: Work[int] = Held()
    with make_executor("threads", 2) as executor:
        results = executor.results(work, tiles(10**9, 1))
        assert next(results) == (Unit(0, 1), 0)
        wait_until(lambda: len(begun) == 3, "two units that run while a third waits")
        threading.Timer(0.05, go_on.set).start()
        results.close()
        assert sorted(begun) == list(tiles(3, 1))
    assert not any(thread.name.startswith("epcg") for thread in threading.enumerate())


def test_the_work_is_set_up_once_in_each_thread() -> None:
    assert set(_set_ups("threads", 3)) <= {1, 2, 3}
    assert _set_ups("serial", 3) == [1]


def _set_ups(name: str, workers: int) -> list[int]:
    """The numbers of the set-ups whose functions computed something."""
    made = 0

    class Counting:
        def set_up(self) -> Callable[[Unit], int]:
            nonlocal made
            made += 1
            number = made
            return lambda unit: number

    work: Work[int] = Counting()
    with make_executor(name, workers) as executor:
        found = sorted({number for _, number in executor.results(work, tiles(60, 1))})
    assert made <= workers
    return found


@pytest.mark.parametrize("name", NAMES)
def test_executors_are_made_by_name(name: str) -> None:
    with make_executor(name, 3) as executor:
        assert executor.name == name
        assert executor.workers == (1 if name == "serial" else 3)


def test_the_default_is_a_worker_for_each_processor_that_may_be_used() -> None:
    with make_executor("threads") as executor:
        assert executor.workers == default_workers() >= 1
    if sys.platform == "linux" and sys.version_info < (3, 13):
        import os

        assert default_workers() == len(os.sched_getaffinity(0))


def test_an_unknown_executor_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"'proceses'\. Did you mean 'processes'"):
        make_executor("proceses", 2)


@pytest.mark.parametrize("name", NAMES)
def test_no_workers_is_no_number_of_workers(name: str) -> None:
    with pytest.raises(ParamsError, match="workers: 0 is not allowed"):
        make_executor(name, 0)


def test_units_read_as_ranks() -> None:
    assert str(Unit(1000, 1000)) == "ranks 1000 to 1999"
    assert str(Unit(5, 1)) == "rank 5"
