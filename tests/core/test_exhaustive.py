"""Algorithm 1 over a toy domain: what is recorded is what the definition says, whatever the parts can do."""

from __future__ import annotations

import importlib
import re
from itertools import product
from typing import Any

import numpy as np
import pytest

from epcg_core.base.errors import EpcgError, EvaluationError, QueryError, UnknownNameError
from epcg_core.chunks.blocks import BlockEvaluator
from epcg_core.domain import LIMIT, NONE, STATUS_NAMES, VALUE, Metric
from epcg_core.plugins.registry import registry
from epcg_core.query.query import RangeParams, parse_query
from epcg_core.query.spec import PartSpec, SpaceSpec, checked_range
from epcg_core.runs.coordinator import plan
from epcg_core.runs.sequence import in_order
from epcg_core.store import Reader, RunRecord
from tests.workplace import Workplace

NUMBERS = """
domain = "numbers"
{more}
[generator]
name = "{generator}"
size = {size}
"""
PEGS = """
domain = "pegs"
{more}
[generator]
name = "line"
cells = 8
pegs = 3
"""


def query(*evaluators: str, size: int = 100, generator: str = "range", more: str = "") -> str:
    listed = ", ".join(f'{{ name = "{name}" }}' for name in evaluators)
    return NUMBERS.format(more=f"evaluators = [{listed}]\n{more}", size=size, generator=generator)


def pegs(*evaluators: str, more: str = "") -> str:
    listed = ", ".join(f"{{ {table} }}" for table in evaluators)
    return PEGS.format(more=f"evaluators = [{listed}]\n{more}")


def recorded(bench: Workplace, run: RunRecord) -> list[tuple[int, int | None, dict[str, Any]]]:
    """(rank, status, values) of every rank of the run's range."""

    def read(reader: Reader) -> list[tuple[int, int | None, dict[str, Any]]]:
        ranks = range(run.start, run.stop)
        scores = reader.scores_at(run.id, ranks)
        return [(r, reader.status_at(run.id, r), s) for r, s in zip(ranks, scores, strict=True)]

    found: Any = bench.read(read)
    return list(found)


def mixed(number: int) -> tuple[int, dict[str, Any]]:
    """What all forms of the evaluator `mixed` must record."""
    status, (curve, share, third, effort) = importlib.import_module("epcg_game").curve(number)
    if status != VALUE:
        return status, {"curve": None, "share": None, "third": None, "effort": effort}
    return status, {"curve": curve, "share": share, "third": third, "effort": effort}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("evaluator", ["mixed", "mixed_array", "mixed_fused"])
@pytest.mark.parametrize("generator", ["range", "stepped"])
def test_every_rank_has_the_values_of_the_definition(
    bench: Workplace, evaluator: str, generator: str
) -> None:
    run = bench.run(query(evaluator, size=300, generator=generator)).goal
    assert (run.evaluated, run.excluded, run.pruned, run.coverage) == (300, 0, 0, "exhaustive")
    for rank, status, values in recorded(bench, run):
        assert (status, values) == mixed(rank)
    counts = [0] * len(STATUS_NAMES)
    for rank in range(300):
        counts[mixed(rank)[0]] += 1
    assert counts[NONE] > 0
    assert counts[LIMIT] > 0


EVALUATORS = ("mixed", "mixed_array", "mixed_fused")


@pytest.mark.parametrize(
    "parts",
    [
        list(zip(EVALUATORS, ("range", "stepped", "range"), strict=True)),
        pytest.param(list(product(EVALUATORS, ("range", "stepped"))), marks=pytest.mark.slow),
    ],
    ids=["each", "all pairs"],
)
def test_plain_arrays_fused_and_increment_give_one_digest(
    bench: Workplace, parts: list[tuple[str, str]]
) -> None:
    runs = [bench.run(query(evaluator, size=500, generator=generator)).goal for evaluator, generator in parts]
    assert len({run.id for run in runs}) == len(parts)
    assert len({run.digest for run in runs}) == 1


def test_increment_is_used_where_there_is_one(bench: Workplace) -> None:
    bench.run(query("mixed", size=50, generator="stepped"))
    stepped = importlib.import_module("epcg_game").Stepped
    before = stepped.unranked
    limits = sum(1 for n in range(4000, 5000) if mixed(n)[0] == LIMIT)
    bench.run(query("mixed", size=5000, generator="stepped", more="range = {start = 4000, stop = 5000}"))
    # the probes unrank their first candidate, and a state is lost where an evaluator raises
    assert stepped.unranked - before < 3 * limits


