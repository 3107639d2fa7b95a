"""The instances and the recursion of the paper's program."""

from __future__ import annotations

import random
import statistics
from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from epcg_tangram.evaluation.entropy import entropy
from epcg_tangram.generators.instances import Instances
from epcg_tangram.params import InstanceEntropyParams, InstancesParams, PublishedEntropyParams
from epcg_tangram.studies import published_entropy as published
from epcg_tangram.studies.computed import (
    orders_of_placements,
    patterns_left,
    patterns_of_all,
    published_puzzles,
)
from epcg_tangram.studies.published_entropy import NUMBERS, WEIGHTS, plain, published_entropy
from epcg_tangram.studies.published_instances import (
    PublishedInstances,
    line_order,
    positions,
    trapezoid_order,
)

from epcg_core.base.errors import ParamsError
from tests.tangram.hexagon import PIECE_ORDER, geometry
from tests.workplace import facts

GOLDEN = facts("tangram")["published_program"]


@pytest.fixture(scope="module")
def generator() -> PublishedInstances:
    return PublishedInstances()


def measured(generator: Instances, trapezoids: str = "twice") -> list[float]:
    params = PublishedEntropyParams(trapezoids)  # type: ignore[arg-type]
    found = published_entropy(params, generator).evaluate_states(generator.rows)  # type: ignore[attr-defined]
    assert found.status is None
    values: list[float] = found.values[0].tolist()
    return values


def test_the_sizes_are_the_golden_ones(generator: PublishedInstances) -> None:
    sizes = Counter(np.bitwise_count(generator.rows[:, 1]).tolist())
    assert {str(size): count for size, count in sizes.items()} == GOLDEN["puzzles_by_pieces_shown"]


def test_some_have_several_completions(generator: PublishedInstances) -> None:
    """A few less than golden: the inferred order of the two trapezoids is not right for every board."""
    several = int((generator.completions(generator.rows) > 1).sum())
    assert several == 351
    assert several < GOLDEN["several_completions"]


def test_the_orders_have_every_placement_once() -> None:
    board = geometry(3)
    for order, name in ((line_order(board), "Line"), (trapezoid_order(board), "Trapezoid")):
        own = [p.cells for p in board.placements if PIECE_ORDER[p.piece] == name]
        assert sorted(order) == sorted(own)


def test_no_other_board_covers_the_cells_by_the_same_pieces(generator: PublishedInstances) -> None:
    """Against plain sets: what is shown is unique so, and smaller or earlier sets are not."""
    game, order = generator.game, positions(generator.game)
    cells = [frozenset(placement.cells) for placement in game.setting.placements]
    turned = [
        [[cells[image[row[at]]] for at in own] for image in game.images]
        for row, own in zip(game.distinct.tolist(), order, strict=True)
    ]

    def union(image: list[frozenset[int]], chosen: tuple[int, ...]) -> frozenset[int]:
        return frozenset[int]().union(*(image[at] for at in chosen))

    for board in random.Random(3).sample(range(generator.max_rank), 3):
        own = turned[board][0]
        others = [images for other, images in enumerate(turned) if other != board]
        subsets = (s for size in (1, 2, 3) for s in combinations(range(len(own)), size))
        first = next(
            chosen
            for chosen in subsets
            if not any(
                len(image) > chosen[-1] and image[chosen[0]] <= shown and union(image, chosen) == shown
                for shown in [union(own, chosen)]
                for images in others
                for image in images
            )
        )
        assert generator.rows[board, 1] == sum(1 << order[board][at] for at in first)


@pytest.mark.slow
def test_chapter_1_is_as_published(generator: PublishedInstances) -> None:
    golden = GOLDEN["chapter_1"]
    values = measured(generator)
    assert round(max(values), 2) == golden["highest"]
    assert round(statistics.fmean(values), 2) == golden["mean"]
    assert round(statistics.median(values), 2) == golden["median"]
    assert round(statistics.stdev(values), 2) == golden["deviation"]
    assert min(values) == 1.0  # printed: 0.00
    trapezoid = PIECE_ORDER.index("Trapezoid")
    none_left = [
        value
        for value, row in zip(values, generator.rows, strict=True)
        if not generator.state(row).copies[trapezoid]
    ]
    assert (len(none_left), min(none_left)) == (24, 2.0), "all other puzzles end with a trapezoid, a bit"


