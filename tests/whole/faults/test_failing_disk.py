"""A disk that fails in the middle of a run, and one without file locks."""

from __future__ import annotations

import errno
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from epcg_core.store import Store
from epcg_core.verification.verify import verify
from tests.forks.forked import Coordinators, need_faulty_disk
from tests.processes import Said, Watch
from tests.whole.faults.mounts import ext4_disk, remount
from tests.whole.faults.place import Faults, only_sentences
from tests.whole.faults.power import SYNC, read_log
from tests.whole.faults.test_random_kills import sound
from tests.workplace import ask_sql, recorded

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="preloads a library and mounts disks")

SIZE, UNIT, PAGES = 240, 32, 25
ROWS = '[record]\nrows = "all"\n[[select]]\nmetric = "weight"\ncount = 3'

WHAT_SQLITE_SAYS = {
    errno.EROFS: ("attempt to write a readonly database", "disk I/O error"),
    errno.EIO: ("disk I/O error",),
    errno.ENOSPC: ("database or disk is full",),
}


def _run(place: Faults, coordinators: Coordinators, query: Path, **environment: object) -> Said:
    return coordinators.run(
        "run", query, "--db", place.database, "--executor", "serial", "--quiet",
        EPCG_TEST_DISK=place.folder / "epcg.db", EPCG_TEST_UNIT=UNIT, EPCG_TEST_PAGES=PAGES, **environment,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("times", "error"),
    [
        pytest.param(
            times,
            error,
            marks=[] if (times, error) == (1, errno.ENOSPC) else [pytest.mark.slow],
            id=f"{times}-{errno.errorcode[error]}",
        )
        for times in (1, 30)
        for error in WHAT_SQLITE_SAYS
    ],
)
def test_a_disk_that_fails_at_any_change_costs_nothing_that_was_recorded(
    place: Faults, coordinators: Coordinators, error: int, times: int
) -> None:
    """Read-only, broken or full from the n-th change on, for any n; whole again, the run goes on."""
    need_faulty_disk()
    size = SIZE if times == 1 else 20 * SIZE  # so many values need room after the run has begun
    query, asked = place.file("mixed", size=size, more=ROWS), place.query("mixed", size=size, more=ROWS)
    log = place.folder.parent / "log"
    assert _run(place, coordinators, query, EPCG_TEST_LOG=log).exit_code == 0
    changes = [change for change in read_log(log) if change.kind != SYNC]
    whole = place.folder.parent / "whole.db"
    place.run(asked, database=whole)

    def fail_at(number: int) -> int:
        for path in place.folder.glob("epcg.db*"):
            path.unlink()
        failed = _run(place, coordinators, query, EPCG_TEST_AFTER=number, EPCG_TEST_ERRNO=error)
        if error == errno.ENOSPC and failed.exit_code == 0:  # nothing after this change needed more room
            assert recorded(place.database) == recorded(whole), number
            return 0
        assert failed.exit_code in (1, 3), (number, failed.stderr)
        assert only_sentences(failed.stderr), failed.stderr
        assert "epcg.db" in failed.stderr
        known = (*WHAT_SQLITE_SAYS[error], os.strerror(error), "unable to open")
        assert any(part in failed.stderr for part in known), failed.stderr
        committed = Watch(place.database).state()[0] if place.database.exists() else 0
        if failed.exit_code == 3:
            assert f"go on with: epcg resume 1 --db {place.database}" in failed.stderr
        assert sound(place.database), number
        assert Watch(place.database).state()[0] >= committed
        mended = _run(place, coordinators, query)
        assert mended.exit_code == 0, mended.stderr
        assert recorded(place.database) == recorded(whole), number
        return int(failed.exit_code)

    drawn = sorted({0, *random.Random(error).sample(range(len(changes) - 8), times)})
    codes = {fail_at(number) for number in drawn}
    if times > 10:
        assert codes >= {1, 3}, "it failed before the run was made, and after"


@pytest.mark.slow
def test_a_real_disk_that_becomes_read_only_in_the_middle(
    place: Faults, coordinators: Coordinators, tmp_path: Path
) -> None:
    """What Linux does with a file system that shows an error: open files are read-only at once."""
    query, asked = place.file("mixed", size=6_000, more=ROWS), place.query("mixed", size=6_000, more=ROWS)
    whole = tmp_path / "whole.db"
    place.run(asked, database=whole)
    with ext4_disk(tmp_path, megabytes=32) as disk:
        database = disk.folder / "epcg.db"
        running = coordinators.start(
            "run", query, "--db", database, "--executor", "serial", "--quiet",
            EPCG_TEST_UNIT=64, EPCG_TEST_BREATH=0.04, EPCG_TEST_PAGES=PAGES,
        )  # fmt: skip
        while Watch(database).state()[0] < 20:
            assert running.alive
            time.sleep(0.005)
        remount(disk.folder, "abort")
        said = running.ended()
        assert said.exit_code == 3, said.stderr
        assert "Error: Run 1 stopped: " in said.stderr
        assert "Recorded values are kept; go on with: epcg resume 1 --db" in said.stderr
        assert only_sentences(said.stderr), said.stderr
        disk.mount_again()
        done, of, _ = Watch(database).state()
        assert 0 < done < of
        assert sound(database)
        again = coordinators.run("resume", 1, "--db", database, "--quiet")
        assert again.exit_code == 0, again.stderr
        assert recorded(database) == recorded(whole)
        with Store.open(database) as store:
            assert verify(store, 1, sample=100).passed


