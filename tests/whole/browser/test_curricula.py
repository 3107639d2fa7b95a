"""The page of curricula in a real browser: plans are arranged by pointer, touch and keys, and written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import epcg_core as epcg
from epcg_core.curriculum.plan import load
from epcg_core.query.query import parse_query
from tests.whole.browser.chromium import SCREENS, browser_marks, open_page
from tests.whole.browser.test_workbench import SHOTS, paste, rest, said, shot, text_of, until, workbench
from tests.workbench.test_plans import OTHER, PLAN, QUERY

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = browser_marks("starlette")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "boards.toml").write_text(QUERY, encoding="utf-8")
    (tmp_path / "course.toml").write_text(PLAN, encoding="utf-8")
    epcg.answer(parse_query(QUERY), db=tmp_path / "epcg.db")
    return tmp_path


@pytest.fixture
def address(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.chdir(folder)
    with workbench(folder) as found:
        yield found


def opened(page: Page, address: str) -> None:
    page.goto(address)
    rest(page)
    page.click('a[href="#curricula"]')
    page.wait_for_selector('[data-part="1.0"] .strip > li')
    chosen(page, "0.0", 0)
    page.locator("#chapter-puzzle .new", has_text="New: ball").wait_for()
    rest(page)


def chosen(page: Page, part: str, place: int) -> None:
    """Choose a puzzle of a part: the pane tells of it and of its chapter."""
    page.locator(f'[data-part="{part}"] li[data-entry] .open').nth(place).click()
    page.wait_for_selector("#chapter-puzzle:not([hidden])")
    rest(page)


def lists(folder: Path) -> list[list[str] | None]:
    """The lists by hand of the plan's parts, as its file has them."""
    return [None if p.puzzles is None else list(p.puzzles) for _, p in load(folder / "course.toml").parts()]


NARROW = """selector => {
  const needs = each => {
    const free = each.cloneNode(true);
    free.replaceChildren(each.selectedOptions[0].cloneNode(true));
    free.style.cssText = "position: absolute; max-width: none";
    each.before(free);
    const width = free.offsetWidth;
    free.remove();
    return width;
  };
  return [...document.querySelectorAll(selector)]
    .filter(each => each.checkVisibility() && needs(each) > each.offsetWidth)
    .map(each => each.selectedOptions[0].text);
}"""
"""What is chosen in selects in which it is cut."""


def entries(page: Page, part: str) -> list[str]:
    found: list[str] = page.evaluate(
        """part => [...document.querySelectorAll(`[data-part='${part}'] ol.strip > li[data-entry]`)].map(
        tile => tile.dataset.entry)""",
        part,
    )
    return found


def grip(page: Page, part: str, place: int) -> Any:
    return page.locator(f'[data-part="{part}"] ol.strip > li').nth(place).locator(".grip")


