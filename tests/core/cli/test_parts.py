"""`epcg domains`, `epcg render` and `epcg db`."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from epcg_core.domain import DomainInfo
from epcg_core.domain.kinds import KINDS
from epcg_core.plugins.registry import registry
from epcg_core.store import migrate
from tests.core.store.test_revisions import NEWEST, NEXT, later
from tests.forks.forked import python_forked
from tests.workplace import Numbers, epcg

PUZZLE = "numbers:range?size=100#42"


# --- domains


def test_domains_lists_parts_searches_and_plugins(cli: Callable[..., Result]) -> None:
    data = json.loads(cli("domains", "--json").stdout)
    assert [domain["name"] for domain in data["domains"]] == ["numbers"]
    assert {"exhaustive", "retrograde"} <= {search["name"] for search in data["searches"]}
    plugins = {plugin["name"]: plugin for plugin in data["plugins"]}
    assert plugins["numbers"] == {
        "name": "numbers", "distribution": "epcg-toy", "version": "1.0", "problem": ""
    }  # fmt: skip
    text = cli("domains").stdout
    assert "generators: range" in text
    assert "epcg-toy 1.0, in use" in text
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "None" not in text


def test_private_modules_that_a_plugin_imports_are_told(alone: Callable[[str, str, str], Path]) -> None:
    source = "from epcg_core import hookimpl, store\nimport epcg_core.query.spec\nEPCG_API_VERSION = 1\n"
    alone("nosy", "epcg_nosy", f"{source}from epcg_core.plugin import Metric\n")
    plugins = {each["name"]: each for each in json.loads(epcg("domains", "--json").stdout)["plugins"]}
    private = ["epcg_core.query.spec (epcg_nosy.py:2)", "epcg_core.store (epcg_nosy.py:1)"]
    assert plugins["nosy"]["private"] == private
    assert all("private" not in plugin for name, plugin in plugins.items() if name != "nosy")
    told = " ".join(epcg("domains").stdout.split())
    assert "it imports private modules, which may change in any release: epcg_core.query.spec" in told


EVERYTHING = """
import attrs
from epcg_core import hookimpl
from epcg_core.domain import *
EPCG_API_VERSION = 1

class Third:
    name = "a-strategy"

Part = attrs.make_class("Part", ["name"])

@hookimpl
def epcg_register_domains(register):
    register(Domain(
        "all-kinds", "All", "has a part of each kind",
        generators=[GeneratorInfo(name="a-generator", summary="", factory="a:b")],
        evaluators=[EvaluatorInfo(name="an-evaluator", summary="", metrics=(Metric("m"),), factory="a:b")],
        inference_rules=[InferenceRuleInfo(name="a-rule", summary="", factory="a:b")],
        renderers=[RendererInfo(name="a-renderer", format="svg", factory="a:b")],
        formats=[FormatInfo(name="a-format", summary="", read="a:b")],
        editors=[EditorInfo(summary="an-editor", factory="a:b", new="a:b", size=(3, 3))],
        commands=[CommandInfo(name="a-command", summary="", factory="a:b")],
        searches=[SearchInfo(name="a-search", summary="", factory="a:b")],
        policies=[PolicyInfo(name="a-policy", summary="", factory="a:b")],
        entropy_scorers=[EntropyScorerInfo(name="a-scorer", summary="", factory="a:b")],
        strategies=[StrategyInfo(name="a-strategy", summary="", params=attrs.make_class("P", []))],
        selection_rules=[SelectionRuleInfo(name="a-selection", summary="", choose="a:b")],
        executors=[ExecutorInfo(name="an-executor", summary="", factory="a:b")],
        checks=[CheckInfo(name="a-check", summary="", prove="a:b")],
        published_files=[PublishedInfo(name="a-published", summary="", recognise="a:b", verify="a:b")],
        kinds=[KindInfo(name="a-kind", plural="a-kinds", summary="", info=Part)],
        methods=[MethodInfo(name="a-method", of="run", summary="", function="a:b")],
        tables=[TablesInfo(name="a-table", summary="", migrations="a.b")],
    ))
