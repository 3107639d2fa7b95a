"""Makes the golden database of a schema revision: python -m tests.core.store.make_revisions 0017

Run once, when a revision is new, and kept for ever: an old database cannot be made by a newer program. Each
holds a whole run and a filtered one over the toy domain `numbers`, with rows, kept candidates and solved
layers of `pegs`, recorded by the program of its day. All hold the same content, which must be read from each:
`content.json`. First `migrations/tables.sql` is written: the tables of the last golden database, upgraded.
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
    from epcg_core.store import Store
    from epcg_core.store.connection import writing_engine

    with tempfile.TemporaryDirectory() as folder:
        install_toys(Path(folder))
        write_tables(Path(folder) / "upgraded.db")
        database = Path(folder) / "golden.db"
        with Store.open(database, write=True) as store:
            for text in (NUMBERS, FILTERED, LAYERS):
                execute(parse_query(text), store, Options("serial", quiet=True))
        if content_text(database) != CONTENT.read_text(encoding="utf-8"):
            sys.exit(
                f"The new runs have other values than {CONTENT.name}, which those of old revisions have."
            )
        engine = writing_engine(str(database))
        with engine.connect() as connection:
            connection.exec_driver_sql("COMMIT")
            connection.exec_driver_sql("PRAGMA journal_mode = DELETE")
            connection.exec_driver_sql("PRAGMA page_size = 512")  # two dozen small tables
            connection.exec_driver_sql("VACUUM")
            connection.exec_driver_sql("BEGIN")
        engine.dispose()
        shutil.copy(database, FOLDER / f"{revision}.db")


def write_tables(database: Path) -> None:
    """Write migrations/tables.sql: the tables and indexes of the newest golden database after an upgrade."""
    from epcg_core.store import migrate
    from epcg_core.store.connection import writing_engine
    from epcg_core.store.upgrade import upgrade

    shutil.copy(max(FOLDER.glob("*.db")), database)
    upgrade(str(database))
    path = migrate.migrations_folder() / "tables.sql"
    heading = path.read_text(encoding="utf-8").partition("\n")[0]
    engine = writing_engine(str(database))
    with engine.connect() as connection:
        found = connection.exec_driver_sql(
            "SELECT sql FROM sqlite_master WHERE type <> 'view' AND sql IS NOT NULL ORDER BY rowid"
        )
        statements = found.scalars().all()
    engine.dispose()
    path.write_text(migrate.SEPARATOR.join([f"{heading}", *statements]) + ";\n", encoding="utf-8")


if __name__ == "__main__":
    for number in sys.argv[1:]:
        make(number)
