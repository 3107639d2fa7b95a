"""Play of a content at an editor: positions, gestures, solutions and moves after which nothing can be won."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core.base.errors import PLUGIN_EXCEPTIONS, QueryError
from epcg_core.domain import LimitReachedError, actions_of, words_of
from epcg_core.domain.editing import Gesture, Scene
from epcg_core.editing.editing import MOST_EXPANSIONS, Document
from epcg_core.plugins.registry import registry
from epcg_core.search.shortest_path.solver import PathResult, shortest_path

if TYPE_CHECKING:
    from epcg_core.search.shortest_path.reachable import ReachableGraph

_MOST_POSITIONS = 50_000
"""Positions that a search of a solution depth first looks at, at most."""
_WEIGHED = 2_000
"""The same if a person waits for the answer."""
_MOST_KEPT = 50_000
"""Positions of a content that are kept with what is known of each: all of them, or none."""


@attrs.frozen
class Step:
    """An action of a position."""

    gesture: Gesture
    text: str
    """A sentence of what it does."""
    action: str
    """The action as the model writes it."""


@attrs.frozen
class PlayPosition:
    """A position of play."""

    scene: Scene
    steps: tuple[Step, ...]
    """The actions, in the model's order; none at a goal."""
    solved: bool


@attrs.frozen
class Solvability:
    """Whether a position can be solved, as far as it is known."""

    actions: tuple[Any, ...] | None
    """A solution; None if none was found."""
    is_shortest: bool
    """Whether it is proven that no solution is shorter."""
    is_proven: bool
    """Whether it is proven that there is none."""
    positions: int
    """Positions that the last search looked at."""

    @classmethod
    def of(cls, found: PathResult) -> Solvability:
        """Return what a search of a shortest solution tells."""
        is_solved = found.length is not None
        return cls(found.actions if is_solved else None, is_solved, found.exhausted, found.expansions)


class Play:
    """Play of a content, from its start by the numbers of the actions taken."""

    def __init__(self, document: Document, taken: Sequence[int] = ()) -> None:
        """Take actions from the start. Raises QueryError if a number is not one of an action."""
        self._document, self._model = document, document.model
        self._content = document.editor.content
        with registry().attribute_errors_to(document.info):
            self.state = self._model.initial(self._content)
            for number in taken:
                actions = self._actions()
                if not 0 <= number < len(actions):
                    raise QueryError(f"There is no action {number} here: there are {len(actions)}.")
                self.state = self._model.apply(self.state, actions[number])

    def position(self) -> PlayPosition:
        """Return how the position looks, and what can be done in it."""
        with registry().attribute_errors_to(self._document.info):
            editor: Any = self._document.editor
            drawn = getattr(editor, "position_scene", None)
            scene = self._document.scene if drawn is None else drawn(self._content, self.state)
            steps = tuple(step_of(self._document, self.state, action) for action in self._actions())
            return PlayPosition(scene, steps, bool(self._model.is_goal(self.state)))

    def solve(self, limit: int = MOST_EXPANSIONS) -> PathResult:
        """Search a shortest solution from the position, or ask the model for one if it finds them itself."""
        if hasattr(self._model, "solution"):
            return self._asked(self.state)
        with registry().attribute_errors_to(self._document.info):
            return shortest_path(self._model, self._content, limit, start=self.state)

    def solvability(self, limit: int = MOST_EXPANSIONS) -> Solvability:
        """Find out whether the position can be solved, for a person who waits.

        If the model says which actions a player weighs, a solution is first searched depth first, and few
        positions are expanded by the search of a shortest one, because there are very many of them (pieces
        that fill a board).
        """
        if hasattr(self._model, "solution"):
            return attrs.evolve(Solvability.of(self._asked(self.state)), is_shortest=False)
        if hasattr(self._model, "choose"):
            with registry().attribute_errors_to(self._document.info):
                actions = _depth_first(self._model, self.state, _WEIGHED)
            if actions is not None:
                return Solvability(tuple(actions), not actions, False, len(actions) + 1)
            limit = min(limit, _WEIGHED)
        return Solvability.of(self.solve(limit))

    def _asked(self, state: Any) -> PathResult:
        """Ask the model for a solution; its length is that of the one that it knows."""
        with registry().attribute_errors_to(self._document.info):
            try:
                found = self._model.solution(state)
            except LimitReachedError:
                return PathResult(None, (), 0, True, 0)
        return PathResult(None if found is None else len(found), tuple(found or ()), 0, False, 0)

    def reason(self) -> str:
        """Return why the first action of a solution is right, in words; '' if the model does not say."""
        if not hasattr(self._model, "reason"):
            return ""
        with registry().attribute_errors_to(self._document.info):
            return str(self._model.reason(self.state))

    def numbers(self, actions: Sequence[Any]) -> list[int]:
        """Return the numbers of actions that follow from the position."""
        state, numbers = self.state, []
        for action in actions:
            numbers.append(list(self._model.actions(state)).index(action))
            state = self._model.apply(state, action)
        return numbers

    def texts(self, actions: Sequence[Any]) -> list[str]:
        """Return the sentences of actions that follow from the position."""
        state, texts = self.state, []
        with registry().attribute_errors_to(self._document.info):
            for action in actions:
                texts.append(step_of(self._document, state, action).text)
                state = self._model.apply(state, action)
        return texts

    def dead(self, limit: int = MOST_EXPANSIONS) -> list[bool | None]:
        """Return for each action whether nothing can be won after it; None if that is not known."""
        graph = self._reachable(min(limit, _MOST_KEPT))
        packed = None if graph is None else self._model.packed(self._content)
        verdicts: list[bool | None] = []
        for action in self._actions():
            after = self._model.apply(self.state, action)
            number = None if graph is None or packed is None else graph.number(packed.pack(after))
            if graph is not None and number is not None:
                verdicts.append(bool(graph.distances[number] == graph.UNREACHED))
                continue
            if hasattr(self._model, "solution"):
                found = self._asked(after)
            else:
                found = shortest_path(self._model, self._content, limit, start=after)
            verdicts.append(None if found.limit_reached else found.length is None)
        return verdicts

    def _reachable(self, limit: int) -> ReachableGraph | None:
        """Return all positions of the content, kept from one move to the next; None if that is too much."""
        needed, solves = ("packed", "play_identity"), hasattr(self._model, "solution")
        if solves or not all(hasattr(self._model, name) for name in needed):
            return None
        from epcg_core.search.shortest_path.reachable import reachable_from

        try:
            return reachable_from(self._model, self._content, limit)
        except PLUGIN_EXCEPTIONS:  # there are more, or one of them cannot be played on
            return None

    def _actions(self) -> list[Any]:
        return actions_of(self._model, self.state)


