"""What verification covers: every column is in the table, and a change of each covered one is found."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from epcg_core.base.errors import EpcgError
from epcg_core.curriculum import verify as curriculum_verification
from epcg_core.curriculum.build import build
from epcg_core.curriculum.plan import parse_plan
from epcg_core.curriculum.verify import verify as verify_curriculum
from epcg_core.query.query import from_data
from epcg_core.store import Store, curricula, schema
from epcg_core.verification import planned, verify as verification
from epcg_core.verification.covered import COVERED, not_covered
from epcg_core.verification.derived import PROOFS
from epcg_core.verification.verdicts import Check, make_check
from epcg_core.verification.verify import verify
from tests.core.curriculum.test_build import PLAN
from tests.core.search.branch_and_bound.conftest import SOURCE as SETS
from tests.core.search.branch_and_bound.place import Sets
from tests.workplace import SERIAL, Numbers, Workplace

CHECKS = {
    "file", "coverage", "chunks", "unit digests", "run digest", "rows", "inputs", "optimality", "sample",
    "curriculum", "order", *PROOFS,
}  # fmt: skip
ASKED = """
[[select]]
metric = "digits"
count = 3
[[select]]
metric = "survived"
keep = "threshold"
min = 500
[filter]
metric = "even"
min = 1
search = { name = "exhaustive" }
evaluators = [{ name = "even" }]
[record]
on_error = "record"
"""
RUN = 2
"""The run of `ASKED`; its filter is run 1."""

VALUES: Mapping[str, str] = {
    "metric.kind": "'real'",
    "metric.direction": "CASE direction WHEN 'max' THEN 'min' ELSE 'max' END",
    "metric.always": "1 - always",
    "space.max_rank": "'601'",
    "space.represents": "'1'",
    "space.produced_by": "1",
    "domain.plugin_id": "(SELECT id FROM plugin WHERE distribution = 'epcg-core')",
    "run.spec": "json_set(spec, '$.filter.min', 0.0)",
    "run.layer": "1",
    "run.kept_values": "'counts'",
    "run.part": "1, parts = 2",
    "run.left_out": """'{"count":1,"of":2,"what":"levels"}'""",
    "run.reading": """'{"sha256":"","unread":"a line"}'""",
    "run.files": """'{"a":"/b"}'""",
    "run.imported": """'{"a":{}}'""",
    "run.state": "'stopped'",
    "run.rows": "'none'",
    "run.unit_size": "2 * unit_size",
    "run.chunk_size": "2 * chunk_size",
    "run.start": "1",
    "run.stop": "stop - 1",
    "query_run.goal": "1 - goal",
    "run_input.input_run_id": str(RUN),
    "run_input.kind": "'library'",
    "run_input.choice": """'{"select":[]}'""",
    "unit.count": "count + 1",
    "unit.evaluated": "evaluated + 1",
    "unit.pruned": "pruned + 1",
    "unit.excluded": "excluded + 1",
    "pruning.reason": "CASE reason WHEN 'bound' THEN 'infeasible' ELSE 'bound' END",
    "pruning.bound": "coalesce(bound + 1000, 1)",
    "score_chunk.dtype": "CASE dtype WHEN 'u1' THEN 'i1' ELSE 'u1' END",
    "score_chunk.codec": "CASE codec WHEN 'raw' THEN 'zstd' ELSE 'raw' END",
    "score_chunk.status": "NULL",
    "candidate.status": "'none'",
    "candidate.kept": "1 - kept",
    "selection.chosen": "1 - chosen",
    "selection.measures": "replace(measures, ':', ': ')",
    "curriculum.plan": """replace(plan, '"count":4', '"count":3')""",
    "puzzle.rank": "rank + 1",
    "edit.change": """replace(change, '":', '": ')""",
    "run_plugin.plugin_id": "(SELECT id FROM plugin WHERE id NOT IN (SELECT plugin_id FROM run_plugin))",
}
"""Plausible other values; of other columns, the next number or a longer text."""
WITH: Mapping[str, str] = {
    "unit.count": "evaluated = evaluated + 1",
    "unit.evaluated": "excluded = excluded - 1",
    "unit.excluded": "evaluated = evaluated - 1",
    "unit.pruned": "evaluated = evaluated - 1",
}
"""What a constraint asks to be changed with a column."""
ROWS: Mapping[str, str] = {
    "candidate.note": "status = 'error'",
    "candidate.kept_by": "kept = 1",
    "candidate.state": "kept = 1",
    "metric": f"id IN (SELECT metric_id FROM run_metric WHERE run_id = {RUN})",
    "plugin": f"id IN (SELECT plugin_id FROM run_plugin WHERE run_id = {RUN})",
    "query": f"id IN (SELECT query_id FROM query_run WHERE run_id = {RUN})",
    "run": f"id = {RUN}",
    "score_chunk.status": "status IS NOT NULL",
    "score_chunk.valued": "valued > 1",
    "score_chunk": "minimum IS NOT NULL",
    "puzzle": "id IN (SELECT puzzle_id FROM selection WHERE chosen = 1)",
    "selection": "chosen = 1",
}
"""The rows among which one is changed, by column or table."""


def statement(name: str, run: int | None) -> str:
    """An UPDATE of one row of a column, 'table.column'."""
    table, column = name.split(".")
    columns = schema.metadata.tables[table].c
    keys = ", ".join(f'"{key.name}"' for key in schema.metadata.tables[table].primary_key)
    where = ROWS.get(name) or ROWS.get(table) or "1"
    if "run_id" in columns and run is not None:
        where += f" AND run_id = {run}"
    kind = columns[column].type
    value = VALUES.get(name) or (
        f"coalesce({column}, '') || 'x'"
        if isinstance(kind, sa.Text)
        else "x'00'"
        if isinstance(kind, sa.LargeBinary)
        else f'coalesce("{column}", 0) + 1000'
    )
    more = f", {WITH[name]}" if name in WITH else ""
    one = f'SELECT {keys} FROM "{table}" WHERE {where} ORDER BY {keys} LIMIT 1'
    return f'UPDATE "{table}" SET "{column}" = {value}{more} WHERE ({keys}) = ({one})'


Failed = Callable[[Store], set[str]]


@contextmanager
def only(name: str) -> Iterator[None]:
    """Let verification make one check; the others are made of the sound database, once for all changes."""

    def one(asked: str, prove: Callable[[], str]) -> Check:
        return make_check(asked, prove if asked == name else str)

    with pytest.MonkeyPatch.context() as patch:
        for module in (verification, curriculum_verification):
            patch.setattr(module, "make_check", one)
        yield


def missed(place: Workplace, tables: str, failed: Failed, run: int | None) -> dict[str, set[str]]:
    """Change every covered column of some tables, one at a time; return those that pass the check named."""
    sound = place.folder / "sound.db"
    shutil.copy(place.database, sound)
    with Store.open(place.database) as store:
        assert failed(store) == set()
    found = {}
    for name, coverage in COVERED.items():
        if name.partition(".")[0] not in tables.split() or coverage.kind == "not covered":
            continue
        shutil.copy(sound, place.database)
        before = place.sql(f'SELECT * FROM "{name.partition(".")[0]}"')
        place.change(statement(name, run))
        after = place.sql(f'SELECT * FROM "{name.partition(".")[0]}"')
        assert before != after, f"nothing was changed: {statement(name, run)}"
        try:
            with Store.open(place.database) as store, only(coverage.by):
                checks = failed(store)
            if coverage.by not in checks:
                found[name] = checks
        except EpcgError:  # nothing can be read of the run
            pass
    return found


def of_run(number: int) -> Failed:
    return lambda store: {c.name for c in verify(store, number, sample=0).checks if not c.passed}


def of_curriculum(store: Store) -> set[str]:
    with store.reader() as reader:
        number = curricula.find(reader.connection, "digits")
    return {check.name for check in verify_curriculum(store, number) if not check.passed}


def test_every_column_is_in_the_table_and_no_other() -> None:
    columns = {f"{t.name}.{c.name}" for t in schema.metadata.tables.values() for c in t.columns}
    assert set(COVERED) == columns


def test_the_table_names_checks_that_exist() -> None:
    assert {c.by for c in COVERED.values() if c.kind != "not covered"} <= CHECKS
    assert not_covered()[:2] == ["times", "CPU seconds"]


@pytest.fixture
def asked(bench: Numbers) -> Numbers:
    bench.cut(128, 256)
    text = bench.text("digits", "divisor", "fails rank = 14", size=600, more=ASKED)
    assert bench.given(text).goal.id == RUN
    return bench


@pytest.mark.parametrize(
    "tables",
    [
        "run_input candidate",
        pytest.param(
            "plugin domain metric space query run query_run run_metric run_plugin run_input unit score_chunk "
            "score_histogram candidate score",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_change_of_a_run_is_found(asked: Numbers, tables: str) -> None:
    # another plugin's row, for the links of runs to go to
    asked.change("INSERT INTO plugin (distribution, version) VALUES ('epcg-other', '1')")
    assert missed(asked, tables, of_run(RUN), RUN) == {}


@pytest.mark.slow
def test_a_change_of_a_proof_is_found(
    alone: Callable[[str, str, str], Path],
) -> None:
    place = Sets(alone("sets", "epcg_sets", SETS), SERIAL)
    goal = place.run(place.text(params="n = 12, k = 4")).goal.id
    assert place.sql(f"SELECT count(*) FROM pruning WHERE run_id = {goal}") != [(0,)]
    assert missed(place, "pruning", of_run(goal), goal) == {}


@pytest.mark.slow
def test_a_change_of_edits_and_solutions_is_found(alone: Callable[[str, str, str], Path]) -> None:
    source = Path(__file__).parent / "search" / "paths" / "maze_plugin.py"
    place = Numbers(alone("mazes", "epcg_mazes", source.read_text(encoding="utf-8")))
    query = {
        "name": "mazes",
        "domain": "mazes",
        "generator": {"name": "edits", "params": {"maze": "w.#E/.b../...o"}},
        "search": {"name": "exhaustive", "params": {}},
        "evaluators": [{"name": "shortest_solution", "params": {}}],
        "select": [{"metric": "moves", "count": 4}],
    }
    place.run(from_data(query))
    assert missed(place, "edit variant_edit solution", of_run(1), None) == {}


@pytest.mark.parametrize(
    "tables",
    [
        "rejection",
        pytest.param(
            "puzzle curriculum newest_build chapter part selection rejection curriculum_run",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_change_of_a_curriculum_is_found(toy: Numbers, tables: str) -> None:
    toy.file("digits", "even", "root", "divisor", name="sums")
    with Store.open(toy.database, write=True) as store:
        build(parse_plan(PLAN, folder=toy.folder), store)
    assert missed(toy, tables, of_curriculum, None) == {}


LIES = {
    "another view": ("schema", "DROP VIEW runs", "CREATE VIEW runs AS SELECT id AS run_id FROM run"),
    "a trigger": (
        "schema",
        "CREATE TRIGGER lie AFTER INSERT ON candidate BEGIN DELETE FROM candidate; END",
    ),
    "another index by value": ("schema", "CREATE INDEX ix_score_value_run_2 ON score (rank)"),
    "a candidate is deleted": ("candidates", "DELETE FROM candidate WHERE kept = 1 AND rank = 598"),
    "an error is deleted": ("candidates", "DELETE FROM candidate WHERE status = 'error'"),
    "a candidate is added": (
        "candidates",
        "INSERT INTO candidate (run_id, rank, status, kept, kept_by, state) "
        "VALUES (2, 4, 'value', 1, 'top 3 by digits', 'number 4')",
    ),
    "values of a kept candidate are deleted": ("rows", "DELETE FROM score WHERE run_id = 2 AND rank = 598"),
    "a bin is deleted": ("histograms", "DELETE FROM score_histogram WHERE run_id = 2 AND position = 3"),
    "a plugin is added": ("specification", "INSERT INTO run_plugin SELECT 2, max(id) FROM plugin"),
    "an input is deleted": ("specification", "DELETE FROM run_input WHERE run_id = 2"),
    "the query is unlinked": ("queries", "DELETE FROM query_run WHERE run_id = 2"),
    "values are called dropped": (
        "specification",
        "UPDATE run SET kept_values = 'none' WHERE id = 2",
    ),
    "solutions are added": ("solutions", "INSERT INTO solution VALUES (2, 598, 0, '[]')"),
    "edits are added": ("edits", "INSERT INTO edit VALUES (1, 0, 'a lie', '{}')"),
}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", LIES)
def test_a_lie_is_found_by_its_check(asked: Numbers, name: str) -> None:
    check, *statements = LIES[name]
    asked.change("INSERT INTO plugin (distribution, version) VALUES ('epcg-other', '1')", *statements)
    assert check in asked.failed(RUN, sample=0)


def test_an_index_by_value_and_a_view_of_the_users_own_pass(asked: Numbers) -> None:
    from epcg_core.runs.coordinator import materialize

    with Store.open(asked.database, write=True) as store:
        materialize(store, RUN, index=True)
    asked.change("CREATE VIEW mine AS SELECT 1 AS one")
    details = {check.name: check.detail for check in asked.checks(RUN, sample=0) if check.passed}
    assert "besides, the file has view mine" in details["schema"]


def test_a_plugin_that_is_not_in_use_leaves_checks_unmade(
    asked: Numbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planned, "plugins_in_use", lambda: {"epcg-toy": "epcg-toy 2.0"})
    found = {check.name: check for check in asked.checks(RUN, sample=0)}
    assert found["candidates"].verdict == "cannot be checked here"
    assert found["candidates"].detail.startswith("It needs epcg-core")
    assert found["schema"].verdict == "holds"


def test_selections_of_several_queries_are_told_apart(asked: Numbers) -> None:
    more = ASKED.replace("count = 3", "count = 30")
    asked.run(asked.text("digits", "divisor", "fails rank = 14", size=600, more=more, name="again"))
    assert asked.failed(RUN, sample=0) == {}
    asked.change("DELETE FROM query_run WHERE query_id = 2")
    assert "candidates" in asked.failed(RUN, sample=0)
