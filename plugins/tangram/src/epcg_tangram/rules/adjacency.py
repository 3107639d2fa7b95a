"""Which pieces of a board touch, and the colour constraints on them.

Two pieces share an edge, or only a corner (a vertex of the lattice), or nothing. A constraint holds for a
colour if all pairs of its pieces satisfy it, and for two colours if all pairs of a piece of each do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, product
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.compiled import read_only
from epcg_core.domain import Evaluation, Metric, NoParams, Value
from epcg_tangram import metrics
from epcg_tangram.generators.boards import Board, SolvedBoards, excluded_piece
from epcg_tangram.rules.geometry import PIECE_ORDER, TRAPEZOID, geometry

NOTHING, CORNER, EDGE = 0, 1, 2
"""What two pieces share."""

COLOURS: tuple[tuple[str, ...], ...] = (
    ("Hexagon", "Butterfly"),
    ("Line", "Snake"),
    ("Elbow", TRAPEZOID),
    ("Mountains", "Wrench"),
    ("Triangle", "Hook"),
)
COLOUR_OF = tuple(next(i for i, names in enumerate(COLOURS) if name in names) for name in PIECE_ORDER)
"""The colour of each piece of PIECE_ORDER."""


@attrs.frozen
class Relation:
    """One of the four relations that a colour constraint can demand of two pieces."""

    name: str
    shared: tuple[int, ...]
    """What the pieces may share."""


RELATIONS = (
    Relation("edges_must_touch", (EDGE,)),
    Relation("edges_must_not_touch", (NOTHING, CORNER)),
    Relation("corners_must_touch_not_edges", (CORNER,)),
    Relation("neither_edges_nor_corners", (NOTHING,)),
)
"""Constraint types 2 to 5; type 6 is one of them between two different colours."""


@cache
def shared_table(side: int) -> NDArray[np.uint8]:
    """(placements, placements) uint8: what any two placements of a board share."""
    board = geometry(side)
    covers = np.zeros((len(board.placements), board.cells), np.float32)
    for number, placement in enumerate(board.placements):
        covers[number, list(placement.cells)] = 1
    table = np.zeros((len(board.placements), len(board.placements)), np.uint8)
    for kind, pairs in ((CORNER, board.corner_pairs), (EDGE, board.edge_pairs)):
        touching = np.zeros((board.cells, board.cells), np.float32)
        for one, other in pairs:
            touching[one, other] = touching[other, one] = 1
        table[covers @ touching @ covers.T > 0] = kind
    return read_only(table)


def shared(board: Board, one: int, other: int) -> int:
    """What two pieces of a board share, by their position in it; the definition behind `shared_table`."""
    triangles = geometry(board.side).triangles
    (_, ours), (_, theirs) = board.pieces[one], board.pieces[other]
    most = max(len(triangles[a] & triangles[b]) for a in ours for b in theirs)
    return {0: NOTHING, 1: CORNER, 2: EDGE}[most]


def constraints_met(board: Board) -> list[tuple[Relation, tuple[int, ...]]]:
    """The colour constraints of types 2 to 6 that a board meets, each with its one or two colours."""
    by_colour: list[list[int]] = [[] for _ in COLOURS]
    for position, (name, _) in enumerate(board.pieces):
        by_colour[COLOUR_OF[PIECE_ORDER.index(name)]].append(position)
    found: list[tuple[Relation, tuple[int, ...]]] = []
    for colours in [(c,) for c in range(len(COLOURS))] + list(combinations(range(len(COLOURS)), 2)):
        if len(colours) == 1:
            pairs = list(combinations(by_colour[colours[0]], 2))
        else:
            pairs = list(product(by_colour[colours[0]], by_colour[colours[1]]))
        kinds = {shared(board, one, other) for one, other in pairs}
        found += [(relation, colours) for relation in RELATIONS if kinds and kinds <= set(relation.shared)]
    return found


class _BoardEvaluator:
    """What evaluators of boards share: the boards' side, and the packed form."""

    metrics: Sequence[Metric]

    def __init__(self, params: NoParams, generator: SolvedBoards, tables: Any) -> None:
        self.side = generator.params.side

    def _pieces(self, states: NDArray[np.int32]) -> NDArray[np.int64]:
        """(n, width): the piece of each placement, -1 behind the last."""
        numbers = np.array([*(p.piece for p in geometry(self.side).placements), -1], np.int64)
        return numbers[states]

    def _shared(self, states: NDArray[np.int32]) -> NDArray[np.uint8]:
        """(n, width, width): what each two placements share; anything where there is none."""
        return shared_table(self.side)[states[:, :, None], states[:, None, :]]


