"""PuzzleScript: turns a CPU second on bit planes, by levels of our own and by those of the recorded searches.

A turn is an input with all ticks that follow it. References are what the reference engine in JavaScript
reached on Sokoban levels (30,000 to 72,000 turns a second), and the plain engine in the same run.

    python -m benchmarks.puzzlescript
    python -m benchmarks.puzzlescript large [STEP]

The second compares large games with the interpreter as it was before guards and before rules that cannot
match were left out, in the same process: every STEP-th of their levels, and a game of 15,000 rules.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs
import numpy as np
from epcg_puzzlescript.evaluation.starts import ArrayStartMoves, make_start_moves
from epcg_puzzlescript.formats.files import shipped_game
from epcg_puzzlescript.formats.text import level_of, parse_level, read_game_text
from epcg_puzzlescript.generators.starts import ArrayStarts, make_starts
from epcg_puzzlescript.language.game import parse_game
from epcg_puzzlescript.language.problems import GameError
from epcg_puzzlescript.params import PositionsParams, StartsParams
from epcg_puzzlescript.rules import model as model_module, tables as tables_module
from epcg_puzzlescript.rules.batches import BatchSearch, Levels
from epcg_puzzlescript.rules.game_kernels import Expand
from epcg_puzzlescript.rules.kernel_source import KernelSource
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.packed import PackedLevel, Words
from epcg_puzzlescript.rules.turn import EndlessError
from numpy.typing import NDArray

from benchmarks.table import Row, cpu_seconds, left_out, row, show
from epcg_core.compiled.words import compile_words
from epcg_core.search.shortest_path.positions import PositionTable
from epcg_core.search.shortest_path.solver import BATCH, shortest_path

RECORDED = Path(__file__).parents[2] / "shared" / "data" / "puzzlescript"
REFERENCE = 72_000.0
MOST = 20_000
"""Positions of a level that are expanded."""
PLAIN_INPUTS = 200
THINGS = ((2, 2, "P"), (4, 3, "*"), (6, 4, "*"), (5, 2, "O"), (6, 5, "O"), (5, 5, "#"), (3, 4, "#"))
MORE = (
    (5, 3, "*"),
    (1, 1, "O"),
    (1, 2, "#"),
    (2, 1, "#"),
    (2, 2, "."),
    (3, 2, "P"),
    (5, 2, "."),
    (6, 5, "."),
)
"""Changes to three lanterns and a walled-in post, so that a search goes through all positions."""
SEARCHED = 1_500_000
LONG = 100_000
"""Positions from which on a search takes long enough to be measured three times only."""


def board(width: int, height: int, lanterns: int = 2) -> Level:
    """Return a level of Lanterns on the Pier, mostly empty, with two lanterns or three.

    With three there is one post, out of reach, so that a search goes through all positions.
    """
    inner = ["#", *"." * (width - 2), "#"]
    rows = [["#"] * width, *(list(inner) for _ in range(height - 2)), ["#"] * width]
    for x, y, glyph in THINGS:
        rows[y][x] = glyph
    if lanterns == 3:
        for x, y, glyph in MORE:
            rows[y][x] = glyph
    path = shipped_game("lanterns")
    assert path is not None
    text = path.read_text()
    head = text[: text.index("\nLEVELS\n") + len("\nLEVELS\n")]
    return parse_level(head + "\n" + "\n".join("".join(line) for line in rows) + "\n")


def speed(level: Level) -> tuple[float, int, float]:
    """Return turns a CPU second, how many were played, and new positions a CPU second of the whole search.

    All by the interpreter.
    """
    model = PuzzleScriptModel()
    packed = model.packed_anywhere(level, 0)
    first = packed.pack(model.initial(level)).reshape(1, -1)
    packed.by_interpreter(first)  # compiles
    batches: list[NDArray[np.uint64]] = []
    table = PositionTable(packed.words)
    table.add(first)
    begun, start = time.process_time(), 0
    while start < table.count < MOST:
        rows = table.rows(start, table.count)
        start = table.count
        batches.append(rows)
        found = packed.by_interpreter(rows).positions
        table.add(np.ascontiguousarray(found[~packed.solved(found)]))
    searched = table.count / (time.process_time() - begun)
    turns = sum(map(len, batches)) * len(model.inputs(level.game))

    def play() -> None:
        for rows in batches:
            packed.by_interpreter(rows)

    return turns / min(cpu_seconds(play) for _ in range(3)), turns, searched


def kernel_rows() -> list[Row]:
    """Measure the kernel of Lanterns on the Pier: making it, turns, searches, memory."""
    rows = []
    for what, (width, height), bar in (
        ("one word, 8 by 7", (8, 7), 8e6),
        ("64 cells, 8 by 8", (8, 8), 8e6),
        ("two words, 11 by 10", (11, 10), 5e6),
    ):
        level = board(width, height, lanterns=3)
        model = PuzzleScriptModel()
        packed = model.packed_anywhere(level, 0)
        source = KernelSource(level.game, packed.kernel.words, packed.kernel.changes).text
        compiling = cpu_seconds(lambda source=source: compile_words(source))  # type: ignore[misc]
        own = packed.kernel.compile()
        assert own is not None
        found = shortest_path(model, level, SEARCHED)  # with memory to itself
        table = PositionTable(packed.words)

        def search(
            model: PuzzleScriptModel = model, level: Level = level, table: PositionTable = table
        ) -> None:
            shortest_path(model, level, SEARCHED, table=table)

        searching = min(cpu_seconds(search) for _ in range(3 if found.states > LONG else 20))
        positions = table.rows(0, min(table.count, 20 * BATCH))
        batches = [positions[at : at + BATCH] for at in range(0, len(positions), BATCH)]

        def play(packed: PackedLevel = packed, own: Expand = own, batches: list[Words] = batches) -> None:
            for batch in batches:
                packed.by_kernel(own, batch)

        def interpret(packed: PackedLevel = packed, batches: list[Words] = batches) -> None:
            packed.by_interpreter(batches[len(batches) // 2])

        turns = 4 * len(positions) / min(cpu_seconds(play) for _ in range(5))
        slow = 4 * len(batches[len(batches) // 2]) / min(cpu_seconds(interpret) for _ in range(3))
        per_second = found.states / searching
        # a number of 4 bytes and an input of one for the way back, with an eighth to spare
        size = table.nbytes / table.count + 5 * 9 / 8
        rows += [
            row(f"kernel, {what}: turns", f"{turns / 1e6:.1f} M/CPU s",
                f"interpreter {slow / 1e6:.2f} M", turns / slow, f"{bar / 1e6:.0f} M", turns >= bar),
            row("the same: new positions", f"{per_second / 1e6:.2f} M/CPU s", f"{found.states:,} positions",
                per_second / 2e6, "2 M", per_second >= 2e6),
            row("the same: memory", f"{size:.0f} bytes a position", "rows, slots, the way back", size / 40,
                "40 bytes", size <= 40),
            row("the same: making and compiling it", f"{compiling:.2f} CPU s", "", compiling / 15, "15 s",
                compiling <= 15),
        ]  # fmt: skip
    return rows


SMALL = """
#######
#..*..#
#.#...#
#...#.#
#..*..#
#P.O.O#
#######
"""
"""A level with an interior of 5 by 5 cells."""


def space_rows() -> list[Row]:
    """Measure spaces on an interior of 5 by 5 cells: levels one by one, and starts that share their graph."""
    path = shipped_game("lanterns")
    assert path is not None
    text = path.read_text()
    head = text[: text.index("\nLEVELS\n") + len("\nLEVELS\n")]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "small.txt"
        file.write_text(head + SMALL)
        starts = make_starts(StartsParams(str(file), ("post", "lantern", "keeper")))
    assert isinstance(starts, ArrayStarts)
    rows = random_levels(starts.setting, parse_level(head + SMALL))
    search = BatchSearch(starts.setting)
    search.search(rows[:10], SEARCHED, wait=True)
    levels = len(rows) / min(cpu_seconds(lambda: search.search(rows, SEARCHED)) for _ in range(3))
    moves = make_start_moves(PositionsParams(), starts)
    assert isinstance(moves, ArrayStartMoves)
    moves.evaluate_block(0, 1)  # compiles

    def score() -> None:
        fresh = make_start_moves(PositionsParams(), starts)
        assert isinstance(fresh, ArrayStartMoves)
        fresh.evaluate_block(0, starts.max_rank)

    pairs = starts.max_rank / min(cpu_seconds(score) for _ in range(3))
    return [
        row("levels of two crates with walls, one by one", f"{levels:,.0f}/CPU s", f"{len(rows):,} levels",
            levels / 30_000, "30,000", levels >= 30_000),
        row("pairs of start and target set", f"{pairs / 1e6:.1f} M/CPU s", f"{starts.max_rank:,} pairs",
            pairs / 50e6, "50 M", pairs >= 50e6),
    ]  # fmt: skip


def random_levels(setting: Levels, level: Level) -> Words:
    """Return levels with a keeper, two lanterns and two posts among random walls, as rows."""
    draw = np.random.default_rng(20)
    inside = [x * level.height + y for x in range(1, 6) for y in range(1, 6)]
    bits = {thing.name: 1 << thing.number for thing in level.game.objects}
    mask = sum(bits[name] for name in ("keeper", "lantern", "rock", "post"))
    rows = []
    for _ in range(3_000):
        cells = [cell & ~mask if at in inside else cell for at, cell in enumerate(level.cells)]
        keeper, *others = draw.permutation(inside).tolist()
        cells[keeper] |= bits["keeper"]
        for place in others[:2]:
            cells[place] |= bits["lantern"]
        for place in others[2:]:
            cells[place] |= bits["rock"] * int(draw.integers(4) == 0)
        free = [place for place in inside if not cells[place] & bits["rock"]]
        for place in draw.permutation(free)[:2].tolist():
            cells[place] |= bits["post"]
        rows.append(setting.row(attrs.evolve(level, cells=tuple(cells))))
    return np.array(rows, np.uint64)


def change_rows() -> list[Row]:
    """Measure all single changes of walls of a level, each searched anew."""
    level = board(8, 7, lanterns=3)
    model = PuzzleScriptModel()
    model.packed_anywhere(level, 0).kernel.compile()
    layer = next(layer for layer in level.game.layers if len(layer) == 3)
    wall, others = 1 << layer[2], sum(1 << number for number in layer)
    variants = []
    for at, cell in enumerate(level.cells):
        if cell & wall or not cell & others:
            cells = (*level.cells[:at], cell ^ wall, *level.cells[at + 1 :])
            variants.append(attrs.evolve(level, cells=cells))
    table = PositionTable(1)

    def search() -> None:
        for variant in variants:
            shortest_path(model, variant, SEARCHED, table=table)

    seconds = min(cpu_seconds(search) for _ in range(2))
    return [
        row(f"{len(variants)} changes of one wall, 8 by 7, three crates", f"{seconds:.2f} CPU s", "", seconds,
            "1 s", seconds < 1)
    ]  # fmt: skip


def plain_speed(level: Level) -> float:
    """Return turns a CPU second of the plain engine."""
    model = PuzzleScriptModel()
    position = model.initial(level)
    inputs = model.inputs(level.game)

    def play() -> None:
        for number in range(PLAIN_INPUTS):
            model.played(position, inputs[number % len(inputs)])

    return PLAIN_INPUTS / cpu_seconds(play)


def measure() -> list[Row]:
    """Measure the rows of the benchmark table."""
    rows = []
    for what, level, bar in (
        ("pushing, 8 by 7", board(8, 7), 400_000.0),
        ("pushing, 14 by 9", board(14, 9), 400_000.0),
        ("pushing, 19 by 15", board(19, 15), 120_000.0),
    ):
        turns, _, positions = speed(level)
        plain = plain_speed(level)
        rows.append(
            row(f"{what}: turns", f"{turns / 1e6:.2f} M/CPU s", f"the reference at most {REFERENCE:,.0f}",
                turns / REFERENCE, f"{bar / 1e6:.2f} M", turns >= bar)
        )  # fmt: skip
        rows.append(
            row(f"{what}: new positions", f"{positions / 1e6:.2f} M/CPU s",
                f"plain engine {plain:,.0f} turns", turns / plain, "none", True)
        )  # fmt: skip
    return [*rows, *kernel_rows(), *change_rows(), *space_rows(), *recorded_rows()]


def recorded_rows() -> list[Row]:
    """Measure the levels of the recorded searches."""
    if not RECORDED.is_dir():
        return [left_out("levels of the recorded searches", "they are not at hand")]
    texts = {
        hashlib.md5(record["source"].encode(), usedforsecurity=False).hexdigest()[:16]: record["source"]
        for record in json.loads((RECORDED / "simulations.json").read_text())
    }
    found = []
    for search in json.loads((RECORDED / "searches.json").read_text())[::8]:
        game = read_game_text(texts[search["source_md5"]])
        level = level_of(game, game.maps.index(game.levels[search["level"]]))
        try:
            found.append(speed(level)[:2])
        except EndlessError:
            continue
    speeds = sorted(turns for turns, count in found if count > 100)
    whole = sum(count for _, count in found) / sum(count / turns for turns, count in found)
    return [
        row(f"{len(found)} levels of {len(texts)} games: all turns", f"{whole:,.0f}/CPU s",
            f"slowest level {speeds[0]:,.0f}", whole / speeds[0], "none", True),
        row("the same: the level in the middle", f"{speeds[len(speeds) // 2]:,.0f}/CPU s",
            f"fastest level {speeds[-1]:,.0f}", speeds[len(speeds) // 2] / speeds[-1], "none", True),
    ]  # fmt: skip


def recorded_levels() -> list[Level]:
    """Return the levels of the recorded searches, in their order."""
    texts = {
        hashlib.md5(record["source"].encode(), usedforsecurity=False).hexdigest()[:16]: record["source"]
        for record in json.loads((RECORDED / "simulations.json").read_text())
    }
    found = []
    for search in json.loads((RECORDED / "searches.json").read_text()):
        game = read_game_text(texts[search["source_md5"]])
        found.append(level_of(game, game.maps.index(game.levels[search["level"]])))
    return found


def many_rules() -> Level:
    """Return a level of 9 by 11 cells of a game of 15,000 elementary rules: properties over four layers."""
    names = [[f"{kind}{number}" for number in range(11)] for kind in ("box", "mark", "cloud", "wisp")]
    objects = [name for layer in names for name in layer]
    lines = ["OBJECTS", "background .", "black", "", "player p", "white", "", "wall #", "grey", ""]
    for name in objects:
        lines += [name, "red", ""]
    lines += ["LEGEND"]
    lines += [f"{kind} = {' or '.join(layer)}" for kind, layer in zip("bmcw", names, strict=True)]
    lines += [f"{name} = {' or '.join(objects)}" for name in ("any", "each")]
    lines += [f"{glyph} = {name}" for glyph, name in zip("123456789defghijkl", objects[::2], strict=False)]
    lines += ["SOUNDS", "COLLISIONLAYERS", "background", f"player, wall, {' '.join(names[0])}"]
    lines += [" ".join(layer) for layer in names[1:]]
    lines += [
        "RULES",
        "[ > player | any ] -> [ > player | > any ]",
        "[ > any | each ] -> [ > any | > each ]",
        "[ stationary any | < each ] -> [ < any | < each ]",
    ]
    rows = ["#########", "#.1.2.3.#", "#.d4.5e.#", "#.p...f.#", "#..6.7..#", "#.gh....#", "#.8..9..#",
            "#..i..j.#", "#..1.3..#", "#...k.l.#", "#########"]  # fmt: skip
    text = "\n".join([*lines, "WINCONDITIONS", "LEVELS", "", *rows])
    return level_of(parse_game(text), 0)


def elementary_rules(level: Level) -> int:
    """Return the number of the elementary rules of a level's game."""
    return sum(len(g.rules) for part in (level.game.normal, level.game.late) for g in part.groups)


