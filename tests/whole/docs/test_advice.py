"""What descriptions and READMEs advise works as it stands: every `epcg` command, and every `--set key=value`.

What may take long is planned, not run: a query with the settings to its run, a curriculum to its choice. SQL
is asked of a new database, and of any other command click reads the options and arguments.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import pytest

from epcg_core.base import documents
from epcg_core.base.errors import EpcgError, LibraryNotMadeError
from epcg_core.base.params import fields_of
from epcg_core.cli.app import app
from epcg_core.curriculum.build import check
from epcg_core.curriculum.plan import load_plan
from epcg_core.plugins.registry import registry
from epcg_core.query.named import load_query, shipped_plans, shipped_queries
from epcg_core.query.query import from_data
from epcg_core.search.planner import plan
from tests.workplace import ROOT, epcg, new_database

READMES = sorted(
    [*ROOT.glob("README*.md"), *ROOT.glob("plugins/*/README*.md"), *ROOT.glob("examples/*/README.md")]
)
SLOW = ("tangram", "witness")
"""The domains with commands that take seconds to plan."""
LEVEL = "E..>1\n#####\n"
FILES = {
    "FILE": LEVEL,
    "FOLDER/one.txt": LEVEL,
    "levels/one.txt": LEVEL,
    "broken.map": "snake5x2\nE.<a.\nGGGGG\n",
    "levels.json": "[]",
    "run4.json": "{}",
    "my_game.txt": (ROOT / "plugins/puzzlescript/games/lanterns.txt").read_text(encoding="utf-8"),
    "my.packing": (ROOT / "plugins/tangram/games/first-steps.packing").read_text(encoding="utf-8"),
    "query.toml": 'name = "mine"\ndomain = "fling"\ngenerator = { name = "boards", pieces = 2 }\n'
    'evaluators = [{ name = "solvable" }]\n',
}
"""The reader's files that the texts name."""
WORDS = {"ROWS": "/".join(["o..o..."] * 8), "RUN": "1"}
"""What stands for a reader's value."""
VALUE = r"""(?:'[^'\n]*'|"[^"\n]*"|[^\s'"`])+"""
SETTINGS = re.compile(rf"--set\s+{VALUE}(?:\s+(?:and\s+)?--set\s+{VALUE})*")
IN_README = re.compile(r"(?:^(?: {4})?(?:\$ )?|`)(epcg [^`\n]*)", re.MULTILINE)
IN_PROSE = re.compile(r"(epcg [a-z]+(?:\s+(?:\"[^\"]*\"|--\S+))*)")


@pytest.fixture
def readers(reader: Path, install_plugin: Callable[[str, str, str, str], None], votes_package: Path) -> Path:
    """The working directory of a reader with the plugins, the examples among them."""
    source = ROOT / "examples/epcg-climbing/src/epcg_climbing/__init__.py"
    install_plugin("climbing", "epcg_climbing", source.read_text(encoding="utf-8"), "epcg-climbing")
    (reader / "plugins").symlink_to(ROOT / "plugins")
    for name, text in FILES.items():
        (reader / name).parent.mkdir(exist_ok=True)
        (reader / name).write_text(text, encoding="utf-8")
    new_database(reader / "new.db")
    return reader


def words_of(passage: str) -> list[str]:
    """The words of a passage, without the end of its sentence, and with values for what stands for one."""
    passage = re.sub(r"\s#\s.*", "", passage).rstrip(".,;:")
    for word, value in WORDS.items():
        passage = re.sub(rf"\b{word}\b", value, passage)
    return [word for word in shlex.split(passage) if word != "and"]


def plans_of(folder: Path) -> dict[str, Path]:
    """The queries and plans that a README names, by the names that it may give them."""
    own = {f"{path.parent.name}/{path.name}": path for path in folder.glob("*/*.toml")}
    return {path.name: path for path in own.values()} | own | shipped_queries() | shipped_plans()


def read(words: list[str], mentioned: bool) -> tuple[str, dict[str, Any]]:
    """Read a command as click does: its name, and its params; none if the text only mentions it."""
    command: click.Command = app
    context, name, rest = None, words[0], words[1:]
    while isinstance(command, click.Group) and rest:
        context = click.Context(command, info_name=name, parent=context)
        found, inner, rest = command.resolve_command(context, rest)
        assert inner is not None
        name, command = f"{name} {found}", inner
    if not rest and mentioned:
        return name, {}
    try:
        with command.make_context(name, rest, parent=context) as made:
            return name, made.params
    except click.MissingParameter:
        if mentioned:  # `epcg render --solution`
            return name, {}
        raise


