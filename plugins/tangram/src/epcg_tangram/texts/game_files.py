"""The texts of games that params name: shipped ones, files, or the text itself. Light."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from pathlib import Path

from epcg_core.plugin import ParamsError, documents
from epcg_tangram.design.definition import Definition
from epcg_tangram.texts.game_text import MOST_CHARACTERS, parse_game

ENDING = ".packing"
PUZZLES = "puzzles"
"""The tables of puzzles, which stand at the end of a text."""
USUAL = "hexagon"
"""The shipped game that is meant if none is named."""


def games_folder() -> Path:
    """Return the folder of the shipped games: inside the wheel, or beside src/ in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / "games"
    return inside if inside.is_dir() else package.parent.parent / "games"


@lru_cache
def shipped_games() -> dict[str, Path]:
    """Return the files of the shipped games by their names."""
    return {path.stem: path for path in sorted(games_folder().glob(f"*{ENDING}"))}


def is_text(game: str) -> bool:
    """Return whether a param is the text of a game itself, not the name of one."""
    return "\n" in game


def without_puzzles(text: str) -> str:
    """Return the text of a game without the puzzles at its end."""
    at = re.search(rf"^[ \t]*\[\[[ \t]*{PUZZLES}[ \t]*\]\]", text, re.MULTILINE)
    return (text if at is None else text[: at.start()]).rstrip() + "\n"


def digest_of(game: str) -> str:
    """Return the SHA-256 of the file that a param names; '' of a shipped game and of a text.

    Raises ParamsError.
    """
    path = None if is_text(game) else _file(game)
    if path is None:
        return ""
    data = documents.beginning(path, "game", ParamsError, 4 * MOST_CHARACTERS)
    return hashlib.sha256(data).hexdigest()


def text_of(game: str, sha256: str = "") -> str:
    """Return the text of a game.

    Raises ParamsError if there is none, or if its file is not that of the digest.
    """
    if is_text(game):
        return game
    path = _file(game)
    if path is None:
        return documents.read_text(shipped_games()[game], "game", ParamsError)
    if sha256 and digest_of(game) != sha256:
        raise ParamsError(f"The game '{game}' has changed since: its SHA-256 digest is not {sha256}.")
    return documents.read_text(path, "game", ParamsError, 4 * MOST_CHARACTERS)


def _file(game: str) -> Path | None:
    """Return the file that a name means; None for a shipped game. Raises ParamsError if there is neither."""
    if ";" in game:
        raise ParamsError(
            f"'{game}': the name of a game's file has no semicolon, which parts the texts of boards."
        )
    try:
        path = documents.place_of(game)
        if game and path.is_file():
            return path
        if game in shipped_games():
            return None
        known = ", ".join(shipped_games())
        what = (
            "is a folder, not the file of a game"
            if path.is_dir() and game
            else "is neither a file nor a game"
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise ParamsError(f"The game '{_short(game)}' cannot be read: {reason}.") from error
    raise ParamsError(f"'{_short(game)}' {what}. Shipped are: {known}.")


def _short(name: str) -> str:
    return name if len(name) <= 200 else f"{name[:197]}..."


def definition_of(game: str, sha256: str = "", sizes: tuple[int, ...] = ()) -> Definition:
    """Return what a game's text says, with other sizes of its board if there are any.

    A game that is named with its digest is read once in a process. Raises ParamsError for a fault of the
    text, with its line and column.
    """
    if not sha256 and not is_text(game) and game not in shipped_games():
        sha256 = digest_of(game)
    return _parsed(game, sha256, sizes)


@lru_cache(maxsize=256)
def _parsed(game: str, sha256: str, sizes: tuple[int, ...]) -> Definition:
    return parse_game(text_of(game, sha256), "" if is_text(game) else f"game '{game}'", sizes)
