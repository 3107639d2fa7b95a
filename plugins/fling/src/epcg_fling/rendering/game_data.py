"""Boards and their solutions as data for games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from epcg_fling.rendering.renderers import solution_of
from epcg_fling.rules.moves import DOWN, LEFT, RIGHT, UP, BoardShape, cells_of

_DIRECTIONS = {UP: "up", RIGHT: "right", DOWN: "down", LEFT: "left"}


class BoardData:
    """Balls and flings (`epcg_core.domain.GameData`)."""

    def __init__(self, generator: Any) -> None:
        self._shape: BoardShape = generator.setting

    def layout(self, state: int) -> dict[str, Any]:
        return {
            "grid": "squares",
            "columns": self._shape.width,
            "rows": self._shape.height,
            "items": [{"kind": "ball", "cells": [self._place(cell)]} for cell in cells_of(state)],
        }

    def moves(self, state: int, actions: Sequence[str] | None) -> list[dict[str, Any]] | None:
        found = solution_of(self._shape, state)
        if found is None:
            return None
        return [
            {"kind": "fling", "cell": self._place(cell), "direction": _DIRECTIONS[direction]}
            for cell, direction in found
        ]

    def _place(self, cell: int) -> list[int]:
        y, x = divmod(cell, self._shape.width)
        return [x + 1, y + 1]
