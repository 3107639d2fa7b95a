"""Parquet files and Arrow batches of a run, and measures of others that come back in."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

import epcg_core as epcg
from epcg_core.errors import StoreError, UnknownNameError
from epcg_core.services import arrow
from tests.workplace import Numbers

pa = pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'parquet' is not installed")

DIGITS = [sum(map(int, str(rank))) for rank in range(100)]


def written(cli: Callable[..., Result], run: int, *options: object) -> Any:
    """The file of a run, opened."""
    cli("export", run, "--output", "run.parquet", *options)
    return parquet.ParquetFile("run.parquet")


# --- export


def test_a_file_tells_which_run_it_is_of(cli: Callable[..., Result], answered: Numbers) -> None:
    file = written(cli, 1, "--where", "digits > 2")
    about = arrow.told(file.schema_arrow.metadata)
    record = answered.read(lambda reader: reader.run(1))
    assert about is not None
    assert about["space"] == "numbers:range?size=100"
    assert about["identity"] == record.identity
    assert about["digest"] == record.digest
    assert about["versions"] == record.versions
    assert about["where"] == "digits > 2"
    assert about["metrics"]["root"]["kind"] == "real"
    assert about["evaluated"] == 100
    assert json.loads(file.metadata.metadata[b"epcg"]) == about


def test_ranks_are_differences_and_groups_have_statistics(
    cli: Callable[..., Result], toy: Numbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrow, "ROW_GROUP", 70_000)
    cli("run", toy.file("digits_array", "even", size=200_000, more='[record]\nrows = "none"'), "--quiet")
    found = written(cli, 1, "--puzzle-ids", "--status").metadata
    limits = []
    for group in map(found.row_group, range(found.num_row_groups)):
        columns = {c.path_in_schema: c for c in map(group.column, range(group.num_columns))}
        assert {c.compression for c in columns.values()} == {"ZSTD"}
        assert "DELTA_BINARY_PACKED" in columns["rank"].encodings
        assert "DELTA_BYTE_ARRAY" in columns["puzzle"].encodings
        assert columns["rank"].total_compressed_size < group.num_rows / 10
        statistics = columns["rank"].statistics
        limits.append((statistics.min, statistics.max))
    assert limits == [(0, 131_071), (131_072, 199_999)]


def test_every_kind_of_metric_comes_back_as_it_is_recorded(
    cli: Callable[..., Result], answered: Numbers
) -> None:
    first = written(cli, 1, "--puzzle-ids", "--status").read()
    assert first.column("rank").to_pylist() == list(range(100))
    assert first.column("digits").to_pylist() == DIGITS
    assert first.column("even").to_pylist() == [rank % 2 == 0 for rank in range(100)]
    assert first.column("root").to_pylist() == [math.sqrt(rank) for rank in range(100)]
    assert first.column("puzzle").to_pylist() == [f"numbers:range?size=100#{rank}" for rank in range(100)]
    assert set(first.column("status").to_pylist()) == {"value"}
    second = written(cli, 2, "--status").read().to_pylist()
    rows = json.loads(cli("export", 2, "--format", "json", "--status").stdout)
    assert second == rows
    assert {row["status"] for row in rows} == {"value", "none"}


def test_a_folder_of_files_of_at_most_so_many(cli: Callable[..., Result], answered: Numbers) -> None:
    assert "100 candidates" in cli("export", 1, "--output", "parts", "--partition", 30).stderr
    files = sorted(path.name for path in Path("parts").iterdir())
    assert files == [f"rank-{first:03}.parquet" for first in (0, 30, 60, 90)]
    tables = [parquet.read_table(f"parts/{name}") for name in files]
    assert [len(table) for table in tables] == [30, 30, 30, 10]
    assert pa.concat_tables(tables).equals(written(cli, 1).read())
    refused = cli("export", 1, "--output", "parts", "--partition", 30, code=1).stderr
    assert "There is already a folder parts: choose another --output." in refused
    assert "--format parquet" in cli("export", 1, "--format", "csv", "--partition", 3, code=2).stderr


def test_a_folder_of_no_candidate_has_one_empty_file(cli: Callable[..., Result], answered: Numbers) -> None:
    cli("export", 1, "--output", "none", "--partition", 30, "--where", "digits > 99")
    (file,) = Path("none").iterdir()
    assert parquet.read_table(file).num_rows == 0
    assert written(cli, 1, "--where", "digits > 99").read().num_rows == 0


@pytest.mark.parametrize("options", [(), ("--partition", 40)])
def test_a_disk_that_fills_leaves_nothing_half_written(
    cli: Callable[..., Result],
    answered: Numbers,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[object, ...],
) -> None:
    real = arrow.batches

    def fails(*arguments: Any) -> Any:
        yield next(real(*arguments))
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(arrow, "batches", fails)
    said = cli("export", 1, "--format", "parquet", "--output", "wanted", *options, code=1).stderr
    assert "wanted cannot be written: No space left on device." in said
    assert not [path.name for path in answered.folder.iterdir() if "wanted" in path.name]


def test_batches_stream_and_know_their_metrics(answered: Numbers) -> None:
    run = epcg.open(answered.database).run(1)
    reader = run.arrow("digits", where="even", puzzles=True)
    assert reader.schema.names == ["rank", "puzzle", "digits"]
    assert reader.schema.field("digits").type == pa.int64()
    assert arrow.told(reader.schema.metadata)["run"] == 1  # type: ignore[index]
    assert reader.read_all().column("digits").to_pylist() == DIGITS[::2]
    assert reader.read_all().num_rows == 0
    with pytest.raises(UnknownNameError, match="Did you mean 'digits'"):
        run.arrow("digit")
    with pytest.raises(StoreError, match="a condition over rank, digits, even, root"):
        run.arrow(where="digit > 1")


def test_a_batch_is_a_chunk(toy: Numbers, cli: Callable[..., Result]) -> None:
    cli("run", toy.file("digits_array", size=150_000, more='[record]\nrows = "none"'), "--quiet")
    batches = list(epcg.open(toy.database).run(1).arrow())
    assert [len(batch) for batch in batches] == [65_536, 65_536, 18_928]
