"""The pool of a strategy: the candidates of a part as it sees them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.curriculum import wished
from epcg_core.curriculum.chosen import Chosen
from epcg_core.curriculum.plan import Part
from epcg_core.curriculum.sources import Candidates
from epcg_core.curriculum.strategies import SYMMETRY_CLASS, Pool
from epcg_core.domain.content import opened_state
from epcg_core.query.puzzle_id import puzzle_id
from epcg_core.rendering.places import marks, share_between

MOST_TEXTS = 100_000
"""States whose content is remembered while their distances are asked for."""


def pool_of(
    part: Part,
    candidates: Candidates,
    values: NDArray[Any],
    chosen: Chosen,
    order: NDArray[np.int64],
    where: str,
    classes: Callable[[], NDArray[np.int64]],
) -> Pool:
    """Make the pool of some candidates.

    Args:
        part: the part whose strategy will choose.
        candidates: all of the part.
        values: (n,) their measure.
        chosen: what was chosen before, and the generators.
        order: (m,) the candidates of the pool, by their measure.
        where: the beginning of messages.
        classes: gives (n,) the symmetry classes of the candidates of the pool.

    Raises:
        CurriculumError: if a measure that the strategy needs is not a number.
    """
    strategy, columns = part.strategy, candidates.columns
    differ_by = getattr(strategy, "differ_by", None)
    shapes = None
    if differ_by == SYMMETRY_CLASS:
        shapes = classes()[order].astype(np.int64)
    elif differ_by is not None:
        shapes = columns[differ_by].codes()[order]
    needs = None
    if wanted := getattr(strategy, "needs", ()):
        needs = np.stack([columns[name].numbers(where)[order] > 0 for name in wanted], axis=1)
    listed = None
    if candidates.listed is not None:
        places = np.full(len(candidates), -1)
        places[candidates.listed] = np.arange(len(candidates.listed))
        listed = places[order]

    def puzzle(place: int) -> str:
        return puzzle_id(candidates.space(int(order[place])), int(candidates.ranks[order[place]]))

    def state(place: int) -> Any:
        return chosen.generator(candidates.space(int(order[place]))).unrank(
            int(candidates.ranks[order[place]])
        )

    @lru_cache(maxsize=MOST_TEXTS)
    def content(place: int) -> frozenset[Any]:
        generator = chosen.generator(candidates.space(int(order[place])))
        return marks(opened_state(generator, state(place)))

    return Pool(
        values[order].astype(np.float64),
        shapes,
        needs,
        (lambda a, b: share_between(content(a), content(b))) if getattr(strategy, "apart", 0) else None,
        listed,
        wished.beside(part, candidates, chosen, order),
        lambda name: columns[name].numbers(where)[order],
        puzzle,
        state,
    )
