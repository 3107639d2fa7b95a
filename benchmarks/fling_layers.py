"""The layers of Fling! boards: bit slices against a direct translation of Algorithm 5, both compiled.

CPU seconds of one core, the best of three, for layer 7 of the game's board: 231,917,400 boards, both tables,
uniqueness by successors. Bit slices solve the whole layer, in the blocks of a run, and laying the layer below
out for them counts too; the reference solves evenly spread ranges of it. Both must find the same bits there.

    python -m benchmarks.fling_layers
"""

from __future__ import annotations

import time
from math import comb

import numpy as np
from epcg_fling.retrograde.layers import BoardLayers
from numpy.typing import NDArray

from benchmarks.table import Row, row, show
from epcg_core.domain import Bits

WIDTH, HEIGHT, PIECES = 7, 8, 7
CELLS = WIDTH * HEIGHT
BOARDS = comb(CELLS, PIECES)
FOUND = (67035246, 5786314)
"""Solvable and uniquely solvable boards of the layer."""
BAR = 25e6
"""Boards a CPU second."""
SAMPLES, SAMPLE = 16, 2**18
"""Ranges, and ranks in each, that the reference solves. Whole bytes, so that they compare as bytes."""

Tables = dict[str, NDArray[np.uint64]]
Solution = tuple[NDArray[np.uint8], NDArray[np.uint8]]


def measure() -> list[Row]:
    """Measure the rows of the benchmark table."""
    lower = solved_below()
    sliced, direct = BoardLayers(WIDTH, HEIGHT, PIECES), BoardLayers(WIDTH, HEIGHT, PIECES, "direct")
    reference_tables, _ = tables_of(direct, lower)
    solve(sliced, tables_of(sliced, lower)[0], 0, 0)  # compiles
    solve(direct, reference_tables, 0, 0)

    preparing = solving = np.inf
    for _ in range(3):
        tables, seconds = tables_of(sliced, lower)
        preparing = min(preparing, seconds)
        solvable, unique, seconds = solve_layer(sliced, tables)
        solving = min(solving, seconds)
    if tuple(int(np.bitwise_count(bits).sum(dtype=np.int64)) for bits in (solvable, unique)) != FOUND:
        raise SystemExit("Bit slices found other numbers of solvable and unique boards than there are.")

    starts = [(BOARDS - SAMPLE) * i // (SAMPLES - 1) // 8 * 8 for i in range(SAMPLES)]
    reference = np.inf
    for _ in range(3):
        begun = time.process_time()
        samples = [solve(direct, reference_tables, start, SAMPLE) for start in starts]
        reference = min(reference, (time.process_time() - begun) / (SAMPLES * SAMPLE))
    for start, (expected_solvable, expected_unique) in zip(starts, samples, strict=True):
        part = slice(start // 8, (start + SAMPLE) // 8)
        if not np.array_equal(solvable[part], expected_solvable):
            raise SystemExit(f"The solvable bits from rank {start} on are not those of the reference.")
        if not np.array_equal(unique[part], expected_unique):
            raise SystemExit(f"The unique bits from rank {start} on are not those of the reference.")

    rate, kernel_rate, reference_rate = BOARDS / (preparing + solving), BOARDS / solving, 1 / reference
    return [
        row("fling layers: layer 7, bit slices and their tables", f"{rate / 1e6:.0f} M boards/CPU s",
            f"direct {reference_rate / 1e6:.1f} M boards/CPU s", rate / reference_rate,
            f"{BAR / 1e6:.0f} M boards/CPU s", rate >= BAR),
        row("fling layers: layer 7, bit slices alone", f"{kernel_rate / 1e6:.0f} M boards/CPU s",
            f"direct {reference_rate / 1e6:.1f} M boards/CPU s", kernel_rate / reference_rate,
            f"{BAR / 1e6:.0f} M boards/CPU s", kernel_rate >= BAR),
    ]  # fmt: skip


def solved_below() -> dict[str, Bits]:
    """Return the tables of the layer below the one that is measured."""
    lower: dict[str, Bits] = {}
    for pieces in range(1, PIECES):
        layers = BoardLayers(WIDTH, HEIGHT, pieces)
        tables, _ = tables_of(layers, lower)
        solvable, unique = layers.solve_block(pieces, tables, 0, comb(CELLS, pieces), "successors")
        lower = {"solvable": solvable, "unique": unique}
    return lower


def tables_of(layers: BoardLayers, lower: dict[str, Bits]) -> tuple[Tables, float]:
    """Make the working tables of the top layer; return the tables and the CPU seconds they took."""
    tables: Tables = {}

    def allocate(name: str, words: int) -> NDArray[np.uint64]:
        tables[name] = np.zeros(words, dtype=np.uint64)
        return tables[name]

    begun = time.process_time()
    layers.working_tables(layers.pieces, lower, allocate)
    return tables, time.process_time() - begun


def solve(layers: BoardLayers, tables: Tables, start: int, count: int) -> Solution:
    solvable, unique = layers.solve_block(layers.pieces, tables, start, count, "successors")
    return solvable.data, unique.data


def solve_layer(layers: BoardLayers, tables: Tables) -> tuple[NDArray[np.uint8], NDArray[np.uint8], float]:
    """Solve the whole layer in a run's blocks; return the bits and the CPU seconds they took."""
    step = layers.block_size(layers.pieces)
    begun = time.process_time()
    parts = [solve(layers, tables, start, min(step, BOARDS - start)) for start in range(0, BOARDS, step)]
    seconds = time.process_time() - begun
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts]), seconds


if __name__ == "__main__":
    show(measure())
