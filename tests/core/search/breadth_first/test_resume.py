"""Searches that were interrupted, or killed in the middle of a layer, end like those that were not."""

from __future__ import annotations

import pytest

import epcg_core.runs.coordinator
import epcg_core.runs.worker
from epcg_core.base.errors import RunInterruptedError
from epcg_core.execution import Unit
from epcg_core.runs.coordinator import resume
from epcg_core.store import Store
from tests.core.search.breadth_first.place import Graphs
from tests.processes import Processes, Watch
from tests.workplace import recorded


@pytest.mark.parametrize(
    ("record", "size", "lost", "unit", "at"),
    [
        ("frontier", 13, 5, 4, 18),
        pytest.param("frontier", 97, 0, 16, 32, marks=pytest.mark.slow),
        pytest.param("depths", 97, 0, 16, 32, marks=pytest.mark.slow),
    ],
)
def test_an_interrupted_layer_goes_on(
    place: Graphs, monkeypatch: pytest.MonkeyPatch, record: str, size: int, lost: int, unit: int, at: int
) -> None:
    """In the second unit of layer 4, after the values of a layer were dropped, or later."""
    query = place.query(size=size, lost=lost, search=f'record = "{record}"')
    whole = place.run(query, database=place.folder / "whole.db", unit_size=unit)
    own = epcg_core.runs.worker.UnitSolver.__call__
    solved = []

    def interrupted(self: object, unit: Unit) -> object:
        solved.append(unit)
        if len(solved) == at:
            raise KeyboardInterrupt
        return own(self, unit)  # type: ignore[arg-type]

    monkeypatch.setattr(epcg_core.runs.worker.UnitSolver, "__call__", interrupted)
    with pytest.raises(RunInterruptedError, match="epcg resume"):
        place.run(query, unit_size=unit)
    monkeypatch.undo()
    (stopped,) = place.sql("SELECT id, layer FROM run WHERE state = 'stopped'")
    assert 0 < place.sql(f"SELECT count(*) FROM unit WHERE run_id = {stopped[0]}")[0][0] < -(-size // unit)
    with Store.open(place.database, write=True) as store:
        resumed = resume(stopped[0], store, epcg_core.runs.coordinator.Options("serial", quiet=True))
    assert [run.digest for run in resumed.runs] == [run.digest for run in whole.runs]
    assert recorded(place.database) == recorded(place.folder / "whole.db")


@pytest.mark.slow
@pytest.mark.parametrize("record", ["depths", "frontier"])
def test_a_search_killed_in_the_middle_of_layers(place: Graphs, processes: Processes, record: str) -> None:
    path = place.folder / "query.toml"
    path.write_text(place.text(size=200, search=f'record = "{record}"'), encoding="utf-8")
    whole = place.run(path.read_text("utf-8"), database=place.folder / "whole.db", unit_size=16)
    for layer in (2, 5):
        process = processes.driver(path, place.database, EPCG_TEST_UNIT=16, EPCG_TEST_BREATH=0.05)
        Watch(place.database, f"layer = {layer}").wait_for(3, process)
        processes.kill(process)
        done, units, state = Watch(place.database, f"layer = {layer}").state()
        assert 3 <= done < units
        assert state == "running"
    ended = processes.driver(path, place.database, EPCG_TEST_UNIT=16)
    output, errors = ended.communicate()
    assert output.strip() == whole.goal.digest, errors
    assert recorded(place.database) == recorded(place.folder / "whole.db")
