"""Questions to the domain `graphs`, and the truth about it."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

from epcg_core.store import Store
from tests.workplace import Workplace

QUERY = """
name = "graphs"
domain = "graphs"
{more}
[generator]
name = "numbers"
size = {size}
lost = {lost}
form = "{form}"
[search]
name = "breadth_first"
{search}
"""


def edges(size: int, lost: int, form: str) -> list[set[int]]:
    """Where one action leads from each number: the rules once more."""
    ways = [{2 * n, n + 3} | ({n // 2} if n % 2 == 0 else set()) for n in range(size)]
    found = [{m % (size - lost) for m in way} for way in ways]
    if form == "two_way":
        for n, way in enumerate([set(way) for way in found]):
            for m in way:
                found[m].add(n)
    return found


def depths(ways: list[set[int]], starts: tuple[int, ...] = (1,), distance: str = "from") -> list[int | None]:
    """The depth of every number, from a queue; None where it cannot be reached."""
    if distance == "to":
        ways = [{n for n, way in enumerate(ways) if m in way} for m in range(len(ways))]
    found: list[int | None] = [None] * len(ways)
    for start in starts:
        found[start] = 0
    queue = deque(starts)
    while queue:
        n = queue.popleft()
        for m in ways[n]:
            if found[m] is None:
                found[m] = (found[n] or 0) + 1
                queue.append(m)
    return found


def layers(found: list[int | None]) -> list[int]:
    """How many numbers each depth has, and the 0 of the layer that ends the search."""
    known = [depth for depth in found if depth is not None]
    return [known.count(depth) for depth in range(max(known) + 2)]


class Graphs(Workplace):
    """A workplace that asks about `graphs`."""

    def text(
        self, form: str = "plain", size: int = 41, lost: int = 0, search: str = "", more: str = ""
    ) -> str:
        return QUERY.format(form=form, size=size, lost=lost, search=search, more=more)

    def values(self, run: int, name: str, database: Path | None = None) -> list[Any]:
        """A metric by rank, None where it has no value."""
        with Store.open(database or self.database) as store, store.reader() as reader:
            record = reader.run(run)
            return [reader.value(run, name, rank) for rank in range(record.max_rank)]
