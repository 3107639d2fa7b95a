"""Snakebird: expansions a CPU second, memory a state, and what the incremental search saves.

References are what the authors' C++ program reached on the same levels (2020 paper; 0.5 and 0.9 million
expansions a CPU second), and the search of every variant anew. Needs the published levels.

    python -m benchmarks.snakebird [--all]

The edits of all 35 golden levels are searched incrementally. Anew are searched SAMPLED of each level, drawn
evenly, and what they cost is scaled by the expansions that all need, which the answers tell; with --all every
variant is searched anew, which takes a quarter of an hour.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
import warnings
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import attrs
import numpy as np
from epcg_snakebird.formats.drawing import read_level
from epcg_snakebird.rules.level import GROUND, SKY, SPIKES, Level
from epcg_snakebird.rules.model import SnakebirdModel
from epcg_snakebird.rules.moves import start
from epcg_snakebird.rules.packed import PackedLevel
from numpy.typing import NDArray

from benchmarks.table import Row, cpu_seconds, row, show
from epcg_core.domain import Successors
from epcg_core.search.shortest_path.incremental import VariantAnswer, VariantSearch
from epcg_core.search.shortest_path.positions import PositionTable
from epcg_core.search.shortest_path.solver import BATCH, shortest_path

LEVELS = Path(__file__).parents[2] / "shared" / "data" / "snakebird"
SPEEDS = (("snakebird_28", 433_555, 0.5e6, 0.8e6), ("snakebird_11", 289_598, 0.9e6, 1.5e6))
"""A level, the expansions of its search, the authors' expansions a CPU second, and the bar."""
EDITED = (
    *(f"snakebird_{n}" for n in (0, 1, 2, 4, 6, 9, 11, 13, 17, 20, 21, 24, 28, 33, 37, 39, 41)),
    *(f"snakebirdPrimer_{n}" for n in (2, 4, 7, 11, 15, 19, 23, 26, 28, 31, 35, 39, 45, 49, 53, 57, 61, 65)),
)
SAMPLED = 20
SAVED_EXPANSIONS, SAVED_TIME = 8.0, 6.0
PLAIN_BYTES, GRAPH_BYTES = 64.0, 256.0


def measure(sampled: int | None = SAMPLED) -> list[Row]:
    """Measure the rows of the benchmark table; none if the published levels are not at hand.

    `sampled` variants of each level are searched anew; None: all of them.
    """
    if not LEVELS.is_dir():
        print("the published Snakebird levels are not at hand", file=sys.stderr)
        return []
    found = []
    for name, expansions, reference, bar in SPEEDS:
        found += speed_rows(name, expansions, reference, bar)
    return [*found, *edit_rows(EDITED, sampled)]


def speed_rows(name: str, expansions: int, reference: float, bar: float) -> list[Row]:
    """Measure the kernel alone, with footprints, and the whole search with its memory."""
    level = published(name)
    model, packed = SnakebirdModel(), PackedLevel(level)
    batches = positions_of(packed, expansions)
    for batch in batches[:1]:
        packed.successors(batch)  # compiles

    def expand(traced: bool) -> None:
        for batch in batches:
            packed.successors(batch, traced)

    table = PositionTable(packed.words)
    if shortest_path(model, level, table=table).expansions != expansions:
        raise SystemExit(f"The search of {name} took another number of expansions than is known.")
    works = {
        "kernel alone": lambda: expand(False),
        "kernel with footprints": lambda: expand(True),
        "search": lambda: shortest_path(model, level, table=table),
    }
    rows = []
    for what, work in works.items():
        rate = expansions / min(cpu_seconds(work) for _ in range(3))
        rows.append(
            row(f"{name}: {what}", f"{rate / 1e6:.2f} M expansions/CPU s",
                f"the authors' C++ {reference / 1e6:.1f} M", rate / reference,
                f"{bar / 1e6:.1f} M", rate >= bar)
        )  # fmt: skip
    tracemalloc.start()
    states = shortest_path(model, level).states
    used = tracemalloc.get_traced_memory()[1] / states
    tracemalloc.stop()
    rows.append(
        row(f"{name}: memory of a search at its peak", f"{used:.0f} bytes/state",
            f"the row alone {8 * packed.words}", used / (8 * packed.words), f"{PLAIN_BYTES:.0f} bytes/state",
            used <= PLAIN_BYTES)
    )  # fmt: skip
    return rows


class CountedLevel(PackedLevel):
    """Counts the positions that are expanded."""

    expanded = 0

    def successors(self, positions: NDArray[np.uint64], traced: bool = False) -> Successors:
        CountedLevel.expanded += len(positions)
        return super().successors(positions, traced)


class CountedModel(SnakebirdModel):
    """Its levels are counted."""

    _counted: CountedLevel | None = None

    def packed(self, level: Level) -> PackedLevel:
        if self._counted is None:
            self._counted = CountedLevel(level)
        return self._counted.with_tiles_of(level) or CountedLevel(level)


