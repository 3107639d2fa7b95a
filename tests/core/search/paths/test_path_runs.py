"""Runs over edited contents: the evaluators, what is recorded of edits and solutions, and the views."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest

import epcg_core
from epcg_core.api.facts import candidate_table
from epcg_core.base.errors import PluginError
from epcg_core.query.query import SelectParams, from_data
from epcg_core.runs.coordinator import Options, Outcome, execute, materialize
from epcg_core.runs.ledger import selected
from epcg_core.search.shortest_path.incremental import VariantAnswer, VariantSearch
from epcg_core.search.shortest_path.solver import shortest_path
from epcg_core.store import Reader, Store
from epcg_core.verification.verify import verify
from tests.core.search.paths.maze import Maze, PlainModel, edits_of, parse, with_tiles
from tests.workplace import looks_away

SMALL = "w.#E/.b../...o"
OPEN = "w..#E/.#.../...#."
NEAR = "E.w#..../.#..b.../....o..."
ROOMS = "w...#../.b..#../......o/#.###.#/...#.../.b.#..E"


@pytest.fixture(autouse=True)
def plugin(install_plugin: Callable[[str, str, str, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", "mazes")
    source = Path(__file__).with_name("maze_plugin.py").read_text(encoding="utf-8")
    install_plugin("mazes", "epcg_mazes", source, "epcg-mazes")


def query(
    evaluator: str = "edit_effect", limit: int = 10**6, generator: str = "edits", **parts: Any
) -> dict[str, Any]:
    """The query as data; `parts` are the generator's params, or further tables of the query."""
    tables = {name: parts.pop(name) for name in ("select", "record") if name in parts}
    return {
        "name": "mazes",
        "domain": "mazes",
        "generator": {"name": generator, "params": parts},
        "search": {"name": "exhaustive", "params": {}},
        "evaluators": [{"name": evaluator, "params": {"limit": limit}}],
        **tables,
    }


def ran(store: Store, data: dict[str, Any], executor: str = "serial") -> Outcome:
    return execute(from_data(data), store, Options(executor, workers=2, quiet=True))


@contextmanager
def opened(folder: Path, name: str = "epcg.db") -> Iterator[Store]:
    with Store.open(folder / name, write=True) as store:
        yield store


def sql(store: Store, text: str) -> list[tuple[Any, ...]]:
    with store.reader() as reader:
        return [tuple(row) for row in reader.connection.exec_driver_sql(text)]


def variants(maze: Maze) -> list[Maze]:
    return [with_tiles(maze, {edit.change["cell"]: edit.change["to"]}) for edit in edits_of(maze)]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("limit", [10**6, 12])
def test_the_two_evaluators_agree_with_a_plain_search(tmp_path: Path, packed: bool, limit: int) -> None:
    maze = parse(SMALL.replace("/", " "))
    original = shortest_path(PlainModel(), maze, limit).length
    with opened(tmp_path) as store:
        data = {"maze": SMALL, "packed": packed, "limit": limit}
        effect = ran(store, query("edit_effect", **data)).goal
        shortest = ran(store, query("shortest_solution", **data)).goal
        with store.reader() as reader:
            for rank, variant in enumerate(variants(maze)):
                found = shortest_path(PlainModel(), variant, limit)
                row = reader.scores_at(effect.id, [rank])[0]
                gain = None if found.length is None or original is None else found.length - original
                assert (row["moves"], row["gain"]) == (found.length, gain)
                assert row["expansions"] == found.expansions
                assert reader.scores_at(shortest.id, [rank])[0] == {
                    "moves": found.length, "expansions": found.expansions,
                }  # fmt: skip
                status = 2 if found.limit_reached else 1 if found.length is None else 0
                assert reader.status_at(shortest.id, rank) == status


@pytest.mark.parametrize(
    "executor", ["threads", *(pytest.param(name, marks=pytest.mark.slow) for name in ("serial", "processes"))]
)
def test_every_executor_records_the_same(tmp_path: Path, executor: str) -> None:
    with opened(tmp_path) as store:
        record = ran(store, query(maze=ROOMS), executor).goal
        assert record.evaluated == 76
        assert record.digest == DIGEST
        assert verify(store, record.id, sample=10)


DIGEST = "043fd7360fac3f1184da98432dbc3e382756715b99cba28745bffdec7a55e915"


