"""Chunks: what goes in comes out, however a run was cut, and no changed byte goes unnoticed."""

from __future__ import annotations

import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import attrs
import numpy as np
import pytest
import zstandard
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from epcg_core.base.errors import CheckFailedError, EpcgError
from epcg_core.chunks.bitsets import pack
from epcg_core.chunks.blocks import Block
from epcg_core.chunks.codec import (
    BIT_CHUNK_SIZE,
    CHUNK_SIZE,
    EVALUATED,
    Chunk,
    aligned_pieces,
    check,
    check_numbers,
    chunk_size_for,
    chunk_status,
    decode_chunk,
    encode_block,
    encode_metric,
    how_many_set,
    merge,
    missing_of,
    packed_bits,
    unit_digest,
)
from epcg_core.domain import ERROR, LIMIT, NONE, VALUE, Bits, Evaluation, Metric
from epcg_core.store.writer import _all_evaluated

INT, REAL, BOOL = Metric("number", "int"), Metric("share", "real"), Metric("flag", "bool")
ALWAYS = Metric("effort", "int", always=True)
METRICS = (INT, REAL, BOOL, ALWAYS)
SIZE = 16
"""A chunk size that small runs cross often."""


@attrs.frozen(eq=False)
class Recorded:
    """A small run as a search would compute it: the ranks start .. start + count - 1."""

    start: int
    ranks: NDArray[np.int64]
    """The evaluated ones."""
    count: int
    numbers: NDArray[np.int64]
    shares: NDArray[np.float64]
    flags: NDArray[np.bool_]
    efforts: NDArray[np.int64]
    status: NDArray[np.uint8]

    def block(self, start: int, count: int, bits: bool = False) -> Block:
        """The part of ranks start .. start + count - 1."""
        low, high = np.searchsorted(self.ranks, (start, start + count))
        flags: Any = self.flags[low:high]
        status = self.status[low:high]
        values = (
            self.numbers[low:high], self.shares[low:high], pack(flags) if bits else flags,
            self.efforts[low:high],
        )  # fmt: skip
        every = len(self.ranks) == self.count
        return Block(
            start, count, Evaluation(values, status if status.any() else None),
            None if every else self.ranks[low:high],
        )  # fmt: skip

    def whole(self) -> list[Chunk]:
        return encode_block(self.block(self.start, self.count), METRICS, SIZE)


@st.composite
def runs(draw: st.DrawFn) -> Recorded:
    start, count = draw(st.integers(0, 40)), draw(st.integers(1, 40))
    kept = draw(st.none() | st.lists(st.booleans(), min_size=count, max_size=count))
    mask = np.ones(count, np.bool_) if kept is None else np.array(kept, np.bool_)
    n = int(mask.sum())
    limit = draw(st.sampled_from([1, 200, 40_000, 2**31, 2**63 - 1]))

    def column(elements: st.SearchStrategy[Any], dtype: Any) -> NDArray[Any]:
        return np.array(draw(st.lists(elements, min_size=n, max_size=n)), dtype)

    odd = draw(st.sampled_from([[VALUE], [VALUE, VALUE, NONE, LIMIT, ERROR]]))
    return Recorded(
        start, start + np.flatnonzero(mask), count,
        column(st.integers(-limit, limit), np.int64),
        column(st.floats(-1e200, 1e200), np.float64),
        column(st.booleans(), np.bool_),
        column(st.integers(0, limit), np.int64),
        column(st.sampled_from(odd), np.uint8),
    )  # fmt: skip


def by_column(chunks: list[Chunk]) -> dict[str, list[Chunk]]:
    found: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        found.setdefault(chunk.column, []).append(chunk)
    return found


@given(runs())
def test_what_is_encoded_is_decoded(run: Recorded) -> None:
    chunks = run.whole()
    columns = by_column(chunks)
    tiles = list(aligned_pieces(run.start, run.count, SIZE))
    for metric, values in zip(METRICS, (run.numbers, run.shares, run.flags, run.efforts), strict=True):
        assert [(c.start, c.count) for c in columns[metric.name]] == tiles
        missing = (run.status == ERROR) if metric.always else (run.status != VALUE)
        expected = np.where(missing, np.zeros(1, values.dtype), values)
        found = np.concatenate([decode_chunk(chunk) for chunk in columns[metric.name]])
        assert np.array_equal(found, expected)
        for chunk in columns[metric.name]:
            check(chunk, metric.always)
    for start, count in tiles:
        inside = (run.ranks >= start) & (run.ranks < start + count)
        status = chunk_status(next(c for c in columns[INT.name] if c.start == start))
        assert not run.status[inside].any() if status is None else np.array_equal(status, run.status[inside])
        mask = [decode_chunk(c) for c in columns.get(EVALUATED, []) if c.start == start]
        if mask:
            assert np.array_equal(start + np.flatnonzero(mask[0]), run.ranks[inside])
        else:
            assert inside.sum() == count


