"""Errors as sentences: every option of every command, and files that cannot be written."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from epcg_core.base.documents import no_file
from epcg_core.base.errors import EpcgError, told_of_file, writing
from epcg_core.cli.app import app
from tests.workplace import epcg

NOT_ENGLISH = re.compile(
    r"<class|<function|\[\d+\]|x[<>]|[<>]=?x|not a valid|INTEGER|unexpected|Invalid value"
    r"|Missing (?:argument|option)|No such (?:command|option)|requires an argument"
)
"""What click or Python would say: reprs of classes, places counted from zero, ranges as formulas."""
WRONG = ("abc", "-999999999999", "nan~")
"""Values that neither a number, a range of numbers, nor a choice takes all."""


def commands(
    group: click.Group, above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield all commands below a group with their words."""
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None, name
        if isinstance(found, click.Group):
            yield from commands(found, (*above, name))
        else:
            yield (*above, name), found


def bounded_options(command: click.Command) -> Iterator[str]:
    """Yield the options of a command that do not take every text."""
    for each in command.params:
        kinds = (click.Choice, type(click.INT), type(click.FLOAT))
        if isinstance(each, click.Option) and not each.is_flag and isinstance(each.type, kinds):
            yield each.opts[-1]


@pytest.mark.usefixtures("reader")
def test_a_wrong_value_of_any_option_is_refused_in_words() -> None:
    seen = 0
    for words, command in commands(app):
        for option in bounded_options(command):
            for value in WRONG:
                result = CliRunner().invoke(app, [*words, option, value])
                if result.exit_code != 2:
                    assert value == WRONG[1], f"{words} takes {option} {value}"
                    continue
                seen += 1
                said = result.output.partition("Error:")[2]
                assert said.strip().endswith("."), (words, option, said)
                assert not NOT_ENGLISH.search(said), (words, option, said)
    assert seen > 100


@pytest.mark.usefixtures("reader")
def test_what_a_command_needs_and_what_it_does_not_know_is_told_in_words() -> None:
    """Every command: without its arguments, with an option that it lacks, and with one without its value."""
    seen = 0
    for words, command in commands(app):
        needed = [each for each in command.params if each.required]
        options = [each.opts[0] for each in command.params if not getattr(each, "is_flag", True)]
        cases: list[tuple[tuple[str, ...], str]] = []
        cases += [(("--no-such-option",), "There is no option --no-such-option.")]
        cases += [((option,), f"{option} needs a value: ") for option in options[:1]]
        cases += [((), " is missing.")] if needed else []  # others would do something
        for given, sentence in cases:
            result = CliRunner().invoke(app, [*words, *given])
            said = result.output.partition("Error:")[2]
            assert sentence in said, (words, given, said)
            assert "--help`" in said, (words, given, said)
            assert not NOT_ENGLISH.search(said), (words, given, said)
            seen += 1
    assert seen > 100


def test_a_file_that_is_not_there_comes_with_the_one_that_may_be_meant(tmp_path: Path) -> None:
    for name in ("easy.toml", "hard.toml", "notes.md"):
        (tmp_path / name).write_text("")
    assert no_file(tmp_path / "esay.toml").endswith("easy.toml'?")
    assert no_file(tmp_path / "x.toml", "query file").endswith("has easy.toml, hard.toml.")
    assert "has no file that ends in .csv" in no_file(tmp_path / "x.csv")
    assert "there is no folder" in no_file(tmp_path / "absent" / "x.csv")
    (tmp_path / "gone.toml").symlink_to(tmp_path / "nothing")
    assert no_file(tmp_path / "gone.toml").endswith("gone.toml' is a link to a file that is not there.")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("run", "q.toml", "--workers", "0"), "0 is not allowed: expected 1 or more."),
        (("gif", "x", "--size", "1"), "1 is not allowed: expected 16 to 4000."),
        (
            ("resume", "abc"),
            "RUN: 'abc' is not a whole number: expected 1 or more. `epcg runs` lists the runs.",
        ),
        (
            ("runn",),
            "There is no command `epcg runn`. Did you mean 'run' or 'runs'? `epcg --help` lists all.",
        ),
        (("db", "upgrad"), "There is no command `epcg db upgrad`. Did you mean 'upgrade'?"),
        (
            ("run", "x", "--sampl", "3"),
            "There is no option --sampl. Did you mean '--sample'? `epcg run --help`",
        ),
        (("run",), "QUERY is missing. `epcg run --help` says what to give, with examples."),
        (("db", "upgrade", "x", "y z"), "The command does not take 'x y z': leave it out"),
    ],
)
def test_the_words_of_the_option_parser_are_people_s(words: tuple[str, ...], sentence: str) -> None:
    assert sentence in epcg(*words, code=2).stderr


