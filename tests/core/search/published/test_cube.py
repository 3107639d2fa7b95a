"""The cube of 2 x 2 x 2: 3,674,160 positions, one corner held fast.

Sources: the On-Line Encyclopedia of Integer Sequences, A079761 (a half turn is one move) and A079762 (it is
two), after Longridge and Scherphuis. The sums are 7! 3^6.
"""

from __future__ import annotations

import pytest

from tests.core.search.published.place import Classics

HALF_TURNS = [1, 9, 54, 321, 1847, 9992, 50136, 227536, 870072, 1887748, 623800, 2644]
QUARTER_TURNS = [1, 6, 27, 120, 534, 2256, 8969, 33058, 114149, 360508, 930588, 1350852, 782536, 90280, 276]


@pytest.mark.slow
@pytest.mark.parametrize(("half_turns", "positions"), [(True, HALF_TURNS), (False, QUARTER_TURNS)])
def test_positions_at_each_depth(place: Classics, half_turns: bool, positions: list[int]) -> None:
    assert place.layers("cube", half_turns=half_turns) == positions


@pytest.mark.slow
@pytest.mark.parametrize(("half_turns", "positions"), [(True, HALF_TURNS), (False, QUARTER_TURNS)])
def test_positions_at_the_first_depths(place: Classics, half_turns: bool, positions: list[int]) -> None:
    place.run(place.query("cube", more="layer = 6", half_turns=half_turns))
    found = [states for (states,) in place.sql("SELECT states FROM depths ORDER BY depth")]
    assert found == positions[:7]


@pytest.mark.nightly
@pytest.mark.parametrize(("half_turns", "positions"), [(True, HALF_TURNS), (False, QUARTER_TURNS)])
def test_all_positions_are_one_component(place: Classics, half_turns: bool, positions: list[int]) -> None:
    count, solvable, hardest, _ = place.component("cube", half_turns=half_turns)
    assert (count, solvable, hardest) == (sum(positions), True, len(positions) - 1)
