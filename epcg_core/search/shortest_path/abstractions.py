"""Abstractions: what is left of a game if things are forgotten, and what its distances tell of the game's.

An abstraction maps positions to what is left of them. The smaller space has an action from one of these to
another if the game has one between two of their positions, and its goals are what is left of goals. So each
way of the game is one of the smaller space, whose distances are never longer: they are admissible, and
consistent (Culberson & Schaeffer, "Pattern Databases", 1998; Sturtevant & Ota 2018, on the abstractions of
this kind that players make). There are two ways to these distances:

- of a game whose positions are all known, the smaller space is the *image* of their graph (`image`);
- if the model plays a content without the things by itself, that content is searched whole, and the game's
  graph is not needed (`pattern_database`). Whether each action of the game is one of the smaller game, too,
  is the domain's promise; it is checked, for every action that a search looks at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import CheckFailedError, PluginError, UnknownNameError
from epcg_core.domain import TransitionModel
from epcg_core.search.shortest_path.reachable import ReachableGraph, reachable
from epcg_core.search.shortest_path.solver import packed_model

_UNPACKED = 4096


class Whole:
    """All positions that play of a content can reach, and what is left of them without some things."""

    def __init__(self, model: Any, content: Any, limit: int, plain: bool = False) -> None:
        """Explore the positions. Raises LimitReachedError if there are more than `limit`."""
        self._model, self._content = abstracting(model), content
        self._packed = None if plain else packed_model(model, content)
        start = model.initial(content)
        if self._packed is None:
            self.graph = ReachableGraph.by_plain_play(model, [start], limit)
        else:
            self.graph = reachable(self._packed, self._packed.pack(start).reshape(1, -1), limit)

    def classes(self, things: Collection[str]) -> NDArray[np.int64]:
        """Return for each position the number of what is left of it, (count,)."""
        if self._packed is not None and hasattr(self._model, "forget_rows"):
            rows = self._model.forget_rows(self._content, things)(self.graph.rows)
            left = np.ascontiguousarray(rows).view(f"V{8 * rows.shape[1]}").ravel()
            return np.unique(left, return_inverse=True)[1].astype(np.int64)
        image = self._model.forget(self._content, things)
        key = self._model.key if hasattr(self._model, "without") else _itself
        numbers: dict[Hashable, int] = {}
        found = np.empty(self.graph.count, np.int64)
        for place, position in enumerate(self._positions):
            found[place] = numbers.setdefault(key(image(position)), len(numbers))
        return found

    def distances(self, things: Collection[str]) -> NDArray[np.int64]:
        """Return for each position the distance of what is left of it to what is left of a goal, (count,).

        ReachableGraph.UNREACHED if it leads to none; then the position leads to no goal, either.
        """
        classes = self.classes(things)
        return image(self.graph, classes).distances.astype(np.int64)[classes]

    @cached_property
    def _positions(self) -> Sequence[Any]:
        if self._packed is None:
            return self.graph.positions
        many = getattr(self._packed, "unpack_all", None)
        if many is None:
            return list(map(self._packed.unpack, self.graph.rows))
        parts = range(0, self.graph.count, _UNPACKED)
        return [each for start in parts for each in many(self.graph.rows[start : start + _UNPACKED])]


def image(graph: ReachableGraph, classes: NDArray[np.int64]) -> ReachableGraph:
    """Return the graph of classes of positions: its edges and goals are those of their positions.

    Args:
        graph: the graph of the positions.
        classes: (count,) the number of the class of each position, from 0.
    """
    count = int(classes.max()) + 1
    edges = np.unique(classes[graph.source] * count + classes[graph.target])
    return ReachableGraph(
        count,
        (edges // count).astype(np.int32),
        (edges % count).astype(np.int32),
        np.unique(classes[graph.won]).astype(np.int32),
        np.zeros(count, np.int32),
    )


class PatternDatabase:
    """The distances of a content without some things, as a heuristic of the whole one.

    A position from which the smaller game cannot be won gets a distance beyond all others: it cannot be won.
    """

    def __init__(self, model: Any, content: Any, things: Collection[str], limit: int) -> None:
        """Search the smaller game whole.

        Raises:
            PluginError: if the model does not play it.
            UnknownNameError: if there is no such thing.
            LimitReachedError: if it has more than `limit` positions.
        """
        self.things = tuple(things)
        self._model = abstracting(model)
        check_things(self._model, content, things)
        if not hasattr(self._model, "without"):
            raise PluginError(
                f"{type(model).__name__} does not play a content without some things: it has no `without`."
            )
        self._image = self._model.forget(content, things)
        smaller = self._model.without(content, things)
        graph = ReachableGraph.by_plain_play(model, [self._image(model.initial(content))], limit, beyond=True)
        self._beyond = graph.count + 1
        distances = graph.distances.tolist()
        self._distances = {
            model.key(position): self._beyond if distance == graph.UNREACHED else distance
            for position, distance in zip(graph.positions, distances, strict=True)
        }
        if model.key(model.initial(smaller)) not in self._distances:
            raise CheckFailedError(
                f"Without {_named(things)}, {type(model).__name__} plays from another position than the one "
                "that is left of the first."
            )

    def __len__(self) -> int:
        """Return the number of positions of the smaller game."""
        return len(self._distances)

    def __call__(self, position: Any) -> int:
        """Return a number of actions that a position still needs at least.

        Raises CheckFailedError for one that the smaller game does not have: the abstraction is none.
        """
        found = self._distances.get(self._model.key(self._image(position)))
        if found is None:
            raise CheckFailedError(
                f"Without {_named(self.things)}, what is left of a position cannot be reached: an action of "
                "the game is none of the smaller one. Correct `forget` or `without`."
            )
        if found and self._model.is_goal(position):
            raise CheckFailedError(f"Without {_named(self.things)}, what is left of a goal is none.")
        return found


class Best:
    """The best of several pattern databases: their maximum, which is as admissible as each."""

    consistent = True
    """Searches check each action that they follow: it shortens no distance by more than one."""

    def __init__(self, databases: Sequence[PatternDatabase]) -> None:
        self.databases = tuple(databases)

    def __call__(self, position: Any) -> int:
        """Return a number of actions that a position still needs at least."""
        return max((each(position) for each in self.databases), default=0)


def pattern_database(
    model: Any, content: Any, patterns: Sequence[Collection[str]], limit: int = 1_000_000
) -> Callable[[Any], int]:
    """Return an admissible heuristic of a content for `shortest_path`: the best of several abstractions.

    Args:
        model: a transition model that plays contents `without` things.
        content: the content.
        patterns: the things that are forgotten, for each abstraction.
        limit: positions of a smaller game, at most.

    Raises:
        PluginError: if the model does not play smaller contents.
        UnknownNameError: if there is no such thing.
        LimitReachedError: if a smaller game has more positions.
    """
    return Best([PatternDatabase(model, content, things, limit) for things in patterns])


def check_whole(
    model: TransitionModel[Any, Any], heuristic: Callable[[Any], int], content: Any, limit: int
) -> None:
    """Check that a heuristic is consistent and admissible at every position of a content, by plain play.

    Raises CheckFailedError, which names an action, and LimitReachedError if there are more positions.
    """
    graph = ReachableGraph.by_plain_play(model, [model.initial(content)], limit)
    told = np.array([heuristic(position) for position in graph.positions], np.int64)
    wrong = np.flatnonzero(told[graph.source] > told[graph.target] + 1)
    if len(wrong):
        edge = int(wrong[0])
        raise CheckFailedError(
            f"The action '{graph.texts[edge]}' shortens the distance from {told[graph.source[edge]]} to "
            f"{told[graph.target[edge]]}: it is none of the smaller game. Correct `forget` or `without`."
        )
    known = graph.distances != graph.UNREACHED
    if (told[known] > graph.distances[known]).any():
        raise CheckFailedError("A distance of the smaller game is longer than that of the game.")


def abstracting(model: Any) -> Any:
    """Return a model that can forget things. Raises PluginError if it cannot."""
    if not (hasattr(model, "things") and hasattr(model, "forget")):
        raise PluginError(
            f"{type(model).__name__} says nothing of what can be forgotten: it has no `things` and `forget` "
            "(see Abstracting)."
        )
    return model


def check_things(model: Any, content: Any, things: Collection[str]) -> None:
    """Raise UnknownNameError if a content has no such thing to forget."""
    known = list(model.things(content))
    for name in things:
        if name not in known:
            raise UnknownNameError("thing", name, known)


def _named(things: Collection[str]) -> str:
    return " and ".join(things) or "anything"


def _itself(left: Hashable) -> Hashable:
    return left


def lost(whole: Whole, things: Sequence[str]) -> Mapping[str, int]:
    """Return for each thing how many moves of the first position's distance are lost without it."""
    moves = int(whole.graph.distances[0])
    return {name: moves - int(whole.distances([name])[0]) for name in things}
