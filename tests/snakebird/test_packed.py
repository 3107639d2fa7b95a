"""Packed positions and their compiled expansions, against the plain rules and the published numbers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np
import pytest
from epcg_snakebird.formats.drawing import parse_level
from epcg_snakebird.rules.board_kernels import MOST_ENTITIES
from epcg_snakebird.rules.level import GROUND, MOST_OBJECTS, MOST_SNAKES, SKY, SPIKES, Level
from epcg_snakebird.rules.model import SnakebirdModel
from epcg_snakebird.rules.moves import STEPS, Move, Position, legal_moves, play, start
from epcg_snakebird.rules.packed import PackedLevel
from epcg_snakebird.rules.variants import GAME, LEAVES, PAPER, STAYS, Rules

from epcg_core.domain import Successors
from epcg_core.search.shortest_path.solver import shortest_path
from tests.snakebird.random_levels import random_level, shaft_level, tail_level
from tests.snakebird.real_levels import LEVELS, TRANSITIONS, real_level
from tests.workplace import facts, shared_json

ALL_RULES = [Rules(fall_out, tail) for fall_out in (False, True) for tail in (STAYS, LEAVES)]
SLOW_FROM = 100_000
"""Expansions of levels that are searched in slow tests only."""


def real_names() -> list[str]:
    return sorted(path.stem for path in LEVELS.glob("*.map"))


def expanded(packed: PackedLevel, position: Position) -> list[tuple[Move, Position]]:
    """The successors by the kernel."""
    found = packed.successors(packed.pack(position).reshape(1, -1))
    assert found.counts.tolist() == [len(found.positions)]
    return [
        (packed.action(int(a)), packed.unpack(row))
        for a, row in zip(found.actions, found.positions, strict=True)
    ]


def plain(position: Position, rules: Rules = PAPER) -> list[tuple[Move, Position]]:
    """The successors by the plain rules."""
    model = SnakebirdModel(rules)
    return [(move, model.apply(position, move)) for move in model.actions(position)]


def positions(
    r: random.Random, level: Level, games: int, moves: int, rules: Rules = PAPER
) -> Iterator[Position]:
    """The positions of random play, by the plain rules."""
    for _ in range(games):
        position = start(level)
        for _ in range(moves):
            yield position
            found = plain(position, rules)
            if not found:
                break
            position = r.choice(found)[1]


def as_published(position: Position) -> dict[str, Any]:
    """As in the golden file, where an object is at the upper left corner of its bounding box."""
    place, objects = position.level.place, []
    for i in range(len(position.objects)):
        columns, rows = zip(*map(place, position.object_cells(i)), strict=True)
        objects.append([min(columns), min(rows)])
    return {
        "snakes": [[list(place(cell)) for cell in snake] or None for snake in position.snakes],
        "objects": objects,
        "eaten": [i for i, cell in enumerate(position.level.fruit) if cell not in position.fruit],
    }


def test_the_kernel_makes_every_published_transition() -> None:
    """A legal move that is not among the successors is a death."""
    steps = 0
    for game in shared_json(TRANSITIONS):
        level = real_level(game["level"])
        packed = PackedLevel(level)
        position = start(level)
        for step in game["steps"]:
            steps += 1
            move = Move(int(step["move"][0]), step["move"][1])
            found = dict(expanded(packed, position))
            published = {f"{own.snake}{own.direction}" for own in found}
            assert published <= {step["legal"][i : i + 2] for i in range(0, len(step["legal"]), 2)}
            assert (move in found) == bool(step["alive"])
            if step["alive"]:
                position = found[move]
                assert as_published(position) == step["after"]
    assert steps == 3840


@pytest.mark.parametrize("name", real_names())
def test_successors_are_those_of_the_plain_rules_on_published_levels(name: str) -> None:
    level = real_level(name)
    packed = PackedLevel(level)
    for position in positions(random.Random(name), level, 1, 40):
        assert expanded(packed, position) == plain(position)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("rules", ALL_RULES)
@pytest.mark.parametrize("levels", [25, pytest.param(60, marks=pytest.mark.slow)])
def test_successors_are_those_of_the_plain_rules_on_random_levels(
    seed: int, rules: Rules, levels: int
) -> None:
    r = random.Random(seed)
    for _ in range(levels):
        level = random_level(r)
        packed = PackedLevel(level, rules)
        for position in positions(r, level, 2, 12, rules):
            assert packed.unpack(packed.pack(position)) == position
            assert expanded(packed, position) == plain(position, rules)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("rules", ALL_RULES)
@pytest.mark.parametrize("levels", [100, pytest.param(600, marks=pytest.mark.slow)])
def test_successors_are_those_of_the_plain_rules_if_snakes_push_into_their_tails(
    rules: Rules, levels: int
) -> None:
    r = random.Random(13)
    more = deaths = 0
    for _ in range(levels):
        level = tail_level(r)
        packed = PackedLevel(level, rules)
        for position in positions(r, level, 2, 6, rules):
            found = plain(position, rules)
            assert packed.unpack(packed.pack(position)) == position
            assert expanded(packed, position) == found
            own = set(legal_moves(position, rules)) - set(legal_moves(position, PAPER))
            more += len(own)
            deaths += len(own - dict(found).keys())
    leaves = rules.own_tail == LEAVES
    assert (more > levels / 4, deaths > levels / 16) == (leaves, leaves)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("rules", ALL_RULES)
@pytest.mark.parametrize("levels", [120, pytest.param(300, marks=pytest.mark.slow)])
def test_successors_are_those_of_the_plain_rules_if_teleports_never_end(rules: Rules, levels: int) -> None:
    """Teleports without end are death, also after the last snake has left."""
    r = random.Random(12)
    endless = 0
    for _ in range(levels):
        level = shaft_level(r)
        packed = PackedLevel(level, rules)
        for position in positions(r, level, 2, 6, rules):
            assert expanded(packed, position) == plain(position, rules)
            in_play = [snake for snake in position.snakes if snake]
            endless += (
                len(in_play) == 1
                and not position.fruit
                and any(
                    level.neighbour(in_play[0][0], *STEPS[move.direction]) == level.exit
                    for move in set(legal_moves(position, rules)) - dict(plain(position, rules)).keys()
                )
            )
    assert endless > levels / 6


def test_many_positions_at_once_have_the_successors_of_each() -> None:
    r = random.Random(5)
    for _ in range(20):
        level = random_level(r)
        packed = PackedLevel(level)
        rows = np.array([packed.pack(position) for position in positions(r, level, 4, 10)])
        together = packed.successors(rows, traced=True)
        apart = [packed.successors(rows[i : i + 1], traced=True) for i in range(len(rows))]
        assert together.positions.tolist() == [row for one in apart for row in one.positions.tolist()]
        assert together.actions.tolist() == [a for one in apart for a in one.actions.tolist()]
        assert together.counts.tolist() == [one.counts[0] for one in apart]
        assert footprints(together).tolist() == [footprints(one)[0].tolist() for one in apart]
        untraced = packed.successors(rows)
        assert untraced.positions.tolist() == together.positions.tolist()
        assert untraced.footprints is None


@pytest.mark.parametrize("rules", ALL_RULES)
def test_variants_that_share_a_packed_form_have_successors_of_their_own(rules: Rules) -> None:
    r = random.Random(11)
    for _ in range(20):
        level = random_level(r)
        model = SnakebirdModel(rules)
        model.packed(level)
        cell = r.choice([*level.plain_cells, level.cells - 1])
        tile = r.choice((SKY, GROUND, SPIKES)) if cell in level.plain_cells else SPIKES
        variant = level.with_tile(cell, tile)
        shared, own = model.packed(variant), PackedLevel(variant, rules)
        assert shared.level == variant
        rows = np.array([own.pack(position) for position in positions(r, variant, 3, 10, rules)])
        found, expected = shared.successors(rows, traced=True), own.successors(rows, traced=True)
        assert found.positions.tolist() == expected.positions.tolist()
        assert footprints(found).tolist() == footprints(expected).tolist()
        differences = shared.differences(own)
        assert differences is not None
        assert not differences.any()


def test_levels_of_another_shape_share_no_packed_form() -> None:
    one, other = parse_level("....E\n.>1..\n#####\n"), parse_level("...E.\n.>1..\n#####\n")
    assert PackedLevel(one).with_tiles_of(other) is None
    assert SnakebirdModel().packed(one).with_tiles_of(one) is not None


def test_a_position_is_solved_where_all_snakes_are_out() -> None:
    r = random.Random(6)
    seen = set()
    for _ in range(60):
        level = random_level(r, most_objects=1, most_snakes=2)
        packed = PackedLevel(attrs.evolve(level, fruit=()))
        for position in positions(r, packed.level, 3, 30):
            assert packed.solved(packed.pack(position).reshape(1, -1)).tolist() == [position.solved]
            seen.add(position.solved)
    assert seen == {False, True}


# --- rows ------------------------------------------------------------------------------------------------


def test_two_snakes_an_object_and_a_fruit_take_one_word() -> None:
    packed = PackedLevel(real_level("snakebird_28"))
    assert (packed.words, packed.features) == (1, 660)


def test_a_snake_longer_than_a_word_crawls_and_eats() -> None:
    """Its body lies across three words, and is shifted through all of them."""
    width = 40
    cells = [*range(2 * width + 30, 2 * width, -1), *range(width + 1, width + 36)]
    tiles = [SKY] * (3 * width) + [GROUND] * width + [SPIKES] * width
    fruit = [2 * width + 31 + i for i in range(3)]
    level = Level(width=width, height=5, tiles=tiles, snakes=[cells], exit=2 * width + 39, fruit=fruit)
    packed = PackedLevel(level)
    assert packed.words == 3
    for position in positions(random.Random(1), level, 5, 40):
        assert packed.unpack(packed.pack(position)) == position
        assert expanded(packed, position) == plain(position)
    position = start(level)
    for _ in range(9):
        position = dict(expanded(packed, position))[Move(0, "R")]
    assert position.solved


def test_a_word_of_the_board_has_a_bit_for_every_entity() -> None:
    assert MOST_SNAKES + MOST_OBJECTS <= MOST_ENTITIES


# --- footprints ------------------------------------------------------------------------------------------


def footprints(found: Successors) -> Any:
    assert found.footprints is not None
    return found.footprints


@pytest.mark.sweep
@pytest.mark.parametrize("rules", [PAPER, GAME])
@pytest.mark.parametrize("games", [30, pytest.param(80, marks=pytest.mark.slow)])
def test_levels_that_agree_on_a_footprint_have_the_same_successors(games: int, rules: Rules) -> None:
    """For edits of tiles on which nothing lies: elsewhere the position would be none of the edited level."""
    r = random.Random(7)
    met = kept = changed = 0
    for game in range(games):
        level = (shaft_level, tail_level, random_level, random_level, random_level)[game % 5](r)
        packed = PackedLevel(level, rules)
        for position in positions(r, level, 1, 10, rules):
            row = packed.pack(position).reshape(1, -1)
            found = packed.successors(row, traced=True)
            lying = {cell for snake in position.snakes for cell in snake}
            lying |= {cell for i in range(len(level.objects)) for cell in position.object_cells(i)}
            for cell in set(level.plain_cells) - lying:
                for tile in {SKY, GROUND, SPIKES} - {level.tiles[cell]}:
                    if r.random() < 0.5:
                        continue
                    other = PackedLevel(level.with_tile(cell, tile), rules)
                    after = other.successors(row)
                    same = (
                        after.positions.tolist() == found.positions.tolist()
                        and after.actions.tolist() == found.actions.tolist()
                    )
                    if (packed.differences(other) & footprints(found)[0]).any():
                        met += 1
                        changed += not same
                    else:
                        kept += 1
                        assert same
    assert kept > 3 * met
    assert changed > met / 2  # the footprints are not much larger than they must be


def test_a_footprint_tells_ground_from_spikes_only_where_a_snake_rests() -> None:
    level = parse_level("....#.\n.>>1.E\n.###.#\n", "bridge")
    packed = PackedLevel(level)
    after = play(start(level), Move(0, "R"))
    assert after is not None
    footprint = footprints(packed.successors(packed.pack(after).reshape(1, -1), traced=True))[0]

    def touched(x: int, y: int, tile: int) -> bool:
        other = PackedLevel(level.with_tile(level.cell(x, y), tile))
        return bool((packed.differences(other) & footprint).any())

    rests_on, goes_on, wall = (3, 2), (2, 2), (4, 0)
    assert touched(*rests_on, SPIKES)
    assert touched(*rests_on, SKY)
    assert not touched(*goes_on, SKY)
    assert touched(*wall, SKY)
    assert not touched(*wall, SPIKES)


def test_levels_of_other_shapes_do_not_compare() -> None:
    level = parse_level("....E\n.>1..\n#####\n")
    for other in (parse_level("...E.\n.>1..\n#####\n"), parse_level("....E\n.>1.F\n#####\n")):
        assert PackedLevel(level).differences(PackedLevel(other)) is None
    for rules in ALL_RULES[1:]:
        assert PackedLevel(level).differences(PackedLevel(level, rules)) is None


def test_the_model_shares_packed_forms_among_variants_that_alternate() -> None:
    model, one, other = (
        SnakebirdModel(),
        parse_level("....E\n.>1..\n#####\n"),
        parse_level("...E.\n.>1..\n#####\n"),
    )
    first = model.packed(one)
    model.packed(other)
    assert model.packed(one.with_tile(3, GROUND))._features is first._features


# --- whole searches --------------------------------------------------------------------------------------


def assert_golden(name: str, golden: dict[str, Any]) -> None:
    found = shortest_path(SnakebirdModel(), real_level(name))
    assert found.length == golden["moves"]
    assert found.expansions == golden["expansions"]
    assert found.exhausted == golden["exhausted_without_solution"]
    position = start(real_level(name))
    for move in found.actions:
        after = play(position, move)
        assert after is not None
        position = after
    assert position.solved == (found.length is not None)


def test_published_levels_have_the_published_solutions_and_expansions() -> None:
    for name, golden in facts("snakebird")["levels"].items():
        if golden["expansions"] < SLOW_FROM:
            assert_golden(name, golden)


@pytest.mark.parametrize(("name", "moves"), [("snakebird_17", 68), ("snakebird_39", 53)])
def test_published_levels_by_the_rules_of_the_game(name: str, moves: int) -> None:
    """Expected: cases/snakebird-own-tail."""
    model = SnakebirdModel(GAME)
    found = shortest_path(model, real_level(name))
    assert found.length == moves
    position = start(real_level(name))
    own = 0
    for move in found.actions:
        own += move not in legal_moves(position, PAPER)
        position = model.apply(position, move)
    assert position.solved
    assert own > 0


@pytest.mark.slow
def test_large_published_levels_have_the_published_solutions_and_expansions() -> None:
    for name, golden in facts("snakebird")["levels"].items():
        if golden["expansions"] >= SLOW_FROM:
            assert_golden(name, golden)
