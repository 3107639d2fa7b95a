"""The ranked spaces: the laws of ranking, the orders, exactness at any size, and what they refuse."""

from __future__ import annotations

import itertools
import math
import pickle
import re
import subprocess
import sys

import attrs
import numpy as np
import pytest
from hypothesis import given, strategies as st

from epcg_core.base.errors import EpcgError, ParamsError, RankError
from epcg_core.combinatorics import (
    ArrayWalk,
    Combinations,
    ConstrainedTuples,
    FactoredSpace,
    KPermutations,
    Listed,
    MixedRadix,
    Multisets,
    MyrvoldRuskeyPermutations,
    Occurrences,
    PartialTransversals,
    Permutations,
    Product,
    Walk,
    walks,
)
from epcg_core.combinatorics.prefixes import prefixes
from epcg_core.domain import ArrayGenerator, Generator

SIZES = st.integers(0, 40)


@st.composite
def constrained(draw, digits=4, length=9):
    """Tuples with limits on up to three groups of entries, which may overlap."""
    radices = draw(st.lists(st.integers(1, digits), max_size=length))
    entries = [(at, digit) for at, radix in enumerate(radices) for digit in range(radix)]
    groups = st.sets(st.sampled_from(entries), max_size=12) if entries else st.just(set())
    limits = []
    for _ in range(draw(st.integers(0, 3))):
        least = draw(st.integers(0, 2))
        most = draw(st.one_of(st.none(), st.integers(least, 5)))
        limits.append(Occurrences(draw(groups), least, most))
    return ConstrainedTuples(MixedRadix(radices), limits)


@st.composite
def automata(draw, digits=3, length=7, states=5):
    """Transitions [position][state][digit] to states, -1 for none, and whether each state is accepted."""
    count = draw(st.integers(1, states))
    width = draw(st.integers(1, digits))
    row = st.lists(st.integers(-1, count - 1), min_size=width, max_size=width)
    layer = st.lists(row, min_size=count, max_size=count)
    accepted = st.lists(st.booleans(), min_size=count, max_size=count)
    return draw(st.lists(layer, max_size=length)), draw(accepted)


@attrs.frozen
class Step:
    """An automaton's steps in one of the forms that walks take: a value, so that a walk is one."""

    table: tuple
    form: str

    def __call__(self, at, state):
        if self.form == "arrays":
            return np.array(self.table[at], np.int64)[state]
        found = [None if after < 0 else after for after in self.table[at][state]]
        if self.form == "sequence":
            return found
        return {digit: after for digit, after in enumerate(found) if after is not None}


@attrs.frozen
class Accept:
    """Whether an automaton accepts a state, or each of an array of states."""

    accepted: tuple

    def __call__(self, state):
        return np.array(self.accepted)[state]


def walk(automaton, form="sequence"):
    """The same automaton as a plain walk, or in arrays."""
    table, accepted = automaton
    kind = ArrayWalk if form == "arrays" else Walk
    frozen = tuple(tuple(map(tuple, layer)) for layer in table)
    return kind(len(table), 0, Step(frozen, form), Accept(tuple(accepted)))


def accepted_tuples(automaton):
    """Those of all tuples that the automaton accepts."""
    table, accepted = automaton
    for state in itertools.product(range(len(table[0][0]) if table else 0), repeat=len(table)):
        at = 0
        for layer, digit in zip(table, state, strict=True):
            at = layer[at][digit]
            if at < 0:
                break
        else:
            if accepted[at]:
                yield state


@attrs.frozen
class Growing:
    """The choices of k of more things, the larger the base: a value, so that a space of them is one."""

    least: int
    k: int = 2

    def __call__(self, base):
        return Combinations(self.least + sum(base), self.k)


