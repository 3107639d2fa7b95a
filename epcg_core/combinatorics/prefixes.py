"""Ranked spaces seen item by item, for branch and bound: which ranks begin with the same items.

Combinations, multisets, mixed-radix numbers and products are ranked lexicographically, so the states that
share a prefix have neighbouring ranks, and pruning a prefix prunes one range.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import singledispatch
from typing import Any, ClassVar

import attrs

from epcg_core.base.errors import ParamsError
from epcg_core.combinatorics.combinations import Combinations, Multisets
from epcg_core.combinatorics.factored import FactoredSpace
from epcg_core.combinatorics.products import MixedRadix, Product
from epcg_core.combinatorics.ranked import RankedSpace, as_integers, is_size, plain_int
from epcg_core.combinatorics.walks import NodeSpace
from epcg_core.domain import PrefixSpace


@singledispatch
def prefixes(space: RankedSpace[Any]) -> PrefixSpace:
    """Return the prefixes of a space's states. Raises ParamsError if the space has no such order.

    The items are those of the state; of a product, the ranks of the factors' states.
    """
    raise ParamsError(f"{type(space).__name__} is not ranked by prefixes, so partial states have no ranges.")


@attrs.frozen
class CombinationPrefixes:
    """Ascending tuples of k of n cells, item by item."""

    space: Combinations | Multisets
    _step: ClassVar[int] = 1
    """Each item is at least so much above the one before it."""

    @property
    def length(self) -> int:
        return self.space.k

    def items(self, rank: int) -> tuple[int, ...]:
        return self.space.unrank(rank)

    def following(self, prefix: tuple[int, ...]) -> range:
        return range(self._first(prefix), self.space.n - self._step * (self.space.k - len(prefix) - 1))

    def first_rank(self, prefix: tuple[int, ...]) -> int:
        first, rest = self._first(prefix), self.space.k - len(prefix)
        return self.space.rank((*prefix, *(first + self._step * i for i in range(rest))))

    def completions(self, prefix: tuple[int, ...]) -> int:
        left, rest = self.space.n - self._first(prefix), self.space.k - len(prefix)
        return math.comb(left + (1 - self._step) * (rest - 1), rest) if rest else 1

    def _first(self, prefix: tuple[int, ...]) -> int:
        return prefix[-1] + self._step if prefix else 0


class MultisetPrefixes(CombinationPrefixes):
    """Prefixes of ascending tuples of k items of n kinds, with repetitions."""

    _step: ClassVar[int] = 0


class DigitPrefixes:
    """Tuples of digits, digit i below radices[i], item by item."""

    def __init__(self, space: MixedRadix) -> None:
        self._space = space
        self._sizes = [math.prod(space.radices[i:]) for i in range(len(space.radices) + 1)]

    @property
    def length(self) -> int:
        return len(self._space.radices)

    def items(self, rank: int) -> tuple[int, ...]:
        return self._space.unrank(rank)

    def following(self, prefix: tuple[int, ...]) -> range:
        return range(self._space.radices[len(prefix)])

    def first_rank(self, prefix: tuple[int, ...]) -> int:
        return sum(digit * size for digit, size in zip(prefix, self._sizes[1:], strict=False))

    def completions(self, prefix: tuple[int, ...]) -> int:
        return self._sizes[len(prefix)]


class ConstrainedPrefixes:
    """Constrained tuples and walks, digit by digit."""

    def __init__(self, space: NodeSpace) -> None:
        self._space = space

    @property
    def length(self) -> int:
        return self._space.length

    def items(self, rank: int) -> tuple[int, ...]:
        return self._space.unrank(rank)

    def following(self, prefix: tuple[int, ...]) -> list[int]:
        return [
            digit
            for digit in range(len(self._space.layers[len(prefix)][0]))
            if self._space.node((*prefix, digit)) is not None
        ]

    def first_rank(self, prefix: tuple[int, ...]) -> int:
        node = self._space.node(prefix)
        assert node is not None
        return self._space.rank((*prefix, *self._space.first(len(prefix), node)))

    def completions(self, prefix: tuple[int, ...]) -> int:
        node = self._space.node(prefix)
        return 0 if node is None else int(self._space.ways[len(prefix)][node])


class FactoredPrefixes:
    """Pairs of a base and an addition, by number: first the base, then the addition among those of the base.

    What is known of a base is known of the prefix with one item, so a bound drops all its additions at once.
    """

    length = 2

    def __init__(self, space: FactoredSpace) -> None:
        self._space = space

    def items(self, rank: int) -> tuple[int, int]:
        base = self._space.base_of(rank)
        return base, rank - self._space.ranks_of_base(base).start

    def following(self, prefix: tuple[int, ...]) -> Sequence[int]:
        if prefix:
            return range(self.completions(prefix))
        return [base for base in range(self._space.bases.max_rank) if self.completions((base,))]

    def first_rank(self, prefix: tuple[int, ...]) -> int:
        return self._space.ranks_of_base(prefix[0]).start + sum(prefix[1:]) if prefix else 0

    def completions(self, prefix: tuple[int, ...]) -> int:
        if len(prefix) == 2:
            return 1
        if not prefix:
            return self._space.max_rank
        ranks = self._space.ranks_of_base(prefix[0])
        return ranks.stop - ranks.start


prefixes.register(FactoredSpace, FactoredPrefixes)
prefixes.register(Combinations, CombinationPrefixes)
prefixes.register(Multisets, MultisetPrefixes)
prefixes.register(MixedRadix, DigitPrefixes)
prefixes.register(NodeSpace, ConstrainedPrefixes)


@prefixes.register
def _(space: Product) -> PrefixSpace:
    return DigitPrefixes(MixedRadix(tuple(factor.max_rank for factor in space.factors)))


def _weights(weights: Sequence[int]) -> tuple[int, ...]:
    found = as_integers(weights)
    if found is None or min(found, default=1) < 1:
        raise ParamsError("QuotientMultisets: weights are whole numbers of 1 or more.")
    return found


@attrs.frozen
class QuotientMultisets:
    """Selections of k items, with indistinguishable items in one weighted class.

    The states are the multisets of k classes. Each state stands for `weight` selections of items;
    `represents` is their total.
    """

    weights: tuple[int, ...] = attrs.field(converter=_weights)
    """Number of items in each class, in the order of the classes."""
    k: int = attrs.field(converter=plain_int, validator=is_size)
    distinct: bool = False
    """Selections are sets of different items, not multisets; some states then stand for none."""

    @property
    def space(self) -> Multisets:
        """The ranked space of the classes."""
        return Multisets(len(self.weights), self.k)

    @property
    def represents(self) -> int:
        """The number of selections of items."""
        return self._ways(sum(self.weights), self.k)

    def weight(self, state: Sequence[int]) -> int:
        """Return how many selections of items a multiset of classes stands for."""
        return math.prod(self._ways(self.weights[thing], state.count(thing)) for thing in set(state))

    def _ways(self, items: int, times: int) -> int:
        if self.distinct or times == 0:
            return math.comb(items, times)
        return math.comb(items + times - 1, times)
