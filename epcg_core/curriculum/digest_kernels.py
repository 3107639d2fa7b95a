"""SHA-256 of many short texts at once: `hashlib` takes most of a microsecond for each, whatever its length.

Source: FIPS 180-4. Sixteen texts are hashed side by side, so that the compiler uses whole vectors.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.compiled import njit

LANES = 16
_BLOCK = 64
_MOST_DIGITS = 19


def _roots(power: int, count: int) -> NDArray[np.uint32]:
    """Return the first 32 bits of the fractions of square or cube roots of the first primes."""
    primes = [n for n in range(2, 312) if all(n % d for d in range(2, n))][:count]
    found = []
    for prime in primes:
        low, high = 0, 1 << 40
        while high - low > 1:  # the largest number whose power is at most prime * 2^(32 * power)
            middle = (low + high) // 2
            low, high = (middle, high) if middle**power <= prime << (32 * power) else (low, middle)
        found.append(low & 0xFFFFFFFF)
    return np.array(found, np.uint32)


_START = _roots(2, 8)
_ROUND = _roots(3, 64)


@njit
def _rotated(word: np.uint32, bits: int) -> np.uint32:
    """Return a word rotated to the right."""
    return np.uint32((word >> np.uint32(bits)) | (word << np.uint32(32 - bits)))


@njit
def hash_ranks(prefix: NDArray[np.uint8], ranks: NDArray[np.int64], out: NDArray[np.uint64]) -> None:
    """Write the first 8 bytes of SHA-256 of `prefix` and a rank in decimal, as a number, for (n,) ranks."""
    most = (prefix.size + _MOST_DIGITS + 9 + _BLOCK - 1) // _BLOCK
    words = np.empty((16 * most, LANES), np.uint32)
    schedule = np.empty((64, LANES), np.uint32)
    state = np.empty((8, LANES), np.uint32)
    working = np.empty((8, LANES), np.uint32)
    blocks = np.empty(LANES, np.int64)
    digits = np.empty(_MOST_DIGITS, np.uint32)
    for low in range(0, ranks.size, LANES):
        lanes = min(LANES, ranks.size - low)
        words[:] = 0
        longest = 0
        for at in range(prefix.size):
            for lane in range(lanes):
                words[at >> 2, lane] |= np.uint32(np.uint32(prefix[at]) << np.uint32(24 - 8 * (at & 3)))
        for lane in range(lanes):
            rest, count = ranks[low + lane], 0
            while True:
                digits[count] = np.uint32(48 + rest % 10)
                count += 1
                rest //= 10
                if rest == 0:
                    break
            size = prefix.size
            while count > 0:
                count -= 1
                words[size >> 2, lane] |= np.uint32(digits[count] << np.uint32(24 - 8 * (size & 3)))
                size += 1
            words[size >> 2, lane] |= np.uint32(np.uint32(0x80) << np.uint32(24 - 8 * (size & 3)))
            blocks[lane] = (size + 9 + _BLOCK - 1) // _BLOCK
            longest = max(longest, blocks[lane])
            words[16 * blocks[lane] - 1, lane] = np.uint32(8 * size)
        for part in range(8):
            state[part, :] = _START[part]
        for block in range(longest):
            for i in range(16):
                for lane in range(LANES):
                    schedule[i, lane] = words[16 * block + i, lane]
            for i in range(16, 64):
                for lane in range(LANES):
                    before, last = schedule[i - 15, lane], schedule[i - 2, lane]
                    small = _rotated(before, 7) ^ _rotated(before, 18) ^ np.uint32(before >> np.uint32(3))
                    large = _rotated(last, 17) ^ _rotated(last, 19) ^ np.uint32(last >> np.uint32(10))
                    schedule[i, lane] = np.uint32(
                        schedule[i - 16, lane] + small + schedule[i - 7, lane] + large
                    )
            for part in range(8):
                for lane in range(LANES):
                    working[part, lane] = state[part, lane]
            for i in range(64):
                for lane in range(LANES):
                    a, b, c, e = working[0, lane], working[1, lane], working[2, lane], working[4, lane]
                    chosen = (e & working[5, lane]) ^ (~e & working[6, lane])
                    first = np.uint32(
                        working[7, lane]
                        + (_rotated(e, 6) ^ _rotated(e, 11) ^ _rotated(e, 25))
                        + chosen
                        + _ROUND[i]
                        + schedule[i, lane]
                    )
                    majority = (
                        (a & working[1, lane])
                        ^ (a & working[2, lane])
                        ^ (working[1, lane] & working[2, lane])
                    )
                    second = np.uint32((_rotated(a, 2) ^ _rotated(a, 13) ^ _rotated(a, 22)) + majority)
                    working[7, lane] = working[6, lane]
                    working[6, lane] = working[5, lane]
                    working[5, lane] = e
                    working[4, lane] = np.uint32(working[3, lane] + first)
                    working[3, lane] = c
                    working[2, lane] = b
                    working[1, lane] = a
                    working[0, lane] = np.uint32(first + second)
            for part in range(8):
                for lane in range(LANES):
                    state[part, lane] = np.uint32(state[part, lane] + working[part, lane])
            for lane in range(lanes):
                if blocks[lane] == block + 1:
                    out[low + lane] = (np.uint64(state[0, lane]) << np.uint64(32)) | np.uint64(state[1, lane])
