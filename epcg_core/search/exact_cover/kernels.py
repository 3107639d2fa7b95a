"""The kernels of exact cover: fill the first empty cell, in every way, depth first.

The filled cells, and the pieces that are used up, are bits of 64-bit words. Any placement that covers the
first empty cell has it as its first cell, because all cells before it are decided: placements are sorted by
their first cell, then by piece. Which of a cell's placements fit is the AND of a few entries of a table, one
for each six bits that matter to the cell: no placement is tried in vain. An optional cell may also be left
empty; it counts as filled from then on.

Arguments: `begin`, (cells + 1,), where the placements of each first cell begin; `piece`, (n,), and `masks`,
(n, words), the piece of each placement and its cells; `chunk_begin`, `chunks`, `table`: see `make_table`;
`left_first`, copies of each piece that may still be used; `slack`, how many of them may be left at the end;
`labels`, `images`, `tests`: see `is_smallest`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.combinatorics.kernels import bit_count, bit_index, copy_row
from epcg_core.compiled import bare_njit, njit

_ONE = np.uint64(1)
_FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
_SIX = np.int64(6)
_LOW = np.int64(63)
_CHUNK = np.uint64(63)
_MULTIPLIER = np.uint64(6364136223846793005)
_INCREMENT = np.uint64(1442695040888963407)
_THIRTY_THREE = np.uint64(33)
FIRST_ROWS = 64


@njit
def _sort(row: NDArray[np.int32], count: int) -> None:
    """Sort the first `count` entries, which are few."""
    for i in range(1, count):
        value = row[i]
        j = i - 1
        while j >= 0 and row[j] > value:
            row[j + 1] = row[j]
            j -= 1
        row[j + 1] = value


@njit
def is_smallest(
    stack: NDArray[np.int64],
    count: int,
    labels: NDArray[np.int32],
    images: NDArray[np.int32],
    tests: NDArray[np.int32],
    own: NDArray[np.int32],
    other: NDArray[np.int32],
) -> bool:
    """Return whether no tested image of the stacked cover precedes it; `own` and `other` are buffers.

    Covers are compared by the sorted `labels` of their placements. `images`, (symmetries, n), has the labels
    of the placements' images. Each of `tests`, (m, 2), is a placement and a row of `images` that is tested if
    the cover has the placement; -1 instead of it stands for all covers.
    """
    if tests.shape[0] == 0:
        return True
    for i in range(count):
        own[i] = labels[stack[i]]
    _sort(own, count)
    for test in range(tests.shape[0]):
        applies = tests[test, 0] < 0
        for i in range(count):
            applies = applies or stack[i] == tests[test, 0]
        if not applies:
            continue
        for i in range(count):
            other[i] = images[tests[test, 1], stack[i]]
        _sort(other, count)
        for i in range(count):
            if other[i] != own[i]:
                if other[i] < own[i]:
                    return False
                break
    return True


@njit
def satisfied(left: NDArray[np.int64], slack: NDArray[np.int64], still_left: int) -> bool:
    """Return whether every piece is used often enough, and no more than `still_left` copies are left."""
    total = np.int64(0)
    for p in range(left.size):
        if left[p] > slack[p]:
            return False
        total += left[p]
    return bool(total <= still_left)


@njit
def with_room(rows: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """Return `rows`, or a copy of twice the size if all are taken."""
    if count < rows.shape[0]:
        return rows
    larger = np.full((2 * rows.shape[0], rows.shape[1]), -1, np.int32)
    for row in range(count):
        copy_row(rows[row], larger[row])
    return larger


@njit
def _conflicts(
    begin: NDArray[np.int64],
    piece: NDArray[np.int64],
    masks: NDArray[np.uint64],
    cell: int,
    word: int,
    bit: int,
    out: NDArray[np.uint64],
) -> bool:
    """Set in `out` which placements of a cell a state's bit rules out; return whether there are any."""
    words = masks.shape[1]
    out[:] = np.uint64(0)
    any_ruled_out = False
    for i in range(begin[cell], begin[cell + 1]):
        if word < words:
            meets_it = (masks[i, word] >> np.uint64(bit)) & _ONE != 0
        else:
            meets_it = piece[i] == 64 * (word - words) + bit
        if meets_it:
            j = i - begin[cell]
            out[j >> _SIX] |= _ONE << np.uint64(j & _LOW)
            any_ruled_out = True
    return any_ruled_out