def test_a_part_of_the_space(bench: Workplace) -> None:
    run = bench.run(query("mixed", size=300, more="range = { start = 77, stop = 179 }")).goal
    assert (run.start, run.stop, run.evaluated, run.coverage) == (77, 179, 102, "semi-exhaustive")
    for rank, status, values in recorded(bench, run):
        assert (status, values) == mixed(rank)

    def outside(reader: Reader) -> list[Any]:
        return [*(reader.value(run.id, "curve", rank) for rank in (76, 179)), reader.status_at(run.id, 3)]

    assert bench.read(outside) == [None, None, None]


@pytest.mark.parametrize(("start", "stop"), [(0, 0), (100, 100)])
def test_an_empty_range_is_a_finished_run(bench: Workplace, start: int, stop: int) -> None:
    run = bench.run(query("digits", more=f"range = {{ start = {start}, stop = {stop} }}")).goal
    assert (run.done, run.evaluated) == (True, 0)


def test_evaluators_side_by_side(bench: Workplace) -> None:
    run = bench.run(query("digits", "mixed_array", "root", "even", size=200)).goal
    for rank, status, values in recorded(bench, run):
        worst, expected = mixed(rank)  # a candidate without a value of one evaluator keeps those of others
        assert status == worst
        assert values == expected | {
            "digits": sum(map(int, str(rank))), "root": rank**0.5, "even": rank % 2 == 0
        }  # fmt: skip


UNIQUE = 'filter = { metric = "unique", min = 1, search = { name = "retrograde" } }'
FILTER = 'filter = { metric = "digits", min = 3, max = 5, search = { name = "exhaustive" }, evaluators = [{ name = "digits" }] }'  # noqa: E501


@pytest.mark.sweep
@pytest.mark.parametrize("evaluator", ["mixed", "mixed_array", "mixed_fused"])
def test_a_filter_leaves_out_what_another_run_says(bench: Workplace, evaluator: str) -> None:
    outcome = bench.run(query(evaluator, size=300, more=FILTER))
    run = outcome.goal
    admitted = [n for n in range(300) if 3 <= sum(map(int, str(n))) <= 5]
    assert [r.search for r in outcome.runs] == ["exhaustive", "exhaustive"]
    assert outcome.runs[0].coverage == "exhaustive"
    assert (run.evaluated, run.excluded) == (len(admitted), 300 - len(admitted))
    assert run.coverage == "semi-exhaustive"
    for rank, status, values in recorded(bench, run):
        if rank in admitted:
            assert (status, values) == mixed(rank)
        else:
            assert (status, set(values.values())) == (None, {None})


def test_a_filter_names_a_run_by_its_number(bench: Workplace) -> None:
    first = bench.run(query("digits", size=300)).goal
    numbered = f'filter = {{ metric = "digits", min = 3, max = 5, run = {first.id} }}'
    outcome = bench.run(query("mixed", size=300, more=numbered))
    assert outcome.runs[0].id == first.id
    assert outcome.computed == (outcome.goal.id,)
    assert bench.run(query("mixed", size=300, more=FILTER)).computed == ()


def test_a_filter_run_over_another_space_is_refused(bench: Workplace) -> None:
    first = bench.run(query("digits", size=30)).goal
    numbered = f'filter = {{ metric = "digits", run = {first.id} }}'
    with pytest.raises(QueryError, match=r"^filter: run 1 covers numbers:range\?size=30, or a part"):
        bench.run(query("mixed", size=300, more=numbered))


def test_a_filter_by_a_solved_layer(bench: Workplace) -> None:
    outcome = bench.run(pegs('name = "span"', more=UNIQUE))
    run, layer = outcome.goal, outcome.runs[-2]
    unique: Any = bench.read(lambda reader: [reader.value(layer.id, "unique", r) for r in range(layer.stop)])
    assert 0 < sum(unique) < len(unique)
    assert run.evaluated == sum(unique)
    assert [status is not None for _, status, _ in recorded(bench, run)] == unique


def test_a_filter_that_admits_nothing(bench: Workplace) -> None:
    nothing = FILTER.replace("min = 3, max = 5", "min = 99")
    run = bench.run(query("mixed_array", "root", size=50, more=nothing)).goal
    assert (run.done, run.evaluated, run.excluded) == (True, 0, 50)


# --- tables of other runs ---------------------------------------------------------------------------------


