"""Compiled code is never stale, compiled once, and does without a cache that cannot be written.

A plugin of three modules: what it registers, kernels, and the helper kernel that they call from another
module, which is what numba's own cache does not notice.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from epcg_core.compiled import entries
from tests.forks.forked import python_forked
from tests.processes import DEADLINE_S
from tests.whole.faults.mounts import read_only_folder, small_disk
from tests.workplace import ask_sql

PLUGIN = """
from epcg_core import hookimpl
from epcg_core.domain import DomainInfo, EvaluatorInfo, GeneratorInfo, Metric, NoParams
from epcg_core.base.params import param
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
gc.unfreeze()  # which the end of the command freezes
hits = misses = 0
for found in gc.get_objects():
    if isinstance(found, Dispatcher) and found.py_func.__module__.startswith(("epcg", "outside")):
        hits += sum(found.stats.cache_hits.values())
        misses += sum(found.stats.cache_misses.values())
from epcg_core.compiled import cache_folder
found = {"code": code, "hits": hits, "misses": misses, "cache": str(cache_folder())}
print(json.dumps(found), file=sys.stderr)
"""
"""The command line, and afterwards numba's own count of what came from the cache and what was compiled."""


class Compiled:
    """The plugin, installed, and a query over it."""

    def __init__(self, site: Path, folder: Path, former: Path) -> None:
        self.package = site / "epcg_compiled"
        self.folder = folder
        self.query = folder / "query.toml"
        self.cache = folder / "cache"
        self._former = former
        self.package.mkdir()
        (self.package / "__init__.py").write_text(PLUGIN, encoding="utf-8")
        (self.package / "kernels.py").write_text(KERNELS, encoding="utf-8")
        self.set_factor(2)
        self.query.write_text(QUERY, encoding="utf-8")

    def set_factor(self, factor: int) -> None:
        (self.package / "helpers.py").write_text(HELPERS.format(factor=factor), encoding="utf-8")

    def run(
        self, database: str, *options: str, query: str | None = None, before: str = "", forked: bool = True,
        **environment: str,
    ) -> dict[str, Any]:  # fmt: skip
        """Run the query in a process of its own; the statistics, and what else it said, by key 'stderr'.

        Args:
            database: the database's file name.
            options: further options of `epcg run`.
            query: the query's file or name, instead of the own one.
            before: Python that the process begins with.
            forked: whether the process is forked of one that has set up numba's compiler, or starts anew.
            environment: variables that differ.

        Raises:
            CalledProcessError: it is killed.
        """
        arguments = ("run", query or self.query, "--quiet", "--db", database, *options)
        variables = {"EPCG_CACHE": str(self.cache), "PYTHONDONTWRITEBYTECODE": "1"} | environment
        if forked:
            done = python_forked(before + START, *arguments, folder=self.folder, **variables)
        else:
            done = subprocess.run(
                [sys.executable, "-c", before + START, *arguments],
                cwd=self.folder, env=os.environ | variables,
                capture_output=True, text=True, timeout=DEADLINE_S, check=False,
            )  # fmt: skip
        if done.returncode < 0:
            done.check_returncode()
        *said, last = done.stderr.strip().splitlines()
        found: dict[str, Any] = json.loads(last)
        assert found["code"] == 0, done.stderr
        return found | {"stderr": "\n".join(said)}

    def compile(self) -> Path:
        """Fill the cache as a first run does, or a former one did; returns its folder of entries."""
        if self._former.exists():
            shutil.copytree(self._former, self.cache)
        else:
            self.run("first.db")
            shutil.copytree(self.cache, self._former)
        return self.cache / "kernels"

    def answer(self, database: str) -> int:
        """The recorded answer at rank 100."""
        ((value,),) = ask_sql(self.folder / database, "SELECT value FROM scores WHERE rank = 100")
        return int(value)


