"""Whole searches: every form of a graph gives the truth, whoever computes it, and the record proves it."""

from __future__ import annotations

import gc
import importlib
import json
import mmap
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from epcg_research.certificate import certify, check_certificate

from epcg_core.chunks.bitsets import pack
from epcg_core.errors import CheckFailedError, ParamsError, QueryError, StoreError, UnknownNameError
from epcg_core.query.query import parse_query
from epcg_core.query.spec import RunSpec
from epcg_core.runs import trials
from epcg_core.runs.answered import answering
from epcg_core.runs.coordinator import plan
from epcg_core.runs.dry_run import estimate
from epcg_core.runs.expenses import NO_COST
from epcg_core.search.breadth_first.check import Definition
from epcg_core.search.breadth_first.graph import SingleRanks, edges_of
from epcg_core.search.breadth_first.search import BreadthFirstSearch
from epcg_core.store import Reader, RunRecord, Store
from tests.core.search.breadth_first.place import Graphs, depths, edges, layers
from tests.workplace import looks_away

FORMS = ("plain", "told", "arrays", "both", "two_way")
FAST = ("plain", "two_way")
"""The forms without those that `test_all_forms_of_one_graph_agree` compares with the plain one."""


@pytest.mark.parametrize(
    ("form", "size"),
    [
        *((form, 37) for form in FAST),
        *(pytest.param(form, 97, marks=pytest.mark.slow) for form in FORMS),
    ],
)
def test_every_depth_is_that_of_a_queue(place: Graphs, form: str, size: int) -> None:
    truth = depths(edges(size, 5, form))
    outcome = place.run(place.query(form=form, size=size, lost=5), unit_size=16)
    assert place.values(outcome.goal.id, "depth") == truth
    assert (None in truth) == (form != "two_way")
    assert outcome.goal.coverage == "exhaustive"
    found = place.sql("SELECT depth, states FROM depths ORDER BY depth")
    assert [states for _, states in found] == layers(truth)
    assert [run.layer for run in outcome.runs] == [*range(len(found)), None]
    for run in outcome.runs[:: len(outcome.runs) // 2]:
        report = place.verify(run.id)
        assert report.passed, [check for check in report.checks if not check.passed]
        assert [check.name for check in report.checks[-2:]] == ["sample", "winners"]


@pytest.mark.parametrize(
    ("form", "size"),
    [
        ("plain", 37),
        ("two_way", 37),
        *(pytest.param(form, 97, marks=pytest.mark.slow) for form in ("plain", "both", "two_way")),
    ],
)
def test_distances_to_the_starts_are_those_against_the_edges(place: Graphs, form: str, size: int) -> None:
    truth = depths(edges(size, 5, form), starts=(0, 30), distance="to")
    search = 'distance = "to"\nstarts = [30, 0, 30]'
    outcome = place.run(place.query(form=form, size=size, lost=5, search=search), unit_size=32)
    assert place.values(outcome.goal.id, "depth") == truth
    assert place.verify(outcome.goal.id, size).passed
    assert place.verify(outcome.runs[3].id, size).passed


def test_units_and_executors_change_no_digest(place: Graphs) -> None:
    query = place.query(form="plain", size=20)
    found = []
    for number, (executor, unit) in enumerate(
        [("serial", None), ("serial", 1), ("serial", 7), ("threads", 16)]
    ):
        outcome = place.run(query, database=place.folder / f"{number}.db", executor=executor, unit_size=unit)
        found.append([(run.identity, run.digest) for run in outcome.runs])
    assert all(runs == found[0] for runs in found)


def test_all_forms_of_one_graph_agree(place: Graphs) -> None:
    digests = set()
    for form in ("plain", "told", "arrays", "both"):
        digests.add(place.run(place.query(form=form, size=37)).goal.digest)
    assert len(digests) == 1


@pytest.mark.slow
def test_worker_processes_find_the_same(place: Graphs) -> None:
    query = place.query(form="arrays", size=500)
    alone = place.run(query, database=place.folder / "alone.db", unit_size=64)
    assert place.run(query, executor="processes", unit_size=64).goal.digest == alone.goal.digest


def test_the_files_of_a_layer_are_given_back_when_it_ends(place: Graphs) -> None:
    """And not only with the next collection of garbage: there may be thousands of layers."""
    query = place.query(form="two_way", size=37)
    gc.collect()
    gc.disable()
    try:
        place.run(query)
        left = [each for each in gc.get_objects() if type(each) is mmap.mmap]
    finally:
        gc.enable()
    assert left == []


def test_the_order_of_layers_is_followed_once_in_a_verification(
    place: Graphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not once for each layer, which would take a thousand layers a million steps."""
    outcome = place.run(place.query(size=37))
    followed = []

    def counted(goal: RunSpec, reader: Reader) -> Iterator[tuple[RunSpec, RunRecord]]:
        followed.append(goal)
        return answering(goal, reader)

    queries = importlib.import_module("epcg_core.verification.derived.queries")
    monkeypatch.setattr(queries, "answering", counted)
    assert len(outcome.runs) > 5
    assert place.verify(outcome.goal.id, 5).passed
    assert len(followed) == 1
    place.change("UPDATE query_run SET position = position + 1 WHERE run_id = 3")
    assert "does not ask for it there" in place.failed(3, 5)["queries"]
    assert "does not ask for it there" in place.failed(outcome.goal.id, 5)["queries"]


def test_the_edges_looked_at_are_recorded(place: Graphs) -> None:
    ways = edges(41, 0, "arrays")
    truth = depths(ways)
    place.run(place.query(form="arrays"))
    looked_at = [edges for (edges,) in place.sql("SELECT edges FROM depths ORDER BY depth")]
    three = [
        sum(3 if n % 2 == 0 else 2 for n in range(41) if truth[n] == depth) for depth in range(len(looked_at))
    ]
    assert looked_at == [0, *three[:-1]]


# --- the frontier only


@pytest.mark.parametrize("form", ["plain", "two_way"])
def test_with_the_frontier_only_three_layers_keep_their_values(place: Graphs, form: str) -> None:
    truth = depths(edges(41, 5, form))
    outcome = place.run(place.query(form=form, lost=5, search='record = "frontier"'))
    assert place.values(outcome.goal.id, "reachable") == [depth is not None for depth in truth]
    rows = place.sql("SELECT depth, states, dropped FROM depths ORDER BY depth")
    assert [states for _, states, _ in rows] == layers(truth)
    assert [dropped for _, _, dropped in rows] == [1] * (len(rows) - 3) + [0] * 3
    chunks = place.sql("SELECT DISTINCT run_id FROM score_chunk ORDER BY run_id")
    assert [run for (run,) in chunks] == [run.id for run in outcome.runs[-4:]]
    assert place.verify(outcome.goal.id, 41, this_run_only=True).verdict == "holds if others hold"
    assert place.verify(outcome.goal.id, 41).verdict == "cannot be checked here"
    assert place.verify(outcome.goal.id, 41, remake=True).passed


def test_what_was_dropped_is_said_not_to_be_checked(place: Graphs) -> None:
    outcome = place.given(place.query(search='record = "frontier"'))
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


def test_both_records_count_the_same_layers(place: Graphs) -> None:
    place.given(place.query(search='record = "frontier"'))
    place.run(place.query())
    found = place.sql("SELECT group_concat(states) FROM depths GROUP BY record")
    assert len(found) == 2
    assert len(set(found)) == 1


def test_a_search_that_is_finished_is_read_again(place: Graphs) -> None:
    for search in ("", 'record = "frontier"'):
        first = place.run(place.query(search=search, size=20))
        again = place.run(place.query(search=search, size=20))
        assert again.computed == ()
        assert [run.id for run in again.runs] == [run.id for run in first.runs]


# --- parts of a search


def test_a_layer_by_its_number_is_what_so_many_actions_reach(place: Graphs) -> None:
    truth = depths(edges(41, 0, "plain"))
    outcome = place.run(place.query(search="layer = 3", more='[[select]]\nmetric = "reached"\nkeep = "best"'))
    reached = [depth is not None and depth <= 3 for depth in truth]
    assert place.values(outcome.goal.id, "reached") == reached
    assert outcome.kept == sum(reached)
    assert len(outcome.runs) == 4
    whole = place.run(place.query())
    assert {run.id for run in outcome.runs} < {run.id for run in whole.runs}
    assert not {run.id for run in outcome.runs} & set(whole.computed)


def test_only_the_answer_has_rows(place: Graphs) -> None:
    outcome = place.given(place.query(lost=5))
    valued = sum(depth is not None for depth in depths(edges(41, 5, "plain")))
    assert place.sql("SELECT run_id, count(value) FROM score GROUP BY run_id") == [(outcome.goal.id, valued)]


def test_one_start_that_leads_nowhere_new(place: Graphs) -> None:
    outcome = place.run(place.query(size=1, search="starts = [0]"))
    assert place.values(outcome.goal.id, "depth") == [0]
    assert [run.layer for run in outcome.runs] == [0, 1, None]


# --- what reads depths


def test_an_evaluator_reads_the_depths_as_values(place: Graphs) -> None:
    text = place.text(lost=5).replace('name = "breadth_first"', 'name = "exhaustive"')
    more = '[[evaluators]]\nname = "far"\n[[evaluators]]\nname = "near"\n'
    outcome = place.run(parse_query(text + more))
    truth = depths(edges(41, 5, "plain"))
    assert place.values(outcome.goal.id, "far") == truth
    assert place.values(outcome.goal.id, "known") == [depth is not None for depth in truth]
    assert place.verify(outcome.goal.id, 41, remake=True).passed
    inputs = place.sql(
        "SELECT role, run.layer, space.name FROM run_input JOIN run ON run.id = input_run_id "
        f"JOIN space ON space.id = space_id WHERE run_id = {outcome.goal.id} ORDER BY role"
    )
    assert [(role, layer) for role, layer, _ in inputs] == [("depth", None), ("reachable", None)]


def test_a_filter_admits_by_depth(place: Graphs) -> None:
    text = place.text(lost=5).replace('name = "breadth_first"', 'name = "exhaustive"')
    text += '[[evaluators]]\nname = "near"\n[filter]\nmetric = "depth"\nmin = 4\n'
    text += 'search = { name = "breadth_first" }\n'
    outcome = place.run(parse_query(text))
    truth = depths(edges(41, 5, "plain"))
    assert outcome.goal.evaluated == sum(depth is not None and depth >= 4 for depth in truth)
    assert [c for c in place.verify(outcome.goal.id, 40, remake=True).checks if not c.passed] == []
    with pytest.raises(UnknownNameError, match="unknown metric 'reached'"):
        plan(parse_query(text.replace('metric = "depth"', 'metric = "reached"')))


# --- proofs


@pytest.mark.parametrize("which", ["layer", "reader", pytest.param("answer", marks=pytest.mark.slow)])
def test_a_certificate_is_checked_without_the_database(place: Graphs, which: str) -> None:
    query = place.query(size=40, lost=3)
    if which == "reader":
        text = place.text(size=40, lost=3).replace('name = "breadth_first"', 'name = "exhaustive"')
        query = parse_query(text + '[[evaluators]]\nname = "far"\n')
    outcome = place.given(query)
    run = outcome.runs[3] if which == "layer" else outcome.goal
    with Store.open(place.database) as store:
        data = json.loads(json.dumps(certify(store, run.id, sample=40)))
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
    found = definition.solve(0, 41).evaluation
    assert found.status is not None
    values = np.asarray(found.values[0]).tolist()
    return [None if status else value for status, value in zip(found.status.tolist(), values, strict=True)]


def test_a_recorded_bit_that_was_changed_is_found(place: Graphs) -> None:
    outcome = place.given(place.query())
    run = outcome.runs[4].id
    (data,) = place.sql(f"SELECT hex(data) FROM score_chunk WHERE run_id = {run}")[0]
    flipped = f"{int(data[:2], 16) ^ 1:02X}{data[2:]}"
    place.change(f"UPDATE score_chunk SET data = x'{flipped}' WHERE run_id = {run}")
    failed = {check.name for check in place.verify(run, 41).checks if not check.passed}
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
    assert str(raised.value).startswith(sentence)


def test_only_the_answers_metric_can_be_selected(place: Graphs) -> None:
    select = '[[select]]\nmetric = "{}"'
    plan(place.query(more=select.format("depth")))
    plan(place.query(search='record = "frontier"', more=select.format("reachable")))
    for search, metric in (("", "reached"), ('record = "frontier"', "depth"), ("layer = 2", "depth")):
        refused = rf"^select\[0\]: .* and no '{metric}': select by '.*', or nothing, with --set 'select=\[\]'"
        with pytest.raises(QueryError, match=refused):
            plan(place.query(search=search, more=select.format(metric)))
    with pytest.raises(UnknownNameError, match=r"^select\[0\]: unknown metric 'dept'"):
        plan(place.query(more=select.format("dept")))
    with pytest.raises(ParamsError, match="layer: 0 is not allowed"):
        plan(place.query(search="layer = 0"))


def test_an_estimate_unfolds_the_layers(place: Graphs) -> None:
    (found,) = estimate(place.query(), None)
    outcome = place.given(place.query())
    assert found.unknown == ""
    assert found.seconds is not None
    assert found.tried == f"all {len(outcome.runs)} runs computed"
    numbered: list[Any] = list(estimate(place.query(search="layer = 2"), None))
    assert len(numbered) == 3
    assert all(e.unknown == "" for e in numbered)
    with Store.open(place.database) as store:
        (done,) = estimate(place.query(), store)
    assert (done.state, done.seconds) == ("done", NO_COST)


def test_an_estimate_says_what_is_too_large_or_extrapolates(
    place: Graphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "LEAST_SECONDS", 0.0)
    monkeypatch.setattr(trials, "LEAST_REACHED", 1.0)
    (found,) = estimate(place.query(), None, seconds=0.0)
    assert (found.seconds, found.bytes, found.unknown) == (None, None, trials.TOO_LARGE)
    monkeypatch.setattr(trials, "LEAST_REACHED", 0.0)
    (found,) = estimate(place.query(), None, seconds=0.0)
    assert found.tried.startswith("1 layers computed, ")
    assert found.seconds is not None
    assert found.seconds.high > 3 * found.seconds.expected


def test_an_answer_needs_a_last_layer_without_new_ranks(
    place: Graphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would call ranks that are further away unreachable, with all digests of a proof."""
    few = place.query(size=97, search="layers = 3")
    with pytest.raises(QueryError, match=r"layer 3 still reaches \d+ new ranks, so 3 layers are not all"):
        place.run(few)
    outcome = place.run(place.query(size=97))
    assert place.verify(outcome.goal.id, 97).passed, "what was interrupted before is no answer"
    liar = place.other("liar")
    with monkeypatch.context() as lie:
        lie.setattr(BreadthFirstSearch, "objection", lambda *_: None)
        looks_away(lie)
        false = liar.run(few).goal
    assert "does not follow from what it read" in liar.failed(false.id)["specification"]
    with pytest.raises(CheckFailedError), Store.open(liar.database) as store:
        certify(store, false.id)
