"""Chunks: every metric of every evaluated candidate as typed, compressed arrays.

A run's ranks are cut at multiples of its chunk size, the same for all its columns. A column is a metric,
or the reserved `evaluated` (which ranks of the chunk were evaluated; absent if all were). A metric's
values are those of the evaluated ranks, in order; if its status says there is no value, a 0 stands.

Integers are kept in the smallest type that holds a chunk's values, booleans as bits, reals as 8 bytes, all of
them compressed where it is worthwhile. A digest covers the uncompressed bytes, so it depends neither on the
unit size nor on the executor nor on the compression library.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs
import numpy as np
import zstandard
from numpy.typing import NDArray

from epcg_core.base.errors import CheckFailedError, EpcgError, StoreError
from epcg_core.chunks.bitsets import bit_bytes, unpack
from epcg_core.chunks.blocks import Block
from epcg_core.domain import ERROR, VALUE, Bits, Evaluation, Metric

EVALUATED = "evaluated"
CHUNK_SIZE, BIT_CHUNK_SIZE = 65_536, 1_048_576
WORTHWHILE = 0.9
"""A chunk that compressing leaves larger than this share stays as it is: it is then faster to read."""
TRIED, HOPELESS = 12_288, 0.92
"""A chunk is not compressed as a whole if this number of its bytes leaves more than this share. Of random
values of eleven kinds they left a hundredth more than the whole; of reals 0.94."""

_INTEGERS = tuple(np.dtype(name) for name in ("u1", "i1", "<u2", "<i2", "<u4", "<i4", "<i8"))
_BIT, _REAL = "bit", "<f8"
UNKEPT = "none"
"""The codec of a chunk whose values are not kept; its sums and its digest stay."""
_FEW = 64
"""Bytes whose bits are counted faster as one number than as an array."""
_LEAST_FRAME = 9
"""Bytes that no frame of zstd is shorter than."""


@attrs.frozen(eq=False)
class Chunk:
    """The encoded values of one column for the ranks start .. start + count - 1."""

    column: str
    start: int
    count: int
    evaluated: int
    valued: int
    """Number of evaluated candidates with a value; the sums below cover only these."""
    dtype: str
    codec: str
    minimum: float | int | None
    maximum: float | int | None
    total: float | int | None
    """The sum of the values (of bits: how many are set)."""
    digest: bytes
    data: bytes
    status: bytes | None = None
    """Compressed uint8, one per evaluated candidate: why it has no value; None if all have one."""


def chunk_size_for(metrics: Sequence[Metric], filtered: bool) -> int:
    """Return the chunk size for a run that records `metrics`."""
    only_bits = bool(metrics) and all(metric.kind == "bool" for metric in metrics)
    return BIT_CHUNK_SIZE if only_bits and not filtered else CHUNK_SIZE


def aligned_pieces(start: int, count: int, chunk_size: int) -> Iterator[tuple[int, int]]:
    """Split a rank range at chunk borders into (start, count) pairs."""
    stop = start + count
    while start < stop:
        end = min(stop, (start // chunk_size + 1) * chunk_size)
        yield start, end - start
        start = end


def encode_block(block: Block, metrics: Sequence[Metric], chunk_size: int) -> list[Chunk]:
    """Encode a block: its chunks in the order of `metrics`, then `evaluated`."""
    values = block.evaluation.values
    if len(values) != len(metrics):
        raise EpcgError(f"The evaluators returned {len(values)} arrays for {len(metrics)} metrics.")
    _check_lengths(block, metrics)
    found = []
    for start, count in aligned_pieces(block.start, block.count, chunk_size):
        low, high, mask = _evaluated_part(block, start, count)
        for i, (metric, column) in enumerate(zip(metrics, values, strict=True)):
            status = _status_part(block.evaluation, i, low, high)
            if isinstance(column, Bits) and status is None and low % 8 == 0:
                raw = bit_bytes(column, low, high)
                found.append(_encode_bits(metric.name, start, count, high - low, high - low, raw))
            else:
                array = (
                    unpack(column, low, high) if isinstance(column, Bits) else np.asarray(column)[low:high]
                )
                found.append(encode_metric(metric, start, count, array, status))
        if mask is not None:
            found.append(encode_evaluated(start, mask))
    return found


def _check_lengths(block: Block, metrics: Sequence[Metric]) -> None:
    """Raise EpcgError if an evaluator returned more or fewer values than it was asked for."""
    arrays = {
        f"'{metric.name}'": (column.count,) if isinstance(column, Bits) else np.shape(column)
        for metric, column in zip(metrics, block.evaluation.values, strict=True)
    }
    if block.evaluation.status is not None:
        arrays["the status"] = np.shape(block.evaluation.status)[-1:]
    for name, shape in arrays.items():
        if shape != (block.evaluated,):
            raise EpcgError(
                f"An evaluator returned an array of shape {shape} for {name} of {block.evaluated} candidates "
                f"(ranks {block.start} to {block.start + block.count - 1}): one value for each is expected."
            )


def _status_part(evaluation: Evaluation, metric: int, low: int, high: int) -> NDArray[np.uint8] | None:
    """Return the status of candidates low .. high - 1 for one metric; None if all have a value."""
    if evaluation.status is None:
        return None
    status = evaluation.status if evaluation.status.ndim == 1 else evaluation.status[metric]
    part = status[low:high]
    return part if part.any() else None


def _evaluated_part(block: Block, start: int, count: int) -> tuple[int, int, NDArray[np.bool_] | None]:
    """Return the slice (low, high) of evaluated candidates and the mask of their ranks (None: all)."""
    if block.ranks is None:
        return start - block.start, start - block.start + count, None
    low, high = np.searchsorted(block.ranks, (start, start + count))
    if high - low == count:
        return int(low), int(high), None
    mask = np.zeros(count, np.bool_)
    mask[block.ranks[low:high] - start] = True
    return int(low), int(high), mask


def encode_metric(
    metric: Metric, start: int, count: int, array: NDArray[Any], status: NDArray[np.uint8] | None
) -> Chunk:
    """Encode a metric's (evaluated,) values and their status (None if all have a value) as a chunk."""
    valued = array
    if status is not None:
        missing = (status == ERROR) if metric.always else (status != VALUE)
        valued = array[~missing]
        array = np.where(missing, np.zeros(1, array.dtype), array)
    if metric.kind == "real" and np.isnan(valued).any():
        where = f"one of ranks {start} to {start + count - 1}"
        if len(array) == count:  # all were evaluated
            where = f"rank {start + int(np.argmax(np.isnan(array)))}"
        raise EpcgError(
            f"The metric '{metric.name}' is not a number at {where}: an evaluator gives None (or a status) "
            "if there is no value."
        )
    if metric.kind == "bool":
        raw = np.packbits(array.astype(np.bool_), bitorder="little").tobytes()
        return _encode_bits(metric.name, start, count, len(array), len(valued), raw, status)
    dtype = np.dtype(_REAL) if metric.kind == "real" else _smallest(metric.name, array)
    return _encode_numbers(metric.name, start, count, array, valued, dtype, status)


