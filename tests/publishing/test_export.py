"""Booklets and data: what they hold, and that the same curriculum is the same bytes."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import click
import pytest
from epcg_publishing.command import export
from epcg_publishing.formats import FORMATS, SITE, as_bytes

from epcg_core.base.errors import CurriculumError
from epcg_core.curriculum.booklet import Booklet, BookletChapter, BookletPuzzle
from epcg_core.domain import resolve
from tests.publishing.test_game_data import BOARD, booklet as of_a_domain
from tests.workplace import Numbers, Workplace, epcg, made_once

ROOT = Path(__file__).parents[2]
FLING = ROOT / "plugins/fling/plans/thirty_five.toml"
PLAN = """
name = "steps"
title = "Steps & stairs"
description = "One.\\n\\nTwo."
[[chapters]]
name = "only"
title = "The <only> chapter"
query = "sums.toml"
measure = "digits"
strategy = "evenly"
count = 5
ties = "first"
"""


@pytest.fixture
def steps(toy: Numbers) -> Workplace:
    """A curriculum of five numbers, and its plan."""
    toy.file("digits", "even", name="sums")
    (toy.folder / "steps.toml").write_text(PLAN, encoding="utf-8")
    made_once(toy.database, "steps", lambda: epcg("curriculum", "build", "steps.toml", "--quiet") and None)
    return toy


@pytest.mark.sweep
@pytest.mark.parametrize("format", ["html", "json", "csv"])
def test_an_export_is_the_same_from_another_database(steps: Numbers, format: str) -> None:
    epcg("curriculum", "build", "steps.toml", "--quiet", "--db", "other.db")
    epcg("curriculum", "export", "steps", "--format", format)
    epcg("curriculum", "export", "steps", "--output", f"other.{format}", "--db", "other.db")
    mine, others = Path(f"steps.{format}").read_bytes(), Path(f"other.{format}").read_bytes()
    assert mine == others
    assert len(mine) > 200


def test_json_is_what_a_game_needs(steps: Numbers) -> None:
    epcg("curriculum", "export", "steps", "--format", "json")
    data = json.loads(Path("steps.json").read_text(encoding="utf-8"))
    [chapter] = data["chapters"]
    assert (data["title"], chapter["title"]) == ("Steps & stairs", "The <only> chapter")
    assert chapter["difficulty"] == "digits 0 to 18"
    assert [(p["number"], p["state"], p["difficulty"]["value"]) for p in chapter["puzzles"]] == [
        (1, "number 0", 0), (2, "number 4", 4), (3, "number 9", 9), (4, "number 49", 13),
        (5, "number 99", 18),
    ]  # fmt: skip
    assert chapter["puzzles"][0] == {
        "number": 1, "part": "", "puzzle": "numbers:range?size=100#0", "domain": "numbers",
        "state": "number 0", "layout": None,
        "difficulty": {
            "measure": "digits", "value": 0, "text": "digits 0", "harder": "higher", "percentile": 0.5,
            "compared": 100,
        },
        "measures": {"digits": 0, "even": True}, "solutions": [],
        "solution": {"moves": None, "steps": None, "text": "No solution is recorded."},
    }  # fmt: skip


def test_csv_has_a_line_a_puzzle(steps: Numbers) -> None:
    epcg("curriculum", "export", "steps", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(Path("steps.csv").read_text(encoding="utf-8"))))
    assert [row["puzzle"].rpartition("#")[2] for row in rows] == ["0", "4", "9", "49", "99"]
    assert rows[1]["reason"] == "4 is nearest to target 2 of 5, 4.5"


def test_html_stands_alone_and_escapes(steps: Numbers) -> None:
    epcg("curriculum", "export", "steps")
    page = Path("steps.html").read_text(encoding="utf-8")
    assert "Steps &amp; stairs" in page
    assert "The &lt;only&gt; chapter" in page
    assert not re.findall(r'(?:src|href)="(?!data:)', page)
    pictures = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    assert [base64.b64decode(p).decode() for p in pictures] == [
        f'<svg xmlns="http://www.w3.org/2000/svg"><text>{n}</text></svg>\n' for n in (0, 4, 9, 49, 99)
    ]
    assert page.count("No solution is recorded.") == 5


def test_a_recorded_solution_is_exported(steps: Numbers) -> None:
    import sqlite3

    with sqlite3.connect("epcg.db") as connection:
        connection.execute("INSERT INTO solution VALUES (1, 49, 0, ?)", ('["up","left"]',))
    epcg("curriculum", "export", "steps", "--format", "json")
    puzzles = json.loads(Path("steps.json").read_text(encoding="utf-8"))["chapters"][0]["puzzles"]
    assert puzzles[3]["solutions"] == [["up", "left"]]
    assert puzzles[3]["solution"]["text"] == "up, left"


def test_show_and_build_tell_what_is_there(steps: Numbers) -> None:
    listed = json.loads(epcg("curriculum", "show", "--json").stdout)
    assert listed == [{"number": 1, "name": "steps", "title": "Steps & stairs", "chapters": 1, "puzzles": 5}]
    shown = epcg("curriculum", "show", "steps").stdout.splitlines()
    assert len(shown) == 6
    rejected = json.loads(epcg("curriculum", "show", "steps", "--rejected", "--json").stdout)
    assert sum(row["rejected"] for row in rejected) == 95
    again = epcg("curriculum", "build", "steps.toml", "--set", "chapters.0.count=5")
    assert "was recorded before, and is the same" in again.stderr
    built = json.loads(epcg("curriculum", "build", "steps.toml", "--quiet", "--json").stdout)
    assert [row["position"] for row in built["chapters"][0]["parts"][0]["chosen"]] == [1, 2, 3, 4, 5]


def test_a_dry_run_checks_and_records_nothing(steps: Numbers) -> None:
    told = epcg("curriculum", "build", "steps.toml", "--dry-run", "--db", "none.db").stderr
    assert told.endswith("The plan steps is in order: 1 chapters, 5 puzzles.\n")
    assert "Together 100 candidates, about " in told
    assert not Path("none.db").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("show", "step"), 1, "unknown curriculum 'step'. Did you mean 'steps'?"),
        (("export", "steps", "--output", "a.docx"), 2, "endings are .html, .pdf, .json and .csv"),
        (("build", "none.toml"), 1, "There is no plan 'none.toml'."),
        (("build", "steps.toml", "--set", "chapters.0.count=0"), 1, "count: 0 is not allowed"),
    ],
)
def test_bad_input(steps: Numbers, arguments: tuple[str, ...], code: int, sentence: str) -> None:
    told = epcg("curriculum", *arguments, code=code).stderr
    assert sentence in told
    assert "Traceback" not in told


# --- pictures and solutions of a real domain ---------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database of the first two chapters of a shipped plan."""
    folder = tmp_path_factory.mktemp("built")
    text = FLING.read_text(encoding="utf-8").replace("../queries", str(ROOT / "plugins/fling/queries"))
    heads = [match.start() for match in re.finditer(r"^\[\[chapters\]\]", text, re.MULTILINE)]
    (folder / "short.toml").write_text(text[: heads[2]], encoding="utf-8")
    epcg("curriculum", "build", folder / "short.toml", "--db", folder / "epcg.db", "--quiet")
    return folder


