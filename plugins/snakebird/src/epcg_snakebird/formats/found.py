"""The space of a level's file, or of a shipped level by its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from epcg_snakebird.formats.drawing import read_level
from epcg_snakebird.formats.shipped import shipped_level
from epcg_snakebird.rules.level import LevelError
from epcg_snakebird.rules.variants import LEAVES


def find_level(text: str, path: Path | None) -> tuple[dict[str, Any], int] | None:
    """Return the params and the rank of a level's file, or of a shipped level; None for other texts.

    The level is played as in the game. A number is not taken for a level, because other domains read numbers.
    Raises LevelError for a level with a mistake.
    """
    if path is None:
        named = None if text.strip().isdigit() else shipped_level(text.strip())
        return None if named is None else ({"path": named.stem, "own_tail": LEAVES}, 0)
    try:
        read_level(path)
    except LevelError:
        if path.suffix.lower() == ".map" or text.startswith("name:"):
            raise
        return None
    return {"path": str(path), "own_tail": LEAVES}, 0
