"""A turn on bit planes: one interpreter for all games, compiled once.

Its parts are `match_kernels`, `replace_kernels`, `rule_kernels` and `movement_kernels`; what a plane is, and
the arguments, are told in `plane_access`.
"""

from __future__ import annotations

from epcg_core.plugin import lean_njit
from epcg_puzzlescript.rules import columns as at
from epcg_puzzlescript.rules.columns import WORDS
from epcg_puzzlescript.rules.movement_kernels import ban_failed, clear_movements, move_layer
from epcg_puzzlescript.rules.plane_access import ZERO, Planes, Table, scratch, touch
from epcg_puzzlescript.rules.rule_kernels import run_groups
from epcg_puzzlescript.rules.turn import MOST_RIGID_ROUNDS


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
    for _ in range(MOST_RIGID_ROUNDS):
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
