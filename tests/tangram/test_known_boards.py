"""Counts of solved boards that everybody knows, through the generator that users ask."""

from __future__ import annotations

import pytest
from epcg_tangram.generators.boards import solved_boards
from epcg_tangram.params import BoardsParams

from epcg_core.base.errors import ParamsError

HEXIAMONDS = """lattice = "triangles"
[board]
family = "parallelogram"
width = 6
height = 6
[[pieces]]
shapes = { cells = 6 }
"""


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("game", "sizes", "distinct", "every"),
    [
        pytest.param("pentominoes", (), 2_339, 9_356, marks=pytest.mark.slow),
        pytest.param("pentominoes", (12, 5), 1_010, 4_040, marks=pytest.mark.slow),
        ("pentominoes", (20, 3), 2, 8),
        pytest.param(HEXIAMONDS, (), 156, 624, marks=pytest.mark.slow),
        ("hexagon", (), 2_508, 30_096),
    ],
)
def test_solved_boards_modulo_symmetry_and_all(
    game: str, sizes: tuple[int, ...], distinct: int, every: int
) -> None:
    assert solved_boards(BoardsParams(game=game, sizes=sizes)).max_rank == distinct
    assert solved_boards(BoardsParams(game=game, sizes=sizes, boards="all")).max_rank == every


@pytest.mark.sweep
@pytest.mark.parametrize("boards", ["distinct", "all"])
def test_twelve_hexiamonds_do_not_fill_three_by_twelve(boards: str) -> None:
    assert solved_boards(BoardsParams(game=HEXIAMONDS, sizes=(12, 3), boards=boards)).max_rank == 0  # type: ignore[arg-type]


def test_boards_that_balance_rules_out_are_empty_spaces() -> None:
    """Five tetrominoes have 20 squares, but the T covers three of one colour: no 4 by 5 is filled."""
    game = "lattice='squares'\n[board]\nfamily='rectangle'\nwidth=5\nheight=4\n[[pieces]]\nshapes={cells=4}\n"
    assert solved_boards(BoardsParams(game=game)).max_rank == 0
    assert solved_boards(BoardsParams(game=game, copies=("T4 2", "O4 0"))).max_rank > 0


def test_a_piece_that_must_be_used_and_fits_nowhere_is_named() -> None:
    game = (
        "lattice='squares'\n[board]\nfamily='rectangle'\nwidth=3\nheight=2\n[[pieces]]\nname='I'\ndrawing='####'\n"
        "[[pieces]]\nname='O'\ndrawing='##'\n"
    )
    with pytest.raises(ParamsError, match="'I' must be used, and does not fit on the board anywhere"):
        solved_boards(BoardsParams(game=game))
