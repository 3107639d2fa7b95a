"""Cells that may stay empty, and cells that want one of several colours: a calendar's dates, for one."""

from __future__ import annotations

import pytest
from epcg_tangram.design.layout import layout_of
from epcg_tangram.evaluation.counts import BoardSolutions
from epcg_tangram.generators.boards import solved_boards
from epcg_tangram.generators.variants import BoardVariants
from epcg_tangram.params import BoardsParams, GameRef, SolutionsParams, VariantsParams
from epcg_tangram.rendering.ingredients import ingredient_svg, ingredient_text
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


LABELS = 'labels = { m = ["Jan", "Feb", "Mar"], d = ["1", "2", "3", "4", "5", "6"] }'
LABELLED = CALENDAR.replace('optional = "md"', f'optional = "md"\n{LABELS}')


def test_cells_have_labels_and_boards_say_the_dates_that_they_leave() -> None:
    game = parse_game(LABELLED)
    assert [game.label_of[cell] for cell in range(9)] == ["Jan", "Feb", "Mar", "1", "2", "3", "4", "5", "6"]
    assert parse_game(format_game(game)) == game
    assert board_svg(Board(GameRef(LABELLED), ())).count('class="label"') == 9
    variants = BoardVariants(VariantsParams(LABELLED, leave=("m", "d")))
    boards = [variants.unrank(rank) for rank in range(variants.max_rank)]
    dates = [date for board in boards for date in board.left]
    assert sorted(dates) == sorted(
        f"{month}, {day}" for month in ("Jan", "Feb", "Mar") for day in range(1, 7)
    )
    assert boards[0].left == ("Jan, 1", "Mar, 3")  # each is the mirror image of the other
    assert ingredient_text(boards[0]).endswith("Empty: Jan, 1; or Mar, 3\n")
    assert "empty: Jan, 1; or Mar, 3" in ingredient_svg(boards[0])


@pytest.mark.parametrize(
    ("labels", "said", "serious"),
    [
        ("'x'", "'labels' says what the cells with a sign are called", True),
        ("{ x = ['a'] }", "The sign 'x' has labels, and neither 'wants' nor 'optional' explains it.", True),
        ("{ m = 'Jan' }", "The labels of 'm' are a list", True),
        ("{ m = ['January and more'] }", "A label has 1 to 12 characters.", True),
        ("{ m = ['Jan', 'Feb'] }", "3 cells have the sign 'm', and there are 2 labels.", False),
    ],
)
def test_faults_of_labels(labels: str, said: str, serious: bool) -> None:
    text = CALENDAR.replace('optional = "md"', f'optional = "md"\nlabels = {labels}')
    (fault,) = [own for own in read_game(text).faults if own.line == 6]
    assert fault.message.startswith(said)
    assert fault.serious == serious
