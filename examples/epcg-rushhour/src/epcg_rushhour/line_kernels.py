"""Compiled enumeration of boards by the signatures of their lines: all boards that share them, and the moves.

With the columns fixed, the rows are independent of each other: a row's own pieces lie in one of the ways
that leave the columns' cells free. So the boards that share their signatures and their columns are a box, a
product of one list for each row, and a board's number in it needs no table: boxes follow each other, in each
the last row changes first. A move of a column leads from a part of a box to a part of another. Where columns
can lie in more ways than rows, boards are turned: rows are fixed, and columns make the box. The lines that
are fixed in a box are called outer, the others inner, and a set of cells counts along the inner ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import njit
from epcg_rushhour.lines import Lines


class Boxes(NamedTuple):
    """Room for the boxes of some signatures: how outer lines can lie, so that inner ones can."""

    ways: NDArray[np.int64]
    """The arrangements of the outer lines, the first one's in the three lowest bits. (room,)"""
    taken: NDArray[np.int64]
    """The cells that they take. (room,)"""
    base: NDArray[np.int64]
    """How many boards there are in earlier boxes. (room + 1,)"""
    number: NDArray[np.int32]
    """The number of a box by its way, while they are in use; otherwise -1. (8 ** size,)"""


class Part(NamedTuple):
    """Room for a part of the graph: boards by number, in the order of the signatures and of the boxes."""

    edges: NDArray[np.int32]
    """Moves, each once. (room, 2)"""
    goals: NDArray[np.int32]
    """The boards that are won. (boards,)"""
    packed: NDArray[np.int32]
    """The packed ones. (boards,)"""


@njit
def count_packed(
    rows: NDArray[np.int64],
    lines: Lines,
    firsts: NDArray[np.int64],
    targets: NDArray[np.int64],
    begun: NDArray[np.int64],
    counts_out: NDArray[np.int64],
) -> None:
    """Count the packed boards with some rows, by their columns.

    Args:
        rows: the signatures of the rows, (size,).
        lines: the tables.
        firsts: the first way on from a state with a signature, (states * G + 1,): its ways are those before
            the next's.
        targets: the state after each way; the last one is the end.
        begun: the pieces that begin to lie down, two bits a column: 1 for two cells, 2 for three.
        counts_out: the number of boards by the columns' signatures, which are digits to the base of G, the
            first column's first, (G ** size,).
    """
    size = lines.size
    groups = lines.pieces.size
    way = np.zeros(size, np.int64)
    stop = np.zeros(size, np.int64)
    parts = np.zeros(size + 1, np.int64)  # the signatures of the columns so far, four bits each
    way[0] = firsts[rows[0]]
    stop[0] = firsts[rows[0] + 1]
    row = 0
    while row >= 0:
        if way[row] == stop[row]:
            row -= 1
            continue
        chosen = way[row]
        way[row] += 1
        part = parts[row]
        left = begun[chosen]
        column = 0
        while left > 0:
            if left & 3:
                before = (part >> (4 * column)) & 15
                part += (lines.after[before, 1 + (left & 3)] - before) << (4 * column)
            left >>= 2
            column += 1
        if row == size - 1:
            code = 0
            for column in range(size):
                code = code * groups + ((part >> (4 * column)) & 15)
            counts_out[code] += 1
            continue
        row += 1
        parts[row] = part
        at = targets[chosen] * groups + rows[row]
        way[row] = firsts[at]
        stop[row] = firsts[at + 1]


@njit
def holes(cells: int, line: int, size: int) -> int:
    """Return the places of an inner line that are among some cells."""
    return (cells >> (size * line)) & ((1 << size) - 1)


@njit
def are_turned(rows: NDArray[np.int64], columns: NDArray[np.int64], lines: Lines) -> bool:
    """Return whether columns are the inner lines: they can lie in more ways than the rows."""
    rows_ways = 1
    columns_ways = 1
    for line in range(lines.size):
        rows_ways *= lines.kinds[rows[line]]
        columns_ways *= lines.kinds[columns[line]]
    return columns_ways > rows_ways


@njit
def read_columns(code: int, lines: Lines, columns_out: NDArray[np.int64]) -> None:
    """Write the signatures of columns from their number, as of `count_packed`."""
    for column in range(lines.size - 1, -1, -1):
        columns_out[column] = code % lines.pieces.size
        code //= lines.pieces.size


