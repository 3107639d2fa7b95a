"""All positions that play can reach, as a graph: as plain play has them, kept for the next reader."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from epcg_core.domain import LimitReachedError
from epcg_core.search.shortest_path import reachable as reaching
from epcg_core.search.shortest_path.reachable import ReachableGraph, reachable_from
from epcg_core.search.shortest_path.solver import shortest_path
from tests.core.search.paths.maze import Maze, PackedMazeModel, PlainModel, mazes, parse

BOX = parse("""
    w.#E
    .b..
    ...o
""")


class Kept(PackedMazeModel):
    """Packed mazes that are taken for one if they are equal."""

    play_identity = "mazes"


def compare(graph: ReachableGraph, maze: Maze) -> None:
    """Compare a graph with plain play."""
    plain, packed = PlainModel(), PackedMazeModel().packed(maze)
    positions = [plain.initial(maze)]
    seen = {plain.key(positions[0])}
    for here in positions:
        number = graph.number(np.asarray(packed.pack(here), np.uint64))
        assert number is not None
        found = shortest_path(plain, maze, start=here)
        length = graph.UNREACHED if found.length is None else found.length
        assert graph.distances[number] == length
        if plain.is_goal(here):
            continue
        for action in plain.actions(here):
            after = plain.apply(here, action)
            if plain.key(after) not in seen:
                seen.add(plain.key(after))
                positions.append(after)
    assert graph.count == len(positions)
    assert graph.lost == sum(graph.distances == graph.UNREACHED)


@given(mazes())
def test_the_graph_is_that_of_plain_play(maze: Maze) -> None:
    compare(reachable_from(PackedMazeModel(), maze, 10**6), maze)


def test_positions_without_a_way_on_are_counted_with_and_without_loops() -> None:
    graph = ReachableGraph(
        4, np.array([0, 1, 1], np.int32), np.array([1, 1, 3], np.int32), np.array([3], np.int32),
        np.array([0, 1, 0, 2], np.int32),
    )  # fmt: skip
    assert (graph.stuck(), graph.stuck(loops=False), graph.lost) == (1, 1, 1)
    looping = ReachableGraph(2, *(np.array(each, np.int32) for each in ([0], [0], [], [0, 0])))
    assert (looping.stuck(), looping.stuck(loops=False)) == (1, 2)


def test_a_position_that_play_does_not_reach_has_no_number() -> None:
    graph = reachable_from(PackedMazeModel(), BOX, 10**6)
    count = graph.count
    assert graph.number(np.full(graph.rows.shape[1], 2**64 - 1, np.uint64)) is None
    assert [graph.number(row) for row in graph.rows] == list(range(count))


def test_a_large_graph_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    first = reachable_from(Kept(), BOX, 10**6)
    monkeypatch.setattr(reaching, "MOST_KEPT", first.count - 1)
    reachable_from(Kept(), parse("wE"), 10)
    second = reachable_from(Kept(), BOX, 10**6)
    assert second is not reachable_from(Kept(), BOX, 10**6)
    assert second.count == first.count


def test_the_next_reader_of_equal_content_gets_the_same_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    made, make = [], reaching.reachable

    def counted(*asked: object) -> ReachableGraph:
        made.append(asked)
        return make(*asked)  # type: ignore[arg-type]

    monkeypatch.setattr(reaching, "reachable", counted)
    first = reachable_from(Kept(), BOX, 10**6)
    assert reachable_from(Kept(), BOX, first.count) is first
    with pytest.raises(LimitReachedError, match=f"more than {first.count - 1}"):
        reachable_from(Kept(), BOX, first.count - 1)
    assert len(made) == 1
    reachable_from(Kept(), parse("wE"), 10)
    for _ in range(2):
        with pytest.raises(LimitReachedError, match="more than 3 positions"):
            reachable_from(Kept(), BOX, 3)
    assert len(made) == 3, "that there are more is known, too"
    assert reachable_from(Kept(), BOX, 10**6).count == first.count
    assert reachable_from(PackedMazeModel(), BOX, 10**6) is not reachable_from(PackedMazeModel(), BOX, 10**6)
