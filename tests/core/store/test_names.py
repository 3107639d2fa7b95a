"""A database's name is a path for whoever asks: what is written under a name is read under it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import epcg_core
from epcg_core.base.errors import EpcgError
from epcg_core.store.lock import WriterLock
from tests.workplace import Numbers, epcg

NAMES = (
    "other.db?copy", "a%20b.db", "what?/x.db", "My%20Levels/x.db", "a#b.db", "file:x.db?mode=ro", "a b.db",
    "./:memory:", "+.db", "ä&=;.db",
)  # fmt: skip


def files(folder: Path) -> set[str]:
    """The files below a folder, without those that only writers and readers need."""
    found = (str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    return {name for name in found if not name.endswith((".lock", "-wal", "-shm", ".toml"))}


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_every_command_means_the_file_of_that_name(toy: Numbers, name: str) -> None:
    (toy.folder / name).parent.mkdir(exist_ok=True)
    query = toy.file("digits")
    epcg("run", query, "--quiet", "--db", name)
    here = {os.path.normpath(name)}
    assert files(toy.folder) == here
    assert (toy.folder / f"{name}.lock").exists()
    assert "numbers:range" in epcg("runs", "--db", name).stdout
    counted = epcg("sql", "SELECT count(*) AS n FROM scores", "--format", "json", "--db", name)
    assert json.loads(counted.stdout) == [{"n": 100}]
    epcg("run", query, "--dry-run", "--db", name)
    epcg("verify", 1, "--db", name)
    epcg("db", "materialize", 1, "--db", name)
    epcg("db", "upgrade", "--db", name)
    assert len(epcg_core.open(name).runs) == 1
    assert files(toy.folder) == here


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["parts?.db", "parts%20.db"])
def test_parts_and_their_base(toy: Numbers, name: str) -> None:
    query = toy.file("digits")
    for part in (1, 2):
        epcg("run", query, "--quiet", "--part", f"{part}/2", "--db", f"{part}{name}")
    epcg("merge", f"all{name}", f"1{name}", f"2{name}")
    assert files(toy.folder) == {f"1{name}", f"2{name}", f"all{name}"}
    assert epcg_core.open(f"all{name}").sql("SELECT count(*) FROM scores").rows == ((100,),)


def test_the_environment_names_a_path(toy: Numbers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPCG_DB", "mine%3F.db?x")
    epcg("run", toy.file("digits"), "--quiet")
    assert files(toy.folder) == {"mine%3F.db?x"}
    assert len(epcg_core.open().runs) == 1


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", [":memory:", "sqlite:///epcg.db", "sqlite://"])
@pytest.mark.parametrize("command", ["run", "runs", "upgrade", "open"])
def test_what_is_no_file_is_refused_before_anything_is_computed(
    toy: Numbers, name: str, command: str
) -> None:
    query = toy.file("digits")
    if command == "open":
        with pytest.raises(EpcgError, match=r"name (a file|its path) with --db"):
            epcg_core.open(name)
    else:
        asked = {"run": ("run", query), "runs": ("runs",), "upgrade": ("db", "upgrade")}[command]
        said = epcg(*asked, "--db", name, code=1)
        assert "with --db" in said.stderr
        assert not said.stdout
    assert files(toy.folder) == set()


def test_two_names_of_one_file_have_one_lock(toy: Numbers) -> None:
    toy.run(toy.query("digits"))
    link = toy.folder / "link.db"
    link.symlink_to(toy.database)
    lock = WriterLock(str(link), link)
    try:
        assert "is being written by" in epcg("db", "materialize", 1, code=1).stderr
    finally:
        lock.release()
