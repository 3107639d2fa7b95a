"""The covers of many choices of pieces on one board, counted.

A designer asks which pieces fill a board, and in how many ways. The problem is prepared once, and each choice
is one search of a kernel; or all choices are counted at once, by partial covers that are alike, where there
are many copies and the search would be long.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from epcg_core.base.errors import EpcgError, ParamsError
from epcg_core.compiled import read_only
from epcg_core.search.exact_cover.counting import kept_by_copies
from epcg_core.search.exact_cover.kernels import count_choices
from epcg_core.search.exact_cover.problem import CoverProblem
from epcg_core.search.exact_cover.roots import Orbits
from epcg_core.search.exact_cover.solver import NO_LIMIT, CoverSearch

Integers = NDArray[np.int64]
BLOCK = 10_000
"""Choices that are searched at once, because their areas take memory."""
LONG = 2e7
"""Nodes of a search that is long: some CPU seconds."""
MOST_VECTORS = 10_000
"""Numbers of copies of all pieces that are counted together: each may multiply the partial covers."""


def count_covers(
    problem: CoverProblem, least: ArrayLike, most: ArrayLike, limit: int | None = None
) -> NDArray[np.int64]:
    """Count the covers of a problem for many choices of pieces, modulo its symmetries.

    Args:
        problem: the board with its symmetries and the placements of all pieces; its own copies do not matter.
        least: (choices, pieces) integers, how many copies of each piece a cover has at least.
        most: (choices, pieces) integers, how many copies it has at most; 0 takes the piece out.
        limit: the number of covers after which the counting of a choice stops.

    Returns:
        (choices,) int64 counts; with a limit, `limit` + 1 stands for more.

    Raises:
        ParamsError: the arrays do not fit the problem, or a symmetry does not keep it or a choice.
    """
    low, high = _copies(problem, least, "least"), _copies(problem, most, "most")
    if low.shape != high.shape:
        raise ParamsError(f"There are {len(low)} choices of least copies, and {len(high)} of most.")
    if limit is not None and limit < 0:
        raise ParamsError(f"limit: 0 covers or more are expected, not {limit}.")
    wrong = np.argwhere((low < 0) | (low > high))
    if len(wrong):
        row, piece = wrong[0].tolist()
        raise ParamsError(
            f"Choice {row} has {low[row, piece]} to {high[row, piece]} copies of piece {piece}: 0 <= least "
            "<= most is expected."
        )
    if not len(low):
        return np.zeros(0, np.int64)
    for own in problem.group:
        exchanged = np.array(own[problem.cells :], np.int64)
        changed = np.flatnonzero(
            (low[:, exchanged] != low).any(axis=1) | (high[:, exchanged] != high).any(axis=1)
        )
        if len(changed):
            raise ParamsError(f"A symmetry exchanges pieces of which choice {changed[0]} has other copies.")
    widest = attrs.evolve(problem, least=low.min(axis=0).tolist(), most=high.max(axis=0).tolist())
    counter = _Counter(widest, NO_LIMIT if limit is None else limit)
    if counter.cost > LONG and math.prod(own + 1 for own in widest.most) <= MOST_VECTORS:
        try:
            kept = kept_by_copies(attrs.evolve(widest, unused=None))
        except EpcgError:  # too many partial covers differ: choices are searched one by one
            pass
        else:
            return _of_choices(problem, kept, low, high, limit)
    blocks = range(0, len(low), BLOCK)
    return np.concatenate([counter.count(low[at : at + BLOCK], high[at : at + BLOCK]) for at in blocks])


def _of_choices(
    problem: CoverProblem,
    kept: Mapping[tuple[int, ...], int],
    low: Integers,
    high: Integers,
    limit: int | None,
) -> Integers:
    """Return the counts of choices from the result of `kept_by_copies`."""
    used = np.array(list(kept), np.int64).reshape(-1, problem.pieces)
    counts = []
    for least, most in zip(low, high, strict=True):
        fits = ((used >= least) & (used <= most)).all(axis=1)
        if problem.unused is not None:
            fits &= most.sum() - used.sum(axis=1) <= problem.unused
        own = sum(ways for ways, fit in zip(kept.values(), fits.tolist(), strict=True) if fit)
        counts.append(own // len(problem.group))
    if limit is not None:
        counts = [min(own, limit + 1) for own in counts]
    if max(counts, default=0) > NO_LIMIT:
        raise EpcgError("A choice has more covers than 64 bits can count: ask for a limit.")
    return np.array(counts, np.int64)


def _copies(problem: CoverProblem, values: ArrayLike, name: str) -> Integers:
    copies = np.asarray(values)
    if copies.ndim != 2 or copies.shape[1] != problem.pieces or not np.can_cast(copies.dtype, np.int64):
        raise ParamsError(
            f"{name}: a number of copies for each choice and each of {problem.pieces} pieces is expected, "
            f"not {reprlib.repr(values)}."
        )
    return copies.astype(np.int64)


class _Counter:
    """Counts the choices of one problem."""

    def __init__(self, problem: CoverProblem, limit: int) -> None:
        self._problem = problem
        self._search = CoverSearch(problem)
        self._order = self._search.method.order
        self.cost = self._search.method.cost
        self._orbits = Orbits(problem)
        self._limit = limit
        self._sizes = [
            sorted({len(cells) for own, cells in problem.placements if own == piece})
            for piece in range(problem.pieces)
        ]

    def count(self, least: Integers, most: Integers) -> Integers:
        """Count the covers of each choice, stage by stage as `roots.stages` splits one problem."""
        counts = np.zeros(len(least), np.int64)
        may_be_left = self._may_be_left(most)
        most = most.copy()
        rows = np.arange(len(least))
        while len(rows := rows[self._may_fill(least[rows], most[rows]) & (counts[rows] <= self._limit)]):
            fixed = self._to_fix(least[rows], most[rows])
            for piece in np.unique(fixed).tolist():
                own = rows[fixed == piece]
                rest = self._limit - counts[own]
                counts[own] += self._stage(
                    None if piece < 0 else piece, least[own], most[own], may_be_left[own], rest
                )
            rows, fixed = rows[fixed >= 0], fixed[fixed >= 0]
            rows, fixed = rows[least[rows, fixed] == 0], fixed[least[rows, fixed] == 0]
            may_be_left[rows] -= most[rows, fixed]
            most[rows, fixed] = 0
        return counts

    def _may_be_left(self, most: Integers) -> Integers:
        """Return for each choice how many of its copies a cover may do without."""
        unused = self._problem.unused
        return np.full(len(most), NO_LIMIT if unused is None else unused, np.int64)

    def _stage(
        self, piece: int | None, least: Integers, most: Integers, may_be_left: Integers, limit: Integers
    ) -> Integers:
        stage = self._orbits.stage(piece, self._problem.most)
        layout = self._search.layout(self._order, stage)
        slack = most - least
        if piece is not None:
            slack[:, piece] = 0
        spare = self._problem.cells - least @ np.array([min(own, default=0) for own in self._sizes], np.int64)
        empty, still_spare = self._problem.empty, NO_LIMIT
        if empty is not None:
            spare, still_spare = np.minimum(spare, empty), 0
        images, tests = layout.tests(stage.tests)
        return count_choices(
            layout.begin, layout.piece, layout.masks, *layout.table, layout.optional, layout.filled(()),
            read_only(np.zeros(0, np.int64)), read_only(most), read_only(slack), layout.labels, images, tests,
            read_only(spare), still_spare, read_only(may_be_left), read_only(limit),
        )  # fmt: skip

    def _to_fix(self, least: Integers, most: Integers) -> Integers:
        """Return for each choice the piece that `Orbits.to_fix` chooses, -1 for none."""
        if len(self._problem.group) == 1:
            return np.full(len(least), -1, np.int64)
        kept, each = self._orbits.kept, self._orbits.each
        keys = sorted(
            (kept[piece], -needed, -len(each[piece]), piece)
            for piece in self._problem.kept_pieces
            for needed in (0, 1)
        )
        ranks = np.full((2, self._problem.pieces), len(keys), np.int64)
        for rank, (_, needed, _, piece) in enumerate(keys):
            ranks[-needed, piece] = rank
        own = np.where(most == 1, np.where(least == 1, ranks[1], ranks[0]), len(keys))
        best = own.argmin(axis=1)
        return np.where(own[np.arange(len(best)), best] < len(keys), best, -1)

    def _may_fill(self, least: Integers, most: Integers) -> NDArray[np.bool_]:
        """Return which choices `CoverProblem.impossible` does not rule out."""
        cells = self._problem.cells
        sums = np.zeros((len(least), cells + 1), np.bool_)
        sums[:, 0] = True
        for piece, sizes in enumerate(self._sizes):
            for copy in range(min(cells, int(most[:, piece].max(initial=0))) if sizes else 0):
                added = np.zeros_like(sums)
                for size in sizes:
                    added[:, size:] |= sums[:, :-size]
                added[copy >= most[:, piece]] = False
                sums[copy < least[:, piece]] = False
                np.logical_or(sums, added, out=sums)
            if not sizes:
                sums[least[:, piece] > 0] = False
        areas = self._problem.areas
        return np.asarray(sums[:, areas[0] : areas[-1] + 1].any(axis=1))
