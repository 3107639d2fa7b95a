"""The executor `dask` with dask workers as processes of their own, some of which are lost."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import attrs
import numpy as np
import psutil
import pytest
from epcg_cluster import inventory as inventories
from epcg_cluster.inventory import Installed, differences

from epcg_core.base.errors import (
    EpcgError,
    ParamsError,
    PluginError,
    RunInterruptedError,
    UnitTimeoutError,
    WorkerDiedError,
)
from epcg_core.chunks.result import UnitResult
from epcg_core.execution import Unit, make_executor
from epcg_core.query.query import load, parse_query
from epcg_core.runs.coordinator import Options, execute
from epcg_core.store import Store
from epcg_core.store.records import Sample
from epcg_core.store.writer import UnitWriter
from tests.cluster.dask_processes import ELSEWHERE, DaskProcesses
from tests.core.execution.works import (
    Dies,
    Endless,
    Reads,
    Squares,
    Together,
    WhoComputes,
    square_sum,
    tiles,
    wait_until,
)
from tests.core.search.branch_and_bound.conftest import SOURCE
from tests.core.search.branch_and_bound.place import QUERY
from tests.faces import only
from tests.workplace import needs, write_plugin

if TYPE_CHECKING:
    from epcg_cluster.executor import ClusterExecutor  # imports dask

pytestmark = [
    needs("distributed", "dask is not installed: pip install epcg-cluster"),
    pytest.mark.skipif(sys.platform != "linux", reason="kills processes"),
]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[DaskProcesses]:
    with DaskProcesses(tmp_path / "dask") as processes:
        yield processes


@pytest.fixture
def table(tmp_path: Path) -> str:
    """A file of three pieces."""
    path = tmp_path / "table"
    np.random.default_rng(7).integers(0, 256, 20_000_000, np.uint8).tofile(path)
    return str(path)


def on(dask: DaskProcesses) -> ClusterExecutor:
    return cast("ClusterExecutor", make_executor("dask", scheduler=dask.address))


# --- in this process


@pytest.fixture(scope="module")
def local() -> Iterator[ClusterExecutor]:
    with cast("ClusterExecutor", make_executor("dask", 2)) as executor:
        yield executor


@pytest.mark.slow
def test_a_unit_that_kills_its_process_once_is_done_again(local: ClusterExecutor, tmp_path: Path) -> None:
    units = list(tiles(20, 10))
    found = list(local.results(Dies((73, 110), 1, tmp_path), units))
    assert sorted(found) == [(unit, square_sum(unit)) for unit in units]
    (tmp_path / "again").mkdir()
    with pytest.raises(WorkerDiedError, match=r"computed ranks 70 to 79 ended twice \(killed by SIGKILL\)"):
        list(local.results(Dies((73,), 2, tmp_path / "again"), units))
    assert len(list(local.results(Squares(), units))) == 20


def test_worker_processes_are_kept_for_the_next_work(local: ClusterExecutor, tmp_path: Path) -> None:
    first = {pid for _, pid in local.results(Together(tmp_path), tiles(40, 1))}
    second = {pid for _, (pid, _) in local.results(WhoComputes("PATH"), tiles(40, 1))}
    assert len(first) == 2
    assert second <= first
    assert os.getpid() not in first


def test_closing_stops_what_is_computed(local: ClusterExecutor, tmp_path: Path) -> None:
    work = Endless(tmp_path)
    with closing(local.results(work, tiles(10**9, 1000))) as results:
        assert next(results) == (Unit(0, 1000), 0)
        wait_until(lambda: len(work.pids()) == 2, "two busy workers")
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in work.pids()), "their end")
    assert list(local.results(Squares(), [Unit(2, 2)])) == [(Unit(2, 2), 13)]


def test_a_time_limit_names_the_unit(tmp_path: Path) -> None:
    with (
        make_executor("dask", 1, unit_timeout=0.3) as executor,
        pytest.raises(UnitTimeoutError, match=r"Ranks 10 to 19 took longer than 0\.3 s"),
    ):
        list(executor.results(Endless(tmp_path), tiles(2, 10)))


def test_a_scheduler_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epcg_cluster.cluster._CONNECT_S", 0.5)
    with (
        make_executor("dask", scheduler="tcp://127.0.0.1:1") as executor,
        pytest.raises(EpcgError, match=r"no dask scheduler at tcp://127.0.0.1:1 .* `dask scheduler`"),
    ):
        list(executor.results(Squares(), tiles(1, 1)))


@pytest.mark.parametrize("address", ["", "nonsense://x", "127.0.0.1", "tcp://no such host:1"])
def test_an_address_that_is_none_is_named(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epcg_cluster.cluster._CONNECT_S", 0.5)
    with (
        make_executor("dask", scheduler=address) as executor,
        pytest.raises(EpcgError, match="is not the address of a dask scheduler"),
    ):
        list(executor.results(Squares(), tiles(1, 1)))


def test_options_that_exclude_each_other() -> None:
    with pytest.raises(ParamsError, match="not to 'threads'"):
        make_executor("threads", scheduler="tcp://127.0.0.1:1")
    with pytest.raises(ParamsError, match="--workers is for workers of this machine"):
        make_executor("dask", 2, scheduler="tcp://127.0.0.1:1")


def test_differences_are_told_with_both_versions() -> None:
    here = {
        "epcg-core": Installed("1.0", "aa"), "epcg-a": Installed("2.0", "bb"), "numba": Installed("0.68"),
        "numpy": Installed("2.4"), "Python": Installed("3.11"), "epcg-b": Installed("1", "cc"),
    }  # fmt: skip
    there = attrs.evolve(here["epcg-a"], version="2.1")
    needs = ("epcg-a 2.0",)

    def told(**changed: Installed | None) -> list[str]:
        changes = {name.replace("_", "-"): what for name, what in changed.items()}
        merged = {name: changes.get(name, what) for name, what in here.items()}
        return list(differences(here, {k: v for k, v in merged.items() if v is not None}, needs))

    assert told() == []
    assert told(epcg_b=None) == []
    assert told(epcg_a=there) == ["it has epcg-a 2.1, and here is epcg-a 2.0"]
    assert told(epcg_a=None) == ["it has no epcg-a, and here is epcg-a 2.0"]
    assert told(numpy=Installed("2.3")) == ["it has numpy 2.3, and here is numpy 2.4"]
    assert told(epcg_core=Installed("1.0", "ab")) == [
        "it has epcg-core 1.0 with other source files (digest ab) than the epcg-core 1.0 here (digest aa)"
    ]
    assert told(epcg_a=Installed("2.0", "bb", "ImportError: x")) == [
        "its epcg-a 2.0 does not work (ImportError: x)"
    ]


# --- two dask workers


@pytest.mark.slow
def test_one_of_two_workers_is_killed_and_another_comes(dask: DaskProcesses, table: str) -> None:
    """All think to be on another machine: each gets the table, and it is removed at the end."""
    dask.scheduler()
    first, second = (dask.worker(name, "--preload", str(ELSEWHERE)) for name in ("first", "second"))
    data = np.fromfile(table, np.uint8)
    units = list(tiles(400, 10_000))
    with on(dask) as executor:
        assert executor.workers == 2
        found, places, pids = {}, set(), set()
        for number, (unit, (total, place, pid)) in enumerate(executor.results(Reads(table), units)):
            assert unit not in found
            found[unit] = total
            places.add(place)
            pids.add(pid)
            if number == 50:
                assert len(dask.tables) == 2
                assert all(path.read_bytes() == data.tobytes() for path in dask.tables)
                dask.kill(first)
            if number == 100:
                dask.worker("third", "--preload", str(ELSEWHERE))
        assert found == {
            unit: int(data[unit.start : unit.start + unit.count].sum(dtype=np.int64)) for unit in units
        }
        assert len(pids) == len(places) == 3
        assert table not in places
        wait_until(lambda: not dask.tables, "no tables")
        assert sorted(executor.results(Squares(), tiles(5, 5))) == [(u, square_sum(u)) for u in tiles(5, 5)]
    wait_until(lambda: not dask.computing(second), "the end of its worker processes")


@pytest.mark.slow
def test_a_worker_of_this_machine_maps_the_very_file(dask: DaskProcesses, table: str) -> None:
    dask.scheduler()
    dask.worker("here", threads=2)
    with on(dask) as executor:
        found = list(executor.results(Reads(table), tiles(20, 10)))
    assert {place for _, (_, place, _) in found} == {table}
    assert dask.tables == []


@pytest.mark.slow
def test_without_workers_there_is_a_sentence(dask: DaskProcesses) -> None:
    dask.scheduler()
    with on(dask) as executor, pytest.raises(EpcgError, match=r"has no workers .* `dask worker tcp://"):
        list(executor.results(Squares(), tiles(1, 1)))


@pytest.mark.slow
def test_the_scheduler_may_die(dask: DaskProcesses) -> None:
    dask.scheduler()
    dask.worker("only")
    with on(dask) as executor:
        results = executor.results(Squares(), tiles(10**6, 10))
        next(results)
        dask.kill_scheduler()
        with pytest.raises(
            RunInterruptedError, match=r"scheduler at tcp://.* is gone. Recorded values are kept"
        ):
            list(results)


def test_a_table_that_is_not_there_is_no_scheduler_that_is_gone(
    local: ClusterExecutor, tmp_path: Path
) -> None:
    with pytest.raises(FileNotFoundError, match=r"missing\.bits"):
        list(local.results(Reads(str(tmp_path / "missing.bits")), tiles(10, 10)))


@pytest.mark.slow
def test_the_scheduler_may_die_between_two_works(dask: DaskProcesses) -> None:
    """As a run has one for each layer."""
    dask.scheduler()
    dask.worker("only")
    with on(dask) as executor:
        list(executor.results(Squares(), tiles(10, 10)))
        dask.kill_scheduler()
        with pytest.raises(RunInterruptedError, match=r"scheduler at tcp://.* is gone. Recorded values are"):
            list(executor.results(Squares(), tiles(10, 10)))


# --- whole runs


@attrs.frozen
class Sets:
    """The toy domain `sets` in a place of its own."""

    folder: Path
    site: Path

    def query(self, search: str = "phase = 'proof'") -> Any:
        evaluators = '[[evaluators]]\nname = "common_compiled"\njoint = 8\n'
        params = "n = 30, k = 3, elements = 40, seed = 12"
        return parse_query(QUERY.format(generator="multisets", params=params, search=search,
                                  evaluators=evaluators, more=""))  # fmt: skip


@pytest.fixture
def sets(
    install_plugin: Callable[[str, str, str, str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Sets:
    monkeypatch.setenv("EPCG_PLUGINS", only("sets"))
    monkeypatch.delenv("EPCG_DB", raising=False)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((os.environ["PYTHONPATH"], str(ROOT))))
    install_plugin("sets", "epcg_sets", SOURCE, "epcg-sets")
    return Sets(tmp_path, tmp_path / "site")


EDITED = """
import attrs

