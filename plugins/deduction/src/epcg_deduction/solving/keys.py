"""Exact keys: rows of small numbers packed into words of 64 bits, so that equal keys are equal rows.

A row is a number in a mixed radix, as many columns to a word as fit. Nothing is hashed, so nothing can
collide, and words in their order compare as rows do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import read_only

Words = NDArray[np.uint64]
"""(words, rows) uint64."""
_SLICE = 1 << 22
"""Rows that are sorted at once."""


def packed(columns: Iterable[NDArray[Any]], sizes: Sequence[int], rows: int) -> Words:
    """Return the keys of rows.

    Args:
        columns: a column of integers from 0 on for each size; (rows,) each.
        sizes: a number for each column that is larger than all in it.
        rows: how many rows there are.

    Returns:
        (words, rows) uint64, at least one word; earlier columns weigh more.
    """
    words = [np.zeros(rows, np.uint64)]
    room = 1
    for column, size in zip(columns, sizes, strict=True):
        if room * size > 1 << 64:
            words.append(np.zeros(rows, np.uint64))
            room = 1
        words[-1] *= np.uint64(size)
        np.add(words[-1], column, out=words[-1], casting="unsafe", dtype=np.uint64)
        room *= size
    return words[0][None] if len(words) == 1 else np.stack(words)


def in_order(words: Words) -> NDArray[np.int64]:
    """Return the numbers of the rows by their keys, equal ones in their own order: (rows,) int64."""
    order: NDArray[np.int64] = (
        np.argsort(words[0], kind="stable") if len(words) == 1 else np.lexsort(words[::-1])
    )
    return order


def alone(words: Words) -> NDArray[np.bool_]:
    """Return which rows have a key that no other row has: (rows,).

    Equal keys have equal remainders, so the rows of one remainder after the other are sorted, and memory is
    that of the keys and of one slice.
    """
    rows = words.shape[1]
    slices = rows // _SLICE + 1
    found = np.zeros(rows, np.bool_)
    every = np.arange(rows) if slices == 1 else None
    part = None if slices == 1 else (words.sum(axis=0) % np.uint64(slices)).astype(np.uint16)
    for number in range(slices):
        own = every if part is None else np.flatnonzero(part == number)
        assert own is not None
        order = in_order(words[:, own])
        own = own[order]
        keys = words[:, own]
        differs = np.ones(len(own) + 1, np.bool_)
        differs[1:-1] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
        found[own] = differs[1:] & differs[:-1]
    return found


def numbered(words: Words) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give a number to each different key, in their order.

    Returns:
        The first row of each key, (keys,) int64, and the number of the key of each row, (rows,) int64.
    """
    rows = words.shape[1]
    order = in_order(words)
    keys = words[:, order]
    starts = np.ones(rows, np.bool_)
    starts[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
    of_row = np.empty(rows, np.int64)
    of_row[order] = np.cumsum(starts) - 1
    return read_only(order[starts]), of_row
