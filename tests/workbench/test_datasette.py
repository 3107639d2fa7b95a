"""The Datasette plugin, asked without a network: pictures, sentences, functions, and nothing that breaks."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import click
import pytest
from epcg_workbench.data import pictures
from hypothesis import HealthCheck, given, settings, strategies as st

from epcg_core.base.errors import StoreError
from epcg_core.query import query
from epcg_core.runs import coordinator
from epcg_core.store import Store
from tests.sweeps import most
from tests.workplace import Numbers, needs

pytestmark = needs("datasette", "Datasette is not installed: pip install 'epcg-workbench[datasette]'")

PICTURE_PATH = "/-/epcg/puzzle.svg"
PUZZLE = "numbers:range?size=100#99"
SELECT = '[[select]]\nmetric = "digits"\ncount = 3\n'


@pytest.fixture
def database(toy: Numbers) -> Iterator[Path]:
    """Run 1: the digit sums of 0 .. 99, of which it keeps three."""
    toy.given(toy.query("digits", more=SELECT))
    pictures._drawn.cache_clear()
    yield toy.database
    if served.cache_info().currsize:
        datasette, runner = served(toy.database)
        datasette.get_database("epcg").close()
        runner.close()
        served.cache_clear()


def datasette_of(*paths: Path, **options: Any) -> Any:
    """A Datasette that serves databases; only processes that run these tests import it."""
    from datasette.app import Datasette

    sqlite3.enable_callback_tracebacks(False)  # the import turns them on, for all tests of this process
    return Datasette([str(path) for path in paths], **options)


@cache
def served(path: Path) -> tuple[Any, asyncio.Runner]:
    """A Datasette that serves a database, and where it runs."""
    return datasette_of(path), asyncio.Runner()


def get(path: Path, url: str, **options: Any) -> Any:
    """The answer of a Datasette that serves a database."""
    datasette, runner = served(path)
    return runner.run(datasette.client.get(url, follow_redirects=True, **options))


def picture(path: Path, puzzle: str, **options: Any) -> Any:
    extra = options.pop("extra", {})
    return get(path, f"{PICTURE_PATH}?{urlencode({'id': puzzle} | extra)}", **options)


def ask(path: Path, sql: str) -> Any:
    return get(path, f"/{path.stem}?{urlencode({'sql': sql})}")


def test_kept_puzzles_are_pictures(database: Path) -> None:
    page = get(database, "/epcg/kept").text
    assert page.count("<img src=") == 3
    sources = [unescape(part.split('"')[0]) for part in page.split('<img src="')[1:]]
    assert all(source.startswith(PICTURE_PATH) for source in sources)
    answers = [get(database, source) for source in sources]
    assert {answer.status_code for answer in answers} == {200}
    assert {answer.headers["content-type"] for answer in answers} == {"image/svg+xml; charset=utf-8"}
    assert {"".join(ET.fromstring(answer.text).itertext()) for answer in answers} == {"89", "98", "99"}


def test_a_rank_beside_a_run_is_a_picture(database: Path) -> None:
    page = get(database, "/epcg/scores?_size=5").text
    assert page.count("<img src=") == 5
    assert "numbers%3Arange%3Fsize%3D100%234" in page
    kept = get(database, "/epcg/kept").text
    assert 'class="col-rank type-int">99</td>' in kept, "one picture a row is enough"


def test_scores_are_read_from_chunks_of_runs_without_rows(database: Path, toy: Numbers) -> None:
    with Store.open(database, write=True) as store:
        text = toy.text("root", size=50, more='[record]\nrows = "none"\n')
        coordinator.execute(query.parse_query(text), store, coordinator.Options("serial", quiet=True))
    counted = "SELECT 'it has ' || count(*) || ' of ' || max(value) AS n FROM scores WHERE run_id = 2"
    assert "it has 50 of 7.0" in ask(database, counted).text
    assert "it is 99.0" in ask(database, "SELECT 'it is ' || epcg_percentile(2, 'root', 7) AS p").text
    assert "it is 42" in ask(database, f"SELECT 'it is ' || epcg_rank('{PUZZLE[:-2]}42') AS r").text
    assert get(database, "/epcg/scores?_size=5").status_code == 200


def test_any_column_of_any_query(database: Path) -> None:
    assert ask(database, f"SELECT '{PUZZLE}' AS anything, 5 AS rank").text.count("<img src=") == 1
    assert "<img" not in ask(database, "SELECT 5 AS rank").text
    assert "<img" not in ask(database, "SELECT 5 AS rank, 77 AS run_id").text
    assert '<pre class="epcg">a\nb</pre>' in ask(database, "SELECT 'a' || char(10) || 'b'").text
    assert "* 7 *" in ask(database, "SELECT epcg_text('numbers:range?size=100#7')").text
    assert "data:image/svg+xml;base64," in ask(database, f"SELECT epcg_svg('{PUZZLE}')").text


@pytest.mark.parametrize(
    "name", ["progress", "best?run=1&metric=digits", "best?run=1&metric=digits&first=max",
             "measures?run=1", "distribution?run=1&metric=digits",
             "candidate?run=1&rank=99", "curriculum?curriculum=none"],
)  # fmt: skip
def test_named_queries_answer(database: Path, name: str) -> None:
    page, _, values = name.partition("?")
    answer = get(database, f"/epcg/{page}.json?_shape=array&{values}")
    assert answer.status_code == 200
    rows = answer.json()
    assert isinstance(rows, list)
    assert bool(rows) == (page != "curriculum")
    if page == "best":
        assert (rows[0]["puzzle"], rows[0]["value"]) == (PUZZLE, 18)


@pytest.mark.parametrize(
    "name", ["best", "best?run=7&metric=digits", "best?run=1&metric=none", "distribution", "candidate"]
)
def test_named_queries_without_a_run_ask_for_it(database: Path, name: str) -> None:
    answer = get(database, f"/epcg/{name}")
    assert answer.status_code == 200
    assert "raised exception" not in answer.text
    assert '<input type="text" id="qp1" name="run"' in answer.text


def test_both_ends_of_each_metric_are_offered(database: Path) -> None:
    page = get(database, "/epcg/measures").text
    ends = {
        unescape(part.split('"')[0]) for part in page.split('<a href="')[1:] if part.startswith("/epcg/best?")
    }
    assert len(ends) == 2
    firsts = [
        get(database, f"{end.replace('/best', '/best.json')}&_shape=array").json()[0]["value"]
        for end in sorted(ends)
    ]
    assert firsts == [18, 0]


def test_the_first_page_shows_runs_with_pictures_and_empty_tables_last(database: Path) -> None:
    page = get(database, "/").text
    assert page.count("<img src=") == 3
    assert page.index("Run 1: numbers") < page.index("Questions") < page.index("Empty:")
    tables, empty = page.split("Tables and views")[1].split("Empty:")
    assert ">runs</a>" in tables
    assert ">puzzle</a>" in empty
    assert ">rejections</a>" in empty


def test_the_first_page_beside_another_database_lists_both(database: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE t (x)")

    async def ask() -> Any:
        return await datasette_of(database, other).client.get("/")

    page = asyncio.run(ask()).text
    assert 'href="/epcg"' in page
    assert 'href="/other"' in page


def test_pictures_are_kept_by_the_browser(database: Path) -> None:
    answer = picture(database, PUZZLE)
    assert "max-age=" in answer.headers["cache-control"]
    again = picture(database, PUZZLE, headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304
    assert again.text == ""
    assert "sandbox" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("puzzle", "says"),
    [
        ("", "not a puzzle id"),
        ("numbers:range?size=100", "not a puzzle id"),
        ("numbers:range?size=7#3", "not a puzzle that a database here records"),
        ("elsewhere:range?size=7#3", "not a puzzle that a database here records"),
        ("numbers:range?path=/etc/passwd#0", "not a puzzle that a database here records"),
        ("numbers:range?size=100#100", "ranks 0 to 99"),
        (f"numbers:range?size=100#{10**18}", "ranks 0 to 99"),
    ],
)
def test_what_cannot_be_drawn_is_said(database: Path, puzzle: str, says: str) -> None:
    answer = picture(database, puzzle)
    assert answer.status_code == 404
    assert says in " ".join(" ".join(ET.fromstring(answer.text).itertext()).split())


def test_a_domain_that_draws_no_solutions_says_so(database: Path) -> None:
    answer = picture(database, PUZZLE, extra={"solution": "1"})
    assert answer.status_code == 404
    assert "draws no solutions" in answer.text


def test_puzzles_of_a_plugin_that_is_not_installed(database: Path) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE space SET name = 'gone:range?size=100'")
    page = get(database, "/epcg/kept")
    assert page.status_code == 200
    assert "<img" not in page.text
    assert "gone:range?size=100#99" in page.text
    assert "unknown domain" in page.text
    answer = picture(database, "gone:range?size=100#99")
    assert answer.status_code == 404
    assert "unknown domain" in answer.text


def test_a_renderer_that_fails_harms_nothing_else(
    database: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(puzzle: str, format: str) -> str:
        raise RuntimeError(f"<script>alert(1)</script> & {chr(0)}")

    monkeypatch.setattr(pictures, "render_unsolved", fail)
    answer = picture(database, PUZZLE)
    assert answer.status_code == 404
    assert "mistake in the plugin" in " ".join(ET.fromstring(answer.text).itertext())
    assert "<script" not in answer.text
    assert "failed" in caplog.text
    assert get(database, "/epcg/kept").status_code == 200


HOSTILE = st.one_of(
    st.text(max_size=60),
    st.builds(
        "{}:{}?{}#{}".format,
        st.text(max_size=8),
        st.sampled_from(["range", "", "../x"]),
        st.text(max_size=20),
        st.text(max_size=8),
    ),
    st.builds('"><script>{}</script>:range?size=100#{}'.format, st.text(max_size=9), st.integers(0, 99)),
    st.builds("numbers:range?size=100#{}".format, st.integers(0, 10**40)),
)  # fmt: skip


@settings(max_examples=most(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=HOSTILE)
def test_nothing_hostile_breaks_a_page_or_enters_it(database: Path, text: str) -> None:
    sql = "SELECT :text AS puzzle, 1 AS run_id, :text AS rank"
    page = get(database, f"/epcg?{urlencode({'sql': sql, 'text': text}, errors='replace')}")
    drawn = get(database, f"{PICTURE_PATH}?{urlencode({'id': text}, errors='replace')}")
    assert page.status_code == 200
    assert drawn.status_code in (200, 404)
    ET.fromstring(drawn.text)
    table = (
        page.text.split('class="rows-and-columns"')[1].split("</table>")[0] if "rows-and" in page.text else ""
    )
    assert "<script" not in table


def test_pages_need_the_permissions_of_their_database(database: Path) -> None:
    async def ask() -> Any:
        datasette = datasette_of(database, metadata={"databases": {"epcg": {"allow": {"id": "root"}}}})
        return await datasette.client.get(f"{PICTURE_PATH}?{urlencode({'id': PUZZLE})}")

    assert asyncio.run(ask()).status_code == 404

    async def first_page() -> Any:
        datasette = datasette_of(database, metadata={"databases": {"epcg": {"allow": {"id": "root"}}}})
        return await datasette.client.get("/")

    assert "Run 1" not in asyncio.run(first_page()).text


def test_another_programs_database_is_left_alone(tmp_path: Path, toy: Numbers) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (puzzle, rank, run_id)")
        connection.execute("INSERT INTO t VALUES (?, 5, 1)", (PUZZLE,))
    page = get(path, "/other/t")
    assert page.status_code == 200
    assert "<img" not in page.text
    assert "style.css" not in page.text
    assert "epcg_score" not in get(path, "/other").text


def test_nothing_is_written(database: Path) -> None:
    before = database.read_bytes()
    for statement in ("DELETE FROM run", "ATTACH 'other.db' AS other", "PRAGMA journal_mode = DELETE"):
        assert ask(database, statement).status_code == 400
    get(database, "/epcg/kept")
    assert database.read_bytes() == before
    assert not (database.parent / "other.db").exists()


# --- the command


def test_browse_says_what_is_missing(
    cli: Callable[..., Any], database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from epcg_workbench.data import serve

    assert "There is no database" in cli("browse", "--db", "nowhere.db", code=1).stderr
    monkeypatch.setattr(serve.importlib.util, "find_spec", lambda name: None)
    assert "pip install 'epcg-workbench[datasette]'" in cli("browse", code=1).stderr


def test_browse_opens_a_database_that_may_grow(database: Path, tmp_path: Path) -> None:
    from epcg_workbench.data.serve import datasette_arguments

    arguments = datasette_arguments(str(database), "127.0.0.1", 8001)
    assert arguments[:2] == ["serve", str(database)]
    assert "--immutable" not in arguments
    odd = tmp_path / "what?.db"
    odd.write_bytes(database.read_bytes())
    with pytest.raises(StoreError, match="rename it"):
        datasette_arguments(str(odd), "127.0.0.1", 8001)


@pytest.mark.parametrize("ending", [KeyboardInterrupt(), click.Abort(), SystemExit(0), None])
def test_ending_it_is_no_error(
    database: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Any], ending: BaseException | None
) -> None:
    from datasette.cli import cli as server

    monkeypatch.setattr(server, "main", ends_with(ending))
    assert cli("browse", "--db", str(database)).stderr == ""


def test_a_port_that_is_taken(
    database: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Any]
) -> None:
    from datasette.cli import cli as server

    monkeypatch.setattr(server, "main", ends_with(SystemExit(1)))
    assert "another --port helps" in cli("browse", "--db", str(database), code=1).stderr


def ends_with(ending: BaseException | None) -> Callable[..., None]:
    def main(*arguments: Any, **options: Any) -> None:
        assert options["standalone_mode"] is False
        if ending is not None:
            raise ending

    return main


def test_a_database_where_nobody_can_write_is_immutable(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from epcg_workbench.data import serve

    monkeypatch.setattr(serve, "is_frozen", lambda path: True)
    assert "--immutable" in serve.datasette_arguments(str(database), "127.0.0.1", 8001)


def test_the_core_does_without_datasette() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from epcg_core.cli.app import COMMANDS; import epcg_workbench.data.command;"
        "import epcg_core.plugins.registry;"
        "epcg_core.plugins.registry.registry(); sys.exit('datasette' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- files that change under a server ----------------------------------------------------------------------


def counted_by(path: Path) -> str:
    return str(
        get(path, f"/epcg.json?_shape=array&{urlencode({'sql': 'SELECT count(*) AS n FROM runs'})}").text
    )


def test_a_database_that_was_replaced_is_served_as_it_is_now(database: Path, toy: Numbers) -> None:
    assert counted_by(database) == '[{"n": 1}]'
    other = toy.other("other")
    for size in (10, 20):
        other.run(toy.text("digits", size=size))
    other.database.replace(database)
    assert counted_by(database) == '[{"n": 2}]'
    assert "Run 2: " in get(database, "/").text, "on its first page, too"


def test_a_database_that_was_written_over_is_served_as_it_is_now(database: Path, toy: Numbers) -> None:
    assert counted_by(database) == '[{"n": 1}]'
    other = toy.other("other")
    for size in (10, 20):
        other.run(toy.text("digits", size=size))
    shutil.copyfile(other.database, database)
    assert counted_by(database) == '[{"n": 2}]'


def test_a_database_that_was_deleted_is_a_sentence_until_it_is_back(database: Path, tmp_path: Path) -> None:
    assert counted_by(database) == '[{"n": 1}]'
    kept = database.rename(tmp_path / "kept")
    for page in ("/", "/epcg/kept", f"{PICTURE_PATH}?{urlencode({'id': PUZZLE})}"):
        gone = get(database, page)
        assert (gone.status_code, "cannot be read: No such file" in gone.text) == (404, True)
    kept.rename(database)
    assert counted_by(database) == '[{"n": 1}]'


def test_a_database_that_was_replaced_by_something_else_is_a_sentence(database: Path) -> None:
    assert counted_by(database) == '[{"n": 1}]'
    database.unlink()
    database.write_text("This is no database.\n" * 100)
    for _ in range(2):
        assert (
            "was replaced by a file that cannot be read: file is not a database." in get(database, "/").text
        )
