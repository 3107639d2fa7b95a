"""Graphs of ranks: edges that lead both ways, and the same edges by arrays as by play."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from epcg_core.inside import actions_of
from epcg_core.plugin import RankError
from epcg_testing.positions import first_position
from epcg_testing.report import Laws, offering
from epcg_testing.snapshot import snapshot
from epcg_testing.subject import Space, Subject
from epcg_testing.violations import Case, Cases, Skip, require

LAWS = Laws()

_RANKS = 24
"""Ranks whose neighbours are looked at."""


def _two_ways(subject: Subject) -> Iterator[Space | Skip]:
    for space in subject.spaces:
        model = getattr(space.generator, "transition_model", None)
        back = getattr(model, "reversible", False) or hasattr(model, "predecessors")
        if space.offers("ranked_graph") or (back and space.offers("rank")):
            yield space
        else:
            yield Skip(space.where, "neither a graph nor a model says how to go back")


@LAWS.listed(
    "graphs-lead-back",
    "edges of what calls itself reversible lead both ways, and predecessors lead to what they precede",
    "a direction is missing, or `reversible` is wrong: say reversible = False and offer predecessors.",
    _two_ways,
)
def graphs_lead_back(space: Space) -> Cases:
    if space.offers("ranked_graph"):
        yield Case(f"{space.where}, its ranked_graph", partial(_graph, space), space.few(_RANKS))
    model = getattr(space.generator, "transition_model", None)
    back = getattr(model, "reversible", False) or hasattr(model, "predecessors")
    if back and space.offers("rank"):
        yield Case(f"{space.where}, its model", partial(_model, space), space.few(_RANKS))


def _neighbours(graph: Any, rank: int) -> list[int]:
    found = graph.successor_ranks(np.array([rank], np.int64))[0]
    return sorted({int(other) for other in found if other >= 0})


def _graph(space: Space, rank: int) -> None:
    graph = space.generator.ranked_graph
    after = _neighbours(graph, rank)
    if graph.reversible:
        dead = [other for other in after if rank not in _neighbours(graph, other)]
        require("ranks that it leads to and that do not lead back", [], dead)
    if not hasattr(graph, "predecessor_ranks"):
        return

    def before(other: int) -> list[int]:
        found = graph.predecessor_ranks(np.array([other], np.int64))[0]
        return sorted({int(one) for one in found if one >= 0})

    lost = [other for other in after if rank not in before(other)]
    require("ranks that it leads to and whose predecessor it is not", [], lost)
    wrong = [other for other in before(rank) if rank not in _neighbours(graph, other)]
    require("predecessors that do not lead to it", [], wrong)


def _played(space: Space, rank: int) -> tuple[Any, list[Any]]:
    """Return the position of a rank, and those after one action."""
    model = space.generator.transition_model
    state = first_position(model, space.unrank(rank))
    return state, [model.apply(state, action) for action in actions_of(model, state)]


def _model(space: Space, rank: int) -> None:
    model = space.generator.transition_model
    state, after = _played(space, rank)
    key = snapshot(model.key(state))
    for other in after:
        if hasattr(model, "predecessors"):
            found = [snapshot(model.key(one)) for one in model.predecessors(other)]
            require(f"whether it is among the predecessors of {snapshot(other)}", True, key in found)
        if getattr(model, "reversible", False) and not model.is_goal(other):
            found = [snapshot(model.key(model.apply(other, action))) for action in model.actions(other)]
            require(f"whether {snapshot(other)} leads back to it", True, key in found)


@LAWS.ranked(
    "ranked-graphs-equal-play",
    "a ranked graph has the edges of the transition model",
    "compare successor_ranks with the ranks of the states after each action.",
    offering("ranked_graph", "transition_model", "rank"),
    _RANKS,
)
def ranked_graphs_equal_play(space: Space, rank: int) -> None:
    state, after = _played(space, rank)
    if space.generator.transition_model.is_goal(state):
        return  # play ends there, and a graph need not
    expected = sorted({int(space.generator.rank(state)) for state in after})
    require("the ranks after one action", expected, _neighbours(space.generator.ranked_graph, rank))


@LAWS.ranked(
    "position-graphs-equal-play",
    "a position graph has the goals and the edges of the transition model, and can be followed back",
    "compare `positions`, `ranks`, `goals`, `successors` and `predecessors` with the rules of play.",
    offering("position_graph", "transition_model", "rank"),
    _RANKS,
)
def position_graphs_equal_play(space: Space, rank: int) -> None:
    graph, model = space.generator.position_graph, space.generator.transition_model
    rows = graph.positions(np.array([rank], np.int64))
    require("the rank of its position", [rank], graph.ranks(rows).tolist())
    state, played = _played(space, rank)
    goal = bool(model.is_goal(state))
    require("whether it is a goal", goal, bool(graph.goals(rows)[0]))
    after = graph.successors(rows)[0]
    if not goal:  # play ends there, and a graph need not
        expected = sorted(_rank_or_none(space, other) for other in _once(model, played))
        found = np.unique(after, axis=0)
        require("the ranks after one action", expected, sorted(graph.ranks(found).tolist()))
    back = graph.successors if graph.reversible else graph.predecessors
    dead = [other for other in after if rows[0].tolist() not in back(other[None])[0].tolist()]
    require("positions that it leads to and that do not lead back", [], [other.tolist() for other in dead])


@LAWS.ranked(
    "closed-graphs-equal-play",
    "a closed graph has the goals and the edges of the transition model, each rank in one of its parts",
    "compare what `parts` yields for a rank with the rules of play: its `ranked`, `goals` and `edges`.",
    offering("closed_graph", "transition_model", "rank"),
    _RANKS,
)
def closed_graphs_equal_play(space: Space, rank: int) -> None:
    model = space.generator.transition_model
    parts = [part for part in space.generator.closed_graph.parts(rank, 1) if rank in part.ranks]
    require("the number of parts that have it", 1, len(parts))
    part = parts[0]
    known = dict(zip(part.ranked.tolist(), part.ranks.tolist(), strict=True))
    (own,) = (position for position, other in known.items() if other == rank)
    state, played = _played(space, rank)
    goal = bool(model.is_goal(state))
    require("whether it is a goal", goal, own in part.goals)
    if not goal:  # play ends there, and a graph need not
        expected = sorted(_rank_or_none(space, other) for other in _once(model, played))
        near = part.edges[(part.edges == own).any(axis=1)]
        found = sorted(known.get(other, -1) for other in near[near != own].tolist())
        require("the ranks after one action", expected, found)


def _once(model: Any, states: list[Any]) -> list[Any]:
    return list({model.key(state): state for state in states}.values())


def _rank_or_none(space: Space, state: Any) -> int:
    """Return the rank of a position; -1 if it is not a state of the space."""
    try:
        return int(space.generator.rank(state))
    except RankError:
        return -1
