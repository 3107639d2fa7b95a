"""`epcg forget`: what it says, what it deletes, and what it refuses to delete."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from epcg_core.store import schema
from tests.workplace import Numbers, epcg

FILTERED = """
[filter]
metric = "even"
min = 1
search = { name = "exhaustive" }
evaluators = [{ name = "even" }]
"""


def content(database: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table, except what describes metrics, plugins and domains."""
    with sqlite3.connect(database) as connection:
        return {
            name: sorted(connection.execute(f"SELECT * FROM {name}").fetchall(), key=repr)
            for name in schema.metadata.tables
            if name not in ("metric", "plugin", "domain")
        }


def test_a_forgotten_run_leaves_no_row(answered: Numbers) -> None:
    before = content(answered.database)
    epcg("run", answered.file("root", name="roots", size=17), "--quiet")
    epcg("db", "materialize", "3", "--index")
    said = epcg("forget", "3", code=1).stderr
    assert "Nothing was deleted. With --yes this is lost: run 3, exhaustive numbers:range?size=17: 17" in said
    assert "the answer to the query roots" in said
    assert answered.sql("SELECT count(*) FROM run") == [(3,)]
    assert "Forgotten: run 3" in epcg("forget", "3", "--yes").stderr
    assert content(answered.database) == before
    assert answered.sql("SELECT name FROM sqlite_master WHERE name LIKE 'ix_score_value%'") == []
    assert answered.sql("PRAGMA foreign_key_check") == []
    for run in ("1", "2"):
        epcg("verify", run)


def test_what_other_runs_need_stays(answered: Numbers) -> None:
    epcg("forget", "2", "--yes")
    before = content(answered.database)
    assert [row[0] for row in before["run"]] == [1]
    assert len(before["space"]) == 1, "both runs were over one space"
    assert len(before["query"]) == 1
    epcg("verify", "1")


def test_a_run_that_others_were_computed_from_stays(toy: Numbers) -> None:
    epcg("run", toy.file("digits", more=FILTERED), "--quiet")
    said = epcg("forget", "1", "--yes", code=1).stderr
    assert "Run 2 was computed from run 1, which therefore stays: forget run 2 first." in said
    epcg("forget", "2", "--yes")
    epcg("forget", "1", "--yes")
    assert [name for name, rows in content(toy.database).items() if rows] == []


def test_the_computed_answer_is_computed_anew_when_it_was_forgotten(answered: Numbers) -> None:
    epcg("forget", "1", "--yes")
    epcg("run", "sums.toml", "--quiet")
    assert [state for (state,) in answered.sql("SELECT state FROM run")] == ["done", "done"]


def test_a_curriculum_keeps_its_puzzles(answered: Numbers) -> None:
    answered.change(
        "INSERT INTO curriculum VALUES (1, 'course', 'Course', '{}', 'a digest', 'today')",
        "INSERT INTO newest_build VALUES ('course', 1)",
        "INSERT INTO curriculum_run SELECT 1, id, digest FROM run WHERE id = 1",
        "INSERT INTO puzzle SELECT 1, 'numbers:range#7', 'a digest', '7', space_id, 7, id FROM run "
        "WHERE id = 1",
    )
    assert "where the curriculum course has its puzzles from" in epcg("forget", "1", code=1).stderr
    epcg("forget", "1", "--yes")
    epcg("forget", "2", "--yes")
    assert answered.sql("SELECT puzzle, run_id FROM puzzle") == [("numbers:range#7", None)]
    assert answered.sql("PRAGMA foreign_key_check") == []


def test_a_run_that_is_not_there(answered: Numbers) -> None:
    assert "There is no run 9" in epcg("forget", "9", "--yes", code=1).stderr
