"""Texts of dialects are told in one sentence; settings of looks, and titles of levels, are read over."""

from __future__ import annotations

import pytest
from epcg_puzzlescript.formats.text import parse_level
from epcg_puzzlescript.language.game import parse_game
from epcg_puzzlescript.language.problems import GameError
from epcg_puzzlescript.rules.model import PuzzleScriptModel

from epcg_core.plugin import shortest_path

PLAIN = """\
title Plain
OBJECTS
background
green

player
blue

crate
brown

mark
white

LEGEND
. = background
p = player
c = crate
o = mark
SOUNDS
COLLISIONLAYERS
background
mark
player, crate
RULES
[ > player | crate ] -> [ > player | > crate ]
WINCONDITIONS
all crate on mark
LEVELS

pc.o
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("LEGEND\n", "TAGS\nway = up or down\n\nLEGEND\n", "a section TAGS in line 15"),
        (
            "crate\nbrown\n",
            "crate:way\nbrown\n\ncopy: player\nred\n",
            "sprites made of others (copy:) in line 12",
        ),
        ("[ > player |", "[ > player:up | ] -> [ player:up | ]\n[ > player |", "names with tags (player:up)"),
        ("RULES\n", "RULES\nglobal [ crate ] -> []\n", "rules for the whole level (global)"),
        ("> crate ]\nWIN", "> crate ] goto end\nWIN", "the command goto"),
        ("LEVELS\n", "LEVELS\n\ngoto start\n", "levels that lead elsewhere (goto)"),
        ("title Plain\n", "title Plain\ncase_sensitive\n", "the setting case_sensitive in line 2"),
    ],
)
def test_a_dialect_is_told_by_its_words(old: str, new: str, said: str) -> None:
    broken = PLAIN.replace("COLLISIONLAYERS\nbackground\n", "COLLISIONLAYERS\n").replace(
        "player, crate\n", "x\n" * 9
    )
    text = broken.replace(old, new)
    assert text != broken
    with pytest.raises(GameError) as caught:
        parse_game(text, "game.txt")
    told = str(caught.value)
    assert "\n" not in told
    assert told.startswith("game.txt is written in a dialect of PuzzleScript (")
    assert said in told
    assert "As PuzzleScript it has" in told


def test_a_plain_game_with_faults_is_not_called_a_dialect() -> None:
    broken = PLAIN.replace("COLLISIONLAYERS\n", "COLLISIONLAYERS\n" + "x\n" * 9)
    with pytest.raises(GameError, match="cannot be played:\n") as caught:
        parse_game(broken)
    assert "dialect" not in str(caught.value)


def test_looks_and_titles_of_levels_change_nothing() -> None:
    looks = "smoothscreen 5x5\nlevel_select\ntext_controls Hello\nsprite_size 8\ntween_length 0.1\n"
    looks += "skip_title_screen\ncustom_font x\n"
    text = PLAIN.replace("title Plain\n", f"title Plain\n{looks}").replace(
        "LEVELS\n", "LEVELS\n\nsection One\n\nlevel First\n"
    )
    level = parse_level(text)
    assert level.game.unread == ""
    assert level.game.identity == parse_game(PLAIN).identity
    assert len(level.game.maps) == 1
    assert shortest_path(PuzzleScriptModel(), level, 100).length == 2
