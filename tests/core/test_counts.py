"""Runs that keep counts: the same digests and distributions as runs with values, and what they cannot do."""

from __future__ import annotations

import pytest

from epcg_core.base.errors import EpcgError, QueryError, RunInterruptedError, StoreError
from epcg_core.query.query import parse_query
from epcg_core.runs import coordinator
from epcg_core.runs.dry_run import estimate
from epcg_core.store.records import Part, Sample
from tests.toy_queries import LAYERS, numbers, those_with
from tests.workplace import Workplace, sweep

NUMBERS = numbers(1500, "divisor", "even", "digits")
MANY = numbers(3000, "divisor", "even", "digits")
FILTERED = those_with("even", 1)
COUNTS = 'record="counts"'
CLAIMS = """
SELECT metric_id, start, count, evaluated, valued, dtype, minimum, maximum, total, digest FROM score_chunk
WHERE run_id = (SELECT max(id) FROM run) ORDER BY 1, 2
"""
BINS = """
SELECT metric_id, position, low, high, count FROM score_histogram
WHERE run_id = (SELECT max(id) FROM run) ORDER BY 1, 2
"""


@pytest.mark.sweep
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(NUMBERS, id="numbers"),
        pytest.param(LAYERS.replace("pegs = 4", "pegs = 2"), id="two layers"),
        pytest.param(NUMBERS + FILTERED, id="filtered", marks=pytest.mark.slow),
        pytest.param(LAYERS, id="layers", marks=pytest.mark.slow),
    ],
)
def test_counts_are_those_of_a_run_with_values(bench: Workplace, text: str) -> None:
    bench.cut(unit_size=1024, chunk_size=512)
    whole, counts = bench.other("whole"), bench.other("counts")
    whole.options = counts.options = bench.options
    expected, found = whole.run(text).runs[-1], counts.run(text, COUNTS).runs[-1]
    assert (found.digest, found.evaluated, found.excluded) == (
        expected.digest, expected.evaluated, expected.excluded,
    )  # fmt: skip
    assert counts.sql(CLAIMS) == whole.sql(CLAIMS)
    assert counts.sql(BINS) == whole.sql(BINS)
    last = "run_id = (SELECT max(id) FROM run)"
    assert counts.sql(f"SELECT DISTINCT codec, data, status FROM score_chunk WHERE {last}") == [
        ("none", b"", None)
    ]
    report = counts.verify(found.id)
    assert report.passed, [check for check in report.checks if not check.passed]
    assert "have the digests and sums" in report.checks[-2].detail
    assert "one wrong chunk in a hundred would pass" in report.checks[-2].detail


@pytest.mark.parametrize("chunk_size", sweep([128, 256, 1024], lambda size: size == 1024))
def test_a_run_that_was_stopped_counts_on(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch, chunk_size: int
) -> None:
    """Each chunk is counted in the transaction that makes it whole, so none is counted twice."""
    from epcg_core.store.writer import UnitWriter

    whole, counts = bench.other("whole"), bench.other("counts")
    whole.run(NUMBERS, unit_size=256, chunk_size=chunk_size)
    add, added = UnitWriter.add, 0

    def stopping(self: UnitWriter, unit: object) -> None:
        nonlocal added
        added += 1
        if added == 5:
            raise KeyboardInterrupt
        add(self, unit)  # type: ignore[arg-type]
        self.flush()

    monkeypatch.setattr(UnitWriter, "add", stopping)
    with pytest.raises((RunInterruptedError, KeyboardInterrupt)):
        counts.run(NUMBERS, COUNTS, unit_size=256, chunk_size=chunk_size)
    monkeypatch.undo()
    assert 0 < counts.sql("SELECT count(*) FROM unit")[0][0] < 6
    assert {check.name for check in counts.verify(1).checks if check.verdict == "does not hold"} <= {
        "coverage", "chunks", "run digest", "sample",
    }  # fmt: skip
    counts.run(NUMBERS, COUNTS, unit_size=256, chunk_size=chunk_size)
    assert counts.sql(CLAIMS) == whole.sql(CLAIMS)
    assert counts.sql(BINS) == whole.sql(BINS)
    assert not counts.failed(1)