def test_a_file_that_cannot_be_written_says_what_to_do(tmp_path: Path) -> None:
    target = tmp_path / "none" / "x.svg"
    with (
        pytest.raises(EpcgError, match=r"none does not exist\. Make it, or name another place\.$"),
        writing(target),
    ):
        target.write_text("x")
    (tmp_path / "file").write_text("")
    target = tmp_path / "file" / "x.svg"
    with pytest.raises(EpcgError, match=r"file is not a folder\. Make it"), writing(target):
        target.write_text("x")
    with pytest.raises(EpcgError, match=r"It is a folder: name a file in it\.$"), writing(tmp_path):
        tmp_path.write_text("x")


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS, errno.ENOSPC, errno.ENAMETOOLONG])
def test_what_the_system_refuses_has_a_next_step(tmp_path: Path, code: int) -> None:
    said = told_of_file(tmp_path / "x", OSError(code, "No"), "cannot be written")
    assert re.search(r"x cannot be written: No\.\.? [A-Z].*\.$", said), said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("run", "picture.toml"), "'picture.toml' is a picture (PNG), not a text: name another file."),
        (("run", "epcg.db"), "'epcg.db' is a database, not a text: name another file."),
        (("run", "latin.toml"), "'latin.toml' is not valid UTF-8; save it as UTF-8."),
        (
            ("run", "fling/thirty_five"),
            "is a plan of a curriculum, not a query: `epcg curriculum build` builds",
        ),
        (
            ("curriculum", "build", "fling/layers"),
            "'fling/layers' is a query, not a plan: `epcg run` answers it.",
        ),
        (("run", "fling/layers", "--set", "pieces=4"), "Error: The setting pieces: unknown key 'pieces'."),
        (
            ("run", "fling/layers", "--set", "search.name=exhaustive"),
            "search: the key 'uniqueness' is of retrograde, not of exhaustive: remove it from the file, or "
            "replace the whole table, as by --set 'search={ name = \"exhaustive\" }'.",
        ),
        (
            ("run", "https://example.org/q.toml"),
            "'https://example.org/q.toml' is an address, not a file: down",
        ),
        (
            ("run", "fling/best_by_expert_ratio", "--set", "select.0.count=zero"),
            'Error: select 1.count: "zero" is not an integer, 1 or more.',
        ),
        (("render", "fling:boards"), "fling:boards is a space, not a puzzle: an id ends with a rank, as in"),
        (("render", "fling:boards#a"), "'fling:boards#a': 'a' is not a rank, which is a whole number, as in"),
        (
            ("export", "1", "--where", "rank >", "--output", "x.csv"),
            "rank >: it ends too early. It is a cond",
        ),
        (
            ("export", "1", "--output", "latin.toml/x.csv"),
            "latin.toml is not a folder: choose another output.",
        ),
        (("certificate", "1", "--output", "folder"), "--output: 'folder' is a folder: name a file."),
        (("gif", "fling:boards?pieces=1#0", "--output", "x.png"), "Error: 'x.png' must end in .gif."),
        (
            ("share", "fling:boards?pieces=1#0", "--output", "x.pdf"),
            "Error: 'x.pdf' must end in .html or .htm.",
        ),
        (("certificate", "1", "--output", "x.pdf"), "Error: 'x.pdf' must end in .json."),
        (("bundle", "1", "--output", "x.rar"), "Error: 'x.rar' must end in .zip."),
        (("verify", "latin.toml"), "'latin.toml' is not a file that can be checked. These can: a database,"),
        (("workbench", "nothing"), "`epcg workbench --new NAME` makes a folder for a game."),
        (("sql", "DELETE FROM runs"), "`epcg forget RUN` deletes a run."),
    ],
)
def test_a_mistake_is_told_with_what_to_do(
    words: tuple[str, ...], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "picture.toml").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    (tmp_path / "latin.toml").write_bytes(b'title = "caf\xe9"')
    epcg("run", "fling/layers", "--set", "generator.pieces=1", "--quiet")
    said = epcg(*words, code=None)
    assert sentence in said.stderr
    assert said.exit_code in (1, 2)
