"""The words of rules, and which words of a line are none of them.

The reference engine looks at a rule twice: first at all its words, wherever they stand, then at what they
mean. A word that is unknown is an error at both times.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from epcg_puzzlescript.language.sections import SECTIONS

DIRECTIONS = ("up", "down", "left", "right")
FRONT = {
    **{word: (word,) for word in DIRECTIONS},
    "horizontal": ("left", "right"),
    "vertical": ("up", "down"),
    "orthogonal": DIRECTIONS,
}
"""The words for directions in front of a rule."""
RELATIVE = ("^", "v", "<", ">", "parallel", "perpendicular")
MOVEMENTS = (*DIRECTIONS, "action")
AMBIGUOUS = {
    "moving": MOVEMENTS,
    "orthogonal": DIRECTIONS,
    "horizontal": ("left", "right"),
    "vertical": ("up", "down"),
    "horizontal_par": ("left", "right"),
    "vertical_par": ("up", "down"),
    "horizontal_perp": ("left", "right"),
    "vertical_perp": ("up", "down"),
}
"""The words that stand for several movements; those of 'parallel' and 'perpendicular' are kept apart."""
WORDS = frozenset(
    {*RELATIVE, *MOVEMENTS, "moving", "orthogonal", "horizontal", "vertical", "stationary", "no", "random",
     "randomdir"}
)  # fmt: skip
COMMANDS = frozenset({"cancel", "checkpoint", "restart", "win", "again", "message"})
SOUND = re.compile(r"sfx(?:10|[0-9])\Z")
_LOOPS = ("startloop", "endloop")
_BEFORE = frozenset({*FRONT, *_LOOPS, "late", "rigid"})
_WORD = re.compile(r"[^\s\[\]|]+")


def is_command(word: str) -> bool:
    """Return whether a word is a command."""
    return word in COMMANDS or SOUND.match(word) is not None


def misfits(text: str, knows: Callable[[str], bool]) -> Iterator[tuple[str, int]]:
    """Yield the words of a line that a rule cannot have where they stand, and their columns from 1.

    Args:
        text: the line in small letters, with blanks in place of comments.
        knows: says whether a word is the name of an object.
    """
    at, first, inside = len(text) - len(text.lstrip()), True, False
    while at < len(text):
        begins, first = first, False
        if text[at] in "[]|+":
            inside = inside or text[at] != "+"
            at += 1
        elif text[at].isspace() or text[at] == ")":
            at, first = at + 1, begins and text[at].isspace()
        elif text.startswith("->", at):
            at += 2
        elif (found := _WORD.match(text, at)) is not None:
            word, column, at = found[0], at + 1, found.end()
            if word == "message" and not knows(word):
                return
            named = knows(word)
            if (begins and named and word not in _BEFORE) or not (named or _fits(word, inside)):
                yield word, column


def _fits(word: str, inside: bool) -> bool:
    if word in (WORDS if inside else _BEFORE) or word in SECTIONS:
        return True
    return word in ("...", "rigid", "random") or is_command(word)