def batches_of(level: Level, most: int) -> list[Words]:
    """Return positions of a level, at least `most` if there are as many, as batches of rows."""
    packed = PuzzleScriptModel().packed_anywhere(level, 0)
    model = PuzzleScriptModel()
    table = PositionTable(packed.words)
    table.add(packed.pack(model.initial(level)).reshape(1, -1))
    found, start = [], 0
    until = time.process_time() + 2
    while start < table.count and start < most and time.process_time() < until:
        rows = table.rows(start, min(table.count, start + 100))
        start += len(rows)
        found.append(rows)
        after = packed.by_interpreter(rows).positions
        table.add(np.ascontiguousarray(after[~packed.solved(after)]))
    return found


def former(level: Level) -> PackedLevel:
    """Return a level for the interpreter as it was: all rules, without guards."""
    kept = model_module.LARGE, tables_module.LEAST_GUARDED
    model_module.LARGE = tables_module.LEAST_GUARDED = 2**62
    try:
        return PuzzleScriptModel().packed_anywhere(level, 0)
    finally:
        model_module.LARGE, tables_module.LEAST_GUARDED = kept


def compared(level: Level, most: int = 500) -> tuple[float, float, float | None, float, float]:
    """Return microseconds a turn: before, by the interpreter, by the kernel (if there is one).

    Then the CPU seconds that its compilation took, and the share of turns that it leaves.
    """
    batches = batches_of(level, most)
    packed, old = PuzzleScriptModel().packed_anywhere(level, 0), former(level)
    turns = sum(map(len, batches)) * len(PuzzleScriptModel().inputs(level.game))
    longer = [np.array([old.pack(packed.unpack(row)) for row in rows]) for rows in batches]

    def microseconds(play: Callable[[Words], object], rows: list[Words]) -> float:
        return min(cpu_seconds(lambda: [play(each) for each in rows]) for _ in range(3)) / turns * 1e6

    before = microseconds(old.by_interpreter, longer)
    after = microseconds(packed.by_interpreter, batches)
    compiling = time.process_time()
    own = packed.kernel.compile()
    compiling = time.process_time() - compiling
    if own is None:
        return before, after, None, 0.0, 0.0
    left = sum(
        int((packed.left_by_kernel(own, rows) >> given & 1).sum()) for rows in batches for given in range(5)
    )
    kernel = microseconds(lambda rows: packed.by_kernel(own, rows), batches)
    return before, after, kernel, compiling, left / turns


