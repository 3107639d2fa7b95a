"""Whole searches: every form of a graph gives the truth, whoever computes it, and the record proves it."""

from __future__ import annotations

import gc
import importlib
import json
import mmap
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from epcg_research.certificate import certify, check_certificate

from epcg_core.base.errors import CheckFailedError, ParamsError, QueryError, StoreError, UnknownNameError
from epcg_core.chunks.bitsets import pack
from epcg_core.query.query import parse_query
from epcg_core.query.spec import RunSpec
from epcg_core.runs import trials
from epcg_core.runs.coordinator import Outcome, plan
from epcg_core.runs.dry_run import estimate
from epcg_core.runs.expenses import NO_COST
from epcg_core.runs.outcome import answering
from epcg_core.runs.reuse import sources_below
from epcg_core.search.breadth_first.check import Definition
from epcg_core.search.breadth_first.graph import SingleRanks, edges_of
from epcg_core.search.breadth_first.search import BreadthFirstSearch
from epcg_core.store import Reader, RunRecord, Store
from tests.core.search.breadth_first.place import Graphs, depths, edges, layers
from tests.workplace import looks_away, tables

FORMS = ("plain", "told", "arrays", "both", "two_way")
SMALL = (12, 3)
"""Size and lost numbers of a graph of four layers, 1, 2, 3 and 0, that does not reach all."""


def small_and(*others: tuple[int, int]) -> list[Any]:
    """Sizes and lost numbers for a test: those of SMALL, and the `others` as slow tests."""
    return [SMALL, *(pytest.param(*other, marks=pytest.mark.slow) for other in others)]


def found(place: Graphs, size: int, lost: int, **parts: Any) -> Outcome:
    """Have the run of a query over such a graph, with units of four ranks."""
    return place.given(place.query(size=size, lost=lost, **parts), unit_size=4)


