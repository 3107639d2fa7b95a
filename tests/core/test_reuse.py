"""Which recorded runs are reused: those of the same sources, of any version, or as the user decides."""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from epcg_core.plugins import sources
from epcg_core.plugins.sources import sources_of
from tests.faces import only
from tests.forks.forked import epcg_forked, python_forked
from tests.workplace import Workplace, epcg_process, new_database, write_plugin

PLUGIN = """
from epcg_core import hookimpl
from epcg_core.domain import DomainInfo, EvaluatorInfo, GeneratorInfo, Metric

EPCG_API_VERSION = 1

@hookimpl
def epcg_register_domains(register):
    register(DomainInfo("edited", "Edited", "code that is edited"))

@hookimpl
def epcg_register_generators(register):
    register(GeneratorInfo(domain="edited", name="numbers", summary="0 to 9", factory="edited_parts:Numbers"))

@hookimpl
def epcg_register_evaluators(register):
    register(EvaluatorInfo(domain="edited", name="weight", summary="a weight",
                           metrics=(Metric("weight", "int", "max"),), factory="edited_parts:Weight"))
"""
PARTS = """
from epcg_core.domain import Metric
from edited_rules import weight
class Numbers:
    max_rank = 10
    def __init__(self, params): pass
    def unrank(self, rank): return rank
    def rank(self, state): return state
    def format(self, state): return str(state)
class Weight:
    metrics = (Metric("weight", "int", "max"),)
    def __init__(self, params, generator, tables): pass
    def evaluate(self, state): return (weight(state),)
"""
RULES = "import edited_library\ndef weight(state):\n    return edited_library.FACTOR * state + {number}\n"
LIBRARY = "FACTOR = {number}\n"
QUERY = """
name = "edited"
domain = "edited"
evaluators = [{ name = "weight" }]
[generator]
name = "numbers"
"""


class Edited(Workplace):
    """A plugin of two modules and a library, whose text and version are changed between processes."""

    launch = staticmethod(epcg_forked)
    """What runs the command line; forks share the order of sets, processes of their own do not."""

    def write(self, rules: int = 1, library: int = 2, parts: str = PARTS) -> None:
        site = self.folder / "site"
        (site / "edited_parts.py").write_text(parts)
        (site / "edited_rules.py").write_text(RULES.format(number=rules))
        (site / "edited_library.py").write_text(LIBRARY.format(number=library))

    def version(self, version: str) -> None:
        site = self.folder / "site"
        for path in site.glob("epcg_edited-*"):
            path.rename(path.with_name(f"epcg_edited-{version}.dist-info"))
        (metadata,) = site.glob("epcg_edited-*/METADATA")
        metadata.write_text(f"Metadata-Version: 2.1\nName: epcg-edited\nVersion: {version}\n")

    @property
    def environment(self) -> dict[str, str]:
        path = os.pathsep.join([str(self.folder / "site"), *filter(None, sys.path)])
        return {"EPCG_PLUGINS": only("edited"), "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}

    def start(self, *arguments: object, code: int = 0) -> tuple[Any, str]:
        """Run `epcg ARGUMENTS` in a process; returns what it printed, as JSON if it is, and its messages."""
        done = self.launch(*arguments, folder=self.folder, **self.environment)
        assert done.returncode == code, done.stderr
        return (json.loads(done.stdout) if done.stdout.startswith("{") else done.stdout), done.stderr

    def answer(self, *options: str) -> tuple[int, bool, int]:
        """(run, whether it was computed, the weight of 5) of the query's answer."""
        data, _ = self.start("run", "query.toml", "--json", "--quiet", *options)
        (run,) = data["runs"]
        found = self.sql(f"SELECT value FROM scores WHERE run_id = {run['run']} AND rank = 5")
        return run["run"], run["computed"], found[0][0]


@pytest.fixture
def place(tmp_path: Path) -> Edited:
    (tmp_path / "site").mkdir()
    write_plugin(tmp_path / "site", "edited", "edited_plugin", PLUGIN, "epcg-edited")
    found = Edited(tmp_path)
    found.write()
    new_database(found.database)
    (tmp_path / "query.toml").write_text(QUERY)
    return found


EDITS: dict[str, Callable[[Edited], None]] = {
    "a module of the plugin": lambda place: place.write(parts=PARTS.replace("weight(state),", "6,")),
    "a module that this imports": lambda place: place.write(rules=-4),
    "a library that is not a plugin": lambda place: place.write(library=1),
}


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(edit, marks=[] if name == "a library that is not a plugin" else [pytest.mark.slow])
        for name, edit in EDITS.items()
    ],
    ids=EDITS,
)
def test_a_run_of_other_sources_is_not_reused_silently(place: Edited, edit: Callable[[Edited], None]) -> None:
    assert place.answer() == (1, True, 11)
    assert place.answer() == (1, False, 11)
    edit(place)
    _, said = place.start("run", "query.toml", code=1)
    assert "Run 1 (edited:numbers) was computed with other sources (edited_" in said
    assert "--again" in said
    assert "--accept-older" in said
    assert place.answer("--again") == (2, True, 6)
    assert place.answer() == (2, False, 6)
    assert place.sql("SELECT again_of FROM run WHERE id = 2") == [(1,)]
    place.write()
    assert place.answer() == (1, False, 11), "the older run stands beside the new one"


