"""Run the benchmarks named on the command line, or all of them, and print one table."""

from __future__ import annotations

import importlib
import sys

from benchmarks.table import Row, machine, show

ALL = (
    "abstractions",
    "best",
    "choosing",
    "combinatorics",
    "costs",
    "deduction",
    "driver",
    "executors",
    "fling_layers",
    "graphs",
    "large_layers",
    "layer_runs",
    "packing",
    "parquet",
    "projects",
    "puzzlescript",
    "readers",
    "sketches",
    "snakebird",
    "spaces",
    "start",
    "store_speed",
    "suite",
    "tangram",
    "witness",
    "workbench",
)


def main() -> None:
    names = sys.argv[1:] or list(ALL)
    rows: list[Row] = [machine()]
    for name in names:
        if name not in ALL:
            raise SystemExit(f"There is no benchmark '{name}'. There are: {', '.join(ALL)}.")
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        rows += importlib.import_module(f"benchmarks.{name}").measure()
        rows.append(machine())
    show(rows)


if __name__ == "__main__":
    main()
