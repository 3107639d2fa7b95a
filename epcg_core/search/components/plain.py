"""Components by their definition, one state at a time, in plain Python."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from typing import Any

from epcg_core.base.errors import QueryError, RankError
from epcg_core.search.components.explore import TooLargeError

Component = tuple[int, int | None, int | None]
"""Positions, the greatest distance to a goal, and the lowest rank with that distance."""


class PlainComponents:
    """The components of a `transition_model`; its positions with a `rank` are states of the space.

    Raises QueryError if a generator offers no such graph, or one that can only be followed forwards.
    """

    def __init__(self, generator: Any, limit: int) -> None:
        self._generator = generator
        self._model: Any = getattr(generator, "transition_model", None)
        self._limit = limit
        if self._model is None or not hasattr(generator, "rank"):
            raise QueryError(
                f"{type(generator).__name__} is not a graph, so it has no components: it needs "
                "position_graph, ranked_graph, or transition_model and rank."
            )
        self._predecessors = getattr(self._model, "predecessors", None)
        if getattr(self._model, "reversible", False):
            self._predecessors = None
        elif self._predecessors is None:
            raise QueryError(
                f"The transition model of {type(generator).__name__} is not reversible and has no "
                "predecessors: components join what actions lead to and what they come from, so both have to "
                "be known."
            )

    def component(self, rank: int) -> Component | None:
        """Return the component of a state; None if a state of lower rank stands for it."""
        first = self._model.initial(self._generator.unrank(rank))
        met: dict[Hashable, Any] = {self._model.key(first): first}
        back: dict[Hashable, list[Hashable]] = {}
        queue = deque(met)
        while queue:
            key = queue.popleft()
            onward = self._keyed(self._successors(met[key]))
            before = onward if self._predecessors is None else self._keyed(self._predecessors(met[key]))
            back[key] = list(before)
            for other, position in (onward | before).items():
                if other not in met:
                    if (known := self._rank(position)) is not None and known < rank:
                        return None
                    met[other] = position
                    queue.append(other)
            if len(met) > self._limit:
                raise TooLargeError(
                    f"The component of rank {rank} has more than {self._limit:,} positions: raise "
                    "search.limit."
                )
        return len(met), *self._hardest(met, back)

    def _hardest(
        self, met: dict[Hashable, Any], back: dict[Hashable, list[Hashable]]
    ) -> tuple[int | None, int | None]:
        depth = {key: 0 for key, position in met.items() if self._model.is_goal(position)}
        queue = deque(depth)
        while queue:
            key = queue.popleft()
            for other in back[key]:
                if other not in depth:
                    depth[other] = depth[key] + 1
                    queue.append(other)
        if not depth:
            return None, None
        hardest = max(depth.values())
        ranks = [self._rank(met[key]) for key, own in depth.items() if own == hardest]
        return hardest, min((rank for rank in ranks if rank is not None), default=None)

    def _successors(self, position: Any) -> Iterable[Any]:
        return (self._model.apply(position, action) for action in self._model.actions(position))

    def _keyed(self, positions: Iterable[Any]) -> dict[Hashable, Any]:
        return {self._model.key(position): position for position in positions}

    def _rank(self, position: Any) -> int | None:
        try:
            return int(self._generator.rank(position))
        except RankError:
            return None
