"""kill -9 of the coordinator or of a worker, at any moment: nothing is lost, the digest is the same."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

from epcg_core.plugins.registry import registry
from epcg_core.query.query import load
from epcg_core.store import Store
from epcg_core.verification.verify import verify
from tests.forks.forked import Coordinator, Coordinators
from tests.processes import DEADLINE_S, Processes, Watch, wait_until
from tests.whole.faults.place import Faults
from tests.workplace import ask_sql, recorded

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kills processes and reads /proc")

SIZE, UNIT, PAUSE = 20_000, 128, 0.0003
KILLS = 10
SESSIONS = (("serial", 1), ("processes", 2), ("threads", 2), ("serial", 1), ("threads", 3))
"""A run may go on with another executor and another number of workers."""

LAYERS = """
name = "layers"
domain = "fling"
[generator]
name = "boards"
{board}
[search]
name = "retrograde"
[record]
rows = "none"
"""


def _finished(place: Faults, query: Path, database: Path) -> str:
    """Go on to the end, in this process; returns the digest."""
    digest = place.run(load(query), database=database).goal.digest
    assert digest is not None
    return digest


def _kill(process: Coordinator) -> None:
    """kill -9 of the coordinator alone; every process it had started must end by itself."""
    process.kill()
    assert process.ended().exit_code == -signal.SIGKILL


def _proven(database: Path) -> None:
    with Store.open(database) as store, store.reader() as reader:
        for run in reader.runs():
            report = verify(store, run.id, sample=50)
            assert report.passed, report


@pytest.mark.slow
def test_a_run_killed_ten_times_ends_like_one_that_was_not(place: Faults, coordinators: Coordinators) -> None:
    query = place.file("mixed", size=SIZE, more='[record]\nrows = "all"')
    whole = place.folder / "whole.db"
    digest = _finished(place, query, whole)

    moments = random.Random(20180713)
    watch = Watch(place.database)
    units = -(-SIZE // UNIT)
    done = 0
    for number in range(KILLS):
        executor, workers = SESSIONS[number % len(SESSIONS)]
        process = coordinators.start(
            "run", query, "--db", place.database, "--executor", executor, "--workers", workers, "--quiet",
            EPCG_TEST_UNIT=UNIT, EPCG_TEST_PAUSE=PAUSE,
        )  # fmt: skip
        watch.wait_for(done + moments.randint(1, units // KILLS // 2), process)
        time.sleep(moments.uniform(0.0, 0.05))
        _kill(process)
        before, (done, of, state) = done, watch.state()
        assert before < done < of == units, "the kill must fall between the first and the last commit"
        assert state == "running"
    assert _finished(place, query, place.database) == digest

    assert recorded(place.database) == recorded(whole)
    assert ask_sql(place.database, "SELECT count(*) FROM unit") == [(units,)]
    _proven(place.database)


@pytest.mark.parametrize(
    ("moment", "when"),
    [
        pytest.param("epcg_core.store.writer:create_run", 1, marks=pytest.mark.slow),
        pytest.param("epcg_core.store.writer:UnitWriter._write", 1, marks=pytest.mark.slow),
        pytest.param("epcg_core.store.writer:UnitWriter._insert_chunks", 3, marks=pytest.mark.slow),
        ("epcg_core.store.writer:insert_rows", 4),
        pytest.param("epcg_core.store.writer:merge_fragments", 1, marks=pytest.mark.slow),
        pytest.param("epcg_core.store.run_digest:run_digest", 1, marks=pytest.mark.slow),
        pytest.param("epcg_core.store.writer:finish_run", 1, marks=pytest.mark.slow),
        pytest.param("epcg_core.runs.keep:save_kept", 1, marks=pytest.mark.slow),
    ],
)
def test_a_kill_in_the_middle_of_a_transaction_leaves_nothing_by_halves(
    place: Faults, coordinators: Coordinators, moment: str, when: int
) -> None:
    more = '[record]\nrows = "all"\n[[select]]\nmetric = "weight"\ncount = 3'
    query = place.file("mixed", size=1000, more=more)
    whole = place.folder / "whole.db"
    digest = place.run(place.query("mixed", size=1000, more=more), database=whole).goal.digest
    ended = coordinators.run(
        "run", query, "--db", place.database, "--executor", "serial", "--quiet",
        EPCG_TEST_UNIT=64, EPCG_TEST_DIE=moment, EPCG_TEST_WHEN=when,
    )  # fmt: skip
    assert ended.exit_code == -signal.SIGKILL, ended.stderr
    units = dict(ask_sql(place.database, "SELECT start, count FROM unit"))
    covered = {rank for start, count in units.items() for rank in range(start, start + count)}
    for table in ("score", "score_chunk"):
        found = ask_sql(
            place.database,
            f"SELECT DISTINCT {'rank' if table == 'score' else 'start'} FROM {table}",
        )
        assert {rank for (rank,) in found} <= covered
    rows = ask_sql(place.database, "SELECT count(*) FROM score")
    assert rows == [(3 * len(covered),)]
    assert _finished(place, query, place.database) == digest
    assert recorded(place.database) == recorded(whole)


def begun_are_done(database: Path, done: int) -> bool:
    """Whether all units are committed that two workers can have begun when `done` were."""
    if done == 0:
        return True
    units = done + 8
    return ask_sql(database, f"SELECT count(*) FROM unit WHERE start < {units * UNIT}") == [(units,)]


def _open(gate: Path, units: int) -> None:
    """Let workers go on to the end of so many units; a run must not end before it was seen to go on."""
    new = gate.with_suffix(".new")
    new.write_text(str(units * UNIT))
    new.replace(gate)


@pytest.mark.slow
def test_a_killed_worker_costs_nothing_but_its_unit(place: Faults, processes: Processes) -> None:
    """The fast tests kill workers without a run: test_workers_may_be_killed_from_outside_at_any_time."""
    query = place.file("mixed", size=6_000, more='[record]\nrows = "all"')
    whole = place.folder / "whole.db"
    digest = _finished(place, query, whole)
    gate = place.folder / "gate"
    _open(gate, 10)
    process = processes.driver(
        query, place.database, "processes", 2, EPCG_TEST_UNIT=UNIT, EPCG_TEST_PAUSE=PAUSE, EPCG_TEST_GATE=gate
    )
    watch = Watch(place.database)
    killed: set[int] = set()
    done = 0
    for _ in range(2):
        # beyond the units that were begun before the last kill: a unit that loses two workers ends the run
        wait_until(lambda first=done: begun_are_done(place.database, first), "the units of the killed worker")
        assert watch.wait_for(done + 1, process) < watch.state()[1]
        wait_until(lambda: set(processes.workers(process)) - killed, "a worker that lives")
        victim = random.Random(len(killed)).choice(sorted(set(processes.workers(process)) - killed))
        os.kill(victim, signal.SIGKILL)
        killed.add(victim)
        done = watch.state()[0]
        _open(gate, done + 12)
    _open(gate, SIZE)
    output, errors = process.communicate(timeout=DEADLINE_S)
    assert (process.returncode, output.strip()) == (0, digest), errors
    assert len(killed) == 2
    processes.nothing_left(process)
    assert recorded(place.database) == recorded(whole)


@pytest.mark.slow
def test_the_command_line_goes_on_after_a_kill(place: Faults, processes: Processes) -> None:
    query = place.file("mixed", size=15_000, more='[record]\nrows = "all"')
    whole = place.folder / "whole.db"
    assert place.epcg("run", query, "--db", whole, "--quiet").exit_code == 0
    process = processes.epcg("run", query, EPCG_TEST_PAUSE=PAUSE)  # a whole interpreter, as users start it
    watch = Watch(place.database)
    watch.wait_for(2, process)
    processes.kill(process)
    done, of, state = watch.state()
    assert 2 <= done < of
    assert state == "running"
    again = place.epcg("resume", 1)
    assert again.exit_code == 0, again.stderr
    assert sorted(path.name for path in place.folder.glob("epcg.db*")) == ["epcg.db", "epcg.db.lock"]
    assert recorded(place.database) == recorded(whole)


def _killed_layers(
    place: Faults,
    coordinators: Coordinators,
    monkeypatch: pytest.MonkeyPatch,
    board: str,
    unit: int,
    kills: int,
) -> None:
    """Kill the retrograde analysis of the top layer again and again; compare with one that was not killed."""
    monkeypatch.setenv("EPCG_PLUGINS", "fling")
    registry.cache_clear()
    query = place.folder / "layers.toml"
    query.write_text(LAYERS.format(board=board), encoding="utf-8")
    whole = place.folder / "whole.db"
    digest = _finished(place, query, whole)
    ((top,),) = ask_sql(whole, "SELECT max(layer) FROM run")
    watch = Watch(place.database, f"run.layer = {top}")
    moments = random.Random(top)
    done = 0
    for number in range(kills):
        executor, workers = SESSIONS[number % len(SESSIONS)]
        process = coordinators.start(
            "run", query, "--db", place.database, "--executor", executor, "--workers", workers, "--quiet",
            EPCG_TEST_UNIT=unit, EPCG_TEST_BREATH=0.01,
        )  # fmt: skip
        watch.wait_for(done + moments.randint(1, 4), process)
        _kill(process)
        before, (done, of, _) = done, watch.state()
        assert before < done < of, "the kill must fall between the first and the last commit"
        assert (place.folder / "epcg.db.work").is_dir(), "the killed run's tables"
    assert _finished(place, query, place.database) == digest
    assert not (place.folder / "epcg.db.work").exists()
    assert recorded(place.database)["chunks"] == recorded(whole)["chunks"]
    goals = "SELECT DISTINCT layer FROM query_run JOIN run ON run.id = run_id WHERE goal = 1"
    assert ask_sql(place.database, goals) == ask_sql(whole, goals) == [(top,)]
    _proven(place.database)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("height", "pieces", "unit", "kills"),
    [(4, 4, 64, 1), pytest.param(5, 6, 512, 2, marks=pytest.mark.slow)],
)
def test_layers_killed_in_the_middle_end_like_ones_that_were_not(
    place: Faults,
    coordinators: Coordinators,
    monkeypatch: pytest.MonkeyPatch,
    height: int,
    pieces: int,
    unit: int,
    kills: int,
) -> None:
    board = f"width = 4\nheight = {height}\npieces = {pieces}"
    _killed_layers(place, coordinators, monkeypatch, board, unit, kills)


@pytest.mark.slow
@pytest.mark.parametrize(("pieces", "unit"), [(6, 2**20), (7, 2**21)])
def test_layers_of_the_large_board_killed_ten_times(
    place: Faults, coordinators: Coordinators, monkeypatch: pytest.MonkeyPatch, pieces: int, unit: int
) -> None:
    _killed_layers(place, coordinators, monkeypatch, f"pieces = {pieces}", unit, KILLS)
