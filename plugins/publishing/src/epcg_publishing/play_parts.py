"""The play of contents whose positions are values of parts: what play pages carry in place of a graph.

Puzzles that are solved by writing have as many positions as there are ways to write. Each of them is what its
parts are, so a page has the values of each part, what each looks like, and where its actions lead; the goals;
and the hints: the actions of one solution in their order, each with its reason. What was written besides, if
it is right, takes nothing from a reason, so the first of them that is not done yet is a hint at any position.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import attrs

from epcg_core.inside import Document, Step, step_of
from epcg_core.plugin import LimitReachedError, Scene, registry
from epcg_publishing.play_data import Table, drawn_marks, scene_data, varint

MOST_HINTS = 10_000
"""Actions of a solution."""


@attrs.frozen
class Value:
    """A value of a part."""

    marks: Mapping[str, tuple[str, ...]]
    """The marks of the sites that look otherwise than at the start."""
    actions: Sequence[tuple[Step, int]]
    """The part's actions, each with the number of the value that it leads to."""
    why: str = ""
    """Why the value is wrong, if it is in no goal and the model says it."""


@attrs.frozen
class Hint:
    """An action of a solution."""

    part: int
    step: Step
    why: str


@attrs.frozen(eq=False)
class PlayParts:
    """A content's play, part by part. Values are numbers of `parts`."""

    document: Document
    scene: Scene
    """How the start looks."""
    parts: Sequence[Sequence[Value]]
    """The values of each part; the first is that of the start."""
    goals: Sequence[Sequence[Collection[int]]]
    """The values that each part may have, goal by goal."""
    hints: Sequence[Hint]
    """The actions of a solution in their order."""
    goal: int
    """The number of the goal that the hints lead to."""

    @property
    def positions(self) -> int:
        """The number of all positions."""
        return math.prod(map(len, self.parts))

    def solution(self) -> list[str] | None:
        """Return a solution in words; None if there is none."""
        return [hint.step.text for hint in self.hints] if self.goals else None


def play_parts(document: Document) -> PlayParts | None:
    """Return a content's play part by part; None if its model does not say it, or its scenes do not.

    Raises EpcgError if the content cannot be played.
    """
    names = ("values", "position", "goals", "solution")
    if not all(hasattr(document.model, name) for name in names):
        return None
    with registry().attribute_errors_to(document.info):
        try:
            return _Parts(document).found()
        except (_Apart, LimitReachedError):
            return None


class _Apart(Exception):
    """The positions of a content are not what its parts are."""


