"""A coordinator in a process of its own, to be interrupted or killed.

Arguments: FOLDER WORKERS [EXECUTOR [SCHEDULER]]; with a scheduler, its workers are used instead of so many.
"""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

from epcg_core.execution import make_executor
from tests.core.execution.works import Endless, tiles


def main(folder: str, workers: str, executor: str = "processes", scheduler: str | None = None) -> int:
    with (
        make_executor(executor, None if scheduler else int(workers), scheduler=scheduler) as made,
        closing(made.results(Endless(Path(folder)), tiles(10**9, 1000))) as results,
    ):
        try:
            for _ in results:
                pass
        except KeyboardInterrupt:
            return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
