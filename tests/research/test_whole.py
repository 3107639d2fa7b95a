"""What SQL answers is whole: by every door the same, and by any SQLite client the same or refused.

Of three runs over numbers the first has all rows, the second those of two kept candidates, the third none.
Whatever names the runs, an answer is that of their values.
"""

from __future__ import annotations

import json
import sqlite3
import statistics
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import epcg_core
from epcg_core.base.errors import EpcgError
from epcg_core.store.run_digest import EXACT_VALUES
from tests.workplace import Numbers, epcg, made_once, needs

SUMS = [sum(map(int, str(number))) for number in range(300)]
SIZES = {1: 100, 2: 200, 3: 300}
BOTH = "run_id = 1 OR run_id = (SELECT max(run_id) FROM runs)"
STATEMENTS: dict[str, Any] = {
    "SELECT count(*) FROM scores": 600,
    "SELECT count(*) FROM (SELECT * FROM scores)": 600,
    f"SELECT count(*) FROM scores WHERE {BOTH}": 400,
    f"SELECT max(value) FROM scores WHERE {BOTH}": max(SUMS),
    "SELECT count(*) FROM scores WHERE value > 15": sum(s > 15 for n in SIZES.values() for s in SUMS[:n]),
    "SELECT count(*) FROM scores WHERE value > 15 AND run_id = 1": sum(s > 15 for s in SUMS[:100]),
    "SELECT count(*) FROM scores WHERE rank = 77": 3,
    "SELECT count(*) FROM scores WHERE rank = 77 AND run_id >= 2": 2,
    "SELECT count(*) FROM scores WHERE run_id IN (1, 3)": 400,
    "SELECT count(*) FROM scores AS s JOIN runs AS r ON s.run_id = r.run_id WHERE r.state = 'done'": 600,
    "SELECT count(*) FROM runs AS r, scores AS s WHERE r.run_id = s.run_id AND r.run_id = 2": 200,
    'SELECT count(*) FROM "scores" AS score WHERE score.run_id = 3': 300,
    "SELECT count(DISTINCT a.rank) FROM scores AS a JOIN scores AS b USING (run_id, rank)": 300,
    "SELECT EXISTS (SELECT 1 FROM scores WHERE run_id = 3 AND rank = 299)": 1,
    "WITH s AS (SELECT * FROM scores) SELECT count(*) FROM s WHERE run_id = 2": 200,
    "SELECT group_concat(n) FROM (SELECT count(*) AS n FROM scores GROUP BY run_id)": "100,200,300",
    "SELECT count(*) FROM scores WHERE metric = 'no such'": 0,
    "SELECT count(*) FROM scores WHERE run_id = 1": 100,
    "SELECT count(*) FROM /* run_id = 1 */ scores WHERE run_id = 3": 300,
}


@pytest.fixture
def three(toy: Numbers) -> Numbers:
    kept = '[[select]]\nmetric = "digits"\ncount = 2\n[record]\nrows = "{}"\n'

    def runs() -> None:
        for size, rows in ((100, "all"), (200, "kept"), (300, "none")):
            text = kept.format(rows) if rows != "none" else '[record]\nrows = "none"\n'
            toy.run(toy.query("digits", size=size, more=text))

    made_once(toy.database, "three runs", runs)
    return toy


