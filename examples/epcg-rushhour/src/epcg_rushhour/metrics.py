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
CLUSTER_MINIMAL = Metric(
    "cluster_minimal",
    "bool",
    "max",
    "",
    "whether the hardest board of a cluster needs another number of moves without any one piece, the red car "
    "excepted; given at the lowest rank of the cluster",
    none="no board of the cluster is solved, or a packed board of it has a lower rank",
)
