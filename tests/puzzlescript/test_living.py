"""Rules that cannot match on a level are left out, and nothing that play shows tells that from all rules."""

from __future__ import annotations

import re
from functools import reduce
from operator import or_
from random import Random

import numpy as np
import pytest
from epcg_puzzlescript.formats.text import level_of
from epcg_puzzlescript.language.game import Game, parse_game
from epcg_puzzlescript.language.problems import GameError
from epcg_puzzlescript.rules import model as model_module
from epcg_puzzlescript.rules.checkpoints import CheckpointLevel
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.living import Living
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.plain import PlainEngine

from epcg_core.search.shortest_path.positions import PositionTable
from tests.puzzlescript.random_games import playable, random_game, widened_game
from tests.puzzlescript.test_kernels import check_plainly, same


def thinned(random: Random, text: str) -> str:
    """The same game with some glyphs missing from its levels."""
    head, levels = text.split("\nLEVELS\n")
    glyphs = sorted(set(re.findall(r"[a-z]", levels)) - {"p"})
    gone = "".join(random.sample(glyphs, min(len(glyphs), random.randint(1, 5))))
    return f"{head}\nLEVELS\n" + re.sub(f"[{gone}]" if gone else "$^", ".", levels)


def thinned_game(random: Random, chance: bool, rules: int) -> str:
    """A random game, often in other words, with some glyphs missing from its levels."""
    make = widened_game if random.random() < 0.5 else random_game
    return thinned(random, make(random, chance, rules))


def rules_of(game: Game) -> int:
    return sum(len(group.rules) for part in (game.normal, game.late) for group in part.groups)


def objects_of(level: Level) -> int:
    return reduce(or_, level.cells)


def compare(level: Level, most: int) -> tuple[int, int]:
    """Search a level with the rules that can match; return how many rules were left out, and positions.

    A level that keeps checkpoints has no kernel: its positions as rows are compared with plain ones.
    """
    model = PuzzleScriptModel()
    packed = model.packed(level)
    keeps = isinstance(packed, CheckpointLevel)
    own = None if keeps else packed.kernel.compile()
    table = PositionTable(packed.words)
    table.add(packed.pack(model.initial(level)).reshape(1, -1))
    start = 0
    while start < table.count and start < most:
        rows = table.rows(start, min(table.count, start + most))
        start += len(rows)
        found = packed.successors(rows) if keeps else packed.by_interpreter(rows)
        check_plainly(model, packed, rows, found)
        assert own is None or same(packed.by_kernel(own, rows), found), level.game.text
        table.add(np.ascontiguousarray(found.positions[~packed.solved(found.positions)]))
    (tables,) = model._tables[model._key(level)].values()
    return rules_of(level.game) - rules_of(tables.game), start


@pytest.fixture
def all_games_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_module, "LARGE", -1)


@pytest.mark.usefixtures("all_games_are_large")
@pytest.mark.parametrize(
    "games", [1, pytest.param(40, marks=pytest.mark.slow), pytest.param(200, marks=pytest.mark.nightly)]
)
def test_games_of_random_rules_on_levels_without_some_objects(games: int) -> None:
    dead = positions = 0
    for seed in range(7000, 7000 + games):
        random = Random(seed)
        game = playable(thinned_game, random, rules=5)
        for number in range(len(game.maps)):
            try:
                found = compare(level_of(game, number), 10)
            except GameError:  # it does not come to rest, or moves something in two directions
                continue
            dead, positions = dead + found[0], positions + found[1]
    assert dead > 10 * games
    assert positions > 3 * games


@pytest.mark.parametrize("seeds", [range(10), pytest.param(range(400), marks=pytest.mark.slow)])
def test_turns_are_those_of_the_whole_game_with_its_endless_groups(seeds: range) -> None:
    dead = 0
    for seed in seeds:
        random = Random(seed)
        game = playable(thinned_game, random, rules=5)
        if game.draws:
            continue
        living = Living(game)
        for number in range(len(game.maps)):
            level = level_of(game, number)
            less = living.game(living.life(objects_of(level)))
            dead += rules_of(game) - rules_of(less)
            engines = [PlainEngine(each, level.width, level.height) for each in (game, less)]
            cells = level.cells
            for given in ("up", "left", "down", "right", "action", None):
                try:
                    turns = [engine.turn(cells, given) for engine in engines]
                except GameError:
                    break
                assert turns[0] == turns[1], game.text
                cells = turns[0].cells
    assert dead > 5 * len(seeds)


HEAD = """
title t
OBJECTS
background .
black

player p
white

a
red

b
blue

c
green

LEGEND
SOUNDS
COLLISIONLAYERS
background
player, a
b, c
RULES
"""


def test_what_a_living_rule_makes_can_be_needed_by_others() -> None:
    rules = """[ c ] -> [ ]
[ > player | a ] -> [ > player | b ]
late [ b ] -> [ c ]
[ moving b ] -> [ b ]"""
    game = parse_game(f"{HEAD}{rules}\nWINCONDITIONS\nLEVELS\n\npa\n\npb\n\np.")
    living = Living(game)
    kept = []
    for number in range(3):
        less = living.game(living.life(objects_of(level_of(game, number))))
        groups = [group for part in (less.normal, less.late) for group in part.groups]
        kept.append(sorted({rule.line - game.headers["rules"] for g in groups for rule in g.rules}))
    assert kept == [[1, 2, 3], [1, 3], []]


def test_a_loop_of_dead_rules_still_makes_its_round() -> None:
    rules = """[ > player | ] -> [ | player ]
startloop
[ a ] -> [ b ]
[ b ] -> [ c ]
endloop
startloop
[ player ] -> [ player ]
endloop"""
    game = parse_game(f"{HEAD}{rules}\nWINCONDITIONS\nLEVELS\n\np..")
    living = Living(game)
    less = living.game(living.life(objects_of(level_of(game, 0))))
    assert [len(group.rules) for group in less.normal.groups] == [4, 0, 1]
    assert less.normal.loops == ((1, 1), (2, 2))


def test_levels_with_ever_other_objects_share_the_tables_of_the_whole_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(model_module, "LARGE", -1)
    monkeypatch.setattr(model_module, "MOST_LIVES", 2)
    boards = ("p.", "pa", "pb", "pc")
    game = parse_game(
        f"{HEAD}[ > player | a ] -> [ > player | > a ]\nWINCONDITIONS\nLEVELS\n\n" + "\n\n".join(boards)
    )
    model = PuzzleScriptModel()
    for number in range(len(boards)):
        model.packed(level_of(game, number))
    kept = model._tables[model._key(level_of(game, 0))]
    assert [life is None for life in kept] == [False, False, True]
