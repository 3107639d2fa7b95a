"""Starting: help, listings and SQL without numba, a worker's imports, a small query without compiling.

Then first answers where nothing is compiled yet: a puzzle of each domain, and the demo's query.

The processes may write bytecode, as users' do; with PYTHONDONTWRITEBYTECODE each would compile all modules of
an editable installation again, which takes up to 0.2 s.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.table import Row, row, show
from epcg_core.editing import editing

EPCG = (sys.executable, "-m", "epcg_core.cli")
WORKER = (sys.executable, "-c", "import epcg_core.execution.worker, epcg_core.runs.worker")
QUERIES = Path(__file__).parent.parent / "plugins" / "fling" / "queries"
FIRST = {
    "deduction": "Sudoku",
    "fling": "Five balls",
    "puzzlescript": "Badger and Boulders 2",
    "snakebird": "Mind the Gap",
    "tangram": "Two wide pieces",
    "witness": "Squares",
}
"""A shipped example of each domain, by its title."""


def seconds(
    command: Sequence[str], repeat: int = 5, further: Mapping[str, str] | None = None
) -> tuple[float, float]:
    """Return the median (wall, CPU) seconds of a command in a process of its own."""
    found = []
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= further or {}
    for _ in range(repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begun = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=environment)
        wall = time.perf_counter() - begun
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append((wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    walls, cpus = zip(*sorted(found), strict=True)
    return walls[repeat // 2], sorted(cpus)[repeat // 2]


def measure() -> list[Row]:
    """Measure the rows of the benchmark table."""
    python = seconds((sys.executable, "-c", "pass"))[0]
    found = []
    for what, command, bar in (
        ("start: epcg --help", (*EPCG, "--help"), 0.25),
        ("start: epcg domains", (*EPCG, "domains"), 0.4),
        ("start: imports of a worker process", WORKER, 0.3),
    ):
        wall, cpu = seconds(command)
        found.append(_row(what, wall, cpu, python, bar))
    with tempfile.TemporaryDirectory() as folder:
        run = (*EPCG, "run", str(QUERIES / "layers.toml"), "--set", "generator.pieces=3", "--db")
        subprocess.run((*run, f"{folder}/first.db"), check=True, capture_output=True)
        walls = [seconds((*run, f"{folder}/{i}.db"), 1) for i in range(5)]
        wall, cpu = sorted(walls)[2]
        found.append(_row("start: epcg run, 3 layers, new database, compiled before", wall, cpu, python, 1.0))
        sql = (*EPCG, "sql", "SELECT * FROM runs", "--db", f"{folder}/first.db")
        found.append(_row("start: epcg sql", *seconds(sql), python, 0.35))
    return [*found, *_first_answers()]


def _first_answers() -> Iterator[Row]:
    """Measure first answers with an empty cache of kernels, beside the same answers from a full one."""
    with tempfile.TemporaryDirectory() as folder:
        for domain, title in FIRST.items():
            puzzle = Path(folder, f"{domain}.txt")
            puzzle.write_text(editing.examples(domain)[title], encoding="utf-8")
            yield _first(f"epcg score, {domain}", "score", str(puzzle), "--domain", domain, bar=3)
        for game in ("honeycomb", "star"):  # hexagons, and a board with many symmetries
            yield _first(f"epcg score, the game {game}", "score", f"tangram:instances?game={game}#0", bar=3)
        yield _first("the demo's query", "run", str(QUERIES / "best_by_expert_ratio.toml"), "--quiet", bar=15)


def _first(what: str, *arguments: str, bar: float) -> Row:
    with tempfile.TemporaryDirectory() as cache:
        environment = {"EPCG_CACHE": cache}
        (_, cold), (_, warm) = (
            seconds((*EPCG, *arguments, "--db", f"{cache}/{number}.db"), 1, environment)
            for number in range(2)
        )
    return row(f"start: {what}, nothing compiled", f"{cold:.2f} CPU s", f"the second time {warm:.2f} CPU s",
               cold / warm, f"{bar:g} s", cold < bar)  # fmt: skip


def _row(what: str, wall: float, cpu: float, python: float, bar: float) -> Row:
    return row(what, f"{wall:.2f} s, {cpu:.2f} CPU s", f"bare Python {python:.2f} s", wall / python,
               f"{bar} s", min(wall, cpu) < bar)  # fmt: skip


if __name__ == "__main__":
    show(measure())
