"""The compiled walk against the plain measures, and against what is known of panels."""

from __future__ import annotations

import random
from functools import partial
from math import inf
from typing import Any

import pytest
from epcg_witness.evaluation.entropy import (
    Entropy,
    PanelEntropy,
    RuleDifferential,
    make_entropy,
    make_leave_one_out,
    make_rule_differential,
    panel_entropy,
)
from epcg_witness.formats.windmill import read_windmill
from epcg_witness.inference.rules import RULES, triangle
from epcg_witness.params import Counting, PanelDifferentialParams, PanelEntropyParams
from epcg_witness.rules.grid import grid_of
from epcg_witness.rules.model import PanelModel
from epcg_witness.rules.panel import COLOURS, Panel, Polyomino, Square, Star, Triangles
from hypothesis import HealthCheck, given, settings, strategies as st

from epcg_core.base.errors import EpcgError
from epcg_core.difficulty import StateSpace, adversarial, msi, muse, remuse, tsi
from epcg_core.domain import InferenceRuleInfo, LimitReachedError
from epcg_core.plugins.registry import registry
from epcg_core.query.named import load_query
from tests.witness.small_panels import (
    ALL,
    BY_NAME,
    CORNERS,
    DIAGONAL,
    HALVES,
    KNOWN,
    LARGE,
    NO_RULES,
    STACKED,
    THREE,
    Known,
    panel,
)
from tests.workplace import facts, shared_json

MODEL = PanelModel()


def plain_entropy(panel: Panel, rules: tuple[str, ...], counting: Counting = "exact") -> PanelEntropy:
    """The same by the core's plain measures."""
    own = RULES | {"triangle": partial(triangle, counting=counting)}
    space = StateSpace(MODEL, panel, [own[name] for name in rules])
    return PanelEntropy(
        muse(space, collapse_zero=True).value,
        remuse(space).value,
        adversarial(space).value,
        msi(space).value,
        tsi(space).value,
        len(space),
    )


def bits(found: PanelEntropy) -> tuple[float, ...]:
    return found.muse, found.remuse, found.msi, found.tsi, found.adversarial, found.states


@st.composite
def panels(draw: st.DrawFn) -> Panel:
    """Small panels with all kinds of symbols, dots, gaps, and any starts and ends."""
    width, height = draw(st.sampled_from([(1, 1), (1, 3), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3)]))
    grid = grid_of(width, height)
    colours = st.sampled_from(COLOURS[:3])
    shapes = st.sampled_from(["#", "##", "#/#", "##/#.", "##/##", "###"])
    symbol = st.one_of(
        colours.map(Square),
        colours.map(Square),
        colours.map(Star),
        st.integers(1, 3).map(Triangles),
        st.builds(
            Polyomino.parse, shapes, free=st.booleans(), negative=st.sampled_from([False, False, True])
        ),
    )
    symbols = draw(st.dictionaries(st.integers(0, grid.cells - 1), symbol, max_size=5))
    dots = draw(st.sets(st.integers(0, grid.locations - 1), max_size=2))
    gaps = draw(st.sets(st.integers(0, grid.edges - 1), max_size=2)) - dots
    vertices = st.integers(0, grid.vertices - 1)
    if draw(st.booleans()):
        return Panel(width=width, height=height, symbols=symbols, dots=dots, gaps=gaps)
    starts = draw(st.sets(vertices, min_size=1, max_size=2))
    ends = draw(st.sets(vertices.filter(lambda v: v not in starts), min_size=1, max_size=2))
    return Panel(width=width, height=height, symbols=symbols, dots=dots, gaps=gaps, starts=starts, ends=ends)


RULE_SETS = st.one_of(st.sampled_from([NO_RULES, THREE, ALL]), st.sets(st.sampled_from(ALL)).map(tuple))


@given(panels(), RULE_SETS)
@settings(derandomize=True, suppress_health_check=list(HealthCheck))
def test_the_compiled_walk_is_the_plain_one(panel: Panel, rules: tuple[str, ...]) -> None:
    """Bit for bit: the same operations of scalar `math`, in the same order."""
    assert panel_entropy(panel, rules) == plain_entropy(panel, rules)


@given(st.data())
@settings(derandomize=True, suppress_health_check=list(HealthCheck))
def test_the_compiled_walk_counts_as_published(data: st.DataObject) -> None:
    grid = grid_of(3, 3)
    symbols = data.draw(st.dictionaries(st.integers(0, grid.cells - 1), st.integers(1, 3), min_size=1))
    one = Panel(width=3, height=3, symbols={cell: Triangles(n) for cell, n in symbols.items()})
    rules = data.draw(st.sampled_from([("triangle",), (*THREE, "triangle"), ALL]))
    assert panel_entropy(one, rules, counting="published") == plain_entropy(one, rules, "published")


