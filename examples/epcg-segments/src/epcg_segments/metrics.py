"""The metrics of the evaluators."""

from epcg_core.plugin import Metric

PASSABLE = Metric("passable", "bool", "max", "", "whether the player can run and jump to the last column")
ENTRIES = Metric(
    "entries", "int", "max", "heights", "heights of the first column from which it can be passed"
)
EXITS = Metric("exits", "int", "max", "heights", "heights at which it can be left, entered where play begins")
JUMPS = Metric(
    "jumps", "int", "max", "jumps", "fewest jumps on the way to the last column",
    none="it cannot be passed", sentence="{} jump[s] at least", headline=1,
)  # fmt: skip
TIGHTEST = Metric(
    "tightest", "int", "min", "ticks", "by how many ticks the jumps of the most forgiving way can be moved",
    none="it cannot be passed, or needs no jump", sentence="{} tick[s] by which each jump can be moved",
    title="room for jumps", headline=2,
)  # fmt: skip
CHAIN_JUMPS = Metric(
    "chain_jumps", "int", "max", "jumps",
    "fewest jumps through a chain, every segment of which is entered on the ground",
    none="some segment cannot be entered or passed", sentence="{} jump[s] at least",
)  # fmt: skip
