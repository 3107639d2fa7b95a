"""Random rules that do not matter: a level is searched without them, and plays as it would with any draws."""

from __future__ import annotations

import json
from functools import reduce
from operator import or_
from pathlib import Path
from random import Random

import pytest
from epcg_puzzlescript.formats.text import level_of, parse_level, reading_of
from epcg_puzzlescript.rules.chance import Chance
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.plain import PlainEngine
from epcg_puzzlescript.rules.session import Play
from epcg_puzzlescript.rules.turn import EndlessError, RandomError
from hypothesis import given, strategies as st

from epcg_core.plugin import shortest_path
from tests.puzzlescript.random_games import playable, random_game
from tests.workplace import epcg

INPUTS = ("up", "left", "down", "right", "action", None)
GAME = """\
title Meadow
OBJECTS
background
green

wall
black

player
blue

crate
brown

flower
pink

weed
yellow

mark
white

LEGEND
. = background
# = wall
p = player
c = crate
o = mark
f = flower
SOUNDS
COLLISIONLAYERS
background
mark
flower, weed
player, wall, crate
RULES
{}
WINCONDITIONS
all crate on mark
LEVELS

#######
#pc.o.#
#.f...#
#######
"""
PUSH = "[ > player | crate ] -> [ > player | > crate ]"
GROW = "random [ flower | no flower no wall ] -> [ flower | random flower ]"


def played(level: Level, inputs: list[str | None], seed: str | None) -> list[tuple[tuple[int, ...], bool]]:
    """The boards after some inputs, and whether the level is won."""
    chance = None if seed is None else Chance(seed)
    play = Play(level.game, PlainEngine(level.game, level.width, level.height, chance), level.cells)
    found = []
    play.start()
    for each in inputs:
        if play.won:
            break
        play.input(each)
        found.append((play.cells, play.won))
    return found


@given(st.randoms(use_true_random=False), st.integers(0, 10**6))
def test_whatever_is_drawn_the_rest_of_the_board_goes_its_way(random: Random, seed: int) -> None:
    game = playable(random_game, random, chance=True)
    for level in (level_of(game, number) for number in range(len(game.maps))):
        if level.without_chance is None:
            continue
        assert not level.searched.game.draws
        inputs = [random.choice(INPUTS) for _ in range(6)]
        try:
            boards = played(level, inputs, str(seed))
        except EndlessError:
            continue
        without = played(level.searched, inputs, None)
        left = ~level.without_chance.decoration
        assert [(tuple(cell & left for cell in cells), won) for cells, won in boards] == without


def with_rules(*rules: str) -> Level:
    return parse_level(GAME.format("\n".join(rules)))


@pytest.mark.parametrize(
    "rules",
    [
        (PUSH, GROW),
        (PUSH, "[ player | no flower no wall ] -> [ player | random flower ]"),
        (PUSH, "late [ crate ] -> [ crate random weed ]", "[ weed ] -> [ flower ]"),
        (PUSH, "[ flower ] -> [ randomdir flower ]"),
        (PUSH + " sfx0", GROW, "[ flower | flower ] -> [ flower | ]"),
        (PUSH, GROW, "[ > player | > crate ] -> [ > player flower | > crate ]"),
    ],
)
def test_levels_are_solved_without_decoration(rules: tuple[str, ...]) -> None:
    level = with_rules(*rules)
    assert level.game.draws
    assert level.without_chance is not None
    assert "flower" in level.without_chance.why or "weed" in level.without_chance.why
    assert shortest_path(PuzzleScriptModel(), level, 1000).length == 2
    assert level.reading.unsearched == () == reading_of(level.game).unsearched


def test_a_random_rule_that_can_match_nothing_does_not_matter() -> None:
    level = with_rules(PUSH, "random [ weed | crate ] -> [ weed | ]")
    assert level.without_chance is not None
    assert level.without_chance.decoration == 0
    assert "can match nothing" in level.without_chance.why
    assert shortest_path(PuzzleScriptModel(), level, 1000).length == 2


@pytest.mark.parametrize(
    "rules",
    [
        ("random [ crate | ] -> [ | crate ]",),  # it moves what the condition looks at
        (GROW, "[ > player | flower ] -> [ player | flower ]"),  # a flower stops the player
        (GROW, "[ flower crate ] -> [ flower ]"),
        (GROW + " win",),
        (GROW + " again",),
        ("[ > player ] -> [ > player ] again", GROW),
        ("random [ player ] -> [ player flower ]", "[ crate no flower ] -> [ ]"),
        ("[ player ] -> [ randomdir player ]",),
    ],
)
def test_chance_that_may_decide_is_not_left_out(rules: tuple[str, ...]) -> None:
    level = with_rules(*rules)
    assert level.without_chance is None
    assert level.searched is level
    with pytest.raises(RandomError):
        shortest_path(PuzzleScriptModel(), level, 1000)
    assert level.reading.unsearched == ("random numbers",)


def test_commands_say_why_such_a_game_is_searched(tmp_path: Path) -> None:
    file = tmp_path / "meadow.txt"
    file.write_text(GAME.format(f"{PUSH}\n{GROW}"), encoding="utf-8")
    told = json.loads(epcg("puzzlescript", "info", str(file), "--json").stdout)
    assert told["unsearched"] == []
    assert (
        "all levels are searched without random rules. Its random rules change only flower" in told["engine"]
    )
    scored = epcg("score", str(file), "--domain", "puzzlescript").stdout
    assert "2" in next(line for line in scored.splitlines() if "moves" in line)


def test_the_game_of_objects_is_found_once() -> None:
    level = with_rules(PUSH, GROW)
    other = Level(level.game, level.width, level.height, tuple(reversed(level.cells)))
    assert reduce(or_, other.cells) == reduce(or_, level.cells)
    assert other.searched.game is level.searched.game