def test_the_published_counting_differs_only_on_some_panels_with_three_triangles() -> None:
    r = random.Random(4)
    differ = 0
    for _ in range(60):
        cells = r.sample(range(9), r.randint(1, 3))
        kinds = (1, 2, 3) if r.random() < 0.7 else (1, 2)
        one = Panel(width=3, height=3, symbols={cell: Triangles(r.choice(kinds)) for cell in cells})
        exact, published = (
            panel_entropy(one, (*THREE, "triangle"), counting=c) for c in ("exact", "published")
        )
        differ += exact != published
        assert exact == published or any(symbol == Triangles(3) for _, symbol in one.symbols)
    assert 5 < differ < 50


@pytest.mark.slow
@given(panels(), RULE_SETS)
@settings(max_examples=5000, suppress_health_check=list(HealthCheck))
def test_the_compiled_walk_is_the_plain_one_on_many_panels(panel: Panel, rules: tuple[str, ...]) -> None:
    assert panel_entropy(panel, rules) == plain_entropy(panel, rules)


@pytest.mark.parametrize("known", [*KNOWN, *LARGE])
def test_known_panels(known: Known) -> None:
    assert bits(panel_entropy(known.panel, known.rules)) == pytest.approx(known[2:], abs=1e-8)


def test_the_order_of_the_rules_does_not_matter() -> None:
    assert panel_entropy(CORNERS, ALL[::-1]) == panel_entropy(CORNERS, ALL)


def test_all_vertices_of_the_largest_panel_fit() -> None:
    """The last vertex is the highest bit of a word; dots lead the path along the border."""
    grid = grid_of(7, 7)
    border = [grid.vertical_edge(0, y) for y in range(7)] + [grid.horizontal_edge(x, 7) for x in range(7)]
    found = panel_entropy(Panel(width=7, height=7, dots=border), THREE)
    assert (found.muse, found.tsi, found.adversarial) == (0.0, 0.0, 0.0)
    assert found.states == 17


def test_a_choice_of_starts_costs_a_bit() -> None:
    two = Panel(width=1, height=1, starts=[0, 1], ends=[3])
    assert panel_entropy(panel(1, 1), THREE).msi == 1.0
    assert panel_entropy(two, THREE).msi == 2.0
    assert plain_entropy(two, THREE) == panel_entropy(two, THREE)


def test_a_limit_of_states() -> None:
    found = panel_entropy(CORNERS, THREE)
    assert panel_entropy(CORNERS, THREE, limit=found.states) == found
    with pytest.raises(LimitReachedError):
        panel_entropy(CORNERS, THREE, limit=found.states - 1)


# --- evaluators ----------------------------------------------------------------------------------------


def test_the_evaluator_has_the_published_conventions() -> None:
    found = panel_entropy(HALVES, THREE)
    evaluator = make_entropy(PanelEntropyParams(), None)
    assert isinstance(evaluator, Entropy)
    names = [metric.name for metric in evaluator.metrics]
    assert names == ["muse", "remuse", "adversarial", "msi", "tsi", "entropy_states"]
    expected = (found.muse, found.remuse, found.adversarial, found.msi, found.tsi, found.states)
    assert evaluator.evaluate(HALVES) == expected


@pytest.mark.parametrize("counting", ["exact", "published"])
def test_the_counting_is_a_param_of_the_rule(counting: Counting) -> None:
    """With a depth limit the plain evaluator answers the same."""
    one = panel(3, 2, {(1, 0): Triangles(3), (2, 1): Triangles(2)})
    params: dict[str, Any] = {
        "rules": (*THREE, "triangle"),
        "rule_params": {"triangle": {"counting": counting}},
    }
    compiled = make_entropy(PanelEntropyParams(**params), None)
    assert isinstance(compiled, Entropy)
    plain = make_entropy(PanelEntropyParams(**params, depth_limit=50), _Generator())
    assert not isinstance(plain, Entropy)
    assert compiled.evaluate(one) == plain.evaluate(one)
    found = panel_entropy(one, params["rules"], counting=counting)
    assert compiled.evaluate(one)[4] == found.tsi
    alone = PanelDifferentialParams(rule="triangle", **params)
    without = panel_entropy(one)
    with_it = panel_entropy(one, ("triangle",), counting=counting)
    assert make_rule_differential(alone, None).evaluate(one) == (without.muse - with_it.muse,)