from tests.core.search.branch_and_bound import toy_sets


def edited(factory):
    return lambda *given: factory(*given)


@hookimpl
def epcg_register_evaluators(register):
    toy_sets.epcg_register_evaluators(
        lambda info: register(attrs.evolve(info, factory=edited(info.factory)))
    )
"""
"""A part of the plugin that its own file makes, so that the file has a part in values."""


@pytest.mark.slow
def test_workers_with_other_plugins_are_found_before_the_run(dask: DaskProcesses, sets: Sets) -> None:
    dask.scheduler()
    other, edited = sets.folder / "other", sets.folder / "edited"
    for folder, source in ((other, SOURCE), (edited, f"{SOURCE}{EDITED}")):
        folder.mkdir()
        write_plugin(folder, "sets", "epcg_sets", source, "epcg-sets")
    (metadata,) = other.glob("*.dist-info/METADATA")
    metadata.write_text(re.sub(r"(?m)^Version: .*$", "Version: 9.9", metadata.read_text()))
    dask.worker("newer", FIRST=str(other))
    dask.worker("edited", FIRST=str(edited))
    dask.worker("without", EPCG_PLUGINS="")
    dask.worker("same")
    database = sets.folder / "epcg.db"
    with Store.open(database, write=True) as store, pytest.raises(PluginError) as raised:
        execute(sets.query(), store, Options(scheduler=dask.address, quiet=True))
    version = inventories.inventory()["epcg-sets"].version
    message = str(raised.value)
    here = rf"and here is epcg-sets {version}\. Install"
    assert re.search(rf"worker newer \(tcp://.*\) cannot .* it has epcg-sets 9\.9, {here}", message)
    assert re.search(rf"worker edited \(tcp://.*\) .* epcg-sets {version} with other source files", message)
    assert re.search(rf"worker without \(tcp://.*\) .* it has no epcg-sets, {here}", message)
    assert "worker same" not in message
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT count(*) FROM run").fetchall() == [(0,)]


@pytest.mark.slow
def test_a_late_worker_with_other_plugins_gets_nothing_to_do(
    dask: DaskProcesses, sets: Sets, caplog: pytest.LogCaptureFixture
) -> None:
    dask.scheduler()
    dask.worker("same")
    work = attrs.evolve(Reads(__file__), needs=(f"epcg-sets {inventories.inventory()['epcg-sets'].version}",))
    pids = set()

    def said() -> bool:
        return "without" in caplog.text

    with on(dask) as executor:
        for number, (_, (_, _, pid)) in enumerate(executor.results(work, tiles(600, 1))):
            pids.add(pid)
            if number == 5:
                dask.worker("without", EPCG_PLUGINS="")
                wait_until(said, "a word")
    assert "it has no epcg-sets" in caplog.text
    assert "It gets nothing to do." in caplog.text
    assert len(pids) == 1


def digests(database: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        statement = "SELECT search, digest FROM run ORDER BY id"
        return list(connection.execute(statement).fetchall())


@attrs.define
class TwoWays:
    """Queries answered in this process, and by two workers of which one is killed in the middle."""

    dask: DaskProcesses
    folder: Path
    monkeypatch: pytest.MonkeyPatch

    def digests(
        self, query: Any, kill_after: int, sample: Sample | None = None, unit_size: int | None = None
    ) -> tuple[Any, Any]:
        """Those of the runs; a worker is killed when so many results are recorded."""
        serial = self._run("serial", query, Options("serial", quiet=True, unit_size=unit_size), sample)
        victim = self.dask.worker("first", "--preload", str(ELSEWHERE))
        self.dask.worker("second", "--preload", str(ELSEWHERE))
        recorded, add = 0, UnitWriter.add

        def killing(writer: UnitWriter, result: UnitResult) -> None:
            nonlocal recorded
            recorded += 1
            if recorded == kill_after:
                self.dask.kill(victim)
            add(writer, result)

        self.monkeypatch.setattr(UnitWriter, "add", killing)
        parallel = self._run(
            "dask", query, Options(scheduler=self.dask.address, quiet=True, unit_size=unit_size), sample
        )
        assert victim.returncode == -signal.SIGKILL
        assert recorded > kill_after + 10
        return serial, parallel

    def _run(self, name: str, query: Any, options: Options, sample: Sample | None) -> list[tuple[str, str]]:
        database = self.folder / f"{name}.db"
        with Store.open(database, write=True) as store:
            if sample is not None:
                execute(query, store, options, sample)
            execute(query, store, options)
        return digests(database)


@pytest.fixture
def two_ways(dask: DaskProcesses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TwoWays:
    dask.scheduler()
    return TwoWays(dask, tmp_path, monkeypatch)


@pytest.mark.slow
def test_layers_are_the_same_where_a_worker_was_killed(
    two_ways: TwoWays, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Layer 5 is computed from layer 4, which the workers, elsewhere, get as tables."""
    pytest.importorskip("epcg_fling")
    monkeypatch.setenv("EPCG_PLUGINS", only("fling"))
    query = load(ROOT / "plugins/fling/queries/layers.toml", ["generator.pieces=5"])
    serial, parallel = two_ways.digests(query, kill_after=20, unit_size=1 << 16)
    assert len(serial) == 5
    assert parallel == serial


