"""Archives of runs: all that a committee needs lies in one file, and the commands on its page work."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path

import pyarrow.parquet
import pytest

from tests.workplace import Numbers, epcg

FILES = {
    "CITATION.cff", "README.md", "SHA256SUMS", "certificate.json", "distributions.pdf", "environment.json",
    "query.toml", "values.parquet",
}  # fmt: skip


@pytest.fixture
def measured(toy: Numbers) -> Numbers:
    toy.given(toy.query("digits", "divisor", size=100))
    return toy


def unpacked(archive: Path, folder: Path) -> Path:
    with zipfile.ZipFile(archive) as file:
        file.extractall(folder)
    return folder


def test_the_commands_of_an_archive_make_the_run_again(measured: Numbers, tmp_path: Path) -> None:
    said = epcg("bundle", 1).stderr
    folder = unpacked(measured.folder / "run-1.zip", tmp_path / "archive")
    assert {path.name for path in folder.iterdir()} == FILES
    for line in (folder / "SHA256SUMS").read_text().splitlines():
        digest, _, name = line.partition("  ")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    digest = measured.sql("SELECT digest FROM runs")[0][0]
    page = (folder / "README.md").read_text()
    assert f"`{digest}`" in page
    assert "100 of 100 candidates were evaluated: exhaustive." in page
    for name in FILES:
        assert f"`{name}`" in page or name == "README.md"
    again = folder / "again.db"
    epcg("verify", "--certificate", folder / "certificate.json")
    epcg("run", folder / "query.toml", "--db", again, "--quiet")
    assert measured.sql("SELECT digest FROM runs", again) == [(digest,)]
    epcg("verify", "--certificate", folder / "certificate.json", "--db", again)
    table = pyarrow.parquet.read_table(folder / "values.parquet").to_pydict()
    assert table["digits"][42] == 6
    assert table["divisor"][:3] == [None, None, 2]
    environment = json.loads((folder / "environment.json").read_text())
    assert environment["run"]["python"]
    assert {"numpy", "epcg-core"} <= set(environment["archive"]["packages"])
    assert environment["sources"]
    assert "run-1.zip" in said


def test_the_same_run_gives_the_same_archive(measured: Numbers) -> None:
    epcg("bundle", 1, "--output", "one.zip")
    epcg("bundle", 1, "--output", "two.zip")
    first, second = (zipfile.ZipFile(measured.folder / name) for name in ("one.zip", "two.zip"))
    different = {name for name in FILES if first.read(name) != second.read(name)}
    assert different <= {"distributions.pdf", "SHA256SUMS"}  # matplotlib writes the moment into a PDF


def test_what_cannot_be_packed_is_told(measured: Numbers, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "There is no run 7" in epcg("bundle", 7, code=1).stderr
    assert "There is no folder" in epcg("bundle", 1, "--output", "none/here.zip", code=1).stderr
    measured.run('record = "counts"\n' + measured.text("digits", size=90))
    assert "keeps no values" in epcg("bundle", 2, code=1).stderr
    measured.change("UPDATE score_histogram SET count = count + 1 WHERE run_id = 1")
    assert epcg("bundle", 1, "--output", "changed.zip", code=4).stderr
    assert not (measured.folder / "changed.zip").exists()
