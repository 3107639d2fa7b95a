"""Verification: every fault has its check, and a sound run passes them all."""

from __future__ import annotations

import importlib
from typing import Any

import attrs
import numpy as np
import pytest

from epcg_core.base.errors import RunInterruptedError
from epcg_core.chunks.blocks import Block
from epcg_core.chunks.codec import chunk_status, decode_chunk, encode_metric, unit_digest
from epcg_core.domain import Evaluation
from epcg_core.execution import Unit
from epcg_core.query.spec import RunSpec
from epcg_core.runs.coordinator import materialize
from epcg_core.runs.worker import UnitSolver
from epcg_core.store import Reader, Store, run_digest, schema, writer
from epcg_core.verification.derived import PROOFS
from epcg_core.verification.verify import VerifyReport, verify
from tests.toy_queries import LAYERS, numbers, those_with
from tests.workplace import Workplace

NUMBERS = numbers(600, "mixed", "digits")
FILTERED = those_with("even", 1)
CHECKS = [
    "file", "coverage", "accounts", "chunks", "unit digests", "run digest", "rows", "inputs",
    "runs underneath", *PROOFS, "sample", "winners",
]  # fmt: skip


def checked(bench: Workplace, run_id: int, sample: int = 1000, seed: int = 0) -> VerifyReport:
    with Store.open(bench.database) as store:
        return verify(store, run_id, sample, seed)


def failed(report: VerifyReport) -> dict[str, str]:
    assert [check.name for check in report.checks] == CHECKS
    return {check.name: check.detail for check in report.checks if not check.passed}


@pytest.fixture
def pieces_of_64(bench: Workplace) -> None:
    """Units of 64 ranks in chunks of 128."""
    bench.cut(64, 128)


# --- sound runs -------------------------------------------------------------------------------------------


FEW = numbers(150, "mixed", "digits")


TWO_LAYERS = LAYERS.replace("pegs = 4", "pegs = 2")
SOUND = {"whole": FEW, "filtered": FEW + FILTERED, "two layers": TWO_LAYERS, "layers": LAYERS}
FAST = {("whole", 1), ("filtered", 1 << 20), ("two layers", 7), ("whole", 64)}
"""Each size, and each kind of query; the others are slow tests."""


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("text", "size"),
    [
        pytest.param(
            SOUND[name], size, id=f"{name}-{size}", marks=[] if (name, size) in FAST else [pytest.mark.slow]
        )
        for size in (1, 7, 64, 1 << 20)
        for name in SOUND
    ],
)
def test_sound_runs_pass(bench: Workplace, text: str, size: int) -> None:
    bench.cut(size)
    for run in bench.run(text).runs:
        report = checked(bench, run.id, sample=100)
        assert failed(report) == {}
        assert report.passed


@pytest.mark.parametrize(
    "text",
    [NUMBERS, pytest.param(NUMBERS + FILTERED, marks=pytest.mark.slow)],
    ids=["whole", "filtered"],
)
def test_units_that_are_no_divisors_of_chunks(bench: Workplace, text: str) -> None:
    bench.cut(50, 128)
    assert failed(checked(bench, bench.run(text).goal.id)) == {}


PARTS = [
    ("range.stop=0", NUMBERS),
    ("range.stop=77", NUMBERS + FILTERED),
    *(
        pytest.param(more, text, marks=pytest.mark.slow)
        for more, text in (
            ("range.stop=0", NUMBERS + FILTERED),
            ("range.start=13", NUMBERS),
            ("range.start=13", NUMBERS + FILTERED),
            ("range.stop=77", NUMBERS),
        )
    ),
]


@pytest.mark.parametrize(("more", "text"), PARTS)
def test_parts_of_the_space_pass(bench: Workplace, pieces_of_64: None, more: str, text: str) -> None:
    assert failed(checked(bench, bench.run(text, more).goal.id)) == {}


def test_recorded_errors_pass(bench: Workplace) -> None:
    run = bench.given(NUMBERS, 'evaluators=[{name = "fails"}]', "record.on_error=record").goal
    assert failed(checked(bench, run.id)) == {}


