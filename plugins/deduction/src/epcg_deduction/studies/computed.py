"""Our numbers as the tables print them."""

from __future__ import annotations

from collections.abc import Sequence


def by_number(rows: Sequence[tuple[int, int]]) -> str:
    """Return how many candidates have each value, from 0 on, as '0 8 40 36 9'."""
    counts = {int(value): int(count) for value, count in rows}
    return " ".join(str(counts.get(value, 0)) for value in range(max(counts, default=0) + 1))
