"""The root command: what it lists, what it imports, and how it says what went wrong."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import attrs
import click
import pytest
from click.testing import Result

from epcg_core.base import errors
from epcg_core.cli.app import COMMANDS, app
from tests.forks.forked import Coordinators, python_forked
from tests.workplace import Numbers, epcg, epcg_command

HEAVY = ("numba", "numpy", "sqlalchemy", "alembic", "rich", "matplotlib", "pyarrow")

BROKEN = """
from epcg_core import hookimpl
EPCG_API_VERSION = 1
raise RuntimeError("out of order")
"""
COMMANDS_THAT_FAIL = """
import attrs
import click
from epcg_core import hookimpl
from epcg_core.domain import CommandInfo, DomainInfo
from epcg_core.base.errors import EpcgError

EPCG_API_VERSION = 1

@hookimpl
def epcg_register_domains(register):
    register(DomainInfo("faults", "Faults", "commands that fail"))

@hookimpl
def epcg_register_commands(register):
    for name in ("sentence", "mistake", "interrupt", "file", "exit", "missing"):
        factory = "faulty:nothing" if name == "missing" else (lambda name=name: command(name))
        register(CommandInfo(name=name, domain="faults", summary=name, factory=factory))

def command(name):
    @click.command(name)
    def fail():
        if name == "sentence":
            error = EpcgError("The cat sits on the keyboard.")
            error.add_note("Move the cat.")
            error.add_note("Traceback:\\n  cat")
            raise error
        if name == "exit":
            raise SystemExit(7)
        if name == "interrupt":
            raise KeyboardInterrupt
        if name == "file":
            open("/nowhere/at/all")
        raise KeyError("tail")
    return fail
