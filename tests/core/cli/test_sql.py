"""`epcg sql`."""

from __future__ import annotations

import csv
import gc
import io
import json
import signal
import sys
import types
from collections.abc import Callable

import pytest
from click.testing import Result

from tests.workplace import Numbers

pytestmark = pytest.mark.usefixtures("answered")


def test_the_formats_say_the_same(cli: Callable[..., Result]) -> None:
    statement = "SELECT rank, value, NULL AS missing FROM scores WHERE metric = 'digits' AND rank > 97"
    expected = [(98, 17), (99, 18)]
    table = [line.split() for line in cli("sql", statement).stdout.splitlines()]
    assert table == [["rank", "value", "missing"], *([str(r), str(v), "-"] for r, v in expected)]
    rows = json.loads(cli("sql", statement, "--format", "json").stdout)
    assert rows == [{"rank": r, "value": v, "missing": None} for r, v in expected]
    text = cli("sql", statement, "--format", "csv").stdout
    assert list(csv.reader(io.StringIO(text)))[1:] == [[str(r), str(v), ""] for r, v in expected]


def test_no_rows(cli: Callable[..., Result]) -> None:
    statement = "SELECT run_id FROM runs WHERE run_id > 99"
    assert json.loads(cli("sql", statement, "--format", "json").stdout) == []
    assert cli("sql", statement, "--format", "csv").stdout == "run_id\n"
    assert cli("sql", statement).stdout == "run_id\n"


def test_runs_without_rows_are_named(toy: Numbers, cli: Callable[..., Result]) -> None:
    cli("run", toy.file("digits", size=50, more='[record]\nrows = "none"\n'), "--quiet")
    result = cli("sql", "SELECT count(*) AS n FROM score WHERE run_id = 3")
    assert result.stdout == "n\n0\n"
    assert "Warning: run 3 has rows of kept candidates at most, so the table 'score' lacks" in result.stderr
    for statement in (
        "SELECT count(*) FROM scores",
        "SELECT count(*) FROM materialized_scores",
        "SELECT 'score' FROM runs -- score",
        "SELECT epcg_count(3, 'digits', NULL, NULL)",
        "SELECT * FROM best_edits",
        "SELECT puzzle, scores FROM kept",
        "SELECT puzzle FROM kept ORDER BY json_extract(scores, '$.digits')",
    ):
        assert cli("sql", statement).stderr == ""
    for source in (
        "runs JOIN score ON score.run_id = runs.run_id",
        "runs, score",
        '"score"',
        "(SELECT * FROM score) AS s",
        "score AS scores",
        "(WITH x AS (SELECT * FROM score) SELECT * FROM x)",
    ):
        assert "Warning: run 3 has" in cli("sql", f"SELECT count(*) FROM {source}").stderr
    cli("db", "materialize", 3)
    assert cli("sql", "SELECT count(*) AS n FROM score WHERE run_id = 3").stdout.split() == ["n", "50"]
    assert cli("sql", "SELECT count(*) AS n FROM score WHERE run_id = 3").stderr == ""


def test_long_tables_are_streamed_whole(cli: Callable[..., Result]) -> None:
    statement = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2500) SELECT i FROM n"
    lines = cli("sql", statement).stdout.split()
    assert lines == ["i", *map(str, range(1, 2501))]


def test_functions_read_chunks_and_draw_puzzles(cli: Callable[..., Result]) -> None:
    statement = (
        "SELECT epcg_score(1, 'digits', 99) AS s, epcg_score(2, 'divisor', 0) AS d, epcg_puzzle(1, 7) AS p, "
        "epcg_text('numbers:range?size=9#5') AS t"
    )
    (row,) = json.loads(cli("sql", statement, "--format", "json").stdout)
    assert row == {"s": 18, "d": None, "p": "numbers:range?size=100#7", "t": "* 5 *\n"}


def test_functions_search_chunks(cli: Callable[..., Result]) -> None:
    sums = [sum(map(int, str(number))) for number in range(100)]
    statement = (
        "SELECT epcg_count(1, 'digits', 15, NULL) AS high, epcg_count(1, 'digits', 2, 3.5) AS low, "
        "epcg_count(1, 'even', 1, 1) AS even, epcg_count(2, 'divisor', NULL, NULL) AS valued, "
        "epcg_ranks(1, 'digits', 17, NULL) AS ranks, epcg_top(1, 'digits', 4) AS top, "
        "epcg_top(1, 'digits', 3, 'min') AS lowest, epcg_top(2, 'divisor', 2) AS own"
    )
    (row,) = json.loads(cli("sql", statement, "--format", "json").stdout)
    assert row == {
        "high": sum(s >= 15 for s in sums), "low": sum(2 <= s <= 3 for s in sums), "even": 50, "valued": 98,
        "ranks": "[89, 98, 99]", "top": "[99, 89, 98, 79]", "lowest": "[0, 1, 10]", "own": "[2, 4]",
    }  # fmt: skip


