"""What wins a game, as its players would say it, in English and in German.

English tells what lies above: 'every crate is on a target', 'an otter is on every nest'. German cannot know
the gender of a game's names, so it puts them in quotation marks where no article is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epcg_puzzlescript.language.game import Game, Mask, WinCondition
from epcg_puzzlescript.rules.level import Level

_MOST_NAMED = 3
"""A property of more objects is told by its name."""


def goals(game: Game, states: Sequence[Level]) -> tuple[str, str]:
    """Say when a level of a game is won, in English and in German.

    Args:
        game: the game.
        states: the levels that are told about: a thing of which each of them has one is 'the' thing.
    """
    told = [_Goal(game, states, condition) for condition in game.conditions]
    asked = [goal for goal in told if not goal.is_trivial]
    if asked:
        english = _joined([goal.english() for goal in asked])
        german = " und ".join(goal.german() for goal in asked)
        return f"You have won when {english}.", f"Gewonnen ist, wenn {german}."
    if told:
        return "You have won as soon as you have moved.", "Gewonnen ist, sobald gezogen wurde."
    return _BY_RULES


_BY_RULES = (
    "You have won when the rules of the game say so.",
    "Gewonnen ist, wenn die Regeln des Spiels es sagen.",
)


def _joined(parts: Sequence[str]) -> str:
    *others, last = parts
    return f"{', '.join(others)} and {last}" if others else last


class _Goal:
    """One condition, in words."""

    def __init__(self, game: Game, states: Sequence[Level], condition: WinCondition) -> None:
        self._game, self._states = game, states
        self._quantifier, self._what, self._on = condition.quantifier, condition.what, condition.on

    @property
    def is_trivial(self) -> bool:
        """Whether it always holds: each thing lies somewhere."""
        return self._quantifier == "all" and self._on is None

    def english(self) -> str:
        what, on = self._what, self._on
        if on is None:
            none = f"there is no {self._noun(what)} left"
            return none if self._quantifier == "no" else f"there is {self._one(what)}"
        # what is drawn above is on the other, whichever the condition names first
        above, below = (what, on) if self._lies_above(what, on) else (on, what)
        if self._quantifier == "no":
            return f"no {self._noun(above)} is on {self._one(below)}"
        if self._quantifier == "some":
            return f"{self._one(above)} is on {self._one(below)}"
        if above is what:
            return f"{self._every(above)} is on {self._one(below)}"
        only = self._is_single(below)
        return f"{self._one(above) if only else self._any(above)} is on {self._every(below)}"

    def german(self) -> str:
        what = _quoted(self._names(self._what))
        on = None if self._on is None else _quoted(self._names(self._on))
        if self._quantifier == "all":
            return f"überall, wo {what} ist, auch {on} ist"
        if self._quantifier == "no":
            return f"{what} nirgends mehr ist" if on is None else f"{what} nirgends auf {on} ist"
        return f"es irgendwo {what} gibt" if on is None else f"irgendwo {what} auf {on} ist"

    def _names(self, mask: Mask) -> list[str]:
        """Return what a mask stands for by name: its objects, or the property that many of them are."""
        found = [thing.name for thing in self._game.objects if mask.bits >> thing.number & 1]
        if mask.whole or len(found) <= _MOST_NAMED:
            return found
        entries = self._game.entries.items()
        return [next((name for name, entry in entries if entry.mask == mask.bits), " or ".join(found))]

    def _noun(self, mask: Mask) -> str:
        return (" with " if mask.whole else " or ").join(self._names(mask))

    def _one(self, mask: Mask) -> str:
        """Name a thing with its article: 'the' if there is one of it."""
        return f"the {self._noun(mask)}" if self._is_single(mask) else self._any(mask)

    def _any(self, mask: Mask) -> str:
        """Name any of several things."""
        if mask.whole:
            return _with_article(self._noun(mask))
        return " or ".join(map(_with_article, self._names(mask)))

    def _every(self, mask: Mask) -> str:
        return f"{'the' if self._is_single(mask) else 'every'} {self._noun(mask)}"

    def _is_single(self, mask: Mask) -> bool:
        """Whether each level has just one of them, and they have one name."""
        if len(self._names(mask)) > 1:
            return False
        counts = [sum(mask.lies_in(cell) for cell in level.cells) for level in self._states]
        return bool(counts) and set(counts) == {1}

    def _lies_above(self, one: Mask, other: Mask) -> bool:
        """Whether the objects of a mask are drawn above those of another."""
        first, second = list(self._layers(one)), list(self._layers(other))
        return not first or not second or max(first) >= max(second)

    def _layers(self, mask: Mask) -> Iterator[int]:
        return (thing.layer for thing in self._game.objects if mask.bits >> thing.number & 1)


def _with_article(noun: str) -> str:
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def _quoted(names: Sequence[str]) -> str:
    return " oder ".join(f"„{name}“" for name in names)
