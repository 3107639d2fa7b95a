"""Positions as short rows of bits, made from whole planes and back.

A field of a row holds the plane of an object: its bits in one piece, or the number of its only bit.
`fields` has FIELD_SIZE + words entries for each plane: ONLY, the mask of a number, or 0 for a plane in one
piece; WORD and SHIFT, where in a row with `words` spare entries before it the plane's bit 0 (or the number)
lies; FIRST, what is added to a number; and the words of the cells where the object can lie.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import bit_index, lean_njit

ONLY, WORD, SHIFT, FIRST = range(4)
FIELD_SIZE = 4
Z, ONE, S63 = np.uint64(0), np.uint64(1), np.uint64(63)
Words = NDArray[np.uint64]


@lean_njit
def shorten(
    fields: Words, words: int, planes: Words, rows: Words, room: Words, won_from: int, won_to: int
) -> bool:
    """Write (n * size) `rows` of n positions given as planes one after the other.

    The bits `won_from` and `won_to` tell if a position is won. `room` has 2 * words + 2 entries more than a
    row. Returns False if an object lies where it cannot lie.
    """
    size, record = len(room) - 2 * words - 2, FIELD_SIZE + words
    count = len(fields) // record
    won_word, won_bit = won_from >> 6, ONE << np.uint64(won_from & 63)
    fits = True
    for n in range(len(rows) // size):
        for i in range(len(room)):
            room[i] = Z
        for k in range(count):
            field, plane = k * record, (n * count + k) * words
            word, shift = np.int64(fields[field + WORD]), fields[field + SHIFT]
            number, some = Z, False
            for w in range(words):
                bits = planes[plane + w]
                if k * words + w == won_word:
                    bits &= ~won_bit
                fits &= not bits & ~fields[field + FIELD_SIZE + w]
                if fields[field + ONLY] == Z:
                    room[word + w] |= bits << shift
                    room[word + w + 1] |= (bits >> ONE) >> (S63 - shift)
                elif bits:
                    fits &= not some and not bits & (bits - ONE)
                    number, some = np.uint64(bit_index(bits)) + np.uint64(64 * w), True
            if fields[field + ONLY]:
                fits &= some
                number -= fields[field + FIRST]
                room[word] |= number << shift
                room[word + 1] |= (number >> ONE) >> (S63 - shift)
        if planes[n * count * words + won_word] & won_bit:
            room[words + (won_to >> 6)] |= ONE << np.uint64(won_to & 63)
        for i in range(size):
            rows[n * size + i] = room[words + i]
    return fits


@lean_njit
def lengthen(
    fields: Words, words: int, rows: Words, planes: Words, room: Words, won_from: int, won_to: int
) -> None:
    """Write the planes of rows; `won_from` is the bit of rows, `won_to` that of planes."""
    size, record = len(room) - 2 * words - 2, FIELD_SIZE + words
    count = len(fields) // record
    for i in range(len(room)):
        room[i] = Z
    for n in range(len(rows) // size):
        for i in range(size):
            room[words + i] = rows[n * size + i]
        for k in range(count):
            field, plane = k * record, (n * count + k) * words
            word, shift = np.int64(fields[field + WORD]), fields[field + SHIFT]
            if fields[field + ONLY]:
                number = (room[word] >> shift) | ((room[word + 1] << ONE) << (S63 - shift))
                bit = np.int64((number & fields[field + ONLY]) + fields[field + FIRST])
                for w in range(words):
                    planes[plane + w] = ONE << np.uint64(bit & 63) if bit >> 6 == w else Z
            else:
                for w in range(words):
                    low, high = room[word + w], room[word + w + 1]
                    found = (low >> shift) | ((high << ONE) << (S63 - shift))
                    planes[plane + w] = found & fields[field + FIELD_SIZE + w]
        if rows[n * size + (won_from >> 6)] >> np.uint64(won_from & 63) & ONE:
            planes[n * count * words + (won_to >> 6)] |= ONE << np.uint64(won_to & 63)


@lean_njit
def merge_successors(
    counts: NDArray[np.int64], left: NDArray[np.int64], others: NDArray[np.int64], size: int, first: Words,
    first_actions: NDArray[np.uint8], second: Words, second_actions: NDArray[np.uint8], rows: Words,
    actions: NDArray[np.uint8],
) -> None:  # fmt: skip
    """Join successors of positions by the order of their inputs, and add to `counts`, (n,).

    `others` counts those of `second`, for the positions that have something `left`.
    """
    here = there = at = place = 0
    for n in range(len(counts)):
        here_end, there_end = here + counts[n], there
        if left[n]:
            there_end += others[at]
            counts[n] += others[at]
            at += 1
        while here < here_end or there < there_end:
            if there == there_end or (here < here_end and first_actions[here] < second_actions[there]):
                for i in range(size):
                    rows[place * size + i] = first[here * size + i]
                actions[place] = first_actions[here]
                here += 1
            else:
                for i in range(size):
                    rows[place * size + i] = second[there * size + i]
                actions[place] = second_actions[there]
                there += 1
            place += 1
