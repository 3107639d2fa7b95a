"""The difficulty of instances: compiled against the core's plain walk, and what the rules say."""

from __future__ import annotations

import random
from functools import cache
from math import log2
from typing import Any

import attrs
import numpy as np
import pytest
from epcg_tangram.evaluation import entropy, weighing_kernels
from epcg_tangram.generators.instances import Instances
from epcg_tangram.inference.rules import OnePiece, OnePlacement, region_shape, region_size
from epcg_tangram.params import RULE_NAMES, Branching, InstanceEntropyParams, InstancesParams, Order
from epcg_tangram.rules.instance import Instance
from epcg_tangram.rules.model import Position, TangramModel

from epcg_core.base.errors import ParamsError
from epcg_core.compiled import without_compiling
from epcg_core.difficulty import Answer, StateSpace, muse as plain_muse
from epcg_core.domain import LIMIT, VALUE, LimitReachedError
from tests.tangram.hexagon import PIECE_ORDER, geometry


@cache
def of(**params: Any) -> Instances:
    return Instances(InstancesParams(**params))


def both(
    instance: Instance, generator: Instances, params: InstanceEntropyParams
) -> tuple[list[Any], list[Any]] | None:
    """(compiled, plain) measures; None where the plain walk is too long for a test."""
    compiled = entropy.InstanceEntropy(params, generator).evaluate(instance)
    plain = entropy.plain_entropy(entropy.InstanceEntropy.metrics, params, generator)
    try:
        walked = plain.evaluate(instance)
    except LimitReachedError:
        return None
    assert compiled is not None
    return list(compiled), list(walked[:-1])


@cache
def measures_of_the_front(order: str = entropy.ORDERS[0], step: int = 6) -> list[Any]:
    """MUSE, ReMUSE, MSI and TSI of every instance on the front, or of every `step`-th."""
    generator = of()
    params = InstanceEntropyParams(order=order)  # type: ignore[arg-type]
    found = entropy.entropy(params, generator).evaluate_states(generator.rows[::step])  # type: ignore[attr-defined]
    return list(found.values)


GAMES: dict[str, dict[str, Any]] = {
    "front": {"size": 5},
    "fewer": {"size": 3},
    "unknown": {"size": 6, "excluded": "unknown"},
    "colours": {"size": 5, "relation": "edges_must_not_touch", "colours": (1,)},
    "two": {"size": 5, "relation": "edges_must_touch", "colours": (2, 4)},
    "back": {"size": 4, "bumps": 60_000},
}


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("name", "tries"),
    [
        pytest.param(name, tries, marks=[pytest.mark.slow] * (tries > 3 or name == "fewer"))  # the largest
        for name in GAMES
        for tries in (3, 6)
    ],
)
def test_compiled_and_plain_measures_agree(name: str, tries: int) -> None:
    """On random instances, rules, branchings and orders, bit by bit."""
    generator = of(keep="all", **GAMES[name])
    source = random.Random(name)
    compared = 0
    for _ in range(tries):
        known = tuple(rule for rule in RULE_NAMES if source.random() < 0.7 or name == "fewer")
        choices = entropy.BRANCHINGS[1:] if name == "unknown" else entropy.BRANCHINGS
        params = InstanceEntropyParams(
            rules=known,
            branching=source.choice(choices),  # type: ignore[arg-type]
            order=source.choice(entropy.ORDERS),  # type: ignore[arg-type]
            collapse_zero=source.random() < 0.5,
            limit=800,
        )
        found = both(generator.unrank(source.randrange(generator.max_rank)), generator, params)
        if found is not None:
            assert found[0] == found[1]
            compared += 1
    assert compared >= tries / 2


@pytest.mark.sweep(4)
@pytest.mark.parametrize("order", entropy.ORDERS)
@pytest.mark.parametrize("branching", entropy.BRANCHINGS)
@pytest.mark.parametrize("game", ["crate", "honeycomb"])
def test_where_nothing_is_compiled_only_the_way_to_the_solution_is_walked(
    game: str, branching: Branching, order: Order
) -> None:
    """The measures are those of the whole walk, and the states fewer."""
    generator = of(game=game)
    params = InstanceEntropyParams(branching=branching, order=order)
    evaluators = [
        entropy.InstanceEntropy(params, generator).plain(),
        entropy.rule_differentials(params, generator).plain(),
        entropy.leave_one_out(params, generator).plain(),
    ]
    states = {True: 0, False: 0}
    for rank in random.Random(1).sample(range(generator.max_rank), 3):
        instance = generator.unrank(rank)
        whole = [evaluator.evaluate(instance) for evaluator in evaluators]
        with without_compiling(plainly=True):
            assert [evaluator.evaluate(instance) for evaluator in evaluators] == whole
        (solution,) = instance.completions()
        muse, unruled = entropy.InstanceEntropy.metrics[:1], attrs.evolve(params, rules=())
        for way in (None, solution):
            player = entropy.plain_entropy(muse, unruled, generator, way)
            states[way is None] += player.evaluate(instance)[1]
    assert states[False] < states[True]