def middle(where: Any) -> tuple[float, float]:
    where.scroll_into_view_if_needed()
    box = where.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_plan_is_arranged_by_pointer_and_keys_and_stays_one_truth(folder: Path, address: str) -> None:
    with open_page(1200, 1600) as (page, complaints):
        opened(page, address)
        first, second = entries(page, "0.0"), entries(page, "1.0")
        assert (len(first), len(second)) == (3, 1)
        assert page.locator("#plan-curve circle").count() == 4
        page.wait_for_selector("#plan-chapters .picture img")
        shot(page, "curricula")
        chosen_there = (
            "#chapter-wish select:not(#chapter-from)"  # titles of questions are as long as one likes
        )
        assert page.evaluate(NARROW, chosen_there) == [], "what is chosen can be read whole"

        page.mouse.move(*middle(grip(page, "0.0", 1)))
        page.mouse.down()
        target = page.locator('[data-part="1.0"] ol.strip > li').first.bounding_box()
        assert target is not None
        page.mouse.move(target["x"] + target["width"] - 8, target["y"] + 40, steps=8)
        page.wait_for_selector(".ghost")
        page.screenshot(path=SHOTS / "curricula-dragged.png")
        page.mouse.up()
        until(page, lambda: len(entries(page, "1.0")) == 2)
        rest(page)
        assert lists(folder) == [[first[0], first[2]], [*second, first[1]]]
        text = (folder / "course.toml").read_text()
        assert all(
            words in text for words in ("# our course", "# easy ones", "# the shortest", "# the classic")
        )

        grip(page, "1.0", 1).focus()
        page.keyboard.press("ArrowLeft")
        until(page, lambda: entries(page, "1.0") == [first[1], *second])
        rest(page)
        assert page.evaluate("document.activeElement.closest('li').dataset.entry") == first[1]
        page.keyboard.press("ArrowUp")
        until(page, lambda: entries(page, "0.0") == [first[0], first[2], first[1]])
        rest(page)
        assert lists(folder) == [[first[0], first[2], first[1]], second]
        assert page.locator("#plan-said").inner_text() == "Moved to chapter 1."

        chosen(page, "0.0", 0)
        page.click("#chapter-puzzle .replace")
        until(page, lambda: entries(page, "0.0")[:1] not in ([], [first[0]]))
        rest(page)
        other = entries(page, "0.0")[0]
        assert other not in first
        chosen(page, "0.0", 0)
        page.click("#chapter-puzzle .remove")
        until(page, lambda: entries(page, "0.0") == [first[2], first[1]])
        rest(page)
        page.click("#plan-undo")
        until(page, lambda: entries(page, "0.0") == [other, first[2], first[1]])
        rest(page)

        page.click("#chapter-rejected summary")
        page.locator("#chapter-rejected li button", has_text="Take it").last.click()
        until(page, lambda: len(entries(page, "0.0")) == 4)
        rest(page)
        said(page, "#chapter-stay", "2 chosen by hand stay")
        page.click("#chapter-again")
        until(page, lambda: load(folder / "course.toml").chapters[0].parts[0].fill)
        rest(page)
        stay = lists(folder)[0]
        assert stay is not None
        assert len(stay) == 2
        assert set(stay) < set(entries(page, "0.0"))
        page.get_by_text("Let the plan choose again").click()
        until(page, lambda: entries(page, "0.0") == first)
        rest(page)
        assert lists(folder) == [None, second]

        page.fill("#chapter-title", "Einfache <b>Bretter</b>")
        page.press("#chapter-title", "Tab")
        until(page, lambda: load(folder / "course.toml").chapters[0].title == "Einfache <b>Bretter</b>")
        rest(page)
        page.locator("#plan-list .entry").nth(1).click()
        rest(page)
        page.click("#chapter-up")
        until(page, lambda: entries(page, "0.0") == second)
        rest(page)
        assert [chapter.name for chapter in load(folder / "course.toml").chapters] == ["two", "one"]
        assert page.locator("#curricula b b, #curricula h2 b").count() == 0
        page.click("#plan-chapter")
        page.locator('[data-part="2.0"]', has_text="No puzzle yet").wait_for()
        grip(page, "1.0", 2).focus()
        page.keyboard.press("ArrowDown")
        until(page, lambda: entries(page, "2.0") == [first[2]])
        rest(page)
        assert load(folder / "course.toml").chapters[2].parts[0].measure == "solution_length"
        page.click('#plan-give [data-format="json"]')
        said(page, '.give:has([data-format="json"]) .giving', "Written: ")
        data = json.loads((folder / "course.json").read_text())
        assert [len(chapter["puzzles"]) for chapter in data["chapters"]] == [1, 2, 1]
        chosen(page, "0.0", 0)
        page.click("#chapter-puzzle .draw")
        page.wait_for_selector("#bench:not([hidden])")
        rest(page)
        assert text_of(page) == second[0]
        assert complaints == []


def test_a_puzzle_is_dragged_by_touch_on_a_phone(folder: Path, address: str) -> None:
    with open_page(390, 1800, touch=True) as (page, complaints):
        opened(page, address)
        first = entries(page, "0.0")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        touch = page.context.new_cdp_session(page)
        start = middle(grip(page, "0.0", 2))
        box = page.locator('[data-part="0.0"] ol.strip > li').first.bounding_box()
        assert box is not None
        for kind, points in (
            ("touchStart", [start]), ("touchMove", [(start[0], start[1] - 30)]),
            ("touchMove", [(box["x"] + 10, box["y"] + 30)]), ("touchEnd", []),
        ):  # fmt: skip
            places = [{"x": x, "y": y} for x, y in points]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})
        until(page, lambda: entries(page, "0.0") == [first[2], first[0], first[1]])
        rest(page)
        assert lists(folder)[0] == [first[2], first[0], first[1]]
        assert complaints == []


