"""Retrograde analysis in plain Python against the definition, and against the pseudo-code's misprint."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache, partial
from itertools import pairwise
from operator import methodcaller
from typing import Any

import numpy as np
import pytest

from epcg_core.base.errors import QueryError, UnknownNameError
from epcg_core.chunks.bitsets import pack, unpack
from epcg_core.domain import Bits
from epcg_core.query.query import parse_query
from epcg_core.runs.coordinator import plan
from epcg_core.runs.sequence import in_order
from epcg_core.search.retrograde import PlainLayer
from epcg_core.store import Reader
from tests.workplace import Workplace

QUERY = """
domain = "pegs"
{more}
[generator]
name = "line"
cells = 9
pegs = 5
[search]
name = "retrograde"
uniqueness = "{uniqueness}"
"""
CONVENTIONS = ["successors", "moves"]


def definition(cells: int, uniqueness: str) -> Callable[[frozenset[int]], tuple[bool, bool]]:
    """Depth-first: (solvable, unique) of a state, from the rules alone."""
    rules = importlib.import_module("epcg_game").Moves(cells)

    @cache
    def solved(state: frozenset[int]) -> tuple[bool, bool]:
        if len(state) == 1:
            return rules.is_goal(state), rules.is_goal(state)
        ways = [rules.apply(state, action) for action in rules.actions(state)]
        if uniqueness == "successors":
            ways = list(set(ways))
        leading = [solved(way) for way in ways if solved(way)[0]]
        if len(state) == 2:
            return bool(leading), bool(leading)
        return bool(leading), len(leading) == 1 and leading[0][1]

    return solved


def layer_values(reader: Reader, run_id: int, count: int) -> list[tuple[bool, bool]]:
    columns: list[Any] = []
    for name in ("solvable", "unique"):
        columns.append([reader.value(run_id, name, rank) for rank in range(count)])
    return list(zip(*columns, strict=True))


PEGS = pytest.mark.parametrize("pegs", [3, pytest.param(5, marks=pytest.mark.slow)])


@pytest.mark.sweep
@PEGS
@pytest.mark.parametrize("uniqueness", CONVENTIONS)
def test_every_layer_is_what_the_definition_says(bench: Workplace, uniqueness: str, pegs: int) -> None:
    outcome = bench.given(QUERY.format(uniqueness=uniqueness, more=""), f"generator.pegs={pegs}")
    assert [run.layer for run in outcome.runs] == [*range(1, pegs + 1)]
    line = importlib.import_module("epcg_game")
    solved = definition(9, uniqueness)
    for run in outcome.runs:
        generator = line.Line(line.LineParams(9, run.layer))
        found: Any = bench.read(partial(layer_values, run_id=run.id, count=run.max_rank))
        assert found == [solved(generator.unrank(rank)) for rank in range(generator.max_rank)]
        assert run.coverage == "exhaustive"


def test_the_conventions_differ_and_nothing_is_trivial(bench: Workplace) -> None:
    line = importlib.import_module("epcg_game")
    states = [line.Line(line.LineParams(9, 5)).unrank(rank) for rank in range(126)]
    by_successors, by_moves = (list(map(definition(9, name), states)) for name in CONVENTIONS)
    assert [s for s, _ in by_successors] == [s for s, _ in by_moves]
    solvable = sum(s for s, _ in by_successors)
    unique = [sum(u for _, u in found) for found in (by_successors, by_moves)]
    assert 0 < unique[1] < unique[0] < solvable < 126


@pytest.mark.parametrize("uniqueness", CONVENTIONS)
def test_counters_that_are_reset_inside_the_loop_give_another_answer(
    bench: Workplace, uniqueness: str
) -> None:
    """The printed Algorithm 5 sets both counters to 0 at every successor, so that only the last counts."""
    line = importlib.import_module("epcg_game")
    generator, lower = line.Line(line.LineParams(9, 4)), line.Line(line.LineParams(9, 3))
    solved = definition(9, uniqueness)
    truth = [solved(lower.unrank(rank)) for rank in range(lower.max_rank)]
    inputs = {
        "solvable": pack(np.array([s for s, _ in truth])), "unique": pack(np.array([u for _, u in truth]))
    }  # fmt: skip
    block = PlainLayer(generator, lower, inputs, uniqueness, 3).solve(0, generator.max_rank)
    columns = [value for value in block.evaluation.values if isinstance(value, Bits)]
    ours = [unpack(bits, 0, generator.max_rank).tolist() for bits in columns]
    misprint: list[list[bool]] = [[], []]
    for rank in range(generator.max_rank):
        state = generator.unrank(rank)
        model = generator.transition_model
        last = (False, False)
        for action in model.actions(state):
            last = solved(model.apply(state, action))
        misprint[0].append(last[0])
        misprint[1].append(last[0] and last[1])
    assert ours == [list(column) for column in zip(*map(solved, generator._states), strict=True)]
    assert misprint != ours


class Chain:
    """A generator and its model: the successors of every number are 0 .. width - 1."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.looked_up = 0
        self.max_rank = 1
        self.transition_model = self

    def unrank(self, rank: int) -> int:
        return rank

    def actions(self, state: int) -> range:
        return range(self.width)

    def apply(self, state: int, action: int) -> int:
        return action

    def key(self, state: int) -> int:
        return state

    def is_goal(self, state: int) -> bool:
        return state == 0

    def rank(self, state: int) -> int:
        self.looked_up += 1
        return state


