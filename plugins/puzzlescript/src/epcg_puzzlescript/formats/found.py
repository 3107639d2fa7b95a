"""The space of a game's file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from epcg_puzzlescript.formats.files import shipped_game
from epcg_puzzlescript.formats.text import read_game_text
from epcg_puzzlescript.language.sections import lines_of

_HEADERS = {"objects", "collisionlayers", "levels"}


def find_level(text: str, path: Path | None) -> tuple[dict[str, Any], int] | None:
    """Return the params and the rank of a game's first level, by its file or the name of a shipped game.

    None for other texts. Raises GameError for a game with mistakes.
    """
    if path is None:
        return ({"game": text.strip()}, 0) if shipped_game(text.strip()) is not None else None
    if not is_game(text):
        return None
    read_game_text(text)
    return {"game": str(path)}, 0


def is_game(text: str) -> bool:
    """Return whether a text is meant as a game: it has two of the sections that each game has."""
    lines = {line.split("(", 1)[0].strip().lower() for line in lines_of(text)}
    return len(lines & _HEADERS) >= 2  # one may be misspelt
