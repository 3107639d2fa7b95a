"""Walks of large automata, and all that is feasible among eight million chains.

    python -m benchmarks spaces

The automaton sweeps over a board that is partly covered with dominoes. The chains are three links out of 200,
of which a relation admits some 22 % as neighbours, so that 5 % of the chains hold: searched by a kernel,
recorded whole, in CPU seconds of this process. The counts are compared with other ways of counting.
"""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import epcg_core as epcg
from benchmarks.table import Row, cpu_seconds, row, show
from epcg_core.plugin import (
    INFEASIBLE,
    ArrayWalk,
    BlockResult,
    Cutoff,
    Domain,
    Evaluation,
    EvaluatorInfo,
    GeneratorInfo,
    Metric,
    MixedRadix,
    Prunings,
    njit,
    prefixes,
    read_only,
)

COLUMNS, ROWS = 14, 14
RANKS, UNIT = 1_000_000, 50_000
A_SECOND, FEASIBLE_SECONDS = 1_000_000, 2.0
LINKS, DENSITY = 200, 0.2236


def dominoes(columns: int, rows: int) -> ArrayWalk:
    """Make the boards with dominoes on some cells: bit c of a state is set if cell c begins one downwards.

    One bit more says that the cell before begins one to the right.
    """
    across = 1 << columns

    def steps(position: int, states: NDArray[np.int64]) -> NDArray[np.int64]:
        row_, column = divmod(position, columns)
        down = 1 << column
        goes_on, covered = (states & across) != 0, (states & down) != 0
        free = ~goes_on & ~covered
        plain = states & ~(across | down)
        after = np.full((len(states), 4), -1, np.int64)
        after[:, 0] = np.where(free, plain, -1)
        if column + 1 < columns:
            after[:, 1] = np.where(free, plain | across, -1)
        if row_ + 1 < rows:
            after[:, 2] = np.where(free, plain | down, -1)
        after[:, 3] = np.where(goes_on ^ covered, plain, -1)
        return after

    return ArrayWalk(columns * rows, 0, steps)


