"""The hexagon that ships: all that its text draws follows from the lattice, as the golden numbers say."""

from __future__ import annotations

import pytest
from epcg_tangram.design.definition import PieceKind
from epcg_tangram.design.layout import Layout
from epcg_tangram.design.shapes import all_shapes, canonical, compositions, facts_of, group_for
from epcg_tangram.params import GameRef

from epcg_core.base.errors import EpcgError
from tests.tangram.hexagon import DEFINITION, PIECE_ORDER, TRIANGLES, geometry, piece
from tests.workplace import facts


def is_up(triangle: tuple[int, int]) -> bool:
    """By its corners: one of three is in its upper row."""
    rows = sorted(b for _, b in TRIANGLES.corners(triangle))
    return rows[0] == rows[1] < rows[2]


def up_cells(board: Layout) -> set[int]:
    return {cell for cell, place in enumerate(board.places) if is_up(place)}


def swaps_up_and_down(number: int) -> bool:
    (image,) = TRIANGLES.moved([(1, 1)], number)
    assert is_up((1, 1))
    return not is_up(image)


def stabilizer(kind: PieceKind) -> list[int]:
    """The symmetries that map a piece onto itself, with a shift."""
    own = TRIANGLES.at_origin(kind.shape)
    return [n for n in range(12) if TRIANGLES.at_origin(TRIANGLES.moved(kind.shape, n)) == own]


def test_the_hexagon_of_side_three() -> None:
    board = geometry(3)
    assert board.cells == facts("tangram")["cells"] == 54
    assert [len(row) for row in board.rows] == [7, 9, 11, 11, 9, 7]
    assert len(up_cells(board)) == 27
    assert [n for n, kind in enumerate(board.kinds) if kind == 0] == sorted(up_cells(board))
    assert len(board.edge_pairs) == facts("tangram")["edge_neighbour_pairs"]
    assert len(board.corner_pairs) == facts("tangram")["corner_only_pairs"]
    assert len({own.cells for own in board.symmetries}) == facts("tangram")["board_symmetries"]


@pytest.mark.parametrize("side", [1, 2, 4, 5])
def test_any_side(side: int) -> None:
    board = geometry(side)
    assert board.cells == 6 * side * side == 2 * len(up_cells(board))
    assert len(board.edge_pairs) == (3 * board.cells - 6 * side) // 2
    assert [own.number for own in board.symmetries] == list(range(12))
    assert all(sorted(own.cells) == list(range(board.cells)) for own in board.symmetries)


def test_a_board_needs_a_side() -> None:
    with pytest.raises(EpcgError, match="'side' is a whole number from 1 to 100, not 0"):
        geometry(0)
    with pytest.raises(EpcgError, match="A hexagon has 1 size, side"):
        assert GameRef(sizes=(3, 3)).definition


def test_two_trapezoids_make_nine_shapes() -> None:
    """There is one shape of three triangles; the pieces drawn are it and the nine that two of it make."""
    (trapezoid,) = all_shapes(TRIANGLES, 3)
    made = compositions(TRIANGLES, trapezoid, 2)
    assert len(made) == 9
    drawn = {
        own.name: canonical(TRIANGLES, own.shape, group_for(TRIANGLES, "free")) for own in DEFINITION.pieces
    }
    assert set(drawn.values()) == {*made, trapezoid}
    assert drawn["Trapezoid"] == trapezoid
    assert list(drawn) == list(PIECE_ORDER)
    assert {own.name: own.size for own in DEFINITION.pieces} == dict.fromkeys(PIECE_ORDER, 6) | {
        "Trapezoid": 3
    }


def test_the_names_are_those_of_their_forms() -> None:
    """By symmetries, then by rows in the three directions, and whether a triangle has three neighbours."""

    def extents(kind: PieceKind) -> list[int]:
        corners = [vertex for cell in kind.shape for vertex in TRIANGLES.corners(cell)]
        ways = ([a for a, _ in corners], [b for _, b in corners], [a + b for a, b in corners])
        return sorted(max(own) - min(own) for own in ways)

    def branched(kind: PieceKind) -> bool:
        return any(all(other in kind.shape for other in TRIANGLES.neighbours(cell)) for cell in kind.shape)

    assert extents(piece("Line"))[0] == 1 < extents(piece("Snake"))[0]
    kinds = {name: (branched(piece(name)), extents(piece(name)) == [2, 2, 3]) for name in PIECE_ORDER}
    assert kinds["Mountains"] == (True, True)
    assert kinds["Triangle"] == (True, False)
    assert kinds["Hook"] == (False, True)
    assert kinds["Wrench"] == (False, False)


def test_placements_are_the_golden_ones() -> None:
    placements = geometry(3).placements
    found = {name: sum(PIECE_ORDER[p.piece] == name for p in placements) for name in PIECE_ORDER}
    assert found == facts("tangram")["placements"]
    assert len({(p.piece, p.cells) for p in placements}) == len(placements) == 1129


def test_symmetries_of_the_pieces() -> None:
    """As the rules name them: how many, and whether they turn over or swap up and down."""
    kinds = {
        own.name: sorted((TRIANGLES.is_mirrored(n), swaps_up_and_down(n)) for n in stabilizer(own))
        for own in DEFINITION.pieces
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
    for own in DEFINITION.pieces:
        known = facts_of(TRIANGLES, own.shape)
        assert (known.order, known.mirrored) == (len(stabilizer(own)), any(m for m, _ in kinds[own.name]))


def test_what_a_symmetry_does_is_what_its_number_says() -> None:
    assert [swaps_up_and_down(number) for number in range(12)] == [False, True] * 6
    assert [number for number in range(12) if TRIANGLES.is_mirrored(number)] == [6, 7, 8, 9, 10, 11]
    for cell in geometry(2).places:
        (there,) = TRIANGLES.moved([cell], 6)
        assert TRIANGLES.moved([there], 6) == {cell}
        assert TRIANGLES.middle(there) == pytest.approx(
            (-TRIANGLES.middle(cell)[0], TRIANGLES.middle(cell)[1])
        )


@pytest.mark.parametrize("name", PIECE_ORDER)
def test_a_placement_is_the_piece_turned_by_its_symmetry(name: str) -> None:
    board, number = geometry(3), PIECE_ORDER.index(name)
    up = sum(map(is_up, piece(name).shape))
    for placement in board.placements:
        if placement.piece == number:
            own_up = len(up_cells(board).intersection(placement.cells))
            swapped = swaps_up_and_down(placement.symmetry)
            assert own_up == (len(placement.cells) - up if swapped else up)
            turned = TRIANGLES.at_origin(TRIANGLES.moved(piece(name).shape, placement.symmetry))
            by = placement.shift
            assert {(a + by[0], b + by[1]) for a, b in turned} == {board.places[c] for c in placement.cells}
