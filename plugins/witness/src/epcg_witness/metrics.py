"""The metrics of the Witness evaluators. Light, so that listings need no kernel."""

from __future__ import annotations

from epcg_core.plugin import WHOLE, Metric

SOLUTIONS = Metric(
    "solutions",
    "int",
    "min",
    "paths",
    "paths that satisfy every symbol of the panel",
    sentence="{} solution[s]",
    headline=1,
    at_least=0,
)
UNIQUE = Metric(
    "unique", "bool", description="the panel has exactly one solution", title="one solution only", headline=2
)
SHORTEST_SOLUTION = Metric(
    "shortest_solution",
    "int",
    "max",
    "edges",
    "edges of the shortest path that is a solution",
    sentence="a line of {} edge[s]",
    title="shortest line",
    headline=3,
    at_least=0,
    none=WHOLE.proven("no solution"),
)
LONGEST_SOLUTION = Metric(
    "longest_solution",
    "int",
    "max",
    "edges",
    "edges of the longest path that is a solution",
    title="longest line",
    headline=4,
    at_least=0,
    none=WHOLE.proven("no solution"),
)
JOINT_DIFFICULTY = Metric(
    "joint_difficulty",
    "int",
    "max",
    "paths",
    "fewest paths that solve all sub-panels but one, if exactly one path solves all",
    sentence="{} path[s] solve all panels but one",
    at_least=0,
    none="not exactly one path solves all panels",
)
SELECTIONS = Metric(
    "selections",
    "int",
    "max",
    "sets of panels",
    "sets of panels that the set of classes stands for",
    at_least=0,
)