def test_params_of_the_rule_are_checked() -> None:
    for params, message in [
        ({"triangle": {"counting": "other"}}, "rule_params.triangle.counting"),
        ({"triangle": {"count": "exact"}}, "rule_params.triangle: unknown key 'count'"),
        ({"path": {"counting": "exact"}}, "unknown key"),
    ]:
        with pytest.raises(EpcgError, match=message):
            make_entropy(PanelEntropyParams(rules=ALL, rule_params=params), _Generator())
    with pytest.raises(EpcgError, match="unknown rule 'triangle'"):
        make_entropy(PanelEntropyParams(rule_params={"triangle": {"counting": "published"}}), _Generator())


def test_without_the_collapse_muse_is_msi() -> None:
    row = make_entropy(PanelEntropyParams(collapse_zero=False, rules=ALL), None).evaluate(CORNERS)
    assert row[0] == row[3] == panel_entropy(CORNERS, ALL).msi > panel_entropy(CORNERS, ALL).muse


def test_of_a_panel_without_a_solution_only_what_is_finite_is_known() -> None:
    found = panel_entropy(DIAGONAL, THREE)
    assert found.tsi == inf
    expected = (None, None, found.adversarial, None, None, found.states)
    assert make_entropy(PanelEntropyParams(), None).evaluate(DIAGONAL) == expected


class _Generator:
    transition_model = MODEL


def test_with_a_depth_limit_the_plain_evaluator_answers() -> None:
    params = PanelEntropyParams(depth_limit=50)
    evaluator = make_entropy(params, _Generator())
    assert not isinstance(evaluator, Entropy)
    assert evaluator.evaluate(HALVES) == make_entropy(PanelEntropyParams(), None).evaluate(HALVES)


def test_the_shipped_query_for_hard_panels_knows_all_rules() -> None:
    """With the three default rules most panels tie."""
    (entropy,) = load_query("witness/one_rule").evaluators
    known = [info.name for info in registry().all(InferenceRuleInfo, "witness") if info.name != "patterns"]
    assert len(known) == 6
    assert sorted(entropy.params["rules"]) == known


def test_what_one_rule_is_worth() -> None:
    alone = make_rule_differential(PanelDifferentialParams(rule="separation"), None)
    assert isinstance(alone, RuleDifferential)
    assert alone.metrics[0].name == "rule_differential"
    without, with_it = panel_entropy(STACKED), panel_entropy(STACKED, ("separation",))
    assert alone.evaluate(STACKED) == (without.muse - with_it.muse,)
    last = make_leave_one_out(PanelDifferentialParams(rule="separation", rules=THREE, measure="tsi"), None)
    others = panel_entropy(HALVES, THREE[:2]).tsi - panel_entropy(HALVES, THREE).tsi
    assert last.evaluate(HALVES) == (others,)
    assert others > 0.0


def test_rule_differentials_agree_with_the_plain_ones() -> None:
    for make in (make_rule_differential, make_leave_one_out):
        compiled = PanelDifferentialParams(rule="reach-goal", rules=THREE)
        plain = PanelDifferentialParams(rule="reach-goal", rules=THREE, depth_limit=50)
        assert make(compiled, None).evaluate(HALVES) == make(plain, _Generator()).evaluate(HALVES)


def test_a_differential_needs_a_rule_and_a_solution() -> None:
    with pytest.raises(EpcgError, match="name the inference rule"):
        make_rule_differential(PanelDifferentialParams(), None)
    rule = PanelDifferentialParams(rule="separation")
    assert make_rule_differential(rule, None).evaluate(DIAGONAL) is None


# --- published values -------------------------------------------------------------------------------------


def test_published_values_of_community_puzzles() -> None:
    """Rules 1 to 3, with the zero collapse (Shen & Sturtevant 2024)."""
    published = [p for p in shared_json("data/windmill/puzzles_103.json") if "published" in p]
    assert len(published) == 52
    for puzzle in published:
        found = panel_entropy(read_windmill(puzzle["contents"], puzzle["id"]), THREE)
        values = {
            "muse": found.muse, "remuse": found.remuse, "adv_entropy": found.adversarial, "tsi": found.tsi
        }  # fmt: skip
        expected = {name: puzzle["published"][name] for name in values}
        assert values == pytest.approx(expected, abs=1e-4), puzzle["id"]


def test_all_small_panels_of_the_golden_file() -> None:
    for row in facts("witness")["small_panels"]:
        one = BY_NAME.get(row["name"]) or panel(row["w"], row["h"])
        found = bits(panel_entropy(one, row["rules"]))
        names = ("muse", "remuse", "msi", "tsi", "adv", "states_visited")
        expected = [inf if row[name] is None else row[name] for name in names]
        assert found == pytest.approx(expected, abs=1e-8), row["name"]
