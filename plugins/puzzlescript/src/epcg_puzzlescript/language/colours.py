"""Colours of objects: names of the usual palette, and hexadecimal ones."""

from __future__ import annotations

import re

NAMED = {
    "black": "#000000", "white": "#ffffff", "grey": "#9d9d9d", "gray": "#9d9d9d", "darkgrey": "#697175",
    "darkgray": "#697175", "lightgrey": "#cccccc", "lightgray": "#cccccc", "red": "#be2633",
    "darkred": "#732930", "lightred": "#e06f8b", "brown": "#a46422", "darkbrown": "#493c2b",
    "lightbrown": "#eeb62f", "orange": "#eb8931", "yellow": "#f7e26b", "green": "#44891a",
    "darkgreen": "#2f484e", "lightgreen": "#a3ce27", "blue": "#1d57f7", "lightblue": "#b2dcef",
    "darkblue": "#1b2632", "purple": "#342a97", "pink": "#de65e2",
}  # fmt: skip
TRANSPARENT = ""
UNKNOWN = "#ff00ff"
_BEGINNING = re.compile(rf"transparent|#(?:[0-9a-f]{{3}}){{1,2}}|{'|'.join(NAMED)}")


def colour(word: str) -> str | None:
    """Return '#rrggbb' of a word in small letters, '' for transparent, None if the word is not a colour."""
    found = beginning(word, 0)
    return found[1] if found is not None and found[0] == word else None


def beginning(text: str, at: int) -> tuple[str, str] | None:
    """Return the colour that a text in small letters has at a place, and its '#rrggbb'; None if it has none.

    What follows the colour does not matter: in 'orangeish' there is orange.
    """
    found = _BEGINNING.match(text, at)
    if found is None:
        return None
    word = found[0]
    if word == "transparent":
        return word, TRANSPARENT
    if word[0] == "#":
        return word, word if len(word) == 7 else "#" + "".join(2 * digit for digit in word[1:])
    return word, NAMED[word]
