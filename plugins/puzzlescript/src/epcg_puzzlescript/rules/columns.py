"""Where kernels find what: the layout of the three arrays of the engine of bit planes.

`table` holds the game as integers, `planes` the board as words, `state` what happens during a turn. Records
are known by their address, the index of their first entry; `table[rule + STEP]` is a field of a rule.

A plane has a word for every 64 cells, then LIVE (0 if it is empty) and STAMP (the clock when it last
changed).
"""

from __future__ import annotations

# The header, at the beginning of `table`.
(
    WIDTH, HEIGHT, STRIDE, WORDS, SIZE, VALID, MOVES, LAYERS, LAYER_LIST, LAYER_SIZE, OBJECTS_END, BACKUP,
    BEFORE, ROW_PLANES, NORMAL, NORMAL_END, LATE, LATE_END, RIGID_GROUPS, PLAYER, PLAYER_END, PLAYER_WHOLE,
    NEEDS_MOVEMENT, CONDITION, CONDITION_END, INPUTS, CHANGING, CHANGING_END, WON_WORD, WON_BIT,
    RESTART_AGAIN, OBJECT_LAYERS, FOUND, FOUND_END, COUNTS, PICKS, MARKED, NUMBERS, CHANCE, FIRED,
    ENDLESS_GROUPS, SEEN, MATCHED, CELL_BEFORE, CELL_AFTER, STATE_SIZE, PLANES_SIZE,
) = range(47)  # fmt: skip
HEADER_SIZE = 47
# SIZE: entries of a plane. VALID: the plane of the cells of the board. MOVES: the first movement plane,
# five for each layer. LAYER_LIST: the first object plane of each layer, and one past its last.
# INPUTS: the inputs that the game takes, as bits.
# OBJECT_LAYERS: the layer of each object. BACKUP, BEFORE, ROW_PLANES: planes to work with. From FOUND to
# CELL_AFTER: places in `state`.

# Groups: rules from RULE to RULE_END; LOOP is the group to jump to after this one, or -1.
RULE, RULE_END, RANDOM, RIGID, LOOP, GROUP_NUMBER = range(6)
GROUP_SIZE = 6

# Rules: what they need on the board (as in guards), rows, and the planes on which their effect depends.
(
    NEED, NEED_END, CHOICE, CHOICE_END, ROW, ROW_END, STEP, UPRIGHT, COMMANDS, MARKS, KIND, STEADY, DEPENDS,
    DEPENDS_END, RULE_NUMBER, GUARD, GUARD_END,
) = range(17)  # fmt: skip
RULE_SIZE = 17
# NEED lists planes that may not be empty; CHOICE holds lists, each after its length, in which one plane at
# least is not empty. GUARD lists the guards that begin with this rule.
# KIND: SIMPLE rules have one row without ellipsis, chance and rigidity. STEADY: the rule does nothing again
# before a plane changes on which it depends.
SIMPLE, GENERAL = range(2)

# Guards: NEED to CHOICE_END, and the first rule that does not need them any more.
PAST = 4
GUARD_SIZE = 5

# Rows: cells from CELL on, in up to three parts, and their number.
CELL, CELLS, PARTS, PART_1, PART_2, PART_3 = range(6)
ROW_SIZE = 6

# Cells: lists of planes. ANY holds lists, each after its length. DRAWN lists objects by number, TURNED and
# TOUCHED list layers.
(
    REQUIRED, REQUIRED_END, FORBIDDEN, FORBIDDEN_END, ANY, ANY_END, SET, SET_END, CLEAR, CLEAR_END, DRAWN,
    DRAWN_END, TURNED, TURNED_END, TOUCHED, TOUCHED_END,
) = range(16)  # fmt: skip
CELL_SIZE = 16

# Conditions: lists of planes, and whether all of them must lie in a cell. ON = ON_END: anywhere.
QUANTIFIER, WHAT, WHAT_END, WHAT_WHOLE, ON, ON_END, ON_WHOLE = range(7)
CONDITION_SIZE = 7
NO, SOME, ALL_ON = range(3)

# The first entries of `state`.
QUEUE, ERROR, BANNED, UNDONE, CLOCK = range(5)
STATUS_SIZE = 5
FINE, UNDEFINED_MOVE, TOO_MANY, NO_ROOM, ENDLESS = range(5)

# Planes to work with, after those of the board; the planes of the rows of a rule follow at ROW_PLANES.
STARTS, MASK, PLAYERS, TAKEN, AIMED, FREE, CAN, HERE = range(8)
SCRATCH = 8

# Commands as bits of QUEUE; sounds take the higher ones.
CANCEL, RESTART, WIN, CHECKPOINT, AGAIN, MESSAGE = (1 << bit for bit in range(6))
FIRST_SOUND = 6
COMMAND_BITS = {
    "cancel": CANCEL, "restart": RESTART, "win": WIN, "checkpoint": CHECKPOINT, "again": AGAIN,
    "message": MESSAGE,
}  # fmt: skip
MOST_SOUNDS = 50
