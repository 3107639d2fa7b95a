"""All exact covers of a problem, modulo its symmetries, and the partial covers at a depth.

Symmetry is broken before the search if possible: for a piece that a cover has at most once, only one
placement per orbit is tried, and only the symmetries that keep this placement remain. A piece that no
symmetry maps onto itself leaves no symmetry. Covers without that piece are searched separately, with the next
piece; if no such piece is left, a cover counts if no symmetry maps it to a smaller one.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.combinatorics.listed import ListedPrefixes
from epcg_core.compiled import read_only
from epcg_core.errors import EpcgError, ParamsError, RankError
from epcg_core.search.exact_cover.fewest import dives, search_fewest
from epcg_core.search.exact_cover.kernels import search_word, search_words
from epcg_core.search.exact_cover.plain import PlainCovers
from epcg_core.search.exact_cover.problem import CoverProblem

NO_LIMIT = 2**62
FRONTIER_LIMIT = 1_000_000
"""Partial covers that a process keeps; more of them make no better units."""
WORD = 64
FEWEST_FROM, FEWEST_RATIO = 1e6, 64.0
"""A search by cells of fewer nodes is soon done; and one of its nodes takes up to so many times less."""
DIVES, LEAST_DIVES = 1_000, 20
"""Random dives in all, and from each root."""
NO_PLACEMENT = -1
"""Padding after the last placement of a cover in a longer row."""


@attrs.frozen(eq=False)
class Covers:
    """The result of a search."""

    covers: NDArray[np.int32]
    """(n, depth) placement numbers, padded with NO_PLACEMENT."""
    nodes: int
    """Partial covers that were visited, complete ones included."""


@attrs.frozen
class Root:
    """A part of the search: covers with one placement fixed, or without any fixed."""

    fixed: tuple[int, ...]
    """The number of the fixed placement, or None."""
    most: tuple[int, ...]
    """For each piece how many copies these covers have at most."""
    kept_by: tuple[int, ...]
    """The elements of the problem's group, except the identity, that map such covers to each other."""


def solve(problem: CoverProblem, limit: int | None = None) -> Covers:
    """Return all covers modulo the problem's symmetries.

    Of covers that a symmetry makes equal the smallest is given, as the ascending numbers of its placements;
    rows are in lexicographic order. Raises EpcgError for more than `limit` covers.
    """
    search = CoverSearch(problem)
    found = search.whole(limit)
    if limit is not None and len(found.covers) > limit:
        raise EpcgError(f"There are more than {limit:,} covers.")
    return Covers(search.canonical(found.covers), found.nodes)


