"""The metrics of the PuzzleScript evaluators. Light, so that listings need no kernel."""

from __future__ import annotations

from epcg_core.plugin import WHOLE, Metric

REACHABLE = Metric(
    "reachable_positions", "int", unit="positions", description="distinct positions that play can reach",
    sentence="{} position[s] within reach", title="positions one can reach", headline=3, at_least=0
)  # fmt: skip
DEAD = Metric(
    "dead_positions", "int", unit="positions",
    description="reachable positions from which the level can no longer be won",
    sentence="{} position[s] of no return", title="positions of no return", headline=4, at_least=0
)  # fmt: skip
STUCK = Metric(
    "stuck_positions", "int", unit="positions",
    description="reachable positions, not won, in which no input changes anything", at_least=0,
)  # fmt: skip
SHORTEST_SOLUTIONS = Metric(
    "shortest_solutions", "int", unit="solutions", description="the number of shortest solutions",
    none=WHOLE.proven("no solution"), title="shortest solutions", headline=2, at_least=0
)  # fmt: skip
DISPLACEMENTS = Metric(
    "displacements", "int", unit="steps",
    description="cells that the counted objects enter along the first shortest solution, all ticks included",
    at_least=0,
)  # fmt: skip
BRANCHING = Metric(
    "solution_branching", "real", unit="inputs",
    description="mean number of inputs that change something, along the first shortest solution", at_least=0,
)  # fmt: skip
FORKS = Metric(
    "solution_forks", "int", unit="positions",
    description="positions along the first shortest solution with two or more such inputs",
    sentence="{} fork[s] on the way", at_least=0,
)  # fmt: skip
RULES_FIRED = Metric(
    "rules_fired", "int", unit="rules",
    description="rules, as lines, that change something along the first shortest solution", at_least=0,
)  # fmt: skip
RULES_NEEDED = Metric(
    "rules_needed", "int", unit="rules",
    description="rules, as lines, without which the level has no solution of the same length or none at all",
    at_least=0,
)  # fmt: skip
RULES_ESSENTIAL = Metric(
    "rules_essential", "int", unit="rules",
    description="rules, as lines, without which the level has no solution", at_least=0,
)  # fmt: skip
START_MOVES = Metric(
    "start_moves", "int", "max", "moves", "inputs of a shortest solution, found for all starts at once",
    none=WHOLE.proven("no solution"), sentence="solved in {} move[s]", at_least=0,
)  # fmt: skip
CHANCE = "random numbers"
"""What searches leave out of a game that draws some, but for the measures of chance."""
RESTARTS = "restarts while ticks of 'again' run"
UNDO_OF_TICKS = "undo after a rule restarts while ticks of 'again' run"
UNDO_OF_CHECKPOINTS = "undo after a checkpoint"
"""What searches leave out of some games, because keys lead to boards between two ticks or two checkpoints."""
LUCKY_MOVES = Metric(
    "lucky_moves", "int", unit="moves", description="the fewest inputs that win for some draws",
    none=WHOLE.proven("wins for no draws"), sentence="{} move[s] with luck", title="moves with luck",
    at_least=0, covers=(CHANCE,),
)  # fmt: skip
SURE_MOVES = Metric(
    "sure_moves", "int", unit="moves",
    description="the fewest inputs within which the level can be won whatever is drawn",
    none=WHOLE.proven("no number of moves wins for all draws"), sentence="{} move[s] whatever is drawn",
    title="moves whatever is drawn", at_least=0, covers=(CHANCE,),
)  # fmt: skip
WIN_CHANCE = Metric(
    "win_chance", "real", at_least=0, at_most=1,
    description="the probability of a win by the best play, without an end and without undo",
    sentence="won with a chance of {}", title="chance of a win", covers=(CHANCE,),
)  # fmt: skip
CHANCE_POSITIONS = Metric(
    "chance_positions", "int", unit="positions",
    description="distinct positions that play can reach, for any draws", always=True, at_least=0,
    covers=(CHANCE,),
)  # fmt: skip
