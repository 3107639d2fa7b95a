"""Workplaces for tests, and plugins found by the same discovery as installed ones, here and in subprocesses.

`install_plugin` adds a plugin that is a module's text, for tests about discovery
`alone`          makes a plugin the only one, in an empty working directory
`toy`            a workplace with the domain of tests/toy_plugin.py alone
`game`, `bench`  workplaces with that domain and the one of tests/toy_game.py
`cli`            the command line in this process, in the workplace `toy`
`reader`         an empty working directory with all installed plugins
`processes`      starts coordinators that are watched and killed
"""

from __future__ import annotations

import gc
import importlib
import os
import py_compile
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import hypothesis
import pytest
from click.testing import Result

ROOT = str(Path(__file__).resolve().parents[1])
if ROOT not in sys.path:  # so that tests can share modules: from tests.workplace import ...
    sys.path.insert(0, ROOT)

from epcg_core.domain.kinds import Kind  # noqa: E402
from epcg_core.execution import apart  # noqa: E402
from epcg_core.plugins import claims, registry as registries  # noqa: E402
from epcg_core.plugins.registry import registry  # noqa: E402
from tests import sweeps, times  # noqa: E402
from tests.faces import FACES, only  # noqa: E402
from tests.forks import forked  # noqa: E402
from tests.processes import Processes  # noqa: E402
from tests.workplace import Numbers, Workplace, epcg, write_plugin  # noqa: E402

for profile, examples in (("epcg", 15), ("epcg slow", 200)):  # a first example compiles; tests never time
    hypothesis.settings.register_profile(profile, deadline=None, max_examples=examples)
hypothesis.settings.load_profile("epcg")

gc.set_threshold(300_000, *gc.get_threshold()[1:])  # as epcg does: the suite takes a tenth less
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as epcg does, for processes that are not epcg

STATE = TemporaryDirectory(prefix="epcg-state-")  # what the workbench remembers of projects
os.environ["EPCG_STATE"] = STATE.name

MEMORY = Path("/dev/shm")
if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 4 * 2**30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))  # databases close without waiting for a disk

TOY_SOURCE = Path(__file__).with_name("toy_plugin.py")
GAME_SOURCE = Path(__file__).with_name("toy_game.py")
FAST = "not slow and not nightly"
"""The tests that run if no others are asked for (pyproject.toml)."""
Install = Callable[[str, str, str, str], None]
Alone = Callable[[str, str, str], Path]


def pytest_configure(config: pytest.Config) -> None:
    """Try more examples of each law if the slow tests run, too; record what tests take if that is asked."""
    if config.getoption("markexpr") in ("not nightly", "nightly or not nightly"):
        hypothesis.settings.load_profile("epcg slow")
    if folder := os.environ.get(times.FOLDER):
        config.pluginmanager.register(times.Times(Path(folder)))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the cases of a test with `sweep` slow but for those that stay fast."""
    sweeps.mark(items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Run one process more than there are cores, which does the work while another waits for its children."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_finish() -> None:
    """Look for garbage no more among modules and collected tests, which stay."""
    gc.freeze()


def pytest_runtest_setup() -> None:
    """Take an error in an SQL function for one of its statement alone, as before Datasette was imported."""
    sqlite3.enable_callback_tracebacks(False)


@pytest.fixture(scope="session", autouse=True)
def fork_server() -> None:
    """Start what forks processes before a worker process does, because its forks have the disk that fails."""
    forked.fork_server()


WITH_FORKS = (
    "cluster",
    "core/execution",
    "core/test_compiled.py",
    "core/test_costs.py",
    "core/test_recompute.py",
    "core/test_run.py",
    "core/test_winners.py",
    "puzzlescript/test_survey.py",
    "testing",
    "whole/browser",
    "whole/faults",
    "workbench",
)
"""Tests of where something is computed, of how long it may take, and of what users do."""


@pytest.fixture(autouse=True)
def forks(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let fast tests compute in this process what a run computes in forks of it, as systems without forks do.

    To fork the process of tests, which is large, was a third to a half of a run and its verification. The
    slow tests fork, and so do those of `WITH_FORKS`.
    """
    place = request.path.relative_to(Path(ROOT, "tests")).as_posix()
    if place.startswith(WITH_FORKS) or request.config.getoption("markexpr") != FAST:
        yield
        return

    def refuse(*_: object) -> None:
        raise OSError("no further process is started")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(apart, "_Fork", refuse)
        yield


_PARTS: dict[object, list[tuple[Kind, Any]]] = {}


