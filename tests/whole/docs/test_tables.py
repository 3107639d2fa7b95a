"""The recipes on the page about data for other tools work as they stand."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import shlex
import shutil
from pathlib import Path

import pytest

from tests.whole.docs.test_docs import files_of, text_of
from tests.workplace import commands, epcg

PAGE = text_of("guides/tables.md")


def script(name: str, *libraries: str) -> str:
    """What a script of the page prints."""
    for library in libraries:
        pytest.importorskip(library, reason=f"{library} is not installed")
    Path(name).write_text(files_of(PAGE)[name])
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        runpy.run_path(name)
    return printed.getvalue()


@pytest.fixture(scope="module")
def former(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the files of the page's commands are kept, once they ran."""
    return tmp_path_factory.mktemp("former") / "files"


@pytest.fixture
def exported(reader: Path, former: Path) -> Path:
    pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
    if former.exists():
        shutil.copytree(former, reader, dirs_exist_ok=True)
        return reader
    for command, _ in commands(PAGE)[:3]:
        epcg(*shlex.split(command)[1:])
    shutil.copytree(reader, former)
    return reader


@pytest.mark.slow
def test_the_recipes_find_what_sql_finds(exported: Path) -> None:
    solvable = epcg("sql", "SELECT epcg_count(4, 'solvable', 1, 1) AS n", "--format", "csv").stdout.split()[1]
    duckdb = script("with_duckdb.py", "duckdb")
    assert "boards" in duckdb
    assert script("with_polars.py", "polars").split()[-1] == solvable
    streamed = script("streamed.py", "duckdb", "polars")
    below, others = (int(re.findall(r"\((\d+),\)", printed)[0]) for printed in (duckdb, streamed))
    assert (below > 0, below + others) == (True, int(solvable))


@pytest.mark.slow
def test_votes_come_back(exported: Path) -> None:
    script("votes.py", "pyarrow")
    said = [epcg(*shlex.split(line)[1:]) for line, _ in commands(PAGE)[-3:]]
    assert "votes, seconds of 3 candidates" in said[0].stderr
    assert "9" in said[1].stdout
    assert len(said[2].stdout.splitlines()) == 3
    assert "Not covered" in epcg("verify", 5, "--sample", 20).stdout