def test_an_older_run_can_be_accepted_which_is_recorded(place: Edited) -> None:
    place.answer()
    place.write(rules=7)
    assert place.answer("--accept-older") == (1, False, 11)
    assert place.answer() == (1, False, 11), "it is accepted once for all"
    ((run, accepted_at),) = place.sql("SELECT run_id, accepted_at FROM accepted_sources")
    assert (run, accepted_at[:2]) == (1, "20")
    assert "for other sources" in place.start("show", "1")[0]
    place.write(rules=8)
    assert "other sources" in place.start("run", "query.toml", code=1)[1]


@pytest.mark.slow
def test_a_version_alone_throws_nothing_away(place: Edited, monkeypatch: pytest.MonkeyPatch) -> None:
    place.answer()
    place.version("2.0")
    monkeypatch.setattr(place, "launch", epcg_process, raising=False)  # with another order of sets
    assert place.answer() == (1, False, 11)
    monkeypatch.undo()
    (place.folder / "site" / "edited_plugin.py").write_text(PLUGIN + "\nUNUSED = 1\n")
    assert place.answer() == (1, False, 11), "the module that registers parts is not one of them"


def test_a_run_whose_sources_are_unknown_is_reused_by_its_versions(place: Edited) -> None:
    place.answer()
    place.change("UPDATE run SET sources_id = NULL")
    assert place.answer() == (1, False, 11)
    place.version("2.0")
    _, said = place.start("run", "query.toml", code=1)
    assert "epcg-edited 1.0" in said
    assert "installed is" in said
    assert "epcg-edited 2.0" in said
    assert place.answer("--accept-older") == (1, False, 11)


def test_a_run_that_stopped_does_not_go_on_with_other_code(place: Edited) -> None:
    bad = PARTS.replace("(weight(state),)", "(weight(state) if state < 5 else 1 / 0,)")
    place.write(parts=bad)
    place.start("run", "query.toml", "--quiet", code=3)
    place.write()
    for command in (("run", "query.toml"), ("resume", "1")):
        _, said = place.start(*command, code=1)
        assert "Run 1 (edited:numbers) was begun with other sources (edited_parts.py differs)" in said
    place.start("resume", "1", "--accept-older", "--quiet")
    assert place.sql("SELECT id, state FROM run") == [(1, "done")]


def test_without_a_difference_again_computes_the_answer_again(place: Edited) -> None:
    assert place.answer() == (1, True, 11)
    assert place.answer("--again") == (2, True, 11)
    assert place.answer() == (2, False, 11)
    digests = {digest for (digest,) in place.sql("SELECT digest FROM run")}
    assert len(digests) == 1
    for run in ("1", "2"):
        place.start("verify", run)


def verdicts(place: Edited, *arguments: str, code: int) -> tuple[str, dict[str, str]]:
    """(the verdict, the verdict of each check that does not hold) of `epcg verify --json`."""
    data, _ = place.start("verify", *arguments, "--json", code=code)
    odd = {c["name"]: c["verdict"] for c in data["checks"] if c["verdict"] != "holds"}
    assert data["passed"] == (not odd)
    return data["verdict"], odd


HERE = "cannot be checked here"
DERIVED = ("specification", "queries", "candidates", "solutions", "edits")
"""The checks that plan the recorded query again."""


@pytest.mark.slow
def test_a_good_run_without_its_plugin_or_with_another_cannot_be_checked_here(place: Edited) -> None:
    place.answer()
    assert verdicts(place, "1", code=0) == ("holds", {})
    place.write(rules=2)
    assert verdicts(place, "1", code=5) == (HERE, {"sample": HERE, "winners": HERE})
    _, said = place.start("verify", "1", code=5)
    assert "edited_rules.py differs" in said
    place.write(parts=PARTS + "\nUNUSED = 1\n")
    assert verdicts(place, "1", code=0) == ("holds", {}), "other sources, the same values"
    place.version("2.0")
    assert verdicts(place, "1", code=0) == ("holds", {}), "another version, the same values"
    for path in (place.folder / "site").glob("epcg_edited-*/entry_points.txt"):
        path.unlink()
    assert verdicts(place, "1", code=5) == (HERE, dict.fromkeys((*DERIVED, "sample", "winners"), HERE))
    assert "epcg-edited, not installed or not in use" in place.start("verify", "1", code=5)[1]


