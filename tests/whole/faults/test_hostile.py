"""Databases that others wrote, closed outputs, no memory: a sentence each, which blames no program."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest

from tests.whole.faults.place import Faults
from tests.workplace import epcg, epcg_command

QUERY = """
domain = "fling"
generator = { name = "boards", width = 3, height = 3, pieces = 3 }
evaluators = [{ name = "solvable" }, { name = "solution" }]
select = [{ metric = "solvable", keep = "top", count = 3 }]
"""
PLAN = """
name = "plan"
title = "t"
description = ""
[[chapters]]
name = "one"
title = "One"
query = "q.toml"
rows = "all"
measure = "solvable"
strategy = "evenly"
count = 2
"""
COLUMNS = {
    ("run", "spec"): ("runs", "show", "top", "verify", "run", "resume", "export", "plot", "curriculum"),
    ("run", "environment"): ("show",),
    ("run", "search_params"): ("runs", "show", "verify"),
    ("query", "source"): ("show", "top", "resume", "verify"),
    ("space", "params"): ("show", "verify", "certificate"),
    ("sources", "files"): ("runs", "show", "verify", "run"),
    ("curriculum", "plan"): ("curriculum", "booklet", "curriculum verify"),
    ("selection", "measures"): ("curriculum", "booklet"),
    ("solution", "actions"): ("render", "verify"),
}
COMMANDS = {
    "runs": ("runs",),
    "show": ("show", 1),
    "top": ("top", 1),
    "verify": ("verify", 1),
    "run": ("run", "q.toml"),
    "resume": ("resume", 1),
    "export": ("export", 1, "--format", "json"),
    "plot": ("plot", 1, "--metric", "solvable", "--output", "o.svg"),
    "certificate": ("certificate", 1),
    "render": ("render", "1#0", "--solution"),
    "curriculum": ("curriculum", "show", "plan"),
    "booklet": ("curriculum", "export", "plan", "--format", "json", "--output", "o.json"),
    "curriculum verify": ("curriculum", "verify", "plan"),
}
HOSTILE = {
    "not JSON": "{",
    "nothing": "",
    "null": "null",
    "a number": "1",
    "a string": '"x"',
    "an empty list": "[]",
    "an empty table": "{}",
    "deep lists": "[" * 5000,
    "deep tables": '{"a":' * 3000,
    "many digits": "1" * 6000,
    "an infinite number": "[1e999]",
    "not a number": '{"a": NaN}',
    "other types": '{"space": 1, "versions": 5, "query": 7, "chapters": 3, "select": 1, "evaluators": "x"}',
    "parts of other types": '{"domain": "fling", "name": "q", "title": "", "record": {}, "select": [{}], '
    '"generator": {"name": "boards", "params": []}, "search": {"name": [], "params": 1}, "evaluators": [1]}',
}


@cache
def _written(base: str) -> Path:
    folder = Path(base) / "written"
    folder.mkdir()
    (folder / "q.toml").write_text(QUERY)
    (folder / "p.toml").write_text(PLAN)
    epcg("run", folder / "q.toml", "--db", folder / "epcg.db", "--quiet")
    epcg("curriculum", "build", folder / "p.toml", "--db", folder / "epcg.db")
    return folder


@pytest.fixture
def folder(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in _written(str(tmp_path_factory.getbasetemp())).iterdir():
        if path.is_file():
            shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


USUAL = ("not JSON", "other types", "null", "deep lists", "parts of other types")
"""The texts that the fast tests try; of params, which take longest, the first two."""


def is_usual(column: str, name: str) -> bool:
    return name in (USUAL[:2] if column == "params" else USUAL)


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("table", "column", "text"),
    [
        pytest.param(
            table, column, text, id=f"{table}-{column}-{name}",
            marks=[] if is_usual(column, name) else [pytest.mark.slow],
        )
        for table, column in COLUMNS
        for name, text in HOSTILE.items()
    ],
)  # fmt: skip
def test_json_that_others_wrote(folder: Path, table: str, column: str, text: str) -> None:
    with closing(sqlite3.connect("epcg.db")) as connection, connection:
        if table == "solution":
            connection.execute(
                "INSERT INTO solution (run_id, rank, position, actions) VALUES (1, 0, 0, '[]')"
            )
        assert connection.execute(f"UPDATE {table} SET {column} = ?", (text,)).rowcount
    shutil.copy("epcg.db", "changed.db")
    for name in COLUMNS[table, column]:
        shutil.copy("changed.db", "epcg.db")
        said = epcg(*COMMANDS[name], code=None)
        assert "mistake in EPCG" not in said.stderr, name
        assert said.exit_code in (0, 1, 4, 5), (name, said.stderr)
        checked = table != "solution" and (column, text) != ("search_params", "{}")  # as it was
        if checked and name in ("verify", "curriculum verify"):
            assert said.exit_code != 0, (name, said.stdout)


CLOSED = (
    "--version",
    "runs",
    "show 1",
    "top 1",
    "domains",
    "sql 'SELECT 1'",
    "run q.toml",
    "export 1 --format csv",
)
ALL = ">&- 2>&- <&-"


@pytest.mark.parametrize(
    ("words", "closed"),
    [
        pytest.param(words, closed, marks=[] if (words, closed) == ("runs", ALL) else [pytest.mark.slow])
        for words in CLOSED
        for closed in (">&-", "<&-", ALL)
    ],
)
def test_closed_streams(folder: Path, words: str, closed: str) -> None:
    command = " ".join(epcg_command())
    done = subprocess.run(
        ["sh", "-c", f"{command} {words} {closed}"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "mistake" not in done.stderr
    assert epcg("verify", 1).exit_code == 0


def test_no_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the command does when it comes to that."""
    from epcg_core.store import Store

    for error in (
        MemoryError(),
        RuntimeError("can't start new thread"),
        OSError(12, "Cannot allocate memory"),
    ):

        def without(*arguments: object, error: Exception = error, **options: object) -> None:
            raise error

        monkeypatch.setattr(Store, "open", without)
        for words in COMMANDS.values():
            said = epcg(*words, code=1).stderr
            assert "mistake in EPCG" not in said
            assert "memory" in said


@pytest.mark.slow
@pytest.mark.parametrize("module", ["epcg_core", pytest.param("epcg_core.cli", marks=pytest.mark.slow)])
def test_python_m(folder: Path, module: str) -> None:
    """The tests' `epcg_process` starts the second."""
    done = subprocess.run(
        [sys.executable, "-m", module, "runs", "--json"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert [run["run"] for run in json.loads(done.stdout)] == [1]


def test_a_histogram_of_texts_is_damage(place: Faults) -> None:
    place.run(place.query("mixed", size=20))
    place.change("UPDATE score_histogram SET low = 'a'")
    told = place.epcg("show", 1, code=None)
    assert told.exit_code in (1, 4)
    assert "is damaged" in told.stderr
    assert "mistake in EPCG" not in told.stderr