SIMPLE_SPACES = st.one_of(
    st.builds(Combinations, SIZES, SIZES),
    st.builds(Multisets, SIZES, SIZES),
    st.builds(Permutations, SIZES),
    st.builds(MyrvoldRuskeyPermutations, SIZES),
    st.builds(KPermutations, SIZES, SIZES),
    st.builds(MixedRadix, st.lists(st.integers(0, 12), max_size=30)),
    st.builds(PartialTransversals, st.lists(st.integers(0, 12), max_size=30), st.integers(0, 12)),
    constrained(),
    st.builds(walk, automata(), st.sampled_from(("sequence", "map", "arrays"))),
    st.builds(Listed, st.lists(st.text(max_size=2), max_size=9, unique=True)),
    st.builds(
        FactoredSpace,
        st.builds(MixedRadix, st.lists(st.integers(0, 4), max_size=3)),
        st.builds(Growing, st.integers(0, 30)),
    ),
)


def transversals(sizes, k):
    """Chosen from all combinations of things."""
    sets = [number for number, size in enumerate(sizes) for _ in range(size)]
    for things in itertools.combinations(range(len(sets)), k):
        if len({sets[thing] for thing in things}) == k:
            yield things


SPACES = st.recursive(
    SIMPLE_SPACES, lambda factors: st.builds(Product, st.lists(factors, max_size=4)), max_leaves=6
).filter(lambda space: space.max_rank > 0)


def tuples(space):
    """Those of all tuples that keep the limits."""
    for state in itertools.product(*map(range, space.radices)):
        counts = [len(limit.entries.intersection(enumerate(state))) for limit in space.limits]
        most = [math.inf if limit.most is None else limit.most for limit in space.limits]
        least = [limit.least for limit in space.limits]
        if all(a <= count <= b for a, count, b in zip(least, counts, most, strict=True)):
            yield state


BALLS = ConstrainedTuples(
    MixedRadix((2, 3, 1, 3, 2)),
    (Occurrences({(0, 1), (1, 2), (3, 2)}, 1, 2), Occurrences({(1, 0), (4, 1)}, 0, 1)),
)
ORDERED_AS = [
    (BALLS, tuples(BALLS)),
    (ConstrainedTuples(MixedRadix(())), [()]),
    (ConstrainedTuples(MixedRadix(()), [Occurrences((), 1)]), []),
    (ConstrainedTuples(MixedRadix((2, 2)), [Occurrences({(0, 1)}, 2)]), []),
    (Combinations(7, 3), itertools.combinations(range(7), 3)),
    (Combinations(5, 0), [()]),
    (Combinations(5, 5), [(0, 1, 2, 3, 4)]),
    (Combinations(0, 0), [()]),
    (Combinations(3, 4), []),
    (Multisets(4, 3), itertools.combinations_with_replacement(range(4), 3)),
    (Multisets(3, 5), itertools.combinations_with_replacement(range(3), 5)),
    (Multisets(0, 0), [()]),
    (Multisets(0, 2), []),
    (Multisets(1, 4), [(0, 0, 0, 0)]),
    (Permutations(5), itertools.permutations(range(5))),
    (Permutations(0), [()]),
    (KPermutations(6, 3), itertools.permutations(range(6), 3)),
    (KPermutations(4, 4), itertools.permutations(range(4))),
    (KPermutations(4, 0), [()]),
    (KPermutations(2, 3), []),
    (MixedRadix((2, 3, 1, 4)), itertools.product(range(2), range(3), range(1), range(4))),
    (MixedRadix(()), [()]),
    (MixedRadix((2, 0, 3)), []),
    (
        Product((Permutations(3), Product((MixedRadix((2,)), Multisets(2, 2))))),
        itertools.product(
            itertools.permutations(range(3)),
            itertools.product([(0,), (1,)], itertools.combinations_with_replacement(range(2), 2)),
        ),
    ),
    (PartialTransversals((2, 0, 3, 1, 0, 2), 3), transversals((2, 0, 3, 1, 0, 2), 3)),
    (PartialTransversals((0, 2, 1, 0), 2), transversals((0, 2, 1, 0), 2)),
    (PartialTransversals((1,) * 6, 3), itertools.combinations(range(6), 3)),
    (PartialTransversals((4, 3), 1), [(thing,) for thing in range(7)]),
    (PartialTransversals((), 0), [()]),
    (PartialTransversals((5, 0), 2), []),
    (Product(()), [()]),
    (Listed(("b", "a", ("c",))), ["b", "a", ("c",)]),
    (Listed(range(7, 1, -2)), [7, 5, 3]),
    (Listed(()), []),
    (
        FactoredSpace(Combinations(4, 2), lambda pair: MixedRadix((pair[0], 2))),
        [
            (p, d)
            for p in itertools.combinations(range(4), 2)
            for d in itertools.product(range(p[0]), range(2))
        ],
    ),
    (FactoredSpace((), Combinations), []),
    (FactoredSpace("ab", lambda base: ""), []),
    (Product((Combinations(4, 2), Combinations(1, 2))), []),
]


