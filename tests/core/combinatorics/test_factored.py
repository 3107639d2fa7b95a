"""Bases and what may be added to them: compared with pairs made one by one, and how often a base is asked."""

from __future__ import annotations

import itertools
import re
from collections import Counter

import attrs
import numpy as np
import pytest
from hypothesis import given, strategies as st

from epcg_core.base.errors import ParamsError, RankError
from epcg_core.chunks.blocks import BlockEvaluator
from epcg_core.combinatorics import Combinations, FactoredSpace, Listed, MixedRadix, Multisets, Product
from epcg_core.combinatorics.prefixes import prefixes
from epcg_core.domain import Metric

ADDITIONS = st.one_of(
    st.lists(st.integers(0, 9), max_size=4, unique=True).map(tuple),
    st.integers(0, 5).map(range),
    st.builds(Combinations, st.integers(0, 4), st.integers(0, 3)),
    st.builds(Multisets, st.integers(0, 3), st.integers(0, 3)),
    st.builds(MixedRadix, st.lists(st.integers(0, 3), max_size=3)),
    st.builds(Product, st.lists(st.builds(Combinations, st.integers(0, 3), st.integers(0, 2)), max_size=2)),
)
BASES = st.one_of(
    st.lists(st.text("abc", max_size=2), max_size=6, unique=True),
    st.integers(0, 6).map(range),
    st.builds(Combinations, st.integers(0, 4), st.integers(0, 2)),
    st.builds(MixedRadix, st.lists(st.integers(0, 2), max_size=2)),
)


@attrs.frozen
class Table:
    """The additions of each base, or their sizes: a value, so that a space is one."""

    rows: tuple

    def __call__(self, base):
        return dict(self.rows)[base]


def states_of(space):
    """All states, made one by one."""
    if isinstance(space, (tuple, list, range)):
        return list(space)
    return [space.unrank(rank) for rank in range(space.max_rank)]


def size_of(additions):
    return len(additions) if isinstance(additions, (tuple, range)) else additions.max_rank


@st.composite
def factored(draw, additions=ADDITIONS):
    """A space with a table of additions, the sizes said or not, and all its pairs."""
    bases = draw(BASES)
    rows = tuple((base, draw(additions)) for base in states_of(bases))
    sizes = Table(tuple((base, size_of(own)) for base, own in rows))
    space = FactoredSpace(bases, Table(rows), draw(st.sampled_from((None, sizes))))
    return space, [(base, addition) for base, own in rows for addition in states_of(own)]


FACTORED = st.one_of(factored(), factored(factored().map(lambda found: found[0])))


@given(FACTORED)
def test_the_states_are_each_base_with_each_of_its_additions(found):
    space, pairs = found
    assert space.max_rank == len(pairs)
    assert [space.unrank(rank) for rank in range(len(pairs))] == pairs
    assert [space.rank(pair) for pair in pairs] == list(range(len(pairs)))
    assert [space.increment(pair) for pair in pairs] == [*pairs[1:], None][: len(pairs)]
    for rank in (-1, len(pairs)):
        with pytest.raises(RankError):
            space.unrank(rank)


def row_of(space, state):
    """The columns of a state of a space, made one by one."""
    if isinstance(space, (tuple, list, range)):
        return [list(space).index(state)]
    if isinstance(space, Listed):
        return [space.items.index(state)]
    if isinstance(space, Product):
        pairs = zip(space.factors, state, strict=True)
        return [number for factor, own in pairs for number in row_of(factor, own)]
    if isinstance(space, FactoredSpace):
        inner = [row_of(space.additions(base), own) for base, own in states_of(space)]
        own = row_of(space.additions(state[0]), state[1])
        return row_of(space.bases, state[0]) + own + [-1] * (max(map(len, inner)) - len(own))
    return list(state)


@given(FACTORED, st.data())
def test_arrays_have_the_columns_of_the_base_and_then_those_of_the_addition(found, data):
    space, pairs = found
    rows = [row_of(space, pair) for pair in pairs]
    start = data.draw(st.integers(0, len(pairs)))
    count = data.draw(st.integers(0, len(pairs) - start))
    assert space.states_block(start, count).tolist() == rows[start : start + count]
    ranks = data.draw(st.lists(st.integers(0, len(pairs) - 1), max_size=20)) if pairs else []
    assert space.states_at(np.array(ranks, np.int64)).tolist() == [rows[rank] for rank in ranks]


