"""Blocks of recorded values as bytes: the leaves that a certificate opens.

A block holds which of its ranks are recorded, each metric's values and status, and, for a run that prunes,
the prunings clipped to the block. The bytes depend neither on chunks nor on compression.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.inside import (
    ERROR,
    Block,
    Solution,
    actions_to_bytes,
    actions_to_text,
    aligned_pieces,
    as_array,
    chunk_status,
    decode_chunk,
    objective_of,
    pruning_batches,
    recorded_solutions,
)
from epcg_core.plugin import VALUE, CheckFailedError, Metric, Reader, RunRecord, Value
from epcg_research.certificate.tree import Layout, Node, leaf

MOST_SPARSE_BLOCKS = 2**18
_TYPES = {"int": "<i8", "real": "<f8", "bool": "u1"}
"""Types of columns; the bytes of a block hold a bool in a bit."""
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


def block_size(metrics: Sequence[Metric], prunes: bool, ranks: int) -> int:
    """Return the ranks per block, a power of two, of a run over so many ranks.

    About 256 bytes: such blocks with the nodes beside their ways take least room. Blocks of a run that prunes
    hold a varying number of prunings; there are at most 2^18 of these.
    """
    if prunes:
        return max(64, 1 << (-(-ranks // MOST_SPARSE_BLOCKS) - 1).bit_length())
    bits = sum(1 if metric.kind == "bool" else 64 for metric in metrics)
    return max(16, 1 << (2048 // bits).bit_length() - 1)


def layout_of(metrics: Sequence[Metric], prunes: bool, start: int, stop: int) -> Layout:
    """Return the shape of the tree over a run's values: the same for the issuer and the verifier."""
    return Layout(start, stop, block_size(metrics, prunes, stop - start))


def blocks(reader: Reader, run: RunRecord, size: int) -> Iterator[Contents]:
    """Yield a finished run's blocks, by rank."""
    return _dense(reader, run, size) if objective_of(run) is None else _sparse(reader, run, size)


def from_block(block: Block, metrics: Sequence[Metric], size: int, solves: bool) -> Iterator[Contents]:
    """Yield the contents of ranks that were computed again."""
    ranks = block.ranks
    if ranks is None:
        ranks = np.arange(block.start, block.start + block.count, dtype=np.int64)
    every = block.evaluation.status
    values, status = [], []
    for i, (metric, column) in enumerate(zip(metrics, block.evaluation.values, strict=True)):
        array = as_array(column)
        own = None if every is None else np.broadcast_to(every, (len(metrics), len(ranks)))[i]
        if own is not None:
            missing = (own == ERROR) if metric.always else (own != VALUE)
            array = np.where(missing, np.zeros(1, array.dtype), array)
        values.append(array)
        status.append(own)
    found = sorted(block.solutions or ()) if solves else None
    yield from cut(block.start, block.count, ranks, values, status, size, found)


def _dense(reader: Reader, run: RunRecord, size: int) -> Iterator[Contents]:
    """Yield blocks that do not depend on the borders of the chunks."""
    metrics = reader.metrics(run.id)
    waiting: list[Contents] = []
    for chunks in zip(*(reader.chunks(run.id, metric.name) for metric in metrics), strict=True):
        start, stop = chunks[0].start, chunks[0].start + chunks[0].count
        ranks = reader.ranks(run.id, chunks[0])
        values, status = [decode_chunk(chunk) for chunk in chunks], [chunk_status(chunk) for chunk in chunks]
        found = recorded_solutions(reader, run.id, start, stop) if run.solutions else None
        for part in cut(start, stop - start, ranks, values, status, size, found):
            waiting.append(part)
            stop = part.start + part.count
            if stop % size == 0 or stop == run.stop:
                yield waiting[0] if len(waiting) == 1 else _together(waiting)
                waiting = []


