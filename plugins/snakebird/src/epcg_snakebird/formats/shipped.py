"""The levels that come with the plugin."""

from __future__ import annotations

from pathlib import Path

from epcg_core.plugin import documents
from epcg_snakebird.formats.drawing import read_level
from epcg_snakebird.rules.level import Level, LevelError


def levels_folder() -> Path:
    """Return the folder of the shipped levels: inside the wheel, or beside src/ in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / "levels"
    return inside if inside.is_dir() else package.parent.parent / "levels"


def shipped_levels() -> list[Path]:
    """Return the files of the shipped levels, in the order of their numbers."""
    return sorted(levels_folder().glob("*.txt"))


def named_level(text: str) -> Level:
    """Read the level of a file, or a shipped one by its name or number ('7', 'through_the_portal').

    Raises LevelError if there is none.
    """
    path = Path(text) if Path(text).is_file() else shipped_level(text)
    if path is None:
        known = ", ".join(path.stem for path in shipped_levels())
        raise LevelError(f"There is no level '{text}': name a file, or one of {known}.")
    return read_level(path)


def shipped_level(text: str) -> Path | None:
    """Return the file of a shipped level, by its name or number; None if there is none."""
    for path in shipped_levels():
        number, _, name = path.stem.partition("_")
        if text in (path.stem, name) or documents.whole_number(text) == int(number):
            return path
    return None
