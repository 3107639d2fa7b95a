"""Whole graphs beside C++ programs: sliding tiles of 3 by 4 breadth first, and the clusters of Rush Hour.

    python -m benchmarks graphs

The commands are measured whole, in CPU seconds, each in one process. Both need the examples that
`make .venv/develop` installs. The tiles take a minute and a half.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.parquet import epcg
from benchmarks.table import Row, left_out, row, show
from epcg_core.store import Store

BOARDS, DEPTH = 239_500_800, 53
PACKED, CLUSTERS, SOLVABLE, HARDEST = 268_109, 130_299, 62_106, 20
TILE_SECONDS, TILE_MEMORY, CLUSTER_SECONDS, CLUSTER_RATIO = 150, 300, 3.0, 2


def measure() -> list[Row]:
    """Measure everything."""
    compiler = shutil.which("g++")
    if compiler is None:
        return [left_out("whole graphs beside C++ programs", "there is no C++ compiler (g++)")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for program in ("tiles", "rushhour"):
            source = Path(__file__).with_name(f"{program}.cpp")
            options = ("-O3", "-march=native", "-std=c++20")
            subprocess.run([compiler, *options, "-o", folder / program, source], check=True)
        return [*_tiles(folder), *_clusters(folder)]


def _tiles(folder: Path) -> Iterator[Row]:
    begun = time.perf_counter()
    done = subprocess.run([folder / "tiles", "3", "4"], capture_output=True, text=True, check=True)
    theirs = time.perf_counter() - begun
    layers = [int(line) for line in done.stdout.split()]
    if (sum(layers), len(layers) - 1) != (BOARDS, DEPTH):
        raise SystemExit(f"the C++ program finds {sum(layers)} boards in {len(layers)} layers")
    settings = ("generator.rows=3", "generator.columns=4", "search.record=frontier", "select=[]")
    asked = [word for setting in settings for word in ("--set", setting)]
    ours, memory = epcg(folder, "run", "sliding/depths", *asked, "--quiet", "--executor", "serial")
    yield row(
        f"tiles of 3 by 4, all {BOARDS:,} boards", f"{ours:.0f} CPU s", f"C++ {theirs:.0f} s", ours / theirs,
        f"{TILE_SECONDS} CPU s", ours <= TILE_SECONDS,
    )  # fmt: skip
    bar = f"{TILE_MEMORY} MB"
    yield row("the same: memory", f"{memory} MB", "", memory / TILE_MEMORY, bar, memory <= TILE_MEMORY)


def _clusters(folder: Path) -> Iterator[Row]:
    done = subprocess.run([folder / "rushhour", "5"], capture_output=True, text=True, check=True)
    packed, clusters, _, solvable, hardest, _, theirs = map(float, done.stdout.split())
    if (packed, clusters, solvable, hardest) != (PACKED, CLUSTERS, SOLVABLE, HARDEST):
        raise SystemExit(f"the C++ program finds {done.stdout}")
    database = folder / "clusters.db"
    here = ("run", "rushhour/clusters", "--quiet", "--executor", "serial", "--db", str(database))
    epcg(folder, *here)
    whole, _ = epcg(folder, *here, "--set", "generator.size=5")
    with Store.open(database) as store, store.reader() as reader:
        ours = reader.runs()[-1].cpu_seconds
    what = f"clusters of Rush Hour, 5 by 5: {CLUSTERS:,}"
    yield row(
        f"{what}, the search", f"{ours:.1f} CPU s", f"C++ {theirs:.1f} CPU s", ours / theirs,
        f"ratio {CLUSTER_RATIO:g}", ours / theirs <= CLUSTER_RATIO,
    )  # fmt: skip
    yield row(
        f"{what}, the whole command, with 2 s of plain code for winners", f"{whole:.1f} CPU s",
        f"C++ {theirs:.1f} CPU s", whole / theirs, f"{CLUSTER_SECONDS:g} CPU s", whole <= CLUSTER_SECONDS,
    )  # fmt: skip


if __name__ == "__main__":
    show(measure())
