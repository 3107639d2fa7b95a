"""Who gets what: groups, sets, orders and conditions, as a table that the pages carry.

A row is what one person gets. Person number p gets row (p - 1) modulo the number of rows, so the first people
in a row of numbers are as balanced as possible, and all rows together are balanced exactly.

Williams designs: E. J. Williams, "Experimental designs balanced for the estimation of residual effects of
treatments", Australian Journal of Scientific Research A 2 (1949), 149-168.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations, permutations, product
from math import comb, lcm, perm
from typing import TypeVar

import attrs

from epcg_core.plugin import QueryError
from epcg_publishing.study.plan import Order, StudyParams

T = TypeVar("T")
MOST_ROWS = 5_040
"""Of a table that is balanced; larger ones would be filled by no study."""
LEAST_RANDOM = 1_000
"""Rows of a table in which something is drawn by chance."""


@attrs.frozen
class Dealt:
    """A set as one person gets it, by numbers in the plan."""

    set: int
    condition: int
    order: tuple[int, ...]
    """The puzzles of the set as they are played."""


@attrs.frozen
class Row:
    """What one person gets."""

    group: int
    dealt: tuple[Dealt, ...]


@attrs.frozen
class Design:
    """The table, and after how many people everything occurred equally often."""

    rows: tuple[Row, ...]
    cycle: int


def latin_square(size: int) -> list[tuple[int, ...]]:
    """Return a cyclic Latin square: each treatment is once in each row and once in each place."""
    return [tuple((row + place) % size for place in range(size)) for row in range(size)]


def williams(size: int) -> list[tuple[int, ...]]:
    """Return a Williams design: a Latin square in which each treatment follows each other one equally often.

    It has `size` rows, and twice as many if `size` is odd.
    """
    first = [0]
    for step in range(1, size):
        first.append((first[-1] + (step if step % 2 else -step)) % size)
    rows = [tuple((each + row) % size for each in first) for row in range(size)]
    return rows + [row[::-1] for row in rows] if size % 2 and size > 1 else rows


def design(plan: StudyParams, where: str = "plan") -> Design:
    """Make the table of a plan.

    Args:
        plan: the plan, checked.
        where: the beginning of messages.

    Raises:
        QueryError: if it cannot be balanced, or not with that number of people.
    """
    arrangements = _arrangements(len(plan.sets), plan.each, plan.order, where)
    inner = [_orders(len(each.labels), plan.within) for each in plan.sets]
    turns = lcm(*map(len, inner))
    arms = max(1, len(plan.conditions))
    groups = max(1, len(plan.groups))
    crossed = turns**plan.each * arms
    cycle = len(arrangements) * crossed * groups
    if cycle > MOST_ROWS:
        raise QueryError(
            f"{where}: everything would be balanced after {cycle:,} people: write order or within = "
            "'latin', 'random' or 'fixed'."
        )
    if plan.people is not None and plan.people % cycle:
        more = -(-plan.people // cycle) * cycle
        fewer = f"{more - cycle} or {more}" if more > cycle else str(more)
        raise QueryError(
            f"{where}: {plan.people} people cannot be balanced, because the design repeats after {cycle}: "
            f"plan for {fewer}, or leave 'people' out."
        )
    chance = random.Random(f"{plan.seed}:design")
    arrangements = _shuffled(arrangements, chance)
    combos = _shuffled([(*c, turn) for c in product(range(turns), repeat=plan.each) for turn in range(arms)],
                       chance)  # fmt: skip
    is_random = "random" in (plan.order if plan.each > 1 else "fixed", plan.within)
    count = -(-max(plan.people or 0, LEAST_RANDOM) // cycle) * cycle if is_random else cycle
    rows = []
    for number in range(count):
        block, place = divmod(number, groups)
        group = _shuffled(range(groups), random.Random(f"{plan.seed}:groups:{block}"))[place]
        turn, at = divmod(block, len(arrangements))
        *orders, first = combos[(turn + at) % len(combos)]
        own = random.Random(f"{plan.seed}:row:{number}")
        dealt = []
        for position, which in enumerate(arrangements[at]):
            order = inner[which][orders[position] % len(inner[which])]
            played = tuple(_shuffled(order, own)) if plan.within == "random" else order
            dealt.append(Dealt(which, (position + first) % arms, played))
        rows.append(Row(group, tuple(_shuffled(dealt, own) if plan.order == "random" else dealt)))
    return Design(tuple(rows), cycle)


def _arrangements(count: int, each: int, order: Order, where: str) -> list[tuple[int, ...]]:
    """Return which sets people get, in their order; with 'random' the order is drawn later."""
    if order == "latin" or (order == "balanced" and each == count):
        square = latin_square(count) if order == "latin" else williams(count)
        return list(dict.fromkeys(row[:each] for row in square))
    number = perm(count, each) if order == "balanced" else comb(count, each)
    if number > MOST_ROWS:
        raise QueryError(
            f"{where}: {each} of {count} sets can be chosen in {number:,} ways, too many to balance: write "
            "order = 'latin', or take fewer sets."
        )
    return list((permutations if order == "balanced" else combinations)(range(count), each))


def _orders(size: int, order: Order) -> list[tuple[int, ...]]:
    if order == "balanced":
        return williams(size)
    return latin_square(size) if order == "latin" else [tuple(range(size))]


def _shuffled(items: Sequence[T], chance: random.Random) -> list[T]:
    """Shuffle by `random()` alone, whose numbers are the same in every version of Python."""
    keys = [chance.random() for _ in items]
    return [items[at] for at in sorted(range(len(items)), key=keys.__getitem__)]