def test_the_edits_are_recorded_with_the_space(tmp_path: Path) -> None:
    maze = parse(SMALL.replace("/", " "))
    with opened(tmp_path) as store:
        ran(store, query(maze=SMALL, edits=2))
        ran(store, query("shortest_solution", maze=SMALL, edits=2))  # the same space again
        assert sql(store, "SELECT position, description, change FROM edit ORDER BY position") == [
            (position, edit.description, json.dumps(dict(edit.change), sort_keys=True, separators=(",", ":")))
            for position, edit in enumerate(edits_of(maze))
        ]
        singles = len(edits_of(maze))
        pairs = singles * (singles - 2) // 2
        counts = "SELECT n, count(*) FROM (SELECT count(*) AS n FROM variant_edit GROUP BY rank) GROUP BY n"
        assert sql(store, counts) == [(1, singles), (2, pairs)]
        assert sql(store, "SELECT edits FROM edit_effects WHERE rank = 0 AND metric = 'moves'") == [
            ("1 . to #",), ("1 . to #",),
        ]  # fmt: skip
        last = f"SELECT edits FROM edit_effects WHERE rank = {singles + pairs - 1} AND metric = 'gain'"
        assert sql(store, last) == [("10 . to o; 11 o to #",)]


def test_the_best_edits_are_those_of_a_plain_search(tmp_path: Path) -> None:
    maze = parse(OPEN.replace("/", " "))
    lengths = {
        edit.description: shortest_path(PlainModel(), variant).length
        for edit, variant in zip(edits_of(maze), variants(maze), strict=True)
    }
    found = [length for length in lengths.values() if length is not None]
    assert (min(found), max(found)) == (4, 8)
    original = shortest_path(PlainModel(), maze).length
    with opened(tmp_path) as store:
        ran(store, query(maze=OPEN))
        rows = sql(store, "SELECT extreme, best, edit, value FROM best_edits WHERE metric = 'moves'")
        gains = sql(store, "SELECT DISTINCT edit FROM best_edits WHERE metric = 'gain'")
    expected = [
        (extreme, int(extreme == "largest"), edit, value)
        for extreme, value in (("largest", max(found)), ("smallest", min(found)))
        for edit, length in lengths.items()
        if length == value != original
    ]
    assert sorted(rows) == sorted(expected)
    assert sorted(gains) == sorted((edit,) for _, _, edit, _ in expected)


@pytest.mark.parametrize("fewest", [0, 1])
def test_edits_that_change_nothing_are_not_among_the_best(tmp_path: Path, fewest: int) -> None:
    """The original is found by its gain of 0, or as the variant without edits."""
    maze = parse(SMALL.replace("/", " "))
    original = shortest_path(PlainModel(), maze).length
    with opened(tmp_path) as store:
        ran(store, query(maze=SMALL, fewest=fewest))
        gained = "SELECT count(*) FROM edit_effects WHERE metric = 'gain' AND value = 0"
        assert sql(store, gained)[0][0] > 0
        rows = sql(store, "SELECT value FROM best_edits WHERE metric = 'moves'")
    assert (original,) not in rows


