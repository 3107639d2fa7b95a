"""Thirteen further lies about runs, recorded by the honest program or with digests made again, and found.

Those about absent candidates are in test_absent.py, about runs underneath in test_chain.py, about branch and
bound in test_liars.py beside the tests of that search; the table in tests/whole/faults/README.md lists all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from epcg_core.chunks.blocks import Block, as_array
from epcg_core.chunks.codec import unit_digest
from epcg_core.domain import LIMIT, Evaluation
from epcg_core.runs.worker import UnitSolver
from epcg_core.search.selective import _SelectiveSolver
from epcg_core.store import Reader, Store, run_digest, writer
from tests.conftest import Alone
from tests.core.search.exact_cover.conftest import SOURCE as DOMINOES
from tests.core.search.exact_cover.place import Tilings
from tests.core.test_verify import falsify
from tests.research.test_absent import without_best
from tests.toy_queries import LOW_LAYERS, numbers, those_with
from tests.workplace import SERIAL, Workplace, looks_away

CLIMBING = (Path(__file__).parents[2] / "examples/epcg-climbing/src/epcg_climbing/__init__.py").read_text(
    encoding="utf-8"
)


@contextmanager
def recording(monkeypatch: pytest.MonkeyPatch, change: Callable[[Block], Block]) -> Iterator[None]:
    """Let the program record every block as `change` makes it."""
    genuine = UnitSolver.__call__

    def call(self: UnitSolver, unit: Any) -> Any:
        solver, before = self._solver, self._piecewise
        self._solver, self._piecewise = (lambda *given: change(solver(*given))), False
        try:
            return genuine(self, unit)
        finally:
            self._solver, self._piecewise = solver, before

    with monkeypatch.context() as lie:
        lie.setattr(UnitSolver, "__call__", call)
        looks_away(lie)
        yield


def remade(place: Workplace, run: int) -> None:
    """Make the run's digest and histograms again, as an honest end does."""
    with Store.open(place.database, write=True) as store, store.transaction() as connection:
        reader = Reader(connection)
        writer.finish_run(
            connection, run, run_digest.run_digest(reader, run), run_digest.histograms(reader, run)
        )


def failing(place: Workplace, run: int, sample: int = 300) -> set[str]:
    """The checks that find a contradiction; the command line exits with 4."""
    found = {c.name for c in place.checks(run, sample) if c.verdict == "does not hold"}
    place.epcg("verify", run, "--sample", sample, "--db", place.database, code=4 if found else 0)
    return found


