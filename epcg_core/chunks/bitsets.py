"""Packed booleans: taking ranges out of them and asking for single ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.domain import Bits


def pack(booleans: NDArray[np.bool_]) -> Bits:
    """Return (n,) booleans as Bits."""
    return Bits(np.packbits(booleans, bitorder="little"), len(booleans))


def unpack(bits: Bits, low: int, high: int) -> NDArray[np.bool_]:
    """Return booleans low .. high - 1 of `bits`."""
    first = low // 8
    part = np.unpackbits(bits.data[first : (high + 7) // 8], bitorder="little")
    return part[low - first * 8 : high - first * 8].view(np.bool_)


def bit(bits: Bits, position: int) -> int:
    """Return one boolean of `bits` as 0 or 1."""
    return int(bits.data[position >> 3]) >> (position & 7) & 1


def bits_at(bits: Bits, positions: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return the booleans at (n,) positions: (n,)."""
    found: NDArray[np.bool_] = (bits.data[positions >> 3] >> (positions & 7).astype(np.uint8) & 1).view(
        np.bool_
    )
    return found


def bit_bytes(bits: Bits, low: int, high: int) -> bytes:
    """Return booleans low .. high - 1 of `bits`, packed from the first; `low` is a multiple of 8."""
    raw = bytearray(bits.data[low // 8 : (high + 7) // 8].tobytes())
    if high % 8 and raw:
        raw[-1] &= (1 << high % 8) - 1
    return bytes(raw)