@given(runs())
def test_sums_are_over_the_candidates_that_have_a_value(run: Recorded) -> None:
    chunks = run.whole()
    for metric, values in zip(METRICS, (run.numbers, run.shares, run.flags, run.efforts), strict=True):
        for chunk in by_column(chunks)[metric.name]:
            inside = (run.ranks >= chunk.start) & (run.ranks < chunk.start + chunk.count)
            valued = inside & ((run.status != ERROR) if metric.always else (run.status == VALUE))
            listed = values[valued].tolist()
            assert (chunk.evaluated, chunk.valued) == (inside.sum(), len(listed))
            if not listed:
                assert (chunk.minimum, chunk.maximum) == (None, None)
                assert not chunk.total
                continue
            assert (chunk.minimum, chunk.maximum) == (min(listed), max(listed))
            exact = metric.kind != "real" and -(2**63) <= sum(listed) < 2**63
            size = float(sum(map(abs, listed)))  # terms that cancel are added in any order
            about = pytest.approx(float(sum(listed)), rel=1e-9, abs=1e-9 * size + 1e-300)
            assert chunk.total == (sum(listed) if exact else about)
            assert all(type(v) in (int, float) for v in (chunk.minimum, chunk.maximum, chunk.total))


@given(runs())
def test_sqlite_never_meets_numpys_numbers(run: Recorded) -> None:
    for chunk in run.whole():
        for field, value in attrs.asdict(chunk).items():
            assert type(value) in (int, float, str, bytes, type(None)), field


