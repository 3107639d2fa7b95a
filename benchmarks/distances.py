"""Positions by their distance from one: whole puzzles and parts of larger ones, on disk, beside known counts.

    python -m benchmarks.distances [NAME ...] [--depth 27] [--disk 60] [--kills 3] [--sorts]

`tiles` is the frame of 3 by 4, `fifteen` that of 4 by 4 as far as `--depth`, `corners` are those of the cube,
`pancakes` stacks of eleven, `twelve` of twelve. With `--kills` a run is killed as often, at random times, and
goes on. Prints CPU seconds, the peak of memory beside that of a program that has only started, the most disk
that the layers took, and positions a CPU second.

Sources of the counts: the On-Line Encyclopedia of Integer Sequences, A089484 (fifteen), A151944 (the farthest
boards of a frame), A058986 (pancakes); Korf 1997 (corners).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np

import epcg_core as epcg
from epcg_core.search.layer_kernels import ordered
from tests.core.search.published.classics import CLASSICS

CORNERS = (1, 18, 243, 2874, 28000, 205416, 1168516, 5402628, 20776176, 45391616, 15139616, 64736)
FIFTEEN = (
    1, 2, 4, 10, 24, 54, 107, 212, 446, 946, 1948, 3938, 7808, 15544, 30821, 60842, 119000, 231844, 447342,
    859744, 1637383, 3098270, 5802411, 10783780, 19826318, 36142146, 65135623, 116238056, 204900019,
    357071928, 613926161, 1042022040, 1742855397,
)  # fmt: skip
PUZZLES: dict[str, dict[str, Any]] = {
    "tiles": {"domain": "sliding", "name": "boards", "rows": 3, "columns": 4, "at": 11, "depth": 54},
    "fifteen": {"domain": "sliding", "name": "boards", "rows": 4, "columns": 4, "at": 15},
    "corners": {"domain": "classics", "name": "corners", "at": 0, "depth": 12},
    "pancakes": {"domain": "classics", "name": "pancakes", "size": 11, "at": 0, "depth": 14},
    "twelve": {"domain": "classics", "name": "pancakes", "size": 12, "at": 0, "depth": 15},
}


@contextmanager
def watched(folder: Path) -> Iterator[list[int]]:
    """Keep the most bytes that the files of a folder take together."""
    most, ends = [0], threading.Event()

    def watch() -> None:
        while not ends.wait(0.5):
            taken = 0
            for path in folder.rglob("*"):
                with suppress(OSError):  # it is gone by now
                    taken += path.stat().st_size
            most[0] = max(most[0], taken)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield most
    finally:
        ends.set()
        thread.join()


def checked(name: str, counts: list[int], positions: int, farthest: int | None) -> str:
    """Say what agrees with published numbers; raise AssertionError if something does not."""
    if name == "fifteen":
        assert tuple(counts) == FIFTEEN[: len(counts)], counts
        return f"{len(counts)} layers"
    if name == "corners":
        assert tuple(counts[:12]) == CORNERS, counts
        return "all layers"
    size, far = {
        "tiles": (factorial(12) // 2, 53), "pancakes": (factorial(11), 13), "twelve": (factorial(12), 14),
    }[name]  # fmt: skip
    assert (positions, farthest) == (size, far), (positions, farthest)
    return f"{size:,} positions, the farthest {far}"


def sorts() -> None:
    """Print the nanoseconds a value of numpy's sort and of that by digits, on values of 43 bits."""
    for size in (2**12, 2**16, 2**20, 2**22):
        values = np.random.default_rng(0).integers(0, 1 << 43, size, np.uint64)
        took = []
        for sort in (np.sort, lambda given: ordered(given.copy(), np.empty_like(given))):
            sort(values)
            begun = time.process_time()
            for _ in range(2**22 // size):
                sort(values)
            took.append((time.process_time() - begun) / 2**22 * 1e9)
        print(f"{size:>9,} values: {took[0]:.1f} and {took[1]:.1f} ns, a ratio of {took[1] / took[0]:.2f}")


def question(name: str, depth: int, disk: float) -> tuple[dict[str, Any], int]:
    """Return the question about a puzzle, and how many layers it asks for at most."""
    puzzle = dict(PUZZLES[name])
    domain, at, depth = (puzzle.pop(key, depth) for key in ("domain", "at", "depth"))
    search = {"name": "distances", "depth": depth, "limit": 1_000_000, "disk": disk}
    range_ = {"start": at, "stop": at + 1}
    return {"name": name, "domain": domain, "generator": puzzle, "search": search, "range": range_}, depth


def answer(name: str, depth: int, disk: float, database: str) -> None:
    """Answer the question about a puzzle, or go on with it, and print what was found as JSON."""
    epcg.register(CLASSICS)
    asked, depth = question(name, depth, disk)
    started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run = epcg.answer(asked, db=database, executor="serial")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - started

    def value(metric: str) -> int | None:
        _, values = run.values(metric)
        return int(values[0]) if len(values) else None

    found = {
        "counts": [int(value(f"at_{number}") or 0) for number in range(depth + 1)],
        "positions": int(value("positions") or 0),
        "farthest": value("farthest"),
        "memory": memory,
        "digest": run.record.digest,
    }
    print(json.dumps(found))


def told(name: str, given: argparse.Namespace, database: Path) -> dict[str, Any]:
    """Answer in processes that are killed at random times but for the last one; return what it told."""
    chance = random.Random(f"{name} {given.kills}")
    command = [sys.executable, "-m", "benchmarks.distances", name, "--within", str(database)]
    command += ["--depth", str(given.depth), "--disk", str(given.disk)]
    around = os.environ | {"TMPDIR": str(database.parent)}  # where the layers lie
    for _ in range(given.kills):
        after = chance.uniform(5, given.kill_within)
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=around) as process:
            try:
                process.wait(after)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                print(f"  {name}: killed after {after:.0f} s", flush=True)
    done = subprocess.run(command, stdout=subprocess.PIPE, env=around, text=True, check=True)
    return dict(json.loads(done.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", default=["tiles", "fifteen"])
    parser.add_argument("--depth", type=int, default=27, help="of the fifteen")
    parser.add_argument("--sorts", action="store_true", help="compare the sorts of layers, and nothing else")
    parser.add_argument("--disk", type=float, default=60, help="gigabytes")
    parser.add_argument("--kills", type=int, default=0, help="processes that are killed at random times")
    parser.add_argument("--kill-within", type=float, default=120, help="the seconds that each has at most")
    parser.add_argument("--within", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.sorts:
        sorts()
        return
    if given.within:
        answer(given.names[0], given.depth, given.disk, given.within)
        return
    with tempfile.TemporaryDirectory(prefix="epcg-distances-") as folder:
        for name in given.names:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            with watched(Path(folder)) as most:
                found = told(name, given, Path(folder) / f"{name}.db")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            positions = found["positions"]
            agrees = checked(name, found["counts"], positions, found["farthest"])
            print(f"{name}: {positions:,} positions; equal to what is published: {agrees}")
            print(f"  {seconds:.1f} CPU s, {positions / seconds / 1e6:.2f} million a CPU second")
            print(
                f"  {found['memory'] / 1024:.0f} MB of memory more than at the start, "
                f"{most[0] / 1e9:.2f} GB of disk, digest {found['digest'][:12]}",
                flush=True,
            )


if __name__ == "__main__":
    main()
