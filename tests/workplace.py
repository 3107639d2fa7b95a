"""Where tests work: a folder with a database, questions to it, and the command line.

`Workplace`     a folder and the database in it: queries, runs, what they recorded, the command line
`Numbers`       a workplace that asks about the toy domain of tests/toy_plugin.py
`epcg`          the command line in this process; `epcg_process` in a process of its own
`needs`         a mark for tests that a library must be installed for; `OnUse` imports it when it is used
`facts`         facts and figures to agree with; `shared` what lies beside the repository, if it is there
`runs_as_shown` a command that a page shows, and what it must print

The fixtures that make workplaces are in the conftest.py files; processes to be watched and killed are in
tests/processes.py.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import re
import shlex
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self, TypeVar, cast

import attrs
import click
import pytest
from click.testing import CliRunner, Result

from epcg_core.query.query import Query, parse_query
from epcg_core.runs.coordinator import Options, Outcome, execute
from epcg_core.store import Reader, Store
from epcg_core.store.records import Sample
from epcg_core.verification.verdicts import Check
from epcg_core.verification.verify import VerifyReport, verify

T = TypeVar("T")
ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
"""Levels, panels and texts of others, beside the repository; see `shared`."""
SERIAL = Options(executor="serial", quiet=True)


def shared(path: str = "") -> Path:
    """A file or folder of ../shared; skips the test, or the module, if it is not there."""
    found = SHARED / path
    if not found.exists():
        pytest.skip(f"../shared/{path} is not beside this repository", allow_module_level=True)
    return found


def needs(library: str, reason: str = "") -> pytest.MarkDecorator:
    """A mark that skips tests without a library, which only those processes import that run them."""
    return pytest.mark.skipif(find_spec(library) is None, reason=reason or f"{library} is not installed")


class OnUse:
    """A module that is imported when a test first asks for a name of it: collecting tests does not wait."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # pytest asks each name of a module whether it is a test
            raise AttributeError(name)
        return getattr(importlib.import_module(self._module), name)


@cache
def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def shared_json(path: str) -> Any:
    """The content of a JSON file of ../shared; skips the test if it is not there."""
    return _json(shared(path))


def facts(name: str) -> dict[str, Any]:
    """The facts and figures of tests/golden/NAME.json, which were found apart from EPCG."""
    found: dict[str, Any] = _json(ROOT / f"tests/golden/{name}.json")
    return found


def write_plugin(
    site: Path, entry_point: str, module: str, source: str, distribution: str, version: str = "1.0"
) -> None:
    """Install a one-module plugin into the folder `site`: the module, and the metadata as pip writes it."""
    (site / f"{module}.py").write_text(source, encoding="utf-8")
    info = site / f"{distribution.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(f"[epcg]\n{entry_point} = {module}\n")


# --- the command line


def invoke(command: click.Command, *arguments: object) -> Result:
    """Run one click command in this process; an exception stays in the result."""
    return CliRunner().invoke(command, [*map(str, arguments)])


def sweep(cases: Iterable[Any], fast: Callable[[Any], bool]) -> list[Any]:
    """Make the params of a test: the cases that are `fast`, and all others as slow tests."""
    rows = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*row, marks=[] if fast(row[0]) else [pytest.mark.slow]) for row in rows]


def epcg(*arguments: object, code: int | None = 0, stdin: str | None = None) -> Result:
    """Run `epcg ARGUMENTS` in this process.

    Args:
        code: the exit code that the command must have; None allows any.
        stdin: what the command reads.

    Raises:
        BaseException: what the command line does not turn into a message.
    """
    from epcg_core.cli.app import app

    logger = logging.getLogger("epcg_core")
    level, handlers = logger.level, logger.handlers[:]
    try:
        result = CliRunner().invoke(app, [*map(str, arguments)], input=stdin, prog_name="epcg")
    finally:  # a program that has ended leaves no `--quiet` behind
        logger.setLevel(level)
        logger.handlers[:] = handlers
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert code is None or result.exit_code == code, (
        f"exit {result.exit_code}\n{result.stdout}\n{result.stderr}"
    )
    return result


def epcg_command(*arguments: object) -> list[str]:
    """The command line's argument vector, for subprocess."""
    return [sys.executable, "-m", "epcg_core.cli", *map(str, arguments)]