# --- locks


@pytest.mark.parametrize(
    ("locks", "why"), [("refuse", "No locks available"), ("grant", "it grants one lock twice")]
)
def test_a_file_system_without_locks_is_refused(
    place: Faults, coordinators: Coordinators, locks: str, why: str
) -> None:
    need_faulty_disk()
    query = place.file("mixed", size=SIZE, more=ROWS)
    refused = _run(place, coordinators, query, EPCG_TEST_LOCKS=locks)
    assert refused.exit_code == 1
    assert refused.stderr == (
        f"Error: The database {place.database} lies on a file system without file locks ({why}), where two "
        "writers would ruin it: choose a place on a local disk with --db.\n"
    )
    assert {path.name for path in place.folder.iterdir()} == {query.name}, "nothing was made there"


def test_locks_that_are_forgotten_are_found_too(place: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    """flock works and fcntl, which SQLite uses, only says so: some network file systems."""
    import fcntl

    monkeypatch.setattr(fcntl, "lockf", lambda *_: None)
    with pytest.raises(Exception, match=r"without file locks \(it forgets a lock at once\)"):
        Store.open(place.database, write=True)
    assert not place.database.exists()


def test_a_database_on_a_disk_without_locks_can_be_read(place: Faults, coordinators: Coordinators) -> None:
    need_faulty_disk()
    query = place.file("mixed", size=SIZE, more=ROWS)
    assert _run(place, coordinators, query).exit_code == 0
    shown = coordinators.run(
        "runs", "--db", place.database, EPCG_TEST_DISK=place.folder / "epcg.db", EPCG_TEST_LOCKS="grant"
    )
    assert shown.exit_code == 0, shown.stderr
    refused = _run(place, coordinators, query, EPCG_TEST_LOCKS="grant")
    assert refused.exit_code == 1
    assert ask_sql(place.database, "SELECT state FROM run") == [("done",)]


def test_a_database_on_a_disk_that_refuses_locks_is_said_to_be_there(
    place: Faults, coordinators: Coordinators
) -> None:
    """Nobody writes, so there is nobody to wait for."""
    need_faulty_disk()
    query = place.file("mixed", size=SIZE, more=ROWS)
    assert _run(place, coordinators, query).exit_code == 0
    refused = coordinators.run(
        "runs", "--db", place.database, EPCG_TEST_DISK=place.folder / "epcg.db", EPCG_TEST_LOCKS="refuse"
    )
    assert refused.exit_code == 1
    assert refused.stderr == (
        f"Error: The database {place.database} lies on a file system without file locks "
        "(No locks available), so it cannot be read safely there: copy it to a local disk, and name the copy "
        "with --db.\n"
    )


# --- this simulation itself


def test_a_program_that_does_not_sync_is_caught(tmp_path: Path) -> None:
    """A database written without any fsync is damaged by some cut: the cuts above could have failed."""
    from tests.forks.forked import preloaded
    from tests.whole.faults.power import left_by
    from tests.whole.faults.test_power import _write

    need_faulty_disk()
    text = (
        "import sqlite3\nc = sqlite3.connect('epcg.db', isolation_level=None)\n"
        "c.execute('PRAGMA synchronous = OFF')\nc.execute('CREATE TABLE t (n INTEGER PRIMARY KEY, x TEXT)')\n"
        "for i in range(20):\n    c.execute('BEGIN')\n"
        "    c.executemany('INSERT INTO t (x) VALUES (?)', [('x' * 300,)] * 40)\n    c.execute('COMMIT')\n"
    )
    variables = {"LD_PRELOAD": str(preloaded()), "EPCG_TEST_DISK": str(tmp_path / "epcg.db")}
    subprocess.run(
        [sys.executable, "-c", text], cwd=tmp_path, check=True,
        env=os.environ | variables | {"EPCG_TEST_LOG": str(tmp_path / "log")},
    )  # fmt: skip
    changes = read_log(tmp_path / "log")
    assert not [change for change in changes if change.kind == SYNC]
    damaged = 0
    for number in range(10, len(changes), 3):
        copy = _write(tmp_path / "cut", left_by(changes[:number], "some", random.Random(number)))
        try:
            damaged += not sound(copy)
        except Exception:
            damaged += 1
    assert damaged > 0
