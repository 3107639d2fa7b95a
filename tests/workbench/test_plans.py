"""Plans in the workbench: read, changed with their comments, chosen, written if they are what was read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from epcg_workbench.jobs import answer
from epcg_workbench.plan_texts import with_chapters, with_list
from epcg_workbench.project import belonging

import epcg_core as epcg
from epcg_core.base.documents import parse_toml
from epcg_core.base.errors import CurriculumError
from epcg_core.curriculum.by_hand import ByHand
from epcg_core.curriculum.plan import load, parse_plan
from tests.faces import INSTALLED
from tests.workbench.test_server import served
from tests.workplace import Workplace

QUERY = """domain = "fling"
[generator]
name = "boards"
width = 4
height = 3
pieces = 5
[[evaluators]]
name = "solution"
"""
PLAN = """# our course
title = "Course"    # for all

[[chapters]]
name = "one"
title = "One"       # easy ones
query = "boards.toml"
measure = "solution_length"
where = ["solution_length >= 1"]
strategy = "lowest" # the shortest
count = 3
ties = "first"

# what follows is harder
[[chapters]]
name = "two"
title = "Two"
measure = "solution_length"
puzzles = [
  '''
o..o
.o..
o..o''',  # the classic
]
"""
BOARD = "o..o\n.o..\no..o"
OTHER = "o..o\n..o.\no..o"


class Place:
    """A folder with a plan, and requests to it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.db = folder, folder / "epcg.db"
        (folder / "boards.toml").write_text(QUERY, encoding="utf-8")
        self.file = folder / "course.toml"
        self.file.write_text(PLAN, encoding="utf-8")

    def all(self, do: str, **request: Any) -> list[dict[str, Any]]:
        places = {"db": str(self.db), "folder": str(self.folder), "name": "course.toml"}
        return list(answer({"do": do, **places, **request}))

    def one(self, do: str, **request: Any) -> dict[str, Any]:
        (message,) = self.all(do, **request)
        return message

    def lists(self, text: str) -> list[list[str]]:
        """What each chapter chooses, as entries of a plan."""
        *parts, end = self.all("choice", text=text)
        assert end["ready"], parts
        return [[each["entry"] for each in part["puzzles"]] for part in parts]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def recorded(place: Place) -> Place:
    Workplace(place.folder).given(QUERY)
    return place


