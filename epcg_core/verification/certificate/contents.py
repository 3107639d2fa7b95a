"""Blocks of recorded values as bytes: the leaves that a certificate opens.

A block holds which of its ranks are recorded, each metric's values and status, and, for a run that prunes,
the prunings clipped to the block. The bytes depend neither on chunks nor on compression.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.chunks.codec import Chunk, decode, pieces, status_of
from epcg_core.chunks.solutions import Solution, to_text
from epcg_core.chunks.solutions import to_bytes as actions_to_bytes
from epcg_core.domain import ERROR, VALUE, Metric, Value
from epcg_core.errors import CheckFailedError
from epcg_core.store import Reader, RunRecord, solutions, sparse
from epcg_core.verification.certificate.form import BlockOpening
from epcg_core.verification.certificate.tree import Node, leaf

MOST_BLOCKS = 2**18
MOST_BLOCK_BYTES = 1 << 30
"""Larger blocks of a certificate are not unpacked: a few bytes can claim any size."""
LEAST_RANKS = 64
_TYPES = {"int": "<i8", "real": "<f8", "bool": "u1"}
_ALL, _MASK, _LIST = range(3)
"""Encodings of the recorded ranks: all of the block, a bit for each rank, or a list."""


@attrs.frozen(eq=False)
class Contents:
    """The recorded values of the ranks start .. start + count - 1."""

    start: int
    count: int
    ranks: NDArray[np.int64]
    """(n,) the recorded ranks, increasing."""
    values: list[NDArray[Any]]
    """(n,) values of each metric; 0 if the status says that there is none."""
    status: list[NDArray[np.uint8] | None]
    """(n,) status for each metric; None if all have a value."""
    prunings: list[NDArray[Any]] | None = None
    """Starts, counts, bounds and reasons; None if the run does not prune."""
    solutions: Sequence[Solution] | None = None
    """The solutions found at these ranks; None if the run's digests do not cover solutions."""

    @property
    def pruned(self) -> int:
        return 0 if self.prunings is None else int(self.prunings[1].sum())

    def at(self, rank: int, metrics: Sequence[Metric]) -> list[tuple[int, Value | None]] | None:
        """Return (status, value) of each metric at a rank; None if it is not recorded."""
        position = int(np.searchsorted(self.ranks, rank))
        if position == len(self.ranks) or self.ranks[position] != rank:
            return None
        found: list[tuple[int, Value | None]] = []
        for metric, values, status in zip(metrics, self.values, self.status, strict=True):
            code = VALUE if status is None else int(status[position])
            missing = code == ERROR if metric.always else code != VALUE
            value = values[position].item()
            found.append((code, None if missing else bool(value) if metric.kind == "bool" else value))
        return found

    def pruning_at(self, rank: int) -> tuple[float, int] | None:
        """Return (bound, reason) of the pruning that holds a rank."""
        if self.prunings is None:
            return None
        starts, counts, bounds, reasons = self.prunings
        position = int(np.searchsorted(starts, rank, side="right")) - 1
        if position < 0 or rank >= starts[position] + counts[position]:
            return None
        return float(bounds[position]), int(reasons[position])


def block_size(run: RunRecord) -> int:
    """Return the ranks per block: at least 64, at most 2^18 blocks, none across a chunk's border."""
    if sparse.objective_of(run) is not None:
        size = LEAST_RANKS
        while run.candidates > size * MOST_BLOCKS:
            size *= 2
        return size
    size = LEAST_RANKS if run.chunk_size % LEAST_RANKS == 0 else run.chunk_size
    while run.candidates > size * MOST_BLOCKS and run.chunk_size % (2 * size) == 0:
        size *= 2
    return size


def blocks(reader: Reader, run: RunRecord, size: int) -> Iterator[Contents]:
    """Yield a finished run's blocks, by rank."""
    return _dense(reader, run, size) if sparse.objective_of(run) is None else _sparse(reader, run, size)


