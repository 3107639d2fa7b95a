"""Where rules match on bit planes: a row everywhere at once, by shifts and operations on whole words.

The arguments are those of `plane_access`.
"""

from __future__ import annotations

import numpy as np

from epcg_core.plugin import bare_njit, bit_count, bit_index, lean_njit
from epcg_puzzlescript.rules import columns as at
from epcg_puzzlescript.rules.columns import WORDS
from epcg_puzzlescript.rules.plane_access import ONE, ZERO, Planes, Table, has, scratch, word_shifted
from epcg_puzzlescript.rules.turn import MOST_COMBINATIONS


@lean_njit
def cell_mask(table: Table, planes: Planes, cell: int, out: int) -> bool:
    """Write the plane of the places that a cell of a rule matches; return whether there are any."""
    words, valid = table[WORDS], table[at.VALID]
    some = ZERO
    for w in range(words):
        mask = planes[valid + w]
        for i in range(table[cell + at.REQUIRED], table[cell + at.REQUIRED_END]):
            mask &= planes[table[i] + w]
        for i in range(table[cell + at.FORBIDDEN], table[cell + at.FORBIDDEN_END]):
            mask &= ~planes[table[i] + w]
        i, end = table[cell + at.ANY], table[cell + at.ANY_END]
        while i < end and mask:
            count = table[i]
            any_of = ZERO
            for k in range(i + 1, i + 1 + count):
                any_of |= planes[table[k] + w]
            mask &= any_of
            i += count + 1
        planes[out + w] = mask
        some |= mask
    return bool(some)


@lean_njit
def part_starts(table: Table, planes: Planes, first: int, count: int, step: int, out: int) -> bool:
    """Write the plane of places where `count` cells from `first` on match; return if there are any."""
    words = table[WORDS]
    mask = scratch(table, at.MASK)
    if not cell_mask(table, planes, first, out):
        return False
    for j in range(1, count):
        if not cell_mask(table, planes, first + j * at.CELL_SIZE, mask):
            return False
        some = ZERO
        for w in range(words):
            planes[out + w] &= word_shifted(planes, mask, -j * step, w, words)
            some |= planes[out + w]
        if some == ZERO:
            return False
    return True


@bare_njit
def note(table: Table, state: Table, total: int, first: int, gap: int, other_gap: int) -> int:
    """Append a match; return the new count, or -1 if there is no room."""
    place = table[at.FOUND] + 3 * total
    if place + 3 > table[at.FOUND_END]:
        return -1
    state[place], state[place + 1], state[place + 2] = first, gap, other_gap
    return total + 1


@lean_njit
def row_matches_at(
    table: Table, planes: Planes, state: Table, rule: int, row: int, parts: int, start: int, total: int
) -> int:
    """Append the matches of a row that begin at a bit, all lengths of its ellipses; -1 if there is no room.

    `parts` is the first of the planes where the parts of the row match.
    """
    if table[row + at.PARTS] == 1:
        return note(table, state, total, start, 0, 0)
    step, size = table[rule + at.STEP], table[at.SIZE]
    x, y = start // table[at.STRIDE], start % table[at.STRIDE]
    place, length = (y, table[at.HEIGHT]) if table[rule + at.UPRIGHT] else (x, table[at.WIDTH])
    room = (length - place if step > 0 else place + 1) - table[row + at.CELLS]
    second = start + table[row + at.PART_1] * step
    for gap in range(room + 1):
        if not has(planes, parts + size, second + gap * step):
            continue
        if table[row + at.PARTS] == 2:
            total = note(table, state, total, start, gap, 0)
        else:
            third = second + (gap + table[row + at.PART_2]) * step
            for other in range(room - gap + 1):
                if total >= 0 and has(planes, parts + 2 * size, third + other * step):
                    total = note(table, state, total, start, gap, other)
        if total < 0:
            return total
    return total