@pytest.mark.slow
def test_the_mean_if_trapezoids_count_once(generator: PublishedInstances) -> None:
    """The recursion that counts them so is compared with the plain one on some instances."""
    once = measured(generator, "once")
    assert round(statistics.fmean(once), 2) == GOLDEN["mean_if_trapezoids_count_once"]


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("instances", "others"), [(2, 6), pytest.param(4, 12, marks=pytest.mark.slow)])
@pytest.mark.parametrize("trapezoids", WEIGHTS)
def test_the_compiled_and_the_plain_recursion_agree(
    generator: PublishedInstances, trapezoids: str, instances: int, others: int
) -> None:
    """On random instances of both kinds, bit by bit."""
    source = random.Random(trapezoids)
    params = PublishedEntropyParams(trapezoids)  # type: ignore[arg-type]
    for own, count in ((generator, instances), (Instances(InstancesParams(size=5, keep="all")), others)):
        evaluator = published_entropy(params, own)
        ranks = np.array([source.randrange(own.max_rank) for _ in range(count)])
        found = evaluator.evaluate_states(own.states_at(ranks)).values[0]  # type: ignore[attr-defined]
        single = [evaluator.evaluate(own.unrank(rank)) for rank in ranks.tolist()]
        assert [(value,) for value in found.tolist()] == single


def test_the_snake_is_never_chosen_without_trapezoids(
    generator: PublishedInstances, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If it could be chosen, no value would be higher, and some would be lower."""
    trapezoid = PIECE_ORDER.index("Trapezoid")
    ranks = [n for n in range(generator.max_rank) if trapezoid in generator.unrank(n).excluded]
    assert len(ranks) == 9
    evaluator = published_entropy(PublishedEntropyParams(), generator)
    rows = generator.states_at(np.array(ranks))
    values = evaluator.evaluate_states(rows).values[0]  # type: ignore[attr-defined]
    monkeypatch.setattr(published, "_SNAKE", -1)
    others = evaluator.evaluate_states(rows).values[0]  # type: ignore[attr-defined]
    assert (others <= values).all()
    assert (others < values).any()


def test_the_last_trapezoid_costs_a_bit() -> None:
    own = Instances(InstancesParams(size=9, keep="all"))
    state = next(
        s for s in map(own.unrank, range(own.max_rank)) if s.copies[PIECE_ORDER.index("Trapezoid")] == 1
    )
    assert [plain(state, weights) for weights in WEIGHTS.values()] == [1.0, 0.0, 0.0]


def test_the_numbers_are_a_permutation() -> None:
    assert sorted(NUMBERS) == list(range(len(PIECE_ORDER)))


@pytest.mark.parametrize(
    "params",
    [
        {"relation": "edges_must_touch", "colours": (0,)},
        {"bumps": 1674},
        {"sizes": (2,)},
        {"excluded": "unknown"},
    ],
)
def test_other_games_are_refused(params: dict[str, Any]) -> None:
    with pytest.raises(ParamsError, match="published_entropy"):
        published_entropy(PublishedEntropyParams(), Instances(InstancesParams(**params)))


def test_the_other_evaluators_take_the_instances(generator: PublishedInstances) -> None:
    proper = np.flatnonzero(generator.proper(generator.rows))[:5]
    found = entropy(InstanceEntropyParams(), generator).evaluate_states(generator.states_at(proper))  # type: ignore[attr-defined]
    assert found.status is None
    state = generator.unrank(7)
    assert generator.rank(state) == 7
    assert generator.parse(generator.format(state)).shown == state.shown


def test_the_published_adjacency_test() -> None:
    assert published_puzzles(None, 4) == GOLDEN["corner_puzzles"]  # type: ignore[arg-type]


def test_how_many_ways_there_are_to_place_pieces_and_to_give_them_holes() -> None:
    assert patterns_of_all(None) == 15**11
    assert patterns_left(None) == 15**4 * 3**4
    assert orders_of_placements(None, copies=False) == "10^17 to 10^18"
    assert orders_of_placements(None, copies=True) == "10^17 to 10^20"
