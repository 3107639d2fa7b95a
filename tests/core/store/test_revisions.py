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
from epcg_core.store import Store, migrate, schema
from epcg_core.store.connection import writing_engine
from epcg_core.store.upgrade import Upgraded, upgrade
from tests.core.store.make_revisions import CONTENT, FOLDER, content_text
from tests.forks.forked import python_forked
from tests.workplace import Workplace, new_database

REVISIONS = migrate.revisions()
NEWEST = REVISIONS[-1]
VERIFIED = [
    (REVISIONS[0], [1, 6]),
    *(pytest.param(revision, [1, 2, 3, 4, 5, 6], marks=pytest.mark.slow) for revision in REVISIONS),
]
"""The revisions and the runs that are verified: the oldest, its first run and its last, or all."""
NEXT = "9001"
CHANGE = f"""
import sqlalchemy as sa
from alembic import op

revision = "{NEXT}"
down_revision = "{NEWEST}"


def upgrade():
    op.add_column("curriculum", sa.Column("colour", sa.Text(), nullable=True))
"""
"""A revision that a later program might have; its view of kept candidates has a column more."""


def later(folder: Path, change: str = CHANGE) -> Path:
    """Make the migrations of a later program, with a revision and a view more, and a view changed."""
    shutil.copytree(migrate.migrations_folder(), folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / f"{NEXT}_next.py").write_text(change)
    for name, old, new in (
        ("views.sql", 'CREATE VIEW "errors" AS SELECT ', 'CREATE VIEW "errors" AS SELECT 1 AS one, '),
        ("views.sql", 'CREATE VIEW "errors"', 'CREATE VIEW "later" AS SELECT 1;\n\nCREATE VIEW "errors"'),
        ("tables.sql", "\tCONSTRAINT pk_curriculum ", "\tcolour TEXT,\n\tCONSTRAINT pk_curriculum "),
    ):
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    return folder


@pytest.fixture
def later_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The migrations of a later program, which this process has for a test."""
    folder = later(tmp_path / "migrations")
    monkeypatch.setattr(migrate, "migrations_folder", lambda: folder)
    monkeypatch.setattr(migrate, "revisions", lambda: (*REVISIONS, NEXT))
    return folder


@pytest.fixture(params=REVISIONS)
def golden(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """(revision, a copy of its golden database)."""
    return request.param, Path(shutil.copy(FOLDER / f"{request.param}.db", tmp_path / "golden.db"))


@pytest.fixture
def older(later_program: Path, tmp_path: Path) -> Path:
    """A copy of the golden database of the revision before that of the program."""
    return Path(shutil.copy(FOLDER / f"{NEWEST}.db", tmp_path / "golden.db"))


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


def test_it_is_read_back_whole(golden: tuple[str, Path]) -> None:
    _, database = golden
    upgrade(str(database))
    assert json.loads(content_text(database)) == json.loads(CONTENT.read_text(encoding="utf-8"))
    assert upgrade(str(database)) == Upgraded(NEWEST, NEWEST)


@pytest.mark.parametrize(("golden", "verified"), VERIFIED, indirect=["golden"])
def test_its_runs_hold_and_stand_for_what_they_were_asked_for(
    golden: tuple[str, Path], verified: list[int], game: Workplace
) -> None:
    """Verify plans each run again, and compares what was asked for."""
    _, database = golden
    upgrade(str(database))
    assert game.read(lambda reader: [run.id for run in reader.runs()], database) == [1, 2, 3, 4, 5, 6]
    for number in verified:
        assert game.verify(number, 20, database=database).passed


def test_upgraded_it_has_the_newest_schema(golden: tuple[str, Path], tmp_path: Path) -> None:
    _, database = golden
    upgrade(str(database))
    assert objects(database) == objects(new_database(tmp_path / "new.db"))


def test_a_later_program_changes_tables_and_views_after_a_copy(older: Path) -> None:
    before = objects(older)
    done = upgrade(str(older))
    assert done == Upgraded(NEWEST, NEXT, older.with_name(f"golden.db.schema-{NEWEST}"))
    now = objects(older)
    assert "colour" in now["curriculum"]
    assert {name for name in now if now[name] != before.get(name)} == {"curriculum", "errors", "later"}
    assert before.keys() <= now.keys()
    assert done.copy is not None
    assert objects(done.copy) == before
    assert rows_of(done.copy, "SELECT count(*) FROM run") == [(6,)]
    assert json.loads(content_text(older)) == json.loads(CONTENT.read_text(encoding="utf-8"))
    assert upgrade(str(older)) == Upgraded(NEXT, NEXT)


def test_a_later_programs_new_database_has_what_it_upgrades_to(older: Path, tmp_path: Path) -> None:
    upgrade(str(older))
    Store.open(tmp_path / "new.db", write=True).close()
    made, changed = objects(tmp_path / "new.db"), objects(older)
    assert made.keys() == changed.keys()
    for name, text in made.items():
        assert clauses(text) == clauses(changed[name]), name
    assert rows_of(tmp_path / "new.db", "SELECT * FROM alembic_version") == [(NEXT,)]


@pytest.mark.parametrize("write", [False, True])
def test_an_older_schema_is_refused_with_the_command(older: Path, write: bool) -> None:
    before = older.read_bytes()
    with pytest.raises(StoreError) as raised:
        Store.open(older, write=write)
    assert str(raised.value) == (
        f"The database {older} has schema {NEWEST}, this EPCG has {NEXT}: upgrade it with "
        f"`epcg db upgrade --db {older}`, which makes a copy first."
    )
    assert older.read_bytes() == before


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize(("revision", "said"), [
    ("9999", f"has schema 9999, which is newer than this EPCG's {NEWEST}: install a newer epcg-core."),
    ("0009", f"has schema 0009, from before EPCG's first release, which has {REVISIONS[0]}. The EPCG of "),
])  # fmt: skip
def test_a_schema_that_is_not_of_this_program_says_what_to_do(
    tmp_path: Path, write: bool, revision: str, said: str
) -> None:
    database = Path(shutil.copy(FOLDER / f"{NEWEST}.db", tmp_path / "golden.db"))
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
    connection.close()
    for attempt in (lambda: Store.open(database, write=write), lambda: upgrade(str(database))):
        with pytest.raises(StoreError) as raised:
            attempt()
        assert str(raised.value).startswith(f"The database {database} {said}")
    assert rows_of(database, "SELECT version_num FROM alembic_version") == [(revision,)]
    assert list(tmp_path.glob("golden.db.schema-*")) == []


def test_a_copy_that_is_there_already_is_not_overwritten(older: Path, tmp_path: Path) -> None:
    before = objects(older)
    copy = tmp_path / f"golden.db.schema-{NEWEST}"
    copy.write_text("precious")
    assert upgrade(str(older)) == Upgraded(NEWEST, NEXT, copy.with_name(f"{copy.name}-2"))
    assert copy.read_text() == "precious"
    assert objects(copy.with_name(f"{copy.name}-2")) == before


KILLED = """
import os, signal, sys
from pathlib import Path
from epcg_core.store import migrate, upgrade