def test_a_report_says_what_it_proved(bench: Workplace, pieces_of_64: None) -> None:
    run = bench.given(NUMBERS + FILTERED).goal
    details = {check.name: check.detail for check in checked(bench, run.id, 50, seed=3).checks}
    assert details["coverage"] == (
        "10 units tile ranks 0 to 599, the whole space, without gap or overlap: 300 evaluated, 0 pruned, "
        "300 left out by the filter."
    )
    assert details["run digest"] == f"The run's digest {run.digest} follows from its chunks."
    assert "filter of run 1" in details["inputs"]
    assert details["sample"] == (
        "71 ranks drawn with seed 3 (25 of all, 25 of those evaluated, 25 from the ends of the metrics), "
        "computed again by plain code, agree "
        "bit for bit."
    )
    assert details["accounts"] == (
        "By its specification: just the ranks that the filter admits are evaluated, and nothing else is "
        "recorded."
    )
    assert details["runs underneath"] == "All 16 checks of run 1, on which it rests, hold."


def test_a_single_unit_is_spoken_of_as_one(bench: Workplace) -> None:
    bench.cut(1024)
    run = bench.given(NUMBERS).goal
    details = {check.name: check.detail for check in checked(bench, run.id, 5, seed=3).checks}
    assert details["coverage"].startswith("1 unit tiles ranks 0 to 599, ")
    part = bench.run(NUMBERS, "range.stop=77").goal
    assert "ranks 0 to 76, a part of the space" in checked(bench, part.id).checks[1].detail


def test_a_run_whose_values_are_deleted_and_called_dropped_cannot_be_checked(bench: Workplace) -> None:
    run = bench.given(NUMBERS).goal
    bench.change("DELETE FROM score_chunk", "UPDATE run SET kept_values = 'none'")
    report = checked(bench, run.id)
    assert report.verdict == "cannot be checked here"
    assert not report.passed


def test_verification_of_a_store_that_is_open_for_writing(bench: Workplace) -> None:
    run = bench.given(NUMBERS + FILTERED).goal
    with Store.open(bench.database, write=True) as store:
        assert verify(store, run.id, 20).passed


def test_verification_leaves_the_working_folder_of_a_writer_alone(bench: Workplace) -> None:
    run = bench.given(NUMBERS + FILTERED).goal
    folder = bench.database.with_name(f"{bench.database.name}.work")
    folder.mkdir()
    (folder / "table-0").write_text("in use")
    assert checked(bench, run.id).passed
    assert (folder / "table-0").read_text() == "in use"


def test_without_a_sample_nothing_is_computed(bench: Workplace) -> None:
    run = bench.given(NUMBERS).goal
    report = checked(bench, run.id, sample=0)
    assert [check.name for check in report.checks] == CHECKS[:-2]


def test_progress_counts_the_sample(bench: Workplace) -> None:
    run = bench.given(NUMBERS).goal
    told: list[int] = []
    with Store.open(bench.database) as store:
        verify(store, run.id, 25, advance=told.append)
    assert sum(told) == 25


# --- faults -----------------------------------------------------------------------------------------------


def test_a_missing_unit(bench: Workplace, pieces_of_64: None) -> None:
    bench.given(NUMBERS)
    bench.change("DELETE FROM unit WHERE start = 128")
    assert failed(checked(bench, 1)) == {"coverage": "There is a gap before rank 192: 128 was expected."}


def test_the_last_unit_is_missing(bench: Workplace, pieces_of_64: None) -> None:
    bench.given(NUMBERS)
    bench.change("DELETE FROM unit WHERE start = 576")
    assert failed(checked(bench, 1)) == {
        "coverage": "Ranks 576 to 599 are missing, and the run is called finished."
    }


def test_an_overlapping_unit_although_the_sum_is_right(bench: Workplace, pieces_of_64: None) -> None:
    bench.given(NUMBERS)
    bench.change("UPDATE unit SET start = 100 WHERE start = 128")
    found = failed(checked(bench, 1))
    assert found["coverage"] == "There is an overlap before rank 100: 128 was expected."


def test_counts_that_are_not_the_sums(bench: Workplace, pieces_of_64: None) -> None:
    bench.given(NUMBERS)
    bench.change("UPDATE run SET evaluated = evaluated - 1, excluded = 1")
    assert failed(checked(bench, 1))["coverage"] == "The run's counts are not the sums of its units'."


def test_chunks_that_are_gone(bench: Workplace, pieces_of_64: None) -> None:
    bench.given(NUMBERS)
    bench.change("DELETE FROM score_chunk WHERE start = 128")
    found = failed(checked(bench, 1))
    assert set(found) == {"chunks", "unit digests", "run digest", "rows", "histograms", "sample"}
    assert found["rows"] == "There are 600 rows of 'curve' of 472 candidates."
    assert found["chunks"] == "The chunks of 'curve' have a gap or overlap at rank 128."
    assert found["sample"] == "numbers:range?size=600#128: nothing is recorded."


