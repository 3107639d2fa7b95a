"""The metrics of the evaluators."""

from epcg_core.plugin import Metric

PIECES = Metric("pieces", "int", "min", "pieces", "pieces on the board, the red car among them")
MINIMAL = Metric(
    "minimal",
    "bool",
    "max",
    "",
    "whether the board needs another number of moves without any one piece, the red car excepted",
    none="moves do not lead to a solved board",
)
