"""The search for components: every form of a graph gives the truth, however it is explored and cut."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from epcg_research.certificate import certify, check_certificate

from epcg_core.base.errors import EpcgError, QueryError, RunInterruptedError
from epcg_core.search import layer_files
from epcg_core.search.components import explore, on_disk
from epcg_core.store import Store
from tests.core.search.components.place import Lands, truth

LANDS: list[dict[str, Any]] = [
    {"seed": 1, "density": 0.05},
    {"seed": 2, "density": 0.03, "directed": True},
    {"seed": 3, "size": 60, "states": 20, "density": 0.02},
    {"seed": 4, "size": 60, "states": 25, "density": 0.03, "directed": True, "goals": 9},
    {"seed": 5, "size": 12, "states": 12, "density": 0.0},
    {"seed": 6, "density": 0.5, "goals": 0},
    {"seed": 7, "size": 1, "states": 1, "goals": 1},
]


def forms_of(land: dict[str, Any]) -> list[str]:
    whole = land.get("size", 30) == land.get("states", 30)
    return [
        *("plain", "positions"),
        *(["ranked"] if whole else []),
        *(["closed"] if not land.get("directed") else []),
    ]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("land", "forms"),
    [
        pytest.param(LANDS[0], ["positions"], id="undirected"),
        pytest.param(LANDS[2], ["closed"], id="in parts"),
        pytest.param(LANDS[1], ["ranked"], id="directed"),
        pytest.param(LANDS[6], ["plain", "positions"], id="one vertex"),
        *(
            pytest.param(land, forms_of(land), id=f"seed {land['seed']}", marks=pytest.mark.slow)
            for land in LANDS
        ),
    ],
)
def test_components_are_those_of_the_whole_graph(
    place: Lands, land: dict[str, Any], forms: list[str]
) -> None:
    digests = set()
    for form in forms:
        outcome = place.run(place.query(form=form, **land))
        assert place.rows(outcome.goal.id) == truth(**land)
        assert outcome.goal.coverage == "exhaustive"
        report = place.verify(outcome.goal.id, 60)
        assert report.passed, [check for check in report.checks if not check.passed]
        digests.add(outcome.goal.digest)
    assert len(digests) == 1


CUTS = [(2048, 2**21, 2**20, 1), (4, 8, 2**20, 64), (7, 5, 1, 32), (1, 3, 2, 8)]
"""Starts side by side, steps before a component is left for later, density of bits, ranks a unit."""
STATES = {"ranked": 90, "positions": 40}


@pytest.mark.parametrize(
    ("directed", "seed", "forms", "cuts"),
    [
        (False, 0, ["ranked"], CUTS[1:3]),
        (True, 1, ["positions"], CUTS[3:]),
        *(
            pytest.param(directed, seed, [*STATES], CUTS, marks=pytest.mark.slow)
            for directed in (False, True)
            for seed in range(8)
        ),
    ],
)
def test_groups_bits_and_units_change_nothing(
    place: Lands,
    monkeypatch: pytest.MonkeyPatch,
    directed: bool,
    seed: int,
    forms: list[str],
    cuts: list[tuple[int, int, int, int]],
) -> None:
    """However few starts are explored side by side, and however early a component is left for later."""
    land = {"seed": seed, "size": 90, "density": 0.012, "goals": 5, "directed": directed}
    for form in forms:
        states = STATES[form]
        own = land | {"states": states}
        expected = truth(**own)
        for number, (group, cap, dense, unit) in enumerate(cuts):
            monkeypatch.setattr(explore, "GROUP", group)
            monkeypatch.setattr(explore, "CAP", cap)
            monkeypatch.setattr(explore, "DENSE", dense)
            database = place.folder / f"{form} {number}.db"
            outcome = place.run(place.query(form=form, **own), database=database, unit_size=unit)
            with Store.open(database) as store, store.reader() as reader:
                found = [
                    (
                        reader.value(outcome.goal.id, "component_size", rank),
                        reader.value(outcome.goal.id, "hardest", rank),
                    )
                    for rank in range(states)
                ]
            assert found == [(size, hardest) for size, _, hardest, _ in expected]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("seed", "unit"),
    [(0, 7), *(pytest.param(seed, unit, marks=pytest.mark.slow) for seed in range(6) for unit in (1, 5, 64))],
)
def test_parts_that_are_asked_for_several_times_are_the_same(place: Lands, seed: int, unit: int) -> None:
    """However many units a part reaches into."""
    land = {"seed": seed, "size": 60, "states": 40, "density": 1.2 / 60, "goals": 5}
    outcome = place.run(place.query(form="closed", **land), executor="threads", unit_size=unit)
    assert place.rows(outcome.goal.id) == truth(**land)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("size", "seed"),
    [(30, 0), *(pytest.param(80, seed, marks=pytest.mark.slow) for seed in range(6))],
)
@pytest.mark.parametrize("directed", [False, True])
def test_components_on_disk_are_the_same(
    place: Lands, disk: Path, size: int, seed: int, directed: bool
) -> None:
    land = {"seed": seed, "size": size, "states": size * 5 // 8, "goals": 6, "directed": directed}
    land |= {"density": 1.6 / size}
    outcome = place.run(place.query(form="positions", limit=2, disk=1.0, **land))
    assert place.rows(outcome.goal.id) == truth(**land)
    assert list(disk.rglob("component*")) == []


@pytest.mark.parametrize("kind", ["link", "open", "file"])
def test_a_folder_that_others_can_write_is_not_used(disk: Path, tmp_path: Path, kind: str) -> None:
    """Another user could lay links into it, or a state that is believed."""
    planted = disk / f"epcg-{os.getuid()}"
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    for suffix in (".lock", ""):
        (theirs / f"component-key-7{suffix}").write_text("kept")
    if kind == "link":
        planted.symlink_to(theirs)
    elif kind == "open":
        planted.mkdir()
        planted.chmod(0o777)
    else:
        planted.write_text("kept")
    with layer_files.folder_of("component", "key", 7) as folder:
        assert planted not in folder.parents
        assert folder.parent.stat().st_mode & 0o077 == 0
    assert [path.read_text() for path in sorted(theirs.iterdir())] == ["kept", "kept"]


def test_two_processes_do_not_share_the_files_of_a_component(disk: Path) -> None:
    with layer_files.folder_of("component", "key", 7) as first:
        with layer_files.folder_of("component", "key", 7) as second:
            assert second != first
            assert second.is_dir()
        assert not second.exists()
        first.mkdir()
    with layer_files.folder_of("component", "key", 7) as again:  # not explored yet: gone on with
        assert again == first
        again.rmdir()
    assert list(disk.rglob("component*")) == []


LAYER, TOLD = "write", "_done"
OWNERS = {LAYER: layer_files.LayerFiles, TOLD: on_disk.OnDisk}


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("size", "after", "directed", "moments"),
    [
        (30, 2, False, [LAYER]),
        (30, 3, True, [TOLD]),
        *(
            pytest.param(70, after, directed, [LAYER, TOLD], marks=pytest.mark.slow)
            for after in (1, 2, 3, 5, 8)
            for directed in (False, True)
        ),
    ],
)
def test_a_component_that_was_cut_off_goes_on(
    place: Lands,
    disk: Path,
    monkeypatch: pytest.MonkeyPatch,
    size: int,
    after: int,
    directed: bool,
    moments: list[str],
) -> None:
    """After so many layers the process ends, before or after the layer is told to be finished."""
    land = {"seed": 3, "size": size, "states": size, "density": 1.4 / size, "goals": 2, "directed": directed}
    query = place.query(form="positions", limit=2, disk=1.0, **land)
    expected = truth(**land)
    for name in moments:
        method = getattr(OWNERS[name], name)
        calls = 0

        def cut(*arguments: Any, method: Any = method, **more: Any) -> Any:
            nonlocal calls
            calls += 1
            found = method(*arguments, **more)
            if calls == after:
                raise KeyboardInterrupt
            return found

        monkeypatch.setattr(OWNERS[name], name, cut)
        database = place.folder / f"{name}.db"
        with suppress(KeyboardInterrupt, RunInterruptedError):
            place.run(query, database=database)
        layers = calls
        monkeypatch.undo()
        monkeypatch.setattr("tempfile.tempdir", str(disk))
        outcome = place.run(query, database=database)
        with Store.open(database) as store, store.reader() as reader:
            sizes = [reader.value(outcome.goal.id, "component_size", rank) for rank in range(size)]
        assert sizes == [size for size, _, _, _ in expected]
        assert layers >= after


def test_a_graph_in_arrays_alone_says_that_it_has_no_plain_form(place: Lands) -> None:
    outcome = place.run(place.query(form="listed", seed=1))
    assert place.rows(outcome.goal.id) == truth(seed=1)
    report = place.verify(outcome.goal.id, 60)
    assert "the ranked_graph of States" in str([check.detail for check in report.checks])


@pytest.mark.parametrize(
    ("executor", "size"), [("threads", 60), pytest.param("processes", 600, marks=pytest.mark.slow)]
)
def test_workers_and_certificates(place: Lands, executor: str, size: int) -> None:
    query = place.query(form="positions", seed=3, size=size, states=size // 3, density=1.2 / size)
    alone = place.run(query, database=place.folder / "alone.db", unit_size=16)
    outcome = place.run(query, executor=executor, unit_size=16)
    assert outcome.goal.digest == alone.goal.digest
    with Store.open(place.database) as store:
        certificate = certify(store, outcome.goal.id)
    assert all(check.passed for check in check_certificate(certificate, None))


def test_what_is_recorded_can_be_asked(place: Lands) -> None:
    """The best of the components, and sums over them; ranks that are not the lowest add nothing."""
    select = 'select = [{ metric = "hardest", keep = "highest", count = 1 }]'
    outcome = place.run(place.query(form="ranked", seed=1, more=select))
    rows = truth(seed=1)
    known = [row[2] if row[2] is not None else -1 for row in rows]
    assert place.sql("SELECT rank FROM kept") == [(known.index(max(known)),)]
    sizes = f"FROM scores WHERE run_id = {outcome.goal.id} AND metric = 'component_size'"
    assert place.sql(f"SELECT sum(value), count(value) {sizes}") == [
        (30, sum(row[0] is not None for row in rows))
    ]


@pytest.mark.parametrize(
    ("params", "error", "sentence"),
    [
        (
            {"form": "one_way", "directed": True},
            QueryError,
            "is not reversible and has no predecessors: compon",
        ),
        ({"form": "mistaken", "directed": True, "density": 0.1}, EpcgError, "is known in one direction only"),
        (
            {"form": "positions", "limit": 3, "density": 0.3},
            EpcgError,
            "has more than 3 positions: raise sear",
        ),
        (
            {"form": "positions", "limit": 3, "density": 0.3, "disk": 1e-6},
            EpcgError,
            "A component takes more than 1e-06 GB of disk in",
        ),
        (
            {"form": "mistaken", "directed": True, "density": 0.1, "limit": 3, "disk": 1.0},
            EpcgError,
            "is known in one direction only",
        ),
        (
            {"form": "plain", "limit": 3, "density": 0.3},
            EpcgError,
            "has more than 3 positions: raise search.li",
        ),
        ({"form": "closed", "limit": 3}, EpcgError, "positions, 3 are allowed: raise search.limit"),
        ({"form": "lost", "seed": 1}, EpcgError, "The rank 29 is in none of the parts of the closed_graph"),
        ({"form": "beyond", "seed": 1}, EpcgError, "names positions that are not below"),
        (
            {"form": "partless"},
            QueryError,
            "The closed_graph of States lacks a part of epcg_core.domain.Closed",
        ),
        ({"form": "plain", "more": 'evaluators = [{ name = "x" }]'}, EpcgError, "measures components itself"),
    ],
)
def test_what_cannot_be_explored_is_told_in_a_sentence(
    place: Lands, disk: Path, params: dict[str, Any], error: type[EpcgError], sentence: str
) -> None:
    with pytest.raises(error, match=re.escape(sentence)):
        place.run(place.query(**params))
