"""The order of equal candidates is arbitrary, and depends on a candidate's space and rank alone."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from epcg_core.curriculum.scattering import ascending, scattered

MOST = 2**64


def plain(space: str, rank: int) -> int:
    """SplitMix64 in Python's integers: the output after as many steps as the rank says."""
    start = int.from_bytes(hashlib.sha256(space.encode()).digest()[:8], "big")
    word = (start + rank * 0x9E3779B97F4A7C15) % MOST
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % MOST
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB % MOST
    return word ^ (word >> 31)


@pytest.mark.parametrize("space", ["", "numbers:range?size=100", "größe"])
def test_numbers_are_those_of_splitmix(space: str) -> None:
    drawn = np.random.default_rng(len(space)).integers(2**63, size=200)
    ranks = np.array([0, 1, 2**32, 2**63 - 1, *drawn], np.int64)
    assert scattered(space, ranks).tolist() == [plain(space, rank) for rank in ranks.tolist()]
    assert scattered(space, ranks[:0]).shape == (0,)


def test_the_generator_is_the_published_one() -> None:
    """The first outputs from the state 1234567, which Rosetta Code's page of SplitMix64 lists."""
    found, state = [], 1234567
    for _ in range(5):
        state = (state + 0x9E3779B97F4A7C15) % MOST
        word = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % MOST
        word = (word ^ (word >> 27)) * 0x94D049BB133111EB % MOST
        found.append(word ^ (word >> 31))
    assert found == [
        6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
        16408922859458223821,
    ]  # fmt: skip


def test_ranks_are_spread_over_all_words() -> None:
    numbers = scattered("numbers:range?size=100", np.arange(10_000))
    counts = np.bincount((numbers >> np.uint64(60)).astype(np.int64), minlength=16)
    assert len(set(numbers.tolist())) == 10_000
    assert counts.min() > 500  # of 625


@pytest.mark.parametrize("equal", [False, True])
def test_equal_numbers_stay_in_order(equal: bool) -> None:
    drawn = np.random.default_rng(5).integers(0, MOST, 2_000, dtype=np.uint64)
    if equal:
        drawn[1_000:] = drawn[:1_000]
    assert ascending(drawn).tolist() == sorted(range(2_000), key=lambda i: (int(drawn[i]), i))
