"""A wish: conditions, the order among equals, and that no two are alike, compared with plain Python."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result
from hypothesis import given, strategies as st

import epcg_core as epcg
from epcg_core.base.errors import EpcgError, ParamsError
from epcg_core.base.params import structure
from epcg_core.domain import Metric
from epcg_core.query.conditions import Condition
from epcg_core.query.query import SelectParams
from epcg_core.query.wish import NOT_DECIDED, Column, Tally, in_words as words, lacks, misses
from epcg_core.rendering.places import marks, places_between, share_between
from epcg_core.store import selection
from epcg_core.store.likeness import Likeness
from epcg_core.store.selection import grant
from tests.core.test_selection import METRICS, Values, laws, recorded, rows
from tests.workplace import Numbers

NAMES = [metric.name for metric in METRICS]
limits = st.none() | st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0])
constants = st.sampled_from([True, False, 0.5, 1.0, 2.0, "text"])
conditions = st.one_of(
    st.builds(Condition, st.sampled_from(NAMES), limits, limits),
    st.builds(Condition, st.sampled_from(NAMES), limits, above=limits, below=limits),
    st.builds(Condition, st.sampled_from(NAMES), equals=constants),
    st.builds(Condition, st.sampled_from(NAMES), among=st.lists(constants, min_size=1).map(tuple)),
    st.builds(Condition, st.sampled_from(NAMES), max=limits, without=st.tuples(constants)),
    st.builds(Condition, st.sampled_from(NAMES), absent=st.booleans()),
)


def value_of(row: Any, name: str) -> Any:
    return None if row is None else row[NAMES.index(name)]


def meets(row: Any, condition: Condition) -> bool:
    value = value_of(row, condition.metric)
    if value is None or condition.absent:
        return value is None and condition.absent
    within = [
        condition.min is None or value >= condition.min,
        condition.max is None or value <= condition.max,
        condition.above is None or value > condition.above,
        condition.below is None or value < condition.below,
    ]
    equal = condition.equals is None or value == condition.equals
    among = not condition.among or any(value == each for each in condition.among)
    return bool(all(within) and equal and among and all(value != each for each in condition.without or ()))


def in_words(values: Values, rule: SelectParams) -> tuple[list[int], list[tuple[int, int, int]]]:
    """The ranks that a rule keeps, and (first, alone, others) of each condition."""
    first_of_all = Condition(rule.metric, rule.min, rule.max)
    every = [first_of_all, *(each for each in rule.where if each != first_of_all)]  # said twice, counted once
    met = [rank for rank, row in enumerate(values) if all(meets(row, each) for each in every)]
    signs = {m.name: 1 if m.direction == "max" else -1 for m in METRICS}
    signs[rule.metric] = signs[rule.metric] if rule.end is None else {"max": 1, "min": -1}[rule.end]

    def key(rank: int) -> Any:
        own: list[Any] = [-signs[rule.metric] * value_of(values[rank], rule.metric)]
        return [*own, *(-signs[name] * value_of(values[rank], name) for name in rule.then), rank]

    met.sort(key=key)
    if rule.keep == "best":
        met = [r for r in met if value_of(values[r], rule.metric) == value_of(values[met[0]], rule.metric)]
    counts = []
    for i, condition in enumerate(every):
        failing = [row for row in values if not meets(row, condition)]
        first = [row for row in failing if all(meets(row, each) for each in every[:i])]
        others = [row for row in failing if all(meets(row, each) for n, each in enumerate(every) if n != i)]
        counts.append((len(first), len(failing), len(others)))
    return met[: rule.count] if rule.keeps_count else met, counts


@laws
@given(
    rows,
    st.sampled_from(NAMES),
    st.sampled_from(["top", "highest", "lowest", "best", "threshold"]),
    st.lists(conditions, max_size=3),
    st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
    limits,
    limits,
)
def test_a_wish_agrees_with_plain_python(
    values: Values,
    metric: str,
    keep: str,
    where: list[Condition],
    then: list[str],
    low: float | None,
    high: float | None,
) -> None:
    rule = SelectParams(metric, keep, 3, low, high, where=tuple(where), then=tuple(then))
    if not rule.wishes:
        return
    ranks, counts = in_words(values, rule)
    with recorded(values) as reader:
        found = grant(reader, 1, rule)
    assert [rank for rank, _ in found.found] == ranks
    assert [value for _, value in found.found] == [value_of(values[rank], metric) for rank in ranks]
    verdict = found.verdict
    assert verdict is not None
    assert [(each.first, each.alone, each.others) for each in verdict.judged] == counts
    assert verdict.met + sum(each.first for each in verdict.judged) == verdict.candidates == len(values)


def test_classes_and_looks_are_heeded_in_the_order_of_preference() -> None:
    values: Values = [(number, 0.0, True) for number in range(20)]
    looks = [frozenset({(0, rank // 3, "x"), (1, rank, "y")}) for rank in range(20)]
    rule = SelectParams("number", "highest", 4, apart=3)
    with recorded(values) as reader:
        found = grant(reader, 1, rule, Likeness(None, lambda rank: [looks[rank]]))
        assert [rank for rank, _ in found.found] == [19, 17, 14, 11]
        classes = Likeness(lambda ranks: ranks // 4 * 4, lambda rank: [looks[rank]])
        found = grant(reader, 1, SelectParams("number", "lowest", 3, apart=1, distinct=True), classes)
        assert [rank for rank, _ in found.found] == [0, 4, 8]


def test_images_count_as_one() -> None:
    values: Values = [(3, 0.0, True), (2, 0.0, True), (1, 0.0, True)]
    left, right = frozenset({(0, 0, "x")}), frozenset({(0, 9, "x")})
    looks = {0: [left, right], 1: [right, left], 2: [frozenset({(5, 5, "x")})] * 2}
    with recorded(values) as reader:
        found = grant(reader, 1, SelectParams("number", apart=1), Likeness(None, lambda rank: looks[rank]))
    assert [rank for rank, _ in found.found] == [0, 2]


def test_how_many_are_as_good_as_the_last() -> None:
    values: Values = [(5, 1.0, True)] * 3 + [(5, 2.0, True)] * 4 + [None]
    with recorded(values) as reader:
        assert grant(reader, 1, SelectParams("number", "top", 2, where=(Condition("flag"),))).equal == 5
        assert grant(reader, 1, SelectParams("number", "top", 2, then=("share",))).equal == 1


def test_what_stands_in_place_of_a_missing_value_does_not_count() -> None:
    missing = np.array([False, False, True, True, True])
    columns = {
        "first": Column(np.array([1, 1, 1, 1, 1])),
        "then": Column(np.array([7, 7, 7, 8, 9]), missing),
    }
    assert selection._equal(columns, np.arange(5), [0]) == 1
    assert selection._equal(columns, np.arange(5), [0, 1, 2]) == 2


def test_conditions_are_told_as_they_were_asked() -> None:
    assert str(Condition("positions", 1_234_567)) == "positions of 1234567 or more"
    assert str(Condition("share", 0.1, 12345.678)) == "share from 0.1 to 12345.678"
    nothing = Tally((Condition("a"), Condition("b", 1))).verdict()
    assert words(nothing).endswith("None of 0 meets all conditions.")


def test_one_candidate_is_told_in_the_singular() -> None:
    tally = Tally((Condition("a"), Condition("b", 1)))
    columns = {
        "a": Column(np.array([1, 1, 1]), np.array([True, False, False])),
        "b": Column(np.array([1, 1, 0])),
    }
    tally.judge(columns, 3)
    told = "1 of 3 meets all conditions; 1 has no a, 1 has a b below 1, each counted"
    assert words(tally.verdict()).startswith(told)
    tally = Tally((Condition("a"), Condition("b", 2), Condition("a", 1)))
    tally.judge(columns, 3)
    assert words(tally.verdict()).endswith("'b of 2 or more' alone stands in the way: 2 meet all others.")
    tally = Tally((Condition("a"), Condition("b", 2)))
    tally.judge({name: Column(np.array([1])) for name in "ab"}, 1)
    assert words(tally.verdict()).endswith("'b of 2 or more' alone stands in the way: 1 meets all others.")


MOVES = Metric("moves", none="no solution (proven)")
ONE = Metric("shortest_solutions")
FAIR = Metric("fair", "bool", title="has exactly one solution")
STEP = Metric("hardest_step", words=("without notes", "an assumption"))


def test_what_fails_is_told_in_the_words_of_its_measure() -> None:
    """A candidate without a value of a measure fails its condition, and is not told to have one."""
    tally = Tally(
        (Condition("moves"), Condition("shortest_solutions", max=1), Condition("fair", equals=True))
    )
    gone, there = np.array([True] * 4 + [False] * 4), np.array([False] * 7 + [True])
    columns = {
        "moves": Column(np.full(8, 9), gone),
        "shortest_solutions": Column(np.array([1, 1, 1, 1, 1, 1, 3, 0]), there),
        "fair": Column(np.array([False, False, False, False, False, True, True, True])),
    }
    tally.judge(columns, 8)
    metrics = {each.name: each for each in (MOVES, ONE, FAIR)}
    told = words(tally.verdict(), metrics, {MOVES.none: 3, NOT_DECIDED: 1})
    assert told == (
        "1 of 8 meets all conditions; 3 cannot be solved, 1 is not decided, because a limit was reached, "
        "1 has no known number of shortest solutions, 1 has 2 or more shortest solutions, "
        "1 does not have exactly one solution, each counted at the first that it fails."
    )
    assert "4 have no known number of moves" in words(tally.verdict(), metrics)


@pytest.mark.parametrize(
    ("condition", "metric", "told"),
    [
        (Condition("moves", min=1), MOVES, "have 0 moves"),
        (Condition("moves", min=3, max=8), MOVES, "have fewer than 3 or more than 8 moves"),
        (Condition("moves", among=(2, 1_000)), MOVES, "have another number of moves than 2 or 1,000"),
        (Condition("moves", without=(2,)), MOVES, "have 2 moves"),
        (Condition("moves", absent=True), MOVES, "have a value of moves"),
        (Condition("hardest_step", max=0), STEP, "have a hardest step above without notes"),
        (Condition("hardest_step", equals=1), STEP, "have a hardest step other than an assumption"),
        (Condition("gain", 0.125), Metric("gain", "real"), "have a gain below 0.125"),
        (Condition("imbalance", 0.5), Metric("imbalance", "real"), "have an imbalance below 0.5"),
        (
            Condition("muse", max=2),
            Metric("muse", "real", title="choices (MUSE)"),
            "have choices (MUSE) above 2",
        ),
        (Condition("solvable", equals=True), Metric("s", "bool", title="can be solved"), "cannot be solved"),
        (Condition("solvable", equals=False), Metric("s", "bool", title="can be solved"), "can be solved"),
        (Condition("fair", equals=False), FAIR, "have exactly one solution"),
        (Condition("way", equals=True), Metric("way", "bool", title="one way only"), "lack “one way only”"),
    ],
)
def test_how_values_differ_from_a_condition(condition: Condition, metric: Metric, told: str) -> None:
    assert misses(condition, metric, 5) == told


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("no solution (proven)", "cannot be solved"),
        ("no solution, as read (2 rules left out)", "cannot be solved, as read (2 rules left out)"),
        ("no solution, without undo", "cannot be solved, without undo"),
        (
            "no solution, or the wrong numbers",
            "have no known number of moves (no solution, or the wrong numbers)",
        ),
        ("not fair", "have no known number of moves (not fair)"),
        ("no value", "have no known number of moves"),
    ],
)
def test_why_there_is_no_value_is_told_as_it_was_read(reason: str, told: str) -> None:
    assert lacks(MOVES, 5, reason) == told


def test_measures_that_count_have_a_noun_in_the_plural() -> None:
    nouns = ["ways to complete it", "shortest solutions", "solutions", "lines of fault", "rules fired"]
    others = ["longest line", "room for jumps", "imbalance", "gain", "move where a shortcut leaves"]
    assert [each for each in nouns + others if Metric("x", title=each).counts] == nouns


@given(st.text("ab.\n", max_size=20), st.text("ab.\n", max_size=20))
def test_distances_are_symmetric(a: str, b: str) -> None:
    first, second = marks(a), marks(b)
    assert places_between(first, second) == places_between(second, first)
    assert share_between(first, second) == share_between(second, first)
    assert places_between(first, first) == 0


def test_what_moved_is_two_places() -> None:
    assert places_between(marks("#..\n...\n..."), marks("..#\n...\n...")) == 2
    assert places_between(marks("a b c"), marks("a d c")) == 1


# --- as a user asks -----------------------------------------------------------------------------------

WISH = """
[[select]]
metric = "digits"
keep = "highest"
count = 5
where = [{ metric = "even", equals = true }, { metric = "root", max = 7.75 }]
then = ["root"]
"""


def test_a_query_keeps_what_meets_its_wish_and_verification_asks_again(
    toy: Numbers, cli: Callable[..., Result]
) -> None:
    query = toy.file("digits", "even", "root", more=WISH)
    data = json.loads(cli("run", query, "--json").stdout)
    expected = sorted((n for n in range(61) if n % 2 == 0), key=lambda n: (-sum(map(int, str(n))), -n))[:5]
    (kept,) = data["kept"]
    assert [each["rank"] for each in kept["candidates"]] == expected
    assert kept["wish"]["candidates"] == 100
    assert kept["wish"]["met"] == 31
    assert "50 lack “even”" in kept["wish"]["text"]
    assert "19 have a root above 7.75" in kept["wish"]["text"]
    assert kept["wish"]["text"] in cli("run", query).stderr
    assert cli("verify", 1, "--sample", 5).stdout
    toy.change("UPDATE candidate SET kept = 0, kept_by = NULL, state = NULL WHERE rank = 58")
    changed = cli("verify", 1, code=4).stdout
    assert "58" in changed, changed


def test_what_stands_in_the_way_is_named(toy: Numbers, cli: Callable[..., Result]) -> None:
    even, large = '{ metric = "even", equals = true }', '{ metric = "digits", min = 18 }'

    def told(*where: str) -> str:
        more = f'[[select]]\nmetric = "digits"\nwhere = [{", ".join(where)}]\n'
        return cli("run", toy.file("digits", "even", "root", more=more)).stderr

    said = told(even, large)
    assert "None of 100 meets all conditions" in said
    assert "Without 'even = true' 1 would. Without 'digits of 18 or more' 50 would." in said
    said = told(large, even, '{ metric = "root", max = 7 }')
    assert "'digits of 18 or more' alone stands in the way: 25 meet all others." in said
    assert "Each fails at least two." in told(
        '{ metric = "digits", min = 19 }', '{ metric = "root", min = 11 }'
    )


def test_old_queries_are_recorded_as_before(toy: Numbers, cli: Callable[..., Result]) -> None:
    """Keys that a query does not have change no digest of it."""
    cli("run", toy.file("digits", more='[[select]]\nmetric = "digits"'), "--quiet")
    ((source,),) = toy.sql("SELECT source FROM query")
    assert json.loads(source)["select"][0].keys() == {
        "metric", "keep", "count", "min", "max", "direction", "distinct",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ({"apart": 0}, "apart: 0 is not a number of places; expected 1 or more."),
        ({"apart": "much"}, "apart: 'much' is not a share: write \"30 %\", or a number of places, as 2."),
        ({"apart": "0 %"}, "is not a share"),
        ({"apart": 2, "keep": "threshold"}, "apart chooses a few"),
        ({"keep": "highest", "direction": "min"}, 'keep = "highest" says it already'),
        ({"where": [{"metric": "even", "equals": True, "min": 1}]}, "give either equals, or min and max"),
        ({"where": [{"min": 1}]}, "the key 'metric' is missing"),
        ({"where": {"metric": "even"}}, "select 1.where"),
    ],
)
def test_a_wish_that_says_nothing_is_a_sentence(table: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParamsError) as raised:
        structure(SelectParams, {"metric": "digits"} | table, "select 1")
    assert sentence in str(raised.value)


@pytest.mark.parametrize("more", ['where = [{ metric = "nothing" }]', 'then = ["nothing"]'])
def test_an_unknown_metric_is_named_before_the_run(
    toy: Numbers, cli: Callable[..., Result], more: str
) -> None:
    refused = cli("run", toy.file("digits", more=f'[[select]]\nmetric = "digits"\n{more}'), code=1).stderr
    assert "nothing" in refused
    assert "select 1" in refused
    assert toy.sql("SELECT count(*) FROM run") == [(0,)]


def test_a_million_candidates(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Arrays alone: no row is made in Python, but of those that are kept."""
    from epcg_core.query.wish import Column, Tally, conditions_of, preference

    rule = SelectParams("number", "highest", 10, where=(Condition("share", max=0.5),), then=("share",))
    chance = np.random.default_rng(1)
    columns = {"number": Column(chance.integers(0, 50, 10**6)), "share": Column(chance.random(10**6))}
    tally = Tally(conditions_of(rule))
    met = np.flatnonzero(tally.judge(columns, 10**6))
    assert tally.verdict().met == len(met) == int((columns["share"].values <= 0.5).sum())
    order = preference(
        {name: Column(column.values[met]) for name, column in columns.items()},
        [(METRICS[0], 1), (METRICS[1], -1)], met,
    )  # fmt: skip
    best = met[order[:10]]
    assert (columns["number"].values[best] == 49).all()
    assert (np.diff(columns["share"].values[best]) >= 0).all()