@pytest.mark.parametrize(
    ("form", "size", "lost", "unit"),
    [
        ("plain", *SMALL, 4),
        pytest.param("two_way", 13, 5, 4, marks=pytest.mark.slow),
        *(pytest.param(form, 37, 5, 16, marks=pytest.mark.slow) for form in ("plain", "two_way")),
        *(pytest.param(form, 97, 5, 16, marks=pytest.mark.slow) for form in FORMS),
    ],
)
def test_every_depth_is_that_of_a_queue(place: Graphs, form: str, size: int, lost: int, unit: int) -> None:
    truth = depths(edges(size, lost, form))
    outcome = place.given(place.query(form=form, size=size, lost=lost), unit_size=unit)
    assert place.values(outcome.goal.id, "depth") == truth
    assert (None in truth) == (form != "two_way")
    assert outcome.goal.coverage == "exhaustive"
    rows = place.sql("SELECT depth, states FROM depths ORDER BY depth")
    assert [states for _, states in rows] == layers(truth)
    assert [run.layer for run in outcome.runs] == [*range(len(rows)), None]
    for run in outcome.runs[:: len(outcome.runs) // 2]:
        report = place.verify(run.id)
        assert report.passed, [check for check in report.checks if not check.passed]
        assert [check.name for check in report.checks[-2:]] == ["sample", "winners"]


@pytest.mark.parametrize(
    ("form", "size", "lost", "start", "unit"),
    [
        ("plain", *SMALL, 10, 4),
        *(pytest.param(form, 37, 5, 30, 32, marks=pytest.mark.slow) for form in ("plain", "two_way")),
        *(pytest.param(form, 97, 5, 30, 32, marks=pytest.mark.slow) for form in ("plain", "both", "two_way")),
    ],
)
def test_distances_to_the_starts_are_those_against_the_edges(
    place: Graphs, form: str, size: int, lost: int, start: int, unit: int
) -> None:
    truth = depths(edges(size, lost, form), starts=(0, start), distance="to")
    search = f'distance = "to"\nstarts = [{start}, 0, {start}]'
    outcome = place.run(place.query(form=form, size=size, lost=lost, search=search), unit_size=unit)
    assert place.values(outcome.goal.id, "depth") == truth
    assert place.verify(outcome.goal.id, size).passed
    assert place.verify(outcome.runs[3].id, size).passed


@pytest.mark.parametrize(
    ("search", "cuts"),
    [
        ("layer = 2", [("serial", None), ("threads", 7)]),
        pytest.param(
            "", [("serial", None), ("serial", 1), ("serial", 7), ("threads", 16)], marks=pytest.mark.slow
        ),
    ],
)
def test_units_and_executors_change_no_digest(
    place: Graphs, search: str, cuts: list[tuple[str, int | None]]
) -> None:
    query = place.query(form="plain", size=20, search=search)
    digests = []
    for number, (executor, unit) in enumerate(cuts):
        outcome = place.run(query, database=place.folder / f"{number}.db", executor=executor, unit_size=unit)
        digests.append([(run.identity, run.digest) for run in outcome.runs])
    assert all(runs == digests[0] for runs in digests)


@pytest.mark.parametrize(
    ("forms", "size", "search"),
    [
        (("plain", "told", "both"), 20, "layer = 1\nstarts = [1, 3, 5, 7, 9, 11]"),
        pytest.param(("plain", "told", "arrays", "both"), 37, "", marks=pytest.mark.slow),
    ],
)
def test_all_forms_of_one_graph_agree(place: Graphs, forms: tuple[str, ...], size: int, search: str) -> None:
    digests = set()
    for form in forms:
        digests.add(place.run(place.query(form=form, size=size, search=search)).goal.digest)
    assert len(digests) == 1


@pytest.mark.slow
def test_worker_processes_find_the_same(place: Graphs) -> None:
    query = place.query(form="arrays", size=500)
    alone = place.run(query, database=place.folder / "alone.db", unit_size=64)
    assert place.run(query, executor="processes", unit_size=64).goal.digest == alone.goal.digest


@pytest.mark.parametrize("search", ["layer = 2", pytest.param("", marks=pytest.mark.slow)])
def test_the_files_of_a_layer_are_given_back_when_it_ends(place: Graphs, search: str) -> None:
    """And not only with the next collection of garbage: there may be thousands of layers."""
    query = place.query(form="two_way", size=37, search=search)
    gc.collect()
    gc.disable()
    try:
        place.run(query)
        left = [each for each in gc.get_objects() if type(each) is mmap.mmap]
    finally:
        gc.enable()
    assert left == []


@pytest.mark.parametrize(("size", "lost"), [(8, 5), pytest.param(37, 0, marks=pytest.mark.slow)])
def test_the_order_of_layers_is_followed_once_in_a_verification(
    place: Graphs, monkeypatch: pytest.MonkeyPatch, size: int, lost: int
) -> None:
    """And not once for each layer, which would take a thousand layers a million steps."""
    outcome = found(place, size, lost)
    followed = []

    def counted(goal: RunSpec, reader: Reader) -> Iterator[tuple[RunSpec, RunRecord]]:
        followed.append(goal)
        return answering(goal, reader)

    queries = importlib.import_module("epcg_core.verification.derived.queries")
    monkeypatch.setattr(queries, "answering", counted)
    assert len(outcome.runs) == len(layers(depths(edges(size, lost, "plain")))) + 1 >= 4
    assert place.verify(outcome.goal.id, 5).passed
    assert len(followed) == 1
    place.change("UPDATE query_run SET position = position + 1 WHERE run_id = 3")
    assert "does not ask for it there" in place.failed(3, 5)["queries"]
    assert "does not ask for it there" in place.failed(outcome.goal.id, 5)["queries"]


@pytest.mark.parametrize("size", [9, pytest.param(41, marks=pytest.mark.slow)])
def test_the_edges_looked_at_are_recorded(place: Graphs, size: int) -> None:
    truth = depths(edges(size, 0, "arrays"))
    place.run(place.query(form="arrays", size=size))
    looked_at = [edges for (edges,) in place.sql("SELECT edges FROM depths ORDER BY depth")]
    three = [
        sum(3 if n % 2 == 0 else 2 for n in range(size) if truth[n] == depth)
        for depth in range(len(looked_at))
    ]
    assert looked_at == [0, *three[:-1]]


# --- the frontier only


@pytest.mark.parametrize(
    ("form", "size", "lost"),
    [
        ("plain", *SMALL),
        *(pytest.param(form, 41, 5, marks=pytest.mark.slow) for form in ("plain", "two_way")),
    ],
)
def test_with_the_frontier_only_three_layers_keep_their_values(
    place: Graphs, form: str, size: int, lost: int
) -> None:
    truth = depths(edges(size, lost, form))
    outcome = found(place, size, lost, form=form, search='record = "frontier"')
    assert place.values(outcome.goal.id, "reachable") == [depth is not None for depth in truth]
    rows = place.sql("SELECT depth, states, dropped FROM depths ORDER BY depth")
    assert [states for _, states, _ in rows] == layers(truth)
    assert [dropped for _, _, dropped in rows] == [1] * (len(rows) - 3) + [0] * 3
    chunks = place.sql("SELECT DISTINCT run_id FROM score_chunk ORDER BY run_id")
    assert [run for (run,) in chunks] == [run.id for run in outcome.runs[-4:]]
    assert place.verify(outcome.goal.id, size, this_run_only=True).verdict == "holds if others hold"
    assert place.verify(outcome.goal.id, size).verdict == "cannot be checked here"
    assert place.verify(outcome.goal.id, size, remake=True).passed


@pytest.mark.parametrize(("size", "lost"), small_and((41, 0)))
def test_what_was_dropped_is_said_not_to_be_checked(place: Graphs, size: int, lost: int) -> None:
    outcome = found(place, size, lost, search='record = "frontier"')
    first, last = outcome.runs[0].id, outcome.runs[-2].id
    assert place.verify(last).checks[-2].detail.endswith("agree bit for bit.")
    told = place.verify(outcome.runs[-3].id).checks[-1]
    assert told.verdict == "cannot be checked here"
    assert told.detail.startswith("Nothing can be computed again, because the values of run ")
    report = place.verify(first)
    assert report.verdict == "cannot be checked here"
    assert not {"chunks", "run digest", "sample"} & {check.name for check in report.checks}
    assert report.checks[-1].detail.startswith("Its values were dropped")
    assert outcome.runs[0].digest is not None
    assert outcome.runs[0].digest in report.checks[-1].detail
    with Store.open(place.database) as store, pytest.raises(StoreError, match="has no certificate"):
        certify(store, first)


@pytest.mark.parametrize(("size", "lost"), small_and((41, 0)))
def test_both_records_count_the_same_layers(place: Graphs, size: int, lost: int) -> None:
    found(place, size, lost, search='record = "frontier"')
    place.run(place.query(size=size, lost=lost))
    states = place.sql("SELECT group_concat(states) FROM depths GROUP BY record")
    assert len(states) == 2
    assert len(set(states)) == 1


@pytest.mark.parametrize(("size", "lost"), small_and((20, 0)))
@pytest.mark.parametrize("search", ["", 'record = "frontier"'])
def test_a_search_that_is_finished_is_read_again(place: Graphs, search: str, size: int, lost: int) -> None:
    first = found(place, size, lost, search=search)
    again = place.run(place.query(search=search, size=size, lost=lost))
    assert again.computed == ()
    assert [run.id for run in again.runs] == [run.id for run in first.runs]


# --- parts of a search


@pytest.mark.parametrize(
    ("size", "lost", "layer"), [(*SMALL, 1), pytest.param(41, 0, 3, marks=pytest.mark.slow)]
)
def test_a_layer_by_its_number_is_what_so_many_actions_reach(
    place: Graphs, size: int, lost: int, layer: int
) -> None:
    truth = depths(edges(size, lost, "plain"))
    select = '[[select]]\nmetric = "reached"\nkeep = "best"'
    outcome = place.run(place.query(size=size, lost=lost, search=f"layer = {layer}", more=select))
    reached = [depth is not None and depth <= layer for depth in truth]
    assert place.values(outcome.goal.id, "reached") == reached
    assert outcome.kept == sum(reached)
    assert len(outcome.runs) == layer + 1
    whole = place.run(place.query(size=size, lost=lost))
    assert {run.id for run in outcome.runs} < {run.id for run in whole.runs}
    assert not {run.id for run in outcome.runs} & set(whole.computed)


@pytest.mark.parametrize(("size", "lost"), small_and((41, 5)))
def test_only_the_answer_has_rows(place: Graphs, size: int, lost: int) -> None:
    outcome = found(place, size, lost)
    valued = sum(depth is not None for depth in depths(edges(size, lost, "plain")))
    assert place.sql("SELECT run_id, count(value) FROM score GROUP BY run_id") == [(outcome.goal.id, valued)]


def test_one_start_that_leads_nowhere_new(place: Graphs) -> None:
    outcome = place.run(place.query(size=1, search="starts = [0]"))
    assert place.values(outcome.goal.id, "depth") == [0]
    assert [run.layer for run in outcome.runs] == [0, 1, None]


# --- what reads depths


def reading(place: Graphs, *evaluators: str, size: int, lost: int) -> str:
    """A query whose evaluators read depths; those of (8, 5) are 0, 1 and none."""
    text = place.text(size=size, lost=lost).replace('name = "breadth_first"', 'name = "exhaustive"')
    return text + tables(evaluators)


READ = {"far": "depth", "near": "reachable"}


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("evaluators", "size"),
    [(("far",), 8), (("near",), 8), pytest.param(("far", "near"), 41, marks=pytest.mark.slow)],
)
def test_an_evaluator_reads_the_depths_as_values(
    place: Graphs, evaluators: tuple[str, ...], size: int
) -> None:
    outcome = place.given(parse_query(reading(place, *evaluators, size=size, lost=5)))
    truth = depths(edges(size, 5, "plain"))
    if "far" in evaluators:
        assert place.values(outcome.goal.id, "far") == truth
    if "near" in evaluators:
        assert place.values(outcome.goal.id, "known") == [depth is not None for depth in truth]
    assert place.verify(outcome.goal.id, size, remake=True).passed
    inputs = place.sql(
        "SELECT role, run.layer, space.name FROM run_input JOIN run ON run.id = input_run_id "
        f"JOIN space ON space.id = space_id WHERE run_id = {outcome.goal.id} ORDER BY role"
    )
    assert [(role, layer) for role, layer, _ in inputs] == [(READ[name], None) for name in evaluators]