def test_1_candidates_with_values_are_said_to_be_beyond_a_limit(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def limited(block: Block) -> Block:
        values = [as_array(column) for column in block.evaluation.values]
        status = np.where(values[0] == values[0].max(), LIMIT, 0).astype(np.uint8)
        return attrs.evolve(block, evaluation=Evaluation(tuple(values), status))

    with recording(monkeypatch, limited):
        run = bench.run(numbers(60, "digits")).goal.id
    assert failing(bench, run) == {"sample"}


def test_2_a_search_that_chooses_hides_what_it_chose(alone: Alone, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was left out is drawn, too."""
    from tests.conftest import TOY_SOURCE

    source = TOY_SOURCE.read_text(encoding="utf-8") + CLIMBING.partition("EPCG_API_VERSION = 1")[2]
    head = CLIMBING.partition("EPCG_API_VERSION = 1")[0].partition('"""')[2].partition('"""')[2]
    future = "from __future__ import annotations\n"
    source = source.replace(future, future + head.replace(future, ""), 1)
    place = Workplace(alone("numbers", "epcg_numbers", source), SERIAL)
    query = numbers(60, "digits") + '[search]\nname = "hill_climbing"\nclimbs = 1\n'
    honest = place.run(query).goal
    assert 0 < honest.excluded < 60
    assert failing(place, honest.id) == set()
    liar = place.other("liar")
    genuine = _SelectiveSolver.__call__
    looks_away(monkeypatch)
    with monkeypatch.context() as lie:
        lie.setattr(_SelectiveSolver, "__call__", lambda self, *given: without_best(genuine(self, *given)))
        run = liar.run(query).goal
    assert run.evaluated < honest.evaluated
    assert failing(liar, run.id) == {"sample"}


def test_3_covers_are_taken_out_and_their_number_is_lowered(
    alone: Alone, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Tilings(alone("dominoes", "epcg_dominoes", DOMINOES), SERIAL)

    def fewer(block: Block) -> Block:
        covers, nodes = (as_array(column).copy() for column in block.evaluation.values)
        lost = [s for s in block.solutions or () if s[1] == covers[s[0] - block.start] - 1]
        for rank, *_ in lost:
            covers[rank - block.start] -= 1
        kept = [s for s in block.solutions or () if s not in lost]
        return attrs.evolve(block, evaluation=Evaluation((covers, nodes)), solutions=kept)

    with recording(monkeypatch, fewer):
        run = place.run(place.query(width=4, height=3)).goal.id
    assert failing(place, run) == {"sample", "winners"}


def test_4_a_run_is_called_older_than_digests_of_solutions(alone: Alone) -> None:
    """Then nothing would prove that none is missing; so it cannot be checked."""
    place = Tilings(alone("dominoes", "epcg_dominoes", DOMINOES), SERIAL)
    run = place.run(place.query(width=4, height=3)).goal.id
    place.change("UPDATE run SET solutions = 0")
    assert place.verify(run).verdict == "does not hold"
    with Store.open(place.database, write=True) as store, store.transaction() as connection:
        reader = Reader(connection)
        for unit in list(reader.units(run)):
            chunks = [reader.chunk_at(run, column.name, unit.start) for column in reader.columns(run)]
            digest = unit_digest([chunk for chunk in chunks if chunk is not None])
            connection.exec_driver_sql(
                "UPDATE unit SET digest = ? WHERE run_id = ? AND start = ?", (digest, run, unit.start)
            )
    remade(place, run)
    place.epcg("verify", run, code=5)
    place.epcg("certificate", run, code=5)


def test_5_the_list_of_evaluated_ranks_is_another_with_as_many(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The odd numbers are called evaluated instead of the even ones that the filter admits."""

    def shifted(block: Block) -> Block:
        return block if block.ranks is None else attrs.evolve(block, ranks=block.ranks + 1)

    with recording(monkeypatch, shifted):
        run = bench.run(numbers(60, "digits") + those_with("even", 1)).goal.id
    assert failing(bench, run, sample=0) == {"accounts"}


def test_6_a_filter_reads_a_run_over_another_space(bench: Workplace) -> None:
    run = bench.run(numbers(60, "digits") + those_with("even", 1)).goal.id
    other = bench.run(numbers(61, "even")).goal
    bench.change(
        f"UPDATE run_input SET input_run_id = {other.id}, digest = '{other.digest}' WHERE run_id = {run}"
    )
    assert {"accounts", "specification"} <= failing(bench, run)


def test_7_a_layer_reads_a_false_twin_of_the_layer_below(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin answers the same request, and the link has its digest."""
    goal = bench.given(LOW_LAYERS).goal.id
    bench.options = attrs.evolve(bench.options, again=True)
    with monkeypatch.context() as lie:
        looks_away(lie)
        again = bench.run(LOW_LAYERS)
    twin = again.runs[-2]
    falsify(bench, twin.id, "unique", 12)
    digest = bench.sql(f"SELECT digest FROM run WHERE id = {twin.id}")[0][0]
    bench.change(f"UPDATE run_input SET input_run_id = {twin.id}, digest = '{digest}' WHERE run_id = {goal}")
    said = bench.epcg("verify", goal, code=4)
    assert "runs underneath" in said.stderr
    told = " ".join(said.stdout.split())
    assert f"Run {twin.id}, on which it rests, does not hold (sample)" in told


def test_8_a_kept_candidate_is_exchanged_for_an_equal_one(bench: Workplace) -> None:
    text = numbers(60, "digits") + '[[select]]\nmetric = "digits"\ncount = 1\n[record]\nrows = "kept"\n'
    run = bench.run(text).goal.id
    ((rank,),) = bench.sql("SELECT rank FROM candidate WHERE kept = 1")
    other = 58 if rank == 49 else 49
    bench.change(f"UPDATE candidate SET rank = {other}, state = '{other}'")
    bench.change(f"UPDATE score SET rank = {other} WHERE rank = {rank}")
    assert "candidates" in failing(bench, run)


def test_9_the_answer_to_a_question_is_said_to_be_on_its_way(bench: Workplace) -> None:
    """So that nothing selected from it would be compared."""
    text = numbers(60, "digits") + '[[select]]\nmetric = "digits"\ncount = 3\n'
    run = bench.run(text).goal.id
    bench.change("UPDATE query_run SET goal = 0", "UPDATE candidate SET rank = rank - 9, kept = 1")
    assert {"queries", "candidates"} <= failing(bench, run)


def test_10_a_certificate_leaves_ranks_out_of_a_search_that_leaves_none_out(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its issuer has a program that issues anything."""
    from epcg_research.certificate import certify, check_certificate, issue

    from epcg_core.runs import worker
    from epcg_core.verification.verify import VerifyReport

    with monkeypatch.context() as lie:
        lie.setattr(worker, "_check_accounts", lambda *_: None)
        lie.setattr(issue, "verify", lambda store, run, *_, **__: VerifyReport(run, (), 0))
        with recording(lie, without_best):
            run = bench.run(numbers(600, "digits")).goal
        with Store.open(bench.database) as store:
            data = json.loads(json.dumps(certify(store, run.id)))
    found = {check.name: check for check in check_certificate(data, None, seed=0)}
    assert found["openings"].verdict == "does not hold"
    assert "its search leaves none out" in found["openings"].detail


def test_11_a_finished_run_lost_its_last_unit(bench: Workplace) -> None:
    """Sums and digests are made for what is left; a run that is called finished has no excuse."""
    bench.cut(64, 64)
    run = bench.run(numbers(600, "digits")).goal.id
    bench.change(
        "DELETE FROM unit WHERE start = 576", "DELETE FROM score_chunk WHERE start = 576",
        "DELETE FROM score WHERE rank >= 576", "UPDATE run SET evaluated = 576",
    )  # fmt: skip
    remade(bench, run)
    assert "coverage" in failing(bench, run, sample=0)


def test_12_counts_of_a_run_without_values_are_those_of_fewer_candidates(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A filtered run that keeps counts has no masks to look at, but their digests."""

    def shifted(block: Block) -> Block:
        return block if block.ranks is None else attrs.evolve(block, ranks=block.ranks + 1)

    text = numbers(60, "digits") + those_with("even", 1)
    with recording(monkeypatch, shifted):
        run = bench.run(text, "record.values=counts").goal.id
    assert "accounts" in failing(bench, run, sample=0)


def test_13_quick_candidates_are_said_to_have_taken_too_long(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time cannot be checked, but that there was hardly any can."""

    def limited(block: Block) -> Block:
        values = [as_array(column) for column in block.evaluation.values]
        status = np.where(values[0] == values[0].max(), LIMIT, 0).astype(np.uint8)
        return attrs.evolve(block, evaluation=Evaluation(tuple(values), status))

    with recording(monkeypatch, limited):
        run = bench.run(numbers(60, "digits"), "record.candidate_timeout=60").goal.id
    told = bench.epcg("verify", run, code=5).stderr
    assert "was given up after 60 s, and takes less than 3 s here" in " ".join(told.split())