def large_rows(step: int) -> list[Row]:
    """Measure the levels of large games, and a game of 15,000 elementary rules."""
    level = many_rules()
    before, after, kernel, compiling, _ = compared(level)
    best = after if kernel is None else min(kernel, after)
    rows = [
        row(f"{elementary_rules(level):,} elementary rules, 9 by 11", f"{best:.1f} us a turn",
            f"before {before:.1f} us, interpreter {after:.1f} us", before / best, "7.5 times",
            before >= 7.5 * best)
    ]  # fmt: skip
    if not RECORDED.is_dir():
        return [*rows, left_out("levels of large games", "they are not at hand")]
    levels = [level for level in recorded_levels() if model_module.is_large(level)][::step]
    gains, gains_alone, longest, kernels = [], [], 0.0, 0
    for level in levels:
        try:
            before, after, kernel, compiling, left = compared(level)
        except GameError:
            continue
        serves = kernel is not None and left <= 0.5
        kernels += serves
        gains_alone.append(before / after)
        gains.append(before / (kernel if serves and kernel is not None else after))
        longest = max(longest, compiling)
        print(f"{level.game.title[:30]:30} {elementary_rules(level):6} rules: before {before:7.2f} us, "
              f"interpreter {after:7.2f}, kernel {kernel or 0:6.2f}, left {left:.2f}, {compiling:.1f} s",
              flush=True)  # fmt: skip
    gains.sort()
    gains_alone.sort()
    middle = len(gains) // 2
    return [
        *rows,
        row(f"{len(gains)} levels of large games: the one in the middle", f"{gains[middle]:.1f} times",
            f"from {gains[0]:.1f} to {gains[-1]:.1f} times as fast as before", gains[middle], "none", True),
        row("the same, interpreter alone", f"{gains_alone[middle]:.1f} times",
            f"from {gains_alone[0]:.1f} to {gains_alone[-1]:.1f} times", gains_alone[middle], "none", True),
        row("the same: levels that a kernel serves", f"{kernels} of {len(gains)}", "", kernels / len(gains),
            "none", True),
        row("the same: the longest compilation", f"{longest:.1f} CPU s", "", longest / 15, "15 s",
            longest <= 15),
    ]  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1:2] == ["large"]:
        show(large_rows(int(sys.argv[2]) if len(sys.argv) > 2 else 1))
    else:
        show(measure())
