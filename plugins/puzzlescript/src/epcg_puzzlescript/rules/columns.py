"""The columns of the tables that compiled kernels read."""

from __future__ import annotations

# The header of a game on boards of one size.
(
    WIDTH, HEIGHT, STRIDE, WORDS, OBJECTS, LAYERS, VALID, NORMAL_GROUPS, GROUPS, RIGID_GROUPS, PLAYER,
    PLAYER_END, PLAYER_WHOLE, NEEDS_MOVEMENT, CONDITIONS, INPUTS, CHANGING, CHANGING_END, WON_WORD, WON_BIT,
    RESTART_AGAIN, LAYER_LIST, LAYER_OF,
) = range(23)  # fmt: skip
HEADER_SIZE = 23
# LAYER_LIST: where the data has the first object of each layer, and one past its last. LAYER_OF: where it has
# the layer of each object.

# Groups: rules from RULE to RULE_END; LOOP is the group to jump to after this one, or -1.
RULE, RULE_END, RANDOM, RIGID, LOOP = range(5)
GROUP_SIZE = 5

# Rules: rows, and the planes without which they cannot match.
ROW, ROW_END, STEP, UPRIGHT, COMMANDS, MARKS, KIND, NEED, NEED_END = range(9)
RULE_SIZE = 9
SIMPLE, GENERAL = range(2)
"""KIND: one row without ellipsis, chance or rigidity; or any other."""

# Rows: cells from CELL on, in up to three parts.
CELL, CELLS, PARTS, PART_1, PART_2, PART_3 = range(6)
ROW_SIZE = 6

# Cells: lists of planes. ANY holds lists, each after its length.
(
    REQUIRED, REQUIRED_END, FORBIDDEN, FORBIDDEN_END, ANY, ANY_END, SET, SET_END, CLEAR, CLEAR_END, DRAWN,
    DRAWN_END, TURNED, TURNED_END, TOUCHED, TOUCHED_END,
) = range(16)  # fmt: skip
CELL_SIZE = 16

# Conditions: lists of objects, and whether all of them must lie in a cell. ON = ON_END: anywhere.
QUANTIFIER, WHAT, WHAT_END, WHAT_WHOLE, ON, ON_END, ON_WHOLE = range(7)
CONDITION_SIZE = 7
NO, SOME, ALL_ON = range(3)

# Status.
QUEUE, ERROR, BANNED, UNDONE = range(4)
STATUS_SIZE = 4
FINE, UNDEFINED_MOVE, TOO_MANY, NO_ROOM, ENDLESS = range(5)

# Commands as bits of QUEUE; sounds take the higher ones.
CANCEL, RESTART, WIN, CHECKPOINT, AGAIN, MESSAGE = (1 << bit for bit in range(6))
FIRST_SOUND = 6
COMMAND_BITS = {
    "cancel": CANCEL, "restart": RESTART, "win": WIN, "checkpoint": CHECKPOINT, "again": AGAIN,
    "message": MESSAGE,
}  # fmt: skip
MOST_SOUNDS = 50
