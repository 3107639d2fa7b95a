"""The room that layers need is known before the first of them begins."""

from __future__ import annotations

from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest
from epcg_fling.retrograde.layers import BoardLayers
from numpy.typing import NDArray

from epcg_core.base.errors import StoreError
from epcg_core.domain import Bits, SizedLayers
from epcg_core.query.query import parse_query
from epcg_core.runs.coordinator import Coordinator, plan
from epcg_core.runs.room import check_room
from epcg_core.store import Store
from tests.workplace import SERIAL, Workplace, epcg

Usage = namedtuple("Usage", "total used free")
LAYERS = """
domain = "fling"
[generator]
name = "boards"
width = 5
height = 6
pieces = 6
[search]
name = "retrograde"
[record]
rows = "none"
"""
PIECES = pytest.mark.parametrize("pieces", [3, pytest.param(6, marks=pytest.mark.slow)])
EDITS = """
domain = "fling"
[generator]
name = "edits"
board = "{board}"
[[evaluators]]
name = "unique"
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workplace:
    monkeypatch.chdir(tmp_path)
    return Workplace(tmp_path)


@pytest.mark.parametrize(("width", "height"), [(5, 6), (7, 8), (4, 1)])
@pytest.mark.parametrize("layer", [1, 2, 4])
def test_tables_have_the_size_that_was_said(width: int, height: int, layer: int) -> None:
    from math import comb

    layers = BoardLayers(width, height, max(layer, 2))
    assert isinstance(layers, SizedLayers)
    words = 0

    def allocate(name: str, count: int) -> NDArray[np.uint64]:
        nonlocal words
        words += count
        return np.zeros(count, np.uint64)

    below = comb(width * height, layer - 1)
    bits = Bits(np.zeros(-(-below // 8), np.uint8), below)
    layers.working_tables(layer, {"solvable": bits, "unique": bits}, allocate)
    assert layers.working_bytes(layer) == 8 * words


def test_a_disk_that_is_too_small_is_named_before_anything_is_computed(
    place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: Usage(10**9, 10**9, 100_000))
    with pytest.raises(StoreError, match=r"pieces 6.*0\.0 GB are free.*Make room"):
        place.run(LAYERS)
    assert place.sql("SELECT count(*) FROM unit") == [(0,)]


def test_layers_that_are_not_recorded_and_not_needed_take_no_room(
    place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The edits of a large board use the table of its layer if there is one: of 13 pieces, 94 GB."""
    monkeypatch.setattr("shutil.disk_usage", lambda path: Usage(10**9, 10**9, 100_000))
    board = "/".join(["ooooo..", "ooooo..", "ooo....", *["......."] * 5])
    spec = plan(parse_query(EDITS.format(board=board)))[1]
    assert [needed.required for needed in spec.inputs] == [False] * len(spec.inputs) != []
    with Store.open(place.database, write=True) as store, store.reader() as reader:
        check_room([spec], place.database, reader)
        small = plan(parse_query(LAYERS))[1]
        with pytest.raises(StoreError, match="too little room"):
            check_room([small], place.database, reader)


def test_what_a_killed_run_left_counts_as_free(place: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = place.folder / f"{place.database.name}.work"
    folder.mkdir()
    Path(folder, "table-0").write_bytes(bytes(4 * 10**6))
    monkeypatch.setattr("shutil.disk_usage", lambda path: Usage(10**9, 10**9, 100_000))
    place.run(LAYERS)


@PIECES
def test_nothing_is_asked_of_the_disk_where_nothing_is_computed(
    place: Workplace, monkeypatch: pytest.MonkeyPatch, pieces: int
) -> None:
    layers = LAYERS.replace("pieces = 6", f"pieces = {pieces}")
    place.run(layers)
    place.change(
        f"UPDATE run SET state = 'stopped', digest = NULL, finished_at = NULL WHERE layer = {pieces}"
    )
    monkeypatch.setattr("shutil.disk_usage", lambda path: Usage(10**9, 10**9, 0))
    with Store.open(place.database, write=True) as store, Coordinator(store, SERIAL) as coordinator:
        assert coordinator.close_recorded(parse_query(layers)).runs[-1].done


@PIECES
def test_too_little_memory_is_said_and_the_run_goes_on(
    place: Workplace, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, pieces: int
) -> None:
    monkeypatch.setattr("epcg_core.runs.room.physical_memory", lambda: 1000)
    place.run(LAYERS.replace("pieces = 6", f"pieces = {pieces}"))
    assert "will be slow" in caplog.text


def test_a_message_says_what_is_missing(place: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: Usage(10**9, 10**9, 0))
    path = place.folder / "layers.toml"
    path.write_text(LAYERS, encoding="utf-8")
    result = epcg("run", path, "--db", place.database, code=None)
    assert result.exit_code != 0
    assert "too little room" in result.stderr
    assert "Traceback" not in result.output
