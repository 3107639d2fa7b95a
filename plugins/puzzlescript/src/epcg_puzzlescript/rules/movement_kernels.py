"""Movement on bit planes: a layer at once, or in the order of the scan where two objects aim at one cell.

The arguments are those of `plane_access`.
"""

from __future__ import annotations

from epcg_core.plugin import bare_njit, lean_njit
from epcg_puzzlescript.rules import columns as at
from epcg_puzzlescript.rules.columns import WORDS
from epcg_puzzlescript.rules.plane_access import ONE, ZERO, Planes, Table, has, scratch, touch, word_shifted
from epcg_puzzlescript.rules.replace_kernels import put_bit


@lean_njit
def move_in_order(table: Table, planes: Planes, state: Table, layer: int) -> None:
    """Move a layer cell by cell, in passes over the cells in order."""
    words, size, stride = table[WORDS], table[at.SIZE], table[at.STRIDE]
    base = table[at.MOVES] + layer * table[at.LAYER_SIZE]
    edges = table[at.LAYER_LIST] + 2 * layer
    moved = True
    while moved:
        moved = False
        for x in range(table[at.WIDTH]):
            for y in range(table[at.HEIGHT]):
                bit = x * stride + y
                direction, several = -1, 0
                for d in range(5):
                    if has(planes, base + d * size, bit):
                        direction, several = d, several + 1
                if several == 0:
                    continue
                if several > 1:
                    state[at.ERROR] = at.UNDEFINED_MOVE
                    return
                if direction < 4:
                    dx = -1 if direction == 2 else (1 if direction == 3 else 0)
                    dy = -1 if direction == 0 else (1 if direction == 1 else 0)
                    if not (0 <= x + dx < table[at.WIDTH] and 0 <= y + dy < table[at.HEIGHT]):
                        continue
                    target = (x + dx) * stride + y + dy
                    blocked = False
                    for thing in range(table[edges], table[edges + 1], size):
                        blocked |= has(planes, thing, target)
                    if blocked:
                        continue
                    for thing in range(table[edges], table[edges + 1], size):
                        if put_bit(planes, state, thing, words, bit, False):
                            put_bit(planes, state, thing, words, target, True)
                put_bit(planes, state, base + direction * size, words, bit, False)
                moved = True


@bare_njit
def step_of(table: Table, d: int) -> int:
    """Return the shift of a movement from 0 to 3."""
    if d == 0:
        return -1
    if d == 1:
        return 1
    return int(-table[at.STRIDE] if d == 2 else table[at.STRIDE])


@lean_njit
def move_layer(table: Table, planes: Planes, state: Table, layer: int) -> None:
    """Move a layer: all at once if all aim at different cells, otherwise in the order of the cells."""
    words, size, valid = table[WORDS], table[at.SIZE], table[at.VALID]
    base = table[at.MOVES] + layer * table[at.LAYER_SIZE]
    edges = table[at.LAYER_LIST] + 2 * layer
    first, last = table[edges], table[edges + 1]
    taken, aimed = scratch(table, at.TAKEN), scratch(table, at.AIMED)
    free, can, here = scratch(table, at.FREE), scratch(table, at.CAN), scratch(table, at.HERE)
    for w in range(words):
        planes[taken + w] = planes[aimed + w] = ZERO
        planes[free + w] = planes[valid + w]
        for thing in range(first, last, size):
            planes[free + w] &= ~planes[thing + w]
    conflict = ZERO
    for d in range(5):
        moving = base + d * size
        if planes[moving + words]:
            for w in range(words):
                conflict |= planes[moving + w] & planes[taken + w]
                planes[taken + w] |= planes[moving + w]
                if d < 4:
                    conflict |= planes[moving + w] & planes[free + w]
                    target = word_shifted(planes, moving, step_of(table, d), w, words) & planes[valid + w]
                    conflict |= target & planes[aimed + w]
                    planes[aimed + w] |= target
    if conflict:
        move_in_order(table, planes, state, layer)
        return
    if planes[base + 4 * size + words]:
        for w in range(words):
            planes[base + 4 * size + w] = ZERO
        touch(planes, state, base + 4 * size, words, ZERO)
    moved = True
    while moved:
        moved = False
        for d in range(4):
            moving = base + d * size
            if planes[moving + words] == ZERO:
                continue
            step = step_of(table, d)
            some = left = ZERO
            for w in range(words):
                planes[can + w] = planes[moving + w] & word_shifted(planes, free, -step, w, words)
                some |= planes[can + w]
            if some == ZERO:
                continue
            moved = True
            for thing in range(first, last, size):
                if planes[thing + words]:
                    some = ZERO
                    for w in range(words):
                        planes[here + w] = planes[thing + w] & planes[can + w]
                        some |= planes[here + w]
                    if some:
                        for w in range(words):
                            planes[thing + w] &= ~planes[here + w]
                            planes[thing + w] |= word_shifted(planes, here, step, w, words)
                        touch(planes, state, thing, words, ONE)
            for w in range(words):
                planes[moving + w] &= ~planes[can + w]
                left |= planes[moving + w]
                planes[free + w] |= planes[can + w]
                planes[free + w] &= ~word_shifted(planes, can, step, w, words)
            touch(planes, state, moving, words, left)


@lean_njit
def ban_failed(table: Table, planes: Planes, state: Table) -> bool:
    """Ban the rigid groups with a movement that was not used up; return whether one is newly banned."""
    size = table[at.SIZE]
    newly = False
    for x in range(table[at.WIDTH]):
        for y in range(table[at.HEIGHT]):
            bit = x * table[at.STRIDE] + y
            for layer in range(table[at.LAYERS]):
                place = bit * table[at.LAYERS] + layer
                if not state[table[at.MARKED] + place]:
                    continue
                left = False
                for d in range(5):
                    left |= has(planes, table[at.MOVES] + (5 * layer + d) * size, bit)
                if left:
                    number = state[table[at.NUMBERS] + place]
                    if not state[at.BANNED] >> number & 1:
                        state[at.BANNED] |= 1 << number
                        newly = True
                    break
    return newly


@lean_njit
def clear_movements(table: Table, planes: Planes, state: Table) -> None:
    """Clear what is left of the movements."""
    words = table[WORDS]
    for plane in range(table[at.MOVES], table[at.VALID], table[at.SIZE]):
        if planes[plane + words]:
            for w in range(words):
                planes[plane + w] = ZERO
            touch(planes, state, plane, words, ZERO)
