"""Exact cover as a run: the frontier's partial covers, what is recorded of them, and its proof."""

from __future__ import annotations

import numpy as np
import pytest

from epcg_core.base.errors import QueryError, UnknownNameError
from epcg_core.query.query import parse_query
from epcg_core.runs.coordinator import Options, plan
from epcg_core.search.exact_cover.solver import CoverSearch, PartialCovers, solve
from tests.core.search.exact_cover.place import QUERY, Tilings
from tests.core.search.exact_cover.toy_dominoes import dominoes


@pytest.mark.sweep
@pytest.mark.parametrize("depth", [0, 1, 3])
def test_every_cover_is_recorded_once(place: Tilings, depth: int) -> None:
    problem = dominoes(4, 6)
    run = place.tile(width=4, height=6, depth=depth).goal
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


@pytest.mark.parametrize("executor", ["threads", pytest.param("processes", marks=pytest.mark.slow)])
def test_results_depend_on_neither_units_nor_executor(place: Tilings, executor: str) -> None:
    whole = place.tile(depth=3).goal
    small, many = place.other("small"), place.other("many")
    small.cut(unit_size=2)
    by_two = small.tile(depth=3).goal
    many.options = Options(executor, 2, quiet=True, unit_size=2)
    by_workers = many.tile(depth=3).goal
    assert by_two.digest == by_workers.digest == whole.digest
    assert small.solutions() == many.solutions() == place.solutions()
    assert small.failed() == many.failed() == {}


def test_verify_computes_the_covers_again(place: Tilings) -> None:
    place.tiled()
    assert place.failed() == {}
    place.change("UPDATE solution SET actions = '[0]' WHERE rank = (SELECT max(rank) FROM solution)")
    failed = place.failed()
    assert list(failed) == ["unit digests", "run digest", "sample"]
    assert failed["sample"].endswith("the recorded solutions are not those computed again.")
    place.change("DELETE FROM solution")
    assert list(place.failed()) == ["unit digests", "run digest", "sample"]


def test_counts_alone_record_no_cover(place: Tilings) -> None:
    place.tile(record="counts")
    assert place.solutions() == []
    assert sum(place.values("covers")) == len(solve(dominoes(4, 4)).covers)
    assert place.failed() == {}


def test_a_part_of_the_frontier_is_a_run_of_its_own(place: Tilings) -> None:
    whole = place.tile().goal
    part = place.tile(more="range = { start = 1, stop = 2 }").goal
    assert (part.start, part.stop, part.identity != whole.identity) == (1, 2, True)
    assert place.solutions(part.id) == [s for s in place.solutions(whole.id) if s[0] == 1]


@pytest.mark.parametrize(
    ("change", "error", "sentence"),
    [
        (
            {"generator": "numbers"},
            QueryError,
            "the search exact_cover does not apply: use the exhaustive search",
        ),
        ({"more": 'evaluators = [{ name = "x" }]'}, QueryError, r"remove \[\[evaluators\]\]"),
        ({"more": 'filter = { run = 1, metric = "covers" }'}, QueryError, r"remove \[filter\]"),
        ({"more": 'select = [{ metric = "cover" }]'}, UnknownNameError, "Did you mean 'covers'"),
        ({"record": "all"}, UnknownNameError, "record"),
    ],
)
def test_impossible_queries_are_refused(
    place: Tilings, change: dict[str, str], error: type[Exception], sentence: str
) -> None:
    text = QUERY.format(
        **(
            {"generator": "partial", "width": 4, "height": 4, "depth": 2, "record": "covers", "more": ""}
            | change
        )
    )
    with pytest.raises(error, match=sentence):
        plan(parse_query(text))
