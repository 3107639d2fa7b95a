"""Databases of every schema revision there ever was: upgraded after a copy, and read back whole."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import zipfile
from pathlib import Path
from typing import Any

import alembic.autogenerate
import pytest
import sqlalchemy as sa
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from epcg_core.base.errors import StoreError
from epcg_core.store import Store, curricula, migrate, schema
from epcg_core.store.connection import writing_engine
from epcg_core.store.upgrade import Upgraded, upgrade
from tests.core.store.make_revisions import CONTENT, FOLDER, content_text, migrated_schema
from tests.forks.forked import python_forked
from tests.workplace import Workplace, made_once, new_database

REVISIONS = migrate.revisions()
NEWEST = REVISIONS[-1]
VERIFIED = [
    (REVISIONS[0], [1, 6]),
    *(pytest.param(revision, [1, 2, 3, 4, 5, 6], marks=pytest.mark.slow) for revision in REVISIONS),
]
"""The revisions and the runs that are verified: the oldest, its first run and its last, or all."""


@pytest.fixture(params=REVISIONS)
def golden(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """(revision, a copy of its golden database)."""
    return request.param, Path(shutil.copy(FOLDER / f"{request.param}.db", tmp_path / "golden.db"))


@pytest.fixture(params=REVISIONS)
def upgraded(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """(revision, its golden database after an upgrade); upgraded once a process, then copied."""
    database = tmp_path / "upgraded.db"

    def make() -> None:
        shutil.copy(FOLDER / f"{request.param}.db", database)
        upgrade(str(database))

    made_once(database, ("upgraded", request.param), make)
    return request.param, database


def objects(database: Path) -> dict[str, str]:
    """Every table, index and view of a database, as SQL without its blanks."""
    with sqlite3.connect(database) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return {name: " ".join(sql.split()) for name, sql in rows}


def test_every_revision_has_a_golden_database() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.db")) == sorted(REVISIONS)


def test_a_golden_database_is_of_its_revision(golden: tuple[str, Path]) -> None:
    revision, database = golden
    with sqlite3.connect(database) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(revision,)]
    assert database.stat().st_size < 100_000


@pytest.mark.sweep(3)
def test_upgraded_it_is_read_back_whole(golden: tuple[str, Path]) -> None:
    revision, database = golden
    done = upgrade(str(database))
    old, new, copy = done.old, done.new, done.copy
    assert (old, new) == (revision, NEWEST)
    assert json.loads(content_text(database)) == json.loads(CONTENT.read_text(encoding="utf-8"))
    assert (copy is None) == (revision == NEWEST)
    assert upgrade(str(database)) == Upgraded(NEWEST, NEWEST)


@pytest.mark.parametrize(("upgraded", "verified"), VERIFIED, indirect=["upgraded"])
def test_upgraded_its_runs_hold_and_stand_for_what_they_were_asked_for(
    upgraded: tuple[str, Path], verified: list[int], game: Workplace
) -> None:
    """Verify plans each run again, and compares what was asked for."""
    _, database = upgraded
    assert game.read(lambda reader: [run.id for run in reader.runs()], database) == [1, 2, 3, 4, 5, 6]
    for number in verified:
        assert game.verify(number, 20, database=database).passed


@pytest.mark.sweep(6)
def test_upgraded_it_has_the_newest_schema(upgraded: tuple[str, Path], tmp_path: Path) -> None:
    _, database = upgraded
    assert objects(database) == objects(new_database(tmp_path / "new.db"))


@pytest.mark.sweep(3)
def test_the_copy_is_the_database_as_it_was(golden: tuple[str, Path]) -> None:
    revision, database = golden
    before = objects(database)
    copy = upgrade(str(database)).copy
    if copy is None:
        assert revision == NEWEST
        return
    assert copy == database.with_name(f"golden.db.schema-{revision}")
    assert objects(copy) == before
    with sqlite3.connect(copy) as connection:
        assert connection.execute("SELECT count(*) FROM run").fetchone() == (6,)


def test_of_curricula_with_one_name_the_last_is_the_newest(tmp_path: Path) -> None:
    database = Path(shutil.copy(FOLDER / "0008.db", tmp_path / "golden.db"))
    with sqlite3.connect(database) as connection:
        connection.executemany(
            "INSERT INTO curriculum (name, title, plan, sha256, created_at) VALUES (?, '', '{}', ?, '')",
            [("one", "a"), ("two", "b"), ("one", "c")],
        )
    connection.close()
    upgrade(str(database))
    with Store.open(database) as store, store.reader() as reader:
        assert curricula.labels(reader.connection) == {1: "one#1", 2: "two", 3: "one"}


@pytest.mark.parametrize("write", [False, True])
def test_an_older_schema_is_refused_with_the_command(golden: tuple[str, Path], write: bool) -> None:
    revision, database = golden
    if revision == NEWEST:
        Store.open(database, write=write).close()
        return
    before = database.read_bytes()
    with pytest.raises(StoreError) as raised:
        Store.open(database, write=write)
    assert str(raised.value) == (
        f"The database {database} has schema {revision}, this EPCG has {NEWEST}: upgrade it with "
        f"`epcg db upgrade --db {database}`, which makes a copy first."
    )
    assert database.read_bytes() == before


@pytest.mark.parametrize("write", [False, True])
def test_a_newer_schema_is_refused_with_both_revisions(tmp_path: Path, write: bool) -> None:
    database = Path(shutil.copy(FOLDER / f"{NEWEST}.db", tmp_path / "golden.db"))
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    sentence = (
        f"The database {database} has schema 9999, which is newer than this EPCG's {NEWEST}: "
        "install a newer epcg-core."
    )
    for attempt in (lambda: Store.open(database, write=write), lambda: upgrade(str(database))):
        with pytest.raises(StoreError) as raised:
            attempt()
        assert str(raised.value) == sentence
    assert not database.with_name("golden.db.schema-9999").exists()


def test_a_copy_that_is_there_already_is_not_overwritten(tmp_path: Path) -> None:
    database = Path(shutil.copy(FOLDER / f"{REVISIONS[0]}.db", tmp_path / "golden.db"))
    before = objects(database)
    copy = tmp_path / f"golden.db.schema-{REVISIONS[0]}"
    copy.write_text("precious")
    assert upgrade(str(database)) == Upgraded(REVISIONS[0], NEWEST, copy.with_name(f"{copy.name}-2"))
    assert copy.read_text() == "precious"
    assert objects(copy.with_name(f"{copy.name}-2")) == before


KILLED = """
import os, signal, sys
from epcg_core.store import migrate, upgrade