@pytest.mark.slow
def test_a_search_that_improves_has_the_same_proof(
    two_ways: TwoWays, sets: Sets, monkeypatch: pytest.MonkeyPatch
) -> None:
    serial, parallel = two_ways.digests(sets.query("keep = 'all'"), kill_after=30, unit_size=20)
    assert len(serial) == 2
    assert parallel[-1] == serial[-1]  # the search's own record depends on what is known when


@pytest.mark.slow
def test_a_sample_and_the_rest_are_the_same(two_ways: TwoWays, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("epcg_fling")
    monkeypatch.setenv("EPCG_PLUGINS", only("fling"))
    query = load(ROOT / "plugins/fling/queries/best_by_expert_ratio.toml", ["generator.pieces=4"])
    serial, parallel = two_ways.digests(query, kill_after=40, sample=Sample(500, 3))
    assert parallel == serial
    assert all(digest for _, digest in serial)


@pytest.mark.slow
def test_a_run_whose_scheduler_was_killed_is_resumed_without(
    dask: DaskProcesses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("epcg_fling")
    monkeypatch.setenv("EPCG_PLUGINS", only("fling"))
    query = load(ROOT / "plugins/fling/queries/layers.toml", ["generator.pieces=4"])
    dask.scheduler()
    dask.worker("only")
    recorded, add = 0, UnitWriter.add

    def killing(writer: UnitWriter, result: UnitResult) -> None:
        nonlocal recorded
        recorded += 1
        if recorded == 20:
            dask.kill_scheduler()
        add(writer, result)

    with monkeypatch.context() as patched, Store.open(tmp_path / "dask.db", write=True) as store:
        patched.setattr(UnitWriter, "add", killing)
        with pytest.raises(RunInterruptedError, match="is gone"):
            execute(query, store, Options(scheduler=dask.address, quiet=True, unit_size=1 << 12))
    for name in ("dask.db", "serial.db"):
        with Store.open(tmp_path / name, write=True) as store:
            execute(query, store, Options("serial", quiet=True, unit_size=1 << 12))
    assert digests(tmp_path / "dask.db") == digests(tmp_path / "serial.db")


@pytest.mark.slow
@pytest.mark.parametrize("with_signal", [signal.SIGINT, signal.SIGKILL])
def test_a_cluster_of_ones_own_ends_with_its_coordinator(
    tmp_path: Path, interruptible: None, with_signal: signal.Signals
) -> None:
    command = [sys.executable, "-m", "tests.core.execution.coordinator", str(tmp_path), "2", "dask"]
    process = subprocess.Popen(command, cwd=ROOT, start_new_session=True, stderr=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: len(Endless(tmp_path).pids()) == 2, "two busy workers")
        os.kill(process.pid, with_signal)
        _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (3 if with_signal == signal.SIGINT else -9, "")
        wait_until(lambda: not any(map(psutil.pid_exists, Endless(tmp_path).pids())), "their end")
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
