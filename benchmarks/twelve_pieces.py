"""A part of the layer of twelve pieces of Fling!, 558 billion boards, killed once and resumed; and the whole.

    python -m benchmarks.twelve_pieces FOLDER [PART] [UNIQUENESS]

FOLDER has the layers up to eleven (`python -m benchmarks.eleven_pieces FOLDER 11 UNIQUENESS`), which need
32 GB while they are computed. That of twelve reads a table of that of eleven, 37 GB on the disk, which is
mapped and never held whole. PART is '9/16', say: its ranks follow each other, so that it reads some of the
table only. Prints what the part took, and what the whole would take if all of its parts took as long.
"""

from __future__ import annotations

import math
import random
import subprocess
import sys
from pathlib import Path

from benchmarks.eleven_pieces import covered, killed_once
from benchmarks.layer_runs import QUERIES

PIECES = 12
BOARDS = math.comb(56, PIECES)


def main() -> None:
    folder = Path(sys.argv[1])
    part = sys.argv[2] if len(sys.argv) > 2 else "9/16"
    uniqueness = sys.argv[3] if len(sys.argv) > 3 else "successors"
    database = folder / f"fling-11-{uniqueness}.db"
    if not database.is_file():
        raise SystemExit(
            f"There is no {database}: python -m benchmarks.eleven_pieces {folder} 11 {uniqueness}"
        )
    values = (f"generator.pieces={PIECES}", f"search.uniqueness={uniqueness}")
    query = (str(QUERIES / "layers.toml"), "--set", values[0], "--set", values[1], "--part", part)
    command = (sys.executable, "-m", "epcg_core.cli", "run", *query, "--db", str(database), "--workers", "2")
    before = database.stat().st_size
    kill_at = random.uniform(0.1, 0.9) / int(part.partition("/")[2])
    done = killed_once(command, folder, lambda: covered(database, PIECES) / BOARDS, kill_at)
    wall, cpu, peak, disk, _ = done
    boards, size = covered(database, PIECES), database.stat().st_size - before
    times = BOARDS / boards
    print(f"part {part}: {boards:,} of {BOARDS:,} boards in {cpu / 60:.1f} CPU min, {wall / 60:.1f} min")
    print(f"  {peak / 1e9:.1f} GB of memory at most, {disk / 1e9:.1f} GB of disk, {size / 1e9:.2f} GB new")
    print(
        f"the whole, if it went on so: {cpu * times / 60:.0f} CPU min, {size * times / 1e9:.0f} GB of results"
    )
    counts = (sys.executable, "-m", "epcg_core.cli", "sql", "SELECT * FROM layers", "--db", str(database))
    subprocess.run(counts, check=True)


if __name__ == "__main__":
    main()
