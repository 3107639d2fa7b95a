"""Small state graphs to measure, and the definitions of the measures as plain recursions over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import exp, inf, log2
from typing import Any, TypeAlias

import attrs
from hypothesis import strategies as st

from epcg_core.difficulty import Answer

Actions: TypeAlias = Mapping[str, Any]
"""Where each action leads."""
Left: TypeAlias = "Callable[[Any], tuple[list[str], int]]"
"""What rules leave of a state's actions, and how many are CANNOT."""


@attrs.frozen
class Graph:
    """A transition model from a table: state -> action -> state. States without a line have no actions."""

    table: Mapping[Any, Actions]
    goals: frozenset[Any]

    def initial(self, puzzle: Any) -> Any:
        return puzzle

    def actions(self, state: Any) -> Sequence[str]:
        return list(self.table.get(state, {}))

    def apply(self, state: Any, action: str) -> Any:
        return self.table[state][action]

    def is_goal(self, state: Any) -> bool:
        return state in self.goals

    def key(self, state: Any) -> Any:
        return state


@attrs.frozen
class Unfolded:
    """The tree of a graph's paths: no two states share a key. A state is (state of the graph, path)."""

    graph: Graph

    def initial(self, puzzle: Any) -> tuple[Any, tuple[str, ...]]:
        return puzzle, ()

    def actions(self, state: tuple[Any, tuple[str, ...]]) -> Sequence[str]:
        return self.graph.actions(state[0])

    def apply(self, state: tuple[Any, tuple[str, ...]], action: str) -> tuple[Any, tuple[str, ...]]:
        return self.graph.apply(state[0], action), (*state[1], action)

    def is_goal(self, state: tuple[Any, tuple[str, ...]]) -> bool:
        return self.graph.is_goal(state[0])

    def key(self, state: tuple[Any, tuple[str, ...]]) -> tuple[str, ...]:
        return state[1]


@attrs.frozen
class TableRule:
    """A rule from a table: (state, action) -> answer; UNKNOWN elsewhere."""

    answers: Mapping[tuple[Any, str], Answer]

    def __call__(self, state: Any, action: str) -> Answer:
        return self.answers.get((state, action), Answer.UNKNOWN)


def tree(text: str) -> Graph:
    """A graph in a few lines: 's: u v w' lists the children of s, whose actions have their names.

    States with a capital letter are goals.
    """
    table: dict[str, dict[str, str]] = {}
    names: list[str] = []
    for line in text.split(";"):
        state, _, children = line.partition(":")
        table[state.strip()] = {child: child for child in children.split()}
        names += children.split()
    return Graph(table, frozenset(name for name in names if name.isupper()))


# --- the definitions ---------------------------------------------------------------------------------------


def left_by(graph: Graph, rules: Sequence[TableRule]) -> Left:
    """The merging of answers and what is left, read off the rules file word by word."""

    def left(state: Any) -> tuple[list[str], int]:
        merged = {}
        for action in graph.actions(state):
            told = {rule(state, action) for rule in rules} - {Answer.UNKNOWN}
            merged[action] = Answer.INVALID if len(told) > 1 else told.pop() if told else Answer.UNKNOWN
        must = [action for action, answer in merged.items() if answer == Answer.MUST]
        if len(must) > 1 or Answer.INVALID in merged.values():
            return [], 0
        if must:
            return must, 0
        kept = [action for action, answer in merged.items() if answer == Answer.UNKNOWN]
        return kept, len(merged) - len(kept)

    return left


def defined_muse(graph: Graph, left: Left, state: Any, collapse_zero: bool) -> float:
    if graph.is_goal(state):
        return 0.0
    actions, _ = left(state)
    below = [defined_muse(graph, left, graph.apply(state, a), collapse_zero) for a in actions]
    if not below:
        return inf
    if collapse_zero and all(value == 0 for value in below):
        return 0.0
    return log2(len(below)) + min(below)


def defined_remuse(graph: Graph, left: Left, state: Any) -> float:
    if graph.is_goal(state):
        return 0.0
    actions, _ = left(state)
    below = [defined_remuse(graph, left, graph.apply(state, a)) for a in actions]
    if min(below, default=inf) == inf:
        return inf
    total = sum(exp(-value) for value in below)
    shares = [exp(-value) / total for value in below]
    return min(below) + sum(p * log2(p * len(below)) for p in shares if p > 0)


def defined_adversarial(graph: Graph, left: Left, state: Any) -> tuple[float, bool]:
    if graph.is_goal(state):
        return 0.0, True
    actions, cannot = left(state)
    below = [defined_adversarial(graph, left, graph.apply(state, a)) for a in actions]
    below += [(0.0, False)] * cannot
    if not below:
        return 0.0, False
    most, solved = max(value for value, _ in below), any(on for _, on in below)
    return (most if solved else most + log2(len(below))), solved


def solutions(
    graph: Graph, left: Left, state: Any, policy: Callable[[Any, Sequence[str]], Sequence[float]]
) -> Iterator[tuple[float, tuple[str, ...]]]:
    """(probability, actions) of every single solution."""
    if graph.is_goal(state):
        yield 1.0, ()
        return
    actions, _ = left(state)
    for action, probability in zip(actions, policy(state, actions) if actions else (), strict=True):
        for rest, path in solutions(graph, left, graph.apply(state, action), policy):
            yield probability * rest, (action, *path)


def value_along(
    graph: Graph, left: Left, state: Any, path: Sequence[str], policy: Callable[..., Sequence[float]]
) -> float:
    """The information of one solution: the sum of -log2 of its actions' probabilities."""
    bits = 0.0
    for action in path:
        actions, _ = left(state)
        bits -= log2(policy(state, actions)[actions.index(action)])
        state = graph.apply(state, action)
    assert graph.is_goal(state)
    return bits


# --- random puzzles ----------------------------------------------------------------------------------------


@attrs.frozen
class Puzzle:
    """A graph without cycles, what the player knows, and the state in which the puzzle starts."""

    graph: Graph
    rules: tuple[TableRule, ...]
    start: int


@st.composite
def puzzles(draw: st.DrawFn, rules: int = 2) -> Puzzle:
    """Graphs of up to 9 states with transpositions and parallel actions; every state leads to lower ones."""
    size = draw(st.integers(1, 9))
    table = {}
    for state in range(size):
        children = draw(st.lists(st.integers(0, state - 1), max_size=3)) if state else []
        table[state] = {f"{i}": child for i, child in enumerate(children)}
    goals = draw(st.frozensets(st.integers(0, size - 1), max_size=3))
    answers = st.sampled_from([Answer.UNKNOWN, Answer.UNKNOWN, Answer.CANNOT, Answer.MUST])
    pairs = [(state, action) for state, actions in table.items() for action in actions]
    known = tuple(
        TableRule({pair: draw(answers) for pair in pairs}) for _ in range(draw(st.integers(0, rules)))
    )
    return Puzzle(Graph(table, goals), known, size - 1)


def leaning(state: Any, actions: Sequence[str]) -> Sequence[float]:
    """A policy that prefers later actions: the i-th with a probability proportional to i + 1."""
    total = len(actions) * (len(actions) + 1) / 2
    return [(i + 1) / total for i in range(len(actions))]
