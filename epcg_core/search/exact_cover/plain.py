"""The search of exact covers in plain Python: the definition of what the kernels find, in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import attrs

from epcg_core.search.exact_cover.problem import CoverProblem

_OPTIONAL_EMPTY = -1


@attrs.define
class PlainCovers:
    """A search for the covers that extend some placements; `nodes` counts the placements tried."""

    problem: CoverProblem
    slack: Sequence[int]
    """For each piece how many of its copies may be left at the end."""
    cells: Sequence[int]
    """The cells in the order in which they are filled."""
    numbers: Sequence[int]
    """The numbers of the placements that are tried, by first cell, piece and number."""
    labels: Mapping[int, int]
    """For each placement's number what covers are compared by."""
    tests: Sequence[tuple[int | None, Sequence[int]]]
    """Symmetries as images of placements: a cover counts if none maps it to one that precedes it. Each is for
    the covers that have a placement, or for all."""
    depth: int
    """Number of placements of a partial cover; covers with fewer are found, too."""
    still_spare: int = 0
    """How many of the cells that may stay empty need not, at the end."""
    still_left: int = 0
    """The most copies of all pieces that may be left at the end."""
    fewest: bool = False
    """Whether the cell with the fewest ways is filled first, instead of the first empty one."""
    nodes: int = 0

    _by_first: dict[int, list[int]] = attrs.field(init=False, factory=dict)
    _through: dict[int, list[int]] = attrs.field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        position = {cell: place for place, cell in enumerate(self.cells)}
        for number in self.numbers:
            cells = self.problem.placements[number][1]
            self._by_first.setdefault(min(cells, key=position.__getitem__), []).append(number)
            for cell in cells:
                self._through.setdefault(cell, []).append(number)

    def search(
        self, chosen: tuple[int, ...], filled: frozenset[int], left: Sequence[int], spare: int
    ) -> Iterator[tuple[int, ...]]:
        """Yield the placements of each cover, in the order of the search.

        Args:
            chosen: the placements made so far.
            filled: the cells that are covered, or left empty for good.
            left: for each piece the copies that may still be used.
            spare: how many cells may stay empty.
        """
        problem = self.problem
        empty = (cell for cell in self.cells if cell not in filled)
        if self.fewest:
            cell = min(empty, key=lambda cell: self._number_of_ways(cell, filled, left))
            ways = list(self._through.get(cell, ()))
        else:
            cell = next(empty)
            ways = list(self._by_first.get(cell, ()))
        if cell in problem.optional and spare > 0:
            ways.append(_OPTIONAL_EMPTY)
        for number in ways:
            if number == _OPTIONAL_EMPTY:
                after, now, rest, more = chosen, filled | {cell}, left, spare - 1
            else:
                piece, cells = problem.placements[number]
                if not left[piece] or not filled.isdisjoint(cells):
                    continue
                self.nodes += 1
                rest = [copies - (own == piece) for own, copies in enumerate(left)]
                after, now, more = (*chosen, number), filled.union(cells), spare
            if len(now) == problem.cells:
                if more <= self.still_spare and self.counts(after, rest):
                    yield after
            elif len(after) == self.depth:
                yield after
            else:
                yield from self.search(after, now, rest, more)

    def _number_of_ways(self, cell: int, filled: frozenset[int], left: Sequence[int]) -> int:
        """Count the placements that can cover an empty cell; to leave an optional one empty is a way, too."""
        placements = (self.problem.placements[number] for number in self._through.get(cell, ()))
        fitting = sum(left[piece] > 0 and filled.isdisjoint(cells) for piece, cells in placements)
        return fitting + (cell in self.problem.optional)

    def counts(self, chosen: Sequence[int], left: Sequence[int]) -> bool:
        """Return whether enough pieces are used, and no symmetric cover precedes this one."""
        if any(copies > most for copies, most in zip(left, self.slack, strict=True)):
            return False
        if sum(left) > self.still_left:
            return False
        own = sorted(self.labels[number] for number in chosen)
        return all(
            sorted(self.labels[image[n]] for n in chosen) >= own
            for number, image in self.tests
            if number is None or number in chosen
        )
