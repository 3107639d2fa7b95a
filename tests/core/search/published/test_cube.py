"""The cube of 2 x 2 x 2, one corner held fast, and the corners of that of 3 x 3 x 3.

Sources: the On-Line Encyclopedia of Integer Sequences, A079761 (a half turn is one move) and A079762 (it is
two), after Longridge and Scherphuis, whose sums are 7! 3^6; and, for the 8! 3^7 positions of the eight
corners, Korf, "Finding optimal solutions to Rubik's Cube using pattern databases" (1997): 8.764 moves on
average.
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


CORNERS = [
    1, 18, 243, 2874, 28000, 205416, 1168516, 5402628, 20776176, 45391616, 15139616, 64736,
]  # fmt: skip


def test_the_corners_of_the_larger_cube_are_as_many_as_published() -> None:
    assert sum(CORNERS) == 88_179_840
    moves = sum(depth * positions for depth, positions in enumerate(CORNERS))
    assert round(moves / sum(CORNERS), 3) == 8.764


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("puzzle", "depth", "disk"),
    [
        ("cube", 4, ""),
        pytest.param("cube", 5, "limit = 1000\ndisk = 1.0", marks=pytest.mark.slow),
        pytest.param("cube", 12, "", marks=pytest.mark.slow),
        pytest.param("corners", 5, "", marks=pytest.mark.slow),
        pytest.param("corners", 6, "limit = 1000\ndisk = 1.0", marks=pytest.mark.slow),
        pytest.param("corners", 12, "limit = 1000\ndisk = 9.0", marks=pytest.mark.nightly),
    ],
)
def test_positions_by_their_distance_from_the_solved_one(
    place: Classics, puzzle: str, depth: int, disk: str
) -> None:
    published = {"cube": HALF_TURNS, "corners": CORNERS}[puzzle] + [0, 0]
    outcome = place.run(
        place.query(puzzle, "distances", f"depth = {depth}\n{disk}\n[range]\nstart = 0\nstop = 1")
    )
    found = [
        value
        for (value,) in place.sql(
            f"SELECT value FROM scores WHERE run_id = {outcome.goal.id} AND metric LIKE 'at_%' ORDER BY "
            "CAST(substr(metric, 4) AS INTEGER)"
        )
    ]
    assert found == published[: depth + 1]
