"""The parts of examples/epcg-votes, which a stranger adds by documented hooks only."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import epcg_core as epcg
from epcg_core.base.errors import EpcgError
from epcg_core.plugins.registry import registry
from epcg_core.store import Store, extensions
from tests.conftest import forget_modules
from tests.faces import only
from tests.workplace import Numbers, ask_sql

SECOND = """
import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

def upgrade():
    op.add_column("votes_vote", sa.Column("voter", sa.Text(), nullable=False, server_default=""))
"""


@pytest.fixture
def package(votes_package: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EPCG_PLUGINS", only("numbers", "votes"))
    registry.cache_clear()
    return votes_package


@pytest.fixture
def votes(toy: Numbers, package: Path) -> Numbers:
    """A run of twenty numbers, of which two have votes."""
    toy.given(toy.query("digits", size=20))
    for rank, stars in ((5, 4), (5, 5), (7, 2)):
        toy.epcg("vote", "add", 1, rank, stars, code=0)
    return toy


def test_a_command_at_the_top_level(votes: Numbers) -> None:
    assert re.search("vote +Vote on the puzzles of a run.", votes.epcg("--help").stdout)
    assert "5      2    4.5" in votes.epcg("vote", "list", 1).stdout
    refused = votes.epcg("vote", "add", 1, 99, 3)
    assert refused.stderr == "Error: Run 1 has no values of rank 99, so it cannot have votes.\n"
    assert votes.epcg("vote", "list", 2).exit_code != 0


def test_a_table_and_a_view_with_a_migration(votes: Numbers) -> None:
    assert ask_sql(votes.database, "SELECT * FROM votes") == [(1, 5, 2, 4.5), (1, 7, 1, 2.0)]
    assert ask_sql(votes.database, "SELECT * FROM alembic_version_votes") == [("0001",)]
    votes.epcg("forget", 1, "--yes", code=0)
    assert ask_sql(votes.database, "SELECT count(*) FROM votes_vote") == [(0,)]


def test_a_newer_migration_is_applied_after_a_copy(votes: Numbers, package: Path) -> None:
    (package / "migrations" / "0002_voters.py").write_text(SECOND)
    refused = votes.epcg("vote", "list", 1).stderr
    assert "has revision 0001, the plugin has 0002: upgrade the database with `epcg db upgrade" in refused
    done = votes.epcg("db", "upgrade", code=0)
    assert "The tables of plugins in epcg.db are upgraded: votes." in done.stdout + done.stderr
    assert "5      2    4.5" in votes.epcg("vote", "list", 1, code=0).stdout
    (copy,) = votes.folder.glob("epcg.db.schema-*")
    assert ask_sql(copy, "SELECT * FROM alembic_version_votes") == [("0001",)]
    assert ask_sql(votes.database, "SELECT voter FROM votes_vote") == [("",)] * 3
    (package / "migrations" / "0002_voters.py").unlink()
    assert "is newer than the plugin's" in votes.epcg("vote", "list", 1).stderr
    assert "is newer than the plugin's" in votes.epcg("db", "upgrade").stderr


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("revision = '0002'\ndown_revision = None\ndef upgrade(): pass\n", "2 newest revisions"),
        ("def", "its migrations cannot be read"),
        ("revision = '0002'\ndown_revision = '0001'\ndef upgrade(): 1 / 0\n", "ZeroDivisionError"),
    ],
)
def test_a_faulty_migration_changes_nothing(votes: Numbers, package: Path, text: str, says: str) -> None:
    before = ask_sql(votes.database, "SELECT name, sql FROM sqlite_master")
    (package / "migrations" / "0002_voters.py").write_text(text)
    said = votes.epcg("db", "upgrade")
    assert said.exit_code != 0
    assert says in said.stderr
    assert "Traceback" not in said.stderr
    assert ask_sql(votes.database, "SELECT name, sql FROM sqlite_master") == before


def test_the_database_opens_where_the_plugin_is_not_installed(
    votes: Numbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", "numbers")
    registry.cache_clear()
    assert votes.failed() == {}
    assert "view votes" in votes.epcg("verify", 1, code=0).stdout
    with Store.open(votes.database) as store, store.reader() as reader:
        assert extensions.without_plugin(reader.connection) == ["votes"]
    assert votes.epcg("db", "upgrade").exit_code == 0
    assert votes.epcg("vote", "list", 1).exit_code == 2
    assert "votes" in votes.epcg("runs").stderr


def test_a_check_of_verify(votes: Numbers) -> None:
    assert "The run evaluated all 2 candidates that have votes." in votes.epcg("verify", 1, code=0).stdout
    with closing(sqlite3.connect(votes.database)) as connection, connection:
        connection.execute("INSERT INTO votes_vote (run_id, rank, stars) VALUES (1, 20, 3)")
    found = votes.epcg("verify", 1)
    assert found.exit_code == 4
    assert "Run 1 has no values of rank 20" in found.stdout + found.stderr


def test_a_check_that_raises_says_nothing_of_the_record(votes: Numbers, package: Path) -> None:
    record = package / "record.py"
    line = "    votes = listed(reader, run.id)\n    if not"
    text = record.read_text()
    assert line in text
    record.write_text(text.replace(line, f"    1 / 0\n{line}"))
    forget_modules("epcg_votes")
    registry.cache_clear()
    said = votes.epcg("verify", 1)
    assert "ZeroDivisionError" in said.stdout + said.stderr
    assert "cannot be checked here" in said.stdout + said.stderr


def test_a_format_of_exports(votes: Numbers) -> None:
    votes.epcg("export", 1, "--output", "a.md", code=0)
    votes.epcg("export", 1, "--format", "markdown", "--output", "b.md", "--where", "digits > 9", code=0)
    text = Path("a.md").read_text()
    assert text.startswith("| rank | digits |\n|---|---|\n| 0 | 0 |\n")
    assert len(text.splitlines()) == 22
    assert len(Path("b.md").read_text().splitlines()) == 3
    assert "needs a file" in votes.epcg("export", 1, "--format", "markdown").stderr
    assert "leave it out" in votes.epcg("export", 1, "--output", "c.md", "--partition", 5).stderr
    unknown = votes.epcg("export", 1, "--format", "markdwn").stderr
    assert "Did you mean 'markdown'? Known: csv, json" in unknown


def test_a_method_of_python_objects(votes: Numbers) -> None:
    run = epcg.open(votes.database).run(1)
    assert run.votes() == [(5, 2, 4.5), (7, 1, 2.0)]  # type: ignore[attr-defined]
    assert "votes" in dir(run)
    with pytest.raises(AttributeError, match="'Run' object has no attribute 'vote'"):
        run.vote()  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        epcg.open(votes.database).votes()  # type: ignore[attr-defined]


def test_a_page_of_the_workbench(votes: Numbers, package: Path) -> None:
    pytest.importorskip("starlette", reason="the workbench is not installed")
    import httpx
    from epcg_workbench.app import Workbench, make_app
    from epcg_workbench.guard import TOKEN_HEADER
    from epcg_workbench.places import Place, Places

    host = "127.0.0.1:8000"

    async def seen() -> tuple[list[dict[str, str]], str, int, str]:
        desk = Place(votes.folder, str(votes.database))
        bench = Workbench(Places(desk), "secret", frozenset({host}))
        transport = httpx.ASGITransport(make_app(bench))  # type: ignore[arg-type]
        headers, address = {TOKEN_HEADER: "secret"}, f"http://{host}"
        async with httpx.AsyncClient(transport=transport, base_url=address, headers=headers) as client:
            try:
                settings = (await client.get("/settings")).json()
                page = await client.get("/pages/votes/")
                refused = await client.get("/pages/votes/", headers={TOKEN_HEADER: "other"})
                return settings["pages"], page.text, refused.status_code, page.headers["x-frame-options"]
            finally:
                await bench.close()

    pages, text, refused, frames = asyncio.run(seen())
    assert pages == [{"title": "Votes", "summary": "the votes on puzzles", "address": "/pages/votes/"}]
    assert "<td>numbers:range?size=20#5</td><td>2</td><td>4.50</td>" in text
    assert (refused, frames) == (403, "DENY")
    (package / "page.py").write_text("def make(workbench):\n    raise ValueError('broken')\n")
    forget_modules("epcg_votes")
    registry.cache_clear()
    _, text, _, _ = asyncio.run(seen())
    assert text == (
        "The page 'Votes' cannot be shown: The page votes (plugin epcg-votes 1.0) raised ValueError: broken."
    )


def test_all_parts_are_listed(votes: Numbers) -> None:
    data = json.loads(votes.epcg("domains", "--json").stdout)
    for key, name in (
        ("checks", "votes"), ("commands", "vote"), ("exporters", "markdown"),
        ("methods", "votes"), ("pages", "votes"), ("tables", "votes"),
    ):  # fmt: skip
        assert name in [part["name"] for part in data[key]], key


def test_a_command_of_the_core_is_not_replaced(votes: Numbers, package: Path) -> None:
    init = package / "__init__.py"
    init.write_text(init.read_text().replace('name="vote"', 'name="run"'))
    forget_modules("epcg_votes")
    registry.cache_clear()
    shown = votes.epcg("--help")
    assert re.search("run +cannot be used, because the core has a command of that name", shown.stdout)
    assert votes.epcg("run", "--help").stdout.startswith("Usage: epcg run [OPTIONS] QUERY")


def test_an_executor(votes: Numbers, package: Path) -> None:
    init = package / "__init__.py"
    init.write_text(
        init.read_text()
        + """