"""


def test_every_kind_of_part_is_listed(
    cli: Callable[..., Result],
    install_plugin: Callable[[str, str, str, str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", "all-kinds")
    install_plugin("all-kinds", "epcg_all_kinds", EVERYTHING, "epcg-all-kinds")
    found = [info for kind in KINDS if kind.info is not DomainInfo for info in registry().all(kind.info)]
    told_by = [
        getattr(info, "name", "") or info.summary for info in found
    ]  # an editor has no name of its own
    names = {name for name in told_by if name.startswith(("a-", "an-"))}
    assert len(names) == len(KINDS) - 1
    for told in (cli("domains", "all-kinds").stdout, cli("domains", "all-kinds", "--json").stdout):
        assert {name for name in names if name not in told} == set()
    shared = ("a-search", "a-policy", "a-scorer", "a-strategy", "a-selection", "a-rule")
    assert [name for name in shared if name not in cli("domains").stdout] == []


def test_one_domain_with_its_params_and_metrics(cli: Callable[..., Result]) -> None:
    data = json.loads(cli("domains", "numbers", "--json").stdout)
    (generator,) = data["generators"]
    assert generator["params"] == [
        {
            "key": "size",
            "allowed": "an integer, 1 or more, default 100",
            "help": "how many numbers, from 0 on",
        }
    ]
    evaluators = {part["name"]: part for part in data["evaluators"]}
    assert evaluators["divisor"]["metrics"] == [
        {
            "name": "divisor",
            "kind": "int",
            "direction": "min",
            "unit": "",
            "description": "smallest divisor above 1",
        }
    ]
    assert data["renderers"] == ["svg", "text", "text binary"]
    assert data["commands"] == [{"name": "add", "summary": "add two numbers"}]
    text = cli("domains", "numbers").stdout
    assert "  size          an integer, 1 or more, default 100: how many numbers, from 0 on" in text
    assert "epcg numbers add" in text


SHIPPED = """
import json
from click.testing import CliRunner
from epcg_core.cli.app import app
from epcg_core.curriculum.plan import load_plan
from epcg_core.query.named import load_query

text = CliRunner().invoke(app, ["domains"]).stdout
data = CliRunner().invoke(app, ["domains", "--json"]).stdout
found = {}
for domain in json.loads(data)["domains"]:
    for kind, load in (("queries", load_query), ("plans", load_plan)):
        for one in domain[kind]:
            assert load(one["name"]).title == one["title"]
            assert " ".join([one["name"], one["title"]]) in " ".join(text.split())
            found[one["name"]] = domain["name"]
print(json.dumps(found))
"""


def test_queries_and_plans_are_listed_as_they_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("EPCG_PLUGINS", raising=False)
    told = python_forked(SHIPPED, folder=tmp_path)
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    plugins = Path(__file__).parents[3] / "plugins"
    for kind in ("queries", "plans"):
        for path in plugins.glob(f"*/{kind}/*.toml"):
            domain = path.parents[1].name
            assert found[f"{domain}/{path.stem}"] == domain


def test_an_unknown_domain_names_the_nearest(cli: Callable[..., Result]) -> None:
    assert "Did you mean 'numbers'?" in cli("domains", "number", code=1).stderr


FAULTY = """
from typing import TYPE_CHECKING
import attrs
from epcg_core import hookimpl
from epcg_core.domain import *
from epcg_core.base.params import param
if TYPE_CHECKING:
    from nowhere import Colour
EPCG_API_VERSION = 1

@attrs.frozen
class Params:
    colour: "Colour" = param("red", help="of the board")

@hookimpl
def epcg_register_domains(register):
    register(Domain("faulty", "Faulty", "", generators=[
        GeneratorInfo(name="g", summary="", params=Params, factory="a:b")]))
