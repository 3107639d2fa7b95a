"""How a run is cut into units: aligned rank ranges of about half a second's work."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext

from epcg_core.errors import EpcgError
from epcg_core.execution import Unit
from epcg_core.search.blocks import Block
from epcg_core.search.plan import RunSpec, Search, Solver
from epcg_core.store import RunRecord
from epcg_core.store.chunks import BIT_CHUNK_SIZE, encode_block

UNIT_SECONDS = 0.5
SMALL_RUN_SECONDS = 2.0
"""A run that takes less is not worth starting processes for."""
PROBE_SECONDS = 0.05


def missing_units(record: RunRecord, finished: dict[int, int]) -> Iterator[Unit]:
    """The units of a run that are not finished, cut at multiples of its unit size.

    `finished` has the ranks of each recorded unit by its start; a sampled rank is no whole unit.
    """
    start = record.start
    while start < record.stop:
        count = record.unit_at(start)[1]
        if finished.get(start) != count:
            yield Unit(start, count)
        start += count


def unit_size(block: int, total: int, chunk_size: int, workers: int) -> int:
    """Ranks a unit: about `block`, at least four units a worker, a multiple or divisor of the chunk size."""
    small = total * UNIT_SECONDS < SMALL_RUN_SECONDS * block
    wanted = max(1, min(block, total if small else -(-total // (4 * workers))))
    if wanted >= min(chunk_size, total):
        return max(1, wanted // chunk_size) * chunk_size
    return int(1 << (wanted.bit_length() - 1))


def block_size(search: Search, spec: RunSpec, solver: Solver) -> int:
    """About how many ranks a unit's time is enough for."""
    known = search.block_size(spec)
    return known if known is not None else max(1, int(probe(spec, solver)[0] * UNIT_SECONDS))


def probe(spec: RunSpec, solver: Solver) -> tuple[float, float]:
    """(candidates a second, recorded bytes a candidate), from a few blocks of growing size."""
    count, total = 1, spec.stop - spec.start
    rate, size = 1000.0, 1.0
    while count <= total:
        # the middle of the range: the first ranks of a space are seldom typical
        start = spec.start + (total - count) // 2
        try:
            if count == 1:
                solver(start, count)  # what plain parts make at their first candidate
            begun = time.perf_counter()
            block = solver(start, count)
            took = time.perf_counter() - begun
            size = _encoded_size(block, spec) / count
        except EpcgError:
            break  # a candidate at fault is met, and named, when its turn comes
        rate = count / max(took, 1e-6)
        if took > PROBE_SECONDS:
            break
        count *= 8
    return rate, size


def _encoded_size(block: Block, spec: RunSpec) -> int:
    return sum(len(chunk.data) for chunk in encode_block(block, spec.metrics, BIT_CHUNK_SIZE))


def warm(solver: Solver, spec: RunSpec) -> None:
    """Compile every kernel here, once, so that workers find them in the cache."""
    lock: Callable[[], AbstractContextManager[None]] = nullcontext
    if "epcg_core.compiled" in sys.modules:
        from epcg_core.compiled import compile_lock as lock
    with lock():
        solver(spec.start, 0)