def kill(*_):
    os.kill(os.getpid(), signal.SIGKILL)

if sys.argv[2] == "while it copies":
    real = upgrade.writing_engine
    def engine(location):
        made = real(location)
        raw = made.raw_connection
        def connection():
            found = raw()
            found.driver_connection.set_progress_handler(kill, 100)
            return found
        made.raw_connection = connection
        return made
    upgrade.writing_engine = engine
elif sys.argv[2] == "while it migrates":
    migrate.migrate = kill
else:
    upgrade._finish_copies = kill
upgrade.upgrade(sys.argv[1])
"""


@pytest.mark.sweep
@pytest.mark.parametrize("moment", ["while it copies", "while it migrates", "when it has"])
def test_an_upgrade_that_was_killed_can_be_repeated(tmp_path: Path, moment: str) -> None:
    database = Path(shutil.copy(FOLDER / f"{REVISIONS[0]}.db", tmp_path / "golden.db"))
    before = objects(database)
    killed = python_forked(KILLED, database, moment, folder=tmp_path)
    assert killed.returncode == -signal.SIGKILL
    copies = [path for path in tmp_path.glob("golden.db.schema-*") if path.suffix != ".partial"]
    assert not copies, "only the copy of an upgraded database bears the name"
    done = upgrade(str(database))
    old, new = done.old, done.new
    assert (old, new) == (NEWEST if moment == "when it has" else REVISIONS[0], NEWEST)
    (copy,) = tmp_path.glob("golden.db.schema-*")
    assert copy.name == f"golden.db.schema-{REVISIONS[0]}", "there is no second one"
    assert objects(copy) == before


def test_an_empty_copy_is_not_a_copy(tmp_path: Path) -> None:
    database = Path(shutil.copy(FOLDER / f"{REVISIONS[0]}.db", tmp_path / "golden.db"))
    left = tmp_path / f"golden.db.schema-{REVISIONS[0]}"
    left.touch()
    assert upgrade(str(database)).copy == left
    assert left.stat().st_size


def test_a_migration_that_fails_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "migrations"
    shutil.copytree(migrate.migrations_folder(), folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "0099_fails.py").write_text(
        f"from alembic import op\nrevision = '0099'\ndown_revision = '{NEWEST}'\n\n\ndef upgrade():\n"
        "    op.execute('CREATE TABLE half (a INTEGER)')\n    op.execute('no SQL at all')\n"
    )
    database = Path(shutil.copy(FOLDER / f"{REVISIONS[0]}.db", tmp_path / "golden.db"))
    before = objects(database)
    monkeypatch.setattr(migrate, "migrations_folder", lambda: folder)
    monkeypatch.setattr(migrate, "revisions", lambda: (*REVISIONS, "0099"))
    with pytest.raises(StoreError, match="syntax error"):
        upgrade(str(database))
    assert objects(database) == before


def test_a_database_that_is_being_written_is_not_upgraded(tmp_path: Path) -> None:
    database = Path(shutil.copy(FOLDER / f"{NEWEST}.db", tmp_path / "golden.db"))
    with Store.open(database, write=True), pytest.raises(StoreError) as raised:
        upgrade(str(database))
    assert f"is being written by process {os.getpid()} on " in str(raised.value)
    assert upgrade(str(database)) == Upgraded(NEWEST, NEWEST)


def test_a_database_that_is_being_upgraded_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Path(shutil.copy(FOLDER / f"{REVISIONS[0]}.db", tmp_path / "golden.db"))
    refused = []

    def copy(engine: sa.Engine, path: Path, revision: str) -> Path:
        for attempt in (lambda: Store.open(database, write=True), lambda: upgrade(str(database))):
            with pytest.raises(StoreError) as raised:
                attempt()
            refused.append(str(raised.value))
        return path

    monkeypatch.setattr("epcg_core.store.upgrade._copy", copy)
    upgrade(str(database))
    assert len(refused) == 2
    assert all(f"is being written by process {os.getpid()} on " in sentence for sentence in refused)
    with Store.open(database, write=True) as store, store.reader() as reader:
        assert reader.connection.execute(sa.select(schema.writer.c.pid)).scalars().all() == [os.getpid()]


def test_upgrading_what_is_no_database_of_ours(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"^There is no database .*missing\.db\.$"):
        upgrade(str(tmp_path / "missing.db"))
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE songs (title TEXT)")
    connection.close()
    with pytest.raises(StoreError, match=r"has tables of another program \(songs\): choose another file"):
        upgrade(str(other))


# --- the schema itself ------------------------------------------------------------------------------------


def rows_of(database: Path, query: str) -> list[Any]:
    with sqlite3.connect(database) as connection:
        return connection.execute(query).fetchall()


def test_a_new_database_equals_a_migrated_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Object by object, to the letter, in the same order."""
    text = migrated_schema(tmp_path / "migrated.db")
    newest = migrate.migrations_folder() / "newest.sql"
    assert newest.read_text(encoding="utf-8") == text, (
        "run python -m tests.core.store.make_revisions REVISION"
    )
    monkeypatch.setattr(migrate, "migrate", None)  # it is not asked
    Store.open(tmp_path / "new.db", write=True).close()
    for query in (
        "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid",
        "SELECT m.name, c.* FROM sqlite_master AS m, pragma_table_xinfo(m.name) AS c ORDER BY m.rowid, c.cid",
        "SELECT m.name, k.* FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS k ORDER BY 1, 2, 3",
        "SELECT m.name, i.* FROM sqlite_master AS m, pragma_index_list(m.name) AS i ORDER BY 1, 2",
        "SELECT * FROM alembic_version",
    ):
        found = rows_of(tmp_path / "new.db", query)
        assert found == rows_of(tmp_path / "migrated.db", query), query
        assert found


