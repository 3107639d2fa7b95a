"""Queries: TOML text, overrides, and the sentence for everything that can be wrong with them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given, strategies as st

from epcg_core.base.errors import EpcgError, QueryError, UnknownNameError
from epcg_core.query.query import (
    FilterParams,
    PartRef,
    Query,
    RangeParams,
    SelectParams,
    from_data,
    load,
    parse_query,
)

SMALL = """domain = "numbers"
[generator]
name = "range"
size = 5
"""

FULL = """
name = "full"
title = "A title"
description = "More"
domain = "numbers"
[generator]
name = "range"
size = 100
[search]
name = "exhaustive"
[[evaluators]]
name = "digits"
[[evaluators]]
name = "slow"
seconds = 0.5
[range]
start = 10
stop = 20
[filter]
metric = "even"
min = 1
search = { name = "exhaustive" }
evaluators = [{ name = "even" }]
[[select]]
metric = "digits"
keep = "threshold"
min = 3
[record]
rows = "kept"
on_error = "record"
"""


def test_a_full_query() -> None:
    query = parse_query(FULL)
    assert query.generator == PartRef("range", {"size": 100})
    assert query.evaluators == (PartRef("digits"), PartRef("slow", {"seconds": 0.5}))
    assert query.range == RangeParams(10, 20)
    assert query.filter == FilterParams("even", 1.0, None, {"name": "exhaustive"}, ({"name": "even"},))
    assert query.select == (SelectParams("digits", "threshold", min=3.0),)
    assert (query.record.rows, query.record.on_error) == ("kept", "record")
    assert query.source == FULL


def test_what_goes_without_saying() -> None:
    query = parse_query(SMALL, name="small")
    assert (query.name, query.title, query.description) == ("small", "", "")
    assert query.search == PartRef("exhaustive")
    assert query.range == RangeParams(0, None)
    assert query.filter is None
    assert (query.evaluators, query.select) == ((), ())
    assert (query.record.rows, query.record.on_error) == ("auto", "stop")


@pytest.mark.parametrize("text", [SMALL, FULL])
def test_resolved_is_the_whole_query_as_data(text: str) -> None:
    query = parse_query(text)
    data = query.resolved()
    assert "source" not in data
    again = from_data(data)
    assert again.resolved() == data
    assert again.generator == query.generator


@pytest.mark.parametrize(
    ("override", "path", "value"),
    [
        ("generator.size=7", ("generator", "params", "size"), 7),
        (" generator.size = 7 ", ("generator", "params", "size"), 7),
        ("generator.label=plain text", ("generator", "params", "label"), "plain text"),
        ('generator.label="7"', ("generator", "params", "label"), "7"),
        ("generator.label=", ("generator", "params", "label"), ""),
        ("generator.label=a=b", ("generator", "params", "label"), "a=b"),
        ("generator.sizes=[1, 2]", ("generator", "params", "sizes"), [1, 2]),
        ("generator.closed=true", ("generator", "params", "closed"), True),
        ("name=other", ("name",), "other"),
        ("range.stop=17", ("range", "stop"), 17),
        ("record.rows=none", ("record", "rows"), "none"),
        ("evaluators.1.seconds=0.25", ("evaluators", 1, "params", "seconds"), 0.25),
        ("select.0.min=4", ("select", 0, "min"), 4.0),
        ("filter.max=9", ("filter", "max"), 9.0),
        ("search.name=retrograde", ("search", "name"), "retrograde"),
    ],
)
def test_an_override_replaces_one_value(override: str, path: tuple[Any, ...], value: object) -> None:
    expected: Any = parse_query(FULL).resolved()
    target = expected
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    assert parse_query(FULL, [override]).resolved() == expected


def test_overrides_make_tables_and_the_last_one_counts() -> None:
    query = parse_query(SMALL, ["range.start=1", "range.start=2", 'evaluators=[{name = "digits"}]'])
    assert query.range.start == 2
    assert query.evaluators == (PartRef("digits"),)


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("generator.size", "--set takes key=value, as in generator.pieces=7, not 'generator.size'."),
        ("=7", "--set takes key=value, as in generator.pieces=7, not '=7'."),
        ("generator..size=7", "--set takes key=value, as in generator.pieces=7, not 'generator..size=7'."),
        ("domain.name=x", "The setting domain.name: 'domain' has no keys of its own."),
        ("select.3.min=1", "The setting select.3: '3' is not one of a list of 1; its only item is 0."),
        (
            "select.first.min=1",
            "The setting select.first: 'first' is not one of a list of 1; its only item is 0.",
        ),
        ("select.0=1", "The setting select.0: name a key of one item, as in select.0.key."),
        ("range.start=x", 'range.start: "x" is not an integer, 0 or more.'),
    ],
)
def test_an_override_that_makes_no_sense(override: str, sentence: str) -> None:
    with pytest.raises(EpcgError) as raised:
        parse_query(FULL, [override])
    assert str(raised.value) == sentence


def test_an_override_of_an_item_of_nothing() -> None:
    with pytest.raises(
        QueryError, match=r"setting select\.0: '0' is not one of a list of 0; it has no items\."
    ):
        parse_query("select = []\n" + SMALL, ["select.0.min=1"])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "q: the key 'domain' is missing: add domain = \"NAME\" at the top; `epcg domains` lists them."),
        ("[[chapters]]\nname = 'a'", "q is a plan, not a query: `epcg curriculum build` builds it."),
        ('domain = "x"', "q: the key 'generator' is missing: add [generator] with a name."),
        ("domain = 3\n[generator]\nname='x'", "'domain' must be a string, not 3."),
        ("name = 3\n" + SMALL, "'name' must be a string, not 3."),
        ('domain = "x"\ngenerator = "boards"', "generator: a table with a 'name' is expected."),
        ('domain = "x"\n[generator]\nsize = 3', "generator: a table with a 'name' is expected."),
        (SMALL + "[search]\nuniqueness = 'moves'", "search: a table with a 'name' is expected."),
        (SMALL + "[evaluators]\nname = 'x'",
         "q: 'evaluators' and 'select' are lists: write [[evaluators]] and [[select]]."),
        (SMALL + "[select]\nmetric = 'x'",
         "q: 'evaluators' and 'select' are lists: write [[evaluators]] and [[select]]."),
        ("evaluators = ['digits']\n" + SMALL, "evaluators 1: a table with a 'name' is expected."),
        ("select = [4]\n" + SMALL, "select 1: a table of keys is expected, not 4."),
        (SMALL + "[[select]]\nkeep = 'best'",
         "select 1: the key 'metric' is missing (the metric to select by)."),
        (SMALL + "[[select]]\nmetric = 'x'\ncount = 0",
         "select 1.count: 0 is not allowed; expected an integer, 1 or more."),
        (SMALL + "[range]\nstart = -1",
         "range.start: -1 is not allowed; expected an integer, 0 or more."),
        ("range = 4\n" + SMALL, "range: a table of keys is expected, not 4."),
        (SMALL + "[filter]\nmin = 1",
         "filter: the key 'metric' is missing (a metric that the other run records)."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(text: str, sentence: str) -> None:
    with pytest.raises(EpcgError) as raised:
        parse_query(text, where="q")
    assert re.sub(r"^q, line \d+, column \d+: ", "", str(raised.value)) == sentence


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("evaluator = 3\n" + SMALL, "unknown key 'evaluator'. Did you mean 'evaluators'?"),
        (SMALL + "[[select]]\nmetrc = 'x'", "select 1: unknown key 'metrc'. Did you mean 'metric'?"),
        (SMALL + "[record]\nrow = 'all'", "record: unknown key 'row'. Did you mean 'rows'?"),
    ],
)  # fmt: skip
def test_misspelt_keys_and_values_name_the_nearest(text: str, start: str) -> None:
    with pytest.raises(EpcgError) as raised:
        parse_query(text, where="q")
    assert re.match(rf"(q, line \d+, column 1: )?{re.escape(start)}", str(raised.value))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("domain =", 1),
        (SMALL + "size = 6", 5),
        (SMALL + "[generator]\n", 5),
        (SMALL.replace("5", "5 6"), 4),
    ],
)
def test_text_that_is_no_toml_names_the_line(text: str, line: int) -> None:
    sentence = rf"^best\.toml is not valid TOML: .+ \(at line {line}, column \d+\)\.$"
    with pytest.raises(QueryError, match=sentence):
        parse_query(text, where="best.toml")


def test_a_file_gives_its_name(tmp_path: Path) -> None:
    path = tmp_path / "by_file.toml"
    path.write_text(SMALL)
    assert load(path).name == "by_file"
    assert load(path, ["name=told"]).name == "told"
    path.write_text("name = 'own'\n" + SMALL)
    assert load(path).name == "own"
    path.write_text(SMALL + "size = 6\n")
    with pytest.raises(QueryError, match=r"^by_file\.toml is not valid TOML: .* \(at line 5, column \d+\)"):
        load(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(QueryError, match=r"There is no query file '.*missing\.toml'\."):
        load(tmp_path / "missing.toml")
    with pytest.raises(QueryError, match=r"The query file '.*' is a folder: name a file"):
        load(tmp_path)
    (tmp_path / "latin.toml").write_bytes('title = "é"\n'.encode("latin-1"))
    with pytest.raises(QueryError, match=r"The query file '.*latin\.toml' is not valid UTF-8"):
        load(tmp_path / "latin.toml")
    (tmp_path / "wide.toml").write_text(SMALL, encoding="utf-16")
    with pytest.raises(QueryError, match=r"The query file '.*wide\.toml' is not valid UTF-8"):
        load(tmp_path / "wide.toml")


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "marked.toml").write_text(SMALL, encoding="utf-8-sig")
    assert load(tmp_path / "marked.toml").domain == parse_query(SMALL).domain


selects = st.builds(
    SelectParams,
    metric=st.text(min_size=1),
    keep=st.sampled_from(["best", "top", "threshold"]),
    count=st.integers(1, 99),
    min=st.none() | st.floats(allow_nan=False),
    direction=st.sampled_from(["max", "min", None]),
    distinct=st.booleans(),
)


@given(
    st.dictionaries(st.text().filter(lambda key: key != "name"), st.integers() | st.text() | st.booleans()),
    st.lists(selects, max_size=3),
    st.integers(0, 2**64),
)
def test_a_query_is_what_its_data_say(params: dict[str, Any], rules: list[SelectParams], start: int) -> None:
    base: Query = parse_query(SMALL)
    query = attrs.evolve(
        base, generator=PartRef("range", params), select=tuple(rules), range=RangeParams(start), source=""
    )
    assert from_data(query.resolved()) == query


def test_a_text_that_names_a_lost_file_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = 'domain = "fling"\ngenerator = { name = "edits", board = "nosuch.txt" }\n'
    with pytest.raises(QueryError, match=r"There is no board 'nosuch\.txt'"):
        parse_query(text)


def test_a_param_that_stands_above_its_part_has_its_place_named() -> None:
    with pytest.raises(UnknownNameError, match=r"A param of a part stands below it: generator\.pieces\.$"):
        parse_query("pieces = 4\n" + SMALL, where="q")
    with pytest.raises(UnknownNameError) as raised:
        parse_query("titel = 4\n" + SMALL, where="q")
    assert "Did you mean 'title'?" in str(raised.value)
    assert "stands below" not in str(raised.value)
    with pytest.raises(UnknownNameError, match=r"A param of a part stands below it: search\.depth\.$"):
        parse_query("depth = 4\n" + SMALL + "[search]\nname = 'x'\ndepth = 3", where="q")
