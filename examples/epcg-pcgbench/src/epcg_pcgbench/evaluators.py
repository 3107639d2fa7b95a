"""Evaluators of the three problems. They take contents of any problem: what is not solid can be walked on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import NONE, VALUE, Evaluation, NoParams, ParamsError, read_only
from epcg_pcgbench import kernels, plain
from epcg_pcgbench.contents import SIGNS, Content
from epcg_pcgbench.metrics import (
    CRATES,
    GOOD_CRATES,
    GOOD_MAZE,
    GOOD_ROOM,
    LONGEST,
    MOVES,
    REGIONS,
    TO_DOOR,
    TO_KEY,
)
from epcg_pcgbench.params import DifficultyParams, EnemiesParams, allowed

MOST_CRATE_CELLS = 20
"""Cells inside the border whose positions of crates are marked in a table."""


def defined(values: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the status of values, NONE if they are undefined."""
    return np.where(values == kernels.UNDEFINED, NONE, VALUE).astype(np.uint8)


class Binary:
    """Mazes: one region, and a long way through it."""

    metrics = (REGIONS, LONGEST, GOOD_MAZE)

    def __init__(self, params: NoParams, generator: Any, tables: Mapping[str, Any]) -> None:
        self._size: tuple[int, int] = generator.setting

    def evaluate(self, content: Content) -> tuple[int, int | None, bool]:
        free = plain.free_cells(content)
        regions = plain.regions(free)
        longest = plain.longest_path(free) if regions == 1 else None
        return regions, longest, longest is not None and longest >= sum(self._size)

    def evaluate_states(self, contents: NDArray[np.uint8]) -> Evaluation:
        regions, longest = np.empty((2, len(contents)), np.int64)
        rows, columns = self._size
        kernels.maze_values(read_only(contents), rows, columns, regions, longest)
        status = np.zeros((3, len(contents)), np.uint8)
        status[1] = defined(longest)
        return Evaluation([regions, longest, longest >= sum(self._size)], status)


class Zelda:
    """Rooms: a player gets the key, and with it to the door."""

    metrics = (TO_KEY, TO_DOOR, GOOD_ROOM)

    def __init__(self, params: EnemiesParams, generator: Any, tables: Mapping[str, Any]) -> None:
        self._size: tuple[int, int] = generator.setting
        self._allowed = allowed(params.enemies, self._size[0] * self._size[1])

    def evaluate(self, content: Content) -> tuple[int | None, int | None, bool]:
        to_key, to_door = plain.room_paths(content)
        fewest, most = self._allowed
        good = (
            to_key is not None
            and to_door is not None
            and to_key + to_door >= sum(self._size)
            and fewest <= len(plain.cells(content, "e")) <= most
            and plain.regions(plain.free_cells(content)) == 1
        )
        return to_key, to_door, good

    def evaluate_states(self, contents: NDArray[np.uint8]) -> Evaluation:
        to_key, to_door = np.empty((2, len(contents)), np.int64)
        good = np.empty(len(contents), np.bool_)
        (rows, columns), (fewest, most) = self._size, self._allowed
        kernels.room_values(read_only(contents), rows, columns, fewest, most, to_key, to_door, good)
        status = np.stack([defined(to_key), defined(to_door), np.zeros(len(contents), np.uint8)])
        return Evaluation([to_key, to_door, good], status)


class Sokoban:
    """Crates: the fewest moves that bring all of them to targets."""

    metrics = (CRATES, MOVES, GOOD_CRATES)

    def __init__(self, params: DifficultyParams, generator: Any, tables: Mapping[str, Any]) -> None:
        rows, columns = generator.setting
        self._size = (int(rows), int(columns))
        self._enough = (rows + columns) * params.difficulty
        if rows * columns > MOST_CRATE_CELLS:
            raise ParamsError(
                f"The evaluator sokoban takes up to {MOST_CRATE_CELLS} cells inside the border, and "
                f"contents here have {rows} x {columns}: choose fewer rows or columns."
            )

    def evaluate(self, content: Content) -> tuple[int, int | None, bool]:
        moves = plain.fewest_moves(content)
        return len(plain.cells(content, "$")), moves, moves is not None and moves >= self._enough

    def evaluate_states(self, contents: NDArray[np.uint8]) -> Evaluation:
        crates = np.count_nonzero(contents == SIGNS.index("$"), axis=1)
        moves = np.empty(len(contents), np.int64)
        rows, columns = self._size
        kernels.crate_values(read_only(contents), rows, columns, moves)
        status = np.zeros((3, len(contents)), np.uint8)
        status[1] = defined(moves)
        return Evaluation([crates, moves, moves >= self._enough], status)
