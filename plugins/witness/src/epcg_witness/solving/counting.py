"""Counting paths without listing them: dynamic programming over the frontier.

Edges are decided one after the other, row by row along the longer side. What matters of the edges decided so
far is which vertices of the frontier are joined by a path, so states that agree on it are counted together
(Knuth, The Art of Computer Programming 4A, 7.1.4, algorithm "Simpath"). 789,360,053,252 paths join the
corners of a panel of 7 by 7, and counting them takes some seconds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from epcg_witness.rules.grid import Grid, PanelError
from epcg_witness.rules.panel import Panel

_INSIDE = -1
"""The mate of a vertex in the middle of a path."""


def count_paths(
    grid: Grid,
    starts: Sequence[int],
    ends: Sequence[int],
    dots: Sequence[int] = (),
    gaps: Sequence[int] = (),
) -> int:
    """Count the self-avoiding paths from one of `starts` to one of `ends`.

    Args:
        grid: the grid.
        starts: the vertices where paths begin; a path may pass others of them.
        ends: the vertices where paths end; a path may pass others of them.
        dots: locations that every path covers.
        gaps: edges that no path covers.
    """
    return sum(_count(grid, start, end, frozenset(dots), frozenset(gaps)) for start in starts for end in ends)


def count_line_solutions(panel: Panel) -> int:
    """Count the solutions of a panel without symbols in its cells, of any size.

    Raises PanelError for a panel with symbols in cells, or with symmetry, or that departs from the default
    rules (see `Panel.departure`).
    """
    if panel.departure:
        raise PanelError(
            "Counting without listing the paths is possible for flat panels under the default rules only, "
            f"and this one has {panel.departure}."
        )
    if panel.symmetry is not None:
        raise PanelError(
            "Counting without listing the paths is possible for one line only, and this panel has symmetry."
        )
    if panel.symbols:
        raise PanelError(
            "Counting without listing the paths is possible for panels with dots and gaps only, and this one "
            f"holds {len(panel.symbols)} symbols in its cells."
        )
    return count_paths(panel.grid, panel.starts, panel.ends, panel.dots, panel.gaps)


def _ordered_edges(grid: Grid) -> list[tuple[int, int, int]]:
    """Order (edge, vertex, vertex) so that few vertices have both decided and undecided edges."""
    across = (lambda v: grid.vertex_at(v)[::-1]) if grid.width <= grid.height else grid.vertex_at
    found = []
    for edge in range(grid.edges):
        one, other = sorted(grid.edge_ends(edge), key=across)
        found.append((edge, one, other))
    return sorted(found, key=lambda row: (across(row[2]), across(row[1])))


def _count(grid: Grid, start: int, end: int, dots: frozenset[int], gaps: frozenset[int]) -> int:
    """Count the paths from `start` to `end`.

    A state maps each vertex of the frontier to its mate: itself while no edge meets it, the other end of the
    path that ends there, or _INSIDE. Start and end count as joined from the beginning, so a path from one to
    the other closes a cycle.
    """
    edges = _ordered_edges(grid)
    last = {vertex: i for i, (_, *both) in enumerate(edges) for vertex in both}
    first = {vertex: i for i, (_, *both) in reversed(list(enumerate(edges))) for vertex in both}
    needed = {dot - grid.edges for dot in dots if dot >= grid.edges}
    final_dot = max((i for i, (edge, *_) in enumerate(edges) if edge in dots), default=-1)
    active = sorted((start, end))
    states: dict[tuple[int, ...], int] = {tuple(end if v == start else start for v in active): 1}
    total = 0
    for i, (edge, one, other) in enumerate(edges):
        entering = [v for v in (one, other) if v not in active]
        before = active + entering
        leaving = [v for v in (one, other) if last[v] == i]
        active = [v for v in before if v not in leaving]
        untouched_needed = any(first[v] > i and v not in (start, end) for v in needed)
        following: dict[tuple[int, ...], int] = defaultdict(int)
        for mates, ways in states.items():
            mate = dict(zip(before, (*mates, *entering), strict=True))
            if edge not in dots and _may_leave(mate, leaving, needed):
                following[tuple(mate[v] for v in active)] += ways
            ends = mate[one], mate[other]
            if edge in gaps or _INSIDE in ends:
                continue
            if ends == (other, one):
                closed = i >= final_dot and not untouched_needed and _all_but_cycle(mate, one, other, needed)
                total += ways if closed else 0
                continue
            for vertex in (one, other):
                if mate[vertex] != vertex:
                    mate[vertex] = _INSIDE
            mate[ends[0]], mate[ends[1]] = ends[1], ends[0]
            if _may_leave(mate, leaving, needed):
                following[tuple(mate[v] for v in active)] += ways
        states = following
    return total


def _may_leave(mate: dict[int, int], leaving: list[int], needed: set[int]) -> bool:
    """Return whether the vertices whose edges are all decided are off the path, or in the middle of it."""
    return all(mate[v] == _INSIDE or (mate[v] == v and v not in needed) for v in leaving)


def _all_but_cycle(mate: dict[int, int], one: int, other: int, needed: set[int]) -> bool:
    """Return whether the cycle that an edge closes is all there is, and no needed vertex is left out."""
    return all(v in (one, other) or mate[v] == _INSIDE or (mate[v] == v and v not in needed) for v in mate)
