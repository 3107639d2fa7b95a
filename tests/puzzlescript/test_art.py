"""Pictures of objects, painted square by square: a change is made in the text, and nothing else changes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from epcg_puzzlescript.formats.art import GameArt
from epcg_puzzlescript.formats.files import shipped_games
from epcg_puzzlescript.formats.game_file import GameFile
from epcg_puzzlescript.formats.text import read_game_text
from epcg_puzzlescript.language.files import read_text
from epcg_puzzlescript.language.problems import GameError

ART = GameArt()
SHIPPED = sorted(shipped_games())

GAME = """title Paint

========
OBJECTS
========

Background
green (a comment) darkgreen (another)
11111
01111 (the second row)
11101
  11111
10111

(lines between)
Wall
#402010

Hero .
transparent Blue red
.111.
.1

Crate
orange brown
.000.
.0.0.
.0.0.
.0.0.
.000.

LEGEND
# = Wall
P = Hero
C = Crate
. = Background

SOUNDS

COLLISIONLAYERS
Background
Hero, Wall, Crate

RULES
[ > Hero | Crate ] -> [ > Hero | > Crate ]

WINCONDITIONS
no Crate

LEVELS
#P.C
"""


def canvas(text: str, name: str) -> dict[str, str]:
    """What is painted of an object, by its squares."""
    return dict(next(each for each in ART.canvases(text) if each.id == name).painted)


def test_canvases_are_the_objects_as_they_are_drawn() -> None:
    found = {each.id: each for each in ART.canvases(GAME)}
    assert list(found) == ["background", "wall", "hero", "crate"]
    assert found["hero"].title == "Hero"
    assert [mark.title for mark in found["hero"].marks] == ["transparent", "blue", "red"]
    assert canvas(GAME, "hero") == {"c2,1": "1", "c3,1": "1", "c4,1": "1", "c2,2": "1"}
    assert set(canvas(GAME, "wall").values()) == {"0"}
    assert len(canvas(GAME, "wall")) == 25
    assert canvas(GAME, "background")["c1,2"] == "0"


def test_a_square_changes_one_sign_of_the_text() -> None:
    after = ART.paint(GAME, "background", ["c1,2"], "1")
    assert after == GAME.replace("01111 (the second row)", "11111 (the second row)")
    assert ART.paint(GAME, "crate", ["c3,2"], "1") == GAME.replace(".0.0.", ".010.", 1)


def test_a_picture_is_made_where_there_is_none_and_made_whole_where_it_is_short() -> None:
    wall = ART.paint(GAME, "wall", ["c1,1", "c5,5"], "")
    assert wall == GAME.replace("#402010\n", "#402010\n.0000\n00000\n00000\n00000\n0000.\n")
    hero = ART.paint(GAME, "hero", ["c3,5"], "2")
    assert hero == GAME.replace(".111.\n.1\n", ".111.\n.1...\n.....\n.....\n..2..\n")


def test_colours_are_set_and_added_where_they_stand() -> None:
    assert ART.set(GAME, "background", "colour 2", "blue") == GAME.replace("darkgreen", "blue")
    assert ART.set(GAME, "background", "colour 3", "#123456") == GAME.replace(
        "darkgreen", "darkgreen #123456"
    )
    assert ART.set(GAME, "hero", "colour 2", "pink") == GAME.replace("Blue", "pink")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda: ART.paint(GAME, "crate", ["c1,1"], "2"), "'crate' has no colour '2'"),
        (lambda: ART.paint(GAME, "crate", ["c6,1"], "1"), "no square 'c6,1'"),
        (lambda: ART.paint(GAME, "nobody", ["c1,1"], "1"), "no object 'nobody'"),
        (lambda: ART.set(GAME, "crate", "colour 4", "red"), "has no 'colour 4'"),
        (lambda: ART.set(GAME, "crate", "colour 1", "reddish"), "'reddish' is not a colour"),
        (lambda: ART.paint("OBJECTS\n", "crate", ["c1,1"], "1"), "cannot be played"),
        (
            lambda: ART.paint(GAME.replace("#402010", "#402010 (a\ncomment)"), "wall", ["c1,1"], ""),
            "comments around the picture of 'wall'",
        ),
    ],
)
def test_what_cannot_be_painted_is_said(change: object, words: str) -> None:
    assert callable(change)
    with pytest.raises(GameError, match=words):
        change()


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_stroke_on_a_shipped_game_is_in_its_lines_alone(path: Path) -> None:
    text, drawn = read_text(path), random.Random(path.stem)
    before = read_game_text(text)
    for chosen in drawn.sample(list(ART.canvases(text)), 3):
        sites = drawn.sample([site.id for site in chosen.sites], 4)
        mark = drawn.choice(["", *(each.name for each in chosen.marks)])
        after = ART.paint(text, chosen.id, sites, mark)
        painted = {site: mark for site in sites if mark}
        kept = {site: old for site, old in chosen.painted.items() if site not in sites}
        assert canvas(after, chosen.id) == kept | painted
        game = read_game_text(after)
        others = [thing for thing in before.objects if thing.name != chosen.id]
        assert [thing for thing in game.objects if thing.name != chosen.id] == others
        assert [found.cells for found in game.maps] == [found.cells for found in before.maps]
        was, now = text.splitlines(), after.splitlines()
        assert len([line for line in now if line not in was]) <= 5
        assert len(GameFile().read(after).pieces) == len(GameFile().read(text).pieces)


def test_an_object_without_colours_is_told_and_its_name_is_the_authors() -> None:
    text = GAME.replace("Hero .\ntransparent Blue red\n.111.\n.1\n", "(the one) Hero\n\n")
    found = {each.id: each for each in ART.canvases(text)}
    assert found["hero"].title == "Hero"
    assert found["hero"].settings == ART.canvases(text)[2].settings
    for change in (
        lambda: ART.paint(text, "hero", ["c1,1"], ""),
        lambda: ART.set(text, "hero", "colour 1", "red"),
    ):
        with pytest.raises(GameError, match=r"Line \d+: 'hero' has no line of colours below it"):
            change()
