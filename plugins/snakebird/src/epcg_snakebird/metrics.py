"""The metrics of the Snakebird evaluators. Light, so that listings need no kernel."""

from __future__ import annotations

from epcg_core.plugin import WHOLE, Metric

REACHABLE_STATES = Metric(
    "reachable_states",
    "int",
    unit="positions",
    description="distinct positions that play can reach",
    sentence="{} position[s] within reach",
    title="positions one can reach",
    headline=2,
    at_least=0,
)
DEAD_ENDS = Metric(
    "dead_ends",
    "int",
    unit="positions",
    description="reachable positions from which the level can no longer be solved",
    sentence="{} position[s] of no return",
    title="positions of no return",
    headline=3,
    at_least=0,
)
STUCK_STATES = Metric(
    "stuck_states",
    "int",
    unit="positions",
    description="reachable positions, not solved, without a move that changes something and kills no snake",
    at_least=0,
)
SOLUTION_BRANCHING = Metric(
    "solution_branching",
    "real",
    unit="moves",
    description="mean number of moves that change something and kill no snake, along the shortest solution",
    title="moves to choose from",
    headline=4,
    at_least=0,
    none=WHOLE.proven("no solution"),
)
SOLUTION_FORKS = Metric(
    "solution_forks",
    "int",
    unit="positions",
    description="positions along the shortest solution with two or more such moves",
    sentence="{} fork[s] on the way",
    at_least=0,
    none=WHOLE.proven("no solution"),
)
