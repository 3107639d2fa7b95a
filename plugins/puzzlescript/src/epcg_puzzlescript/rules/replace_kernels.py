"""Apply rules where they match: at once to matches that share no cell, else in the order of the scan.

The arguments are those of `plane_access`.
"""

from __future__ import annotations

import numpy as np

from epcg_core.plugin import bare_njit, lean_njit
from epcg_puzzlescript.rules import columns as at
from epcg_puzzlescript.rules.columns import WORDS
from epcg_puzzlescript.rules.match_kernels import bit_of_cell
from epcg_puzzlescript.rules.plane_access import ONE, ZERO, Planes, Table, has, scratch, touch, word_shifted

LARGEST = np.float64(2**56 - 1)


@bare_njit
def enqueue(state: Table, commands: int) -> None:
    """Queue the commands of a rule that matched."""
    queue = state[at.QUEUE]
    if commands == 0 or queue & at.CANCEL or (queue & at.RESTART and not commands & at.CANCEL):
        return
    if commands & (at.CANCEL | at.RESTART):
        queue = 0
    state[at.QUEUE] = queue | commands


@lean_njit
def replace_all(table: Table, planes: Planes, state: Table, first: int, count: int, step: int) -> bool:
    """Apply a simple rule at all places of the plane STARTS, which share no cell; return if any changed."""
    words = table[WORDS]
    starts, here = scratch(table, at.STARTS), scratch(table, at.HERE)
    changed = False
    for j in range(count):
        cell = first + j * at.CELL_SIZE
        if table[cell + at.SET] == table[cell + at.CLEAR_END]:
            continue
        for w in range(words):
            planes[here + w] = word_shifted(planes, starts, j * step, w, words)
        for i in range(table[cell + at.CLEAR], table[cell + at.CLEAR_END]):
            plane = table[i]
            if planes[plane + words]:
                left = gone = ZERO
                for w in range(words):
                    gone |= planes[plane + w] & planes[here + w]
                    planes[plane + w] &= ~planes[here + w]
                    left |= planes[plane + w]
                if gone:
                    touch(planes, state, plane, words, left)
                    changed = True
        for i in range(table[cell + at.SET], table[cell + at.SET_END]):
            plane = table[i]
            new = ZERO
            for w in range(words):
                new |= planes[here + w] & ~planes[plane + w]
                planes[plane + w] |= planes[here + w]
            if new:
                touch(planes, state, plane, words, new)
                changed = True
    return changed


@lean_njit
def drawn(table: Table, state: Table) -> float:
    """Return the next random number, from 0 to 1."""
    chance = table[at.CHANCE]
    found = 0.0
    for _ in range(7):
        i = (state[chance + 256] + 1) & 255
        j = (state[chance + 257] + state[chance + i]) & 255
        state[chance + 256], state[chance + 257] = i, j
        state[chance + i], state[chance + j] = state[chance + j], state[chance + i]
        found = found * 256.0 + state[chance + ((state[chance + i] + state[chance + j]) & 255)]
    return found / LARGEST


@lean_njit
def put_bit(planes: Planes, state: Table, plane: int, words: int, bit: int, on: bool) -> bool:
    """Set or clear a bit of a plane; return whether it changed."""
    w, mask = plane + (bit >> 6), ONE << np.uint64(bit & 63)
    if (planes[w] & mask != ZERO) == on:
        return False
    planes[w] ^= mask
    some = ONE
    if not on:
        some = ZERO
        for k in range(words):
            some |= planes[plane + k]
    touch(planes, state, plane, words, some)
    return True


@lean_njit
def replace_by_chance(table: Table, planes: Planes, state: Table, cell: int, bit: int) -> bool:
    """Apply a right side that draws objects or directions; return whether anything changed."""
    words, size, moves = table[WORDS], table[at.SIZE], table[at.MOVES]
    count = table[at.VALID] // size
    before, after = table[at.CELL_BEFORE], table[at.CELL_AFTER]
    for plane in range(count):
        state[before + plane] = state[after + plane] = has(planes, plane * size, bit)
    for i in range(table[cell + at.CLEAR], table[cell + at.CLEAR_END]):
        state[after + table[i] // size] = 0
    choices = table[cell + at.DRAWN_END] - table[cell + at.DRAWN]
    chosen = -1
    if choices:
        chosen = table[table[cell + at.DRAWN] + min(int(drawn(table, state) * choices), choices - 1)]
        layer = table[table[at.OBJECT_LAYERS] + chosen]
        edges = table[at.LAYER_LIST] + 2 * layer
        for plane in range(table[edges] // size, table[edges + 1] // size):
            state[after + plane] = 0
        for plane in range(moves // size + 5 * layer, moves // size + 5 * layer + 5):
            state[after + plane] = 0
        state[after + chosen] = 1
    for i in range(table[cell + at.TURNED], table[cell + at.TURNED_END]):
        state[after + moves // size + 5 * table[i] + min(int(drawn(table, state) * 4), 3)] = 1
    for i in range(table[cell + at.SET], table[cell + at.SET_END]):
        state[after + table[i] // size] = 1
    changed = False
    for plane in range(count):
        if state[before + plane] != state[after + plane]:
            changed |= put_bit(planes, state, plane * size, words, bit, state[after + plane] == 1)
    return changed


@lean_njit
def note_rigid(table: Table, state: Table, cell: int, bit: int, rigid: int) -> bool:
    """Note a rigid group at the layers that its rule touched; return whether the note is new."""
    marked = table[at.MARKED] + bit * table[at.LAYERS]
    numbers = table[at.NUMBERS] + bit * table[at.LAYERS]
    unmarked = unnumbered = False
    for i in range(table[cell + at.TOUCHED], table[cell + at.TOUCHED_END]):
        unmarked |= state[marked + table[i]] == 0
        unnumbered |= rigid & ~state[numbers + table[i]] != 0
    if not (unmarked and unnumbered):
        return False
    for i in range(table[cell + at.TOUCHED], table[cell + at.TOUCHED_END]):
        state[marked + table[i]] = 1
        state[numbers + table[i]] |= rigid
    return True


@lean_njit
def replace_cell(table: Table, planes: Planes, state: Table, cell: int, bit: int, rigid: int) -> bool:
    """Apply the right side of a cell of a rule at a bit; return whether anything changed."""
    words = table[WORDS]
    changed = False
    if table[cell + at.DRAWN] != table[cell + at.TURNED_END]:
        changed = replace_by_chance(table, planes, state, cell, bit)
    else:
        for i in range(table[cell + at.CLEAR], table[cell + at.CLEAR_END]):
            changed |= put_bit(planes, state, table[i], words, bit, False)
        for i in range(table[cell + at.SET], table[cell + at.SET_END]):
            changed |= put_bit(planes, state, table[i], words, bit, True)
    if rigid:
        changed |= note_rigid(table, state, cell, bit, rigid)
    return changed


@lean_njit
def replace_combination(table: Table, planes: Planes, state: Table, rule: int, rigid: int) -> bool:
    """Apply a rule where the picked matches lie; return whether anything changed."""
    number = rigid if table[rule + at.MARKS] else 0
    changed = False
    pick = table[at.PICKS]
    for row in range(table[rule + at.ROW], table[rule + at.ROW_END], at.ROW_SIZE):
        match = table[at.FOUND] + 3 * state[pick]
        for j in range(table[row + at.CELLS]):
            bit = bit_of_cell(table, state, row, j, table[rule + at.STEP], match)
            changed |= replace_cell(
                table, planes, state, table[row + at.CELL] + j * at.CELL_SIZE, bit, number
            )
        pick += 1
    return changed
