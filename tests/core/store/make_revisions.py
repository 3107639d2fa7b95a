"""Makes the golden database of a schema revision: python -m tests.core.store.make_revisions 0002

Run once, when a revision is new, and kept for ever: an old database cannot be made by a newer program. Each
holds a whole run and a filtered one over the toy domain `numbers`, with rows, kept candidates and solved
layers of `pegs`, recorded by the program of its day at the schema of that revision. All hold
the same content, which must be read from each: `content.json`.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("revisions")
CONTENT = FOLDER / "content.json"

NUMBERS = """
name = "golden"
domain = "numbers"
evaluators = [{ name = "mixed" }, { name = "digits" }]
select = [{ metric = "digits", count = 2 }]
[generator]
name = "range"
size = 40
"""
FILTERED = (
    NUMBERS.replace("golden", "golden-filtered")
    + '[filter]\nmetric = "even"\nmin = 1\nsearch = { name = "exhaustive" }\n'
    + 'evaluators = [{ name = "even" }]\n'
)
LAYERS = """
name = "golden-layers"
domain = "pegs"
[generator]
name = "line"
cells = 7
pegs = 3
[search]
name = "retrograde"
"""


def install_toys(site: Path) -> None:
    """The two toy plugins, found by this process's discovery."""
    from tests.workplace import write_plugin

    tests = Path(__file__).parents[2]
    write_plugin(site, "numbers", "epcg_toy", (tests / "toy_plugin.py").read_text("utf-8"), "epcg-toy")
    write_plugin(site, "pegs", "epcg_game", (tests / "toy_game.py").read_text("utf-8"), "epcg-game")
    sys.path.insert(0, str(site))
    os.environ["EPCG_PLUGINS"] = "numbers,pegs"


def content(database: Path) -> dict[str, Any]:
    """Everything that a reader gets out of a database, whatever its schema once was."""
    from epcg_core.store import Store

    with Store.open(database) as store, store.reader() as reader:
        runs = [
            {
                "space": run.space, "search": run.search, "layer": run.layer, "coverage": run.coverage,
                "evaluated": run.evaluated, "excluded": run.excluded, "digest": run.digest,
                "identity": run.identity, "inputs": sorted(i[0] for i in reader.inputs_of(run.id)),
                "scores": reader.scores_at(run.id, range(run.start, run.stop)),
                "status": [reader.status_at(run.id, rank) for rank in range(run.start, run.stop)],
            }
            for run in reader.runs()
        ]  # fmt: skip
        raw = reader.connection.exec_driver_sql
        queries = {
            "rows": "SELECT run_id, metric, rank, value FROM scores ORDER BY run_id, metric, rank",
            "kept": "SELECT run_id, puzzle, kept_by, state FROM kept ORDER BY run_id, rank",
            "histograms": "SELECT run_id, metric, low, high, count FROM histograms ORDER BY 1, 2, position",
        }
        return {"runs": runs} | {name: [list(row) for row in raw(sql)] for name, sql in queries.items()}


def content_text(database: Path) -> str:
    """Return the content of a database as it is written in `content.json`."""
    return json.dumps(content(database), sort_keys=True, separators=(",", ":")) + "\n"


def make(revision: str) -> None:
    """Write revisions/REVISION.db with the program as it is, if it has the content of all the others."""
    from epcg_core.query.query import parse_query
    from epcg_core.runs.coordinator import Options, execute
    from epcg_core.store import Store, migrate
    from epcg_core.store.connection import writing_engine

    newest = migrate.revisions()[-1]
    with tempfile.TemporaryDirectory() as folder:
        install_toys(Path(folder))
        database = Path(folder) / "golden.db"
        with Store.open(database, write=True) as store:
            for text in (NUMBERS, FILTERED, LAYERS):
                execute(parse_query(text), store, Options("serial", quiet=True))
        if content_text(database) != CONTENT.read_text(encoding="utf-8"):
            sys.exit(
                f"The new runs have other values than {CONTENT.name}, which those of old revisions have."
            )
        if revision != newest:
            copy_down(database, revision)
        engine = writing_engine(str(database))
        with engine.connect() as connection:
            connection.exec_driver_sql("COMMIT")
            connection.exec_driver_sql("PRAGMA journal_mode = DELETE")
            connection.exec_driver_sql("PRAGMA page_size = 512")  # two dozen small tables
            connection.exec_driver_sql("VACUUM")
            connection.exec_driver_sql("BEGIN")
        engine.dispose()
        if revision == newest:
            write_newest(Path(folder))
        FOLDER.mkdir(exist_ok=True)
        shutil.copy(database, FOLDER / f"{revision}.db")


def write_newest(folder: Path) -> None:
    """Write migrations/newest.sql from a database that all revisions made, in turn."""
    from epcg_core.store import migrate

    text = migrated_schema(folder / "migrated.db")
    (migrate.migrations_folder() / "newest.sql").write_text(text, encoding="utf-8")


def migrated_schema(database: Path) -> str:
    """Make a database by running every revision; return its schema as SQL."""
    from epcg_core.store import migrate
    from epcg_core.store.connection import writing_engine

    engine = writing_engine(str(database))
    with engine.begin() as connection:
        migrate.migrate(connection, migrate.revisions()[-1])
        text = migrate.schema_text(connection, migrate.revisions()[-1])
    engine.dispose()
    return text


def copy_down(database: Path, revision: str) -> None:
    """Put the rows of a new database into the tables of an older revision, which must have them all."""
    import sqlalchemy as sa

    from epcg_core.store import migrate, schema
    from epcg_core.store.connection import writing_engine

    new, old = writing_engine(str(database)), writing_engine(f"{database}.old")
    with old.begin() as target:
        migrate.migrate(target, revision)
    with new.begin() as source, old.begin() as target:
        for table in schema.metadata.sorted_tables:
            rows = [dict(row._mapping) for row in source.execute(sa.select(table))]
            if rows:
                target.execute(sa.insert(table), rows)
    for engine in (new, old):
        engine.dispose()
    shutil.move(f"{database}.old", database)


if __name__ == "__main__":
    for number in sys.argv[1:]:
        make(number)
