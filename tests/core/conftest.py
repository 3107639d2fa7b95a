"""The toy domains `numbers` (tests/toy_plugin.py) and `pegs` (toy_game.py), and a database to work with."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import attrs
import pytest

from epcg_core.query.query import parse
from epcg_core.runs.coordinator import Options, Outcome, execute
from epcg_core.store import Reader, Store
from tests.workplace import Workplace

GAME_SOURCE = Path(__file__).with_name("toy_game.py")

SERIAL = Options(executor="serial", quiet=True)


@cache
def empty_database() -> bytes:
    """A new database, made once: the migrations take longer than most tests."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        Store.open(path, write=True).close()
        return path.read_bytes()


@attrs.frozen
class Bench:
    """A database in an empty folder, and questions to it in one line each."""

    database: Path

    def ask(
        self, text: str, *overrides: str, options: Options = SERIAL, database: Path | None = None
    ) -> Outcome:
        """Execute a query given as TOML text."""
        path = database or self.database
        if not path.exists():
            path.write_bytes(empty_database())
        with Store.open(path, write=True) as store:
            return execute(parse(text, overrides), store, options)

    def read(self, question: Callable[[Reader], object], database: Path | None = None) -> object:
        """What `question` finds."""
        with Store.open(database or self.database) as store, store.reader() as reader:
            return question(reader)

    def change(self, *statements: str) -> None:
        """Tamper with the database."""
        with Store.open(self.database, write=True) as store, store.transaction() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)


@pytest.fixture
def game(
    toy: Workplace,
    install_plugin: Callable[[str, str, str, str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> Workplace:
    """The domains `numbers` and `pegs`, and no other plugin."""
    monkeypatch.setenv("EPCG_PLUGINS", "numbers,pegs")
    install_plugin("pegs", "epcg_game", GAME_SOURCE.read_text(encoding="utf-8"), "epcg-game")
    return toy


@pytest.fixture
def bench(game: Workplace) -> Iterator[Bench]:
    """An empty database with the toy domains at hand."""
    yield Bench(game.database)
    sys.modules.pop("epcg_game", None)
