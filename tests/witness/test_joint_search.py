"""The search for joint sub-panels, against all sets of panels, all sets of classes, and itself."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement

import attrs
import numpy as np
import pytest
from epcg_witness.generators.placements import pieces
from epcg_witness.joint_panels.classes import PanelClasses
from epcg_witness.joint_panels.evaluators import JointDifficulty, Selections
from epcg_witness.joint_panels.generator import JointPanels
from epcg_witness.params import JointPanelsParams, PiecesParams, Restriction
from epcg_witness.rules.grid import grid_of
from epcg_witness.rules.panel import Panel
from epcg_witness.rules.reference import all_paths, regions, solutions
from epcg_witness.solving.paths import path_table
from hypothesis import given, settings, strategies as st

from epcg_core.base.errors import QueryError
from epcg_core.compiled import read_only
from epcg_core.domain import BOUND, BlockResult, Cutoff, NoParams
from epcg_core.search.branch_and_bound.prunings import check_block
from epcg_core.search.branch_and_bound.search import PlainSearch
from tests.sweeps import most

LAST = 2**62
RESTRICTIONS: tuple[Restriction, ...] = ("none", "different_types", "not_one_region")


def evaluator(generator: JointPanels) -> JointDifficulty:
    return JointDifficulty(NoParams(), generator)


# --- panels with two pieces, by brute force over all sets of them -------------------------------------------

Solved = tuple[Panel, frozenset[tuple[int, ...]]]
CASES: list[tuple[JointPanelsParams, dict[int, int]]] = [
    (JointPanelsParams(2, 2, 2, sub_panels=2), {2: 88, 3: 80}),
    (JointPanelsParams(2, 2, 2, sub_panels=2, restriction="different_types"), {2: 88, 3: 80}),
    (JointPanelsParams(2, 2, 2, sub_panels=2, restriction="not_one_region"), {}),
    (JointPanelsParams(2, 2, 2), {1: 1220}),
    (JointPanelsParams(2, 2, 2, restriction="different_types"), {1: 1220}),
    (JointPanelsParams(2, 2, 2, restriction="not_one_region"), {}),
]
DRAWN = [
    JointPanelsParams(2, 3, 2, sub_panels=2, restriction=restriction, candidates=400, seed=1)
    for restriction in RESTRICTIONS
]
MORE_DRAWN = [pytest.param(attrs.evolve(params, candidates=2000), marks=pytest.mark.slow) for params in DRAWN]


@cache
def solved_panels(width: int, height: int, candidates: int, seed: int) -> list[Solved]:
    """The solvable panels of two pieces, and the solutions of each, path by path."""
    panels = pieces(PiecesParams(width, height, 2))
    ranks: Sequence[int] = range(panels.max_rank)
    if candidates:
        ranks = random.Random(seed).sample(ranks, candidates)
    found = ((panel, frozenset(solutions(panel))) for panel in map(panels.unrank, ranks))
    return [(panel, solved) for panel, solved in found if solved]


def admitted(params: JointPanelsParams) -> list[Solved]:
    every = solved_panels(params.width, params.height, params.candidates, params.seed)
    if params.restriction != "different_types":
        return every
    return [
        (panel, solved)
        for panel, solved in every
        if len({symbol for _, symbol in panel.symbols}) == len(panel.symbols)
    ]


def parts(panel: Panel, path: tuple[int, ...]) -> bool:
    drawn = set(panel.grid.path_edges(path))
    (one, _), (other, _) = panel.symbols
    return not any({one, other} <= region for region in regions(panel.grid, drawn))


@cache
def values_of_panels(params: JointPanelsParams) -> tuple[int, dict[int, int]]:
    """How many multisets of panels there are, and how many of them have each value, by the definition."""
    every, k = admitted(params), params.sub_panels
    paths = list(all_paths(every[0][0].grid, every[0][0].starts, every[0][0].ends))
    sets = [sum(1 << i for i, path in enumerate(paths) if path in solved) for _, solved in every]
    number, found = 0, dict[int, int]()
    for chosen in combinations_with_replacement(range(len(every)), k):
        number += 1
        joint = common([sets[i] for i in chosen])
        if joint.bit_count() != 1:
            continue
        path = paths[joint.bit_length() - 1]
        if params.restriction == "not_one_region" and not all(parts(every[i][0], path) for i in chosen):
            continue
        rest = combinations([sets[i] for i in chosen], k - 1)
        value = min(common(some).bit_count() for some in rest)
        found[value] = found.get(value, 0) + 1
    return number, found


def common(sets: list[int] | tuple[int, ...]) -> int:
    joint = sets[0]
    for one in sets[1:]:
        joint &= one
    return joint


def ids(params: JointPanelsParams) -> str:
    return f"{params.width}x{params.height}-{params.sub_panels}-{params.restriction}"


@pytest.mark.sweep
@pytest.mark.parametrize("params", [*(params for params, _ in CASES), *DRAWN, *MORE_DRAWN], ids=ids)
def test_the_classes_say_all_that_the_panels_do(params: JointPanelsParams) -> None:
    generator = JointPanels(params)
    number, expected = values_of_panels(params)
    assert generator.represents == number
    states = generator.states_block(0, generator.max_rank)
    evaluation = evaluator(generator).evaluate_states(states)
    weights = np.asarray(Selections(NoParams(), generator).evaluate_states(states).values[0])
    assert evaluation.status is not None
    found = dict[int, int]()
    valued = evaluation.status == 0
    for value, weight in zip(np.asarray(evaluation.values[0])[valued], weights[valued], strict=True):
        found[int(value)] = found.get(int(value), 0) + int(weight)
    assert found == expected
    assert weights.sum() == number


@pytest.mark.parametrize(("params", "expected"), CASES, ids=[ids(params) for params, _ in CASES])
def test_sets_of_small_panels(params: JointPanelsParams, expected: dict[int, int]) -> None:
    assert values_of_panels(params)[1] == expected


@pytest.mark.parametrize("params", [CASES[3][0], *DRAWN, *MORE_DRAWN], ids=ids)
def test_the_search_finds_the_best_set_of_panels(params: JointPanelsParams) -> None:
    generator = JointPanels(params)
    _, expected = values_of_panels(params)
    best = max(expected)
    found = evaluator(generator).search_block(0, generator.max_rank, Cutoff(None, LAST, False))
    assert found.values[-1] == best
    proof = evaluator(generator).search_block(0, generator.max_rank, Cutoff(best, LAST, True))
    selections = Selections(NoParams(), generator)
    stand_for = sum(selections.evaluate(generator.unrank(rank))[0] for rank in proof.ranks.tolist())
    assert stand_for == expected[best]


@pytest.mark.sweep
@pytest.mark.parametrize("restriction", RESTRICTIONS)
def test_plain_and_array_evaluation_agree(restriction: Restriction) -> None:
    generator = JointPanels(JointPanelsParams(3, 2, 2, restriction=restriction))
    ours = evaluator(generator)
    proof = ours.search_block(0, generator.max_rank, Cutoff(1, LAST, True))
    chance = random.Random(7)
    drawn = sorted(
        {*chance.sample(range(generator.max_rank), 20), *chance.choices(proof.ranks.tolist(), k=10)}
    )
    evaluation = ours.evaluate_states(generator.states_at(np.array(drawn, np.int64)))
    assert evaluation.status is not None
    for rank, value, status in zip(drawn, evaluation.values[0], evaluation.status, strict=True):  # type: ignore[arg-type]
        assert ours.evaluate(generator.unrank(rank)) == ((value,) if status == 0 else None)
    assert (evaluation.status == 0).sum() >= 5


# --- random classes -----------------------------------------------------------------------------------------


def random_generator(seed: int, n: int, k: int, side: int, density: float) -> JointPanels:
    """Classes that no panels have: `n` random sets of the paths of a panel, some of them allowed."""
    chance = random.Random(seed)
    generator = JointPanels(JointPanelsParams(side, side, 1, sub_panels=k))
    real = path_table(grid_of(side, side), (0,), ((side + 1) ** 2 - 1,))
    rows = np.zeros((n, real.words), np.uint64)
    allowed = np.zeros((n, real.words), np.uint64)
    # Few paths of all words, so that sets share some.
    shown = chance.sample(range(real.count), min(real.count, 10))
    for row in range(n):
        for path in shown:
            if chance.random() < density:
                bit = np.uint64(1) << np.uint64(path % 64)
                rows[row, path // 64] |= bit
                if chance.random() < 0.8:
                    allowed[row, path // 64] |= bit
    order = np.argsort(-np.bitwise_count(rows).sum(axis=1).astype(np.int64), kind="stable")
    generator.__dict__["classes"] = PanelClasses(
        panels=None,  # type: ignore[arg-type]
        paths=real,
        candidates=n,
        sets=read_only(rows[order]),
        allowed=read_only(allowed[order]),
        weights=(1,) * n,
        examples=tuple(range(n)),
    )
    return generator


def brute(generator: JointPanels) -> list[int | None]:
    """The value of every rank."""
    ours = evaluator(generator)
    found = []
    for rank in range(generator.max_rank):
        partial = ours.empty()
        for item in generator.space.unrank(rank):
            partial = ours.extend(partial, item)
        found.append(ours.value(partial))
    return found


def check_bounds(found: BlockResult, values: list[int | None], incumbent: Cutoff) -> None:
    for start, count, bound, reason in zip(
        found.prunings.start, found.prunings.count, found.prunings.bound, found.prunings.reason, strict=True
    ):
        inside = [value for value in values[start : start + count] if value is not None]
        if reason == BOUND:
            assert max(inside, default=-1) <= bound
            assert not incumbent.reached_by(bound, int(start)) or not incumbent.fixed
        else:
            assert not inside


cases = st.tuples(
    st.integers(0, 10**6), st.integers(1, 9), st.integers(2, 4), st.sampled_from([2, 3]), st.floats(0.3, 0.95)
)


@given(cases, st.data())
def test_the_compiled_search_is_the_plain_one(
    case: tuple[int, int, int, int, float], data: st.DataObject
) -> None:
    generator = random_generator(*case)
    values = brute(generator)
    start = data.draw(st.integers(0, generator.max_rank))
    count = data.draw(st.integers(0, generator.max_rank - start))
    value = data.draw(st.none() | st.integers(0, 10))
    # a rank of this value, which is not pruned: a merged range lies on one side of it
    ties = [rank for rank in range(generator.max_rank) if values[rank] == value]
    ties_to = data.draw(st.sampled_from([LAST, -1, *ties]))
    incumbent = Cutoff(value, ties_to, data.draw(st.booleans()))
    ours = evaluator(generator)
    found = ours.search_block(start, count, incumbent)
    check_block(found, start, count, "the search")
    plain = PlainSearch(generator.prefixes, ours).search_block(start, count, incumbent)
    assert found.ranks.tolist() == plain.ranks.tolist()
    assert found.values.tolist() == plain.values.tolist()
    check_bounds(found, values, incumbent)
    check_bounds(plain, values, incumbent)
    if incumbent.fixed:
        reached = [
            rank
            for rank in range(start, start + count)
            if values[rank] is not None and incumbent.reached_by(values[rank], rank)  # type: ignore[arg-type]
        ]
        assert found.ranks.tolist() == reached


@settings(max_examples=most(40))
@given(cases)
def test_no_bound_is_below_what_can_follow(case: tuple[int, int, int, int, float]) -> None:
    generator = random_generator(*case)
    ours, space = evaluator(generator), generator.prefixes
    values = brute(generator)
    for rank in range(0, generator.max_rank, 1 + generator.max_rank // 50):
        items = tuple(space.items(rank))
        for length in range(len(items)):
            partial = ours.empty()
            for item in items[:length]:
                partial = ours.extend(partial, item)
            first = space.first_rank(items[:length])
            below = values[first : first + space.completions(items[:length])]
            best = max((value for value in below if value is not None), default=None)
            bound = ours.bound(partial)
            assert best is None or (bound is not None and best <= bound)


def test_records_that_are_too_short_are_made_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = random_generator(3, 40, 3, 3, 0.6)
    incumbent = Cutoff(3, LAST, True)
    whole = evaluator(generator).search_block(0, generator.max_rank, incumbent)
    monkeypatch.setattr("epcg_witness.joint_panels.evaluators._FIRST_PRUNINGS", 1)
    monkeypatch.setattr("epcg_witness.joint_panels.evaluators._FIRST_FOUND", 1)
    again = evaluator(generator).search_block(0, generator.max_rank, incumbent)
    assert len(whole.ranks) > 2
    assert len(whole.prunings.start) > 2
    assert again.ranks.tolist() == whole.ranks.tolist()
    assert again.prunings.count.tolist() == whole.prunings.count.tolist()


@pytest.mark.parametrize("make", [JointDifficulty, Selections])
def test_other_generators_are_refused(make: Callable[..., object]) -> None:
    with pytest.raises(QueryError, match="only the generator joint_panels makes"):
        make(NoParams(), object())
