"""Cells that may stay empty, and cells that want one of several colours: a calendar's dates, for one."""

from __future__ import annotations

import pytest
from epcg_tangram.design.layout import layout_of
from epcg_tangram.evaluation.counts import BoardSolutions
from epcg_tangram.generators.boards import solved_boards
from epcg_tangram.generators.variants import BoardVariants
from epcg_tangram.params import BoardsParams, GameRef, SolutionsParams, VariantsParams
from epcg_tangram.rendering.renderers import board_svg
from epcg_tangram.rules.boards import Board
from epcg_tangram.texts.game_text import parse_game, read_game
from epcg_tangram.texts.game_writer import format_game

from epcg_core.base.errors import ParamsError, UnknownNameError
from tests.tangram.test_game_text import changed

CALENDAR = """
lattice = "squares"
[board]
drawing = "mmm\\nddd\\nddd"
optional = "md"
[[pieces]]
name = "corner"
drawing = "##\\n#."
[[pieces]]
name = "square"
drawing = "##\\n##"
"""


def test_cells_that_may_stay_empty() -> None:
    """Any number of them, or as many as are asked for, and no other cell; a drawing shows which."""
    game = parse_game(CALENDAR)
    assert (game.empty, game.optional) == (None, tuple(range(9)))
    assert parse_game(CALENDAR.replace("mmm", "###")).optional == (3, 4, 5, 6, 7, 8)
    exact = parse_game(CALENDAR + "[rules]\nempty = 2\n")
    assert (exact.empty, exact.optional) == (2, tuple(range(9)))
    assert parse_game(format_game(game)) == game
    assert parse_game(format_game(exact)) == exact
    assert board_svg(Board(GameRef(CALENDAR), ())).count('class="optional"') == 9
    assert solved_boards(BoardsParams(CALENDAR, boards="all")).max_rank == 4
    with pytest.raises(ParamsError, match="8 of its 9 cells are to be covered"):
        solved_boards(BoardsParams(CALENDAR + "[rules]\nempty = 1\n"))


def test_a_cell_of_each_sign_stays_empty_and_no_other() -> None:
    """All dates of a small calendar, one board each: as many solutions in all as leave such two cells."""
    variants = BoardVariants(VariantsParams(CALENDAR, leave=("m", "d")))
    boards = [variants.unrank(rank) for rank in range(variants.max_rank)]
    assert [variants.rank(variants.parse(variants.format(board))) for board in boards] == list(
        range(len(boards))
    )
    evaluator = BoardSolutions(SolutionsParams(), variants)
    found = solved_boards(BoardsParams(CALENDAR)).covers.tolist()
    layout = layout_of(parse_game(CALENDAR))
    left = [
        {*range(9)} - {cell for n in row if n >= 0 for cell in layout.placements[n].cells} for row in found
    ]
    assert sum(int(evaluator.evaluate(board)[0]) for board in boards) == sum(
        len(own) == 2 and min(own) < 3 <= max(own) for own in left
    )
    with pytest.raises(UnknownNameError, match=r"unknown sign of the board 'x'\. Known: d, m\."):
        BoardVariants(VariantsParams(CALENDAR, leave=("x",))).unrank(0)
    with pytest.raises(ParamsError, match="4 cells 'm' cannot stay empty, the board has 3"):
        BoardVariants(VariantsParams(CALENDAR, leave=("m",) * 4)).unrank(0)
    with pytest.raises(ParamsError, match="all cells of the board would stay empty"):
        BoardVariants(VariantsParams(CALENDAR, leave=("m",) * 3 + ("d",) * 6)).unrank(0)


def test_a_cell_that_wants_one_of_several_colours() -> None:
    text = changed('####\n####\n"""', '###p\n####\n"""\nwants = { p = ["red", "blue"] }')
    taken = {
        colour: layout_of(parse_game(text.replace("copies = 4", f'copies = 4\ncolour = "{colour}"')))
        for colour in ("red", "blue", "green")
    }
    covered = {c: any(3 in own.cells for own in layout.placements) for c, layout in taken.items()}
    assert covered == {"red": True, "blue": True, "green": False}
    assert parse_game(format_game(taken["red"].definition)) == taken["red"].definition
    (fault,) = read_game(text.replace("copies = 4", 'copies = 4\ncolour = "green"')).faults
    assert fault.message.startswith(
        "1 cell wants the colour 'red' or 'blue', which no piece has: give a piece"
    )