@pytest.fixture
def boards(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The first two chapters of a shipped plan, in the working directory."""
    monkeypatch.delenv("EPCG_DB", raising=False)
    folder = shutil.copytree(built, tmp_path / "boards")
    monkeypatch.chdir(folder)
    return folder


def test_a_pdf_of_one_board_is_the_same_bytes_each_time() -> None:
    data = as_bytes(of_a_domain(BOARD), "pdf")
    assert data == as_bytes(of_a_domain(BOARD), "pdf")
    assert data.startswith(b"%PDF-")


@pytest.mark.slow
def test_a_pdf_has_a_cover_chapters_and_solutions(boards: Path) -> None:
    epcg("curriculum", "export", "thirty-five", "--output", "a.pdf")
    epcg("curriculum", "export", "thirty-five", "--output", "b.pdf")
    data = Path("a.pdf").read_bytes()
    assert data == Path("b.pdf").read_bytes()
    assert data.startswith(b"%PDF-")
    # a cover, how to play, 2 boards and 2 of 5, the other 3, 7 solutions
    assert len(re.findall(rb"/Type /Page\b", data)) == 1 + 1 + 1 + 1 + 1


def test_a_puzzle_is_drawn_without_its_solution_and_then_with_it(boards: Path) -> None:
    epcg("curriculum", "export", "thirty-five", "--format", "html")
    page = Path("thirty-five.html").read_text(encoding="utf-8")
    drawn = [base64.b64decode(p).decode() for p in re.findall(r"base64,([^\"]+)\"", page)]
    _example, puzzles, solved = drawn[:2], drawn[2:9], drawn[9:]
    assert len(solved) == 7
    assert not any("<text" in picture for picture in puzzles)
    assert all("<text" in picture for picture in solved)
    epcg("curriculum", "export", "thirty-five", "--format", "json")
    data = json.loads(Path("thirty-five.json").read_text(encoding="utf-8"))
    texts = [puzzle["solution"]["text"] for chapter in data["chapters"] for puzzle in chapter["puzzles"]]
    assert all("1. fling the piece" in text for text in texts)


def booklet(title: str, measures: dict[str, Any] | None = None) -> Booklet:
    puzzle = BookletPuzzle(1, 1, "", "x:y#1", "state", "m", 1, measures or {}, "rule", "reason", [["a"]])
    return Booklet("name", title, "", "0", [BookletChapter(1, "c", title, "", "m 1", [puzzle])])


def test_a_letter_that_the_pdf_has_not_is_named() -> None:
    with pytest.raises(CurriculumError, match=r"no 'ő' \(in '1. Erdő'\): replace it, or export HTML"):
        as_bytes(booklet("Erdő"), "pdf")


def test_every_format_of_the_command_line_is_there() -> None:
    offered = next(each.type for each in export.params if each.name == "format")
    assert isinstance(offered, click.Choice)
    assert set(offered.choices) == {*FORMATS, SITE}
    assert all(callable(resolve(function)) for function in FORMATS.values())


@pytest.mark.parametrize(
    ("plan", "order"),
    [
        # slow, since its first two chapters are built below
        pytest.param(
            FLING, "The plan thirty-five is in order: 5 chapters, 35 puzzles.\n", marks=pytest.mark.slow
        ),
        # slow, since one of the toy domain is tried by test_a_dry_run_checks_and_records_nothing
        pytest.param(
            "witness/a_rule_at_a_time",
            "The plan a-rule-at-a-time is in order: 6 chapters, 36 puzzles.\n",
            marks=pytest.mark.slow,
        ),
    ],
    ids=["fling", "witness"],
)
def test_the_shipped_plans_are_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plan: object, order: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert epcg("curriculum", "build", plan, "--dry-run").stderr.endswith(order)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plan", "counts"),
    [("fling/thirty_five", [2, 5, 8, 10, 10]), ("witness/a_rule_at_a_time", [6, 6, 6, 6, 6, 6])],
)
def test_the_shipped_plans_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plan: str, counts: list[int]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EPCG_DB", raising=False)
    built = json.loads(epcg("curriculum", "build", plan, "--quiet", "--json").stdout)
    chapters = [[row for part in c["parts"] for row in part["chosen"]] for c in built["chapters"]]
    assert [len(chapter) for chapter in chapters] == counts
    for chapter in built["chapters"]:
        for part in chapter["parts"]:
            values = [row["value"] for row in part["chosen"]]
            assert values == sorted(values)
    puzzles = [row["puzzle"] for chapter in chapters for row in chapter]
    assert len(set(puzzles)) == len(puzzles)
    epcg("curriculum", "export", built["name"], "--format", "json", "--output", "game.json")
    data = json.loads(Path("game.json").read_text(encoding="utf-8"))
    texts = [puzzle["solution"]["text"] for chapter in data["chapters"] for puzzle in chapter["puzzles"]]
    start = "One solution" if plan.startswith("witness") else "1. fling"
    assert all(start in text for text in texts)
