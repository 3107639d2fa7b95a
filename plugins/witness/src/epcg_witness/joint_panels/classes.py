"""Classes of panels that cannot be told apart as parts of a set that one path solves together.

Two panels belong to one class if the same paths solve them and, if the restriction looks at regions,
where the same of these paths part their pieces. All that is asked of a set of sub-panels (how many paths
solve some of them, and whether the one that solves all parts their pieces) follows from the classes, so
searching the multisets of classes searches the multisets of panels.
"""

from __future__ import annotations

import random
from functools import lru_cache

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import ParamsError, read_only
from epcg_witness.generators.placements import Placements, pieces
from epcg_witness.params import PiecesParams, Restriction
from epcg_witness.solving.paths import PathTable
from epcg_witness.solving.solver import Solver

_CHUNK = 2**15
_MOST_WORDS = 2**27
"""Words that the solution sets of all candidates may take before equal ones are joined."""


@attrs.frozen(eq=False)
class PanelClasses:
    """The classes, those with the most solutions first, then by their example."""

    panels: Placements
    paths: PathTable
    candidates: int
    """The number of panels looked at."""
    sets: NDArray[np.uint64]
    """(classes, words): the paths that solve the panels of a class, see `PathTable`."""
    allowed: NDArray[np.uint64]
    """(classes, words): those of them that may be a joint solution."""
    weights: tuple[int, ...]
    """The number of panels that each class stands for."""
    examples: tuple[int, ...]
    """The lowest rank of a panel of each class."""

    def __len__(self) -> int:
        return len(self.weights)


def panel_classes(
    params: PiecesParams, restriction: Restriction, candidates: int = 0, seed: int = 0
) -> PanelClasses:
    """Return the classes of the solvable panels that satisfy a restriction, kept for the next time.

    Args:
        params: the generator of the panels.
        restriction: the condition on the pieces of a sub-panel.
        candidates: the number of panels drawn at random; 0 for all panels.
        seed: the seed of the draw.

    Raises:
        ParamsError: if there are fewer panels, or if the solution sets would not fit into memory.
        TooManyPathsError: if the paths cannot be listed.
    """
    return _classes(params, restriction, candidates, seed)


@lru_cache(maxsize=4)
def _classes(params: PiecesParams, restriction: Restriction, candidates: int, seed: int) -> PanelClasses:
    panels = pieces(params)
    if candidates > panels.max_rank:
        raise ParamsError(
            f"candidates: there are {panels.max_rank:,} panels, and {candidates:,} cannot be drawn."
        )
    number = candidates or panels.max_rank
    solver = Solver(panels.setting)
    if number * solver.paths.words > _MOST_WORDS:
        raise ParamsError(
            f"candidates: {number:,} panels with {solver.paths.count:,} paths each are too many; draw at "
            f"most {_MOST_WORDS // solver.paths.words:,}."
        )
    drawn = _drawn(panels.max_rank, candidates, seed)
    found = [
        _solved(panels, solver, drawn[i : i + _CHUNK] if drawn is not None else None, i, number, restriction)
        for i in range(0, number, _CHUNK)
    ]
    ranks = np.concatenate([ranks for ranks, _, _ in found])
    sets = np.concatenate([sets for _, sets, _ in found])
    allowed = sets
    if restriction == "not_one_region":
        allowed = sets & ~np.concatenate(
            [_together(panels, solver.paths, entries) for _, _, entries in found]
        )
    return _grouped(panels, solver.paths, number, ranks, sets, allowed)


def _drawn(size: int, candidates: int, seed: int) -> NDArray[np.int64] | None:
    """Draw different ranks below `size`, increasing: (candidates,); None for all."""
    if not candidates:
        return None
    return np.array(sorted(random.Random(seed).sample(range(size), candidates)), np.int64)


def _solved(
    panels: Placements,
    solver: Solver,
    drawn: NDArray[np.int64] | None,
    start: int,
    number: int,
    restriction: Restriction,
) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.int32]]:
    """Return (ranks, solution sets, packed panels) of the solvable ones among some candidates.

    These are `drawn`, or _CHUNK ranks from `start` on; if the restriction asks for different types, those
    that have no piece twice.
    """
    if drawn is None:
        ranks = np.arange(start, min(start + _CHUNK, number), dtype=np.int64)
        states = panels.states_block(start, len(ranks))
    else:
        ranks, states = drawn, panels.states_at(drawn)
    if restriction == "different_types":
        types = np.sort(states % len(panels.setting.all_symbols), axis=1)
        different = (types[:, 1:] != types[:, :-1]).all(axis=1)
        ranks, states = ranks[different], states[different]
    solved = solver.solve(states, sets=True)
    kept = solved.solutions > 0
    return ranks[kept], solved.sets[kept], states[kept]


def _together(panels: Placements, paths: PathTable, states: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Return the paths that leave all pieces of a panel in one region: (panels, words)."""
    cells = np.sort(states // len(panels.setting.all_symbols), axis=1).astype(np.int64)
    found = np.repeat(paths.everything[None], len(states), axis=0)
    for column in range(1, cells.shape[1]):
        low, high = cells[:, 0], cells[:, column]
        found &= paths.together[high * (high - 1) // 2 + low]
    return found


def _grouped(
    panels: Placements,
    paths: PathTable,
    candidates: int,
    ranks: NDArray[np.int64],
    sets: NDArray[np.uint64],
    allowed: NDArray[np.uint64],
) -> PanelClasses:
    """Return the classes of solved panels, whose ranks increase."""
    rows = sets if allowed is sets else np.concatenate([sets, allowed], axis=1)
    _, first, counts = np.unique(rows, axis=0, return_index=True, return_counts=True)
    solutions = np.bitwise_count(sets[first]).sum(axis=1, dtype=np.int64)
    order = np.lexsort((first, -solutions))
    first, counts = first[order], counts[order]
    own = read_only(sets[first])
    return PanelClasses(
        panels=panels,
        paths=paths,
        candidates=candidates,
        sets=own,
        allowed=own if allowed is sets else read_only(allowed[first]),
        weights=tuple(counts.tolist()),
        examples=tuple(ranks[first].tolist()),
    )
