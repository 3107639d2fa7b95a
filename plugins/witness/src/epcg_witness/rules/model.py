"""The transition model of a panel: states are partial paths, for solving and for puzzle entropy.

The first action is Start, then moves to free neighbouring vertices, and the explicit action End at an end
vertex. Moves across gaps and on past an end vertex are actions too: to see that they are useless is the
player's business (`epcg_witness.inference.rules`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import attrs

from epcg_witness.rules.grid import PanelError
from epcg_witness.rules.panel import Panel
from epcg_witness.rules.reference import is_solution


class Action(NamedTuple):
    """Start at a vertex, draw an edge to a vertex, or end at one."""

    kind: Literal["start", "move", "end"]
    vertex: int
    edge: int = -1
    """The edge that a move draws."""


@attrs.frozen
class PartialPath:
    """A state of play: what is drawn on a panel so far."""

    panel: Panel = attrs.field(repr=lambda panel: f"<{panel.width} by {panel.height}>")
    vertices: tuple[int, ...] = ()
    edges: tuple[int, ...] = ()
    """The edges between `vertices`, in the same order."""
    ended: bool = False

    def after(self, action: Action) -> PartialPath:
        """Return the state that an action leads to."""
        if action.kind == "end":
            return PartialPath(self.panel, self.vertices, self.edges, True)
        edges = (*self.edges, action.edge) if action.kind == "move" else ()
        return PartialPath(self.panel, (*self.vertices, action.vertex), edges)


class UnknownPlayError(PanelError):
    """A panel for which neither inference rules nor difficulty are defined."""


def check_play(panel: Panel) -> None:
    """Raise UnknownPlayError if the inference rules say nothing of panels like this one."""
    what = "erasers" if panel.has_erasers else f"{panel.symmetry} symmetry" if panel.symmetry else ""
    what = what or panel.departure
    if what:
        raise UnknownPlayError(
            f"the inference rules, and the measures of difficulty over them, are defined for panels of one "
            f"line without erasers, flat and under the default rules, and this panel has {what}; its "
            "solutions can be counted."
        )


class PanelModel:
    """The transition model of panels of one line without erasers (`epcg_core.domain.TransitionModel`).

    No two action sequences lead to the same partial path, so the states of a panel are a tree.
    """

    def initial(self, panel: Panel) -> PartialPath:
        """Return the state with nothing drawn. Raises UnknownPlayError (see `check_play`)."""
        check_play(panel)
        return PartialPath(panel)

    def actions(self, state: PartialPath) -> Iterator[Action]:
        """Yield every Start; then End if the head is an end vertex, and the moves up, right, down, left."""
        if state.ended:
            return
        if not state.vertices:
            for start in state.panel.starts:
                yield Action("start", start)
            return
        head = state.vertices[-1]
        if head in state.panel.ends:
            yield Action("end", head)
        for vertex, edge in state.panel.grid.neighbours[head]:
            if vertex not in state.vertices:
                yield Action("move", vertex, edge)

    def apply(self, state: PartialPath, action: Action) -> PartialPath:
        return state.after(action)

    def is_goal(self, state: PartialPath) -> bool:
        """Return whether the path was ended and satisfies every symbol, dot and gap."""
        return state.ended and is_solution(state.panel, state.vertices)

    def key(self, state: PartialPath) -> tuple[tuple[int, ...], bool]:
        return state.vertices, state.ended