def test_an_array_of_ranks_is_a_table(cli: Callable[..., Result]) -> None:
    statement = (
        "SELECT key + 1 AS place, epcg_score(1, 'digits', value) AS digits, epcg_puzzle(1, value) AS puzzle "
        "FROM json_each(epcg_top(1, 'digits', 2))"
    )
    assert json.loads(cli("sql", statement, "--format", "json").stdout) == [
        {"place": 1, "digits": 18, "puzzle": "numbers:range?size=100#99"},
        {"place": 2, "digits": 17, "puzzle": "numbers:range?size=100#89"},
    ]


def test_an_array_that_would_be_too_long_is_refused(
    cli: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("epcg_core.store.sql_functions.MOST_RANKS", 10)
    said = cli("sql", "SELECT epcg_ranks(1, 'digits', 5, NULL)", code=1).stderr
    assert "more than 10 candidates of run 1" in said
    assert "epcg db materialize 1 --where" in said


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("SELECT epcg_count(1, 'digit', 5, 6)", "Did you mean 'digits'?"),
        ("SELECT epcg_count(9, 'digits', 5, 6)", "no run 9"),
        ("SELECT epcg_count(1, 'digits', 'five', 6)", "a limit is a number, or NULL for none, not 'five'"),
        ("SELECT epcg_top(1, 'digits', -1)", "the count is a number from 0"),
        ("SELECT epcg_top(1, 'digits', 2.5)", "not 2.5"),
        ("SELECT epcg_top(1, 'digits', 2, 'least')", "'max' or 'min', not 'least'"),
        ("SELECT epcg_text('numbers:rang#5')", "Did you mean 'range'?"),
        ("SELECT epcg_score(1, 'digit', 5)", "Did you mean 'digits'?"),
        ("SELECT epcg_score(9, 'digits', 5)", "no run 9"),
        ("SELECT nobody FROM runs", "no such column: nobody"),
        (
            "SELECT titel FROM runs",
            "no such column: titel. Did you mean 'title'? `epcg sql` without a statement",
        ),
        ("SELECT r.titel FROM runs r", "Did you mean 'title'?"),
        ("SELECT * FROM rns", "Did you mean 'runs'?"),
        ("SELEKT 1", "syntax error"),
        ("SELECT 1; SELECT 2", "one statement"),
    ],
)
def test_mistakes_are_sentences(cli: Callable[..., Result], statement: str, sentence: str) -> None:
    said = cli("sql", statement, code=1).stderr
    assert sentence in said
    assert "Traceback" not in said


@pytest.mark.sweep(8)
@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM run",
        "DELETE FROM runs",
        "UPDATE run SET state = 'done'",
        "DROP VIEW runs",
        "CREATE TABLE mine (x)",
        "PRAGMA user_version = 7",
        "VACUUM INTO 'copy.db'",
        "ATTACH DATABASE 'new.db' AS new",
        "CREATE TEMP VIEW scores AS SELECT 1 AS value",
        "CREATE TEMP TABLE mine AS SELECT 1",
        "DROP VIEW temp.scores",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA query_only = ON",
        "BEGIN",
        "COMMIT",
        "SAVEPOINT s",
        "ANALYZE",
        "UPDATE sqlite_master SET sql = ''",
        "UPDATE sqlite_temp_master SET sql = ''",
        "REINDEX",
    ],
)
def test_nothing_can_be_changed(cli: Callable[..., Result], answered: Numbers, statement: str) -> None:
    before = answered.database.read_bytes()
    assert "`epcg sql` only reads" in cli("sql", statement, code=1).stderr
    assert answered.database.read_bytes() == before
    assert not (answered.folder / "copy.db").exists()
    assert not (answered.folder / "new.db").exists()


ENDLESS = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500000000) SELECT max(i) FROM n"
)


def test_an_interrupt_of_a_statement_stays_one(cli: Callable[..., Result]) -> None:
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    gc.disable()  # an exception in a callback of the collector, which hypothesis has, is only printed
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        assert cli("sql", ENDLESS, code=130).stderr == "Interrupted.\n"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.enable()


