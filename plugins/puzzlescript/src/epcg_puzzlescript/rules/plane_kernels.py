"""Rules and movement on bit planes: one interpreter for all games, compiled once.

A plane has a bit for each cell: cell (x, y) is bit x * (height + 1) + y, so that a step is a shift and a bit
below each column stays empty. There is a plane for each object, then one for each of the five movements of
each layer, then that of the cells of the board. A row of a rule is matched everywhere at once, by shifts and
operations on whole words; matches that share no cell are replaced at once, all others in the order of the scan.

`game` is (header, groups, rules, rows, cells, conditions, data): see `columns`. `work` holds the state:
  planes (planes, words), live (planes,): 0 if a plane is empty;
  scratch (SCRATCH + 3 * most rows, words): planes to work with; backup, before (planes, words): copies;
  found, counts: the matches of a rule's rows, three integers each (first cell, gaps);
  marks, numbers (bits, layers): what rigid rules noted; chance (258,): table, i, j of the random numbers;
  fired (rules,), endless (groups,): what happened; status (STATUS_SIZE,).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epcg_core.combinatorics.kernels import bit_count, bit_index
from epcg_core.compiled import bare_njit, njit
from epcg_puzzlescript.rules.columns import (
    ANY,
    ANY_END,
    BANNED,
    CANCEL,
    CELL,
    CELLS,
    CLEAR,
    CLEAR_END,
    COMMANDS,
    DRAWN,
    DRAWN_END,
    ERROR,
    FORBIDDEN,
    FORBIDDEN_END,
    GENERAL,
    GROUPS,
    HEIGHT,
    KIND,
    LAYER_LIST,
    LAYER_OF,
    LAYERS,
    LOOP,
    MARKS,
    NEED,
    NEED_END,
    NEEDS_MOVEMENT,
    NO_ROOM,
    NORMAL_GROUPS,
    OBJECTS,
    PART_1,
    PARTS,
    PLAYER,
    PLAYER_END,
    PLAYER_WHOLE,
    QUEUE,
    RANDOM,
    REQUIRED,
    REQUIRED_END,
    RESTART,
    RIGID,
    RIGID_GROUPS,
    ROW,
    ROW_END,
    RULE,
    RULE_END,
    SET,
    SET_END,
    STEP,
    STRIDE,
    TOO_MANY,
    TOUCHED,
    TOUCHED_END,
    TURNED,
    TURNED_END,
    UNDEFINED_MOVE,
    UNDONE,
    UPRIGHT,
    VALID,
    WIDTH,
    WORDS,
)

ZERO, ONE = np.uint64(0), np.uint64(1)
MOST_PASSES = 200
MOST_ROUNDS = 50
MOST_COMBINATIONS = 20_000_000
STARTS, MASK, PLAYERS, TAKEN, AIMED, FREE, CAN, BITS = range(8)
SCRATCH = 8
"""The planes of `scratch` before those of the rows of a rule."""
LARGEST = np.float64(2**56 - 1)
_Tuple = Any


@bare_njit
def word_shifted(plane, by, w, words):
    """Return word `w` of a plane after each bit went up by `by` places, or down if it is negative."""
    if by >= 0:
        k, s = w - (by >> 6), np.uint64(by & 63)
        found = ZERO
        if k >= 0:
            found = plane[k] << s
            if s and k >= 1:
                found |= plane[k - 1] >> (np.uint64(64) - s)
        return found
    k, s = w + (-by >> 6), np.uint64(-by & 63)
    found = ZERO
    if k < words:
        found = plane[k] >> s
        if s and k + 1 < words:
            found |= plane[k + 1] << (np.uint64(64) - s)
    return found


@bare_njit
def has(plane, bit):
    return (plane[bit >> 6] >> np.uint64(bit & 63)) & ONE != ZERO


@bare_njit
def cell_mask(game, work, cell, out):
    """Write the plane of the places that a cell of a rule matches; return whether there are any."""
    header, cells, data = game[0], game[4], game[6]
    planes, live = work[0], work[1]
    words, valid = header[WORDS], header[VALID]
    for w in range(words):
        out[w] = planes[valid, w]
    for i in range(cells[cell, REQUIRED], cells[cell, REQUIRED_END]):
        for w in range(words):
            out[w] &= planes[data[i], w]
    for i in range(cells[cell, FORBIDDEN], cells[cell, FORBIDDEN_END]):
        if live[data[i]]:
            for w in range(words):
                out[w] &= ~planes[data[i], w]
    i = cells[cell, ANY]
    while i < cells[cell, ANY_END]:
        count = data[i]
        for w in range(words):
            some = ZERO
            for k in range(i + 1, i + 1 + count):
                some |= planes[data[k], w]
            out[w] &= some
        i += count + 1
    some = ZERO
    for w in range(words):
        some |= out[w]
    return some != ZERO


@njit
def part_starts(game, work, first, count, step, out):
    """Write the plane of the places where `count` cells from `first` on match; return whether there are any."""
    words = game[0][WORDS]
    mask = work[2][MASK]
    if not cell_mask(game, work, first, out):
        return False
    for j in range(1, count):
        if not cell_mask(game, work, first + j, mask):
            return False
        some = ZERO
        for w in range(words):
            out[w] &= word_shifted(mask, -j * step, w, words)
            some |= out[w]
        if some == ZERO:
            return False
    return True


@bare_njit
def enqueue(status, commands):
    """Queue the commands of a rule that matched."""
    if commands == 0 or status[QUEUE] & CANCEL:
        return
    if status[QUEUE] & RESTART and not commands & CANCEL:
        return
    if commands & (CANCEL | RESTART):
        status[QUEUE] = 0
    status[QUEUE] |= commands


@njit
def replace_all(game, work, rule, first, count):
    """Apply a simple rule at all places of the plane STARTS, which share no cell; return if anything changed."""
    header, cells, data = game[0], game[4], game[6]
    planes, live, scratch = work[0], work[1], work[2]
    words = header[WORDS]
    step = game[2][rule, STEP]
    starts, here = scratch[STARTS], scratch[MASK]
    changed = False
    for j in range(count):
        cell = first + j
        if cells[cell, SET] == cells[cell, SET_END] and cells[cell, CLEAR] == cells[cell, CLEAR_END]:
            continue
        for w in range(words):
            here[w] = word_shifted(starts, j * step, w, words)
        for i in range(cells[cell, CLEAR], cells[cell, CLEAR_END]):
            plane = data[i]
            if live[plane]:
                left = ZERO
                for w in range(words):
                    if planes[plane, w] & here[w]:
                        planes[plane, w] &= ~here[w]
                        changed = True
                    left |= planes[plane, w]
                live[plane] = left != ZERO
        for i in range(cells[cell, SET], cells[cell, SET_END]):
            plane = data[i]
            for w in range(words):
                if here[w] & ~planes[plane, w]:
                    planes[plane, w] |= here[w]
                    changed = True
            live[plane] = 1
    return changed


@njit
def run_simple(game, work, rule):
    """Apply a rule of one row without ellipsis once; return whether anything changed."""
    header, rules, rows = game[0], game[2], game[3]
    words = header[WORDS]
    row = rules[rule, ROW]
    first, count, step = rows[row, CELL], rows[row, CELLS], rules[rule, STEP]
    starts = work[2][STARTS]
    if not part_starts(game, work, first, count, step, starts):
        return False
    shared = False
    for j in range(1, count):
        for w in range(words):
            if starts[w] & word_shifted(starts, j * step, w, words):
                shared = True
    if shared:
        return run_general(game, work, rule, 0)
    changed = replace_all(game, work, rule, first, count)
    enqueue(work[10], rules[rule, COMMANDS])
    if changed:
        work[8][rule] = 1
    return changed


@njit
def note(found, total, first, gap, other_gap):
    """Append a match; return the new count, or -1 if there is no room."""
    if 3 * total + 3 > len(found):
        return -1
    found[3 * total], found[3 * total + 1], found[3 * total + 2] = first, gap, other_gap
    return total + 1


@njit
def row_matches_at(game, work, rule, row, number, start, total):
    """Append the matches of a row that begin at a bit, all lengths of its ellipses; -1 if there is no room."""
    header, rows = game[0], game[3]
    scratch, found = work[2], work[5]
    parts = rows[row, PARTS]
    if parts == 1:
        return note(found, total, start, 0, 0)
    step = game[2][rule, STEP]
    x, y = start // header[STRIDE], start % header[STRIDE]
    place, length = (y, header[HEIGHT]) if game[2][rule, UPRIGHT] else (x, header[WIDTH])
    room = (length - place if step > 0 else place + 1) - rows[row, CELLS]
    second = start + rows[row, PART_1] * step
    for gap in range(room + 1):
        if not has(scratch[SCRATCH + 3 * number + 1], second + gap * step):
            continue
        if parts == 2:
            total = note(found, total, start, gap, 0)
        else:
            third = second + (gap + rows[row, PART_1 + 1]) * step
            for other in range(room - gap + 1):
                if has(scratch[SCRATCH + 3 * number + 2], third + other * step):
                    total = note(found, total, start, gap, other)
                    if total < 0:
                        return total
        if total < 0:
            return total
    return total


@njit
def collect(game, work, rule):
    """Collect the matches of all rows of a rule in the order of the scan; return the number of combinations.

    0 if a row has none; -1 after an error. The matches of row r are those from counts[r] to counts[r + 1].
    """
    header, rules, rows = game[0], game[2], game[3]
    scratch, counts, status = work[2], work[6], work[10]
    words, stride = header[WORDS], header[STRIDE]
    for row in range(rules[rule, ROW], rules[rule, ROW_END]):
        number = row - rules[rule, ROW]
        cell = rows[row, CELL]
        for part in range(rows[row, PARTS]):
            length = rows[row, PART_1 + part]
            out = scratch[SCRATCH + 3 * number + part]
            if not part_starts(game, work, cell, length, rules[rule, STEP], out):
                return 0
            cell += length
    total, combinations = 0, 1
    counts[0] = 0
    for row in range(rules[rule, ROW], rules[rule, ROW_END]):
        number = row - rules[rule, ROW]
        starts = scratch[SCRATCH + 3 * number]
        before = total
        many = 0
        for w in range(words):
            many += bit_count(starts[w])
        if rules[rule, UPRIGHT] or many == 1:
            for w in range(words):
                left = starts[w]
                while left:
                    low = left & (~left + ONE)
                    left ^= low
                    total = row_matches_at(game, work, rule, row, number, 64 * w + bit_index(low), total)
                    if total < 0:
                        status[ERROR] = NO_ROOM
                        return -1
        else:
            for y in range(header[HEIGHT]):
                for x in range(header[WIDTH]):
                    if has(starts, x * stride + y):
                        total = row_matches_at(game, work, rule, row, number, x * stride + y, total)
                        if total < 0:
                            status[ERROR] = NO_ROOM
                            return -1
        if total == before:
            return 0
        counts[number + 1] = total
        combinations *= total - before
        if combinations > MOST_COMBINATIONS:
            status[ERROR] = TOO_MANY
            return -1
    return combinations


@bare_njit
def cell_holds(game, work, cell, bit):
    """Return whether a cell of a rule matches at a bit."""
    cells, data, planes = game[4], game[6], work[0]
    w, s = bit >> 6, np.uint64(bit & 63)
    for i in range(cells[cell, REQUIRED], cells[cell, REQUIRED_END]):
        if not (planes[data[i], w] >> s) & ONE:
            return False
    for i in range(cells[cell, FORBIDDEN], cells[cell, FORBIDDEN_END]):
        if (planes[data[i], w] >> s) & ONE:
            return False
    i = cells[cell, ANY]
    while i < cells[cell, ANY_END]:
        count = data[i]
        some = ZERO
        for k in range(i + 1, i + 1 + count):
            some |= planes[data[k], w] >> s
        if not some & ONE:
            return False
        i += count + 1
    return True


@bare_njit
def bit_of_cell(rows, row, j, step, match):
    """Return the bit of cell `j` of a row's match (first cell, gap, other gap)."""
    steps = j
    if j >= rows[row, PART_1]:
        steps += match[1]
        if j >= rows[row, PART_1] + rows[row, PART_1 + 1]:
            steps += match[2]
    return match[0] + steps * step


