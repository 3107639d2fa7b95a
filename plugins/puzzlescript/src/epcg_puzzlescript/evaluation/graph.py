"""The shortest ways through the graph of all positions that play of a level can reach."""

from __future__ import annotations

from epcg_core.plugin import LimitReachedError, ReachableGraph

MOST_COUNTED = 2**62
UNREACHED = ReachableGraph.UNREACHED


def shortest_solutions(graph: ReachableGraph) -> int | None:
    """Return the number of shortest ways from the first position to a won one; None if there is none.

    Raises LimitReachedError if there are 2**62 or more.
    """
    if not len(graph.won):
        return None
    last = int(graph.depth[graph.won].min())
    ways = {0: 1}
    on_way = graph.depth[graph.target] == graph.depth[graph.source] + 1
    source, target = graph.source[on_way], graph.target[on_way]
    depths = graph.depth[source]
    for depth in range(last):
        here = depths == depth
        after: dict[int, int] = {}
        for one, other in zip(source[here].tolist(), target[here].tolist(), strict=True):
            after[other] = after.get(other, 0) + ways.get(one, 0)
        ways = after
    won = set(graph.won.tolist())
    found = sum(number for position, number in ways.items() if position in won)
    if found >= MOST_COUNTED:
        raise LimitReachedError("There are 2**62 shortest solutions or more.")
    return found
