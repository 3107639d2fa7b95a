"""`epcg export`."""

from __future__ import annotations

import csv
import errno
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests.workplace import Numbers, epcg

pytestmark = pytest.mark.usefixtures("answered")


def test_csv_has_every_candidate_in_order(cli: Callable[..., Result], answered: Numbers) -> None:
    result = cli("export", 1, "--output", "all.csv")
    assert "100 candidates" in result.stderr
    with (answered.folder / "all.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["rank"]) for row in rows] == list(range(100))
    for rank, row in enumerate(rows):
        assert int(row["digits"]) == sum(map(int, str(rank)))
        assert row["even"] == str(int(rank % 2 == 0))
        assert float(row["root"]) == math.sqrt(rank)


def test_json_is_a_list_of_objects(cli: Callable[..., Result]) -> None:
    text = cli("export", 2, "--format", "json", "--puzzle-ids", "--status").stdout
    rows = json.loads(text)
    assert len(rows) == 100
    assert rows[0] == {"rank": 0, "puzzle": "numbers:range?size=100#0", "divisor": None, "status": "none"}
    assert rows[91] == {"rank": 91, "puzzle": "numbers:range?size=100#91", "divisor": 7, "status": "value"}


def test_parquet_keeps_the_types(cli: Callable[..., Result], answered: Numbers) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'parquet' is not installed")
    cli("export", 1, "--output", "all.parquet", "--puzzle-ids")
    cli("export", 2, "--output", "two.parquet")
    table = parquet.read_table(answered.folder / "all.parquet")
    types = {field.name: str(field.type) for field in table.schema}
    assert types == {"rank": "int64", "puzzle": "string", "digits": "int64", "even": "bool", "root": "double"}
    assert table.column("digits").to_pylist() == [sum(map(int, str(rank))) for rank in range(100)]
    assert parquet.read_table(answered.folder / "two.parquet").column("divisor").to_pylist()[:3] == [
        None, None, 2
    ]  # fmt: skip


def test_where_selects_and_metric_chooses(cli: Callable[..., Result]) -> None:
    text = cli("export", 1, "--where", "even AND digits >= 16", "--metric", "root", "--format", "json").stdout
    assert json.loads(text) == [
        {"rank": 88, "root": math.sqrt(88)},
        {"rank": 98, "root": math.sqrt(98)},
    ]
    assert (
        cli("export", 1, "--where", "is_even AND digits >= 16", "--metric", "root", "--format", "json").stdout
        == text
    )
    assert cli("export", 1, "--where", "rank > 100").stdout == "rank,digits,even,root\n"


def test_chunks_follow_each_other(toy: Numbers, cli: Callable[..., Result]) -> None:
    cli("run", toy.file("digits_array", size=150_000, more='[record]\nrows = "none"'), "--quiet")
    text = cli("export", 3, "--where", "rank % 50000 = 49999 OR digits = 46").stdout
    assert text == "rank,digits\n49999,40\n99999,45\n149999,41\n"


def test_filtered_runs_have_their_own_ranks(toy: Numbers, cli: Callable[..., Result]) -> None:
    cli("run", toy.file("even", name="even"), "--quiet")
    odd = '[filter]\nmetric = "even"\nmax = 0\nrun = 3\n'
    cli("run", toy.file("digits", name="odd", more=odd), "--quiet")
    rows = json.loads(cli("export", 4, "--format", "json").stdout)
    assert rows == [{"rank": rank, "digits": sum(map(int, str(rank)))} for rank in range(1, 100, 2)]


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--metric", "digit"], 1, "Did you mean 'digits'?"),
        (["--where", "digit > 3"], 1, "a condition over rank, digits, even, root"),
        (["--format", "parquet"], 2, "--output"),
        (["--output", "no/such/folder/x.csv"], 1, "Error: There is no folder no/such/folder: make it"),
    ],
)
def test_mistakes(
    cli: Callable[..., Result], answered: Numbers, arguments: list[str], code: int, sentence: str
) -> None:
    result = cli("export", 1, *arguments, code=code)
    assert sentence in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("name", ["scores.xlsx", "scores.CSV.gz", "scores.db", "scores.parquets"])
def test_an_ending_of_no_format_is_refused(cli: Callable[..., Result], answered: Numbers, name: str) -> None:
    refused = cli("export", 1, "--output", answered.folder / name, code=2)
    assert (
        "has the ending of no format: choose .csv, which spreadsheets open, .json or .parquet"
        in refused.stderr
    )
    assert not (answered.folder / name).exists()
    cli("export", 1, "--output", answered.folder / name, "--format", "csv")
    cli("export", 1, "--output", answered.folder / "scores.CSV")
    assert (answered.folder / name).read_text() == (answered.folder / "scores.CSV").read_text()


def test_a_failed_export_leaves_the_old_file_alone(cli: Callable[..., Result], answered: Numbers) -> None:
    target = Path("scores.csv")
    target.write_text("mine")
    cli("export", 1, "--output", target, "--where", "digit > 3", code=1)
    assert target.read_text() == "mine"
    assert not list(answered.folder.glob("*part*")) + list(answered.folder.glob(".*"))


def test_a_folder_that_takes_no_file_is_told_with_the_name_that_was_asked_for(
    toy: Numbers, cli: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("run", toy.file("digits"))

    def refuse(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", refuse)
    said = cli("export", 1, "--output", "wanted.csv", code=1).stderr
    assert "wanted.csv: Permission denied." in said
    assert ".part" not in said


def test_a_name_may_be_as_long_as_the_file_system_takes(
    cli: Callable[..., Result], answered: Numbers
) -> None:
    name = "é" * 125 + ".csv"
    cli("export", 1, "--output", name)
    assert [path.name for path in answered.folder.iterdir() if "é" in path.name] == [name]


def test_what_a_link_leads_to_is_replaced(cli: Callable[..., Result], answered: Numbers) -> None:
    (answered.folder / "there").mkdir()
    link, kept = answered.folder / "scores.csv", answered.folder / "there" / "kept.csv"
    link.symlink_to(kept)
    for _ in range(2):
        cli("export", 1, "--output", link)
        assert link.is_symlink()
        assert kept.read_text().startswith("rank")
    assert [path.name for path in kept.parent.iterdir()] == ["kept.csv"]


@pytest.mark.parametrize("command", ["certificate 1", "render 1#7", "export 1"])
def test_a_full_disk_leaves_the_older_file(
    answered: Numbers, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    target = answered.folder / ("older.json" if command.startswith("certificate") else "older.csv")
    target.write_text("older")
    written = Path.open

    def full(path: Path, *arguments: Any, **options: Any) -> Any:
        file = written(path, *arguments, **options)
        if path.parent == target.parent and file.writable():
            file.write("half")
            file.close()
            raise OSError(errno.ENOSPC, "No space left on device")
        return file

    monkeypatch.setattr(Path, "open", full)
    said = epcg(*command.split(), "--output", target, code=1)
    assert said.stderr.startswith(f"Error: {target}")
    assert said.stderr.endswith(": No space left on device. Make room on its disk, or name another place.\n")
    assert target.read_text() == "older"