def encode_evaluated(start: int, mask: NDArray[np.bool_]) -> Chunk:
    """Encode which ranks from `start` on were evaluated."""
    raw = np.packbits(mask, bitorder="little").tobytes()
    return _encode_bits(EVALUATED, start, len(mask), len(mask), len(mask), raw)


def digest_of_evaluated(start: int, mask: NDArray[np.bool_]) -> bytes:
    """Return the digest of the chunk that `encode_evaluated` makes."""
    raw = np.packbits(mask, bitorder="little").tobytes()
    return _digest(EVALUATED, start, len(mask), len(mask), _BIT, raw, None)


def _smallest(name: str, array: NDArray[Any]) -> np.dtype[Any]:
    if array.dtype.kind not in "iub":
        raise EpcgError(f"The int metric '{name}' was returned as an array of {array.dtype}.")
    if not len(array):
        return _INTEGERS[0]
    low, high = int(array.min()), int(array.max())
    for dtype in _INTEGERS:
        limits = np.iinfo(dtype)
        if limits.min <= low and high <= limits.max:
            return dtype
    raise EpcgError(f"The value {high} of '{name}' is larger than 2^63 - 1 and cannot be recorded.")


def _sums(valued: NDArray[Any]) -> tuple[Any, Any, Any]:
    """Return (minimum, maximum, total); a total beyond SQLite's integers becomes a float."""
    if not len(valued):
        return None, None, None
    if valued.dtype.kind == "f":
        with np.errstate(over="ignore", invalid="ignore"):
            real = float(valued.sum())
        return float(valued.min()), float(valued.max()), None if math.isnan(real) else real
    low, high = int(valued.min()), int(valued.max())
    if max(-low, high) < 2**63 // len(valued):
        return low, high, int(valued.sum(dtype=np.int64))
    total = sum(valued.tolist())
    return low, high, total if -(2**63) <= total < 2**63 else float(total)


