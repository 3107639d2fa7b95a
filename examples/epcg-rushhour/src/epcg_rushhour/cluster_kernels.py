"""Compiled play from the hardest board of each cluster: whether each of its pieces matters.

Clusters come from boxes (see `epcg_rushhour.line_kernels`). A letter names the same piece on all boards of a
cluster, so boards are compared by the letters of their cells, whose numbers go by the lines' signatures.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import njit
from epcg_rushhour.line_kernels import (
    Boxes,
    Part,
    add_edges,
    add_marks,
    are_turned,
    find_boxes,
    read_columns,
    word_of,
)
from epcg_rushhour.lines import Lines
from epcg_rushhour.play_kernels import FULL, NONE, idle_piece


class Moves(NamedTuple):
    """Tables of the lines' moves, as of `play_kernels.moves_of`."""

    cells: NDArray[np.int64]
    first: NDArray[np.int64]
    target: NDArray[np.int64]
    way: NDArray[np.int64]
    fewer: NDArray[np.int64]
    """The arrangement without its first and without its second piece; -1 for none. (arrangements, 2)"""
    pieces: NDArray[np.int64]
    """Summands of a number as of `letters_of`: 1 for each cell of a line's first piece, 2 for each of the
    second. (twelves, lines, arrangements)"""
    ones: NDArray[np.int64]
    """The same with 1 for each cell of either. (twelves, lines, arrangements)"""
    solved: int
    """The arrangement of the red row that wins."""


class Room(NamedTuple):
    """Room for the boards of some signatures."""

    begins: NDArray[np.int64]
    """Where the neighbours of a board begin among all. (boards + 1,)"""
    ends: NDArray[np.int32]
    """Neighbours. (2 edges,)"""
    cluster: NDArray[np.int32]
    """The cluster of a board, -1 of one without a solved board. (boards,)"""
    depth: NDArray[np.int32]
    """The moves that a board needs. (boards,)"""
    queue: NDArray[np.int32]
    """(boards,)"""
    hardest: NDArray[np.int32]
    """The hardest boards of all clusters, each cluster's together. (boards,)"""


class Met(NamedTuple):
    """Room for the boards that play from one board meets, as of `play_kernels.moves_of`."""

    slots: NDArray[np.int64]
    boards: NDArray[np.int64]
    places: NDArray[np.int64]


@njit
def list_neighbours(boards: int, edges: NDArray[np.int32], count: int, room: Room) -> None:
    """List the neighbours of each board by the first `count` edges, which lead both ways."""
    room.begins[: boards + 1] = 0
    for at in range(count):
        room.begins[edges[at, 0]] += 1
        room.begins[edges[at, 1]] += 1
    for at in range(1, boards + 1):
        room.begins[at] += room.begins[at - 1]
    for at in range(count):
        for end in range(2):
            room.begins[edges[at, end]] -= 1
            room.ends[room.begins[edges[at, end]]] = edges[at, 1 - end]


@njit
def find_hardest(
    boards: int,
    goals: NDArray[np.int32],
    goal_count: int,
    room: Room,
    begins_out: NDArray[np.int64],
    moves_out: NDArray[np.int64],
) -> int:
    """Find the clusters with a solved board, and their hardest boards. Returns how many clusters there are.

    Args:
        boards: how many boards there are.
        goals: those that are won, (room,).
        goal_count: how many these are.
        room: the neighbours; the rest is written.
        begins_out: where the hardest boards of a cluster begin among those of all, (goals + 1,).
        moves_out: the moves that they need, (goals,).
    """
    room.cluster[:boards] = -1
    room.depth[:boards] = -1
    clusters = 0
    found = 0
    for number in range(goal_count):  # a goal is a board without moves to go, so its depth is 0
        room.depth[goals[number]] = 0
    for number in range(goal_count):
        if room.cluster[goals[number]] >= 0:
            continue
        # All boards of the cluster; those that are won are put together at the front when they are met again.
        room.queue[0] = goals[number]
        room.cluster[goals[number]] = clusters
        tail = 1
        head = 0
        while head < tail:
            at = room.queue[head]
            head += 1
            for edge in range(room.begins[at], room.begins[at + 1]):
                other = room.ends[edge]
                if room.cluster[other] < 0:
                    room.cluster[other] = clusters
                    room.queue[tail] = other
                    tail += 1
        won = 0
        for head in range(tail):
            at = room.queue[head]
            if room.depth[at] == 0:
                room.queue[won] = at
                won += 1
        begins_out[clusters] = found
        last = 0  # where the hardest boards begin
        beyond = won
        head = 0
        tail = won
        while head < tail:
            if head == beyond:
                last = beyond
                beyond = tail
            at = room.queue[head]
            head += 1
            for edge in range(room.begins[at], room.begins[at + 1]):
                other = room.ends[edge]
                if room.depth[other] < 0:
                    room.depth[other] = room.depth[at] + 1
                    room.queue[tail] = other
                    tail += 1
        moves_out[clusters] = room.depth[room.queue[tail - 1]]
        for at in range(last, tail):
            room.hardest[found] = room.queue[at]
            found += 1
        clusters += 1
    begins_out[clusters] = found
    return clusters