def test_a_plan_that_is_edited_by_hand_meanwhile_is_not_overwritten(folder: Path, address: str) -> None:
    file = folder / "course.toml"
    with open_page() as (page, complaints):
        opened(page, address)
        by_hand = PLAN.replace("count = 3", "count = 2")
        file.write_text(by_hand)
        said(page, "#plan-conflict", "was changed outside of this page. Nothing is overwritten.")
        shot(page, "curricula-conflict")
        chosen(page, "0.0", 0)
        page.click("#chapter-puzzle .remove")
        said(page, "#plan-conflict", "Your last change is not written.")
        rest(page)
        assert file.read_text() == by_hand
        page.click("#plan-again")
        until(page, lambda: len(entries(page, "0.0")) == 2)
        rest(page)
        assert page.locator("#plan-conflict").is_hidden()
        mine = by_hand.replace("count = 2", "count = 1")
        file.write_text(mine)
        chosen(page, "0.0", 0)
        page.click("#chapter-puzzle .remove")
        said(page, "#plan-conflict", "Your last change is not written.")
        assert file.read_text() == mine
        page.click("#plan-force")
        until(page, lambda: "count = 2" in file.read_text())
        rest(page)
        assert len(lists(folder)[0] or ()) == 1
        file.unlink()
        said(page, "#plan-conflict", "is gone")
        page.click("#plan-force")
        until(page, file.exists)
        page.click("#plan-as-text")
        page.fill("#plan-text", "title = ")
        page.click("#plan-read")
        said(page, "#plan-trouble", "not valid TOML")
        rest(page)
        assert load(file).title == "Course"
        assert complaints == []


def test_a_puzzle_without_a_solution_is_told_before_it_goes_into_a_chapter_and_in_it(address: str) -> None:
    with open_page() as (page, complaints):
        for number, text in enumerate((OTHER, "o...\n....\n...o")):
            page.goto("about:blank")
            page.goto(address)
            rest(page)
            paste(page, text)
            page.wait_for_selector("#bench:not([hidden])")
            rest(page)
            page.click("#bench-into")
            page.wait_for_selector("#into-add:not([disabled])")
            if number:
                said(page, "#into-about", "This puzzle cannot be solved: no solution (proven).")
                shot(page, "into-unsolved")
            else:
                rest(page)
                assert "cannot be solved" not in page.inner_text("#into-about")
                page.select_option("#into-plan", "")
                page.fill("#into-title", "Both")
                page.select_option("#into-measure", "legal_moves")
            page.click("#into-add")
            said(page, "#into-said", "It is in chapter 1")
            page.click("#into-close")
        page.click('a[href="#curricula"]')
        page.wait_for_selector('[data-part="0.0"] .strip .lost:not([hidden])')
        shown = page.locator('[data-part="0.0"] .strip .lost')
        assert [each.is_visible() for each in shown.all()] == [False, True]
        chosen(page, "0.0", 1)
        said(page, "#chapter-puzzle .new", "It cannot be solved: no solution (proven).")
        shot(page, "chapter-unsolved")
        assert not complaints


def test_puzzles_go_into_chapters_from_the_board_and_from_answers(folder: Path, address: str) -> None:
    with open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        paste(page, OTHER)
        page.wait_for_selector("#bench:not([hidden])")
        rest(page)
        page.click("#bench-into")
        page.wait_for_selector("#into-add:not([disabled])")
        page.select_option("#into-plan", "")
        page.fill("#into-title", "My own Öx")
        page.select_option("#into-measure", "solution_length")
        page.screenshot(path=SHOTS / "into-new.png")
        page.click("#into-add")
        said(page, "#into-said", "It is in chapter 1")
        made = load(folder / "my-own-ox.toml")
        assert [part.puzzles for _, part in made.parts()] == [(OTHER,)]
        page.click("#into-close")
        page.click("#bench-into")
        page.wait_for_selector("#into-add:not([disabled])")
        page.wait_for_selector('#into-chapter option[value="1"]', state="attached")
        page.click("#into-add")
        said(page, "#into-trouble", "listed twice")
        page.select_option("#into-plan", "course.toml")
        page.wait_for_selector('#into-chapter option[value="2"]', state="attached")
        page.select_option("#into-chapter", "1")
        said(page, "#into-about", "becomes a list by hand")
        page.click("#into-add")
        said(page, "#into-said", "It is in chapter 1, One")
        assert (lists(folder)[0] or [])[-1] == OTHER
        assert len(lists(folder)[0] or []) == 4
        page.click("#into-close")

        page.click('a[href="#ask"]')
        page.wait_for_selector('#ask-questions [data-file="boards.toml"][aria-current="true"]')
        page.wait_for_selector("#ask-gallery li")
        rest(page)
        listed = lists(folder)[0] or []
        places = page.locator("#ask-gallery li .open").all()
        place = next(each for each in places if each.get_attribute("data-puzzle") not in listed)
        place.click()
        puzzle = place.get_attribute("data-puzzle")
        page.get_by_role("button", name="Into a chapter", exact=True).click()
        page.wait_for_selector('#into-chapter option[value="2"]', state="attached")
        page.select_option("#into-chapter", "2")
        page.click("#into-add")
        said(page, "#into-said", "It is in chapter 2")
        assert (lists(folder)[1] or [])[-1] == puzzle
        page.click("#into-said a")
        page.wait_for_selector('[data-part="1.0"] li[data-entry]:nth-child(2)')
        rest(page)
        assert len(entries(page, "0.0")) == 4
        assert complaints == []