def cut(
    start: int,
    count: int,
    ranks: NDArray[np.int64],
    values: Sequence[NDArray[Any]],
    status: Sequence[NDArray[np.uint8] | None],
    size: int,
    found: Sequence[Solution] | None,
) -> Iterator[Contents]:
    """Yield the contents of a range in parts that end at multiples of `size`."""
    places = None if found is None else np.array([solution[0] for solution in found], np.int64)
    for first, number in aligned_pieces(start, count, size):
        low, high = np.searchsorted(ranks, (first, first + number))
        own = None
        if found is not None and places is not None:
            begin, end = np.searchsorted(places, (first, first + number))
            own = found[begin:end]
        parts = [None if s is None or not s[low:high].any() else s[low:high] for s in status]
        yield Contents(first, number, ranks[low:high], [v[low:high] for v in values], parts, solutions=own)


def _together(parts: Sequence[Contents]) -> Contents:
    """Make one of the neighbouring parts of a block."""
    status: list[NDArray[np.uint8] | None] = []
    for column in zip(*(part.status for part in parts), strict=True):
        blank = [np.zeros(len(part.ranks), np.uint8) for part in parts]
        filled = [b if s is None else s for s, b in zip(column, blank, strict=True)]
        status.append(None if all(s is None for s in column) else np.concatenate(filled))
    found = None
    if parts[0].solutions is not None:
        found = [solution for part in parts for solution in part.solutions or ()]
    return Contents(
        parts[0].start,
        sum(part.count for part in parts),
        np.concatenate([part.ranks for part in parts]),
        [np.concatenate(column) for column in zip(*(part.values for part in parts), strict=True)],
        status,
        solutions=found,
    )


def _sparse(reader: Reader, run: RunRecord, size: int) -> Iterator[Contents]:
    metrics = reader.metrics(run.id)
    every = [list(reader.chunks(run.id, metric.name)) for metric in metrics]
    none = np.zeros(0, np.int64)
    ranks = np.concatenate([none, *(reader.ranks(run.id, chunk) for chunk in every[0])])
    values = [
        np.concatenate([np.zeros(0, _TYPES[metric.kind]), *map(decode_chunk, chunks)])
        for metric, chunks in zip(metrics, every, strict=True)
    ]
    status = []
    for chunks in every:
        own = [chunk_status(chunk) for chunk in chunks]
        blank = [np.zeros(chunk.evaluated, np.uint8) for chunk in chunks]
        filled = [b if s is None else s for s, b in zip(own, blank, strict=True)]
        status.append(np.concatenate([np.zeros(0, np.uint8), *filled]))
    parts = list(pruning_batches(reader, run.id))
    starts, counts = (
        np.concatenate([none, *(getattr(part, name) for part in parts)]) for name in ("start", "count")
    )
    bounds = np.concatenate([np.zeros(0), *(part.bound for part in parts)])
    reasons = np.concatenate([np.zeros(0, np.uint8), *(part.reason for part in parts)])
    for start, count in aligned_pieces(run.start, run.candidates, size):
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
    return leaf(contents.start, contents.count, len(contents.ranks), contents.pruned, raw)


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
        if metric.kind == "bool":
            parts.append(np.packbits(values.astype(np.bool_), bitorder="little").tobytes())
        else:
            parts.append(values.astype(_TYPES[metric.kind]).tobytes())
        parts.append(b"\0" if status is None else b"\1" + status.tobytes())
    if contents.prunings is not None:
        parts.append(_number(len(contents.prunings[0])))
        for array, dtype in zip(contents.prunings, ("<i8", "<i8", "<f8", "u1"), strict=True):
            parts.append(array.astype(dtype).tobytes())
    parts.append(b"\0" if contents.solutions is None else b"\1" + _number(len(contents.solutions)))
    for rank, position, actions in contents.solutions or ():
        text = actions_to_bytes(actions)
        parts += [_number(rank), _number(position), _number(len(text)), text]
    return b"".join(parts)


def most_bytes(metrics: Sequence[Metric], count: int, prunes: bool, solves: bool) -> int | None:
    """Return the largest size of a block of `count` ranks; None if it holds any number of solutions."""
    if solves:
        return None
    ranks = 9 + 8 * count if prunes else 1 + (count + 7) // 8
    values = sum(1 + count + (count + 7 >> 3 if m.kind == "bool" else 8 * count) for m in metrics)
    return ranks + values + (8 + 25 * count if prunes else 0) + 1


