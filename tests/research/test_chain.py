"""A run holds if the runs that it rests on hold, too: verification and certificates cover the whole chain."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import attrs
import pytest
from epcg_research.certificate import certify, check_certificate

import epcg_core as epcg
from epcg_core.chunks.bitsets import pack, unpack
from epcg_core.chunks.blocks import Block
from epcg_core.domain import Evaluation
from epcg_core.search.retrograde import RetrogradeSearch
from epcg_core.store import Store
from tests.core.search.breadth_first.conftest import place as graphs  # noqa: F401
from tests.core.search.breadth_first.place import Graphs
from tests.toy_queries import LAYERS, LOW_LAYERS, numbers, those_with
from tests.workplace import Workplace, looks_away, made_once

SMALL: dict[str, Any] = {"size": 7, "lost": 1}
"""From 1 lead ways to 2 and 4, and from these to 5: three layers, an empty one, and a run of all depths."""


@pytest.fixture
def false_layer(bench: Workplace) -> Workplace:
    """Layers of which the second is false, and those above it are computed honestly from it."""
    layers = made_once(bench.database, "a false layer", lambda: run_with_a_false_layer(bench))
    assert layers == [1, 2, 3, 4]
    return bench


def run_with_a_false_layer(bench: Workplace, text: str = LOW_LAYERS) -> list[int | None]:
    """Run retrograde analysis that lies about the second layer; return the layers of the runs."""
    genuine = RetrogradeSearch.solver

    def solver(self: RetrogradeSearch, spec: Any, inputs: Any, tables: Any) -> Callable[[int, int], Block]:
        solve = genuine(self, spec, inputs, tables)
        if spec.layer != 2:
            return solve

        def lie(start: int, count: int) -> Block:
            block = solve(start, count)
            solvable, unique = block.evaluation.values
            true = unpack(solvable, 0, count)
            return attrs.evolve(
                block, evaluation=Evaluation((pack(true), pack(true & ~unpack(unique, 0, count))))
            )

        return lie

    with pytest.MonkeyPatch.context() as lie:
        lie.setattr(RetrogradeSearch, "solver", solver)
        looks_away(lie)
        outcome = bench.run(text)
    return [run.layer for run in outcome.runs]


@pytest.mark.sweep
@pytest.mark.parametrize("run", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_a_false_layer_is_found_from_above(false_layer: Workplace, run: int) -> None:
    found_false(false_layer, run)


@pytest.mark.slow
@pytest.mark.parametrize("run", [2, 3, 4])
def test_a_false_layer_of_a_larger_space_is_found_from_above(bench: Workplace, run: int) -> None:
    assert run_with_a_false_layer(bench, LAYERS) == [1, 2, 3, 4]
    found_false(bench, run)


def found_false(false_layer: Workplace, run: int) -> None:
    """Whoever asks about a run is told of the false layer."""
    told = false_layer.epcg("verify", run, code=4)
    assert ("runs underneath" if run > 2 else "sample") in told.stderr
    if run > 2:
        assert "Run 2, on which it rests, does not hold (sample)" in " ".join(told.stdout.split())
    false_layer.epcg("certificate", run, code=4)
    database = epcg.Database(false_layer.database)
    assert database.run(run).verify().verdict == "does not hold"


def test_below_the_lie_all_is_well(false_layer: Workplace) -> None:
    assert false_layer.epcg("verify", 1).exit_code == 0


def test_one_run_alone_holds_if_the_others_hold(false_layer: Workplace) -> None:
    told = false_layer.epcg("verify", 4, "--this-run-only", code=6)
    assert "Run 4: It holds if runs 1, 2 and 3 hold" in told.stderr
    data = json.loads(false_layer.epcg("verify", 4, "--this-run-only", "--json", code=6).stdout)
    assert (data["verdict"], data["passed"], data["runs"]) == ("holds if others hold", False, [])
    found = epcg.Database(false_layer.database).run(4).verify(this_run_only=True)
    assert (found.verdict, found.passed, found.beneath) == ("holds if others hold", False, ())
    assert "holds if others hold" in found._repr_html_()


def test_a_run_that_rests_on_nothing_holds_by_itself(bench: Workplace) -> None:
    run = bench.given(numbers(60, "digits")).goal.id
    assert "It rests on no other run." in bench.epcg("verify", run, "--this-run-only").stdout


def test_a_false_filter_is_found_from_the_run_that_it_filters(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.core.test_verify import falsify

    text = numbers(60, "digits") + those_with("even", 1)
    bench.run(numbers(60, "even"))
    falsify(bench, 1, "even", 30)
    outcome = bench.run(text)
    assert outcome.goal.evaluated == 29, "half of 60, and not the false one"
    bench.epcg("verify", outcome.goal.id, code=4)


def test_each_run_underneath_is_checked_once(graphs: Graphs) -> None:  # noqa: F811
    """Layers read two layers, so ways through them are many."""
    outcome = graphs.run(graphs.query(**SMALL))
    assert len(outcome.runs) == 5
    data = json.loads(graphs.epcg("verify", outcome.goal.id, "--json").stdout)
    assert [each["run"] for each in data["runs"]] == [run.id for run in outcome.runs[:-1]]
    assert {each["verdict"] for each in data["runs"]} == {"holds"}


def test_a_run_that_is_computed_from_itself(bench: Workplace) -> None:
    bench.given(LOW_LAYERS)
    bench.change("UPDATE run_input SET input_run_id = 4 WHERE run_id = 3 AND role = 'unique'")
    assert "computed from itself" in bench.epcg("verify", 4, code=4).stderr


def test_a_layer_that_was_dropped_is_made_again(graphs: Graphs) -> None:  # noqa: F811
    """Without its values it cannot be checked; with --remake its digest is compared."""
    outcome = graphs.given(graphs.query(**SMALL, search='record = "frontier"'))
    goal = outcome.goal.id
    told = graphs.epcg("verify", goal, code=5)
    assert "--remake" in told.stderr
    graphs.epcg("verify", goal, "--remake")
    graphs.change("UPDATE run SET digest = 'abc' WHERE id = 1", "UPDATE run_input SET digest = 'abc' "
                  "WHERE input_run_id = 1")  # fmt: skip
    assert "not abc" in " ".join(graphs.epcg("verify", goal, "--remake", code=4).stdout.split())


@pytest.mark.slow
def test_a_certificate_makes_layers_that_were_dropped_again(graphs: Graphs) -> None:  # noqa: F811
    goal = graphs.given(graphs.query(**SMALL, search='record = "frontier"')).goal.id
    graphs.epcg("certificate", goal, code=5)
    file = graphs.folder / "certificate.json"
    graphs.epcg("certificate", goal, "--remake", "--output", file)
    assert all(check.passed for check in check_certificate(json.loads(file.read_text()), None, seed=0))


def test_histograms_of_dropped_layers_are_compared(graphs: Graphs) -> None:  # noqa: F811
    outcome = graphs.given(graphs.query(**SMALL, search='record = "frontier"'))
    graphs.change("UPDATE score_histogram SET count = count + 1 WHERE run_id = 1 AND position = 0")
    told = graphs.epcg("verify", outcome.goal.id, "--remake", code=4).stdout
    assert "Run 1, on which it rests, does not hold (histograms)" in " ".join(told.split())


def test_a_certificate_is_for_a_chain(bench: Workplace) -> None:
    goal = bench.given(LOW_LAYERS).goal.id
    with Store.open(bench.database) as store:
        data = certify(store, goal, sample=50)
        names = {check.name: check for check in check_certificate(data, store, sample=50)}
    assert names["runs underneath"].passed
    assert "runs 1, 2 and 3" in names["runs underneath"].detail