def asked(statement: str, *arguments: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(epcg("sql", statement, "--format", "json", *arguments).stdout)
    return found


def answer(statement: str) -> Any:
    ((value,),) = (row.values() for row in asked(statement))
    return value


@pytest.mark.sweep(7)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_the_command_line_and_python_see_every_value(three: Numbers, statement: str) -> None:
    assert answer(statement) == STATEMENTS[statement]
    assert epcg_core.open(three.database).sql(statement).rows == ((STATEMENTS[statement],),)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_any_client_has_the_same_answer_or_is_refused(three: Numbers, statement: str) -> None:
    """Of runs that have all rows it has an answer."""
    try:
        found = three.sql(statement)
    except sqlite3.OperationalError as error:
        assert "ask with epcg sql" in str(error)  # noqa: PT017
        assert STATEMENTS[statement] not in (0, 100)
        return
    assert found == [(STATEMENTS[statement],)]


def test_a_client_sees_what_rows_there_are_by_another_name(three: Numbers) -> None:
    asked = "SELECT run_id, count(*), min(complete), max(value) FROM materialized_scores GROUP BY run_id"
    assert three.sql(asked) == [(1, 100, 1, 18), (2, 2, 0, 19)]
    for run in (2, 3):
        epcg("db", "materialize", run)
    for statement, value in STATEMENTS.items():
        assert three.sql(statement) == [(value,)]


def test_a_client_can_list_all_columns(three: Numbers) -> None:
    listed = three.sql("SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_xinfo(m.name) AS c")
    columns: dict[str, list[str]] = {}
    for view, column in listed:
        columns.setdefault(view, []).append(column)
    assert columns["scores"] == ["run_id", "rank", "metric", "value"]
    shown = {row["name"]: row["columns"].split(", ") for row in asked("")}
    assert {view: columns[view] for view in shown} == shown
    for view in shown:  # what EPCG lays over them has the same
        assert (
            not shown[view]
            or list(epcg_core.open(three.database).sql(f"SELECT * FROM {view} LIMIT 1").columns)
            == shown[view]
        )


@pytest.mark.parametrize("values", [BOTH, "value > 15", "run_id = 3", "1"])
def test_a_plot_shows_every_value(three: Numbers, values: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr("epcg_research.figures.require_matplotlib", lambda: None)
    monkeypatch.setattr("epcg_research.figures.draw_columns", lambda *found: drawn.extend(found[2]))
    epcg("plot", "--sql", f"SELECT rank, value FROM scores WHERE {values}", "--output", "x.svg")
    expected = asked(f"SELECT count(*) AS n, sum(value) AS s FROM scores WHERE {values}")
    assert [{"n": len(drawn), "s": sum(y for _, y in drawn)}] == expected
    assert len(drawn) in (400, 300, 600, STATEMENTS["SELECT count(*) FROM scores WHERE value > 15"])


def test_a_plan_chooses_among_all_values(three: Numbers) -> None:
    Path("plan.toml").write_text(
        f"""name = "best"\ntitle = "Best"\n[[chapters]]\nname = "one"\ntitle = "One"
sql = "SELECT epcg_puzzle(run_id, rank) AS puzzle, value FROM scores WHERE {BOTH}"
measure = "value"\nstrategy = "highest"\ncount = 1\nties = "first"\n"""
    )
    epcg("curriculum", "build", "plan.toml", "--quiet")
    assert answer("SELECT value FROM selections WHERE chosen") == max(SUMS)


@needs("datasette")
@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_browser_of_databases_sees_every_value(three: Numbers, statement: str) -> None:
    from epcg_core.store import foreign_connection

    sqlite3.enable_callback_tracebacks(False)
    with closing(sqlite3.connect(f"file:{three.database}?mode=ro", uri=True)) as raw:
        foreign_connection.register(raw, lambda _: None)
        assert raw.execute(statement).fetchall() == [(STATEMENTS[statement],)]
        with pytest.raises(sqlite3.OperationalError, match="too many attached"):
            raw.execute("ATTACH 'new.db' AS new")


# --- nothing but reading


@pytest.mark.sweep(8)
@pytest.mark.parametrize(
    "statement",
    [
        "ATTACH DATABASE 'new.db' AS new",
        "VACUUM INTO 'new.db'",
        "CREATE TEMP VIEW scores AS SELECT 1 AS value, 2 AS rank",
        "PRAGMA journal_mode = DELETE",
        "DELETE FROM score",
        "COMMIT",
    ],
)
@pytest.mark.parametrize("door", ["sql", "python", "plot", "plan"])
def test_by_no_door_is_anything_changed(three: Numbers, door: str, statement: str) -> None:
    before = three.database.read_bytes()
    there = {path.name for path in three.folder.iterdir()}
    if door == "python":
        with pytest.raises(EpcgError, match="only reads"):
            epcg_core.open(three.database).sql(statement)
    elif door == "plan":
        Path("plan.toml").write_text(
            f'name = "best"\ntitle = "Best"\n[[chapters]]\nname = "one"\ntitle = "One"\nsql = "{statement}"\n'
            'measure = "value"\nstrategy = "highest"\ncount = 1\n'
        )
        assert "only reads" in epcg("curriculum", "build", "plan.toml", code=1).stderr
        Path("plan.toml").unlink()
    else:
        arguments = ("plot", "--output", "x.svg", "--sql") if door == "plot" else ("sql",)
        assert "only reads" in epcg(*arguments, statement, code=1).stderr
    assert three.database.read_bytes() == before
    left = {path.name for path in three.folder.iterdir() if not path.name.startswith("epcg.db")}
    assert left == {name for name in there if not name.startswith("epcg.db")}


def test_what_describes_the_database_is_reading(three: Numbers) -> None:
    assert [row["name"] for row in asked("PRAGMA table_info(scores)")] == [
        "run_id",
        "rank",
        "metric",
        "value",
    ]
    assert answer("SELECT count(*) FROM pragma_table_info('scores')") == 4
    assert asked("EXPLAIN QUERY PLAN SELECT * FROM scores")
    assert answer("SELECT count(*) FROM json_each('[1, 2]')") == 2


def test_python_has_a_table_of_nothing_for_a_statement_without_rows(three: Numbers) -> None:
    assert epcg_core.open(three.database).sql("-- nothing").rows == ()


def test_a_function_that_fails_at_a_later_row_says_so_in_python(three: Numbers) -> None:
    with pytest.raises(EpcgError, match="There is no run 4"):
        epcg_core.open(three.database).sql("SELECT epcg_puzzle(value, 1) FROM json_each('[1, 2, 3, 4]')")


# --- why there is no value


def test_every_missing_value_has_its_reason(toy: Numbers, cli: Callable[..., Any]) -> None:
    fails = '[record]\non_error = "record"\nrows = "{}"\n'
    for rows, size in (("none", 20), ("all", 25)):
        cli("run", toy.file("divisor", "fails", name=rows, size=size, more=fails.format(rows)), "--quiet")
    for run in (1, 2):
        found = asked(f"SELECT * FROM statuses WHERE run_id = {run} ORDER BY metric, rank")
        without = asked(f"SELECT rank, metric FROM scores WHERE run_id = {run} AND value IS NULL "
                        "ORDER BY metric, rank")  # fmt: skip
        assert [(row["rank"], row["metric"]) for row in found] == [(w["rank"], w["metric"]) for w in without]
        reasons = {row["status"]: row["reason"] for row in found}
        assert {"none", "error"} <= set(reasons)
        assert "13 brings bad luck" in reasons["error"]
        assert "nothing to measure" in reasons["none"]
    with pytest.raises(sqlite3.OperationalError, match="ask with epcg sql"):
        toy.sql("SELECT count(*) FROM statuses")


# --- functions


@pytest.mark.sweep(7)
@pytest.mark.parametrize("run", [1, 2, 3])
@pytest.mark.parametrize("share", [0, 0.1, 0.25, 0.5, 0.7, 0.99, 1])
def test_quantiles_are_values(three: Numbers, run: int, share: float) -> None:
    values = sorted(SUMS[: SIZES[run]])
    found = answer(f"SELECT epcg_quantile({run}, 'digits', {share})")
    assert found in values
    assert sum(v <= found for v in values) >= round(share * len(values), 6)
    assert sum(v < found for v in values) < max(round(share * len(values), 6), 1)
    if share == 0.5:
        assert found == statistics.median_low(values)


@pytest.mark.parametrize(
    ("size", "exact"), [(1_000, 64), pytest.param(20_000, EXACT_VALUES, marks=pytest.mark.slow)]
)
def test_quantiles_of_reals_and_of_nothing(
    toy: Numbers, monkeypatch: pytest.MonkeyPatch, size: int, exact: int
) -> None:
    """There are more values than a histogram has, of which `exact` is the most."""
    monkeypatch.setattr("epcg_core.store.run_digest.EXACT_VALUES", exact)
    toy.run(toy.query("root", "divisor", size=size))
    roots = sorted(epcg_core.open(toy.database).run(1).values("root")[1].tolist())
    for share in (0, 0.001, 0.333, 0.5, 0.77, 1):
        place = max(0, -(-int(share * 1000) * len(roots) // 1000) - 1)
        assert answer(f"SELECT epcg_quantile(1, 'root', {share})") == roots[place]
    assert answer("SELECT epcg_quantile(1, 'divisor', 0)") == 2
    assert answer("SELECT epcg_quantile(1, 'divisor', NULL)") is None
    toy.run(toy.query("divisor", size=2))
    assert answer("SELECT epcg_quantile(2, 'divisor', 0.5)") is None


def test_the_first_of_a_symmetry_class(three: Numbers) -> None:
    assert [answer(f"SELECT epcg_canonical(3, {rank})") for rank in (7, 201, 210, 99)] == [7, 12, 12, 99]
    counted = "SELECT count(DISTINCT epcg_canonical(run_id, rank)) FROM scores WHERE run_id = 3"
    assert answer(counted) == len({int("".join(sorted(str(number)))) for number in range(300)})


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ("epcg_quantile(1, 'digits', 2)", "a share is a number from 0 to 1, not 2"),
        ("epcg_quantile(1, 'digits', 'half')", "not 'half'"),
        ("epcg_quantile(1, 'digit', 0.5)", "Did you mean 'digits'?"),
        ("epcg_canonical(1, 100)", "has ranks 0 to 99, not 100"),
        ("epcg_canonical(1, 'x')", "a rank is an integer"),
        ("epcg_canonical(9, 1)", "no run 9"),
    ],
)
def test_mistakes_are_sentences(three: Numbers, call: str, sentence: str) -> None:
    assert sentence in epcg("sql", f"SELECT {call}", code=1).stderr
