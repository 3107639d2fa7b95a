"""Whether each piece of a board matters: a compiled evaluator, and the same in plain Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import NONE, VALUE, Evaluation, NoParams, shortest_path
from epcg_rushhour import play_kernels
from epcg_rushhour.cells import digits_of
from epcg_rushhour.graph import tables, words_of
from epcg_rushhour.metrics import MINIMAL
from epcg_rushhour.rules import RED, Board, RushHour, fills_a_line, pieces, red_row, without

_SLOTS = 2**12


class Minimal:
    """Whether the number of moves differs without any one piece but the red car."""

    metrics = (MINIMAL,)

    def __init__(self, params: NoParams, generator: Any, tables: Mapping[str, Any]) -> None:
        self._plain = PlainMinimal(params, generator, tables)
        self._slots = np.full(_SLOTS, -1, np.int64)

    def plain(self) -> PlainMinimal:
        return self._plain

    def evaluate(self, state: Board) -> tuple[bool | None]:
        if fills_a_line(state):  # a word has no such line
            return self._plain.evaluate(state)
        found = self.evaluate_states(np.array([digits_of(state)], np.int64))
        assert found.status is not None
        return (bool(np.asarray(found.values[0])[0]) if found.status[0, 0] == VALUE else None,)

    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        size = int(states.shape[1] ** 0.5 + 0.5)
        own, words = tables(size), words_of(states, size)
        minimal, known = np.zeros(len(words), np.bool_), np.zeros(len(words), np.bool_)
        done = 0
        while True:
            done = play_kernels.are_minimal(
                words,
                done,
                own.cells,
                own.first,
                own.target,
                own.way,
                own.fewer,
                red_row(size),
                own.solved,
                self._slots,
                np.empty(len(self._slots) // 2, np.int64),
                np.empty(len(self._slots) // 2, np.int64),
                minimal,
                known,
            )
            if done == len(words):
                return Evaluation([minimal], np.where(known, VALUE, NONE).astype(np.uint8)[None, :])
            self._slots = np.full(2 * len(self._slots), -1, np.int64)


class PlainMinimal:
    """The same by the core's search of a shortest solution."""

    metrics = (MINIMAL,)

    def __init__(self, params: NoParams, generator: Any, tables: Mapping[str, Any]) -> None:
        self._model = RushHour()

    def evaluate(self, state: Board) -> tuple[bool | None]:
        moves = self._moves(state)
        if moves is None:
            return (None,)
        return (
            all(letter == RED or self._moves(without(state, letter)) != moves for letter in pieces(state)),
        )

    def _moves(self, board: Board) -> int | None:
        return shortest_path(self._model, board).length
