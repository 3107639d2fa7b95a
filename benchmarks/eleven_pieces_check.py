"""A recorded layer of Fling!, checked by other means than `epcg verify`: another kernel, symmetry, sums.

    python -m benchmarks.eleven_pieces_check DATABASE LAYER [SEED]

1. A thousandth of the layer, in chunks drawn at random, solved board by board by the direct translation of
   Algorithm 5 (`epcg_fling.retrograde.direct`, which shares no code with bit slices beyond ranks and flings),
   compared bit by bit.
2. Boards drawn at random: mirror images and the half-turn must have the same bits.
3. Counts: chunks sum up to what `layers` shows; no board is unique and unsolvable.

Takes 9 GB in the system's temporary folder for eleven pieces.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from math import comb
from pathlib import Path

import numpy as np
from epcg_fling.retrograde.layers import BoardLayers
from numpy.typing import NDArray

from epcg_core.chunks.codec import packed_bits
from epcg_core.combinatorics import Combinations
from epcg_core.domain import Bits
from epcg_core.store import Reader, RunRecord, Store

WIDTH, HEIGHT = 7, 8
CELLS = WIDTH * HEIGHT
BOARDS = 1000
"""Boards whose images are compared."""


def main() -> None:
    database, layer = Path(sys.argv[1]), int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(2**32)
    print(f"layer {layer}, seed {seed}", flush=True)
    chance = random.Random(seed)
    with Store.open(database) as store, store.reader() as reader:
        run = next(run for run in reader.runs() if run.layer == layer and run.done)
        below = next(other for other in reader.runs() if other.layer == layer - 1 and other.done)
        counted(reader, run)
        mirrored(reader, run, layer, chance)
        with tempfile.TemporaryDirectory() as folder:
            again(reader, run, below, layer, chance, Path(folder))


def counted(reader: Reader, run: RunRecord) -> None:
    """Sum the chunks up, and compare unique with solvable boards where both are drawn below."""
    for name in ("solvable", "unique"):
        total = reader.connection.exec_driver_sql(
            "SELECT sum(total), sum(count) FROM score_chunk JOIN metric ON metric.id = metric_id "
            "WHERE run_id = ? AND name = ?",
            (run.id, name),
        ).one()
        assert total[1] == comb(CELLS, int(run.layer or 0)), total
        assert total[0] == reader.how_many(run.id, name), name
        print(f"{name}: {total[0]:,} of {total[1]:,}", flush=True)


def mirrored(reader: Reader, run: RunRecord, layer: int, chance: random.Random) -> None:
    """Compare boards with their images."""
    space = Combinations(CELLS, layer)
    cells = np.arange(CELLS).reshape(HEIGHT, WIDTH)
    images = [cells[:, ::-1].ravel(), cells[::-1].ravel(), cells[::-1, ::-1].ravel()]
    for _ in range(BOARDS):
        rank = chance.randrange(space.max_rank)
        board = space.unrank(rank)
        own = [reader.value(run.id, name, rank) for name in ("solvable", "unique")]
        assert own[0] or not own[1], rank
        for image in images:
            other = space.rank(tuple(sorted(int(image[cell]) for cell in board)))
            assert [reader.value(run.id, name, other) for name in ("solvable", "unique")] == own, rank
    print(f"{BOARDS:,} boards have the bits of their three images", flush=True)


def again(
    reader: Reader, run: RunRecord, below: RunRecord, layer: int, chance: random.Random, folder: Path
) -> None:
    """Solve a thousandth of the chunks board by board."""
    layers = BoardLayers(WIDTH, HEIGHT, layer, "direct")
    lower = {}
    for name in ("solvable", "unique"):
        data = np.memmap(folder / name, np.uint8, "w+", shape=((below.max_rank + 7) // 8,))
        lower[name] = reader.bits(below, name, out=data.view(np.ndarray))
    tables: dict[str, NDArray[np.uint64]] = {}

    def allocate(name: str, words: int) -> NDArray[np.uint64]:
        tables[name] = np.memmap(folder / f"table-{name}", np.uint64, "w+", shape=(words,)).view(np.ndarray)
        return tables[name]

    layers.working_tables(layer, lower, allocate)
    for name in lower:
        (folder / name).unlink()
    lower.clear()
    uniqueness = str(run.spec["search"]["params"]["uniqueness"])
    starts = [start for start, _, _ in reader.digests(run.id, "solvable")]
    drawn = sorted(chance.sample(starts, max(1, len(starts) // 1000)))
    boards = found = 0
    begun = time.process_time()
    for start in drawn:
        chunks = [reader.chunk_at(run.id, name, start) for name in ("solvable", "unique")]
        assert chunks[0] is not None
        count = chunks[0].count
        solved = layers.solve_block(layer, tables, start, count, uniqueness)
        for chunk, bits in zip(chunks, solved, strict=True):
            assert chunk is not None
            assert same(packed_bits(chunk), bits), start
        boards += count
        found += int(chunks[0].total or 0)
    seconds = time.process_time() - begun
    print(
        f"{boards:,} boards in {len(drawn)} chunks, solved one by one ({seconds:.0f} CPU s), have the "
        f"recorded bits; {found:,} of them are solvable",
        flush=True,
    )


def same(recorded: NDArray[np.uint8] | None, bits: Bits) -> bool:
    assert recorded is not None
    return bool(np.array_equal(recorded, bits.data))


if __name__ == "__main__":
    main()
