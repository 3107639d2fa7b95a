"""Compiled code is never stale, compiled once, and does without a cache that cannot be written.

A plugin of three modules: what it registers, kernels, and the helper kernel that they call from another
module, which is what numba's own cache does not notice.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.faults.mounts import small_disk
from tests.faults.place import DEADLINE_S, ask_sql

PLUGIN = """
from epcg_core import hookimpl
from epcg_core.domain import DomainInfo, EvaluatorInfo, GeneratorInfo, Metric, NoParams
from epcg_core.params import param
import attrs

EPCG_API_VERSION = 1

@attrs.frozen
class LineParams:
    size: int = param(1000, minimum=1)

@hookimpl
def epcg_register_domains(register):
    register(DomainInfo("compiled", "Compiled", "numbers, by kernels"))

@hookimpl
def epcg_register_generators(register):
    register(GeneratorInfo(name="line", domain="compiled", summary="numbers", params=LineParams,
                           factory="epcg_compiled.kernels:Line"))

@hookimpl
def epcg_register_evaluators(register):
    register(EvaluatorInfo(name="answer", domain="compiled", summary="by a kernel", params=NoParams,
                           metrics=(Metric("answer"),), factory="epcg_compiled.kernels:Answer"))
"""

KERNELS = """
import numpy as np

from epcg_compiled.helpers import helper
from epcg_core.compiled import njit, read_only
from epcg_core.domain import Evaluation, Metric

@njit
def answers(states):
    found = np.empty(len(states), np.int64)
    for i in range(len(states)):
        found[i] = helper(states[i])
    return found

class Line:
    def __init__(self, params):
        self.max_rank = params.size

    def unrank(self, rank):
        return rank

    def states_block(self, start, count):
        return np.arange(start, start + count, dtype=np.int64)

    def states_at(self, ranks):
        return ranks

class Answer:
    metrics = (Metric("answer"),)

    def __init__(self, params, generator, tables):
        pass

    def evaluate(self, state):
        return (int(self.evaluate_states(np.array([state], np.int64)).values[0][0]),)

    def evaluate_states(self, states):
        return Evaluation([answers(read_only(states))])
"""

HELPERS = """
from epcg_core.compiled import njit

@njit
def helper(state):
    return state * {factor}
"""

QUERY = """
domain = "compiled"
[generator]
name = "line"
[[evaluators]]
name = "answer"
[record]
rows = "all"
"""

START = """
import gc, json, sys, warnings
from epcg_core.cli import main
sys.argv = ["epcg", *sys.argv[1:]]
try:
    main()
except SystemExit as end:
    code = end.code or 0
from numba.core.dispatcher import Dispatcher
hits = misses = 0
for found in gc.get_objects():
    if isinstance(found, Dispatcher) and found.py_func.__module__.startswith("epcg"):
        hits += sum(found.stats.cache_hits.values())
        misses += sum(found.stats.cache_misses.values())
from epcg_core.compiled import CACHE
print(json.dumps({"code": code, "hits": hits, "misses": misses, "cache": str(CACHE)}), file=sys.stderr)
"""
"""The command line, and afterwards numba's own count of what came from the cache and what was compiled."""


class Compiled:
    """The plugin, installed, and a query over it."""

    def __init__(self, site: Path, folder: Path) -> None:
        self.package = site / "epcg_compiled"
        self.folder = folder
        self.query = folder / "query.toml"
        self.cache = folder / "cache"
        self.package.mkdir()
        (self.package / "__init__.py").write_text(PLUGIN, encoding="utf-8")
        (self.package / "kernels.py").write_text(KERNELS, encoding="utf-8")
        self.set_factor(2)
        self.query.write_text(QUERY, encoding="utf-8")

    def set_factor(self, factor: int) -> None:
        (self.package / "helpers.py").write_text(HELPERS.format(factor=factor), encoding="utf-8")

    def run(
        self, database: str, *options: str, query: str | None = None, **environment: str
    ) -> dict[str, Any]:
        """Run the query in a fresh process; the statistics, and what else it said, by key 'stderr'."""
        done = subprocess.run(
            [sys.executable, "-c", START, "run", query or self.query, "--quiet", "--db", database, *options],
            cwd=self.folder, env=os.environ | {"EPCG_CACHE": str(self.cache)} | environment,
            capture_output=True, text=True, timeout=DEADLINE_S, check=False,
        )  # fmt: skip
        *said, last = done.stderr.strip().splitlines()
        found: dict[str, Any] = json.loads(last)
        assert found["code"] == 0, done.stderr
        return found | {"stderr": "\n".join(said)}

    def answer(self, database: str) -> int:
        """The recorded answer at rank 100."""
        ((value,),) = ask_sql(self.folder / database, "SELECT value FROM scores WHERE rank = 100")
        return int(value)