def test_a_bad_run_does_not_hold_wherever_it_is_checked(place: Edited) -> None:
    place.answer()
    place.change("UPDATE run SET digest = 'another'")
    assert verdicts(place, "1", code=4) == ("does not hold", {"run digest": "does not hold"})
    place.write(rules=2)
    assert verdicts(place, "1", code=4) == (
        "does not hold", {"run digest": "does not hold", "sample": HERE, "winners": HERE},
    )  # fmt: skip


@pytest.mark.sweep
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE run SET spec = json_set(spec, '$.versions[0]', 'epcg-other 1.0')",
        "UPDATE run SET request = 'another'",
        "UPDATE run SET identity = 'another'",
    ],
)
def test_what_a_run_says_of_itself_is_checked_before_what_is_installed(place: Edited, statement: str) -> None:
    place.answer()
    place.change(statement)
    wrong = {"specification": "does not hold", "sample": "does not hold", "winners": "does not hold"}
    assert verdicts(place, "1", code=4) == ("does not hold", dict.fromkeys(DERIVED, HERE) | wrong)


@pytest.mark.slow
def test_a_certificate_is_checked_as_far_as_it_can_be(place: Edited) -> None:
    place.answer()
    place.start("certificate", "1", "--output", "one.json")
    certificate = ("--certificate", "one.json")
    assert verdicts(place, *certificate, code=0) == ("holds", {})
    place.write(parts=PARTS + "\nUNUSED = 1\n")
    (place.folder / "site" / "edited_plugin.py").write_text(PLUGIN + "\nUNUSED = 1\n")
    assert verdicts(place, *certificate, code=5) == (HERE, {"sources": HERE})
    assert verdicts(place, *certificate, "--db", "epcg.db", code=5) == (HERE, {"sources": HERE})
    place.version("2.0")
    assert verdicts(place, *certificate, "--db", "epcg.db", code=5)[1] == {"query": HERE, "sources": HERE}
    place.change("UPDATE run SET digest = 'another'")
    assert verdicts(place, *certificate, "--db", "epcg.db", code=4)[0] == "does not hold"


def test_a_certificate_names_the_sources_that_the_run_has(place: Edited) -> None:
    """Files of the plugin and of the core that have no part in the run are free to change."""
    place.answer()
    place.start("certificate", "1", "--output", "one.json")
    claims = json.loads((place.folder / "one.json").read_text())["claims"]
    assert claims["sources"] == place.start("show", "1", "--json")[0]["sources"]
    registering = place.folder / "site" / "edited_plugin.py"
    registering.write_text(PLUGIN + "# a comment beside the parts\n")
    assert verdicts(place, "--certificate", "one.json", code=0) == ("holds", {})
    place.write(library=3)
    assert verdicts(place, "--certificate", "one.json", code=5) == (HERE, {"sources": HERE})


OTHER = """
from epcg_core.domain import Metric
class Rank:
    metrics = (Metric("rank_of", "int"),)
    def __init__(self, params, generator, tables): pass
    def evaluate(self, state): return (state,)
"""
REGISTERED_OTHER = """    register(EvaluatorInfo(domain="edited", name="rank_of", summary="its rank",
                           metrics=(Metric("rank_of", "int"),), factory="edited_other:Rank"))
"""


@pytest.mark.slow
def test_a_certificate_names_the_sources_of_the_runs_below_too(place: Edited) -> None:
    (place.folder / "site" / "edited_plugin.py").write_text(PLUGIN + REGISTERED_OTHER)
    (place.folder / "site" / "edited_other.py").write_text(OTHER)
    filtered = QUERY.replace("weight", "rank_of") + '[filter]\nmetric = "weight"\nmin = 10\n'
    (place.folder / "query.toml").write_text(
        filtered + 'search = { name = "exhaustive" }\nevaluators = [{ name = "weight" }]\n'
    )
    place.start("run", "query.toml", "--quiet")
    place.start("certificate", "2", "--output", "two.json")
    assert verdicts(place, "--certificate", "two.json", code=0) == ("holds", {})
    place.write(library=3)
    assert verdicts(place, "--certificate", "two.json", code=5) == (HERE, {"sources": HERE})