def test_while_a_revision_is_being_written_new_databases_are_migrated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a database would claim a revision that `newest.sql` does not have."""
    folder = tmp_path / "migrations"
    shutil.copytree(migrate.migrations_folder(), folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "0099_next.py").write_text(
        f"from alembic import op\n\nrevision = '0099'\ndown_revision = '{NEWEST}'\n\n"
        "def upgrade():\n    op.execute('CREATE VIEW later AS SELECT 1')\n"
    )
    monkeypatch.setattr(migrate, "migrations_folder", lambda: folder)
    monkeypatch.setattr(migrate, "revisions", lambda: (*REVISIONS, "0099"))
    Store.open(tmp_path / "new.db", write=True).close()
    assert "later" in objects(tmp_path / "new.db")
    assert rows_of(tmp_path / "new.db", "SELECT * FROM alembic_version") == [("0099",)]


def test_the_migrations_make_what_the_schema_says(tmp_path: Path) -> None:
    migrated_schema(tmp_path / "new.db")
    engine = writing_engine(str(tmp_path / "new.db"))
    with engine.connect() as connection:
        # SQLite reflects ANY as NUMERIC; the test below compares the types as SQL has them
        compare = {"compare_type": lambda *found: False if isinstance(found[4], schema.Any_) else None}
        context = MigrationContext.configure(connection, opts=compare)
        assert alembic.autogenerate.compare_metadata(context, schema.metadata) == []
    engine.dispose()


def test_the_migrations_make_the_same_sql_as_the_schema(tmp_path: Path) -> None:
    """Also what Alembic does not compare: STRICT, WITHOUT ROWID, CHECK constraints, names."""
    migrated_schema(tmp_path / "migrated.db")
    engine = writing_engine(str(tmp_path / "made.db"))
    with engine.begin() as connection:
        schema.metadata.create_all(connection)
    engine.dispose()
    migrated, made = objects(tmp_path / "migrated.db"), objects(tmp_path / "made.db")
    for table in schema.metadata.tables:
        assert clauses(migrated[table]) == clauses(made[table]), table


def clauses(sql: str) -> list[str]:
    """A CREATE statement's parts, in any order."""
    inside, _, options = sql.partition("(")[2].rpartition(")")
    parts, depth, part = [], 0, ""
    for letter in inside:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += letter
    return [*sorted([*parts, part.strip()]), options.strip()]


def test_the_list_of_revisions_is_alembics() -> None:
    config = Config()
    config.set_main_option("script_location", str(migrate.migrations_folder()))
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_heads() == [NEWEST]
    assert [script.revision for script in scripts.walk_revisions()][::-1] == list(REVISIONS)


def test_the_wheel_holds_the_migrations(tmp_path: Path) -> None:
    builder = pytest.importorskip("hatchling.builders.wheel")
    root = Path(__file__).parents[3]
    (path,) = builder.WheelBuilder(str(root)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(path) as wheel:
        names = set(wheel.namelist())
        wheel.extractall(tmp_path / "site")
    versions = {f"epcg_core/migrations/versions/{p.name}" for p in
                (migrate.migrations_folder() / "versions").glob("*.py")}  # fmt: skip
    assert len(versions) == len(REVISIONS)
    others = {"epcg_core/migrations/env.py", "epcg_core/migrations/newest.sql", "epcg_core/py.typed"}
    assert versions | others <= names
    assert not any(name.endswith((".db", ".pyc")) or name.startswith("tests") for name in names)
    installed = tmp_path / "site" / "epcg_core" / "migrations"
    assert (installed / "env.py").is_file()