@njit
def find_boxes(
    inner: NDArray[np.int64], outer: NDArray[np.int64], lines: Lines, boxes: Boxes
) -> tuple[int, int]:
    """Write the boxes of some signatures of lines, (size,) each. Returns how many boxes and boards."""
    size = lines.size
    at = np.full(size, -1, np.int64)
    taken = np.zeros(size + 1, np.int64)
    found = 0
    boards = 0
    fixed = 0
    while fixed >= 0:
        at[fixed] += 1
        if at[fixed] == lines.kinds[outer[fixed]]:
            at[fixed] = -1
            fixed -= 1
            continue
        cells = taken[fixed] | lines.down[fixed, lines.places[outer[fixed], at[fixed]]]
        volume = 1
        for line in range(size):
            volume *= lines.fitting[inner[line], holes(cells, line, size)]
        if volume == 0:
            continue
        taken[fixed + 1] = cells
        if fixed < size - 1:
            fixed += 1
            continue
        way = 0
        for each in range(size):
            way |= at[each] << (3 * each)
        boxes.ways[found] = way
        boxes.taken[found] = cells
        boxes.base[found] = boards
        boards += volume
        found += 1
    boxes.base[found] = boards
    return found, boards


@njit
def add_edges(
    inner: NDArray[np.int64],
    outer: NDArray[np.int64],
    lines: Lines,
    boxes: Boxes,
    found: int,
    first: int,
    edges_out: NDArray[np.int32],
    edge: int,
) -> int:
    """Write the moves between the boards of some boxes. Returns how many there are; -1 if there is no room.

    Args:
        inner: the signatures of the inner lines, (size,).
        outer: those of the outer lines, (size,).
        lines: the tables.
        boxes: the boxes.
        found: how many they are.
        first: the number of the first board.
        edges_out: the moves, (room, 2).
        edge: how many there are before.
    """
    size = lines.size
    stride = np.empty(size, np.int64)
    other_stride = np.empty(size, np.int64)
    sources = np.empty(boxes.base[found], np.int32)
    targets = np.empty(boxes.base[found], np.int32)
    room = edges_out.shape[0]
    for box in range(found):
        boxes.number[boxes.ways[box]] = box
    for box in range(found):
        cells = boxes.taken[box]
        begin = first + boxes.base[box]
        volume = 1
        for line in range(size - 1, -1, -1):
            stride[line] = volume
            volume *= lines.fitting[inner[line], holes(cells, line, size)]
        for line in range(size):  # moves of an inner line stay in the box
            kind = inner[line]
            here = holes(cells, line, size)
            step = stride[line]
            period = step * lines.fitting[kind, here]
            if period == step:
                continue
            for move in range(lines.move_count[kind]):
                one = lines.digit[kind, here, lines.moves[kind, move, 0]] * step
                two = lines.digit[kind, here, lines.moves[kind, move, 1]] * step
                if one < 0 or two < 0 or lines.moves[kind, move, 2] & here:
                    continue
                if edge < 0 or edge + volume > room:
                    edge = -1
                    break
                for group in range(begin, begin + volume, period):
                    for at in range(group, group + step):
                        edges_out[edge, 0] = at + one
                        edges_out[edge, 1] = at + two
                        edge += 1
        for fixed in range(size):  # moves of an outer one lead to another box
            kind = outer[fixed]
            lying = (boxes.ways[box] >> (3 * fixed)) & 7
            for move in range(lines.move_count[kind]):
                if lines.moves[kind, move, 0] != lying:
                    continue
                other = boxes.number[boxes.ways[box] + ((lines.moves[kind, move, 1] - lying) << (3 * fixed))]
                if other < 0:
                    continue
                crossed = cells | lines.down[fixed, lines.moves[kind, move, 2]]
                there = boxes.taken[other]
                step = 1
                volume = 1
                for line in range(size - 1, -1, -1):
                    other_stride[line] = step
                    step *= lines.fitting[inner[line], holes(there, line, size)]
                    volume *= lines.fitting[inner[line], holes(crossed, line, size)]
                if edge < 0 or edge + volume > room:
                    edge = -1
                    break
                if volume == 0:
                    continue
                sources[0] = begin
                targets[0] = first + boxes.base[other]
                filled = 1
                for line in range(size):
                    across = inner[line]
                    left = holes(crossed, line, size)
                    mine = holes(cells, line, size)
                    theirs = holes(there, line, size)
                    many = lines.fitting[across, left]
                    for choice in range(many - 1, -1, -1):
                        chosen = lines.fits[across, left, choice]
                        more = lines.digit[across, mine, chosen] * stride[line]
                        others = lines.digit[across, theirs, chosen] * other_stride[line]
                        for each in range(filled):
                            sources[choice * filled + each] = sources[each] + more
                            targets[choice * filled + each] = targets[each] + others
                    filled *= many
                for each in range(volume):
                    edges_out[edge, 0] = sources[each]
                    edges_out[edge, 1] = targets[each]
                    edge += 1
    for box in range(found):
        boxes.number[boxes.ways[box]] = -1
    return edge


