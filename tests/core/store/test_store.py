"""The store: who may open it, what SQL sees of it, and what its reader gives back."""

from __future__ import annotations

import json
import math
import os
import random
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from epcg_core.base.errors import StoreError, UnknownNameError
from epcg_core.domain import VALUE
from epcg_core.store import Reader, Store, run_digest, schema, upgrade
from epcg_core.store.sql import ask_sql
from tests.workplace import Workplace

NUMBERS = """
domain = "numbers"
evaluators = [{ name = "mixed" }, { name = "digits" }]
select = [{ metric = "digits", count = 2 }]
[generator]
name = "range"
size = 300
"""
LAYERS = """
domain = "pegs"
[generator]
name = "line"
cells = 7
pegs = 3
[search]
name = "retrograde"
"""


@pytest.fixture
def small_chunks(bench: Workplace) -> None:
    bench.cut(64, 64)


def sql(bench: Workplace, statement: str) -> list[tuple[Any, ...]]:
    """The rows of a statement on a connection with the SQL functions and the stored views."""

    def ask(reader: Reader) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in reader.connection.exec_driver_sql(statement)]

    found: Any = bench.read(ask)
    return list(found)


def asked(bench: Workplace, statement: str) -> list[tuple[Any, ...]]:
    """The rows of a statement, as a user's `sql` sees them."""
    found: Any = bench.read(lambda reader: list(ask_sql(reader.connection, statement)))
    return list(found)


def values_of(bench: Workplace, name: str) -> list[Any]:
    """A metric's 300 values in run 1."""
    found: Any = bench.read(lambda reader: [reader.value(1, name, rank) for rank in range(300)])
    return list(found)


# --- opening ----------------------------------------------------------------------------------------------


def test_a_new_database_is_strict(tmp_path: Path) -> None:
    Store.open(tmp_path / "new.db", write=True).close()
    with sqlite3.connect(tmp_path / "new.db") as connection:
        listed = connection.execute("PRAGMA table_list").fetchall()
        strict = {row[1]: row[5] for row in listed if row[2] == "table" and not row[1].startswith("sqlite_")}
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert set(strict) == {*schema.metadata.tables, "alembic_version"}
    assert {name for name, is_strict in strict.items() if not is_strict} == {"alembic_version"}


def test_numpys_integers_are_refused_not_stored_as_blobs(tmp_path: Path) -> None:
    row = {"run_id": 1, "metric_id": 1, "rank": np.int64(3), "value": 1}
    with (
        Store.open(tmp_path / "new.db", write=True) as store,
        pytest.raises(StoreError, match="cannot store BLOB value in INTEGER column"),
        store.transaction() as connection,
    ):
        connection.execute(sa.insert(schema.score), row)


def test_what_is_stored_has_pythons_types(bench: Workplace) -> None:
    bench.given(NUMBERS)
    for table in ("score", "score_histogram", "score_chunk", "unit", "run", "candidate"):
        columns = [row[1] for row in sql(bench, f"PRAGMA table_info({table})")]
        for column in columns:
            kinds = {row[0] for row in sql(bench, f'SELECT DISTINCT typeof("{column}") FROM {table}')}
            assert "blob" not in kinds or column in ("digest", "data", "status"), (table, column)
    assert sql(bench, "SELECT typeof(value) FROM scores WHERE metric = 'share' AND rank = 4") == [("real",)]


def test_a_database_that_is_not_there(tmp_path: Path) -> None:
    missing = tmp_path / "missing.db"
    with pytest.raises(StoreError) as raised:
        Store.open(missing)
    assert str(raised.value) == f"There is no database {missing}: `epcg run` makes one, --db names another."
    assert not missing.exists()
    with pytest.raises(StoreError, match="cannot be made: there is no folder"):
        Store.open(tmp_path / "no" / "folder.db", write=True)


@pytest.mark.parametrize("write", [False, True])
def test_files_that_are_no_database_of_ours(tmp_path: Path, write: bool) -> None:
    text = tmp_path / "text.db"
    text.write_text("a letter\n" * 200)
    with pytest.raises(StoreError, match=r"it is not an SQLite database\. Choose another file"):
        Store.open(text, write=write)
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE songs (title TEXT)")
    connection.close()
    before = other.read_bytes()
    with pytest.raises(StoreError, match=r"has tables of another program \(songs\)"):
        Store.open(other, write=write)
    assert other.read_bytes() == before
    assert text.read_text() == "a letter\n" * 200


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    with pytest.raises(StoreError, match=r"is empty: `epcg run` fills one\."):
        Store.open(tmp_path / "empty.db")
    Store.open(tmp_path / "empty.db", write=True).close()
    Store.open(tmp_path / "empty.db").close()