def test_one_column_of_a_chunk_that_is_gone(bench: Workplace, pieces_of_64: None) -> None:
    bench.given(NUMBERS)
    digits = "(SELECT id FROM metric WHERE name = 'digits')"
    bench.change(f"DELETE FROM score_chunk WHERE start = 128 AND metric_id = {digits}")
    assert {"chunks", "unit digests", "run digest"} <= set(failed(checked(bench, 1)))


def test_the_list_of_evaluated_ranks_is_gone(bench: Workplace, pieces_of_64: None) -> None:
    run = bench.given(NUMBERS + FILTERED).goal
    bench.change(
        "DELETE FROM score_chunk WHERE metric_id = (SELECT id FROM metric WHERE name = 'evaluated') "
        f"AND run_id = {run.id} AND start = 128"
    )
    found = failed(checked(bench, run.id))
    assert {"chunks", "unit digests", "run digest", "sample"} <= set(found)
    assert found["chunks"] == f"Run {run.id}: the list of evaluated ranks from 128 on is missing."


@pytest.mark.sweep
@pytest.mark.parametrize("place", [4, 9, 20])
def test_a_changed_byte(bench: Workplace, pieces_of_64: None, place: int) -> None:
    bench.given(NUMBERS)
    where = "start = 128 AND metric_id = (SELECT id FROM metric WHERE name = 'share')"
    changed = f"substr(data, 1, {place}) || x'a7' || substr(data, {place + 2})"
    bench.change(f"UPDATE score_chunk SET data = CAST({changed} AS BLOB) WHERE {where}")
    found = failed(checked(bench, 1))
    assert found["chunks"].startswith("The chunk of 'share' for ranks 128 to 255 is damaged")


@pytest.mark.sweep(2)
@pytest.mark.parametrize("column", ["minimum", "maximum", "total", "valued"])
def test_a_changed_sum(bench: Workplace, pieces_of_64: None, column: str) -> None:
    """Selections trust these."""
    bench.given(NUMBERS)
    where = "start = 128 AND metric_id = (SELECT id FROM metric WHERE name = 'curve')"
    bench.change(f"UPDATE score_chunk SET {column} = {column} + 1 WHERE {where}")
    found = failed(checked(bench, 1, sample=10))
    assert set(found) == {"chunks"}
    assert found["chunks"].endswith("ranks 128 to 255 is damaged: its sums do not follow from its values.")


def test_a_changed_digest_of_a_unit(bench: Workplace, pieces_of_64: None) -> None:
    bench.given(NUMBERS)
    bench.change("UPDATE unit SET digest = x'00' WHERE start = 64")
    assert failed(checked(bench, 1)) == {
        "unit digests": "The unit of ranks 64 to 127 has another digest than was recorded."
    }


def test_a_changed_digest_of_the_run(bench: Workplace) -> None:
    bench.given(NUMBERS)
    bench.change("UPDATE run SET digest = 'abc'")
    assert failed(checked(bench, 1)) == {"run digest": "The run's digest does not follow from its chunks."}


def falsify(bench: Workplace, run_id: int, metric: str, rank: int) -> None:
    """Change a value with its row, its histogram and every digest: only computing it again can tell."""
    with Store.open(bench.database, write=True) as store:
        with store.reader() as reader:
            column = reader.column(run_id, metric)
            chunk = reader.chunk_at(run_id, metric, rank)
            assert column.metric is not None
            assert chunk is not None
            values = decode_chunk(chunk).copy()
            position = reader.ranks(run_id, chunk).tolist().index(rank)
            values[position] = not values[position] if values.dtype == bool else values[position] + 1
            status = chunk_status(chunk)
            assert status is None or not status[position]
            new = encode_metric(column.metric, chunk.start, chunk.count, values, status)
        with store.transaction() as connection:
            table = schema.score_chunk
            row = attrs.asdict(new, filter=attrs.filters.exclude("column"))
            connection.execute(
                table.update()
                .where(table.c.run_id == run_id, table.c.metric_id == column.id, table.c.start == chunk.start)
                .values(**row)
            )
        with store.transaction() as connection:
            reader = Reader(connection)
            chunks = [reader.chunk_at(run_id, c.name, chunk.start) for c in reader.columns(run_id)]
            digest = unit_digest([c for c in chunks if c is not None])
            connection.execute(
                schema.unit.update().where(schema.unit.c.run_id == run_id).values(digest=digest)
            )
            writer.finish_run(
                connection,
                run_id,
                run_digest.run_digest(reader, run_id),
                run_digest.histograms(reader, run_id),
            )
        materialize(store, run_id)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("metric", ["curve", "share", "third", "effort", "digits"])
