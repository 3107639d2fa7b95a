"""One layer of a search, unit by unit, against sets: any graph, any tiling, either direction."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from epcg_core.base.errors import EpcgError, QueryError
from epcg_core.chunks.bitsets import pack, unpack
from epcg_core.domain import Bits
from epcg_core.search.breadth_first.graph import Edges, edges_of
from epcg_core.search.breadth_first.layers import BACK, ONWARD, Back, LayerWork, Onward, direction, listed

Rows = list[list[int]]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Rows, list[bool], list[bool], list[int]]:
    """(neighbours, or -1, of each rank; which are reached; of them the frontier; where units are cut)."""
    size = draw(st.integers(1, 70))
    width = draw(st.integers(1, 4))
    rank = st.integers(-1, size - 1)
    rows = draw(st.lists(st.lists(rank, min_size=width, max_size=width), min_size=size, max_size=size))
    reached = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    newest = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    cuts = draw(st.sets(st.integers(1, size), max_size=4))
    return rows, reached, [a and b for a, b in zip(reached, newest, strict=True)], sorted({0, size, *cuts})


def neighbours(rows: Rows) -> NDArray[np.int64]:
    return np.array(rows, np.int64)


def bits(booleans: list[bool]) -> Bits:
    return pack(np.array(booleans, np.bool_))


@given(graphs())
def test_units_together_are_the_next_table(case: tuple[Rows, list[bool], list[bool], list[int]]) -> None:
    rows, reached, frontier, cuts = case
    table = neighbours(rows)
    edges = Edges(lambda ranks: table[ranks], lambda ranks: table[ranks], (0,))
    pushed = set(np.flatnonzero(reached)) | {m for n in np.flatnonzero(frontier) for m in rows[n] if m >= 0}
    pulled = {n for n, way in enumerate(rows) if reached[n] or any(frontier[m] for m in way if m >= 0)}
    looked_at = sum(m >= 0 for n in np.flatnonzero(frontier) for m in rows[n])
    for solver, expected in (
        (Onward(edges, bits(frontier), bits(reached)), pushed),
        (Back(edges, bits(frontier), bits(reached)), pulled),
    ):
        solver.solve(0, 0)
        blocks = [solver.solve(low, high - low) for low, high in pairwise(cuts)]
        found = set()
        for block in blocks:
            column = block.evaluation.values[0]
            assert isinstance(column, Bits)
            assert column.count == block.count
            assert not unpack(
                Bits(column.data, len(column.data) * 8), column.count, len(column.data) * 8
            ).any()
            found |= {block.start + i for i in np.flatnonzero(unpack(column, 0, block.count))}
        assert found == expected
        if isinstance(solver, Onward):
            assert sum(block.edges or 0 for block in blocks) == looked_at


@given(st.lists(st.booleans(), min_size=1, max_size=300), st.data())
def test_listed_ranks_are_those_whose_bit_is_set(booleans: list[bool], data: st.DataObject) -> None:
    low = data.draw(st.integers(0, len(booleans)))
    high = data.draw(st.integers(low, len(booleans)))
    for missing in (False, True):
        parts = list(listed(bits(booleans), low, high, missing))
        found = [rank for part in parts for rank in part.tolist()]
        assert found == [rank for rank in range(low, high) if booleans[rank] != missing]
        assert not any(part.flags.writeable for part in parts)


def test_many_ranks_come_in_parts() -> None:
    every = Bits(np.full(12_500, 255, np.uint8), 100_000)
    parts = list(listed(every, 3, 99_999))
    assert len(parts) > 1
    assert np.array_equal(np.concatenate(parts), np.arange(3, 99_999))


def test_a_large_frontier_is_looked_for_from_the_other_side() -> None:
    one_way = Edges(lambda ranks: ranks[:, None], None, (0,))
    other_way = Edges(None, one_way.onward, (0,))
    both = Edges(one_way.onward, one_way.onward, (0,))
    assert direction(both, frontier=10, missing=5, units=8) == ONWARD
    assert direction(both, frontier=10**6, missing=10**7, units=8) == ONWARD
    assert direction(both, frontier=10**6, missing=10**6, units=8) == BACK
    assert direction(one_way, frontier=10**6, missing=1, units=8) == ONWARD
    assert direction(other_way, frontier=1, missing=10**9, units=8) == BACK
    work = LayerWork(both, Bits(np.zeros(10**6, np.uint8), 8 * 10**6), 10**6, 8 * 10**6 - 10**6, 8)
    assert work.direction == BACK
    assert work.block_size() >= 1
    assert LayerWork(both, work.reached, 10**6 // 2, 8 * 10**6, 8).block_size() == 10**6
    assert (
        direction(both, frontier=10**6, missing=2 * 10**6 + 1, units=2) == ONWARD
    )  # fewer units, less twice
    assert LayerWork(both, work.reached, 10**6 // 2, 8 * 10**6, 2).block_size() == 4 * 10**6


class Space:
    """A generator of ten ranks with whatever graph a test gives it."""

    max_rank = 10

    def __init__(self, graph: object) -> None:
        self.ranked_graph = graph


class Astray:
    starts = (0,)
    reversible = True

    def __init__(self, found: object) -> None:
        self.found = found

    def successor_ranks(self, ranks: NDArray[np.int64]) -> object:
        return self.found


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (np.array([[3, 10]]), "leads from rank 7 to [3, 10], which do not all lie in the space of 10 ranks"),
        (np.array([[-2, 1]]), "leads from rank 7 to [-2, 1], which do not all lie"),
        (np.array([3, 4]), "gave an array of int64 (2,) for 1 ranks"),
        (np.array([[3.0]]), "gave an array of float64 (1, 1) for 1 ranks"),
        (np.zeros((2, 3), np.int64), "gave an array of int64 (2, 3) for 1 ranks"),
    ],
)
def test_a_graph_that_leads_astray_is_named(found: object, sentence: str) -> None:
    onward = edges_of(Space(Astray(found)), (), "from").onward
    assert onward is not None
    with pytest.raises(EpcgError) as raised:
        onward(np.array([7]))
    assert sentence in str(raised.value)


def test_what_is_no_graph_is_refused() -> None:
    with pytest.raises(QueryError, match="lacks a part of epcg_core"):
        edges_of(Space(object()), (), "from")
    with pytest.raises(QueryError, match="needs ranked_graph, or transition_model and rank"):
        edges_of(Space(None), (), "from")
    with pytest.raises(QueryError, match="10 is not one of the ranks 0 to 9"):
        edges_of(Space(Astray(None)), (3, 10), "from")
    graph = Astray(None)
    graph.starts = ()  # type: ignore[assignment]
    with pytest.raises(QueryError, match="name ranks in search"):
        edges_of(Space(graph), (), "from")