@attrs.define
class Effort:
    """The cost of searching variants anew."""

    reported: float = 0.0
    """Expansions of searches that take every position from their queue, which is what is reported."""
    made: float = 0.0
    """Expansions that were made: a search stops as soon as its answer is known."""
    seconds: float = 0.0

    def add(self, other: Effort, times: float) -> None:
        """Add `times` as much as another."""
        self.reported += times * other.reported
        self.made += times * other.made
        self.seconds += times * other.seconds


def anew(level: Level, variants: Sequence[Level], answers: Sequence[VariantAnswer]) -> Effort:
    """Search variants anew, and compare the answers."""
    table = PositionTable(PackedLevel(level).words)
    begun, counted, reported = time.process_time(), CountedModel(), 0
    CountedLevel.expanded = 0
    for variant, answer in zip(variants, answers, strict=True):
        found = shortest_path(counted, variant, table=table)
        reported += found.expansions
        if (found.length, found.expansions, found.limit_reached) != (
            answer.length, answer.expansions, answer.limit_reached
        ):  # fmt: skip
            raise SystemExit(f"The incremental search of a variant of {level.name} has another answer.")
    return Effort(reported, CountedLevel.expanded, time.process_time() - begun)


def edit_rows(names: Sequence[str], sampled: int | None) -> list[Row]:
    """Measure all single-tile changes of levels, by the incremental search and each anew.

    Both stop as soon as the answer is known, so the savings are given twice: see `Effort`.
    """
    model, random = SnakebirdModel(), Random(0)
    VariantSearch(model, published(names[0])).answer(edits_of(published(names[0]))[-1])  # compiles
    made = nodes = held = variants_in_all = 0
    incremental, whole = 0.0, Effort()
    for name in names:
        level = published(name)
        variants = edits_of(level)
        begun = time.process_time()
        search = VariantSearch(model, level)
        answers = [search.answer(variant) for variant in variants]
        incremental += time.process_time() - begun
        made += search.expanded
        variants_in_all += len(variants)
        if search.nbytes / search.most_nodes > (held / nodes if nodes else 0):
            nodes, held = search.most_nodes, search.nbytes
        chosen = sorted(random.sample(range(len(variants)), min(sampled or len(variants), len(variants))))
        effort = anew(level, [variants[i] for i in chosen], [answers[i] for i in chosen])
        whole.add(effort, sum(answer.expansions for answer in answers) / effort.reported)
    what = f"snakebird: {variants_in_all:,} single-tile changes of {len(names)} levels"
    how = "each anew" if sampled is None else f"anew, from {sampled} a level,"
    return [
        row(f"{what}, expansions", f"{made / 1e6:.1f} M", f"each anew {whole.reported / 1e6:.1f} M",
            whole.reported / made, f"{SAVED_EXPANSIONS:.0f} times fewer",
            whole.reported >= SAVED_EXPANSIONS * made),
        row(f"{what}, expansions made", f"{made / 1e6:.1f} M", f"{how} {whole.made / 1e6:.1f} M",
            whole.made / made, f"{SAVED_EXPANSIONS:.0f} times fewer", whole.made >= SAVED_EXPANSIONS * made),
        row(f"{what}, time", f"{incremental:.1f} CPU s", f"{how} {whole.seconds:.1f} CPU s",
            whole.seconds / incremental, f"{SAVED_TIME:.0f} times less",
            whole.seconds >= SAVED_TIME * incremental),
        row(f"{what}, most memory a state", f"{held / nodes:.0f} bytes/state", f"{nodes} states",
            held / nodes / GRAPH_BYTES, f"{GRAPH_BYTES:.0f} bytes/state", held <= GRAPH_BYTES * nodes),
    ]  # fmt: skip


def published(name: str) -> Level:
    """Return a level of the game."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_level(LEVELS / f"{name}.map")


def edits_of(level: Level) -> list[Level]:
    """Return all variants with one tile changed."""
    return [
        level.with_tile(cell, tile)
        for cell in level.plain_cells
        for tile in (SKY, GROUND, SPIKES)
        if tile != level.tiles[cell]
    ]


def positions_of(packed: PackedLevel, count: int) -> list[NDArray[np.uint64]]:
    """Return the first positions that a search expands, in its batches."""
    table = PositionTable(packed.words)
    table.add(packed.pack(start(packed.level)).reshape(1, -1))
    batches: list[Any] = []
    head = 0
    while head < min(count, table.count):
        batch = table.rows(head, min(head + BATCH, count, table.count))
        table.add(packed.successors(batch).positions)
        batches.append(batch)
        head += len(batch)
    return batches


if __name__ == "__main__":
    show(measure(None if "--all" in sys.argv[1:] else SAMPLED))
