"""Measure a database of eleven pieces that was computed before: its size, and `epcg verify` of ten.

    python -m benchmarks.eleven_pieces FOLDER
    EPCG_LARGE_LAYERS=FOLDER/fling-11-successors.db python -m benchmarks large_layers

Computing it takes two cores for most of an hour, so `make bench` does not; without the database the rows say
that they are left out.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from benchmarks import eleven_pieces
from benchmarks.parquet import epcg
from benchmarks.table import Row, left_out, row, show

DATABASE = "EPCG_LARGE_LAYERS"
VERIFIED, SECONDS, GIGABYTES = 10, 120, eleven_pieces.DATABASE
SAMPLE = 1000
ELEVEN = (148_902_215_280, 113_310_809_584, 115_438_356)
"""Boards of eleven pieces; how many can be solved; how many in only one way, by successors."""


def measure() -> list[Row]:
    """Measure the rows of the benchmark table."""
    verifying = f"large layers: verify of {VERIFIED} pieces, {SAMPLE:,} boards again"
    recorded = "large layers: database of eleven pieces"
    counts = "large layers: counts of eleven pieces"
    name = os.environ.get(DATABASE)
    if name is None:
        why = f"takes most of an hour; see benchmarks/large_layers.py, then set {DATABASE}"
        return [left_out(what, why) for what in (verifying, recorded, counts)]
    if not Path(name).is_file():
        raise SystemExit(f"{DATABASE}: there is no database {name}.")
    runs = layers(Path(name))
    rows = []
    if VERIFIED in runs:
        asked = ("verify", str(runs[VERIFIED][0]), "--sample", str(SAMPLE), "--db", name)
        taken, _ = epcg(Path.cwd(), *asked)
        rows.append(
            row(verifying, f"{taken:.0f} CPU s", "", taken / SECONDS, f"{SECONDS} s", taken < SECONDS)
        )
    if 11 not in runs:
        return [*rows, left_out(recorded, "not in that database"), left_out(counts, "not in that database")]
    size = Path(name).stat().st_size / 1e9
    found = runs[11][1:]
    return [
        *rows,
        row(recorded, f"{size:.1f} GB", "", size / GIGABYTES, f"{GIGABYTES} GB", size < GIGABYTES),
        row(counts, "{:,}, {:,} solvable, {:,} unique".format(*found), "the README's", 1.0, "equal",
            found == ELEVEN),
    ]  # fmt: skip


def layers(database: Path) -> dict[int, tuple[int, int, int, int]]:
    """Return (run, boards, solvable, unique) by the number of pieces."""
    with sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True) as connection:
        found = connection.execute(
            "SELECT layer, run_id, candidates, solvable, uniquely_solvable FROM layers"
        )
        return {layer: tuple(rest) for layer, *rest in found}


if __name__ == "__main__":
    show(measure())
