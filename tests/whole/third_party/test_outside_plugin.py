"""A plugin from outside the repository: thirty lines of plain Python, installed by pip, run and queried."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.forks.forked import epcg_forked
from tests.workplace import write_plugin

PYPROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "epcg-necklaces"
version = "2.7"
dependencies = ["epcg-core"]

[project.entry-points.epcg]
necklaces = "epcg_necklaces"

[tool.hatch.build.targets.wheel]
packages = ["epcg_necklaces"]
"""

PLUGIN = """
import attrs
from epcg_core import hookimpl
from epcg_core.plugin import DomainInfo, EvaluatorInfo, GeneratorInfo, Metric, NoParams, param

EPCG_API_VERSION = 1
CHANGES = Metric("changes", "int", "max", "", "neighbours of different colours")

@attrs.frozen
class Params:
    beads: int = param(6, minimum=1, maximum=40, help="beads on the necklace")

class Necklaces:
    def __init__(self, params):
        self.beads, self.max_rank = params.beads, 2**params.beads

    def unrank(self, rank):
        return format(rank, f"0{self.beads}b")

class Changes:
    metrics = (CHANGES,)

    def evaluate(self, beads):
        return (sum(a != b for a, b in zip(beads, beads[1:] + beads[0])),)

@hookimpl
def epcg_register_domains(register):
    register(DomainInfo("necklaces", "Necklaces", "rings of black and white beads"))

@hookimpl
def epcg_register_generators(register):
    register(GeneratorInfo(name="rings", domain="necklaces", summary="all of them", params=Params,
                           factory=Necklaces))

@hookimpl
def epcg_register_evaluators(register):
    register(EvaluatorInfo(name="changes", domain="necklaces", summary="how colourful", params=NoParams,
                           metrics=(CHANGES,), factory=lambda params, generator, tables: Changes()))
"""

QUERY = """
domain = "necklaces"
[generator]
name = "rings"
beads = 10
[[evaluators]]
name = "changes"
[[select]]
metric = "changes"
keep = "best"
"""


