"""Tables of TOML texts: every fault has its line and column."""

from __future__ import annotations

import re

import pytest

from epcg_core.plugin import EpcgError, toml_tables
from epcg_core.query.query import parse_query
from epcg_core.runs.coordinator import plan

TEXT = '''title = "x"  # a comment with [ and {
[board]
drawing = """
ab
c
"""
list = [1,
  2]
[[pieces]]
name = "one"
[[pieces]]
name = 'two'
shapes = { of = "domino" }
'''


def test_places_of_keys_and_tables_are_found() -> None:
    places = toml_tables.Places(TEXT)
    assert places.of(("title",)) == (1, 1)
    assert places.of(("board", "list")) == (7, 1)
    assert places.of(("pieces", 1, "name")) == (12, 1)
    assert places.of(("pieces", 1, "shapes", "of")) == (13, 1)
    assert places.of(("nothing", "at", "all")) == (1, 1)


def test_places_within_a_string_are_found() -> None:
    places = toml_tables.Places(TEXT)
    assert places.within(("board", "drawing"), 1, 0) == (5, 1)
    assert places.within(("pieces", 0, "name"), 0, 2) == (10, 11)
    assert places.within(("board", "none"), 3, 3) == (2, 1)


def test_a_reader_gathers_all_faults() -> None:
    table, faults = toml_tables.parsed(TEXT)
    assert faults == ()
    reader = toml_tables.TableReader(toml_tables.Places(TEXT))
    reader.keys(table, ("titel", "board", "pieces"), ())
    assert reader.text(table["board"], "list", ("board",), "usual") == "usual"
    assert reader.whole(table["board"]["list"], ("board", "list"), 1, 9, 5) == 5
    assert reader.flag({"flag": 1}, "flag", ("board",)) is True
    assert [(fault.line, fault.column, fault.message[:34]) for fault in reader.faults] == [
        (1, 1, "Unknown key 'title'. Did you mean "),
        (7, 1, "'list' is written in quotation mar"),
        (7, 1, "'list' is a whole number from 1 to"),
        (2, 1, "'flag' is true or false, not 1."),
    ]


def test_a_text_that_is_not_toml_has_one_fault_with_its_place() -> None:
    table, (fault,) = toml_tables.parsed("a = 1\nb = [1\nc = 2\n")
    assert table == {}
    assert (fault.line, fault.serious) == (3, True)
    _, (fault,) = toml_tables.parsed("a = 1\n[b]\nc = 99999999999999999999\n")
    assert (fault.line, fault.column) == (3, 1)


QUERY = """\
name = "boards"

# comments stay where they are
[generator]
name = "boards"
width = 4
pieces = [2, 3]

[[evaluators]]
name = "unique"

[[select]]
metric = "unique"
count = 3

[[select]]
metric = "moves"
where = [
    "moves >= 3",
]
min = 2

[record]
rows = "all"
"""
KEYS = [number for number, line in enumerate(QUERY.splitlines()) if re.match(r"\w+ = ", line)]


@pytest.mark.parametrize("number", KEYS)
@pytest.mark.parametrize("change", ["unknown", "wrong"])
def test_an_error_of_a_query_names_the_line_of_its_key(number: int, change: str) -> None:
    """Each key in turn is misspelt, or has a value of a wrong type."""
    lines = QUERY.splitlines()
    key, value = lines[number].split(" = ")
    if change == "unknown":
        lines[number] = f"{key}x = {value}"
    elif value == "[":
        lines[number] = f"{key} = [7,"
    else:
        lines[number] = f"{key} = {{ a = 1 }}"
    text = 'domain = "fling"\n' + "\n".join(lines)
    with pytest.raises(EpcgError) as raised:
        plan(parse_query(text, where="file.toml"))
    said = str(raised.value)
    if f"the key '{key}' is missing" in said or "a table with a 'name'" in said:
        return  # the name of a part, which is misspelt: its table is named
    assert said.startswith(f"file.toml, line {number + 2}, column 1: "), said


def test_a_value_that_a_setting_changes_has_no_line() -> None:
    with pytest.raises(EpcgError, match=r"^record\.rows: "):
        parse_query('domain = "fling"\n' + QUERY, ["record.rows=some"], where="file.toml")
    with pytest.raises(EpcgError, match=r"^file\.toml, line 25, column 1: record\.rows: "):
        parse_query(
            'domain = "fling"\n' + QUERY.replace('"all"', '"some"'), ["generator.width=5"], "file.toml"
        )