@pytest.mark.parametrize(
    ("solvable", "unique", "expected", "looked_up"),
    [
        ([0, 0, 0, 0], [0, 0, 0, 0], (False, False), 4),
        ([0, 0, 1, 0], [0, 0, 1, 0], (True, True), 4),
        ([0, 0, 1, 0], [0, 0, 0, 0], (True, False), 4),
        ([0, 1, 1, 0], [0, 1, 0, 0], (True, False), 3),
        ([1, 1, 1, 1], [1, 1, 1, 1], (True, False), 2),
        ([1, 0, 0, 1], [1, 0, 0, 0], (True, False), 4),
    ],
)
def test_one_solvable_successor_that_is_unique_and_no_second(
    solvable: list[int], unique: list[int], expected: tuple[bool, bool], looked_up: int
) -> None:
    """The search stops at the second solvable successor."""
    chain = Chain(4)
    inputs = {"solvable": pack(np.array(solvable, np.bool_)), "unique": pack(np.array(unique, np.bool_))}
    layer = PlainLayer(chain, chain, inputs, "successors", height=2)
    assert layer.solve_state(0) == expected
    assert chain.looked_up == looked_up


def test_the_last_move_is_excepted() -> None:
    """One layer above the lowest, a solvable state counts as unique however many moves solve it."""
    chain = Chain(3)
    inputs = {name: pack(np.ones(3, np.bool_)) for name in ("solvable", "unique")}
    assert PlainLayer(chain, chain, inputs, "successors", height=1).solve_state(0) == (True, True)
    assert PlainLayer(chain, chain, inputs, "successors", height=2).solve_state(0) == (True, False)
    assert PlainLayer(chain, None, {}, "successors", height=0).solve_state(0) == (True, True)
    assert PlainLayer(chain, None, {}, "successors", height=0).solve_state(1) == (False, False)


@pytest.mark.parametrize(("below", "pegs"), [(2, 3), pytest.param(3, 5, marks=pytest.mark.slow)])
def test_layers_are_made_once_and_used_again(bench: Workplace, below: int, pegs: int) -> None:
    first = bench.run(QUERY.format(uniqueness="moves", more=""), f"generator.pegs={below}")
    second = bench.run(QUERY.format(uniqueness="moves", more=""), f"generator.pegs={pegs}")
    assert [run.id for run in second.runs[:below]] == [run.id for run in first.runs]
    assert second.computed == tuple(run.id for run in second.runs[below:])
    other = bench.run(QUERY.format(uniqueness="successors", more=""), f"generator.pegs={pegs}")
    assert len(other.computed) == pegs


