"""Measures of the intended solution: as listing every solution tells them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from epcg_core.combinatorics.edits import EditedSpace
from epcg_core.domain import LimitReachedError
from epcg_core.search.params import IntendedParams
from epcg_core.search.shortest_path.given import read, take
from epcg_core.search.shortest_path.intended import IntendedSolution, OtherSolutions
from epcg_core.search.shortest_path.reachable import ReachableGraph
from epcg_core.search.shortest_path.solver import shortest_path
from epcg_core.search.shortest_path.ways import Ways, numbered
from tests.core.search.paths.maze import Maze, PackedMazeModel, PlainModel, Position, edits_of, mazes, parse
from tests.core.search.paths.maze_plugin import applied

MOST = 6
"""Moves of the solutions that are listed, at most."""
ROUND = parse("""
    w..
    .#.
    ..E
""")


class Of:
    """A generator of one maze."""

    max_rank = 1

    def __init__(self, maze: Maze, packed: bool = True) -> None:
        self.maze = maze
        self.transition_model = PackedMazeModel() if packed else PlainModel()

    def unrank(self, rank: int) -> Maze:
        return self.maze


class Edits(EditedSpace[Maze]):
    """All single changes of a maze."""

    def __init__(self, maze: Maze) -> None:
        super().__init__(maze, edits_of(maze), applied, 1)
        self.transition_model = PackedMazeModel()


def listed(maze: Maze, most: int) -> Iterator[tuple[tuple[str, ...], tuple[Any, ...]]]:
    """List every solution of at most so many moves, all of which change something, with what it passes."""
    model = PlainModel()

    def go(state: Position, moves: tuple[str, ...], passed: tuple[Any, ...]) -> Iterator[Any]:
        if model.is_goal(state):
            yield moves, passed
            return
        for action in model.actions(state) if len(moves) < most else ():
            after = model.apply(state, action)
            if model.key(after) != model.key(state):
                yield from go(after, (*moves, action), (*passed, model.key(after)))

    start = model.initial(maze)
    yield from go(start, (), (model.key(start),))


def expected(maze: Maze, moves: tuple[str, ...]) -> tuple[Any, ...] | None:
    """Compute the five numbers of `other_solutions` from all solutions, listed."""
    model = PlainModel()
    states = [model.initial(maze)]
    for move in moves:
        if model.is_goal(states[-1]) or move not in list(model.actions(states[-1])):
            return None
        states.append(model.apply(states[-1], move))
    if not model.is_goal(states[-1]):
        return None
    own = [model.key(state) for state in states]
    found = list(listed(maze, len(moves)))
    same = [(m, p) for m, p in found if len(m) == len(moves) and m != moves]
    between = set(own[1:-1]) - {own[0], own[-1]}
    apart = [m for m, p in found if m != moves and not between & set(p)]
    shorter = [(m, p) for m, p in found if len(m) < len(moves)]
    leaves = [
        place + 1
        for place in range(len(moves))
        for m, p in shorter
        if p[: place + 1] == tuple(own[: place + 1]) and p[place + 1 : place + 2] != (own[place + 1],)
    ]
    is_plain = all(one != other for one, other in pairwise(own))
    orders = [m for m, _ in same if Counter(m) == Counter(moves)] if is_plain else []
    return len(same), len(same) - len(orders), len(apart), len(shorter), min(leaves, default=None)


@given(mazes(4), st.lists(st.sampled_from(["up", "right", "down", "left"]), max_size=3), st.booleans())
@example(Maze(2, "o...", 2, 1), ["right"] * 3, False)  # a step against the edge was taken for a shortcut
def test_every_count_is_that_of_a_list_of_all_solutions(maze: Maze, begun: list[str], packed: bool) -> None:
    """The intended solution is a shortest one, or one that begins by some moves: a detour, or an error."""
    model = PlainModel()
    begin = take(model, model.initial(maze), begun)
    onward = shortest_path(model, maze, start=begin.states[-1])
    shortest = shortest_path(model, maze)
    for text, moves in (
        ("", tuple(shortest.actions)),
        (",".join([*begin.actions, *onward.actions]), (*begin.actions, *onward.actions)),
        (",".join([*begun, *onward.actions]), (*begun, *onward.actions)),
    ):
        if not moves or len(moves) > MOST:
            continue
        other = OtherSolutions(IntendedParams(text), Of(maze, packed))
        want = expected(maze, moves)
        assert other.evaluate(maze) == want
        assert other.plain().evaluate(maze) == want
        stays, until, saved = IntendedSolution(IntendedParams(text), Of(maze, packed)).evaluate(maze)
        assert stays == (want is not None)
        if want is not None:
            assert (until, saved) == (len(moves), len(moves) - (shortest.length or 0))


@given(mazes(4))
def test_changes_are_asked_for_the_first_shortest_solution_of_the_original(maze: Maze) -> None:
    model = PlainModel()
    own = shortest_path(model, maze)
    space = Edits(maze)
    intended = IntendedSolution(IntendedParams(), space)
    for rank in range(space.max_rank):
        variant = space.unrank(rank)
        words = list(own.actions)
        played = take(model, model.initial(variant), words)
        shortest = shortest_path(model, variant).length
        saved = len(words) - shortest if played.solved and shortest is not None else None
        want = (played.solved, len(played.actions), saved)
        assert tuple(intended.evaluate(variant)) == want
        assert tuple(intended.plain().evaluate(variant)) == want
        assert tuple(intended.fresh().evaluate(variant)) == want


def test_a_way_round_is_another_solution_that_never_meets_the_intended_one() -> None:
    assert OtherSolutions(IntendedParams("rrdd"), Of(ROUND)).evaluate(ROUND) == (1, 0, 1, 0, None)


def test_a_solution_that_dawdles_is_left_at_its_first_needless_move() -> None:
    dawdles = "r,left,right,right,down,down"
    assert tuple(IntendedSolution(IntendedParams(dawdles), Of(ROUND)).evaluate(ROUND)) == (True, 6, 2)
    found = OtherSolutions(IntendedParams(dawdles), Of(ROUND)).evaluate(ROUND)
    assert found is not None
    assert found[3:] == (2, 1)


@pytest.mark.parametrize(
    "text", ["rrdd", "R R D D", "right, right, down, down", "right\nright\ndown;down", "RiGhTrDdown"]
)
def test_a_solution_is_written_in_words_or_letters(text: str) -> None:
    found = read(PlainModel(), PlainModel().initial(ROUND), text)
    assert (found.actions, found.solved, found.rest) == (("right", "right", "down", "down"), True, ())


def test_what_no_action_means_is_left_over() -> None:
    start = PlainModel().initial(ROUND)
    assert read(PlainModel(), start, "rrxd").rest == ["x", "d"]
    assert read(PlainModel(), start, "right, jump, down").rest == ["jump", "down"]
    assert read(PlainModel(), start, "rrdd, right").rest == ["rrdd", "right"]
    assert read(PlainModel(), start, "r,r,d,d,d").rest == ["d"], "nothing is done at a goal"
    assert not read(PlainModel(), start, "").solved


def test_beyond_its_limit_no_count_is_claimed() -> None:
    with pytest.raises(LimitReachedError):
        OtherSolutions(IntendedParams("rrdd", 3), Of(ROUND)).evaluate(ROUND)
    with pytest.raises(LimitReachedError) as caught:
        IntendedSolution(IntendedParams("rrdd", 2), Of(ROUND)).evaluate(ROUND)
    assert caught.value.values == (True, 4, None)


def test_more_solutions_than_fit_into_a_number_are_no_count() -> None:
    count = 64
    source = np.repeat(np.arange(count, dtype=np.int32), 2)
    graph = ReachableGraph(
        count + 1, source, source + 1, np.array([count], np.int32), np.arange(count + 1, dtype=np.int32)
    )
    assert Ways(graph, 61).solutions() == [0] * 62, "the goal is further away"
    with pytest.raises(LimitReachedError, match=r"2\*\*62"):
        Ways(graph, count).solutions()
    numbers, wanted = numbered(["a", "b"] * count, ["a", "b"] * (count // 2))
    assert Ways(graph, count).of_actions(numbers, wanted) == comb(64, 32)
