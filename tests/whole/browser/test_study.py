"""Studies in a real browser, without network: simulated people play and answer, then numbers are asked."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from epcg_core.base.errors import StoreError
from tests.publishing.play_files import moves_of
from tests.whole.browser.chromium import browser_marks, new_page
from tests.whole.browser.test_site import best, said, tap
from tests.workplace import epcg

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = browser_marks()
SHOTS = Path(__file__).parents[3] / "build" / "study"
"""Where a picture of each kind of screen is kept, to be looked at."""
VARIANT, ORIGINAL = "variant", "original"
WORDS = ["fun", "frustrating", "surprising", "interesting", "enjoyable", "challenging"]


@contextmanager
def phone() -> Iterator[tuple[Page, list[str]]]:
    """A page of a phone that says yes to every question of the browser, and what it complains about."""
    complaints: list[str] = []
    with new_page(390, 844, touch=True, is_mobile=True, offline=True) as page:
        page.on("console", lambda m: complaints.append(m.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: dialog.accept())
        yield page, complaints


def shot(page: Page, name: str) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    page.screenshot(path=str(SHOTS / f"{name}.png"))


def site(name: str, folder: Path) -> dict[str, Any]:
    """Make the pages of a shipped study; returns what its study.json holds."""
    epcg("study", "site", name, "--output", folder)
    found: dict[str, Any] = json.loads((folder / "study.json").read_text())
    return found


class Person:
    """A person who takes part: plays by touch, answers by `likes`, and saves the file."""

    def __init__(self, page: Page, folder: Path, plan: dict[str, Any], code: str) -> None:
        self.page, self.folder, self.plan, self.code = page, folder, plan, code

    def begin(self) -> None:
        self.page.goto("about:blank")
        self.page.goto(f"{self.folder.as_uri()}/index.html?p={self.code}")
        self.page.tap("#agree")
        self.page.tap("#read")

    def opened(self, name: str) -> int:
        """Wait for a puzzle; returns its number."""
        number = next(n for n, each in enumerate(self.plan["puzzles"], 1) if each["name"] == name)
        self.page.locator("#task:visible").wait_for()
        self.page.wait_for_selector('body[aria-busy="false"]')
        said(self.page, "#state", "0 moves.")
        return number

    def solve(self, name: str) -> int:
        """Follow a shortest solution; returns its length."""
        moves = moves_of(self.folder, self.opened(name))
        at = count = 0
        while not moves.positions[at].goal:
            sites, _, _, at = best(moves, at)
            for one in sites:
                tap(self.page, one)
            count += 1
            said(self.page, "#state", f"{count} move")
        return count

    def some_moves(self, name: str, count: int) -> None:
        moves, at = moves_of(self.folder, self.opened(name)), 0
        for number in range(1, count + 1):
            sites, _, _, at = best(moves, at)
            for one in sites:
                tap(self.page, one)
            said(self.page, "#state", f"{number} move")

    def give_up(self) -> None:
        self.page.tap("#give-up")

    def go_on(self) -> None:
        self.page.tap("#go-on")

    def choose(self, question: str, value: Any) -> None:
        self.page.locator(f'[id="q-{question}"] input[value="{value}"]').check(force=True)

    def answer(self) -> None:
        self.page.tap("#answer")

    def save(self, target: Path) -> Path:
        with self.page.expect_download() as saved:
            self.page.tap("#save")
        file = target / saved.value.suggested_filename
        saved.value.save_as(file)
        said(self.page, "#saved", "Saved as")
        return file


def order_of(plan: dict[str, Any], number: int) -> list[tuple[str, list[str]]]:
    """The sets of person `number` with the names of their puzzles, in order."""
    _, dealt = plan["rows"][(number - 1) % len(plan["rows"])]
    return [
        (plan["sets"][s]["name"], [plan["puzzles"][plan["sets"][s]["puzzles"][at]]["name"] for at in order])
        for s, _, order in dealt
    ]


def rows_of(*command: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(epcg(*command, "--format", "csv").stdout)))


def test_the_design_of_2020_is_played_by_six_people_and_what_they_like_is_found(
    reader: Path, tmp_path: Path
) -> None:
    """Everybody finds variants more challenging; of fun, people with odd numbers say so, the others not."""
    folder, files = tmp_path / "study", []
    plan = site("snakebird/design_of_2020", folder)
    with phone() as (page, complaints):
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        for number in range(1, 7):
            person = Person(page, folder, plan, str(number))
            person.begin()
            said(page, "#where", "Training 1 of 3")
            person.solve("training/1")
            if number == 1:
                shot(page, "solved")
            person.go_on()
            person.some_moves("training/2", 2)
            page.tap("#undo")
            said(page, "#state", "1 move.")
            page.tap("#restart")
            said(page, "#state", "0 moves.")
            person.give_up()
            person.opened("training/3")
            person.give_up()
            for at, (name, puzzles) in enumerate(order_of(plan, number)):
                said(page, "#where", f"Puzzle {2 * at + 1} of 4")
                if at or number > 2:
                    person.opened(puzzles[0])
                    page.tap("#solution summary")
                    page.tap("#animate")
                    said(page, "#state", "The solution: 2 moves.")
                    if number == 3:
                        shot(page, "animated")
                    page.tap("#animate")
                    said(page, "#state", "0 moves.")
                    person.give_up()
                else:
                    person.solve(puzzles[0])
                    person.go_on()
                person.opened(puzzles[1])
                person.give_up()
                page.locator("#answer").wait_for()
                if number == 1 and not at:
                    person.answer()
                    said(page, "#missing", "Please answer: Which was more fun?")
                    shot(page, "pair")
                for word in WORDS:
                    liked = VARIANT if word == "challenging" or (word == "fun" and number % 2) else ORIGINAL
                    person.choose(word, f"{name}/{liked}")
                person.answer()
            page.locator("#q-best").wait_for()
            last = order_of(plan, number)[-1][0]
            person.choose("best", f"{last}/{VARIANT}")
            page.fill('[id="q-age"] input', "10" if number == 1 else str(20 + number))
            for question, value in (
                ("games", "every day"), ("puzzle games", "never"), ("designed", "no"), ("known before", "no"),
            ):  # fmt: skip
                person.choose(question, value)
            person.answer()
            if number == 1:
                said(page, "#missing", "The smallest number here is 16.")
                shot(page, "about-you")
                page.fill('[id="q-age"] input', "21")
                person.answer()
            files.append(person.save(tmp_path))
            if number == 1:
                shot(page, "end")
        assert complaints == []
        assert {address.partition(":")[0] for address in asked} <= {"file", "data", "blob", "about"}
    said_ = epcg("import", "study", *files, "--plan", folder).stderr
    assert "6 people brought in, 42 puzzles played, 90 choices" in said_
    found = {row["question"]: row for row in rows_of("study", "choices", "--of", VARIANT)}
    assert [found[w]["share"] for w in ("challenging", "frustrating", "fun")] == ["1.0", "0.0", "0.5"]
    assert (found["challenging"]["choices"], found["challenging"]["people"]) == ("12", "6")
    assert found["challenging"]["p"] == ""  # people chose twice
    # of two people the variant came first twice, of one second twice, of three once each (statistics.orders)
    assert float(found["challenging"]["p within"]) == pytest.approx(2 * (2 / 3) ** 2 / 3 * 0.5**3)
    assert (found["best"]["share"], found["best"]["choices"]) == ("1.0", "12")
    answers = rows_of(
        "sql", "SELECT answer, count(*) AS n FROM study_said WHERE question = 'games' GROUP BY 1"
    )
    assert answers == [{"answer": "every day", "n": "6"}]
    counts = rows_of("sql", "SELECT sum(undos) AS undos, sum(restarts) AS restarts, "
                            "sum(solution_shown) AS shown, sum(finished) AS solved FROM traces")  # fmt: skip
    assert counts == [{"undos": "6", "restarts": "6", "shown": "10", "solved": "8"}]
    assert "person 3 the study" in " ".join(
        epcg("import", "study", files[2], "--plan", folder, code=1).stderr.split()
    )
    epcg("import", "study", files[2], "--plan", folder, "--replace")
    assert rows_of("sql", "SELECT count(*) AS n FROM study_choices") == [{"n": "90"}]


def test_the_boards_of_fling_are_rated_and_the_groups_have_their_tools(reader: Path, tmp_path: Path) -> None:
    """Everybody rates the board of higher entropy 6 and the other one 2, and finds it harder."""
    folder, files = tmp_path / "study", []
    plan = site("fling/which_is_harder", folder)
    with phone() as (page, complaints):
        for number in range(1, 7):
            group = plan["groups"][plan["rows"][number - 1][0]]
            person = Person(page, folder, plan, str(number))
            person.begin()
            for training in ("training/1", "training/2"):
                person.opened(training)
                assert page.locator("#hint").is_visible() == (group == "with hints")
                assert page.locator("#solution").is_hidden()
                page.keyboard.press("h")
                if group == "with hints":
                    said(page, "#note", "Try: ")
                person.give_up()
            for name, puzzles in order_of(plan, number):
                for puzzle in puzzles:
                    person.solve(puzzle)
                    person.go_on()
                    page.locator("#q-difficulty").wait_for()
                    if number == 1:
                        shot(page, "scale")
                    person.choose("difficulty", 6 if "high" in puzzle else 2)
                    person.answer()
                page.locator("#q-harder").wait_for()
                person.choose("harder", f"{name}/high entropy")
                person.answer()
            person.choose("puzzle games", "never")
            person.answer()
            files.append(person.save(tmp_path))
        assert complaints == []
    epcg("run", "fling/best_by_expert_ratio", "--set", "generator.pieces=5", "--quiet")
    epcg("import", "study", *files, "--plan", folder)
    (row,) = rows_of("study", "choices", "--of", "high entropy")
    assert (row["question"], row["share"], row["choices"], row["people"]) == ("harder", "1.0", "24", "6")
    hints = rows_of("sql", 'SELECT "group", sum(hints) AS n, count(DISTINCT study_people.person) AS people '
                           "FROM traces JOIN study_people USING (player) GROUP BY 1 ORDER BY 1")  # fmt: skip
    assert hints == [
        {"group": "with hints", "n": "6", "people": "3"}, {"group": "without hints", "n": "0", "people": "3"},
    ]  # fmt: skip
    rated = rows_of("sql", "SELECT label, avg(value) AS mean, count(*) AS n FROM responses JOIN study_played "
                           "USING (study, person, space, rank) WHERE response = 'difficulty' "
                           "GROUP BY 1 ORDER BY 1")  # fmt: skip
    assert [(row["label"], row["mean"], row["n"]) for row in rated] == [
        ("high entropy", "6.0", "24"), ("low entropy", "2.0", "24"),
    ]  # fmt: skip
    found = rows_of("study", "correlate", "--response", "difficulty", "--study", "fling-which-is-harder")
    assert {row["metric"]: row["puzzles"] for row in found}["expert_tree"] == "8"


def test_nothing_is_lost_on_a_reload_and_nothing_kept_without_consent(reader: Path, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    plan = site("fling/which_is_harder", folder)
    kept = "JSON.stringify(Object.entries(localStorage))"
    with phone() as (page, complaints):
        page.goto(f"{folder.as_uri()}/index.html")
        shot(page, "who")
        page.fill("#code", "a b")
        page.tap("#use")
        said(page, "#missing", "A number has up to 15 digits")
        page.fill("#code", "007")
        page.keyboard.press("Enter")
        page.locator("#agree").wait_for()
        assert page.url.endswith("?p=7")
        shot(page, "consent")
        page.tap("#decline")
        said(page, "#screen", "Nothing was kept")
        assert page.evaluate(kept) == "[]"
        person = Person(page, folder, plan, "7")
        page.reload()
        page.tap("#agree")
        shot(page, "how-to-play")
        page.tap("#read")
        person.some_moves("training/1", 1)
        page.reload()
        said(page, "#state", "1 move.")
        said(page, "#where", "Training 1 of 2")
        person.give_up()
        person.opened("training/2")
        person.give_up()
        _, puzzles = order_of(plan, 7)[0]
        person.opened(puzzles[0])
        shot(page, "puzzle")
        person.give_up()
        person.choose("difficulty", 5)
        page.keyboard.press("u")  # plays nothing behind a form
        page.reload()
        assert page.locator('[id="q-difficulty"] input[value="5"]').is_checked()
        person.answer()
        person.opened(puzzles[1])
        page.tap("#stop")
        shot(page, "stop")
        file = json.loads(person.save(tmp_path).read_text())
        assert (file["complete"], file["person"]) == (False, "7")
        assert file["answers"] == [{"question": "difficulty", "about": puzzles[0], "value": 5}]
        page.tap("#resume")
        person.opened(puzzles[1])
        page.tap("#stop")
        page.tap("#delete")
        said(page, "#screen", "Nothing of it is kept on this device")
        assert page.evaluate(kept) == "[]"
        assert complaints == []
    assert "1 of the files" in epcg("import", "study", tmp_path / "fling-which-is-harder-7.json", "--plan",
                                    folder).stderr  # fmt: skip


def test_the_page_and_the_import_agree_on_what_a_person_gets(
    reader: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from epcg_research.exchange.results import read_plan, read_results

    folder = tmp_path / "study"
    plan = site("fling/which_is_harder", folder)
    rows = set()
    with phone() as (page, _):
        for code in ("1", "128", "129", "0", "999999999999999", "a", "Anna-3", "x_y", "9999999999999999"):
            person = Person(page, folder, plan, code)
            person.begin()
            page.tap("#stop")
            file = person.save(tmp_path)
            (result,) = read_results([file], read_plan(folder), "s")
            rows.add(json.loads(file.read_text())["row"])
            assert result.person == code
    assert len(rows) > 5
    changed = json.loads(file.read_text())
    file.write_text(json.dumps(changed | {"row": changed["row"] + 1}))
    with pytest.raises(StoreError, match=r"has row \d+ of the plan"):
        read_results([file], read_plan(folder), "s")