from epcg_core.plugin import ExecutorInfo

@hookimpl
def epcg_register_executors(register):
    register(ExecutorInfo(name="here", summary="one by one", factory="epcg_votes:here"))

def here(workers, unit_timeout, scheduler):
    from epcg_core.plugin import make_executor
    return make_executor("threads", 1, unit_timeout)
"""
    )
    forget_modules("epcg_votes")
    registry.cache_clear()
    query = votes.file("digits", "root", size=300)
    votes.epcg("run", query, "--executor", "here", "--quiet", code=0)
    other = votes.other("serial")
    other.epcg("run", query, "--executor", "serial", "--quiet", "--db", other.database, code=0)
    digest = "SELECT digest FROM run ORDER BY id DESC LIMIT 1"
    assert ask_sql(votes.database, digest) == ask_sql(other.database, digest)
    assert "Did you mean 'here'?" in votes.epcg("run", query, "--executor", "hre").stderr


def test_tables_are_made_once(votes: Numbers) -> None:
    with Store.open(votes.database, write=True) as store:
        extensions.make_tables(store, "votes")
        with pytest.raises(EpcgError, match=r"unknown set of tables 'vote'\. Did you mean 'votes'"):
            extensions.make_tables(store, "vote")


FAULTY = """
from epcg_core.plugin import ExecutorInfo

