"""Each command prints what a function returns: its JSON is the object's, its text the object's text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import epcg_core as epcg_
from epcg_core.api.report import Report, Table
from epcg_core.cli.app import COMMANDS, app
from tests.workplace import Numbers, epcg, new_database, sweep

PUZZLE = "numbers:range?size=100#42"
PLAN = """
name = "digits"
title = "Digits"
[[chapters]]
name = "even"
title = "Even numbers"
query = "sums.toml"
measure = "digits"
strategy = "highest"
count = 2
ties = "first"
"""
VOLATILE = ("seconds", "created_at", "finished_at", "memory")
"""Parts of the keys of what is measured each time."""

CASES: dict[str, tuple[list[str], Callable[[], Report | Table | None]]] = {
    "run": (["run", "sums.toml", "--quiet"], lambda: epcg_.answer("sums.toml")),
    "run, again": (["run", "sums.toml", "--again", "--quiet"], lambda: epcg_.answer("sums.toml", again=True)),
    "run, a sample": (
        ["run", "sums.toml", "--set", "generator.size=90", "--sample", "20", "--quiet"],
        lambda: epcg_.answer("sums.toml", {"generator.size": 90}, sample=20),
    ),
    "run, dry": (["run", "sums.toml", "--dry-run"], lambda: epcg_.estimate("sums.toml")),
    "resume": (["resume", "1", "--quiet"], lambda: epcg_.resume(1)),
    "merge": (["merge", "all.db", "a.db", "b.db"], lambda: epcg_.merge("all.db", ["a.db", "b.db"])),
    "merge, in part": (
        ["merge", "all.db", "a.db", "--incomplete"],
        lambda: epcg_.merge("all.db", ["a.db"], incomplete=True),
    ),
    "runs": (["runs"], epcg_.list_runs),
    "show": (["show", "1"], lambda: epcg_.show(1)),
    "top": (
        ["top", "1", "--where", "even", "--count", "3", "--then", "root"],
        lambda: epcg_.top(1, count=3, where=["even"], then=["root"]),
    ),
    "verify": (["verify", "1", "--seed", "7"], lambda: epcg_.verify(1, seed=7)),
    "verify, a file": (["verify", "epcg.db", "--seed", "7"], lambda: epcg_.verify("epcg.db", seed=7)),
    "forget": (["forget", "2", "--yes"], lambda: epcg_.forget(2, yes=True)),
    "sql": (["sql", "SELECT run_id, metric, 0.5 AS half FROM metrics"],
            lambda: epcg_.sql("SELECT run_id, metric, 0.5 AS half FROM metrics")),
    "sql, the tables": (["sql"], epcg_.sql),
    "score": (["score", PUZZLE], lambda: epcg_.score(PUZZLE)),
    "convert": (["convert", PUZZLE], lambda: epcg_.convert(PUZZLE)),
    "convert, the formats": (["convert"], epcg_.formats),
    "domains": (["domains"], epcg_.domains),
    "domains, one": (["domains", "numbers"], lambda: epcg_.domains("numbers")),
    "curriculum build": (["curriculum", "build", "plan.toml", "--quiet"],
                         lambda: epcg_.show_curriculum(epcg_.build_curriculum("plan.toml").booklet.name)),
    "curriculum build, dry": (["curriculum", "build", "plan.toml", "--dry-run"],
                              lambda: epcg_.estimate_curriculum("plan.toml")),
    "curriculum show": (["curriculum", "show"], epcg_.list_curricula),
    "curriculum verify": (["curriculum", "verify", "built", "--seed", "7"],
                          lambda: epcg_.verify_curriculum("built", seed=7)),
    "db upgrade": (["db", "upgrade"], epcg_.upgrade),
    "db materialize": (["db", "materialize", "1"], lambda: epcg_.materialize(1)),
}  # fmt: skip
"""What is asked -> the arguments of the command, and the same by a function."""

FAST = {"run", "show", "top", "sql", "score", "domains, one", "forget", "curriculum show"}
"""Cases that take less than half a second."""


@pytest.fixture(scope="module")
def made() -> dict[str, bytes]:
    """The files of `place`, once they have been made."""
    return {}


@pytest.fixture
def place(answered: Numbers, made: dict[str, bytes]) -> Callable[[], None]:
    """A folder with runs, parts, a plan and a curriculum, and a function that makes it so again."""
    folder = answered.folder
    if not made:
        (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
        (folder / "built.toml").write_text(
            PLAN.replace('"digits"\ntitle', '"built"\ntitle'), encoding="utf-8"
        )
        epcg("curriculum", "build", "built.toml", "--quiet")
        for number, name in enumerate("ab", 1):
            new_database(folder / f"{name}.db")
            epcg("run", "sums.toml", "--part", f"{number}/2", "--db", f"{name}.db", "--quiet")
        made.update({path.name: path.read_bytes() for path in folder.iterdir()})

    def restore() -> None:
        for path in folder.iterdir():
            path.unlink()
        for name, content in made.items():
            (folder / name).write_bytes(content)

    restore()
    return restore


def lasting(data: Any) -> Any:
    """The data without what is measured each time."""
    if isinstance(data, dict):
        return {k: lasting(v) for k, v in data.items() if not any(part in k for part in VOLATILE)}
    return [lasting(each) for each in data] if isinstance(data, list) else data


@pytest.mark.parametrize("what", sweep(CASES, FAST.__contains__))
def test_a_commands_json_is_that_of_its_function(what: str, place: Callable[[], None]) -> None:
    arguments, function = CASES[what]
    printed = json.loads(epcg(*arguments, "--json").stdout)
    place()
    found = function()
    assert found is not None
    assert lasting(json.loads(json.dumps(found.json()))) == lasting(printed)
    assert str(found)
    assert found.table().columns
    assert found._repr_html_()


def leaves(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Yield each command in a group with its words."""
    if not isinstance(command, click.Group):
        yield " ".join(path), command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from leaves(found, (*path, name))