@pytest.mark.parametrize(("space", "expected"), ORDERED_AS, ids=[repr(s)[:60] for s, _ in ORDERED_AS])
def test_the_order_is_that_of_itertools(space, expected):
    states = list(expected)
    assert space.max_rank == len(states)
    assert [space.unrank(rank) for rank in range(space.max_rank)] == states
    assert [space.rank(state) for state in states] == list(range(len(states)))
    assert [space.increment(state) for state in states] == [*states[1:], None][: len(states)]


@given(constrained(3, 6))
def test_constrained_tuples_are_all_that_keep_their_limits(space):
    states = list(tuples(space))
    assert [space.unrank(rank) for rank in range(space.max_rank)] == states
    assert space.max_rank == len(states)
    prefixes_of = prefixes(space)
    for length in range(space.length):
        for prefix in itertools.product(*map(range, space.radices[:length])):
            own = [rank for rank, state in enumerate(states) if state[:length] == prefix]
            assert prefixes_of.completions(prefix) == len(own)
            if own:
                assert prefixes_of.first_rank(prefix) == own[0]
                assert list(prefixes_of.following(prefix)) == sorted({states[rank][length] for rank in own})


@given(automata(), st.sampled_from(("sequence", "map", "arrays")))
def test_walks_are_all_that_the_automaton_accepts(automaton, form):
    space, states = walk(automaton, form), list(accepted_tuples(automaton))
    assert space.max_rank == len(states)
    assert [space.unrank(rank) for rank in range(space.max_rank)] == states
    assert [space.increment(state) for state in states] == [*states[1:], None][: len(states)]
    digits = [*itertools.product(range(-1, 4), repeat=min(space.length, 4))]
    rows = [*states, *((*row, *(0,) * (space.length - len(row))) for row in digits)]
    ranks = {state: rank for rank, state in enumerate(states)}
    found = space.ranks_of(np.array(rows, np.int64).reshape(len(rows), space.length))
    assert found.tolist() == [ranks.get(row, -1) for row in rows]
    prefixes_of = prefixes(space)
    for length in range(space.length if states else 0):
        for prefix in {state[:length] for state in states}:
            own = [rank for rank, state in enumerate(states) if state[:length] == prefix]
            assert prefixes_of.completions(prefix) == len(own)
            assert prefixes_of.first_rank(prefix) == own[0]
            assert list(prefixes_of.following(prefix)) == sorted({states[rank][length] for rank in own})