def test_an_answer_about_a_plan_that_was_chosen_before_changes_nothing(folder: Path, address: str) -> None:
    """A plan that arrives after a new one was chosen hid the title of that, and took the puzzle."""
    late: list[Any] = []
    with open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        paste(page, OTHER)
        page.wait_for_selector("#bench:not([hidden])")
        rest(page)
        page.route("**/api/plan", lambda route: late.append(route) if not late else route.continue_())
        page.click("#bench-into")
        page.wait_for_selector('#into-plan option[value=""]', state="attached")
        assert page.is_disabled("#into-add")
        page.select_option("#into-plan", "")
        page.wait_for_selector("#into-title:not([hidden])")
        page.wait_for_selector("#into-add:not([disabled])")
        (held,) = late
        with page.expect_response("**/api/plan"):
            held.continue_()
        page.fill("#into-title", "Late")
        page.click("#into-add")
        said(page, "#into-said", "It is in chapter 1")
        assert [part.puzzles for _, part in load(folder / "late.toml").parts()] == [(OTHER,)]
        assert complaints == []


@SCREENS
def test_nothing_is_wider_than_the_page(address: str, scheme: Any, width: int) -> None:
    with open_page(width) as (page, complaints):
        page.emulate_media(color_scheme=scheme)
        opened(page, address)
        page.click("#chapter-rejected summary")
        page.click("#plan-new")
        page.click("#plan-as-text")
        page.wait_for_timeout(500)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        shot(page, f"curricula-{scheme}-{width}")
        chosen(page, "0.0", 0)
        page.click("#chapter-puzzle .draw")
        page.wait_for_selector("#bench:not([hidden])")
        rest(page)
        page.click("#bench-into")
        page.wait_for_selector("#into-add:not([disabled])")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.screenshot(path=SHOTS / f"into-{scheme}-{width}.png")
        assert complaints == []


def test_pages_of_an_answer_keep_few_pictures_and_ask_for_each_once(folder: Path, address: str) -> None:
    more = QUERY.replace("width = 4", "width = 5").replace("height = 3", "height = 4")
    run = epcg.answer(parse_query(more), db=folder / "epcg.db")
    with open_page() as (page, complaints):
        asked: list[str] = []
        page.on(
            "request",
            lambda r: (
                asked.extend(json.loads(r.post_data or "{}")["puzzles"])
                if r.url.endswith("/api/picture") and '"chosen"' not in (r.post_data or "")
                else None
            ),
        )
        page.goto(address)
        rest(page)
        page.click('a[href="#ask"]')
        page.click(f'#ask-kept [data-run="{run.number}"]')
        page.wait_for_selector("#ask-gallery li")
        rest(page)
        page.fill("#ask-low", "1")
        page.press("#ask-low", "Tab")
        page.wait_for_selector("#ask-gallery li:nth-child(60)", state="attached")
        rest(page)
        values = run.values("solution_length")[1]
        said(page, "#ask-count", f"{int((values >= 1).sum()):,} as wished in these columns")
        pictures, tiles = page.locator("#ask-gallery img"), page.locator("#ask-gallery li")

        def seen() -> bool:
            """Whether all tiles in view have their picture."""
            found: bool = page.evaluate(
                """[...document.querySelectorAll('#ask-gallery li')].filter(li => {
                const box = li.getBoundingClientRect(); return box.bottom > 0 && box.top < innerHeight;
                }).every(li => li.querySelector('img'))"""
            )
            return found

        until(page, seen)
        first = [tile.get_attribute("data-puzzle") for tile in page.locator("#ask-gallery .open").all()]
        tiles.nth(59).scroll_into_view_if_needed()
        until(page, seen)
        page.click("#ask-after")
        until(page, lambda: page.locator("#ask-page").inner_text().startswith("2 of "))
        rest(page)
        until(page, seen)
        second = [tile.get_attribute("data-puzzle") for tile in page.locator("#ask-gallery .open").all()]
        assert len(second) == 60
        assert not set(first) & set(second)
        assert 0 < pictures.count() <= 60
        assert len(asked) == len(set(asked))
        before = len(asked)
        page.click("#ask-before")
        until(page, lambda: page.locator("#ask-page").inner_text().startswith("1 of "))
        rest(page)
        until(page, seen)
        assert set(asked[before:]).isdisjoint(asked[:before])
        assert complaints == []


