"""The board of the workbench, of notebooks and of play pages: it draws scenes and says what was touched."""

from __future__ import annotations

from pathlib import Path


def board_file(name: str) -> str:
    """Return the text of one of its files: 'board.js', 'game.js', 'play.js', 'board.css' and so on."""
    return Path(__file__).with_name(name).read_text("utf-8")