def test_a_table_is_used_where_it_is_recorded(bench: Workplace) -> None:
    without = bench.run(pegs('name = "lowest"')).goal
    assert {values["tables"] for *_, values in recorded(bench, without)} == {0}
    required = bench.run(pegs('name = "lowest", required = true'))
    assert [run.search for run in required.runs] == ["retrograde", "exhaustive"]
    with_table = recorded(bench, required.goal)
    assert {values["tables"] for *_, values in with_table} == {1}
    assert [v["lowest_on_goal"] for *_, v in with_table] == [
        v["lowest_on_goal"] for *_, v in recorded(bench, without)
    ]


def test_evaluators_share_a_table(bench: Workplace) -> None:
    outcome = bench.run(pegs('name = "lowest", required = true', 'name = "lowest_again"'))
    values = [v for *_, v in recorded(bench, outcome.goal)]
    assert all(v["lowest_on_goal"] == v["lowest_again"] and v["tables"] == 1 for v in values)


def test_two_tables_cannot_have_one_name(bench: Workplace) -> None:
    with pytest.raises(QueryError, match=r"^Two evaluators of the query read different tables as 'goals'"):
        bench.run(pegs('name = "lowest"', 'name = "lowest_again", cells = 9'))


# --- what cannot be ---------------------------------------------------------------------------------------


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("text", "kind", "sentence"),
    [
        (query(), QueryError, "The query names no evaluator: add [[evaluators]] with a name."),
        (query("digits", "digits_array"), QueryError,
         "Two evaluators of the query give the metric 'digits': give one of them a name of its own, as ="),
        (query("digit"), UnknownNameError,
         "evaluators 1: unknown evaluator 'digit'. Did you mean 'digits'?"),
        (query("digits", generator="rang"), UnknownNameError, "generator: unknown generator 'rang'."),
        (query("digits", more="range = { start = 5, stop = 4 }"), QueryError,
         "range: 5 to 4 is not inside the space, whose ranks are 0 to 99."),
        (query("digits", more="range = { stop = 101 }"), QueryError,
         "range: 0 to 101 is not inside the space, whose ranks are 0 to 99."),
        (query("digits", size=2**63), QueryError,
         "query: generator.size: this integer has more than 63 bits"),
        (query("digits", more='select = [{ metric = "digts" }]'), UnknownNameError,
         "select 1: unknown metric 'digts'. Did you mean 'digits'?"),
        (query("digits", more='filter = { metric = "x" }'), QueryError,
         'filter: name the run it reads: run = NUMBER, or search = { name = "..." } to make it first.'),
        (query("root", more=FILTER.replace('metric = "digits"', 'metric = "digts"')), UnknownNameError,
         "filter: unknown metric 'digts'. Did you mean 'digits'?"),
        (query("root", more='filter = { metric = "x", search = { name = "exhaustive" } }'), QueryError,
         "filter: the search exhaustive needs an evaluator that gives 'x': add evaluators = [{ name ="),
        (query("digits", more='search = { name = "exhaustive", depth = 3 }'), QueryError,
         "search: the key 'depth' is of distances, not of exhaustive: remove it"),
    ],
)  # fmt: skip
def test_queries_that_make_no_sense(
    bench: Workplace, text: str, kind: type[EpcgError], sentence: str
) -> None:
    with pytest.raises(kind) as raised:
        plan(parse_query(text))
    assert re.sub(r"^query, line \d+, column \d+: ", "", str(raised.value)).startswith(sentence)


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("name", "returns", "reason"),
    [
        ("strange", "(1.5,)", "strange cannot be 1.5"),
        ("strange", "('1',)", "strange cannot be '1'"),
        ("strange", "(2**63,)", "strange cannot be 9223372036854775808"),
        ("strange", "(2**63 if n else 0,)", "strange cannot be 9223372036854775808"),
        ("strange", "(2**70,)", "strange cannot be 1180591620717411303424"),
        ("strange", "(1, 2)", "values expected: 1"),
        ("strange", "()", "values expected: 1"),
        ("strange", "7", "object of type 'int' has no len"),
        ("strange_real", "('x',)", "could not convert string to float"),
    ],
)
def test_values_that_no_metric_has_are_refused(
    bench: Workplace, name: str, returns: str, reason: str
) -> None:
    text = query(name).replace(f'"{name}"', f'"{name}", returns = "{returns}"')
    with pytest.raises(
        EpcgError, match=r"^The evaluator numbers:\w+ returned values at rank \d+ that do not fit"
    ) as raised:
        bench.run(text)
    assert reason in str(raised.value)


def test_a_number_that_is_none_is_refused(bench: Workplace) -> None:
    text = query("strange_real").replace('"strange_real"', '''"strange_real", returns = "(float('nan'),)"''')
    with pytest.raises(EpcgError, match=r"'strange_real' is not a number at rank 0:"):
        bench.run(text)