def test_a_curriculum_is_made_by_controls_alone(folder: Path, address: str) -> None:
    """Twelve puzzles evenly from a question, a wish, moves by keys, a booklet, a page, a site."""
    more = QUERY.replace("width = 4", "width = 5").replace("height = 3", "height = 4")
    (folder / "larger.toml").write_text(f'title = "Larger boards"\n{more}', encoding="utf-8")
    epcg.answer(parse_query(more), db=folder / "epcg.db")
    with open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        page.click('a[href="#curricula"]')
        rest(page)
        page.click("#plan-new")
        page.fill("#plan-title", "Rising Balls")
        page.press("#plan-title", "Enter")
        page.locator('[data-part="0.0"]', has_text="No puzzle yet").wait_for()
        rest(page)
        file = folder / "rising-balls.toml"
        page.select_option("#chapter-from", label="Larger boards")
        page.wait_for_selector('[data-part="0.0"] li[data-entry]:nth-child(4)')
        rest(page)
        page.fill("#chapter-keep-count", "12")
        page.press("#chapter-keep-count", "Tab")
        page.wait_for_selector('[data-part="0.0"] li[data-entry]:nth-child(12)')
        rest(page)
        page.select_option("#chapter-metric", "solution/solution_branching")
        until(page, lambda: load(file).chapters[0].parts[0].measure == "solution_branching")
        rest(page)
        page.click("#chapter-add-condition")
        page.select_option("#chapter-condition-0", "solution/piece_switches")
        page.fill("#chapter-condition-0-number", "1")
        page.press("#chapter-condition-0-number", "Tab")
        until(page, lambda: len(load(file).chapters[0].parts[0].where) == 1)
        rest(page)
        said(page, "#chapter-met", "boards meet it")
        page.select_option("#chapter-apart", "2 places")
        until(page, lambda: load(file).chapters[0].parts[0].apart == 2)
        rest(page)
        part = load(file).chapters[0].parts[0]
        assert (part.strategy.name, part.count, part.rows) == ("evenly", 12, "all")
        assert len(entries(page, "0.0")) == 12
        assert page.locator("#plan-curve circle").count() == 12
        shot(page, "curricula-controls")

        own = entries(page, "0.0")
        page.locator('[data-part="0.0"] .open').nth(2).focus()
        page.keyboard.press("Alt+ArrowLeft")
        until(page, lambda: entries(page, "0.0")[:3] == [own[0], own[2], own[1]])
        rest(page)
        assert page.locator("#plan-said").inner_text() == "Moved within chapter 1."

        # a puzzle that is dropped above the first row stands first
        page.locator("#curricula .work").evaluate("work => work.scrollTo(0, 0)")
        tile = grip(page, "0.0", 2)
        box = page.locator('[data-part="0.0"] li').first.bounding_box()
        assert box is not None
        page.mouse.move(*middle(tile))
        page.mouse.down()
        page.mouse.move(box["x"] + 10, box["y"] - 25, steps=8)
        page.mouse.up()
        until(page, lambda: entries(page, "0.0")[:3] == [own[1], own[0], own[2]])
        rest(page)

        for kind, ending in (("html", ".html"), ("page", "-page.html"), ("site", "-site/index.html")):
            page.click(f'#plan-give [data-format="{kind}"]')
            said(page, f'.give:has([data-format="{kind}"]) .giving', f"rising-balls{ending}")
            rest(page)
            assert (folder / f"rising-balls{ending}").stat().st_size > 1000
        page.goto(address)
        page.click('a[href="#curricula"]')
        page.locator("#plan-give .written", has_text="kB").first.wait_for()
        rest(page)
        assert complaints == []


def test_a_chapter_without_a_puzzle_is_named_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its title, and with what to do; no run is made for the others."""
    monkeypatch.chdir(tmp_path)
    with workbench(tmp_path) as address, open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        page.click('a[href="#curricula"]')
        page.fill("#plan-title", "Tea")
        page.click("#plan-make")
        said(page, "#plan-chapters", "No puzzle yet: say after “Take”")
        page.fill("#chapter-title", "First steps")
        page.keyboard.press("Tab")
        said(page, "#plan-chapters", "1. First steps")
        rest(page)
        page.click('#plan-give [data-format="html"]')
        said(page, "#trouble", "The chapter “First steps” has no puzzle yet: say after “Take”")
        assert not list(tmp_path.glob("*.html"))
        assert complaints == []