"""


def test_faults_of_one_plugin_are_named_and_the_rest_is_listed(
    cli: Callable[..., Result],
    install_plugin: Callable[[str, str, str, str], None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Params that cannot be resolved, and queries and plans that cannot be read."""
    monkeypatch.setenv("EPCG_PLUGINS", "numbers,faulty")
    install_plugin("faulty", "epcg_faulty", "", "epcg-faulty")
    package = tmp_path / "site" / "epcg_faulty"
    (tmp_path / "site" / "epcg_faulty.py").unlink()
    texts = {
        "__init__.py": FAULTY,
        "queries/cut.toml": "domain = 'faulty'\n[generator",
        "queries/misspelt.toml": "domain = 'fualty'\n[generator]\nname = 'g'\n",
        "plans/cut.toml": "[[chapters]]\nname = 'x'\n",
    }
    for name, text in texts.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text, encoding="utf-8")
    data = json.loads(cli("domains", "--json").stdout)
    assert [domain["name"] for domain in data["domains"]] == ["faulty", "numbers"]
    assert data["domains"][0]["generators"][0]["problem"] == (
        "the generator faulty:g (plugin epcg-faulty 1.0): its params cannot be read: NameError: name "
        "'Colour' is not defined"
    )
    problems = {one["name"]: one["problem"] for one in data["unusable"]}
    assert set(problems) == {"query faulty/cut", "query faulty/misspelt", "plan faulty/cut"}
    assert "Did you mean 'faulty'?" in problems["query faulty/misspelt"]
    text = cli("domains").stdout
    assert "NameError: name 'Colour'" in text
    assert "query faulty/misspelt" in text
    assert "generators: range" in text


# --- render


def test_render_by_puzzle_id_needs_no_database(cli: Callable[..., Result], toy: Numbers) -> None:
    assert cli("render", PUZZLE).stdout == "* 42 *\n"
    assert cli("render", PUZZLE, "--format", "svg").stdout.startswith("<svg")
    assert not toy.database.exists()


def test_render_by_a_named_renderer(cli: Callable[..., Result]) -> None:
    assert cli("render", PUZZLE, "--renderer", "binary").stdout == "101010\n"
    refused = cli("render", PUZZLE, "--renderer", "binaer", code=1)
    assert "numbers: unknown text renderer 'binaer'. Did you mean 'binary'? Known: binary." in refused.stderr


def test_render_by_run_and_rank(cli: Callable[..., Result], answered: Numbers) -> None:
    assert cli("render", "1#42").stdout == "* 42 *\n"
    text = cli("render", "1#42", "2#7").stdout
    assert text == f"{PUZZLE}\n* 42 *\n\nnumbers:range?size=100#7\n* 7 *\n"


def test_render_takes_files_and_texts_as_score_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "board.txt").write_text("o..o\n....\n...o\n")
    drawn = epcg("render", "board.txt").stdout
    assert drawn == "o..o\n....\n...o\n"
    assert epcg("render", "o..o/..../...o").stdout == drawn
    assert epcg("render", "board.txt", "--domain", "fling", "--format", "svg").stdout.startswith("<svg")
    both = epcg("render", "board.txt", "fling:boards?height=3&pieces=3&width=4#0").stdout
    assert both.startswith("fling:boards?height=3&pieces=3&width=4#")
    (tmp_path / "odd.txt").write_text("o..x\n")
    refused = epcg("render", "odd.txt", code=1).stderr
    assert refused.startswith(
        "Error: No generator reads odd.txt as a puzzle. If it is one, name its domain with"
    )
    assert "\n  fling: " in refused


def test_several_pictures_are_not_put_into_one_file(cli: Callable[..., Result], answered: Numbers) -> None:
    refused = cli("render", PUZZLE, "1#7", "--output", "x.svg", code=2).stderr
    assert "Several pictures need a folder, and 'x.svg' is the name of a file: --output x." in refused
    assert not (answered.folder / "x.svg").exists()


def test_render_into_files(cli: Callable[..., Result], answered: Numbers) -> None:
    cli("render", PUZZLE, "--output", "one.svg")
    assert Path("one.svg").read_text().startswith("<svg")
    cli("render", PUZZLE, "1#7", "--format", "svg", "--output", "pictures")
    assert sorted(path.name for path in Path("pictures").iterdir()) == [
        "numbers-range-size=100-42.svg",
        "numbers-range-size=100-7.svg",
    ]
    cli("render", PUZZLE, "--output", "pictures")
    assert Path("pictures/numbers-range-size=100-42.txt").read_text() == "* 42 *\n"
    for place in ("absent/one.svg", "absent/pictures/"):
        refused = cli("render", PUZZLE, "1#7", "--output", place, "--format", "svg", code=None)
        assert refused.exit_code != 0, place
    refused = cli("render", PUZZLE, "--output", "absent/one.svg", code=1).stderr
    assert "its folder absent does not exist. Make it, or name another place." in refused
    assert not Path("absent").exists()


