"""One solved board by a random search: of large games, with a limit, and the same for the same seed."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest
from epcg_tangram.design.layout import Layout
from epcg_tangram.formats.boards import parse_board
from epcg_tangram.rules.one_cover import _luby, one_cover
from epcg_tangram.texts.game_text import parse_game, read_game
from epcg_tangram.workshop.outlook import answer_of

from tests.workplace import epcg

LARGE = """lattice = "squares"

[board]
family = "rectangle"
width = 20
height = 9

[[pieces]]
shapes = { cells = 5 }
copies = 3
"""


def test_a_board_of_180_squares_is_filled() -> None:
    layout = Layout(parse_game(LARGE))
    copies = [(kind.least, kind.most) for kind in layout.definition.pieces]
    found = one_cover(layout, copies, seed=2, limit=1_000_000)
    assert found.outcome == "found"
    assert sorted(cell for n in found.placements for cell in layout.placements[n].cells) == list(range(180))
    pieces = [layout.placements[n].piece for n in found.placements]
    assert all(pieces.count(piece) == 3 for piece in range(12))
    assert one_cover(layout, copies, seed=2, limit=1_000_000) == found
    assert one_cover(layout, copies, seed=3, limit=1_000_000).placements != found.placements
    ended = one_cover(layout, copies, seed=2, limit=20)
    assert (ended.outcome, ended.placements, ended.tried) == ("limit", (), 20)


def test_how_long_the_search_tries_before_it_begins_again() -> None:
    assert list(islice(_luby(), 15)) == [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]


def test_the_outlook_of_a_large_game_shows_a_solved_board() -> None:
    answer = answer_of(read_game(LARGE))
    assert (answer.title, answer.solved) == ("Can be filled", True)
    assert answer.about.startswith("In how many ways is not known. A search would visit about")
    assert answer.svg.count('class="piece"') == 36


def test_the_command_draws_the_board_and_says_it_as_a_text(reader: Path) -> None:
    told = epcg("tangram", "solve", "soma", "--seed", "5", "--output", "solved.svg").stdout
    board = parse_board(told.splitlines()[-1])
    assert len(board.placements) == 7
    assert "with the seed 5" in told
    assert "<svg" in (reader / "solved.svg").read_text(encoding="utf-8")
    again = json.loads(epcg("tangram", "solve", "soma", "--seed", "5", "--json").stdout)
    assert again["board"] == told.splitlines()[-1]


@pytest.mark.parametrize(
    ("game", "options", "said"),
    [
        (
            LARGE,
            ("--limit", "20"),
            "by trying 20 placements with the seed 0, which does not say",
        ),
        (LARGE, ("--sizes", "10,9"), "The pieces cannot cover the board"),
        ("first-steps", ("--sizes", "4"), "This board is drawn, so it has no sizes to change."),
    ],
)
def test_what_is_said_if_no_board_is_found(game: str, options: tuple[str, ...], said: str) -> None:
    done = epcg("tangram", "solve", game, *options, code=1)
    assert said in done.stderr
