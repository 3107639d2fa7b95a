"""The search for distances: all forms of a graph give the truth, in memory, on disk, cut short or cut off."""

from __future__ import annotations

import importlib
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from epcg_core.base.errors import EpcgError, QueryError, RunInterruptedError
from epcg_core.runs.ledger import missing_facts
from epcg_core.search import layer_files
from epcg_core.search.layer_kernels import ordered
from epcg_core.store import Store
from tests.core.search.components.place import Lands
from tests.workplace import Workplace, sweep

LANDS: list[dict[str, Any]] = [
    {"seed": 1, "density": 0.05},
    {"seed": 2, "density": 0.06, "directed": True},
    {"seed": 3, "size": 60, "states": 20, "density": 0.02},
    {"seed": 4, "size": 60, "states": 25, "density": 0.03, "directed": True},
    {"seed": 7, "size": 1, "states": 1, "goals": 1},
]


def asked(form: str, search: str = "", **params: Any) -> str:
    lines = [f"{key} = {str(value).lower()}" for key, value in params.items()]
    own = ["[generator]", 'name = "states"', f'form = "{form}"', *lines, "[search]", 'name = "distances"']
    return "\n".join(['name = "near"', 'domain = "lands"', *own, search])


def truth(depth: int | None = None, **params: Any) -> list[tuple[list[int], bool]]:
    """The sizes of the layers from each state, and whether they are all, by trying everything."""
    lands = importlib.import_module("epcg_lands")
    land = lands.States(lands.LandParams(**params | {"form": "plain"}))
    onward, found = land.transition_model._onward, []
    for vertex in land.vertex:
        met, layer, sizes = {vertex}, {vertex}, [1]
        while layer and (depth is None or len(sizes) <= depth):
            layer = {other for at in layer for other in onward[at]} - met
            met |= layer
            sizes.append(len(layer))
        found.append(([size for size in sizes if size], sizes[-1] == 0))
    return found


def rows(place: Lands, run: int, each: int) -> list[list[int | None]]:
    names = ["positions", "farthest", "widest", *(f"at_{number}" for number in range(each))]
    with Store.open(place.database) as store, store.reader() as reader:
        return [[reader.value(run, name, rank) for name in names] for rank in range(reader.run(run).max_rank)]


def expected(found: list[tuple[list[int], bool]], each: int) -> list[list[int | None]]:
    return [
        [sum(sizes), len(sizes) - 1 if ended else None, max(sizes), *(sizes + [0] * each)[:each]]
        for sizes, ended in found
    ]


@pytest.mark.sweep
@pytest.mark.parametrize(
    "case",
    sweep(
        [((number, depth),) for number in range(len(LANDS)) for depth in (None, 1, 3)],
        lambda case: case in [(0, None), (1, 3)],
    ),
)
def test_layers_are_those_of_trying_everything(
    place: Lands, disk: Path, case: tuple[int, int | None]
) -> None:
    """In all forms, in memory and on disk: one digest."""
    land, depth = LANDS[case[0]], case[1]
    cut = "" if depth is None else f"depth = {depth}\n"
    each = 0 if depth is None else depth + 1
    forms = ["plain", "positions"] + (["ranked"] if land.get("size", 30) == land.get("states", 30) else [])
    digests = set()
    for form in forms:
        for more in ("",) if form == "plain" else ("", "limit = 1\ndisk = 0.1\n"):
            outcome = place.run(asked(form, cut + more, **land))
            assert rows(place, outcome.goal.id, each) == expected(truth(depth, **land), each)
            report = place.verify(outcome.goal.id, 60)
            assert report.passed, [check for check in report.checks if not check.passed]
            digests.add(outcome.goal.digest)
    assert len(digests) == 1
    assert list(disk.rglob("distances*")) == []


def test_a_state_with_more_positions_than_the_limit_is_told(place: Lands) -> None:
    for form in ("plain", "positions", "ranked"):
        outcome = place.run(asked(form, "limit = 8", seed=1, density=0.05))
        found = rows(place, outcome.goal.id, 0)
        sizes = [sum(sizes) for sizes, _ in truth(seed=1, density=0.05)]
        assert [row[0] for row in found] == [size if size <= 8 else None for size in sizes]


def test_a_search_that_stops_early_says_why_there_is_no_farthest(place: Lands) -> None:
    outcome = place.run(asked("plain", "depth = 1\n", **LANDS[0]))
    with Store.open(place.database) as store, store.reader() as reader:
        missing = missing_facts(reader, reader.run(outcome.goal.id))
    meanings = {facts["metric"]: facts["meaning"] for facts in missing}
    assert meanings == {"farthest": "there may be positions beyond the depth"}


@pytest.mark.sweep
@pytest.mark.parametrize(
    "case",
    sweep(
        [
            ((after, moment, way),)
            for after in (1, 2, 3, 4)
            for moment in ("before", "after")
            for way in (0, 1)
        ],
        lambda case: case in [(2, "before", 0), (3, "after", 1)],
    ),
)
def test_what_was_cut_off_goes_on_with_its_layer(
    place: Lands, disk: Path, monkeypatch: pytest.MonkeyPatch, case: tuple[int, str, int]
) -> None:
    after, moment, directed = case
    land = {"seed": 3, "size": 40, "states": 1, "density": 0.05, "directed": bool(directed)}
    question = asked("positions", "limit = 1\ndisk = 0.1", **land)
    method, numbers = layer_files.LayerFiles.write, list[int]()

    def cut(self: Any, name: str, number: int, *more: Any) -> Any:
        numbers.append(number)
        if moment == "before" and len(numbers) == after:
            raise KeyboardInterrupt
        found = method(self, name, number, *more)
        if moment == "after" and len(numbers) == after:
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(layer_files.LayerFiles, "write", cut)
    with suppress(KeyboardInterrupt, RunInterruptedError):
        place.run(question)
    assert numbers == list(range(after))
    assert place.sql("SELECT state FROM runs") == [("stopped",)], "nothing is tried before it is recorded"
    outcome = place.run(question)
    assert numbers[after:][0] == after - 1, "the layers before are not made again"
    assert rows(place, outcome.goal.id, 0) == expected(truth(**land), 0)