class Elsewhere:
    """A folder outside the repository into which pip installs, and processes that look there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.by_pip = False
        self.site = folder / "site"
        self.work = folder / "work"
        self.work.mkdir()
        (self.work / "query.toml").write_text(QUERY, encoding="utf-8")

    def install(self, pyproject: str, package: str, source: str) -> None:
        """Write a distribution and install it with pip: no network, nothing of it in the environment."""
        project = self.folder / package
        (project / package).mkdir(parents=True)
        (project / "pyproject.toml").write_text(pyproject, encoding="utf-8")
        (project / package / "__init__.py").write_text(source, encoding="utf-8")
        done = self._run(
            sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index",
            "--no-build-isolation", "--no-deps", "--target", self.site, project,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    def epcg(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """The command line, in a fork."""
        with self._environment():
            return epcg_forked(*arguments, folder=self.work)

    def epcg_anew(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """The command line, by an interpreter of its own."""
        return self._run(sys.executable, "-m", "epcg_core.cli", *arguments)

    def _run(self, *command: object) -> subprocess.CompletedProcess[str]:
        with self._environment():
            return subprocess.run(
                [str(word) for word in command], cwd=self.work,
                capture_output=True, text=True, timeout=120, check=False,
            )  # fmt: skip

    @contextmanager
    def _environment(self) -> Iterator[None]:
        """No variable of EPCG, and the folder into which pip installs."""
        with pytest.MonkeyPatch.context() as patch:
            for name in [name for name in os.environ if name.startswith("EPCG_")]:
                patch.delenv(name)
            patch.setenv("PYTHONPATH", str(self.site), prepend=os.pathsep)
            yield


@pytest.fixture(scope="module", params=["as by pip", pytest.param("by pip", marks=pytest.mark.slow)])
def elsewhere(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Elsewhere:
    """The plugin as pip installs it, which takes a second; the fast tests write the same files."""
    place = Elsewhere(tmp_path_factory.mktemp("elsewhere"))
    if request.param == "by pip":
        place.by_pip = True
        place.install(PYPROJECT, "epcg_necklaces", PLUGIN)
    else:
        place.site.mkdir()
        write_plugin(place.site, "necklaces", "epcg_necklaces", PLUGIN, "epcg-necklaces", "2.7")
    return place


def test_it_is_small(elsewhere: Elsewhere) -> None:
    lines = [line for line in PLUGIN.splitlines() if line.strip()]
    assert len(lines) <= 35
    assert not (Path(__file__).parents[3] / "epcg_necklaces").exists()
    assert (elsewhere.site / "epcg_necklaces-2.7.dist-info" / "entry_points.txt").is_file()


def test_it_is_discovered(elsewhere: Elsewhere) -> None:
    ask = elsewhere.epcg_anew if elsewhere.by_pip else elsewhere.epcg
    listed = json.loads(ask("domains", "--json").stdout)
    assert {"name": "necklaces", "distribution": "epcg-necklaces", "version": "2.7", "problem": ""} in listed[
        "plugins"
    ]
    (domain,) = (domain for domain in listed["domains"] if domain["name"] == "necklaces")
    assert [part["name"] for part in domain["generators"]] == ["rings"]
    assert domain["plugin"] == "epcg-necklaces 2.7"
    told = elsewhere.epcg("domains", "necklaces")
    assert "beads" in told.stdout
    assert "an integer from 1 to 40" in told.stdout


@pytest.mark.parametrize(
    "executor", ["processes", *(pytest.param(e, marks=pytest.mark.slow) for e in ("serial", "threads"))]
)
def test_it_is_run_and_queried(elsewhere: Elsewhere, executor: str) -> None:
    database = f"{executor}.db"
    ran = elsewhere.epcg("run", "query.toml", "--executor", executor, "--db", database, "--json")
    assert ran.returncode == 0, ran.stderr
    (run,) = json.loads(ran.stdout)["runs"]
    assert (run["evaluated"], run["coverage"]) == (1024, "exhaustive")

    def ask(statement: str) -> list[str]:
        return elsewhere.epcg("sql", statement, "--db", database, "--format", "csv").stdout.splitlines()[1:]

    # a ring of n beads has 2 * C(n, k) colourings with k changes, for even k
    assert ask("SELECT low, count FROM histograms ORDER BY low") == [
        "0,2", "2,90", "4,420", "6,420", "8,90", "10,2",
    ]  # fmt: skip
    assert ask("SELECT puzzle FROM kept ORDER BY rank") == [
        "necklaces:rings?beads=10#341",
        "necklaces:rings?beads=10#682",
    ]
    assert ask("SELECT value, version FROM scores, plugin WHERE rank = 3 AND distribution LIKE '%lace%'") == [
        "2,2.7"
    ]
    proven = elsewhere.epcg("verify", 1, "--db", database)
    assert proven.returncode == 0, proven.stdout + proven.stderr


BROKEN = {
    "does_not_import": ("import no_such_module_anywhere", "No module named 'no_such_module_anywhere'"),
    "another_api": ("EPCG_API_VERSION = 99", "it was written for plugin API 99"),
    "raises": ("raise RuntimeError('gone')", "RuntimeError: gone"),
    "misspells": (
        "EPCG_API_VERSION = 1\nfrom epcg_core import hookimpl\n"
        "@hookimpl\ndef epcg_register_domain(register): pass\n",
        "unknown hook 'epcg_register_domain'",
    ),
    "no_syntax": ("def", "SyntaxError"),
}


@pytest.fixture(scope="module")
def broken(elsewhere: Elsewhere) -> Elsewhere:
    """Besides the one that works, some that do not."""
    for name, (source, _) in BROKEN.items():
        info = elsewhere.site / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[epcg]\n{name} = {name}_module\n")
        (elsewhere.site / f"{name}_module.py").write_text(source, encoding="utf-8")
    return elsewhere


def test_broken_plugins_are_reported_and_break_nothing(broken: Elsewhere) -> None:
    listed = json.loads(broken.epcg("domains", "--json").stdout)
    problems = {plugin["name"]: plugin["problem"] for plugin in listed["plugins"]}
    for name, (_, message) in BROKEN.items():
        assert message in problems[name]
    assert problems["necklaces"] == ""
    table = broken.epcg("domains")
    assert table.returncode == 0
    assert "no_such_module_anywhere" in table.stdout
    ran = broken.epcg("run", "query.toml", "--executor", "processes", "--db", "beside.db", "--quiet")
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_query_of_a_broken_plugin_says_why(broken: Elsewhere) -> None:
    (broken.work / "gone.toml").write_text(QUERY.replace("necklaces", "misspells"), encoding="utf-8")
    refused = broken.epcg("run", "gone.toml", "--db", "gone.db")
    assert refused.returncode == 1
    assert "the plugin misspells is installed, but could not be loaded: UnknownNameError" in refused.stderr
    assert "Traceback" not in refused.stderr
