"""Pieces whose cells have colours, and others behind: a place that wants a colour looks at the cell on it."""

from __future__ import annotations

import pytest
from epcg_tangram.design.definition import CellColour
from epcg_tangram.design.layout import Layout
from epcg_tangram.generators.boards import solved_boards
from epcg_tangram.generators.variants import boards
from epcg_tangram.params import BoardsParams, GameParams, VariantsParams
from epcg_tangram.rendering.editor import InstanceEditor
from epcg_tangram.rendering.game_data import TangramData
from epcg_tangram.rendering.renderers import board_svg, puzzle_of, puzzle_svg
from epcg_tangram.rules.instance import Instance
from epcg_tangram.texts.game_text import parse_game, read_game
from epcg_tangram.texts.game_writer import format_game
from epcg_tangram.workshop.canvases import PackingWorkshop

from epcg_core.plugin import Fault

SHOP = PackingWorkshop()
CHECKERS = """lattice = "squares"

[board]
drawing = '''
wbw
bwb
'''
wants = { w = "yellow", b = "navy" }

[[pieces]]
name = "bar"
drawing = "#b#"
colour = "yellow"
colours = { b = "navy" }

[[pieces]]
name = "other"
drawing = "wbw"
colour = "grey"
colours = { w = ["green", "navy"], b = ["green", "yellow"] }
"""


def lying(text: str) -> list[tuple[int, tuple[int, ...], tuple[str, ...]]]:
    layout = Layout(parse_game(text))
    return [(own.piece, own.cells, layout.colours_of(n)) for n, own in enumerate(layout.placements)]


def test_a_place_that_wants_a_colour_looks_at_the_cell_on_it() -> None:
    """The bar fits above alone, the other bar below alone, and only if it is turned over."""
    assert lying(CHECKERS) == [
        (0, (0, 1, 2), ("yellow", "navy", "yellow")),
        (1, (3, 4, 5), ("navy", "yellow", "navy")),
    ]
    assert solved_boards(BoardsParams(CHECKERS)).max_rank == 1
    flat = CHECKERS.replace('colour = "grey"', 'colour = "grey"\nflip = false')
    assert [piece for piece, _, _ in lying(flat)] == [0]


def test_ways_that_cover_the_same_cells_are_one_if_any_has_the_colours() -> None:
    domino = """lattice = 'squares'
[board]
drawing = '#r#'
wants = { r = 'red' }
[[pieces]]
name = 'domino'
drawing = 'r#'
colour = 'blue'
colours = { r = 'red' }
[[pieces]]
name = 'dot'
drawing = '#'
"""
    assert lying(domino)[:2] == [(0, (0, 1), ("blue", "red")), (0, (1, 2), ("red", "blue"))]
    free = domino.replace("#r#", "###").replace("wants", "# wants")
    assert [cells for piece, cells, _ in lying(free) if piece == 0] == [(0, 1), (1, 2)]
    stiff = domino.replace("'blue'", "'blue'\nturn = false\nflip = false")
    assert [cells for piece, cells, _ in lying(stiff) if piece == 0] == [(1, 2)]


def test_boards_are_told_apart_by_where_the_colours_of_cells_fit() -> None:
    """A board without a corner is another one than its mirror image if a piece cannot be turned over."""
    text = CHECKERS.replace("'''\nwbw\nbwb\n'''", "'''\nwbwb\nbwbw\n'''")
    assert boards(VariantsParams(text, holes=1)).max_rank == 8 // 2  # a half turn exchanges the colours


def test_the_text_is_written_as_it_was_read() -> None:
    game = parse_game(CHECKERS)
    bar, other = game.pieces
    assert bar.marks == (((1, 0), CellColour("b", "navy", "navy")),)
    assert other.colours == ("grey", "green", "navy", "yellow")
    assert (bar.two_sided, other.two_sided) == (False, True)
    assert {paint.name for paint in game.colours} == {"yellow", "navy", "grey", "green"}
    text = format_game(game)
    assert 'colours = { b = ["green", "yellow"], w = ["green", "navy"] }' in text
    assert parse_game(text) == game
    assert read_game(CHECKERS).faults == ()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ('colours = "navy"', "'colours' says which sign has which colour, as in { r = \"red\" }."),
        ("colours = { b = [] }", 'A cell has one colour, or one in front and one behind: ["red", "blue"].'),
        ('colours = { b = "nave" }', "Unknown colour 'nave'. Did you mean 'navy'?"),
        ('colours = { bb = "navy" }', "A sign of a drawing is one letter or digit, not 'bb'."),
    ],
)
def test_faults_of_colours_stand_at_their_line(changed: str, said: str) -> None:
    found = read_game(CHECKERS.replace('colours = { b = "navy" }', changed)).faults
    faults = [fault for fault in found if fault.serious and "sign of a drawing: " not in fault.message]
    assert faults[0].line == CHECKERS.split("\n").index('colours = { b = "navy" }') + 1
    assert faults[0].message.startswith(said)


