"""What a week of use of a former workbench broke, each as a promise about its kind, in a real browser.

Where another test holds the promise, it is named here.

| finding | test |
|---|---|
| empty tiles on the first page | `test_every_tile_of_the_first_page_has_a_picture` |
| lost levels | `test_first.test_a_file_of_many_levels_becomes_a_game`, tests/workbench `test_findings` |
| silent faults of rules | `test_project.test_a_game_is_broken_mended_drawn_saved_and_survives_its_server` |
| lost state after a restart | `test_first.test_page_level_mode_and_wish_outlive_the_server` |
| a sample that says "all" | `test_workbench.test_what_was_found_before_a_stop_...`, tests/workbench |
| Ctrl Z in Play changed the drawing | `test_undo_in_play_takes_back_a_move_and_never_the_drawing` |
| emptied places | `test_what_lies_on_an_open_place_is_among_the_choices_...`, tests/workbench |
| locks in exports | `test_exports_show_the_board_and_nothing_that_one_does_with_it` |
| wrong search offered | tests/workbench `test_percentiles` |
| mid-ranks | tests/workbench `test_percentiles` |
| nonsense suggestions | tests/workbench `test_findings`, `test_wishes` |
| ties not told | tests/workbench `test_findings` |
| scrolled page | `test_answers_are_seen_without_scrolling` |
| order of answers | `test_headlines_come_first_and_stay_where_they_are_while_answers_arrive` |
| "undefined" in a sentence | `test_no_page_says_a_word_that_programs_say` |
| spoilers after *hide* | `test_answers.test_first_what_people_ask_then_where_it_stands` |
| stale line under the board | `test_the_lines_under_the_board_are_about_what_is_shown` |
| lost reasons of "find out" | tests/workbench `test_findings` |
| a standing progress after the end | `test_nothing_is_said_to_be_under_way_after_its_end` |
| no histogram of a partial run | `test_workbench.test_a_part_of_an_answer_is_told_with_intervals_...` |
| back button | `test_back_and_forward_lead_over_pages_files_and_levels_and_lose_nothing`, and of contents |
| art of the game | `test_drawing.test_a_game_is_drawn_in_its_art_...`, tests/workbench |
| phone keys | `test_all_of_play_is_under_the_thumb` |
| export without progress | `test_curricula`, tests/workbench `test_plans` |
| drop above the first row | `test_project.test_levels_are_dragged_to_another_place_and_messages_written` |
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from epcg_workbench.project.templates import new_project

from epcg_core.inside import editing
from epcg_core.plugin import EditorInfo, registry
from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_project import saved, served
from tests.whole.browser.test_workbench import SMALL_BOARD, rest, said, text_of, until, workbench

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = browser_marks("starlette")

DOMAINS = sorted({info.domain for info in registry().all(EditorInfo)})
ALIKE = {"rushhour", "segments", "sliding", "snakebird"}
"""Domains whose contents the page treats as those of others: cells with marks, and moves by buttons."""
TEXTS = {"tangram": SMALL_BOARD}
"""Contents that are measured at once; of other domains, the first example."""
PROGRAMS = r"""() => {
  const bad = /\b(undefined|null|NaN|Infinity|None|nan)\b|\[object|Traceback/, found = [];
  const told = ["title", "aria-label", "aria-valuetext", "placeholder", "alt"];
  for (const each of document.body.querySelectorAll("*")) {
    if (each.closest("script, style, textarea")) continue;
    for (const name of told) if (bad.test(each.getAttribute(name) ?? "")) found.push(each.getAttribute(name));
    const words = [...each.childNodes].filter((child) => child.nodeType === 3);
    found.push(...words.map((child) => child.data).filter((data) => bad.test(data)));
  }
  return found;
}"""
"""What only programs say, in texts, tips and names of a page."""
SEEN = """part => { const box = part.getBoundingClientRect(), under = document.elementFromPoint(
    box.left + Math.min(box.width / 2, 60), box.top + Math.min(box.height, 20) / 2);
  return box.height > 0 && box.top >= 0 && box.top + Math.min(box.height, 60) <= innerHeight
    && (part.contains(under) || under?.contains(part)); }"""
"""Whether an element begins in the window, and nothing lies on it."""


def text_for(domain: str) -> str:
    examples = editing.examples(domain)
    return TEXTS.get(domain) or (next(iter(examples.values())) if examples else editing.new_text(domain))


def playable(domain: str) -> bool:
    return editing.open_document(domain, text_for(domain)).playable


@pytest.fixture
def plays(domain: str) -> str:
    """The domain; skips the test if its contents are not played (asked now: to read them takes a second)."""
    if not playable(domain):
        pytest.skip(f"contents of {domain} are not played")
    return domain


def of_each_kind(domains: list[str]) -> list[object]:
    """The domains, those that are ALIKE before a release only, for what the page does alike for all."""
    return [pytest.param(name, marks=pytest.mark.nightly if name in ALIKE else ()) for name in domains]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A workbench without a project, which all tests of this module share."""
    with workbench(tmp_path_factory.mktemp("findings")) as found:
        yield found


def go(page: Page, address: str, domain: str, text: str = "") -> None:
    page.goto(f"{address}#/{domain}/{quote(text or text_for(domain), safe='')}")
    page.wait_for_selector("#bench:not([hidden])")
    rest(page)


def seen(page: Page, selector: str) -> bool:
    found: bool = page.locator(selector).first.evaluate(SEEN)
    return found


def open_first(page: Page) -> None:
    """Open the first place for filling, and wait for answers."""
    page.click('[data-mode="sketch"]')
    page.locator("#board").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#sketch-answer .verdict")
    rest(page)


def analyse(page: Page) -> None:
    """Try changes until there are suggestions, and stop if it takes long."""
    page.click('[data-mode="analyse"]')
    page.click("#analyse")
    page.wait_for_selector("#suggestions .tiles li")
    page.wait_for_timeout(500)
    page.locator("#stop").evaluate("button => button.click()")  # which does nothing if it has just ended
    rest(page)


def unfold_moves(page: Page) -> None:
    """Show the list of moves, which is folded where a place is touched to move."""
    if page.locator("#actions-part").get_attribute("open") is None:
        page.locator("#actions-part > summary").click()


@pytest.mark.parametrize("domain", DOMAINS)
def test_answers_are_seen_without_scrolling(domain: str, address: str) -> None:
    with open_page(1280, 800) as (page, complaints):
        go(page, address, domain)
        if playable(domain):
            assert seen(page, "#verdict")
        assert seen(page, "#measures tr")
        analyse(page)
        for part in ("#wish-answer", "#suggestions .tiles li", "#progress"):
            assert seen(page, part), part
        open_first(page)
        for part in ("#sketch-count", "#sketch-answer", "#sketch-found"):
            assert seen(page, part), part
        assert page.evaluate("document.scrollingElement.scrollTop") == 0
        assert complaints == []


@pytest.mark.parametrize("domain", DOMAINS)
def test_no_page_says_a_word_that_programs_say(domain: str, address: str) -> None:
    with open_page(1280, 800) as (page, complaints):
        go(page, address, domain)
        assert page.evaluate(PROGRAMS) == []
        more = page.locator("#measures button")
        if more.count():
            more.click()
        assert page.evaluate(PROGRAMS) == []
        analyse(page)
        assert page.evaluate(PROGRAMS) == []
        open_first(page)
        assert page.evaluate(PROGRAMS) == []
        if playable(domain):
            page.click('[data-mode="play"]')
            rest(page)
            page.click("#hint")
            rest(page)
        for part in ("#ask", "#curricula", "#/"):
            page.evaluate("hash => { location.hash = hash; }", part)
            rest(page)
            assert page.evaluate(PROGRAMS) == []
        assert complaints == []


@pytest.mark.parametrize("domain", of_each_kind(DOMAINS))
def test_headlines_come_first_and_stay_where_they_are_while_answers_arrive(domain: str, address: str) -> None:
    """At any moment the rows that there are already keep their order, and people's questions are above."""
    with open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        page.evaluate("""() => { window.orders = [];
            const names = () => [...document.querySelectorAll("#measures tr[data-metric]")];
            new MutationObserver(() => orders.push(names().map((row) => row.dataset.metric)))
              .observe(document.querySelector("#measures"), {childList: true, subtree: true}); }""")
        hash = f"/{domain}/{quote(text_for(domain), safe='')}"
        page.evaluate("hash => { location.hash = hash; }", hash)
        page.wait_for_selector("#verdict-word:not(:empty)" if playable(domain) else "#measures tr")
        rest(page)
        orders: list[list[str]] = page.evaluate("orders.filter((each) => each.length)")
        last = orders[-1]
        assert all([name for name in last if name in each] == each for each in orders)
        headlines = {
            metric.name: metric.headline
            for info in editing.evaluators(domain)
            for metric in info.metrics
            if metric.headline
        }
        first = list(dict.fromkeys(name for name in last if name in headlines))  # one name may be twice
        assert last[: len(first)] == first == sorted(first, key=headlines.__getitem__)
        assert all(each[: len(first)] == first for each in orders), "none moves when another comes"
        assert complaints == []


@pytest.mark.parametrize("domain", of_each_kind(DOMAINS))
def test_undo_in_play_takes_back_a_move_and_never_the_drawing(plays: str, address: str) -> None:
    with open_page(1280, 800) as (page, complaints):
        go(page, address, plays)
        drawn = text_of(page)
        page.click('[data-mode="analyse"]')
        page.click("#analyse")
        page.locator("#suggestions button.change").first.click()
        until(page, lambda: text_of(page) != drawn)
        rest(page)
        changed = text_of(page)
        page.click('[data-mode="play"]')
        rest(page)
        unfold_moves(page)
        page.locator("#actions button").first.click()
        said(page, "#play-state", "1 move.")
        for _ in range(3):
            page.keyboard.press("Control+z")
            said(page, "#play-state", "0 moves.")
            rest(page)
        assert text_of(page) == changed
        assert complaints == []


@pytest.mark.parametrize("domain", of_each_kind(DOMAINS))
def test_exports_show_the_board_and_nothing_that_one_does_with_it(domain: str, address: str) -> None:
    with open_page(1280, 800) as (page, complaints):
        go(page, address, domain)

        def exported() -> list[bytes]:
            found = []
            page.click('[data-mode="edit"]')
            for button in ("#svg", "#save", "#png"):
                with page.expect_download() as download:
                    page.click(button)
                found.append(Path(download.value.path()).read_bytes())
            return found

        plain = exported()
        assert plain[1].decode() == text_of(page)
        page.locator("#board").focus()
        page.keyboard.press("L")  # l may be the key of a mark
        page.wait_for_selector("#board .locked")
        assert exported() == plain
        page.locator("#board").focus()
        page.keyboard.press("L")  # l may be the key of a mark
        page.wait_for_selector("#board .locked", state="detached")
        open_first(page)
        assert exported() == plain
        analyse(page)
        assert exported() == plain
        assert complaints == []


@pytest.mark.parametrize("domain", of_each_kind(DOMAINS))
def test_what_lies_on_an_open_place_is_among_the_choices_or_said_to_be_lost(
    domain: str, address: str
) -> None:
    with open_page(1280, 800) as (page, complaints):
        go(page, address, domain)
        marks: dict[str, list[str]] = page.evaluate("document.querySelector('#board').scene.marks")
        site = next(
            (name for name, lies in marks.items() if len(lies) == 1 and not lies[0].startswith("_")), None
        )
        if site is None:
            pytest.skip("nothing lies alone")
        page.click('[data-mode="sketch"]')
        page.evaluate("site => { document.querySelector('#board').here = site; }", site)
        page.locator("#board").focus()
        page.keyboard.press("Enter")
        box = page.locator(
            f'#sketch-part-marks input[value="{marks[site][0]}"], '
            f'#bench input[type="checkbox"][value="{marks[site][0]}"]'
        ).first
        assert box.is_checked()
        assert page.locator("#sketch-lost").inner_text() == ""
        box.uncheck()
        said(page, "#sketch-lost", "No answer keeps ")
        assert complaints == []


@pytest.mark.parametrize("domain", of_each_kind(DOMAINS))
def test_the_lines_under_the_board_are_about_what_is_shown(domain: str, address: str) -> None:
    with open_page(1280, 800) as (page, complaints):
        go(page, address, domain)
        for mode in ("analyse", "sketch", *(["play"] if playable(domain) else []), "edit"):
            page.mouse.move(0, 0)
            page.locator("#board [data-site]").first.hover()
            assert page.locator("#under").inner_text()
            page.locator(f'[data-mode="{mode}"]').focus()
            page.keyboard.press("Enter")
            rest(page)
            assert page.locator("#under").inner_text() == "", mode
            own = page.evaluate("document.querySelector('#board').scene.note")
            assert page.locator("#note").inner_text() in ("", own)
        page.locator("#board").focus()
        page.keyboard.press("ArrowRight")
        assert page.locator("#note").inner_text()
        new = editing.new_text(
            domain, *{"tangram": (), "rushhour": (5, 5), "segments": (12, 14)}.get(domain, (4, 3))
        )
        page.evaluate("hash => { location.hash = hash; }", f"/{domain}/{quote(new, safe='')}")
        until(page, lambda: text_of(page) == new)
        rest(page)
        own = page.evaluate("document.querySelector('#board').scene.note")
        assert page.locator("#note").inner_text() == own
        assert page.locator("#under").inner_text() == ""
        assert complaints == []


def test_nothing_is_said_to_be_under_way_after_its_end(address: str) -> None:
    under_way = """() => [...document.querySelectorAll("#bench *, #ask *, #curricula *")]
        .filter((each) => !each.children.length && each.checkVisibility() && !each.closest("select")
          && /(ing|Counting|So far).*…$|^(Starting|Working|Recording)/.test(each.textContent.trim()))
        .map((each) => each.textContent)"""
    with open_page(1280, 800) as (page, _):
        go(page, address, "fling", "o..o\n....\n....")
        page.click('[data-mode="analyse"]')
        page.select_option("#most", "2")
        page.click("#analyse")
        said(page, "#progress", "nothing is left out")
        rest(page)
        assert page.evaluate(under_way) == []
        page.click("#record")
        said(page, "#progress", "Kept (run")
        assert page.evaluate(under_way) == []
        # a server that does not answer is said, and what was begun stands no longer
        page.route(re.compile("/(api/|settings)"), lambda route: route.abort())
        page.click("#record")
        page.click('[data-mode="edit"]')
        page.click("#standing")
        page.wait_for_selector("#lost:not([hidden])")
        page.click('[data-mode="sketch"]')
        page.locator("#board").focus()
        page.keyboard.press("Enter")
        page.wait_for_timeout(1000)
        rest(page)
        assert page.evaluate(under_way) == []


def test_every_tile_of_the_first_page_has_a_picture(tmp_path: Path) -> None:
    new_project(tmp_path)
    empty = """() => { const found = [];
      for (const tile of document.querySelectorAll(
          "#around button, #recent .card, #makers button .art, #recorded button")) {
        const pictures = [...tile.querySelectorAll("img")];
        const isPlus = tile.querySelector(".plus");
        if (!isPlus && !pictures.length) found.push(tile.textContent);
        const lost = pictures.filter((each) => !each.complete || !each.naturalWidth);
        found.push(...lost.map((each) => each.src.slice(0, 90)));
      }
      return found; }"""
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        page.click("#home")
        rest(page)
        assert page.locator("#around button").count() >= len(DOMAINS)
        assert page.locator("#recent .card").count() >= 1
        until(page, lambda: page.evaluate(empty) == [])
        assert complaints == []


def test_back_and_forward_lead_over_pages_files_and_levels_and_lose_nothing(tmp_path: Path) -> None:
    new_project(tmp_path)
    (tmp_path / "zoo.txt").write_text("o..o\n....\n")
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)

        def here(end: str) -> None:
            until(page, lambda: page.url.endswith(end))
            rest(page)

        def tab(name: str) -> bool:
            return page.locator(f'[data-mode="{name}"]').get_attribute("aria-pressed") == "true"

        here("#file/game.txt/2")
        first = text_of(page)
        page.locator("#levels .level .piece").nth(1).click()
        here("#file/game.txt/4")
        before = text_of(page)
        page.click('#palette [data-mark="wall"]')
        page.locator("#board").focus()
        for key in ("ArrowRight", "ArrowDown", "Enter"):
            page.keyboard.press(key)
        until(page, lambda: text_of(page) != before)
        saved(page)
        drawn = text_of(page)
        page.click('[data-mode="analyse"]')
        rest(page)
        page.click('#pages a[href="#ask"]')
        page.wait_for_selector("#ask:not([hidden])")
        page.click('#pages a[href="#curricula"]')
        page.wait_for_selector("#curricula:not([hidden])")
        page.click('[data-mode="edit"]')
        here("#file/game.txt/4")
        page.click('#files [data-file="zoo.txt"]')
        here("#file/zoo.txt/1")
        page.click("#home")
        page.wait_for_selector("#start:not([hidden])")

        page.go_back()
        here("#file/zoo.txt/1")
        assert text_of(page).startswith("o..o")
        page.go_back()
        here("#file/game.txt/4")
        page.go_back()
        page.wait_for_selector("#curricula:not([hidden])")
        page.go_back()
        page.wait_for_selector("#ask:not([hidden])")
        page.go_back()
        here("#file/game.txt/4")
        page.wait_for_selector("#bench:not([hidden])")
        assert text_of(page) == drawn
        assert tab("analyse")
        page.go_back()
        until(page, lambda: tab("edit"))
        assert text_of(page) == drawn
        page.go_back()
        here("#file/game.txt/2")
        assert text_of(page) == first
        for _ in range(2):
            page.go_forward()
            rest(page)
        until(page, lambda: tab("analyse"))
        here("#file/game.txt/4")
        assert text_of(page) == drawn
        page.click("#undo")
        until(page, lambda: text_of(page) != drawn)
        assert complaints == []


