"""What Python's users give: queries in every form, and sentences about arguments of other types."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import epcg_core as epcg
from epcg_core.base.errors import EpcgError
from epcg_core.query.query import load
from tests.workplace import Numbers


@pytest.fixture
def query(toy: Numbers) -> Path:
    return toy.file("digits", "even", size=60)


def table() -> dict[str, Any]:
    return {
        "domain": "numbers",
        "generator": {"name": "range", "size": 60},
        "evaluators": [{"name": "digits"}, {"name": "even"}],
    }


def test_a_query_is_answered_in_every_form(toy: Numbers, query: Path) -> None:
    text = query.read_text(encoding="utf-8")
    forms: list[Any] = [query, str(query), text, load(query), table()]
    runs = [epcg.answer(form, db=toy.database) for form in forms]
    assert {run.number for run in runs} == {1}
    small = [
        epcg.answer(form, {"generator.size": 7}, db=toy.database) for form in (str(query), text, table())
    ]
    assert {len(run.values("digits")[0]) for run in small} == {7}
    with pytest.raises(EpcgError, match="not in a query that has been read"):
        epcg.answer(load(query), {"generator.size": 7}, db=toy.database)


@pytest.mark.parametrize(
    ("form", "says"),
    [
        (5, r"query must be a string or a path or a table \(a dict\) or a Query, not 5 \(int\)\."),
        (None, "query must be"),
        ([table()], "query must be"),
        ({"domain": "numbers"}, "the key 'generator' is missing"),
        ({**table(), "generators": 1}, "unknown key 'generators'"),
        ({5: 6}, r"named by a string, not by 5 \(int\)"),
        ({**table(), "title": object()}, "a value of type object cannot be recorded"),
        ('domain = "numbers"\n', "the key 'generator' is missing"),
        ("domain = ", "not valid TOML"),
        ("numbers.toml", "no query file"),
        ("a=b.toml", "There is no query file 'a=b.toml'"),
        ("a\0b", "file"),
    ],
)
def test_what_is_not_a_query_is_told(toy: Numbers, form: Any, says: str) -> None:
    with pytest.raises(EpcgError, match=says):
        epcg.answer(form, db=toy.database)


CALLS: dict[str, Callable[[epcg.Run, Any], Any]] = {
    "db must be a string or a path": lambda run, wrong: epcg.answer(table(), db=wrong),
    "values must be a table": lambda run, wrong: epcg.answer(table(), wrong),
    "workers must be an integer": lambda run, wrong: epcg.answer(table(), workers=wrong),
    "sample must be an integer": lambda run, wrong: epcg.answer(table(), sample=wrong),
    "location must be a string or a path": lambda run, wrong: epcg.open(wrong),
    "plan must be a string or a path or a Plan": lambda run, wrong: epcg.build_curriculum(wrong),
    "number must be an integer": lambda run, wrong: run.database.run(wrong),
    "statement must be a string": lambda run, wrong: run.database.sql(wrong),
    "id must be a string": lambda run, wrong: run.database.puzzle(wrong),
    "metric must be a string": lambda run, wrong: run.values(wrong),
    "count must be an integer": lambda run, wrong: run.best("digits", wrong),
    "rank must be an integer": lambda run, wrong: run.puzzle(wrong),
    "metrics must be a string": lambda run, wrong: run.plot(wrong),
    "library must be 'pandas' or 'polars'": lambda run, wrong: run.frame(wrong),
    "domain must be a string": lambda run, wrong: epcg.edit(wrong),
}


@pytest.mark.sweep
@pytest.mark.parametrize("says", CALLS)
def test_arguments_of_other_types_are_told(toy: Numbers, query: Path, says: str) -> None:
    toy.run(load(query))
    run = epcg.open(toy.database).run(1)
    with pytest.raises(EpcgError, match=rf"{says}.*, not \(5,\) \(tuple\)\."):
        CALLS[says](run, (5,))


def test_numbers_out_of_range_are_told(toy: Numbers, query: Path) -> None:
    for options in ({"workers": 0}, {"sample": 0}, {"sample": -1}):
        with pytest.raises(EpcgError, match="is not allowed; expected"):
            epcg.answer(query, db=toy.database, **options)
    assert not toy.database.exists()
