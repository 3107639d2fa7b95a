"""The files of games that params name, and their digest. Light."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from epcg_core.plugin import ParamsError, documents
from epcg_puzzlescript.language.problems import MOST_BYTES, GameError

SUFFIXES = (".txt", ".puzzlescript", ".pz")
"""The suffixes of files in a folder that hold games."""


def games_folder() -> Path:
    """Return the folder of the shipped games: inside the wheel, or beside src/ in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / "games"
    return inside if inside.is_dir() else package.parent.parent / "games"


def shipped_games() -> list[Path]:
    """Return the files of the shipped games, by name."""
    return sorted(games_folder().glob("*.txt"))


def shipped_game(name: str) -> Path | None:
    """Return the file of a shipped game; None if there is none of that name."""
    return next((path for path in shipped_games() if path.stem == name), None)


def game_files(text: str, only: bool = False) -> tuple[Path, ...]:
    """Return the files that `text` names: a game's file, a folder of games, or a shipped game by its name.

    Those of a folder are in the order of their names, 9 before 10. Raises ParamsError if there is none, or
    if it is to be the `only` one and is a folder.
    """
    try:
        path = documents.place_of(text) if text and documents.place_of(text).exists() else None
    except (OSError, ValueError) as error:
        raise ParamsError(f"The game '{text}' cannot be read: {error}.") from error
    path = path or shipped_game(text)
    if path is None:
        names = ", ".join(file.stem for file in shipped_games())
        raise ParamsError(f"There is no file or folder of games '{text}'. Shipped are: {names}.")
    if not path.is_dir():
        return (path,)
    if only:
        raise ParamsError(f"'{text}' is a folder: name one game's file.")
    try:
        files = [file for file in path.iterdir() if file.suffix.lower() in SUFFIXES and file.is_file()]
    except OSError as error:
        raise ParamsError(f"The folder {text} cannot be read: {error.strerror}.") from error
    if not files:
        raise ParamsError(f"There is no game in the folder '{text}': no {' and no '.join(SUFFIXES)} file.")
    return tuple(sorted(files, key=lambda file: natural(file.name)))


def digest(files: Sequence[Path]) -> str:
    """Return the SHA-256 of one file; of several, that of their names and digests. Raises ParamsError."""
    if len(files) == 1:
        return _sha256(files[0])
    listed = "".join(f"{_sha256(file)}  {file.name}\n" for file in files)
    return hashlib.sha256(listed.encode()).hexdigest()


def check_digest(files: Sequence[Path], sha256: str, text: str) -> None:
    """Refuse files that `text` names if their digest is not `sha256`. Raises GameError."""
    if digest(files) != sha256:
        raise GameError(f"The games of {text} have changed since: their SHA-256 digest is not {sha256}.")


def _sha256(path: Path) -> str:
    """Digest a file as far as games are read: of one that is too long, what is refused."""
    return hashlib.sha256(documents.beginning(path, "game", ParamsError, MOST_BYTES + 1)).hexdigest()


def natural(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts numbers in names by their size."""
    return [(int(part[:18]), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]
