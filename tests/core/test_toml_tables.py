"""Tables of TOML texts: every fault has its line and column."""

from __future__ import annotations

from epcg_core.plugin import toml_tables

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
