"""Choosing among many recorded candidates, and samples of runs with a filter that admits few.

    python -m benchmarks choosing

The commands are measured whole, in CPU seconds of all their processes, without the start of Python and its
imports. The reference of a sampled rank is a candidate of the complete run, which is evaluated in blocks.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.parquet import epcg
from benchmarks.table import Row, row, show

CANDIDATES = 1_360_000
LAYER = 32_468_436
"""Fling! boards of six pieces."""
SAMPLED = 50_000
SECONDS, MICROSECONDS = 3, 100
MEGABYTES = 250
"""Memory of the whole command while some of them are chosen."""
EXPORT_MICROSECONDS = 3.0
"""CPU time of a candidate's line of JSON or CSV, with its chunk read."""

QUERY = f"""
name = "moves"
domain = "fling"
generator = {{ name = "boards", pieces = 6 }}
evaluators = [{{ name = "legal_moves" }}]
range = {{ start = 0, stop = {CANDIDATES} }}
record = {{ rows = "none" }}
"""
PLAN = """
name = "ten"
[[chapters]]
name = "ten"
query = "moves.toml"
rows = "all"
measure = "legal_moves"
strategy = "evenly"
count = 10
distinct = true
"""
FILTERED = """
name = "filtered"
domain = "fling"
generator = { name = "boards", pieces = 6 }
evaluators = [{ name = "legal_moves" }]
record = { rows = "none" }
filter = { search = { name = "retrograde", uniqueness = "successors" }, metric = "unique", min = 1 }
"""


def measure() -> list[Row]:
    """Measure the rows of the benchmark table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in (("moves.toml", QUERY), ("ten.toml", PLAN), ("filtered.toml", FILTERED)):
            (folder / file).write_text(text)
        start, _ = epcg(folder, "curriculum", "build", "--help")
        epcg(folder, "run", "moves.toml", "--quiet")
        chosen, memory = epcg(folder, "curriculum", "build", "ten.toml")
        lines = {
            form: (epcg(folder, "export", "1", "--output", f"scores.{form}")[0] - start) / CANDIDATES
            for form in ("json", "csv")
        }
        epcg(folder, "run", "filtered.toml", "--quiet", "--sample", "1")  # solves the layers
        sampled, _ = epcg(folder, "run", "filtered.toml", "--quiet", "--sample", str(SAMPLED))
        epcg(folder, "run", "filtered.toml", "--quiet")
        whole, _ = epcg(folder, "run", "filtered.toml", "--quiet", "--again")
    seconds, single, block = chosen - start, (sampled - start) / SAMPLED, (whole - start) / LAYER
    return [
        row(f"choosing: 10 of {CANDIDATES:,} recorded boards, one of each class", f"{seconds:.2f} CPU s",
            f"{memory} MB", seconds / SECONDS, f"{SECONDS} s", seconds < SECONDS),
        row(f"choosing: memory while 10 of {CANDIDATES:,} are chosen", f"{memory} MB", "", memory / MEGABYTES,
            f"{MEGABYTES} MB", memory <= MEGABYTES),
        *(
            row(f"export: {CANDIDATES:,} candidates as {form}", f"{took * 1e6:.1f} us each", "",
                took * 1e6 / EXPORT_MICROSECONDS, f"{EXPORT_MICROSECONDS} us",
                took * 1e6 <= EXPORT_MICROSECONDS)
            for form, took in lines.items()
        ),
        row(f"choosing: a sample of {SAMPLED:,} where a filter admits 4 %", f"{single * 1e6:.0f} us a rank",
            f"a candidate of the whole run {block * 1e6:.2f} us", single * 1e6 / MICROSECONDS,
            f"{MICROSECONDS} us", single * 1e6 < MICROSECONDS),
    ]  # fmt: skip


if __name__ == "__main__":
    show(measure())
