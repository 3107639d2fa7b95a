"""The generator `puzzles`: the puzzles of a text, fair or not, in their order."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import attrs

from epcg_core.plugin import ParamsError, RankError
from epcg_deduction.exchange import is_address, is_file, is_penpa
from epcg_deduction.formats.named import puzzles_of
from epcg_deduction.formats.own import document_of, format_puzzle, parse_puzzle
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.params import PuzzlesParams
from epcg_deduction.states.play import PlayModel
from epcg_deduction.texts import shipped


class Puzzles:
    """The puzzles of a genre's text."""

    domain_attributes = ("params",)
    transition_model = PlayModel()

    def __init__(self, params: PuzzlesParams) -> None:
        self.params = params
        if not self._listed:
            raise ParamsError("genre: the text has no puzzle: add a table [[puzzles]].")

    @cached_property
    def _listed(self) -> tuple[Puzzle, ...]:
        found = puzzles_of(self.params.genre, self.params.sha256)
        return tuple(attrs.evolve(puzzle, title="") for puzzle in found)

    @property
    def max_rank(self) -> int:
        return len(self._listed)

    def unrank(self, rank: int) -> Puzzle:
        """Return a puzzle. Raises RankError."""
        if not 0 <= rank < self.max_rank:
            raise RankError(f"There is no puzzle {rank}: the text has {self.max_rank}, ranks from 0.")
        return self._listed[rank]

    def rank(self, state: Puzzle) -> int:
        """Return the place of a puzzle in the text. Raises RankError if it is not in the text."""
        if state not in self._listed:
            raise RankError("The puzzle is not one of this text.")
        return self._listed.index(state)

    def parse(self, text: str) -> Puzzle:
        return parse_puzzle(text)

    def format(self, state: Puzzle) -> str:
        return format_puzzle(state)


def puzzles(params: PuzzlesParams) -> Puzzles:
    """Make the space of the puzzles of a text. Raises ParamsError."""
    return Puzzles(params)


def titles(params: PuzzlesParams) -> Callable[[int], tuple[str, ...]]:
    """Return a function from a rank to the title of the genre, and that of the puzzle or its number."""
    found = puzzles_of(params.genre, params.sha256)

    def title(rank: int) -> tuple[str, ...]:
        own = found[rank]
        return own.genre.title, own.title or f"puzzle {rank + 1}"

    return title


def find_puzzle(text: str, path: Path | None) -> tuple[dict[str, Any], int] | None:
    """Return the params and the rank of the first puzzle of a text, a file, an address, or a shipped genre.

    None for other texts. Raises ParamsError for a text of a genre with a fault, with its line and column.
    """
    if path is None and text.strip() in shipped():
        return {"genre": text.strip()}, 0
    if is_address(text) or is_penpa(text) or is_file(text):
        return {"genre": format_puzzle(parse_puzzle(text))}, 0
    if not _is_genre(text):
        return None
    if not document_of(text).puzzles:
        raise ParamsError("The genre has no puzzle yet: add [[puzzles]] with a size or a drawing.")
    return {"genre": text if path is None else str(path)}, 0


def _is_genre(text: str) -> bool:
    """Return whether a text is meant as a genre, or as a puzzle of one."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        headers = ("[marks]", "[puzzle]", "[[puzzles]]", "[[rules]]")
        lines = {line.split("#")[0].strip() for line in text.split("\n")}
        return len(lines & {*headers}) >= 2
    named = isinstance(table.get("genre"), str) and bool({"puzzle", "puzzles"} & table.keys())
    return named or {"marks", "rules"} <= table.keys()
