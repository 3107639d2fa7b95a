"""Full and read-only disks, several writers, wrong files, damaged bytes: a sentence each, nothing lost."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from epcg_core.base.errors import EpcgError, RunInterruptedError, StoreError
from epcg_core.runs.coordinator import execute
from epcg_core.runs.tables import WorkingFolder
from epcg_core.store import Store, migrate
from epcg_core.verification.verify import verify
from tests.forks.forked import Coordinators
from tests.processes import Watch
from tests.whole.faults.mounts import read_only_file, remount, small_disk
from tests.whole.faults.place import Faults, only_sentences
from tests.workplace import ask_sql, recorded

ALL_ROWS = '[record]\nrows = "all"'
SIZE = 30_000


# --- full disks


@contextmanager
def _at_most(store: Store, pages: int) -> Iterator[None]:
    """Let the database have no more than so many pages."""

    def limit(connection: Any, _: Any) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages}")

    store.engine.dispose()
    sa.event.listen(store.engine, "connect", limit)
    try:
        yield
    finally:
        sa.event.remove(store.engine, "connect", limit)
        store.engine.dispose()


def test_a_full_database_stops_the_run_and_loses_nothing(
    place: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.cut(unit_size=1024)
    monkeypatch.setattr("epcg_core.store.writer.FLUSH_ROWS", 1)
    query = place.query("mixed", size=SIZE, more=ALL_ROWS)
    whole = place.folder / "whole.db"
    digest = place.run(query, database=whole).goal.digest
    with Store.open(place.database, write=True) as store:
        done = 0
        for pages in (110, 160):
            with _at_most(store, pages), pytest.raises(RunInterruptedError) as stopped:
                execute(query, store, place.options)
            assert str(stopped.value).startswith("Run 1 stopped: database or disk is full. ")
            assert f"go on with: epcg resume 1 --db {place.database}" in str(stopped.value)
            before, (done, of, state) = done, Watch(place.database).state()
            assert before < done < of
            assert state in ("stopped", "running")
            rows = ask_sql(place.database, "SELECT count(*) FROM score")
            assert rows == [(3 * 1024 * done,)]
        assert execute(query, store, place.options).goal.digest == digest
    assert recorded(place.database) == recorded(whole)


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "function",
    [
        "store.writer.finish_run",
        "runs.keep.save_kept",
        "store.writer.create_run",
        "store.writer.save_query",
        "store.writer.link_query",
    ],
)
def test_a_disk_that_is_full_between_units_is_a_sentence(
    place: Faults, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    query = place.query("mixed", size=1000, more='[[select]]\nmetric = "weight"')
    whole = place.folder / "whole.db"
    place.run(query, database=whole)

    def full(*_: Any, **__: Any) -> None:
        raise sa.exc.OperationalError("INSERT", (), sqlite3.OperationalError("database or disk is full"))

    with monkeypatch.context() as patch:
        patch.setattr(f"epcg_core.{function}", full)
        with pytest.raises(EpcgError, match="disk is full") as failed:
            place.run(query)
    assert only_sentences(str(failed.value))
    assert "Recorded values are kept" in str(failed.value)
    place.run(query)
    assert recorded(place.database) == recorded(whole)


@pytest.mark.slow
def test_a_really_full_disk(place: Faults, coordinators: Coordinators, tmp_path: Path) -> None:
    query = place.file("mixed", size=SIZE, more=ALL_ROWS)
    whole = place.folder / "whole.db"
    place.run(place.query("mixed", size=SIZE, more=ALL_ROWS), database=whole)
    with small_disk(tmp_path / "disk", "4m") as disk:
        database = disk / "full.db"
        for executor in ("serial", "processes"):
            options = ("--db", database, "--executor", executor, "--workers", 2, "--quiet")
            stopped = coordinators.run("run", query, *options, EPCG_TEST_UNIT=1024)
            assert stopped.exit_code == 3, stopped.stderr
            assert "Error: Run 1 stopped: " in stopped.stderr
            assert "disk is full" in stopped.stderr
        done, of, _ = Watch(database).state()
        assert 0 < done < of
        refused = place.epcg("resume", 1, "--db", database)
        assert refused.exit_code in (1, 3)
        assert "disk is full" in refused.stderr
        assert only_sentences(refused.stderr), refused.stderr
        remount(disk, "size=64m")
        again = place.epcg("resume", 1, "--db", database, "--quiet")
        assert again.exit_code == 0, again.stderr
        assert recorded(database) == recorded(whole)


def test_tables_that_do_not_fit_on_the_disk_are_refused_before_they_kill(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk, WorkingFolder(disk / "epcg.db") as folder:
        small = folder._allocate("small", 1000)
        small[:] = 7
        with pytest.raises(StoreError, match=r"cannot hold a table of 8 MB \(No space left"):
            folder._allocate("large", 10**6)
        assert np.all(small == 7)


# --- disks and files that cannot be written


def _readable(place: Faults, database: Path) -> None:
    """Everything that only reads still works."""
    shown = place.epcg("sql", "SELECT run_id, evaluated FROM runs", "--format", "csv", "--db", database)
    assert shown.stdout.splitlines() == ["run_id,evaluated", "1,1000"], shown.stderr
    proven = place.epcg("verify", 1, "--sample", 10, "--db", database)
    assert proven.exit_code == 0, proven.stderr


def _refused(place: Faults, query: Path, database: Path) -> None:
    refused = place.epcg("run", query, "--set", "generator.size=999", "--db", database)
    assert refused.exit_code == 1
    assert only_sentences(refused.stderr), refused.stderr
    assert "cannot be written" in refused.stderr
    assert str(database) in refused.stderr


def test_a_read_only_disk(place: Faults, tmp_path: Path) -> None:
    query = place.file("mixed", size=1000, more=ALL_ROWS)
    with small_disk(tmp_path / "disk", "8m") as disk:
        place.run(place.query("mixed", size=1000, more=ALL_ROWS), database=disk / "epcg.db")
        before = recorded(disk / "epcg.db")
        remount(disk, "ro")
        _refused(place, query, disk / "epcg.db")
        _refused(place, query, disk / "new.db")
        _readable(place, disk / "epcg.db")
        remount(disk, "rw")
        assert recorded(disk / "epcg.db") == before
        assert place.epcg("run", query, "--db", disk / "epcg.db").exit_code == 0


def test_a_killed_run_is_readable_on_a_read_only_disk(
    place: Faults, coordinators: Coordinators, tmp_path: Path
) -> None:
    query = place.file("mixed", size=10_000, more=ALL_ROWS)
    with small_disk(tmp_path / "disk", "8m") as disk:
        ended = coordinators.run(
            "run", query, "--db", disk / "epcg.db", "--executor", "serial", "--quiet",
            EPCG_TEST_UNIT=64, EPCG_TEST_DIE="epcg_core.store.writer:insert_rows", EPCG_TEST_WHEN=9,
        )  # fmt: skip
        assert ended.exit_code == -signal.SIGKILL, ended.stderr
        assert (disk / "epcg.db-wal").stat().st_size > 0
        remount(disk, "ro")
        shown = place.epcg("sql", "SELECT count(*) FROM unit", "--format", "csv", "--db", disk / "epcg.db")
        assert shown.stdout.split() == ["count(*)", "8"], shown.stderr


def test_a_read_only_file_in_a_folder_that_can_be_written(place: Faults, tmp_path: Path) -> None:
    query = place.file("mixed", size=1000, more=ALL_ROWS)
    with small_disk(tmp_path / "disk", "8m") as disk:
        database = disk / "epcg.db"
        place.run(place.query("mixed", size=1000, more=ALL_ROWS), database=database)
        with read_only_file(database):
            _refused(place, query, database)
            _readable(place, database)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write anything"
)
def test_a_folder_without_permission(place: Faults) -> None:
    query = place.file("mixed", size=1000, more=ALL_ROWS)
    closed = place.folder / "closed"
    closed.mkdir()
    place.run(place.query("mixed", size=1000, more=ALL_ROWS), database=closed / "epcg.db")
    closed.chmod(0o500)
    try:
        _refused(place, query, closed / "epcg.db")
        _readable(place, closed / "epcg.db")
    finally:
        closed.chmod(0o700)


# --- several writers


def test_a_second_writer_is_told_who_writes(place: Faults, coordinators: Coordinators) -> None:
    query = place.file("mixed", size=400)
    first = coordinators.start("run", query, EPCG_TEST_PAUSE=0.05, EPCG_TEST_UNIT=16)
    Watch(place.database).wait_for(1, first)
    for arguments in (("run", query), ("resume", 1), ("db", "materialize", 1)):
        second = place.epcg(*arguments)
        assert second.exit_code == 1
        assert f"is being written by process {first.pid} on " in second.stderr
        assert only_sentences(second.stderr), second.stderr
    assert place.epcg("runs").exit_code == 0
    assert first.poll() is None
    first.kill()
    assert first.ended().exit_code == -signal.SIGKILL
    assert ask_sql(place.database, "SELECT pid FROM writer") == [(first.pid,)]
    after = place.epcg("run", query, "--quiet")
    assert after.exit_code == 0, "the lock went with its holder: " + after.stderr
    assert ask_sql(place.database, "SELECT pid FROM writer") == []


def test_a_second_writer_in_the_same_process_is_refused(place: Faults) -> None:
    with Store.open(place.database, write=True):
        with pytest.raises(StoreError, match=f"is being written by process {os.getpid()} "):
            Store.open(place.database, write=True)
        Store.open(place.database).close()
    Store.open(place.database, write=True).close()


# --- the wrong schema


def _with_schema(place: Faults, revision: str) -> bytes:
    place.file("mixed", size=1000, more=ALL_ROWS)
    place.run(place.query("mixed", size=1000, more=ALL_ROWS))
    with closing(sqlite3.connect(place.database)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
    return place.database.read_bytes()


@pytest.mark.sweep(2)
@pytest.mark.parametrize("arguments", [("run", "query.toml"), ("resume", "1"), ("runs",), ("verify", "1")])
def test_an_older_schema_names_the_command_that_upgrades(place: Faults, arguments: tuple[str, ...]) -> None:
    before = _with_schema(place, "0009")
    refused = place.epcg(*arguments)
    assert refused.exit_code == 1
    assert "has schema 0009" in refused.stderr
    assert "epcg db upgrade --db" in refused.stderr
    assert only_sentences(refused.stderr), refused.stderr
    assert place.database.read_bytes() == before


@pytest.mark.sweep
@pytest.mark.parametrize("arguments", [("run", "query.toml"), ("runs",), ("db", "upgrade")])
def test_a_newer_schema_names_both_revisions(place: Faults, arguments: tuple[str, ...]) -> None:
    before = _with_schema(place, "9876")
    refused = place.epcg(*arguments)
    assert refused.exit_code == 1
    assert "9876" in refused.stderr
    assert migrate.revisions()[-1] in refused.stderr
    assert only_sentences(refused.stderr), refused.stderr
    assert place.database.read_bytes() == before


# --- what is no database of ours


def _text(path: Path) -> None:
    path.write_text("Dear diary, this is no database at all. " * 100, encoding="utf-8")


def _other_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
        connection.execute("INSERT INTO recipes VALUES ('soup')")


def _folder(path: Path) -> None:
    path.mkdir()


def _cut(path: Path) -> None:
    with Store.open(path, write=True):
        pass
    path.write_bytes(path.read_bytes()[:5000])


WRONG: list[tuple[str, Callable[[Path], None], str]] = [
    ("a text", _text, "not an SQLite database"),
    ("a database of another program", _other_program, "tables of another program (recipes)"),
    ("a folder", _folder, "is a folder"),
    ("a database that was cut off", _cut, "it is damaged"),
]


@pytest.mark.parametrize(("make", "message"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_a_wrong_file_is_refused_and_left_as_it_was(
    place: Faults, make: Callable[[Path], None], message: str
) -> None:
    query = place.file("mixed", size=100)
    path = place.folder / "wrong.db"
    make(path)
    before = path.read_bytes() if path.is_file() else b""
    refused = place.epcg("run", query, "--db", path)
    assert refused.exit_code == 1
    assert message in refused.stderr
    assert "wrong.db" in refused.stderr
    assert only_sentences(refused.stderr), refused.stderr
    if path.is_file():
        assert path.read_bytes() == before
    looked = place.epcg("runs", "--db", path)
    assert looked.exit_code == 1
    assert only_sentences(looked.stderr), looked.stderr
    assert "wrong.db" in looked.stderr


def test_a_folder_that_does_not_exist_is_named(place: Faults) -> None:
    query = place.file("mixed", size=100)
    refused = place.epcg("run", query, "--db", "nowhere/epcg.db")
    assert refused.exit_code == 1
    assert "nowhere/epcg.db" in refused.stderr
    assert only_sentences(refused.stderr), refused.stderr
    assert not (place.folder / "nowhere").exists()


# --- damaged bytes


def _chunk_bytes(database: Path, metric: str, blob: str) -> bytes:
    (row,) = ask_sql(
        database,
        f"SELECT {blob} FROM score_chunk JOIN metric ON metric.id = metric_id "
        f"WHERE metric.name = '{metric}' ORDER BY start LIMIT 1",
    )
    return bytes(row[0])


def _position(content: bytes, data: bytes, where: float) -> int:
    """Where in the file the byte lies that is so far along `data`, a blob that pages may cut."""
    wanted = int(where * (len(data) - 1))
    for length in (len(data), 300, 100, 16):
        for start in range(max(0, wanted - length + 1), min(wanted, len(data) - length) + 1):
            if content.count(piece := data[start : start + length]) == 1:
                return content.index(piece) + wanted - start
    raise AssertionError("the blob is not in the file")


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("evaluator", "metric", "blob"),
    [
        ("mixed", "weight", "data"),
        ("mixed", "even", "data"),
        ("mixed", "ratio", "data"),
        ("moody", "mood", "status"),
    ],
)
@pytest.mark.parametrize("where", [0.0, 0.5, 1.0])
def test_a_byte_changed_in_the_file_is_found_and_named(
    place: Faults, monkeypatch: pytest.MonkeyPatch, evaluator: str, metric: str, blob: str, where: float
) -> None:
    monkeypatch.setenv("EPCG_TEST_BAD", ",".join(str(n * n) for n in range(50)))
    place.given(place.query(evaluator, size=3000, more='[record]\nrows = "none"\non_error = "record"'))
    content = place.database.read_bytes()
    position = _position(content, _chunk_bytes(place.database, metric, blob), where)
    place.database.write_bytes(
        content[:position] + bytes([content[position] ^ 0x10]) + content[position + 1 :]
    )
    with Store.open(place.database) as store:
        report = verify(store, 1, sample=0)
    assert not report.passed
    (chunks,) = (check for check in report.checks if check.name == "chunks")
    assert not chunks.passed
    assert chunks.detail.startswith(f"The chunk of '{metric}' for ranks 0 to 2999 is damaged: ")
    if (metric, where) == ("weight", 0.5):
        proven = place.epcg("verify", 1, "--sample", 0)
        assert proven.exit_code == 4
        assert f"The chunk of '{metric}' for ranks 0 to 2999 is damaged" in proven.stdout + proven.stderr


def test_a_damaged_page_is_found(place: Faults) -> None:
    place.run(place.query("mixed", size=SIZE, more='[record]\nrows = "none"'))
    (root,) = ask_sql(place.database, "SELECT rootpage FROM sqlite_schema WHERE name = 'score_chunk'")[0]
    (size,) = ask_sql(place.database, "PRAGMA page_size")[0]
    content = bytearray(place.database.read_bytes())
    content[(root - 1) * size : root * size] = bytes(size)
    place.database.write_bytes(content)
    proven = place.epcg("verify", 1)
    assert proven.exit_code == 4
    assert "Traceback" not in proven.stderr
    assert "SQLite finds damage in the tables score_chunk" in proven.stdout


@pytest.mark.slow
def test_a_run_goes_on_from_a_copy(place: Faults, coordinators: Coordinators) -> None:
    """What is recorded does not depend on where the database lies."""
    query = place.file("mixed", size=6000, more=ALL_ROWS)
    whole = place.folder / "whole.db"
    place.run(place.query("mixed", size=6000, more=ALL_ROWS), database=whole)
    ended = coordinators.run(
        "run", query, "--db", place.database, "--executor", "serial", "--quiet",
        EPCG_TEST_UNIT=64, EPCG_TEST_DIE="epcg_core.store.writer:insert_rows", EPCG_TEST_WHEN=20,
    )  # fmt: skip
    assert ended.exit_code == -signal.SIGKILL, ended.stderr
    elsewhere = place.folder / "elsewhere"
    elsewhere.mkdir()
    for path in place.folder.glob("epcg.db*"):
        if path.is_file():
            shutil.move(path, elsewhere)
    again = place.epcg("resume", 1, "--db", elsewhere / "epcg.db", "--quiet")
    assert again.exit_code == 0, again.stderr
    assert recorded(elsewhere / "epcg.db") == recorded(whole)


if sys.platform == "win32":
    pytestmark = pytest.mark.skip(reason="kills processes and mounts disks")
