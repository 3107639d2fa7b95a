"""Local patterns as inference rules: what stands around a place, and what follows.

A domain offers a view of its positions: the window around an action, whose places have values. A pattern asks
for values at some of the places and draws a conclusion; it is one line of text::

    cannot: left cell = black square, right cell = white square, ahead = outside

Patterns are written by people, or found by the search of all patterns over a recorded space.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import attrs

from epcg_core.base.errors import ParamsError, UnknownNameError
from epcg_core.base.params import param
from epcg_core.difficulty.rules import Answer

PATTERNS = "patterns"
"""The name of a domain's inference rule that reads patterns; without params it says nothing."""
Row: TypeAlias = Sequence[int]
"""The number of the value at each place of a window; -1 where it is not known."""


class PatternPlace(NamedTuple):
    """A place of a window: cells are two units apart, edges and corners lie between them."""

    name: str
    kind: Literal["cell", "edge", "corner"]
    x: float
    """To the right of the middle of the window."""
    y: float
    """Below the middle of the window."""
    values: tuple[str, ...]


class PatternView(Protocol):
    """A domain's view of what stands around an action."""

    @property
    def places(self) -> Sequence[tuple[Any, ...]]:
        """The places of the window, each as `PatternPlace` or a tuple like it."""

    @property
    def images(self) -> Sequence[Sequence[int]]:
        """The symmetries of the window, the identity first: the place whose value stands at each place."""

    @property
    def conclusions(self) -> Sequence[str]:
        """The names of what patterns say, at most 8."""

    @property
    def target(self) -> tuple[float, float]:
        """The (x, y) of what patterns speak about, for pictures."""

    @property
    def transition_model(self) -> Any:
        """The play whose positions are looked at."""

    def rows(self, state: Any, action: Any) -> Iterable[Row]:
        """Yield the window around an action of a state, or several windows."""

    def answer(self, conclusion: int, state: Any, action: Any) -> Answer:
        """Return what a conclusion says about an action in whose window a pattern holds."""


@attrs.frozen
class PatternsParams:
    """For a rule of local patterns."""

    patterns: tuple[str, ...] = param((), help="the patterns that the player knows, each as it is printed")


@attrs.frozen(order=True)
class Pattern:
    """A conclusion from the values at some places of a window, all by their numbers."""

    conclusion: int
    conditions: tuple[tuple[int, int], ...]
    """(place, value), ascending."""

    def under(self, image: Sequence[int]) -> Pattern:
        """Return the pattern that holds where this one holds under a symmetry of the window."""
        return attrs.evolve(self, conditions=tuple(sorted((image[at], own) for at, own in self.conditions)))


def images_of(view: PatternView, pattern: Pattern) -> list[Pattern]:
    """Return a pattern and its different images, ascending; the first one stands for all."""
    return sorted({pattern.under(image) for image in view.images})


def format_pattern(view: PatternView, pattern: Pattern) -> str:
    """Write a pattern as one line, from the top left of the window to the bottom right."""
    places = [PatternPlace(*own) for own in view.places]
    order = sorted(pattern.conditions, key=lambda own: (places[own[0]].y, places[own[0]].x))
    conditions = (f"{places[at].name} = {places[at].values[value]}" for at, value in order)
    return f"{view.conclusions[pattern.conclusion]}: {', '.join(conditions)}"


def parse_pattern(view: PatternView, text: str, where: str = "pattern") -> Pattern:
    """Read a pattern from its line.

    Args:
        view: the view of the window that the pattern speaks about.
        text: the line.
        where: the place of the line, for messages.

    Raises:
        ParamsError: the line is not a conclusion with conditions.
        UnknownNameError: a conclusion, place or value is not one of the view.
    """
    places = {own.name: (at, own) for at, own in enumerate(PatternPlace(*own) for own in view.places)}
    said, colon, rest = text.partition(":")
    if not colon or not rest.strip():
        raise ParamsError(
            f"{where}: write a conclusion, a colon and conditions, as in 'cannot: place = value, place = "
            f"value', not '{text}'."
        )
    if said.strip() not in view.conclusions:
        raise UnknownNameError("conclusion", said.strip(), view.conclusions, where)
    conditions: dict[int, int] = {}
    for part in rest.split(","):
        name, equals, value = (own.strip() for own in part.partition("="))
        if not equals:
            raise ParamsError(f"{where}: '{part.strip()}' is not a condition: write place = value.")
        if name not in places:
            raise UnknownNameError("place", name, list(places), where)
        at, place = places[name]
        if value not in place.values:
            raise UnknownNameError("value", value, place.values, f"{where}, {name}")
        if at in conditions:
            raise ParamsError(f"{where}: '{name}' has two conditions: write one.")
        conditions[at] = place.values.index(value)
    return Pattern(list(view.conclusions).index(said.strip()), tuple(sorted(conditions.items())))


class PatternRule:
    """A player who knows some patterns, wherever and however turned they stand.

    Args:
        view: the domain's view of what stands around an action; or why there is none in this space, which is
            raised as ParamsError if there are patterns.
        params: the patterns. Raises as `parse_pattern` does.
    """

    def __init__(self, view: PatternView | str, params: PatternsParams) -> None:
        self._patterns: list[Pattern] = []
        self._view = view
        if isinstance(view, str):
            if params.patterns:
                raise ParamsError(view)
            return
        read = (parse_pattern(view, text, f"patterns {n}") for n, text in enumerate(params.patterns, 1))
        self._patterns = [own for pattern in read for own in images_of(view, pattern)]

    @property
    def view(self) -> PatternView:
        """The view of windows. Raises ParamsError if there is none in this space."""
        if isinstance(self._view, str):
            raise ParamsError(self._view)
        return self._view

    def __call__(self, state: Any, action: Any) -> Answer:
        """Answer what the patterns that hold around an action say about it."""
        if not self._patterns:
            return Answer.UNKNOWN
        found = 0
        for row in self.view.rows(state, action):
            for pattern in self._patterns:
                if all(row[at] == value for at, value in pattern.conditions):
                    found |= self.view.answer(pattern.conclusion, state, action)
        return Answer(found)
