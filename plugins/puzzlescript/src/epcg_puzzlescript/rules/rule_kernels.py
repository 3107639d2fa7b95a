"""Rules, groups and loops on bit planes.

A rule that did nothing is not looked at again before a plane changes on which it depends. The arguments are
those of `plane_access`.
"""

from __future__ import annotations

from epcg_core.plugin import lean_njit
from epcg_puzzlescript.rules import columns as at
from epcg_puzzlescript.rules.columns import WORDS
from epcg_puzzlescript.rules.match_kernels import (
    collect,
    combination_holds,
    guarded,
    may_match,
    part_starts,
    steady,
)
from epcg_puzzlescript.rules.plane_access import ZERO, Planes, Table, scratch, word_shifted
from epcg_puzzlescript.rules.replace_kernels import drawn, enqueue, replace_all, replace_combination
from epcg_puzzlescript.rules.turn import MOST_PASSES


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
        rule, last = table[group + at.RULE], table[group + at.RULE_END]
        while rule < last:
            past = guarded(table, planes, rule)
            if past == rule:
                passed |= run_rule(table, planes, state, rule, table[group + at.RIGID])
                past += at.RULE_SIZE
            rule = past
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
