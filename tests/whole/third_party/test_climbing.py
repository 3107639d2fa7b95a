"""The search of examples/epcg-climbing: what it finds, and that it never claims to be exhaustive."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from epcg_testing import Conformance, check_domain
from epcg_testing.declaration import DeclaredSpace

from tests.workplace import Numbers

SOURCE = Path(__file__).parents[3] / "examples/epcg-climbing/src/epcg_climbing/__init__.py"
CLIMB = """
[search]
name = "hill_climbing"
climbs = 2
[[select]]
metric = "digits"
keep = "best"
"""


@pytest.fixture
def climbing(
    toy: Numbers, install_plugin: Callable[[str, str, str, str], None], monkeypatch: pytest.MonkeyPatch
) -> Numbers:
    monkeypatch.setenv("EPCG_PLUGINS", "numbers,climbing")
    install_plugin("climbing", "epcg_climbing", SOURCE.read_text(encoding="utf-8"), "epcg-climbing")
    return toy


def test_it_evaluates_some_ranks_and_says_that_it_is_not_exhaustive(climbing: Numbers) -> None:
    run = climbing.run(climbing.text("digits", size=10_000, more=CLIMB)).goal
    assert 0 < run.evaluated < 1_000
    assert run.excluded == 10_000 - run.evaluated
    assert run.coverage == "semi-exhaustive"
    (best,) = climbing.sql("SELECT max(value) FROM scores")[0]
    assert best > 27
    assert climbing.failed() == {}
    shown = climbing.epcg("show", 1).stdout
    assert f"{run.excluded:,} left out by the search" in shown
    assert "not exhaustive" in shown
    searches = json.loads(climbing.epcg("domains", "--json").stdout)["searches"]
    assert [search["proves"] for search in searches if search["name"] == "hill_climbing"] == [""]


def test_its_result_depends_neither_on_units_nor_on_workers(climbing: Numbers) -> None:
    found = []
    for name, unit_size, executor in (("a", 512, "serial"), ("b", 4096, "serial"), ("c", 8192, "processes")):
        place = climbing.other(name)
        run = place.run(
            place.text("digits", size=10_000, more=CLIMB), unit_size=unit_size, executor=executor
        ).goal
        found.append((run.evaluated, place.sql("SELECT rank, value FROM scores ORDER BY rank")))
    assert found[0] == found[1] == found[2]


def test_a_filter_is_refused(climbing: Numbers) -> None:
    text = climbing.text(
        "digits", more=CLIMB + '[filter]\nmetric = "digits"\nsearch = {name = "exhaustive"}\n'
    )
    refused = climbing.file("digits", more=CLIMB)
    refused.write_text(text)
    said = climbing.epcg("run", refused, code=1)
    assert "takes no [filter]" in said.stderr


def test_the_kit_checks_the_search_on_the_spaces_of_another_domain(climbing: Numbers) -> None:
    """The toy domain declares no spaces, so its own is declared here, small enough to be searched twice."""
    conformance = Conformance("numbers", spaces=(DeclaredSpace("range", {"size": 30}),))
    report = check_domain("numbers", plugin="climbing", laws=["searches-hold"], conformance=conformance)
    assert [outcome.status for outcome in report.outcomes] == ["kept"], str(report)
