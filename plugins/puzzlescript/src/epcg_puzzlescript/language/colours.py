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
_HEX = re.compile(r"#(?:[0-9a-f]{3}|[0-9a-f]{6})\Z")


def colour(word: str) -> str | None:
    """Return '#rrggbb' of a word in small letters, '' for transparent, None if the word is not a colour."""
    if word == "transparent":
        return TRANSPARENT
    if _HEX.match(word):
        return word if len(word) == 7 else "#" + "".join(2 * digit for digit in word[1:])
    return NAMED.get(word)
