"""Exact cover as a run: the frontier's partial covers, what is recorded of them, and its proof."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import attrs
import numpy as np
import pytest

import epcg_core.run
from epcg_core.errors import QueryError, UnknownNameError
from epcg_core.query import parse
from epcg_core.run import Options, Outcome, execute, plan
from epcg_core.search.exact_cover import CoverSearch, PartialCovers, solve
from epcg_core.store import Store
from epcg_core.verify import verify
from tests.exact_cover.toy_dominoes import dominoes

SOURCE = "from tests.exact_cover.toy_dominoes import *\n"
QUERY = """
name = "tilings"
domain = "dominoes"
generator = {{ name = "{generator}", width = {width}, height = {height}, depth = {depth} }}
search = {{ name = "exact_cover", record = "{record}" }}
{more}
"""


@attrs.frozen
class Place:
    """A database, and questions to it."""

    database: Path

    def run(
        self,
        width: int = 4,
        height: int = 4,
        depth: int = 2,
        record: str = "covers",
        generator: str = "partial",
        more: str = "",
        options: Options | None = None,
    ) -> Outcome:
        text = QUERY.format(
            generator=generator, width=width, height=height, depth=depth, record=record, more=more
        )
        with Store.open(self.database, write=True) as store:
            return execute(parse(text), store, options or Options(executor="serial", quiet=True))

    def solutions(self, run: int = 1) -> list[tuple[int, int, list[int]]]:
        with Store.open(self.database) as store, store.reader() as reader:
            stop = reader.run(run).stop
            return [
                (rank, position, json.loads(actions))
                for rank in range(stop)
                for position, actions in reader.solutions(run, rank)
            ]

    def values(self, metric: str, run: int = 1) -> list[int]:
        with Store.open(self.database) as store, store.reader() as reader:
            return [value for _, values in reader.values(run, metric) for value in values.tolist()]

    def change(self, statement: str) -> None:
        with Store.open(self.database, write=True) as store, store.transaction() as connection:
            connection.exec_driver_sql(statement)

    def failed(self, run: int = 1) -> list[tuple[str, str]]:
        with Store.open(self.database) as store:
            report = verify(store, run, sample=1000)
        return [(check.name, check.detail) for check in report.checks if not check.passed]


@pytest.fixture
def place(
    install_plugin: Callable[[str, str, str, str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Place:
    root = str(Path(__file__).resolve().parents[2])
    monkeypatch.setenv("EPCG_PLUGINS", "dominoes")
    monkeypatch.delenv("EPCG_DB", raising=False)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((os.environ["PYTHONPATH"], root)))
    install_plugin("dominoes", "epcg_dominoes", SOURCE, "epcg-dominoes")
    return Place(tmp_path / "epcg.db")


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_every_cover_is_recorded_once(place: Place, depth: int) -> None:
    problem = dominoes(4, 6)
    run = place.run(width=4, height=6, depth=depth).goal
    frontier = PartialCovers(problem, depth)
    assert run.max_rank == run.evaluated == frontier.max_rank
    found = place.solutions()
    for rank, _, cover in found:
        assert tuple(cover[:depth]) == frontier.unrank(rank)
    rows = np.array([cover for _, _, cover in found], np.int32)
    expected = solve(problem)
    assert (CoverSearch(problem).canonical(rows) == expected.covers).all()
    assert sum(place.values("covers")) == len(found) == len(expected.covers)
    assert sum(place.values("nodes")) + frontier.nodes == expected.nodes


def test_results_depend_on_neither_units_nor_executor(place: Place, tmp_path: Path) -> None:
    whole = place.run(depth=3).goal
    small, many = Place(tmp_path / "small.db"), Place(tmp_path / "many.db")
    own = epcg_core.run.unit_size
    try:
        epcg_core.run.unit_size = lambda *_: 2
        by_two = small.run(depth=3).goal
        by_workers = many.run(depth=3, options=Options("processes", 2, quiet=True)).goal
    finally:
        epcg_core.run.unit_size = own
    assert by_two.digest == by_workers.digest == whole.digest
    assert small.solutions() == many.solutions() == place.solutions()
    assert small.failed() == many.failed() == []


def test_verify_computes_the_covers_again(place: Place) -> None:
    place.run()
    assert place.failed() == []
    place.change("UPDATE solution SET actions = '[0]' WHERE rank = (SELECT max(rank) FROM solution)")
    ((name, detail),) = place.failed()
    assert name == "sample"
    assert detail.endswith("the recorded solutions are not those computed again.")
    place.change("DELETE FROM solution")
    assert [name for name, _ in place.failed()] == ["sample"]


def test_counts_alone_record_no_cover(place: Place) -> None:
    place.run(record="counts")
    assert place.solutions() == []
    assert sum(place.values("covers")) == len(solve(dominoes(4, 4)).covers)
    assert place.failed() == []


def test_a_part_of_the_frontier_is_a_run_of_its_own(place: Place) -> None:
    whole = place.run().goal
    part = place.run(more="range = { start = 1, stop = 2 }").goal
    assert (part.start, part.stop, part.identity != whole.identity) == (1, 2, True)
    assert place.solutions(part.id) == [s for s in place.solutions(whole.id) if s[0] == 1]


@pytest.mark.parametrize(
    ("change", "error", "sentence"),
    [
        ({"generator": "numbers"}, QueryError, "exact cover does not apply: use the exhaustive search"),
        ({"more": 'evaluators = [{ name = "x" }]'}, QueryError, r"remove \[\[evaluators\]\]"),
        ({"more": 'filter = { run = 1, metric = "covers" }'}, QueryError, r"remove \[filter\]"),
        ({"more": 'select = [{ metric = "cover" }]'}, UnknownNameError, "Did you mean 'covers'"),
        ({"record": "all"}, UnknownNameError, "record"),
    ],
)
def test_impossible_queries_are_refused(
    place: Place, change: dict[str, str], error: type[Exception], sentence: str
) -> None:
    text = QUERY.format(
        **(
            {"generator": "partial", "width": 4, "height": 4, "depth": 2, "record": "covers", "more": ""}
            | change
        )
    )
    with pytest.raises(error, match=sentence):
        plan(parse(text))