def test_arrays_and_single_values_agree() -> None:
    generator = of()
    params = InstanceEntropyParams()
    ranks = np.arange(0, 2508, 97)
    arrays = entropy.entropy(params, generator).evaluate_states(generator.states_at(ranks))  # type: ignore[attr-defined]
    for i, rank in enumerate(ranks.tolist()):
        single = entropy.InstanceEntropy(params, generator).evaluate(generator.unrank(rank))
        assert [column[i] for column in arrays.values] == single


EVERY = pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.slow)])


@EVERY
def test_without_transpositions_muse_is_msi_and_tsi(step: int) -> None:
    """By pieces only the two trapezoids can be placed in two orders: else one chain leads to the solution."""
    values, _, msi, tsi = measures_of_the_front(step=step)
    assert (values == msi).all()
    assert (tsi <= msi).all()
    assert (values >= 0).all()
    assert values.min() == 0.0


def test_a_player_without_choice_has_no_entropy() -> None:
    """Where the rules leave one action in every state on the way."""
    generator = of()
    rank = 6 * int(np.argmin(measures_of_the_front()[0]))
    space = StateSpace(
        TangramModel(generator.setting),
        generator.unrank(rank),
        [OnePlacement(), OnePiece(), region_size, region_shape],
    )
    assert plain_muse(space).value == 0.0
    assert all(len(space.actions[state]) <= 1 for state in range(len(space)))


def test_one_piece_left_is_one_action() -> None:
    generator = of(size=9, keep="first")
    instance = generator.unrank(0)
    (number,) = instance.hidden
    model = TangramModel(generator.setting)
    assert list(model.actions(model.initial(instance))) == [number]
    assert entropy.InstanceEntropy(InstanceEntropyParams(), generator).evaluate(instance) == [0.0] * 4


def test_without_rules_all_placements_count() -> None:
    """`branching = "all"`: the first summand is log2 of all legal placements of the empty cells."""
    generator = of(size=7)
    for rank in range(0, generator.max_rank, 300):
        instance = generator.unrank(rank)
        empty = set(range(54)) - {c for n in instance.shown for c in geometry(3).placements[n].cells}
        left = {p for p, copies in enumerate(instance.copies) if copies}
        legal = [p for p in geometry(3).placements if p.piece in left and empty.issuperset(p.cells)]
        params = InstanceEntropyParams(rules=(), branching="all")
        found = entropy.InstanceEntropy(params, generator).evaluate(instance)
        assert found is not None
        assert found[0] is not None
        assert found[0] >= log2(len(legal))


# --- the rules ---------------------------------------------------------------------------------------------


def positions(count: int, size: int = 5) -> list[Position]:
    generator = of(size=size, keep="all")
    source = random.Random(17)
    return [Position(generator.unrank(source.randrange(generator.max_rank))) for _ in range(count)]


def test_rule_1_places_the_lowest_piece_with_one_placement() -> None:
    decided = 0
    for position in positions(30):
        legal = position.legal
        kept = OnePlacement().keep(position, legal)
        by_piece = {p: [n for n in legal if position.piece(n) == p] for p in range(len(PIECE_ORDER))}
        forced = [own for own in by_piece.values() if len(own) == 1]
        assert list(kept) == (forced[0] if forced else list(legal))
        decided += bool(forced)
    assert 0 < decided < 30


def test_rule_2_keeps_one_piece_on_the_lowest_cell() -> None:
    decided = 0
    for position in positions(30):
        legal = position.legal
        kept = OnePiece(ties="lowest").keep(position, legal)
        if kept is not legal:
            decided += 1
            cells = set.intersection(*(set(geometry(3).placements[n].cells) for n in kept))
            assert len({position.piece(n) for n in kept}) == 1
            assert any(all(n in kept for n in legal if c in geometry(3).placements[n].cells) for c in cells)
    assert 0 < decided < 30


def test_rules_never_exclude_the_solution() -> None:
    for position in positions(20):
        for action in position.instance.hidden:
            assert region_size(position, action) is Answer.UNKNOWN
            assert region_shape(position, action) is Answer.UNKNOWN
            for rule in (OnePlacement(), OnePiece()):
                assert set(rule.keep(position, position.legal)) & set(position.instance.hidden)


def test_rule_3_sees_a_hole_that_no_pieces_fit() -> None:
    position = positions(1, size=2)[0]
    answers = {action: region_size(position, action) for action in position.legal}
    assert set(answers.values()) == {Answer.CANNOT, Answer.UNKNOWN}
    for action, answer in answers.items():
        after = position.after(action)
        sizes = [len(region) for region in after.regions]
        step = 3 if after.copies[PIECE_ORDER.index("Trapezoid")] else 6
        assert (answer is Answer.CANNOT) == any(size % step for size in sizes)