@given(runs(), st.data())
def test_merged_fragments_are_what_encoding_at_once_gives(run: Recorded, data: st.DataObject) -> None:
    cuts = data.draw(st.sets(st.integers(run.start, run.start + run.count), max_size=8))
    edges = sorted({run.start, run.start + run.count} | cuts)
    parts = [
        chunk
        for low, high in pairwise(edges)
        for chunk in encode_block(run.block(low, high - low, data.draw(st.booleans())), METRICS, SIZE)
    ]
    fragments = by_column(parts)
    for whole in run.whole():
        mine = [p for p in fragments[whole.column] if whole.start <= p.start < whole.start + whole.count]
        if whole.column == EVALUATED:
            like = [p for p in fragments[INT.name] if p.start // SIZE == whole.start // SIZE]
            present = {part.start: part for part in mine}
            mine = [present.get(p.start) or _all_evaluated(p) for p in like]
        merged = merge(mine, next((m for m in METRICS if m.name == whole.column), None))
        assert attrs.asdict(merged) == attrs.asdict(whole)


@given(runs())
def test_bits_and_booleans_are_recorded_alike(run: Recorded) -> None:
    as_bits = encode_block(run.block(run.start, run.count, bits=True), METRICS, SIZE)
    assert [attrs.asdict(c) for c in as_bits] == [attrs.asdict(c) for c in run.whole()]
    assert unit_digest(as_bits) == unit_digest(run.whole())


@given(st.integers(0, 200), st.integers(0, 200), st.integers(1, 50))
def test_pieces_tile_a_range_inside_chunks(start: int, count: int, size: int) -> None:
    tiles = list(aligned_pieces(start, count, size))
    assert [rank for low, n in tiles for rank in range(low, low + n)] == list(range(start, start + count))
    assert all(n > 0 and low // size == (low + n - 1) // size for low, n in tiles)
    assert len(tiles) <= count // size + 2


@pytest.mark.parametrize(
    ("low", "high", "dtype"),
    [
        (0, 255, "|u1"), (-1, 127, "|i1"), (-128, 0, "|i1"), (0, 256, "<u2"), (-1, 128, "<i2"),
        (0, 65_535, "<u2"), (0, 65_536, "<u4"), (-1, 40_000, "<i4"), (0, 2**32 - 1, "<u4"),
        (0, 2**32, "<i8"), (-1, 2**31, "<i8"), (-(2**63), 2**63 - 1, "<i8"),
    ],
)  # fmt: skip
def test_integers_take_the_smallest_type_that_holds_a_chunk(low: int, high: int, dtype: str) -> None:
    chunk = encode_metric(INT, 0, 2, np.array([low, high], np.int64), None)
    assert chunk.dtype == dtype
    assert decode_chunk(chunk).tolist() == [low, high]


def test_values_that_cannot_be_recorded() -> None:
    with pytest.raises(EpcgError, match=r"9223372036854775808 of .number. is larger than 2\^63 - 1"):
        encode_metric(INT, 0, 1, np.array([2**63], np.uint64), None)
    with pytest.raises(EpcgError, match="The int metric 'number' was returned as an array of float64"):
        encode_metric(INT, 0, 1, np.array([1.5]), None)
    with pytest.raises(EpcgError, match=r"'share' is not a number at rank 8:"):
        encode_metric(REAL, 7, 2, np.array([0.5, np.nan]), None)
    with pytest.raises(EpcgError, match=r"'share' is not a number at rank 9:"):
        encode_metric(REAL, 7, 3, np.array([np.nan, 0, np.nan]), np.array([NONE, VALUE, VALUE], np.uint8))
    with pytest.raises(EpcgError, match=r"'share' is not a number at one of ranks 7 to 9:"):
        encode_metric(REAL, 7, 3, np.array([0.5, np.nan]), None)
    without = encode_metric(REAL, 7, 2, np.array([0.5, np.nan]), np.array([VALUE, NONE], np.uint8))
    assert decode_chunk(without).tolist() == [0.5, 0.0]
    with pytest.raises(EpcgError, match="The evaluators returned 1 arrays for 4 metrics"):
        encode_block(Block(0, 1, Evaluation([np.zeros(1)])), METRICS, SIZE)


@given(runs(), st.data())
def test_no_changed_byte_goes_unnoticed(run: Recorded, data: st.DataObject) -> None:
    chunks = run.whole()
    chunk = data.draw(st.sampled_from(chunks))
    field = data.draw(st.sampled_from(["data", "status"]))
    changed = bytearray(getattr(chunk, field) or b"")
    if not changed:
        return
    place, change = data.draw(st.integers(0, len(changed) - 1)), data.draw(st.integers(1, 255))
    changed[place] ^= change
    damaged = attrs.evolve(chunk, **{field: bytes(changed)})  # type: ignore[arg-type]
    metric = next((m for m in METRICS if m.name == chunk.column), None)
    always = metric is not None and metric.always
    try:
        check(damaged, always)
    except CheckFailedError:
        return
    # A byte of the compressed frame that means nothing: then the values are those that were recorded.
    assert np.array_equal(decode_chunk(damaged), decode_chunk(chunk))
    assert (damaged.status is None) == (chunk.status is None)
    if chunk.status is not None:
        found, expected = missing_of(damaged, False), missing_of(chunk, False)
        assert found is not None and expected is not None and found.tolist() == expected.tolist()  # noqa: PT018
    assert field == "status" or chunk.codec == "zstd"


@given(runs(), st.data())
def test_no_changed_sum_goes_unnoticed(run: Recorded, data: st.DataObject) -> None:
    chunks = run.whole()
    chunk = data.draw(st.sampled_from(chunks))
    metric = next((m for m in METRICS if m.name == chunk.column), None)
    always = metric is not None and metric.always
    check(chunk, always)
    field = data.draw(st.sampled_from(["minimum", "maximum", "total", "valued", "evaluated", "start"]))
    value = getattr(chunk, field)
    other: Any = {field: 1 if value is None else value + abs(value) + 1}
    changed = attrs.evolve(chunk, **other)
    with pytest.raises(CheckFailedError, match="is damaged"):
        check(changed, always)


def test_a_damaged_chunk_is_named() -> None:
    chunk = encode_metric(INT, 32, 3, np.array([1, 2, 3]), None)
    shorter = attrs.evolve(chunk, data=encode_metric(INT, 32, 2, np.array([1, 2]), None).data)
    for found in (lambda: decode_chunk(shorter), lambda: check(shorter)):
        with pytest.raises(CheckFailedError, match=r"The chunk of 'number' for ranks 32 to 34 is damaged"):
            found()
    with pytest.raises(CheckFailedError, match="its codec 'lzma' is unknown"):
        decode_chunk(attrs.evolve(chunk, codec="lzma"))


def test_threads_do_not_spoil_each_others_chunks() -> None:
    """A compressor is no thing to share."""
    arrays = [np.arange(64 * (i + 1)) * (i + 3) % 251 for i in range(4)]
    alone = [encode_metric(INT, 0, len(array), array, None).data for array in arrays]

    def encode(i: int) -> list[bytes]:
        return [encode_metric(INT, 0, len(arrays[i]), arrays[i], None).data for _ in range(3000)]

    with ThreadPoolExecutor(4) as pool:
        for expected, found in zip(alone, pool.map(encode, range(4)), strict=True):
            assert set(found) == {expected}


def test_each_metric_has_its_own_status() -> None:
    values = [np.array([5, 6, 7]), np.array([0.5, 0.25, 0.75]), np.array([True, True, False]), np.arange(3)]
    status = np.array([[0, 1, 0], [0, 0, 0], [2, 0, 3], [1, 0, 3]], np.uint8)
    number, share, flag, effort = encode_block(Block(0, 3, Evaluation(values, status)), METRICS, SIZE)
    found = [chunk_status(c) for c in (number, share, flag, effort)]
    assert [None if s is None else s.tolist() for s in found] == [
        [0, 1, 0], None, [2, 0, 3], [1, 0, 3]
    ]  # fmt: skip
    assert [decode_chunk(c).tolist() for c in (number, flag, effort)] == [
        [5, 0, 7],
        [False, True, False],
        [0, 1, 0],
    ]
    assert [c.valued for c in (number, share, flag, effort)] == [2, 3, 1, 2]
    assert (number.total, effort.total) == (12, 1)


def test_only_runs_of_bits_without_a_filter_have_large_chunks() -> None:
    assert chunk_size_for((BOOL, BOOL), filtered=False) == BIT_CHUNK_SIZE == 2**20
    assert chunk_size_for((BOOL,), filtered=True) == CHUNK_SIZE == 2**16
    assert chunk_size_for((BOOL, INT), filtered=False) == CHUNK_SIZE


def test_a_million_bits_take_an_eighth_of_a_byte_each_and_less_where_they_compress() -> None:
    data = np.random.default_rng(1).integers(0, 256, BIT_CHUNK_SIZE // 8, dtype=np.uint8)
    rare = (data & np.roll(data, 1) & np.roll(data, 2)).astype(np.uint8)
    for few in (data, rare):
        bits = Bits(few, BIT_CHUNK_SIZE)
        (chunk,) = encode_block(Block(0, BIT_CHUNK_SIZE, Evaluation([bits])), (BOOL,), BIT_CHUNK_SIZE)
        packed = packed_bits(chunk)
        assert packed is not None
        assert np.array_equal(packed, few)
        assert how_many_set(chunk) == chunk.total == int(np.bitwise_count(few).sum())
        assert np.array_equal(np.packbits(decode_chunk(chunk), bitorder="little"), few)
        assert (chunk.minimum, chunk.maximum) == (0, 1)
        assert (chunk.codec == "raw") == (few is data) == (len(chunk.data) == BIT_CHUNK_SIZE // 8)
        check(chunk)
        with pytest.raises(CheckFailedError, match="its sums"):
            check(attrs.evolve(chunk, total=chunk.total - 1))


@pytest.mark.parametrize("values", [np.arange(1000) * 977 % 4099, np.zeros(70_000, np.int64), np.arange(3)])
def test_every_flipped_bit_is_found(values: NDArray[np.int64]) -> None:
    """Those of the compressed frame's header too, which says how much memory to make."""
    chunk = encode_metric(INT, 0, len(values), values, None)
    harmless = 0
    for place in range(min(len(chunk.data), 60)):
        for bit in range(8):
            changed = bytearray(chunk.data)
            changed[place] ^= 1 << bit
            damaged = attrs.evolve(chunk, data=bytes(changed))
            try:
                check(damaged)
            except CheckFailedError:
                continue
            assert np.array_equal(decode_chunk(damaged), values)
            harmless += 1
    assert harmless < 20


# --- bytes of others ---------------------------------------------------------------------------------------


def bomb(size: int) -> bytes:
    """A frame that claims `size` bytes, and holds them."""
    return zstandard.ZstdCompressor(level=1).compress(bytes(size))


@pytest.mark.sweep(2)
@pytest.mark.parametrize("field", ["data", "status"])
@pytest.mark.parametrize("claimed", [2**28, 2**20, 16])
def test_bombs_are_not_inflated(field: str, claimed: int) -> None:
    """Whatever the numbers beside them say."""
    honest = encode_metric(INT, 0, 16, np.arange(16), np.array([0] * 15 + [NONE], np.uint8))
    frame = bomb(2**28)
    assert len(frame) < 2**16
    numbers: dict[str, Any] = {"count": claimed, "evaluated": claimed, "valued": claimed, field: frame}
    chunk = attrs.evolve(honest, codec="zstd", dtype="u1", **numbers)
    read = decode_chunk if field == "data" else chunk_status
    tracemalloc.start()
    try:
        with pytest.raises(CheckFailedError, match="is damaged"):
            read(chunk)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("numbers", [
    {"count": 2**62, "evaluated": 2**62}, {"evaluated": 17}, {"evaluated": -1}, {"start": -1},
    {"count": "16"}, {"count": None}, {"evaluated": 2.0}, {"valued": 17},
])  # fmt: skip
def test_numbers_that_no_chunk_has_are_refused(numbers: dict[str, Any]) -> None:
    honest = encode_metric(INT, 0, 16, np.arange(16), None)
    for read in (check_numbers, decode_chunk, check):
        with pytest.raises(CheckFailedError, match="is damaged"):
            read(attrs.evolve(honest, **numbers))
