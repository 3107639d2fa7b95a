"""The common walk: deep puzzles, cycles, limits."""

from __future__ import annotations

import pickle
from itertools import pairwise
from math import inf, log2
from typing import Any

import pytest
from hypothesis import given, strategies as st

from epcg_core.base.errors import EpcgError
from epcg_core.difficulty import (
    CyclicGraphError,
    Difficulty,
    StateSpace,
    adversarial,
    msi,
    muse,
    remuse,
    tsi,
)
from epcg_core.domain import LimitReachedError
from tests.core.difficulty.graphs import Graph, leaning, solutions


class Chain:
    """From 0 up to `deep`, the goal; every third number has a dead end beside it."""

    def __init__(self, deep: int) -> None:
        self.deep = deep

    def initial(self, puzzle: int) -> int:
        return puzzle

    def actions(self, state: int) -> list[int]:
        return [] if state < 0 else [1, -self.deep - 1] if state % 3 == 0 else [1]

    def apply(self, state: int, action: int) -> int:
        return max(-1, state + action)

    def is_goal(self, state: int) -> bool:
        return state == self.deep

    def key(self, state: int) -> int:
        return state


@pytest.mark.parametrize(
    ("deep", "bits"), [(10_000, 3_334.0), pytest.param(100_000, 33_334.0, marks=pytest.mark.slow)]
)
def test_a_long_chain_of_states(deep: int, bits: float) -> None:
    """Every third state has a choice between going on and the one dead end: a bit each."""
    space = StateSpace(Chain(deep), 0)
    path = (1,) * deep
    for measure in (muse, remuse, msi, tsi):
        assert measure(space) == Difficulty(bits, deep + 2, path)
    assert muse(space, collapse_zero=True).value == bits
    assert adversarial(space).value == 0.0


RING = Graph({i: {"-": (i - 1) % 7, "+": (i + 1) % 7} for i in range(7)}, frozenset([0]))
"""Seven states in a circle, both ways open; 0 is the goal."""


def test_muse_and_msi_are_shortest_paths_where_states_recur() -> None:
    assert muse(StateSpace(RING, 2)).value == 2.0
    assert muse(StateSpace(RING, 2)).path == ("-", "-")
    assert msi(StateSpace(RING, 3)).path == ("-", "-", "-")
    assert msi(StateSpace(RING, 5)).path == ("+", "+")
    # "leaning" goes up with 2/3: from 3, four steps up cost less than three down.
    found = msi(StateSpace(RING, 3), leaning)
    assert found.path == ("+",) * 4
    assert found.value == pytest.approx(4 * log2(3 / 2), abs=1e-12)


def test_dijkstra_expands_only_what_is_nearer_than_the_goal() -> None:
    """An endless line of numbers: depth-first search alone would not come back."""

    class Line:
        def initial(self, puzzle: int) -> int:
            return puzzle

        def actions(self, state: int) -> list[int]:
            return [-1, 1]

        def apply(self, state: int, action: int) -> int:
            return state + action

        def is_goal(self, state: int) -> bool:
            return state == 4

        def key(self, state: int) -> int:
            return state

    found = muse(StateSpace(Line(), 0))
    assert (found.value, found.path) == (4.0, (1, 1, 1, 1))
    assert found.states <= 9


def test_no_goal_in_a_circle() -> None:
    lost = Graph(RING.table, frozenset())
    assert muse(StateSpace(lost, 2)) == Difficulty(inf, 7, ())
    assert msi(StateSpace(lost, 2)) == Difficulty(inf, 7, ())


@pytest.mark.parametrize(
    ("measure", "name"), [(remuse, "ReMUSE"), (adversarial, "adversarial entropy"), (tsi, "TSI")]
)
def test_other_measures_need_a_depth_limit_there(measure: Any, name: str) -> None:
    with pytest.raises(CyclicGraphError, match=f"{name} is not defined .* set depth_limit") as error:
        measure(StateSpace(RING, 2))
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


def test_so_does_the_zero_collapse() -> None:
    with pytest.raises(CyclicGraphError, match="MUSE with collapse_zero"):
        muse(StateSpace(RING, 2), collapse_zero=True)


