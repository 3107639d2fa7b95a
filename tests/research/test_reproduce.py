"""`epcg reproduce` over a paper about the toy domain."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from epcg_research.parts import PublicationInfo
from epcg_research.reproduce.catalogue import publication_of

from epcg_core.base.errors import EpcgError
from epcg_core.plugins.registry import registry
from tests.faces import only
from tests.workplace import Numbers, Workplace, epcg

SOURCE = Path(__file__).with_name("paper_plugin.py").read_text(encoding="utf-8")
OLD = Path(__file__).parents[1] / "core" / "store" / "revisions"


@pytest.fixture
def papers(
    toy: Numbers,
    install_plugin: Callable[[str, str, str, str], None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Workplace:
    """The toy domain and its papers, with the query that they ask."""
    monkeypatch.setenv("EPCG_PLUGINS", only("numbers", "papers"))
    monkeypatch.delenv("EPCG_DATA", raising=False)
    install_plugin("papers", "epcg_papers", SOURCE, "epcg-papers")
    for name in ("paper_sums.toml", "paper_wrong.toml"):
        shutil.copy(Path(__file__).with_name(name), tmp_path / "site")
    toy.file("digits", name="sums", more='[record]\nrows = "all"')
    return toy


def rows_of(result: Result) -> dict[str, dict[str, Any]]:
    return {row["label"]: row for table in json.loads(result.stdout)["tables"] for row in table["rows"]}


def test_the_list_says_what_there_is(papers: Numbers) -> None:
    result = epcg("reproduce", "list")
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "1999-sums/digits Table 1 100 7 5 needed Digit sums <of> numbers" in lines
    assert "1999-wrong/sums - - 2 0 - Wrong" in lines
    listed = json.loads(epcg("reproduce", "list", "--json").stdout)
    assert [table["table"] for table in listed] == ["1999-sums/digits", "1999-sums/drawn", "1999-wrong/sums"]
    assert listed[0]["out_of_reach"] == 1
    assert listed[0]["needs_data"] is True


def test_the_rows_of_a_table(papers: Numbers) -> None:
    found = rows_of(epcg("reproduce", "run", "1999-sums/digits", "--format", "json"))
    verdicts = {label: (row["ours"], row["verdict"]) for label, row in found.items()}
    assert verdicts == {
        "all | of them": (900, "equal"),
        "two-digit numbers": (90, "differs"),
        "half": (325, "not compared"),
        "by hand": (3, "equal"),
        "in a file": (None, "needs data"),
        "a library": (None, "not run"),
        "all numbers": (None, "out of reach"),
    }
    first = found["all | of them"]
    assert first["how"] == "epcg run sums.toml"
    assert first["runs"] == first["computed_now"] == [1]
    assert first["sql"].endswith("WHERE run_id = 1 AND metric = 'digits'")
    assert first["cpu_seconds"] > 0
    assert found["half"]["how"] == "epcg run sums.toml --set generator.size=50"
    assert found["in a file"]["reason"] == (
        "it reads answers/it.txt, which is not shipped: name its folder with --data"
    )
    assert found["a library"]["reason"] == "it needs no_such_library: pip install 'epcg-papers[library]'"


def test_a_second_call_computes_nothing(papers: Numbers) -> None:
    first = rows_of(epcg("reproduce", "run", "1999-sums", "--format", "json"))
    second = rows_of(epcg("reproduce", "run", "1999-sums", "--format", "json"))
    assert any(row["computed_now"] for row in first.values())
    assert not any(row["computed_now"] for row in second.values())
    without = [{**row, "computed_now": []} for row in first.values()]
    assert without == list(second.values())


def test_a_run_of_an_ordinary_query_is_reused(papers: Numbers) -> None:
    epcg("run", "sums.toml", "--quiet")
    found = rows_of(epcg("reproduce", "run", "1999-sums/drawn", "--format", "json"))
    assert found["a"]["runs"] == [1]
    assert found["a"]["computed_now"] == []


def test_quick_leaves_rows_out_and_says_so(papers: Numbers) -> None:
    found = rows_of(epcg("reproduce", "run", "1999-sums", "--quick", "--format", "json"))
    assert found["half"]["reason"] == "--quick leaves it out"
    assert found["half"]["verdict"] == "not run"
    assert found["all | of them"]["verdict"] == "equal"


@pytest.mark.parametrize("way", ["option", "environment"])
def test_files_that_are_not_shipped(papers: Numbers, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    folder = papers.folder / "data"
    (folder / "answers").mkdir(parents=True)
    options: list[Any] = ["--data", folder] if way == "option" else []
    if way == "environment":
        monkeypatch.setenv("EPCG_DATA", str(folder))
    command = ["reproduce", "run", "1999-sums/digits", "--format", "json", *options]
    assert "which is not in the folder" in rows_of(epcg(*command))["in a file"]["reason"]
    (folder / "answers" / "it.txt").write_text("yes\n")
    found = rows_of(epcg(*command))["in a file"]
    assert (found["ours"], found["of"], found["verdict"]) == ("yes", "one line", "equal")


def test_a_difference_without_a_reason_is_an_error(papers: Numbers) -> None:
    result = epcg("reproduce", "run", "1999-wrong", code=4)
    assert "1999-wrong/sums, 'too small' is 900, not 899." in result.stderr
    assert "UNEXPLAINED" in result.stdout
    assert "2 rows. " in result.stderr
    assert result.stderr.rstrip().endswith(
        "Error: 1 differences have no reason: 1999-wrong/sums, 'too small' is 900, not 899."
    )
    assert (
        "1 number printed in papers, 0 of pages, 0 of independent programs; other rows: 1 UNEX"
        in result.stderr
    )


def test_a_report_is_written_before_the_error(papers: Numbers) -> None:
    epcg("reproduce", "run", "1999", "--output", "report.json", code=4)
    verdicts = json.loads((papers.folder / "report.json").read_text())["verdicts"]
    assert verdicts["UNEXPLAINED"] == 1
    assert verdicts["equal"] == 4


def test_the_last_line_counts_equal_numbers_by_where_they_are_published_each_once(papers: Numbers) -> None:
    folder = papers.folder / "answers"
    folder.mkdir()
    (folder / "it.txt").write_text("yes\n")
    command = ["reproduce", "run", "1999-sums", "--data", papers.folder]
    line = (
        "equal: 1 number printed in papers, 1 of pages, 1 of independent programs; "
        "other rows: 1 differs, 1 out of reach, 1 not compared, 1 not run"
    )
    assert epcg(*command, "--quiet").stderr.splitlines()[-1] == line
    result = epcg(*command, "--no-plots", "--output", "r.md", "--output", "r.html", "--output", "r.txt")
    assert result.stderr.splitlines()[-1] == line
    for name in ("r.md", "r.html", "r.txt"):
        assert line in (papers.folder / name).read_text()
    data = json.loads(epcg(*command, "--json").stdout)
    assert data["equal"] == {"paper": 1, "page": 1, "reference": 1}
    assert [row["again"] for table in data["tables"] for row in table["rows"]] == [False] * 7 + [True]


def test_each_claim_has_a_verdict(papers: Numbers) -> None:
    command = ["reproduce", "run", "1999-sums", "--quick"]
    claims = {claim["claim"]: claim for claim in json.loads(epcg(*command, "--json").stdout)["claims"]}
    assert claims["1999-sums/sum"] == {
        "claim": "1999-sums/sum",
        "place": "Table 1",
        "says": "The digits of all <small> numbers sum to 900.",
        "statistic": "total",
        "n": 100,
        "verdict": "not run",
        "rows": {"not run": 1, "equal": 2},
        "reasons": ["--quick leaves it out"],
    }
    assert {
        name.partition("/")[2]: (claim["verdict"], claim["reasons"]) for name, claim in claims.items()
    } == {
        "sum": ("not run", ["--quick leaves it out"]),
        "two-digits": ("differs", ["an erratum"]),
        "all": ("not run", ["it needs no_such_library: pip install 'epcg-papers[library]'"]),
        "time": ("not compared", ["a time: needs the same machine"]),
        "people": ("out of reach", ["a user study: needs people"]),
    }
    whole = json.loads(epcg("reproduce", "run", "1999-sums", "--json").stdout)["claims"][0]
    assert (whole["verdict"], whole["rows"]) == ("equal", {"equal": 2, "not compared": 1})
    named = json.loads(epcg("reproduce", "run", "1999-sums/drawn", "--json").stdout)["claims"]
    assert [(claim["claim"], claim["rows"]) for claim in named] == [("1999-sums/sum", {"equal": 1})]


def test_another_way_to_the_same_number_does_not_decide_about_a_claim(
    papers: Numbers, tmp_path: Path
) -> None:
    path = tmp_path / "site" / "paper_sums.toml"
    path.write_text(
        path.read_text().replace("again = true, published = 900", "again = true, published = 899")
    )
    result = epcg("reproduce", "run", "1999-sums", "--json", code=4)
    claim = json.loads(result.stdout)["claims"][0]
    assert (claim["verdict"], claim["rows"]) == ("equal", {"UNEXPLAINED": 1, "equal": 1, "not compared": 1})


def test_claims_are_printed_instead_of_rows(papers: Numbers) -> None:
    result = epcg("reproduce", "run", "1999-sums", "--claims")
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert lines[0] == "claim where it says verdict rows why"
    assert (
        lines[2]
        == "1999-sums/two-digits Table 1 There are 89 numbers of two digits. differs 1 differs an erratum"
    )
    assert len(lines) == 6
    epcg("reproduce", "run", "1999-sums", "--claims", "--output", "claims.txt")
    assert "1999-sums/people" in (papers.folder / "claims.txt").read_text()
    epcg("reproduce", "run", "1999-sums", "--output", "r.md", "--output", "r.html", "--no-plots")
    text = (papers.folder / "r.md").read_text()
    assert "| 1999-sums/sum | Table 1 | The digits of all &lt;small> numbers sum to 900. | equal |" in text
    page = (papers.folder / "r.html").read_text()
    assert "<td>The digits of all &lt;small&gt; numbers sum to 900.</td>" in page


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("1999-sum", "unknown paper or table '1999-sum'. Did you mean '1999-sums'?"),
        ("1999-sums/digit", "unknown table '1999-sums/digit'. Did you mean '1999-sums/digits'?"),
    ],
)
def test_an_unknown_name_names_the_nearest(papers: Numbers, name: str, sentence: str) -> None:
    assert sentence in epcg("reproduce", "run", name, code=1).stderr


def test_a_paper_is_all_that_plugins_reproduce_of_it(papers: Numbers) -> None:
    tables = json.loads(epcg("reproduce", "run", "1999", "--format", "json", code=4).stdout)["tables"]
    assert [table["table"] for table in tables] == ["1999-sums/digits", "1999-sums/drawn", "1999-wrong/sums"]


def test_a_database_of_an_older_schema_is_refused_with_the_command_that_upgrades_it(papers: Numbers) -> None:
    shutil.copy(min(OLD.glob("*.db")), papers.folder / "old.db")
    (papers.folder / "old.db").chmod(0o644)
    with closing(sqlite3.connect(papers.folder / "old.db")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '0009'")
    result = epcg("reproduce", "run", "1999-sums", "--db", "old.db", code=1)
    assert "epcg db upgrade" in result.stderr


def test_a_file_that_is_no_database_is_refused(papers: Numbers) -> None:
    (papers.folder / "text.db").write_text("not a database, but longer than a header of one\n" * 20)
    assert epcg("reproduce", "run", "1999-sums", "--db", "text.db", code=1).stderr.startswith(
        ("1999", "Error: ")
    )
    assert "not a database" in (papers.folder / "text.db").read_text()


# --- documents ---------------------------------------------------------------------------------------------


def test_the_web_page_needs_no_other_file(papers: Numbers) -> None:
    epcg("reproduce", "run", "1999-sums", "--output", "report.html", "--quick")
    page = (papers.folder / "report.html").read_text()
    assert page.count("<svg") == 2
    assert '<g id="1999-sums-1-a"/><use href="#1999-sums-1-a"/>' in page
    assert "<?xml" not in page
    assert "Table 1: Digit sums &lt;of&gt; numbers" in page
    assert "<td>all | of them</td>" in page
    for outside in ("<script", "<link", "<img", "@import", "src="):
        assert outside not in page


def test_the_same_runs_give_the_same_bytes(papers: Numbers) -> None:
    pages = []
    for name in ("first", "first", "second"):
        epcg("reproduce", "run", "1999-sums", "--output", f"{name}.html")
        pages.append((papers.folder / f"{name}.html").read_text())
    assert pages[1] == pages[2]


def test_markdown_has_its_pictures_beside_it(papers: Numbers) -> None:
    epcg("reproduce", "run", "1999-sums", "--output", "out/report.md")
    text = (papers.folder / "out" / "report.md").read_text()
    assert "### Table 1: Digit sums <of> numbers" in text
    assert "| all \\| of them | 900 | paper | 900 | - | equal |  |" in text
    assert "![Sums](report-1999-sums-digits.svg)" in text
    assert sorted(path.name for path in (papers.folder / "out").iterdir()) == [
        "report-1999-sums-digits.svg", "report-1999-sums-drawn.svg", "report.md"
    ]  # fmt: skip


def test_one_call_writes_several_files(papers: Numbers) -> None:
    result = epcg("reproduce", "run", "1999-sums", "--output", "report.html", "--output", "report.json")
    assert "Written: report.html.\nWritten: report.json.\n" in result.stderr
    assert result.stderr.count("8 rows. ") == 1
    assert json.loads((papers.folder / "report.json").read_text())["tables"]
    assert (papers.folder / "report.html").read_text().startswith("<!DOCTYPE html>")


def test_without_matplotlib_there_is_a_sentence_or_no_picture(
    papers: Numbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = epcg("reproduce", "run", "1999-sums", "--output", "report.html", code=1)
    assert "pip install 'epcg-research[plot]'" in result.stderr
    assert not (papers.folder / "report.html").exists()
    epcg("reproduce", "run", "1999-sums", "--output", "report.html", "--no-plots")
    assert "<svg" not in (papers.folder / "report.html").read_text()


def test_an_ending_that_says_nothing_is_a_usage_error(papers: Numbers) -> None:
    assert "endings are" in epcg("reproduce", "run", "1999-sums", "--output", "report.doc", code=2).stderr


# --- malformed publications --------------------------------------------------------------------------------

SOURCE_OF_ONE = """
from epcg_core import hookimpl
from epcg_research.parts import PublicationInfo
EPCG_API_VERSION = 1