@pytest.fixture(scope="module")
def former(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the cache of a first run is kept, once there was one."""
    return tmp_path_factory.mktemp("former") / "cache"


@pytest.fixture
def compiled(
    install_plugin: Callable[[str, str, str, str], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    former: Path,
) -> Compiled:
    monkeypatch.setenv("EPCG_PLUGINS", "compiled")
    install_plugin("compiled", "epcg_compiled", "", "epcg-compiled")
    site = tmp_path / "site"
    (site / "epcg_compiled.py").unlink()
    folder = tmp_path / "work"
    folder.mkdir()
    return Compiled(site, folder, former)


@pytest.mark.parametrize("forked", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_changed_helper_in_another_module_is_never_run_stale(compiled: Compiled, forked: bool) -> None:
    first = compiled.run("first.db")
    assert (first["hits"], first["misses"]) == (0, 2)
    assert compiled.answer("first.db") == 200

    second = compiled.run("second.db", forked=forked)  # if not, it has another order of sets
    assert (second["misses"], second["hits"] > 0) == (0, True), "nothing is compiled at the second start"

    stamp = (compiled.package / "kernels.py").stat()
    compiled.set_factor(3)
    assert (compiled.package / "kernels.py").stat().st_mtime_ns == stamp.st_mtime_ns
    third = compiled.run("third.db")
    assert compiled.answer("third.db") == 300
    assert third["misses"] == 2

    compiled.set_factor(2)
    back = compiled.run("back.db")
    assert compiled.answer("back.db") == 200
    assert (back["hits"], back["misses"]) == (second["hits"], 0), "what is known of these sources is used"


OUTSIDE = """
from epcg_core.compiled import njit

FACTOR = {factor}

@njit
def outside_helper(state):
    return state * {factor}
"""


@pytest.mark.parametrize(
    "helpers",
    [
        pytest.param("from outside import outside_helper as helper\n", marks=pytest.mark.slow),
        pytest.param(
            "from epcg_core.compiled import njit\nfrom outside import FACTOR\n\n"
            "@njit\ndef helper(state):\n    return state * FACTOR\n",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "import outside\nfrom epcg_core.compiled import njit\n\n"
            "@njit\ndef helper(state):\n    return state * outside.FACTOR\n",
            marks=pytest.mark.slow,
        ),
    ],
    ids=["kernel", "constant", "constant of a module"],
)
def test_a_change_in_a_library_that_is_no_plugin_is_never_run_stale(compiled: Compiled, helpers: str) -> None:
    library = compiled.package.parent / "outside.py"
    (compiled.package / "helpers.py").write_text(helpers, encoding="utf-8")
    for factor in (2, 31):
        library.write_text(OUTSIDE.format(factor=factor), encoding="utf-8")
        found = compiled.run(f"{factor}.db")
        assert compiled.answer(f"{factor}.db") == 100 * factor
        assert found["misses"] == 2
    assert compiled.run("again.db")["misses"] == 0
    assert compiled.answer("again.db") == 3100


def test_an_edit_that_no_kernel_sees_compiles_nothing(compiled: Compiled) -> None:
    """Neither of a file without kernels, nor of what stands around the kernels in theirs."""
    compiled.compile()
    for name in ("__init__.py", "kernels.py", "helpers.py"):
        path = compiled.package / name
        text = path.read_text(encoding="utf-8")
        path.write_text(f"'A comment, and lines more.'\n\n\n{text}\n\ndef unused(): pass\n", encoding="utf-8")
    assert compiled.run("second.db")["misses"] == 0
    assert compiled.answer("second.db") == 200


def test_another_set_of_plugins_compiles_nothing_that_is_there(compiled: Compiled) -> None:
    compiled.compile()
    found = compiled.run("second.db", EPCG_PLUGINS="compiled,fling,witness")
    assert (found["misses"], found["hits"] > 0) == (0, True)


# --- entries


KILLED = """
import os, pathlib, signal
left = {writes}
def replace(self, target, keep=pathlib.Path.replace):
    global left
    if self.suffix == ".tmp" and str(target).endswith(".nbc"):
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
    return keep(self, target)
pathlib.Path.replace = replace
"""


@pytest.mark.parametrize("writes", [pytest.param(0, marks=pytest.mark.slow), 1])
def test_a_kill_while_an_entry_is_written_leaves_no_old_answer(compiled: Compiled, writes: int) -> None:
    compiled.compile()
    compiled.set_factor(3)
    with pytest.raises(subprocess.CalledProcessError) as killed:
        compiled.run("killed.db", before=KILLED.format(writes=writes))
    assert killed.value.returncode == -signal.SIGKILL
    assert list(compiled.cache.rglob("*.tmp")), "it was killed before the rename"
    found = compiled.run("second.db")
    assert compiled.answer("second.db") == 300
    assert found["misses"] == 2 - writes


@pytest.mark.parametrize(
    "damage", ["changed", *(pytest.param(how, marks=pytest.mark.slow) for how in ("cut", "empty"))]
)
def test_damaged_entries_are_compiled_again(compiled: Compiled, damage: str) -> None:
    compiled.compile()
    for path in compiled.cache.rglob("*.nbc"):
        data = path.read_bytes()
        middle = len(data) // 2
        changed = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
        path.write_bytes({"cut": data[:middle], "empty": b"", "changed": changed}[damage])
    assert compiled.run("second.db")["misses"] == 2
    assert compiled.answer("second.db") == 200
    assert compiled.run("third.db")["misses"] == 0


@pytest.mark.slow
def test_processes_that_start_together_compile_each_kernel_once(compiled: Compiled) -> None:
    """The second waits for the first, then loads."""
    databases = [f"{number}.db" for number in range(3)]
    with ThreadPoolExecutor(len(databases)) as pool:
        found = [*pool.map(compiled.run, databases)]
    assert sum(each["misses"] for each in found) == 2, found
    assert [compiled.answer(database) for database in databases] == [200] * 3


def test_who_compiles_another_kernel_is_not_waited_for(
    compiled: Compiled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_CACHE", str(compiled.cache))
    with entries.compile_lock("another.nbc"):
        assert (compiled.cache / "kernels" / "another.lock").exists()
        assert compiled.run("first.db")["misses"] == 2
    assert not [*compiled.cache.rglob("*.lock")]


@pytest.mark.slow
def test_importing_touches_no_file(compiled: Compiled) -> None:
    text = "import epcg_core.compiled, epcg_compiled.kernels"
    subprocess.run([sys.executable, "-c", text], env=os.environ | {"EPCG_CACHE": str(compiled.cache)},
                   cwd=compiled.folder, check=True, timeout=DEADLINE_S)  # fmt: skip
    assert not compiled.cache.exists()


@pytest.mark.slow
def test_entries_that_were_not_used_for_a_month_vanish(compiled: Compiled) -> None:
    folder = compiled.compile()
    (used,) = (path for path in folder.glob("*.answers-*.nbc"))
    (unused,) = (path for path in folder.glob("*.helper-*.nbc"))
    former = folder / "0123456789abcdef0123"  # as versions before made them
    former.mkdir()
    (former / "kernel.nbi").touch()
    long_ago = time.time() - 31 * 24 * 3600
    left = folder / "compile.lock"  # by one of them, or one that was killed
    left.touch()
    for path in (used, unused, former, left):
        os.utime(path, (long_ago, long_ago))
    assert compiled.run("second.db")["misses"] == 0
    assert used.stat().st_mtime > long_ago, "using it is noted"
    compiled.set_factor(3)
    compiled.run("third.db")
    assert used.exists()
    assert not unused.exists()
    assert not former.exists()
    assert not [*folder.glob("*.lock")]


def test_a_cache_that_can_only_be_read_is_read(compiled: Compiled) -> None:
    """Of an image with everything compiled in it; only what it lacks goes into a temporary folder."""
    compiled.compile()
    with read_only_folder(compiled.cache):
        found = compiled.run("second.db", TMPDIR=str(compiled.folder))
        assert (found["misses"], found["stderr"].count("cannot be written")) == (0, 0)
        compiled.set_factor(3)
        found = compiled.run("third.db", TMPDIR=str(compiled.folder))
        assert (found["misses"], found["stderr"].count("cannot be written")) == (2, 1)
    assert compiled.answer("third.db") == 300


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


@pytest.mark.slow
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


BOARD = ("render", "fling:boards?height=8&pieces=6&width=7#38012", "--format", "text")


@pytest.mark.parametrize(
    "arguments",
    [
        BOARD,
        pytest.param(("run", "--help"), marks=pytest.mark.slow),
        *(pytest.param((word,), marks=pytest.mark.slow) for word in ("--help", "--version", "domains")),
    ],
)
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


@pytest.mark.slow
@pytest.mark.parametrize(("pieces", "forked"), [(4, True), (10, False)])
def test_the_second_start_of_a_shipped_query_compiles_nothing(
    compiled: Compiled, monkeypatch: pytest.MonkeyPatch, pieces: int, forked: bool
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", "fling")
    cache = {"EPCG_CACHE": os.environ.get("EPCG_CACHE", "")}  # the user's: what it holds need not be compiled
    size = [f"--set=generator.{key}" for key in ("width=4", "height=5", f"pieces={pieces}")]
    compiled.run("first.db", *size, query="fling/layers", **cache)
    found = compiled.run("second.db", *size, query="fling/layers", forked=forked, **cache)
    assert (found["misses"], found["hits"] > 0) == (0, True)
