"""The JSON of curricula: its schema, what lies where, and solutions that can be played move by move."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from epcg_publishing.data import SCHEMA, as_json

from epcg_core.curriculum.booklet import Booklet, BookletChapter, BookletPuzzle
from epcg_core.editing.play import Play
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import parse_puzzle_id
from epcg_core.query.spec import make_generator
from tests.workplace import Numbers, epcg, sweep

jsonschema = pytest.importorskip("jsonschema")
VALIDATOR = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))

BOARD = "fling:boards?height=4&pieces=4&width=5#1000"
LEVELS = [f"snakebird:levels?path={name}#0" for name in ("01_first_bite", "07_elsewhere", "13_the_stool")]
DOTS = 'witness:placements?groups=[{"symbols":["dot"],"count":2,"where":"edges"}]#5'
PIECES = 'witness:placements?groups=[{"symbols":["polyomino %23%23/%23.","triangles 2"],"count":2}]#5'
INSTANCES = [
    "tangram:instances#200",
    "tangram:instances?colours=[1]&relation=edges_must_touch#200",
    "tangram:instances?bumps=192#30",
]
OTHERS = ["tangram:solved_boards#7", "tangram:bump_patterns#192"]


def puzzle(name: str, **more: Any) -> BookletPuzzle:
    return BookletPuzzle(1, 1, "", name, "state", "m", 1, {"m": 1}, "", "", [], **more)


def booklet(name: str, **more: Any) -> Booklet:
    return Booklet("n", "N", "", "0", [BookletChapter(1, "c", "C", "", "m 1", [puzzle(name, **more)])])


def state_of(name: str) -> tuple[Any, Any]:
    space, rank = parse_puzzle_id(registry(), name)
    generator = make_generator(registry(), space)
    return generator, generator.unrank(rank)


def solvable_board() -> str:
    """The first solvable board from a rank on."""
    from epcg_fling.rules.solving import Solver

    for rank in range(1000, 2000):
        name = f"fling:boards?height=4&pieces=4&width=5#{rank}"
        generator, state = state_of(name)
        if Solver(generator.setting).first_solution(state) is not None:
            return name
    raise AssertionError


# --- the schema -------------------------------------------------------------------------------------------


def test_the_schema_is_one_itself_and_the_command_prints_it() -> None:
    jsonschema.Draft202012Validator.check_schema(VALIDATOR.schema)
    assert epcg("curriculum", "schema").stdout == SCHEMA.read_text(encoding="utf-8")


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "name",
    sweep([BOARD, *LEVELS, DOTS, PIECES, *INSTANCES, *OTHERS], lambda name: "instances?bumps" not in name),
)
def test_every_domains_data_keep_the_schema(name: str) -> None:
    data = json.loads(as_json(booklet(name, percentile=93.5, compared=12)))
    assert [error.message for error in VALIDATOR.iter_errors(data)] == []
    [shown] = data["chapters"][0]["puzzles"]
    assert shown["layout"] is not None
    assert shown["difficulty"]["percentile"] == 93.5


@cache
def of_a_level() -> str:
    return as_json(booklet(LEVELS[0]))


def broken(change: Callable[[dict[str, Any]], Any]) -> bool:
    data = json.loads(of_a_level())
    change(data["chapters"][0]["puzzles"][0])
    return not VALIDATOR.is_valid(data)


@pytest.mark.parametrize(
    "change",
    [
        lambda puzzle: puzzle.pop("layout"),
        lambda puzzle: puzzle.update(extra=1),
        lambda puzzle: puzzle["layout"].update(columns=0),
        lambda puzzle: puzzle["layout"]["items"][0].pop("cells"),
        lambda puzzle: puzzle["layout"]["items"][0]["cells"].append([0, 1]),
        lambda puzzle: puzzle["layout"]["items"][0]["cells"].append([1, 1, 1]),
        lambda puzzle: puzzle["difficulty"].update(percentile=101),
        lambda puzzle: puzzle["difficulty"].pop("text"),
        lambda puzzle: puzzle["solution"]["moves"][0].pop("kind"),
        lambda puzzle: puzzle["solution"].pop("steps"),
        lambda puzzle: puzzle["solution"]["steps"][0].pop("sites"),
        lambda puzzle: puzzle["solution"]["steps"][0].update(keys="ArrowUp"),
        lambda puzzle: puzzle["solution"]["moves"][0].update(direction="north"),
    ],
)
def test_the_schema_refuses(change: Callable[[dict[str, Any]], Any]) -> None:
    assert broken(change)
    assert not broken(lambda puzzle: None)


def test_a_domain_that_says_nothing_has_no_layout(toy: Any) -> None:
    data = json.loads(as_json(booklet("numbers:range?size=9#7")))
    assert [error.message for error in VALIDATOR.iter_errors(data)] == []
    [shown] = data["chapters"][0]["puzzles"]
    assert (shown["layout"], shown["solution"]["moves"]) == (None, None)


# --- what lies where, and moves that can be played ----------------------------------------------------------


def test_a_boards_flings_are_legal_and_leave_one_ball() -> None:
    from epcg_fling.rules.moves import DOWN, LEFT, RIGHT, UP, fling, legal_moves

    name = solvable_board()
    generator, state = state_of(name)
    shape = generator.setting
    layout, moves = puzzle(name).layout(), puzzle(name).moves()
    assert layout is not None
    assert moves is not None
    assert (layout["columns"], layout["rows"]) == (5, 4)
    numbers = [(row - 1) * 5 + column - 1 for item in layout["items"] for column, row in item["cells"]]
    assert sum(1 << number for number in numbers) == state
    for move in moves:
        column, row = move["cell"]
        directions = {"up": UP, "right": RIGHT, "down": DOWN, "left": LEFT}
        action = ((row - 1) * 5 + column - 1, directions[move["direction"]])
        assert action in legal_moves(shape, state)
        state = fling(shape, state, action)
    assert state.bit_count() == 1


@pytest.mark.parametrize("name", LEVELS)
def test_a_levels_crawls_lead_out(name: str) -> None:
    from epcg_snakebird.rules.model import SnakebirdModel
    from epcg_snakebird.rules.moves import Move

    _, level = state_of(name)
    layout = puzzle(name).layout()
    assert layout is not None
    snakes = [item["cells"] for item in layout["items"] if item["kind"] == "snake"]
    assert [[[x + 1, y + 1] for x, y in map(level.place, cells)] for cells in level.snakes] == snakes
    tiles = {tuple(c) for i in layout["items"] if i["kind"] == "ground" for c in i["cells"]}
    assert len(tiles) == sum(tile == 1 for tile in level.tiles)
    moves, model = puzzle(name).moves(), SnakebirdModel()
    assert moves is not None
    position = model.initial(level)
    for move in moves:
        position = model.apply(position, Move(move["snake"] - 1, move["direction"][0].upper()))
    assert position.solved


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", [*LEVELS, DOTS, INSTANCES[0]])
def test_the_steps_are_actions_with_their_gestures_to_the_end(name: str) -> None:
    data = json.loads(as_json(booklet(name)))["chapters"][0]["puzzles"][0]
    document = puzzle(name).document()
    play, model = Play(document), document.model
    for step in data["solution"]["steps"]:
        position = play.position()
        assert not position.solved
        [number] = [
            number
            for number, own in enumerate(position.steps)
            if (list(own.gesture.sites), list(own.gesture.keys)) == (step["sites"], step["keys"])
        ]
        assert (position.steps[number].action, position.steps[number].text) == (step["action"], step["text"])
        play.state = model.apply(play.state, list(model.actions(play.state))[number])
    assert play.position().solved


@pytest.mark.parametrize(("name", "steps"), zip(OTHERS, ([], None), strict=True))
def test_what_is_solved_or_not_played_has_no_steps(name: str, steps: list[object] | None) -> None:
    """A solved board needs no step, and a pattern of bumps is not played at all."""
    assert json.loads(as_json(booklet(name)))["chapters"][0]["puzzles"][0]["solution"]["steps"] == steps


def test_a_recorded_solution_is_the_one_that_is_told() -> None:
    import attrs

    recorded = attrs.evolve(puzzle(LEVELS[0]), solutions=[[str(m) for m in moves_of(LEVELS[0])[:3]]])
    assert len(recorded.moves() or []) == 3


def moves_of(name: str) -> list[Any]:
    from epcg_snakebird.rules.moves import start
    from epcg_snakebird.rules.solving import shortest_solution
    from epcg_snakebird.rules.variants import PAPER

    return list(shortest_solution(start(state_of(name)[1]), 1000, PAPER).actions)


def test_a_panels_line_goes_from_a_start_to_an_end_through_all_dots() -> None:
    layout, moves = puzzle(DOTS).layout(), puzzle(DOTS).moves()
    assert layout is not None
    assert moves is not None
    steps = {"up": (0, -1), "right": (1, 0), "down": (0, 1), "left": (-1, 0)}
    line = [tuple(moves[0]["point"])]
    for move in moves[1:]:
        line.append((line[-1][0] + steps[move["direction"]][0], line[-1][1] + steps[move["direction"]][1]))
    assert len(set(line)) == len(line)
    ends = {i["kind"]: tuple(i["points"][0]) for i in layout["items"] if i["kind"] in ("start", "end")}
    assert (line[0], line[-1]) == (ends["start"], ends["end"])
    assert ends == {"start": (1, layout["rows"] + 1), "end": (layout["columns"] + 1, 1)}
    drawn = {frozenset(pair) for pair in pairwise(line)}
    dots = [frozenset(map(tuple, i["points"])) for i in layout["items"] if i["kind"] == "dot"]
    assert len(dots) == 2
    assert set(dots) <= drawn


def test_a_panels_pieces_have_their_shape_and_place() -> None:
    _, panel = state_of(PIECES)
    layout = puzzle(PIECES).layout()
    assert layout is not None
    found = {tuple(i["cells"][0]): i for i in layout["items"] if "cells" in i}
    for cell, symbol in panel.symbols:
        y, x = divmod(cell, panel.width)
        item = found[x + 1, panel.height - y]
        assert item["colour"] == symbol.colour
        assert item["kind"] in ("polyomino", "triangles")
        if item["kind"] == "polyomino":
            assert item["shape"] == ["##", "#."]


@pytest.mark.parametrize("name", INSTANCES)
def test_the_pieces_to_place_complete_the_board(name: str) -> None:
    layout, moves = puzzle(name).layout(), puzzle(name).moves()
    assert layout is not None
    assert moves is not None
    cells = [tuple(cell) for item in (*layout["items"], *moves) for cell in item["cells"]]
    rows = [sum(row == number for _, row in cells) for number in range(1, 7)]
    assert (len(cells), len(set(cells)), rows) == (54, 54, [7, 9, 11, 11, 9, 7])
    assert sorted(move["piece"] for move in moves) <= sorted(layout["rules"]["to_place"])
    assert ("constraint" in layout["rules"]) == ("relation" in name)
    assert ("holes" in layout["rules"]) == ("bumps" in name)


# --- difficulty -------------------------------------------------------------------------------------------


def test_a_percentile_counts_the_easier_and_half_of_the_equal(toy: Numbers) -> None:
    toy.file("digits", "even", name="sums")
    plan = """