def written(document: Document, taken: Sequence[int]) -> str:
    """Write actions by their numbers as the text of a solution. Raises QueryError as `Play` does."""
    model, texts = document.model, []
    for at, number in enumerate(taken):
        state = Play(document, taken[:at]).state
        texts.append(words_of(model)(actions_of(model, state)[number]))
    return ", ".join(texts)


def step_of(document: Document, state: Any, action: Any) -> Step:
    """Return how a person makes an action of a position."""
    return step_maker(document)(state, action)


def step_maker(document: Document) -> Callable[[Any, Any], Step]:
    """Return the function from (position, action) to how a person makes the action, for many of a content."""
    words_for, content = words_of(document.model), document.editor.content
    make = getattr(document.editor, "gesture", None)

    def step(state: Any, action: Any) -> Step:
        words = words_for(action)
        gesture = Gesture(text=words) if make is None else make(content, state, action)
        return Step(gesture, gesture.text or words, words)

    return step


def solution_steps(document: Document, recorded: Sequence[Any] = ()) -> list[Step] | None:
    """Return a solution as steps: the recorded one if its texts name actions of the model.

    None if none is found within a limit. Raises EpcgError if the content cannot be played.
    """
    model, steps = document.model, []
    with registry().attribute_errors_to(document.info):
        actions = solution_actions(document, recorded)
        state = model.initial(document.editor.content)
        for action in actions or ():
            steps.append(step_of(document, state, action))
            state = model.apply(state, action)
        return steps if model.is_goal(state) else None


def solution_actions(document: Document, recorded: Sequence[Any]) -> list[Any] | None:
    """Return the actions of a solution; None if none is found within a limit.

    The recorded solution if its texts name actions of the model; otherwise one that is found depth first, if
    the model says which actions a player weighs, or else a shortest one.
    """
    model = document.model
    start = model.initial(document.editor.content)
    found = _named(model, start, recorded) if recorded else None
    if found is None and hasattr(model, "solution"):
        with suppress(LimitReachedError):
            known = model.solution(start)
            return None if known is None else list(known)
    if found is None and hasattr(model, "choose"):
        found = _depth_first(model, start, _MOST_POSITIONS)
    if found is None:
        found = list(shortest_path(model, document.editor.content, MOST_EXPANSIONS).actions) or None
    return found


def _named(model: Any, start: Any, recorded: Sequence[Any]) -> list[Any] | None:
    """Return the actions that texts name one after the other, if they lead to a goal."""
    words, state, found = words_of(model), start, []
    for text in recorded:
        if model.is_goal(state):
            break
        fitting = [a for a in model.actions(state) if str(text) in (str(a), words(a))]
        if len(fitting) != 1:
            return None
        found.append(fitting[0])
        state = model.apply(state, fitting[0])
    return found if model.is_goal(state) else None


def _depth_first(model: Any, start: Any, limit: int) -> list[Any] | None:
    """Search a solution depth first, by the actions that a player weighs."""

    def weighed(state: Any) -> deque[Any]:
        return deque(() if model.is_goal(state) else model.choose(state, list(model.actions(state))))

    seen, way = {model.key(start)}, [(None, start, weighed(start))]
    while way:
        _, state, left = way[-1]
        if model.is_goal(state):
            return [action for action, _, _ in way[1:]]
        if not left or len(seen) > limit:
            way.pop()
            continue
        action = left.popleft()
        state = model.apply(state, action)
        if model.key(state) not in seen:
            seen.add(model.key(state))
            way.append((action, state, weighed(state)))
    return None