@pytest.mark.parametrize("search", ["distances", "components"])
def test_a_kill_while_older_layers_are_deleted_loses_nothing(
    place: Lands, disk: Path, monkeypatch: pytest.MonkeyPatch, search: str
) -> None:
    """It came before the layer was told to be finished, which was made again without what it needs."""
    land = {"seed": 3, "size": 40, "states": 1, "density": 0.05}
    question = asked("positions", "limit = 1\ndisk = 0.1", **land).replace("distances", search)
    metric = {"distances": "positions", "components": "component_size"}[search]
    method = layer_files.LayerFiles.remove
    for after in (1, 2, 3, 4):
        calls = 0

        def cut(self: Any, name: str, *numbers: int, after: int = after) -> None:
            nonlocal calls
            method(self, name, *numbers)
            calls += 1
            if calls == after:
                raise KeyboardInterrupt

        database = place.folder / f"{after}.db"
        monkeypatch.setattr(layer_files.LayerFiles, "remove", cut)
        with suppress(KeyboardInterrupt, RunInterruptedError):
            place.run(question, database=database)
        assert calls == after
        monkeypatch.setattr(layer_files.LayerFiles, "remove", method)
        run = place.run(question, database=database).goal.id
        with Store.open(database) as store, store.reader() as reader:
            assert reader.value(run, metric, 0) == sum(truth(**land)[0][0])


def test_a_layer_that_is_missing_is_told(place: Lands, disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    question = asked("positions", "limit = 1\ndisk = 0.1", seed=3, size=40, states=1, density=0.05)
    with monkeypatch.context() as ends:
        method = layer_files.LayerFiles.write

        def cut(self: Any, name: str, number: int, *more: Any) -> Any:
            if number == 3:
                raise KeyboardInterrupt
            return method(self, name, number, *more)

        ends.setattr(layer_files.LayerFiles, "write", cut)
        with suppress(KeyboardInterrupt, RunInterruptedError):
            place.run(question)
    (layer,) = disk.rglob("layer-1")
    shutil.rmtree(layer)
    with pytest.raises(EpcgError, match="layer-1 is missing: delete the folder"):
        place.run(question)


def test_a_verification_that_was_cut_off_is_not_gone_on_with_for_another_run(
    place: Lands, disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lands = [{"seed": seed, "size": 40, "states": 1, "density": 0.05} for seed in (3, 5)]
    runs = [place.run(asked("positions", "limit = 1\ndisk = 0.1", **land)).goal.id for land in lands]
    with monkeypatch.context() as ends:
        method = layer_files.LayerFiles.write

        def cut(self: Any, name: str, number: int, *more: Any) -> Any:
            if number == 3:
                raise KeyboardInterrupt
            return method(self, name, number, *more)

        ends.setattr(layer_files.LayerFiles, "write", cut)
        with pytest.raises(KeyboardInterrupt):
            place.verify(runs[0], 60)
    for run in runs[::-1]:
        report = place.verify(run, 60)
        assert report.passed, [check for check in report.checks if not check.passed]


def test_a_disk_that_is_too_small_is_told_and_more_goes_on(place: Lands, disk: Path) -> None:
    land = {"seed": 3, "size": 60, "states": 1, "density": 0.05}
    with pytest.raises(EpcgError, match=r"takes more than .* GB of disk .* raise search\.disk"):
        place.run(asked("positions", "limit = 1\ndisk = 1e-7", **land))
    outcome = place.run(asked("positions", "limit = 1\ndisk = 0.1", **land))
    assert rows(place, outcome.goal.id, 0) == expected(truth(**land), 0)


def test_a_space_without_a_graph_is_refused(toy: Workplace) -> None:
    text = toy.text().partition("[search]")[0].partition("[[select")[0].partition("[[evaluators")[0]
    with pytest.raises(QueryError, match="is not a graph, so nothing has a distance in it"):
        toy.run(text + '\n[search]\nname = "distances"\n')


@pytest.mark.parametrize("words", [1, 2, 3])
def test_rows_are_spread_sorted_and_compared_as_sets(words: int) -> None:
    random = np.random.default_rng(words)
    for _ in range(50):
        one, other = (random.integers(0, 4, (random.integers(0, 60), words), np.uint64) for _ in range(2))
        left, right = layer_files.sorted_once(one), layer_files.sorted_once(other)
        assert left.tolist() == [list(row) for row in sorted({tuple(row) for row in one.tolist()})]
        kept = {tuple(row) for row in left.tolist()} - {tuple(row) for row in right.tolist()}
        assert layer_files.without(left, right).tolist() == [list(row) for row in sorted(kept)]


def test_values_are_sorted_by_their_digits() -> None:
    random = np.random.default_rng(1)
    for bits in (0, 1, 11, 12, 43, 63, 64):
        for size in (0, 1, 2, 5000):
            values = random.integers(0, (1 << bits) - 1, size, np.uint64, endpoint=True)
            found = ordered(values.copy(), np.empty_like(values))
            assert found.tolist() == sorted(values.tolist())