@njit
def combination_holds(game, work, rule, picks):
    """Return whether all rows still match where the picked matches lie."""
    rules, rows, found = game[2], game[3], work[5]
    for row in range(rules[rule, ROW], rules[rule, ROW_END]):
        pick = 3 * picks[row - rules[rule, ROW]]
        match = found[pick : pick + 3]
        for j in range(rows[row, CELLS]):
            bit = bit_of_cell(rows, row, j, rules[rule, STEP], match)
            if not cell_holds(game, work, rows[row, CELL] + j, bit):
                return False
    return True


@njit
def drawn(chance):
    """Return the next random number, from 0 to 1."""
    found = 0.0
    for _ in range(7):
        i = (chance[256] + 1) & 255
        j = (chance[257] + chance[i]) & 255
        chance[256], chance[257] = i, j
        chance[i], chance[j] = chance[j], chance[i]
        found = found * 256.0 + chance[(chance[i] + chance[j]) & 255]
    return found / LARGEST


@bare_njit
def put_bit(work, plane, bit, on):
    """Set or clear a bit of a plane; return whether it changed."""
    planes = work[0]
    w, mask = bit >> 6, ONE << np.uint64(bit & 63)
    if (planes[plane, w] & mask != ZERO) == on:
        return False
    planes[plane, w] ^= mask
    if on:
        work[1][plane] = 1
    return True