@njit
def _search(
    start: int,
    count: int,
    related: NDArray[np.uint8],
    starts_out: NDArray[np.int64],
    counts_out: NDArray[np.int64],
    ranks_out: NDArray[np.int64],
) -> tuple[int, int, int]:
    """Write the chains from rank `start` on that hold, and the ranges of those with a link that does not."""
    links = related.shape[0]
    rank, stop = start, start + count
    evaluated = pruned = found = 0
    while rank < stop:
        one, two = rank // (links * links), rank // links % links
        end = min(stop, (rank // links + 1) * links)
        if related[one, two] == 0:
            if pruned > 0 and starts_out[pruned - 1] + counts_out[pruned - 1] == rank:
                counts_out[pruned - 1] += end - rank
            else:
                starts_out[pruned], counts_out[pruned] = rank, end - rank
                pruned += 1
            rank = end
            continue
        while rank < end:
            evaluated += 1
            if related[two, rank % links]:
                ranks_out[found] = rank
                found += 1
            rank += 1
    return evaluated, pruned, found


class Chains:
    """Three links each."""

    def __init__(self, params: Any) -> None:
        self._space = MixedRadix((LINKS,) * 3)
        self.prefixes = prefixes(self._space)
        self.max_rank = self._space.max_rank
        self._related = np.random.default_rng(5).random((LINKS, LINKS)) < DENSITY

    def unrank(self, rank: int) -> tuple[int, ...]:
        return self._space.unrank(rank)

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        return self._space.states_at(ranks)

    def states_block(self, start: int, count: int) -> NDArray[np.int64]:
        return self._space.states_block(start, count)


SUM = Metric("links", "int", "max", "", "the sum of the links")


class Holds:
    """The sum of the links of a chain that holds."""

    metrics = (SUM,)

    def __init__(self, params: Any, generator: Chains, tables: Any) -> None:
        self._related = read_only(generator._related.astype(np.uint8))

    def evaluate(self, chain: tuple[int, ...]) -> tuple[int] | None:
        holds = all(self._related[pair] for pair in pairwise(chain))
        return (sum(chain),) if holds else None

    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        holds = (self._related[states[:, 0], states[:, 1]] & self._related[states[:, 1], states[:, 2]]) != 0
        status = np.where(holds, 0, 1).astype(np.uint8)
        return Evaluation([states.sum(axis=1)], None if holds.all() else status)

    def empty(self) -> tuple[int, ...]:
        return ()

    def extend(self, partial: tuple[int, ...], link: int) -> tuple[int, ...]:
        return (*partial, link)

    def bound(self, partial: tuple[int, ...]) -> float | None:
        return float("inf") if self.evaluate(partial) else None

    def value(self, chain: tuple[int, ...]) -> int | None:
        found = self.evaluate(chain)
        return None if found is None else found[0]

    def search_block(self, start: int, count: int, incumbent: Cutoff) -> BlockResult:
        starts, counts = (np.empty(count // LINKS + 2, np.int64) for _ in range(2))
        ranks = np.empty(count, np.int64)
        evaluated, pruned, found = _search(start, count, self._related, starts, counts, ranks)
        kept = ranks[:found].copy()
        values = kept // LINKS**2 + kept // LINKS % LINKS + kept % LINKS
        reasons = np.full(pruned, INFEASIBLE, np.uint8)
        bounds = np.full(pruned, np.nan)
        return BlockResult(
            evaluated, kept, values, Prunings(starts[:pruned], counts[:pruned], bounds, reasons)
        )


def measure() -> list[Row]:
    """Measure everything."""
    return [*_walks(), _chains()]


def _walks() -> list[Row]:
    assert dominoes(8, 8).max_rank == 179_788_343_101_980_135  # monomers and dimers, OEIS A028420
    dominoes(3, 3).states_at(np.zeros(0, np.int64))
    board = dominoes(COLUMNS, ROWS)
    made = cpu_seconds(lambda: board.max_rank)
    states = sum(map(len, board.ways))
    small = dominoes(8, 7)
    ranks = np.random.default_rng(7).integers(0, small.max_rank, RANKS)
    small.states_at(ranks[:1])
    # A search asks for a unit at a time. All at once would be 448 MB, whose pages cost more than the ranks.
    took = cpu_seconds(lambda: [small.states_at(ranks[low : low + UNIT]) for low in range(0, RANKS, UNIT)])
    block = cpu_seconds(lambda: [small.states_block(low, UNIT) for low in range(0, RANKS, UNIT)])
    what = f"a walk over {COLUMNS} by {ROWS} cells: {states:,} states of an automaton"
    bar = f"{A_SECOND:,}/s"
    rows = [
        row(what, f"{states / made:,.0f}/s", bar, states / made / A_SECOND, bar, states / made >= A_SECOND)
    ]
    for name, seconds in (("drawn ranks unranked", took), ("ranks of a block", block)):
        speed = RANKS / seconds
        what = f"a walk over 8 by 7 cells: {name}"
        rows.append(row(what, f"{speed:,.0f}/s", bar, speed / A_SECOND, bar, speed >= A_SECOND))
    return rows


def _chains() -> Row:
    epcg.register(
        Domain(
            "chains",
            "Chains",
            "chains of three links",
            generators=[GeneratorInfo(name="three", summary="all of them", factory=Chains)],
            evaluators=[EvaluatorInfo(name="holds", summary="the sum", metrics=(SUM,), factory=Holds)],
        )
    )
    asked = {
        "name": "chains", "domain": "chains", "generator": {"name": "three"},
        "evaluators": [{"name": "holds"}], "search": {"name": "feasible"},
    }  # fmt: skip
    small = asked | {"range": {"start": 0, "stop": LINKS**2}}
    with tempfile.TemporaryDirectory() as folder:
        epcg.answer(small, db=str(Path(folder) / "warm.db"), executor="serial")
        runs: list[Any] = []
        database = str(Path(folder) / "chains.db")
        took = cpu_seconds(lambda: runs.append(epcg.answer(asked, db=database, executor="serial")))
        found = len(runs[0].values("links")[0])
    related = Chains(None)._related.astype(np.int64)
    assert found == int((related @ related).sum())
    what = f"feasible: {found:,} of {LINKS**3:,} chains, each range that was left out recorded"
    bar = f"{FEASIBLE_SECONDS:g} CPU s"
    return row(what, f"{took:.2f} CPU s", bar, took / FEASIBLE_SECONDS, bar, took <= FEASIBLE_SECONDS)


if __name__ == "__main__":
    show(measure())