def test_a_walk_of_any_size_is_exact():
    """Sequences of n steps with no two 1 running are Fibonacci numbers, past 2^63 and past a float."""
    fibonacci = [1, 2]
    while len(fibonacci) <= 400:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    rows = np.array([[0, 1], [0, -1]], np.int64)
    for n in (1, 90, 91, 92, 400):
        plain = Walk(n, 0, lambda at, last: {0: 0, 1: 1} if last == 0 else {0: 0})
        arrays = ArrayWalk(n, 0, lambda at, states: rows[states])
        assert plain.max_rank == arrays.max_rank == fibonacci[n]
        for rank in (0, fibonacci[n] // 3, fibonacci[n] - 1):
            assert plain.unrank(rank) == arrays.unrank(rank)
            assert arrays.rank(plain.unrank(rank)) == rank


def many_states():
    return Walk(30, 0, lambda at, state: range(state * 40, state * 40 + 40))


def many_entries():
    return ArrayWalk(9, 0, lambda at, states: states[:, None] * 99 + np.arange(99))


@pytest.mark.parametrize(
    ("made", "most", "sentence"),
    [
        (many_states, ("MOST_NODES", 1_000), "more than 1,000 states after 2 of 30 digits"),
        (
            many_entries,
            ("MOST_ENTRIES", 600_000),
            "more than 600,000 states times digits after 3 of 9 digits",
        ),
        pytest.param(
            many_states, ("MOST_NODES", 1_000_000), "more than 1,000,000 sta", marks=pytest.mark.slow
        ),
        pytest.param(
            many_entries,
            ("MOST_ENTRIES", 60_000_000),
            "more than 60,000,000 states times digits after 4 of 9 digits",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_automata_that_are_too_large_are_refused_with_a_sentence(monkeypatch, made, most, sentence):
    """40 + 40^2 states are more than a thousand; 99 + 99^2 + 99^3 states times digits more than 600,000."""
    monkeypatch.setattr(walks, *most)
    with pytest.raises(ParamsError, match=re.escape(sentence)):
        _ = made().max_rank


def test_automata_may_be_as_large_as_this():
    assert (walks.MOST_NODES, walks.MOST_ENTRIES) == (1_000_000, 60_000_000)


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (lambda: Walk(3, 0, lambda at, state: 5), "at position 0 from 0 gives 5: a state for each digit"),
        (lambda: Walk(3, 0, lambda at, state: {-1: 0}), "not all whole numbers of 0 or more"),
        (lambda: Walk(-1, 0, lambda at, state: ()), "length = -1 is not a whole number"),
        (lambda: ArrayWalk(2, 0, lambda at, states: states), "are an array of int64 (1,): int64 of 1 rows"),
        (
            lambda: ArrayWalk(1, 0, lambda at, states: np.array([[0, 1]]), lambda states: states[:1] > 0),
            "accepts gave (1,) for 2 states",
        ),
    ],
)
def test_automata_that_are_none_are_refused_with_a_sentence(made, sentence):
    with pytest.raises(ParamsError, match=re.escape(sentence)):
        _ = made().max_rank


@given(constrained(), st.data())
def test_words_of_tuples_are_the_exclusive_or_of_their_digits(space, data):
    generator = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    width = max((1, *space.radices))
    words = generator.integers(0, 2**63, (space.length, width), dtype=np.uint64)
    start = data.draw(st.integers(0, space.max_rank))
    count = data.draw(st.integers(0, min(200, space.max_rank - start)))
    expected = np.full(count, 5, np.uint64)
    for position, digits in enumerate(space.states_block(start, count).T if count else ()):
        expected ^= words[position, digits]
    assert space.words_block(start, count, words, 5).tolist() == expected.tolist()
    with pytest.raises(RankError):
        space.words_block(space.max_rank, 1, words, 5)


def test_limits_that_make_no_sense_or_too_many_nodes_are_refused(monkeypatch):
    with pytest.raises(ParamsError, match="At least 3 and at most 2 do not form a range"):
        ConstrainedTuples(MixedRadix((2,)), [Occurrences({(0, 1)}, 3, 2)])
    limits = [Occurrences({(at, 1) for at in range(start, 40, 4)}, 3, 5) for start in range(4)]
    monkeypatch.setattr("epcg_core.combinatorics.constrained.MOST_NODES", 1000)
    with pytest.raises(ParamsError, match="more than 1,000 states"):
        _ = ConstrainedTuples(MixedRadix((2,) * 40), limits).max_rank


@given(st.data(), SPACES)
def test_rank_undoes_unrank(data, space):
    rank = data.draw(st.integers(0, space.max_rank - 1))
    assert space.rank(space.unrank(rank)) == rank


@given(st.data(), SPACES)
def test_increment_is_unranking_the_next_rank(data, space):
    rank = data.draw(st.integers(0, space.max_rank - 1))
    following = space.unrank(rank + 1) if rank + 1 < space.max_rank else None
    assert space.increment(space.unrank(rank)) == following


@given(SPACES)
def test_nothing_follows_the_last_rank(space):
    assert space.increment(space.unrank(space.max_rank - 1)) is None


@given(st.data(), st.integers(0, 30), st.integers(0, 30))
def test_unrank_undoes_rank(data, n, extra):
    order = data.draw(st.permutations(range(n)))
    chosen = tuple(order[: n - min(extra, n)])
    for space, state in [
        (Permutations(n), tuple(order)),
        (MyrvoldRuskeyPermutations(n), tuple(order)),
        (KPermutations(n, len(chosen)), chosen),
        (Combinations(n, len(chosen)), tuple(sorted(chosen))),
        (Multisets(n + 1, len(chosen)), tuple(sorted(element // 2 for element in chosen))),
    ]:
        assert space.unrank(space.rank(state)) == state


@given(
    st.data(),
    st.one_of(
        st.builds(Combinations, SIZES, SIZES),
        st.builds(Multisets, SIZES, SIZES),
        st.builds(Permutations, SIZES),
        st.builds(KPermutations, SIZES, SIZES),
    ).filter(lambda space: space.max_rank > 1),
)
def test_the_order_is_lexicographic_at_any_size(data, space):
    lower = data.draw(st.integers(0, space.max_rank - 2))
    higher = data.draw(st.integers(lower + 1, space.max_rank - 1))
    assert space.unrank(lower) < space.unrank(higher)


@pytest.mark.parametrize(
    ("n", "k", "rank", "cells"),
    [
        (20, 4, 0, (0, 1, 2, 3)),
        (20, 4, 1, (0, 1, 2, 4)),
        (20, 4, 2, (0, 1, 2, 5)),
        (20, 4, 1000, (1, 2, 5, 6)),
        (20, 4, 2422, (2, 12, 15, 18)),
        (20, 4, 4841, (15, 16, 17, 19)),
        (20, 4, 4842, (15, 16, 18, 19)),
        (20, 4, 4843, (15, 17, 18, 19)),
        (20, 4, 4844, (16, 17, 18, 19)),
        (56, 10, 0, (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)),
        (56, 10, 1, (0, 1, 2, 3, 4, 5, 6, 7, 8, 10)),
        (56, 10, 46, (0, 1, 2, 3, 4, 5, 6, 7, 8, 55)),
        (56, 10, 47, (0, 1, 2, 3, 4, 5, 6, 7, 9, 10)),
        (56, 10, 1000000, (0, 1, 2, 3, 4, 10, 12, 26, 33, 50)),
        (56, 10, 1000000000, (0, 1, 18, 26, 28, 43, 46, 47, 52, 53)),
        (56, 10, 12345678901, (2, 3, 15, 21, 23, 38, 42, 45, 46, 49)),
        (56, 10, 17803525740, (3, 7, 9, 10, 33, 38, 40, 43, 44, 52)),
        (56, 10, 35607051478, (45, 47, 48, 49, 50, 51, 52, 53, 54, 55)),
        (56, 10, 35607051479, (46, 47, 48, 49, 50, 51, 52, 53, 54, 55)),
    ],
)
def test_combinations_have_the_published_ranks(n, k, rank, cells):
    space = Combinations(n, k)
    assert space.unrank(rank) == cells
    assert space.rank(cells) == rank
    assert space.states_at(np.array([rank])).tolist() == [list(cells)]


def test_the_paper_s_largest_layer_has_35_607_051_480_boards():
    assert Combinations(56, 10).max_rank == 35_607_051_480


@pytest.mark.parametrize(
    "space",
    [
        Combinations(1000, 500),
        Multisets(300, 500),
        Permutations(200),
        MyrvoldRuskeyPermutations(200),
        KPermutations(10**9, 50),
        MixedRadix((10**30, 7, 10**30)),
        PartialTransversals((3,) * 400, 60),
        Product((Permutations(60), Combinations(300, 150))),
        FactoredSpace(MixedRadix((5, 7)), Growing(300, 150)),
    ],
    ids=repr,
)
def test_huge_spaces_are_exact(space):
    assert space.max_rank > 2**64
    for rank in (0, 1, space.max_rank // 3, 2 * space.max_rank // 3, space.max_rank - 2):
        state = space.unrank(rank)
        assert space.rank(state) == rank
        assert space.increment(state) == space.unrank(rank + 1)
    assert space.increment(space.unrank(space.max_rank - 1)) is None


def test_the_size_of_a_huge_space_is_exact():
    assert Combinations(1000, 500).max_rank == math.factorial(1000) // math.factorial(500) ** 2
    assert Combinations(1000, 500).unrank(math.comb(999, 499)) == tuple(range(1, 501))
    assert Combinations(1000, 500).unrank(math.comb(1000, 500) - 1) == tuple(range(500, 1000))


def test_myrvold_and_ruskey_s_ranks_run_from_a_rotation_to_the_identity():
    space = MyrvoldRuskeyPermutations(6)
    assert space.unrank(0) == (1, 2, 3, 4, 5, 0)
    assert space.unrank(math.factorial(6) - 1) == (0, 1, 2, 3, 4, 5)


def unrank1(n, rank, order):
    """Myrvold & Ruskey's procedure as they print it."""
    if n > 0:
        order[n - 1], order[rank % n] = order[rank % n], order[n - 1]
        unrank1(n - 1, rank // n, order)


def rank1(n, order, inverse):
    """Myrvold & Ruskey's function as they print it."""
    if n == 1:
        return 0
    s = order[n - 1]
    place = inverse[n - 1]
    order[n - 1], order[place] = order[place], order[n - 1]
    inverse[s], inverse[n - 1] = inverse[n - 1], inverse[s]
    return s + n * rank1(n - 1, order, inverse)


@given(st.data(), st.integers(1, 25))
def test_myrvold_and_ruskey_s_ranks_are_those_of_their_procedures(data, n):
    space = MyrvoldRuskeyPermutations(n)
    rank = data.draw(st.integers(0, space.max_rank - 1))
    order = list(range(n))
    unrank1(n, rank, order)
    assert space.unrank(rank) == tuple(order)
    assert space.rank(order) == rank1(n, order.copy(), [order.index(i) for i in range(n)])


@pytest.mark.parametrize("n", range(1, 7))
def test_myrvold_and_ruskey_s_increments_visit_every_permutation_once(n):
    space = MyrvoldRuskeyPermutations(n)
    visited = [space.unrank(0)]
    while (following := space.increment(visited[-1])) is not None:
        visited.append(following)
    assert [space.rank(order) for order in visited] == list(range(math.factorial(n)))


@pytest.mark.parametrize(
    "space", [Combinations(5, 2), Permutations(3), MixedRadix((2, 2)), Product((Permutations(2),))]
)
@pytest.mark.parametrize("rank", [-1, 10**30, 1.0, "0", None])
def test_ranks_outside_the_space_are_refused(space, rank):
    with pytest.raises(RankError, match=r"\.$"):
        space.unrank(rank)
    with pytest.raises(RankError):
        space.unrank(space.max_rank)


@pytest.mark.parametrize(
    ("space", "state"),
    [
        (Combinations(5, 2), (1,)),
        (Combinations(5, 2), (1, 2, 3)),
        (Combinations(5, 2), (2, 1)),
        (Combinations(5, 2), (1, 1)),
        (Combinations(5, 2), (-1, 1)),
        (Combinations(5, 2), (1, 5)),
        (Combinations(5, 2), (1.0, 2.0)),
        (Combinations(5, 2), "12"),
        (Combinations(5, 2), None),
        (Multisets(3, 2), (2, 1)),
        (Multisets(3, 2), (0, 3)),
        (Multisets(3, 2), (-1, 0)),
        (Multisets(3, 2), (0,)),
        (Permutations(3), (0, 1, 1)),
        (Permutations(3), (1, 2, 3)),
        (Permutations(3), (0, 1)),
        (MyrvoldRuskeyPermutations(3), (0, 0, 0)),
        (KPermutations(4, 2), (1, 1)),
        (KPermutations(4, 2), (0, 4)),
        (KPermutations(4, 2), (-1, 0)),
        (KPermutations(4, 2), (0, 1, 2)),
        (MixedRadix((2, 3)), (2, 0)),
        (MixedRadix((2, 3)), (0, -1)),
        (MixedRadix((2, 3)), (0,)),
        (Product((Permutations(2), Combinations(3, 1))), ((0, 1),)),
        (Product((Permutations(2), Combinations(3, 1))), ((0, 1), (3,))),
        (Product((Permutations(2), Combinations(3, 1))), (0, 1)),
        (Product((Permutations(2), Combinations(3, 1))), 7),
        (Listed("ab"), "c"),
        (Listed("ab"), []),
        (Listed(range(3)), 3),
        (FactoredSpace("ab", Listed), ("a", "b")),
    ],
    ids=repr,
)
def test_states_of_other_spaces_are_refused(space, state):
    with pytest.raises(RankError, match=r"is not a state of .*expected"):
        space.rank(state)
    with pytest.raises(RankError):
        space.increment(state)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Combinations(-1, 2),
        lambda: Combinations(3, 1.5),
        lambda: Multisets(3, -2),
        lambda: Permutations("3"),
        lambda: MyrvoldRuskeyPermutations(None),
        lambda: KPermutations(3, -1),
        lambda: MixedRadix((2, -3)),
        lambda: MixedRadix(("2",)),
        lambda: MixedRadix(2),
        lambda: Product((3,)),
        lambda: Product(Permutations(3)),
    ],
)
def test_impossible_sizes_are_refused(make):
    with pytest.raises(ParamsError, match=r"\.$"):
        make()


def test_a_message_about_a_space_of_thousands_of_digits_can_be_read():
    with pytest.raises(EpcgError, match=r"2\^\d+ or more states") as caught:
        Permutations(5000).unrank(-1)
    assert len(str(caught.value)) < 200


def test_numbers_of_other_types_are_whole_numbers_too():
    space = Combinations(np.int64(56), np.int64(10))
    assert space == Combinations(56, 10)
    assert space.unrank(np.int64(47)) == (0, 1, 2, 3, 4, 5, 6, 7, 9, 10)
    assert space.rank(np.array([0, 1, 2, 3, 4, 5, 6, 7, 9, 10])) == 47
    assert {type(cell) for cell in space.increment(np.arange(10))} == {int}


@given(SPACES)
def test_spaces_are_values(space):
    again = pickle.loads(pickle.dumps(space))
    assert again == space
    assert hash(again) == hash(space)
    assert again.max_rank == space.max_rank


def test_a_space_keeps_what_it_has_computed_to_itself():
    space = Combinations(10, 3)
    space.states_block(0, 5)
    again = pickle.loads(pickle.dumps(space))
    assert again == space
    assert (again.states_block(0, 120) == space.states_block(0, 120)).all()


def test_spaces_are_generators():
    space: Generator[tuple[int, ...]] = Combinations(5, 2)
    assert isinstance(space, ArrayGenerator)
    assert isinstance(Product((Permutations(2),)), ArrayGenerator)


def test_exact_ranking_needs_neither_numpy_nor_numba():
    code = (
        "import sys; from epcg_core.combinatorics import Combinations; Combinations(9, 4).unrank(7);"
        "print(sorted({'numpy', 'numba'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