@njit
def replace_cell(game, work, cell, bit, rigid):
    """Apply the right side of a cell of a rule at a bit; return whether anything changed."""
    header, cells, data = game[0], game[4], game[6]
    marks, numbers, chance = work[7], work[11], work[9]
    if cells[cell, DRAWN] == cells[cell, DRAWN_END] and cells[cell, TURNED] == cells[cell, TURNED_END]:
        changed = False
        for i in range(cells[cell, CLEAR], cells[cell, CLEAR_END]):
            changed |= put_bit(work, data[i], bit, False)
        for i in range(cells[cell, SET], cells[cell, SET_END]):
            changed |= put_bit(work, data[i], bit, True)
    else:
        changed = replace_by_chance(game, work, cell, bit)
    if rigid:
        unmarked = unnumbered = False
        for i in range(cells[cell, TOUCHED], cells[cell, TOUCHED_END]):
            unmarked |= marks[bit, data[i]] == 0
            unnumbered |= rigid & ~numbers[bit, data[i]] != 0
        if unmarked and unnumbered:
            for i in range(cells[cell, TOUCHED], cells[cell, TOUCHED_END]):
                marks[bit, data[i]] = 1
                numbers[bit, data[i]] |= rigid
            changed = True
    return changed


@njit
def replace_by_chance(game, work, cell, bit):
    """Apply a right side that draws objects or directions; return whether anything changed."""
    header, cells, data = game[0], game[4], game[6]
    planes, chance = work[0], work[9]
    objects, count = header[OBJECTS], header[VALID]
    w, s = bit >> 6, np.uint64(bit & 63)
    before = np.empty(count, np.uint8)
    for plane in range(count):
        before[plane] = (planes[plane, w] >> s) & ONE
    after = before.copy()
    for i in range(cells[cell, CLEAR], cells[cell, CLEAR_END]):
        after[data[i]] = 0
    choices = cells[cell, DRAWN_END] - cells[cell, DRAWN]
    chosen = -1
    if choices:
        chosen = data[cells[cell, DRAWN] + min(int(drawn(chance) * choices), choices - 1)]
        layer = data[header[LAYER_OF] + chosen]
        after[data[header[LAYER_LIST] + 2 * layer] : data[header[LAYER_LIST] + 2 * layer + 1]] = 0
        after[objects + 5 * layer : objects + 5 * layer + 5] = 0
        after[chosen] = 1
    for i in range(cells[cell, TURNED], cells[cell, TURNED_END]):
        after[objects + 5 * data[i] + min(int(drawn(chance) * 4), 3)] = 1
    for i in range(cells[cell, SET], cells[cell, SET_END]):
        after[data[i]] = 1
    changed = False
    for plane in range(count):
        if before[plane] != after[plane]:
            changed |= put_bit(work, plane, bit, after[plane] == 1)
    return changed


