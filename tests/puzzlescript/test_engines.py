"""The engine of bit planes plays what the plain engine plays, on games of random rules and on our own."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from epcg_puzzlescript.formats.files import shipped_games
from epcg_puzzlescript.formats.text import level_of
from epcg_puzzlescript.language.files import read_game
from epcg_puzzlescript.language.game import Game, parse_game
from epcg_puzzlescript.language.problems import GameError
from epcg_puzzlescript.rules.chance import Chance
from epcg_puzzlescript.rules.changes import Changes
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.plain import PlainEngine
from epcg_puzzlescript.rules.planes import PlaneEngine
from epcg_puzzlescript.rules.session import Play, Recorded
from epcg_puzzlescript.rules.turn import Cells, EndlessError, Engine, Turn

from epcg_core.search.shortest_path.solver import shortest_path
from tests.puzzlescript.random_games import playable, random_game, widened_game

INPUTS = ("up", "down", "left", "right", "action", None)


def played(engine: Engine, cells: Cells, given: str | None) -> Turn | str:
    """A turn, its commands in order of name; or what an error says."""
    try:
        turn = engine.turn(cells, given)
    except GameError as error:
        return str(error)
    return Turn(turn.cells, tuple(sorted(turn.queue)), turn.undone, turn.fired, turn.endless)


def compare(game: Game, random: Random, turns: int, seed: str = "") -> int:
    """Play random inputs on both engines; return how many turns changed something."""
    changed = 0
    for found in game.maps:
        chances = [Chance(seed) if seed else None for _ in range(2)]
        plain = PlainEngine(game, found.width, found.height, chances[0])
        planes = PlaneEngine(game, found.width, found.height, chances[1])
        cells = found.cells
        for _ in range(turns):
            given = random.choice(INPUTS)
            expected = played(plain, cells, given)
            assert played(planes, cells, given) == expected, game.text
            if isinstance(expected, str):
                break
            changed += expected.cells != cells
            cells = expected.cells
    return changed


@pytest.mark.parametrize("chance", [False, True])
@pytest.mark.parametrize("games", [14, pytest.param(25, marks=pytest.mark.slow)])
def test_games_of_random_rules(chance: bool, games: int) -> None:
    changed = 0
    for seed in range(games):
        random = Random(seed)
        changed += compare(playable(random_game, random, chance, 3), random, 4, f"{seed}" * chance)
    assert changed > 30 * games / 25


@pytest.mark.parametrize("chance", [False, True])
def test_games_of_random_rules_in_other_words(chance: bool) -> None:
    changed = 0
    for seed in range(3000, 3020):
        random = Random(seed)
        found = playable(widened_game, random, chance)
        changed += compare(found, random, 4, f"{seed}" * chance)
    assert changed > 20


@pytest.mark.parametrize(
    "block",
    [pytest.param(n, marks=pytest.mark.nightly if n % 2 else pytest.mark.slow) for n in range(10)],
)
def test_many_games_of_random_rules(block: int) -> None:
    for seed in range(1000 + 40 * block, 1040 + 40 * block):
        random = Random(seed)
        chance = seed % 3 == 0
        compare(playable(random_game, random, chance), random, 6, f"{seed}" * chance)
        if seed % 4 == 0:
            compare(
                playable(widened_game, random, chance, 3),
                random,
                4,
                f"{seed}" * chance,
            )


@pytest.mark.parametrize("seed", [1002, 1065])
def test_directions_that_late_rules_draw_are_changes(seed: int) -> None:
    """A rule is repeated while the direction that it draws differs, so further objects are drawn."""
    random = Random(seed)
    compare(playable(random_game, random, seed % 3 == 0), random, 6, f"{seed}")


@pytest.mark.parametrize("path", shipped_games(), ids=lambda path: path.stem)
def test_our_own_games(path) -> None:  # type: ignore[no-untyped-def]
    assert compare(read_game(path), Random(1), 40) > 15


@pytest.mark.parametrize("path", shipped_games(), ids=lambda path: path.stem)
def test_packed_positions_are_those_of_play(path) -> None:  # type: ignore[no-untyped-def]
    game, model = read_game(path), PuzzleScriptModel()
    level = level_of(game, len(game.maps) - 1)
    packed = model.packed(level)
    position, random = model.initial(level), Random(2)
    for _ in range(12):
        row = packed.pack(position)
        assert packed.unpack(row) == position
        found = packed.successors(row.reshape(1, -1))
        given = [packed.action(number) for number in found.actions.tolist()]
        assert given == list(model.actions(position))
        after = [packed.unpack(row) for row in found.positions]
        assert after == [model.apply(position, action) for action in given]
        assert packed.solved(found.positions).tolist() == [model.is_goal(p) for p in after]
        if not after or model.is_goal(chosen := random.choice(after)):
            break
        position = chosen


HEAD = """
{settings}
OBJECTS
background
black