def test_more_values_than_bins_are_binned(bench: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epcg_core.store.run_digest.EXACT_VALUES", 300)
    counts, whole = bench.other("counts"), bench.other("whole")
    counts.run(MANY, COUNTS)
    whole.run(MANY)
    assert len(counts.sql("SELECT DISTINCT position FROM score_histogram WHERE low < high")) > 50
    assert counts.sql(BINS) == whole.sql(BINS)
    assert counts.verify(1).passed


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("change", "check"),
    [
        ("UPDATE score_chunk SET total = total + 1 WHERE start = 512 AND dtype = 'bit'", "sample"),
        ("UPDATE score_chunk SET digest = zeroblob(32) WHERE start = 512", "unit digests"),
        ("UPDATE score_chunk SET data = x'00', codec = 'raw' WHERE start = 512", "chunks"),
        ("UPDATE score_chunk SET maximum = -1 WHERE start = 512", "chunks"),
        ("UPDATE score_histogram SET count = count + 1 WHERE position = 1", "histograms"),
        ("UPDATE score_histogram SET low = low + 1, high = high + 1 WHERE position = 3", "histograms"),
        ("DELETE FROM score_chunk WHERE start = 512", "chunks"),
    ],
)
def test_a_changed_count_is_found(bench: Workplace, change: str, check: str) -> None:
    bench.cut(unit_size=1024, chunk_size=512)
    bench.given(NUMBERS, COUNTS)
    bench.change(change)
    assert check in bench.failed(1)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("text", "says"),
    [
        (NUMBERS + '[[select]]\nmetric = "digits"\n', "chooses by them"),
        (NUMBERS.replace('"digits"', '"root"'), "real numbers"),
    ],
)
def test_what_needs_values_is_refused(bench: Workplace, text: str, says: str) -> None:
    with pytest.raises(QueryError, match=says):
        bench.run(text, COUNTS)


def test_rows_samples_and_parts_need_values(bench: Workplace) -> None:
    with pytest.raises(QueryError, match="makes rows"):
        bench.run(NUMBERS, 'record={values = "counts", rows = "all"}')
    with pytest.raises(QueryError, match="sample is made of them"):
        bench.run(NUMBERS, COUNTS, sample=Sample(10, 1))
    from epcg_core.store import Store

    bench.run(NUMBERS)
    with Store.open(bench.database, write=True) as store, pytest.raises(QueryError, match="parts are merged"):
        coordinator.execute(parse_query(NUMBERS, [COUNTS]), store, bench.options, part=Part(1, 2))
    with pytest.raises(QueryError, match="parts are merged"):
        estimate(parse_query(NUMBERS, [COUNTS]), None, part=Part(1, 2))


def test_values_that_were_not_kept_are_missed_in_a_sentence(bench: Workplace) -> None:
    bench.run(NUMBERS, COUNTS)
    for command in (
        ("show", "1"), ("export", "1"), ("certificate", "1"),
        ("sql", "SELECT sum(value) FROM scores"), ("sql", "SELECT epcg_percentile(1, 'digits', 3)"),
    ):  # fmt: skip
        result = bench.epcg(*command, "--db", bench.database)
        assert "Traceback" not in result.output
        assert command == ("show", "1") or (result.exit_code and "counts" in result.stderr), command
    with pytest.raises(StoreError, match="--again"):
        bench.run(NUMBERS)
    again = bench.run(NUMBERS, again=True).runs[-1]
    assert not again.counted
    assert again.digest == bench.sql("SELECT digest FROM run WHERE id = 1")[0][0]


def test_a_table_is_not_read_from_counts(bench: Workplace) -> None:
    bench.run(LAYERS, COUNTS)
    with pytest.raises(EpcgError, match="counts"):
        bench.run(LAYERS.replace("pegs = 4", "pegs = 5"))
