"""Tables of publications as files: defaults, columns, groups, and what is wrong with a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from epcg_research.reproduce import Row, Table
from epcg_research.reproduce.printed import Exact, Rounded
from epcg_research.reproduce.reading import read_publication
from epcg_research.reproduce.tables import Ask, Call, Claim, OutOfReach

from epcg_core.base.errors import EpcgError

HEAD = '[tables.one]\ntitle = "One"\n'
FAR = HEAD + "rows = [{ label = 'a', out_of_reach = { obstacle = 'size', sentence = 'b', size = "
ASKING = HEAD + 'query = "a/b"\nsql = "SELECT 1"\n'
CLAIMED = ASKING + "rows = [{ label = 'a', claim = 'x' }]\n"


@pytest.fixture
def read(tmp_path: Path):
    def read_text(text: str) -> tuple[Table, ...]:
        path = tmp_path / "paper.toml"
        path.write_text(text, encoding="utf-8")
        return read_publication(path).tables

    return read_text


def rows_of(table: Table) -> list[Row]:
    return list(table.rows)


def test_a_row_takes_what_it_does_not_say_from_its_table_and_from_the_file(read) -> None:
    (table,) = read("""
        origin = "page"
        of_metric = "SELECT {fact} FROM metrics WHERE run_id = :run AND metric = '{metric}'"
        [tables.one]
        title = "One"
        printed = "Table 1"
        candidates = 12
        plot = { title = "Counts", log = true }
        label = "{pieces} pieces"
        query = "a/b"
        set = ["generator.pieces={pieces}", 'generator.levels="{data}/{pieces}.json"']
        sql = "{of_metric}"
        metric = "moves"
        rows = [
          { pieces = 2, fact = "total", published = 7 },
          { pieces = 3, fact = "mean", published = "0.5", origin = "paper", quick = true },
        ]""")
    assert (table.name, table.title, table.printed, table.candidates) == ("one", "One", "Table 1", 12)
    assert table.plot is not None
    assert table.plot.log
    assert rows_of(table) == [
        Row(
            label="2 pieces",
            published=Exact(7),
            origin="page",
            ask=Ask("a/b", ("generator.pieces=2", 'generator.levels="{data}/2.json"')),
            sql="SELECT total FROM metrics WHERE run_id = :run AND metric = 'moves'",
        ),
        Row(
            label="3 pieces",
            published=Rounded(0.5, 1),
            ask=Ask("a/b", ("generator.pieces=3", 'generator.levels="{data}/3.json"')),
            sql="SELECT mean FROM metrics WHERE run_id = :run AND metric = 'moves'",
            quick=True,
        ),
    ]


def test_columns_make_a_row_of_each_number(read) -> None:
    (table,) = read(
        HEAD
        + """
        label = "{board}: {what}"
        query = "a/b"
        reason = "an erratum"
        columns = [{ what = "boards", sql = "SELECT 1" }, { what = "solvable", sql = "SELECT 2", unit = "%" }]
        rows = [
          { board = "small", published = [9, "-"], found = [8, "3.1"] },
          { board = "large", published = 4 },
        ]
        """
    )
    found = [(row.label, row.published, row.found, row.reason, row.sql, row.unit) for row in table.rows]
    assert found == [
        ("small: boards", Exact(9), Exact(8), "an erratum", "SELECT 1", ""),
        ("small: solvable", None, Rounded(3.1, 1), "an erratum", "SELECT 2", "%"),
        ("large: boards", Exact(4), None, "", "SELECT 1", ""),
        ("large: solvable", Exact(4), None, "", "SELECT 2", "%"),
    ]


def test_groups_have_defaults_and_ways_of_their_own(read) -> None:
    (table,) = read(
        ASKING
        + """
        reduce = "m:all"
        quick = true
        [[tables.one.rows]]
        origin = "reference"
        rows = [{ label = "a", published = 1 }, { label = "b", published = 2, sql = "SELECT 2" }]
        [[tables.one.rows]]
        label = "c"
        published = 3
        compute = "m:count"
        args = { size = "{size}", kinds = ["x", "{size}"] }
        size = 4
        how = "by hand"
        [[tables.one.rows]]
        label = "d"
        out_of_reach = { obstacle = "size", sentence = "all of them", size = "100000000000000000000" }
        [[tables.one.rows]]
        label = "e"
        uncomputed = "it is lost"
        """
    )
    a, b, c, d, e = table.rows
    assert (a.origin, a.reduce, b.reduce, a.ask, a.quick) == ("reference", "m:all", None, Ask("a/b"), True)
    assert (c.ask, c.sql, c.compute, c.how) == (
        None, "", Call("m:count", {"size": 4, "kinds": ("x", 4)}), "by hand"
    )  # fmt: skip
    assert (d.ask, d.quick, d.out_of_reach) == (None, False, OutOfReach("size", "all of them", 10**20))
    assert (e.ask, e.computable, e.reason) == (None, False, "it is lost")


def test_claims_and_the_rows_that_name_them(tmp_path: Path) -> None:
    path = tmp_path / "paper.toml"
    path.write_text(
        ASKING
        + """
        claim = "many"
        columns = [{ what = "boards", again = "{below}" }, { what = "moves" }]
        label = "{size}: {what}"
        rows = [{ size = 1, below = true }, { size = 2, below = false, claim = "few" }]
        [claims.many]
        place = "Table 1"
        says = "There are many."
        statistic = "count"
        n = 12
        [claims.few]
        says = "There are few."
        [claims.time]
        says = "It takes a minute."
        not_compared = "a time: needs the same machine"
        [claims.people]
        says = "They like it."
        out_of_reach = "needs people"
        """
    )
    content = read_publication(path)
    assert [(row.label, row.claim, row.again) for row in content.tables[0].rows] == [
        ("1: boards", "many", True),
        ("1: moves", "many", False),
        ("2: boards", "few", False),
        ("2: moves", "few", False),
    ]
    assert content.claims[0] == Claim(
        name="many", says="There are many.", place="Table 1", statistic="count", n=12
    )
    assert [(claim.name, claim.reason) for claim in content.claims[1:]] == [
        ("few", ""), ("time", "a time: needs the same machine"), ("people", "needs people")
    ]  # fmt: skip


def test_a_value_is_written_as_json_has_it(read) -> None:
    (table,) = read(
        ASKING
        + """
        set = ["generator.game={game:json}", "generator.size={size:json}"]
        game = "[board]\\n{width} wide"
        rows = [{ label = "a", published = 1, width = 3, size = [3, 4] }]
        """
    )
    assert table.rows[0].ask == Ask(
        "a/b", (r'generator.game="[board]\n3 wide"', "generator.size=[3, 4]")
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("[tables.one", "paper.toml", "is not valid TOML"),
        ("origin = 'page'", "paper.toml", "it has no table: write [tables.NAME]"),
        ("[tables]\none = 1", "tables.one", "a table of keys is expected"),
        ("[tables.One]", "tables.One", "lower-case letters, digits and hyphens"),
        ("[tables.one]\nrows = []", "tables.one", "the key 'title' is missing"),
        (HEAD, "tables.one", "has no rows"),
        (HEAD + "rows = 1", "tables.one.rows", "1 is not a list"),
        (HEAD + "rows = [1]", "tables.one.rows 1", "a table of keys is expected"),
        (HEAD + "rows = [{}]", "tables.one.rows 1", "the key 'label' is missing"),
        (HEAD + "rows = [{ label = 'a' }]", "tables.one.rows 1", "neither computes anything nor says why"),
        (ASKING + "rows = [{ label = 'a' }, { label = 'a' }]", "tables.one", "two rows 'a'"),
        (ASKING + "rows = [{ label = 'a', orgin = 'page' }]", "tables.one.rows 1", "Did you mean 'origin'?"),
        ("orgin = 'page'\n" + ASKING + "rows = [{ label = 'a' }]", "paper.toml", "Did you mean 'origin'?"),
        (ASKING + "rows = [{ label = 'a', origin = 'web' }]", "rows 1.origin", "unknown value 'web'"),
        (ASKING + "rows = [{ label = 'a', quick = 1 }]", "rows 1.quick", "1 is not true or false"),
        (ASKING + "rows = [{ label = 'a {b}' }]", "tables.one.rows 1", "unknown key 'b'"),
        (ASKING + "b = '{c}'\nc = '{b}'\nrows = [{ label = '{b}' }]", "rows 1", "names itself"),
        (ASKING + "rows = [{ label = 'a', published = '1,000' }]", "rows 1.published", "not a published"),
        (ASKING + "rows = [{ label = 'a', published = [1] }]", "rows 1.published", "not a published"),
        (ASKING + "rows = [{ label = 'a', published = 1, found = 2 }]", "rows 1", "and the reason for it"),
        (ASKING + "rows = [{ label = 'a', published = 1, reason = 'b' }]", "rows 1", "and the reason for it"),
        (ASKING + "rows = [{ label = 'a', compute = 'm:f' }]", "rows 1", "compute and how belong together"),
        (ASKING + "rows = [{ label = 'a', query = 'a/b', uncomputed = 'c' }]", "rows 1", "keep one of them"),
        (ASKING + "columns = [1]\nrows = [{ label = 'a' }]", "columns 1", "a table of keys is expected"),
        (ASKING + "columns = [{}, {}]\nrows = [{ label = 'a', found = [1] }]", "rows 1.found", "2 columns"),
        (CLAIMED + "[claims.xy]\nsays = 'b'", "tables.one, the row 'a'", "Did you mean 'xy'?"),
        (CLAIMED + "[claims.x]", "claims.x", "the key 'says' is missing"),
        (CLAIMED + "[claims.x]\nsays = 'b'\npage = 3", "claims.x", "unknown key 'page'"),
        (CLAIMED + "[claims.x]\nsays = 'b'\nnot_compared = 'c'", "claims.x", "leave out the reason"),
        (CLAIMED + "[claims]\nx = 1", "claims.x", "a table of keys is expected"),
        ("claims = 1\n" + CLAIMED, "claims", "a table of claims is expected"),
        (CLAIMED + "[claims.X]\nsays = 'b'", "claims.X", "lower-case letters, digits and hyphens"),
        (CLAIMED + "[claims.x]\nsays = 'b'\n[claims.y]\nsays = 'c'", "claims.y", "no row names it"),
        (
            CLAIMED + "[claims.y]\nsays = 'c'\nnot_compared = 'd'\nout_of_reach = 'e'",
            "claims.y", "keep one of these",
        ),
        (
            FAR + "9 } }]",
            "rows 1", "are not out of reach",
        ),
        (
            FAR + "'9e99' } }]",
            "rows 1.out_of_reach.size", "in digits",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(read, text: str, place: str, problem: str) -> None:
    with pytest.raises(EpcgError) as caught:
        read(text)
    message = str(caught.value)
    assert "paper.toml" in message
    assert place in message
    assert problem in message


def test_the_example_of_the_page_about_hooks_can_be_read(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "hooks.md").read_text(encoding="utf-8")
    tables, claims = (
        start + page.partition(f"```toml\n{start}")[2].partition("```")[0]
        for start in ("[tables.", "[claims.")
    )
    (tmp_path / "paper.toml").write_text(claims + tables)
    content = read_publication(tmp_path / "paper.toml")
    assert [(row.label, str(row.published), row.quick) for row in content.tables[0].rows] == [
        ("2 pieces", "120", True),
        ("3 pieces", "560", False),
    ]
    assert [(claim.name, bool(claim.reason)) for claim in content.claims] == [
        ("solvable", False), ("preferred", True)
    ]  # fmt: skip