def test_the_original_is_a_variant_without_edits(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        ran(store, query(maze=SMALL, fewest=0))
        rows = sql(store, "SELECT metric, edits, value FROM edit_effects WHERE rank = 0 ORDER BY metric")
        assert rows == [
            ("evidence", "nothing", 1), ("expansions", "nothing", 25), ("gain", "nothing", 0),
            ("moves", "nothing", 5),
        ]  # fmt: skip


def test_kept_candidates_have_their_edits_and_solutions(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        data = query(maze=SMALL, record={"rows": "kept"}, select=[{"metric": "moves", "keep": "best"}])
        outcome = ran(store, data)
        kept = sql(store, "SELECT rank FROM kept ORDER BY rank")
        assert len(kept) == outcome.kept > 0
        assert sql(store, "SELECT DISTINCT rank FROM variant_edit ORDER BY rank") == kept
        states = variants(parse(SMALL.replace("/", " ")))
        for rank, actions in sql(store, "SELECT rank, actions FROM solution WHERE position = 0"):
            assert tuple(json.loads(actions)) == shortest_path(PlainModel(), states[rank]).actions
        assert sql(store, "SELECT count(*) FROM solution") == [(len(kept),)]
        again = ran(store, data)
        assert again.computed == ()
        assert sql(store, "SELECT count(*) FROM solution") == [(len(kept),)]
        materialize(store, outcome.goal.id)
        assert sql(store, "SELECT count(DISTINCT rank) FROM variant_edit") == [(outcome.goal.evaluated,)]


@pytest.mark.parametrize("evaluator", ["edit_effect", "shortest_solution"])
def test_generators_that_cannot_be_played_are_refused(tmp_path: Path, evaluator: str) -> None:
    with opened(tmp_path) as store:
        with pytest.raises(PluginError, match=r"^The generator Blind has no transition_model"):
            ran(store, query(evaluator, generator="blind"))
        with store.reader() as reader:
            assert list(Reader(reader.connection).runs()) == []


def test_verification_searches_anew_what_was_decided_without_a_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that rests on evidence is checked by a search that knows nothing of it."""
    untouched = 1
    with opened(tmp_path) as store:
        run = ran(store, query(maze=NEAR)).goal
        rows = sql(store, "SELECT rank FROM scores WHERE metric = 'evidence' AND value = 1 ORDER BY rank")
        assert 0 < len(rows) < run.evaluated
        assert verify(store, run.id, sample=1000).passed

    genuine = VariantSearch.answer

    def mistaken(self: VariantSearch, variant: Any) -> VariantAnswer:
        found = genuine(self, variant)
        return attrs.evolve(found, length=99) if found.evidence == untouched else found

    monkeypatch.setattr(VariantSearch, "answer", mistaken)
    looks_away(monkeypatch)
    with opened(tmp_path, "false.db") as store:
        run = ran(store, query(maze=NEAR)).goal
        report = verify(store, run.id, sample=1000)
        assert [check.name for check in report.checks if not check.passed] == ["sample", "winners"]
        found = next(check.detail for check in report.checks if not check.passed)
        assert ": the recorded moves is 99, computed again " in found
        assert found.partition(": the")[0] in {f"{run.space}#{rank}" for (rank,) in rows}


def test_the_best_variants_tell_their_edits(tmp_path: Path) -> None:
    """As `epcg top` and `epcg run` print them; other content has no such column."""
    rule = SelectParams("moves", "top", 4)
    with opened(tmp_path) as store:
        pairs = ran(store, query(maze=SMALL, edits=2, fewest=2)).goal
        described = [edit.description for edit in edits_of(parse(SMALL.replace("/", " ")))]
        view = dict(sql(store, "SELECT rank, edits FROM edit_effects WHERE metric = 'moves'"))
        with store.reader() as reader:
            found = selected(reader, pairs, rule, 4)["candidates"]
    header, rows = candidate_table(found, ["moves"], with_ranks=True)
    assert header == ["rank", "moves", "edits", "puzzle"]
    assert len(rows) == 4
    for rank, _, edits, _ in rows:
        assert edits == view[rank]
        first, second = edits.split("; ")
        assert {first, second} <= set(described)
    plain = [{key: value for key, value in found[0].items() if key != "edits"}]
    assert candidate_table(plain, ["moves"])[0] == ["moves", "puzzle"]


def test_the_views_of_edits_are_the_same_without_rows(tmp_path: Path) -> None:
    """By EPCG they read chunks; any other client is refused, but not if a run has all rows."""
    whole = {}
    with opened(tmp_path) as store:
        ran(store, query(maze=OPEN))
        for view in ("edit_effects", "best_edits"):
            whole[view] = sql(store, f"SELECT * FROM {view}")
    database = epcg_core.open(tmp_path / "epcg.db")
    for view, rows in whole.items():
        assert len(rows) > 5
        assert sorted(database.sql(f"SELECT * FROM {view}").rows, key=repr) == sorted(rows, key=repr)
    with opened(tmp_path) as store:
        materialize(store, 1, "rank < 3")
    for view, rows in whole.items():
        assert sorted(database.sql(f"SELECT * FROM {view}").rows, key=repr) == sorted(rows, key=repr)
        for tail in ("", " WHERE value > 99", " WHERE rank = 5 LIMIT 1"):
            with (
                closing(sqlite3.connect(tmp_path / "epcg.db")) as other,
                pytest.raises(sqlite3.OperationalError, match="ask with epcg sql"),
            ):
                other.execute(f"SELECT count(*) FROM {view}{tail}").fetchall()
