"""Drawings of cells: what is written is read again, and what cannot be is told where it stands."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from epcg_tangram.lattices import LATTICES, Cell, Lattice
from epcg_tangram.texts.drawings import Drawn, draw, read_drawing
from hypothesis import given, strategies as st

SQUARES, TRIANGLES, HEXAGONS, QUARTERS = (
    LATTICES[name] for name in ("squares", "triangles", "hexagons", "quarters")
)
EVERY = pytest.mark.parametrize("lattice", LATTICES.values(), ids=list(LATTICES))
CELLS: dict[str, list[Cell]] = {
    "squares": [(a, b) for a in range(-4, 5) for b in range(-4, 5)],
    "triangles": [(3 * a + k, 3 * b + k) for a in range(-3, 4) for b in range(-3, 4) for k in (1, 2)],
    "hexagons": [(a, b) for a in range(-4, 5) for b in range(-4, 5)],
    "quarters": [(a, b) for a in range(-6, 7) for b in range(-6, 7) if (a % 3 == 0) != (b % 3 == 0)],
    "cubes": [(a, b, c) for a in range(-2, 2) for b in range(-1, 3) for c in range(-2, 2)],
}


def cells_of(drawn: Drawn) -> set[Cell]:
    assert drawn.faults == ()
    return set(drawn.cells)


def read(lattice: Lattice, *rows: str) -> set[Cell]:
    return cells_of(read_drawing(lattice, "\n".join(rows)))


def faults(lattice: Lattice, text: str, signs: Iterable[str] = ()) -> list[tuple[int, int, str]]:
    return list(read_drawing(lattice, text, signs).faults)


def some(lattice: Lattice, source: random.Random) -> list[Cell]:
    """Cells anywhere, connected or not."""
    return source.sample(CELLS[lattice.name], source.randrange(1, 25))


# --- what is written is read -------------------------------------------------------------------------------


@EVERY
@given(source=st.randoms(use_true_random=False))
def test_a_drawing_is_read_as_it_was_written(lattice: Lattice, source: random.Random) -> None:
    cells = some(lattice, source)
    text = draw(lattice, cells)
    assert text.endswith("\n")
    assert cells_of(read_drawing(lattice, text)) == lattice.at_origin(cells)
    assert draw(lattice, read_drawing(lattice, text).cells) == text
    if lattice is TRIANGLES:
        assert text.count("A") == sum(lattice.kind(cell) == 0 for cell in cells)
        assert text.count("V") == sum(lattice.kind(cell) == 1 for cell in cells)
    elif lattice is not QUARTERS:
        assert text.count("#") == len(cells)


@EVERY
@given(source=st.randoms(use_true_random=False))
def test_where_and_how_a_drawing_stands_does_not_matter(lattice: Lattice, source: random.Random) -> None:
    """Ends of lines of Windows, blank lines, dots and blanks around it, and tabs in front."""
    cells = some(lattice, source)
    text, expected = draw(lattice, cells), lattice.at_origin(cells)
    lines = text.split("\n")
    more = source.randrange(1, 5)
    for other in (
        text.replace("\n", "\r\n"),
        "\n" * more + text,
        text + "\n \n" * more,
        "\n".join(" " * more + line for line in lines),
        "\n".join("." * more + line if line else "" for line in lines),
        "\n".join(line + ". ." if line else "" for line in lines),
        "\n".join("\t" + line for line in lines),
        text.removesuffix("\n"),
        text if lattice.layered else text.replace(".", " "),  # a blank row is the end of a layer
        text.replace(" ", "."),
    ):
        assert cells_of(read_drawing(lattice, other)) == expected


@EVERY
@given(source=st.randoms(use_true_random=False))
def test_letters_are_kept_where_they_stand(lattice: Lattice, source: random.Random) -> None:
    cells = some(lattice, source)
    signs = {cell: source.choice(["r", "7", ""]) for cell in cells}
    drawn = read_drawing(lattice, draw(lattice, signs), "r7")
    low = [min(axis) // lattice.step * lattice.step for axis in zip(*cells, strict=True)]
    usual = {tuple(a - b for a, b in zip(cell, low, strict=True)): sign for cell, sign in signs.items()}
    assert drawn.faults == ()
    assert {cell: sign if sign in "r7" else "" for cell, sign in drawn.cells.items()} == usual
    letters = draw(lattice, dict.fromkeys(cells, "r"))
    assert cells_of(read_drawing(lattice, letters, "r")) == lattice.at_origin(cells)


def test_a_tab_reaches_to_the_next_eighth_place() -> None:
    assert read(SQUARES, "\t#", "       ##") == read(SQUARES, ".#", "##")
    assert read(SQUARES, " \t#", "        #") == read(SQUARES, "#", "#")


# --- by hand -----------------------------------------------------------------------------------------------


def test_drawings_of_squares() -> None:
    assert read(SQUARES, "##", "#.") == {(0, 0), (0, 1), (1, 1)}
    assert draw(SQUARES, [(0, 0), (0, 1), (1, 1)]) == "##\n#.\n"


def test_drawings_of_triangles() -> None:
    """Rows of triangles meet base to base: below one that points up lies one that points down."""
    assert read(TRIANGLES, "A") == {(1, 1)}
    assert read(TRIANGLES, "V") == {(2, 2)}
    hexagon = read(TRIANGLES, "AVA", "VAV")
    assert len(hexagon) == 6
    corners = [set(TRIANGLES.corners(cell)) for cell in hexagon]
    assert len(set.intersection(*corners)) == 1
    assert draw(TRIANGLES, hexagon) == "AVA\nVAV\n"
    up, down = read(TRIANGLES, "A", "V")
    assert down in TRIANGLES.neighbours(up)
    over, under = read(TRIANGLES, "V", "A")
    assert len(set(TRIANGLES.corners(over)) & set(TRIANGLES.corners(under))) == 1


@pytest.mark.parametrize("signs", ["AV", "△▽", "▲▼", "^v"])
def test_triangles_have_several_signs(signs: str) -> None:
    text = "AVA\nVAV".replace("A", signs[0]).replace("V", signs[1])
    assert cells_of(read_drawing(TRIANGLES, text)) == read(TRIANGLES, "AVA", "VAV")


def test_drawings_of_hexagons() -> None:
    bee = read(HEXAGONS, " # #", "# #")
    assert len(bee) == 4
    assert draw(HEXAGONS, bee) == " # #\n# #\n"
    ring = read(HEXAGONS, " # #", "#   #", " # #")
    (middle,) = read(HEXAGONS, " # #", "# # #", " # #") - ring
    assert set(HEXAGONS.neighbours(middle)) == ring


# --- faults ------------------------------------------------------------------------------------------------


@EVERY
def test_stray_signs_are_all_told_where_they_stand(lattice: Lattice) -> None:
    sign = lattice.flat.signs.usual[0]
    found = faults(lattice, f"{sign}x\n\n  ?")
    assert [place[:2] for place in found] == [(0, 1), (2, 2)]
    assert "'x' is not a sign of a drawing: " in found[0][2]
    assert f"{sign} is {lattice.flat.signs.words[0]}" in found[0][2]
    assert "a dot is not" in found[0][2]
    assert set(read_drawing(lattice, f"{sign}x").cells) == lattice.at_origin([lattice.first])
    (told,) = faults(lattice, f"{sign}x", "r")
    assert "r a cell too" in told[2]


@EVERY
@pytest.mark.parametrize("text", ["", "\n", "...\n. .", "\t\r\n", "xx"])
def test_a_drawing_needs_a_cell(lattice: Lattice, text: str) -> None:
    drawn = read_drawing(lattice, text)
    assert drawn.cells == {}
    assert drawn.faults[-1][:2] == (0, 0)
    assert "A drawing needs a cell" in drawn.faults[-1][2]


def test_triangles_that_do_not_alternate() -> None:
    (fault,) = faults(TRIANGLES, "AVAVV")
    assert fault == (0, 4, "Here lies a triangle 'A', not 'V': they alternate.")
    assert len(read_drawing(TRIANGLES, "AVAVV").cells) == 5
    (below,) = faults(TRIANGLES, "AVA\nAAV")
    assert below[:2] == (1, 0)


def test_hexagons_that_lie_straight_below_each_other() -> None:
    (fault,) = faults(HEXAGONS, "# # #\n#")
    assert fault[:2] == (1, 0)
    assert fault[2].startswith("A hexagon lies between two of the row above: shift every other row")
    assert [place[:2] for place in faults(HEXAGONS, "# # ##")] == [(0, 5)]
    assert len(read_drawing(HEXAGONS, "# # #\n#").cells) == 3


@given(source=st.randoms(use_true_random=False))
def test_one_sign_at_a_wrong_place_is_the_fault_of_that_sign(source: random.Random) -> None:
    """Most signs say how a drawing is meant, not the first."""
    for lattice in (TRIANGLES, HEXAGONS):
        cells = source.sample(CELLS[lattice.name], 12)
        rows = draw(lattice, cells).splitlines()
        row = source.randrange(len(rows))
        if lattice is TRIANGLES:
            there = [column for column, sign in enumerate(rows[row]) if sign in "AV"]
            if not there:
                continue
            column = source.choice(there)
            wrong = "V" if rows[row][column] == "A" else "A"
        else:
            places = [(r, c) for r, line in enumerate(rows) for c, sign in enumerate(line) if sign == "#"]
            parity = sum(places[0]) % 2
            column, wrong = 20 + (row + parity + 1) % 2, "#"
        line = rows[row].ljust(column + 1, ".")
        rows[row] = line[:column] + wrong + line[column + 1 :]
        assert [place[:2] for place in faults(lattice, "\n".join(rows))] == [(row, column)]


@pytest.mark.sweep(2)
@EVERY
def test_huge_drawings(lattice: Lattice) -> None:
    if lattice is QUARTERS:
        rows = [" V " * 130, "> <" * 130, " A " * 130] * 33
    else:
        whole = {"squares": "#" * 400, "triangles": "AV" * 200, "hexagons": "# " * 200, "cubes": "#" * 400}
        sign, straight = whole[lattice.name], lattice.name in ("squares", "cubes")
        rows = [sign if straight or row % 2 == 0 else sign[-1] + sign[:-1] for row in range(100)]
    assert len(read_drawing(lattice, "\n".join(rows)).cells) == sum(len(row.replace(" ", "")) for row in rows)
    assert len(faults(lattice, "x" * 10_000)) == 10_001
