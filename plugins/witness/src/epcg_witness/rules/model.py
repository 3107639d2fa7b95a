"""The transition model of a panel: states are partial paths, for solving and for puzzle entropy.

The first action is Start, then moves to free neighbouring vertices, and the explicit action End at an end
vertex, or beside an edge in which lines end. Moves across gaps and on past an end vertex are actions too: to
see that they are useless is the player's business (`epcg_witness.inference.rules`). Edges that are missing
cannot be drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import attrs

from epcg_witness.rules.grid import PanelError
from epcg_witness.rules.panel import Panel
from epcg_witness.rules.reference import is_solution


class Action(NamedTuple):
    """Start at a vertex or in an edge, draw an edge to a vertex, or end at a vertex or in an edge."""

    kind: Literal["start", "move", "end"]
    vertex: int
    """Where the line starts, moves to or ends; of an end in an edge its last vertex, of a start there -1."""
    edge: int = -1
    """The edge that a move draws, or in whose middle the line starts or ends; -1 for none."""


@attrs.frozen
class PartialPath:
    """A state of play: what is drawn on a panel so far. With symmetry it is the first of the two lines."""

    panel: Panel = attrs.field(repr=lambda panel: f"<{panel.width} by {panel.height}>")
    vertices: tuple[int, ...] = ()
    edges: tuple[int, ...] = ()
    """The edges between `vertices`, in the same order."""
    ended: bool = False
    begin: int = -1
    """The edge in whose middle the line has begun; -1 if it begins at a vertex."""
    last: int = -1
    """The edge in whose middle the line has ended; -1 if it has not."""

    @property
    def path(self) -> tuple[int, ...]:
        """The points of the line, as `epcg_witness.rules.reference` has them."""
        grid = self.panel.grid
        points: tuple[int, ...] = () if self.begin < 0 else (grid.vertices + self.begin,)
        points = (*points, *self.vertices[:1])
        for vertex, edge in zip(self.vertices[1:], self.edges, strict=True):
            points = grid.step(points, vertex, edge)
        return points if self.last < 0 else (*points, grid.vertices + self.last)

    def after(self, action: Action) -> PartialPath:
        """Return the state that an action leads to."""
        if action.kind == "start":
            vertices = (action.vertex,) if action.edge < 0 else ()
            return PartialPath(self.panel, vertices, begin=action.edge)
        if action.kind == "end":
            return attrs.evolve(self, ended=True, last=action.edge)
        edges = (*self.edges, action.edge) if self.vertices else ()
        return attrs.evolve(self, vertices=(*self.vertices, action.vertex), edges=edges)


class UnknownDifficultyError(PanelError):
    """A panel for which neither inference rules nor difficulty are defined."""


def check_difficulty(panel: Panel) -> None:
    """Raise UnknownDifficultyError if the inference rules say nothing of panels like this one."""
    what = "erasers" if panel.has_erasers else f"{panel.symmetry} symmetry" if panel.symmetry else ""
    what = what or panel.departure
    if what:
        raise UnknownDifficultyError(
            f"the inference rules, and the measures of difficulty over them, are defined for panels of one "
            f"line without erasers, flat and under the default rules, and this panel has {what}; its "
            "solutions can be counted."
        )


class PanelModel:
    """The transition model of panels (`epcg_core.domain.TransitionModel`).

    With symmetry both lines move together: neither touches the other, so the first one visits no vertex on
    the axis, or in the centre. No two action sequences lead to the same partial path, so the states of a
    panel are a tree.
    """

    def initial(self, panel: Panel) -> PartialPath:
        """Return the state with nothing drawn."""
        return PartialPath(panel)

    def actions(self, state: PartialPath) -> Iterator[Action]:
        """Yield every Start, vertices first; then the Ends at the head, and the moves up, right, down, left.

        From the middle of an edge a move leads to its left or lower vertex, and to the other one.
        """
        panel = state.panel
        if state.ended:
            return
        if not state.vertices and state.begin < 0:
            yield from (Action("start", start) for start in panel.line_starts)
            yield from (Action("start", -1, edge) for edge in panel.line_edge_starts)
            return
        if not state.vertices:
            ends = panel.grid.edge_ends(state.begin)
            yield from (Action("move", vertex, state.begin) for vertex in ends if _is_free(state, vertex))
            return
        head = state.vertices[-1]
        if head in panel.line_ends:
            yield Action("end", head)
        around = panel.grid.neighbours[head]
        for _, edge in around if panel.edge_ends else ():
            if edge in panel.line_edge_ends and edge != state.begin and edge not in state.edges:
                yield Action("end", head, edge)
        for vertex, edge in around:
            if edge != state.begin and edge not in panel.undrawable and _is_free(state, vertex):
                yield Action("move", vertex, edge)

    def apply(self, state: PartialPath, action: Action) -> PartialPath:
        return state.after(action)

    def is_goal(self, state: PartialPath) -> bool:
        """Return whether the path was ended and satisfies every symbol, dot and gap."""
        return state.ended and is_solution(state.panel, state.path)

    def key(self, state: PartialPath) -> tuple[tuple[int, ...], bool]:
        return state.path, state.ended


def _is_free(state: PartialPath, vertex: int) -> bool:
    """Return whether the line can visit a vertex: neither line has visited it, nor do they meet there."""
    if vertex in state.vertices:
        return False
    if state.panel.symmetry is None:
        return True
    twin = state.panel.twin_vertex(vertex)
    return twin != vertex and twin not in state.vertices