@PEGS
def test_each_layer_says_what_it_was_computed_from(bench: Workplace, pegs: int) -> None:
    runs = bench.given(QUERY.format(uniqueness="moves", more=""), f"generator.pegs={pegs}").runs
    assert len(runs) == pegs
    for below, run in pairwise(runs):
        found: Any = bench.read(methodcaller("inputs_of", run.id))
        assert sorted(found) == [("solvable", below.id, below.digest), ("unique", below.id, below.digest)]
    assert bench.read(lambda reader: reader.inputs_of(runs[0].id)) == []


@PEGS
def test_only_the_top_layer_can_be_done_in_part(bench: Workplace, pegs: int) -> None:
    text = QUERY.format(uniqueness="moves", more="range = { start = 5, stop = 50 }")
    runs = bench.run(text, f"generator.pegs={pegs}").runs
    assert len(runs) == pegs
    assert [(run.start, run.stop) for run in runs[:-1]] == [(0, run.max_rank) for run in runs[:-1]]
    assert (runs[-1].start, runs[-1].stop, runs[-1].coverage) == (5, 50, "semi-exhaustive")
    solved = definition(9, "moves")
    line = importlib.import_module("epcg_game")
    generator = line.Line(line.LineParams(9, pegs))
    found: Any = bench.read(
        lambda reader: [reader.value(runs[-1].id, "solvable", rank) for rank in range(5, 50)]
    )
    assert found == [solved(generator.unrank(rank))[0] for rank in range(5, 50)]


def test_the_plan_lists_the_lowest_layer_first(bench: Workplace) -> None:
    _, goal = plan(parse_query(QUERY.format(uniqueness="moves", more="")))
    specs = in_order(goal)
    assert [spec.layer for spec in specs] == [1, 2, 3, 4, 5]
    assert [spec.max_rank for spec in specs] == [9, 36, 84, 126, 126]
    assert len({spec.identity for spec in specs}) == 5
    for spec in specs:
        assert (
            plan(parse_query(QUERY.format(uniqueness="moves", more=""), [f"generator.pegs={spec.layer}"]))[
                1
            ].identity
            == spec.identity
        )


@pytest.mark.parametrize(
    ("overrides", "sentence"),
    [
        (['domain="numbers"', 'generator={name = "range"}'],
         "numbers:range has no layers, so the search retrograde does not apply: use the exhaustive search."),
        (['evaluators=[{name = "span"}]'],
         "The search retrograde takes no [[evaluators]], because it computes 'solvable' and 'unique' itself"),
        (['filter={metric = "unique", search = {name = "retrograde"}}'],
         "The search retrograde takes no [filter], because it solves whole layers: remove [filter]."),
        (["range.stop=127"], "range: 0 to 127 is not inside the space, whose ranks are 0 to 125."),
    ],
)  # fmt: skip
def test_what_retrograde_analysis_cannot_do(bench: Workplace, overrides: list[str], sentence: str) -> None:
    with pytest.raises(QueryError) as raised:
        plan(parse_query(QUERY.format(uniqueness="moves", more=""), overrides))
    assert str(raised.value).startswith(sentence)


def test_only_its_own_metrics_can_be_selected(bench: Workplace) -> None:
    with pytest.raises(
        UnknownNameError, match=r"line 3, column 1: select 1: unknown metric 'uniqe'\. Did you mean"
    ):
        plan(parse_query(QUERY.format(uniqueness="moves", more='select = [{ metric = "uniqe" }]')))
    with pytest.raises(
        UnknownNameError, match=r"line 10, column 1: search\.uniqueness: unknown value 'move'"
    ):
        plan(parse_query(QUERY.format(uniqueness="move", more="")))
