"""Sorting stacks of pancakes by turning over their upper part.

Sources: the On-Line Encyclopedia of Integer Sequences, A092113 (stacks of n pancakes that need k flips, by
Weisstein and Renner) and its row lengths, A058986; A078941 and A078942 for pancakes with a burnt side, after
Cohen & Blum, "On the problem of sorting burnt pancakes" (1995), whose hardest stack for these sizes is the
sorted one with every burnt side up.
"""

from __future__ import annotations

from math import factorial

import pytest

from tests.core.search.published.place import Classics
from tests.workplace import sweep

STACKS = {
    1: [1],
    2: [1, 1],
    3: [1, 2, 2, 1],
    4: [1, 3, 6, 11, 3],
    5: [1, 4, 12, 35, 48, 20],
    6: [1, 5, 20, 79, 199, 281, 133, 2],
    7: [1, 6, 30, 149, 543, 1357, 1903, 1016, 35],
    8: [1, 7, 42, 251, 1191, 4281, 10561, 15011, 8520, 455],
    9: [1, 8, 56, 391, 2278, 10666, 38015, 93585, 132697, 79379, 5804],
}
STARTS_OF_TEN = [1, 9, 72, 575]
FLIPS = [0, 1, 3, 4, 5, 7, 8, 9, 10, 11]
BURNT_FLIPS = [1, 4, 6, 8, 10, 12, 14, 15]


@pytest.mark.parametrize("size", sweep([2, 3, 4, 5], lambda size: size == 2))
def test_stacks_that_need_so_many_flips_in_plain_python(place: Classics, size: int) -> None:
    assert place.layers("pancakes", size=size, arrays=False) == STACKS[size]


@pytest.mark.parametrize("size", sweep([3, 4, 6, 7, 8, 9], lambda size: size == 3))
def test_stacks_that_need_so_many_flips(place: Classics, size: int) -> None:
    assert place.layers("pancakes", size=size) == STACKS[size]


@pytest.mark.slow
def test_ten_pancakes_need_up_to_eleven_flips(place: Classics) -> None:
    place.run(place.query("pancakes", more='record = "frontier"', size=10))
    found = [states for (states,) in place.sql("SELECT states FROM depths ORDER BY depth")]
    assert found[:4] == STARTS_OF_TEN
    assert (found.pop(), len(found) - 1, sum(found)) == (0, FLIPS[9], factorial(10))


@pytest.mark.sweep
@pytest.mark.parametrize(
    "size",
    [
        *sweep([2, 3, 5, 7], lambda size: size in (2, 5)),
        pytest.param(9, marks=pytest.mark.nightly),
    ],
)
def test_all_stacks_are_one_component(place: Classics, size: int) -> None:
    count, solvable, hardest, _ = place.component("pancakes", size=size)
    assert (count, solvable, hardest) == (factorial(size), True, FLIPS[size - 1])


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("size", "arrays"),
    sweep(
        [(1, False), (2, False), (3, False), *((size, True) for size in (2, 3, 4, 5, 6, 7, 8))],
        lambda size: size == 2,
    ),
)
def test_burnt_pancakes(place: Classics, size: int, arrays: bool) -> None:
    outcome = place.run(place.query("burnt", size=size, arrays=arrays))
    depths = dict(place.sql("SELECT depth, states FROM depths"))
    assert sum(depths.values()) == factorial(size) * 2**size
    assert max(depth for depth, states in depths.items() if states) == BURNT_FLIPS[size - 1]
    all_burnt = 2**size - 1  # the rank of the sorted stack with every burnt side up
    found = place.read(lambda reader: reader.value(outcome.goal.id, "depth", all_burnt))
    assert found == BURNT_FLIPS[size - 1]