def true(bench):
    return True

@hookimpl
def epcg_register_publications(register):
    register(PublicationInfo(name="{name}", title="T", tables="epcg_broken:{file}"))
"""
ROW = '{ label = "a", published = 1, uncomputed = "lost" }'


def table(rows: str, more: str = "") -> str:
    return f'[tables.a]\ntitle = "A"\n{more}\nrows = [{rows}]\n'


def asking(sql: str) -> str:
    return table(f'{{ label = "b", published = 1, query = "sums.toml", sql = "{sql}" }}')


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("Paper", table(ROW), "lower-case letters, digits and hyphens"),
        ("all", table(ROW), "lower-case letters, digits and hyphens"),
        (
            "paper",
            asking("SELECT value FROM scores WHERE run_id = :run"),
            "give one value, not 100 rows of 1",
        ),
        ("paper", asking("SELECT NULL"), "must give one value, not NULL"),
        ("paper", asking("DELETE FROM score"), "a statement that would change the database is refused"),
        (
            "paper",
            table('{ label = "b", published = 1, compute = "epcg_broken:true", how = "so" }'),
            "is computed as True, which is neither a number nor a string",
        ),
        (
            "paper",
            table('{ label = "b", published = 1, compute = "epcg_broken:no", how = "so" }'),
            "'epcg_broken:no' cannot be loaded",
        ),
        ("paper", table(ROW, "unt = 1"), "broken.toml: tables.a: unknown key 'unt'. Did you mean 'unit'?"),
    ],
)
def test_a_malformed_publication_is_named(
    toy: Numbers,
    install_plugin: Callable[[str, str, str, str], None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    name: str,
    text: str,
    problem: str,
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", only("numbers", "broken"))
    toy.file("digits", name="sums")
    source = SOURCE_OF_ONE.replace("{name}", name).replace("{file}", "broken.toml")
    install_plugin("broken", "epcg_broken", source, "epcg-broken")
    (tmp_path / "site" / "broken.toml").write_text(text)
    registry.cache_clear()
    result = epcg("reproduce", "run", code=1)
    assert problem in result.stderr.replace("\n", " ")


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("epcg_toy", "write tables = 'package:folder/name.toml'"),
        ("no_such_package:a.toml", "write tables = 'package:folder/name.toml'"),
        ("no_such.package:a.toml", "No module named 'no_such'"),
        ("epcg_core:no/such.toml", "There is no publication"),
    ],
)
def test_a_publication_without_a_file_is_named(place: str, problem: str) -> None:
    info = PublicationInfo(name="paper", title="T", tables=place)
    with pytest.raises(EpcgError) as caught:
        publication_of(info)
    assert problem in str(caught.value)
