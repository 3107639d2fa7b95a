"""Values as Python has them: one type for each kind of metric, and a row for each candidate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import epcg_core as epcg
from epcg_core.base.errors import EpcgError
from tests.workplace import Numbers, epcg as command

SUMS = [sum(map(int, str(number))) for number in range(300)]
TYPES = {"digits": "int64", "even": "bool", "root": "float64", "divisor": "int64"}
LIBRARIES = ["pandas", "polars"]


@pytest.fixture(params=["all", "none"])
def run(toy: Numbers, request: pytest.FixtureRequest) -> epcg.Run:
    toy.cut(64, 64)  # chunks of several types
    more = f'[record]\nrows = "{request.param}"\n'
    toy.given(toy.query("digits", "even", "root", "divisor", size=300, more=more))
    return epcg.open(toy.database).run(1)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("metric", TYPES)
def test_values_have_the_type_of_their_kind(run: epcg.Run, metric: str) -> None:
    ranks, values = run.values(metric)
    assert (str(ranks.dtype), str(values.dtype)) == ("int64", TYPES[metric])


def test_differences_of_values_are_what_they_should_be(run: epcg.Run) -> None:
    assert np.diff(run.values("digits")[1]).tolist() == np.diff(SUMS).tolist()
    assert run.values("digits")[1].sum() == sum(SUMS)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_frame_has_one_row_for_each_candidate(run: epcg.Run, library: Any) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    found = run.frame(library)
    assert found["rank"].to_list() == list(range(300))
    assert {name: str(found[name].dtype).lower().removesuffix("ean") for name in TYPES} == TYPES | {
        "divisor": "float64"
    }
    assert np.diff(found["digits"].to_numpy()).tolist() == np.diff(SUMS).tolist()
    assert np.flatnonzero(np.isnan(found["divisor"].to_numpy())).tolist() == [0, 1]
    assert found["divisor"].to_list()[2:6] == [2, 3, 2, 5]


@pytest.mark.sweep
@pytest.mark.parametrize("library", LIBRARIES)
def test_candidates_without_any_value_have_a_row(toy: Numbers, library: Any) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    toy.run(toy.query("divisor", size=50))
    found = epcg.open(toy.database).run(1).frame(library)
    assert found["rank"].to_list() == list(range(50))
    assert np.isnan(found["divisor"].to_numpy()).tolist() == [True, True] + [False] * 48


@pytest.mark.sweep
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_run_without_values(toy: Numbers, library: Any) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    toy.run(toy.query("divisor", size=2))
    run = epcg.open(toy.database).run(1)
    assert [(array.tolist(), str(array.dtype)) for array in run.values("divisor")] == [([], "int64")] * 2
    assert run.frame(library).shape == (2, 2)


def test_the_candidates_of_a_sample_are_the_rows(toy: Numbers) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    run = epcg.answer(toy.file("divisor", size=5000), db=toy.database, sample=40, quiet=True)
    found = run.frame("pandas")
    assert len(found) == 40 == run.record.evaluated
    assert str(run.values("divisor")[1].dtype) == "int64"


@pytest.mark.sweep
@pytest.mark.parametrize("library", LIBRARIES)
def test_whole_numbers_beside_missing_ones_are_not_rounded(toy: Numbers, library: Any) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    toy.given(toy.query("digits", size=3))
    votes = {"rank": [0, 2], "large": [2**53 + 1, -(2**62) - 1]}
    parquet.write_table(pyarrow.table(votes), "large.parquet")
    command("import", "parquet", 1, "large.parquet", "--ranks")
    run = epcg.open(toy.database).run(1)
    assert run.frame(library)["large"].to_list() == [2**53 + 1, None, -(2**62) - 1]
    assert run.values("large")[1].tolist() == [2**53 + 1, -(2**62) - 1]


@pytest.mark.sweep(4)
@pytest.mark.parametrize("kind", [int, np.int64, np.int32, np.uint8, np.float32, float])
def test_a_value_of_numpy_is_a_number_like_others(run: epcg.Run, kind: Any) -> None:
    lower, equal = sum(value < 7 for value in SUMS), SUMS.count(7)
    assert run.percentile("digits", kind(7)) == 100 * (lower + equal / 2) / 300
    assert run.percentile("even", np.bool_(True)) == run.percentile("even", True) == 75.0
    assert run.percentile("digits", 10**30) == 100.0
    assert run.database.run(np.int64(1)).record.id == 1  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [float("nan"), "7", None, [7]])
def test_what_is_not_a_number_is_refused(run: epcg.Run, value: Any) -> None:
    with pytest.raises(EpcgError, match="is not a number that values can be compared with"):
        run.percentile("digits", value)


@pytest.mark.parametrize("count", [0, -1, 5.0, "5", None])
def test_the_best_are_one_or_more(run: epcg.Run, count: Any) -> None:
    with pytest.raises(EpcgError, match=r"count: .* give 1 or more|count must be an integer"):
        run.best("digits", count)
