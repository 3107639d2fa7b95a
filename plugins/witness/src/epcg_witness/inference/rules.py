"""The six inference rules of a panel (Chen, White & Sturtevant 2023; Shen & Sturtevant 2024).

Each looks at a partial path and an action, and says what a player who knows the rule concludes. These are the
plain forms; `epcg_witness.entropy.kernels` holds the compiled ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from epcg_core.plugin import Answer, NoParams
from epcg_witness.params import RULE_NAMES, Counting, TriangleParams
from epcg_witness.rules.grid import Grid
from epcg_witness.rules.model import Action, PartialPath
from epcg_witness.rules.panel import Panel, Square, Star, Triangles
from epcg_witness.rules.reference import region_satisfied, regions

MUST, CANNOT, UNKNOWN = Answer.MUST, Answer.CANNOT, Answer.UNKNOWN
PanelRule = Callable[[PartialPath, Action], Answer]


def path(state: PartialPath, action: Action) -> Answer:
    """Answer by rule 1: an edge with a dot must be drawn, an edge with a gap cannot.

    Dots on vertices are not used.
    """
    if action.kind == "move":
        if action.edge in state.panel.dots:
            return MUST
        if action.edge in state.panel.gaps:
            return CANNOT
    return UNKNOWN


def reach_goal(state: PartialPath, action: Action) -> Answer:
    """Answer by rule 2: Start and End are a must; a move that cuts off the head from the ends is impossible.

    Only moves from the border are judged. If a panel has several starts, which one to take is the player's
    choice: UNKNOWN.
    """
    panel = state.panel
    if action.kind == "start":
        return MUST if len(panel.starts) == 1 else UNKNOWN
    if action.kind == "end":
        return MUST
    if len(state.vertices) < 2 or not panel.grid.on_border(state.vertices[-1]):
        return UNKNOWN
    seen = {*state.vertices, action.vertex}
    queue = [action.vertex]
    while queue:
        here = queue.pop()
        if here in panel.ends:
            return UNKNOWN
        for vertex, _ in panel.grid.neighbours[here]:
            if vertex not in seen:
                seen.add(vertex)
                queue.append(vertex)
    return CANNOT


def separation(state: PartialPath, action: Action) -> Answer:
    """Answer by rule 3: an edge between squares of different colours must be drawn."""
    if action.kind == "move":
        one, other = (_square(state.panel, cell) for cell in state.panel.grid.edge_cells(action.edge))
        if one is not None and other is not None and one != other:
            return MUST
    return UNKNOWN


def _square(panel: Panel, cell: int | None) -> str | None:
    """Return the colour of the square in a cell."""
    symbol = None if cell is None else panel.symbol_at.get(cell)
    return symbol.colour if isinstance(symbol, Square) else None


def triangle(state: PartialPath, action: Action, counting: Counting = "exact") -> Answer:
    """Answer by rule 4: the triangles in the cells beside the new edge, and behind the head.

    The cells to the left, or below, are asked first; the first answer counts. With the `published` counting
    the cells below a move to the left have their left edge counted twice, and their top edge not at all.
    """
    if action.kind != "move":
        return UNKNOWN
    panel, grid = state.panel, state.panel.grid
    x, y = grid.vertex_at(state.vertices[-1])
    to_x, to_y = grid.vertex_at(action.vertex)
    dx, dy = to_x - x, to_y - y
    low_x, low_y = min(x, to_x), min(y, to_y)
    for side in (-1, 0):
        front_x, front_y = (low_x + side, low_y) if dx == 0 else (low_x, low_y + side)
        if not _inside(grid, front_x, front_y):
            continue
        front = grid.cell(front_x, front_y)
        count = _triangles(panel, front)
        instead = counting == "published" and dx == -1 and side == -1
        around = _drawn_around(state, front, instead)
        if count == 1 and around:
            return CANNOT
        if count == 2 and around == [_opposite(grid, front, action.edge)]:
            return MUST
        if count == 3 and around:
            return MUST
        if _inside(grid, front_x - dx, front_y - dy):
            behind = grid.cell(front_x - dx, front_y - dy)
            if _triangles(panel, behind) == 3 and len(_drawn_around(state, behind, instead)) < 3:
                return CANNOT
    return UNKNOWN


def _drawn_around(state: PartialPath, cell: int, left_for_top: bool) -> list[int]:
    """Return the drawn edges around a cell; if `left_for_top`, the left one stands for the top one, too."""
    below, above, left, right = state.panel.grid.cell_edges(cell)
    return [edge for edge in (below, left if left_for_top else above, left, right) if edge in state.edges]


def _inside(grid: Grid, x: int, y: int) -> bool:
    return 0 <= x < grid.width and 0 <= y < grid.height


def _triangles(panel: Panel, cell: int) -> int:
    symbol = panel.symbol_at.get(cell)
    return symbol.count if isinstance(symbol, Triangles) else 0


def _opposite(grid: Grid, cell: int, edge: int) -> int:
    """Return the edge of a cell that does not touch one of its edges."""
    below, above, left, right = grid.cell_edges(cell)
    return {below: above, above: below, left: right, right: left}[edge]


def along_the_path(state: PartialPath, action: Action) -> Answer:
    """Answer by rule 5: the symbols that touch one side of the path must not contradict each other already.

    Only regions that are not closed yet are judged. The rule says nothing of a move to an end vertex, nor of
    paths that start inside the panel: there both sides of the path can be one region.
    """
    panel, grid = state.panel, state.panel.grid
    if action.kind != "move" or action.vertex in panel.ends or not grid.on_border(state.vertices[0]):
        return UNKNOWN
    after = state.after(action)
    ends = end_cells(panel)
    unclosed = [region for region in regions(grid, set(after.edges)) if region & ends]
    for side in sides(grid, after.vertices, after.edges):
        if any(_contradiction(panel, side & region, after.edges) for region in unclosed):
            return CANNOT
    return UNKNOWN


def end_cells(panel: Panel) -> frozenset[int]:
    """Return the cells at the end vertices: a region that holds one is not closed."""
    grid = panel.grid
    return frozenset().union(*(grid.vertex_cells[vertex] for vertex in panel.ends))


def sides(grid: Grid, vertices: Sequence[int], edges: Sequence[int]) -> tuple[set[int], set[int]]:
    """Return the cells that touch a path's edges on the left and on the right."""
    left: set[int] = set()
    right: set[int] = set()
    for vertex, to, edge in zip(vertices, vertices[1:], edges, strict=False):
        low, high = grid.edge_cells(edge)
        # `low` is below or on the left: on the left hand of a path that goes left or up.
        low_is_left = (to > vertex) != grid.is_horizontal(edge)
        for cell, side in ((low, left if low_is_left else right), (high, right if low_is_left else left)):
            if cell is not None:
                side.add(cell)
    return left, right


