"""Evaluators that raise or return what is no score, queries that ask for what there is not."""

from __future__ import annotations

import math
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from epcg_core.base.errors import EpcgError, EvaluationError, ParamsError, QueryError, UnknownNameError
from epcg_core.chunks.codec import encode_metric
from epcg_core.domain import Metric
from epcg_core.query.query import parse_query
from epcg_core.runs.coordinator import Options, execute, resume
from epcg_core.store import Store
from epcg_core.verification.verify import verify
from tests.processes import Watch
from tests.whole.faults.place import Faults, only_sentences
from tests.workplace import ask_sql, recorded

SIZE, BAD = 1500, 1234
MOODS = ("moody", "moody_array", "moody_fused")
RECORD = '[record]\nrows = "all"\non_error = "record"'


# --- an evaluator that raises


@pytest.mark.sweep
@pytest.mark.parametrize("evaluator", MOODS)
@pytest.mark.parametrize("executor", ["serial", "processes", "threads"])
def test_the_rank_is_named_and_the_mended_run_ends_as_if_nothing_had_happened(
    place: Faults, monkeypatch: pytest.MonkeyPatch, evaluator: str, executor: str
) -> None:
    if executor != "serial" and evaluator == "moody_fused":
        pytest.skip("the executors are tried with the other two")
    place.cut(unit_size=64)
    query = place.query(evaluator, size=SIZE, more='[record]\nrows = "all"')
    whole = place.folder / "whole.db"
    digest = place.run(query, database=whole).goal.digest

    monkeypatch.setenv("EPCG_TEST_BAD", str(BAD))
    with pytest.raises(EvaluationError) as failed:
        place.run(query, executor=executor)
    assert failed.value.rank == BAD
    assert failed.value.exit_code == 3
    assert f"raised ZeroDivisionError: no mood at {BAD} at rank {BAD}" in str(failed.value)
    notes = [note for note in failed.value.__notes__ if "\n" not in note.strip()]
    at_fault, resuming = notes
    assert re.fullmatch(r"The code at fault is \w+\.py:\d+ of the plugin epcg-faults 1\.0\.", at_fault)
    assert resuming == f"Recorded values are kept; go on with: epcg resume 1 --db {place.database}"

    done, of, state = Watch(place.database).state()
    assert 0 < done < of
    assert state == "stopped"
    kept = ask_sql(place.database, "SELECT rank, value FROM score")
    assert [(len(kept),)] == ask_sql(place.database, "SELECT sum(count) FROM unit")
    assert BAD not in dict(kept)
    assert all(value == rank % 10 for rank, value in kept)
    with pytest.raises(EvaluationError, match=f"at rank {BAD}"), Store.open(place.database, write=True) as s:
        resume(1, s, Options("serial", quiet=True))
    assert len(ask_sql(place.database, "SELECT * FROM score")) >= len(kept)

    monkeypatch.delenv("EPCG_TEST_BAD")
    with Store.open(place.database, write=True) as store:
        assert resume(1, store, Options("serial", quiet=True)).goal.digest == digest
    assert recorded(place.database) == recorded(whole)


