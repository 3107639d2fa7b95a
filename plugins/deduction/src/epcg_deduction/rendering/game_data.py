"""Puzzles and their solutions as data for games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from epcg_deduction.model.boards import CELL, WALL
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.model.sites import marks_of, sites_of, squares_at
from epcg_deduction.rendering.how_to_play import rules_in_words
from epcg_deduction.rendering.renderers import first_solutions


class PuzzleData:
    """Clues, walls and regions, and the marks of the solution (`epcg_core.domain.GameData`)."""

    def __init__(self, generator: Any) -> None:
        pass

    def layout(self, state: Puzzle) -> dict[str, Any]:
        board = state.board
        items: list[dict[str, Any]] = []
        for square, kind in enumerate(board.kinds):
            if kind != CELL:
                name = "wall" if kind == WALL else "hole"
                items.append({"kind": name, "cells": [_cell(state, square)]})
        for number, cells in enumerate(board.regions):
            own = [_cell(state, cell) for cell in cells]
            items.append({"kind": "region", "name": board.names[number], "cells": own})
        for clue in state.clues:
            on = state.genre.clues[clue.kind].on
            own = [_cell(state, square) for square in squares_at(board, on, clue.place)]
            value = list(clue.value) if isinstance(clue.value, tuple) else clue.value
            items.append({"kind": "clue", "clue": clue.kind, "on": on, "value": value, "cells": own})
        return {
            "grid": "squares",
            "columns": board.width,
            "rows": board.height,
            "items": items,
            "rules": {"genre": state.genre.title, "words": rules_in_words(state.genre)},
        }

    def moves(self, state: Puzzle, actions: Sequence[str] | None) -> list[dict[str, Any]] | None:
        """Return the marks of the solution, but for those that say that nothing is there."""
        found = first_solutions(state, 1)
        if not found:
            return None
        moves = []
        for site, names, mark in zip(sites_of(state), marks_of(state), found[0], strict=True):
            if len(names) == 2 and mark == 1:
                continue
            if site.layer == "edges":
                across = state.board.width + 1
                ends = [[c % across + 1, c // across + 1] for c in state.board.edges[site.place]]
                moves.append({"kind": "mark", "mark": names[mark], "points": ends})
                continue
            squares = [site.place] if site.layer == "cells" else state.board.borders[site.place]
            own = [_cell(state, square) for square in squares]
            moves.append({"kind": "mark", "mark": names[mark], "layer": site.layer, "cells": own})
        return moves


def _cell(state: Puzzle, square: int) -> list[int]:
    """Return the column and the row of a square, from 1."""
    return [square % state.board.width + 1, square // state.board.width + 1]