def test_a_rule_for_which_a_space_has_no_symmetries_is_a_sentence() -> None:
    with pytest.raises(EpcgError):
        structure(SelectParams, {"metric": "digits", "distinct": 3}, "select 1")


def test_top_takes_a_wish(toy: Numbers, cli: Callable[..., Result]) -> None:
    cli("run", toy.file("digits", "even", "root"), "--quiet")
    asked = ("top", 1, "--metric", "digits", "--count", 3)
    found = cli(
        *asked, "--where", "even and digits > 3", "--where", "root<=7.75", "--then", "root", "--format", "csv"
    )
    assert [line.split(",")[0] for line in found.stdout.splitlines()[1:]] == ["58", "48", "56"]
    assert "25 of 100 meet all conditions" in found.stderr
    for wrong in ("", "even <", "even <= true", "root = nan", "= 3"):
        assert "Write measures with <=, >=" in cli(*asked, "--where", wrong, code=2).stderr
    assert "unknown metric 'none'" in cli(*asked, "--where", "none = 1", code=1).stderr
    assert "is not a share" in cli(*asked, "--apart", "much", code=1).stderr


def test_python_takes_a_wish(toy: Numbers, cli: Callable[..., Result]) -> None:
    cli("run", toy.file("digits", "even", "root"), "--quiet")
    run = epcg.open(str(toy.database)).run(1)
    where = [{"metric": "even", "equals": True}, {"metric": "root", "max": 7.75}]
    best = run.best("digits", 3, where=where, then=["root"])
    assert [puzzle.id.partition("#")[2] for puzzle in best.puzzles] == ["58", "48", "56"]
    with pytest.raises(ParamsError, match=r"^where 1"):
        run.best("digits", where=[{"max": 3}])


@pytest.mark.parametrize("limit", [math.inf, -math.inf, 1e300])
@pytest.mark.parametrize("side", ["min", "above", "max", "below", "equals"])
@pytest.mark.parametrize("kind", ["int", "real"])
def test_a_limit_without_an_end_is_told(limit: float, side: str, kind: Any) -> None:
    condition = Condition("moves", **{side: limit})
    assert misses(condition, Metric("moves", kind), 3).startswith("have ")
