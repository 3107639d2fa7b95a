"""How many covers a problem has, counted without a list of them.

Cells are closed in an order that keeps the border of the closed part short. Partial covers that close the
same cells by as many copies of each piece go on in the same ways, so they are counted together: of a strip
these are few, however long it is (a broken profile). Modulo symmetries, by Cauchy and Frobenius, there are as
many as the symmetries keep on average; what a symmetry keeps is covered by whole orbits of placements, which
are counted in the same way. Plain Python, in integers without limit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs

from epcg_core.base.errors import EpcgError
from epcg_core.search.exact_cover.orders import sweeps
from epcg_core.search.exact_cover.problem import CoverProblem

_Step = tuple[int, int, tuple[int, ...]]
"""The first open cell of a state, the state, and what was placed there."""
STATES = 1_000_000
"""Partial covers, as far as they differ, that are counted: some 4 CPU seconds and 300 MiB."""


@attrs.frozen
class CoverCount:
    """How many covers there are."""

    every: int
    """All of them."""
    distinct: int
    """Modulo the problem's symmetries."""
    example: tuple[int, ...]
    """The placements of one of them, ascending; empty if there is none."""


def count_by_states(problem: CoverProblem, *, limit: int = STATES) -> CoverCount:
    """Count the covers of a problem, in all and modulo its symmetries.

    Args:
        problem: the problem.
        limit: the partial covers that may be told apart, for all symmetries together.

    Raises:
        EpcgError: more than `limit` partial covers differ.
    """
    count = _Counter(problem, limit)
    fixed = [sum(count.kept_by(image).values()) for image in problem.images]
    return CoverCount(fixed[0], sum(fixed) // len(fixed), count.example)


def kept_by_copies(problem: CoverProblem, *, limit: int = STATES) -> dict[tuple[int, ...], int]:
    """Count the covers that each symmetry of a problem keeps, for every choice of copies at once.

    Args:
        problem: the problem.
        limit: the partial covers that may be told apart, for all symmetries together.

    Returns:
        The copies of each piece -> the sum, over the elements of `problem.group`, of the covers with these
        copies that the element keeps. By Cauchy and Frobenius the sum over copies that the symmetries keep
        together, divided by the number of elements, is the number of covers modulo the symmetries.

    Raises:
        EpcgError: more than `limit` partial covers differ.
    """
    count, found = _Counter(problem, limit), Counter[tuple[int, ...]]()
    for image in problem.images:
        found.update(count.kept_by(image))
    return dict(found)


@attrs.frozen
class _Fields:
    """Numbers with limits, as bits of one integer: a number beyond its limit sets a bit of `beyond`."""

    most: Sequence[int]
    room: int
    """The most that is added to a number at once."""

    def _width(self, number: int) -> int:
        return (self.most[number] + self.room + 1).bit_length() + 1

    def shift(self, number: int) -> int:
        return sum(map(self._width, range(number)))

    @property
    def beyond(self) -> int:
        return sum(1 << self.shift(n) + self._width(n) - 1 for n in range(len(self.most)))

    @property
    def start(self) -> int:
        """All numbers zero: each stands so far below its bit of `beyond` as it may grow."""
        return sum((1 << self._width(n) - 1) - 1 - most << self.shift(n) for n, most in enumerate(self.most))

    def read(self, bits: int) -> list[int]:
        bits -= self.start
        return [bits >> self.shift(n) & (1 << self._width(n)) - 1 for n in range(len(self.most))]


class _Counter:
    """Counts the covers of a problem that are kept by its symmetries, one after the other."""

    def __init__(self, problem: CoverProblem, limit: int) -> None:
        self._problem, self._limit = problem, limit
        self._states = 0
        self.example: tuple[int, ...] = ()
        """The first cover that was found."""
        orders = [tuple(range(problem.cells)), *sweeps(problem)]
        order = min(orders, key=lambda order: _span(problem, order))
        self._position = {cell: place for place, cell in enumerate(order)}
        optional = len(problem.optional) if problem.empty is None else problem.empty
        self._fields = _Fields((*problem.most, min(optional, len(problem.optional))), len(problem.group))
        self._optional = {self._position[cell] for cell in problem.optional}

    def kept_by(self, image: Sequence[int]) -> dict[tuple[int, ...], int]:
        """Count the covers that a symmetry keeps, by their copies of each piece.

        The symmetry is given by the images of the placements under it.
        """
        cells, fields = self._problem.cells, self._fields
        ways: list[list[tuple[int, int, tuple[int, ...]]]] = [[] for _ in range(cells)]
        for mask, used, orbit in self._orbits(image):
            first = (mask & -mask).bit_length() - 1
            ways[first].append((mask >> first, used << cells, orbit))
        leave = 1 << fields.shift(self._problem.pieces)
        low, beyond = (1 << cells) - 1, fields.beyond << cells
        found: dict[int, int] = {}  # by what is used
        # for each first open cell: the cells behind it that are closed, and above these what is used
        fronts: list[dict[int, int]] = [{} for _ in range(cells)]
        start = fields.start << cells
        fronts[0][start] = 1
        before: list[dict[int, _Step]] = [{} for _ in range(cells)]  # how each state was first reached
        for cell in range(cells):
            front, fronts[cell] = fronts[cell], {}
            here = ways[cell]
            if cell in self._optional:
                here.append((1, leave << cells, ()))
            for state, count in front.items():
                closed = state & low
                for mask, used, orbit in here:
                    if mask & closed:
                        continue
                    after = state + used
                    if after & beyond:
                        continue
                    now = closed | mask
                    step = (~now & now + 1).bit_length() - 1
                    if cell + step < cells:
                        key = (after >> cells << cells) | now >> step
                        further = fronts[cell + step]
                        if key not in further:
                            further[key] = 0
                            self._states += 1
                            if self._states > self._limit:
                                raise EpcgError(f"More than {self._limit:,} partial covers differ.")
                            before[cell + step][key] = (cell, state, orbit)
                        further[key] += count
                    else:
                        all_used = after >> cells
                        if not self.example and self._copies_of(all_used) is not None:
                            self.example = _placed(before, (cell, state, orbit))
                        found[all_used] = found.get(all_used, 0) + count
        copies = ((self._copies_of(all_used), ways) for all_used, ways in found.items())
        return {own: ways for own, ways in copies if own is not None}

    def _orbits(self, image: Sequence[int]) -> Iterator[tuple[int, int, tuple[int, ...]]]:
        """Yield the cells, the pieces and the members of each orbit of placements that do not meet."""
        placements, fields = self._problem.placements, self._fields
        bits = [sum(1 << self._position[cell] for cell in cells) for _, cells in placements]
        for number in range(len(placements)):
            orbit = [number]
            while (following := image[orbit[-1]]) != number:
                orbit.append(following)
            mask = _union(bits[own] for own in orbit)
            if number == min(orbit) and mask is not None:
                yield mask, sum(1 << fields.shift(placements[own][0]) for own in orbit), tuple(orbit)

    def _copies_of(self, used: int) -> tuple[int, ...] | None:
        """Return the copies of each piece; None if they are too few, or other cells than wanted are empty."""
        problem, (*copies, left) = self._problem, self._fields.read(used)
        counts = (
            all(own >= least for own, least in zip(copies, problem.least, strict=True))
            and (problem.empty is None or left == problem.empty)
            and (problem.unused is None or sum(problem.most) - sum(copies) <= problem.unused)
        )
        return tuple(copies) if counts else None


def _placed(before: Sequence[Mapping[int, _Step]], last: _Step) -> tuple[int, ...]:
    """Return the placements by which a state was reached, ascending."""
    cell, state, orbit = last
    found = [*orbit]
    while cell:
        cell, state, orbit = before[cell][state]
        found += orbit
    return tuple(sorted(found))


def _union(masks: Iterable[int]) -> int | None:
    """Return all bits of masks; None if two have a bit in common."""
    every = 0
    for mask in masks:
        if every & mask:
            return None
        every |= mask
    return every


def _span(problem: CoverProblem, order: Sequence[int]) -> int:
    """Return how far the cells of a placement are from each other at most, in an order."""
    position = {cell: place for place, cell in enumerate(order)}
    places = ([position[cell] for cell in cells] for _, cells in problem.placements)
    return max((max(own) - min(own) for own in places), default=0)
