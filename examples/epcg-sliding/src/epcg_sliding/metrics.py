"""The metrics of the evaluators."""

from epcg_core.plugin import Metric

MANHATTAN = Metric("manhattan", "int", "max", "cells", "how far the tiles are from their own cells, in all")
MOVES = Metric("moves", "int", "max", "moves", "moves of a shortest solution")
SOLUTIONS = Metric("solutions", "int", "min", "", "how many shortest solutions there are")
UNIQUE_MOVES = Metric(
    "unique_moves", "int", "max", "moves", "moves of the shortest solution, if there is only one"
)