@pytest.mark.parametrize(
    ("evaluator", "size", "least"),
    [("odd", 10, 2), ("far", 8, 1), pytest.param("near", 41, 4, marks=pytest.mark.slow)],
)
def test_a_filter_admits_by_depth(place: Graphs, evaluator: str, size: int, least: int) -> None:
    """Also if the evaluator reads the same depths (`far`)."""
    text = reading(place, evaluator, size=size, lost=5)
    text += f'[filter]\nmetric = "depth"\nmin = {least}\nsearch = {{ name = "breadth_first" }}\n'
    outcome = place.run(parse_query(text))
    truth = depths(edges(size, 5, "plain"))
    assert outcome.goal.evaluated == sum(depth is not None and depth >= least for depth in truth) > 0
    assert [c for c in place.verify(outcome.goal.id, 40, remake=True).checks if not c.passed] == []
    with pytest.raises(UnknownNameError, match="unknown metric 'reached'"):
        plan(parse_query(text.replace('metric = "depth"', 'metric = "reached"')))


def test_the_sources_below_a_deep_layer_are_gathered_once(place: Graphs) -> None:
    """Each layer reads two others: of sixty layers there are more ways down than could be followed."""
    deep = plan(place.query(search="layer = 60"))[1]
    assert sources_below(deep) == sources_below(deep.inputs[0].run) != {}


