"""The order of equal candidates: arbitrary, but always the same, by digests of their ids."""

# A function imports kernels, so that plans with few candidates load no numba.
from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

MANY = 200_000
"""Candidates for whose digests a kernel is loaded."""


def leading_digests(prefix: bytes, ranks: NDArray[np.int64], among: int = 0) -> NDArray[np.uint64]:
    """Return the first 8 bytes of SHA-256 of a prefix and each of (n,) ranks in decimal: (n,).

    These ranks may be some of more, `among` a given number, which are then many.
    """
    found = np.empty(len(ranks), np.uint64)
    if max(len(ranks), among) >= MANY:
        from epcg_core.curriculum import digest_kernels

        digest_kernels.hash_ranks(np.frombuffer(prefix, np.uint8), np.ascontiguousarray(ranks), found)
        return found
    digests = (hashlib.sha256(b"%b%d" % (prefix, rank)).digest() for rank in ranks.tolist())
    for i, digest in enumerate(digests):
        found[i] = int.from_bytes(digest[:8], "big")
    return found


def ascending(digests: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the (n,) order of digests; equal ones, which hardly ever occur, stay as they are."""
    order = np.argsort(digests)  # a quarter of the time of a stable sort
    for start in range(0, len(order), MANY):
        found = digests[order[start : start + MANY + 1]]
        if (found[1:] == found[:-1]).any():
            return np.argsort(digests, kind="stable")
    return order
