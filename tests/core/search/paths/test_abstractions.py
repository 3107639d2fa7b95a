"""Abstractions: distances without some things never exceed the game's, and a wrong one is told."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from epcg_core.base.errors import CheckFailedError, ParamsError, PluginError, UnknownNameError
from epcg_core.domain import LimitReachedError
from epcg_core.search.params import ForgettingParams
from epcg_core.search.shortest_path.abstractions import (
    PatternDatabase,
    Whole,
    check_whole,
    pattern_database,
)
from epcg_core.search.shortest_path.forgetting import Forgetting, no_needs
from epcg_core.search.shortest_path.solver import shortest_path
from tests.core.search.paths.maze import Maze, PackedMazeModel, PlainModel, Position, mazes, parse

THINGS = ("walker", "boxes", "left half")
PUSH = parse("""
    w.b.E
    .....
""")


def forget(maze: Maze, things: Collection[str]) -> Callable[[Position], Hashable]:
    half = {cell for cell in range(len(maze.tiles)) if cell % maze.width < maze.width // 2}

    def left(position: Position) -> Hashable:
        boxes = frozenset() if "boxes" in things else position.boxes
        return (
            None if "walker" in things else position.walker,
            boxes - half if "left half" in things else boxes,
        )

    return left


class Forgets(PackedMazeModel):
    """Forgets the walker, all boxes, or the boxes in the left half."""

    def things(self, content: Maze) -> tuple[str, ...]:
        return THINGS

    def forget(self, content: Maze, things: Collection[str]) -> Callable[[Position], Hashable]:
        return forget(content, things)


class ForgetsRows(Forgets):
    """The same of many positions at once."""

    def forget_rows(
        self, content: Maze, things: Collection[str]
    ) -> Callable[[NDArray[np.uint64]], NDArray[np.uint64]]:
        half = sum(
            1 << cell for cell in range(len(content.tiles)) if cell % content.width < content.width // 2
        )
        masks = [0 if "walker" in things else 2**64 - 1, 0 if "boxes" in things else 2**64 - 1]
        if "left half" in things:
            masks[1] &= ~half
        return lambda rows: rows & np.array(masks, np.uint64)


class Plays(PlainModel):
    """Plays a maze without its boxes, which only ever stand in the way."""

    def things(self, content: Maze) -> tuple[str, ...]:
        return ("boxes",)

    def forget(self, content: Maze, things: Collection[str]) -> Callable[[Position], Position]:
        if "boxes" not in things:
            return lambda position: position
        return lambda position: Position(self.without(content, things), position.walker, frozenset())

    def without(self, content: Maze, things: Collection[str]) -> Maze:
        return attrs.evolve(content, boxes=frozenset()) if "boxes" in things else content


class Wrong(Plays):
    """Puts a wall beside the exit of the smaller maze, and leaves the last way to it."""

    def without(self, content: Maze, things: Collection[str]) -> Maze:
        cell = content.exit - 1
        tiles = content.tiles[:cell] + "#" + content.tiles[cell + 1 :]
        return attrs.evolve(content, tiles=tiles, boxes=frozenset())


class Of:
    """A generator of one maze."""

    max_rank = 1

    def __init__(self, model: Any, maze: Maze) -> None:
        self.transition_model, self.maze = model, maze

    def unrank(self, rank: int) -> Maze:
        return self.maze


def expected(maze: Maze, things: Collection[str]) -> dict[Hashable, int]:
    """What is left of each position, with its distance, by its definition."""
    model, image = PlainModel(), forget(maze, things)
    positions, seen = [model.initial(maze)], {model.key(model.initial(maze))}
    edges, distance = set(), {}
    for here in positions:
        if model.is_goal(here):
            distance[image(here)] = 0
            continue
        for action in model.actions(here):
            after = model.apply(here, action)
            edges.add((image(here), image(after)))
            if model.key(after) not in seen:
                seen.add(model.key(after))
                positions.append(after)
    for _ in positions:
        for one, other in edges:
            if other in distance and distance.get(one, len(positions)) > distance[other] + 1:
                distance[one] = distance[other] + 1
    return distance


@given(mazes(4), st.sets(st.sampled_from(THINGS)), st.sampled_from([Forgets, ForgetsRows]))
def test_distances_of_the_image_are_those_of_its_definition_and_admissible(
    maze: Maze, things: set[str], make: type[Forgets]
) -> None:
    model, image, distance = make(), forget(maze, things), expected(maze, things)
    for plain in (False, True):
        whole = Whole(model, maze, 10**6, plain)
        found = whole.distances(things)
        own = whole.graph.distances
        for number in range(whole.graph.count):
            row = whole.graph.rows[number] if not plain else None
            position = whole.graph.positions[number] if row is None else model.packed(maze).unpack(row)
            assert found[number] == distance.get(image(position), whole.graph.UNREACHED)
        known = own != whole.graph.UNREACHED
        assert (found[known] <= own[known]).all()
        assert (found[known] >= 0).all()


@given(mazes(4))
def test_a_search_with_a_pattern_database_finds_a_shortest_solution(maze: Maze) -> None:
    model = Plays()
    heuristic = pattern_database(model, maze, [["boxes"], []])
    check_whole(model, heuristic, maze, 10**6)
    blind, found = shortest_path(model, maze), shortest_path(model, maze, heuristic=heuristic)
    assert (found.length, found.limit_reached) == (blind.length, False)
    assert len(PatternDatabase(model, maze, ["boxes"], 10**6)) <= len(maze.tiles)


@given(mazes(4), st.lists(st.sampled_from([*THINGS, "what is not there"]), max_size=2, unique=True))
def test_the_evaluator_tells_what_is_lost_plain_or_packed(maze: Maze, together: list[str]) -> None:
    params = ForgettingParams(each=THINGS, together=tuple(together))
    found = Forgetting(params, Of(Forgets(), maze))
    moves = shortest_path(PlainModel(), maze).length
    start = PlainModel().initial(maze)
    values = found.evaluate(maze)
    assert values == found.plain().evaluate(maze)
    assert values == Forgetting(params, Of(ForgetsRows(), maze)).evaluate(maze)
    if moves is None:
        assert values is None
        return
    losses = [moves - expected(maze, [name])[forget(maze, [name])(start)] for name in THINGS]
    left = moves - min(losses)
    if together:
        is_there = "what is not there" not in together
        left = expected(maze, together)[forget(maze, together)(start)] if is_there else None
    share = None if left is None else left / moves if moves else 1.0
    assert values == (3, sum(loss > 0 for loss in losses), min(losses), max(losses), left, share, *losses)


def test_a_smaller_game_that_lacks_an_action_is_told_of() -> None:
    with pytest.raises(CheckFailedError, match="without"):
        check_whole(Wrong(), pattern_database(Wrong(), PUSH, [["boxes"]]), PUSH, 10**6)


def test_a_search_tells_of_what_the_smaller_game_does_not_have() -> None:
    """Its way leads over the cell that is a wall there."""
    straight = parse("""
        w..E
        ....
    """)
    with pytest.raises(CheckFailedError, match="cannot be reached"):
        shortest_path(Wrong(), straight, heuristic=pattern_database(Wrong(), straight, [["boxes"]]))


def test_a_heuristic_that_is_not_consistent_is_told_of_at_its_action() -> None:
    class Jumps:
        consistent = True

        def __call__(self, position: Position) -> int:
            return 3 if position.walker == PUSH.walker else 0

    with pytest.raises(CheckFailedError, match="shortens the distance from 3 to 0"):
        shortest_path(PlainModel(), PUSH, heuristic=Jumps())
    with pytest.raises(CheckFailedError, match="from 3 to 0"):
        check_whole(PlainModel(), Jumps(), PUSH, 10**6)


def test_what_cannot_be_forgotten_is_refused_in_a_sentence() -> None:
    with pytest.raises(UnknownNameError, match="unknown thing 'walls'"):
        pattern_database(Plays(), PUSH, [["walls"]])
    with pytest.raises(PluginError, match="it has no `without`"):
        pattern_database(Forgets(), PUSH, [["boxes"]])
    with pytest.raises(PluginError, match="says nothing of what can be forgotten"):
        pattern_database(PlainModel(), PUSH, [["boxes"]])
    with pytest.raises(PluginError, match="says nothing"):
        no_needs(ForgettingParams(), Of(PlainModel(), PUSH))
    with pytest.raises(ParamsError, match="named twice"):
        Forgetting(ForgettingParams(each=("left half", "left-half")), Of(Forgets(), PUSH))


def test_beyond_its_limit_nothing_is_claimed() -> None:
    with pytest.raises(LimitReachedError):
        Forgetting(ForgettingParams(limit=3), Of(Forgets(), PUSH)).evaluate(PUSH)
    with pytest.raises(LimitReachedError):
        PatternDatabase(Plays(), PUSH, ["boxes"], 3)


def test_a_thing_that_is_not_there_has_no_measure() -> None:
    found = Forgetting(ForgettingParams(each=("boxes", "clouds")), Of(Forgets(), PUSH))
    assert [metric.name for metric in found.metrics[6:]] == ["lost_boxes", "lost_clouds"]
    values = found.evaluate(PUSH)
    assert values is not None
    assert values[7] is None
