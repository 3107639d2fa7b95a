"""The genres that params name: shipped ones, files, or texts.

Light, because listings read the params of each domain: texts are read by modules that are imported when a
genre is asked for.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING

import attrs

from epcg_core.plugin import ParamsError, documents

if TYPE_CHECKING:
    from epcg_deduction.model.puzzles import Puzzle

ENDING = ".deduction"
USUAL = "slitherlink"
"""The shipped genre that is meant if none is named."""
MOST_BYTES = 4_000_000


def is_text(genre: str) -> bool:
    """Return whether a param is a text itself, not the name of one."""
    return "\n" in genre


def shortened(genre: str) -> str:
    """Return a param in the shortest form that means the same: of a text its genre and its first puzzle."""
    if not is_text(genre):
        return genre
    from epcg_deduction.formats.own import document_of, format_puzzle

    found = document_of(genre)
    return format_puzzle(attrs.evolve(found.puzzles[0], title="")) if found.puzzles else genre


def digest_of(genre: str) -> str:
    """Return the SHA-256 of the file that a param names; '' of a shipped genre and of a text.

    Raises ParamsError.
    """
    if is_text(genre) or _is_shipped(genre):
        return ""
    return hashlib.sha256(
        documents.beginning(documents.place_of(genre), "genre", ParamsError, MOST_BYTES)
    ).hexdigest()


def _is_shipped(genre: str) -> bool:
    """Return whether a name is that of a shipped genre, not of a file. Raises ParamsError if of neither."""
    from epcg_deduction.texts import shipped

    try:
        place = documents.place_of(genre)
        if genre and place.is_file():
            return False
    except (OSError, ValueError) as error:
        raise ParamsError(f"The genre '{genre:.200}' cannot be read: {error}.") from error
    if genre in shipped():
        return True
    raise ParamsError(
        f"'{genre:.200}' is neither a file nor a genre. A file ends in {ENDING}; shipped are: "
        f"{', '.join(shipped())}."
    )


def text_of(genre: str, sha256: str = "") -> str:
    """Return the text that a param means.

    Raises ParamsError if there is none, or if its file is not that of the digest.
    """
    if is_text(genre):
        return genre
    if _is_shipped(genre):
        return f'genre = "{genre}"\n'
    if sha256 and digest_of(genre) != sha256:
        raise ParamsError(f"The file '{genre}' has changed since: its SHA-256 digest is not {sha256}.")
    return documents.read_text(documents.place_of(genre), "genre", ParamsError, MOST_BYTES)


@lru_cache(maxsize=256)
def first_puzzle(genre: str, sha256: str = "") -> Puzzle:
    """Return the first puzzle of a genre. Raises ParamsError if its text has a fault, or no puzzle."""
    puzzles = puzzles_of(genre, sha256)
    if not puzzles:
        raise ParamsError(
            f"The text of '{genre:.60}' has no puzzle, so there is no board: add [[puzzles]] with a size or "
            "a drawing."
        )
    return puzzles[0]


def puzzles_of(genre: str, sha256: str = "") -> tuple[Puzzle, ...]:
    """Return the puzzles of a genre's text. Raises ParamsError for a fault of the text."""
    from epcg_deduction.formats.own import document_of
    from epcg_deduction.texts import genre_document

    if not is_text(genre) and _is_shipped(genre):
        return genre_document(genre).puzzles
    return document_of(text_of(genre, sha256)).puzzles
