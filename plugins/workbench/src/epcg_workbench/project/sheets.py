"""What the page hears of a text: its pieces, its faults, and guesses what is meant."""

from __future__ import annotations

import attrs

from epcg_core.plugin import Piece, Sheet
from epcg_workbench.messages import Message, digest
from epcg_workbench.project.guesses import Guesses


def sheet_message(sheet: Sheet, text: str) -> Message:
    """Describe what a text holds; faults may have a guess what is meant."""
    guesses = Guesses(text)
    return {
        "usable": sheet.usable,
        "title": sheet.title,
        "author": sheet.author,
        "pieces": [_piece_message(piece) for piece in sheet.pieces],
        "faults": [attrs.asdict(fault) | {"guess": guesses.of(fault)} for fault in sheet.faults],
    }


def _piece_message(piece: Piece) -> Message:
    """Describe a piece; the text of a content repeats its game, so it is asked for when it is opened."""
    return {
        "kind": piece.kind,
        "text": piece.text if piece.kind == "message" else "",
        "title": piece.title,
        "lines": piece.lines,
        "hash": digest(piece.text),
    }