def epcg_process(
    *arguments: object, folder: Path | None = None, timeout: float | None = 60.0, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run `epcg ARGUMENTS` in a process of its own, in `folder`, and wait for its end."""
    return subprocess.run(
        epcg_command(*arguments),
        cwd=folder, env=os.environ | environment, timeout=timeout,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def commands(text: str) -> list[tuple[str, list[str]]]:
    """(command, lines shown beneath it) of the console blocks of a page that are run, in order."""
    found: list[tuple[str, list[str]]] = []
    for reason, block in re.findall(r"(<!-- not run: [^>]*-->\n)?```console\n(.*?)```", text, re.DOTALL):
        if reason:
            continue
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif line.strip():
                found[-1][1].append(line)
    return found


def runs_as_shown(command: str, lines: list[str]) -> None:
    """Run an `epcg` command here; it must succeed and print `lines`, in which '...' stands for others.

    Lines that begin with 'Error: ' are what it says when it fails, folded as the page likes.
    """
    program, *arguments = shlex.split(command)
    assert program == "epcg", command
    result = epcg(*arguments, code=None)
    if lines and lines[0].startswith("Error: "):
        assert result.exit_code in (1, 2, 4), command
        assert " ".join(" ".join(lines).split()) in " ".join(result.stderr.split()), (
            f"{command} says\n{result.stderr}"
        )
        return
    assert result.exit_code == 0, f"{command}\n{result.stderr}"
    printed = [line.rstrip() for line in result.stdout.splitlines()]
    for line in lines:
        assert line.rstrip() in (*printed, "...", ""), (
            f"{command} does not print {line!r} but\n{result.stdout}"
        )


# --- databases


@cache
def _template() -> bytes:
    """A new database, made once: the migrations take longer than most tests."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        Store.open(path, write=True).close()
        return path.read_bytes()


def new_database(path: Path) -> Path:
    """Write an empty database of the newest schema to `path`."""
    path.write_bytes(_template())
    return path


_MADE: dict[object, tuple[bytes, Any]] = {}


def made_once(database: Path, key: object, make: Callable[[], T]) -> T:
    """Make a database once a process and key, and copy it after that; return what `make` returned."""
    assert not database.exists(), "only a whole database is copied"
    if key not in _MADE:
        found = make()
        _MADE[key] = database.read_bytes(), found
    content, outcome = _MADE[key]
    database.write_bytes(content)
    return cast("T", outcome)


def looks_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the program record what it would refuse: it compares neither first units nor winners."""
    from epcg_core.runs import coordinator, winners

    monkeypatch.setattr(coordinator, "check_first_unit", lambda *_: None)
    monkeypatch.setattr(winners, "again", lambda *_: winners.Again({}))


def ask_sql(database: Path, statement: str) -> list[Any]:
    """The rows of a statement over a connection that only reads."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)) as connection:
        return connection.execute(statement).fetchall()


RECORDED = {
    "run": "SELECT id, identity, state, evaluated, pruned, excluded, digest FROM run ORDER BY id",
    "chunks": "SELECT run_id, metric_id, start, count, evaluated, valued, dtype, minimum, maximum, total, "
    "digest, data FROM score_chunk ORDER BY run_id, metric_id, start",
    "rows": "SELECT run_id, metric_id, rank, value, typeof(value) FROM score ORDER BY 1, 2, 3",
    "histograms": "SELECT * FROM score_histogram ORDER BY run_id, metric_id, position",
    # what plain code had no time for depends on the machine
    "candidates": "SELECT run_id, rank, status, kept, CASE WHEN note LIKE 'not computed again%' THEN NULL "
    "ELSE note END FROM candidate ORDER BY run_id, rank",
    "covered": "SELECT run_id, sum(count), min(start), max(start + count) FROM unit GROUP BY run_id",
}


def recorded(database: Path) -> dict[str, list[Any]]:
    """Everything that runs recorded, however they were cut into units."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        return {name: connection.execute(statement).fetchall() for name, statement in RECORDED.items()}


@attrs.define
class Workplace:
    """A folder, usually the working directory of the test, and the database in it.

    A workplace that asks about a domain says in `text` how its queries look.
    """

    folder: Path
    options: Options = SERIAL
    """How `run` runs, unless it is told otherwise."""
    name: str = "epcg"
    """The name of the database; with the default name the command line finds it by itself."""

    @property
    def database(self) -> Path:
        return self.folder / f"{self.name}.db"

    def other(self, name: str) -> Self:
        """The same folder and options with another database."""
        return attrs.evolve(self, name=name)

    def cut(self, unit_size: int | None = None, chunk_size: int | None = None) -> None:
        """Cut the runs to come into units and chunks of so many ranks."""
        self.options = attrs.evolve(self.options, unit_size=unit_size, chunk_size=chunk_size)

    # --- questions

    def text(self, *arguments: Any, **parts: Any) -> str:
        """A query as TOML."""
        raise NotImplementedError

    def query(self, *arguments: Any, **parts: Any) -> Query:
        """The query of `text`."""
        return parse_query(self.text(*arguments, **parts))

    def file(self, *arguments: Any, name: str = "query", **parts: Any) -> Path:
        """Write the query of `text` to NAME.toml."""
        path = self.folder / f"{name}.toml"
        path.write_text(self.text(*arguments, **parts), encoding="utf-8")
        return path

    def run(
        self,
        query: Query | str,
        *overrides: str,
        database: Path | None = None,
        sample: Sample | None = None,
        options: Options | None = None,
        **changes: Any,
    ) -> Outcome:
        """Execute a query in this process.

        Args:
            query: the query, or its TOML text, in which `overrides` replace values.
            database: where to record; by default the workplace's own.
            sample: the ranks to draw instead of all.
            options: how to run; by default the workplace's own options.
            changes: fields of the options that differ for this run, for example `executor` or `unit_size`.
        """
        assert isinstance(query, str) or not overrides, "overrides are for queries that are given as text"
        asked = parse_query(query, overrides) if isinstance(query, str) else query
        path = database or self.database
        if not path.exists():
            new_database(path)
        with Store.open(path, write=True) as store:
            return execute(asked, store, attrs.evolve(options or self.options, **changes), sample)

    def given(self, query: Query | str, *overrides: str, **changes: Any) -> Outcome:
        """Have the run of a query in the database, which must be new: computed once a process, then copied.

        For tests of what was recorded, which do not look at how it is computed or with which parts.
        """
        asked = (repr(query), overrides, repr(self.options), repr(changes), os.environ.get("EPCG_PLUGINS"))
        key = (type(self), *asked)
        return made_once(self.database, key, lambda: self.run(query, *overrides, **changes))

    # --- what was recorded

    def read(self, question: Callable[[Reader], Any], database: Path | None = None) -> Any:
        """What `question` finds."""
        with Store.open(database or self.database) as store, store.reader() as reader:
            return question(reader)

    def verify(
        self, run: int, sample: int = 300, seed: int = 0, database: Path | None = None, **more: Any
    ) -> VerifyReport:
        with Store.open(database or self.database) as store:
            return verify(store, run, sample, seed, **more)

    def checks(self, run: int = 1, sample: int = 1000) -> list[Check]:
        return list(self.verify(run, sample).checks)

    def failed(self, run: int = 1, sample: int = 1000) -> dict[str, str]:
        """The checks of a run that do not pass, with what they say."""
        return {check.name: check.detail for check in self.checks(run, sample) if not check.passed}

    def sql(self, statement: str, database: Path | None = None) -> list[Any]:
        return ask_sql(database or self.database, statement)

    def change(self, *statements: str) -> None:
        """Tamper with the database."""
        with closing(sqlite3.connect(self.database)) as connection:
            connection.execute("PRAGMA synchronous = OFF")  # no test loses its power supply
            with connection:
                for statement in statements:
                    connection.execute(statement)

    # --- the command line

    def epcg(self, *arguments: object, code: int | None = None) -> Result:
        """The command line in this process, whose working directory must be the folder."""
        return epcg(*arguments, code=code)

    def process(self, *arguments: object, timeout: float = 60.0) -> subprocess.CompletedProcess[str]:
        """The command line as a process of its own, with the environment as it is now."""
        return epcg_process(*arguments, folder=self.folder, timeout=timeout)


def tables(evaluators: tuple[str, ...]) -> str:
    """TOML of evaluators; each is its name, with a param if need be: 'digits', 'slow seconds = 0.1'."""
    parts = [evaluator.partition(" ") for evaluator in evaluators]
    return "".join(f'[[evaluators]]\nname = "{name}"\n{param}\n' for name, _, param in parts)


NUMBERS = """
name = "{name}"
domain = "numbers"
{evaluators}
{more}
[generator]
name = "range"
size = {size}
"""


class Numbers(Workplace):
    """A workplace that asks about `numbers`."""

    def text(self, *evaluators: str, size: int = 100, more: str = "", name: str = "numbers") -> str:
        """A query over 0 .. size - 1; `more` is further TOML: '[[select]]\\nmetric = "digits"'."""
        return NUMBERS.format(name=name, size=size, evaluators=tables(evaluators), more=more)

    def file(self, *evaluators: str, name: str = "numbers", **parts: Any) -> Path:
        """Write the query of `text`, which bears the file's name."""
        path = self.folder / f"{name}.toml"
        path.write_text(self.text(*evaluators, name=name, **parts), encoding="utf-8")
        return path
