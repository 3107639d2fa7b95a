"""The section SOUNDS, which has no effect on play: it is checked only."""

from __future__ import annotations

import re
from collections.abc import Iterable

from epcg_puzzlescript.language.problems import Problems, quoted
from epcg_puzzlescript.language.sections import Line
from epcg_puzzlescript.language.vocabulary import Vocabulary

_EVENT = re.compile(
    r"(?:titlescreen|startgame|cancel|endgame|startlevel|undo|restart|endlevel|showmessage|closemessage|"
    r"sfx(?:10|[0-9]))\Z"
)
_DIRECTED = {"move", "cantmove"}
_VERBS = {"move", "action", "create", "destroy", "cantmove"}
_DIRECTIONS = {"up", "down", "left", "right", "horizontal", "vertical", "orthogonal"}
_SEED = re.compile(r"[0-9]+\Z")


def read_sounds(lines: Iterable[Line], vocabulary: Vocabulary, problems: Problems) -> frozenset[str]:
    """Tell the faults of the section, and return the events that have a sound, such as 'sfx0'."""
    events: set[str] = set()
    for line in lines:
        words = line.lower.split()
        if not words:
            continue
        column = 1 + len(line.text) - len(line.text.lstrip())
        sentence, errors = _fault(words, vocabulary, events)
        if sentence:
            problems.add(
                line.number, column, sentence, errors=errors, warnings=1 - errors, effect="none"
            )  # fmt: skip
    return frozenset(events)


def _fault(words: list[str], vocabulary: Vocabulary, events: set[str]) -> tuple[str, int]:
    """Return what is wrong with a line, or nothing, and whether it is an error."""
    first, rest = words[0], words[1:]
    if _EVENT.match(first):
        if not rest:
            return f"The event {quoted(first)} has no sound; a number was expected behind it.", 0
        if len(rest) > 1 or not _SEED.match(rest[0]):
            return f"Found {quoted(rest[0])} behind the event {quoted(first)}; one number was expected.", 1
        if first in events:
            return f"The event {quoted(first)} has a sound already.", 0
        events.add(first)
        return "", 0
    if not (first[0].isalnum() or first[0] == "_"):
        return f"Found {quoted(first)}, but expected an event or the name of an object.", 0
    entry = vocabulary.entries.get(first)
    if entry is None:
        return f"{quoted(first)} is neither an event nor the name of an object.", 1
    if not rest:
        return f"{quoted(first)} has no sound; a verb such as 'move' and a number were expected.", 0
    if entry.kind == "and":
        return f"{quoted(first)} stands for several objects at once ('and'); name one of them.", 1
    verb, *others = rest
    if verb not in _VERBS:
        return f"Found {quoted(verb)}, but expected one of: {', '.join(sorted(_VERBS))}.", 1
    while verb in _DIRECTED and others and others[0] in _DIRECTIONS:
        others = others[1:]
    if len(others) != 1 or not _SEED.match(others[0]):
        directions = " directions and" if verb in _DIRECTED else ""
        return f"Behind {quoted(verb)},{directions} one number was expected.", 1
    return "", 0