@hookimpl
def epcg_register_executors(register):
    register(ExecutorInfo(name="broken", summary="raises", factory="epcg_votes:broken"))
    register(ExecutorInfo(name="empty", summary="returns nothing", factory="epcg_votes:empty"))

def broken(workers, unit_timeout, scheduler):
    raise ValueError("no batch system")

def empty(workers, unit_timeout, scheduler):
    return None
"""


def test_parts_that_raise_are_named_and_leave_nothing(votes: Numbers, package: Path) -> None:
    init, markdown, record = (package / name for name in ("__init__.py", "markdown.py", "record.py"))
    init.write_text(init.read_text() + FAULTY)
    markdown.write_text(markdown.read_text().replace("number += 1", "1 / 0"))
    record.write_text(
        record.read_text().replace("return listed(reader, run.number)", "raise KeyError(run.number)")
    )
    forget_modules("epcg_votes")
    registry.cache_clear()
    said = votes.epcg("export", 1, "--output", "a.md")
    assert "The exporter markdown (plugin epcg-votes 1.0) raised ZeroDivisionError" in said.stderr
    assert list(votes.folder.glob("a.md*")) == []
    query = votes.file("digits", "root", size=300)
    said = votes.epcg("run", query, "--executor", "broken", "--quiet")
    assert "The executor broken (plugin epcg-votes 1.0) raised ValueError: no batch system." in said.stderr
    said = votes.epcg("run", query, "--executor", "empty", "--quiet")
    assert "The executor empty (plugin epcg-votes 1.0) made no executor, but None." in said.stderr
    with pytest.raises(EpcgError, match=r"The method run:votes \(plugin epcg-votes 1.0\) raised KeyError: 1"):
        epcg.open(votes.database).run(1).votes()  # type: ignore[attr-defined]
    assert votes.failed() == {}


IN_A_GROUP = """
@hookimpl
def epcg_register_commands(register):
    register(
        CommandInfo(name="votes", group="import", summary="Bring in votes.", factory="epcg_votes:bring_in")
    )

def bring_in():
    import click
    return click.Command("votes", callback=lambda: click.echo("brought in"))
"""


def test_a_command_in_a_group_of_the_core(votes: Numbers, package: Path) -> None:
    init = package / "__init__.py"
    text = init.read_text()
    init.write_text(text + IN_A_GROUP)
    forget_modules("epcg_votes")
    registry.cache_clear()
    assert re.search(r"votes +Bring in votes\.", votes.epcg("import", "--help", code=0).stdout)
    assert votes.epcg("import", "votes", code=0).stdout == "brought in\n"
    assert "votes" not in votes.epcg("--help").stdout.partition("Commands:")[2]
    assert "import votes" in votes.epcg("domains", code=0).stdout
    init.write_text((text + IN_A_GROUP).replace('group="import"', 'group="improt"'))
    forget_modules("epcg_votes")
    registry.cache_clear()
    assert "Did you mean 'import'?" in " ".join(votes.epcg("domains").stdout.split())
