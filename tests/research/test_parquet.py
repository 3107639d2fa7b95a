"""Parquet files and Arrow batches of a run, and measures of others that come back in."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from epcg_research.exchange import arrow

import epcg_core as epcg
from epcg_core.base.errors import EpcgError, StoreError, UnknownNameError
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
    assert "There is already a folder parts: choose another output." in refused
    assert "the format parquet" in cli("export", 1, "--format", "csv", "--partition", 3, code=2).stderr


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


# --- import


def file_of(path: str, metadata: dict[bytes, bytes] | None = None, **columns: Any) -> Path:
    table = pa.table(columns)
    parquet.write_table(table.replace_schema_metadata(metadata) if metadata else table, path)
    return Path(path)


def puzzles(*ranks: int) -> list[str]:
    return [f"numbers:range?size=100#{rank}" for rank in ranks]


def votes(path: str = "votes.parquet") -> Path:
    """Five puzzles, not in order, one without a mean."""
    return file_of(
        path, puzzle=puzzles(7, 3, 99, 50, 51), votes=[4, 12, 1, 0, 9], mean=[2.5, 4.0, None, 1.0, 3.25]
    )


def everything(database: Path) -> list[Any]:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(database)) as connection:
        return list(connection.iterdump())


def test_votes_become_metrics_of_a_run(cli: Callable[..., Result], answered: Numbers) -> None:
    digest = answered.read(lambda reader: reader.run(1)).digest
    said = cli("import", "parquet", 1, votes()).stderr
    assert "Run 1 has votes, mean of 5 candidates, from votes.parquet." in said
    top = json.loads(cli("top", 1, "--metric", "votes", "--count", 2, "--format", "json").stdout)
    assert [(row["rank"], row["votes"], row["mean"]) for row in top] == [(3, 12, 4.0), (51, 9, 3.25)]
    assert answered.sql(
        "SELECT rank, value FROM scores WHERE metric = 'mean' AND value IS NOT NULL ORDER BY rank"
    ) == [(3, 4.0), (7, 2.5), (50, 1.0), (51, 3.25)]
    assert answered.sql("SELECT valued, total FROM metrics WHERE metric = 'votes'") == [(5, 26)]
    assert answered.sql("SELECT sum(count) FROM histograms WHERE metric = 'mean'") == [(4,)]
    rows = json.loads(
        cli("export", 1, "--where", "votes > 3 AND even = 0", "--metric", "digits", "--metric", "mean",
            "--format", "json").stdout
    )  # fmt: skip
    assert rows == [
        {"rank": 3, "digits": 3, "mean": 4.0},
        {"rank": 7, "digits": 7, "mean": 2.5},
        {"rank": 51, "digits": 6, "mean": 3.25},
    ]
    assert [metric.name for metric in epcg.open(answered.database).run(1).metrics] == [
        "digits", "even", "root", "votes", "mean",
    ]  # fmt: skip
    assert answered.read(lambda reader: reader.run(1)).digest == digest


def test_verify_names_imported_measures_and_what_it_does_not_cover(
    cli: Callable[..., Result], answered: Numbers
) -> None:
    cli("import", "parquet", 1, votes())
    report = json.loads(cli("verify", 1, "--json").stdout)
    assert report["verdict"] == "holds"
    assert "the imported measure 'votes'" in report["not_covered"]
    checks = {check["name"]: check["detail"] for check in report["checks"]}
    assert "votes of votes.parquet" in checks["imported"]
    assert json.loads(cli("verify", 2, "--json").stdout)["not_covered"] == [
        reason for reason in report["not_covered"] if "imported" not in reason
    ]
    assert "votes, 5 values of votes.parquet, at " in cli("show", 1).stdout
    origin = json.loads(cli("show", 1, "--json").stdout)["imported"]["votes"]
    assert (origin["file"], origin["values"], len(origin["sha256"])) == ("votes.parquet", 5, 64)


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("change", "check"),
    [
        ("UPDATE score_chunk SET data = zeroblob(length(data)) WHERE metric_id = {}", "imported"),
        ("UPDATE score_chunk SET valued = valued - 1 WHERE metric_id = {}", "imported"),
        ("DELETE FROM score_chunk WHERE metric_id = {}", "imported"),
        ("UPDATE score SET value = 5 WHERE metric_id = {} AND rank = 3", "rows"),
        ("DELETE FROM score_histogram WHERE metric_id = {}", "histograms"),
        ("DELETE FROM run_metric WHERE metric_id = {}", "specification"),
        ("UPDATE run SET imported = NULL WHERE id = 1", "specification"),
        ("UPDATE run SET imported = json_set(imported, '$.votes.values', 6) WHERE id = 1", "imported"),
    ],
)
def test_a_change_of_imported_values_is_found(
    cli: Callable[..., Result], answered: Numbers, change: str, check: str
) -> None:
    cli("import", "parquet", 1, votes())
    ((number,),) = answered.sql("SELECT id FROM metric WHERE name = 'votes'")
    answered.change(change.format(number))
    assert check in answered.failed(1, 10)


def test_a_run_without_rows_has_imported_values_of_its_kept_candidates(
    toy: Numbers, cli: Callable[..., Result]
) -> None:
    more = '[[select]]\nmetric = "digits"\ncount = 2\n[record]\nrows = "none"'
    cli("run", toy.file("digits", more=more), "--quiet")
    cli("import", "parquet", 1, votes())
    assert toy.sql("SELECT rank, value FROM materialized_scores WHERE metric = 'votes'") == [
        (89, None),
        (99, 1),
    ]
    assert cli("sql", "SELECT epcg_score(1, 'votes', 3) AS v", "--format", "csv").stdout == "v\n12\n"
    assert toy.failed(1) == {}
    cli("db", "materialize", 1, "--where", "votes > 3")
    found = toy.sql("SELECT rank FROM materialized_scores WHERE metric = 'mean'")
    assert found == [(3,), (7,), (51,), (89,), (99,)]
    assert toy.failed(1) == {}


def test_a_filtered_run_takes_values_of_what_it_evaluated(toy: Numbers, cli: Callable[..., Result]) -> None:
    cli("run", toy.file("even", name="even"), "--quiet")
    odd = '[filter]\nmetric = "even"\nmax = 0\nrun = 1\n'
    cli("run", toy.file("digits", name="odd", more=odd), "--quiet")
    refused = cli("import", "parquet", 2, votes(), code=1).stderr
    assert "Rank 50 was not evaluated in run 2" in refused
    cli("import", "parquet", 2, file_of("odd.parquet", puzzle=puzzles(51, 7), liked=[True, False]))
    text = cli("export", 2, "--metric", "liked", "--where", "liked IS NOT NULL").stdout
    assert text == "rank,liked\n7,0\n51,1\n"
    assert toy.failed(2) == {}


def test_a_file_of_ours_goes_by_rank(cli: Callable[..., Result], answered: Numbers) -> None:
    cli("export", 1, "--output", "own.parquet", "--where", "rank IN (5, 6)")
    own = parquet.read_table("own.parquet")
    about = {"unit": "seconds", "direction": "min", "description": "until solved"}
    field = pa.field("seconds", pa.float64(), metadata=about)
    parquet.write_table(own.append_column(field, pa.array([31.5, float("nan")])), "timed.parquet")
    cli("import", "parquet", 1, "timed.parquet")
    (metric,) = (m for m in epcg.open(answered.database).run(1).metrics if m.name == "seconds")
    assert (metric.unit, metric.direction, metric.description) == tuple(about.values())
    assert answered.sql("SELECT valued FROM metrics WHERE metric = 'seconds'") == [(1,)]
    cli("run", answered.file("digits", size=50, name="fifty"), "--quiet")
    refused = cli("import", "parquet", 3, "timed.parquet", code=1).stderr
    assert "is about numbers:range?size=100, and run 3 covers numbers:range?size=50" in refused


def test_what_was_imported_is_replaced_only_if_that_is_asked_for(
    cli: Callable[..., Result], answered: Numbers
) -> None:
    cli("import", "parquet", 1, votes())
    again = file_of("again.parquet", puzzle=puzzles(1), votes=[70])
    assert "add --replace" in cli("import", "parquet", 1, again, code=1).stderr
    cli("import", "parquet", 1, again, "--replace")
    assert answered.sql("SELECT valued, maximum FROM metrics WHERE metric = 'votes'") == [(1, 70)]
    assert answered.sql("SELECT valued FROM metrics WHERE metric = 'mean'") == [(4,)]
    assert answered.failed(1) == {}


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("columns", "options", "sentence"),
    [
        ({"votes": [1]}, (), "neither a column 'puzzle' with puzzles' ids nor a column 'rank'"),
        ({"rank": [1], "votes": [1]}, (), "does not say which space its ranks are of: give it a column"),
        ({"rank": [1, 1], "votes": [1, 2]}, ("--ranks",), "rank 1 is there more than once"),
        ({"rank": [100], "votes": [1]}, ("--ranks",), "Rank 100 was not evaluated in run 1"),
        ({"rank": [-1], "votes": [1]}, ("--ranks",), "Rank -1 was not evaluated in run 1"),
        ({"rank": [1.0], "votes": [1]}, ("--ranks",), "and ranks are integers"),
        ({"rank": [1, None], "votes": [1, 2]}, ("--ranks",), "rows without a rank"),
        ({"puzzle": [3], "votes": [1]}, (), "puzzles' ids are strings"),
        ({"puzzle": ["a:b#1"], "votes": [1]}, (), "'a:b#1' is not a puzzle of run 1"),
        ({"puzzle": [None, "x"], "votes": [1, 1]}, (), "a row without a puzzle"),
        ({"puzzle": puzzles(1), "comment": ["good"]}, (), "'comment' has string, and a metric is a number"),
        ({"puzzle": puzzles(1)}, (), "The file has nothing to import"),
        ({"puzzle": puzzles(1), "digits": [1]}, (), "The file has nothing to import"),
        ({"puzzle": puzzles(1), "digits": [1]}, ("--metric", "digits"), "Run 1 measured 'digits' itself"),
        ({"puzzle": puzzles(1), "divisor": [1]}, (), "is what an evaluator of numbers measures"),
        ({"puzzle": puzzles(1), "evaluated": [1]}, (), "cannot call a metric 'evaluated'"),
        ({"puzzle": puzzles(1), "two words": [1]}, (), "letters, digits and underscores"),
        ({"puzzle": puzzles(1), "votes": [1]}, ("--metric", "vote"), "Did you mean 'votes'?"),
    ],
)
def test_bad_files_are_refused_and_nothing_is_written(
    cli: Callable[..., Result],
    answered: Numbers,
    columns: dict[str, Any],
    options: tuple[str, ...],
    sentence: str,
) -> None:
    before = everything(answered.database)
    refused = cli("import", "parquet", 1, file_of("bad.parquet", **columns), *options, code=1).stderr
    assert sentence in " ".join(refused.split())
    assert everything(answered.database) == before


def test_files_that_are_none(cli: Callable[..., Result], answered: Numbers) -> None:
    Path("text.parquet").write_text("votes\n1\n")
    assert "cannot be read as a Parquet file" in cli("import", "parquet", 1, "text.parquet", code=1).stderr
    assert "There is no file 'lost.parquet'" in cli("import", "parquet", 1, "lost.parquet", code=1).stderr
    Path("folder").mkdir()
    assert "There is no file *.parquet in the folder" in cli("import", "parquet", 1, "folder", code=1).stderr
    assert "There is no run 9" in cli("import", "parquet", 9, votes(), code=1).stderr
    file_of("numbers.parquet", puzzle=puzzles(1), votes=pa.array([2**64 - 1], pa.uint64()))
    assert "numbers beyond 2^63" in cli("import", "parquet", 1, "numbers.parquet", code=1).stderr


def test_metadata_that_is_not_ours_is_none() -> None:
    for text in (b"", b"{", b"[1]", b'{"form": "x", "space": 1}', b"[" * 100_000, b"\xff\xfe"):
        assert arrow.told({b"epcg": text}) is None
    with pytest.raises(EpcgError, match="written by a later EPCG"):
        arrow.told({b"epcg": b'{"form": 2, "space": "a:b", "epcg": "9.0"}'})


def test_runs_that_take_no_measures(toy: Numbers, cli: Callable[..., Result]) -> None:
    cli("run", toy.file("digits"), "--sample", 10, "--quiet")
    assert "Run 1 is not finished: epcg resume 1" in cli("import", "parquet", 1, votes(), code=1).stderr


def test_the_order_of_a_folders_files_does_not_matter(cli: Callable[..., Result], answered: Numbers) -> None:
    Path("folder").mkdir()
    file_of("folder/b.parquet", puzzle=puzzles(1, 9), votes=[5, 6])
    file_of("folder/a.parquet", puzzle=puzzles(2), votes=[7])
    cli("import", "parquet", 1, "folder")
    text = cli("export", 1, "--metric", "votes", "--where", "votes > 0").stdout
    assert text == "rank,votes\n1,5\n2,7\n9,6\n"
    file_of("folder/c.parquet", puzzle=puzzles(3), likes=[7])
    refused = cli("import", "parquet", 1, "folder", "--replace", code=1).stderr
    assert "c.parquet has other columns than a.parquet" in refused
