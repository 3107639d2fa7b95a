"""kill -9 at any moment, of the coordinator, of a worker or of all at once, again and again."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.forks.forked import Coordinator, Coordinators
from tests.processes import Watch
from tests.whole.faults.place import Faults
from tests.workplace import recorded

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kills processes and reads /proc")

SIZE, UNIT, PAUSE = 1_200, 32, 0.0004
ALL_ROWS = '[record]\nrows = "all"\n[[select]]\nmetric = "weight"\ncount = 3'
MOST = 400
WAYS = (("serial", 1), ("threads", 3), ("serial", 1), ("processes", 2), ("serial", 1), ("threads", 2))
"""A run goes on with another executor and another number of workers after every kill."""


def sound(database: Path) -> bool:
    """SQLite finds nothing wrong in the database."""
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def _kill(coordinator: Coordinator, chance: random.Random) -> bool:
    """Kill whom chance chooses; whether the coordinator lives on."""
    workers = coordinator.workers()
    victim = chance.choice(["coordinator", "all", "worker"] if workers else ["coordinator"])
    if victim == "worker":
        with suppress(ProcessLookupError):
            os.kill(chance.choice(workers), signal.SIGKILL)
        return True
    if victim == "all":
        coordinator.kill_all()
    else:
        coordinator.kill()
    return False


def all_moments(finished: int, survived: int, killed_in_set_up: int, done: int = 0) -> bool:
    """Enough kills fell at each kind of moment, which depends on how busy the machine is; or all too many."""
    return (finished > 10 and survived > 5 and killed_in_set_up > 5) or done >= MOST


@pytest.mark.slow
@pytest.mark.parametrize(
    "kills",
    [
        2,
        *(pytest.param(kills, marks=pytest.mark.slow) for kills in (5, 30)),
        pytest.param(200, marks=pytest.mark.nightly),
    ],
)
def test_a_run_killed_at_random_moments_ends_like_one_that_was_not(
    place: Faults, coordinators: Coordinators, kills: int
) -> None:
    query = place.file("mixed", size=SIZE, more=ALL_ROWS)
    asked = place.query("mixed", size=SIZE, more=ALL_ROWS)
    whole = place.folder.parent / "whole.db"
    digest = place.run(asked, database=whole).goal.digest
    chance, watch = random.Random(20180713), Watch(place.database)
    copy = place.folder.parent / "copy"
    number = done = finished = survived = 0
    killed_in_set_up = killed_between = 0
    while done < kills or (kills > 100 and not all_moments(finished, survived, killed_in_set_up, done)):
        executor, workers = WAYS[number % len(WAYS)]
        coordinator = coordinators.start(
            "run", query, "--db", place.database, "--executor", executor, "--workers", workers, "--quiet",
            EPCG_TEST_UNIT=UNIT, EPCG_TEST_PAUSE=PAUSE,
        )  # fmt: skip
        number += 1
        # Where it is started from, or from its first commit on: set-up takes most of the time.
        before = watch.state()[0]
        if chance.random() < 0.7:
            while coordinator.alive and watch.state()[0] == before:
                time.sleep(0.004)
        time.sleep(chance.expovariate(1 / 0.15))
        if not coordinator.alive:
            assert coordinator.ended().exit_code == 0
        else:
            done += 1
            lives = _kill(coordinator, chance)
            survived += lives
            ended = coordinator.ended()
            assert ended.exit_code in ((0,) if lives else (0, -signal.SIGKILL)), ended.stderr
            committed, of, state = watch.state()
            killed_in_set_up += state == ""
            killed_between += 0 < committed < of
        files = {path.name for path in place.folder.iterdir()} - {query.name}
        assert files <= {"epcg.db", "epcg.db-wal", "epcg.db-shm", "epcg.db-journal", "epcg.db.lock"}, files
        # A copy, so that the original goes on from where it was killed, not from where the check ended.
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(place.folder, copy)
        assert sound(copy / "epcg.db")
        assert place.run(asked, database=copy / "epcg.db").goal.digest == digest
        assert {path.name for path in copy.iterdir()} - {query.name} == {"epcg.db", "epcg.db.lock"}
        assert recorded(copy / "epcg.db") == recorded(whole)
        if watch.state()[2] == "done":
            finished += 1
            again = coordinators.run("run", query, "--db", place.database, "--quiet")
            assert again.exit_code == 0, again.stderr
            assert recorded(place.database) == recorded(whole)
            for path in place.folder.glob("epcg.db*"):
                path.unlink()
    assert killed_between > kills // 4, "kills must fall between the first and the last commit"
    if kills > 100:
        assert all_moments(finished, survived, killed_in_set_up)
    print(f"{done} kills: {killed_in_set_up} before the run was made, {killed_between} between commits, "
          f"{survived} of workers; {finished} runs came to their end")  # fmt: skip