@njit
def replace_combination(game, work, rule, picks, rigid):
    """Apply a rule where the picked matches lie; return whether anything changed."""
    rules, rows, found = game[2], game[3], work[5]
    number = rigid if rules[rule, MARKS] else 0
    changed = False
    for row in range(rules[rule, ROW], rules[rule, ROW_END]):
        pick = 3 * picks[row - rules[rule, ROW]]
        match = found[pick : pick + 3]
        for j in range(rows[row, CELLS]):
            bit = bit_of_cell(rows, row, j, rules[rule, STEP], match)
            changed |= replace_cell(game, work, rows[row, CELL] + j, bit, number)
    if changed:
        work[8][rule] = 1
    return changed


@njit
def run_general(game, work, rule, rigid):
    """Apply any rule once, combination by combination; return whether anything changed."""
    rules, counts, picks = game[2], work[6], work[12]
    combinations = collect(game, work, rule)
    if combinations <= 0:
        return False
    rows = rules[rule, ROW_END] - rules[rule, ROW]
    for row in range(rows):
        picks[row] = counts[row]
    changed = False
    for _ in range(combinations):
        if not changed or combination_holds(game, work, rule, picks):
            changed |= replace_combination(game, work, rule, picks, rigid)
        row = 0
        while row < rows:
            picks[row] += 1
            if picks[row] < counts[row + 1]:
                break
            picks[row] = counts[row]
            row += 1
    enqueue(work[10], rules[rule, COMMANDS])
    return changed


