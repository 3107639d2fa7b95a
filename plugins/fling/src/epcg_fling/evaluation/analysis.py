"""A designer's analysis of one board (the tool of Sturtevant 2013).

Reachable states, winning moves, and the effect of changing one cell, by search alone or with endgame tables.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import TypeVar

import attrs
import numpy as np

from epcg_core.plugin import LIMIT, Bits, CheckFailedError, EpcgError
from epcg_fling.evaluation.trees import ReachableStates
from epcg_fling.params import ReachableParams
from epcg_fling.rules.moves import BoardShape, Move, fling, legal_moves
from epcg_fling.rules.solving import Verdict
from epcg_fling.search.endgame import TableMetric, table_role
from epcg_fling.search.measure_kernels import list_edits, measure_solvable
from epcg_fling.search.solutions import SolutionSearch

T = TypeVar("T")
METRICS: tuple[TableMetric, TableMetric] = ("solvable", "unique")
"""The order of a layer's tables."""
_MEASUREMENT_S = 0.02


class SearchTooLargeError(EpcgError):
    """A board has more boards below it than the search can remember."""

    def __init__(self, bits: int) -> None:
        super().__init__(
            f"The board {bits} has too many boards below it to be searched: record the endgame table of a "
            "layer below it first."
        )


@attrs.frozen
class Judgement:
    """The winning moves and the edits of a board."""

    verdict: Verdict
    winning_moves: tuple[Move, ...]
    edits: Mapping[int, Verdict]
    """The verdict by cell: on the board without the cell's piece, or with one added if the cell is empty."""


@attrs.frozen
class Timing:
    """CPU seconds that one way of judging a board took."""

    winning_moves: float
    edits: float

    @property
    def total(self) -> float:
        """Both together."""
        return self.winning_moves + self.edits


@attrs.frozen
class Analysis:
    """All that `epcg fling analyze` says about a board."""

    judgement: Judgement
    solution: tuple[Move, ...] | None
    """The first solution in the order of `legal_moves`."""
    reachable_states: int | None
    """None if there are more than the evaluator counts."""
    reachable_cpu: float
    """CPU seconds for counting them."""
    search: Timing | None
    """The time by search alone; None if the board was too large for it."""
    with_tables: Timing | None
    """The time with endgame tables; None if there are none."""
    layers: tuple[int, ...]
    """The layers whose tables were at hand."""

    @property
    def changes(self) -> dict[int, Verdict]:
        """The edits that make the board another kind of board."""
        judged = self.judgement
        return {cell: verdict for cell, verdict in judged.edits.items() if verdict != judged.verdict}


def winning_moves(search: SolutionSearch, bits: int) -> tuple[Move, ...]:
    """Return the legal moves after which the board is still solvable, in the order of `legal_moves`.

    Raises SearchTooLargeError.
    """
    moves = legal_moves(search.shape, bits)
    after = np.array([fling(search.shape, bits, move) for move in moves], dtype=np.uint64)
    out, status = search.run(measure_solvable, after, 1)
    if LIMIT in status:
        raise SearchTooLargeError(bits)
    return tuple(move for move, solvable in zip(moves, out[0], strict=True) if solvable)


def first_solution(search: SolutionSearch, bits: int) -> tuple[Move, ...] | None:
    """Return the first solution in the order of `legal_moves`; () for a solved board, None if there is none.

    Raises SearchTooLargeError.
    """
    solution: list[Move] = []
    while bits.bit_count() > 1:
        winning = winning_moves(search, bits)
        if not winning:
            return None
        solution.append(winning[0])
        bits = fling(search.shape, bits, winning[0])
    return tuple(solution)