@pytest.mark.parametrize(
    ("ids", "code", "sentence"),
    [
        (["rubbish"], 1, "is neither a puzzle's id nor a file"),
        (["numbers:range?size=100#100"], 1, "ranks 0 to 99"),
        (["numbers:rang#1"], 1, "Did you mean 'range'?"),
        (["numbers:range?sise=100#1"], 1, "Did you mean 'size'?"),
        (["1#100"], 1, "ranks 0 to 99, not 100"),
        (["7#1"], 1, "no run 7"),
        ([PUZZLE, "1#7", "--format", "svg"], 2, "--output FOLDER"),
        ([PUZZLE, "--output", "one.png"], 2, "pictures are .svg"),
    ],
)
def test_mistakes_in_render(
    cli: Callable[..., Result], answered: Numbers, ids: list[str], code: int, sentence: str
) -> None:
    assert sentence in cli("render", *ids, code=code).stderr


# --- db


def test_materialize_makes_rows_of_chunks(toy: Numbers, cli: Callable[..., Result]) -> None:
    cli("run", toy.file("digits", "even", more='[record]\nrows = "none"'), "--quiet")
    count = "SELECT count(*) AS n FROM score"
    assert json.loads(cli("sql", count, "--format", "json").stdout) == [{"n": 0}]
    assert "8 rows" in cli("db", "materialize", 1, "--where", "is_even AND digits >= 15").stderr
    rows = json.loads(cli("sql", "SELECT DISTINCT rank FROM score", "--format", "json").stdout)
    assert [row["rank"] for row in rows] == [78, 88, 96, 98]
    assert "200 rows" in cli("db", "materialize", 1).stderr
    assert "200 rows" in cli("db", "materialize", 1, "--index").stderr
    plan = cli(
        "sql", "EXPLAIN QUERY PLAN SELECT rank FROM score WHERE run_id = 1 AND metric_id = 2 AND value = 9"
    )
    assert "ix_score_value_run_1" in plan.stdout
    assert json.loads(cli("sql", count, "--format", "json").stdout) == [{"n": 200}]


def test_mistakes_in_materialize(cli: Callable[..., Result], answered: Numbers) -> None:
    assert "a condition over rank, digits" in cli("db", "materialize", 1, "--where", "digit", code=1).stderr
    assert "no run 9" in cli("db", "materialize", 9, code=1).stderr
    assert "no database none.db" in cli("db", "materialize", 1, "--db", "none.db", code=1).stderr
    assert not Path("none.db").exists()


def test_upgrade_of_the_newest_schema_changes_nothing(cli: Callable[..., Result], answered: Numbers) -> None:
    before = sorted(answered.folder.iterdir())
    assert "newest schema" in cli("db", "upgrade").stderr
    assert sorted(answered.folder.iterdir()) == before
    assert "no database" in cli("db", "upgrade", "--db", "none.db", code=1).stderr


def test_an_older_schema_is_refused_then_upgraded_after_a_copy(
    cli: Callable[..., Result], toy: Numbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    golden = Path(__file__).parents[1] / "store" / "revisions" / f"{NEWEST}.db"
    shutil.copy(golden, toy.database)
    folder = later(toy.folder / "migrations")
    monkeypatch.setattr(migrate, "migrations_folder", lambda: folder)
    monkeypatch.setattr(migrate, "revisions", lambda: (NEWEST, NEXT))
    said = cli("runs", code=1).stderr
    assert "epcg db upgrade --db epcg.db" in said
    upgraded = cli("db", "upgrade").stderr
    assert f"from schema {NEWEST} to {NEXT}" in upgraded
    assert (toy.folder / f"epcg.db.schema-{NEWEST}").exists()
    assert len(json.loads(cli("runs", "--json").stdout)) == 6


def test_a_newer_schema_is_refused_with_both(cli: Callable[..., Result], answered: Numbers) -> None:
    with sqlite3.connect(answered.database) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    said = cli("runs", code=1).stderr
    assert "9999" in said
    assert "newer" in said


def test_a_file_that_is_no_database(cli: Callable[..., Result], toy: Numbers) -> None:
    toy.database.write_text("Dear diary, " * 100)
    assert "not an SQLite database" in cli("runs", code=1).stderr
