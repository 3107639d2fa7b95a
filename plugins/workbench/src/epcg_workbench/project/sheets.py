"""What the page hears of a text: its pieces, its faults, and guesses what is meant."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from epcg_core.plugin import Piece, Sheet
from epcg_workbench.messages import Message, digest
from epcg_workbench.project.causes import Told, told_faults


def sheet_message(sheet: Sheet, text: str, read: Callable[[str], Sheet] | None = None) -> Message:
    """Describe what a text holds; faults may have a guess what is meant, and may follow from others.

    `read` reads such a text; with it guesses are tried, and causes stand before what follows from them.
    """
    return {
        "usable": sheet.usable,
        "title": sheet.title,
        "author": sheet.author,
        "pieces": [_piece_message(piece) for piece in sheet.pieces],
        "faults": [_fault_message(each) for each in told_faults(sheet, text, read)],
    }


def _fault_message(told: Told) -> Message:
    return attrs.asdict(told.fault) | {"guess": told.guess, "follows": told.follows}


def _piece_message(piece: Piece) -> Message:
    """Describe a piece; the text of a content repeats its game, so it is asked for when it is opened."""
    return {
        "kind": piece.kind,
        "text": piece.text if piece.kind == "message" else "",
        "title": piece.title,
        "lines": piece.lines,
        "hash": digest(piece.text),
    }
