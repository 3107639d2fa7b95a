"""A solution as people write it: actions in words, or a letter each, taken one after the other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import attrs

from epcg_core.domain import TransitionModel, words_of

_BETWEEN = re.compile(r"[,;\n]")


@attrs.frozen
class Taken:
    """The actions of a text that could be taken, from the first one on."""

    actions: tuple[str, ...]
    """Their texts, as the model writes them."""
    states: tuple[Any, ...]
    """The positions: the first one, and that after each action."""
    solved: bool
    """Whether the last one is a goal, and no action of the text is left."""
    rest: Sequence[str] = ()
    """The words that are left, the first of them that of no action, or of several."""
    fitting: tuple[str, ...] = ()
    """The actions that the first of these words may mean: none, or several."""


def take(model: TransitionModel[Any, Any], start: Any, words: Sequence[str]) -> Taken:
    """Take the actions of some words from a position on, as far as each word names one action.

    A word names the action whose text it is, in letters of any size, or else the only one whose text begins
    with it, or else the only one whose text ends with it. No action is taken at a goal.
    """
    text_of, state = words_of(model), start
    states, texts = [start], list[str]()
    for at, word in enumerate(words):
        known = [] if model.is_goal(state) else [(a, text_of(a), str(a)) for a in model.actions(state)]
        fitting = _fitting(word, known)
        if len(fitting) != 1:
            rest = words[at:]
            return Taken(tuple(texts), tuple(states), False, rest, tuple(text for _, text, _ in fitting))
        action, text, _ = fitting[0]
        state = model.apply(state, action)
        states.append(state)
        texts.append(text)
    return Taken(tuple(texts), tuple(states), bool(model.is_goal(state)))


def read(model: TransitionModel[Any, Any], start: Any, text: str) -> Taken:
    """Take the actions of a text from a position on.

    Words have commas, semicolons or line ends between them, or else blanks. A text without any of these is
    taken apart at each position: by the longest text of an action that comes next, or else by one letter.
    """
    text = text.strip()
    if _BETWEEN.search(text):
        return take(model, start, [word for each in _BETWEEN.split(text) if (word := each.strip())])
    whole = take(model, start, [text] if text else [])
    if whole.actions or not text:
        return whole
    if len(words := text.split()) > 1:
        return take(model, start, words)
    return _run_together(model, start, text)


def _run_together(model: TransitionModel[Any, Any], start: Any, text: str) -> Taken:
    text_of, state = words_of(model), start
    states, texts = [start], list[str]()
    left = text
    while left:
        known = [] if model.is_goal(state) else [(a, text_of(a), str(a)) for a in model.actions(state)]
        ahead = [
            len(own) for _, *names in known for own in names if left[: len(own)].casefold() == own.casefold()
        ]
        word = left[: max(ahead, default=1)]
        fitting = _fitting(word, known)
        if len(fitting) != 1:
            rest = [word, *([left[len(word) :]] if left[len(word) :] else [])]
            return Taken(tuple(texts), tuple(states), False, rest, tuple(own for _, own, _ in fitting))
        action, own, _ = fitting[0]
        state, left = model.apply(state, action), left[len(word) :]
        states.append(state)
        texts.append(own)
    return Taken(tuple(texts), tuple(states), bool(model.is_goal(state)))


def _fitting(word: str, known: Sequence[tuple[Any, str, str]]) -> list[tuple[Any, str, str]]:
    """Return the actions that a word may mean, each with its texts."""
    own = word.casefold()
    for is_named in (str.__eq__, str.startswith, str.endswith):
        found = [each for each in known if any(is_named(name.casefold(), own) for name in each[1:])]
        if found:
            return found
    return []