@njit
def letters_of(word: int, place: int, letters: NDArray[np.int64], moves: Moves) -> int:
    """Return the letters of twelve cells of a board, of the place-th twelve, as one number of five bits each.

    Of two boards of a cluster the one with the lower number comes first in alphabetical order, '.' before
    letters. `letters` has the number of letters before each line's own, (lines,).
    """
    found = 0
    for line in range(letters.size):
        lying = (word >> (5 * line)) & 31
        found += moves.pieces[place, line, lying] + letters[line] * moves.ones[place, line, lying]
    return int(found)


@njit
def is_before(word: int, other: int, letters: NDArray[np.int64], moves: Moves) -> bool:
    """Return whether a board of a cluster comes before another one in alphabetical order."""
    for place in range(moves.pieces.shape[0]):
        mine = letters_of(word, place, letters, moves)
        others = letters_of(other, place, letters, moves)
        if mine != others:
            return mine < others
    return False


@njit
def write_minimal(
    rows: NDArray[np.int64],
    codes: NDArray[np.int64],
    done: int,
    skip: int,
    stop: int,
    lines: Lines,
    moves: Moves,
    boxes: Boxes,
    part: Part,
    room: Room,
    met: Met,
    minimal_out: NDArray[np.bool_],
    known_out: NDArray[np.bool_],
) -> tuple[int, int, int]:
    """Write whether each piece of a cluster's hardest board matters, at the lowest of its packed boards.

    Goes on until all codes are done, or one has no room. Returns how many are done; how many packed boards
    those that are done have; and FULL if the room for the boards that play meets is too small.

    Args:
        rows: the signatures of the rows, (size,).
        codes: the columns, as of `line_kernels.count_packed`, (n,).
        done: how many codes were done before.
        skip: how many packed boards these have.
        stop: the number of a packed board with which this ends; boards count from the first code's.
        lines: the tables of signatures.
        moves: the tables of moves.
        boxes: room.
        part: room.
        room: room.
        met: room; its slots are all -1 before and after.
        minimal_out: for the boards first .. stop - 1, (n,), where first is stop - n.
        known_out: which of them are the lowest of a cluster with a solved board, (n,).
    """
    size = lines.size
    columns = np.empty(size, np.int64)
    letters = np.zeros(2 * size, np.int64)
    first = stop - minimal_out.size
    begin = 0  # clusters that follow each other are alike: the piece that did not matter is tried first
    while done < codes.size and skip < stop:
        read_columns(codes[done], lines, columns)
        turned = are_turned(rows, columns, lines)
        inner = columns if turned else rows
        outer = rows if turned else columns
        found, boards = find_boxes(inner, outer, lines, boxes)
        if boards > part.goals.size:
            break
        edges = add_edges(inner, outer, lines, boxes, found, 0, part.edges, 0)
        if edges < 0:
            break
        goals, packed = add_marks(inner, outer, turned, lines, boxes, found, 0, part.goals, 0, part.packed, 0)
        list_neighbours(boards, part.edges, edges, room)
        begins = np.empty(goals + 1, np.int64)
        needed = np.empty(goals, np.int64)
        clusters = find_hardest(boards, part.goals, goals, room, begins, needed)
        letters[lines.red] = 0
        before = 1
        for line in range(2 * size):
            if line != lines.red:
                letters[line] = before
                before += lines.pieces[rows[line] if line < size else columns[line - size]]
        met_before = np.zeros(clusters, np.bool_)
        for at in range(packed):
            own = room.cluster[part.packed[at]]
            if own < 0 or met_before[own]:
                continue
            met_before[own] = True
            entry = skip + at - first
            if entry < 0 or entry >= minimal_out.size:
                continue
            known_out[entry] = True
            minimal_out[entry] = False
            if needed[own] < 2:  # without a piece it needs no fewer moves
                minimal_out[entry] = before == 1
                continue
            best = -1
            for each in range(begins[own], begins[own + 1]):
                number = room.hardest[each]
                box = np.searchsorted(boxes.base[: found + 1], number, "right") - 1
                word = word_of(number, box, inner, outer, turned, lines, boxes)
                if best < 0 or is_before(word, best, letters, moves):
                    best = word
            idle = idle_piece(
                best,
                needed[own],
                begin,
                moves.cells,
                moves.first,
                moves.target,
                moves.way,
                moves.fewer,
                lines.red,
                moves.solved,
                met.slots,
                met.boards,
                met.places,
            )
            if idle == FULL:
                return done, skip, FULL
            minimal_out[entry] = idle == NONE
            if idle != NONE:
                begin = idle
        done += 1
        skip += packed
    return done, skip, 0
