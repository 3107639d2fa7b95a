"""Parts whose processes share nothing but a folder, some of them killed; killed and full merges."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
import sqlalchemy as sa

from epcg_core.base.errors import EpcgError
from epcg_core.runs.coordinator import execute
from epcg_core.runs.merging import merge
from epcg_core.store import Store
from epcg_core.store.connection import PAGE_BYTES
from epcg_core.store.records import Part
from tests.forks.forked import Coordinators
from tests.whole.faults.place import Faults, only_sentences
from tests.workplace import SERIAL, new_database, recorded

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kills processes and reads /proc")

SIZE, UNIT, PARTS = 1_500, 32, 3
MORE = '[record]\nrows = "all"\n[[select]]\nmetric = "weight"\ncount = 3'


@pytest.fixture(scope="module")
def computed() -> dict[str, bytes]:
    """The databases of this module that no test changes, by their names, once they are computed."""
    return {}


@pytest.fixture
def whole(place: Faults, computed: dict[str, bytes]) -> dict[str, list[Any]]:
    """What one process records."""
    path = place.folder.parent / "whole.db"
    if "whole" not in computed:
        place.run(place.query("mixed", size=SIZE, more=MORE), database=path, unit_size=UNIT)
        computed["whole"] = path.read_bytes()
    path.write_bytes(computed["whole"])
    return recorded(path)


@pytest.fixture
def parts(place: Faults, coordinators: Coordinators, computed: dict[str, bytes]) -> list[Path]:
    """Databases of the parts, each computed by a process."""
    query, paths = place.file("mixed", size=SIZE, more=MORE), []
    for index in range(1, PARTS + 1):
        path = place.folder / f"part{index}.db"
        if path.name not in computed:
            said = coordinators.run(
                "run", query, "--part", f"{index}/{PARTS}", "--db", path, "--executor", "serial", "--quiet",
                EPCG_TEST_UNIT=UNIT,
            )  # fmt: skip
            assert said.exit_code == 0, said.stderr
            computed[path.name] = path.read_bytes()
        path.write_bytes(computed[path.name])
        paths.append(path)
    return paths


@pytest.mark.slow
def test_parts_that_are_killed_at_random_moments_are_merged(
    place: Faults, coordinators: Coordinators, whole: dict[str, list[Any]]
) -> None:
    """All parts run at once; each is killed twice and started again, as a scheduler does."""
    query, chance = place.file("mixed", size=SIZE, more=MORE), random.Random(20180713)
    paths = [place.folder / f"part{index}.db" for index in range(1, PARTS + 1)]
    kills = [2] * PARTS
    waiting = list(range(PARTS))
    while waiting:
        started = [
            coordinators.start(
                "run", query, "--part", f"{index + 1}/{PARTS}", "--db", paths[index], "--executor", "serial",
                "--quiet", EPCG_TEST_UNIT=UNIT, EPCG_TEST_PAUSE=0.0004,
            )
            for index in waiting
        ]  # fmt: skip
        for index, coordinator in zip(tuple(waiting), started, strict=True):
            if kills[index]:
                kills[index] -= 1
                time.sleep(chance.expovariate(1 / 0.2))
                coordinator.kill_all()
            elif coordinator.ended().exit_code == 0:
                waiting.remove(index)
        for coordinator in started:
            coordinator.process.join()
    into = place.folder / "all.db"
    said = coordinators.run("merge", into, *paths)
    assert said.exit_code == 0, said.stderr
    assert recorded(into) == whole
    assert place.verify(1, database=into).passed


@pytest.mark.parametrize(
    ("function", "when"),
    [
        pytest.param("epcg_core.store.transfer:create", 1, marks=pytest.mark.slow),
        ("epcg_core.store.transfer:_copy_group", 2),
        pytest.param("epcg_core.store.transfer:_copy_groups", 2, marks=pytest.mark.slow),
        pytest.param("epcg_core.store.transfer:_copy_groups", 3, marks=pytest.mark.slow),
        pytest.param("epcg_core.store.writer:finish_run", 1, marks=pytest.mark.slow),
        pytest.param("epcg_core.runs.coordinator:keep", 1, marks=pytest.mark.slow),
    ],
)
def test_a_merge_that_is_killed_goes_on_when_it_is_asked_for_again(
    place: Faults,
    coordinators: Coordinators,
    parts: list[Path],
    whole: dict[str, list[Any]],
    function: str,
    when: int,
) -> None:
    into = place.folder / "all.db"
    coordinators.run("merge", into, *parts, EPCG_TEST_DIE=function, EPCG_TEST_WHEN=when)
    assert recorded(into) != whole
    said = coordinators.run("merge", into, *parts)
    assert said.exit_code == 0, said.stderr
    assert recorded(into) == whole


@contextmanager
def at_most(pages: int) -> Iterator[None]:
    """Let every database have no more than so many pages."""

    def limit(connection: Any, _: Any) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages}")

    sa.event.listen(sa.Engine, "connect", limit)
    try:
        yield
    finally:
        sa.event.remove(sa.Engine, "connect", limit)


def test_a_disk_that_fills_during_a_merge_leaves_what_was_merged(
    place: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("epcg_core.store.transfer.BATCH", 1)
    options = attrs.evolve(SERIAL, unit_size=256, chunk_size=256)
    query = place.query("mixed", size=6_000, more=MORE)
    place.run(query, database=place.folder / "whole.db", options=options)
    paths, into = [place.folder / f"part{index}.db" for index in (1, 2)], place.folder / "all.db"
    for index, path in enumerate(paths, 1):
        with Store.open(path, write=True) as store:
            execute(query, store, options, part=Part(index, 2))
    before = [path.read_bytes() for path in paths]
    empty = len(new_database(into).read_bytes()) // PAGE_BYTES
    merged = []
    for pages in (4, 15):  # while units arrive, and when rows are made
        with at_most(empty + pages), pytest.raises(EpcgError, match="disk is full") as stopped:
            merge(str(into), [*map(str, paths)], options=SERIAL)
        assert only_sentences(str(stopped.value))
        merged.append(place.sql("SELECT coalesce(sum(count), 0) FROM unit", into)[0][0])
        assert place.sql("PRAGMA integrity_check", into) == [("ok",)]
    assert 0 < merged[0] < merged[1] == 6_000
    assert [path.read_bytes() for path in paths] == before
    merge(str(into), [*map(str, paths)], options=SERIAL)
    assert recorded(into) == recorded(place.folder / "whole.db")