@njit
def make_table(
    begin: NDArray[np.int64], piece: NDArray[np.int64], masks: NDArray[np.uint64], piece_words: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
    """Return which placements of each cell fit, for each value of six bits of a state.

    A state is `words` words of filled cells, then `piece_words` words of pieces that are used up. Six bits
    that rule out a placement of the cell are a *chunk* of it. Chunks of a cell are `chunk_begin[cell]` to
    `chunk_begin[cell + 1]`; each of `chunks` is (word, shift, offset): its bits are those of the word from
    `shift` on, and with the value v the placements that fit are the bits of `table[offset + v * w]` and the
    following words, `w` in all, enough for the cell's placements.
    """
    cells, state = begin.size - 1, masks.shape[1] + piece_words
    chunk_begin = np.zeros(cells + 1, np.int64)
    chunks = np.zeros((cells * state * 11, 3), np.int64)
    count = 0
    size = 0
    for cell in range(cells):
        own = (begin[cell + 1] - begin[cell] + 63) >> _SIX
        out = np.zeros(own, np.uint64)
        for word in range(state if own else 0):
            for shift in range(0, 64, 6):
                for bit in range(shift, min(shift + 6, 64)):
                    if _conflicts(begin, piece, masks, cell, word, bit, out):
                        chunks[count, 0], chunks[count, 1], chunks[count, 2] = word, shift, size
                        count += 1
                        size += 64 * own
                        break
        chunk_begin[cell + 1] = count
    table = np.full(size, _FULL, np.uint64)
    for cell in range(cells):
        own = (begin[cell + 1] - begin[cell] + 63) >> _SIX
        out = np.zeros(own, np.uint64)
        for k in range(chunk_begin[cell], chunk_begin[cell + 1]):
            word, shift, offset = chunks[k, 0], chunks[k, 1], chunks[k, 2]
            for bit in range(min(6, 64 - shift)):
                if _conflicts(begin, piece, masks, cell, word, shift + bit, out):
                    for value in range(64):
                        if value >> bit & 1:
                            for w in range(own):
                                table[offset + value * own + w] &= ~out[w]
    return chunk_begin, chunks[:count].copy(), table


@bare_njit
def fit(
    begin: NDArray[np.int64],
    chunk_begin: NDArray[np.int64],
    chunks: NDArray[np.int64],
    table: NDArray[np.uint64],
    state: NDArray[np.uint64],
    level: int,
    cell: int,
    fitting: NDArray[np.uint64],
) -> None:
    """Set the bits of the placements of a cell that fit, in the row `level` of `fitting` as of `state`."""
    count = begin[cell + 1] - begin[cell]
    own_words = (count + 63) >> _SIX
    for word in range(own_words):
        rest = count - 64 * word
        bits = _FULL if rest >= 64 else (_ONE << np.uint64(rest)) - _ONE
        for k in range(chunk_begin[cell], chunk_begin[cell + 1]):
            value = (state[level, chunks[k, 0]] >> np.uint64(chunks[k, 1])) & _CHUNK
            bits &= table[np.uint64(chunks[k, 2]) + value * np.uint64(own_words) + np.uint64(word)]
        fitting[level, word] = bits


@njit
def search_cells(
    begin: NDArray[np.int64],
    piece: NDArray[np.int64],
    masks: NDArray[np.uint64],
    chunk_begin: NDArray[np.int64],
    chunks: NDArray[np.int64],
    table: NDArray[np.uint64],
    optional: NDArray[np.uint64],
    filled: NDArray[np.uint64],
    prefix: NDArray[np.int64],
    choice: int,
    left_first: NDArray[np.int64],
    slack: NDArray[np.int64],
    labels: NDArray[np.int32],
    images: NDArray[np.int32],
    tests: NDArray[np.int32],
    spare: int,
    still_spare: int,
    still_left: int,
    depth: int,
    width: int,
    limit: int,
) -> tuple[NDArray[np.int32], int, int]:
    """Find the covers that extend the placements in `prefix`, and count the placements tried.

    `optional` and `filled`, (words,), are cells; bits past the last cell are filled, and some cell is empty.
    `left_first` and `slack` are (choices, pieces), and `choice` is the row that holds. `spare` is how many
    cells may stay empty, and `still_spare` and `still_left` are the most of these, and of copies of all
    pieces, that may be left at the end. At `depth` placements the search stops descending and returns the
    partial cover. Returns (covers, width) int32 rows of placements in the order of the search, -1 after the
    last, the number of covers, and the placements tried. With the width 0 there are no rows. The search stops
    after more than `limit` covers.
    """
    rows = np.full((FIRST_ROWS if width else 0, width), -1, np.int32)
    found, nodes = 0, 0
    cells, words, pieces = begin.size - 1, masks.shape[1], left_first.shape[1]
    state = np.zeros((cells + 1, words + ((pieces + 63) >> _SIX)), np.uint64)
    fitting = np.empty((cells + 1, _most_words(begin)), np.uint64)
    position = np.empty(cells + 1, np.int64)
    may_skip = np.empty(cells + 1, np.bool_)
    chosen = np.empty(cells + 1, np.int64)
    left = left_first[choice].copy()
    stack = np.empty(cells + 1, np.int64)
    own = np.empty(cells + 1, np.int32)
    other = np.empty(cells + 1, np.int32)
    placed = prefix.size
    for i in range(placed):
        stack[i] = prefix[i]
    for p in range(pieces):
        if left[p] == 0:
            state[0, words + (p >> _SIX)] |= _ONE << np.uint64(p & _LOW)
    cell = -1
    for word in range(words):
        bits = filled[word]
        state[0, word] = bits
        if cell < 0 and bits != _FULL:
            cell = 64 * word + int(bit_index(~bits & (bits + _ONE)))
    level = 0
    while level >= 0:
        position[level] = cell
        fit(begin, chunk_begin, chunks, table, state, level, cell, fitting)
        may_skip[level] = (optional[cell >> _SIX] >> np.uint64(cell & _LOW)) & _ONE != 0
        while level >= 0:
            # the next way to fill the cell, or back
            cell = int(position[level])
            i = -1
            for word in range((begin[cell + 1] - begin[cell] + 63) >> _SIX):
                bits = fitting[level, word]
                if bits:
                    lowest = bits & (~bits + _ONE)
                    fitting[level, word] = bits ^ lowest
                    i = int(begin[cell] + 64 * word + bit_index(lowest))
                    break
            following = -1
            if i >= 0:
                p = piece[i]
                chosen[level] = i
                left[p] -= 1
                stack[placed] = i
                placed += 1
                nodes += 1
                for word in range(words):
                    bits = state[level, word] | masks[i, word]
                    state[level + 1, word] = bits
                    if following < 0 and bits != _FULL:
                        following = 64 * word + int(bit_index(~bits & (bits + _ONE)))
                for word in range(words, state.shape[1]):
                    state[level + 1, word] = state[level, word]
                if left[p] == 0:
                    state[level + 1, words + (p >> _SIX)] |= _ONE << np.uint64(p & _LOW)
            elif may_skip[level] and spare > 0:
                may_skip[level] = False
                chosen[level] = -1
                spare -= 1
                for word in range(state.shape[1]):
                    state[level + 1, word] = state[level, word]
                state[level + 1, cell >> _SIX] |= _ONE << np.uint64(cell & _LOW)
                for word in range(words):
                    bits = state[level + 1, word]
                    if following < 0 and bits != _FULL:
                        following = 64 * word + int(bit_index(~bits & (bits + _ONE)))
            else:
                level -= 1
                if level >= 0:
                    if chosen[level] >= 0:
                        left[piece[chosen[level]]] += 1
                        placed -= 1
                    else:
                        spare += 1
                continue
            if following >= 0 and placed != depth:
                cell = following
                level += 1
                break
            if following >= 0 or (
                spare <= still_spare
                and satisfied(left, slack[choice], still_left)
                and is_smallest(stack, placed, labels, images, tests, own, other)
            ):
                if width:
                    rows = with_room(rows, found)
                    for k in range(placed):
                        rows[found, k] = stack[k]
                found += 1
                if found > limit:
                    level = -1
                    break
            if chosen[level] >= 0:
                left[piece[chosen[level]]] += 1
                placed -= 1
            else:
                spare += 1
    return rows[: found if width else 0].copy(), found, nodes


@njit
def dives(
    begin: NDArray[np.int64],
    piece: NDArray[np.int64],
    masks: NDArray[np.uint64],
    chunk_begin: NDArray[np.int64],
    chunks: NDArray[np.int64],
    table: NDArray[np.uint64],
    optional: NDArray[np.uint64],
    filled: NDArray[np.uint64],
    left_first: NDArray[np.int64],
    spare_first: int,
    probes: int,
) -> float:
    """Estimate the nodes of a search by random dives (Knuth 1975), with random numbers of its own."""
    cells, words = begin.size - 1, masks.shape[1]
    state = np.zeros((1, words + ((left_first.size + 63) >> _SIX)), np.uint64)
    fitting = np.zeros((1, _most_words(begin)), np.uint64)
    random = np.uint64(1)
    total = 0.0
    for _ in range(probes):
        left = left_first.copy()
        for word in range(words):
            state[0, word] = filled[word]
        for word in range(words, state.shape[1]):
            state[0, word] = np.uint64(0)
        for p in range(left.size):
            if left[p] == 0:
                state[0, words + (p >> _SIX)] |= _ONE << np.uint64(p & _LOW)
        spare, weight = spare_first, 1.0
        while True:
            cell = cells
            for word in range(words - 1, -1, -1):
                bits = state[0, word]
                if bits != _FULL:
                    cell = 64 * word + int(bit_index(~bits & (bits + _ONE)))
            if cell == cells:
                break
            fit(begin, chunk_begin, chunks, table, state, 0, cell, fitting)
            own_words = (begin[cell + 1] - begin[cell] + 63) >> _SIX
            placements = 0
            for word in range(own_words):
                placements += int(bit_count(fitting[0, word]))
            may_skip = spare > 0 and (optional[cell >> _SIX] >> np.uint64(cell & _LOW)) & _ONE != 0
            number = placements + (1 if may_skip else 0)
            if number == 0:
                break
            total += weight * placements
            weight *= number
            random = random * _MULTIPLIER + _INCREMENT
            way = int(random >> _THIRTY_THREE) % number
            if way == placements:
                spare -= 1
                state[0, cell >> _SIX] |= _ONE << np.uint64(cell & _LOW)
                continue
            i = -1
            for word in range(own_words):
                bits = fitting[0, word]
                while bits and i < 0:
                    if way == 0:
                        i = int(begin[cell] + 64 * word + bit_index(bits & (~bits + _ONE)))
                    way -= 1
                    bits &= bits - _ONE
            left[piece[i]] -= 1
            if left[piece[i]] == 0:
                state[0, words + (piece[i] >> _SIX)] |= _ONE << np.uint64(piece[i] & _LOW)
            for word in range(words):
                state[0, word] |= masks[i, word]
    return total / probes


@njit
def _most_words(begin: NDArray[np.int64]) -> int:
    """Return how many words the placements of a cell need at most."""
    most = 0
    for cell in range(begin.size - 1):
        most = max(most, begin[cell + 1] - begin[cell])
    return int((most + 63) >> _SIX)


@njit
def count_choices(
    begin: NDArray[np.int64],
    piece: NDArray[np.int64],
    masks: NDArray[np.uint64],
    chunk_begin: NDArray[np.int64],
    chunks: NDArray[np.int64],
    table: NDArray[np.uint64],
    optional: NDArray[np.uint64],
    filled: NDArray[np.uint64],
    nothing: NDArray[np.int64],
    left: NDArray[np.int64],
    slack: NDArray[np.int64],
    labels: NDArray[np.int32],
    images: NDArray[np.int32],
    tests: NDArray[np.int32],
    spare: NDArray[np.int64],
    still_spare: int,
    still_left: NDArray[np.int64],
    limit: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Count the covers of each choice, (choices,), and stop each after more than its limit."""
    counts = np.empty(left.shape[0], np.int64)
    deepest = begin.size
    for choice in range(left.shape[0]):
        _, counts[choice], _ = search_cells(
            begin, piece, masks, chunk_begin, chunks, table, optional, filled, nothing, choice, left, slack,
            labels, images, tests, spare[choice], still_spare, still_left[choice],
            deepest, 0, limit[choice],
        )  # fmt: skip
    return counts


@njit
def meets(mask: NDArray[np.uint64], filled: NDArray[np.uint64]) -> bool:
    """Return whether a placement covers a filled cell."""
    for word in range(filled.size):  # noqa: SIM110  (a plain loop compiles)
        if mask[word] & filled[word]:
            return True
    return False
