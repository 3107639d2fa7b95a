"""Instances of a type of constraint: every choice of colours, each in its own game."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import pytest
from epcg_tangram.evaluation.entropy import InstanceEntropy, entropy
from epcg_tangram.evaluation.instances import InstanceFacts, instance_facts
from epcg_tangram.generators.constraint_instances import ConstraintInstances, choices
from epcg_tangram.generators.instances import Instances
from epcg_tangram.params import ConstraintInstancesParams, InstanceEntropyParams, InstancesParams

from epcg_core.base.errors import ParamsError, RankError
from epcg_core.domain import NoParams
from tests.workplace import facts

CORNERS = "corners_must_touch_not_edges"


@cache
def of(**params: Any) -> ConstraintInstances:
    return ConstraintInstances(ConstraintInstancesParams(**params))


def test_the_choices_of_each_type() -> None:
    assert choices("none", 5) == (("none", ()),)
    assert choices(CORNERS, 5) == tuple((CORNERS, (colour,)) for colour in range(5))
    two = choices("two_colours", 5)
    assert len(set(two)) == 40
    assert all(one < other for _, (one, other) in two)


def test_each_board_is_a_puzzle_for_each_choice_that_it_meets() -> None:
    assert of(constraint=CORNERS).max_rank == facts("tangram")["colour_puzzles_on_2508"][CORNERS]
    assert of(constraint=CORNERS, bumps=1674).max_rank == 151


def test_no_constraint_is_the_plain_space() -> None:
    plain, typed = Instances(InstancesParams()), of()
    assert (typed.rows[:, 1:] == plain.rows).all()
    assert typed.unrank(77) == plain.unrank(77)


@pytest.mark.parametrize("bumps", [None, 1674], ids=["front", "back"])
def test_ranks_and_texts(bumps: int | None) -> None:
    space = of(constraint=CORNERS, bumps=bumps)
    for rank in random.Random(2).sample(range(space.max_rank), 20):
        state = space.unrank(rank)
        assert space.rank(state) == rank
        assert space.parse(space.format(state)) == state
    assert (space.states_at(np.array([3, 9])) == space.rows[[3, 9]]).all()


def test_arrays_and_plain_values_agree() -> None:
    space = of(constraint=CORNERS, bumps=1674)
    ranks = np.array(sorted(random.Random(4).sample(range(space.max_rank), 15)))
    assert len(set(space.rows[ranks, 0].tolist())) > 1
    for listed, plain in (
        (instance_facts(NoParams(), space), InstanceFacts(space)),
        (entropy(InstanceEntropyParams(), space), InstanceEntropy(InstanceEntropyParams(), space)),
    ):
        arrays = listed.evaluate_states(space.states_at(ranks))
        for i, rank in enumerate(ranks.tolist()):
            state = space.unrank(rank)
            expected = plain.evaluate(state)
            assert listed.evaluate(state) == expected
            assert expected is not None
            assert [values[i] for values in arrays.values] == list(expected)


def test_larger_instances_come_after_the_smallest_of_their_board() -> None:
    fewest = Instances(InstancesParams(keep="all"))
    larger = Instances(InstancesParams(keep="all", larger=1))
    given = np.bitwise_count(larger.rows[:, 1]).astype(np.int64)
    least = np.full(2508, 99)
    np.minimum.at(least, larger.rows[:, 0], given)
    smallest = given == least[larger.rows[:, 0]]
    assert (larger.rows[smallest] == fewest.rows).all()
    assert set((given - least[larger.rows[:, 0]]).tolist()) == {0, 1}
    for size in (2, 3):
        of_size = Instances(InstancesParams(keep="all", size=size)).rows
        boards = np.flatnonzero(least == size - 1)
        own = larger.rows[(given == size) & np.isin(larger.rows[:, 0], boards)]
        assert (own == of_size[np.isin(of_size[:, 0], boards)]).all()


def test_the_board_of_an_instance_is_its_rank_among_solved_boards() -> None:
    space = Instances(InstancesParams())
    values = instance_facts(NoParams(), space).evaluate_states(space.rows).values
    assert np.asarray(values[3]).tolist() == list(range(2508))
    back = of(constraint="none", bumps=1674)
    boards = np.asarray(instance_facts(NoParams(), back).evaluate_states(back.rows).values[3])
    assert 0 <= boards.min() < boards.max() < 2508


def test_what_is_refused() -> None:
    space = of(constraint=CORNERS)
    with pytest.raises(RankError, match="no instance 528"):
        space.unrank(528)
    with pytest.raises(RankError, match="not one of this space"):
        space.rank(of().unrank(0))
    with pytest.raises(ParamsError, match=f"as in '{CORNERS} 0; side 3'"):
        space.parse("side 3")
    with pytest.raises(ParamsError, match="124,416 patterns"):
        of(bumps=124_416)
