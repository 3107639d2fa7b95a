"""A problem of exact cover as the kernels want it: its cells in the order in which they are filled."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from epcg_core.compiled import read_only
from epcg_core.search.exact_cover.kernels import make_table
from epcg_core.search.exact_cover.problem import CoverProblem

WORD = 64
NO_PLACEMENT = -1
"""Padding after the last placement of a cover in a longer row."""


class Layout:
    """The placements sorted by their first cell, piece and number: their *place* is that in this order.

    Args:
        problem: the problem.
        order: the cells in the order in which they are filled; by their numbers if not given.
        without: placements that are left out.
        own: the layout whose places are compared when a symmetry may make a smaller cover; this one if not
            given.
    """

    def __init__(
        self,
        problem: CoverProblem,
        order: Sequence[int] | None = None,
        without: Collection[int] = (),
        own: Layout | None = None,
    ) -> None:
        self.problem = problem
        self.order = tuple(range(problem.cells)) if order is None else tuple(order)
        self._position = [0] * problem.cells
        for position, cell in enumerate(self.order):
            self._position[cell] = position
        self.words = -(-problem.cells // WORD)
        first = {
            number: min(self._position[cell] for cell in cells)
            for number, (_, cells) in enumerate(problem.placements)
            if number not in without
        }
        pieces = [piece for piece, _ in problem.placements]
        numbers = sorted(first, key=lambda number: (first[number], pieces[number], number))
        self.number = np.array([*numbers, NO_PLACEMENT], np.int32)
        """Placement numbers by place; NO_PLACEMENT is unchanged."""
        self.place = {number: place for place, number in enumerate(numbers)}
        self._own = self if own is None else own
        self.begin = read_only(
            np.searchsorted([first[number] for number in numbers], np.arange(problem.cells + 1)).astype(
                np.int64
            )
        )
        self.piece = read_only(np.array([pieces[number] for number in numbers], np.int64))
        self.masks = read_only(
            np.array([self.bits(problem.placements[number][1]) for number in numbers], np.uint64).reshape(
                len(numbers), self.words
            )
        )
        self.optional = read_only(self.bits(problem.optional))

    def bits(self, cells: Iterable[int]) -> NDArray[np.uint64]:
        """Return the words in which the cells are set."""
        bits = sum(1 << self._position[cell] for cell in cells)
        return np.array([bits >> (WORD * word) & (2**WORD - 1) for word in range(self.words)], np.uint64)

    def filled(self, cells: Iterable[int]) -> NDArray[np.uint64]:
        """Return the words of filled cells: these, and the bits past the last cell."""
        found = self.bits(cells)
        beyond = self.problem.cells % WORD
        if beyond:
            found[-1] |= np.uint64(2**WORD - 2**beyond)
        return read_only(found)

    @cached_property
    def table(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
        """Which placements fit, as `kernels.make_table` returns it."""
        pieces = max(1, -(-self.problem.pieces // WORD))
        chunk_begin, chunks, table = make_table(self.begin, self.piece, self.masks, pieces)
        return read_only(chunk_begin), read_only(chunks), read_only(table)

    @cached_property
    def through(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The placements through each cell: where each cell's begin, and their places."""
        through: list[list[int]] = [[] for _ in range(self.problem.cells)]
        for place, number in enumerate(self.number[:-1].tolist()):
            for cell in self.problem.placements[number][1]:
                through[self._position[cell]].append(place)
        begin = np.cumsum([0, *map(len, through)]).astype(np.int64)
        every = np.array([place for own in through for place in own], np.int64)
        return read_only(begin), read_only(every)

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """The place of each placement in the layout by which covers are compared."""
        return read_only(
            np.array([self._own.place[number] for number in self.number[:-1].tolist()], np.int32)
        )

    @cached_property
    def images(self) -> NDArray[np.int32]:
        """For each element of the group but the identity, the label of each placement's image."""
        labels = np.empty(len(self.problem.placements), np.int32)
        labels[self._own.number[:-1]] = np.arange(len(labels), dtype=np.int32)
        table = np.zeros((len(self.problem.group) - 1, len(self.labels)), np.int32)
        for row, image in zip(table, self.problem.images[1:], strict=True):
            row[:] = labels[np.array(image, np.int64)[self.number[:-1]]]
        return read_only(table)

    def tests(self, tests: Iterable[tuple[int | None, int]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the images, and (place or -1, row of the images) for each (placement or None, element)."""
        rows = [(-1 if number is None else self.place[number], member - 1) for number, member in tests]
        images = self.images if rows else np.zeros((0, len(self.piece)), np.int32)
        return read_only(images), read_only(np.array(rows, np.int32).reshape(-1, 2))
