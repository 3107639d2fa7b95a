"""The levels that come with the plugin: each is solved, and needs the mechanic that it names."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest
from epcg_snakebird.edits.ablation import without
from epcg_snakebird.formats.drawing import format_level, parse_level, read_headers, read_level
from epcg_snakebird.formats.files import level_files
from epcg_snakebird.formats.shipped import named_level, shipped_levels
from epcg_snakebird.rules.level import GROUND, SPIKES, Level, LevelError
from epcg_snakebird.rules.moves import Move, Position, play, start
from epcg_snakebird.rules.solving import shortest_solution
from epcg_snakebird.rules.variants import GAME, PAPER, Rules

LIMIT = 100_000
LENGTHS = {
    "01_first_bite": 18, "02_mind_the_gap": 20, "03_thorns": 22, "04_shoulders": 26, "05_the_step": 22,
    "06_two_at_a_time": 20, "07_elsewhere": 22, "08_parcel": 22, "09_bed_of_nails": 22, "10_letting_go": 22,
    "11_after_you": 26, "12_a_push_for_a_friend": 26, "13_the_stool": 22, "14_patience": 26,
}  # fmt: skip
FILES = {path.stem: path for path in shipped_levels()}
UNSOLVABLE = None


def shortest(level: Level, rules: Rules = GAME) -> int | None:
    """Moves; None where it is proven that there is no solution."""
    found = shortest_solution(start(level), LIMIT, rules)
    assert not found.limit_reached
    return found.length


def ablations(name: str) -> list[str]:
    return [what.strip() for what in read_headers(FILES[name].read_bytes())["without"].split(";")]


def solution(name: str) -> list[tuple[Position, Move, Position]]:
    """The steps of the shortest solution: position, move, next position."""
    position, steps = start(read_level(FILES[name])), []
    for move in shortest_solution(position, LIMIT, GAME).actions:
        after = play(position, move, GAME)
        assert after is not None
        steps.append((position, move, after))
        position = after
    assert position.solved
    return steps


CASES = [(name, what) for name in sorted(FILES) for what in ablations(name)]


def test_there_are_as_many_as_listed() -> None:
    assert set(FILES) == set(LENGTHS)
    mechanics = {read_headers(path.read_bytes())["mechanic"] for path in FILES.values()}
    assert len(mechanics) == len(FILES)


@pytest.mark.sweep(8)
@pytest.mark.parametrize("rules", [PAPER, GAME])
@pytest.mark.parametrize("name", sorted(LENGTHS))
def test_shortest_solution(name: str, rules: Rules) -> None:
    assert shortest(read_level(FILES[name]), rules) == LENGTHS[name]


@pytest.mark.parametrize(("name", "what"), CASES)
def test_without_its_mechanic_a_level_is_easier_or_unsolvable(name: str, what: str) -> None:
    length = shortest(without(read_level(FILES[name]), what))
    assert length is UNSOLVABLE or length < LENGTHS[name]


@pytest.mark.parametrize("name", sorted(LENGTHS))
def test_round_trip(name: str) -> None:
    level = read_level(FILES[name])
    assert parse_level(format_level(level)) == level


def rests_on(position: Position, snake: int) -> set[object]:
    """'ground', and the snakes that lie right below it."""
    level = position.level
    below = {cell + level.width for cell in position.snakes[snake]} - set(position.snakes[snake])
    found: set[object] = {"ground"} if any(level.tiles[cell] == GROUND for cell in below) else set()
    return found | {
        other for other, cells in enumerate(position.snakes) if other != snake and below & {*cells}
    }


def test_two_snakes_carry_each_other() -> None:
    """At some time each rests on the other alone."""
    steps = solution("04_shoulders")
    assert any(rests_on(before, 0) == {1} for before, _, _ in steps)
    assert any(rests_on(before, 1) == {0} for before, _, _ in steps)


def test_a_body_is_a_bridge() -> None:
    """It lies in a row, with ground under both ends and none between."""
    level = read_level(FILES["02_mind_the_gap"])

    def is_bridge(position: Position) -> bool:
        cells = sorted(position.snakes[0])
        ground = [level.tiles[cell + level.width] == GROUND for cell in cells]
        straight = bool(cells) and cells[-1] - cells[0] == len(cells) - 1
        return straight and ground == [True, *[False] * (len(cells) - 2), True]

    assert any(is_bridge(after) for _, _, after in solution("02_mind_the_gap"))


def test_a_block_is_a_bridge_over_spikes() -> None:
    """It rests on spikes and on nothing else, and a snake on it."""
    level = read_level(FILES["09_bed_of_nails"])

    def carries(position: Position) -> bool:
        below = [level.tiles[cell + level.width] for cell in position.object_cells(0)]
        above = {cell - level.width for cell in position.object_cells(0)}
        return SPIKES in below and GROUND not in below and bool(above & set(position.snakes[0]))

    assert any(carries(after) for _, _, after in solution("09_bed_of_nails"))


def test_the_step_carries_the_snake() -> None:
    level = read_level(FILES["05_the_step"])
    assert any(
        before.objects != after.objects and move.direction in "LR"
        for before, move, after in solution("05_the_step")
    )
    assert any(after.objects[0] - level.width in after.snakes[0] for _, _, after in solution("05_the_step"))


def test_a_snake_that_is_long_enough_bites_first() -> None:
    assert any(len(after.snakes[0]) > len(before.snakes[0]) for before, _, after in solution("01_first_bite"))


def test_two_blocks_move_at_once() -> None:
    assert any(
        all(a != b for a, b in zip(before.objects, after.objects, strict=True))
        for before, _, after in solution("06_two_at_a_time")
    )


def jumps(before: int, after: int, width: int) -> bool:
    """Whether something was moved sideways by more than a cell, which only portals do."""
    return abs(before % width - after % width) > 1


def test_the_snake_goes_through_the_portals_elsewhere() -> None:
    width = read_level(FILES["07_elsewhere"]).width
    steps = [
        (before.snakes[0], after.snakes[0])
        for before, _, after in solution("07_elsewhere")
        if after.snakes[0]
    ]
    assert any(jumps(before[0], after[0], width) for before, after in steps)


def test_only_the_parcel_goes_through_the_portals() -> None:
    width = read_level(FILES["08_parcel"]).width
    steps = [(before, after) for before, _, after in solution("08_parcel") if after.snakes[0]]
    assert any(jumps(before.objects[0], after.objects[0], width) for before, after in steps)
    assert not any(jumps(before.snakes[0][0], after.snakes[0][0], width) for before, after in steps)


def test_the_way_leads_down() -> None:
    """A snake falls by two rows or more."""
    width = read_level(FILES["10_letting_go"]).width
    drops = [
        after.snakes[0][0] // width - before.snakes[0][0] // width
        for before, _, after in solution("10_letting_go")
        if after.snakes[0]
    ]
    assert max(drops) >= 2


@pytest.mark.parametrize(("first", "length"), [(0, UNSOLVABLE), (1, 26)])
def test_only_one_snake_can_leave_first(first: int, length: int | None) -> None:
    """Every other order is tried by a search in which the other snake does not leave before it."""
    begin = start(read_level(FILES["11_after_you"]))
    frontier, seen, moves = [begin], {begin}, 0
    while frontier:
        if any(position.solved for position in frontier):
            break
        following = []
        for position in frontier:
            for snake in (0, 1):
                for direction in "DURL":
                    try:
                        after = play(position, Move(snake, direction))
                    except ValueError:
                        continue
                    if (
                        after is None
                        or after in seen
                        or (after.snakes[first] and not after.snakes[1 - first])
                    ):
                        continue
                    seen.add(after)
                    following.append(after)
        frontier, moves = following, moves + 1
    assert (moves if frontier else UNSOLVABLE) == length


def test_a_snake_pushes_the_other() -> None:
    assert any(
        before.snakes[1 - move.snake] != after.snakes[1 - move.snake] and move.direction in "LR"
        for before, move, after in solution("12_a_push_for_a_friend")
    )


def test_a_snake_waits_on_the_exit() -> None:
    level = read_level(FILES["14_patience"])
    assert any(
        before.fruit and not after.fruit and before.snakes[1 - move.snake][:1] == (level.exit,)
        for before, move, after in solution("14_patience")
    )


# --- taking out --------------------------------------------------------------------------------------------

BRIDGE = parse_level(">>1.E\n#####", "bridge")
SMALL = parse_level("..F.E\n*aOO.\n#a1<.\n##.2<\n####*", "small")


def test_what_is_taken_out() -> None:
    assert without(SMALL, "fruit") == attrs.evolve(SMALL, fruit=())
    assert without(SMALL, "portals").portals == ()
    assert without(SMALL, "object a").objects == ()
    assert without(SMALL, "parts of a").objects == ((6,),)
    assert without(SMALL, "snake 2").snakes == SMALL.snakes[:1]
    assert without(SMALL, "snake 1").snakes == SMALL.snakes[1:]
    assert without(BRIDGE, "tail of 1").snakes == ((2, 1),)
    assert without(SMALL, "gap 0,0 1,0").tiles[:2] == (GROUND, GROUND)
    spikes = without(SMALL, "spikes")
    assert spikes.tiles[5] == spikes.tiles[24] == GROUND
    assert spikes.tiles[-5:] == SMALL.tiles[-5:]


@pytest.mark.parametrize(
    "what", ["", "wings", "object b", "snake 3", "tail of 1", "gap", "gap 0,2", "gap 9,9", "fruit 1"]
)
def test_what_is_not_there_cannot_be_taken_out(what: str) -> None:
    with pytest.raises(LevelError):
        without(SMALL, what)


@pytest.mark.parametrize("what", ["fruit", "portals", "spikes", "snake 1"])
def test_a_level_without_extras_has_nothing_to_take_out(what: str) -> None:
    with pytest.raises(LevelError):
        without(parse_level("1<.E\n####", "bare"), what)


# --- names -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["1", "01", "01_first_bite", "first_bite"])
def test_a_level_by_its_name(text: str) -> None:
    assert named_level(text) == read_level(FILES["01_first_bite"])
    assert level_files(text) == (FILES["01_first_bite"],)


def test_a_level_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "own.txt"
    file.write_text("1<.E\n####\n")
    assert named_level(str(file)).snakes == ((0, 1),)


def test_no_such_level() -> None:
    with pytest.raises(LevelError, match="There is no level 'nothing': name a file, or one of 01_first_bite"):
        named_level("nothing")
