"""A unit that never ends, and one that needs more memory than there is: named, and the run goes on later."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from epcg_core.base.errors import OutOfMemoryError, UnitTimeoutError
from epcg_core.runs.coordinator import Options, execute
from epcg_core.store import Store
from tests.forks.forked import Coordinators
from tests.processes import Said
from tests.whole.faults.place import Faults, only_sentences
from tests.workplace import ask_sql, recorded

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="counts processes and limits their memory")

SIZE, UNIT = 1000, 64
BAD = 900
FIRST, LAST = BAD // UNIT * UNIT, BAD // UNIT * UNIT + UNIT - 1
"""The unit of the bad rank."""
MANY = 8 << 30


def _whole(place: Faults, evaluator: str) -> Path:
    """The same run where nothing went wrong."""
    whole = place.folder.parent / "whole.db"
    place.run(place.query(evaluator, size=SIZE, more='[record]\nrows = "all"'), database=whole)
    return whole


def _mended(place: Faults, coordinators: Coordinators, whole: Path) -> None:
    """Once the evaluator is mended, the run goes on and ends like one where nothing went wrong."""
    again = coordinators.run("resume", 1, "--quiet")
    assert again.exit_code == 0, again.stderr
    assert recorded(place.database) == recorded(whole)


def _stopped(place: Faults, said: Said, sentence: str, units: int | None = None) -> None:
    """Exit code 3, the sentence, how to go on; and all that was finished is recorded."""
    assert said.exit_code == 3, said.stderr
    assert sentence in said.stderr, said.stderr
    assert "go on with: epcg resume 1 --db epcg.db" in said.stderr
    assert only_sentences(said.stderr), said.stderr
    assert ask_sql(place.database, "SELECT state FROM run") == [("stopped",)]
    starts = {start for (start,) in ask_sql(place.database, "SELECT start FROM unit")}
    assert FIRST not in starts
    if units is not None:
        assert starts >= {start * UNIT for start in range(units)}


# --- a unit that never ends


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("executor", "workers"),
    [("processes", 2), ("threads", 2), ("serial", 1), pytest.param(None, None, marks=pytest.mark.slow)],
)
def test_a_unit_that_never_ends_is_named_and_the_run_stops(
    place: Faults, coordinators: Coordinators, executor: str | None, workers: int | None
) -> None:
    query = place.file("stuck", size=SIZE, more='[record]\nrows = "all"')
    how = () if executor is None else ("--executor", executor, "--workers", workers)
    said = coordinators.run(
        "run", query, *how, "--unit-timeout", 0.6, "--quiet", EPCG_TEST_STUCK=BAD, EPCG_TEST_UNIT=UNIT
    )
    sentence = (
        f"Error: Ranks {FIRST} to {LAST} took longer than 0.6 s, the time limit of a unit (--unit-timeout): "
        "raise the limit, or let the evaluator give up by itself (LimitReachedError)."
    )
    _stopped(place, said, sentence, FIRST // UNIT if executor == "serial" else 5)
    _mended(place, coordinators, _whole(place, "stuck"))


def test_trying_how_fast_candidates_are_has_the_limit_too(place: Faults, coordinators: Coordinators) -> None:
    """The middle of the range is evaluated before a run is made, to learn how large its units should be."""
    query = place.file("stuck", size=SIZE, more='[record]\nrows = "all"')
    said = coordinators.run(
        "run", query, "--executor", "serial", "--unit-timeout", 0.3, "--quiet", EPCG_TEST_STUCK=SIZE // 2
    )
    assert said.exit_code == 3
    assert "took longer than 0.3 s, the time limit of a unit" in said.stderr
    assert only_sentences(said.stderr), said.stderr


def test_units_within_the_limit_are_left_alone(place: Faults) -> None:
    whole = _whole(place, "mixed")
    for number, executor in enumerate(("serial", "threads")):
        database = place.folder / f"{number}.db"
        with Store.open(database, write=True) as store:
            query = place.query("mixed", size=SIZE, more='[record]\nrows = "all"')
            execute(query, store, Options(executor, 2, quiet=True, unit_timeout=60))
        assert recorded(database) == recorded(whole)


def test_a_thread_that_is_left_behind_does_not_keep_the_program(
    place: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_TEST_STUCK", str(BAD))
    query = place.query("stuck", size=SIZE)
    try:
        with (
            Store.open(place.database, write=True) as store,
            pytest.raises(UnitTimeoutError, match=r"took longer than 0\.2 s"),
        ):
            execute(query, store, Options("threads", 1, quiet=True, unit_timeout=0.2))
        left = [thread for thread in threading.enumerate() if thread.name.startswith("epcg")]
        assert len(left) == 1
        assert all(thread.daemon for thread in left), "the program does not wait for it"
    finally:
        _let_go(place)


def _let_go(place: Faults) -> None:
    """End what turns in a left thread: it asks an object of the plugin for its rank."""
    import gc

    for found in gc.get_objects():
        if type(found).__name__ == "Stuck":
            found._rank = -1


# --- memory


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("executor", "on_error"),
    [("processes", "record"), ("serial", "record"),
     pytest.param("processes", "stop", marks=pytest.mark.slow), ("serial", "stop")],
)  # fmt: skip
def test_memory_that_runs_out_names_the_rank_and_is_never_recorded(
    place: Faults, coordinators: Coordinators, executor: str, on_error: str
) -> None:
    """Not as a candidate's error either: another computer would have had enough."""
    query = place.file("hungry", size=SIZE, more='[record]\nrows = "all"')
    said = coordinators.run(
        "run", query, "--executor", executor, "--workers", 1, "--quiet", "--on-error", on_error,
        EPCG_TEST_HUNGRY=f"{BAD}:{MANY}", EPCG_TEST_SPACE=MANY // 2, EPCG_TEST_UNIT=UNIT,
    )  # fmt: skip
    sentence = (
        f"Error: The evaluator faults:hungry ran out of memory at rank {BAD}: use fewer workers (--workers), "
        "or let it give up by itself (LimitReachedError)."
    )
    _stopped(place, said, sentence, FIRST // UNIT)
    assert ask_sql(place.database, "SELECT * FROM candidate") == []
    _mended(place, coordinators, _whole(place, "hungry"))


def test_memory_that_runs_out_outside_an_evaluator_names_the_unit(
    place: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    def greedy(*_: object) -> None:
        raise MemoryError

    place.cut(unit_size=UNIT)
    monkeypatch.setattr("epcg_core.runs.worker.unit_digest", greedy)
    with pytest.raises(
        OutOfMemoryError, match=f"^Ranks 0 to {UNIT - 1} could not be computed: memory ran out"
    ):
        place.run(place.query("mixed", size=SIZE))


@contextmanager
def _control_group(limit: int) -> Iterator[Path]:
    """A control group whose processes together may have `limit` bytes; else the system kills one of them."""
    base = Path("/sys/fs/cgroup")
    first = (base / "memory").is_dir()
    group = (base / "memory" if first else base) / f"epcg-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made here ({error.strerror})")
    try:
        try:
            if first:
                (group / "memory.limit_in_bytes").write_text(str(limit))
            else:
                (group / "memory.max").write_text(str(limit))
                (group / "memory.swap.max").write_text("0")
        except OSError as error:
            pytest.skip(f"no control group with a limit can be made here ({error.strerror})")
        yield group
    finally:
        group.rmdir()


@pytest.mark.slow
def test_a_worker_that_the_system_kills_for_its_memory_is_named(
    place: Faults, coordinators: Coordinators
) -> None:
    query = place.file("hungry", size=SIZE, more='[record]\nrows = "all"')
    with _control_group(700 << 20) as group:
        said = coordinators.run(
            "run", query, "--executor", "processes", "--workers", 1, "--quiet",
            EPCG_TEST_HUNGRY=f"{BAD}:{2 << 30}", EPCG_TEST_CGROUP=group, EPCG_TEST_UNIT=UNIT,
        )  # fmt: skip
    sentence = (
        f"Error: The worker process that computed ranks {FIRST} to {LAST} ended twice (killed by SIGKILL). "
        "Recorded values are kept: mend the cause (if memory ran out, use fewer workers or smaller units)"
    )
    _stopped(place, said, sentence, FIRST // UNIT)
    _mended(place, coordinators, _whole(place, "hungry"))