def collected(plugin: claims.LoadedPlugin, kinds: claims.Kinds) -> list[tuple[Kind, Any]]:
    """Call the hooks of the core and of a face once a process, and those of other plugins each time."""
    if plugin.name not in ("core", *FACES):
        return claims.collected(plugin, kinds)
    if plugin.module not in _PARTS:
        _PARTS[plugin.module] = claims.collected(plugin, kinds)
    return list(_PARTS[plugin.module])


registries.collected = collected  # most tests install a plugin, and fill the registry anew


@cache
def compiled(source: str) -> bytes:
    """A module's bytecode file, which Python takes as long as the source is the same."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "plugin.py")
        path.write_text(source, encoding="utf-8")
        found = py_compile.compile(
            str(path), doraise=True, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH
        )
        return Path(found or "").read_bytes()


@pytest.fixture
def install_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """install(entry_point, module, source, distribution): one plugin more, here and in child processes."""
    site = tmp_path / "site"
    site.mkdir()
    path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.syspath_prepend(str(site))
    modules: list[str] = []

    def install(entry_point: str, module: str, source: str, distribution: str) -> None:
        write_plugin(site, entry_point, module, source, distribution)
        with suppress(py_compile.PyCompileError):  # a test about plugins that are not Python
            bytecode = Path(cache_from_source(str(site / f"{module}.py")))
            bytecode.parent.mkdir(exist_ok=True)
            bytecode.write_bytes(compiled(source))
        modules.append(module)
        importlib.invalidate_caches()
        registry.cache_clear()

    yield install
    for module in modules:
        sys.modules.pop(module, None)
    registry.cache_clear()


@pytest.fixture
def votes_package(install_plugin: Install, tmp_path: Path) -> Iterator[Path]:
    """The package of examples/epcg-votes, installed: a copy that a test may change."""
    source = Path(ROOT) / "examples/epcg-votes/src/epcg_votes"
    install_plugin("votes", "epcg_votes", "", "epcg-votes")
    (tmp_path / "site" / "epcg_votes.py").unlink()
    forget_modules("epcg_votes")
    yield Path(shutil.copytree(source, tmp_path / "site" / "epcg_votes"))
    forget_modules("epcg_votes")


def forget_modules(package: str) -> None:
    """Forget a package and its modules, with their bytecode, so that they are read again.

    Python takes the bytecode of a source that has the same size and was changed in the same second.
    """
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        bytecode = getattr(sys.modules.pop(name), "__cached__", None)
        if bytecode is not None:
            Path(bytecode).unlink(missing_ok=True)


@pytest.fixture
def alone(install_plugin: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Alone:
    """alone(entry_point, module, source): that plugin and the faces; returns the empty working directory.

    The environment has no EPCG_DB and none of the tests' own variables. Child processes can import `tests`.
    """

    def make(entry_point: str, module: str, source: str) -> Path:
        monkeypatch.setenv("EPCG_PLUGINS", only(entry_point))
        for name in [key for key in os.environ if key == "EPCG_DB" or key.startswith("EPCG_TEST_")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join((os.environ["PYTHONPATH"], ROOT)))
        install_plugin(entry_point, module, source, module.replace("_", "-"))
        folder = tmp_path / "work"
        folder.mkdir()
        monkeypatch.chdir(folder)
        return folder

    return make


@pytest.fixture
def toy(alone: Alone) -> Numbers:
    """The toy domain alone and the faces, in an empty working directory without EPCG_DB."""
    return Numbers(alone("numbers", "epcg_toy", TOY_SOURCE.read_text(encoding="utf-8")))


@pytest.fixture
def game(toy: Numbers, install_plugin: Install, monkeypatch: pytest.MonkeyPatch) -> Numbers:
    """The domains `numbers` and `pegs`, and no other plugin."""
    monkeypatch.setenv("EPCG_PLUGINS", only("numbers", "pegs"))
    install_plugin("pegs", "epcg_game", GAME_SOURCE.read_text(encoding="utf-8"), "epcg-game")
    return toy


@pytest.fixture
def bench(game: Numbers) -> Workplace:
    """An empty database with the toy domains at hand."""
    return game


@pytest.fixture
def cli(toy: Numbers) -> Callable[..., Result]:
    """cli(*arguments, code=0, stdin=None): `tests.workplace.epcg` in the workplace `toy`."""
    return epcg


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The empty working directory of a reader who follows a page; no EPCG_DB, all installed plugins."""
    for name in ("EPCG_DB", "EPCG_PLUGINS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def processes() -> Iterator[Processes]:
    """Starts coordinators; whatever is left of them after the test is killed."""
    with Processes() as made:
        yield made


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let child processes be interrupted, even if the tests were started with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
