"""Archives: all that a committee needs lies in one file, and the commands on its page work."""

from __future__ import annotations

import hashlib
import json
import shlex
import zipfile
from pathlib import Path

import pyarrow.parquet
import pytest

from tests.workplace import Numbers, epcg, made_once, needs

FILES = {
    "CITATION.cff", "README.md", "SHA256SUMS", "certificate.json", "distributions.pdf", "environment.json",
    "query.toml", "values.parquet",
}  # fmt: skip


@pytest.fixture
def measured(toy: Numbers) -> Numbers:
    toy.given(toy.query("digits", "divisor", size=100))
    return toy


def archived(place: Numbers) -> Path:
    """The archive of the run of `measured`, made once a process."""
    path = place.folder / "archive.zip"
    made_once(path, "the archive of the run", lambda: epcg("bundle", 1, "--output", path) and None)
    return path


def unpacked(archive: Path, folder: Path) -> Path:
    with zipfile.ZipFile(archive) as file:
        file.extractall(folder)
    return folder


@pytest.mark.slow
def test_the_commands_of_an_archive_make_the_run_again(measured: Numbers, tmp_path: Path) -> None:
    folder = unpacked(archived(measured), tmp_path / "archive")
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


def test_the_same_run_gives_the_same_archive(measured: Numbers) -> None:
    """Whatever its name is, which is that of the run if none is asked for."""
    archived(measured)
    assert "run-1.zip" in epcg("bundle", 1).stderr
    first, second = (zipfile.ZipFile(measured.folder / name) for name in ("archive.zip", "run-1.zip"))
    different = {name for name in FILES if first.read(name) != second.read(name)}
    assert not different


def test_what_cannot_be_packed_is_told(measured: Numbers, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "There is no run 7" in epcg("bundle", 7, code=1).stderr
    assert "There is no folder" in epcg("bundle", 1, "--output", "none/here.zip", code=1).stderr
    measured.run('record = "counts"\n' + measured.text("digits", size=90))
    assert "keeps no values" in epcg("bundle", 2, code=1).stderr
    measured.change("UPDATE score_histogram SET count = count + 1 WHERE run_id = 1")
    assert epcg("bundle", 1, "--output", "changed.zip", code=4).stderr
    assert not (measured.folder / "changed.zip").exists()


# --- studies


@pytest.fixture
def studied(measured: Numbers) -> Numbers:
    """Nine people with names, who rate a dozen numbers by their digits; the last gives one number up."""
    rows = ["who,number,fun,ms,done"]
    for which, who in enumerate(("Zoe", "Ann", "Max", "Kim", "Joe", "Eva", "Tom", "Lea", "Ida")):
        for n in range(4, 99, 8):
            digits = n // 10 + n % 10
            fun, ms = 1 + (digits * 3 + which * n) % 5, 1000 * digits + 37 * ((which + 2) * n % 41)
            rows.append(f"{who},{n},{fun},{ms},{int((who, n) != ('Ida', 92))}")
    (measured.folder / "names.csv").write_text("\n".join(rows) + "\n")
    epcg("import", "responses", "names.csv", "--study", "play", "--space", 1, "--puzzle", "number",
         "--person", "who", "--response", "fun:1..5", "--time", "seconds=ms[ms]", "--finished", "done"
    )  # fmt: skip
    return measured


@pytest.mark.slow
@needs("statsmodels")
def test_the_commands_of_a_study_find_the_same_again(
    studied: Numbers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    epcg("bundle", "play")
    folder = unpacked(studied.folder / "study-play.zip", tmp_path / "archive")
    for line in (folder / "SHA256SUMS").read_text().splitlines():
        digest, _, name = line.partition("  ")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    everything = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert not any(name in everything for name in (b"Zoe", b"Ann,", b"Ida"))
    page = (folder / "README.md").read_text()
    for path in folder.iterdir():
        assert f"`{path.name}`" in page or path.name == "README.md"
    assert (folder / "figures" / "seconds-digits-1.pdf").read_bytes().startswith(b"%PDF")
    assert "12 puzzles, 9 people" in (folder / "figures" / "seconds-digits-1.txt").read_text()
    monkeypatch.chdir(folder)
    said = ""
    for line in page.splitlines():
        if line.startswith("    epcg "):
            said = epcg(*shlex.split(line)[1:]).stdout
    assert "digits" in said
    found = json.loads((folder / "findings.json").read_text())["found"]
    again = json.loads(epcg("study", "correlate", "--db", "again.db", "--format", "json").stdout)["found"]
    assert [(f["metric"], f["response"], f["estimate"], f["points"]) for f in again] == [
        (f["metric"], f["response"], f["estimate"], f["points"]) for f in found
    ]
    assert [len(f["points"]) for f in found if f["metric"] == "digits"] == [12, 12, 12]


@pytest.mark.slow
@needs("statsmodels")
def test_traces_are_packed_with_their_actions(measured: Numbers, tmp_path: Path) -> None:
    actions = [[700, "move", "right"], [900, "undo"], [2500, "move", "left"]]
    traces = [
        {
            "puzzle": f"numbers:range?size=100#{rank}", "seconds": 3.0 + rank, "moves": 2, "undos": 1,
            "restarts": 0, "hints": 0, "solution": False, "finished": True, "rating": 4, "actions": actions,
        }
        for rank in (3, 30, 55)
    ]  # fmt: skip
    data = {"format": "epcg-traces", "version": 2, "player": "abcdefabcdefabcd", "curriculum": "c"}
    (measured.folder / "traces.json").write_text(json.dumps(data | {"puzzles": traces}))
    epcg("import", "traces", "traces.json")
    said = epcg("bundle", "traces").stderr
    assert "study traces" in said
    folder = unpacked(measured.folder / "study-traces.zip", tmp_path / "archive")
    rows = (folder / "actions.csv").read_text().splitlines()
    assert len(rows) == 1 + 9
    assert "abcdefabcdefabcd" not in "".join(path.read_text() for path in folder.glob("*.csv"))
    assert "--study play" in (folder / "README.md").read_text()


@needs("statsmodels")
def test_a_study_that_cannot_be_packed_says_why(studied: Numbers) -> None:
    assert "Did you mean 'play'?" in epcg("bundle", "plya", code=1).stderr
    studied.change("UPDATE score_histogram SET count = count + 1 WHERE run_id = 1")
    assert "no certificate of run 1" in epcg("bundle", "play", "--output", "changed.zip").stderr
    with zipfile.ZipFile(studied.folder / "changed.zip") as file:
        names = file.namelist()
    assert "runs/1/query.toml" in names
    assert "runs/1/certificate.json" not in names
