"""What a new project, and a new file, begins with: a small game if a domain reads it, else a question."""

from __future__ import annotations

from pathlib import Path

from epcg_core.inside import files, shipped_queries
from epcg_core.plugin import QueryError, documents
from epcg_workbench.project.folder import Project

GAME, QUESTION = "game.txt", "question.toml"


def template(title: str) -> str | None:
    """Return the text of a game of three levels with this title; None if no domain here reads such games."""
    text = Path(__file__).with_name("first_game.txt").read_text(encoding="utf-8")
    words = " ".join(title.split()) or "A New Game"
    text = text.replace("A New Game", words, 1)
    found = next(files.kinds_of(Path(GAME), text), None)
    return None if found is None or not found.format.read(text).usable else text


def new_project(folder: Path, first: tuple[str, str] | None = None) -> str:
    """Make a folder with something to begin with, and return the name of the file to open.

    `first` is that file's name and text; without it, a small game. Raises QueryError if there is such a
    folder with files, or it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise QueryError(f"{folder} is there already and is not empty. Open it, or choose another name.")
    except OSError as error:
        raise QueryError(f"The folder {folder} cannot be made: {error.strerror}.") from error
    if first is not None:
        return Project(folder).save(*first, None).name
    text, name = template(folder.name.replace("-", " ").replace("_", " ")), GAME
    if text is None:
        shipped = shipped_queries()
        if not shipped:
            return ""
        text, name = documents.read_text(shipped[min(shipped)], "query"), QUESTION
    Project(folder).save(name, text, None)
    return name