"""


@pytest.fixture
def faults(
    toy: Numbers, install_plugin: Callable[[str, str, str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", "numbers,faults")
    install_plugin("faults", "faulty", COMMANDS_THAT_FAIL, "epcg-faults")


@pytest.mark.parametrize(
    "lines",
    [
        [["domains", "numbers"]],
        [[name, "--help"] for name in COMMANDS],
        *(pytest.param([[word]], marks=pytest.mark.slow) for word in ("--help", "--version", "domains")),
    ],
    ids=["of a domain", "help of commands", "help", "version", "domains"],
)
def test_listing_imports_nothing_heavy(toy: Numbers, lines: list[list[str]]) -> None:
    script = (
        "import sys\n"
        "from epcg_core.cli.app import app\n"
        f"for line in {lines!r}:\n"
        "    app(line, prog_name='epcg', standalone_mode=False)\n"
        f"print(*(m for m in {HEAVY!r} if m in sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip()
    assert done.stderr.split() == []


def test_help_lists_every_command_and_the_domains(cli: Callable[..., Result]) -> None:
    text = cli("--help").stdout
    for name in (*COMMANDS, "numbers"):
        assert f"\n  {name} " in text


def commands(group: click.Group, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found = []
    context = click.Context(group)
    for name in COMMANDS if group is app else group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        is_group = isinstance(command, click.Group)
        found += commands(command, (*path, name)) if is_group else [(*path, name)]  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize("path", commands(app), ids=" ".join)
def test_every_help_teaches_by_an_example(path: tuple[str, ...]) -> None:
    result = epcg(*path, "--help")
    assert f"\n    epcg {' '.join(path)}" in result.stdout
    assert "Example" in result.stdout


def test_what_prints_json_takes_json_as_an_option() -> None:
    context = click.Context(app)
    for path in commands(app):
        command: click.Command = app
        for name in path:
            command = command.get_command(context, name)  # type: ignore[attr-defined]
        formats = [own for own in command.params if "--format" in own.opts]
        if any("json" in getattr(own.type, "choices", ()) for own in formats):
            assert any("--json" in own.opts for own in command.params), path


def test_every_exit_code_is_in_the_help_and_in_the_page(cli: Callable[..., Result]) -> None:
    codes = {
        own.exit_code
        for own in vars(errors).values()
        if isinstance(own, type) and issubclass(own, errors.EpcgError)
    }
    page = (Path(__file__).parents[3] / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    for text in (cli("--help").stdout, page):
        told = " ".join(text.split()).partition("Exit codes: ")[2].partition(". ")[0]
        assert {int(code) for code in re.findall(r"\b\d+\b", told)} == codes | {0, 2, 3, 130}


def test_version(cli: Callable[..., Result]) -> None:
    assert cli("--version").stdout == f"epcg {version('epcg-core')}\n"


def test_a_misspelt_command_is_a_usage_error_that_names_the_nearest(cli: Callable[..., Result]) -> None:
    assert "'verify'" in cli("verfy", code=2).stderr
    assert "--jsno" in cli("runs", "--jsno", code=2).stderr


def test_commands_of_plugins_are_below_their_domain(cli: Callable[..., Result]) -> None:
    assert "add  add two numbers" in cli("numbers", "--help").stdout
    assert "Add A and B." in cli("numbers", "add", "--help").stdout
    assert cli("numbers", "add", 2, 3).stdout == "5\n"
    cli("numbers", "subtract", code=2)


def test_no_plugins(cli: Callable[..., Result], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", "numbers")  # so that it is restored afterwards
    assert "numbers" not in cli("--no-plugins", "--help").stdout
    cli("--no-plugins", "numbers", "add", 2, 3, code=2)


def test_a_plugin_that_nobody_installed_is_named_once(
    cli: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    for command in (["domains"], ["numbers", "add", 2, 3]):
        monkeypatch.setenv("EPCG_PLUGINS", "numbers")
        assert cli(*command).stderr == ""
        monkeypatch.setenv("EPCG_PLUGINS", "numbers, nmbers")
        (line,) = cli(*command).stderr.splitlines()
        assert line.startswith(
            "Warning: EPCG_PLUGINS: unknown plugin 'nmbers'. Did you mean 'numbers'? Known: "
        )
    monkeypatch.setenv("EPCG_PLUGINS", "")
    assert cli("domains").stderr == ""


def test_a_broken_plugin_breaks_nothing_else(
    cli: Callable[..., Result],
    install_plugin: Callable[[str, str, str, str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", "numbers,broken")
    install_plugin("broken", "epcg_broken", BROKEN, "epcg-broken")
    assert "RuntimeError: out of order" in cli("domains").stdout
    assert cli("numbers", "add", 2, 3).stdout == "5\n"


@pytest.mark.usefixtures("faults")
def test_errors_are_sentences(cli: Callable[..., Result]) -> None:
    result = cli("faults", "sentence", code=1)
    assert result.stderr == "Error: The cat sits on the keyboard.\nMove the cat.\n"
    assert (
        "/nowhere/at/all: its folder /nowhere/at does not exist. Make it"
        in cli("faults", "file", code=1).stderr
    )
    assert "faulty:nothing" in cli("faults", "missing", code=1).stderr
    mistake = cli("faults", "mistake", code=1).stderr
    assert "KeyError: 'tail'" in mistake
    assert "--debug" in mistake
    assert "Traceback" not in mistake
    assert cli("faults", "interrupt", code=130).stderr == "Interrupted.\n"


def test_what_is_no_number_is_told_in_words(cli: Callable[..., Result]) -> None:
    assert (
        "RUN: 'abc' is not a whole number: expected 1 or more. `epcg runs` lists the runs."
        in cli("top", "abc", code=2).stderr
    )
    asked = ("run", "x.toml", "--unit-timeout", "soon")
    assert "--unit-timeout: 'soon' is not a number" in cli(*asked, code=2).stderr


@pytest.mark.usefixtures("faults")
def test_debug_shows_the_traceback(cli: Callable[..., Result]) -> None:
    text = cli("--debug", "faults", "sentence", code=1).stderr
    assert "Traceback (most recent call last)" in text
    assert "Traceback:\n  cat" in text
    assert "Traceback" in cli("runs", "--debug", code=1).stderr


def test_a_reader_who_leaves_early_causes_no_noise(answered: Numbers) -> None:
    statement = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300000) SELECT i FROM n"
    command = epcg_command("sql", statement, "--format", "csv")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"i\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [["domains"], ["--help"], ["export", "1"]], ids=" ".join)
def test_a_full_output_is_told_in_one_sentence(answered: Numbers, arguments: list[str]) -> None:
    done = python_forked(FULL, *arguments, folder=answered.folder)
    assert done.returncode == 1
    assert done.stderr == "Error: the output cannot be written: No space left on device.\n"


@pytest.mark.parametrize(
    ("asks", "arguments"),
    [
        ("epcg_core.api.drawing.named_puzzles", ["render", "numbers:range#1"]),
        ("epcg_testing.checked.check_apart", ["check", "numbers"]),
    ],
    ids=["core", "face"],
)
def test_a_part_that_calls_exit_ends_no_command(
    toy: Numbers,
    cli: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
    asks: str,
    arguments: list[str],
) -> None:
    monkeypatch.setattr(asks, lambda *_, **__: sys.exit(0))
    said = cli(*arguments, code=1).stderr
    assert said == "Error: A plugin's part called sys.exit(0).\n"


@pytest.mark.usefixtures("faults")
def test_a_command_of_a_plugin_may_end_as_it_likes(cli: Callable[..., Result]) -> None:
    assert cli("faults", "exit", code=7).stderr == ""


@pytest.mark.parametrize("wanted", [None, "3"])
def test_matrices_are_multiplied_in_one_thread_unless_others_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: str | None
) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    if wanted is not None:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", wanted)
    told = python_forked(THREADS, "--version", folder=tmp_path)
    assert told.stdout.splitlines()[-1] == (wanted or "1")


THREADS = """
import os
import re
from epcg_core.cli import main
try:
    main()
