"""The order of equal candidates: arbitrary, but always the same, whatever else there is to choose from."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray


def scattered(space: str, ranks: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return a number for each of (n,) ranks of a space: (n,), another one for each rank.

    Source: the generator SplitMix64 (Steele, Lea & Flood, "Fast Splittable Pseudorandom Number Generators",
    OOPSLA 2014), begun at a digest of the space's name; its output is a permutation of the 64-bit words.
    """
    start = int.from_bytes(hashlib.sha256(space.encode()).digest()[:8], "big")
    words = ranks.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(start)
    words = (words ^ words >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ words >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return words ^ words >> np.uint64(31)


def ascending(numbers: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the (n,) order of numbers; equal ones, of two spaces by chance, stay as they are."""
    order = np.argsort(numbers)  # a quarter of the time of a stable sort
    found = numbers[order]
    return np.argsort(numbers, kind="stable") if (found[1:] == found[:-1]).any() else order