class CoverSearch:
    """A problem as the kernels want it, and its search from any partial cover."""

    def __init__(self, problem: CoverProblem) -> None:
        self.problem = problem
        self.words = -(-problem.cells // WORD)
        count = len(problem.placements)
        lowest = [cells[0] for _, cells in problem.placements]
        pieces = [piece for piece, _ in problem.placements]
        order = sorted(range(count), key=lambda number: (lowest[number], pieces[number], number))
        self._number = np.array([*order, -1], np.int32)
        """Placement numbers in the kernels' order; NO_PLACEMENT is unchanged."""
        self._place = {number: place for place, number in enumerate(order)}
        self._begin = read_only(
            np.searchsorted(sorted(lowest), np.arange(problem.cells + 1)).astype(np.int64)
        )
        self._piece = read_only(np.array([pieces[number] for number in order], np.int64))
        self._masks = read_only(
            np.array([self._bits(problem.placements[number][1]) for number in order], np.uint64).reshape(
                count, self.words
            )
        )
        self._group_end = read_only(self._ends(lowest, order))
        self._optional = read_only(self._bits(problem.optional))
        self._spare = problem.cells - self._least_area()
        self._images: dict[tuple[int, ...], NDArray[np.int32]] = {}
        smallest = min((len(cells) for _, cells in problem.placements), default=1)
        self.width = max(1, min(sum(problem.most), problem.cells // smallest))
        self.roots = tuple(_roots(problem))

    @property
    def nothing(self) -> NDArray[np.int32]:
        """No cover at all."""
        return np.zeros((0, self.width), np.int32)

    def _ends(self, lowest: Sequence[int], order: Sequence[int]) -> NDArray[np.int64]:
        ends = np.empty(len(order), np.int64)
        end = len(order)
        for i in range(len(order) - 1, -1, -1):
            if i + 1 < len(order):
                here, there = order[i], order[i + 1]
                if (lowest[here], self._piece[i]) != (lowest[there], self._piece[i + 1]):
                    end = i + 1
            ends[i] = end
        return ends

    def _bits(self, cells: Iterable[int]) -> NDArray[np.uint64]:
        bits = sum(1 << cell for cell in cells)
        return np.array([bits >> (WORD * word) & (2**WORD - 1) for word in range(self.words)], np.uint64)

    def _least_area(self) -> int:
        sizes = [
            min((len(cells) for piece, cells in self.problem.placements if piece == p), default=0)
            for p in range(self.problem.pieces)
        ]
        return sum(least * size for least, size in zip(self.problem.least, sizes, strict=True))

    def whole(self, limit: int | None = None, plain: bool = False) -> Covers:
        """Find the covers of all roots, in the order of the search; stop after more than `limit` covers."""
        parts, found, nodes = [self.nothing], 0, 0
        for root in self.roots:
            if limit is not None and found > limit:
                break
            part = self.below(root, root.fixed, None, None if limit is None else limit - found, plain)
            parts.append(part.covers)
            found += len(part.covers)
            nodes += part.nodes + len(root.fixed)
        return Covers(np.concatenate(parts), nodes)

    def below(
        self,
        root: Root,
        prefix: Sequence[int],
        depth: int | None = None,
        limit: int | None = None,
        plain: bool = False,
    ) -> Covers:
        """Find the covers of `root` that extend the placements `prefix`, in the order of the search by cells.

        With `depth`, partial covers of so many placements are returned, and covers with fewer. The nodes do
        not count the prefix. The search stops after limit + 1 covers. `plain` searches without kernels, and
        without the limit.
        """
        problem = self.problem
        fewest = depth is None and self.fewest
        taken = {cell for number in prefix for cell in problem.placements[number][1]}
        ordered = prefix[len(root.fixed) :]
        if ordered:  # what lies before it and is empty was left so
            taken |= set(range(problem.placements[ordered[-1]][1][0]))
        left = np.array(root.most, np.int64)
        for number in prefix:
            left[problem.placements[number][0]] -= 1
        skipped = len(taken) - sum(len(problem.placements[number][1]) for number in prefix)
        padding = range(problem.cells, self.words * WORD)
        if len(taken) == problem.cells:
            return self._complete(root, prefix, left)
        if plain:
            search = PlainCovers(
                problem,
                root.most,
                self._number[:-1].tolist(),
                [problem.images[member] for member in root.kept_by],
                self.width + 1 if depth is None else depth,
                fewest,
            )
            found = list(search.search(tuple(prefix), frozenset(taken), left.tolist(), self._spare - skipped))
            rows = np.full((len(found), self.width), NO_PLACEMENT, np.int32)
            for row, own in zip(rows, found, strict=True):
                row[: len(own)] = own
            return Covers(self._sorted(rows, len(prefix)) if fewest else rows, search.nodes)
        filled = read_only(self._bits(frozenset(taken).union(padding)))
        placed = read_only(np.array([self._place[number] for number in prefix], np.int32))
        slack = read_only(np.array(root.most, np.int64) - np.array(problem.least, np.int64))
        most = NO_LIMIT if limit is None else limit
        if fewest:
            begin, through = self._through
            rows, nodes = search_fewest(
                begin, through, self._masks, self._piece, self._optional, filled, placed, read_only(left),
                slack, self._images_of(root), self._spare - skipped, self.width, most,
            )  # fmt: skip
            return Covers(self._sorted(self._number[rows], len(prefix)), int(nodes))
        kernel = search_word if self.words == 1 else search_words
        rows, nodes = kernel(
            self._begin,
            self._masks,
            self._piece,
            self._group_end,
            self._optional,
            filled,
            placed,
            read_only(left),
            slack,
            self._images_of(root),
            self._spare - skipped,
            self.width + 1 if depth is None else depth,
            self.width,
            most,
        )
        return Covers(self._number[rows], int(nodes))

    @cached_property
    def fewest(self) -> bool:
        """Whether covers are searched cell by cell with the fewest placements, because that takes far less.

        Both ways are estimated by random dives, the same in every process.
        """
        first = self._dived(False)
        return first > FEWEST_FROM and first > FEWEST_RATIO * self._dived(True)

    def _dived(self, fewest: bool) -> float:
        """Estimate the nodes of the whole search."""
        total = 0.0
        begin, through = self._through
        for root in self.roots:
            taken = {cell for number in root.fixed for cell in self.problem.placements[number][1]}
            filled = self._bits(taken.union(range(self.problem.cells, self.words * WORD)))
            left = np.array(root.most, np.int64)
            for number in root.fixed:
                left[self.problem.placements[number][0]] -= 1
            probes = max(LEAST_DIVES, DIVES // len(self.roots))
            total += dives(
                begin, through, self._masks, self._piece, self._optional, read_only(filled), read_only(left),
                self._spare, fewest, probes,
            )  # fmt: skip
        return total

    @cached_property
    def _through(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The placements through each cell, as the kernels of `fewest` want them: `begin` and `through`."""
        through: list[list[int]] = [[] for _ in range(self.problem.cells)]
        for place, number in enumerate(self._number[:-1].tolist()):
            for cell in self.problem.placements[number][1]:
                through[cell].append(place)
        begin = np.cumsum([0, *map(len, through)]).astype(np.int64)
        every = np.array([place for own in through for place in own], np.int64)
        return read_only(begin), read_only(every)

    def _sorted(self, rows: NDArray[np.int32], prefix: int) -> NDArray[np.int32]:
        """Bring covers that extend a prefix, (n, width) placements, into the order of the search by cells."""
        beyond = len(self.problem.placements)
        place = np.array([*(self._place[number] for number in range(beyond)), beyond], np.int32)
        places = place[rows]
        places[:, prefix:] = np.sort(places[:, prefix:], axis=1)
        if len(places):
            places = places[np.lexsort(places.T[::-1])]
        return self._number[places]

    def following(self, prefix: Sequence[int], plain: bool = False) -> list[tuple[int, ...]]:
        """Return the partial covers with one placement more than `prefix`, in the order of the search.

        `prefix` itself is among them if it is a cover. The empty cover is extended for all roots. `plain`
        searches without kernels.
        """
        found: list[tuple[int, ...]] = []
        for root in self._roots_of(prefix):
            if len(prefix) < len(root.fixed):
                found.append(root.fixed)
            else:
                found += _placements(self.below(root, prefix, len(prefix) + 1, plain=plain))
        return found

    def _roots_of(self, prefix: Sequence[int]) -> list[Root]:
        """Return the roots that lead to partial covers that begin with `prefix`."""
        if not prefix:
            return list(self.roots)
        # other roots do without the pieces that are fixed
        own = [root for root in self.roots if root.fixed == (prefix[0],)]
        return own or [root for root in self.roots if not root.fixed]

    def _complete(self, root: Root, prefix: Sequence[int], left: NDArray[np.int64]) -> Covers:
        """Return `prefix` as the only cover if it is one that counts."""
        most, least = np.array(root.most), np.array(self.problem.least)
        own = sorted(self._place[number] for number in prefix)
        images = self._images_of(root)
        if (left > most - least).any() or any(sorted(image[own].tolist()) < own for image in images):
            return Covers(self.nothing, 0)
        return Covers(np.array([[*prefix, *[-1] * (self.width - len(prefix))]], np.int32), 0)

    def _images_of(self, root: Root) -> NDArray[np.int32]:
        """Return the symmetries that test covers of `root`, (symmetries, placements) in kernel order."""
        if root.kept_by not in self._images:
            order = self._number[:-1]
            place = np.empty(len(order), np.int32)
            place[order] = np.arange(len(order), dtype=np.int32)
            table = np.zeros((len(root.kept_by), len(order)), np.int32)
            for row, member in enumerate(root.kept_by):
                table[row] = place[np.array(self.problem.images[member], np.int64)[order]]
            self._images[root.kept_by] = read_only(table)
        return self._images[root.kept_by]

    def canonical(self, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        """Replace each cover by its smallest image, ascending, and sort the rows lexicographically."""
        beyond = len(self.problem.placements)
        best = np.sort(np.where(rows < 0, beyond, rows), axis=1)
        original = best
        for member in range(1, len(self.problem.group)):
            images = np.array([*self.problem.images[member], beyond], np.int32)
            image = np.sort(images[original], axis=1)
            differs = image != best
            at = np.argmax(differs, axis=1)[:, None]
            smaller = np.take_along_axis(image, at, 1) < np.take_along_axis(best, at, 1)
            best = np.where(smaller, image, best)
        best = np.where(best == beyond, -1, best).astype(np.int32)
        return best[np.lexsort(best.T[::-1])] if len(best) else best


class PartialCovers:
    """The partial covers at a depth as a ranked space: the frontier of the search, in its order.

    A state is the tuple of its placements in the order in which they were made: `depth` of them, or fewer
    if that is a cover already. At depth 0 the one state is the empty cover. Raises ParamsError for a depth
    that has more than a million.
    """

    def __init__(self, problem: CoverProblem, depth: int) -> None:
        if depth < 0:
            raise ParamsError(f"depth must be 0 or more placements, not {depth}.")
        self.cover_problem = problem
        self.depth = depth
        self.search = CoverSearch(problem)
        self._roots: list[Root] = []
        self._states: list[tuple[int, ...]] = []
        self.nodes = 0
        """Partial covers that were visited to find them."""
        for root in self.search.roots if depth else ():
            self._add(root)
        if depth == 0:
            self._states.append(())

    def _add(self, root: Root) -> None:
        self.nodes += len(root.fixed)
        if self.depth == len(root.fixed):
            rows = [root.fixed]
        else:
            found = self.search.below(root, root.fixed, self.depth, FRONTIER_LIMIT - len(self._states))
            self.nodes += found.nodes
            rows = _placements(found)
        self._states += rows
        if len(self._states) > FRONTIER_LIMIT:
            raise ParamsError(
                f"There are more than {FRONTIER_LIMIT:,} partial covers of {self.depth} placements: choose a "
                "smaller depth."
            )
        self._roots += [root] * len(rows)

    @property
    def max_rank(self) -> int:
        return len(self._states)

    @cached_property
    def prefixes(self) -> ListedPrefixes:
        """The states placement by placement, NO_PLACEMENT behind the last, for branch and bound."""
        length = min(self.depth, self.search.width)
        rows = np.full((len(self._states), length), NO_PLACEMENT, np.int32)
        for row, state in zip(rows, self._states, strict=True):
            row[: len(state)] = state
        return ListedPrefixes(rows)

    def unrank(self, rank: int) -> tuple[int, ...]:
        """Return the partial cover of `rank`. Raises RankError if the rank is outside the space."""
        if not 0 <= rank < len(self._states):
            raise RankError(f"There is no rank {rank}: ranks are 0 to {len(self._states) - 1}.")
        return self._states[rank]

    @cached_property
    def _ranks(self) -> dict[tuple[int, ...], int]:
        return {state: rank for rank, state in enumerate(self._states)}

    def rank(self, state: Sequence[int]) -> int:
        """Return the rank of a partial cover. Raises RankError if it is not in the space."""
        rank = self._ranks.get(tuple(state))
        if rank is None:
            raise RankError(f"{tuple(state)} is not a partial cover of {self.depth} placements.")
        return rank

    def covers(self, rank: int, plain: bool = False) -> Covers:
        """Return all covers that extend the partial cover of `rank`, in the order of the search.

        Over all ranks these are the covers modulo the problem's symmetries, each once. `plain` searches
        without kernels.
        """
        state = self.unrank(rank)
        if self.depth == 0:
            return self.search.whole(plain=plain)
        if len(state) < self.depth:  # a cover already
            row = np.full((1, self.search.width), -1, np.int32)
            row[0, : len(state)] = state
            return Covers(row, 0)
        return self.search.below(self._roots[rank], state, plain=plain)


def _placements(found: Covers) -> list[tuple[int, ...]]:
    return [tuple(number for number in row if number != NO_PLACEMENT) for row in found.covers.tolist()]


def estimate_nodes(problem: CoverProblem, probes: int = 1000, seed: int = 0) -> float:
    """Return about how many partial covers a search visits: the mean of random dives (Knuth 1975).

    A dive multiplies the numbers of ways that it had at every step. The mean is unbiased, its spread large.
    """
    roots = list(_roots(problem))
    if not roots:
        return 0.0
    masks = [sum(1 << cell for cell in cells) for _, cells in problem.placements]
    by_lowest: list[list[int]] = [[] for _ in range(problem.cells)]
    for number, (_, cells) in enumerate(problem.placements):
        by_lowest[cells[0]].append(number)
    chance = random.Random(seed)
    total = 0.0
    for _ in range(probes):
        root = chance.choice(roots)
        left = list(root.most)
        filled = 0
        for number in root.fixed:
            filled |= masks[number]
            left[problem.placements[number][0]] -= 1
        weight = float(len(roots))
        total += weight * len(root.fixed)
        while filled != (1 << problem.cells) - 1:
            cell = (~filled & (filled + 1)).bit_length() - 1
            ways = [n for n in by_lowest[cell] if not masks[n] & filled and left[problem.placements[n][0]]]
            skip = cell in problem.optional
            if not ways and not skip:
                break
            choice = chance.randrange(len(ways) + skip)
            weight *= len(ways) + skip
            if choice == len(ways):
                filled |= 1 << cell
                continue
            total += weight
            filled |= masks[ways[choice]]
            left[problem.placements[ways[choice]][0]] -= 1
    return total / probes


def _roots(problem: CoverProblem) -> Iterator[Root]:
    """Split the search into parts that share no cover and, up to symmetry, miss none."""
    most = list(problem.most)
    group = range(1, len(problem.group))
    while problem.impossible(most) is None:
        choice = _piece_to_fix(problem, most) if group else None
        if choice is None:
            yield Root((), tuple(most), tuple(group))
            return
        piece, fixed = choice
        for number, kept_by in fixed:
            yield Root((number,), tuple(most), kept_by)
        most[piece] = 0


def _piece_to_fix(
    problem: CoverProblem, most: Sequence[int]
) -> tuple[int, list[tuple[int, tuple[int, ...]]]] | None:
    """Choose a piece that covers have at most once, and one placement per orbit with its stabiliser.

    The preferred piece has placements kept by the fewest symmetries; then one that every cover has; then the
    most orbits, which would branch most.
    """
    found = []
    for piece in range(problem.pieces):
        if most[piece] == 1:
            fixed = _orbits(problem, piece)
            kept = sum(len(kept_by) for _, kept_by in fixed)
            found.append((kept / max(1, len(fixed)), -problem.least[piece], -len(fixed), piece, fixed))
    if not found:
        return None
    *_, piece, fixed = min(found)
    return piece, fixed


def _orbits(problem: CoverProblem, piece: int) -> list[tuple[int, tuple[int, ...]]]:
    """Return the lowest placement of each orbit of a piece's placements, and the symmetries that keep it."""
    seen: set[int] = set()
    found = []
    for number, (own, _) in enumerate(problem.placements):
        if own == piece and number not in seen:
            orbit = [images[number] for images in problem.images]
            seen.update(orbit)
            found.append((number, tuple(g for g in range(1, len(orbit)) if orbit[g] == number)))
    return found