# --- proofs


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("which", "size", "lost"),
    [
        (2, *SMALL),
        ("reader", 8, 5),
        *(pytest.param(which, 40, 3, marks=pytest.mark.slow) for which in (3, "reader", "answer")),
    ],
)
def test_a_certificate_is_checked_without_the_database(
    place: Graphs, which: int | str, size: int, lost: int
) -> None:
    """Of a layer, which is named by its number, of the answer, and of what reads it."""
    if which == "reader":
        outcome = place.given(parse_query(reading(place, "far", size=size, lost=lost)))
    else:
        outcome = found(place, size, lost)
    run = outcome.runs[which] if isinstance(which, int) else outcome.goal
    with Store.open(place.database) as store:
        data = json.loads(json.dumps(certify(store, run.id, sample=size)))
    checks = check_certificate(data, None)
    assert [check for check in checks if not check.passed] == []
    data["claims"]["digest"] = "00" * 32
    data["claims"]["evaluated"] += 1
    assert not all(check.passed for check in check_certificate(data, None))


@pytest.mark.parametrize("form", ["plain", "told"])
def test_the_definition_finds_a_depth_that_is_too_large(place: Graphs, form: str) -> None:
    """Whoever changes layers, and mends every digest on the way: a neighbour still says otherwise."""
    graphs = importlib.import_module("epcg_graphs")
    ways = edges(41, 5, "plain")
    truth = depths(ways)
    tables = [
        pack(np.array([depth is not None and depth <= layer for depth in truth]))
        for layer in range(len(layers(truth)))
    ]
    generator = graphs.Numbers(graphs.NumbersParams(41, 5, form))
    told = edges_of(generator, (), "from")
    definition = Definition(True, SingleRanks(generator, told, "from"), told, tables)
    assert definition_depths(definition) == truth
    victim = truth.index(3)
    before = next(n for n in range(41) if truth[n] == 2 and victim in ways[n])
    for table in tables[:5]:
        table.data[victim // 8] &= ~np.uint8(1 << victim % 8)
    if form == "told":
        assert definition.solve(victim, 1).evaluation.values[0].tolist() == [3]  # recorded is 5
    else:
        with pytest.raises(CheckFailedError, match=f"Rank {victim} is recorded at depth 5, but one action"):
            definition.solve(before, 1)


def definition_depths(definition: Definition) -> list[int | None]:
    solved = definition.solve(0, 41).evaluation
    assert solved.status is not None
    values = np.asarray(solved.values[0]).tolist()
    return [None if status else value for status, value in zip(solved.status.tolist(), values, strict=True)]


@pytest.mark.parametrize(
    ("size", "lost", "layer"), [(*SMALL, 2), pytest.param(41, 0, 4, marks=pytest.mark.slow)]
)
def test_a_recorded_bit_that_was_changed_is_found(place: Graphs, size: int, lost: int, layer: int) -> None:
    outcome = found(place, size, lost)
    run = outcome.runs[layer].id
    (data,) = place.sql(f"SELECT hex(data) FROM score_chunk WHERE run_id = {run}")[0]
    flipped = f"{int(data[:2], 16) ^ 1:02X}{data[2:]}"
    place.change(f"UPDATE score_chunk SET data = x'{flipped}' WHERE run_id = {run}")
    failed = {check.name for check in place.verify(run, size).checks if not check.passed}
    assert {"chunks", "sample"} <= failed


# --- what is refused


@pytest.mark.parametrize(
    ("search", "more", "sentence"),
    [
        ("", '[[evaluators]]\nname = "near"',
         "The search breadth_first takes no [[evaluators]], because it computes depths itself: remove "),
        ("", "[range]\nstop = 20", "The search breadth_first takes no [range], because it covers "),
        ("", '[filter]\nmetric = "depth"\nrun = 1',
         "The search breadth_first takes no [filter], because it covers whole spaces: remove [filter]."),
        ("layer = 2\nlayers = 3", "",
         "search: 'layer' stops at a depth, 'layers' names the answer: give one of them."),
        ("starts = [41]", "", "search.starts: 41 is not one of the ranks 0 to 40 of the space."),
    ],
)  # fmt: skip
def test_what_it_cannot_do(place: Graphs, search: str, more: str, sentence: str) -> None:
    with pytest.raises(QueryError) as raised:
        plan(place.query(search=search, more=more))
    assert re.sub(r"^query, line \d+, column \d+: ", "", str(raised.value)).startswith(sentence)


def test_only_the_answers_metric_can_be_selected(place: Graphs) -> None:
    select = '[[select]]\nmetric = "{}"'
    plan(place.query(more=select.format("depth")))
    plan(place.query(search='record = "frontier"', more=select.format("reachable")))
    for search, metric in (("", "reached"), ('record = "frontier"', "depth"), ("layer = 2", "depth")):
        refused = rf"select 1: .* and no '{metric}': select by '.*', or nothing, with --set 'select=\[\]'"
        with pytest.raises(QueryError, match=refused):
            plan(place.query(search=search, more=select.format(metric)))
    with pytest.raises(UnknownNameError, match=r"^query, line 4, column 1: select 1: unknown metric 'dept'"):
        plan(place.query(more=select.format("dept")))
    with pytest.raises(ParamsError, match="layer: 0 is not allowed"):
        plan(place.query(search="layer = 0"))


@pytest.mark.parametrize(("size", "lost"), small_and((41, 0)))
def test_an_estimate_unfolds_the_layers(place: Graphs, size: int, lost: int) -> None:
    query = place.query(size=size, lost=lost)
    (whole,) = estimate(query, None)
    outcome = found(place, size, lost)
    assert whole.unknown == ""
    assert whole.seconds is not None
    assert whole.tried == f"all {len(outcome.runs)} runs computed"
    numbered: list[Any] = list(estimate(place.query(size=size, lost=lost, search="layer = 2"), None))
    assert len(numbered) == 3
    assert all(e.unknown == "" for e in numbered)
    with Store.open(place.database) as store:
        (done,) = estimate(query, store)
    assert (done.state, done.seconds) == ("done", NO_COST)


def test_an_estimate_says_what_is_too_large_or_extrapolates(
    place: Graphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "LEAST_SECONDS", 0.0)
    monkeypatch.setattr(trials, "LEAST_REACHED", 1.0)
    (large,) = estimate(place.query(), None, seconds=0.0)
    assert (large.seconds, large.bytes, large.unknown) == (None, None, trials.TOO_LARGE)
    monkeypatch.setattr(trials, "LEAST_REACHED", 0.0)
    (begun,) = estimate(place.query(), None, seconds=0.0)
    assert begun.tried.startswith("1 layers computed, ")
    assert begun.seconds is not None
    assert begun.seconds.high > 3 * begun.seconds.expected


@pytest.mark.parametrize(
    ("size", "lost", "layer"), [(8, 5, 1), pytest.param(97, 0, 3, marks=pytest.mark.slow)]
)
def test_an_answer_needs_a_last_layer_without_new_ranks(
    place: Graphs, monkeypatch: pytest.MonkeyPatch, size: int, lost: int, layer: int
) -> None:
    """Else it would call ranks that are further away unreachable, with all digests of a proof."""
    new = layers(depths(edges(size, lost, "plain")))[layer]
    few = place.query(size=size, lost=lost, search=f"layers = {layer}")
    refused = f"layer {layer} still reaches {new} new ranks, so {layer} layers are not all"
    with pytest.raises(QueryError, match=refused):
        place.run(few)
    outcome = place.run(place.query(size=size, lost=lost))
    assert place.verify(outcome.goal.id, size).passed, "what was interrupted before is no answer"
    liar = place.other("liar")
    with monkeypatch.context() as lie:
        lie.setattr(BreadthFirstSearch, "objection", lambda *_: None)
        looks_away(lie)
        false = liar.run(few).goal
    assert "does not follow from what it read" in liar.failed(false.id)["specification"]
    with pytest.raises(CheckFailedError), Store.open(liar.database) as store:
        certify(store, false.id)
