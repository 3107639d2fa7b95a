"""Towers of discs, from which all are to be brought to one peg.

Sources: Hinz, "Pascal's triangle and the tower of Hanoi" (1992): 2 to the number of ones of d in binary is
the number of positions of three pegs that are d moves from a whole tower, for all d below 2^n (Gould's
sequence, A001316 of the On-Line Encyclopedia of Integer Sequences). With four pegs a whole tower is moved in
1, 3, 5, 9, 13, 17, 25, 33 moves (A007664; that it is the fewest: Bousch, "La quatrieme tour de Hanoi", 2014),
and no other position is farther, if there are fewer than fifteen discs (Korf & Felner, "Recent progress in
heuristic search: a case study of the four-peg towers of Hanoi problem", 2007).
"""

from __future__ import annotations

import pytest

from tests.core.search.published.place import Classics
from tests.workplace import sweep

FOUR_PEGS = [1, 3, 5, 9, 13, 17, 25, 33, 41]


def three_pegs(discs: int) -> list[int]:
    return [2 ** depth.bit_count() for depth in range(2**discs)]


@pytest.mark.parametrize(
    ("discs", "arrays"),
    [
        *sweep([(1, False), (2, True), (3, False), (4, True)], lambda discs: discs == 2),
        pytest.param(6, True, marks=pytest.mark.nightly),
    ],
)
def test_positions_at_each_distance_with_three_pegs(place: Classics, discs: int, arrays: bool) -> None:
    assert place.layers("towers", discs=discs, arrays=arrays) == three_pegs(discs)


@pytest.mark.sweep
@pytest.mark.parametrize("discs", [4, 6])
def test_positions_are_one_component(place: Classics, discs: int) -> None:
    count, solvable, hardest, rank = place.component("towers", discs=discs)
    assert (count, solvable, hardest, rank) == (3**discs, True, 2**discs - 1, 3 ** (discs - 1))


@pytest.mark.parametrize("discs", sweep(range(2, 10), lambda discs: discs == 2))
def test_a_tower_with_four_pegs(place: Classics, discs: int) -> None:
    outcome = place.run(place.query("towers", discs=discs, pegs=4))
    farthest = place.sql("SELECT max(depth) FROM depths WHERE states > 0")[0][0]
    moved = sum(4**disc for disc in range(discs))  # the rank of all discs on the second peg
    assert place.read(lambda reader: reader.value(outcome.goal.id, "depth", moved)) == FOUR_PEGS[discs - 1]
    assert farthest == FOUR_PEGS[discs - 1]
