"""What recorded runs answer to a question's wish, and where plans take puzzles from; without a server."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from epcg_workbench.answers import population
from epcg_workbench.jobs import answer
from epcg_workbench.kept_texts import stamp_of

import epcg_core as epcg
from epcg_core.curriculum.plan import parse_plan
from epcg_core.query.query import parse_query

TEXT = """title = "Four by three"  # ours
domain = "fling"
[generator]
name = "boards"
width = 4
height = 3
pieces = 5
[[evaluators]]
name = "solution"
[[evaluators]]
name = "winning_moves"
[[select]]
metric = "solution_branching"
keep = "highest"
count = 5
"""
WHERE = 'where = [{metric = "piece_switches", min = 1}]\n'
PLAN = """title = "Course"
[[chapters]]
name = "one"
query = "boards.toml"
rows = "all"
measure = "solution_branching"
strategy = "lowest"
count = 4
"""


class Place:
    """A folder with a question, and requests to it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.db = folder, folder / "epcg.db"
        (folder / "boards.toml").write_text(TEXT, encoding="utf-8")

    def all(self, do: str, **request: Any) -> list[dict[str, Any]]:
        return list(answer({"do": do, "db": str(self.db), "folder": str(self.folder), **request}))

    def one(self, do: str, **request: Any) -> dict[str, Any]:
        (message,) = self.all(do, **request)
        return message


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def run(place: Place) -> epcg.Run:
    return epcg.answer(parse_query(TEXT), db=place.db)


def test_an_answer_adds_up_and_needs_no_new_run(place: Place, run: epcg.Run) -> None:
    found = place.one("answered", text=TEXT + WHERE)
    ranks, values = run.values("solution_branching")
    switches = dict(zip(*(each.tolist() for each in run.values("piece_switches")), strict=True))
    met = sorted(v for r, v in zip(ranks.tolist(), values.tolist(), strict=True) if switches.get(r, 0) >= 1)
    assert (found["run"], found["done"], found["of_all"]) == (run.number, True, None)
    assert sum(count for _, _, count, *_ in found["bars"]) == len(values)
    assert sum(own for _, _, _, own, *_ in found["bars"]) == len(met) == found["wish"]["met"]
    assert sum(each["first"] for each in found["wish"]["conditions"]) + len(met) == 792
    assert [each["values"]["solution_branching"] for each in found["found"]] == met[::-1][:5]
    half = place.one("answered", text=TEXT + WHERE, low=2.5, high=3.5)
    assert half["total"] == sum(2.5 <= each <= 3.5 for each in met)
    lowest = (
        (TEXT + WHERE).replace("highest", "lowest").replace('[[evaluators]]\nname = "winning_moves"\n', "")
    )
    assert place.one("answered", text=lowest)["found"][0]["values"]["solution_branching"] == met[0]
    other = TEXT.replace('name = "winning_moves"', 'name = "unique"').replace("solution_branching", "unique")
    assert place.one("answered", text=other) == {"run": 0}


def test_long_answers_have_pages(place: Place, run: epcg.Run) -> None:
    text = TEXT.replace("count = 5", "count = 100").replace("solution_branching", "winning_moves")
    first, second = (place.one("answered", text=text, page=page) for page in (1, 2))
    assert (first["total"], first["pages"], len(first["found"]), len(second["found"])) == (100, 2, 60, 40)
    assert not {each["puzzle"] for each in first["found"]} & {each["puzzle"] for each in second["found"]}


def test_a_sample_answers_with_intervals_that_hold(place: Place) -> None:
    epcg.answer(parse_query(TEXT), db=place.db, sample=200)
    part = place.one("answered", text=TEXT + WHERE)
    assert (part["done"], part["sample"], part["tried"], part["of"]) == (False, True, "200", "792")
    assert part["resumable"]
    for _, _, count, own, of_all, met_of_all in part["bars"]:
        assert count <= of_all[0] + 592
        assert of_all[0] <= count * 792 / 200 <= of_all[1]
        assert met_of_all[0] <= own * 792 / 200 <= met_of_all[1]
    low, high = part["of_all"]
    epcg.answer(parse_query(TEXT), db=place.db)
    assert low <= place.one("answered", text=TEXT + WHERE)["wish"]["met"] <= high