@bare_njit
def may_match(game, work, rule):
    """Return whether nothing that a rule needs is missing from the whole board."""
    rules, data, live = game[2], game[6], work[1]
    for i in range(rules[rule, NEED], rules[rule, NEED_END]):
        if not live[data[i]]:
            return False
    return True


@njit
def run_random(game, work, group):
    """Apply one combination of one rule of a group, drawn from all; return whether anything changed."""
    groups, rules, counts, picks = game[1], game[2], work[6], work[12]
    total = 0
    for rule in range(groups[group, RULE], groups[group, RULE_END]):
        if may_match(game, work, rule):
            combinations = collect(game, work, rule)
            if combinations < 0:
                return False
            total += combinations
    if total == 0:
        return False
    pick = min(int(drawn(work[9]) * total), total - 1)
    for rule in range(groups[group, RULE], groups[group, RULE_END]):
        combinations = collect(game, work, rule) if may_match(game, work, rule) else 0
        if pick >= combinations:
            pick -= combinations
            continue
        for row in range(rules[rule, ROW_END] - rules[rule, ROW]):
            matches = counts[row + 1] - counts[row]
            picks[row] = counts[row] + pick % matches
            pick //= matches
        changed = replace_combination(game, work, rule, picks, groups[group, RIGID])
        enqueue(work[10], rules[rule, COMMANDS])
        return changed
    return False


@njit
def run_group(game, work, group):
    """Run a group until a pass changes nothing; return whether anything changed."""
    groups, rules = game[1], game[2]
    if groups[group, RANDOM]:
        return run_random(game, work, group)
    changed = False
    for _ in range(MOST_PASSES):
        passed = False
        for rule in range(groups[group, RULE], groups[group, RULE_END]):
            if may_match(game, work, rule):
                if rules[rule, KIND] == GENERAL:
                    passed |= run_general(game, work, rule, groups[group, RIGID])
                else:
                    passed |= run_simple(game, work, rule)
        if not passed or work[10][ERROR]:
            return changed
        changed = True
    work[13][group] = 1
    return changed


@njit
def run_groups(game, work, first, last):
    """Run the groups of a list in order, with its loops and without those that are banned."""
    groups, status = game[1], work[10]
    group, jumps = first, 0
    changed = False
    while group < last and not status[ERROR]:
        if not (groups[group, RIGID] and status[BANNED] >> groups[group, RIGID] & 1):
            changed |= run_group(game, work, group)
        if changed and groups[group, LOOP] >= 0:
            jumps += 1
            if jumps > MOST_PASSES:
                work[13][group] = 1
                return
            group = groups[group, LOOP]
            changed = False
        else:
            group += 1