class BlockReader:
    """Reads blocks from bytes that may be a liar's, one after the other."""

    def __init__(self, raw: bytes, metrics: Sequence[Metric], prunes: bool, solves: bool) -> None:
        self._source = _Source(raw)
        self._metrics = metrics
        self._prunes = prunes
        self._solves = solves

    def block(self, start: int, count: int) -> tuple[Contents, Node]:
        """Read the next block and its leaf. Raises CheckFailedError if the bytes are not such a block."""
        source, begun = self._source, self._source.position
        values: list[NDArray[Any]] = []
        status = []
        ranks = self._ranks(start, count)
        for metric in self._metrics:
            if metric.kind == "bool":
                bits = source.array("u1", (len(ranks) + 7) // 8)
                values.append(np.unpackbits(bits, count=len(ranks), bitorder="little"))
            else:
                values.append(source.array(_TYPES[metric.kind], len(ranks)))
            status.append(source.array("u1", len(ranks)) if source.flag(1) else None)
        prunings = self._prunings(start, count) if self._prunes else None
        found = None
        if source.flag(int(self._solves)):
            found = [(source.number(), source.number(), source.text()) for _ in range(source.number())]
            if any(not start <= solution[0] < start + count for solution in found) or found != sorted(found):
                raise CheckFailedError(f"The solutions of the opened block at rank {start} are not in it.")
        contents = Contents(start, count, ranks, values, status, prunings, found)
        return contents, leaf_of(contents, source.since(begun))

    def _ranks(self, start: int, count: int) -> NDArray[np.int64]:
        kind = self._source.flag(_LIST)
        if (kind == _LIST) != self._prunes:
            raise CheckFailedError("An opened block lists its ranks in another way than its search.")
        if kind == _ALL:
            return np.arange(start, start + count, dtype=np.int64)
        if kind == _MASK:
            bits = np.unpackbits(self._source.array("u1", (count + 7) // 8), bitorder="little")
            ranks = start + np.flatnonzero(bits).astype(np.int64)
        else:
            ranks = self._source.array("<i8", self._source.number())
        inside = not len(ranks) or (start <= ranks[0] and ranks[-1] < start + count)
        if not inside or (np.diff(ranks) < 1).any() or (kind == _MASK and len(ranks) == count):
            raise CheckFailedError(f"The opened block at rank {start} has other ranks than its own.")
        return ranks

    def _prunings(self, start: int, count: int) -> list[NDArray[Any]]:
        number = self._source.number()
        found = [self._source.array(dtype, number) for dtype in ("<i8", "<i8", "<f8", "u1")]
        starts, counts = found[0].tolist(), found[1].tolist()
        position = start
        for first, length in zip(starts, counts, strict=True):
            if not position <= first < first + length <= start + count:
                raise CheckFailedError(f"The prunings of the opened block at rank {start} are not in it.")
            position = first + length
        return found

    def end(self) -> None:
        """Raise CheckFailedError if there are more bytes."""
        self._source.end()


def _number(value: int) -> bytes:
    return value.to_bytes(8, "little")


class _Source:
    """Bytes that are read from the front; no number in them is believed before as many bytes were found."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self.position = 0

    def array(self, dtype: str, length: int) -> NDArray[Any]:
        size = np.dtype(dtype).itemsize * length
        if not 0 <= size <= len(self._raw) - self.position:
            raise CheckFailedError("An opened block ends too early.")
        self.position += size
        return np.frombuffer(self._raw[self.position - size : self.position], dtype)

    def number(self) -> int:
        return int(self.array("<i8", 1)[0])

    def flag(self, most: int) -> int:
        """Read a byte of 0 to `most`."""
        found = int(self.array("u1", 1)[0])
        if found > most:
            raise CheckFailedError("An opened block has a byte that no block has.")
        return found

    def text(self) -> str:
        return actions_to_text(self.array("u1", self.number()).tobytes())

    def since(self, position: int) -> bytes:
        return self._raw[position : self.position]

    def end(self) -> None:
        if self.position != len(self._raw):
            raise CheckFailedError("The opened blocks have too many bytes.")