def _contradiction(panel: Panel, cells: Iterable[int], edges: Sequence[int]) -> bool:
    """Return whether the symbols of cells in one region violate it, whatever else the region holds."""
    held = [(cell, panel.symbol_at[cell]) for cell in cells if cell in panel.symbol_at]
    colours = Counter(symbol.colour for _, symbol in held)
    return (
        len({symbol.colour for _, symbol in held if isinstance(symbol, Square)}) > 1
        or any(colours[symbol.colour] > 2 for _, symbol in held if isinstance(symbol, Star))
        or any(
            sum(edge in edges for edge in panel.grid.cell_edges(cell)) > symbol.count
            for cell, symbol in held
            if isinstance(symbol, Triangles)
        )
    )


def region_completion(state: PartialPath, action: Action) -> Answer:
    """Answer by rule 6: regions that are closed must satisfy their symbols and the dots around them.

    The rule is asked when the path reaches the border along an edge inside the panel; at an end vertex all
    regions are closed.
    """
    panel, grid = state.panel, state.panel.grid
    if action.kind != "move" or not grid.on_border(action.vertex) or None in grid.edge_cells(action.edge):
        return UNKNOWN
    after = state.after(action)
    unclosed = frozenset() if action.vertex in panel.ends else end_cells(panel)
    edges, vertices = set(after.edges), set(after.vertices)
    for region in regions(grid, edges):
        if not region & unclosed and not region_satisfied(panel, region, edges, vertices):
            return CANNOT
    return UNKNOWN


RULES: dict[str, PanelRule] = dict(
    zip(
        RULE_NAMES,
        (path, reach_goal, separation, triangle, along_the_path, region_completion),
        strict=True,
    )
)
"""The rules by their names."""


def path_rule(params: NoParams, generator: Any) -> PanelRule:
    """Make the rule `path`."""
    return path


def reach_goal_rule(params: NoParams, generator: Any) -> PanelRule:
    """Make the rule `reach-goal`."""
    return reach_goal


def separation_rule(params: NoParams, generator: Any) -> PanelRule:
    """Make the rule `separation`."""
    return separation


def triangle_rule(params: TriangleParams, generator: Any) -> PanelRule:
    """Make the rule `triangle`."""
    return triangle if params.counting == "exact" else partial(triangle, counting=params.counting)


def along_the_path_rule(params: NoParams, generator: Any) -> PanelRule:
    """Make the rule `along-the-path`."""
    return along_the_path


def region_completion_rule(params: NoParams, generator: Any) -> PanelRule:
    """Make the rule `region-completion`."""
    return region_completion