@njit
def move_in_order(game, work, layer):
    """Move a layer cell by cell, in passes over the cells in order."""
    header, data = game[0], game[6]
    planes, live, status = work[0], work[1], work[10]
    stride = header[STRIDE]
    base = header[OBJECTS] + 5 * layer
    first, last = data[header[LAYER_LIST] + 2 * layer], data[header[LAYER_LIST] + 2 * layer + 1]
    moved = True
    while moved:
        moved = False
        for x in range(header[WIDTH]):
            for y in range(header[HEIGHT]):
                bit = x * stride + y
                direction, several = -1, 0
                for d in range(5):
                    if live[base + d] and has(planes[base + d], bit):
                        direction, several = d, several + 1
                if several == 0:
                    continue
                if several > 1:
                    status[ERROR] = UNDEFINED_MOVE
                    return
                if direction < 4:
                    dx = -1 if direction == 2 else (1 if direction == 3 else 0)
                    dy = -1 if direction == 0 else (1 if direction == 1 else 0)
                    if not (0 <= x + dx < header[WIDTH] and 0 <= y + dy < header[HEIGHT]):
                        continue
                    target = (x + dx) * stride + y + dy
                    blocked = False
                    for thing in range(first, last):
                        if live[thing] and has(planes[thing], target):
                            blocked = True
                    if blocked:
                        continue
                    for thing in range(first, last):
                        if live[thing] and put_bit(work, thing, bit, False):
                            put_bit(work, thing, target, True)
                put_bit(work, base + direction, bit, False)
                moved = True


@njit
def move_layer(game, work, layer):
    """Move a layer: all at once if all aim at different cells, otherwise in the order of the cells."""
    header, data = game[0], game[6]
    planes, live, scratch = work[0], work[1], work[2]
    words, stride = header[WORDS], header[STRIDE]
    valid = planes[header[VALID]]
    base = header[OBJECTS] + 5 * layer
    first, last = data[header[LAYER_LIST] + 2 * layer], data[header[LAYER_LIST] + 2 * layer + 1]
    taken, aimed, free, can, bits = scratch[TAKEN], scratch[AIMED], scratch[FREE], scratch[CAN], scratch[BITS]
    for w in range(words):
        taken[w] = aimed[w] = ZERO
        free[w] = valid[w]
    for thing in range(first, last):
        if live[thing]:
            for w in range(words):
                free[w] &= ~planes[thing, w]
    simple = True
    for d in range(5):
        if live[base + d]:
            step = -1 if d == 0 else (1 if d == 1 else (-stride if d == 2 else stride))
            moving = planes[base + d]
            for w in range(words):
                if moving[w] & (taken[w] | (free[w] if d < 4 else ZERO)):
                    simple = False
                taken[w] |= moving[w]
            if d < 4:
                for w in range(words):
                    target = word_shifted(moving, step, w, words) & valid[w]
                    if target & aimed[w]:
                        simple = False
                    aimed[w] |= target
    if not simple:
        move_in_order(game, work, layer)
        return
    if live[base + 4]:
        for w in range(words):
            planes[base + 4, w] = ZERO
        live[base + 4] = 0
    moved = True
    while moved:
        moved = False
        for d in range(4):
            if not live[base + d]:
                continue
            step = -1 if d == 0 else (1 if d == 1 else (-stride if d == 2 else stride))
            moving = planes[base + d]
            some = left = ZERO
            for w in range(words):
                can[w] = moving[w] & word_shifted(free, -step, w, words)
                some |= can[w]
            if some == ZERO:
                continue
            moved = True
            for thing in range(first, last):
                if live[thing]:
                    some = ZERO
                    for w in range(words):
                        bits[w] = planes[thing, w] & can[w]
                        some |= bits[w]
                    if some:
                        for w in range(words):
                            planes[thing, w] &= ~bits[w]
                        for w in range(words):
                            planes[thing, w] |= word_shifted(bits, step, w, words)
            for w in range(words):
                moving[w] &= ~can[w]
                left |= moving[w]
                free[w] = (free[w] | can[w]) & ~word_shifted(can, step, w, words)
            live[base + d] = left != ZERO