def test_an_interrupt_in_a_function_of_ours_stays_one(
    cli: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("epcg_core.rendering.render.render", interrupted)
    assert cli("sql", "SELECT epcg_text(epcg_puzzle(1, 7))", code=130).stderr == "Interrupted.\n"


def test_an_interrupt_at_the_edge_of_a_function_of_ours_stays_one(cli: Callable[..., Result]) -> None:
    """Before the function can notice it, SQLite makes an error of its own of it."""

    def at_its_edge(frame: types.FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name == "noted":
            raise KeyboardInterrupt

    sys.setprofile(at_its_edge)
    try:
        assert cli("sql", "SELECT epcg_text(epcg_puzzle(1, 7))", code=130).stderr == "Interrupted.\n"
    finally:
        sys.setprofile(None)


def test_an_error_of_a_function_of_ours_is_no_interrupt(cli: Callable[..., Result]) -> None:
    assert "could not convert" in cli("sql", "SELECT epcg_real('x')", code=1).stderr


def test_blobs_are_shown_by_their_size(cli: Callable[..., Result]) -> None:
    statement = "SELECT digest FROM score_chunk LIMIT 1"
    assert "<32 bytes>" in cli("sql", statement).stdout
    assert json.loads(cli("sql", statement, "--format", "json").stdout) == [{"digest": "<32 bytes>"}]


def test_two_columns_of_one_name_stay_two(cli: Callable[..., Result]) -> None:
    (row,) = json.loads(cli("sql", "SELECT 1 AS a, 2 AS a", "--format", "json").stdout)
    assert row == {"a": 1, "a_2": 2}


def test_infinity_is_valid_json(cli: Callable[..., Result]) -> None:
    (row,) = json.loads(cli("sql", "SELECT 9e999 AS x", "--format", "json").stdout)
    assert row == {"x": "Infinity"}


def test_without_a_statement_tables_and_views_are_listed(cli: Callable[..., Result]) -> None:
    rows = {row["name"]: row for row in json.loads(cli("sql", "--format", "json").stdout)}
    assert rows["layers"]["kind"] == "view"
    assert rows["score_chunk"]["kind"] == "table"
    assert "percent_solvable" in rows["layers"]["columns"]
    assert "epcg_score" in cli("sql").stderr


def test_a_statement_from_standard_input(cli: Callable[..., Result]) -> None:
    assert cli("sql", "-", stdin="SELECT 1 + 1 AS two\n").stdout == "two\n  2\n"


def test_states_of_several_lines_stay_on_one(cli: Callable[..., Result]) -> None:
    text = cli("sql", "SELECT epcg_text(epcg_puzzle(1, 7)) AS t UNION ALL SELECT 'b'").stdout
    assert text.splitlines() == ["t", "* 7 *\\n", "b"]


def test_a_database_that_is_not_there(cli: Callable[..., Result]) -> None:
    said = cli("sql", "SELECT 1", "--db", "none.db", code=1).stderr
    assert "no database none.db" in said


# --- scores over chunks


def scores(cli: Callable[..., Result], run: int, more: str = "") -> list[tuple[object, ...]]:
    statement = f"SELECT metric, rank, value FROM scores WHERE run_id = {run} {more} ORDER BY metric, rank"
    rows = json.loads(cli("sql", statement, "--format", "json").stdout)
    return [(row["metric"], row["rank"], row["value"]) for row in rows]


def test_scores_of_a_run_without_rows_are_those_of_its_rows(toy: Numbers, cli: Callable[..., Result]) -> None:
    """Integers, booleans, reals to the last bit, missing values; also of a filtered run."""
    more = '[[select]]\nmetric = "digits"\ncount = 3\n[record]\nrows = "{}"\n'
    odd = '[filter]\nmetric = "even"\nmax = 0\nsearch = {{ name = "exhaustive" }}\n'
    odd += 'evaluators = [{{ name = "even" }}]\n'
    parts = ("digits", "root", "even", "divisor")
    for number, text in enumerate((more, odd + more)):
        query = toy.file(*parts, name=f"asked{number}", size=90, more=text.format("kept"))
        cli("run", query, "--quiet")
        ((run,),) = toy.sql(f"SELECT max(id) FROM run WHERE rows = 'kept' AND {number} = {number}")
        found = scores(cli, run)
        assert len(found) == 4 * (45 if number else 90)
        assert toy.sql(f"SELECT count(*) FROM materialized_scores WHERE run_id = {run}") == [(12,)]
        best = scores(cli, run, "AND metric = 'root' AND rank BETWEEN 3 AND 5")
        assert best == [row for row in found if row[0] == "root" and 3 <= row[1] <= 5]  # type: ignore[operator]
        cli("db", "materialize", run)
        assert scores(cli, run) == found
        assert toy.sql(
            f"SELECT metric, rank, value FROM scores WHERE run_id = {run} ORDER BY metric, rank"
        ) == [(m, r, v) for m, r, v in found]
    assert ("divisor", 1, None) in found


def test_scores_over_many_chunks_and_sampled_ranks(toy: Numbers, cli: Callable[..., Result]) -> None:
    none = '[record]\nrows = "none"\n'
    cli("run", toy.file("digits_array", size=150_000, name="many", more=none), "--quiet")
    statement = "SELECT count(*) AS n, sum(value) AS s FROM scores WHERE run_id = 3 AND rank >= 60000"
    (row,) = json.loads(cli("sql", statement, "--format", "json").stdout)
    assert row == {"n": 90_000, "s": sum(sum(map(int, str(n))) for n in range(60_000, 150_000))}
    cli("run", toy.file("digits", size=5_000, name="some", more=none), "--sample", 20, "--quiet")
    found = scores(cli, 4)
    assert len(found) == 20
    assert all(value == sum(map(int, str(rank))) for _, rank, value in found)


def test_a_statement_over_very_many_values_is_worth_a_sentence(
    toy: Numbers, cli: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("run", toy.file("digits", "root", size=50, more='[record]\nrows = "none"\n'), "--quiet")
    assert cli("sql", "SELECT count(*) FROM scores").stderr == ""
    monkeypatch.setattr("epcg_core.store.chunk_rows.MANY", 99)
    assert "100 values were read from chunks" in cli("sql", "SELECT count(*) FROM scores").stderr


def test_infinite_values_are_read_from_chunks() -> None:
    from types import SimpleNamespace

    import numpy as np

    from epcg_core.chunks.codec import encode_metric
    from epcg_core.domain import Metric
    from epcg_core.store.chunk_rows import values

    metric = Metric("far", "real")
    array = np.array([np.inf, -np.inf, 0.1, 5e-324])
    chunk = encode_metric(metric, 0, 4, array, None)
    reader = SimpleNamespace(
        connection=SimpleNamespace(info={}),
        column=lambda *_: None,
        chunk_at=lambda *_: chunk,
        missing=lambda *_: None,
        ranks=lambda *_: None,
    )
    found = json.loads(values(reader, 1, "far", 0))  # type: ignore[arg-type]
    assert [float(text) for text in found] == array.tolist()


def test_percentiles_and_ranks(cli: Callable[..., Result], answered: Numbers) -> None:
    import epcg_core as epcg

    sums = [sum(map(int, str(number))) for number in range(100)]
    expected = 100 * (sum(s < 9 for s in sums) + sums.count(9) / 2) / 100
    statement = (
        "SELECT epcg_percentile(1, 'digits', 9) AS p, epcg_percentile(1, 'root', -1) AS low, "
        "epcg_percentile(1, 'even', 1) AS even, epcg_percentile(1, 'digits', NULL) AS missing, "
        "epcg_rank('numbers:range?size=9#5') AS id, "
        "epcg_rank(1, 'numbers:range?size=100#17') AS own, epcg_rank(NULL) AS none"
    )
    (row,) = json.loads(cli("sql", statement, "--format", "json").stdout)
    assert row == {
        "p": expected, "low": 0, "even": 75, "missing": None, "id": 5, "own": 17, "none": None,
    }  # fmt: skip
    run = epcg.open(answered.database).run(1)
    assert run.percentile("digits", 9) == expected
    assert epcg.open(answered.database).sql("SELECT epcg_percentile(1, 'digits', 9)").rows == ((expected,),)


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("SELECT epcg_percentile(1, 'digit', 9)", "Did you mean 'digits'?"),
        ("SELECT epcg_percentile(1, 'digits', 'high')", "a value is a number, not 'high'"),
        ("SELECT epcg_rank(5)", "a puzzle is named by its id or its text, not 5"),
        ("SELECT epcg_rank('sums.toml')", "no recorded run has this puzzle"),
        ("SELECT epcg_rank(1, 'numbers:range?size=9#5')", "is not a puzzle of run 1"),
        ("SELECT epcg_rank(1, 'hello')", "The generator of run 1 reads no texts"),
        ("SELECT epcg_rank(9, '* 5 *')", "no run 9"),
        ("SELECT epcg_values(1, 'digits', 5)", "has no chunk of digits that begins at rank 5"),
    ],
)
def test_mistakes_in_newer_functions_are_sentences(
    cli: Callable[..., Result], statement: str, sentence: str
) -> None:
    assert sentence in cli("sql", statement, code=1).stderr