class BoardFacts(_BoardEvaluator):
    """`excluded_piece`, `trapezoids`, `touching_pairs`."""

    metrics = (metrics.EXCLUDED_PIECE, metrics.TRAPEZOIDS, metrics.TOUCHING_PAIRS)

    def evaluate(self, state: Board) -> tuple[Value | None, ...]:
        names = [name for name, _ in state.pieces]
        pairs = combinations(range(len(names)), 2)
        touching = sum(shared(state, one, other) == EDGE for one, other in pairs)
        return excluded_piece(state), names.count(TRAPEZOID), touching

    def evaluate_states(self, states: NDArray[np.int32]) -> Evaluation:
        pieces = self._pieces(states)
        absent = np.stack([(pieces != number).all(axis=1) for number in range(len(PIECE_ORDER))], axis=1)
        excluded = np.argmax(absent, axis=1) if len(states) else np.zeros(0, np.int64)
        trapezoids = (pieces == PIECE_ORDER.index(TRAPEZOID)).sum(axis=1)
        both = (pieces[:, :, None] >= 0) & (pieces[:, None, :] >= 0)
        touching = np.triu((self._shared(states) == EDGE) & both, 1).sum(axis=(1, 2))
        status = np.zeros((3, len(states)), np.uint8)
        status[0] = ~absent.any(axis=1)  # NONE where no piece is absent
        return Evaluation(
            [excluded.astype(np.int64), trapezoids.astype(np.int64), touching.astype(np.int64)],
            status if status.any() else None,
        )


class Colours(_BoardEvaluator):
    """How many colour constraints of each type a board meets."""

    metrics = metrics.COLOURS

    def evaluate(self, state: Board) -> tuple[Value, ...]:
        met = constraints_met(state)
        single = [sum(r == relation and len(c) == 1 for r, c in met) for relation in RELATIONS]
        return (*single, sum(len(c) == 2 for _, c in met))

    def evaluate_states(self, states: NDArray[np.int32]) -> Evaluation:
        pieces = self._pieces(states)
        colours = np.array([*COLOUR_OF, -1], np.int64)[pieces]
        kinds = np.int64(1) << self._shared(states).astype(np.int64)
        upper = np.triu(np.ones(kinds.shape[1:], np.bool_), 1)
        counts = np.zeros((len(RELATIONS) + 1, len(states)), np.int64)
        for one in range(len(COLOURS)):
            for other in range(one, len(COLOURS)):
                pairs = (colours == one)[:, :, None] & (colours == other)[:, None, :]
                if one == other:
                    pairs &= upper
                seen = np.bitwise_or.reduce(np.where(pairs, kinds, 0), axis=(1, 2))
                for row, relation in enumerate(RELATIONS):
                    allowed = sum(1 << kind for kind in relation.shared)
                    holds = (seen != 0) & (seen & ~allowed == 0)
                    counts[row if one == other else -1] += holds
        return Evaluation(list(counts))


# --- the registered evaluators -----------------------------------------------------------------------------


def board_facts(params: NoParams, generator: SolvedBoards, tables: Any) -> BoardFacts:
    return BoardFacts(params, generator, tables)


def colours(params: NoParams, generator: SolvedBoards, tables: Any) -> Colours:
    return Colours(params, generator, tables)
