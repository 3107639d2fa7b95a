"""Genres and puzzles as texts: read, with every fault and its place, and written."""

from epcg_deduction.texts.reader import (
    DeductionTextError,
    Document,
    Reading,
    genre_document,
    read,
    read_text,
    shipped,
)

__all__ = ["DeductionTextError", "Document", "Reading", "genre_document", "read", "read_text", "shipped"]