@pytest.fixture
def compiled(
    install_plugin: Callable[[str, str, str, str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Compiled:
    monkeypatch.setenv("EPCG_PLUGINS", "compiled")
    install_plugin("compiled", "epcg_compiled", "", "epcg-compiled")
    site = tmp_path / "site"
    (site / "epcg_compiled.py").unlink()
    folder = tmp_path / "work"
    folder.mkdir()
    return Compiled(site, folder)


def test_a_changed_helper_in_another_module_is_never_run_stale(compiled: Compiled) -> None:
    first = compiled.run("first.db")
    assert (first["hits"], first["misses"]) == (0, 2)
    assert compiled.answer("first.db") == 200

    second = compiled.run("second.db")
    assert second["misses"] == 0, "nothing is compiled at the second start"
    assert second["hits"] > 0
    assert second["cache"] == first["cache"]

    stamp = (compiled.package / "kernels.py").stat()
    compiled.set_factor(3)
    assert (compiled.package / "kernels.py").stat().st_mtime_ns == stamp.st_mtime_ns
    third = compiled.run("third.db")
    assert compiled.answer("third.db") == 300
    assert third["cache"] != first["cache"]
    assert third["misses"] == 2

    compiled.set_factor(2)
    back = compiled.run("back.db")
    assert compiled.answer("back.db") == 200
    assert (back["cache"], back["misses"]) == (first["cache"], 0), "what is known of these sources is used"


@pytest.mark.slow
def test_a_change_of_the_same_length_and_time_is_seen(compiled: Compiled) -> None:
    """Neither size nor time of the file betrays it; numba's own check would see nothing."""
    helpers = compiled.package / "helpers.py"
    compiled.run("first.db")
    stamp = helpers.stat()
    compiled.set_factor(7)
    os.utime(helpers, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert (helpers.stat().st_size, helpers.stat().st_mtime_ns) == (stamp.st_size, stamp.st_mtime_ns)
    # a .pyc that looks current is Python's own trap, not the kernels'
    compiled.run("second.db", PYTHONDONTWRITEBYTECODE="1", PYTHONPYCACHEPREFIX=str(compiled.folder / "pyc"))
    assert compiled.answer("second.db") == 700


@pytest.mark.slow
def test_worker_processes_find_everything_compiled(compiled: Compiled) -> None:
    found = compiled.run("first.db", "--executor", "processes", "--workers", "2")
    assert found["misses"] == 2
    files = sorted(path.name for path in Path(found["cache"]).rglob("*.nb?"))
    compiled.run("second.db", "--executor", "processes", "--workers", "2")
    assert sorted(path.name for path in Path(found["cache"]).rglob("*.nb?")) == files
    assert len([name for name in files if name.endswith(".nbc")]) == 2, "one specialisation a kernel"


def test_a_cache_that_cannot_be_written_gives_one_warning(compiled: Compiled) -> None:
    (compiled.folder / "cache").write_text("a file where the folder should be", encoding="utf-8")
    temporary = compiled.folder / "tmp"
    temporary.mkdir()
    for database, executor, misses in (("first.db", "processes", 2), ("second.db", "serial", 0)):
        found = compiled.run(database, "--executor", executor, "--workers", "2", TMPDIR=str(temporary))
        assert found["stderr"].count("cannot be written") == 1, found["stderr"]
        assert "EPCG_CACHE names another folder" in found["stderr"]
        assert compiled.answer(database) == 200
        assert found["misses"] == misses, "the temporary folder is a cache, too"
        assert Path(found["cache"]).is_relative_to(temporary)


@pytest.mark.slow
def test_a_full_disk_for_the_cache_gives_one_warning(compiled: Compiled) -> None:
    with small_disk(compiled.cache, "100k"):
        found = compiled.run("first.db", TMPDIR=str(compiled.folder))
        assert found["stderr"].count("cannot be written") == 1, found["stderr"]
        assert compiled.answer("first.db") == 200


@pytest.mark.slow
def test_a_temporary_cache_that_belongs_to_another_is_not_used(compiled: Compiled) -> None:
    """What is cached is executed, so a folder that anybody could have made is not trusted."""
    if os.geteuid() != 0:
        pytest.skip("only the superuser can give a folder away")
    (compiled.folder / "cache").write_text("", encoding="utf-8")
    temporary = compiled.folder / "tmp"
    (temporary / "epcg-0").mkdir(parents=True)
    os.chown(temporary / "epcg-0", 12345, 12345)
    found = compiled.run("first.db", TMPDIR=str(temporary))
    assert not Path(found["cache"]).is_relative_to(temporary / "epcg-0")
    assert compiled.answer("first.db") == 200


# --- starting


@pytest.mark.parametrize("arguments", [("--help",), ("domains",), ("run", "--help"), ("--version",)])
def test_commands_that_compute_nothing_import_no_numba(arguments: tuple[str, ...], tmp_path: Path) -> None:
    text = (
        "import sys\nfrom epcg_core.cli import main\nsys.argv = ['epcg', *sys.argv[1:]]\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
        "print([name for name in ('numba', 'llvmlite', 'scipy', 'matplotlib') if name in sys.modules], "
        "file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", text, *arguments], cwd=tmp_path, capture_output=True, text=True,
        timeout=DEADLINE_S, check=False,
    )  # fmt: skip
    assert done.stderr.strip() == "[]", done.stderr
    assert done.stdout


def test_the_second_start_of_a_shipped_query_compiles_nothing(
    compiled: Compiled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", "fling")
    cache = {"EPCG_CACHE": os.environ.get("EPCG_CACHE", "")}  # the user's: what it holds need not be compiled
    size = [f"--set=generator.{key}" for key in ("width=4", "height=5", "pieces=10")]
    compiled.run("first.db", *size, query="fling/layers", **cache)
    found = compiled.run("second.db", *size, query="fling/layers", **cache)
    assert found["misses"] == 0
    assert found["hits"] > 0
