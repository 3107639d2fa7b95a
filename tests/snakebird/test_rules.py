"""The rules: what moves do, in drawings, in the published transitions, and in the six test levels."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import attrs
import pytest
from epcg_snakebird.formats.drawing import parse_level, read_level
from epcg_snakebird.rules.level import GROUND, SKY, SPIKES, Level
from epcg_snakebird.rules.model import SnakebirdModel
from epcg_snakebird.rules.moves import OUT, Move, Position, legal_moves, play, start
from epcg_snakebird.rules.variants import GAME, PAPER, Rules

from epcg_core.search.shortest_path.solver import PathResult, shortest_path
from tests.snakebird.random_levels import random_level
from tests.snakebird.real_levels import TRANSITIONS, real_level
from tests.workplace import facts, shared, shared_json


def moves(text: str) -> list[Move]:
    return [Move.parse(text[i : i + 2]) for i in range(0, len(text), 2)]


def played(drawing: str, text: str, rules: Rules = PAPER) -> Position | None:
    """The position after moves; None once a snake is dead."""
    position: Position | None = start(parse_level(drawing))
    for move in moves(text):
        assert position is not None
        position = play(position, move, rules)
    return position


def legal(drawing: str, rules: Rules = PAPER) -> str:
    return "".join(map(str, legal_moves(start(parse_level(drawing)), rules)))


def as_published(moves: Iterable[Move]) -> str:
    """Moves as in the published data, which counts snakes from 0."""
    return "".join(f"{move.snake}{move.direction}" for move in moves)


def assert_looks(position: Position | None, drawing: str) -> None:
    """The snakes, objects and fruit lie as drawn."""
    assert position is not None
    drawn = start(parse_level(drawing))
    assert position.snakes == drawn.snakes
    shown = [[p.object_cells(i) for i in range(len(p.objects))] for p in (position, drawn)]
    assert shown[0] == shown[1]
    assert position.fruit == drawn.fruit


# --- moving and pushing --------------------------------------------------------------------------------


def test_moves_are_listed_by_snake_then_down_up_right_left() -> None:
    assert legal(".....\n>1.2<\n.....\nE####\n") == "1D1U1R2D2U2L"


def test_ground_spikes_walls_and_the_own_body_stop_a_snake() -> None:
    assert legal(">1#\n.*E\n") == ""
    assert legal(">v.\n^1E\n###\n") == "1R"


def test_the_body_follows_the_head() -> None:
    assert_looks(played(">>1..\n#####\nE....\n", "1R1R"), "..>>1\n#####\nE....\n")
    assert_looks(played(".....\n>>1..\n#####\nE....\n", "1U"), "..1..\n.>^..\n#####\nE....\n")


def test_a_snake_pushes_what_lies_before_it() -> None:
    assert_looks(played(">1a..\n#####\nE....\n", "1R"), ".>1a.\n#####\nE....\n")
    assert_looks(played(">1ab.\n#####\nE....\n", "1R"), ".>1ab\n#####\nE....\n")
    assert_looks(played(">12<.\n#####\nE....\n", "1R"), ".>12<\n#####\nE....\n")


def test_nothing_is_pushed_into_walls_tiles_or_fruit() -> None:
    assert legal(">1a\n###\nE..\n") == ""
    assert legal(">1a#\n####\nE...\n") == ""
    assert legal(">1a*\n####\nE...\n") == ""
    assert legal(">1aF\n####\nE...\n") == ""
    assert legal(">1aE\n####\n") == "1R"


def test_nothing_is_pushed_downward() -> None:
    assert legal(".v.\n.1.\n.a.\n###\nE..\n") == "1R1L"


def test_a_snake_cannot_push_what_would_hit_itself() -> None:
    """The two cells of `a` lie before the head and behind the tail."""
    assert legal("......\n.a>1a.\n######\nE.....\n") == "1U"
    assert legal("a.....\n..>1a.\n######\nE.....\n") == "1U1R"


OWN_TAIL = """
name: Round the Corner
..........
..v<<..E..
.#1a^.....
.######.##
..........
""".lstrip()
"""The first move, to the right, pushes object a into the cell of the tail."""


def test_a_snake_pushes_into_the_cell_that_its_tail_leaves_by_the_rules_of_the_game() -> None:
    assert legal(OWN_TAIL) == ""
    assert legal(OWN_TAIL, GAME) == "1R"
    after = "..........\n..v<<..E..\n.#>1a.....\n.######.##\n..........\n"
    assert_looks(played(OWN_TAIL, "1R", GAME), after)


def test_a_level_that_needs_a_push_into_the_own_tail() -> None:
    """Expected: cases/snakebird-own-tail."""
    level = read_level(shared("cases/snakebird-own-tail/level.txt"))
    assert shortest_path(_Plain(GAME), level).length == shortest_path(SnakebirdModel(GAME), level).length == 4
    assert shortest_path(_Plain(PAPER), level).exhausted


def under_an_object(mark: str) -> Position:
    """OWN_TAIL with a mark under object a, where objects get by portals only."""
    rows = OWN_TAIL.replace("E", ".").replace("1a^", f"1{mark}^")
    rows = rows.replace("..........", "a........." if mark == "E" else "a........E", 1)
    position = start(parse_level(rows))
    return attrs.evolve(position, objects=(2 * position.level.width + 3,))


@pytest.mark.parametrize("rules", [PAPER, GAME])
def test_the_tail_of_a_snake_that_grows_does_not_leave(rules: Rules) -> None:
    assert Move(0, "R") not in legal_moves(under_an_object("F"), rules)


def test_a_snake_that_goes_out_leaves_the_cell_of_its_tail_to_what_lies_on_the_exit() -> None:
    """What lies there is looked at although it is not moved."""
    position = under_an_object("E")
    assert Move(0, "R") not in legal_moves(position)
    after = play(position, Move(0, "R"), GAME)
    assert after is not None
    assert after.solved


CHAIN = "........\n..>v....\n..bv....\n..av....\n..1<....\n######..\nE.......\n"


@pytest.mark.parametrize(
    ("drawing", "legal_in_game"),
    [
        (CHAIN, True),
        (CHAIN.replace("..bv", ".bbv"), True),
        (CHAIN.replace("..>v", ".>>v"), False),  # a cell of the body that is not the tail
        (CHAIN.replace("..>v", ".#>v").replace("..bv", ".bbv"), False),
        (CHAIN.replace("..>v", ".F>v").replace("..bv", ".bbv"), False),
        (CHAIN.replace("..bv", "..bvb").replace("..>v....", "..>v#..."), False),
        (CHAIN.replace("######..", "##a###.."), False),  # its cell below the head would enter the neck
    ],
)
def test_every_cell_of_a_chain_of_pushed_things_is_looked_at(drawing: str, legal_in_game: bool) -> None:
    assert ("1U" in legal(drawing, GAME)) == legal_in_game
    assert "1U" not in legal(drawing)


def test_a_snake_may_not_enter_its_own_tail_by_any_rules() -> None:
    loop = ">v..\n^1.E\n####\n"
    assert "1L" not in legal(loop, GAME)
    assert "1L" not in legal(loop)


def test_a_move_may_change_nothing() -> None:
    drawing = "....\n.a..\n.1..\n.^..\n####\nE...\n"
    assert played(drawing, "1U") == start(parse_level(drawing))


# --- fruit and the exit --------------------------------------------------------------------------------


def test_fruit_makes_a_snake_grow() -> None:
    assert_looks(played(">1F.\n####\nE...\n", "1R"), ">>1.\n####\nE...\n")


def test_the_exit_is_open_when_all_fruit_is_eaten() -> None:
    closed = played(">1EF\n####\n", "1R1R")
    assert closed is not None
    assert closed.snakes == ((3, 2, 1),)
    opened = played(">1E\n###\n", "1R")
    assert opened is not None
    assert opened.solved


def test_a_snake_that_waits_on_the_exit_leaves_with_the_last_fruit() -> None:
    waiting = played(">1E..F2<\n########\n", "1R")
    assert waiting is not None
    assert waiting.snakes == ((2, 1), (6, 7))
    eaten = play(waiting, Move(1, "L"))
    assert eaten is not None
    assert eaten.snakes == ((), (5, 6, 7))


def test_what_lies_on_the_exit_is_not_moved() -> None:
    done = played(">>1aE.\n######\n", "1R1R")
    assert done is not None
    assert done.solved
    assert done.objects == (4,)


# --- gravity -------------------------------------------------------------------------------------------


def test_nothing_is_settled_before_the_first_move() -> None:
    drawing = ">1...\n.....\n..a..\n.....\n.....\n#####\nE....\n"
    assert start(parse_level(drawing)).snakes == ((1, 0),)
    assert_looks(played(drawing, "1R"), ".....\n.....\n.....\n.>1..\n..a..\n#####\nE....\n")


def test_one_supported_cell_holds_a_snake() -> None:
    drawing = "......\n>>>1..\n##....\n......\n......\nE.....\n"
    assert_looks(played(drawing, "1R"), "......\n.>>>1.\n##....\n......\n......\nE.....\n")


def test_fruit_and_other_entities_support() -> None:
    assert_looks(played(".>1..\n##.a.\n...F.\n.....\nE....\n", "1R"), "..>1.\n##.a.\n...F.\n.....\nE....\n")


def test_spikes_hold_objects_and_kill_snakes() -> None:
    after = played(">1a..\n##...\n.....\n.***.\n....E\n", "1R")
    assert_looks(after, ".>1..\n##...\n...a.\n.***.\n....E\n")
    assert played(">1...\n##...\n.....\n.***.\n....E\n", "1R1R") is None


def test_entities_that_only_hold_each_other_fall() -> None:
    """Each lies on the other."""
    position = played("ab...\nba...\n.....\n.....\n#####\n>1..E\n#####\n", "1R")
    assert_looks(position, ".....\n.....\nab...\nba...\n#####\n.>1.E\n#####\n")


def test_an_object_that_leaves_the_world_is_the_end_unless_it_may() -> None:
    drawing = ">1a..\n##...\n.....\n.....\nE....\n"
    assert played(drawing, "1R") is None
    model = SnakebirdModel(Rules(objects_may_fall_out=True))
    position = model.initial(parse_level(drawing))
    after = model.apply(position, Move(0, "R"))
    assert after.objects == (OUT,)
    assert after.object_cells(0) == ()
    assert legal_moves(after) == [Move(0, "D"), Move(0, "R")]


def test_a_snake_may_fall_into_the_exit() -> None:
    done = played(">1...\n#....\n.....\n..E..\n", "1R")
    assert done is not None
    assert done.solved


# --- portals -------------------------------------------------------------------------------------------


def test_a_snake_goes_through_a_portal_as_a_whole() -> None:
    position = played("......\n>1O..O\n######\nE.....\n", "1R")
    assert_looks(position, "......\n....>1\n######\nE.....\n")


def test_an_object_goes_through_a_portal() -> None:
    position = played(">1aO.O.\n#######\nE......\n", "1R")
    assert_looks(position, ".>1..a.\n#######\nE......\n")


def test_a_portal_whose_far_side_is_blocked_does_nothing() -> None:
    position = played(">1O.#O.\n#######\nE......\n", "1R")
    assert_looks(position, ".>1.#..\n#######\nE......\n")


def test_the_own_cells_and_fruit_beyond_a_portal() -> None:
    """A snake may come to lie where it is, an object also on fruit, a snake not."""
    assert_looks(played(">>1OO.\n######\nE.....\n", "1R"), "..>>1.\n######\nE.....\n")
    assert_looks(played(">1O.FO\n######\nE.....\n", "1R"), ".>1.F.\n######\nE.....\n")
    onto_fruit = played("........\n>1aaO.FO\n########\nE.......\n", "1R")
    assert onto_fruit is not None
    assert onto_fruit.object_cells(0) == (14, 15)


def test_a_teleport_without_end_is_death() -> None:
    """The far portal lies above the near one, so the snake falls into it again and again."""
    assert played("...O.\n.....\n.....\n>1.O.\n##...\nE....\n", "1R1R") is None


def test_a_teleport_without_end_is_death_after_the_last_snake_has_left() -> None:
    assert played(".O....\n.a....\n.>1E..\n.O#...\n......\n", "1R") is None


def test_moves_that_are_not_legal_are_refused() -> None:
    position = start(parse_level(">1#E\n####\n"))
    for text in ("1R", "1L", "2U"):
        with pytest.raises(ValueError, match=rf"^The move {text} is not legal here\.$"):
            play(position, Move.parse(text))
    for text in ("", "1", "R1", "1X", "0R", "10R"):
        with pytest.raises(ValueError, match="is not a move"):
            Move.parse(text)


# --- laws ----------------------------------------------------------------------------------------------


def positions(seed: int, levels: int, most_moves: int) -> list[tuple[Position, Position | None]]:
    """Steps of random play on random levels."""
    r = random.Random(seed)
    found = []
    for _ in range(levels):
        position = start(random_level(r))
        for _ in range(most_moves):
            possible = legal_moves(position)
            if not possible:
                break
            after = play(position, r.choice(possible))
            found.append((position, after))
            if after is not None:
                position = after
    return found


def test_play_keeps_everything_whole() -> None:
    """No two things in a cell, nothing in ground or spikes, connected snakes as long as what they ate."""
    steps = positions(7, 700, 25)
    alive = [after for _, after in steps if after is not None]
    assert len(alive) > 1500
    assert len(steps) - len(alive) > 200
    for position in alive:
        level = position.level
        objects = [position.object_cells(i) for i in range(len(level.objects))]
        taken = [cell for cells in (*position.snakes, *objects) for cell in cells]
        assert len(set(taken)) == len(taken)
        assert all(level.tiles[cell] == SKY for cell in taken)
        assert not set(position.fruit) & {cell for snake in position.snakes for cell in snake}
        for snake in position.snakes:
            for a, b in pairwise(snake):
                (x, y), (u, v) = level.place(a), level.place(b)
                assert abs(x - u) + abs(y - v) == 1
        if all(position.snakes):
            grown = sum(map(len, position.snakes)) - sum(map(len, level.snakes))
            assert grown == len(level.fruit) - len(position.fruit)


def held(position: Position) -> bool:
    """Whether everything rests: from what lies on tiles and fruit, support spreads upward."""
    level = position.level
    things = [(cells, False) for cells in position.snakes if cells]
    things += [(position.object_cells(i), True) for i in range(len(level.objects))]
    solid = {cell for cell, tile in enumerate(level.tiles) if tile == GROUND} | set(position.fruit)
    spikes = {cell for cell, tile in enumerate(level.tiles) if tile == SPIKES}
    for _ in range(len(things)):
        for cells, is_object in list(things):
            floor = solid | spikes if is_object else solid
            if any(cell + level.width in floor for cell in cells):
                solid |= set(cells)
                things.remove((cells, is_object))
    return not things


def test_after_a_move_everything_rests() -> None:
    rested = [after for _, after in positions(8, 500, 20) if after is not None]
    assert len(rested) > 1000
    assert all(map(held, rested))


def test_the_model_offers_the_moves_that_nobody_dies_of() -> None:
    r = random.Random(9)
    model = SnakebirdModel()
    deaths = 0
    for _ in range(200):
        position = model.initial(random_level(r))
        for _ in range(8):
            after = {move: play(position, move) for move in legal_moves(position)}
            actions = list(model.actions(position))
            assert actions == [move for move, there in after.items() if there is not None]
            assert [model.apply(position, move) for move in actions] == [after[m] for m in actions]
            deaths += len(after) - len(actions)
            if not actions:
                break
            position = model.apply(position, r.choice(actions))
    assert deaths > 50


# --- golden numbers ------------------------------------------------------------------------------------


def as_golden(position: Position) -> dict[str, Any]:
    """As in the golden file. There an object is where its bounding box has its upper left corner."""
    place = position.level.place
    boxes = []
    for i in range(len(position.objects)):
        columns, rows = zip(*map(place, position.object_cells(i)), strict=True)
        boxes.append([min(columns), min(rows)])
    fruit = position.level.fruit
    return {
        "snakes": [[list(place(cell)) for cell in snake] or None for snake in position.snakes],
        "objects": boxes,
        "eaten": [i for i, cell in enumerate(fruit) if cell not in position.fruit],
    }


def test_published_transitions() -> None:
    """Every step of random play: the legal moves, whether the next state is alive, and that state."""
    steps = 0
    for game in shared_json(TRANSITIONS):
        position = start(real_level(game["level"]))
        assert as_golden(position) == game["start"]
        for step in game["steps"]:
            steps += 1
            assert as_published(legal_moves(position)) == step["legal"]
            after = play(position, Move(int(step["move"][0]), step["move"][1]))
            assert (None if after is None else as_golden(after)) == step["after"]
            assert (after is not None) == bool(step["alive"])
            if after is not None:
                position = after
    assert steps == 3840


def plain_solution(level: Level) -> PathResult:
    """By the plain form of the search."""
    return shortest_path(_Plain(), level)


class _Plain(SnakebirdModel):
    packed: Any = None


ABLATIONS = {
    "no fruit": "F.",
    "spikes->ground": "*#",
    "spikes->sky": "*.",
    "no a": "a.",
    "no b": "b.",
    "no portals": "O.",
    "no block": "a.",
}
"""A mark and what replaces it."""
TEST_LEVELS = ("t1_grow", "t2_spikes", "t3_lift", "t4_chain", "t5_portal", "t6_mixed")


@pytest.mark.parametrize("name", TEST_LEVELS)
def test_test_levels_are_solved_as_they_should(name: str) -> None:
    golden = shared_json("golden/snakebird.json")["original_test_levels"]
    assert tuple(golden) == TEST_LEVELS
    expected = golden[name]
    level = parse_level(expected["text"], name)
    found = plain_solution(level)
    assert (found.length, found.expansions) == (expected["moves"], expected["expansions"])
    assert as_published(found.actions) == expected["solution"]
    for ablation, length in expected["without"].items():
        changed = plain_solution(without(expected["text"], ablation))
        assert changed.length == (None if length == -1 else length), ablation


def without(text: str, ablation: str) -> Level:
    """A test level without a mechanic."""
    header, _, rows = text.partition("\n")
    if ablation.startswith("only snake"):
        level = parse_level(text)
        kept = [s for s in level.snakes if rows.replace("\n", "")[s[0]] == ablation[-1]]
        return attrs.evolve(level, snakes=kept)
    mark, replacement = ABLATIONS[ablation]
    return parse_level(f"{header}\n{rows.replace(mark, replacement)}")


PLAIN_LEVELS = (
    "snakebird_1",
    "snakebird_2",
    "snakebird_6",
    "snakebird_35",
    "snakebirdPrimer_5",
    "snakebirdPrimer_21",
)


@pytest.mark.parametrize("name", PLAIN_LEVELS)
def test_published_levels_by_the_plain_rules(name: str) -> None:
    expected = facts("snakebird")["levels"][name]
    found = plain_solution(real_level(name))
    assert (found.length, found.expansions) == (expected["moves"], expected["expansions"])


def test_level_43_has_no_solution() -> None:
    expected = facts("snakebird")["levels"]["snakebird_43"]
    level = real_level("snakebird_43")
    found = plain_solution(level)
    assert found.exhausted
    assert found.expansions == expected["expansions"]
    assert expected["exhausted_without_solution"]


@pytest.mark.slow
def test_level_43_is_solvable_where_objects_may_fall_out() -> None:
    variant = _Plain(Rules(objects_may_fall_out=True))
    assert shortest_path(variant, real_level("snakebird_43")).length is not None
