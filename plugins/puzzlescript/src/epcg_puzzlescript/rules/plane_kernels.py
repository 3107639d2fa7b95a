"""Rules and movement on bit planes: one interpreter for all games, compiled once.

A plane has a bit for each cell: cell (x, y) is bit x * (height + 1) + y, so that a step is a shift and a bit
below each column stays empty. There is a plane for each object, then one for each of the five movements of
each layer, then that of the cells of the board. A row of a rule is matched everywhere at once, by shifts and
operations on whole words; matches that share no cell are replaced at once, all others in the order of the
scan. A rule that did nothing is not looked at again before a plane changes on which it depends.

All kernels take the arrays `table`, `planes` and `state` of `columns`; `rule`, `cell` and the like are
addresses in `table`, `plane` is one in `planes`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.combinatorics.kernels import bit_count, bit_index
from epcg_core.compiled import bare_njit, lean_njit
from epcg_puzzlescript.rules import columns as at
from epcg_puzzlescript.rules.columns import WORDS

Table = NDArray[np.int64]
Planes = NDArray[np.uint64]

ZERO, ONE, S64 = np.uint64(0), np.uint64(1), np.uint64(64)
MOST_PASSES = 200
MOST_ROUNDS = 50
MOST_COMBINATIONS = 20_000_000
LARGEST = np.float64(2**56 - 1)


@bare_njit
def word_shifted(planes: Planes, plane: int, by: int, w: int, words: int) -> np.uint64:
    """Return word `w` of a plane after each bit went up by `by` places, or down if it is negative."""
    if by >= 0:
        k, s = w - (by >> 6), np.uint64(by & 63)
        found = ZERO
        if k >= 0:
            found = planes[plane + k] << s
            if s and k >= 1:
                found |= planes[plane + k - 1] >> (S64 - s)
        return found
    k, s = w + (-by >> 6), np.uint64(-by & 63)
    found = ZERO
    if k < words:
        found = planes[plane + k] >> s
        if s and k + 1 < words:
            found |= planes[plane + k + 1] << (S64 - s)
    return found


@bare_njit
def has(planes: Planes, plane: int, bit: int) -> bool:
    """Return whether a plane has a bit."""
    return bool((planes[plane + (bit >> 6)] >> np.uint64(bit & 63)) & ONE)


@bare_njit
def touch(planes: Planes, state: Table, plane: int, words: int, some: np.uint64) -> None:
    """Note that a plane changed, and whether anything is left on it."""
    state[at.CLOCK] += 1
    planes[plane + words] = some
    planes[plane + words + 1] = np.uint64(state[at.CLOCK])


@bare_njit
def scratch(table: Table, number: int) -> int:
    """Return a plane to work with."""
    return int(table[at.VALID] + table[at.SIZE] * (1 + number))


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


@lean_njit
def run_general(table: Table, planes: Planes, state: Table, rule: int, rigid: int) -> int:
    """Apply any rule once, combination by combination; return 0 if nothing matched, 2 if anything changed."""
    combinations = collect(table, planes, state, rule)
    if combinations <= 0:
        return 0
    counts, picks = table[at.COUNTS], table[at.PICKS]
    rows = (table[rule + at.ROW_END] - table[rule + at.ROW]) // at.ROW_SIZE
    for row in range(rows):
        state[picks + row] = state[counts + row]
    changed = False
    for _ in range(combinations):
        if not changed or combination_holds(table, planes, state, rule):
            changed |= replace_combination(table, planes, state, rule, rigid)
        row = 0
        while row < rows:
            state[picks + row] += 1
            if state[picks + row] < state[counts + row + 1]:
                break
            state[picks + row] = state[counts + row]
            row += 1
    return 2 if changed else 1


@lean_njit
def run_simple(table: Table, planes: Planes, state: Table, rule: int) -> int:
    """Apply a rule of one row without ellipsis once; return as `run_general` does."""
    words = table[WORDS]
    row, step = table[rule + at.ROW], table[rule + at.STEP]
    first, count = table[row + at.CELL], table[row + at.CELLS]
    starts = scratch(table, at.STARTS)
    if not part_starts(table, planes, first, count, step, starts):
        return 0
    shared = ZERO
    for j in range(1, count):
        for w in range(words):
            shared |= planes[starts + w] & word_shifted(planes, starts, j * step, w, words)
    if shared:
        return run_general(table, planes, state, rule, 0)
    return 2 if replace_all(table, planes, state, first, count, step) else 1


@bare_njit
def may_match(table: Table, planes: Planes, rule: int) -> bool:
    """Return whether nothing that a rule needs is missing from the whole board."""
    words = table[WORDS]
    for i in range(table[rule + at.NEED], table[rule + at.NEED_END]):
        if planes[table[i] + words] == ZERO:
            return False
    return True


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


@lean_njit
def run_rule(table: Table, planes: Planes, state: Table, rule: int, rigid: int) -> bool:
    """Apply a rule once, and queue its commands if it matched; return whether anything changed."""
    if not may_match(table, planes, rule):
        return False
    number = table[rule + at.RULE_NUMBER]
    if table[rule + at.STEADY] and steady(table, planes, state, rule):
        if state[table[at.MATCHED] + number]:
            enqueue(state, table[rule + at.COMMANDS])
        return False
    if table[rule + at.KIND] == at.SIMPLE:
        found = run_simple(table, planes, state, rule)
    else:
        found = run_general(table, planes, state, rule, rigid)
    state[table[at.SEEN] + number] = 0 if found == 2 or state[at.ERROR] else state[at.CLOCK]
    state[table[at.MATCHED] + number] = found
    if found:
        enqueue(state, table[rule + at.COMMANDS])
    if found == 2:
        state[table[at.FIRED] + number] = 1
    return found == 2


@lean_njit
def run_random(table: Table, planes: Planes, state: Table, group: int) -> bool:
    """Apply one combination of one rule of a group, drawn from all; return whether anything changed."""
    total = 0
    for rule in range(table[group + at.RULE], table[group + at.RULE_END], at.RULE_SIZE):
        if may_match(table, planes, rule):
            combinations = collect(table, planes, state, rule)
            if combinations < 0:
                return False
            total += combinations
    if total == 0:
        return False
    pick = min(int(drawn(table, state) * total), total - 1)
    counts, picks = table[at.COUNTS], table[at.PICKS]
    for rule in range(table[group + at.RULE], table[group + at.RULE_END], at.RULE_SIZE):
        combinations = collect(table, planes, state, rule) if may_match(table, planes, rule) else 0
        if pick >= combinations:
            pick -= combinations
            continue
        for row in range((table[rule + at.ROW_END] - table[rule + at.ROW]) // at.ROW_SIZE):
            matches = state[counts + row + 1] - state[counts + row]
            state[picks + row] = state[counts + row] + pick % matches
            pick //= matches
        changed = replace_combination(table, planes, state, rule, table[group + at.RIGID])
        enqueue(state, table[rule + at.COMMANDS])
        if changed:
            state[table[at.FIRED] + table[rule + at.RULE_NUMBER]] = 1
        return changed
    return False


@lean_njit
def run_group(table: Table, planes: Planes, state: Table, group: int) -> bool:
    """Run a group until a pass changes nothing; return whether anything changed."""
    if table[group + at.RANDOM]:
        return run_random(table, planes, state, group)
    changed = False
    for _ in range(MOST_PASSES):
        passed = False
        for rule in range(table[group + at.RULE], table[group + at.RULE_END], at.RULE_SIZE):
            passed |= run_rule(table, planes, state, rule, table[group + at.RIGID])
        if not passed or state[at.ERROR]:
            return changed
        changed = True
    state[table[at.ENDLESS_GROUPS] + table[group + at.GROUP_NUMBER]] = 1
    return changed


@lean_njit
def run_groups(table: Table, planes: Planes, state: Table, first: int, last: int) -> None:
    """Run the groups of a list in order, with its loops and without those that are banned."""
    group, jumps = first, 0
    changed = False
    while group < last and not state[at.ERROR]:
        if not state[at.BANNED] >> table[group + at.RIGID] & 1:
            changed |= run_group(table, planes, state, group)
        if changed and table[group + at.LOOP] >= 0:
            jumps += 1
            if jumps > MOST_PASSES:
                state[table[at.ENDLESS_GROUPS] + table[group + at.GROUP_NUMBER]] = 1
                return
            group = table[group + at.LOOP]
            changed = False
        else:
            group += at.GROUP_SIZE


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


@lean_njit
def start_players(table: Table, planes: Planes, state: Table, given: int) -> bool:
    """Write the plane of the cells that hold a player, and let the players move; return if there are any."""
    words, size, players = table[WORDS], table[at.SIZE], scratch(table, at.PLAYERS)
    some = ZERO
    for w in range(words):
        whole, part = planes[table[at.VALID] + w], ZERO
        for i in range(table[at.PLAYER], table[at.PLAYER_END]):
            whole &= planes[table[i] + w]
            part |= planes[table[i] + w]
        planes[players + w] = whole if table[at.PLAYER_WHOLE] else part
        some |= planes[players + w]
    if some == ZERO:
        return False
    for i in range(table[at.PLAYER], table[at.PLAYER_END]):
        layer = table[table[at.OBJECT_LAYERS] + table[i] // size]
        moving = table[at.MOVES] + (5 * layer + given) * size
        some = ZERO
        for w in range(words):
            planes[moving + w] |= planes[table[i] + w] & planes[players + w]
            some |= planes[moving + w]
        if some:
            touch(planes, state, moving, words, some)
    return True


@lean_njit
def players_stayed(table: Table, planes: Planes) -> bool:
    """Return whether every cell that held a player still has a player object."""
    gone = ZERO
    for w in range(table[WORDS]):
        still = ZERO
        for i in range(table[at.PLAYER], table[at.PLAYER_END]):
            still |= planes[table[i] + w]
        gone |= planes[scratch(table, at.PLAYERS) + w] & ~still
    return not gone


@lean_njit
def back_to_start(table: Table, planes: Planes, state: Table) -> None:
    """Put the board back to where the rules began."""
    words = table[WORDS]
    for plane in range(0, table[at.VALID], table[at.SIZE]):
        some = ZERO
        for w in range(words):
            planes[plane + w] = planes[table[at.BACKUP] + plane + w]
            some |= planes[plane + w]
        touch(planes, state, plane, words, some)
    state[at.QUEUE] = 0


@lean_njit
def turn(table: Table, planes: Planes, state: Table, given: int) -> None:
    """Play steps 1 to 7 of a turn on the planes; `given` is a movement from 0 to 4, or -1 for a tick."""
    words, size = table[WORDS], table[at.SIZE]
    state[at.QUEUE] = state[at.BANNED] = state[at.UNDONE] = 0
    playing = given >= 0 and start_players(table, planes, state, given)
    rigid = table[at.RIGID_GROUPS] > 0
    if rigid:
        for k in range(table[at.VALID]):
            planes[table[at.BACKUP] + k] = planes[k]
    for _ in range(MOST_ROUNDS):
        if rigid:
            for k in range(table[at.MARKED], table[at.CHANCE]):
                state[k] = 0
        run_groups(table, planes, state, table[at.NORMAL], table[at.NORMAL_END])
        for layer in range(table[at.LAYERS]):
            base = table[at.MOVES] + layer * table[at.LAYER_SIZE] + words
            some = planes[base] | planes[base + size] | planes[base + 2 * size]
            if some | planes[base + 3 * size] | planes[base + 4 * size]:
                move_layer(table, planes, state, layer)
        if not rigid or state[at.ERROR] or not ban_failed(table, planes, state):
            break
        back_to_start(table, planes, state)
    clear_movements(table, planes, state)
    if not state[at.ERROR]:
        run_groups(table, planes, state, table[at.LATE], table[at.LATE_END])
    if playing and table[at.NEEDS_MOVEMENT]:
        state[at.UNDONE] = players_stayed(table, planes)