def test_a_shipped_plan_that_cannot_be_read_hides_no_other(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = place.folder / "broken.toml"
    broken.write_text("title = ", encoding="utf-8")
    shipped = {"toys/broken": broken, "toys/gone": place.folder / "gone.toml", "toys/course": place.file}
    monkeypatch.setattr(belonging, "shipped_plans", lambda: shipped)
    (listed,) = place.all("plans")
    assert {each["name"]: each["title"] for each in listed["shipped"]} == {
        "toys/broken": "Broken", "toys/gone": "Gone", "toys/course": "Course",
    }  # fmt: skip


def test_plans_are_listed_and_read_with_the_places_of_their_parts(place: Place) -> None:
    found = place.one("plans")
    assert found["files"] == [{"name": "course.toml", "title": "Course"}]
    assert "fling/thirty_five" in {each["name"] for each in found["shipped"]}
    read = place.one("plan")
    assert (read["text"], read["trouble"], read["curriculum"]) == (PLAN, "", "course")
    (one,), (two,) = (chapter["parts"] for chapter in read["chapters"])
    assert (one["path"], one["listed"], one["sourced"]) == (["chapters", 0], False, True)
    assert (two["path"], two["listed"], two["sourced"]) == (["chapters", 1], True, False)
    wrong = place.one("plan", text=PLAN.replace("count = 3", "count = 0"))
    assert "count: 0 is not allowed" in wrong["trouble"]
    assert wrong["chapters"] == []


def test_what_no_run_answers_is_missing_and_the_rest_is_chosen(place: Place) -> None:
    first, second, end = place.all("choice", text=PLAN)
    assert first["missing"] == "Its question is not answered yet."
    assert [each["entry"] for each in second["puzzles"]] == [BOARD]
    assert end == {"hash": second["hash"], "end": True, "ready": False}


def test_a_plan_chooses_with_reasons(recorded: Place) -> None:
    first, second, end = recorded.all("choice", text=PLAN)
    assert end["ready"]
    values = [each["value"] for each in first["puzzles"]]
    assert len(values) == 3
    assert values == sorted(values)
    assert first["rule"].startswith("3 of the lowest solution_length")
    assert sum(count for _, count in first["rejections"]) == first["candidates"] - 3
    assert all(each["reason"] and each["rule"] for each in first["rejected"])
    assert first["rejected"][0]["rule"] == first["rule"]
    assert second["puzzles"][0]["told"] == second["puzzles"][0]["told"].strip() != ""
    told = first["puzzles"][0]["told"], first["puzzles"][0]["short"]
    assert told == (f"solved in {values[0]} moves", f"{values[0]} moves")
    assert second["puzzles"][0]["reason"] == "number 1 of the list by hand"


def test_a_puzzle_moves_to_another_chapter_and_all_comments_stay(recorded: Place) -> None:
    one, two = recorded.lists(PLAN)
    moved = one.pop(1)
    lists = [[["chapters", 0], one], [["chapters", 1], [moved, *two]]]
    made = recorded.one("arrange", text=PLAN, lists=lists)
    assert recorded.lists(made["text"]) == [one, [moved, *two]]
    for comment in ("# our course", "# for all", "# easy ones", "# the shortest", "# the classic"):
        assert comment in made["text"]
    assert 'strategy = "lowest" # the shortest' in made["text"]
    again = recorded.one("arrange", text=made["text"], lists=[[["chapters", 1], [*two, moved]]])
    classic, last = again["text"].index("# the classic"), again["text"].index(moved)
    assert classic < last
    pinned = made["text"]
    assert pinned.index('ties = "first"') < pinned.index("puzzles = [") < pinned.index("# what follows")
    titled = recorded.one("arrange", text=PLAN, changes=[[["chapters", 0, "description"], "Short."]])["text"]
    assert titled == PLAN.replace('ties = "first"\n', 'ties = "first"\ndescription = "Short."\n')
    back = recorded.one("arrange", text=again["text"], changes=[[["chapters", 0, "puzzles"], None]])
    assert not back["chapters"][0]["parts"][0]["listed"]


def test_chapters_move_with_what_stands_above_them() -> None:
    made = with_chapters(PLAN, [1, 0])
    assert made.index("# what follows") < made.index('"two"') < made.index('"one"')
    assert made.startswith('# our course\ntitle = "Course"    # for all\n')
    assert [c["name"] for c in parse_toml(made, "plan")["chapters"]] == ["two", "one"]
    assert [c["name"] for c in parse_toml(with_chapters(PLAN, [1]), "plan")["chapters"]] == ["two"]
    assert with_chapters(with_chapters(made, [1, 0]), [0, 1]).strip() == PLAN.strip()


def test_the_next_best_is_nearest_in_value_and_none_that_is_listed(recorded: Place) -> None:
    *_, last = recorded.lists(PLAN)[0]
    first, *_ = recorded.all("choice", text=PLAN)
    value = first["puzzles"][-1]["value"]
    found = recorded.one("next_best", text=PLAN, chapter=1, value=value, without=[last])
    ranks, values = epcg.open(recorded.db).runs[-1].values("solution_length")
    chosen = {int(each["puzzle"].rpartition("#")[2]) for each in first["puzzles"]}
    others = [v for r, v in zip(ranks.tolist(), values.tolist(), strict=True) if r not in chosen]
    assert abs(found["value"] - value) == min(abs(v - value) for v in others)
    other = recorded.one("next_best", text=PLAN, chapter=1, value=value, without=[last, found["puzzle"]])
    assert other["puzzle"] not in (last, found["puzzle"])
    assert (
        "list by hand without"
        in recorded.one("next_best", text=PLAN, chapter=2, value=4, without=[])["error"]
    )


def test_what_another_list_has_is_neither_offered_nor_written(recorded: Place) -> None:
    (classic,) = recorded.lists(PLAN)[1]
    space = recorded.lists(PLAN)[0][0].partition("#")[0]
    run = epcg.open(recorded.db).runs[-1]
    by_hand = ByHand()
    content = by_hand.puzzle(classic, "the test").content_sha256
    same = next(
        puzzle
        for puzzle in (f"{space}#{rank}" for rank in run.values("solution_length")[0].tolist())
        if by_hand.puzzle(puzzle, "the test").content_sha256 == content
    )
    twice = recorded.one("arrange", text=PLAN, lists=[[["chapters", 0], [same]]])
    assert "lists the same content, too" in twice["error"]
    without: list[str] = []
    while True:
        found = recorded.one("next_best", text=PLAN, chapter=1, value=4, without=without)
        if "error" in found:
            break
        without.append(found["puzzle"])
        assert len(without) < 1000
    assert "no other candidate" in found["error"]
    assert same not in without
    first, *_ = recorded.all("choice", text=PLAN)
    left, passed = first["rejections"][-1]
    assert left.startswith("are left over: ")
    assert len(without) == passed - 1


def test_a_puzzle_goes_into_a_chapter_a_chosen_one_too(recorded: Place) -> None:
    entry = recorded.one("entry", domain="fling", text=OTHER)
    assert entry["entry"] == OTHER
    offered = [each["metric"] for each in entry["metrics"]]
    assert "solution_length" in offered
    first = [each["headline"] for each in entry["metrics"]]
    assert first[0] == 1
    assert 0 not in first[: len(first) - first.count(0)]
    whole = recorded.one("entry", puzzle="1#5")["entry"]
    assert whole.startswith("fling:boards?")
    assert recorded.one("entry", puzzle=whole)["entry"] == whole
    one, two = recorded.lists(PLAN)
    listed = recorded.one("insert", text=PLAN, entry=OTHER, chapter=2)
    assert recorded.lists(listed["text"]) == [one, [*two, OTHER]]
    assert "'''\n" + OTHER + "'''" in listed["text"]
    pinned = recorded.one("insert", text=PLAN, entry=OTHER, chapter=1)
    assert recorded.lists(pinned["text"]) == [[*one, OTHER], two]
    new = recorded.one("insert", text=PLAN, entry=OTHER, title="Three", measure="solution_length")
    assert [chapter["title"] for chapter in new["chapters"]] == ["One", "Two", "Three"]
    assert (new["chapter"], recorded.lists(new["text"])[2]) == (3, [OTHER])
    twice = recorded.one("insert", text=PLAN, entry=BOARD, title="Three", measure="solution_length")
    assert "too: leave one of them out" in twice["error"]
    lost = recorded.one("insert", text=PLAN, entry="o...\n....\n...o", chapter=2)
    assert "has no solution_length" in lost["error"]


def test_an_empty_plan_takes_the_measure_of_its_first_puzzle(place: Place) -> None:
    begun = place.one("new_plan", name="new.toml", title='A "new" one')
    assert begun["title"] == 'A "new" one'
    made = place.one(
        "insert", name="new.toml", text=begun["text"], entry=BOARD, chapter=1, measure="solution_length"
    )
    assert place.lists(made["text"]) == [[BOARD]]
    (part, end) = place.all("choice", text=begun["text"])
    assert (part["trouble"], end["ready"]) == ("lists no puzzle yet.", False)


def test_a_run_is_offered_with_a_number_to_measure_by(recorded: Place) -> None:
    (recorded.folder / "boards.toml").unlink()
    (run,) = recorded.one("sources")["runs"]
    assert (run["run"], run["measure"]) == (1, "solution_length")


def test_a_copy_of_a_shipped_plan_names_shipped_queries(place: Place) -> None:
    copied = place.one("new_plan", name="mine.toml", shipped="fling/thirty_five")
    assert copied["trouble"] == ""
    assert 'query = "fling/best_by_expert_ratio"' in copied["text"]
    assert "# Difficulty is expert_tree" in copied["text"]
    assert "already" in place.one("new_plan", shipped="fling/thirty_five")["error"]


def test_nothing_is_overwritten_that_was_not_read(place: Place) -> None:
    read = place.one("plan")
    changed = PLAN.replace("Course", "Our course")
    saved = place.one("save", text=changed, stamp=read["stamp"])
    assert saved["saved"]
    assert place.file.read_text() == changed
    assert place.one("stamp")["stamp"] == saved["stamp"]
    by_hand = changed.replace("count = 3", "count = 2")
    place.file.write_text(by_hand)
    conflict = place.one("save", text=PLAN, stamp=saved["stamp"])
    assert (conflict["conflict"], conflict["gone"]) == (True, False)
    assert place.file.read_text() == by_hand
    assert place.one("save", text=PLAN, stamp=conflict["stamp"])["saved"]
    place.file.unlink()
    assert place.one("save", text=PLAN, stamp=read["stamp"])["gone"]
    assert not place.file.exists()
    assert place.one("save", text=PLAN, stamp="x", force=True)["saved"]
    assert load(place.file).title == "Course"
    assert [path.name for path in place.folder.iterdir() if path.suffix == ".part"] == []


def test_what_is_new_in_puzzles(place: Place) -> None:
    (found,) = place.all("novelties", puzzles=[BOARD])
    assert found["moves"] == 4
    assert found["marks"]
    assert found["rules"]
    assert not found["unsolved"]
    (unsolved,) = place.all("novelties", puzzles=["o...\n....\n...o"])
    assert (unsolved["moves"], unsolved["unsolved"]) == (None, "no solution (proven)")
    (lost,) = place.all("novelties", puzzles=["nothing"])
    assert lost["reason"]


def test_exports_take_a_name_that_is_free(place: Place) -> None:
    found = place.one("export", format="html")
    assert found["words"][:3] == ["curriculum", "export", "course"]
    assert found["words"][-1] == str(place.folder / "course.html")
    (place.folder / "course.html").write_text("mine")
    (place.folder / "course-site").mkdir()
    assert place.one("export", format="html")["words"][-1] == str(place.folder / "course-2.html")
    assert place.one("export", format="site")["words"][-1] == str(place.folder / "course-2-site")


def test_a_plan_is_built_and_exported_by_the_server(tmp_path: Path) -> None:
    place = Place(tmp_path)

    async def test(client: Any, bench: Any) -> None:
        assert bench.places.desk.folder == tmp_path

        async def record(job: str, **more: Any) -> dict[str, Any]:
            answered = await client.post("/record", json={"job": job, "name": "course.toml", **more})
            last: dict[str, Any] = json.loads(answered.text.splitlines()[-1])
            return last

        built = await record("build")
        assert (built["state"], built["runs"]) == ("finished", [1]), built
        assert "course is recorded" in built["says"]
        if "publishing" in INSTALLED:
            for format, name in (("json", "course.json"), ("site", "course-site")):
                made = await record("export", format=format)
                assert made["state"] == "finished", made
                assert made["says"].startswith(f"Written: {tmp_path / name}")
            assert json.loads((tmp_path / "course.json").read_text())["title"] == "Course"
            assert (tmp_path / "course-site" / "index.html").is_file()
            failed = await record("export", format="doc")
            assert "unknown format" in failed["error"]
        else:
            assert "pip install epcg-publishing" in (await record("export", format="json"))["error"]
        other = await client.post(
            "/api/save", json={"name": "x.toml", "text": PLAN, "stamp": "", "folder": "/"}
        )
        assert "saved" in other.text
        assert (tmp_path / "x.toml").is_file()

    served(tmp_path, test)
    assert parse_plan(PLAN, folder=place.folder).title == "Course"


@pytest.mark.parametrize(
    ("name", "request_", "sentence"),
    [
        ("plan", {"name": "../course.toml"}, "has no slash"),
        ("plan", {"name": ".hidden.toml"}, "cannot be the name of a plan"),
        ("plan", {"name": "course.txt"}, "ends with .toml"),
        ("plan", {"name": "none.toml"}, "There is no plan"),
        ("plan", {"text": 5}, "needs the text 'text'"),
        ("save", {"text": "x = ", "stamp": ""}, "not valid TOML"),
        ("save", {"text": "title = 'x'", "stamp": ""}, "chapters"),
        ("arrange", {"text": PLAN, "lists": [1]}, "'lists', a list of"),
        ("arrange", {"text": PLAN, "lists": [[["chapters", 7], []]]}, "no chapters.7"),
        ("arrange", {"text": PLAN, "order": "x"}, "'order', a list of numbers"),
        ("arrange", {"text": PLAN, "order": [0, 0]}, "each once"),
        ("arrange", {"text": PLAN, "order": []}, "one chapter or more"),
        ("arrange", {"text": PLAN, "changes": [["title", "x"]]}, "a list of"),
        ("insert", {"text": PLAN, "entry": OTHER, "chapter": 9}, "no chapter 9"),
        ("insert", {"text": PLAN, "entry": "words", "chapter": 2}, "no editor reads it"),
        ("insert", {"text": PLAN, "entry": OTHER, "chapter": "x"}, "a whole number"),
        ("insert", {"text": PLAN, "entry": OTHER, "title": "T", "measure": "m"}, "unknown measure of fling"),
        ("entry", {"puzzle": "words"}, "is not the id of a puzzle"),
        ("entry", {"domain": "none", "text": BOARD}, "none"),
        ("next_best", {"text": PLAN, "chapter": 3, "value": 1, "without": []}, "no part 1 of chapter 3"),
        ("next_best", {"text": PLAN, "chapter": 1, "value": "x", "without": []}, "the number 'value'"),
        ("novelties", {"puzzles": "x"}, "a list of texts"),
        ("new_plan", {"name": "n.toml", "shipped": "no/plan"}, "unknown plan 'no/plan'"),
        ("export", {"format": "doc"}, "unknown format 'doc'"),
        ("choice", {"text": PLAN.replace("count = 3", "counts = 3")}, "unknown key 'counts'"),
    ],
)  # fmt: skip
def test_wrong_requests_get_a_sentence(
    place: Place, name: str, request_: dict[str, Any], sentence: str
) -> None:
    before = place.file.read_text()
    message = place.one(name, **request_)
    assert message["expected"], message
    assert sentence in message["error"]
    assert place.file.read_text() == before


def test_texts_that_cannot_be_cut_are_refused() -> None:
    inline = 'chapters = [{ name = "a", measure = "m", puzzles = [] }]\n'
    with pytest.raises(CurriculumError, match=r"write each as \[\[chapters\]\]"):
        with_chapters(inline, [0])
    hidden = PLAN + "\n[[chapters]]\nname = 'c'\ndescription = '''\n[[chapters]]\n'''\n"
    with pytest.raises(CurriculumError, match="cannot be told apart"):
        with_chapters(hidden, [0, 1, 2])
    assert parse_toml(with_list(inline, ["chapters", 0], ["x#1"]), "plan")["chapters"][0]["puzzles"] == [
        "x#1"
    ]