def test_the_kernel_sees_the_same_dead_ends() -> None:
    """Rules 3 and 4 of the kernel against the plain ones, for every legal placement of some positions."""
    seen = set()
    for position in positions(12, size=4):
        tiles = entropy.tiles(position.instance.rules)
        for action in position.legal:
            after = position.after(action)
            empty = np.uint64(sum(1 << cell for cell in after.empty))
            copies = np.array(after.copies, np.int64)
            for bits, rule in ((4, region_size), (8, region_shape)):
                dead = weighing_kernels.is_dead(tiles, empty, copies, bits)
                assert dead == (rule(position, action) is Answer.CANNOT)
                seen.add((bits, dead))
    assert len(seen) == 4


@EVERY
def test_an_order_changes_what_is_counted(step: int) -> None:
    """More is dropped before the piece is chosen: on the average the puzzles are easier."""
    means = {order: float(np.mean(measures_of_the_front(order, step)[0])) for order in entropy.ORDERS}
    assert means[entropy.ORDERS[1]] < means[entropy.ORDERS[0]] < means[entropy.ORDERS[2]]


# --- what rules are worth ----------------------------------------------------------------------------------


def test_differentials_are_differences_of_muse() -> None:
    generator = of(size=4)
    params = InstanceEntropyParams(branching="cell")
    rows = generator.rows[::50]
    alone = entropy.rule_differentials(params, generator).evaluate_states(rows).values  # type: ignore[attr-defined]
    left_out = entropy.leave_one_out(params, generator).evaluate_states(rows).values  # type: ignore[attr-defined]

    def by(*rules: str) -> Any:
        return entropy.listed(generator, rows, rules, params)[:, 0]

    for i, name in enumerate(RULE_NAMES):
        assert (alone[i] == by() - by(name)).all()
        others = [rule for rule in RULE_NAMES if rule != name]
        assert (left_out[i] == by(*others) - by(*RULE_NAMES)).all()
        assert alone[i].max() > 0
    single = entropy.RuleDifferentials(params, generator, False).evaluate(generator.unrank(50))
    assert single == [values[1] for values in alone]


@EVERY
def test_by_pieces_rule_1_alone_teaches_nothing(step: int) -> None:
    """A piece with one placement has fewest anyway."""
    generator = of()
    rows = generator.rows[::step]
    found = entropy.rule_differentials(InstanceEntropyParams(), generator).evaluate_states(rows)  # type: ignore[attr-defined]
    assert not np.asarray(found.values[0]).any()
    assert all(np.asarray(values).any() for values in found.values[1:])


# --- what is not defined -----------------------------------------------------------------------------------


def test_by_pieces_every_piece_must_be_placed() -> None:
    generator = of(size=6, excluded="unknown")
    with pytest.raises(ParamsError, match="every piece to be placed"):
        entropy.entropy(InstanceEntropyParams(), generator)
    assert entropy.entropy(InstanceEntropyParams(branching="cell"), generator).evaluate(generator.unrank(0))


def test_instances_with_several_completions_are_walked_through() -> None:
    generator = of(size=5, keep="all", completions="any")
    source = random.Random(2)
    params = InstanceEntropyParams(limit=5000)
    evaluator = entropy.entropy(params, generator)
    rows = generator.rows[:: len(generator.rows) // 20]
    arrays = evaluator.evaluate_states(rows)  # type: ignore[attr-defined]
    differences = entropy.rule_differentials(params, generator).evaluate_states(rows)  # type: ignore[attr-defined]
    for i, row in enumerate(rows):
        proper = len(generator.state(row).completions()) == 1
        assert (differences.status[i] == VALUE) == proper
        try:
            single = evaluator.evaluate(generator.state(row))
        except LimitReachedError:
            assert (arrays.status[:, i] == LIMIT).all()
        else:
            assert [column[i] for column in arrays.values] == list(single or ())
    several = 0
    while several < 3:
        instance = generator.unrank(source.randrange(generator.max_rank))
        completions = instance.completions()
        if len(completions) > 1:
            several += 1
            found = evaluator.evaluate(instance)
            assert found is not None
            assert found[3] is not None
            assert found[2] is not None
            assert found[3] <= found[2]
            assert entropy.RuleDifferentials(params, generator, False).evaluate(instance) is None


def test_where_nothing_completes_an_instance_there_is_no_entropy() -> None:
    generator = of()
    blocked = next(
        instance
        for number in range(len(geometry(3).placements))
        if not (instance := Instance(generator.rules, (number,), (0,))).completions()
        and geometry(3).placements[number].piece != 0
    )
    assert entropy.entropy(InstanceEntropyParams(), generator).evaluate(blocked) is None


def test_the_adversarial_measure_walks_through_dead_ends() -> None:
    generator = of(size=6, keep="all")
    found = entropy.whole_walk(InstanceEntropyParams(), generator).evaluate(generator.unrank(1000))
    assert found[0] is not None
    assert isinstance(found[1], int)
    assert found[1] >= len(generator.unrank(1000).hidden) + 1


def test_differentials_of_a_third_partys_rule_are_refused() -> None:
    with pytest.raises(ParamsError, match="computed for the rules"):
        entropy.rule_differentials(InstanceEntropyParams(rules=("another",)), of())