class _Parts:
    def __init__(self, document: Document) -> None:
        self._document, self._model = document, document.model
        self._editor: Any = document.editor
        self._start = self._model.initial(self._editor.content)
        self._values = tuple(self._model.values(self._start))
        self._scene = self._look(self._start)
        self._numbers: list[dict[int, int]] = [{value: 0} for value in self._values]

    def found(self) -> PlayParts | None:
        goals = self._model.goals(self._editor.content)
        if goals is None:
            return None
        parts = [self._part(part) for part in range(len(self._values))]
        touched = [frozenset(site for value in values for site in value.marks) for values in parts]
        if sum(map(len, touched)) > len(frozenset().union(*touched)):
            return None  # two parts are drawn at one site
        known = [
            [
                {numbers[value] for value in part if value in numbers}
                for part, numbers in zip(goal, self._numbers, strict=True)
            ]
            for goal in goals
        ]
        hints, end = self._hints()
        own = [
            number for number, goal in enumerate(known) if all(v in g for v, g in zip(end, goal, strict=True))
        ]
        if known and not own:
            return None
        shown = [
            [self._judged(part, number, value, known) for number, value in enumerate(values)]
            for part, values in enumerate(parts)
        ]
        return PlayParts(self._document, self._scene, shown, known, hints, own[0] if own else -1)

    def _part(self, part: int) -> list[Value]:
        """Return the values that a part can have, each with its look and its actions."""
        numbers, values = self._numbers[part], list[Value]()
        queue = [self._values[part]]
        for value in queue:
            state = self._with(part, value)
            actions = []
            for action in self._model.actions(state):
                after = self._model.values(self._model.apply(state, action))
                if after[part] == value:  # an action of another part
                    continue
                if (*after[:part], *after[part + 1 :]) != (*self._values[:part], *self._values[part + 1 :]):
                    raise _Apart
                if after[part] not in numbers:
                    numbers[after[part]] = len(numbers)
                    queue.append(after[part])
                actions.append((step_of(self._document, state, action), numbers[after[part]]))
            values.append(Value(self._marks(self._look(state)), actions))
        return values

    def _with(self, part: int, value: int) -> Any:
        values = (*self._values[:part], value, *self._values[part + 1 :])
        return self._model.position(self._editor.content, values)

    def _look(self, state: Any) -> Scene:
        found: Scene = self._editor.position_scene(self._editor.content, state)
        return found

    def _marks(self, scene: Scene) -> dict[str, tuple[str, ...]]:
        """Return the marks of the sites that differ from the start. Raises _Apart if something else does."""
        own = self._scene
        if (scene.sites, scene.paths, scene.note) != (own.sites, own.paths, own.note):
            raise _Apart
        sites = dict.fromkeys((*own.marks, *scene.marks))
        return {
            site: tuple(scene.marks.get(site, ()))
            for site in sites
            if tuple(scene.marks.get(site, ())) != tuple(own.marks.get(site, ()))
        }

    def _hints(self) -> tuple[list[Hint], tuple[int, ...]]:
        """Return the actions of a solution, and the values that it ends at."""
        model, state, hints = self._model, self._start, list[Hint]()
        while not model.is_goal(state) and len(hints) < MOST_HINTS:
            solution = model.solution(state)
            if not solution:
                break
            before, after = model.values(state), model.apply(state, solution[0])
            parts = [
                at
                for at, (old, new) in enumerate(zip(before, model.values(after), strict=True))
                if old != new
            ]
            if len(parts) != 1:
                raise _Apart
            (part,) = parts
            why = str(model.reason(state)) if hasattr(model, "reason") else ""
            hints.append(Hint(part, step_of(self._document, state, solution[0]), why))
            state = after
        ends = zip(self._numbers, model.values(state), strict=True)
        end = tuple(numbers.get(value, -1) for numbers, value in ends)
        if -1 in end:  # a value that no actions of the part lead to
            raise _Apart
        return hints, end

    def _judged(
        self, part: int, number: int, value: Value, goals: Sequence[Sequence[Collection[int]]]
    ) -> Value:
        """Return a value with why it is wrong, if it is and the model says it."""
        if not number or not hasattr(self._model, "reason") or any(number in goal[part] for goal in goals):
            return value
        own = next(own for own, at in self._numbers[part].items() if at == number)
        state = self._with(part, own)
        first = next(iter(self._model.solution(state) or ()), None)
        if first is None or self._model.values(self._model.apply(state, first))[part] == own:
            return value
        return attrs.evolve(value, why=str(self._model.reason(state)))


def packed_parts(play: PlayParts) -> bytes:
    """Return a content's play as the bytes that a page reads: tables in JSON, compressed."""
    names = [site.id for site in play.scene.sites]
    at = {name: number for number, name in enumerate(names)}
    marks, gestures, words = Table(), Table(), Table()
    marks.number(())
    words.number("")

    def gesture(step: Step) -> int:
        return gestures.number((tuple(at[site] for site in step.gesture.sites), step.gesture.keys, step.text))

    shown = scene_data(play.scene)
    parts = [
        [
            [
                [[at[site], marks.number(tuple(own))] for site, own in value.marks.items()],
                [[gesture(step), to] for step, to in value.actions],
                words.number(value.why),
            ]
            for value in values
        ]
        for values in play.parts
    ]
    hints = [[hint.part, words.number(hint.why)] for hint in play.hints]
    used = {name for own in (*marks.values, *play.scene.marks.values()) for name in own}
    tables = {
        "sites": shown["sites"],
        "palette": drawn_marks(play.document, used),
        "marks": marks.values,
        "scene": {key: shown[key] for key in ("marks", "paths", "note")},
        "gestures": gestures.values,
        "words": words.values,
        "parts": parts,
        "goals": [[sorted(values) for values in goal] for goal in play.goals],
        "hints": hints,
        "goal": play.goal,
        "positions": play.positions,
        "complete": True,
    }
    if str(play.document.reading):
        tables["lost"] = play.document.lost_words
    text = json.dumps(tables, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    return zlib.compress(varint(len(text)) + text, 9)