@lean_njit
def collect(table: Table, planes: Planes, state: Table, rule: int) -> int:
    """Collect the matches of all rows of a rule in the order of the scan; return the number of combinations.

    0 if a row has none; -1 after an error. The matches of row r are those from COUNTS + r to COUNTS + r + 1.
    """
    words, size, stride = table[WORDS], table[at.SIZE], table[at.STRIDE]
    first = table[rule + at.ROW]
    parts = table[at.ROW_PLANES]
    for row in range(first, table[rule + at.ROW_END], at.ROW_SIZE):
        cell = table[row + at.CELL]
        for part in range(table[row + at.PARTS]):
            length = table[row + at.PART_1 + part]
            if not part_starts(table, planes, cell, length, table[rule + at.STEP], parts + part * size):
                return 0
            cell += length * at.CELL_SIZE
        parts += 3 * size
    total, combinations = 0, 1
    counts = table[at.COUNTS]
    state[counts] = 0
    parts = table[at.ROW_PLANES]
    for row in range(first, table[rule + at.ROW_END], at.ROW_SIZE):
        before = total
        many = 0
        for w in range(words):
            many += int(bit_count(planes[parts + w]))
        if table[rule + at.UPRIGHT] or many == 1:
            for w in range(words):
                left = planes[parts + w]
                while left:
                    low = left & (~left + ONE)
                    left ^= low
                    bit = 64 * w + int(bit_index(low))
                    if total >= 0:
                        total = row_matches_at(table, planes, state, rule, row, parts, bit, total)
        else:
            for y in range(table[at.HEIGHT]):
                for x in range(table[at.WIDTH]):
                    if total >= 0 and has(planes, parts, x * stride + y):
                        total = row_matches_at(table, planes, state, rule, row, parts, x * stride + y, total)
        if total < 0:
            state[at.ERROR] = at.NO_ROOM
            return -1
        if total == before:
            return 0
        counts += 1
        state[counts] = total
        combinations *= total - before
        if combinations > MOST_COMBINATIONS:
            state[at.ERROR] = at.TOO_MANY
            return -1
        parts += 3 * size
    return combinations


@lean_njit
def cell_holds(table: Table, planes: Planes, cell: int, bit: int) -> bool:
    """Return whether a cell of a rule matches at a bit."""
    w, s = bit >> 6, np.uint64(bit & 63)
    for i in range(table[cell + at.REQUIRED], table[cell + at.REQUIRED_END]):
        if not (planes[table[i] + w] >> s) & ONE:
            return False
    for i in range(table[cell + at.FORBIDDEN], table[cell + at.FORBIDDEN_END]):
        if (planes[table[i] + w] >> s) & ONE:
            return False
    i = table[cell + at.ANY]
    while i < table[cell + at.ANY_END]:
        count = table[i]
        some = ZERO
        for k in range(i + 1, i + 1 + count):
            some |= planes[table[k] + w] >> s
        if not some & ONE:
            return False
        i += count + 1
    return True


@bare_njit
def bit_of_cell(table: Table, state: Table, row: int, j: int, step: int, match: int) -> int:
    """Return the bit of cell `j` of a row's match, which lies at an address of `state`."""
    steps = j
    if j >= table[row + at.PART_1]:
        steps += state[match + 1]
        if j >= table[row + at.PART_1] + table[row + at.PART_2]:
            steps += state[match + 2]
    return int(state[match] + steps * step)


@lean_njit
def combination_holds(table: Table, planes: Planes, state: Table, rule: int) -> bool:
    """Return whether all rows still match where the picked matches lie."""
    pick = table[at.PICKS]
    for row in range(table[rule + at.ROW], table[rule + at.ROW_END], at.ROW_SIZE):
        match = table[at.FOUND] + 3 * state[pick]
        for j in range(table[row + at.CELLS]):
            bit = bit_of_cell(table, state, row, j, table[rule + at.STEP], match)
            if not cell_holds(table, planes, table[row + at.CELL] + j * at.CELL_SIZE, bit):
                return False
        pick += 1
    return True


@bare_njit
def may_match(table: Table, planes: Planes, needs: int) -> bool:
    """Return whether nothing that a rule needs, or all rules of a guard, is missing from the whole board."""
    words = table[WORDS]
    for i in range(table[needs + at.NEED], table[needs + at.NEED_END]):
        if planes[table[i] + words] == ZERO:
            return False
    i, end = table[needs + at.CHOICE], table[needs + at.CHOICE_END]
    while i < end:
        some, last = ZERO, i + table[i]
        while i < last:
            i += 1
            some |= planes[table[i] + words]
        if some == ZERO:
            return False
        i += 1
    return True


@bare_njit
def guarded(table: Table, planes: Planes, rule: int) -> int:
    """Return the rule if its guards let it pass, else the first rule behind the guard that does not."""
    for guard in range(table[rule + at.GUARD], table[rule + at.GUARD_END], at.GUARD_SIZE):
        if not may_match(table, planes, guard):
            return int(table[guard + at.PAST])
    return rule


@bare_njit
def steady(table: Table, planes: Planes, state: Table, rule: int) -> bool:
    """Return whether a rule did nothing when it was last looked at, and would do nothing again."""
    seen = np.uint64(state[table[at.SEEN] + table[rule + at.RULE_NUMBER]])
    if seen == ZERO:
        return False
    stamp = table[WORDS] + 1
    for i in range(table[rule + at.DEPENDS], table[rule + at.DEPENDS_END]):
        if planes[table[i] + stamp] > seen:
            return False
    return True
