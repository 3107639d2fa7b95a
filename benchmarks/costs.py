"""Compare `--dry-run` with what the run then takes: all shipped queries, and twenty sketches.

Every query is estimated and run by the command line, each time into a new database. CPU seconds are those of
all processes of a command, start-up included; bytes are those of the database file. A ratio is what was
estimated over what was measured. A run of about two seconds may get workers or not, and then takes as much
longer as these take to start.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs

from benchmarks.table import Row, left_out, row, show
from epcg_core.editing.editing import examples, open_document
from epcg_core.query.named import shipped_queries

PR_SET_CHILD_SUBREAPER = 36
FACTOR = 2.0
LIMIT_S = 900.0
"""A run that takes longer by the clock is left out."""
CHEAP_S, CHEAP_SHARE = 2.0, 0.05
"""Limit of trying, beyond the start that a run needs as well: seconds, or a share of the run."""

CELLS = [f"c{x},{y}" for y in range(1, 9) for x in range(1, 8)]
BOARD = "\n".join(["......."] * 8)
SQUARES = ["", "square black", "square white"]
TILES = ["", "ground", "spikes"]


@attrs.frozen
class Sketched:
    """A sketch with what scores it."""

    domain: str
    content: str
    """A content, or the name of an example of the domain."""
    sites: int | Sequence[str]
    """The open sites, or how many of those without a mark, evenly spaced."""
    marks: Sequence[str]
    evaluator: str
    counts: Mapping[str, int] = attrs.field(factory=dict)
    more: str = ""

    @property
    def name(self) -> str:
        number = self.sites if isinstance(self.sites, int) else len(self.sites)
        what = self.content if "\n" not in self.content else "a board"
        return f"{self.domain}: {what}, {number} open, {self.evaluator}{' filtered' if self.more else ''}"

    def toml(self) -> str:
        """Write the query."""
        known = examples(self.domain)
        text = known.get(self.content, self.content)
        sites = self.sites
        if isinstance(sites, int):
            scene = open_document(self.domain, text).scene
            marks = "dot" if self.domain == "witness" else ""
            empty = [
                s.id for s in scene.sites if not scene.marks.get(s.id) and s.id.startswith("c") and not marks
            ]
            empty = empty or [s.id for s in scene.sites if s.id.startswith("c")]
            step = max(1, len(empty) // sites)
            sites = empty[::step][:sites]
        lines = [
            f'domain = "{self.domain}"',
            "[generator]",
            'name = "sketch"',
            f"content = {json.dumps(text)}",
            f"open = [{{ sites = {json.dumps(list(sites))}, marks = {json.dumps(list(self.marks))} }}]",
            f"counts = {{ {', '.join(f'{json.dumps(k)} = {v}' for k, v in self.counts.items())} }}",
            "[[evaluators]]",
            f'name = "{self.evaluator}"',
            self.more,
            "[record]",
            'on_error = "record"',
        ]
        return "\n".join(lines)


UNIQUE = """
[filter]
metric = "unique"
min = 1
search = { name = "exhaustive" }
evaluators = [{ name = "unique" }]
"""

SKETCHES = (
    Sketched("fling", BOARD, CELLS, ["", "ball"], "legal_moves", {"ball": 5}),
    Sketched("fling", BOARD, CELLS, ["", "ball"], "winning_moves", {"ball": 4}),
    Sketched("fling", BOARD, CELLS[::2], ["", "ball"], "reachable_states", {"ball": 5}),
    Sketched("fling", BOARD, CELLS[10:40], ["", "ball"], "unique", {"ball": 3}),
    Sketched("fling", BOARD, CELLS[::2], ["", "ball"], "entropy", {"ball": 4}),
    Sketched("fling", BOARD, CELLS[::2], ["", "ball"], "entropy", {"ball": 5}, UNIQUE),
    Sketched("witness", "Squares", 9, [*SQUARES, "triangles 1"], "solutions"),
    Sketched("witness", "Squares", 9, SQUARES, "shortest_solution"),
    Sketched("witness", "Stars", 8, [*SQUARES, "star black", "star white"], "unique"),
    Sketched("witness", "Triangles", 7, ["", "triangles 1", "triangles 2"], "entropy"),
    Sketched("witness", "Squares", 9, SQUARES, "entropy", {}, UNIQUE),
    Sketched("witness", "Stars", 6, ["", "star black", "square black"], "longest_solution"),
    Sketched("snakebird", "First Bite", 9, TILES, "shortest_solution"),
    Sketched("snakebird", "Mind the Gap", 9, TILES, "state_space"),
    Sketched("snakebird", "Thorns", 12, ["", "ground"], "branching"),
    Sketched("snakebird", "The Step", 5, TILES, "entropy"),
    Sketched("snakebird", "Shoulders", 8, TILES, "shortest_solution"),
    Sketched("puzzlescript", "Badger and Boulders 1", 12, ["", "earth"], "shortest_solution"),
    Sketched("puzzlescript", "Frost Fox 1", 9, ["", "ice"], "state_space"),
    Sketched("puzzlescript", "Frost Fox 2", 7, ["", "ice", "pine"], "shortest_solution"),
)  # fmt: skip


def measure(only: Sequence[str] = ()) -> list[Row]:
    """Measure the rows of the benchmark table, or those of some queries and sketches by name."""
    _adopt_orphans()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases: list[tuple[str, str]] = [(query, query) for query in sorted(shipped_queries())]
        for number, sketch in enumerate(SKETCHES):
            file = folder / f"sketch_{number}.toml"
            file.write_text(sketch.toml(), encoding="utf-8")
            cases.append((sketch.name, str(file)))
        rows, times, sizes, cheap = [], [], [], []
        for what, query in cases:
            if only and what not in only:
                continue
            print(f"  {what}", file=sys.stderr, flush=True)
            found = _case(query, folder)
            if isinstance(found, str):
                rows.append(left_out(f"cost of {what}", found))
                continue
            rows += list(_rows(what, found))
            times.append(found.time)
            sizes.append(found.size)
            cheap.append(found.cheap)
    return [*rows, *_summary("CPU time", times), *_summary("bytes", sizes), *_cheapness(cheap)]


@attrs.frozen
class Found:
    """A query's estimate and its run."""

    said: dict[str, Any]
    seconds: float
    bytes: int
    tried: float
    """CPU seconds of trying, beyond the start that the run needs as well."""

    @property
    def time(self) -> float:
        return float(self.said["cpu_seconds"][1]) / self.seconds

    @property
    def size(self) -> float:
        return float(self.said["bytes"]) / self.bytes

    @property
    def cheap(self) -> bool:
        return self.tried <= max(CHEAP_S, CHEAP_SHARE * self.seconds)