folder = Path(sys.argv[3])
migrate.migrations_folder = lambda: folder
migrate.revisions = lambda: (sys.argv[4], sys.argv[5])

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
def test_an_upgrade_that_was_killed_can_be_repeated(
    older: Path, later_program: Path, tmp_path: Path, moment: str
) -> None:
    before = objects(older)
    killed = python_forked(KILLED, older, moment, later_program, NEWEST, NEXT, folder=tmp_path)
    assert killed.returncode == -signal.SIGKILL
    copies = [path for path in tmp_path.glob("golden.db.schema-*") if path.suffix != ".partial"]
    assert not copies, "only the copy of an upgraded database bears the name"
    done = upgrade(str(older))
    assert (done.old, done.new) == (NEXT if moment == "when it has" else NEWEST, NEXT)
    (copy,) = tmp_path.glob("golden.db.schema-*")
    assert copy.name == f"golden.db.schema-{NEWEST}", "there is no second one"
    assert objects(copy) == before


def test_an_empty_copy_is_not_a_copy(older: Path, tmp_path: Path) -> None:
    left = tmp_path / f"golden.db.schema-{NEWEST}"
    left.touch()
    assert upgrade(str(older)).copy == left
    assert left.stat().st_size


@pytest.mark.parametrize("what", ["a revision", "a view"])
def test_an_upgrade_that_fails_leaves_everything_as_it_was(
    older: Path, later_program: Path, what: str
) -> None:
    if what == "a revision":
        half = "    op.execute('CREATE TABLE half (a INTEGER)')\n    op.execute('no SQL at all')\n"
        (later_program / "versions" / f"{NEXT}_next.py").write_text(CHANGE + half)
    else:
        views = later_program / "views.sql"
        views.write_text(views.read_text().replace('"later" AS SELECT', '"later" AS SELEKT'))
    before = objects(older)
    with pytest.raises(StoreError, match="syntax error"):
        upgrade(str(older))
    assert objects(older) == before


def test_a_database_that_is_being_written_is_not_upgraded(tmp_path: Path) -> None:
    database = Path(shutil.copy(FOLDER / f"{NEWEST}.db", tmp_path / "golden.db"))
    with Store.open(database, write=True), pytest.raises(StoreError) as raised:
        upgrade(str(database))
    assert f"is being written by process {os.getpid()} on " in str(raised.value)
    assert upgrade(str(database)) == Upgraded(NEWEST, NEWEST)


def test_a_database_that_is_being_upgraded_is_not_written(
    older: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, refused = older, []

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


def test_the_tables_are_what_the_schema_says(tmp_path: Path) -> None:
    Store.open(tmp_path / "new.db", write=True).close()
    engine = writing_engine(str(tmp_path / "new.db"))
    with engine.connect() as connection:
        # SQLite reflects ANY as NUMERIC; the test below compares the types as SQL has them
        compare = {"compare_type": lambda *found: False if isinstance(found[4], schema.Any_) else None}
        context = MigrationContext.configure(connection, opts=compare)
        assert alembic.autogenerate.compare_metadata(context, schema.metadata) == []
    engine.dispose()


def test_the_tables_have_the_same_sql_as_the_schema(tmp_path: Path) -> None:
    """Also what Alembic does not compare: STRICT, WITHOUT ROWID, CHECK constraints, names."""
    Store.open(tmp_path / "new.db", write=True).close()
    engine = writing_engine(str(tmp_path / "made.db"))
    with engine.begin() as connection:
        schema.metadata.create_all(connection)
    engine.dispose()
    new, made = objects(tmp_path / "new.db"), objects(tmp_path / "made.db")
    for table in schema.metadata.tables:
        assert clauses(new[table]) == clauses(made[table]), table


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
    migrations = {f"epcg_core/migrations/{name}" for name in ("env.py", "tables.sql", "views.sql")}
    others = migrations | {"epcg_core/py.typed"}
    assert versions | others <= names
    assert not any(name.endswith((".db", ".pyc")) or name.startswith("tests") for name in names)
    installed = tmp_path / "site" / "epcg_core" / "migrations"
    assert (installed / "env.py").is_file()
