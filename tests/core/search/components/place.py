"""Questions to the domain `lands`, and the truth about it."""

from __future__ import annotations

import importlib
from collections import deque
from typing import Any

from epcg_core.store import Store
from tests.workplace import Workplace

METRICS = ("component_size", "solvable", "hardest", "hardest_rank")
Row = tuple[int | None, bool | None, int | None, int | None]


class Lands(Workplace):
    """A workplace that asks about `lands`."""

    def text(self, more: str = "", limit: int | None = None, disk: float | None = None, **params: Any) -> str:
        lines = [f"{key} = {str(value).lower()}" for key, value in params.items() if key != "form"]
        if "form" in params:
            lines.append(f'form = "{params["form"]}"')
        search = "" if limit is None else f"limit = {limit}\n"
        search += "" if disk is None else f"disk = {disk}\n"
        return "\n".join(
            ['name = "lands"', 'domain = "lands"', more, "[generator]", 'name = "states"', *lines,
             "[search]", 'name = "components"', search]
        )  # fmt: skip

    def rows(self, run: int) -> list[Row]:
        """The metrics by rank, None where there is no value."""
        with Store.open(self.database) as store, store.reader() as reader:
            record = reader.run(run)
            return [
                tuple(reader.value(run, name, rank) for name in METRICS)  # type: ignore[misc]
                for rank in range(record.max_rank)
            ]


def truth(**params: Any) -> list[Row]:
    """The components by their definition, from the toy domain's own lists: the whole graph at once."""
    lands = importlib.import_module("epcg_lands")
    land = lands.States(lands.LandParams(**params | {"form": "plain"}))
    onward = land.transition_model._onward
    back: list[list[int]] = [[] for _ in onward]
    for one, ways in enumerate(onward):
        for other in ways:
            back[other].append(one)
    depth = dict.fromkeys(land.goals, 0)
    queue = deque(depth)
    while queue:
        at = queue.popleft()
        for before in back[at]:
            if before not in depth:
                depth[before] = depth[at] + 1
                queue.append(before)
    rows: list[Row] = [(None, None, None, None)] * land.max_rank
    met: set[int] = set()
    for rank, vertex in enumerate(land.vertex):
        if vertex in met:
            continue
        whole, queue = {vertex}, deque([vertex])
        while queue:
            at = queue.popleft()
            for other in (*onward[at], *back[at]):
                if other not in whole:
                    whole.add(other)
                    queue.append(other)
        met |= whole
        known = {v: depth[v] for v in whole if v in depth}
        hardest = max(known.values(), default=None)
        ranks = [land.rank_of[v] for v, own in known.items() if own == hardest and v in land.rank_of]
        rows[rank] = (len(whole), bool(known), hardest, min(ranks, default=None))
    return rows