@given(FACTORED, st.data())
def test_parts_are_runs_of_one_base(found, data):
    space, pairs = found
    start = data.draw(st.integers(0, len(pairs)))
    count = data.draw(st.integers(0, len(pairs) - start))
    parts = list(space.parts(start, count))
    states = [
        (part.base, part.additions.unrank(rank))
        for part in parts
        for rank in range(part.start, part.start + part.count)
    ]
    assert states == pairs[start : start + count]
    assert all(one.base != other.base for one, other in itertools.pairwise(parts))
    ranks = np.array(data.draw(st.lists(st.integers(0, len(pairs) - 1), max_size=20)) if pairs else [], int)
    at, seen = {}, []
    for part in space.parts_at(ranks):
        seen.append(part.base)
        for rank, row in zip(part.ranks.tolist(), part.rows.tolist(), strict=True):
            at[row] = (part.base, part.additions.unrank(rank))
    assert [at[row] for row in range(len(ranks))] == [pairs[rank] for rank in ranks]
    assert len(set(seen)) == len(seen)
    with pytest.raises(RankError):
        list(space.parts(len(pairs), 1))


@given(FACTORED)
def test_prefixes_are_bases_and_then_their_additions(found):
    space, pairs = found
    found_prefixes = prefixes(space)
    bases = states_of(space.bases)
    own = {
        number: [r for r, pair in enumerate(pairs) if pair[0] == base] for number, base in enumerate(bases)
    }
    assert found_prefixes.completions(()) == len(pairs)
    assert found_prefixes.following(()) == [number for number, ranks in own.items() if ranks]
    for number, ranks in own.items():
        assert list(space.ranks_of_base(number)) == ranks
        assert found_prefixes.completions((number,)) == len(ranks)
        for at, rank in enumerate(ranks):
            assert (found_prefixes.first_rank((number,)), found_prefixes.first_rank((number, at))) == (
                ranks[0],
                rank,
            )
            assert found_prefixes.items(rank) == (number, at)
            assert space.base_of(rank) == number
        assert list(found_prefixes.following((number,))) == list(range(len(ranks)))


def counting(function):
    """The function, and how often it is called with each argument."""
    calls = Counter()

    def counted(argument):
        calls[argument] += 1
        return function(argument)

    return counted, calls


def read_all(space):
    """Ask for everything in several ways."""
    for start in range(0, space.max_rank, 7):
        space.states_block(start, min(7, space.max_rank - start))
    space.states_at(np.arange(space.max_rank)[::-1])
    state = space.unrank(0)
    while state is not None:
        assert space.unrank(space.rank(state)) == state
        state = space.increment(state)


def test_the_size_of_a_base_is_asked_once_and_bases_without_additions_are_never_made():
    size, sizes = counting(lambda base: base % 4)
    additions, made = counting(lambda base: range(base % 4))
    space = FactoredSpace(range(100), additions, size, columns=1)
    assert space.max_rank == 25 * 6
    assert sizes == dict.fromkeys(range(100), 1)
    assert not made
    read_all(space)
    assert sizes == dict.fromkeys(range(100), 1)
    assert made == {base: 1 for base in range(100) if base % 4}


def test_the_additions_of_a_base_are_made_once_if_no_sizes_are_said():
    additions, made = counting(lambda base: range(base % 4))
    read_all(FactoredSpace(range(100), additions))
    assert made == dict.fromkeys(range(100), 1)


def test_of_very_many_bases_the_last_additions_are_kept(monkeypatch):
    monkeypatch.setattr("epcg_core.combinatorics.factored.KEPT", 2)
    additions, made = counting(lambda base: range(base % 4))
    space = FactoredSpace(range(50), additions)
    for start in range(0, space.max_rank, 2):
        space.states_block(start, min(2, space.max_rank - start))
    assert all(made[base] == 1 + (base % 4 > 0) for base in range(48))
    assert space.length == 2