def test_back_leads_to_the_former_content_with_its_history(address: str) -> None:
    with open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        page.evaluate("location.hash = '#/'")
        page.wait_for_selector("#start:not([hidden])")
        rest(page)
        page.locator('#around [data-domain="fling"] button').first.click()
        page.wait_for_selector("#bench:not([hidden])")
        rest(page)
        opened = text_of(page)
        page.click('#palette [data-mark="ball"]')
        page.locator("#board").focus()
        for key in ("Enter", "ArrowRight", "Enter"):
            page.keyboard.press(key)
            rest(page)
        drawn = text_of(page)
        assert drawn != opened
        page.click("#home")
        page.wait_for_selector("#start:not([hidden])")
        page.locator('#around [data-domain="sliding"] button').first.click()
        until(page, lambda: "#/sliding/" in page.url)
        rest(page)
        page.go_back()
        page.wait_for_selector("#start:not([hidden])")
        page.go_back()
        until(page, lambda: "#/fling/" in page.url and text_of(page) == drawn)
        rest(page)
        page.keyboard.press("Control+z")
        page.keyboard.press("Control+z")
        until(page, lambda: text_of(page) == opened)
        page.go_back()
        page.wait_for_selector("#start:not([hidden])")
        assert complaints == []


@pytest.mark.parametrize("width", [360, pytest.param(430, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("domain", DOMAINS)
def test_all_of_play_is_under_the_thumb(plays: str, width: int, address: str) -> None:
    """Every move of a content has a button that a thumb meets, and back, restart and hint, too."""
    with open_page(width, 800, touch=True) as (page, complaints):
        go(page, address, plays)
        page.locator('[data-mode="play"]').tap()
        rest(page)
        assert page.locator("#actions button").count()
        unfold_moves(page)
        for button in page.locator("[data-in='play'] button:visible").all():
            box = button.bounding_box()
            assert box is not None
            assert min(box["height"], box["width"]) >= 44, button.inner_text()
        page.locator("#actions button").first.tap()
        said(page, "#play-state", "1 move")
        page.locator("#play-undo").tap()
        said(page, "#play-state", "0 moves")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert complaints == []
