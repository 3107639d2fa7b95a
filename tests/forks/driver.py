"""A coordinator in a process of its own, to be killed: `python driver.py QUERY DATABASE EXECUTOR WORKERS`, or
the command line in a fork of a process that has imported it already (forked.py).

It commits after every unit, so that there are many moments between two commits. The environment says more:

EPCG_TEST_BREATH seconds to wait after every commit
EPCG_TEST_UNIT   ranks a unit, where the run is not made yet
EPCG_TEST_PAGES  pages that the write-ahead log holds before they go into the database
EPCG_TEST_DIE    a function, 'module:name' or 'module:Class.method', at whose call it kills itself
EPCG_TEST_WHEN   at which call of that function (default 1)
EPCG_TEST_TICK   seconds by which the monotonic clock jumps at every commit, forward and back in turn
EPCG_TEST_SPACE  bytes of address space that each of its processes may have
EPCG_TEST_CGROUP a control group to join, for a fork of its own
"""

from __future__ import annotations

import functools
import importlib
import os
import resource
import signal
import sys
import tempfile
import time
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa

import epcg_core.cli.app  # what main() imports
import epcg_core.runs.coordinator
import epcg_core.search.exhaustive
import epcg_core.store.migrate
from epcg_core.plugins.registry import registry
from epcg_core.query.query import load
from epcg_core.runs.coordinator import Options, execute
from epcg_core.store import Store, writer


def main(query: str, database: str, executor: str, workers: str) -> None:
    prepare()
    with Store.open(database, write=True) as store:
        outcome = execute(
            load(Path(query)), store, epcg_core.runs.coordinator.Options(executor, int(workers), quiet=True)
        )
        print(outcome.goal.digest)


def forked(
    arguments: Sequence[str], environment: Mapping[str, str], folder: Path, interrupts: bool, said: Path
) -> None:
    """`epcg ARGUMENTS` as if it had been started anew in `folder`; what it says goes into the file `said`."""
    os.setsid()
    stream = _written(said)
    begin(environment, folder, interrupts, 0, stream, stream)
    prepare()
    sys.argv[1:] = arguments
    epcg_core.cli.main()


def python(
    text: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    interrupts: bool,
    out: Path,
    err: Path,
) -> None:
    """`python -c TEXT ARGUMENTS` as if it had been started anew in `folder`, with its output in two files."""
    begin(environment, folder, interrupts, 0, _written(out), _written(err))
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    sys.dont_write_bytecode = bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    sys.argv[:] = ["-c", *arguments]
    exec(text, vars(sys.modules["__main__"]))


def _written(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)


def begin(environment: Mapping[str, str], folder: Path, interrupts: bool, *streams: int) -> None:
    """Forget the process that this one was forked of, take or ignore interrupts, and use `streams`."""
    signal.signal(signal.SIGINT, signal.default_int_handler if interrupts else signal.SIG_IGN)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    if "EPCG_TEST_CGROUP" in os.environ:
        Path(os.environ["EPCG_TEST_CGROUP"], "cgroup.procs").write_text(str(os.getpid()))
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    sys.modules["__main__"] = types.ModuleType("__main__")  # workers need not import the tests' own
    tempfile.tempdir = None
    importlib.invalidate_caches()
    registry.cache_clear()


def prepare() -> None:
    """Commit after every unit, and do what the environment says."""
    writer.FLUSH_ROWS = 1
    _breathe(float(os.environ.get("EPCG_TEST_BREATH", "0")))
    if "EPCG_TEST_TICK" in os.environ:
        _jump(float(os.environ["EPCG_TEST_TICK"]))
    if "EPCG_TEST_SPACE" in os.environ:
        space = int(os.environ["EPCG_TEST_SPACE"])
        resource.setrlimit(resource.RLIMIT_AS, (space, space))
    if "EPCG_TEST_PAGES" in os.environ:
        pragma = f"PRAGMA wal_autocheckpoint = {int(os.environ['EPCG_TEST_PAGES'])}"
        sa.event.listen(sa.Engine, "connect", lambda connection, _: connection.execute(pragma))
    if "EPCG_TEST_UNIT" in os.environ:
        options = functools.partial(Options, unit_size=int(os.environ["EPCG_TEST_UNIT"]))
        epcg_core.runs.coordinator.Options = options  # type: ignore[misc, assignment]
    if "EPCG_TEST_DIE" in os.environ:
        _die_at(os.environ["EPCG_TEST_DIE"], int(os.environ.get("EPCG_TEST_WHEN", "1")))


def _breathe(seconds: float) -> None:
    _after_every_unit(lambda: time.sleep(seconds))


def _jump(seconds: float) -> None:
    """Let the clock of this process's Python code jump forward, back, forward ... at every commit."""
    true, wrong = time.monotonic, [0.0, seconds]
    _after_every_unit(wrong.reverse)
    time.monotonic = lambda: true() + wrong[0]


def _after_every_unit(act: Callable[[], object]) -> None:
    add = writer.UnitWriter.add

    def then_act(self: writer.UnitWriter, unit: writer.UnitResult) -> None:
        add(self, unit)
        act()

    writer.UnitWriter.add = then_act  # type: ignore[method-assign]


def _die_at(place: str, when: int) -> None:
    module, _, name = place.partition(":")
    owner: Any = importlib.import_module(module)
    *path, last = name.split(".")
    for step in path:
        owner = getattr(owner, step)
    original, calls = getattr(owner, last), [0]

    def dying(*arguments: Any, **named: Any) -> Any:
        calls[0] += 1
        if calls[0] == when:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*arguments, **named)

    setattr(owner, last, dying)


if __name__ == "__main__":
    main(*sys.argv[1:])
