"""Going through a space by increment against unranking every rank in full (the paper: 10 to 20 times).

Both ways visit the same consecutive ranks, from starts spread evenly over the space, and must add up to the
same sum of states. CPU seconds, the best of three; nothing is stored but one state.

    python benchmarks/combinatorics.py
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from epcg_core.combinatorics import (
    Combinations,
    KPermutations,
    MixedRadix,
    Multisets,
    MyrvoldRuskeyPermutations,
    Permutations,
    Product,
    RankedSpace,
)
from epcg_core.combinatorics.kernels import (
    binomial_table,
    increment_combination,
    increment_combination_bits,
    unrank_combination,
    unrank_combination_bits,
)
from epcg_core.combinatorics.permutation_kernels import (
    increment_k_permutation,
    increment_myrvold_ruskey,
    increment_permutation,
    unrank_k_permutation,
    unrank_myrvold_ruskey,
)
from epcg_core.combinatorics.tuple_kernels import (
    increment_mixed_radix,
    increment_multiset,
    unrank_mixed_radix,
    unrank_multiset,
)
from epcg_core.compiled import njit, read_only

BAR_OF_COMBINATIONS = 10.0
"""The lower end of what Sturtevant & Ota (2018) report for combinations."""

_STARTS = 8
_ZERO = np.uint64(0)

Walk = Callable[..., int]


# Each walk visits `count` ranks from `start` on and returns a sum over the states, modulo 2^64.


@njit
def _boards_by_increment(start: int, count: int, n: int, k: int, binomials: Any) -> int:
    total = _ZERO
    bits = unrank_combination_bits(start, n, k, binomials)
    for _ in range(count):
        total += bits
        bits = increment_combination_bits(bits, n)
    return int(total)


@njit
def _boards_by_unrank(start: int, count: int, n: int, k: int, binomials: Any) -> int:
    total = _ZERO
    for rank in range(start, start + count):
        total += unrank_combination_bits(rank, n, k, binomials)
    return int(total)


@njit
def _combinations_by_increment(start: int, count: int, n: int, k: int, binomials: Any) -> int:
    total = 0
    cells = np.empty(k, dtype=np.int64)
    unrank_combination(start, n, k, binomials, cells)
    for _ in range(count):
        total += cells[k - 1] + 64 * cells[0]
        increment_combination(cells, n, k)
    return total


@njit
def _combinations_by_unrank(start: int, count: int, n: int, k: int, binomials: Any) -> int:
    total = 0
    cells = np.empty(k, dtype=np.int64)
    for rank in range(start, start + count):
        unrank_combination(rank, n, k, binomials, cells)
        total += cells[k - 1] + 64 * cells[0]
    return total


@njit
def _permutations_by_increment(start: int, count: int, n: int) -> int:
    total = 0
    order = np.empty(n, dtype=np.int64)
    unrank_k_permutation(start, n, n, order)
    for _ in range(count):
        total += order[n - 1] + 64 * order[0]
        increment_permutation(order, n)
    return total


@njit
def _permutations_by_unrank(start: int, count: int, n: int) -> int:
    total = 0
    order = np.empty(n, dtype=np.int64)
    for rank in range(start, start + count):
        unrank_k_permutation(rank, n, n, order)
        total += order[n - 1] + 64 * order[0]
    return total


@njit
def _myrvold_ruskey_by_increment(start: int, count: int, n: int) -> int:
    total = 0
    order = np.empty(n, dtype=np.int64)
    unrank_myrvold_ruskey(start, n, order)
    for _ in range(count):
        total += order[n - 1] + 64 * order[0]
        increment_myrvold_ruskey(order, n)
    return total


@njit
def _myrvold_ruskey_by_unrank(start: int, count: int, n: int) -> int:
    total = 0
    order = np.empty(n, dtype=np.int64)
    for rank in range(start, start + count):
        unrank_myrvold_ruskey(rank, n, order)
        total += order[n - 1] + 64 * order[0]
    return total


@njit
def _k_permutations_by_increment(start: int, count: int, n: int, k: int) -> int:
    total = 0
    chosen = np.empty(k, dtype=np.int64)
    unrank_k_permutation(start, n, k, chosen)
    for _ in range(count):
        total += chosen[k - 1] + 64 * chosen[0]
        increment_k_permutation(chosen, n, k)
    return total


@njit
def _k_permutations_by_unrank(start: int, count: int, n: int, k: int) -> int:
    total = 0
    chosen = np.empty(k, dtype=np.int64)
    for rank in range(start, start + count):
        unrank_k_permutation(rank, n, k, chosen)
        total += chosen[k - 1] + 64 * chosen[0]
    return total


@njit
def _multisets_by_increment(start: int, count: int, n: int, k: int, binomials: Any) -> int:
    total = 0
    things = np.empty(k, dtype=np.int64)
    unrank_multiset(start, n, k, binomials, things)
    for _ in range(count):
        total += things[k - 1] + 64 * things[0]
        increment_multiset(things, n, k)
    return total


@njit
def _multisets_by_unrank(start: int, count: int, n: int, k: int, binomials: Any) -> int:
    total = 0
    things = np.empty(k, dtype=np.int64)
    for rank in range(start, start + count):
        unrank_multiset(rank, n, k, binomials, things)
        total += things[k - 1] + 64 * things[0]
    return total


@njit
def _mixed_radix_by_increment(start: int, count: int, radices: Any) -> int:
    total = 0
    last = radices.size - 1
    digits = np.empty(radices.size, dtype=np.int64)
    unrank_mixed_radix(start, radices, digits)
    for _ in range(count):
        total += digits[last] + 64 * digits[0]
        increment_mixed_radix(digits, radices)
    return total


@njit
def _mixed_radix_by_unrank(start: int, count: int, radices: Any) -> int:
    total = 0
    last = radices.size - 1
    digits = np.empty(radices.size, dtype=np.int64)
    for rank in range(start, start + count):
        unrank_mixed_radix(rank, radices, digits)
        total += digits[last] + 64 * digits[0]
    return total


def _exact_by_increment(start: int, count: int, space: RankedSpace[Any]) -> int:
    total, state = 0, space.unrank(start)
    for _ in range(count):
        total += hash(state)
        state = space.increment(state)
    return total


def _exact_by_unrank(start: int, count: int, space: RankedSpace[Any]) -> int:
    return sum(hash(space.unrank(rank)) for rank in range(start, start + count))


def measure() -> list[dict[str, Any]]:
    """Return a row for each kind of space: ns a state by increment (`measured`) and by unrank (`reference`).

    Keys: what, measured, reference, ratio (reference / measured), bar ("" if the paper gives none) and met
    ("yes", "no" or "").
    """
    return [
        _row(what, space, by_increment, by_unrank, args, count, bar)
        for what, space, by_increment, by_unrank, args, count, bar in _cases()
    ]


def _cases() -> Iterator[tuple[str, RankedSpace[Any], Walk, Walk, tuple[Any, ...], int, float | None]]:
    million, bar = 1_000_000, BAR_OF_COMBINATIONS
    cells, boards = binomial_table(56), (56, 10, binomial_table(64))
    combinations = Combinations(56, 10)
    yield "C(56,10) bitboards", combinations, _boards_by_increment, _boards_by_unrank, boards, million, bar
    yield (
        "C(56,10) cell lists",
        combinations,
        _combinations_by_increment,
        _combinations_by_unrank,
        (56, 10, cells),
        million,
        bar,
    )
    yield (
        "permutations of 12",
        Permutations(12),
        _permutations_by_increment,
        _permutations_by_unrank,
        (12,),
        million,
        None,
    )
    yield (
        "permutations of 12, Myrvold & Ruskey",
        MyrvoldRuskeyPermutations(12),
        _myrvold_ruskey_by_increment,
        _myrvold_ruskey_by_unrank,
        (12,),
        million,
        None,
    )
    yield (
        "6-permutations of 56",
        KPermutations(56, 6),
        _k_permutations_by_increment,
        _k_permutations_by_unrank,
        (56, 6),
        million,
        None,
    )
    yield (
        "multisets of 10 out of 20",
        Multisets(20, 10),
        _multisets_by_increment,
        _multisets_by_unrank,
        (20, 10, binomial_table(29)),
        million,
        None,
    )
    radices = (3,) * 20
    yield (
        "mixed radix, 3^20",
        MixedRadix(radices),
        _mixed_radix_by_increment,
        _mixed_radix_by_unrank,
        (read_only(np.array(radices, dtype=np.int64)),),
        million,
        None,
    )
    for what, space in [
        ("exact C(56,10)", combinations),
        ("exact C(1000,500)", Combinations(1000, 500)),
        ("exact permutations of 12", Permutations(12)),
        ("exact product C(56,10) x 12!", Product((combinations, Permutations(12)))),
    ]:
        yield what, space, _exact_by_increment, _exact_by_unrank, (space,), 200, None


def _row(
    what: str,
    space: RankedSpace[Any],
    by_increment: Walk,
    by_unrank: Walk,
    args: tuple[Any, ...],
    count: int,
    bar: float | None,
) -> dict[str, Any]:
    each = count // _STARTS
    starts = [space.max_rank * i // _STARTS for i in range(_STARTS)]
    fast, fast_sum = _nanoseconds(by_increment, starts, each, args)
    full, full_sum = _nanoseconds(by_unrank, starts, each, args)
    if fast_sum != full_sum:
        raise AssertionError(f"{what}: increment and unrank visit different states.")
    ratio = full / fast
    return {
        "what": f"{what}: increment against unrank",
        "measured": f"{fast:.1f} ns",
        "reference": f"{full:.1f} ns",
        "ratio": round(ratio, 1),
        "bar": "" if bar is None else bar,
        "met": "" if bar is None else "yes" if ratio >= bar else "no",
    }


def _nanoseconds(walk: Walk, starts: list[int], each: int, args: tuple[Any, ...]) -> tuple[float, list[int]]:
    """Return the CPU time a state in ns, the best of three, and the sums from each start."""
    walk(0, 1, *args)
    best = float("inf")
    sums: list[int] = []
    for _ in range(3):
        begun = time.process_time()
        sums = [walk(start, each, *args) for start in starts]
        best = min(best, time.process_time() - begun)
    return best / (each * len(starts)) * 1e9, sums


def main() -> None:
    """Print the rows of `measure` as a table."""
    table = Table()
    for column in ("what", "measured", "reference", "ratio", "bar", "met"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for row in measure():
        table.add_row(*(str(value) for value in row.values()))
    Console().print(table)


if __name__ == "__main__":
    main()
