"""The genres that are shipped: a text each, with its rules in words and fair puzzles of our own."""

from __future__ import annotations

from epcg_deduction.model.genre import Genre
from epcg_deduction.texts import genre_document, shipped


def genre(name: str) -> Genre:
    """Return a shipped genre by its name. Raises UnknownNameError if there is none of this name."""
    return genre_document(name).genre


__all__ = ["genre", "shipped"]