finally:
    print(os.environ["OPENBLAS_NUM_THREADS"])
"""
FULL = """
import os
import re
os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
from epcg_core.cli import main
main()
"""
EARLY = """
import builtins

imported = builtins.__import__

def interrupted(name, *rest):
    if name == "epcg_core.cli.app":
        raise KeyboardInterrupt
    return imported(name, *rest)

builtins.__import__ = interrupted
from epcg_core.cli import main
main()
"""


INTERRUPTED_AT_THE_END = """
import os, signal
from epcg_core import cli
from epcg_core.cli import app

class Late:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)

def ends(prog_name):
    late = Late()  # lives as long as the frame of the exception
    raise SystemExit(3)

app.app = ends
cli.main()
"""


def test_an_interrupt_after_the_last_word_is_quiet() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_AT_THE_END], capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (-signal.SIGTERM, b"")


def test_an_interrupt_before_the_first_command_is_quiet() -> None:
    done = subprocess.run(
        [sys.executable, "-c", EARLY], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")


MISSED = """
import os, signal, threading, time
from epcg_core.cli import interrupts

interrupts.watch()
reader, writer = os.pipe()

def other():  # the signal comes to this thread: the main thread's call is not interrupted, as in the race
    time.sleep(0.05)
    signal.pthread_kill(threading.get_ident(), {number})
    threading.Event().wait()

threading.Thread(target=other, daemon=True).start()
try:
    os.read(reader, 1)
finally:
    print("restored", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals wake system calls on POSIX systems only")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_a_waiting_call_missed_comes_once_more(
    interruptible: None, how: signal.Signals
) -> None:
    """What was set up is restored: a terminal was not, if Ctrl-C came just before a wait for a key."""
    done = subprocess.run(
        [sys.executable, "-c", MISSED.format(number=int(how))],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (-signal.SIGINT, "restored\n"), done.stderr


@pytest.mark.sweep
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_can_be_resumed_to_the_same_digest(
    toy: Numbers, interruptible: None, how: signal.Signals
) -> None:
    query = toy.file("slow seconds = 0.01", size=120)
    with Coordinators(toy.folder) as coordinators:
        process = coordinators.start("run", query, "--executor", "serial")
        while recorded_units(toy) == 0:
            assert process.alive
            time.sleep(0.02)
        os.kill(process.pid, how)
        code, said = attrs.astuple(process.ended())
    assert code == 3
    assert "epcg resume 1" in said
    assert "Traceback" not in said
    kept = recorded_units(toy)
    assert kept > 0
    assert "partial" in epcg("runs").stdout

    epcg("resume")
    epcg("run", query, "--set", "evaluators.0.seconds=0", "--db", "whole.db", "--json")
    assert digest(toy.folder / "epcg.db") == digest(toy.folder / "whole.db")
    assert recorded_units(toy) > kept


def recorded_units(toy: Numbers) -> int:
    try:
        with sqlite3.connect(f"file:{toy.database}?mode=ro", uri=True) as connection:
            return int(connection.execute("SELECT count(*) FROM unit").fetchone()[0])
    except sqlite3.OperationalError:  # not there yet
        return 0


def digest(database: object) -> str:
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        return str(connection.execute("SELECT digest FROM run").fetchone()[0])


def test_a_warning_for_users_is_one_line_and_shown_once(capsys: pytest.CaptureFixture[str]) -> None:
    from epcg_core.cli.app import _plain_warnings

    before = warnings.showwarning
    with warnings.catch_warnings(), _plain_warnings():
        warnings.simplefilter("always")
        for text in ("a row is ignored", "a row is ignored", "a column is ignored"):
            warnings.warn(text, UserWarning, stacklevel=1)
    assert capsys.readouterr().err == "Warning: a row is ignored\nWarning: a column is ignored\n"
    assert warnings.showwarning is before


def test_a_warning_of_a_library_is_left_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    from epcg_core.cli.app import _plain_warnings

    shown: list[tuple[str, type[Warning]]] = []
    monkeypatch.setattr(warnings, "showwarning", lambda text, kind, *where: shown.append((str(text), kind)))
    with warnings.catch_warnings(), _plain_warnings():
        warnings.simplefilter("always")
        warnings.warn("overflow", RuntimeWarning, stacklevel=1)
    assert shown == [("overflow", RuntimeWarning)]