def test_machines_compare_the_sources_that_runs_have(place: Edited) -> None:
    """A worker of a cluster takes part if what computes is the same as here, whatever stands beside it."""

    def digest() -> str:
        done = python_forked(
            "from epcg_cluster.inventory import inventory\nprint(inventory()['epcg-edited'].digest)",
            folder=place.folder,
            **place.environment,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    before = digest()
    (place.folder / "site" / "edited_plugin.py").write_text(PLUGIN + "# a comment beside the parts\n")
    assert digest() == before
    place.write(library=3)
    assert digest() != before


def test_one_of_two_choices(place: Edited) -> None:
    assert "give one" in place.start("run", "query.toml", "--again", "--accept-older", code=1)[1]


def test_a_dry_run_tells_of_outdated_runs(place: Edited) -> None:
    place.answer()
    place.write(rules=7)
    data, _ = place.start("run", "query.toml", "--dry-run", "--json")
    assert [(run["state"], run["remaining"]) for run in data["runs"]] == [("outdated", 10)]


@pytest.mark.slow
def test_a_run_of_an_input_that_was_computed_again_is_computed_again_too(place: Edited) -> None:
    filtered = QUERY + '[filter]\nmetric = "weight"\nmin = 10\nsearch = { name = "exhaustive" }\n'
    (place.folder / "query.toml").write_text(filtered + 'evaluators = [{ name = "weight" }]\n')
    place.start("run", "query.toml", "--quiet")
    before = place.sql("SELECT id, evaluated FROM run")
    assert before == [(1, 10), (2, 5)]
    place.write(rules=6)
    place.start("run", "query.toml", "--quiet", "--again")
    assert place.sql("SELECT id, evaluated FROM run") == [*before, (3, 10), (4, 8)]
    assert place.sql("SELECT input_run_id FROM run_input ORDER BY run_id") == [(1,), (3,)]
    for run in ("1", "2", "3", "4"):
        place.start("verify", run, "--sample", "0")


# --- which files have a part

NUMBERS = itertools.count()


def files(folder: Path, monkeypatch: pytest.MonkeyPatch, **modules: str) -> set[str]:
    """The files behind the module `first` of a package `having` that has these modules."""
    name = f"having{next(NUMBERS)}"  # files are read once a process
    package = folder / name
    package.mkdir()
    for module, text in modules.items():
        (package / f"{module}.py").write_text(text.replace("having", name))
    monkeypatch.syspath_prepend(str(folder))
    found = sources_of([f"{name}.first"]).files
    return {label.removeprefix(f"{name}/") for label in found if not label.startswith("epcg_core/")}


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import having.second", {"second.py"}),
        ("from having import second", {"second.py"}),
        ("from . import second", {"second.py"}),
        ("from .second import NUMBER", {"second.py"}),
        ("def f():\n    from having.second import NUMBER", {"second.py"}),
        ("try:\n    import having.second\nexcept ImportError:\n    pass", {"second.py"}),
        ("FACTORY = 'having.second:Factory'", {"second.py"}),
        ("from having import OTHER", {"third.py"}),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import having.second", set()),
        ("import numpy, json\n# import having.second", set()),
        ("import epcg_core.store.writer, epcg_core.cli.app", set()),
        ("import nowhere", set()),
        ("import having.broken", {"broken.py"}),
    ],
)
def test_imports_are_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, expected: set[str]
) -> None:
    found = files(
        tmp_path, monkeypatch,
        __init__="from having.third import OTHER", first=text, second="NUMBER = 1", third="OTHER = 2",
        broken="def",
    )  # fmt: skip
    assert found - {"__init__.py"} == {"first.py"} | expected


def test_kernels_and_searches_of_the_core_have_a_part_and_its_store_has_none() -> None:
    found = sources_of(["epcg_core.search.retrograde"]).files
    assert {"epcg_core/search/retrograde.py", "epcg_core/chunks/codec.py"} <= found.keys()
    rooms = {label.split("/")[1] for label in found}
    assert rooms <= {"chunks", "combinatorics", "difficulty", "domain", "search"}


def test_a_large_library_counts_by_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(301):
        (tmp_path / "large").mkdir(exist_ok=True)
        (tmp_path / "large" / f"module{number}.py").touch()
    (tmp_path / "large-3.1.dist-info").mkdir()
    (tmp_path / "large-3.1.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: large\nVersion: 3.1\n"
    )
    found = files(tmp_path, monkeypatch, __init__="", first="import large.module7")
    assert "large" in found
    assert sources_of(["large.module7"]).files["large"] == "3.1"


@pytest.mark.parametrize(
    "content", ["[]", "{}", '{"python": 3}', "{", "\0", '{"python": "P", "imports": []}']
)
def test_a_damaged_file_of_remembered_imports_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    expected = sources_of(["epcg_core.search.retrograde"])
    monkeypatch.setenv("EPCG_CACHE", str(tmp_path))
    sources._followed.clear()
    (tmp_path / "imports.json").write_text(content.replace('"P"', json.dumps(sources._PYTHON)))
    assert sources_of(["epcg_core.search.retrograde"]) == expected
    assert json.loads((tmp_path / "imports.json").read_text())["imports"]
