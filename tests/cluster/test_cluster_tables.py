"""A work on a dask worker: tables in pieces, and what is freed with the work."""

from __future__ import annotations

import errno
import gc
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from epcg_core.base.errors import RunInterruptedError
from epcg_core.execution import Unit
from tests.core.execution.works import Reads, wait_until
from tests.workplace import needs

pytestmark = needs("distributed", "dask is not installed: pip install epcg-cluster")


@given(
    sizes=st.lists(st.integers(1, 5000), min_size=1, max_size=3),
    piece=st.integers(1, 2000),
    seed=st.integers(0, 9),
)
def test_tables_arrive_whole_and_go_with_their_work(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], piece: int, seed: int
) -> None:
    from epcg_cluster.worker import WorkHere

    folder, random = tmp_path_factory.mktemp("worker"), np.random.default_rng(seed)
    tables = {f"/elsewhere/{number}": random.bytes(size) for number, size in enumerate(sizes)}
    here = WorkHere(b"", None)
    for path, data in tables.items():
        for offset in range(0, len(data), piece):
            here.write(path, len(data), offset, data[offset : offset + piece], str(folder))
    assert {path: Path(place).read_bytes() for path, place in here.places.items()} == tables
    del here
    gc.collect()
    assert list(folder.iterdir()) == []


def test_a_table_without_room_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from epcg_cluster import worker

    def reserve(path: Path, size: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(worker, "reserve", reserve)
    here = worker.WorkHere(b"", None)
    with pytest.raises(
        RunInterruptedError, match=r"cannot hold the run's tables \(No space left on device\)"
    ):
        here.write("/elsewhere/1", 5, 0, b"12345", str(tmp_path))
    assert here.places == {}
    del here
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_worker_processes_end_with_their_work(tmp_path: Path) -> None:
    """The work is freed while its process computes; and a copy of it has neither processes nor tables."""
    from epcg_cluster.worker import Processes, WorkHere

    table = np.arange(100, dtype=np.uint8)
    here = WorkHere(pickle.dumps(Reads("/elsewhere/1")), None)
    here.write("/elsewhere/1", 100, 0, table.tobytes(), str(tmp_path))
    here.begin(Processes(), [])
    copy = pickle.loads(pickle.dumps(here))
    assert copy.places == {}
    worker = here.take(pickle.dumps(Unit(3, 5)))
    wait_until(lambda: worker.connection.poll(), "its set-up")
    assert worker.process.is_alive()
    del here
    gc.collect()
    wait_until(lambda: not worker.process.is_alive(), "its end")
    assert worker.ending() == "killed by SIGKILL"
    assert list(tmp_path.iterdir()) == []