@njit
def add_marks(
    inner: NDArray[np.int64],
    outer: NDArray[np.int64],
    turned: bool,
    lines: Lines,
    boxes: Boxes,
    found: int,
    first: int,
    goals_out: NDArray[np.int32],
    goals: int,
    packed_out: NDArray[np.int32],
    packed: int,
) -> tuple[int, int]:
    """Write which boards are won, and which are packed; return how many of each there are with those before.

    Args: as of `add_edges`; and
        turned: whether the inner lines are the columns.
        goals_out: the boards that are won, (boards,).
        goals: how many there are before.
        packed_out: the packed ones, (boards,).
        packed: how many there are before.
    """
    size = lines.size
    held = np.empty(boxes.base[found], np.int64)
    needed = np.empty(boxes.base[found], np.int64)
    for box in range(found):
        cells = boxes.taken[box]
        begin = first + boxes.base[box]
        held[0] = cells
        needed[0] = 0
        for fixed in range(size):
            lying = (boxes.ways[box] >> (3 * fixed)) & 7
            needed[0] |= lines.down[fixed, lines.before[outer[fixed], lying]]
        volume = 1
        below = 1
        for line in range(size - 1, -1, -1):
            kind = inner[line]
            here = holes(cells, line, size)
            if line == lines.red:
                below = volume
            for choice in range(lines.fitting[kind, here] - 1, -1, -1):
                lying = lines.fits[kind, here, choice]
                for each in range(volume):
                    held[choice * volume + each] = held[each] | lines.places[kind, lying] << (size * line)
                    needed[choice * volume + each] = needed[each] | lines.before[kind, lying] << (size * line)
            volume *= lines.fitting[kind, here]
        for each in range(volume):
            if needed[each] & ~held[each] == 0:
                packed_out[packed] = begin + each
                packed += 1
        if turned:
            if ((boxes.ways[box] >> (3 * lines.red)) & 7) == lines.exit:
                for each in range(volume):
                    goals_out[goals] = begin + each
                    goals += 1
            continue
        here = holes(cells, lines.red, size)
        last = lines.digit[lines.car, here, lines.exit]
        if last >= 0:
            for group in range(last * below, volume, below * lines.fitting[lines.car, here]):
                for each in range(group, group + below):
                    goals_out[goals] = begin + each
                    goals += 1
    return goals, packed


@njit
def add_boards(
    rows: NDArray[np.int64],
    codes: NDArray[np.int64],
    lines: Lines,
    boxes: Boxes,
    part: Part,
    enough: int,
    counts_out: NDArray[np.int64],
) -> int:
    """Write the boards of some rows, with one code of columns after the other, until there are enough.

    Returns how many codes are done; 0 if there is no room for the first one.

    Args:
        rows: the signatures of the rows, (size,).
        codes: the columns, as of `count_packed`, (n,).
        lines: the tables.
        boxes: room for those of one code.
        part: where the boards go.
        enough: the number of boards with which this ends.
        counts_out: how many boards, moves, boards that are won, and packed ones there are, (4,).
    """
    columns = np.empty(lines.size, np.int64)
    boards = 0
    edges = 0
    goals = 0
    packed = 0
    done = 0
    while done < codes.size and boards < enough:
        read_columns(codes[done], lines, columns)
        turned = are_turned(rows, columns, lines)
        inner = columns if turned else rows
        outer = rows if turned else columns
        found, more = find_boxes(inner, outer, lines, boxes)
        if boards + more > part.goals.size:
            break
        new = add_edges(inner, outer, lines, boxes, found, boards, part.edges, edges)
        if new < 0:
            break
        edges = new
        goals, packed = add_marks(
            inner, outer, turned, lines, boxes, found, boards, part.goals, goals, part.packed, packed
        )
        boards += more
        done += 1
    counts_out[0] = boards
    counts_out[1] = edges
    counts_out[2] = goals
    counts_out[3] = packed
    return done


