"""What a play page carries of a content: its play part by part, or else a graph of positions."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import attrs

from epcg_core.inside import Document
from epcg_publishing.limits import MOST_POSITIONS
from epcg_publishing.play_data import packed
from epcg_publishing.play_graph import DEAD, play_graph
from epcg_publishing.play_parts import packed_parts, play_parts


@attrs.frozen
class Carried:
    """The play of one content."""

    moves: str
    """What the page's script unpacks, in base64."""
    steps: list[str] | None
    """A solution in words; None if none is known."""
    positions: int
    complete: bool
    """Whether these are all positions that can be reached."""
    solvable: bool | None = None
    """Whether it can be solved; None if that is not known."""


def carried(document: Document, recorded: Sequence[Any] = (), most: int = MOST_POSITIONS) -> Carried:
    """Return what a page carries of a content.

    Args:
        document: the content.
        recorded: the texts of a recorded solution's actions, if there is any.
        most: the most positions of a graph (see `play_graph`).

    Raises:
        EpcgError: if the content cannot be played.
    """
    apart = play_parts(document)
    if apart is not None:
        return Carried(
            b64encode(packed_parts(apart)).decode(),
            apart.solution(),
            apart.positions,
            True,
            bool(apart.goals),
        )
    graph = play_graph(document, recorded, most)
    way = graph.solution()
    steps = None if way is None else [edge.step.text for edge in way]
    solvable = True if way is not None else False if graph.distances[0] == DEAD else None
    return Carried(b64encode(packed(graph)).decode(), steps, len(graph.states), graph.complete, solvable)