def _case(query: str, folder: Path) -> Found | str:
    """Estimate and run a query; returns why not if it cannot be compared."""
    database = folder / "run.db"
    _, told, error = _command("run", query, "--db", str(database), "--dry-run", "--json")
    if error:
        return error
    said = json.loads(told)
    seconds, _, error = _command("run", query, "--db", str(database), "--quiet", "--json")
    if error:
        return error
    size = database.stat().st_size
    for file in folder.glob("run.db*"):
        shutil.rmtree(file) if file.is_dir() else file.unlink()
    if said["cpu_seconds"] is None or any(run["cpu_seconds"] is None for run in said["runs"]):
        return "; ".join({run["unknown"] for run in said["runs"] if run["unknown"]})
    return Found(said, seconds, size, said["estimate_cpu_seconds"])


def _adopt_orphans() -> None:
    """Let this process wait for the workers of ended commands (Linux), so that their time counts."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _command(*words: str) -> tuple[float, str, str]:
    """Run a command of epcg: the CPU seconds of its processes, its output, and what went wrong."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "epcg_core.cli", *words], stdout=out, stderr=err, text=True
        )
        timer = threading.Timer(LIMIT_S, process.terminate)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = usage.ru_utime + usage.ru_stime
        with suppress(ChildProcessError):  # workers are children of a server that the command leaves
            while True:
                _, _, usage = os.wait4(-1, 0)
                seconds += usage.ru_utime + usage.ru_stime
        out.seek(0)
        err.seek(0)
        failed = (
            f"longer than {LIMIT_S:g} s"
            if process.returncode == -signal.SIGTERM
            else err.read().strip()
            if process.returncode
            else ""
        )
        return seconds, out.read(), failed


def _rows(what: str, found: Found) -> Iterator[Row]:
    low, expected, high = found.said["cpu_seconds"]
    bar = f"1/{FACTOR:g} to {FACTOR:g}"
    said = f"{expected:.1f} said ({low:.1f} to {high:.1f})"
    yield row(f"cost of {what}", f"{found.seconds:.1f} CPU s", said, found.time, bar, _within(found.time))
    said = f"{found.said['bytes'] / 1e6:.2f} MB said"
    yield row("  on disk", f"{found.bytes / 1e6:.2f} MB", said, found.size, bar, _within(found.size))


def _within(ratio: float) -> bool:
    return 1 / FACTOR <= ratio <= FACTOR


def _summary(what: str, ratios: list[float]) -> Iterator[Row]:
    near = sum(map(_within, ratios))
    worst = max(ratios, key=lambda ratio: max(ratio, 1 / ratio))
    text, bar = f"{near} of {len(ratios)} within {FACTOR:g}", "all"
    yield row(
        f"costs, {what}: estimates within a factor of {FACTOR:g}",
        text,
        "worst ratio",
        worst,
        bar,
        near == len(ratios),
    )


def _cheapness(cheap: list[bool]) -> Iterator[Row]:
    bar = f"{CHEAP_S:g} CPU s or {CHEAP_SHARE:.0%} of the run"
    text = f"{sum(cheap)} of {len(cheap)}"
    yield row(
        "costs: trying is cheap", text, "without the start", sum(cheap) / max(1, len(cheap)), bar, all(cheap)
    )


if __name__ == "__main__":
    show(measure(sys.argv[1:]))