player
white

crate
orange

wall
grey

goal
red

LEGEND
. = background
p = player
c = crate
# = wall
g = goal
thing = player or crate
SOUNDS
COLLISIONLAYERS
background
goal
player, crate, wall
RULES
{rules}
WINCONDITIONS
{win}
LEVELS

{board}
"""


def game(rules: str, board: str, win: str = "some goal on wall", settings: str = "") -> Game:
    found = parse_game(HEAD.format(rules=rules, board=board, win=win, settings=settings))
    assert all(problem.effect == "none" for problem in found.problems)
    return found


@pytest.fixture(params=[PlainEngine, PlaneEngine])
def engine(request: pytest.FixtureRequest) -> type[Engine]:
    found: type[Engine] = request.param
    return found


def play(engine: type[Engine], found: Game, inputs: str) -> Play:
    level = found.maps[0]
    result = Play(found, engine(found, level.width, level.height), level.cells)  # type: ignore[call-arg]
    result.start()
    for given in inputs.split():
        result.input(None if given == "tick" else given)
    return result


def board(found: Game, cells: Cells) -> str:
    """One letter a cell: the highest object, row by row."""
    level = found.maps[0]
    letters = "." + "".join(thing.name[0] for thing in found.objects[1:])
    rows = (
        "".join(letters[cells[x * level.height + y].bit_length() - 1] for x in range(level.width))
        for y in range(level.height)
    )
    return "/".join(rows)


@pytest.mark.parametrize(
    ("rules", "before", "inputs", "after"),
    [
        ("[ > player | crate ] -> [ > player | > crate ]", "pc..", "right right", "..pc"),
        ("[ > player | crate ] -> [ > player | > crate ]", "pcc.", "right", "pcc."),
        ("[ > thing | thing ] -> [ > thing | > thing ]", "pcc.", "right", ".pcc"),
        ("", "p.p.", "right", ".p.p"),
        ("", "pp.", "right", ".pp"),  # a chain moves, because the pass is repeated
        ("[ > player | ... | crate ] -> [ > player | ... | < crate ]", "p...c", "right", ".p.c."),
        ("[ action player | ] -> [ | player ]", "p...", "action", ".p.."),
        ("late [ crate | crate ] -> [ | ]", "p.cc", "right", ".p.."),
        ("[ > player ] [ crate ] -> [ > player ] [ ]", "pc.c", "right", ".p.."),
        ("right [ > player ] -> [ > player ] cancel", "p...", "right", "p..."),
        ("[ player ] -> [ crate ]", "p...", "right", ".c.."),  # it hands on its movement
        ("[ > player | ... | crate ] -> [ > player | ... | > crate ]", "pc..", "right", ".pc."),
        (
            "right [ wall ] -> [ > wall ]\nright [ > player | no crate ] -> [ > player | crate ]",
            "p#..",
            "right",
            ".pc.",
        ),  # what 'no' names may have been there, so the movement stays
        (
            "right [ wall ] -> [ > wall ]\nright [ > player | ] -> [ > player | crate ]",
            "p#..",
            "right",
            "pc..",
        ),  # what is new stands still
        ("[ moving player | crate ] -> [ player | moving crate ]", "pc..", "right", "p.c."),
    ],
)
def test_small_rules(engine: type[Engine], rules: str, before: str, inputs: str, after: str) -> None:
    found = game(rules, before)
    assert board(found, play(engine, found, inputs).cells) == after


def test_who_comes_first_in_the_scan_gets_the_cell(engine: type[Engine]) -> None:
    found = game("[ crate ] -> [ left crate ]\n[ player ] -> [ right player ]", "p.c")
    assert board(found, play(engine, found, "tick").cells) == ".pc"


def test_ticks_follow_until_nothing_changes(engine: type[Engine]) -> None:
    found = game("right [ stationary crate ] -> [ > crate ] again", "pc...")
    assert board(found, play(engine, found, "action").cells) == "p...c"


def test_a_game_without_rest_is_told(engine: type[Engine]) -> None:
    rule = "[ stationary crate | ] -> [ > crate | ] again"
    rules = f"right {rule}\n+ left {rule}"
    with pytest.raises(EndlessError, match="come to rest"):
        play(engine, game(rules, "c.\np#"), "action")


def test_undo_and_checkpoints(engine: type[Engine]) -> None:
    found = game("[ action player ] -> [ action player ] checkpoint", "p...")
    result = play(engine, found, "right action right")
    result.restart()
    assert board(found, result.cells) == ".p.."
    result.undo()
    assert board(found, result.cells) == "..p."
    result.undo()
    assert board(found, result.cells) == ".p.."


def test_players_that_stay_undo_the_turn_if_the_game_says_so(engine: type[Engine]) -> None:
    rules = "[ crate ] -> [ ]"
    lax = game(rules, "#pc")
    assert board(lax, play(engine, lax, "left").cells) == "wp."
    strict = game(rules, "#pc", settings="require_player_movement")
    assert board(strict, play(engine, strict, "left").cells) == "wpc"


def test_boards_of_several_words(engine: type[Engine]) -> None:
    rows = ["#" * 30, *["#" + "." * 28 + "#"] * 10, "#" * 30]
    rows[5] = "#" + "." * 13 + "pcg" + "." * 12 + "#"
    rules = "[ > player | crate ] -> [ > player | > crate ]"
    found = game(rules, "\n".join(rows), "all goal on crate")
    result = play(engine, found, "right")
    assert result.won
    assert np.sum([cell.bit_count() > 2 for cell in result.cells]) == 1


STARTS = "run_rules_on_level_start"
SLIDES = "right [ stationary crate | no wall ] -> [ > crate | ] again"


def test_ticks_of_the_start_that_win_go_to_the_next_level(engine: type[Engine]) -> None:
    levels = "pc.g\n\nmessage on\n\np.c.g\n\ncp.#"
    found = game(SLIDES, levels, "all goal on crate\nsome goal", STARTS)
    recorded = Recorded(found, lambda width, height: engine(found, width, height))  # type: ignore[call-arg]
    assert (recorded.level, recorded.width) == (1, 4)
    recorded.give("tick")
    assert (recorded.level, recorded.width) == (3, 4)


def test_a_level_that_its_start_wins_has_an_empty_solution() -> None:
    found = level_of(game(SLIDES, "pc.g", "all goal on crate", STARTS), 0)
    model = PuzzleScriptModel()
    assert model.initial(found).won
    assert shortest_path(model, found).length == shortest_path(model, found, plain=True).length == 0


def test_a_late_part_of_a_random_group_is_not_random(engine: type[Engine]) -> None:
    rules = "random [ stationary crate ] -> [ right crate ]\n+ late [ goal ] -> [ ]"
    found = game(rules, "pggg")
    level = found.maps[0]
    assert not found.late.groups[0].random
    made = engine(found, level.width, level.height, Chance("1"))  # type: ignore[call-arg]
    assert board(found, made.turn(level.cells, None).cells) == "p..."


def test_a_drawn_object_may_lie_beside_another_of_its_layer() -> None:
    rules = "[ > player | no wall ] -> [ > player | random thing crate ]\nlate [ crate ] -> [ wall ]"
    found = game(rules, "p....\n...c.")
    assert not Changes(found).exclusive
    for seed in range(6):
        compare(found, Random(seed), 6, f"{seed}")


def test_a_rule_that_restarts_goes_back_to_the_checkpoint() -> None:
    rules = "[ > player | crate ] -> [ > player | > crate ] checkpoint\n[ action player ] -> restart"
    level = level_of(game(rules, "p.c...p"), 0)
    model = PuzzleScriptModel()
    position = model.initial(level)
    boards = []
    for given in ("left", "action", "right", "right", "left", "action"):
        position = model.apply(position, given)
        boards.append(board(level.game, position.cells))
    assert boards == ["p.c..p.", "p.c...p", ".pc...p", "..pc..p", ".p.c.p.", "..pc..p"]


def test_two_objects_of_a_layer_that_a_faulty_rule_puts_into_a_cell_are_played_alike() -> None:
    rules = "[ > player | crate ] -> [ > player | crate wall ]\n"
    rules += "[ > player | goal ] -> [ > player | > crate goal ]"
    found = parse_game(HEAD.format(rules=rules, board="pc.g.", win="some goal on wall", settings=""))
    assert found.crowded
    model = PuzzleScriptModel()
    level = level_of(found, 0)
    position = model.initial(level)
    packed = model.packed(level)
    result = packed.by_interpreter(packed.pack(position).reshape(1, -1))
    assert len(result.actions)
    for row, number in zip(result.positions, result.actions, strict=True):
        assert packed.unpack(row) == model.apply(position, packed.action(int(number)))
    compare(found, Random(5), 12)
