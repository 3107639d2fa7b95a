"""The wish of a plan's part: conditions, the order among equal values, and how far apart its puzzles are.

All of it means what it means in `[[select]]`, and is decided by the same code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.curriculum.chosen import Chosen
from epcg_core.curriculum.plan import Part
from epcg_core.curriculum.sources import Candidates
from epcg_core.curriculum.strategies import Pick, Pool
from epcg_core.domain import Metric
from epcg_core.query import wish
from epcg_core.query.conditions import Condition
from epcg_core.rendering.places import Marks
from epcg_core.store.likeness import unlike
from epcg_core.store.selection import ties_text

MOST_LOOKS = 100_000
"""Contents whose places are remembered while they are compared."""


def admitted(candidates: Candidates, condition: Condition, where: str) -> NDArray[np.bool_]:
    """Tell which candidates meet a condition, (n,).

    Raises CurriculumError if it compares a measure with numbers that is a string.
    """
    column = candidates.columns[condition.metric]
    numeric = condition.constants and not any(isinstance(each, str) for each in condition.constants)
    values = column.numbers(where) if column.values.dtype == object and numeric else column.values
    return condition.holds(values, column.missing)


def by_other_measures(
    candidates: Candidates, metrics: Sequence[Metric], positions: NDArray[np.int64], where: str
) -> NDArray[np.int64]:
    """Order candidates by the measures that decide between equal ones, the better first.

    Args:
        candidates: the candidates.
        metrics: these measures, in the order of their weight.
        positions: (n,) which candidates to order; those that are equal in all measures keep this order.
        where: begins every message.

    Returns:
        (n,) places in `positions`.

    Raises:
        CurriculumError: if a measure is a string.
    """
    columns = {}
    for metric in metrics:
        column = candidates.columns[metric.name]
        numbers = column.numbers(where)[positions]
        columns[metric.name] = wish.Column(numbers, column.missing[positions])
    order = [(metric, 1 if metric.direction == "max" else -1) for metric in metrics]
    return wish.preference(columns, order, np.arange(len(positions)))


def beside(
    part: Part, candidates: Candidates, chosen: Chosen, order: NDArray[np.int64]
) -> Callable[[int, Sequence[int]], bool] | None:
    """Return whether a candidate differs enough from others; None if the part does not ask.

    Args:
        part: the part.
        candidates: its candidates.
        chosen: gives the generators of their spaces.
        order: (n,) the candidates that both arguments of the function are places of.

    Returns:
        The function of a place and of other places.
    """
    if part.apart is None:
        return None

    @lru_cache(maxsize=MOST_LOOKS)
    def look(place: int) -> Sequence[Marks]:
        position = int(order[place])
        return chosen.looks(candidates.space(position))(int(candidates.ranks[position]))

    rule = part.wish
    return lambda place, others: unlike(look(place), (look(each)[0] for each in others), rule)


def alike(part: Part, pool: Pool, picks: Sequence[Pick]) -> dict[int, tuple[str, str]]:
    """Find picks too much like an earlier one, by a strategy that does not ask: (rule, reason) by place."""
    if pool.apart is None or part.is_list:
        return {}
    kept: list[int] = []
    found: dict[int, tuple[str, str]] = {}
    for pick in picks:
        listed = pool.listed is not None and pool.listed[pick.position] >= 0
        if listed or pool.apart(pick.position, kept):
            kept.append(pick.position)
        else:
            found[pick.position] = ties_text(part.wish).removeprefix(", "), "too much like a chosen one"
    return found


def filled(pool: Pool, part: Part, choose: Callable[[Pool, int], list[Pick]]) -> list[Pick]:
    """Let a strategy choose, or the rest beside what the plan lists by hand if the part is to be filled.

    Args:
        pool: the candidates.
        part: the part.
        choose: lets the strategy choose some of a pool.

    Returns:
        The picks; with `fill`, those by hand come first.

    Raises:
        CurriculumError: if the strategy fails.
    """
    if not part.fill or pool.listed is None:
        return choose(pool, part.count)
    own = [int(each) for each in np.flatnonzero(pool.listed >= 0)]
    own.sort(key=lambda position: int(pool.listed[position]) if pool.listed is not None else 0)
    free = np.flatnonzero(pool.listed < 0)
    rest, apart = pool.part(free), pool.apart
    if apart is not None:  # they stand beside those by hand, too
        rest = attrs.evolve(
            rest, apart=lambda p, others: apart(int(free[p]), [*own, *(int(free[o]) for o in others)])
        )
    left = part.count - len(own)
    picks = choose(rest, left) if left > 0 and len(free) else []
    found = [Pick(position, "chosen by hand") for position in own]
    return [*found, *(Pick(int(free[pick.position]), pick.reason) for pick in picks)]
