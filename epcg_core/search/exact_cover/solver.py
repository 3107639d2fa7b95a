"""All exact covers of a problem, modulo its symmetries, and the partial covers at a depth.

A small search fills the cells in their order, once for each root (`roots`). A large one fills them in the
order that seems best (`orders`), or the cell with the fewest placements first (`fewest`), and searches all
roots of a stage together. The covers and their order are the same, only `nodes` differs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import EpcgError, ParamsError, RankError
from epcg_core.combinatorics.listed import ListedPrefixes
from epcg_core.compiled import compiled_or_small, read_only
from epcg_core.search.exact_cover.fewest import dives_fewest, search_fewest
from epcg_core.search.exact_cover.kernels import dives, search_cells
from epcg_core.search.exact_cover.layout import NO_PLACEMENT, Layout
from epcg_core.search.exact_cover.orders import sweeps
from epcg_core.search.exact_cover.plain import PlainCovers
from epcg_core.search.exact_cover.problem import CoverProblem
from epcg_core.search.exact_cover.roots import Root, Stage, estimate_nodes, stages
from epcg_core.search.exact_cover.together import MOST_NODES, TooManyError, all_covers

__all__ = [
    "NO_LIMIT", "NO_PLACEMENT", "CoverSearch", "Covers", "PartialCovers", "estimate_cost", "estimate_nodes",
    "solve",
]  # fmt: skip

NO_LIMIT = 2**62
FRONTIER_LIMIT = 1_000_000
"""Partial covers that a process keeps; more of them make no better units."""
FEW = 100_000
"""Nodes of a search that is rather done than estimated, if nothing is compiled."""
LARGE = 1e6
"""A search by cells of fewer nodes is soon done, in whatever order."""
ORDER_RATIO, FEWEST_RATIO = 1.2, 64.0
"""How many times fewer nodes another order of cells has to promise, and the cell with the fewest placements,
with which a node takes up to that many times as long."""
DIVES, ORDER_DIVES, FEWEST_DIVES, LEAST_DIVES = 5_000, 50_000, 200, 20
"""Random dives in all, those of an order that is compared with others, those by the cell with the fewest
placements, and the least from each root."""


@attrs.frozen(eq=False)
class Covers:
    """The result of a search."""

    covers: NDArray[np.int32]
    """(n, depth) placement numbers, padded with NO_PLACEMENT."""
    nodes: int
    """Partial covers that were visited, complete ones included."""


@attrs.frozen
class Method:
    """How covers are searched."""

    order: tuple[int, ...] | None = None
    """The cells in the order in which they are filled; by their numbers if None."""
    fewest: bool = False
    """Whether the cell with the fewest placements is filled first instead."""
    together: bool = False
    """Whether all roots of a stage are searched together."""
    cost: float = attrs.field(default=0.0, eq=False)
    """About how long it takes, in nodes of a search by cells."""


def solve(problem: CoverProblem, limit: int | None = None) -> Covers:
    """Return all covers modulo the problem's symmetries.

    Of covers that a symmetry makes equal the smallest is given, as the ascending numbers of its placements;
    rows are in lexicographic order. Raises EpcgError for more than `limit` covers.
    """
    search = CoverSearch(problem)
    found = compiled_or_small(lambda: search.whole(limit), lambda: _without_kernels(search))
    if limit is not None and len(found.covers) > limit:
        raise EpcgError(f"There are more than {limit:,} covers.")
    return Covers(search.canonical(found.covers), found.nodes)


def _without_kernels(search: CoverSearch) -> Covers | None:
    """Return all covers modulo symmetries, in any order; None if the problem is not small."""
    try:
        found = search.by_arrays()
    except TooManyError:
        return None
    return Covers(np.unique(search.canonical(found.covers), axis=0), found.nodes)


def estimate_cost(problem: CoverProblem) -> float:
    """Return about how long `solve` takes, in nodes: some twenty million of them take a second.

    It is the mean of random dives (Knuth 1975), which spreads widely, for the way that is searched.
    """
    search = CoverSearch(problem)
    return compiled_or_small(lambda: search.method.cost, lambda: _nodes_without_kernels(search))


def _nodes_without_kernels(search: CoverSearch) -> int | None:
    """Return how many nodes a search has; None if they are many."""
    try:
        return search.by_arrays(FEW).nodes
    except TooManyError:
        return None


class CoverSearch:
    """A problem as the kernels want it, and its search from any partial cover."""

    def __init__(self, problem: CoverProblem) -> None:
        self.problem = problem
        self._own = Layout(problem)
        self._layouts: dict[tuple[tuple[int, ...] | None, int | None], Layout] = {(None, None): self._own}
        self._spare = problem.cells - self._least_area()
        self._still_spare = NO_LIMIT
        if problem.empty is not None:
            self._spare, self._still_spare = min(self._spare, problem.empty), 0
        smallest = min((len(cells) for _, cells in problem.placements), default=1)
        self.width = max(1, min(sum(problem.most), problem.cells // smallest))
        self.stages = tuple(stages(problem))
        self.roots = tuple(root for stage in self.stages for root in stage.roots)

    @property
    def nothing(self) -> NDArray[np.int32]:
        """No cover at all."""
        return np.zeros((0, self.width), np.int32)

    def _least_area(self) -> int:
        sizes = [
            min((len(cells) for piece, cells in self.problem.placements if piece == p), default=0)
            for p in range(self.problem.pieces)
        ]
        return sum(least * size for least, size in zip(self.problem.least, sizes, strict=True))

    def layout(self, order: tuple[int, ...] | None = None, stage: Stage | None = None) -> Layout:
        """Return the layout for an order of the cells, of the placements that a stage tries."""
        key = (order, stage.piece if stage else None)
        if key not in self._layouts:
            left_out: frozenset[int] = frozenset()
            if stage is not None and stage.piece is not None:
                placements = self.problem.placements
                left_out = (
                    frozenset(n for n, (p, _) in enumerate(placements) if p == stage.piece) - stage.tried
                )
            self._layouts[key] = Layout(self.problem, order, left_out, self._own)
        return self._layouts[key]

    def whole(self, limit: int | None = None, plain: bool = False) -> Covers:
        """Find the covers of all roots, in the order of the search; stop after more than `limit` covers."""
        parts, found, nodes = [self.nothing], 0, 0
        together = self.method.together
        for part in self.stages if together else self.roots:
            if limit is not None and found > limit:
                break
            rest = None if limit is None else limit - found
            if isinstance(part, Stage):
                own = self._all_of(part, rest, plain)
            else:
                own = self.below(part, part.fixed, None, rest, plain)
                nodes += len(part.fixed)
            parts.append(own.covers)
            found += len(own.covers)
            nodes += own.nodes
        return Covers(np.concatenate(parts), nodes)

    def by_arrays(self, most: int = MOST_NODES) -> Covers:
        """Find covers by arrays, in any order: at least one of those that symmetries make equal.

        Raises TooManyError if there are more than `most` nodes.
        """
        rows, nodes = all_covers(self._own, self.roots, self.width, self._spare, self._still_spare, most)
        return Covers(rows, nodes)

    def _all_of(self, stage: Stage, limit: int | None, plain: bool) -> Covers:
        """Find the covers of a stage, in the order of its roots."""
        layout = self.layout(self.method.order, stage)
        found = self._search(
            layout, stage.most, (), (), stage.tests, stage.piece, self._spare, None, limit, plain
        )
        rows = found.covers
        if stage.piece is not None:  # its placement comes first, as if it were fixed before the search
            piece = np.array([*(own for own, _ in self.problem.placements), -1], np.int64)
            at = np.argmax(piece[rows] == stage.piece, axis=1)[:, None]
            first = np.take_along_axis(rows, at, 1)
            np.put_along_axis(rows, at, rows[:, :1], 1)
            rows[:, :1] = first
            rows = self._sorted(rows, 1)
            rows = rows[np.argsort(rows[:, 0], kind="stable")]
        return Covers(rows if stage.piece is not None else self._sorted(rows, 0), found.nodes)

    def below(
        self,
        root: Root,
        prefix: Sequence[int],
        depth: int | None = None,
        limit: int | None = None,
        plain: bool = False,
    ) -> Covers:
        """Find the covers of `root` that extend the placements `prefix`, in the order of the search by cells.

        With `depth`, partial covers of that number of placements are returned, and covers with fewer. The
        nodes do not count the prefix. The search stops after limit + 1 covers. `plain` searches without
        kernels and without the limit.
        """
        problem = self.problem
        taken = {cell for number in prefix for cell in problem.placements[number][1]}
        ordered = prefix[len(root.fixed) :]
        if ordered:  # what lies before it and is empty was left so
            taken |= set(range(problem.placements[ordered[-1]][1][0]))
        skipped = len(taken) - sum(len(problem.placements[number][1]) for number in prefix)
        tests = [(None, member) for member in root.kept_by]
        if len(taken) == problem.cells:
            return self._complete(root, prefix)
        method = self.method if depth is None else Method()
        found = self._search(
            self.layout(method.order), root.most, prefix, taken, tests, None, self._spare - skipped, depth,
            limit, plain,
        )  # fmt: skip
        if method.order is not None or method.fewest:
            return Covers(self._sorted(found.covers, len(prefix)), found.nodes)
        return found

    def _search(
        self,
        layout: Layout,
        most: Sequence[int],
        prefix: Sequence[int],
        taken: Iterable[int],
        tests: Sequence[tuple[int | None, int]],
        needed: int | None,
        spare: int,
        depth: int | None,
        limit: int | None,
        plain: bool,
    ) -> Covers:
        """Search the covers that extend `prefix`, with the cells `taken` filled, and the piece `needed`."""
        problem = self.problem
        fewest = depth is None and self.method.fewest
        left = [*most]
        for number in prefix:
            left[problem.placements[number][0]] -= 1
        slack = [
            0 if piece == needed else own - least
            for piece, (own, least) in enumerate(zip(most, problem.least, strict=True))
        ]
        deepest = self.width + 1 if depth is None else depth
        may_be_left = problem.may_be_left(most)
        still_left = NO_LIMIT if may_be_left is None else may_be_left
        if plain:
            search = PlainCovers(
                problem, slack, layout.order, layout.number[:-1].tolist(), self._own.place,
                [(number, problem.images[member]) for number, member in tests], deepest, self._still_spare,
                still_left, fewest,
            )  # fmt: skip
            covers = list(search.search(tuple(prefix), frozenset(taken), left, spare))
            rows = np.full((len(covers), self.width), NO_PLACEMENT, np.int32)
            for row, own in zip(rows, covers, strict=True):
                row[: len(own)] = own
            return Covers(rows, search.nodes)
        filled, placed = layout.filled(taken), _integers([layout.place[number] for number in prefix])
        images, rows_tested = layout.tests(tests)
        most_covers = NO_LIMIT if limit is None else limit
        if fewest:
            begin, through = layout.through
            rows, nodes = search_fewest(
                begin, through, layout.masks, layout.piece, layout.optional, filled, placed, _integers(left),
                _integers(slack), layout.labels, images, rows_tested, spare, self._still_spare, still_left,
                self.width, most_covers,
            )  # fmt: skip
        else:
            rows, _, nodes = search_cells(
                layout.begin, layout.piece, layout.masks, *layout.table, layout.optional, filled, placed,
                0, _integers([left]), _integers([slack]), layout.labels, images, rows_tested, spare,
                self._still_spare, still_left, deepest, self.width, most_covers,
            )  # fmt: skip
        return Covers(layout.number[rows], int(nodes))

    @cached_property
    def method(self) -> Method:
        """How whole covers are searched, because that takes far less; the same in every process.

        All ways are estimated by random dives.
        """
        small = self._estimate_roots()
        if small <= LARGE:
            return Method(cost=small)
        orders = sweeps(self.problem)
        own, *others = (self._estimate(order) for order in (None, *orders))
        best = min(zip(others, orders, strict=True), default=(own, None))
        least, order = best if best[0] * ORDER_RATIO < own else (own, None)
        fewest = self._estimate(None, fewest=True) * FEWEST_RATIO
        if fewest < least:
            return Method(None, True, True, fewest)
        return Method(order, False, True, least)

    def _estimate_roots(self) -> float:
        """Estimate the nodes of the search of all roots by cells in their order."""
        probes = max(LEAST_DIVES, DIVES // max(1, len(self.roots)))
        return sum(self._dived(self._own, root.most, root.fixed, probes) for root in self.roots)

    def _estimate(self, order: tuple[int, ...] | None, fewest: bool = False) -> float:
        """Estimate the nodes of the search of all stages."""
        probes = max(LEAST_DIVES, (FEWEST_DIVES if fewest else ORDER_DIVES) // max(1, len(self.stages)))
        layouts = ((self.layout(order, stage), stage) for stage in self.stages)
        return sum(self._dived(layout, stage.most, (), probes, fewest) for layout, stage in layouts)

    def _dived(
        self, layout: Layout, most: Sequence[int], fixed: Sequence[int], probes: int, fewest: bool = False
    ) -> float:
        left = [*most]
        for number in fixed:
            left[self.problem.placements[number][0]] -= 1
        filled = layout.filled(cell for number in fixed for cell in self.problem.placements[number][1])
        if fewest:
            begin, through = layout.through
            return dives_fewest(
                begin, through, layout.masks, layout.piece, layout.optional, filled, _integers(left),
                self._spare, probes,
            )  # fmt: skip
        return dives(
            layout.begin, layout.piece, layout.masks, *layout.table, layout.optional, filled, _integers(left),
            self._spare, probes,
        )  # fmt: skip

    def _sorted(self, rows: NDArray[np.int32], prefix: int) -> NDArray[np.int32]:
        """Bring covers that extend a prefix, (n, width) placements, into the order of the search by cells."""
        beyond = len(self.problem.placements)
        place = np.array([*(self._own.place[number] for number in range(beyond)), beyond], np.int32)
        places = place[rows]
        places[:, prefix:] = np.sort(places[:, prefix:], axis=1)
        if len(places):
            places = places[np.lexsort(places.T[::-1])]
        return self._own.number[places]

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

    def _complete(self, root: Root, prefix: Sequence[int]) -> Covers:
        """Return `prefix` as the only cover if it is one that counts."""
        placements, place = self.problem.placements, self._own.place
        own = sorted(place[number] for number in prefix)
        used = [0] * self.problem.pieces
        for number in prefix:
            used[placements[number][0]] += 1
        images = (self.problem.images[member] for member in root.kept_by)
        covered, problem = sum(len(placements[number][1]) for number in prefix), self.problem
        if (
            any(copies < least for copies, least in zip(used, problem.least, strict=True))
            or (problem.empty is not None and covered != problem.cells - problem.empty)
            or (problem.unused is not None and sum(problem.most) - sum(used) > problem.unused)
            or any(sorted(place[image[number]] for number in prefix) < own for image in images)
        ):
            return Covers(self.nothing, 0)
        return Covers(np.array([[*prefix, *[-1] * (self.width - len(prefix))]], np.int32), 0)

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


def _integers(values: Sequence[int] | Sequence[Sequence[int]]) -> NDArray[np.int64]:
    return read_only(np.array(values, np.int64))