def test_the_command_line_says_it_in_four_lines(place: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    query = place.file("moody", size=SIZE)
    monkeypatch.setenv("EPCG_TEST_BAD", str(BAD))
    stopped = place.epcg("run", query, "--quiet")
    assert stopped.exit_code == 3
    assert stopped.stdout == ""
    error, at_fault, resuming, recording = stopped.stderr.splitlines()
    assert error == (
        f"Error: The evaluator faults:moody raised ZeroDivisionError: no mood at {BAD} at rank {BAD}."
    )
    assert at_fault.endswith(" of the plugin epcg-faults 1.0.")
    assert "epcg resume 1" in resuming
    assert "--on-error record" in recording
    went_on = place.epcg("resume", 1, "--on-error", "record", "--quiet")
    assert went_on.exit_code == 0, went_on.stderr
    assert ask_sql(place.database, "SELECT rank, note FROM errors") == [
        (BAD, f"ZeroDivisionError: no mood at {BAD}")
    ]


@pytest.mark.sweep
@pytest.mark.parametrize("evaluator", MOODS)
def test_a_candidate_at_fault_is_recorded_without_a_value(
    place: Faults, monkeypatch: pytest.MonkeyPatch, evaluator: str
) -> None:
    size = 200
    bad = (0, 77, 78, size - 1)
    monkeypatch.setenv("EPCG_TEST_BAD", ",".join(map(str, bad)))
    place.cut(unit_size=64)
    place.run(place.query(evaluator, size=size, more=RECORD))
    assert ask_sql(place.database, "SELECT rank, note FROM errors ORDER BY rank") == [
        (rank, f"ZeroDivisionError: no mood at {rank}") for rank in bad
    ]
    assert ask_sql(place.database, "SELECT puzzle FROM errors ORDER BY rank LIMIT 1") == [
        (f"faults:cells?size={size}#0",)
    ]
    rows = dict(ask_sql(place.database, "SELECT rank, value FROM scores"))
    assert rows == {rank: None if rank in bad else rank % 10 for rank in range(size)}
    assert ask_sql(place.database, "SELECT evaluated, valued FROM metrics WHERE metric = 'mood'") == [
        (size, size - len(bad))
    ]
    with Store.open(place.database) as store, store.reader() as reader:
        assert [reader.value(1, "mood", rank) for rank in (76, 77, 78, 79)] == [6, None, None, 9]
        assert verify(store, 1, sample=size).passed


def test_two_evaluators_may_fail_at_one_candidate(place: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both messages stay, in one row."""
    monkeypatch.setenv("EPCG_TEST_BAD", "5")
    place.run(place.query("moody", "moody_second", size=50, more=RECORD))
    assert ask_sql(place.database, "SELECT rank, note FROM errors") == [
        (5, "ZeroDivisionError: no mood at 5; ZeroDivisionError: no second mood at 5")
    ]


# --- an evaluator that returns what is no score

NO_SCORES = [
    ("odd_int", "none_of_them"),
    ("odd_int", "two"),
    ("odd_int", "bare"),
    ("odd_int", "text"),
    ("odd_int", "fraction"),
    ("odd_int", "nested"),
    ("odd_int", "huge"),
    ("odd_int", "nan"),
    ("odd_bool", "text"),
    ("odd_bool", "fraction"),
    ("odd_real", "nan"),
    ("odd_real", "bare"),
    ("odd_real", "nested"),
    ("odd_array_int", "none_of_them"),
    ("odd_array_int", "two"),
    ("odd_array_int", "short"),
    ("odd_array_int", "long"),
    ("odd_array_int", "status"),
    ("odd_array_int", "text"),
    ("odd_array_int", "fraction"),
    ("odd_array_int", "nested"),
    ("odd_array_int", "huge"),
    ("odd_array_real", "nan"),
    ("odd_array_real", "short"),
    ("odd_array_bool", "short"),
    ("odd_array_bool", "long"),
]


@pytest.fixture(scope="module")
def whole_runs() -> dict[str, tuple[str | None, dict[str, list[Any]]]]:
    """Digest and records of runs without a fault, by their evaluator, once they are computed."""
    return {}


@pytest.mark.sweep
@pytest.mark.parametrize(("evaluator", "how"), NO_SCORES, ids=["-".join(pair) for pair in NO_SCORES])
def test_what_is_no_score_is_refused_and_never_recorded(
    place: Faults,
    monkeypatch: pytest.MonkeyPatch,
    whole_runs: dict[str, tuple[str | None, dict[str, list[Any]]]],
    evaluator: str,
    how: str,
) -> None:
    place.cut(unit_size=64)
    query = place.query(evaluator, size=400, more='[record]\nrows = "all"')
    if evaluator not in whole_runs:
        path = place.folder / "whole.db"
        whole_runs[evaluator] = place.run(query, database=path).goal.digest, recorded(path)
    digest, whole = whole_runs[evaluator]
    monkeypatch.setenv("EPCG_TEST_ODD", f"300:{how}")
    with pytest.raises(EpcgError) as failed:
        place.run(query)
    assert only_sentences(str(failed.value))
    assert any(part in str(failed.value) for part in ("odd", "1 metrics", "the status of"))
    done = ask_sql(place.database, "SELECT count(*) FROM unit")
    assert done == [(300 // 64,)]
    assert ask_sql(place.database, "SELECT count(*) FROM score") == [(300 // 64 * 64,)]
    monkeypatch.delenv("EPCG_TEST_ODD")
    assert place.run(query).goal.digest == digest
    assert recorded(place.database) == whole


@pytest.mark.sweep
@pytest.mark.parametrize("evaluator", ["odd_real", "odd_array_real"])
def test_infinity_is_a_score(place: Faults, monkeypatch: pytest.MonkeyPatch, evaluator: str) -> None:
    monkeypatch.setenv("EPCG_TEST_ODD", "200:infinite")
    place.run(place.query(evaluator, size=300, more='[record]\nrows = "all"'))
    assert ask_sql(place.database, "SELECT value FROM scores WHERE rank = 200") == [(math.inf,)]
    bins = ask_sql(place.database, "SELECT low, high, count FROM histograms")
    assert bins == [(0.0, 0.0, 149), (1.0, 1.0, 150), (math.inf, math.inf, 1)]
    with Store.open(place.database) as store:
        assert verify(store, 1, sample=300).passed


def test_a_histogram_of_many_values_and_infinities_counts_all(place: Faults) -> None:
    from epcg_core.store.run_digest import histogram

    place.run(place.query("mixed", size=6000))
    values = np.concatenate(
        [np.arange(5000) * 1e300 * 30, [-math.inf, math.inf, math.inf], -np.arange(997.0)]
    )
    metric = Metric("ratio", "real", always=True)
    chunk = encode_metric(metric, 0, 6000, values, None)
    with closing(sqlite3.connect(place.database)) as connection, connection:
        connection.execute(
            "UPDATE score_chunk SET data = ?, dtype = ?, codec = ?, minimum = ?, maximum = ?, valued = 6000, "
            "status = NULL "
            "WHERE metric_id = "
            "(SELECT id FROM metric WHERE name = 'ratio')",
            (chunk.data, chunk.dtype, chunk.codec, chunk.minimum, chunk.maximum),
        )
    with Store.open(place.database) as store, store.reader() as reader:
        bins = histogram(reader, 1, reader.column(1, "ratio"))
    assert sum(count for _, _, count in bins) == 6000
    assert bins[0] == (-math.inf, -math.inf, 1)
    assert bins[-1] == (math.inf, math.inf, 2)
    assert all(np.isfinite([low, high]).all() and low < high for low, high, _ in bins[1:-1])


def test_sums_of_large_integers_are_right(place: Faults) -> None:
    values = np.full(8, 2**62, np.int64)
    assert encode_metric(Metric("large"), 0, 8, values, None).total == 8.0 * 2**62
    assert encode_metric(Metric("large"), 0, 1, values[:1], None).total == 2**62


# --- a query that asks for what there is not

QUERY = """
domain = "faults"
[generator]
name = "cells"
size = 100
[[evaluators]]
name = "mixed"
[[select]]
metric = "weight"
"""


@pytest.mark.parametrize(
    ("right", "wrong", "kind", "nearest"),
    [
        ('domain = "faults"', 'domain = "fautls"', "domain", "faults"),
        ('name = "cells"', 'name = "sells"', "generator", "cells"),
        ('name = "mixed"', 'name = "mixt"', "evaluator", "mixed"),
        ('metric = "weight"', 'metric = "wieght"', "metric", "weight"),
        ("size = 100", "sise = 100", "key", "size"),
        ("[generator]", 'titel = "x"\n[generator]', "key", "title"),
        ('metric = "weight"', 'metric = "weight"\nkep = "best"', "key", "keep"),
        ('metric = "weight"', 'metric = "weight"\nkeep = "bets"', "rule", "best"),
        ("[generator]", '[search]\nname = "exhaustiv"\n[generator]', "search", "exhaustive"),
        ("[generator]", "[record]\nrowz = 1\n[generator]", "key", "rows"),
    ],
)
def test_the_nearest_name_is_given(place: Faults, right: str, wrong: str, kind: str, nearest: str) -> None:
    assert QUERY.count(right) == 1
    with pytest.raises(UnknownNameError, match=f"unknown {kind} ") as failed:
        place.run(parse_query(QUERY.replace(right, wrong)))
    assert failed.value.nearest == nearest
    assert f"Did you mean '{nearest}'?" in str(failed.value)
    assert not place.database.exists() or ask_sql(place.database, "SELECT * FROM run") == []


@pytest.mark.parametrize("size", [2**63, 2**63 + 1, 10**30])
def test_a_size_that_no_integer_of_a_query_has_is_refused(place: Faults, size: int) -> None:
    """Spaces of so many states from smaller params are refused by `checked_range`."""
    with pytest.raises(QueryError, match=r"generator\.size: this integer has more than 63 bits"):
        place.run(place.query("mixed", size=size))
    refused = place.epcg("run", place.file("mixed", size=size), "--dry-run")
    assert refused.exit_code == 1
    assert "generator.size: this integer has more than 63 bits" in refused.stderr
    assert only_sentences(refused.stderr)


def test_the_end_of_the_largest_space_is_recorded(place: Faults) -> None:
    last = 2**63 - 2
    place.run(place.query("moody", size=last + 1, more=f"[range]\nstart = {last - 9}\n{RECORD}"))
    assert ask_sql(place.database, "SELECT max(rank), count(*), typeof(max(rank)) FROM score") == [
        (last, 10, "integer")
    ]
    with Store.open(place.database) as store:
        report = verify(store, 1, sample=10)
    assert report.passed, report


def test_an_empty_space_is_answered(place: Faults) -> None:
    outcome = place.run(place.query("mixed", size=0))
    assert outcome.goal.done
    assert outcome.goal.evaluated == 0


def test_more_pieces_than_cells(place: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", "fling")
    from epcg_core.plugins.registry import registry

    registry.cache_clear()
    text = 'domain = "fling"\n[generator]\nname = "boards"\nwidth = 3\nheight = 3\npieces = 10\n'
    with (
        pytest.raises(ParamsError, match="10 pieces do not fit on a board of 3 by 3: it has 9 cells"),
        Store.open(place.database, write=True) as store,
    ):
        execute(parse_query(f'{text}[[evaluators]]\nname = "unique"'), store, Options("serial", quiet=True))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("domain = \n", "line 1"),
        ('domain = "faults"\n[generator\n', "line 2"),
        ('domain = "faults"\n', "the key 'generator' is missing"),
        (
            'domain = "faults"\n[generator]\nname = "cells"\nsize = "9"\n',
            'generator.size: "9" is not an integer',
        ),
        ('domain = "faults"\n[generator]\nname = "cells"\nsize = -1\n', "generator.size: -1 is not allowed"),
        ('domain = "faults"\n[generator]\nname = "cells"\n', "names no evaluator"),
    ],
)
def test_a_query_that_cannot_be_read(place: Faults, text: str, message: str) -> None:
    path = place.folder / "wrong.toml"
    path.write_text(text, encoding="utf-8")
    refused = place.epcg("run", path)
    assert refused.exit_code == 1
    assert message in refused.stderr
    assert only_sentences(refused.stderr), refused.stderr
    assert Path(path).read_text(encoding="utf-8") == text
