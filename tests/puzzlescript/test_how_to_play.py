"""What booklets say about a game: its own keys and signs, and what wins in sentences that players read."""

from __future__ import annotations

import re

import pytest
from epcg_publishing.html import as_html
from epcg_puzzlescript.rendering.how_to_play import how_to_play, solutions_explained
from epcg_puzzlescript.rules.level import Level

from epcg_core.curriculum.booklet import Booklet, BookletChapter, BookletPuzzle
from epcg_core.editing.editing import open_document
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import puzzle_id
from epcg_core.query.spec import space_spec

GAME = """{settings}
========
OBJECTS
========
Background
Black
Nest
Brown
Fire
Red
Player
White
Otter
Blue
=======
LEGEND
=======
. = Background
n = Nest
f = Fire
P = Player
o = Otter
* = Otter and Nest
=======
SOUNDS
=======
=======
COLLISIONLAYERS
=======
Background
Nest, Fire
Player, Otter
======
RULES
======
[ > Player | Otter ] -> [ > Player | > Otter ]
{rules}
==============
WINCONDITIONS
==============
{wins}
=======
LEVELS
=======
{level}
"""


def level(wins: str, rows: str = "Pon.on", settings: str = "title Otters", rules: str = "") -> Level:
    text = GAME.format(settings=settings, rules=rules, wins=wins, level=rows)
    state = open_document("puzzlescript", text).editor.content
    assert isinstance(state, Level)
    return state


EVERY_OTTER = "überall, wo „otter“ ist, auch „nest“ ist"
EVERY_NEST = "überall, wo „nest“ ist, auch „otter“ ist"


@pytest.mark.parametrize(
    ("wins", "rows", "english", "german"),
    [
        ("All Otter on Nest", "Pon.on", "every otter is on a nest", EVERY_OTTER),
        ("All Nest on Otter", "Pon.on", "an otter is on every nest", EVERY_NEST),
        ("All Nest on Otter", "Po..n.", "the otter is on the nest", EVERY_NEST),
        ("All Nest on Otter", "Po.nn.", "an otter is on every nest", EVERY_NEST),
        ("All Player on Nest", "P.n.n.", "the player is on a nest",
         "überall, wo „player“ ist, auch „nest“ ist"),
        ("No Fire", "P.ff..", "there is no fire left", "„fire“ nirgends mehr ist"),
        ("No Otter on Fire", "Poff..", "no otter is on a fire", "„otter“ nirgends auf „fire“ ist"),
        ("Some Otter", "P.ff..", "there is an otter", "es irgendwo „otter“ gibt"),
        ("Some Nest on Otter", "Poonn.", "an otter is on a nest", "irgendwo „nest“ auf „otter“ ist"),
        ("All Otter on Nest\nNo Fire", "Pon.on", "every otter is on a nest and there is no fire left",
         f"{EVERY_OTTER} und „fire“ nirgends mehr ist"),
    ],
)  # fmt: skip
def test_what_wins_is_a_sentence_that_players_read(wins: str, rows: str, english: str, german: str) -> None:
    told = how_to_play([level(wins, rows)])[-1]
    assert told.text == f"You have won when {english}."
    assert told.said("de") == f"Gewonnen ist, wenn {german}."
    assert told.said("fr") == told.text


def test_a_game_that_its_rules_win_says_so() -> None:
    assert how_to_play([level("", rules="[ Otter | Fire ] -> win")])[-1].text.endswith(
        "rules of the game say so."
    )
    assert how_to_play([level("All Otter")])[-1].text == "You have won as soon as you have moved."


ACTS = [
    ("", "", False),
    ("", "[ action Player ] -> [ Otter ]", True),
    ("", "[ moving Player | Fire ] -> [ moving Player | ]", True),
    ("", "[ Fire ] -> [ > Fire ]", True),
    ("", "late [ Otter Nest ] -> [ Nest ]", False),
    ("noaction", "[ action Player ] -> [ Otter ]", False),
    ("require_player_movement", "[ Fire ] -> [ > Fire ]", False),
]


@pytest.mark.parametrize(("settings", "rules", "acts"), ACTS)
def test_only_keys_and_signs_that_the_game_has_are_told(settings: str, rules: str, acts: bool) -> None:
    state = level("All Otter on Nest", settings=f"title Otters\n{settings}", rules=rules)
    told = " ".join([*(each.text for each in how_to_play([state])), solutions_explained([state]).text])
    assert ("action key" in told) == acts
    assert not re.search("clock|tick|checkpoint|restart", told)


def test_a_clock_and_checkpoints_are_told_where_they_are() -> None:
    clock = level("All Otter on Nest", settings="title Otters\nrealtime_interval 0.5")
    told = solutions_explained([clock, level("All Otter on Nest")])
    assert told.text == "Arrows below a level are its moves; a clock is a tick."
    assert told.said("de") == "Die Pfeile unter einem Level sind seine Züge; eine Uhr ist ein Takt."


@pytest.fixture
def booklet() -> Booklet:
    text = GAME.format(settings="title Otters", rules="", wins="All Nest on Otter", level="Pon.on")
    own = open_document("puzzlescript", text).text
    space = space_spec(registry(), "puzzlescript", "contents", {"contents": [own]})
    puzzle = BookletPuzzle(1, 1, "", puzzle_id(space.name, 0), "state", "moves", 1, {"moves": 1}, "", "", [])
    return Booklet("n", "Otters", "", "0", [BookletChapter(1, "c", "C", "", "", [puzzle])])


@pytest.mark.parametrize(
    ("language", "there"),
    [
        (
            "en",
            [
                "play with the arrow keys.",
                "an otter is on every nest.",
                "Arrows below a level are its moves.",
            ],
        ),
        ("de", ["gespielt wird mit den Pfeiltasten.", "Gewonnen ist, wenn", "Die Pfeile unter einem Level"]),
    ],
)
def test_a_booklet_says_it_in_its_language(booklet: Booklet, language: str, there: list[str]) -> None:
    page = as_html(booklet, language).decode()
    assert all(words in page for words in there)
    assert not re.search("action key|clock|checkpoint|Aktionstaste|Takt", page)