def test_every_command_of_the_core_that_prints_json_is_compared(toy: Numbers) -> None:
    own = {
        words
        for words, command in leaves(app)
        if words.partition(" ")[0] in COMMANDS and any("--json" in each.opts for each in command.params)
    }
    compared = {what.partition(",")[0] for what in CASES}
    of_faces = {"curriculum export"}
    assert own - of_faces == compared


def test_the_text_is_what_the_command_prints(place: Callable[[], None]) -> None:
    for arguments, found in (
        (["show", "1"], epcg_.show(1)),
        (["sql", "SELECT 1 AS one"], epcg_.sql("SELECT 1 AS one")),
        (["domains", "numbers"], epcg_.domains("numbers")),
        (["score", PUZZLE], epcg_.score(PUZZLE).table()),
    ):
        assert str(found).strip() in epcg(*arguments).stdout


def test_a_drawing_is_an_object(place: Callable[[], None]) -> None:
    picture = epcg_.render("1#42")
    assert (picture.format, picture.puzzle) == ("text", PUZZLE)
    assert str(picture) == epcg("render", "1#42").stdout.rstrip("\n")
    with pytest.raises(epcg_.EpcgError, match="its folder folder does not exist"):
        picture.save("folder/drawn.txt")
    Path("folder").mkdir()
    picture.save("folder/drawn.txt")
    assert Path("folder/drawn.txt").read_text(encoding="utf-8").rstrip("\n") == str(picture)
    with pytest.raises(epcg_.EpcgError, match="draws no solutions"):
        epcg_.render("1#42", solution=True)


def test_nothing_is_deleted_without_yes(place: Callable[[], None]) -> None:
    told = epcg_.forget(2)
    assert not told.deleted
    assert "would be lost" in str(told)
    assert len(epcg_.list_runs()) == 2
    assert epcg_.forget(2, yes=True).deleted
    assert len(epcg_.list_runs()) == 1


def test_a_failed_check_is_a_verdict_and_raises_when_it_is_demanded(place: Callable[[], None]) -> None:
    found = epcg_.verify(1, this_run_only=True)
    assert found.passed
    found.demand()
    epcg_.sql("SELECT 1")
    import sqlite3

    with sqlite3.connect("epcg.db") as connection:
        connection.execute("UPDATE run SET evaluated = evaluated - 1 WHERE id = 1")
    found = epcg_.verify(1, seed=1)
    assert found.verdict == "does not hold"
    with pytest.raises(epcg_.EpcgError, match="Run 1 is not what it claims"):
        found.demand()


def test_progress_is_told_to_a_function_and_not_written(
    toy: Numbers, capfd: pytest.CaptureFixture[str]
) -> None:
    told: list[tuple[str, int, int]] = []
    epcg_.answer(str(toy.file("digits", size=60)), progress=lambda *state: told.append(state), quiet=True)
    assert told[-1][1:] == (60, 60)
    assert capfd.readouterr().out == ""


def test_a_function_that_raises_leaves_a_run_that_goes_on(toy: Numbers) -> None:
    def tired(title: str, done: int, total: int) -> None:
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        epcg_.answer(str(toy.file("digits", size=60)), progress=tired, quiet=True)
    found = epcg_.answer(str(toy.file("digits", size=60)), quiet=True)
    assert (found.record.done, found.record.evaluated) == (True, 60)


def test_progress_of_another_thread_is_not_told(toy: Numbers) -> None:
    from threading import Thread

    from epcg_core.execution.progress import Progress, listened_to_by

    told: list[str] = []
    with listened_to_by(lambda title, done, total: told.append(title)):
        other = Thread(target=lambda: Progress("other", 3, quiet=True).advance(1))
        other.start()
        other.join()
        Progress("own", 3, quiet=True).advance(1)
    assert told == ["own"]


def completed(words: str) -> dict[str, str]:
    """What zsh is offered for the last of some words, with the descriptions."""
    from click.shell_completion import ZshComplete

    arguments = words.split(" ")
    complete = ZshComplete(app, {}, "epcg", "_EPCG_COMPLETE")
    found = complete.get_completions(arguments[:-1], arguments[-1])
    return {each.value: each.help or each.type for each in found}


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("show ", {"1": "numbers:range?size=100", "2": "numbers:range?size=100"}),
        ("top 2 --metric ", {"divisor"}),
        ("top 1 --metric e", {"even"}),
        ("top 1 --then d", {"digits"}),
        ("domains n", {"numbers"}),
        ("curriculum show b", {"built"}),
        ("convert x --to t", {"text"}),
        ("run su", {"su": "file"}),
        ("verify epcg", {"epcg": "file"}),
        ("show --db none.db ", set()),
        ("show --db plan.toml ", set()),
    ],
)
def test_what_a_shell_completes(words: str, found: Any, place: Callable[[], None]) -> None:
    assert (completed(words) if isinstance(found, dict) else set(completed(words))) == found