def test_with_a_depth_limit_all_are_defined() -> None:
    """From 1 with 3 actions: '-', or '+ - -': 1/2 + 1/8 = 5/8. The tree to depth 3 holds the states 1; 0, 2;
    1, 3; and 0 (a goal), 2, 4 (cut off), told apart by their depth.
    """
    space = StateSpace(RING, 1, depth_limit=3)
    assert tsi(space).value == pytest.approx(-log2(5 / 8), abs=1e-15)
    assert len(space) == 1 + 2 + 2 + 3
    assert muse(space) == Difficulty(1.0, 8, ("-",))
    assert adversarial(space).value == 1.0  # 3 at depth 2 leads to 2 and 4, both cut off
    assert remuse(space).path == ("-",)
    assert muse(StateSpace(RING, 3, depth_limit=2)).value == inf


def test_a_loop_at_one_state_is_a_cycle() -> None:
    graph = Graph({"s": {"stay": "s", "go": "G"}}, frozenset("G"))
    assert muse(StateSpace(graph, "s")) == Difficulty(1.0, 2, ("go",))
    with pytest.raises(CyclicGraphError):
        tsi(StateSpace(graph, "s"))
    # With k actions, TSI is -log2(1 - 2^-k).
    assert tsi(StateSpace(graph, "s", depth_limit=5)).value == pytest.approx(-log2(31 / 32), abs=1e-15)


def test_states_that_are_reached_twice_without_a_cycle_are_no_cycle() -> None:
    """A diamond in which every way leads down."""
    table = {i: {"one": i + 1, "two": i + 2} for i in range(40)}
    graph = Graph(table, frozenset([40]))
    assert len(StateSpace(graph, 0).acyclic_order("TSI")) == 42
    assert tsi(StateSpace(graph, 0)).value == pytest.approx(-log2(2 / 3), abs=1e-9)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Any graph of up to 7 states, most of them with cycles."""
    size = draw(st.integers(1, 7))
    children = st.lists(st.integers(0, size - 1), max_size=3)
    table = {s: {str(i): child for i, child in enumerate(draw(children))} for s in range(size)}
    return Graph(table, draw(st.frozensets(st.integers(0, size - 1), max_size=2)))


def has_cycle(graph: Graph) -> bool:
    """Whether a state that can be reached from 0, goals being ends, can be reached again from itself."""

    def reached(start: int) -> set[int]:
        found: set[int] = set()
        queue = [start]
        while queue:
            state = queue.pop()
            for child in () if graph.is_goal(state) else graph.table[state].values():
                if child not in found:
                    found.add(child)
                    queue.append(child)
        return found

    return any(state in reached(state) for state in reached(0) | {0})


@given(graphs())
def test_cycles_are_detected_and_orders_put_children_first(graph: Graph) -> None:
    space = StateSpace(graph, 0)
    order = space.post_order()
    assert (order is None) == has_cycle(graph)
    if order is not None:
        place = {state: i for i, state in enumerate(order)}
        assert len(place) == len(space)
        assert all(place[child] < place[state] for state in place for child in space.children[state])


@given(graphs())
def test_the_shortest_path_is_the_best_solution_of_limited_length(graph: Graph) -> None:
    """No shortest path repeats a state, so with 7 states those of 6 actions are enough."""
    free = msi(StateSpace(graph, 0), leaning)
    limited = msi(StateSpace(graph, 0, depth_limit=7), leaning)
    assert free.value == pytest.approx(limited.value, abs=1e-12)
    if free.value < inf:
        states = [0]
        for action in free.path:
            states.append(graph.apply(states[-1], action))
        assert graph.is_goal(states[-1])
        assert all(a != b for a, b in pairwise(states))


def test_too_many_states() -> None:
    assert len(StateSpace(RING, 3, limit=7).states) == 1
    with pytest.raises(LimitReachedError):
        muse(StateSpace(Chain(10_000), 0, limit=1000))
    assert muse(StateSpace(Chain(10_000), 0, limit=10_002)).value == 3_334.0


@pytest.mark.parametrize("bounds", [{"limit": 0}, {"depth_limit": -1}])
def test_senseless_limits_are_refused(bounds: dict[str, Any]) -> None:
    with pytest.raises(EpcgError, match="must be 1 or more"):
        StateSpace(RING, 3, **bounds)


def test_solutions_listed_for_the_line_of_halves() -> None:
    """The helper that lists solutions, on a graph whose solutions are known: 1/2, 1/4, 1/8."""
    graph = Graph({0: {"G": "G", "on": 1}, 1: {"G": "G", "on": 2}, 2: {"G": "G", "on": 3}}, frozenset("G"))
    halves = solutions(graph, lambda s: (list(graph.actions(s)), 0), 0, lambda s, a: [0.5] * len(a))
    assert [p for p, _ in halves] == [0.5, 0.25, 0.125]