def blocks_with(reader: Reader, run: RunRecord, size: int, ranks: Sequence[int]) -> list[Contents]:
    """Return the block of each of the increasing `ranks`."""
    if sparse.objective_of(run) is None:
        names = [metric.name for metric in reader.metrics(run.id)]
        return [
            next(
                block
                for block in _cut(reader, run, [_chunk_at(reader, run, name, rank) for name in names], size)
                if block.start <= rank < block.start + block.count
            )
            for rank in ranks
        ]
    found: list[Contents] = []
    for block in _sparse(reader, run, size):
        while len(found) < len(ranks) and ranks[len(found)] < block.start + block.count:
            found.append(block)
    return found


def _chunk_at(reader: Reader, run: RunRecord, name: str, rank: int) -> Chunk:
    chunk = reader.chunk_at(run.id, name, rank)
    if chunk is None:
        raise CheckFailedError(f"The chunk of '{name}' with rank {rank} is missing.")
    return chunk


def _dense(reader: Reader, run: RunRecord, size: int) -> Iterator[Contents]:
    names = [metric.name for metric in reader.metrics(run.id)]
    for chunks in zip(*(reader.chunks(run.id, name) for name in names), strict=True):
        yield from _cut(reader, run, chunks, size)


def _cut(reader: Reader, run: RunRecord, chunks: Sequence[Chunk], size: int) -> Iterator[Contents]:
    """Yield the blocks of one chunk of each metric."""
    ranks = reader.ranks(run.id, chunks[0])
    values, status = [decode(chunk) for chunk in chunks], [status_of(chunk) for chunk in chunks]
    for start, count in pieces(chunks[0].start, chunks[0].count, size):
        low, high = np.searchsorted(ranks, (start, start + count))
        parts = [None if s is None or not s[low:high].any() else s[low:high] for s in status]
        found = solutions.recorded(reader, run.id, start, start + count) if run.solutions else None
        yield Contents(start, count, ranks[low:high], [v[low:high] for v in values], parts, solutions=found)


def _sparse(reader: Reader, run: RunRecord, size: int) -> Iterator[Contents]:
    metrics = reader.metrics(run.id)
    every = [list(reader.chunks(run.id, metric.name)) for metric in metrics]
    none = np.zeros(0, np.int64)
    ranks = np.concatenate([none, *(reader.ranks(run.id, chunk) for chunk in every[0])])
    values = [
        np.concatenate([np.zeros(0, _TYPES[metric.kind]), *map(decode, chunks)])
        for metric, chunks in zip(metrics, every, strict=True)
    ]
    status = []
    for chunks in every:
        own = [status_of(chunk) for chunk in chunks]
        blank = [np.zeros(chunk.evaluated, np.uint8) for chunk in chunks]
        filled = [b if s is None else s for s, b in zip(own, blank, strict=True)]
        status.append(np.concatenate([np.zeros(0, np.uint8), *filled]))
    parts = list(sparse.pruning_batches(reader, run.id))
    starts, counts = (
        np.concatenate([none, *(getattr(part, name) for part in parts)]) for name in ("start", "count")
    )
    bounds = np.concatenate([np.zeros(0), *(part.bound for part in parts)])
    reasons = np.concatenate([np.zeros(0, np.uint8), *(part.reason for part in parts)])
    for start, count in pieces(run.start, run.candidates, size):
        stop = start + count
        low, high = np.searchsorted(ranks, (start, stop))
        first = int(np.searchsorted(starts + counts, start, side="right"))
        last = int(np.searchsorted(starts, stop))
        begin = np.maximum(starts[first:last], start)
        clipped = np.minimum(starts[first:last] + counts[first:last], stop) - begin
        yield Contents(
            start,
            count,
            ranks[low:high],
            [v[low:high] for v in values],
            [s[low:high] if s[low:high].any() else None for s in status],
            [begin, clipped, bounds[first:last], reasons[first:last]],
        )


def leaf_of(contents: Contents, raw: bytes) -> Node:
    """Hash a block to its leaf. Ranks that are neither recorded nor pruned count as excluded."""
    recorded, pruned = len(contents.ranks), contents.pruned
    rest = contents.count - recorded - pruned
    return leaf(contents.start, contents.count, recorded, pruned, rest, raw)