def tried(words: list[str], known: dict[str, Path], mentioned: bool) -> str:
    """Plan a query or a curriculum, ask SQL, or read any other command; return what is wrong."""
    try:
        name, params = read(words, mentioned)
        if name == "epcg run" and params:
            return planned(params["query_file"], params["overrides"], known)
        if name == "epcg curriculum build" and params:
            file = params["plan_file"]
            check(load_plan(str(known.get(file, file)), params["overrides"]))
        if name == "epcg sql" and params:
            location = ["--db", "new.db"] if "--db" not in words else []
            epcg(*(word if not word.endswith(".db") else "new.db" for word in words[1:]), *location)
    except (EpcgError, click.ClickException, AssertionError) as error:
        return error.format_message() if isinstance(error, click.ClickException) else str(error)
    return ""


def planned(file: str, settings: Sequence[str], known: dict[str, Path]) -> str:
    """Plan a query with settings to its run; return what is wrong."""
    try:
        query = load_query(str(known.get(file, file)), settings)
        try:
            plan(registry(), query)
        except LibraryNotMadeError:  # the run makes it first: what it comes from is planned
            plan(registry(), from_data(query.generator.params["library"]["query"]))
    except EpcgError as error:
        return str(error)
    return ""


def refused_of(
    text: str, commands: re.Pattern[str], known: dict[str, Path], query: str = ""
) -> dict[str, str]:
    """The passages of a text that do not work, with what is wrong.

    Settings alone are for `query`, or else for the query that the text named last. A page may show what a
    command refuses: 'Error: ...' below it.
    """
    found = {}
    for match in commands.finditer(text):
        words = words_of(match[1])
        reason = tried(words, known, text[match.start()] == "`" or bool(query))
        shown = " ".join(text[match.end() :].split())
        if reason and not shown.startswith(f"Error: {reason}"):
            found[shlex.join(words)] = reason
    for match in SETTINGS.finditer(commands.sub(lambda match: " " * len(match[0]), text)):
        settings = [word for word in words_of(match[0])[1::2] if "=" in word]
        last = query or max((text.rfind(name, 0, match.start()), name) for name in known)[1]
        if reason := planned(last, settings, known):
            found[shlex.join(settings)] = reason
    return found


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    "readme",
    [pytest.param(path, marks=[pytest.mark.slow] if path.parent.name in SLOW else []) for path in READMES],
    ids=lambda path: path.parent.name + path.stem.removeprefix("README").lower(),
)
def test_what_a_readme_advises_works_as_it_stands(readme: Path, readers: Path) -> None:
    text = readme.read_text(encoding="utf-8")
    assert "epcg " in text
    if readme.parent.name == "puzzlescript":  # a survey makes the tables that its SQL asks for
        (readers / "surveyed").mkdir()
        (readers / "surveyed/game.txt").write_text(FILES["my_game.txt"], encoding="utf-8")
        epcg("puzzlescript", "survey", "surveyed", "--solve", "--db", "new.db")
    assert refused_of(text, IN_README, plans_of(readme.parent)) == {}


def descriptions(table: Any) -> Iterator[str]:
    """Every description within a query or a plan."""
    for key, value in table.items() if isinstance(table, dict) else enumerate(table):
        if key == "description":
            yield value
        elif isinstance(value, dict | list):
            yield from descriptions(value)


@pytest.mark.parametrize("slow", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_what_a_description_advises_works_as_it_stands(readers: Path, slow: bool) -> None:
    refused: dict[str, str] = {}
    seen = 0
    for name, path in {**shipped_queries(), **shipped_plans()}.items():
        for text in descriptions(documents.parse_toml(path.read_text(encoding="utf-8"), name)):
            seen += text.count("--set") + text.count("epcg ")
            if (name.partition("/")[0] in SLOW) != slow:
                continue
            wrong = refused_of(text, IN_PROSE, {}, name)
            refused |= {f"{name}: {passage}": reason for passage, reason in wrong.items()}
    assert seen > 10
    assert refused == {}


def test_the_params_that_a_description_names_are_there(readers: Path) -> None:
    wrong = []
    for name, path in shipped_queries().items():
        query = load_query(name)
        fields = {
            "generator": fields_of(registry().generator(query.domain, query.generator.name).params),
            "search": fields_of(registry().search(query.search.name).params),
        }
        for text in descriptions(documents.parse_toml(path.read_text(encoding="utf-8"), name)):
            for part, key in re.findall(r"\b(generator|search)\.(\w+)", text):
                if key not in fields[part]:
                    wrong.append(f"{name}: {part}.{key}")
    assert wrong == []
