"""Levels as data for games: where ground, platforms and enemies lie, and where a solution jumps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from epcg_segments.editor import NAMES
from epcg_segments.passing import Passing
from epcg_segments.rules import JUMP, ROWS, Level, Platformer


class LevelData:
    """Levels and their ways as data."""

    def __init__(self, generator: Any) -> None: ...

    def layout(self, state: Level) -> Mapping[str, Any]:
        items = []
        for sign, kind in NAMES.items():
            cells = [
                [column, row]
                for row, signs in enumerate(state, 1)
                for column, each in enumerate(signs, 1)
                if each == sign
            ]
            if cells:
                items.append({"kind": kind, "cells": cells})
        return {"grid": "squares", "columns": len(state[0]), "rows": ROWS, "items": items}

    def moves(self, state: Level, actions: Sequence[str] | None) -> Sequence[Mapping[str, Any]] | None:
        """Return the actions of a solution, the recorded one or the fewest jumps, and where they are made."""
        if actions is None:
            actions = Passing(state).easiest_way()
        if actions is None:
            return None
        model = Platformer()
        position, moves = model.initial(state), []
        for action in actions:
            cell = [position.column + 1, ROWS - position.height]
            moves.append({"kind": "jump" if action == JUMP else "run", "cell": cell})
            position = model.apply(position, action)
        return moves
