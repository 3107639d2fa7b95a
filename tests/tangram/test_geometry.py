"""The geometry: everything follows from the lattice, and agrees with the golden numbers."""

from __future__ import annotations

import pytest
from epcg_tangram.rules.geometry import (
    PIECE_ORDER,
    SYMMETRIES,
    Geometry,
    geometry,
    is_mirrored,
    is_up,
    moved,
    pairs_of,
    piece,
    pieces,
    swaps_up_and_down,
    trapezoids,
)

from epcg_core.errors import EpcgError
from tests.workplace import facts


def test_the_hexagon_of_side_three() -> None:
    board = geometry(3)
    assert board.cells == facts("tangram")["cells"] == 54
    assert [len(row) for row in board.rows] == [7, 9, 11, 11, 9, 7]
    assert len(board.up) == 27
    assert len(board.edge_pairs) == facts("tangram")["edge_neighbour_pairs"]
    assert len(board.corner_pairs) == facts("tangram")["corner_only_pairs"]
    assert len(set(board.symmetries)) == facts("tangram")["board_symmetries"]


@pytest.mark.parametrize("side", [1, 2, 4, 5])
def test_any_side(side: int) -> None:
    board = Geometry(side)
    assert board.cells == 6 * side * side == 2 * len(board.up)
    assert len(board.edge_pairs) == (3 * board.cells - 6 * side) // 2
    assert all(sorted(symmetry) == list(range(board.cells)) for symmetry in board.symmetries)


def test_a_board_needs_a_side() -> None:
    with pytest.raises(EpcgError, match="side of 1 or more"):
        Geometry(0)


def test_two_trapezoids_make_nine_shapes() -> None:
    (trapezoid,) = trapezoids()
    assert len(pairs_of(trapezoid)) == 9
    assert len({own.shape for own in pieces()}) == len(pieces()) == 10
    assert [own.name for own in pieces()] == list(PIECE_ORDER)
    assert {own.name: len(own.shape) for own in pieces()} == dict.fromkeys(PIECE_ORDER, 6) | {"Trapezoid": 3}


def test_placements_are_the_golden_ones() -> None:
    placements = geometry(3).placements
    found = {name: sum(PIECE_ORDER[p.piece] == name for p in placements) for name in PIECE_ORDER}
    assert found == facts("tangram")["placements"]
    assert len({(p.piece, p.cells) for p in placements}) == len(placements) == 1129


def test_symmetries_of_the_pieces() -> None:
    """As the rules name them: how many, and whether they turn over or swap up and down."""
    kinds = {
        own.name: sorted((is_mirrored(n), swaps_up_and_down(n)) for n in own.stabilizer) for own in pieces()
    }
    mirror_swapping, mirror_keeping, half_turn = (True, True), (True, False), (False, True)
    nothing = (False, False)
    assert {name: len(found) for name, found in kinds.items()} == {
        "Hexagon": 12, "Butterfly": 4, "Elbow": 2, "Trapezoid": 2, "Line": 2, "Snake": 2,
        "Mountains": 1, "Wrench": 1, "Triangle": 1, "Hook": 1,
    }  # fmt: skip
    assert kinds["Butterfly"] == [nothing, half_turn, mirror_keeping, mirror_swapping]
    assert kinds["Elbow"] == [nothing, mirror_swapping]
    assert kinds["Trapezoid"] == [nothing, mirror_keeping]
    assert kinds["Line"] == kinds["Snake"] == [nothing, half_turn]


def test_what_a_symmetry_does_is_what_its_number_says() -> None:
    up = next(triangle for triangle in geometry(1).triangles if is_up(triangle))
    for number, symmetry in enumerate(SYMMETRIES):
        (image,) = moved([up], symmetry)
        assert is_up(image) != swaps_up_and_down(number)
    mirror = SYMMETRIES[6]
    assert all(mirror(mirror(vertex)) == vertex for vertex in up)
    assert [number for number in range(12) if is_mirrored(number)] == [6, 7, 8, 9, 10, 11]


@pytest.mark.parametrize("name", PIECE_ORDER)
def test_a_placement_is_the_piece_turned_by_its_symmetry(name: str) -> None:
    board, number = geometry(3), PIECE_ORDER.index(name)
    up = sum(map(is_up, piece(name).shape))
    for placement in board.placements:
        if placement.piece == number:
            own_up = len(board.up.intersection(placement.cells))
            swapped = swaps_up_and_down(placement.symmetry)
            assert own_up == (len(placement.cells) - up if swapped else up)
