"""Panels, their numbering, symbols in words, and drawings."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable

import pytest
from epcg_witness.formats.drawing import DrawingError, draw_solution, format_panel, parse_drawing, parse_panel
from epcg_witness.formats.symbols import format_symbol, parse_symbol
from epcg_witness.generators.libraries import library
from epcg_witness.rules.grid import PanelError, grid_of
from epcg_witness.rules.panel import Panel, Polyomino, Square, Star, Triangles
from epcg_witness.rules.spaces import LineSymbol, PanelSpace
from epcg_witness.solving.solver import first_solutions

from epcg_core.base.errors import RankError
from tests.witness.random_panels import random_panel, random_symmetric_panel, with_erasers

DEMO = """
# every mark there is
+---+---+-*-e---E
| j | k : l | m |
+---*---+---+---+
| g | h |   | i |
+---+- -+---+---+
| e |   | f *   |
+---+---+---+- -+
| a | b | c | d |
S---s---+---+---+

a: polyomino ## negative
b: polyomino #/# free negative
c: polyomino ####
d: square cyan
e: polyomino ##/#. red
f: polyomino ###/.#. free
g: triangles 1
h: triangles 2 white
i = triangles 3
j: square black
k: square white
l: star magenta
m: star orange
"""


# --- numbering -----------------------------------------------------------------------------------------


def test_locations_are_numbered_horizontal_edges_first_then_vertical_ones_then_vertices() -> None:
    grid = grid_of(4, 3)
    horizontal = [grid.horizontal_edge(x, y) for y in range(4) for x in range(4)]
    vertical = [grid.vertical_edge(x, y) for x in range(5) for y in range(3)]
    vertices = [grid.vertex_location(grid.vertex(x, y)) for y in range(4) for x in range(5)]
    assert horizontal + vertical + vertices == list(range(grid.locations))
    assert [grid_of(n, n).locations for n in (2, 3, 4)] == [21, 40, 65]
    assert grid.horizontal_edge(2, 1) == 1 * 4 + 2
    assert grid.vertical_edge(2, 1) == 4 * (3 + 1) + 2 * 3 + 1


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 3), (7, 7)])
def test_edges_join_vertices_and_separate_cells(width: int, height: int) -> None:
    grid = grid_of(width, height)
    for edge in range(grid.edges):
        one, other = grid.edge_ends(edge)
        assert (other, edge) in grid.neighbours[one]
        assert (one, edge) in grid.neighbours[other]
        for cell in grid.edge_cells(edge):
            assert cell is None or edge in grid.cell_edges(cell)
    assert sum(map(len, grid.neighbours)) == 2 * grid.edges
    assert sum(map(len, grid.cell_neighbours)) == 2 * (grid.edges - 2 * (width + height))


def test_a_path_is_written_as_moves() -> None:
    grid = grid_of(2, 2)
    path = grid.parse_path(0, "RUU")
    assert [grid.vertex_at(v) for v in path] == [(0, 0), (1, 0), (1, 1), (1, 2)]
    assert grid.path_letters(path) == "RUU"
    with pytest.raises(PanelError, match="no vertex"):
        grid.parse_path(0, "L")
    with pytest.raises(PanelError, match="'X' is not a move"):
        grid.parse_path(0, "X")


# --- panels that cannot be -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Panel(width=8, height=2), "1 to 7 cells in width and in height; width = 8"),
        (lambda: Panel(width=2, height=0), "height = 0 is not possible"),
        (lambda: Panel(width=2, height=2, starts=()), "The panel has no start"),
        (lambda: Panel(width=2, height=2, ends=[]), "The panel has no end"),
        (lambda: Panel(width=2, height=2, ends=[9]), "no end vertex 9 on a panel of 2 by 2"),
        (lambda: Panel(width=2, height=2, starts=[3], ends=[3]), "column 1, row 2 is a start and an end"),
        (lambda: Panel(width=2, height=2, symbols={4: Square("red")}), "no cell 4"),
        (lambda: Panel(width=2, height=2, symbols=[(1, Square("red"))] * 2), "holds two symbols"),
        (lambda: Panel(width=2, height=2, dots=[21]), "no location 21"),
        (lambda: Panel(width=2, height=2, gaps=[12]), "no edge 12"),
        (lambda: Panel(width=2, height=2, dots=[3], gaps=[3]), "holds a dot and a gap"),
        (lambda: Square("blak"), "unknown colour 'blak'. Did you mean 'black'"),
        (lambda: Triangles(5), "1 to 4 triangles, not 5"),
        (lambda: Polyomino([]), "at least one cell"),
        (lambda: Polyomino([(0, 0), (0, 0)]), "twice"),
        (lambda: Polyomino([(0, 0), (7, 0)]), "at most 7 cells"),
        (lambda: Polyomino.parse("##/#"), "is not a polyomino"),
    ],
)  # fmt: skip
def test_an_impossible_panel_is_refused_in_a_sentence(make: Callable[[], object], message: str) -> None:
    with pytest.raises(PanelError, match=message):
        make()


def test_a_panel_is_a_value() -> None:
    one = Panel(width=2, height=2, symbols={3: Square("red"), 0: Star("red")}, dots=[4, 2, 4])
    other = Panel(width=2, height=2, symbols=[(0, Star("red")), (3, Square("red"))], dots=(2, 4))
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one
    assert (one.starts, one.ends) == ((0,), (8,))


# --- polyominoes and symbols in words ------------------------------------------------------------------


def test_the_libraries_hold_every_fixed_polyomino_of_up_to_four_cells_once() -> None:
    pieces = library("up_to_four")
    assert len({piece.cells for piece in pieces}) == len(pieces) == 1 + 2 + 6 + 19
    assert library("without_s_and_z") == pieces[:24]
    assert {len(piece.cells) for piece in pieces[24:]} == {4}
    assert " ".join(piece.rows() for piece in pieces[:8]) == "# ## #/# ##/#. ##/.# #./## .#/## ###"


def test_orientations_are_turned() -> None:
    assert len(Polyomino.parse("###/#..", free=True).orientations()) == 4
    assert len(Polyomino.parse("####", free=True).orientations()) == 2
    assert len(Polyomino.parse("##/##", free=True).orientations()) == 1
    assert len(Polyomino.parse("###/#..").orientations()) == 1


def test_symbols_have_words() -> None:
    symbols = [
        Square("white"), Star("blue"), Triangles(2), Triangles(1, "red"), Polyomino.parse("##/.#"),
        Polyomino.parse("#/#", free=True), Polyomino.parse("#", negative=True, colour="cyan"),
        LineSymbol.DOT, LineSymbol.GAP, None,
    ]  # fmt: skip
    words = [
        "square white", "star blue", "triangles 2", "triangles 1 red", "polyomino ##/.#",
        "polyomino #/# free", "polyomino # negative cyan", "dot", "gap", "none",
    ]  # fmt: skip
    assert [format_symbol(symbol) for symbol in symbols] == words
    assert [parse_symbol(text) for text in words] == symbols


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("eraser black white", "at most a colour follows"),
        ("sqare black", "Did you mean 'square'"),
        ("square", "one colour"),
        ("star pink", "unknown colour 'pink'"),
        ("triangles 5", "1 to 4"),
        ("triangles x", "write 'triangles 1'"),
        ("polyomino", "has rows"),
        ("polyomino ## free free", "at most once"),
        ("polyomino ## flipped", "unknown colour 'flipped'"),
        ("dot black", "nothing follows"),
        ("", "is not a symbol"),
    ],
)
def test_words_that_are_no_symbol_are_refused(text: str, message: str) -> None:
    with pytest.raises(PanelError, match=message):
        parse_symbol(text)


# --- drawings ------------------------------------------------------------------------------------------


def test_a_drawing_says_what_it_shows() -> None:
    panel = parse_panel(DEMO)
    grid = panel.grid
    assert (panel.width, panel.height) == (4, 4)
    assert panel.starts == (0, 1)
    assert panel.ends == (grid.vertex(3, 4), grid.vertex(4, 4))
    assert panel.vertex_dots == (1, grid.vertex(1, 3), grid.vertex(3, 4))
    assert panel.edge_dots == (grid.horizontal_edge(2, 4), grid.vertical_edge(3, 1))
    assert set(panel.gaps) == {
        grid.horizontal_edge(1, 2), grid.horizontal_edge(3, 1), grid.vertical_edge(2, 3),
    }  # fmt: skip
    assert panel.symbol_at[grid.cell(0, 3)] == Square("black")
    assert panel.symbol_at[grid.cell(0, 1)] == Polyomino([(0, 0), (0, 1), (1, 1)], colour="red")
    assert panel.symbol_at[grid.cell(1, 0)] == Polyomino.parse("#/#", free=True, negative=True)
    assert len(panel.symbols) == 13


def test_what_is_written_is_read_back() -> None:
    assert parse_panel(format_panel(parse_panel(DEMO))) == parse_panel(DEMO)
    r = random.Random(8)
    for _ in range(200):
        panel = r.choice((random_panel, random_symmetric_panel))(r, largest=5)
        panel = with_erasers(r, panel) if r.random() < 0.5 else panel
        assert parse_panel(format_panel(panel)) == panel


def test_a_solution_is_drawn() -> None:
    panel = Panel(width=2, height=1, symbols={1: Triangles(3)})
    drawn = draw_solution(panel, first_solutions(panel, 1)[0])
    assert drawn == "+===+---E\nH   H a H\nS---+===+\na: triangles 3\n"


CORNER = "+---E\n| a |\nS---+\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "there is no drawing"),
        ("+---E\n| a |\nS---+", 2, 3, "'a' is not a symbol here"),
        ("\n\n  +---E\n  | a |\n  S---+", 4, 5, "'a' is not a symbol here"),
        ("+---E\n| a |\nS---+\na: squre black", 4, 4, "Did you mean 'square'"),
        (CORNER + "a: eraser\nsymmetry: round", 5, 11, "horizontal, vertical or rotational"),
        (CORNER + "a: star red\na: star blue", 5, 1, "named twice"),
        (CORNER + "a: star red\nb: star blue", 5, 1, "does not occur"),
        (CORNER + "a: dot", 4, 4, "is not a symbol of a cell"),
        ("+---E\n|   |\nS-=-+", 3, 2, "is not a horizontal edge"),
        ("+---E\n|   x\nS---+", 2, 5, "is not a vertical edge"),
        ("+---E\n|  |\nS---+", 2, 5, "4 characters long"),
        ("+---E\n|   |\nS---+---+", 3, 6, "9 characters long"),
        ("+---E\n|   |", 2, 1, r"2H \+ 1 lines"),
        ("+--E\n|  |\nS--+", 1, 1, "characters long for W = 1 to 7 cells, not 4"),
        ("+---E\n| ~ |\nS---+", 2, 3, "letters and digits"),
        ("hello", 1, 1, "is neither a line of a drawing"),
        (CORNER + "a: star red\n+---+", 5, 1, "ends where the names"),
        ("+---" * 8 + "E\n" + "|   " * 8 + "|\n" + "S---" + "+---" * 7 + "+", 1, 1, "W = 1 to 7"),
    ],
)
def test_a_faulty_drawing_is_refused_with_line_and_column(
    text: str, line: int, column: int, message: str
) -> None:
    with pytest.raises(DrawingError, match=message) as caught:
        parse_panel(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).startswith(f"line {line}, column {column}: ")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_drawing_needs_a_start_and_an_end() -> None:
    with pytest.raises(PanelError, match="no start: mark a vertex with S"):
        parse_panel("+---E\n|   |\n+---+")
    with pytest.raises(PanelError, match="no end: mark a vertex with E"):
        parse_panel("+---+\n|   |\nS---+")


def test_blanks_are_for_generators() -> None:
    text = "+---+---E\n| ? | a |\nS---+---+\na: star red"
    assert parse_drawing(text).blanks == (0,)
    with pytest.raises(PanelError, match=r"1 cells marked '\?'"):
        parse_panel(text)


def test_cut_and_damaged_drawings_are_errors_or_panels_and_never_crash() -> None:
    r = random.Random(9)
    text = DEMO.strip()
    faulty = 0
    for _ in range(3000):
        cut = list(text[: r.randrange(len(text) + 1)] if r.random() < 0.5 else text)
        for _ in range(r.randint(0, 3)):
            if cut:
                cut[r.randrange(len(cut))] = r.choice("+-|*SE abz?:#\n/0")
        try:
            parse_panel("".join(cut))
        except PanelError:
            faulty += 1
    assert faulty > 2000


# --- spaces of panels ----------------------------------------------------------------------------------


def test_a_space_refuses_panels_with_another_base() -> None:
    base = Panel(width=2, height=2, symbols={0: Square("red")})
    space = PanelSpace(base, (Star("red"), LineSymbol.DOT))
    added = [(1, Star("red")), (4 + 20, LineSymbol.DOT)]
    panel = space.panel(added)
    assert space.entries(panel) == added
    assert space.unpack([1 * 3 + 0, 24 * 3 + 1, -1]) == panel
    for other in (Panel(width=2, height=2), Panel(width=2, height=2, symbols=base.symbols, ends=[2])):
        with pytest.raises(RankError, match="differs from the base"):
            space.entries(other)
