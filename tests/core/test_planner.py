"""The planner: the omissions of a space reach every kind of run; searches refuse what they declare."""

from __future__ import annotations

from typing import Any

import pytest

from epcg_core.base.errors import QueryError
from epcg_core.domain import Omission, SearchInfo
from epcg_core.plugins.registry import registry
from epcg_core.query.query import parse_query
from epcg_core.runs.coordinator import plan
from epcg_core.search import planner
from tests.workplace import Workplace

LAYERS = """
domain = "pegs"
generator = { name = "line", cells = 9, pegs = 5 }
search = { name = "retrograde" }
"""
DRAWN = Omission(3, 4, "lines")


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every generator says that its space is a drawn part of a larger one."""
    make = planner.make_generator

    def make_part(*arguments: Any) -> Any:
        generator = make(*arguments)
        generator.omission = DRAWN
        return generator

    monkeypatch.setattr(planner, "make_generator", make_part)


@pytest.mark.usefixtures("drawn")
def test_layers_over_a_part_of_the_boards_are_not_exhaustive(bench: Workplace) -> None:
    goal = plan(parse_query(LAYERS))[1]
    spec = goal
    while spec.inputs:
        assert spec.omission == DRAWN
        spec = spec.inputs[0].run
    bench.run(LAYERS)
    coverage = bench.read(lambda reader: reader.connection.exec_driver_sql("SELECT coverage FROM runs").all())
    assert coverage == [("semi-exhaustive",)] * 5


@pytest.mark.parametrize("info", registry().all(SearchInfo), ids=lambda info: info.name)
def test_searches_say_what_they_prove_and_why_they_refuse(info: SearchInfo) -> None:
    assert info.proves
    assert not info.proves.endswith(".")
    assert all(reason and not reason.endswith(".") for reason in info.refuses.values())


def test_a_range_that_is_the_whole_space_is_not_refused() -> None:
    info = registry().search("breadth_first")
    query = parse_query('domain = "x"\ngenerator = { name = "y" }\nrange = { start = 0, stop = 7 }')
    planner._check_accepted(query, info, whole=True)
    with pytest.raises(QueryError, match=r"takes no \[range\], because it covers whole spaces"):
        planner._check_accepted(query, info, whole=False)
