"""A run over a space that leaves something out is never called exhaustive, in any search."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from epcg_research.certificate import check_certificate

from epcg_core.domain import Omission, SearchInfo
from epcg_core.plugins.registry import registry
from epcg_core.search import planner
from epcg_core.store import Store
from tests.conftest import GAME_SOURCE, TOY_SOURCE
from tests.core.search.branch_and_bound.conftest import SOURCE as SETS
from tests.core.search.branch_and_bound.place import Sets
from tests.core.search.breadth_first.conftest import SOURCE as GRAPHS
from tests.core.search.breadth_first.place import Graphs
from tests.core.search.components.conftest import SOURCE as LANDS
from tests.core.search.components.place import Lands
from tests.core.search.exact_cover.conftest import SOURCE as DOMINOES
from tests.core.search.exact_cover.place import Tilings
from tests.workplace import SERIAL, Numbers, Workplace, made_once

DRAWN = Omission(3, 4, "lines")
LAYERS = """
domain = "pegs"
generator = { name = "line", cells = 5, pegs = 3 }
search = { name = "retrograde" }
"""
Alone = Callable[[str, str, str], Path]


def text_of(source: Path | str) -> str:
    return source if isinstance(source, str) else source.read_text(encoding="utf-8")


PLACES: dict[str, tuple[str, Path | str, type[Workplace]]] = {
    "exhaustive": ("numbers", TOY_SOURCE, Numbers),
    "retrograde": ("pegs", GAME_SOURCE, Numbers),
    "breadth_first": ("graphs", GRAPHS, Graphs),
    "branch_and_bound": ("sets", SETS, Sets),
    "feasible": ("sets", SETS, Sets),
    "components": ("lands", LANDS, Lands),
    "distances": ("lands", LANDS, Lands),
    "exact_cover": ("dominoes", DOMINOES, Tilings),
}
"""A search -> a domain that it searches, the domain's plugin, and the questions to it."""


def test_every_search_is_here() -> None:
    assert PLACES.keys() == {info.name for info in registry().all(SearchInfo)}


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, alone: Alone, monkeypatch: pytest.MonkeyPatch) -> Workplace:
    """A run by a search, the last of the database, whose generator leaves something out."""
    domain, source, kind = PLACES[request.param]
    place = kind(alone(domain, f"epcg_{domain}", text_of(source)), SERIAL)
    make = planner.make_generator

    def make_part(*arguments: Any) -> Any:
        generator = make(*arguments)
        generator.omission = DRAWN
        return generator

    monkeypatch.setattr(planner, "make_generator", make_part)
    text = {
        "exhaustive": lambda: place.text("digits"),
        "retrograde": lambda: LAYERS,
        "breadth_first": lambda: place.text(size=7, lost=1),
        "distances": lambda: place.text().replace('"components"', '"distances"'),
        "feasible": lambda: place.text().replace('"branch_and_bound", keep = "all"', '"feasible"'),
    }
    query = text.get(request.param, place.text)()
    made_once(place.database, ("leaves something out", request.param), lambda: place.run(query))
    return place


def goal(place: Workplace) -> int:
    return int(place.sql("SELECT max(id) FROM run")[0][0])


@pytest.mark.sweep(2)
def test_nothing_calls_it_exhaustive(place: Workplace) -> None:
    assert set(place.sql("SELECT DISTINCT coverage FROM runs")) == {("semi-exhaustive",)}
    assert place.read(lambda reader: {run.coverage for run in reader.runs()}) == {"semi-exhaustive"}
    assert {run["coverage"] for run in json.loads(place.epcg("runs", "--json").stdout)} == {"semi-exhaustive"}
    assert re.search(r"done +exhaustive", place.epcg("runs").stdout) is None
    run = goal(place)
    shown = place.epcg("show", run).stdout
    assert "semi-exhaustive: all " in shown
    assert "the space leaves out 3 of 4 lines" in shown
    checks = {check.name: check for check in place.checks(run, sample=5)}
    assert all(check.passed for check in checks.values())
    assert "which leaves out 3 of 4 lines" in checks["coverage"].detail


@pytest.mark.sweep(2)
def test_a_certificate_says_so_and_its_claim_is_checked(place: Workplace) -> None:
    file = place.folder / "certificate.json"
    place.epcg("certificate", goal(place), "--output", file)
    data = json.loads(file.read_text())
    assert data["claims"]["coverage"] == "semi-exhaustive"
    assert all(check.passed for check in check_certificate(data, None, seed=0))
    for lie in ({"coverage": "exhaustive"}, {"coverage": "exhaustive", "left_out": None}):
        checks = check_certificate(data | {"claims": data["claims"] | lie}, None, seed=0)
        assert not all(check.passed for check in checks)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("changed", ["NULL", "json_set(left_out, '$.count', 1)"])
def test_a_liar_who_changes_the_omission_is_found(place: Workplace, changed: str) -> None:
    place.change(f"UPDATE run SET left_out = {changed}")
    with Store.open(place.database) as store, store.reader() as reader:
        runs = [run.id for run in reader.runs()]
    for run in runs:
        found = place.failed(run, sample=0)
        assert found.keys() - {"runs underneath"} == {"specification"}
        assert "run's left_out" in found["specification"]
