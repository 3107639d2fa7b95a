"""Prefixes: the states that begin with the same items are one range of ranks."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import pytest

from epcg_core.base.errors import ParamsError
from epcg_core.combinatorics import Combinations, MixedRadix, Multisets, Permutations, Product, RankedSpace
from epcg_core.combinatorics.prefixes import QuotientMultisets, prefixes

SPACES: list[RankedSpace[Any]] = [
    Combinations(6, 3), Combinations(5, 5), Combinations(4, 0), Combinations(2, 3), Multisets(4, 3),
    Multisets(1, 4), Multisets(3, 0), MixedRadix((2, 3, 1, 2)), MixedRadix(()), MixedRadix((2, 0)),
    Product((Combinations(4, 2), MixedRadix((3,)), Multisets(2, 2))),
]  # fmt: skip


@pytest.mark.parametrize("space", SPACES, ids=repr)
def test_every_prefix_is_the_range_of_the_states_that_begin_with_it(space: RankedSpace[Any]) -> None:
    found = prefixes(space)
    states = [tuple(found.items(rank)) for rank in range(space.max_rank)]
    known: set[tuple[int, ...]] = set()
    for depth in range(found.length + 1):
        for prefix in {state[:depth] for state in states}:
            ranks = [rank for rank, state in enumerate(states) if state[:depth] == prefix]
            assert ranks == list(range(ranks[0], ranks[0] + len(ranks)))
            assert (found.first_rank(prefix), found.completions(prefix)) == (ranks[0], len(ranks))
            known.add(prefix)
    for prefix in known:
        if len(prefix) < found.length:
            after = list(found.following(prefix))
            assert after == sorted(after)
            assert {(*prefix, item) for item in after if found.completions((*prefix, item))} == {
                other for other in known if other[:-1] == prefix and len(other) == len(prefix) + 1
            }


def test_the_items_of_a_product_are_ranks_of_its_factors() -> None:
    space = Product((Combinations(4, 2), Multisets(3, 2)))
    for rank in range(space.max_rank):
        first, second = prefixes(space).items(rank)
        assert space.unrank(rank) == (space.factors[0].unrank(first), space.factors[1].unrank(second))


def test_a_space_that_is_not_lexicographic_item_by_item_is_refused() -> None:
    with pytest.raises(ParamsError, match="Permutations is not ranked by prefixes"):
        prefixes(Permutations(3))


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("weights", [(1, 1, 1), (3, 1, 2), (5,), (2, 2, 1, 4)])
@pytest.mark.parametrize("k", [0, 1, 2, 3])
def test_the_weights_of_a_quotient_sum_to_what_it_represents(
    weights: tuple[int, ...], k: int, distinct: bool
) -> None:
    quotient = QuotientMultisets(weights, k, distinct)
    items = [kind for kind, weight in enumerate(weights) for _ in range(weight)]
    selections: dict[tuple[int, ...], int] = {}
    for chosen in product(range(len(items)), repeat=k):
        ascending = all(a < b if distinct else a <= b for a, b in pairwise(chosen))
        if ascending:
            state = tuple(items[i] for i in chosen)
            selections[state] = selections.get(state, 0) + 1
    space = quotient.space
    found = {space.unrank(rank): quotient.weight(space.unrank(rank)) for rank in range(space.max_rank)}
    assert {state: weight for state, weight in found.items() if weight} == selections
    assert quotient.represents == sum(found.values())


def test_weights_are_positive() -> None:
    with pytest.raises(ParamsError, match="weights"):
        QuotientMultisets((2, 0), 2)
