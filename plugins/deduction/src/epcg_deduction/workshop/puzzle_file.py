"""Files of a genre with its puzzles, whose boards are painted. Implements `FileFormat` and `HasWorkshop`."""

from __future__ import annotations

from epcg_core.plugin import Workshop
from epcg_deduction.formats.own import document_of, format_puzzle
from epcg_deduction.workshop.boards import GenreWorkshop
from epcg_deduction.workshop.puzzle_texts import PuzzleTexts


class PuzzleFile(PuzzleTexts):
    """The puzzles of a genre, with the workshop of its boards."""

    @property
    def workshop(self) -> Workshop:
        """The board of the first puzzle, with walls and regions, to be painted."""
        return GenreWorkshop()


def read_puzzles(text: str, name: str) -> list[str]:
    """Return the own text of each puzzle of a file. Raises ParamsError."""
    return [format_puzzle(puzzle) for puzzle in document_of(text).puzzles]
