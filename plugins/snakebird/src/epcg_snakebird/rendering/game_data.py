"""Levels and their solutions as data for games."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from epcg_snakebird.formats.drawing import OBJECT_MARKS
from epcg_snakebird.rendering.renderers import SOLUTION_EXPANSIONS
from epcg_snakebird.rules.level import SKY, TILE_NAMES, Level
from epcg_snakebird.rules.model import model_of
from epcg_snakebird.rules.moves import Move, start
from epcg_snakebird.rules.solving import shortest_solution

_DIRECTIONS = {"U": "up", "R": "right", "D": "down", "L": "left"}


class LevelData:
    """Tiles, snakes and what else lies in a level (`epcg_core.domain.GameData`)."""

    def __init__(self, generator: Any) -> None:
        self._rules = model_of(generator).rules

    def layout(self, state: Level) -> dict[str, Any]:
        def item(kind: str, cells: Iterable[int], **more: Any) -> dict[str, Any]:
            places = (state.place(cell) for cell in cells)
            return {"kind": kind, "cells": [[x + 1, y + 1] for x, y in places], **more}

        tiles = {
            name: [cell for cell, found in enumerate(state.tiles) if found == tile]
            for tile, name in enumerate(TILE_NAMES)
            if tile != SKY
        }
        items = [item(name, cells) for name, cells in tiles.items() if cells]
        items += [item("snake", cells, number=i) for i, cells in enumerate(state.snakes, 1)]
        letters = zip(OBJECT_MARKS, state.objects, strict=False)
        items += [item("object", cells, name=letter) for letter, cells in letters]
        items += [item("fruit", [cell]) for cell in state.fruit]
        items += [item("portal", [cell]) for cell in state.portals]
        items.append(item("exit", [state.exit]))
        return {"grid": "squares", "columns": state.width, "rows": state.height, "items": items}

    def moves(self, state: Level, actions: Sequence[str] | None) -> list[dict[str, Any]] | None:
        if actions is not None:
            moves = [Move.parse(action) for action in actions]
        else:
            found = shortest_solution(start(state), SOLUTION_EXPANSIONS, self._rules)
            if found.length is None:
                return None
            moves = list(found.actions)
        return [
            {"kind": "crawl", "snake": move.snake + 1, "direction": _DIRECTIONS[move.direction]}
            for move in moves
        ]