def test_a_false_value_with_true_digests_is_found_by_computing_it_again(
    bench: Workplace, metric: str
) -> None:
    bench.given(NUMBERS)
    falsify(bench, 1, metric, 123)
    found = failed(checked(bench, 1))
    assert set(found) == {"sample"}
    assert found["sample"].startswith(f"numbers:range?size=600#123: the recorded {metric} is ")


def test_a_false_value_in_a_filtered_run(bench: Workplace) -> None:
    run = bench.given(NUMBERS + FILTERED).goal
    falsify(bench, run.id, "curve", 126)
    assert set(failed(checked(bench, run.id))) == {"sample"}


@pytest.mark.parametrize("pegs", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_a_false_value_of_a_layer(bench: Workplace, pegs: int) -> None:
    run = bench.given(LAYERS, f"generator.pegs={pegs}").goal
    falsify(bench, run.id, "unique", 60)
    found = failed(checked(bench, run.id))
    assert set(found) == {"sample"}
    assert found["sample"].startswith(f"pegs:line?cells=9&pegs={pegs}#60: the recorded unique is ")


@pytest.mark.parametrize(("seeds", "again"), [(3, 1), pytest.param(6, 2, marks=pytest.mark.slow)])
def test_a_small_sample_finds_a_false_value_sometimes(bench: Workplace, seeds: int, again: int) -> None:
    """So that the sample depends on the seed, and is one."""
    bench.given(NUMBERS)
    falsify(bench, 1, "digits", 123)
    passed = [checked(bench, 1, 300, seed).passed for seed in range(seeds)]
    assert len(set(passed)) == 2
    assert passed[:again] == [checked(bench, 1, 300, seed).passed for seed in range(again)]


@pytest.mark.parametrize("pegs", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_an_input_that_has_changed(bench: Workplace, pegs: int) -> None:
    runs = bench.given(LAYERS, f"generator.pegs={pegs}").runs
    falsify(bench, runs[-3].id, "unique", 0)
    found = failed(checked(bench, runs[-2].id))
    assert found["inputs"] == f"Run {runs[-3].id}, the input 'solvable', has changed since."
    assert "inputs" not in failed(checked(bench, runs[-1].id))


def test_a_run_that_is_not_finished(
    bench: Workplace, pieces_of_64: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is there is verified, and what is missing named."""
    genuine = UnitSolver.__call__

    def solve(self: UnitSolver, unit: Unit) -> Any:
        if unit.start >= 300:
            raise KeyboardInterrupt
        return genuine(self, unit)

    monkeypatch.setattr(UnitSolver, "__call__", solve)
    with pytest.raises(RunInterruptedError):
        bench.run(NUMBERS)
    report = checked(bench, 1)
    assert report.verdict == "cannot be checked here"
    found = failed(report)
    assert found["coverage"] == "Ranks 320 to 599 are missing: the run is not finished; epcg resume 1."
    assert found["run digest"] == "The run is not finished, so it has no digest; epcg resume 1."
    assert set(found) == {"coverage", "run digest"}


def test_parts_that_have_changed_since(bench: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.given(NUMBERS)
    monkeypatch.setattr(RunSpec, "request", "another")
    monkeypatch.setattr(RunSpec, "identity", "another")
    report = checked(bench, 1)
    assert report.verdict == "does not hold"
    assert "plans another run with the same code, so the record was changed" in failed(report)["sample"]


def test_an_evaluator_that_gives_something_else_now(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.given(NUMBERS)
    module = importlib.import_module("epcg_game")
    genuine = module.Mixed.evaluate
    monkeypatch.setattr(
        module.Mixed, "evaluate", lambda self, state: None if state == 77 else genuine(self, state)
    )
    assert failed(checked(bench, 1))["sample"] == (
        "numbers:range?size=600#77: recorded is 'value', computed again 'none'."
    )


def test_a_block_knows_how_many_it_evaluated() -> None:
    assert Block(5, 10, Evaluation([])).evaluated == 10
    assert Block(5, 10, Evaluation([]), np.array([6, 9])).evaluated == 2