def test_a_wish_becomes_the_first_select_and_takes_its_measures_along(place: Place) -> None:
    wish = {
        "metric": "unique", "keep": "lowest", "count": 3, "then": [], "apart": "30 %",
        "where": [{"metric": "solution_length", "min": 3, "max": 5}],
    }  # fmt: skip
    made = place.one("question", text=TEXT, wish=wish)
    query = parse_query(made["text"])
    assert [part.name for part in query.evaluators] == ["solution", "winning_moves", "unique"]
    assert (query.select[0].metric, query.select[0].count, query.select[0].apart) == ("unique", 3, "30 %")
    assert 'where = [{metric = "solution_length", min = 3, max = 5}]' in made["text"]
    assert made["wish"] == wish
    assert "# ours" in made["text"]
    back = wish | {"metric": "solution_branching", "keep": "highest", "count": 5, "where": []}
    del back["apart"]
    again = place.one("question", text=made["text"], wish=back, lent=made["lent"])
    assert parse_query(again["text"]) == parse_query(again["text"])
    assert [part.name for part in parse_query(again["text"]).evaluators] == ["solution", "winning_moves"]
    assert parse_query(again["text"]).select == parse_query(TEXT).select
    wrong = place.one(
        "question", text=TEXT, wish={"metric": "unique", "where": [{"metric": "unique"}], "x": 1}
    )
    assert "x" in wrong["error"]


def test_questions_are_told_with_size_and_count_and_other_runs_beside_them(place: Place) -> None:
    (listed,) = place.all("questions")
    assert listed["title"] == "Four by three"
    assert (listed["size"], listed["of"], listed["count"]) == ("4 × 3", "all boards, 4 × 3, 5 pieces", "792")
    assert listed["words"] == ["board", "boards"]
    epcg.answer(parse_query(TEXT), db=place.db)
    assert [each.get("run") for each in place.all("questions")] == [None]
    run = epcg.answer(parse_query(TEXT.replace("pieces = 5", "pieces = 4")), db=place.db)
    _, other = place.all("questions")
    assert (other["run"], other["count"]) == (run.number, "495")
    text = place.one("of_run", run=run.number)["text"]
    assert place.one("answered", text=text)["run"] == run.number


def test_a_question_that_was_changed_elsewhere_is_not_overwritten(place: Place) -> None:
    read = place.one("question_file", name="boards.toml")
    mine = TEXT.replace("count = 5", "count = 6")
    assert place.one("save_question", name="boards.toml", text=mine, stamp=read["stamp"])["saved"]
    theirs = TEXT.replace("count = 5", "count = 7")
    (place.folder / "boards.toml").write_text(theirs)
    assert place.one("save_question", name="boards.toml", text=mine, stamp=stamp_of(Path("none")))["conflict"]
    assert (place.folder / "boards.toml").read_text() == theirs
    assert "cannot be the name" in place.one("question_file", name="../x.toml")["error"]


def test_a_content_tells_its_values_and_the_plans_that_have_it(place: Place, run: epcg.Run) -> None:
    (place.folder / "course.toml").write_text(PLAN)
    *parts, _ = place.all("choice", name="course.toml", text=PLAN)
    chosen = [each["puzzle"] for each in parts[0]["puzzles"]]
    found = place.one("placed", puzzle=chosen[2], run=run.number)
    assert found["plans"] == [{"name": "course.toml", "title": "Course", "number": 3}]
    assert {each["metric"] for each in found["measures"]} >= {"solution_branching", "winning_moves"}
    best = place.one("answered", text=TEXT)["found"][0]["puzzle"]
    assert place.one("placed", puzzle=best, run=run.number)["plans"] == []
    short = f"{run.number}#{chosen[0].rpartition('#')[2]}"
    assert place.one("placed", puzzle=short, run=run.number)["puzzle"] == chosen[0]


def test_what_is_chosen_by_hand_is_told_and_stays(place: Place, run: epcg.Run) -> None:
    (place.folder / "course.toml").write_text(PLAN)
    *parts, _ = place.all("choice", name="course.toml", text=PLAN)
    chosen = [each["puzzle"] for each in parts[0]["puzzles"]]
    hand = place.one("answered", text=TEXT)["found"][0]["puzzle"]
    made = place.one("arrange", name="course.toml", text=PLAN, lists=[[["chapters", 0], [*chosen[:3], hand]]])
    told = place.one("by_hand", name="course.toml", text=made["text"], chapter=1)
    assert told["entries"] == [hand]
    filled = place.one(
        "arrange", name="course.toml", text=made["text"], changes=[[["chapters", 0, "fill"], True]],
        lists=[[["chapters", 0], [hand]]],
    )  # fmt: skip
    part = filled["chapters"][0]["parts"][0]
    assert (part["filled"], part["listed"], part["wish"]["count"]) == (True, False, 4)
    *parts, end = place.all("choice", name="course.toml", text=filled["text"])
    assert end["ready"]
    assert [each["entry"] for each in parts[0]["puzzles"] if each["hand"]] == [hand]
    assert {each["entry"] for each in parts[0]["puzzles"]} == {hand, *chosen[:3]}
    more = place.one(
        "insert", name="course.toml", text=filled["text"], entry=chosen[3], chapter=1, measure=""
    )
    own = parse_plan(more["text"], folder=place.folder).chapters[0].parts[0]
    assert (own.count, own.puzzles) == (5, (hand, chosen[3]))


