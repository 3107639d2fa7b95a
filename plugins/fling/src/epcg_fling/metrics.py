"""The metrics of the Fling! evaluators. Light, so that listings need no kernel."""

from __future__ import annotations

from epcg_core.plugin import WHOLE, Metric

SOLVABLE = Metric(
    "solvable",
    "bool",
    description="some sequence of moves leaves one piece",
    title="can be solved",
    headline=1,
)
UNIQUE = Metric(
    "unique",
    "bool",
    description="one way to go on at every step, except for the last move",
    title="one way only",
    headline=2,
)

REACHABLE_STATES = Metric(
    "reachable_states",
    "int",
    unit="boards",
    description="distinct boards reachable by legal moves, the start and one-piece boards included",
    sentence="{} position[s] within reach",
    title="positions one can reach",
    headline=4,
    at_least=0,
)
LEGAL_MOVES = Metric(
    "legal_moves",
    "int",
    unit="moves",
    description="legal moves of the board",
    sentence="{} legal move[s]",
    at_least=0,
)
WINNING_MOVES = Metric(
    "winning_moves",
    "int",
    "min",
    "moves",
    "legal moves after which the board is still solvable",
    sentence="{} winning first move[s]",
    title="first moves that win",
    headline=3,
    at_least=0,
)

LOSING_MOVES = Metric(
    "losing_moves", "int", unit="moves", description="legal moves after which nothing can be won", at_least=0
)
DEAD_POSITIONS = Metric(
    "dead_positions",
    "int",
    unit="boards",
    description="distinct boards reachable by legal moves from which nothing can be won",
    at_least=0,
)
DEAD_SHARE = Metric(
    "dead_share",
    "real",
    description="dead_positions / reachable boards: how much of the game is lost",
    at_least=0,
    at_most=1,
)

EDITS_CHANGING_SOLVABILITY = Metric(
    "edits_changing_solvability",
    "int",
    unit="cells",
    description="cells where adding or removing a piece makes the board solvable, or no longer so",
    at_least=0,
)
EDITS_CHANGING_UNIQUENESS = Metric(
    "edits_changing_uniqueness",
    "int",
    unit="cells",
    description="cells where adding or removing a piece makes the solution unique, or no longer so",
    at_least=0,
)

FULL_TREE = Metric(
    "full_tree",
    "int",
    unit="nodes",
    description="nodes of the tree of all moves, root and leaves included",
    sentence="{} position[s] to look at",
    at_least=0,
)
EXPERT_TREE = Metric(
    "expert_tree",
    "int",
    "min",
    "nodes",
    "nodes of the tree without moves that do not depend on the previous one",
    sentence="{} position[s] to look at",
    title="positions an expert looks at",
    headline=5,
    at_least=0,
)
EXPERT_RATIO = Metric(
    "expert_ratio",
    "real",
    description="full_tree / expert_tree: what an expert saves by inference",
    sentence="an expert looks at {} times fewer positions",
    at_least=0,
)

SOLUTION_LENGTH = Metric(
    "solution_length",
    "int",
    unit="moves",
    description="always one less than the pieces",
    sentence="solved in {} move[s]",
    at_least=0,
    none=WHOLE.proven("no solution"),
)
PIECE_SWITCHES = Metric(
    "piece_switches",
    "int",
    description="moves of the first solution that fling another piece than the one flung before",
    sentence="{} change[s] to another piece",
    at_least=0,
    none=WHOLE.proven("no solution"),
)
TOUCHING_DISTURBED = Metric(
    "moves_touching_disturbed",
    "int",
    description="moves of the first solution that set a piece in motion which the move before had moved",
    at_least=0,
    none=WHOLE.proven("no solution"),
)
SOLUTION_BRANCHING = Metric(
    "solution_branching",
    "real",
    unit="moves",
    description="mean number of legal moves of the boards along the first solution",
    at_least=0,
    none=WHOLE.proven("no solution"),
)

DEAD_END_METRICS = (LOSING_MOVES, DEAD_POSITIONS, DEAD_SHARE)
EDIT_METRICS = (EDITS_CHANGING_SOLVABILITY, EDITS_CHANGING_UNIQUENESS)
EXPERT_METRICS = (FULL_TREE, EXPERT_TREE, EXPERT_RATIO)
SOLUTION_METRICS = (SOLUTION_LENGTH, PIECE_SWITCHES, TOUCHING_DISTURBED, SOLUTION_BRANCHING)
