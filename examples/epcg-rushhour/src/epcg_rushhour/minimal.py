"""Whether each piece of a board matters: a compiled evaluator, and the same in plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import NONE, VALUE, Evaluation, NoParams, read_only, shortest_path
from epcg_rushhour import cluster_kernels, play_kernels
from epcg_rushhour.boards import Packed
from epcg_rushhour.cells import MORE, digits_of
from epcg_rushhour.cluster_kernels import Met, Moves, Room
from epcg_rushhour.graph import tables, words_of
from epcg_rushhour.line_kernels import Part
from epcg_rushhour.lines import lines
from epcg_rushhour.metrics import CLUSTER_MINIMAL, MINIMAL
from epcg_rushhour.packed import ENOUGH, PackedBoards, Rows, boxes_for, part_for
from epcg_rushhour.rules import RED, Board, RushHour, fills_a_line, pieces, red_row, without

_SLOTS = 2**12
TWELVE = 12
"""The cells whose letters are one number."""


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


class OfClusters:
    """Whether the hardest board of a cluster is minimal, at the lowest rank of the cluster's packed boards.

    Blocks are scored from the graph in parts (`epcg_rushhour.packed`), each cluster once.
    """

    metrics = (CLUSTER_MINIMAL,)

    def __init__(self, params: NoParams, generator: Packed, tables: Mapping[str, Any]) -> None:
        self._plain = PlainOfClusters(params, generator, tables)
        self._boards: PackedBoards = generator.closed_graph
        size = generator.size
        self._lines, self._moves = lines(size), _moves(size)
        self._boxes = boxes_for(size)
        self._part = part_for(4 * ENOUGH)
        self._room = _room_for(self._part)
        self._met = _met_for(_SLOTS)

    def plain(self) -> PlainOfClusters:
        return self._plain

    def evaluate(self, state: Board) -> tuple[bool | None]:
        return self._plain.evaluate(state)

    def evaluate_block(self, start: int, count: int) -> Evaluation:
        minimal, known = np.zeros((2, count), np.bool_)
        if not count:  # compiles the kernels
            (rows, index, _), *_ = self._boards.lying(0, 1)
            self._write(rows, rows.codes[index:index], 0, minimal, known)
        for rows, index, beyond in self._boards.lying(start, count):
            begin = int(rows.begins[index])
            first = max(start, begin)
            stop = min(start + count, int(rows.begins[beyond]))
            own = slice(first - start, stop - start)
            self._write(rows, rows.codes[index:beyond], stop - begin, minimal[own], known[own])
        return Evaluation([minimal], np.where(known, VALUE, NONE).astype(np.uint8)[None, :])

    def _write(
        self,
        rows: Rows,
        codes: NDArray[np.int64],
        stop: int,
        minimal_out: NDArray[np.bool_],
        known_out: NDArray[np.bool_],
    ) -> None:
        """Write the values of the last packed boards before number `stop` of those with these lines."""
        done = skip = 0
        while True:
            done, skip, full = cluster_kernels.write_minimal(
                rows.signatures,
                read_only(codes),
                done,
                skip,
                stop,
                self._lines,
                self._moves,
                self._boxes,
                self._part,
                self._room,
                self._met,
                minimal_out,
                known_out,
            )
            if full:
                self._met = _met_for(2 * len(self._met.slots))
            elif done == len(codes) or skip >= stop:
                return
            else:
                self._part = part_for(2 * len(self._part.goals))
                self._room = _room_for(self._part)


def _moves(size: int) -> Moves:
    own = tables(size)
    pieces, ones = np.zeros((2, -(-(size**2) // TWELVE), 2 * size, len(own.kinds)), np.int64)
    for lying, kinds in enumerate(own.kinds):
        piece = np.where(kinds > 0, np.cumsum((kinds > 0) & (kinds < MORE)), 0).tolist()
        for line, place in product(range(size), np.flatnonzero(piece).tolist()):
            for at, cell in ((line, line * size + place), (size + line, place * size + line)):
                one = 1 << 5 * (TWELVE - 1 - cell % TWELVE)
                ones[cell // TWELVE, at, lying] += one
                pieces[cell // TWELVE, at, lying] += one * piece[place]
    return Moves(own.cells, own.first, own.target, own.way, own.fewer, pieces, ones, own.solved)


def _room_for(part: Part) -> Room:
    boards, edges = len(part.goals), len(part.edges)
    numbers = [np.empty(each, np.int32) for each in (2 * edges, *[boards] * 4)]
    return Room(np.empty(boards + 1, np.int64), *numbers)


def _met_for(slots: int) -> Met:
    return Met(np.full(slots, -1, np.int64), np.empty(slots // 2, np.int64), np.empty(slots // 2, np.int64))


class PlainOfClusters:
    """The same by the core's search of a shortest solution, and a set of all boards of the cluster."""

    metrics = (CLUSTER_MINIMAL,)

    def __init__(self, params: NoParams, generator: Packed, tables: Mapping[str, Any]) -> None:
        self._generator, self._minimal = generator, PlainMinimal(params, generator, tables)

    def evaluate(self, state: Board) -> tuple[bool | None]:
        model = self._generator.transition_model
        boards, queue = {state}, [state]
        for board in queue:
            new = {model.apply(board, action) for action in model.actions(board)} - boards
            boards |= new
            queue += sorted(new)
        moves = dict.fromkeys(filter(model.is_goal, boards), 0)
        queue = list(moves)
        for board in queue:  # a move can be taken back
            for action in model.actions(board):
                before = model.apply(board, action)
                if before not in moves:
                    moves[before] = moves[board] + 1
                    queue.append(before)
        if not moves or self._generator.rank(state) != min(self._ranks(boards)):
            return (None,)
        most = max(moves.values())
        return self._minimal.evaluate(min(board for board, each in moves.items() if each == most))

    def _ranks(self, boards: Iterable[Board]) -> Iterator[int]:
        model = self._generator.transition_model
        for board in boards:
            if not any(action.split()[1] in ("left", "up") for action in model.actions(board)):
                yield self._generator.rank(board)
