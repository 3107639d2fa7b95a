"""Power that fails between any two writes: whatever the disk holds then opens, is sound, and goes on."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from epcg_core.store import Store
from epcg_core.verification.verify import verify
from tests.forks.forked import Coordinators, need_faulty_disk
from tests.whole.faults.place import Faults
from tests.whole.faults.power import SYNC, UNLINK, WRITE, Change, Left, left_by, read_log
from tests.whole.faults.test_random_kills import sound
from tests.workplace import ask_sql, recorded

ROWS = '[record]\nrows = "all"\n[[select]]\nmetric = "weight"\ncount = 3'
SIZE, UNIT, PAGES = 240, 32, 25

LEFT: tuple[Left, ...] = ("all", "synced", "some")


def _changes(place: Faults, coordinators: Coordinators) -> list[Change]:
    """Every change of the disk during a run of eight flushes, with checkpoints in between."""
    need_faulty_disk()
    query = place.file("mixed", size=SIZE, more=ROWS)
    log = place.folder.parent / "log"
    done = coordinators.run(
        "run", query, "--db", place.database, "--executor", "serial", "--quiet",
        EPCG_TEST_DISK=place.folder / "epcg.db", EPCG_TEST_LOG=log,
        EPCG_TEST_UNIT=UNIT, EPCG_TEST_PAGES=PAGES,
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    endings = ("epcg.db", "epcg.db-wal", "epcg.db-journal")
    return [change for change in read_log(log) if change.path.name in endings]


def _write(folder: Path, files: dict[str, bytes]) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder / "epcg.db"


def _moments(changes: list[Change], draws: int | None) -> Iterator[tuple[int, Left]]:
    """(number of changes, what is left) to try: every one, or three at random a draw, one beside an fsync."""
    if draws is None:
        yield from ((number, left) for number in range(len(changes) + 1) for left in LEFT)
        return
    chance = random.Random(7)
    syncs = [number for number, change in enumerate(changes) if change.kind in (SYNC, UNLINK)]
    for number in range(draws):
        yield chance.choice(syncs) + chance.randint(0, 1), LEFT[number % 3]
        yield chance.randrange(len(changes) + 1), "some"
        yield chance.randrange(len(changes) + 1), LEFT[number % 2]


@pytest.mark.slow
@pytest.mark.parametrize(
    "draws",
    [
        2,
        *(pytest.param(draws, marks=pytest.mark.slow) for draws in (6, 30)),
        pytest.param(None, marks=pytest.mark.nightly),
    ],
)
def test_whatever_a_power_cut_leaves_goes_on_to_the_same_end(
    place: Faults, coordinators: Coordinators, draws: int | None
) -> None:
    changes = _changes(place, coordinators)
    asked = place.query("mixed", size=SIZE, more=ROWS)
    whole = place.folder.parent / "whole.db"
    digest = place.run(asked, database=whole).goal.digest
    assert left_by(changes, "all", random.Random(0))["epcg.db"] == place.database.read_bytes(), (
        "all changes together are the file that is there"
    )
    assert sum(change.kind == SYNC for change in changes) > 10
    assert sum(change.kind == WRITE for change in changes) > 200
    tried, units_found = count(), set[int]()
    for number, left in _moments(changes, draws):
        files = left_by(changes[:number], left, random.Random(number))
        copy = _write(place.folder.parent / "cut", files)
        assert sound(copy), (number, left)
        tables = {name for (name,) in ask_sql(copy, "SELECT name FROM sqlite_schema")}
        units_found.add(ask_sql(copy, "SELECT count(*) FROM unit")[0][0] if "unit" in tables else -1)
        assert place.run(asked, database=copy).goal.digest == digest, (number, left)
        assert recorded(copy) == recorded(whole), (number, left)
        next(tried)
    with Store.open(copy) as store:
        assert verify(store, 1, sample=SIZE).passed
    units = -(-SIZE // UNIT)
    assert len(units_found) > 2, "the cuts fell before, between and after the commits"
    if draws is None:
        assert units_found == {-1, *range(units + 1)}
    print(f"{next(tried)} cuts of {len(changes)} changes; units found: {sorted(units_found)}")


def test_what_a_killed_program_had_committed_is_never_lost(place: Faults, coordinators: Coordinators) -> None:
    """While the system goes on, the number of recorded units only grows."""
    changes = _changes(place, coordinators)
    found = []
    for number in range(len(changes) // 2, len(changes) + 1, max(1, len(changes) // 40)):
        copy = _write(place.folder.parent / "cut", left_by(changes[:number], "all", random.Random(0)))
        found.append(ask_sql(copy, "SELECT count(*) FROM unit")[0][0])
    assert found == sorted(found)
    assert found[-1] == -(-SIZE // UNIT)