def test_a_part_tells_its_sentence_and_how_many_there_are(place: Place, run: epcg.Run) -> None:
    text = PLAN + WHERE + "distinct = true\n"
    (place.folder / "course.toml").write_text(text)
    part = place.one("plan", name="course.toml")["chapters"][0]["parts"][0]
    assert part["from"] == {"kind": "query", "value": "boards.toml"}
    assert part["wish"]["where"] == [{"metric": "piece_switches", "min": 1}]
    *parts, _ = place.all("choice", name="course.toml", text=text)
    met = int((run.values("piece_switches")[1] >= 1).sum())
    assert parts[0]["met"].startswith(f"{met:,} of 792 boards meet it, ")
    assert parts[0]["met"].endswith(" without mirror images.")
    found = place.one("sources")
    assert found["questions"] == [
        {"name": "boards.toml", "title": "Four by three", "measure": "solution_branching"}
    ]
    assert found["strategies"][0] == "evenly"
    measures = place.one("part_measures", name="course.toml", text=text, chapter=1)["measures"]
    assert {each["metric"] for each in measures} >= {"solution_branching", "winning_moves"}
    assert "no part 2" in place.one("by_hand", name="course.toml", text=text, chapter=1, part=2)["error"]


def test_what_was_written_is_told_with_its_size(place: Place) -> None:
    (place.folder / "course.toml").write_text(PLAN)
    assert place.all("written", name="course.toml") == []
    (place.folder / "course.pdf").write_bytes(b"12345")
    (found,) = place.all("written", name="course.toml")
    assert (found["format"], found["bytes"]) == ("pdf", 5)


def test_a_question_about_open_places_says_so_in_words() -> None:
    query = parse_query(
        """
        domain = "fling"
        [generator]
        name = "sketch"
        content = "o..o\\n.o..\\no..o"
        open = [{ sites = ["c2,1", "c3,1"], marks = ["", "ball"] },
                { sites = ["c1,2"], marks = ["", "ball"] }]
        [[evaluators]]
        name = "solution"
        [[select]]
        metric = "solution_length"
        """
    )
    told = population(query)
    assert (told["of"], told["count"]) == ("all boards that fill 3 open places", "8")


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("domain = 'tangram'\n[generator]\nname = 'instances'\nsize = 1\nlarger = 3\n",
         "all puzzles, 1 piece given, or up to 3 more"),
        ("domain = 'fling'\n[generator]\nname = 'boards'\npieces = 1\n", "all boards, 7 × 8, 1 piece"),
    ],
)  # fmt: skip
def test_what_a_question_is_about_is_told_in_words(query: str, told: str) -> None:
    """No names of params that say nothing by themselves: 'size 1, larger 3'."""
    assert population(parse_query(query, where="a query", name="a"))["of"] == told


def changes(content: str, most: int = 1) -> str:
    return (
        f'title = "All changes of a board"\ndomain = "fling"\n[generator]\nname = "changes"\nmost = {most}\n'
        f'content = """{content}"""\n[[evaluators]]\nname = "winning_moves"\n'
    )


def test_answers_of_one_title_are_told_apart_by_what_they_are_about(place: Place) -> None:
    first, second = "o..o\n.o..\no..o", "o..o\n..o.\no..o"
    (place.folder / "mine.txt").write_text(f"{first}\n\n{second}\n", encoding="utf-8")
    epcg.answer(parse_query(changes(first)), db=place.db)
    epcg.answer(parse_query(TEXT.replace("pieces = 5", "pieces = 4")), db=place.db)
    _, alone, single = place.all("questions")
    assert (alone["about"], single["about"]) == ("", "")
    epcg.answer(parse_query(changes(second)), db=place.db)
    epcg.answer(parse_query(changes(second, most=2)), db=place.db)
    told = {each["run"]: each["about"] for each in place.all("questions") if "run" in each}
    assert told == {
        4: "changes of up to 2 places, board 2 of mine.txt",
        3: "single changes, board 2 of mine.txt",
        2: "",
        1: "single changes, board 1 of mine.txt",
    }
    (found,) = place.all("sources")
    assert {each["run"]: each["about"] for each in found["runs"]} == told


def test_answers_about_the_same_are_told_apart_by_their_time(place: Place) -> None:
    epcg.answer(parse_query(changes("o..o")), db=place.db)
    epcg.answer(parse_query(changes("o.oo")), db=place.db)
    with sqlite3.connect(place.db) as db:
        db.execute("UPDATE run SET created_at = '2024-05-06T12:00:00+00:00' WHERE id = 1")
    _, newer, older = place.all("questions")
    assert re.fullmatch(r"\d+ May 2024, \d\d:\d\d", older["about"])
    assert newer["about"]
    assert newer["about"] != older["about"]