def _set_bits(raw: bytes) -> int:
    if len(raw) < _FEW:
        return int.from_bytes(raw).bit_count()
    words = np.frombuffer(raw, np.uint64, len(raw) // 8)
    rest = np.frombuffer(raw[8 * len(words) :], np.uint8)
    return sum(int(np.bitwise_count(part).sum(dtype=np.int64)) for part in (words, rest))


def _bit_sums(valued: int, total: int) -> tuple[int | None, int | None, int]:
    """Return (minimum, maximum, total) of `valued` bits of which `total` are set."""
    return (int(total == valued), int(total > 0), total) if valued else (None, None, total)


def _encode_bits(
    column: str,
    start: int,
    count: int,
    evaluated: int,
    valued: int,
    raw: bytes,
    status: NDArray[np.uint8] | None = None,
) -> Chunk:
    total = _set_bits(raw)
    reasons = None if status is None else status.astype(np.uint8).tobytes()
    digest = _digest(column, start, count, evaluated, _BIT, raw, reasons)
    codec, data = _stored(raw)
    return Chunk(
        column, start, count, evaluated, valued, _BIT, codec, *_bit_sums(valued, total), digest, data,
        _packed(reasons),
    )  # fmt: skip


def _encode_numbers(
    column: str,
    start: int,
    count: int,
    array: NDArray[Any],
    valued: NDArray[Any],
    dtype: np.dtype[Any],
    status: NDArray[np.uint8] | None,
) -> Chunk:
    raw = array.astype(dtype, copy=False).tobytes()
    low, high, total = _sums(valued)
    reasons = None if status is None else status.astype(np.uint8).tobytes()
    digest = _digest(column, start, count, len(array), dtype.str, raw, reasons)
    codec, data = _stored(raw)
    return Chunk(
        column, start, count, len(array), len(valued), dtype.str, codec, low, high, total, digest, data,
        _packed(reasons),
    )  # fmt: skip


def _stored(raw: bytes) -> tuple[str, bytes]:
    """Return the codec of some values, and what is stored of them."""
    if len(raw) <= _LEAST_FRAME or (len(raw) >= 8 * TRIED and _hopeless(raw)):
        return "raw", raw
    data = _compressors.compress(raw)
    return ("zstd", data) if len(data) < WORTHWHILE * len(raw) else ("raw", raw)


def _hopeless(raw: bytes) -> bool:
    """Return whether parts from the beginning, the middle and the end of some values hardly compress."""
    part = TRIED // 3
    middle = (len(raw) - part) // 2
    tried = raw[:part] + raw[middle : middle + part] + raw[-part:]
    return len(_compressors.compress(tried)) > HOPELESS * len(tried)


def without_values(chunk: Chunk) -> Chunk:
    """Return the chunk with its sums and its digest alone."""
    return attrs.evolve(chunk, codec=UNKEPT, data=b"", status=None)


def _packed(reasons: bytes | None) -> bytes | None:
    return None if reasons is None else _compressors.compress(reasons)


def _digest(
    column: str, start: int, count: int, evaluated: int, dtype: str, raw: bytes, reasons: bytes | None
) -> bytes:
    head = f"{column}\0{start}\0{count}\0{evaluated}\0{dtype}\0".encode()
    digest = hashlib.sha256(head)
    digest.update(raw)
    if reasons is not None:
        digest.update(reasons)
    return digest.digest()


class _Compressors(threading.local):
    """One for each thread: two threads in one compressor write frames that cannot be read."""

    def __init__(self) -> None:
        self.compress = zstandard.ZstdCompressor(level=1).compress


_compressors = _Compressors()


def check_numbers(chunk: Chunk) -> None:
    """Raise CheckFailedError if a chunk's numbers are none that a chunk has; memory is taken by them."""
    numbers = (chunk.start, chunk.count, chunk.evaluated, chunk.valued)
    if any(type(number) is not int for number in numbers):
        raise CheckFailedError(f"A chunk of '{chunk.column}' is damaged: its numbers are {numbers}.")
    if chunk.start < 0 or not 0 <= chunk.valued <= chunk.evaluated <= chunk.count:
        raise CheckFailedError(_damaged(chunk, "its numbers do not fit each other"))
    if chunk.count > BIT_CHUNK_SIZE:
        raise CheckFailedError(_damaged(chunk, f"no chunk has more than {BIT_CHUNK_SIZE:,} ranks"))


def raw_bytes(chunk: Chunk) -> bytes:
    """Decompress a chunk. Raises CheckFailedError if its bytes are damaged."""
    check_numbers(chunk)
    if chunk.codec == UNKEPT:
        raise StoreError(
            f"Of '{chunk.column}', counts were recorded (record = \"counts\") and no values: computed again "
            "with --again and record.values=all, the run has them."
        )
    if chunk.codec not in ("raw", "zstd"):
        raise CheckFailedError(_damaged(chunk, f"its codec '{chunk.codec}' is unknown"))
    if chunk.dtype not in (_BIT, _REAL, *(dtype.str for dtype in _INTEGERS)):
        raise CheckFailedError(_damaged(chunk, f"its type '{chunk.dtype}' is unknown"))
    bits = 1 if chunk.dtype == _BIT else np.dtype(chunk.dtype).itemsize * 8
    size = (chunk.evaluated * bits + 7) // 8
    if chunk.codec == "raw" and len(chunk.data) != size:
        raise CheckFailedError(_damaged(chunk, f"it holds {len(chunk.data)} bytes, not {size}"))
    return chunk.data if chunk.codec == "raw" else _decompress(chunk, chunk.data, size)


def chunk_status(chunk: Chunk) -> NDArray[np.uint8] | None:
    """Return the (evaluated,) status of a chunk's candidates; None if all have a value."""
    if chunk.status is None:
        return None
    check_numbers(chunk)
    return np.frombuffer(_decompress(chunk, chunk.status, chunk.evaluated), np.uint8)


def _decompress(chunk: Chunk, data: bytes, size: int) -> bytes:
    try:
        # Asked before decompressing: a damaged frame can claim any size, and memory for it would be made.
        found = zstandard.frame_content_size(data)
        if found != size:
            raise CheckFailedError(_damaged(chunk, f"it holds {found} bytes, not {size}"))
        return zstandard.ZstdDecompressor().decompress(data)
    except zstandard.ZstdError as error:
        raise CheckFailedError(_damaged(chunk, f"it cannot be decompressed ({error})")) from error


def decode_chunk(chunk: Chunk) -> NDArray[Any]:
    """Decode the (evaluated,) values: bool, int or float. Raises CheckFailedError if the chunk is damaged."""
    raw = raw_bytes(chunk)
    if chunk.dtype == _BIT:
        bits = np.unpackbits(np.frombuffer(raw, np.uint8), count=chunk.evaluated, bitorder="little")
        return bits.view(np.bool_)
    return np.frombuffer(raw, chunk.dtype)


def how_many_set(chunk: Chunk) -> int:
    """Return how many values of a chunk of bits are set."""
    return _set_bits(raw_bytes(chunk))


def packed_bits(chunk: Chunk) -> NDArray[np.uint8] | None:
    """Return the values of a chunk of bits as they are packed, eight in a byte; None for other chunks."""
    return np.frombuffer(raw_bytes(chunk), np.uint8) if chunk.dtype == _BIT else None


def missing_of(chunk: Chunk, always: bool) -> NDArray[np.bool_] | None:
    """Return the (evaluated,) mask of missing values in a chunk; None if none is missing."""
    status = chunk_status(chunk)
    if status is None:
        return None
    found: NDArray[np.bool_] = (status == ERROR) if always else (status != VALUE)
    return found


def check(chunk: Chunk, always: bool = False) -> None:
    """Raise CheckFailedError if the bytes, or the sums beside them, differ from the recorded ones.

    `always` is the metric's flag for values of candidates with a status other than VALUE.
    """
    raw, status = raw_bytes(chunk), chunk_status(chunk)
    reasons = None if status is None else status.tobytes()
    head = (chunk.column, chunk.start, chunk.count, chunk.evaluated, chunk.dtype)
    if _digest(*head, raw, reasons) != chunk.digest:
        raise CheckFailedError(_damaged(chunk))
    if _totals(chunk, raw, missing_of(chunk, always)) != (
        chunk.valued, chunk.minimum, chunk.maximum, chunk.total,
    ):  # fmt: skip
        raise CheckFailedError(_damaged(chunk, "its sums do not follow from its values"))


def _totals(chunk: Chunk, raw: bytes, missing: NDArray[np.bool_] | None) -> tuple[int, Any, Any, Any]:
    """Return how many values a chunk has, and their minimum, maximum and total."""
    if chunk.dtype == _BIT and missing is None:
        return chunk.evaluated, *_bit_sums(chunk.evaluated, _set_bits(raw))
    valued = decode_chunk(chunk)
    valued = valued if missing is None else valued[~missing]
    if chunk.dtype == _BIT:
        return len(valued), *_bit_sums(len(valued), int(valued.sum()))
    low, high, total = _sums(valued)
    # Reals: the order in which numpy adds is the machine's.
    if (
        chunk.dtype == _REAL
        and None not in (total, chunk.total)
        and math.isclose(total, chunk.total or 0.0, abs_tol=1e-9 * float(np.abs(valued).sum()))
    ):
        total = chunk.total
    return len(valued), low, high, total


def _damaged(chunk: Chunk, how: str = "its digest differs") -> str:
    stop = chunk.start + chunk.count - 1
    return f"The chunk of '{chunk.column}' for ranks {chunk.start} to {stop} is damaged: {how}."


def merge(parts: Sequence[Chunk], metric: Metric | None) -> Chunk:
    """Merge neighbouring chunks of a column, byte for byte as if encoded at once."""
    first = parts[0]
    array = np.concatenate([decode_chunk(part) for part in parts])
    if metric is None:
        return encode_evaluated(first.start, array)
    status = None
    if any(part.status is not None for part in parts):
        known = [chunk_status(part) for part in parts]
        blank = [np.zeros(part.evaluated, np.uint8) for part in parts]
        status = np.concatenate([b if k is None else k for k, b in zip(known, blank, strict=True)])
    return encode_metric(metric, first.start, sum(part.count for part in parts), array, status)


def unit_digest(chunks: Iterable[Chunk | bytes], solutions: bytes | None = None) -> bytes:
    """Digest a unit's chunks, or their digests, and the digest of its solutions if the search finds any."""
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk.digest if isinstance(chunk, Chunk) else chunk)
    if solutions is not None:
        digest.update(solutions)
    return digest.digest()
