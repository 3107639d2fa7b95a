"""Shortest solutions: the order of the search, its limit, and its three forms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from epcg_core.base.errors import EpcgError
from epcg_core.domain import TransitionModel
from epcg_core.search.shortest_path.positions import PositionTable
from epcg_core.search.shortest_path.solver import PathResult, shortest_path
from tests.core.search.paths.maze import Maze, PackedMaze, PackedMazeModel, PlainModel, Position, mazes, parse
from tests.sweeps import most

BOX = parse("""
    w.#E
    .b..
    ...o
""")


def distance(state: Position) -> int:
    """The steps to the exit if nothing were in the way."""
    width = state.maze.width
    return sum(
        abs(a - b) for a, b in zip(divmod(state.walker, width), divmod(state.maze.exit, width), strict=True)
    )


def played(maze: Maze, actions: tuple[str, ...]) -> bool:
    """Whether the actions lead to the exit, and not before the last."""
    model = PlainModel()
    state = model.initial(maze)
    for action in actions:
        assert not model.is_goal(state)
        assert action in set(model.actions(state))
        state = model.apply(state, action)
    return model.is_goal(state)


@pytest.mark.parametrize("model", [PlainModel(), PackedMazeModel()])
def test_a_small_maze(model: PlainModel) -> None:
    found = shortest_path(model, BOX)
    assert found.actions == ("right", "down", "right", "right", "up")
    assert (found.length, found.limit_reached, found.exhausted) == (5, False, False)
    assert played(BOX, found.actions)


@pytest.mark.parametrize("model", [PlainModel(), PackedMazeModel()])
def test_the_limit_is_on_expansions(model: PlainModel) -> None:
    whole = shortest_path(model, BOX)
    assert shortest_path(model, BOX, whole.expansions) == whole
    for limit in (0, 1, whole.expansions - 1):
        found = shortest_path(model, BOX, limit)
        assert (found.length, found.actions) == (None, ())
        assert (found.expansions, found.limit_reached, found.exhausted) == (limit + 1, True, False)


@pytest.mark.parametrize("model", [PlainModel(), PackedMazeModel()])
def test_a_first_state_that_is_solved_takes_no_expansion(model: PlainModel) -> None:
    solved = Maze(2, "....", walker=1, exit=1)
    assert shortest_path(model, solved, 0) == PathResult(0, (), 0, False, 1)


@pytest.mark.parametrize("model", [PlainModel(), PackedMazeModel()])
def test_a_maze_without_a_solution_is_searched_to_its_end(model: PlainModel) -> None:
    closed = parse("w.#E ..## ....")
    found = shortest_path(model, closed)
    # the eight cells that can be reached
    assert (found.length, found.expansions, found.states, found.exhausted) == (None, 8, 8, True)
    at_its_end = shortest_path(model, closed, 8)
    assert at_its_end.exhausted
    assert shortest_path(model, closed, 7).limit_reached


def test_a_packed_search_ends_when_a_goal_joins_the_queue() -> None:
    """The first step finds the exit; the other position that it finds is counted, but not expanded."""
    packed = PackedMaze(parse("Ew......."))

    class Model(PackedMazeModel):
        def packed(self, content: Maze) -> PackedMaze:
            return packed

    found = shortest_path(Model(), packed.maze)
    assert (found.length, found.expansions, packed.expanded) == (1, 2, 1)
    assert shortest_path(Model(), packed.maze, 2).length == 1
    assert shortest_path(Model(), packed.maze, 1).limit_reached


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(EpcgError, match=r"^limit must be 0 or more expansions, not -1\.$"):
        shortest_path(PlainModel(), BOX, -1)


@given(mazes(), st.integers(0, 200))
def test_packed_and_plain_searches_agree(maze: Maze, limit: int) -> None:
    table = PositionTable(2)
    for bound in (limit, 10_000, limit):  # the same table, with the memory of other searches
        plain = shortest_path(PlainModel(), maze, bound)
        packed = shortest_path(PackedMazeModel(), maze, bound, table=table)
        assert packed.actions == plain.actions
        assert (packed.length, packed.expansions) == (plain.length, plain.expansions)
        assert (packed.limit_reached, packed.exhausted) == (plain.limit_reached, plain.exhausted)


def misled(state: Position) -> int:
    """Admissible, and not consistent: a step can lower it by more than one."""
    return distance(state) * (state.walker % 2)


def nothing(state: Position) -> int:
    return 0


@pytest.mark.sweep
@pytest.mark.parametrize("heuristic", [distance, nothing, misled], ids=lambda function: function.__name__)
@settings(max_examples=most(60))
@given(maze=mazes())
def test_a_star_finds_solutions_of_the_same_length(heuristic: Callable[[Position], int], maze: Maze) -> None:
    blind = shortest_path(PlainModel(), maze)
    found = shortest_path(PlainModel(), maze, heuristic=heuristic)
    assert found.length == blind.length
    assert found.exhausted == blind.exhausted
    assert found.length is None or played(maze, found.actions)
    assert found == shortest_path(PackedMazeModel(), maze, heuristic=heuristic)


def test_a_consistent_heuristic_expands_no_state_twice_and_fewer_states() -> None:
    field = parse("w....... ........ ........ ........ .......E")
    blind, found = shortest_path(PlainModel(), field), shortest_path(PlainModel(), field, heuristic=distance)
    assert (blind.length, blind.expansions) == (11, 39)
    assert (found.length, found.expansions) == (11, 11)
    closed = parse("w....... ........ ........ ......## ......#E")
    assert shortest_path(PlainModel(), closed, heuristic=distance).expansions == 36


# --- the table --------------------------------------------------------------------------------------------


@pytest.mark.sweep
@pytest.mark.parametrize("words", [1, 2, 4])
@settings(max_examples=most(40))
@given(
    seed=st.integers(0, 2**32), sizes=st.lists(st.integers(0, 4000), max_size=6), kinds=st.integers(1, 9000)
)
def test_numbers_are_those_of_a_dictionary(words: int, seed: int, sizes: list[int], kinds: int) -> None:
    random = np.random.default_rng(seed)
    table = PositionTable(words)
    for _ in range(2):
        known: dict[bytes, int] = {}
        for size in sizes:
            rows = random.integers(0, kinds, (size, words), np.uint64)
            rows[:, :-1] = 0  # words that differ in a few low bits, as those of positions do
            expected = [known.setdefault(row.tobytes(), len(known)) for row in rows]
            assert table.add(rows).tolist() == expected
        assert table.count == len(known)
        assert table.rows(0, table.count).tobytes() == b"".join(known)
        half = table.count // 2
        rest = table.rows(half, table.count)
        table.truncate(half)
        assert table.add(rest).tolist() == list(range(half, half + len(rest)))
        table.clear()
        assert table.count == 0


def filled(words: int, count: int) -> PositionTable:
    table = PositionTable(words)
    for start in range(0, count, 16_384):
        rows = np.zeros((min(16_384, count - start), words), np.uint64)
        rows[:, 0] = np.arange(start, start + len(rows))
        table.add(rows)
    return table


def test_a_position_of_four_words_takes_at_most_64_bytes() -> None:
    """With four bytes for its parent and one for the action, and what stands ready for more."""
    for count in (150_000, 400_000, 900_000, 1_500_000):
        table = filled(4, count)
        assert table.count == count
        assert table.nbytes / count + 5 * 5 / 4 <= 64


def test_memory_is_kept_between_searches() -> None:
    table = filled(2, 300_000)
    before = table.nbytes
    table.clear()
    rows: NDArray[np.uint64] = np.arange(200_000, dtype=np.uint64).reshape(-1, 2)
    assert table.add(rows).tolist() == list(range(100_000))
    assert table.nbytes == before


def test_the_models_are_models() -> None:
    model: TransitionModel[Position, str] = PackedMazeModel()
    packed = PackedMazeModel().packed(BOX)
    state = model.initial(BOX)
    assert packed.unpack(packed.pack(state)) == state
