"""The compiled forms agree with the exact ones, up to the last rank below 2^63."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from epcg_core.base.errors import ParamsError, RankError
from epcg_core.combinatorics import (
    Combinations,
    KPermutations,
    MixedRadix,
    Multisets,
    MyrvoldRuskeyPermutations,
    Permutations,
    Product,
    kernels,
    permutation_kernels,
    tuple_kernels,
)
from epcg_core.compiled import read_only

# --- the kernels of each kind behind one interface: (space, unrank into, increment in place) ---------


def combinations(n, k):
    table = kernels.binomial_table(n, k)
    return (
        Combinations(n, k),
        lambda rank, out: kernels.unrank_combination(rank, n, k, table, out),
        lambda state: kernels.increment_combination(state, n, k),
    )


def multisets(n, k):
    table = kernels.binomial_table(n + k - 1, k)
    return (
        Multisets(n, k),
        lambda rank, out: tuple_kernels.unrank_multiset(rank, n, k, table, out),
        lambda state: tuple_kernels.increment_multiset(state, n, k),
    )


def permutations(n):
    return (
        Permutations(n),
        lambda rank, out: permutation_kernels.unrank_k_permutation(rank, n, n, out),
        lambda state: permutation_kernels.increment_permutation(state, n),
    )


def myrvold_ruskey(n):
    return (
        MyrvoldRuskeyPermutations(n),
        lambda rank, out: permutation_kernels.unrank_myrvold_ruskey(rank, n, out),
        lambda state: permutation_kernels.increment_myrvold_ruskey(state, n),
    )


def k_permutations(n, k):
    return (
        KPermutations(n, k),
        lambda rank, out: permutation_kernels.unrank_k_permutation(rank, n, k, out),
        lambda state: permutation_kernels.increment_k_permutation(state, n, k),
    )


def mixed_radix(radices):
    array = read_only(np.array(radices, dtype=np.int64))
    return (
        MixedRadix(radices),
        lambda rank, out: tuple_kernels.unrank_mixed_radix(rank, array, out),
        lambda state: tuple_kernels.increment_mixed_radix(state, array),
    )


COMPILED = st.one_of(
    st.builds(combinations, st.integers(0, 70), st.integers(0, 70)),
    st.builds(combinations, st.integers(60, 3000), st.integers(0, 4)),
    st.builds(multisets, st.integers(1, 70), st.integers(1, 30)),
    st.builds(permutations, st.integers(0, 20)),
    st.builds(myrvold_ruskey, st.integers(0, 20)),
    st.builds(k_permutations, st.integers(0, 64), st.integers(0, 20)),
    st.builds(k_permutations, st.integers(60, 100_000), st.integers(0, 6)),
    st.builds(mixed_radix, st.lists(st.integers(1, 40), max_size=20)),
).filter(lambda kind: 0 < kind[0].max_rank < 2**63)


def ranks_of(space):
    return st.one_of(
        st.integers(0, space.max_rank - 1),
        st.integers(max(0, space.max_rank - 3), space.max_rank - 1),
    )


@given(st.data(), COMPILED)
def test_compiled_ranking_equals_the_exact_one(data, kind):
    space, unrank, increment = kind
    rank = data.draw(ranks_of(space))
    state = np.full(space.length, -1, dtype=np.int64)
    unrank(rank, state)
    assert tuple(state.tolist()) == space.unrank(rank)
    moved = increment(state)
    assert moved == (rank + 1 < space.max_rank)
    assert tuple(state.tolist()) == space.unrank(min(rank + 1, space.max_rank - 1))


@given(st.data(), st.integers(1, 70), st.integers(1, 30))
def test_multisets_are_ranked(data, n, k):
    space = Multisets(n, k)
    assume(space.max_rank < 2**63)
    rank = data.draw(ranks_of(space))
    items = read_only(np.array(space.unrank(rank)))
    assert tuple_kernels.rank_multiset(items, n, k, kernels.binomial_table(n + k - 1, k)) == rank


@given(st.data(), COMPILED)
def test_blocks_are_consecutive_ranks(data, kind):
    space = kind[0]
    start = data.draw(ranks_of(space))
    count = data.draw(st.integers(0, min(200, space.max_rank - start)))
    block = space.states_block(start, count)
    assert block.dtype == np.int64
    assert block.shape == (count, space.length)
    assert list(map(tuple, block.tolist())) == [space.unrank(start + i) for i in range(count)]


@given(st.data(), COMPILED)
def test_ranks_in_any_order_have_their_states(data, kind):
    space = kind[0]
    ranks = data.draw(st.lists(ranks_of(space), max_size=20))
    states = space.states_at(np.array(ranks, dtype=np.int64))
    assert states.dtype == np.int64
    assert states.shape == (len(ranks), space.length)
    assert list(map(tuple, states.tolist())) == [space.unrank(rank) for rank in ranks]


# --- bitboards -----------------------------------------------------------------------------------------

BINOMIALS = kernels.binomial_table(64)


def bitboard(cells):
    return sum(1 << cell for cell in cells)


@given(st.data(), st.integers(0, 64))
def test_bitboards_are_the_cells_of_the_same_rank(data, n):
    k = data.draw(st.integers(0, n))
    space = Combinations(n, k)
    rank = data.draw(ranks_of(space))
    bits = kernels.unrank_combination_bits(rank, n, k, BINOMIALS)
    assert bits == bitboard(space.unrank(rank))
    assert kernels.rank_combination_bits(np.uint64(bits), n, k, BINOMIALS) == rank
    following = space.increment(space.unrank(rank))
    expected = 0 if following is None else bitboard(following)
    assert kernels.increment_combination_bits(np.uint64(bits), n) == expected


@given(st.data(), st.integers(0, 64))
def test_blocks_of_bitboards_are_consecutive_ranks(data, n):
    k = data.draw(st.integers(0, n))
    space = Combinations(n, k)
    start = data.draw(ranks_of(space))
    count = data.draw(st.integers(0, min(200, space.max_rank - start)))
    ranks = read_only(np.arange(start, start + count, dtype=np.int64))
    block, at = np.zeros(count, dtype=np.uint64), np.zeros(count, dtype=np.uint64)
    kernels.combination_bits_block(start, count, n, k, BINOMIALS, block)
    kernels.combination_bits_at(ranks, n, k, BINOMIALS, at)
    expected = [bitboard(space.unrank(start + i)) for i in range(count)]
    assert block.tolist() == expected
    assert at.tolist() == expected
    back = np.zeros(count, dtype=np.int64)
    kernels.combination_ranks_of(at, n, k, BINOMIALS, back)
    assert back.tolist() == ranks.tolist()


@pytest.mark.parametrize(("n", "k"), [(0, 0), (1, 0), (1, 1), (9, 4), (16, 15), (18, 2), (64, 2), (64, 63)])
def test_increments_visit_every_bitboard_in_the_order_of_the_cell_lists(n, k):
    expected = [bitboard(cells) for cells in itertools.combinations(range(n), k)]
    bits, visited = expected[0], []
    while True:
        visited.append(bits)
        bits = kernels.increment_combination_bits(np.uint64(bits), n)
        if bits == 0:
            break
    assert visited == expected


@pytest.mark.parametrize("k", [1, 32, 63, 64])
def test_the_last_bitboard_of_64_cells_is_the_full_end_of_the_word(k):
    last = math.comb(64, k) - 1
    bits = kernels.unrank_combination_bits(last, 64, k, BINOMIALS)
    assert bits == (2**k - 1) << (64 - k)
    assert kernels.rank_combination_bits(np.uint64(bits), 64, k, BINOMIALS) == last
    assert kernels.increment_combination_bits(np.uint64(bits), 64) == 0


@given(st.integers(0, 2**64 - 1))
def test_bits_are_counted_and_found(bits):
    assert kernels.bit_count(np.uint64(bits)) == bits.bit_count()
    assert kernels.highest_bit(np.uint64(bits)) == (1 << bits.bit_length()) >> 1


def test_every_bit_has_its_index():
    assert [kernels.bit_index(np.uint64(1 << i)) for i in range(64)] == list(range(64))


# --- the table of binomials ----------------------------------------------------------------------------


def test_the_table_holds_every_binomial_and_saturates_beyond_int64():
    table = kernels.binomial_table(80)
    assert table.shape == (81, 81)
    assert table.dtype == np.int64
    assert not table.flags.writeable
    assert table.flags.c_contiguous
    expected = [[min(math.comb(x, j), 2**63 - 1) for j in range(81)] for x in range(81)]
    assert table.tolist() == expected
    assert table[64, 32] == 1_832_624_140_942_590_534


def test_a_table_of_fewer_columns_is_the_left_part():
    assert (kernels.binomial_table(100, 7) == kernels.binomial_table(100)[:, :8]).all()


@pytest.mark.parametrize(("n", "k"), [(-1, None), (5, -1), (10**6, 10**6)])
def test_impossible_tables_are_refused(n, k):
    with pytest.raises(ParamsError, match=r"\.$"):
        kernels.binomial_table(n, k)


# --- products of spaces, and what the arrays refuse ----------------------------------------------------


def flattened(state):
    return tuple(
        element for part in state for element in (flattened(part) if isinstance(part, tuple) else (part,))
    )


FACTORS = st.one_of(
    st.builds(Combinations, st.integers(0, 6), st.integers(0, 4)),
    st.builds(Multisets, st.integers(1, 4), st.integers(0, 3)),
    st.builds(Permutations, st.integers(0, 4)),
    st.builds(MyrvoldRuskeyPermutations, st.integers(0, 4)),
    st.builds(KPermutations, st.integers(0, 5), st.integers(0, 3)),
    st.builds(MixedRadix, st.lists(st.integers(1, 4), max_size=3)),
    st.just(Combinations(56, 6)),
)
PRODUCTS = st.recursive(
    FACTORS, lambda factors: st.builds(Product, st.lists(factors, max_size=4)), max_leaves=5
).filter(lambda space: isinstance(space, Product) and 0 < space.max_rank < 2**63)


@given(st.data(), PRODUCTS)
def test_a_product_s_arrays_are_its_factors_columns(data, space):
    start = data.draw(ranks_of(space))
    count = data.draw(st.integers(0, min(300, space.max_rank - start)))
    expected = [flattened(space.unrank(start + i)) for i in range(count)]
    block = space.states_block(start, count)
    assert block.shape == (count, space.length)
    assert list(map(tuple, block.tolist())) == expected
    ranks = data.draw(st.permutations(range(start, start + count)))
    at = space.states_at(np.array(ranks, dtype=np.int64))
    assert list(map(tuple, at.tolist())) == [expected[rank - start] for rank in ranks]


@pytest.mark.parametrize("before_the_turn", [1, 5, 9])
def test_a_block_goes_on_where_the_last_factor_starts_again(before_the_turn):
    space = Product((Permutations(3), Combinations(56, 6)))
    start = 2 * math.comb(56, 6) - before_the_turn
    expected = [flattened(space.unrank(start + i)) for i in range(10)]
    assert list(map(tuple, space.states_block(start, 10).tolist())) == expected


def test_spaces_of_2_to_the_63_have_no_arrays():
    space = Combinations(67, 33)
    assert space.max_rank > 2**63
    with pytest.raises(RankError, match="too large for arrays"):
        space.states_block(0, 1)
    with pytest.raises(RankError, match="too large for arrays"):
        space.states_at(np.array([0]))


@pytest.mark.parametrize(("start", "count"), [(-1, 2), (0, 11), (10, 1), (3, -1)])
def test_blocks_outside_the_space_are_refused(start, count):
    with pytest.raises(RankError, match="There is no block"):
        Combinations(5, 2).states_block(start, count)


@pytest.mark.parametrize("ranks", [[10], [-1], [0, 2**63], [[0]], [0.5]])
def test_arrays_of_other_ranks_are_refused(ranks):
    with pytest.raises(RankError):
        Combinations(5, 2).states_at(np.array(ranks))


@pytest.mark.parametrize(
    "space", [Permutations(0), KPermutations(2**70, 0), Multisets(2**70, 0), Product(())]
)
def test_a_state_without_elements_is_a_row_without_columns(space):
    assert space.states_block(0, 1).shape == (1, 0)
    assert space.states_at(np.array([0, 0])).shape == (2, 0)


# --- when kernels are compiled -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "space",
    [
        Combinations(6, 3),
        Multisets(4, 2),
        Permutations(4),
        MyrvoldRuskeyPermutations(4),
        KPermutations(5, 2),
        MixedRadix((2, 3)),
        Product((Combinations(4, 2), Permutations(3))),
    ],
    ids=lambda space: type(space).__name__,
)
def test_asking_for_no_states_compiles_the_kernels(space, monkeypatch):
    """Before workers start, the coordinator asks for no states: every kernel must have been called then."""
    called = set()

    def spied(name, kernel):
        def spy(*arguments):
            called.add(name)
            return kernel(*arguments)

        return spy

    for module in (kernels, permutation_kernels, tuple_kernels):
        for name, kernel in list(vars(module).items()):
            if name.endswith(("_block", "_at")):
                monkeypatch.setattr(module, name, spied(name, kernel))

    def calls(ask):
        called.clear()
        ask()
        return set(called)

    assert space.states_block(space.max_rank, 0).shape == (0, space.length)
    assert space.states_at(np.array([], np.int64)).shape == (0, space.length)
    of_a_block = calls(lambda: space.states_block(0, space.max_rank))
    assert of_a_block
    assert calls(lambda: space.states_block(space.max_rank, 0)) == of_a_block
    of_ranks = calls(lambda: space.states_at(np.arange(space.max_rank)))
    assert of_ranks
    assert calls(lambda: space.states_at(np.array([], np.int64))) == of_ranks
