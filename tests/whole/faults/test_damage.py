"""Bytes that change in a file: `epcg verify` finds them, names what they belong to, and exits with 4."""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from epcg_core.base.errors import CheckFailedError, EpcgError
from epcg_core.store import Store
from epcg_core.verification.verify import verify
from tests.whole.faults.place import Faults
from tests.workplace import ask_sql, recorded

SIZE = 3_000
ROWS = '[record]\nrows = "all"\n[[select]]\nmetric = "weight"\ncount = 3'


@pytest.fixture
def database(place: Faults, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A finished run of 12 chunks and 9,000 rows."""
    place.cut(unit_size=750, chunk_size=750)
    place.given(place.query("mixed", size=SIZE, more=ROWS))
    return place.database


def _page_size(database: Path) -> int:
    return int(ask_sql(database, "PRAGMA page_size")[0][0])


def _root(database: Path, name: str) -> int:
    return int(ask_sql(database, f"SELECT rootpage FROM sqlite_schema WHERE name = '{name}'")[0][0])


def _overwrite(database: Path, position: int, data: bytes) -> None:
    with database.open("r+b") as file:
        file.seek(position)
        file.write(data)


def _verified(place: Faults) -> tuple[int, str]:
    """What `epcg verify` exits with, and all that it says."""
    said = place.epcg("verify", 1, "--sample", 20)
    assert "Traceback" not in said.stderr
    assert len(said.stderr.strip().splitlines()) <= 1, said.stderr
    return said.exit_code, said.stdout + said.stderr


def test_an_undamaged_run_passes(place: Faults, database: Path) -> None:
    code, said = _verified(place)
    assert code == 0, said
    assert re.search(r"SQLite finds all \d+ pages of the file in order", said)
    assert "9,000 rows for plain SQL have the values of the chunks" in said


def test_a_changed_byte_of_a_chunk_names_metric_and_ranks(place: Faults, database: Path) -> None:
    data = bytes(ask_sql(database, "SELECT data FROM score_chunk WHERE metric_id = "
                         "(SELECT id FROM metric WHERE name = 'weight') AND start = 1500")[0][0])  # fmt: skip
    piece = data[500:600]
    content = database.read_bytes()
    assert content.count(piece) == 1
    _overwrite(database, content.index(piece), bytes([piece[0] ^ 1]))
    code, said = _verified(place)
    assert code == 4
    assert "The chunk of 'weight' for ranks 1500 to 2249 is damaged" in said
    assert "Error: Run 1 is not what it claims: " in said


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("score_chunk", "of run 1 from rank 0 on cannot be read: database disk image is malformed"),
        ("unit", "The units of run 1 from rank 0 on cannot be read: database disk image is malformed"),
        ("score", "The rows of 'weight' cannot be read: database disk image is malformed"),
        ("score_histogram", "SQLite finds damage in the tables score_histogram"),
        ("candidate", "SQLite finds damage in the tables candidate"),
    ],
)
def test_a_page_of_zeros_names_its_table_and_run(
    place: Faults, database: Path, table: str, sentence: str
) -> None:
    size = _page_size(database)
    _overwrite(database, (_root(database, table) - 1) * size, bytes(size))
    code, said = _verified(place)
    assert code == 4
    assert sentence in said
    assert re.search(rf"SQLite finds damage in the tables [a-z_, ]*\b{table}\b", said), said


@pytest.mark.parametrize("position", [0, 16, 100, 105], ids=["magic", "page size", "page type", "cells"])
def test_a_damaged_header_is_a_sentence(place: Faults, database: Path, position: int) -> None:
    _overwrite(database, position, b"\xff\xff\xff\xff")
    code, said = _verified(place)
    assert code == 4
    assert "epcg.db" in said or "cannot be read" in said
    assert any(part in said for part in ("it is damaged", "not an SQLite database")), said


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("UPDATE score SET value = value + 1 WHERE rank = 77 AND metric_id = {weight}",
         "The row of 'weight' at rank 77 has the value"),
        ("DELETE FROM score WHERE rank = 77 AND metric_id = {weight}",
         "The row of 'weight' at rank 77 is missing"),
        ("INSERT INTO score (run_id, metric_id, rank, value) VALUES (1, {weight}, 99999, 1)",
         "There are 3,001 rows of 'weight' of 3,000 candidates"),
        ("UPDATE run SET spec = '{{'", "The specification of run 1 is damaged: it is not JSON"),
        ("UPDATE unit SET digest = zeroblob(32) WHERE start = 750",
         "The unit of ranks 750 to 1499 has another digest"),
        ("UPDATE space SET max_rank = 'many'", "Run 1 cannot be read: ValueError"),
    ],
)  # fmt: skip
def test_a_change_made_by_hand_is_found(place: Faults, database: Path, change: str, sentence: str) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        (weight,) = connection.execute("SELECT id FROM metric WHERE name = 'weight'").fetchone()
        connection.execute(change.format(weight=weight))
    code, said = _verified(place)
    assert code == 4
    assert sentence in said, said


CLAIMED = ("run", "chunks", "rows", "covered")
"""What `verify` vouches for; the histograms and what selections keep follow from it and are not checked."""


def _outcome(database: Path) -> str:
    """'passed' or 'found'; whatever else `verify` does is an error of this test."""
    try:
        with Store.open(database) as store:
            return "passed" if verify(store, 1, sample=5).passed else "found"
    except EpcgError:
        return "found"


def _content(database: Path) -> Any:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        connection.text_factory = bytes
    return {name: rows for name, rows in recorded(database).items() if name in CLAIMED}


@pytest.mark.parametrize(
    "times", [5, *(pytest.param(times, marks=pytest.mark.slow) for times in (15, 1_000))]
)
def test_no_change_of_bytes_is_overlooked_or_ends_in_a_traceback(
    place: Faults, database: Path, times: int
) -> None:
    """A byte, a stretch or a page anywhere: either it is found, or all that the run claims is still there."""
    chance, size = random.Random(1968), _page_size(database)
    whole, content = database.read_bytes(), _content(database)
    damaged = place.folder / "damaged.db"
    outcomes = {"passed": 0, "found": 0}
    for number in range(times):
        shutil.copy(database, damaged)
        page = chance.randrange(len(whole) // size)
        offset = page * size + chance.choice((0, chance.randrange(16), chance.randrange(size)))
        length = chance.choice((1, 1, 2, 16, size))
        data = chance.choice((bytes(length), chance.randbytes(length)))
        _overwrite(damaged, offset, data[: len(whole) - offset])
        outcome = _outcome(damaged)
        outcomes[outcome] += 1
        if outcome == "passed":
            assert _content(damaged) == content, (number, offset, length)
    assert outcomes["found"] > times // 2
    print(outcomes)


def test_a_schema_that_is_not_text_is_a_sentence(place: Faults, database: Path) -> None:
    """SQLite names the bytes in its message, which Python cannot read either."""
    whole = database.read_bytes()
    _overwrite(database, whole.index(b"CREATE TABLE"), b"CREATE \x90\x91\x92")
    query = place.file()
    for command in (("runs",), ("verify", 1), ("sql", "SELECT 1"), ("run", query), ("db", "upgrade")):
        said = place.epcg(*command)
        assert said.exit_code in (1, 4), said.stdout
        assert "damaged" in said.stderr
        assert len(said.stderr.strip().splitlines()) == 1, said.stderr


def test_other_commands_answer_with_a_sentence(place: Faults, database: Path) -> None:
    size = _page_size(database)
    _overwrite(database, (_root(database, "score_chunk") - 1) * size, bytes(size))
    for arguments in (("top", 1), ("show", 1), ("export", 1, "--format", "csv", "--output", "x.csv")):
        said = place.epcg(*arguments)
        assert said.exit_code in (1, 4), said.stdout
        assert "malformed" in said.stderr
        assert len(said.stderr.strip().splitlines()) == 1, said.stderr
    with (
        Store.open(database) as store,
        store.reader() as reader,
        pytest.raises(CheckFailedError, match="run 1"),
    ):
        list(reader.chunks(1, "weight"))


WRONG = ("5", """json('{"x": 1}')""", "'a'", "json('[1]')")


KEYS = (
    *(("spec", key) for key in ("filter", "layer", "candidate_timeout", "objective")),
    *((name, "") for name in ("left_out", "reading", "imported", "files")),
)


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("column", "key"), KEYS)
def test_json_of_a_run_that_has_another_shape_is_a_sentence(
    place: Faults, database: Path, column: str, key: str
) -> None:
    asked = [("show", 1), ("runs",), ("top", 1, "--metric", "weight"), ("verify", 1), ("certificate", 1)]
    answers = []
    for wrong in WRONG:
        value = f"json_set({column}, '$.{key}', {wrong})" if key else f"json_array({wrong})"
        place.change(f"UPDATE run SET {column} = {value}")
        for command in asked:
            said = place.epcg(*command)
            answers.append(said)
            assert "mistake in EPCG" not in said.stderr, (command, said)
            assert "Traceback" not in said.stderr, (command, said)
    assert any("damaged" in said.stderr + said.stdout for said in answers)


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    "wrong",
    ["part = 1", "part = 0, parts = 2", "part = 3, parts = 2", "parts = -1", "sample_size = 3",
     "sample_seed = 3", "sample_size = 0, sample_seed = 1"],
)  # fmt: skip
def test_numbers_of_a_run_that_do_not_fit_together_are_a_sentence(
    place: Faults, database: Path, wrong: str
) -> None:
    place.change(f"UPDATE run SET {wrong}")
    for command in (("show", 1), ("runs",), ("top", 1, "--metric", "weight"), ("verify", 1)):
        said = place.epcg(*command)
        assert "is damaged: " in said.stderr, (command, said)
