"""The table that every benchmark prints: what, measured, reference, ratio, bar, met."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

Row = dict[str, str | float]
COLUMNS = ("what", "measured", "reference", "ratio", "bar", "met")
ADDITIONS, UNDISTURBED = 20_000_000, 0.65
"""A loop, and the CPU seconds that it takes on the machine of the bars while nobody else uses its cores."""


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the CPU seconds of this process that `work` takes."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def row(what: str, measured: str, reference: str, ratio: float, bar: str, met: bool) -> Row:
    """Make a row of the table."""
    return {
        "what": what,
        "measured": measured,
        "reference": reference,
        "ratio": f"{ratio:.2f}",
        "bar": bar,
        "met": "yes" if met else "NO",
    }


def left_out(what: str, why: str) -> Row:
    """Return the row of a benchmark that could not be measured here."""
    return {"what": what, "measured": f"left out: {why}"}


def machine() -> Row:
    """Return how fast this machine is now: bars are CPU seconds, and the same loop may take twice as many."""
    seconds = cpu_seconds(lambda: sum(number for number in range(ADDITIONS)))
    return row(
        "this machine: 20 million additions in Python", f"{seconds:.2f} CPU s",
        f"{UNDISTURBED} CPU s where it is undisturbed", seconds / UNDISTURBED, "", True,
    )  # fmt: skip


def show(rows: Sequence[Row]) -> None:
    """Print rows, aligned."""
    texts = [[str(r.get(column, "")) for column in COLUMNS] for r in rows]
    widths = [max(len(line[i]) for line in [list(COLUMNS), *texts]) for i in range(len(COLUMNS))]
    for line in [list(COLUMNS), *texts]:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())
