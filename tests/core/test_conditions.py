"""Conditions: a text means what it means in SQL, whatever the values, and is written as it is read."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from epcg_core.base.errors import EpcgError, ParamsError
from epcg_core.query.conditions import Condition, conditions, read
from tests.sweeps import most

NUMBERS = st.one_of(
    st.integers(-4, 4), st.sampled_from([0.5, -1.25, 1e-7, 2.5e8, 3.0000000000000004, 123456789012345678])
)
WORDS = st.sampled_from(["left", "it's", "", "Ä b", "null"])
BOOLS = st.booleans()
CONSTANTS = {"n": NUMBERS, "flag": BOOLS, "word": WORDS}
VALUES = {name: st.lists(st.none() | kind, min_size=5, max_size=5) for name, kind in CONSTANTS.items()}


def written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if not isinstance(value, str) else "'" + value.replace("'", "''") + "'"


def terms(name: str, shown: str) -> st.SearchStrategy[str]:
    """One condition on a measure, in each form that SQL has, too."""
    own = CONSTANTS[name].map(written)
    forms = [
        st.sampled_from([f"{shown} is null", f"{shown} IS  NOT NULL"]),
        st.tuples(st.sampled_from(["=", "!=", "<>", "=="]), own).map(lambda t: f"{shown}{t[0]}{t[1]}"),
        own.map(lambda each: f"{each} = {shown}"),
        st.tuples(st.sampled_from(["in", "not in"]), st.lists(own, min_size=1, max_size=3)).map(
            lambda t: f"{shown} {t[0]} ({', '.join(t[1])})"
        ),
    ]
    if name == "flag":
        forms.append(st.sampled_from([shown, f"not {shown}"]))
    if name == "n":
        sign = st.sampled_from(["<", "<=", ">", ">="])
        forms += [
            st.tuples(sign, own).map(lambda t: f"{shown} {t[0]} {t[1]}"),
            st.tuples(own, sign).map(lambda t: f"{t[0]} {t[1]} {shown}"),
            st.tuples(own, own).map(lambda t: f"{shown} between {t[0]} AND {t[1]}"),
        ]
    return st.one_of(forms)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Conditions of the whole language that SQL has, too."""
    names = [draw(st.sampled_from(sorted(CONSTANTS))) for _ in range(draw(st.integers(1, 3)))]
    return " and ".join(draw(terms(name, draw(st.sampled_from([name, f'"{name}"'])))) for name in names)


def admitted(found: tuple[Condition, ...], columns: dict[str, list[Any]]) -> list[int]:
    met = np.ones(5, np.bool_)
    for condition in found:
        values = columns[condition.metric]
        missing = np.array([value is None for value in values])
        kind = {"n": np.float64, "flag": np.bool_, "word": object}[condition.metric]
        filled = [{"n": 0, "flag": False, "word": ""}[condition.metric] if v is None else v for v in values]
        met &= condition.holds(np.array(filled, kind), missing if missing.any() else None)
    return np.flatnonzero(met).tolist()


@settings(max_examples=most(60))
@given(texts(), st.fixed_dictionaries(VALUES))
def test_a_text_admits_what_sql_admits(text: str, columns: dict[str, list[Any]]) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (place, n, flag, word)")
        rows = zip(range(5), *(columns[name] for name in ("n", "flag", "word")), strict=True)
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
        sql = [place for (place,) in connection.execute(f"SELECT place FROM t WHERE {text} ORDER BY place")]
    found = read(text)
    assert admitted(found, columns) == sql
    again = read(" and ".join(each.text for each in found))
    assert admitted(again, columns) == sql
    assert all(str(each) and each.metric in str(each) for each in found)


def test_a_text_between_limits() -> None:
    assert read("12 <= moves < 20") == (Condition("moves", min=12), Condition("moves", below=20))
    assert read("20 > moves") == (Condition("moves", below=20),)


@pytest.mark.parametrize("name", ["is", "AND", "two words", 'quoted "x"', "1st", "a-b", "Größe"])
def test_any_name_of_a_column_is_written_so_that_it_is_read(name: str) -> None:
    condition = Condition(name, min=1, above=0, among=(1, 2), without=(3,))
    again = read(condition.text)
    assert {each.metric for each in again} == {name}
    assert " and ".join(each.text for each in again) == condition.text
    assert read(Condition(name, equals=False).text) == (Condition(name, equals=False),)


def test_tables_and_texts_are_read_in_their_order() -> None:
    found = conditions(["moves >= 3 and unique", {"metric": "gain", "among": [2, 3]}], "where")
    assert [each.text for each in found] == ["moves >= 3", "unique", "gain in (2, 3)"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "A condition is empty"),
        ("moves >=", "a value is missing at the end"),
        ("moves >= x", "a value is missing before 'x'"),
        (">= 3", "the name of a measure is missing before '>='"),
        ("moves >= 3 or unique", "there is no or"),
        ("moves >= 3 unique", "'and' is expected, and 'unique' stands there"),
        ("moves in 2, 3", r"'\(' is expected, and '2' stands there"),
        ("moves in (2, 3", r"'\)' is expected, and the text ends"),
        ("moves < 'a'", "takes a number, not 'a'"),
        ("moves between true and 3", "between takes numbers, not true"),
        ("moves is 3", "'null' is expected"),
        ("moves ~ 3", "'~ 3' cannot be read"),
        ("moves = 1e999", "1e999 is too large"),
        ("moves = 3x", "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_said(text: str, said: str) -> None:
    with pytest.raises(ParamsError, match=said) as caught:
        read(text)
    assert "Write measures with" in str(caught.value)


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([{"metric": "moves", "equals": 1, "min": 1}], "moves: give either equals"),
        ([{"metric": "moves", "absent": True, "min": 1}], "absent asks for no value"),
        ([{"metrik": "moves"}], "where 1: unknown key 'metrik'"),
        ([{"metric": "moves", "among": []}], "moves: among lists no value"),
        ([{"metric": "moves", "without": []}], "moves: without lists no value"),
        (["unique", "moves >"], "where 2: 'moves >'"),
        ([3], "where 1: a table of keys is expected"),
        (3, "where: a list of conditions is expected"),
    ],
)
def test_wrong_lists_are_refused(items: Any, said: str) -> None:
    with pytest.raises(EpcgError, match=said):
        conditions(items, "where")
