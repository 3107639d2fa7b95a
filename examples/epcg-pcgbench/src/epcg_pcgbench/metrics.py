"""The metrics of the evaluators."""

from epcg_core.plugin import Metric

REGIONS = Metric("regions", "int", "min", "", "regions of cells that are not solid")
LONGEST = Metric(
    "longest_path", "int", "max", "moves", "the longest of all shortest paths, if there is one region",
    none="no single region", headline=1,
)  # fmt: skip
GOOD_MAZE = Metric("good_maze", "bool", "max", "", "one region, and a longest path of rows + columns or more")
TO_KEY = Metric(
    "to_key", "int", "max", "moves", "from the player to the key, not through the door",
    none="no such path, or not one of each",
)  # fmt: skip
TO_DOOR = Metric(
    "to_door", "int", "max", "moves", "from the key to the door", none="no such path, or not one of each"
)
GOOD_ROOM = Metric(
    "good_room", "bool", "max", "",
    "one region, the right numbers, and paths of rows + columns or more together",
)  # fmt: skip
CRATES = Metric("crates", "int", "max")
MOVES = Metric(
    "crate_moves", "int", "max", "moves", "moves of a shortest solution",
    none="no solution, or the wrong numbers", headline=2,
)  # fmt: skip
GOOD_CRATES = Metric(
    "good_crates", "bool", "max", "", "solvable, in (rows + columns) times the difficulty or more moves"
)