@njit
def ban_failed(game, work):
    """Ban the rigid groups with a movement that was not used up; return whether one is newly banned."""
    header, planes, live = game[0], work[0], work[1]
    marks, numbers, status = work[7], work[11], work[10]
    newly = False
    for x in range(header[WIDTH]):
        for y in range(header[HEIGHT]):
            bit = x * header[STRIDE] + y
            for layer in range(header[LAYERS]):
                if not marks[bit, layer]:
                    continue
                left = False
                for d in range(5):
                    plane = header[OBJECTS] + 5 * layer + d
                    left |= live[plane] and has(planes[plane], bit)
                if left:
                    number = numbers[bit, layer]
                    if not status[BANNED] >> number & 1:
                        status[BANNED] |= 1 << number
                        newly = True
                    break
    return newly


@njit
def clear_movements(game, work):
    header, planes, live = game[0], work[0], work[1]
    for plane in range(header[OBJECTS], header[VALID]):
        if live[plane]:
            for w in range(header[WORDS]):
                planes[plane, w] = ZERO
            live[plane] = 0


@njit
def find_players(game, work):
    """Write the plane of the cells that hold a player; return whether there are any."""
    header, data, planes, players = game[0], game[6], work[0], work[2][PLAYERS]
    some = ZERO
    for w in range(header[WORDS]):
        whole, part = planes[header[VALID], w], ZERO
        for i in range(header[PLAYER], header[PLAYER_END]):
            whole &= planes[data[i], w]
            part |= planes[data[i], w]
        players[w] = whole if header[PLAYER_WHOLE] else part
        some |= players[w]
    return some != ZERO


@njit
def turn(game, work, given):
    """Play steps 1 to 7 of a turn on the planes; `given` is a movement from 0 to 4, or -1 for a tick."""
    header, data = game[0], game[6]
    planes, live, scratch, backup, status = work[0], work[1], work[2], work[3], work[10]
    words = header[WORDS]
    status[QUEUE] = status[BANNED] = status[UNDONE] = 0
    players = scratch[PLAYERS]
    playing = False
    if given >= 0 and find_players(game, work):
        playing = True
        for i in range(header[PLAYER], header[PLAYER_END]):
            thing = data[i]
            plane = header[OBJECTS] + 5 * data[header[LAYER_OF] + thing] + given
            some = ZERO
            for w in range(words):
                some |= planes[thing, w] & players[w]
                planes[plane, w] |= planes[thing, w] & players[w]
            live[plane] |= some != ZERO
    keeps = header[NEEDS_MOVEMENT] and playing
    if header[RIGID_GROUPS]:
        for plane in range(header[VALID]):
            for w in range(words):
                backup[plane, w] = planes[plane, w]
    for _ in range(MOST_ROUNDS):
        if header[RIGID_GROUPS]:
            work[7][:] = 0
            work[11][:] = 0
        run_groups(game, work, 0, header[NORMAL_GROUPS])
        for layer in range(header[LAYERS]):
            base = header[OBJECTS] + 5 * layer
            if live[base] | live[base + 1] | live[base + 2] | live[base + 3] | live[base + 4]:
                move_layer(game, work, layer)
        if not header[RIGID_GROUPS] or status[ERROR] or not ban_failed(game, work):
            break
        for plane in range(header[VALID]):
            some = ZERO
            for w in range(words):
                planes[plane, w] = backup[plane, w]
                some |= planes[plane, w]
            live[plane] = some != ZERO
        status[QUEUE] = 0
    clear_movements(game, work)
    if status[ERROR] == 0:
        run_groups(game, work, header[NORMAL_GROUPS], header[GROUPS])
    if keeps:
        gone = ZERO
        for w in range(words):
            still = ZERO
            for i in range(header[PLAYER], header[PLAYER_END]):
                still |= planes[data[i], w]
            gone |= players[w] & ~still
        status[UNDONE] = gone == ZERO