def test_the_extremes_of_integers_are_recorded_as_they_are(bench: Workplace) -> None:
    returns = "(2**63 - 1 if n % 2 else -2**63,)"
    text = query("strange", size=10).replace('"strange"', f'"strange", returns = "{returns}"')
    run = bench.run(text).goal
    assert [v["strange"] for *_, v in recorded(bench, run)] == [-(2**63), 2**63 - 1] * 5


def test_an_evaluator_that_raises_is_named_with_its_rank(bench: Workplace) -> None:
    with pytest.raises(
        EvaluationError, match=r"^The evaluator numbers:fails raised ValueError: 13 brings .* at rank 13\."
    ) as raised:
        bench.run(query("fails"))
    assert raised.value.rank == 13


def test_errors_can_be_recorded_instead(bench: Workplace) -> None:
    run = bench.run(query("digits", "fails", more='record = { on_error = "record" }')).goal
    for rank, status, values in recorded(bench, run):
        if rank == 13:
            assert (STATUS_NAMES[status or 0], values) == ("error", {"digits": 4, "survived": None})
        else:
            assert (status, values["survived"]) == (VALUE, rank)
    errors: Any = bench.read(
        lambda reader: reader.connection.exec_driver_sql("SELECT puzzle, rank, note FROM errors").all()
    )
    assert errors == [("numbers:range?size=100#13", 13, "ValueError: 13 brings bad luck")]


# --- identities -------------------------------------------------------------------------------------------


def test_identity_covers_what_results_depend_on_and_nothing_else(bench: Workplace) -> None:
    def identity(*overrides: str) -> str:
        return plan(parse_query(query("mixed", "digits"), overrides))[1].identity

    same = identity()
    select = 'select=[{metric = "digits"}]'
    for override in ("name=x", "title=x", "record.rows=none", select, "range.stop=100"):
        assert identity(override) == same, override
    others = {
        identity(*overrides)
        for overrides in [
            (), ("generator.size=101",), ("range.start=1",), ("range.stop=99",), ("generator.name=stepped",),
            ("evaluators.0.name=mixed_array",), ("evaluators.1.name=root",),
            (FILTER.replace(" = ", "=", 1),), (FILTER.replace(" = ", "=", 1).replace("max = 5", "max = 6"),),
        ]
    }  # fmt: skip
    assert len(others) == 9


def test_a_runs_own_query_plans_the_same_run(bench: Workplace) -> None:
    from epcg_core.query.query import from_data

    texts = [
        query("mixed", "digits"),
        query("mixed", more=FILTER),
        query("mixed", more="range = { start = 3, stop = 9 }"),
        pegs('name = "lowest", required = true'),
        pegs('name = "span"', more=UNIQUE),
    ]
    for text in texts:
        for spec in in_order(plan(parse_query(text))[1]):
            assert plan(from_data(spec.query_data()))[1].identity == spec.identity


def test_versions_of_all_plugins_that_had_a_part(bench: Workplace) -> None:
    _, spec = plan(parse_query(query("mixed", "digits")))
    core = registry().version_of(registry().search("exhaustive"))
    assert spec.versions == (core, "epcg-game 1.0", "epcg-toy 1.0")


class Stops:
    """An evaluator whose StopIteration must not look like the end of the candidates."""

    metrics = (Metric("twice"),)

    def evaluate(self, number: int) -> tuple[int]:
        if number in (3, 4, 9):
            raise StopIteration
        return (2 * number,)


class Numbers:
    max_rank = 10

    def unrank(self, rank: int) -> int:
        return rank


def test_an_evaluator_that_raises_stop_iteration_skips_nobody() -> None:
    block = BlockEvaluator(Numbers(), Stops(), record_errors=True).block(0, 10)
    assert block.errors == [(rank, "StopIteration") for rank in (3, 4, 9)]
    assert np.asarray(block.evaluation.values[0]).tolist() == [0, 2, 4, 0, 0, 10, 12, 14, 16, 0]


def test_a_space_whose_ranks_cannot_be_recorded_is_refused() -> None:
    space = SpaceSpec("numbers", PartSpec("range", {}))
    assert checked_range(RangeParams(), 2**63 - 1, space) == (0, 2**63 - 1)
    with pytest.raises(
        QueryError, match=r"^numbers:range has 9,223,372,036,854,775,808 states, and ranks of 2"
    ):
        checked_range(RangeParams(), 2**63, space)
