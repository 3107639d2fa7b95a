"""Renderers: what the pictures show is what is there, and a moving picture shows every position of play."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections import Counter
from itertools import pairwise
from types import SimpleNamespace

import pytest
from epcg_snakebird.formats.drawing import parse_level, read_level
from epcg_snakebird.formats.shipped import shipped_levels
from epcg_snakebird.rendering import renderers
from epcg_snakebird.rendering.animation import frames, solution_svg
from epcg_snakebird.rendering.arrows import arrows_svg
from epcg_snakebird.rendering.levels import level_svg, position_svg
from epcg_snakebird.rendering.picture import CELL, PLUMAGES, facing
from epcg_snakebird.rendering.renderers import svg_renderer, text_renderer
from epcg_snakebird.rules.level import GROUND, SPIKES, Level
from epcg_snakebird.rules.moves import Move, legal_moves, play, start
from epcg_snakebird.rules.solving import shortest_solution
from epcg_snakebird.rules.variants import GAME
from hypothesis import given, strategies as st

SVG = "{http://www.w3.org/2000/svg}"
LEVELS = [read_level(path) for path in shipped_levels()]
IDS = [path.stem for path in shipped_levels()]
MIXED = parse_level("..F.E.\n.aOO..\n#a1<b*\n##.2<b\n####**", "mixed")
UNSOLVABLE = parse_level("name: Shut\n1<.#.\n###E#", "shut")


def svg(text: str) -> ElementTree.Element:
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    return root


def classes(root: ElementTree.Element) -> Counter[str | None]:
    return Counter(element.get("class") for element in root.iter() if element.get("class"))


def words(root: ElementTree.Element) -> list[str | None]:
    return [element.text for element in root.iter(f"{SVG}text")]


# --- levels and positions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [*LEVELS, MIXED], ids=[*IDS, "mixed"])
def test_everything_is_drawn_once(level: Level) -> None:
    root = svg(level_svg(level))
    found = classes(root)
    assert found["snake"] == found["head"] == len(level.snakes)
    assert found["object"] == len(level.objects)
    assert found["fruit"] == len(level.fruit)
    assert found["portal"] == len(level.portals)
    assert found["exit"] == 1
    above = level.tiles[: -level.width]
    assert found["spikes"] == above.count(SPIKES) + 1  # the last row is one shape
    assert root.get("viewBox") == f"0 0 {level.width * CELL} {level.height * CELL}"


def test_snakes_carry_numbers_and_objects_letters() -> None:
    assert sorted(map(str, words(svg(level_svg(MIXED))))) == ["1", "2", "a", "b"]


def test_each_cell_of_ground_is_an_outline() -> None:
    for level in LEVELS:
        outlines = [path.get("d", "") for path in svg(level_svg(level)).iter(f"{SVG}path")]
        assert max(text.count("z") for text in outlines if text.startswith("M")) >= level.tiles.count(GROUND)


def test_what_is_out_or_eaten_is_not_drawn() -> None:
    position = start(parse_level(">1F.E\n#####"))
    assert classes(svg(position_svg(position)))["fruit"] == 1
    shown = []
    for _ in range(3):
        after = play(position, Move(0, "R"))
        assert after is not None
        position = after
        found = classes(svg(position_svg(position)))
        shown.append((found["fruit"], found["snake"]))
    assert shown == [(0, 1), (0, 1), (0, 0)]


@pytest.mark.parametrize(("cells", "degrees"), [((1, 0), 0), ((0, 1), 180), ((5, 0), 90), ((0, 5), 270)])
def test_where_a_head_looks(cells: tuple[int, int], degrees: int) -> None:
    assert facing(cells, 5) == degrees


# --- renderers ---------------------------------------------------------------------------------------------


def test_the_svg_renderer() -> None:
    render = svg_renderer(SimpleNamespace())
    assert render(LEVELS[0]) == level_svg(LEVELS[0])
    moves = shortest_solution(start(LEVELS[0]), 10_000, GAME).actions
    assert render(LEVELS[0], animate=True) == solution_svg(LEVELS[0], moves, GAME)
    assert render(LEVELS[0], solution=True) == arrows_svg(LEVELS[0], moves)
    assert render(UNSOLVABLE, solution=True) == render(UNSOLVABLE, animate=True) == level_svg(UNSOLVABLE)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("level", LEVELS, ids=IDS)
def test_printed_arrows_are_the_moves_in_one_size(level: Level) -> None:
    moves = shortest_solution(start(level), 100_000, GAME).actions
    root = svg(arrows_svg(level, moves))
    groups = [g for g in root.iter(f"{SVG}g") if g.get("class") == "move"]
    turns = {"U": "rotate(0)", "R": "rotate(90)", "D": "rotate(180)", "L": "rotate(270)"}
    assert len(groups) == len(moves)
    for group, move in zip(groups, moves, strict=True):
        inner = group.find(f"{SVG}g")
        tile = group.find(f"{SVG}rect")
        assert inner is not None
        assert tile is not None
        assert inner.get("transform", "").endswith(turns[move.direction])
        assert tile.get("fill") == PLUMAGES[move.snake + 1].body
        number = group.find(f"{SVG}text")
        assert (number is not None) == (len(level.snakes) > 1)
        assert number is None or number.text == str(move.snake + 1)
    assert root.get("width") == "480"


def test_recorded_moves_are_drawn_if_they_solve_the_level() -> None:
    level = parse_level("name: Bite\n>1F.E\n#####")
    write, draw = text_renderer(SimpleNamespace()), svg_renderer(SimpleNamespace())
    longer = parse_level("name: Two ways\n.....\n>1..E\n#####")
    ways = ["1R", "1R", "1R"]
    assert f"3 moves: {' '.join(ways)}" in write(longer, solution=ways)
    assert write(level, solution=["1R"]) == write(level, solution=["nonsense"]) == write(level, solution=True)
    assert draw(longer, solution=ways) == arrows_svg(longer, [Move.parse(text) for text in ways])


def test_the_text_renderer() -> None:
    render = text_renderer(SimpleNamespace())
    level = parse_level("name: Bite\n>1F.E\n#####")
    assert render(level, solution=True) == "name: Bite\n>1F.E\n#####\n\n3 moves: 1R 1R 1R\n"
    assert render(level) == "name: Bite\n>1F.E\n#####\n"
    words = "No solution (proven: 1 position)."
    assert render(UNSOLVABLE, solution=True) == f"name: Shut\n1<.#.\n###E#\n\n{words}\n"


def test_a_search_that_gives_up_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renderers, "SOLUTION_EXPANSIONS", 5)
    write = text_renderer(SimpleNamespace())
    assert write(LEVELS[0], solution=True).endswith("Unknown: no solution within 5 expansions.\n")
    recorded = [str(move) for move in shortest_solution(start(LEVELS[0]), 10_000, GAME).actions]
    assert "18 moves: 1D 1L" in write(LEVELS[0], solution=recorded)


# --- moving pictures ---------------------------------------------------------------------------------------


@pytest.mark.sweep(4)
@pytest.mark.parametrize("level", LEVELS, ids=IDS)
def test_frames_show_every_position(level: Level) -> None:
    position = start(level)
    moves = shortest_solution(position, 100_000, GAME).actions
    film = frames(level, moves, GAME)
    shown = [(frame.snakes, frame.objects, frame.fruit) for frame in film]
    at = 0
    for move in moves:
        after = play(position, move, GAME)
        assert after is not None
        objects = tuple(after.object_cells(i) for i in range(len(level.objects)))
        at = shown.index((after.snakes, objects, after.fruit), at + 1)
        position = after
    times = [frame.seconds for frame in film]
    assert times == sorted(set(times))
    assert times[0] == 0.0


@given(st.sampled_from(LEVELS), st.lists(st.tuples(st.integers(0, 1), st.sampled_from("DURL")), max_size=12))
def test_between_moves_things_fall_straight_down(level: Level, tried: list[tuple[int, str]]) -> None:
    """A frame that is no position of play shows what is about to fall: what it becomes lies right below."""
    position, moves = start(level), []
    positions = {(position.snakes, position.objects)}
    for number, direction in tried:
        move = Move(number % len(level.snakes), direction)
        after = play(position, move, GAME) if move in legal_moves(position, GAME) else None
        if after is not None:
            moves.append(move)
            position = after
            positions.add((position.snakes, position.objects))
    for frame, following in pairwise(frames(level, moves, GAME)):
        assert following.seconds > frame.seconds
        firsts = tuple(cells[0] for cells in frame.objects)
        if (frame.snakes, firsts) in positions:
            continue
        for cells, later in zip(
            (*frame.snakes, *frame.objects), (*following.snakes, *following.objects), strict=True
        ):
            drops = {b - a for a, b in zip(cells, later, strict=True)}
            assert len(drops) <= 1
            assert all(drop >= 0 and drop % level.width == 0 for drop in drops)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("level", LEVELS, ids=IDS)
def test_animations_have_a_value_for_every_time(level: Level) -> None:
    moves = shortest_solution(start(level), 100_000, GAME).actions
    root = svg(solution_svg(level, moves, GAME))
    animations = [e for e in root.iter() if e.tag in (f"{SVG}animate", f"{SVG}animateTransform")]
    assert animations
    for animation in animations:
        times = [float(time) for time in animation.get("keyTimes", "").split(";")]
        values = animation.get("values", "").split(";")
        assert len(times) == len(values)
        assert times == sorted(times)
        assert (times[0], times[-1]) == (0.0, 1.0)
        if animation.get("attributeName") == "points":
            assert len({value.count(",") for value in values}) == 1
    assert len({animation.get("dur") for animation in animations}) == 1


def test_a_deadly_move_has_no_picture() -> None:
    with pytest.raises(ValueError, match="dies by the move 1R"):
        frames(parse_level(">1..E\n##..."), [Move(0, "R"), Move(0, "R")], GAME)
