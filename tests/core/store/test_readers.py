"""Many readers, one writer: nobody is locked out, nobody sees half a transaction, and the log stays small."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
import sqlalchemy as sa

from epcg_core.query import query
from epcg_core.runs import coordinator
from epcg_core.store import Store, foreign_connection, log, schema
from epcg_core.store.connection import reading_engine, writing_engine
from epcg_core.store.log import WriteAheadLog
from tests.core.store.reading import Command, Readers
from tests.forks.forked import epcg_forked
from tests.workplace import Numbers, epcg

ROWS = '[record]\nrows = "all"\n'


def record(toy: Numbers, *evaluators: str, size: int, name: str = "numbers") -> None:
    """A run in this process, into the database that the command line uses."""
    with Store.open(toy.database, write=True) as store:
        text = toy.file(*evaluators, size=size, more=ROWS, name=name).read_text(encoding="utf-8")
        coordinator.execute(query.parse_query(text), store, coordinator.Options("serial", quiet=True))


def one_forked_at_a_time(folder: Path) -> Command:
    """The command line for threads: whoever forks looks after the processes of all threads."""
    lock = threading.Lock()

    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        with lock:
            return epcg_forked(*arguments, folder=folder)

    return command


@pytest.mark.parametrize("size", [800, pytest.param(2000, marks=pytest.mark.slow)])
def test_ten_readers_during_a_run(toy: Numbers, size: int) -> None:
    """Whose evaluator sleeps, so that units come one by one and readers meet it at work."""
    record(toy, "even", size=10, name="first")
    file = toy.file("digits", "slow seconds = 0.002", size=size, more=ROWS)
    with Readers(toy.database, None, 0.3, one_forked_at_a_time(toy.folder)) as readers:
        done = toy.process("run", file, "--quiet", "--executor", "serial", timeout=300)
    assert done.returncode == 0, done.stderr
    tally = readers.tally
    assert len(readers) == 10
    assert set(tally.asked) == {"view", "function", "sql"}
    assert tally.problems == []
    assert tally.locked == 0
    assert tally.during > 0
    with Store.open(toy.database) as store, store.reader() as reader:
        assert reader.run(2).done
        assert reader.run(2).evaluated == size


def test_a_reader_sees_one_state_until_it_ends(toy: Numbers) -> None:
    record(toy, "even", size=10, name="first")
    reading, count = reading_engine(str(toy.database)), sa.select(sa.func.count()).select_from(schema.unit)
    with reading.begin() as connection:
        before = connection.scalar(count)
        record(toy, "digits", size=500)
        assert connection.scalar(count) == before
    with reading.begin() as connection:
        assert (connection.scalar(count) or 0) > (before or 0)


# --- the log


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"SOON": 50_000, "WAIT": 400_000, "WAIT_MS": 1, "WARN": 1_500_000}.items():
        monkeypatch.setattr(log, name, value)


def grow(engine: sa.Engine, size: int) -> None:
    with engine.begin() as connection:
        connection.execute(sa.insert(schema.score).prefix_with("OR REPLACE"), [
            {"run_id": 1, "metric_id": 1, "rank": rank, "value": "x" * 500} for rank in range(size // 500)
        ])  # fmt: skip


def test_the_log_is_emptied_as_soon_as_no_reader_needs_it(
    tmp_path: Path, small_limits: None, caplog: pytest.LogCaptureFixture
) -> None:
    location = tmp_path / "a.db"
    with Store.open(location, write=True) as store:
        kept = WriteAheadLog(store.engine)
        with reading_engine(str(location)).begin() as reader:
            reader.exec_driver_sql("SELECT count(*) FROM run").scalar()
            sizes = []
            for _ in range(24):  # it is waited for at sizes that double, so a warning may come late
                grow(store.engine, 150_000)
                kept.keep_small()
                sizes.append(kept.size())
            assert sizes == sorted(sizes)
            assert sizes[-1] > 1_500_000
            assert len(caplog.messages) == 1
            assert "because a reader" in caplog.messages[0]
        grow(store.engine, 1_000)
        kept.keep_small()
        assert kept.size() == 0


def test_a_small_log_is_left_alone(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a.db", write=True) as store:
        kept = WriteAheadLog(store.engine)
        grow(store.engine, 20_000)
        size = kept.size()
        kept.keep_small()
        assert 0 < kept.size() == size


def test_a_writer_that_closes_leaves_no_large_log_beside_a_reader(tmp_path: Path, small_limits: None) -> None:
    location = tmp_path / "a.db"
    with Store.open(location, write=True) as store:
        reader = reading_engine(str(location)).connect()
        reader.exec_driver_sql("SELECT count(*) FROM run").scalar()
        grow(store.engine, 300_000)
        reader.rollback()
    assert WriteAheadLog(store.engine).size() == 0
    reader.close()


@pytest.mark.parametrize("size", [300_000, pytest.param(1_100_000, marks=pytest.mark.slow)])
def test_a_run_of_many_rows_is_many_transactions(toy: Numbers, size: int) -> None:
    """So that readers see progress, and the log can be emptied in between."""
    record(toy, "digits_array", size=size)
    with Store.open(toy.database) as store, store.reader() as reader:
        units = list(reader.units(1))
    assert sum(unit.count for unit in units) == size
    assert max(unit.count for unit in units) <= 1 << 18


# --- connections that others open


@pytest.fixture
def opened(toy: Numbers) -> Iterator[sqlite3.Connection]:
    """A connection as Datasette opens it, to a database with the numbers 0 to 99."""
    record(toy, "digits", size=100)
    raw = sqlite3.connect(f"file:{toy.database}?mode=ro", uri=True, check_same_thread=False)
    raw.row_factory = sqlite3.Row
    yield raw
    raw.close()


def answer(raw: sqlite3.Connection, sql: str) -> object:
    return raw.execute(sql).fetchone()[0]


def test_functions_on_a_connection_of_others(opened: sqlite3.Connection) -> None:
    assert foreign_connection.is_ours(opened)
    foreign_connection.register(opened, lambda sentence: None)
    assert answer(opened, "SELECT epcg_score(1, 'digits', 87)") == 15
    assert answer(opened, "SELECT epcg_puzzle(1, 87)") == "numbers:range?size=100#87"
    assert json.loads(str(answer(opened, "SELECT epcg_top(1, 'digits', 2)"))) == [99, 89]
    assert answer(opened, "SELECT epcg_text('numbers:range?size=100#7')") == "* 7 *\n"
    assert answer(opened, "PRAGMA busy_timeout") == 30_000


def test_they_know_what_was_recorded_later(opened: sqlite3.Connection, toy: Numbers) -> None:
    """Such a connection outlives runs, and what it remembers must not."""
    foreign_connection.register(opened, lambda sentence: None)
    with pytest.raises(sqlite3.OperationalError):
        opened.execute("SELECT epcg_score(2, 'even', 4)").fetchall()
    assert answer(opened, "SELECT epcg_score(1, 'digits', 100)") is None
    record(toy, "even", size=200, name="second")
    assert answer(opened, "SELECT epcg_score(2, 'even', 4)") == 1


def test_what_a_function_refuses_is_told(opened: sqlite3.Connection) -> None:
    said: list[str] = []
    foreign_connection.register(opened, said.append)
    for sql in ("SELECT epcg_score(9, 'digits', 1)", "SELECT epcg_svg('numbers:range?size=5#1')"):
        with pytest.raises(sqlite3.OperationalError):
            opened.execute(sql).fetchall()
    assert "There is no run 9" in said[0]
    assert "is not a puzzle that this database records" in said[1]


def test_a_time_limit_ends_a_statement_and_never_a_part_of_it(opened: sqlite3.Connection) -> None:
    foreign_connection.register(opened, lambda sentence: None)
    steps = 0

    def limit() -> int:
        nonlocal steps
        steps += 1
        return int(steps > 20)

    opened.set_progress_handler(limit, 10)
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        opened.execute("SELECT epcg_score(1, 'digits', 1), epcg_count(1, 'digits', 3, 9)").fetchall()


def test_another_programs_database_is_not_ours() -> None:
    raw = sqlite3.connect(":memory:")
    raw.execute("CREATE TABLE run (id)")
    assert not foreign_connection.is_ours(raw)


KILLED_IN_SET_UP = """
import os, signal, sqlite3, sys
made = sqlite3.connect(sys.argv[1], isolation_level=None)
made.execute("PRAGMA cache_size = 1")
made.execute("BEGIN IMMEDIATE")
made.execute("CREATE TABLE half_made (x)")
made.executemany("INSERT INTO half_made VALUES (?)", [("x" * 500,)] * 2000)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("command", [["runs"], ["sql", "SELECT 1"], ["run"]])
def test_a_database_whose_set_up_was_killed_is_rolled_back(tmp_path: Path, command: list[str]) -> None:
    """The journal of the killed transaction must be undone before anything can be read (a fuzzed kill)."""
    database = tmp_path / "epcg.db"
    killed = subprocess.run([sys.executable, "-c", KILLED_IN_SET_UP, str(database)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert Path(f"{database}-journal").stat().st_size > 0
    query = tmp_path / "query.toml"
    query.write_text(
        'domain = "fling"\n[generator]\nname = "boards"\nwidth = 3\nheight = 3\npieces = 3\n'
        '[[evaluators]]\nname = "solvable"\n'
    )
    words = [*command, *([str(query), "--executor", "serial"] if command == ["run"] else [])]
    said = epcg(*words, "--db", str(database), code=None)
    assert "cannot be written" not in said.output
    assert (said.exit_code == 0) == (command == ["run"])
    assert not Path(f"{database}-journal").exists()


def test_the_journal_of_a_program_at_work_is_left(tmp_path: Path) -> None:
    database = tmp_path / "epcg.db"
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("CREATE TABLE half_made (x)")
        assert Path(f"{database}-journal").exists()
        with reading_engine(str(database)).connect() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM sqlite_schema").scalar() == 0
        other.execute("COMMIT")
        assert other.execute("SELECT count(*) FROM half_made").fetchone() == (0,)


@pytest.mark.parametrize(("raised", "logged"), [(KeyboardInterrupt, 0), (RuntimeError, 1)])
def test_an_interrupt_while_a_connection_is_given_back_logs_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, raised: type[BaseException], logged: int
) -> None:
    engine = writing_engine(str(tmp_path / "epcg.db"))

    def fail(*_: object) -> None:
        raise raised

    sa.event.listen(engine, "reset", fail)
    with suppress(KeyboardInterrupt), engine.connect():
        pass
    assert len(caplog.records) == logged
    assert not logged or caplog.records[0].name.startswith("sqlalchemy.pool")
    sa.event.remove(engine, "reset", fail)
    engine.dispose()
