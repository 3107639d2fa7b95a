"""The cost of compiling: every kernel of the plugins' queries, its signatures, and CPU seconds of its own.

    python -m benchmarks.compile_times [QUERY ...]

Each query is run small, in a process of its own, with an empty cache; a kernel that was compiled inside its
caller counts for itself, not for the caller. Without arguments, the first start of `make demo`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

QUERIES = Path(__file__).parent.parent / "plugins" / "fling" / "queries"
DEMO = (str(QUERIES / "best_by_expert_ratio.toml"),)


class Times:
    """CPU seconds of compiling, by kernel and signature."""

    def __init__(self) -> None:
        self.own: dict[tuple[str, str], float] = defaultdict(float)
        self._open: list[list[Any]] = []

    def on_start(self, event: Any) -> None:
        self._open.append([time.thread_time(), 0.0])

    def on_end(self, event: Any) -> None:
        begun, inner = self._open.pop()
        whole = time.thread_time() - begun
        if self._open:
            self._open[-1][1] += whole
        function = event.data["dispatcher"].py_func
        types = ", ".join(map(str, event.data["args"]))
        self.own[f"{function.__module__}.{function.__qualname__}", types] += whole - inner


def child(arguments: list[str]) -> None:
    """Run `epcg` with `arguments` and print what was compiled as JSON, last on stderr."""
    from typing import cast

    from epcg_core.cli.app import app
    from epcg_core.compiled import kernels  # the one door to numba

    times = Times()
    events = cast(Any, kernels).event
    listener = type("Listener", (events.Listener,), {"on_start": times.on_start, "on_end": times.on_end})
    events.register("numba:compile", listener())
    try:
        app(arguments, prog_name="epcg", standalone_mode=False)
    finally:
        print(json.dumps([[*key, seconds] for key, seconds in times.own.items()]), file=sys.stderr)


def compiled_by(query: str, *options: str) -> list[tuple[str, str, float]]:
    """Return (kernel, types of its arguments, CPU seconds) of what a query compiles with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "epcg.db")
        command = [sys.executable, "-m", "benchmarks.compile_times", "--child", "run", query, *options]
        done = subprocess.run(
            [*command, "--quiet", "--executor", "serial", "--db", database],
            env=os.environ | {"EPCG_CACHE": folder}, capture_output=True, text=True, check=True,
        )  # fmt: skip
    return [(kernel, types, seconds) for kernel, types, seconds in json.loads(done.stderr.splitlines()[-1])]


def table(found: list[tuple[str, str, float]]) -> None:
    """Print a row for each kernel, the dearest first, with its signatures if it has several."""
    kernels: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for kernel, types, seconds in found:
        kernels[kernel].append((seconds, types))
    print(f"{'CPU s':>7}  {'sigs':>4}  kernel")
    for kernel, each in sorted(kernels.items(), key=lambda item: -sum(s for s, _ in item[1])):
        print(f"{sum(s for s, _ in each):7.2f}  {len(each):4}  {kernel}")
        if len(each) > 1:
            for seconds, types in each:
                print(f"{seconds:14.2f}    ({types})")
    print(f"{sum(seconds for *_, seconds in found):7.2f}  {len(found):4}  together")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2:])
    else:
        for name in sys.argv[1:] or DEMO:
            print(name)
            table(compiled_by(name))