@pytest.mark.parametrize(
    ("location", "sentence"),
    [
        ("", "The name of the database is empty: name a file with --db."),
        (".", "'.' is a folder: name a file with --db."),
        ("sqlite:///a.db", "'sqlite:///a.db' is a URL, and a database is a file: name its path with --db."),
        ("://", "'://' is a URL, and a database is a file"),
        (":memory:", "would be thrown away at the end: name a file with --db"),
    ],
)
def test_locations_that_are_no_database(
    location: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for attempt in (
        lambda: Store.open(location),
        lambda: Store.open(location, write=True),
        lambda: upgrade.upgrade(location),
    ):
        with pytest.raises(StoreError, match=re.escape(sentence)):
            attempt()
    assert list(tmp_path.iterdir()) == []


def test_one_writer_at_a_time_and_its_name(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    with Store.open(path, write=True):
        with pytest.raises(StoreError) as raised:
            Store.open(path, write=True)
        assert f"is being written by process {os.getpid()} on " in str(raised.value)
        assert "Wait for it to end, or choose another file with --db." in str(raised.value)
    with Store.open(path, write=True) as store, store.reader() as reader:
        assert reader.connection.execute(sa.select(schema.writer.c.pid)).scalars().all() == [os.getpid()]
    with Store.open(path) as store, store.reader() as reader:
        assert reader.connection.execute(sa.select(schema.writer)).all() == []


def test_readers_read_while_one_writes(bench: Workplace) -> None:
    bench.given(NUMBERS)
    with (
        Store.open(bench.database, write=True) as writing,
        writing.transaction() as connection,
        Store.open(bench.database) as reading,
        reading.reader() as reader,
    ):
        connection.execute(schema.run.update().values(rows="none"))
        assert reader.run(1).rows == "all"


def test_readers_cannot_write(bench: Workplace) -> None:
    bench.given(NUMBERS)
    with (
        Store.open(bench.database) as store,
        pytest.raises(StoreError, match="it cannot be written"),
        store.transaction() as connection,
    ):
        connection.execute(sa.delete(schema.score))


def test_a_transaction_is_recorded_whole_or_not_at_all(bench: Workplace) -> None:
    bench.given(NUMBERS)

    def fail_halfway(store: Store) -> None:
        with store.transaction() as connection:
            connection.execute(sa.delete(schema.score))
            raise ZeroDivisionError

    with Store.open(bench.database, write=True) as store, pytest.raises(ZeroDivisionError):
        fail_halfway(store)
    assert sql(bench, "SELECT count(*) FROM score") == [(300 * 5,)]


def test_two_databases_are_independent(bench: Workplace, tmp_path: Path) -> None:
    first, second = tmp_path / "a.db", tmp_path / "b.db"
    one = bench.run(NUMBERS, database=first)
    two = bench.run(NUMBERS, database=second)
    assert one.computed == two.computed == (1,)
    assert (one.goal.identity, one.goal.digest) == (two.goal.identity, two.goal.digest)
    with Store.open(first, write=True), Store.open(second, write=True):
        pass


# --- reading ----------------------------------------------------------------------------------------------


def test_values_and_ranks_over_chunks(bench: Workplace, small_chunks: None) -> None:
    bench.given(NUMBERS)

    def ask(reader: Reader) -> None:
        chunks = list(reader.chunks(1, "curve"))
        assert [(c.start, c.count) for c in chunks] == [(0, 64), (64, 64), (128, 64), (192, 64), (256, 44)]
        assert [c.start for c in reader.chunks(1, "curve", 64, 129)] == [64, 128]
        assert [c.start for c in reader.chunks(1, "curve", 63)] == [0, 64, 128, 192, 256]
        assert list(reader.chunks(1, "curve", 300)) == []
        assert np.array_equal(reader.ranks(1, chunks[1]), np.arange(64, 128))
        for name in ("curve", "share", "third", "effort", "digits"):
            found = {
                rank: value
                for ranks, values in reader.values(1, name)
                for rank, value in zip(ranks.tolist(), values.tolist(), strict=True)
            }
            single = {rank: reader.value(1, name, rank) for rank in range(300)}
            assert found == {rank: value for rank, value in single.items() if value is not None}
        assert reader.value(1, "curve", 300) is None
        assert reader.status_at(1, 300) is None
        assert [reader.status_at(1, rank) for rank in range(4)] == [VALUE, VALUE, 1, 2]
        assert reader.chunk_at(1, "curve", 70) is reader.chunk_at(1, "curve", 127)
        (scores,) = reader.scores_at(1, [10])
        assert scores == {"curve": -200, "share": 10 / 7, "third": False, "effort": 10, "digits": 1}

    bench.read(ask)


@pytest.mark.parametrize("seed", range(6))
def test_chunks_are_found_in_any_order(bench: Workplace, small_chunks: None, seed: int) -> None:
    """Though some are read ahead of who asks for one after the other, and some are not there."""
    bench.given(NUMBERS)
    chance = random.Random(seed)
    left_out = chance.sample(range(5), 2)

    def ask(reader: Reader) -> None:
        chunks = {chunk.start: chunk for chunk in reader.chunks(1, "curve")}
        for start in [64 * number for number in left_out]:
            table = schema.score_chunk.c
            reader.connection.execute(sa.delete(schema.score_chunk).where(table.start == start))
            del chunks[start]
        for _ in range(300):
            first, step = chance.randrange(310), chance.choice([0, 1, 40, 64, 100, -50])
            for rank in range(first, max(0, min(310, first + 5 * step)), step) if step else [first]:
                found = reader.chunk_at(1, "curve", rank)
                expected = chunks.get(rank // 64 * 64) if rank < 300 else None
                assert (found and found.start) == (expected and expected.start)

    with Store.open(bench.database, write=True) as store, store.reader() as reader:
        ask(reader)


@pytest.mark.parametrize("pegs", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_a_metric_as_bits(bench: Workplace, small_chunks: None, pegs: int) -> None:
    bench.given(NUMBERS)
    run = bench.run(LAYERS, f"generator.pegs={pegs}").goal

    def ask(reader: Reader) -> None:
        numbers = reader.run(1)
        curve = [reader.value(1, "curve", rank) for rank in range(300)]
        for low, high in [(1, math.inf), (-100, 100), (-math.inf, 0)]:
            bits = reader.bits(numbers, "curve", low, high)
            expected = [value is not None and low <= value <= high for value in curve]
            assert np.unpackbits(bits.data, count=bits.count, bitorder="little").tolist() == expected
        bits = reader.bits(run, "solvable")
        solvable = [reader.value(run.id, "solvable", rank) for rank in range(run.max_rank)]
        assert np.unpackbits(bits.data, count=bits.count, bitorder="little").tolist() == solvable

    bench.read(ask)
    part = bench.run(NUMBERS, "range.stop=77").goal
    with pytest.raises(StoreError, match="covers a part of its space only"):
        bench.read(lambda reader: reader.bits(part, "curve"))


def test_what_is_not_there_is_named(bench: Workplace) -> None:
    bench.given(NUMBERS)
    with pytest.raises(StoreError, match=r"^There is no run 7 in the database: its only run is 1\."):
        bench.read(lambda reader: reader.run(7))
    with pytest.raises(UnknownNameError, match=r"^run 1: unknown metric 'curv'\. Did you mean 'curve'\?"):
        bench.read(lambda reader: reader.value(1, "curv", 0))
    assert bench.read(lambda reader: reader.find("no identity")) is None


def test_the_query_of_a_run(bench: Workplace) -> None:
    bench.given(NUMBERS, "name=first")
    bench.run(NUMBERS, "name=second")
    found: Any = bench.read(lambda reader: reader.query_of(1))
    assert (found[0], found[1]["generator"]) == ("first", {"name": "range", "params": {"size": 300}})


# --- the end of a run -------------------------------------------------------------------------------------


def histogram_of(bench: Workplace, metric: str) -> list[tuple[Any, ...]]:
    return sql(bench, f"SELECT low, high, count FROM histograms WHERE metric = '{metric}' ORDER BY position")


def test_few_values_are_counted_exactly(bench: Workplace, small_chunks: None) -> None:
    bench.given(NUMBERS)
    for name in ("curve", "share", "third", "effort", "digits"):
        values = values_of(bench, name)
        there = sorted(int(v) if isinstance(v, bool) else v for v in values if v is not None)
        assert histogram_of(bench, name) == [(v, v, there.count(v)) for v in sorted(set(there))]


def test_many_values_are_counted_in_bins(bench: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_digest, "EXACT_VALUES", 299)
    bench.run(NUMBERS, 'evaluators=[{name = "root"}, {name = "digits"}]', "select=[]")
    bins = histogram_of(bench, "root")
    roots = [math.sqrt(n) for n in range(300)]
    assert sum(count for *_, count in bins) == 300
    assert len(bins) <= run_digest.BINS
    assert (bins[0][0], bins[-1][1]) == (0.0, roots[-1])
    for low, high, count in bins:
        inside = sum(low <= root < high for root in roots) + (high == roots[-1])
        assert count == inside
    assert all(low == high for low, high, _ in histogram_of(bench, "digits"))


def test_bins_of_the_smallest_numbers_ascend() -> None:
    """Halves of denormal numbers are rounded, so that edges would go down in places."""
    edges = run_digest.edges_of(0.0, 5e-324 * 300)
    assert len(edges) == run_digest.BINS + 1
    assert (np.diff(edges) >= 0).all()


def test_the_digest_of_a_run_tells_runs_apart(bench: Workplace, tmp_path: Path) -> None:
    digests = set()
    for i, overrides in enumerate(
        [[], ["generator.size=299"], ["range.start=1"], ['evaluators=[{name = "digits"}, {name = "mixed"}]']]
    ):
        digests.add(bench.run(NUMBERS, *overrides, database=tmp_path / f"{i}.db").goal.digest)
    assert len(digests) == 4


# --- SQL --------------------------------------------------------------------------------------------------


def test_every_view_answers(bench: Workplace) -> None:
    bench.given(NUMBERS)
    bench.run(LAYERS)
    views = {row[0] for row in sql(bench, "SELECT name FROM sqlite_master WHERE type = 'view'")}
    # of edited contents alone: tests/core/search/paths/test_path_runs.py
    edits = {"edit_effects", "best_edits", "edit_scores"}
    curricula = {"selections", "rejections"}  # tests/core/curriculum
    depths = {"depths"}  # tests/core/search/breadth_first
    played = {"traces", "play_actions"}  # tests/research/test_traces.py
    of_runs = {"runs", "metrics", "layers", "scores", "kept", "errors", "histograms", "statuses", "inputs"}
    of_runs |= {"materialized_scores"}
    assert views == of_runs | edits | curricula | depths | played
    filled = {view for view in views if asked(bench, f"SELECT * FROM {view}")}
    assert filled == of_runs - {"errors"}


def test_the_view_of_runs(bench: Workplace) -> None:
    bench.given(NUMBERS)
    bench.run(NUMBERS, "range.stop=77")
    statement = "SELECT run_id, space, state, candidates, evaluated, coverage FROM runs"
    assert sql(bench, statement) == [
        (1, "numbers:range?size=300", "done", 300, 300, "exhaustive"),
        (2, "numbers:range?size=300", "done", 77, 77, "semi-exhaustive"),
    ]
    records: Any = bench.read(lambda reader: [run.coverage for run in reader.runs()])
    assert [row[5] for row in sql(bench, statement)] == records


def test_the_view_of_metrics(bench: Workplace, small_chunks: None) -> None:
    bench.given(NUMBERS)
    for name in ("curve", "share", "digits"):
        values = values_of(bench, name)
        there = [v for v in values if v is not None]
        ((evaluated, valued, low, high, total, mean),) = sql(
            bench, "SELECT evaluated, valued, minimum, maximum, total, mean FROM metrics "
            f"WHERE metric = '{name}'",
        )  # fmt: skip
        assert (evaluated, valued, low, high) == (300, len(there), min(there), max(there))
        assert total == pytest.approx(sum(there), rel=1e-12)
        assert mean == pytest.approx(sum(there) / len(there), rel=1e-12)


@pytest.mark.parametrize(
    ("totals", "total"),
    [
        ([2**62, 2**62 - 2**60], 2**63 - 2**60),
        ([2**62, 2**62], 2.0**63),
        ([2**63 - 1, 2**63 - 1, 2**63 - 1], 3 * 2.0**63),
        ([-(2**63), -(2**63)], -(2.0**64)),
        ([2.0**63, -5], 2.0**63),  # what a chunk itself cannot hold as an integer
        ([-7, 2**53, 1, 1], 2**53 - 5),
        ([None, 4], 4),
        ([None, None], None),
    ],
    ids=str,
)
def test_the_view_of_metrics_adds_beyond_64_bits(bench: Workplace, totals: list[Any], total: Any) -> None:
    bench.given(NUMBERS)
    with closing(sqlite3.connect(bench.database)) as connection, connection:
        (chunk,) = connection.execute(
            "SELECT metric_id FROM score_chunk JOIN metric ON metric.id = metric_id WHERE name = 'digits'"
        ).fetchall()
        connection.execute("CREATE TABLE one AS SELECT * FROM score_chunk WHERE metric_id = ?", chunk)
        connection.execute("DELETE FROM score_chunk WHERE metric_id = ?", chunk)
        for i, part in enumerate(totals):
            connection.execute("UPDATE one SET id = ?, start = ?, total = ?", (1000 + i, i, part))
            connection.execute("INSERT INTO score_chunk SELECT * FROM one")
    ((found, mean, valued),) = sql(bench, "SELECT total, mean, valued FROM metrics WHERE metric = 'digits'")
    assert (type(found), found) == (type(total), total)
    assert mean == (None if total is None else float(total) / valued)


def test_the_view_of_layers(bench: Workplace) -> None:
    bench.given(LAYERS)
    rows = sql(bench, "SELECT layer, candidates, solvable, uniquely_solvable, percent_solvable FROM layers")
    assert [row[:2] for row in rows] == [(1, 7), (2, 21), (3, 35)]
    assert rows[0] == (1, 7, 3, 3, pytest.approx(300 / 7))
    assert rows[2][:4] == (3, 35, 13, 8)


def test_the_view_of_what_was_kept(bench: Workplace) -> None:
    bench.given(NUMBERS, "record.rows=kept")
    rows = sql(bench, "SELECT puzzle, kept_by, state, scores FROM kept ORDER BY rank DESC")
    assert rows[0][:3] == ("numbers:range?size=300#299", "top 2 by digits", "number 299")
    assert json.loads(rows[0][3])["digits"] == 20
    assert len(rows) == 2


@pytest.mark.parametrize(
    "question",
    [
        "SELECT a.value FROM scores AS a JOIN scores AS b USING (run_id, rank) "
        "WHERE run_id = 1 AND a.metric = 'curve' AND b.metric = 'digits'",
        "SELECT scores FROM kept",
    ],
)
def test_the_views_find_a_score_by_its_whole_key(bench: Workplace, question: str) -> None:
    """By run, metric and rank: a search by run alone reads all its scores for each candidate."""
    bench.given(NUMBERS)
    steps = [step for *_, step in asked(bench, f"EXPLAIN QUERY PLAN {question}")]
    by_key = "score USING PRIMARY KEY (run_id=? AND metric_id=? AND rank=?)"
    assert any(by_key in step or ("AUTOMATIC" in step and "rank=? AND run_id=?" in step) for step in steps)
    assert not any("SCAN score" in step or "score USING PRIMARY KEY (run_id=?)" in step for step in steps)


def test_functions_read_chunks_and_draw(bench: Workplace) -> None:
    bench.given(NUMBERS, "record.rows=none")
    calls = {"'curve', 10": -200, "'third', 12": 1, "'share', 7": 1.0, "'curve', 2": None, "'effort', 2": 0}
    for call, value in calls.items():
        assert sql(bench, f"SELECT epcg_score(1, {call})") == [(value,)], call
    assert sql(bench, "SELECT epcg_puzzle(1, 44)") == [("numbers:range?size=300#44",)]
    assert sql(bench, "SELECT epcg_text(epcg_puzzle(1, 44))") == [("* 44 *\n",)]
    ((svg,),) = sql(bench, "SELECT epcg_svg('numbers:range?size=300#44')")
    assert svg.startswith("<svg")
    assert "44" in svg


def test_functions_answer_for_many_rows(bench: Workplace, small_chunks: None) -> None:
    bench.given(NUMBERS)
    wrong = sql(
        bench, "SELECT count(*) FROM scores WHERE value IS NOT epcg_score(run_id, metric, rank)"
    )  # fmt: skip
    assert wrong == [(0,)]


def test_an_error_in_a_function_is_an_error(bench: Workplace) -> None:
    bench.given(NUMBERS)
    for call in ("epcg_score(9, 'curve', 1)", "epcg_score(1, 'curv', 1)", "epcg_svg('nonsense')"):
        with pytest.raises(StoreError, match="user-defined function raised exception"):
            sql(bench, f"SELECT {call}")


class Interrupts:
    """A value at which a statement of many rows is interrupted."""

    def __conform__(self, protocol: object) -> str:
        raise KeyboardInterrupt


def test_a_statement_that_was_interrupted_blocks_no_other(tmp_path: Path) -> None:
    database, rows = tmp_path / "epcg.db", [("half",), (Interrupts(),)]
    with Store.open(database, write=True) as store:
        with pytest.raises(KeyboardInterrupt) as interrupt, store.transaction() as connection:
            connection.exec_driver_sql("UPDATE writer SET command = ?", rows)
        with store.transaction() as connection:
            assert connection.scalar(sa.select(schema.writer.c.command)) != "half"
    assert interrupt.tb is not None  # it was held until here, as it is while a message is made of it
    with Store.open(database) as store, store.connection() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(schema.writer)) == 0
