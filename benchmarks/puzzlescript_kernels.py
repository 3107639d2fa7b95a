"""PuzzleScript: which recorded levels a kernel serves, why not others, and how much it wins.

For every STEP-th level of the recorded searches: the kind of its kernel or why it has none, the turns a CPU
second by the kernel (with what it leaves to the interpreter) and by the interpreter, both the median of some
repetitions in this process, on the positions that a search reaches first.

    python -m benchmarks.puzzlescript_kernels [STEP [FIRST]]
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from statistics import median

import attrs
import numpy as np
from epcg_puzzlescript.language.problems import GameError
from epcg_puzzlescript.rules.game_kernels import Expand
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.packed import PackedLevel, Words

from benchmarks.puzzlescript import RECORDED, elementary_rules, many_rules, recorded_levels
from benchmarks.table import Row, cpu_seconds, left_out, row, show
from epcg_core.search.shortest_path.positions import PositionTable

POSITIONS = 500
SECONDS = 0.3
"""So long positions are looked for, and so long each way of playing them is measured."""
LEAST_GAIN = 2.5


@attrs.frozen
class Served:
    """How the turns of a level are played."""

    kind: str
    """The kind of the kernel, or why there is none."""
    interpreter: float = 0.0
    """Microseconds a turn."""
    kernel: float | None = None
    """Microseconds a turn, with those that the interpreter plays; None without a kernel."""
    left: float = 0.0
    """The share of the turns that the kernel leaves to the interpreter."""
    compiling: float = 0.0

    @property
    def gain(self) -> float:
        """How many times as fast as the interpreter; 1 without a kernel."""
        return 1.0 if self.kernel is None else self.interpreter / self.kernel


def positions_of(level: Level, packed: PackedLevel) -> Words:
    """Return the first positions of a search of a level, as rows; few of them several times."""
    table = PositionTable(packed.words)
    table.add(packed.pack(PuzzleScriptModel().initial(level)).reshape(1, -1))
    start, until = 0, time.process_time() + SECONDS
    while start < table.count < POSITIONS and time.process_time() < until:
        rows = table.rows(start, min(table.count, start + 20))
        start += len(rows)
        after = packed.by_interpreter(rows).positions
        table.add(np.ascontiguousarray(after[~packed.solved(after)]))
    found = table.rows(0, min(table.count, POSITIONS))
    return np.ascontiguousarray(np.tile(found, (-(-POSITIONS // len(found)), 1)))


def microseconds(play: Callable[[], object], turns: int) -> float:
    """Return the median of some repetitions, a turn."""
    found: list[float] = []
    until = time.process_time() + SECONDS
    while len(found) < 3 or (len(found) < 15 and time.process_time() < until):
        found.append(cpu_seconds(play))
    return median(found) / turns * 1e6


def served(level: Level) -> Served:
    """Measure a level. Raises GameError if it cannot be searched."""
    model = PuzzleScriptModel()
    packed = model.packed_anywhere(level, 0)
    rows = positions_of(level, packed)
    inputs = len(model.inputs(level.game))
    turns = len(rows) * inputs
    interpreter = microseconds(lambda: packed.by_interpreter(rows), turns)
    reason = packed.kernel.reason
    if reason is not None:
        return Served(reason, interpreter)
    compiling = cpu_seconds(packed.kernel.compile)
    own = packed.kernel.compile()
    assert own is not None
    left = packed.left_by_kernel(own, rows)
    share = sum(int((left >> given & 1).sum()) for given in range(inputs)) / turns
    kernel = microseconds(lambda: by_kernel(packed, own, rows), turns)
    kind = "kernel of a large game" if packed.kernel.room else "kernel"
    if share > 0.5:
        kind = "it would leave most turns to the interpreter"
    return Served(kind, interpreter, kernel, share, compiling)


def by_kernel(packed: PackedLevel, own: Expand, rows: Words) -> None:
    """Play positions by the kernel, in batches as searches do."""
    for start in range(0, len(rows), 100):
        packed.by_kernel(own, rows[start : start + 100])


def measure(step: int, first: int) -> list[Row]:
    """Measure the rows of the benchmark table; print a line for each level."""
    levels = [many_rules()]
    if RECORDED.is_dir():
        levels += recorded_levels()[first::step]
    found: list[Served] = []
    for number, level in enumerate(levels):
        try:
            each = served(level)
        except GameError as error:
            print(f"{first + (number - 1) * step:4} {level.game.title[:24]:24} {error}", flush=True)
            continue
        found.append(each)
        own = "      " if each.kernel is None else f"{each.kernel:6.2f}"
        print(
            f"{first + (number - 1) * step:4} {level.game.title[:24]:24} {level.width:2} by {level.height:2} "
            f"{elementary_rules(level):5} rules  interpreter {each.interpreter:7.2f} us  kernel {own} us  "
            f"{each.gain:5.1f} times  left {each.left:.2f}  {each.compiling:4.1f} s  {each.kind}",
            flush=True,
        )
    for kind, count in Counter(each.kind for each in found).most_common():
        print(f"{count:4} levels: {kind}")
    with_kernel = [each for each in found if each.kernel is not None and each.left <= 0.5]
    gains = sorted(each.gain for each in with_kernel)
    slow, longest = sum(gain < LEAST_GAIN for gain in gains), max(each.compiling for each in found)
    share = len(with_kernel) / len(found)
    rows = [
        row("levels with a kernel", f"{len(with_kernel)} of {len(found)}", "", share, "97 %", share >= 0.97),
        row("the same: the level in the middle", f"{median(gains):.1f} times", "the interpreter",
            median(gains), "none", True),
        row("the same: the slowest", f"{gains[0]:.1f} times", f"{slow} below {LEAST_GAIN}", gains[0],
            f"{LEAST_GAIN}", slow == 0),
        row("the same: the longest compilation", f"{longest:.1f} CPU s", "", longest / 15, "15 s",
            longest <= 15),
    ]  # fmt: skip
    return rows if RECORDED.is_dir() else [*rows, left_out("recorded levels", "they are not at hand")]


if __name__ == "__main__":
    step, first = (int(sys.argv[n]) if len(sys.argv) > n else default for n, default in ((1, 1), (2, 0)))
    show(measure(step, first))
