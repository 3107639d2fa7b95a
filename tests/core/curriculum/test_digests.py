"""The order of equal candidates: digests by the kernel are those of `hashlib`."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from epcg_core.curriculum import digests
from epcg_core.curriculum.digest_kernels import LANES

LENGTHS = (0, 1, 20, 35, 36, 44, 45, 46, 54, 55, 56, 63, 64, 65, 118, 119, 120, 200)
"""Of the text before a rank: with one to nineteen digits it fills one block of 64 bytes to four."""


@pytest.mark.parametrize("length", LENGTHS)
def test_kernel_and_library_agree(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(length)
    prefix = draw.integers(0, 256, length, dtype=np.uint8).tobytes()
    ranks = [0, 9, 10, 2**63 - 1, *(int(draw.integers(10**digits)) for digits in draw.integers(1, 19, 60))]
    for count in (1, LANES - 1, LANES, len(ranks)):
        some = np.array(ranks[:count], np.int64)
        texts = [prefix + str(rank).encode() for rank in some.tolist()]
        expected = [int.from_bytes(hashlib.sha256(text).digest()[:8], "big") for text in texts]
        assert digests.leading_digests(prefix, some).tolist() == expected
        monkeypatch.setattr(digests, "MANY", 0)
        assert digests.leading_digests(prefix, some).tolist() == expected
        monkeypatch.undo()


@pytest.mark.parametrize("equal", [False, True])
def test_equal_digests_stay_in_order(equal: bool) -> None:
    drawn = np.random.default_rng(5).integers(0, 2**64, 2_000, dtype=np.uint64)
    if equal:
        drawn[1_000:] = drawn[:1_000]
    assert digests.ascending(drawn).tolist() == sorted(range(2_000), key=lambda i: (int(drawn[i]), i))
