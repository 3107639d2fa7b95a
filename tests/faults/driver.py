"""A coordinator in a process of its own, to be killed: `python driver.py QUERY DATABASE EXECUTOR WORKERS`.

It commits after every unit, so that there are many moments between two commits. The environment says more:

EPCG_TEST_BREATH seconds to wait after every commit
EPCG_TEST_UNIT   ranks a unit, where the run is not made yet
EPCG_TEST_DIE    a function, 'module:name' or 'module:Class.method', at whose call it kills itself
EPCG_TEST_WHEN   at which call of that function (default 1)
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import epcg_core.run
from epcg_core.query import load
from epcg_core.run import Options, execute
from epcg_core.store import Store, writer


def main(query: str, database: str, executor: str, workers: str) -> None:
    writer.FLUSH_ROWS = 1
    _breathe(float(os.environ.get("EPCG_TEST_BREATH", "0")))
    if "EPCG_TEST_UNIT" in os.environ:
        unit = int(os.environ["EPCG_TEST_UNIT"])
        epcg_core.run.unit_size = lambda *_: unit
    if "EPCG_TEST_DIE" in os.environ:
        _die_at(os.environ["EPCG_TEST_DIE"], int(os.environ.get("EPCG_TEST_WHEN", "1")))
    with Store.open(database, write=True) as store:
        outcome = execute(load(Path(query)), store, Options(executor, int(workers), quiet=True))
        print(outcome.goal.digest)


def _breathe(seconds: float) -> None:
    flush = writer.UnitWriter.flush

    def slowly(self: writer.UnitWriter) -> None:
        flush(self)
        time.sleep(seconds)

    writer.UnitWriter.flush = slowly  # type: ignore[method-assign]


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
