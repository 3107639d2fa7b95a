"""Games as files."""

from __future__ import annotations

from pathlib import Path

from epcg_core.plugin import documents
from epcg_puzzlescript.language.game import Game, parse_game
from epcg_puzzlescript.language.problems import MOST_BYTES, GameError


def read_text(path: Path) -> str:
    """Return the text of a file. Raises GameError if it cannot be read, is too long or not UTF-8."""
    data = documents.beginning(path, "game", GameError, MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise GameError(f"{path} is longer than {MOST_BYTES} bytes; games up to this length are read.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise GameError(
            f"{path} is not text in UTF-8 (byte {error.start} cannot be read); save it as UTF-8."
        ) from None


def read_game(path: Path) -> Game:
    """Return the game of a file. Raises GameError."""
    return parse_game(read_text(path), path.name)
