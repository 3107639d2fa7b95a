"""Packed booleans agree with plain lists of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from epcg_core.chunks.bitsets import bit_bytes, pack, unpack

booleans = st.lists(st.booleans(), max_size=200)


@st.composite
def parts(draw: st.DrawFn) -> tuple[list[bool], int, int]:
    """Some booleans, and a range inside them."""
    values = draw(booleans)
    low = draw(st.integers(0, len(values)))
    return values, low, draw(st.integers(low, len(values)))


@given(booleans)
def test_packing_puts_the_lowest_bit_first(values: list[bool]) -> None:
    bits = pack(np.array(values, np.bool_))
    assert bits.count == len(values)
    assert len(bits.data) == (len(values) + 7) // 8
    assert int.from_bytes(bits.data.tobytes(), "little") == sum(v << i for i, v in enumerate(values))


@given(parts())
def test_unpack_takes_a_range_out(case: tuple[list[bool], int, int]) -> None:
    values, low, high = case
    found = unpack(pack(np.array(values, np.bool_)), low, high)
    assert found.dtype == np.bool_
    assert found.tolist() == values[low:high]


@given(parts())
def test_bit_bytes_are_those_of_the_range_packed_anew(case: tuple[list[bool], int, int]) -> None:
    values, low, high = case
    low -= low % 8
    bits = pack(np.array(values, np.bool_))
    assert bit_bytes(bits, low, high) == pack(np.array(values[low:high], np.bool_)).data.tobytes()