def serious(text: str) -> list[Fault]:
    return [fault for fault in read_game(text).faults if fault.serious]


def test_shapes_have_no_signs_and_cubes_no_back() -> None:
    head = "lattice = 'cubes'\n[board]\nfamily = 'cube'\nside = 2\n[[pieces]]\n"
    cubes = head + "name = 'a'\ndrawing = 'r#'\ncolours = { r = ['red', 'blue'] }\n"
    assert "Pieces of cubes have no back: give 'r' one colour." in [own.message for own in serious(cubes)]
    shapes = head + "shapes = { cells = 3 }\ncolours = { r = 'red' }\n"
    (fault,) = serious(shapes)
    assert fault.message == "'colours' is about signs of a drawing, and these pieces have none."


def test_equal_pieces_of_other_colours_are_told_apart_where_cells_want_them() -> None:
    twice = CHECKERS + "\n[[pieces]]\nname = 'bar again'\ndrawing = '###'\ncolour = 'yellow'\n"
    assert not [f for f in read_game(twice).faults if "the same piece" in f.message]
    same = twice.replace("'###'", "'#n#'") + "colours = { n = 'navy' }\n"
    assert [f for f in read_game(same).faults if "'bar again' is the same piece as 'bar'" in f.message]


def test_cells_of_a_piece_are_painted() -> None:
    piece = SHOP.canvases(CHECKERS)[1]
    assert {"cell", "navy", "yellow", "green"} <= {mark.name for mark in piece.marks}
    assert piece.painted == {"0,0": "cell", "1,0": "navy", "2,0": "cell"}
    text = SHOP.paint(CHECKERS, "piece 0", ["0,0", "3,0"], "green")
    (own, *_) = parse_game(text).pieces
    assert dict(own.marks) == {
        (0, 0): CellColour("g", "green", "green"),
        (1, 0): CellColour("b", "navy", "navy"),
        (3, 0): CellColour("g", "green", "green"),
    }
    plain = SHOP.paint(SHOP.paint(text, "piece 0", ["0,0", "1,0"], "cell"), "piece 0", ["3,0"], "")
    assert parse_game(plain).pieces[0].marks == ()
    assert "colours = { b" not in plain.split("[[pieces]]")[1]
    behind = SHOP.canvases(CHECKERS)[2]
    assert behind.painted == {"0,0": "sign w", "1,0": "sign b", "2,0": "sign w"}
    assert parse_game(SHOP.add(CHECKERS, "piece 1")).pieces[2].marks == parse_game(CHECKERS).pieces[1].marks


def test_pictures_show_the_colours_and_loose_pieces_both_sides() -> None:
    generator = solved_boards(BoardsParams(CHECKERS))
    board = generator.unrank(0)
    picture = board_svg(board)
    assert picture.count('class="cell"') == 1 + 3
    paints = parse_game(CHECKERS).paint_of
    assert f'fill="{paints["green"].face}"' not in picture
    puzzle = puzzle_svg(puzzle_of(Instance(GameParams(CHECKERS), (), ())))
    assert puzzle.count('class="piece"') == 3
    assert puzzle.count(f'fill="{paints["green"].face}"') == 3
    data = TangramData(generator).layout(board)
    assert [item["colours"] for item in data["items"]] == [
        ["yellow", "navy", "yellow"], ["navy", "yellow", "navy"]
    ]  # fmt: skip
    editor = InstanceEditor(CHECKERS)
    scene = editor.scene(Instance(GameParams(CHECKERS), board.placements, ()))
    assert sum(path.fill == paints["navy"].face for path in scene.paths) >= 3