name = "steps"
[[chapters]]
name = "one"
query = "sums.toml"
measure = "digits"
strategy = { name = "evenly", differ_by = "digits" }
count = 4
[[chapters]]
name = "sql"
sql = "SELECT epcg_puzzle(1, 50) AS puzzle, 5 AS five"
measure = "five"
strategy = "lowest"
count = 1
"""
    Path("steps.toml").write_text(plan, encoding="utf-8")
    for harder in ("higher", "lower"):
        setting = f"chapters.0.harder={harder}"
        epcg("curriculum", "build", "steps.toml", "--quiet", "--set", setting)
        epcg("curriculum", "export", "steps", "--format", "json")
        data = json.loads(Path("steps.json").read_text(encoding="utf-8"))
        assert [error.message for error in VALIDATOR.iter_errors(data)] == []
        found = [puzzle["difficulty"] for puzzle in data["chapters"][0]["puzzles"]]
        sums = [sum(map(int, str(number))) for number in range(100)]
        for each in found:
            below = sum(value < each["value"] for value in sums)
            equal = sums.count(each["value"])
            easier = below if harder == "higher" else 100 - below - equal
            assert each["percentile"] == easier + equal / 2
            assert (each["compared"], each["harder"]) == (100, harder)
        other = data["chapters"][1]["puzzles"][0]["difficulty"]
        assert (other["percentile"], other["compared"], other["text"]) == (None, 0, "five 5")
