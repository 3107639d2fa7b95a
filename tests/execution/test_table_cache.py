"""Tables in pieces: whole, once, and only as long as somebody uses them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from epcg_core.execution.dask import table_cache
from epcg_core.execution.dask.table_cache import Manifest, TableCache, manifest_of, piece_of
from tests.execution.conftest import ROOT

HOLD = """
import sys
from pathlib import Path
from epcg_core.execution.dask.table_cache import TableCache, manifest_of
cache = TableCache(Path(sys.argv[1]))
print(cache.missing(manifest_of(sys.argv[2])), flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_cache, "PIECE", 1000)


@pytest.fixture
def table(tmp_path: Path) -> str:
    return written(tmp_path / "table", 2500, 1)


def written(path: Path, size: int, seed: int) -> str:
    path.write_bytes(np.random.default_rng(seed).bytes(size))
    return str(path)


def send(cache: TableCache, path: str, manifest: Manifest) -> list[int]:
    """Send what is missing; returns which pieces that was."""
    missing = cache.missing(manifest)
    for index in missing:
        cache.write(manifest, index, piece_of(path, index))
    assert cache.missing(manifest) == []
    return missing


def kept(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.name[0] != "." and path.suffix != ".use"}


@settings(max_examples=30)
@given(size=st.integers(1, 5000), seed=st.integers(0, 3))
def test_a_table_arrives_whole_under_the_name_of_its_content(
    tmp_path_factory: pytest.TempPathFactory, size: int, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("cache")
    path = written(folder / "table", size, seed)
    manifest, cache = manifest_of(path), TableCache(folder / "tables")
    assert send(cache, path, manifest) == list(range(-(-size // 1000)))
    assert Path(cache.place(manifest)).read_bytes() == Path(path).read_bytes()
    assert manifest_of(cache.place(manifest)) == manifest
    cache.release()
    assert kept(folder / "tables") == set()


def test_other_content_has_another_name(tmp_path: Path, table: str) -> None:
    names = {
        manifest_of(written(tmp_path / "other", size, seed)).name for size in (2500, 2501) for seed in (1, 2)
    }
    assert len(names) == 4
    assert manifest_of(table).name in names


def test_a_second_process_finds_the_table_there(tmp_path: Path, table: str) -> None:
    manifest = manifest_of(table)
    one, two = TableCache(tmp_path / "tables"), TableCache(tmp_path / "tables")
    send(one, table, manifest)
    assert two.missing(manifest) == []
    one.release()
    assert kept(tmp_path / "tables") == {manifest.name}
    two.release()
    assert kept(tmp_path / "tables") == set()


def test_a_transfer_that_broke_off_goes_on(tmp_path: Path, table: str) -> None:
    """Pieces that arrived are there; one that was written half is not."""
    manifest = manifest_of(table)
    one, two = TableCache(tmp_path / "tables"), TableCache(tmp_path / "tables")
    assert one.missing(manifest) == [0, 1, 2]
    one.write(manifest, 2, piece_of(table, 2))
    with (tmp_path / "tables" / f"{manifest.name}.part").open("r+b") as file:
        file.write(piece_of(table, 0)[:500])
    assert two.missing(manifest) == [0, 1]
    one.release()
    assert send(two, table, manifest) == [0, 1]
    assert Path(two.place(manifest)).read_bytes() == Path(table).read_bytes()


def test_a_damaged_piece_is_refused(tmp_path: Path, table: str) -> None:
    manifest, cache = manifest_of(table), TableCache(tmp_path / "tables")
    cache.missing(manifest)
    with pytest.raises(ValueError, match="piece 1 of a table was damaged"):
        cache.write(manifest, 1, piece_of(table, 0))
    assert cache.missing(manifest) == [0, 1, 2]


def test_two_may_bring_the_same_table_at_once(tmp_path: Path, table: str) -> None:
    manifest = manifest_of(table)
    one, two = TableCache(tmp_path / "tables"), TableCache(tmp_path / "tables")
    assert one.missing(manifest) == two.missing(manifest) == [0, 1, 2]
    two.write(manifest, 1, piece_of(table, 1))
    send(one, table, manifest)
    two.write(manifest, 2, piece_of(table, 2))
    assert two.missing(manifest) == []
    assert Path(two.place(manifest)).read_bytes() == Path(table).read_bytes()


def test_what_a_killed_process_used_is_removed_by_the_next(tmp_path: Path, table: str) -> None:
    folder, other = tmp_path / "tables", written(tmp_path / "other", 1500, 5)
    cache = TableCache(folder)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder), table], cwd=ROOT, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "[0]\n"
        send(cache, other, manifest_of(other))
        cache.release()
        assert len(kept(folder)) == 1  # it lives
        process.kill()
    send(cache, other, manifest_of(other))
    assert kept(folder) == {manifest_of(other).name}
    cache.release()
    assert [path.name for path in folder.iterdir()] == [".lock"]