def analyze_board(
    shape: BoardShape, bits: int, uniqueness: str, tables: Mapping[int, tuple[Bits, Bits]]
) -> Analysis:
    """Judge a board by search and, if there are tables, with the tables too.

    Args:
        shape: the board's size.
        bits: the board, as a bitboard.
        uniqueness: what makes a solution unique: 'successors' or 'moves'.
        tables: {layer: (solvable, unique)}, recorded bits by rank; empty for none.

    Raises:
        SearchTooLargeError: if neither way gets to an end.
        CheckFailedError: if the two ways differ.
    """
    named = {
        table_role(metric, layer, uniqueness): bits
        for layer, pair in tables.items()
        for metric, bits in zip(METRICS, pair, strict=True)
    }
    _warm_up(shape)
    by_search: tuple[Judgement, Timing] | None
    try:
        by_search = _judge(shape, bits, uniqueness, {})
    except SearchTooLargeError:
        if not named:
            raise
        by_search = None
    by_tables = _judge(shape, bits, uniqueness, named) if named else None
    if by_search and by_tables and by_search[0] != by_tables[0]:
        raise CheckFailedError(
            f"The recorded endgame tables and the search disagree about the board {bits}: the tables are "
            f"damaged or were made with another uniqueness than '{uniqueness}'."
        )
    judged = by_search or by_tables
    assert judged is not None
    count, reachable_cpu = _cpu(lambda: reachable_states(shape, bits))
    return Analysis(
        judgement=judged[0],
        solution=first_solution(SolutionSearch(shape, named, uniqueness), bits),
        reachable_states=count,
        reachable_cpu=reachable_cpu,
        search=by_search[1] if by_search else None,
        with_tables=by_tables[1] if by_tables else None,
        layers=tuple(sorted(tables)),
    )


def _warm_up(shape: BoardShape) -> None:
    """Compile the kernels, or load them, so that no measurement includes it."""
    nothing = np.zeros(0, dtype=np.uint64)
    search = SolutionSearch(shape)
    search.run(measure_solvable, nothing, 1)
    search.run(list_edits, nothing, 2 * shape.cells + 2)
    ReachableStates(ReachableParams(), _Shaped(shape)).evaluate_states(nothing)


def _judge(
    shape: BoardShape, bits: int, uniqueness: str, tables: Mapping[str, Bits]
) -> tuple[Judgement, Timing]:
    search = SolutionSearch(shape, tables, uniqueness)
    winning, winning_cpu = _cpu(lambda: winning_moves(search, bits))
    edits, edits_cpu = _cpu(lambda: edit_verdicts(search, bits))
    return Judgement(edits[shape.cells], winning, dict(enumerate(edits[:-1]))), Timing(winning_cpu, edits_cpu)


def edit_verdicts(search: SolutionSearch, bits: int) -> list[Verdict]:
    """Return (cells + 1) verdicts: after the edit of each cell, and of the board as it is.

    Raises SearchTooLargeError.
    """
    out, status = search.run(list_edits, np.array([bits], dtype=np.uint64), 2 * search.shape.cells + 2)
    if LIMIT in status:
        raise SearchTooLargeError(bits)
    return [verdict_of(bool(s), bool(u)) for s, u in out.reshape(-1, 2)]


def verdict_of(solvable: bool, unique: bool) -> Verdict:
    """Return one verdict for both answers."""
    if unique:
        return "unique"
    return "solvable" if solvable else "unsolvable"


def reachable_states(shape: BoardShape, bits: int) -> int | None:
    """Count the distinct boards reachable from a board; None if there are more than the evaluator counts."""
    evaluator = ReachableStates(ReachableParams(), _Shaped(shape))
    evaluation = evaluator.evaluate_states(np.array([bits], dtype=np.uint64))
    if evaluation.status is not None and evaluation.status[0] == LIMIT:
        return None
    counts = evaluation.values[0]
    assert isinstance(counts, np.ndarray)
    return int(counts[0])


@attrs.frozen
class _Shaped:
    setting: BoardShape


def _cpu(work: Callable[[], T]) -> tuple[T, float]:
    """Run `work`; return its result and CPU seconds: the shortest of as many calls as fit into 20 ms."""
    shortest = math.inf
    until = time.process_time() + _MEASUREMENT_S
    while True:
        started = time.process_time()
        result = work()
        ended = time.process_time()
        shortest = min(shortest, ended - started)
        if ended > until:
            return result, shortest