@njit
def word_of(
    number: int,
    box: int,
    inner: NDArray[np.int64],
    outer: NDArray[np.int64],
    turned: bool,
    lines: Lines,
    boxes: Boxes,
) -> int:
    """Return a board as a word, five bits a line, from its number and its box.

    The others are as of `add_marks`.
    """
    size = lines.size
    rest = number - boxes.base[box]
    inner_word = 0
    outer_word = 0
    for line in range(size - 1, -1, -1):
        here = holes(boxes.taken[box], line, size)
        many = lines.fitting[inner[line], here]
        lying = lines.fits[inner[line], here, rest % many]
        inner_word |= lines.of_all[inner[line], lying] << (5 * line)
        rest //= many
        lying = (boxes.ways[box] >> (3 * line)) & 7
        outer_word |= lines.of_all[outer[line], lying] << (5 * line)
    if turned:
        return int(outer_word | inner_word << (5 * size))
    return int(inner_word | outer_word << (5 * size))


@njit
def words_at(
    rows: NDArray[np.int64],
    code: int,
    lines: Lines,
    boxes: Boxes,
    numbers: NDArray[np.int64],
    words_out: NDArray[np.int64],
) -> None:
    """Write boards as words, five bits a line, from their numbers, which increase, (n,).

    Args:
        rows: the signatures of the rows, (size,).
        code: the columns, as of `count_packed`.
        lines: the tables.
        boxes: room.
        numbers: the numbers among the boards with these rows and columns, (n,).
        words_out: the words, (n,).
    """
    size = lines.size
    columns = np.empty(size, np.int64)
    read_columns(code, lines, columns)
    turned = are_turned(rows, columns, lines)
    inner = columns if turned else rows
    outer = rows if turned else columns
    find_boxes(inner, outer, lines, boxes)
    box = 0
    for at in range(numbers.size):
        while boxes.base[box + 1] <= numbers[at]:
            box += 1
        words_out[at] = word_of(numbers[at], box, inner, outer, turned, lines, boxes)


@njit
def numbers_of(
    rows: NDArray[np.int64],
    code: int,
    lines: Lines,
    boxes: Boxes,
    words: NDArray[np.int64],
    numbers_out: NDArray[np.int64],
) -> None:
    """Write the numbers of boards, (n,), as of `words_at`."""
    size = lines.size
    columns = np.empty(size, np.int64)
    read_columns(code, lines, columns)
    turned = are_turned(rows, columns, lines)
    inner = columns if turned else rows
    outer = rows if turned else columns
    found, _ = find_boxes(inner, outer, lines, boxes)
    inner_at = 5 * size if turned else 0
    outer_at = 5 * size - inner_at
    for box in range(found):
        boxes.number[boxes.ways[box]] = box
    for at in range(words.size):
        way = 0
        for line in range(size):
            way |= lines.own[(words[at] >> (outer_at + 5 * line)) & 31] << (3 * line)
        box = boxes.number[way]
        number = 0
        for line in range(size):
            here = holes(boxes.taken[box], line, size)
            number *= lines.fitting[inner[line], here]
            number += lines.digit[inner[line], here, lines.own[(words[at] >> (inner_at + 5 * line)) & 31]]
        numbers_out[at] = boxes.base[box] + number
    for box in range(found):
        boxes.number[boxes.ways[box]] = -1


@njit
def signatures_of(
    words: NDArray[np.int64], lines: Lines, rows_out: NDArray[np.int64], columns_out: NDArray[np.int64]
) -> None:
    """Write the numbers of the signatures of boards: of rows but the red car's, and of columns, (n,) each."""
    for at in range(words.size):
        rows = 0
        columns = 0
        for line in range(lines.size):
            if line != lines.red:
                rows = rows * lines.pieces.size + lines.signature[(words[at] >> (5 * line)) & 31]
            columns *= lines.pieces.size
            columns += lines.signature[(words[at] >> (5 * (lines.size + line))) & 31]
        rows_out[at] = rows
        columns_out[at] = columns