@pytest.mark.parametrize("size", [2**20, 2**62, 10**40])
def test_large_spaces_are_exact(size):
    space = FactoredSpace(range(5), lambda base: MixedRadix((base * size,)), lambda base: base * size)
    assert space.max_rank == 10 * size
    for rank in (0, size - 1, size, 3 * size - 1, 3 * size, 10 * size - 1):
        base, (digit,) = space.unrank(rank)
        assert rank == {1: 0, 2: 1, 3: 3, 4: 6}[base] * size + digit
        assert space.rank((base, (digit,))) == rank
        after = space.increment((base, (digit,)))
        assert after == (space.unrank(rank + 1) if rank + 1 < space.max_rank else None)
    if size > 2**32:
        with pytest.raises(RankError, match="too large for arrays"):
            space.states_block(0, 1)
    parts = [(part.base, part.start, part.count) for part in space.parts(size - 1, 3 * size)]
    assert parts == [(1, size - 1, 1), (2, 0, 2 * size), (3, 0, size - 1)]


def test_bases_of_a_kernel_are_read_in_blocks():
    bases = Combinations(20, 4)  # 4,845
    space = FactoredSpace(bases, lambda base: range(base[0]), lambda base: base[0])
    assert space.max_rank == sum(cells[0] for cells in itertools.combinations(range(20), 4))
    assert space.unrank(space.max_rank - 1) == ((16, 17, 18, 19), 15)


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (lambda: FactoredSpace(7, range), "FactoredSpace: the bases: a ranked space or a list is expected"),
        (lambda: FactoredSpace("ab", lambda base: 3), "the additions of 'a': a ranked space or a list is"),
        (lambda: FactoredSpace("ab", lambda base: "", lambda base: -1), "the size of the base 'a' is -1"),
        (lambda: FactoredSpace("ab", lambda base: "", lambda base: 1.5), "the size of the base 'a' is 1.5"),
        (lambda: FactoredSpace(range(10**8), range), "100,000,000 bases are too many"),
        (lambda: FactoredSpace("aa", range), "the item 'a' is listed twice"),
        (lambda: FactoredSpace([[1], [2]], range), "the item [1] cannot be hashed"),
        (lambda: Listed(7), "Listed: a list of items is expected, not 7"),
    ],
)
def test_parts_that_make_no_space_are_refused_with_a_sentence(made, sentence):
    with pytest.raises(ParamsError, match=re.escape(sentence)):
        _ = made().max_rank


def test_sizes_and_columns_that_are_wrong_are_refused_when_they_show():
    said = FactoredSpace("ab", lambda base: range(3), lambda base: 2)
    with pytest.raises(ParamsError, match="the base 'a' has 3 additions, and its size was said to be 2"):
        said.unrank(0)
    narrow = FactoredSpace("ab", lambda base: Combinations(4, 2), columns=1)
    with pytest.raises(ParamsError, match="columns = 1, and the additions of a base have 2"):
        narrow.states_block(0, 1)


@pytest.mark.parametrize(
    "state", [("a",), ("a", 0), ("b", 2), ("c", 0), ("b", [0]), ([], 0), 7, None, ("b", 0, 0)], ids=repr
)
def test_other_states_are_refused(state):
    space = FactoredSpace("ab", lambda base: "" if base == "a" else range(2))
    with pytest.raises(RankError, match=r"is not a state of .*expected"):
        space.rank(state)
    with pytest.raises(RankError):
        space.increment(state)


def divisors(number):
    return [divisor for divisor in range(1, number + 1) if number % divisor == 0]


class Pairs:
    """A number and one of its divisors, as a plugin's generator."""

    def __init__(self):
        self._space = FactoredSpace(range(1, 40), divisors)
        self.max_rank = self._space.max_rank
        self.unrank, self.increment = self._space.unrank, self._space.increment


class Shares:
    """The share that a divisor has in the sum of all of them, which is found once a number."""

    metrics = (Metric("share", kind="real"),)

    def __init__(self):
        self.found = Counter()
        self._known = (None, 0)

    def evaluate(self, state):
        number, divisor = state
        if number != self._known[0]:
            self.found[number] += 1
            self._known = (number, sum(divisors(number)))
        return (divisor / self._known[1],)


def test_an_evaluator_finds_once_a_base_what_the_base_decides():
    generator, evaluator = Pairs(), Shares()
    block = BlockEvaluator(generator, evaluator).block(0, generator.max_rank)
    shares = [divisor / sum(divisors(number)) for number in range(1, 40) for divisor in divisors(number)]
    assert list(block.evaluation.values[0]) == shares
    assert evaluator.found == dict.fromkeys(range(1, 40), 1)