def to_bytes(contents: Contents, metrics: Sequence[Metric]) -> bytes:
    """Encode the block for hashing."""
    parts = []
    if contents.prunings is not None:
        parts += [bytes([_LIST]), _number(len(contents.ranks)), contents.ranks.astype("<i8").tobytes()]
    elif len(contents.ranks) == contents.count:
        parts.append(bytes([_ALL]))
    else:
        mask = np.zeros(contents.count, np.bool_)
        mask[contents.ranks - contents.start] = True
        parts += [bytes([_MASK]), np.packbits(mask, bitorder="little").tobytes()]
    for metric, values, status in zip(metrics, contents.values, contents.status, strict=True):
        parts.append(values.astype(_TYPES[metric.kind]).tobytes())
        parts.append(b"\0" if status is None else b"\1" + status.tobytes())
    if contents.prunings is not None:
        parts.append(_number(len(contents.prunings[0])))
        for array, dtype in zip(contents.prunings, ("<i8", "<i8", "<f8", "u1"), strict=True):
            parts.append(array.astype(dtype).tobytes())
    if contents.solutions is not None:
        parts.append(_number(len(contents.solutions)))
        for rank, position, actions in contents.solutions:
            text = actions_to_bytes(actions)
            parts += [_number(rank), _number(position), _number(len(text)), text]
    return b"".join(parts)


def unpacked(block: BlockOpening) -> bytes:
    """Return the bytes of an opened block. Raises CheckFailedError if they are damaged or too many."""
    reader = zlib.decompressobj()
    try:
        raw = reader.decompress(base64.b64decode(block.data, validate=True), MOST_BLOCK_BYTES)
    except (zlib.error, binascii.Error, ValueError) as error:
        raise CheckFailedError(f"The block at rank {block.start} cannot be read ({error}).") from None
    if not reader.eof or reader.unused_data:
        raise CheckFailedError(
            f"The block at rank {block.start} is cut off, too long, or followed by other bytes."
        )
    return raw


def from_bytes(
    raw: bytes, start: int, count: int, metrics: Sequence[Metric], prunes: bool, solves: bool
) -> Contents:
    """Invert `to_bytes` for a search that may prune or find solutions.

    Raises CheckFailedError if the bytes are not such a block.
    """
    source = _Source(raw)
    kind = source.array("u1", 1)[0]
    if kind == _ALL:
        ranks = np.arange(start, start + count, dtype=np.int64)
    elif kind == _MASK:
        bits = np.unpackbits(source.array("u1", (count + 7) // 8), count=count, bitorder="little")
        ranks = start + np.flatnonzero(bits)
    else:
        ranks = source.array("<i8", source.number())
    values, status = [], []
    for metric in metrics:
        values.append(source.array(_TYPES[metric.kind], len(ranks)))
        status.append(source.array("u1", len(ranks)) if source.array("u1", 1)[0] else None)
    prunings = None
    if prunes:
        number = source.number()
        prunings = [source.array(dtype, number) for dtype in ("<i8", "<i8", "<f8", "u1")]
    found = None
    if solves and not source.at_end:  # solutions of older runs are not part of their blocks
        found = [(source.number(), source.number(), source.text()) for _ in range(source.number())]
    source.end()
    return Contents(start, count, ranks, values, status, prunings, found)


def _number(value: int) -> bytes:
    return value.to_bytes(8, "little")


class _Source:
    """Bytes that are read from the front."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._position = 0

    def array(self, dtype: str, length: int) -> NDArray[Any]:
        size = np.dtype(dtype).itemsize * length
        part = self._raw[self._position : self._position + size]
        if len(part) != size:
            raise CheckFailedError("An opened block ends too early.")
        self._position += size
        return np.frombuffer(part, dtype)

    def number(self) -> int:
        return int(self.array("<i8", 1)[0])

    def text(self) -> str:
        return to_text(self.array("u1", self.number()).tobytes())

    @property
    def at_end(self) -> bool:
        return self._position == len(self._raw)

    def end(self) -> None:
        if not self.at_end:
            raise CheckFailedError("An opened block has too many bytes.")
