"""Levels and their solutions as data for games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from epcg_puzzlescript.rendering.renderers import inputs_of
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.model import PuzzleScriptModel


class LevelData:
    """The objects of a level, cell by cell (`epcg_core.domain.GameData`)."""

    def __init__(self, generator: Any) -> None:
        self._model = PuzzleScriptModel()

    def layout(self, state: Level) -> dict[str, Any]:
        items = []
        for thing in state.game.objects:
            cells = [
                [index // state.height + 1, index % state.height + 1]
                for index, cell in enumerate(state.cells) if cell >> thing.number & 1
            ]  # fmt: skip
            if cells:
                items.append({"kind": "object", "name": thing.name, "layer": thing.layer + 1, "cells": cells})
        return {"grid": "squares", "columns": state.width, "rows": state.height, "items": items}

    def moves(self, state: Level, actions: Sequence[str] | None) -> list[dict[str, Any]] | None:
        inputs = inputs_of(self._model, state, True if actions is None else actions)
        return None if inputs is None else [{"kind": "input", "input": given} for given in inputs]
